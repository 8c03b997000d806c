#!/bin/bash
# Runs the fuzz targets under libFuzzer and AddressSanitizer, one after another.
#
#   Tests/Fuzz/run.sh [SECONDS [TARGET...]]     each of the targets for so many seconds (default 60, all targets)
#
# Inputs that are kept from run to run lie in .build/fuzz/corpus/TARGET, findings in .build/fuzz/findings, what libFuzzer
# prints in .build/fuzz/logs. CRASHREAD_FUZZ_REPORTS names a directory of further reports to begin with,
# CRASHREAD_FUZZ_FILES one of further debug files. Exit status 1 when there is a finding.
set -euo pipefail
cd "$(dirname "$0")/../.."
export SWIFT_BACKTRACE=enable=no CRASHREAD_FUZZ=text
scratch=.build/fuzz

# Optimised, since that's what people run; overflow still traps. @testable needs its flag then. SwiftPM 6.3 has
# --sanitize for fuzzer and address together, but only one of them takes effect.
swift build -c release --product crashread-fuzz --scratch-path "$scratch" --sanitize=fuzzer \
  -Xswiftc -sanitize=fuzzer,address -Xswiftc -enable-testing | tail -n 1

seconds=${1:-60}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(text paste json reporters plist plcrash render headers debug cache names codes options)
mkdir -p "$scratch/findings" "$scratch/logs"
status=0
for target in "${targets[@]}"; do
  corpus=$scratch/corpus/$target
  mkdir -p "$corpus"
  more=()
  case $target in
  text | json | render) [ -z "${CRASHREAD_FUZZ_REPORTS:-}" ] || more=("$CRASHREAD_FUZZ_REPORTS") ;;
  esac
  case $target in
  debug | cache) size=520 ;;
  names | codes) size=400 ;;
  headers | plcrash | options | plist) size=2000 ;;
  *) size=9000 ;;
  esac
  # Leaks are looked for by tests: the Swift runtime keeps what it makes once. Where memory was allocated can be asked when
  # there is a finding; without that, and without weighing rare inputs, it goes twice as fast.
  CRASHREAD_FUZZ=$target CRASHREAD_FUZZ_SEEDS=$corpus ASAN_OPTIONS=detect_leaks=0:malloc_context_size=0 \
    "$scratch/release/crashread-fuzz" -max_total_time="$seconds" -max_len=$size -timeout=10 -rss_limit_mb=3000 \
    -print_final_stats=1 -entropic=0 -artifact_prefix="$scratch/findings/$target-" \
    "$corpus" "${more[@]}" >"$scratch/logs/$target.log" 2>&1 || status=1
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$scratch/logs/$target.log" | tail -n 1)
  echo "$target: ${runs:-?} executions"
done
find "$scratch/findings" -type f
exit $status
