#!/bin/bash
# Runs the tests under a sanitizer: takes about ten times as long as without.
#
#   Tests/Sanitizers/run.sh thread|address [OPTION...]     options are those of Swift Testing, such as --filter NAME
#
# What is left out, and why:
# - Faults stay the program's own (handle_...=0): tests see to it that a file cut while mapped ends in an error.
# - Leaks are looked for by LeakTests: the Swift runtime keeps what it makes once.
# - ThreadSanitizer doesn't see into Swift's own Mutex when threads wait for it: mutex.c tells it.
# - Preloaded libraries may come before AddressSanitizer's: tests put one in front of libdw that kills the process.
set -euo pipefail
cd "$(dirname "$0")/../.."
sanitizer=$1
shift
scratch=.build/$sanitizer
export SWIFT_BACKTRACE=enable=no
swift build --build-tests --sanitize="$sanitizer" --scratch-path "$scratch" | tail -n 1
faults=handle_segv=0:handle_sigbus=0:handle_abort=0:handle_sigill=0:handle_sigfpe=0
export TSAN_OPTIONS=$faults:exitcode=66
export ASAN_OPTIONS=$faults:detect_leaks=0:verify_asan_link_order=0:exitcode=67
if [ "$sanitizer" = thread ]; then
  clang -shared -fPIC -O1 -o "$scratch/mutex.so" Tests/Sanitizers/mutex.c
  export LD_PRELOAD=$PWD/$scratch/mutex.so
fi
exec "$scratch/debug/crashreadPackageTests.xctest" --testing-library swift-testing "$@"
