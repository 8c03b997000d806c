#!/bin/bash
# Installs the packages that `.ci/package` has made into fresh systems without Swift, uses them there, and removes them:
#
#     mmdebstrap --variant=minbase --include=man-db,bash-completion,zsh,fish bookworm ROOT
#     Tests/Packages/check.sh DIRECTORY ROOT...        (as root; ROOTs stay as they are)
#
# In each root: the archive alone; then the Debian package, without and with the libraries that it can do without.
set -euo pipefail
shopt -s inherit_errexit
if [ -z "${CRASHREAD_CHECK_INSIDE:-}" ]; then
  CRASHREAD_CHECK_INSIDE=1 exec unshare --mount --pid --fork --mount-proc "$0" "$@"
fi
packages=$(realpath "$1")
shift
samples=$(realpath "$(dirname "$0")/../../Samples")
work=$(mktemp -d)
trap 'umount -l "$work"/*/proc "$work"/*/samples 2>/dev/null || true; rm -rf "$work"' EXIT
failures=0

# A program that dies with a report of its own, without a symbolizer.
cat >"$work/crash.c" <<'C'
#include <stdlib.h>
int main(void) { char *freed = malloc(1); free(freed); return *freed; }
C
(cd "$work" && gcc -g -O0 -fsanitize=address -static-libasan -o crash crash.c)

inside() { chroot "$root" env -i HOME=/root PATH="$path" LANG=C.UTF-8 TERM=dumb DEBIAN_FRONTEND=noninteractive "$@"; }

# check WHAT STATUS TEXT COMMAND...: the status is STATUS, and TEXT is in the output; with `!` before it, it is not.
check() {
  local what=$1 status=$2 text=$3 output got=0
  shift 3
  output=$(inside "$@" 2>&1 </dev/null) || got=$?
  local wanted=yes found=no
  if [ "${text:0:1}" = '!' ]; then wanted=no; fi
  if grep -q -F -e "${text#!}" <<<"$output"; then found=yes; fi
  if [ "$got" -eq "$status" ] && [ $wanted = $found ]; then
    echo "ok     $what"
  else
    failures=$((failures + 1))
    echo "WRONG  $what: status $got, not $status with '$text':"
    head -n 20 <<<"$output" | sed 's/^/         /'
  fi
}

# What anybody can do with it: the main job, standard input, a test command that crashes.
use() {
  check "$1: --version" 0 "crashread 0." crashread --version
  check "$1: the main job" 0 "Fuga.swift:17:31" crashread /samples/reports/text/HogeApp.crash /samples/symbols
  check "$1: Japanese" 0 "Fuga.swift:17:31" crashread --lang ja /samples/reports/ips/HogeApp.ips /samples/symbols
  check "$1: explain" 0 "watchdog" crashread explain 0x8badf00d
  check "$1: symbols" 0 "HogeApp" crashread symbols /samples/symbols
  check "$1: ci, with a crash" 1 "crash.c:2" crashread ci --source-root /opt /opt/crash
  check "$1: ci, without one" 3 "no crash report" crashread ci sh -c 'exit 3'
  check "$1: nothing of it is left in /tmp" 0 "!crashread-" ls /tmp
}

for original in "$@"; do
  root=$work/$(basename "$original")
  path=/usr/sbin:/usr/bin:/sbin:/bin
  cp -a "$original" "$root"
  mkdir -p "$root/proc" "$root/samples" "$root/opt"
  mount -t proc proc "$root/proc"
  mount --bind -o ro "$samples" "$root/samples"
  cp "$work/crash" "$work/crash.c" "$root/opt/"
  cp /etc/resolv.conf "$root/etc/"
  echo "== $(inside sh -c '. /etc/os-release; echo "$PRETTY_NAME"'), $(inside ldd --version | head -n 1)"

  mkdir "$root/opt/crashread"
  tar -xzf "$packages"/crashread-*-linux-"$(uname -m)".tar.gz -C "$root/opt/crashread"
  path=/opt/crashread/bin:$path
  use "the archive"
  check "the archive: every library is there" 0 "!not found" ldd /opt/crashread/bin/crashread
  check "the archive: needs the C library alone" 1 "!lib" sh -c 'ldd /opt/crashread/bin/crashread | grep -v -E "linux-vdso|libc.so.6|libm.so.6|ld-linux"'
  path=${path#*:}
  rm -r "$root/opt/crashread"

  inside apt-get update -qq -o Acquire::Check-Valid-Until=false -o Acquire::Max-FutureTime=99999999 >/dev/null
  cp "$packages"/crashread_*.deb "$root/tmp/crashread.deb"
  inside apt-get install -y -qq --no-install-recommends /tmp/crashread.deb >/dev/null 2>&1
  use "the package"
  check "the package: an archive without libarchive" 1 "libarchive13" crashread /samples/reports/text/HogeApp.crash /samples/archives/dSYMs.zip
  # Other packages may need it.
  inside dpkg -s libsqlite3-0 >/dev/null 2>&1 || check "the package: names learnt without SQLite" 1 "libsqlite3-0" crashread symbols learn --symbol-memory /tmp/names /samples/reports
  check "the package: debuginfod without its library" 0 "libdebuginfod1" env DEBUGINFOD_URLS=http://127.0.0.1:9/ crashread /samples/reports/other/swift-trap-backtrace.json
  inside apt-get install -y -qq --no-install-recommends libarchive13 libdebuginfod1 libsqlite3-0 libzstd1 >/dev/null 2>&1
  check "the package: an archive with libarchive" 0 "Fuga.swift:17" crashread /samples/reports/text/HogeApp.crash /samples/archives/dSYMs.zip
  check "the package: names learnt with SQLite" 0 "sightings of functions learned" crashread symbols learn --symbol-memory /tmp/names /samples/reports
  check "the package: debuginfod with its library" 0 "!libdebuginfod1" env DEBUGINFOD_URLS=http://127.0.0.1:9/ crashread /samples/reports/other/swift-trap-backtrace.json
  if inside sh -c 'command -v man' >/dev/null; then
    check "man 1" 0 "crashread" man -P cat 1 crashread
    check "man 5" 0 "schemaVersion" man -P cat 5 crashread-json
  fi
  check "bash's completions" 0 "--format" bash -c '
    . /usr/share/bash-completion/completions/crashread
    COMP_WORDS=(crashread --for) COMP_CWORD=1 COMP_LINE="crashread --for" COMP_POINT=15
    f=$(complete -p crashread | sed "s/.*-F \([^ ]*\).*/\1/"); $f crashread --for crashread; echo "${COMPREPLY[@]}"'
  if inside sh -c 'command -v zsh' >/dev/null; then
    check "zsh's completions" 0 "_crashread" zsh -c 'fpath=(/usr/share/zsh/vendor-completions $fpath); autoload -Uz compinit; compinit -u; echo $_comps[crashread]'
  fi
  if inside sh -c 'command -v fish' >/dev/null; then
    check "fish's completions" 0 "--format" fish -c 'complete -C "crashread --for"'
  fi

  inside dpkg -L crashread >"$work/installed"
  inside apt-get purge -y -qq crashread >/dev/null 2>&1
  # What a user's caches hold is the user's.
  left=$(inside find / -xdev '(' -path /proc -o -path /samples -o -path /root -o -path /tmp -o -path /var/cache ')' -prune -o -name '*crashread*' -print
    while read -r file; do if [ -f "$root$file" ]; then echo "$file"; fi; done <"$work/installed")
  if [ -z "$left" ]; then echo "ok     removed: nothing of $(wc -l <"$work/installed") paths is left"; else
    failures=$((failures + 1))
    echo "WRONG  removed, and left: $left"
  fi
  umount "$root/proc" "$root/samples"
  rm -rf "$root"
done
echo "packages: $failures wrong"
[ "$failures" -eq 0 ]
