#!/bin/bash
# Runs a test command under `crashread ci`: the GitHub action beside this.
#
# CRASHREAD_RUN       the test command, for bash
# CRASHREAD_PACKAGE   URL or path of a .tar.gz or .deb made by .ci/package; empty: crashread is on the PATH
# CRASHREAD_SHA256    what the package's SHA-256 has to be
# CRASHREAD_OPTIONS   options for `crashread ci`
#
# Exit status: the test command's. 2 when CRASHREAD_RUN is missing, or the package isn't the one that was pinned. When
# crashread can't be had the tests run all the same, with a warning: they are what the job is for.
set -uo pipefail

warn() {
  if [ -n "${GITHUB_ACTIONS:-}" ]; then echo "::warning title=crashread::$1"; else echo "crashread: $1" >&2; fi
}

fail() {
  if [ -n "${GITHUB_ACTIONS:-}" ]; then echo "::error title=crashread::$1"; else echo "crashread: $1" >&2; fi
  exit 2
}

# Puts the package's program on the PATH, also of later steps; fails when there is none.
install_package() {
  local package=$1 place file
  place=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/crashread-XXXXXX") || return 1
  file=$place/${package##*/}
  case $package in
    https://*) curl --fail --silent --show-error --location --retry 3 --max-time 300 --output "$file" -- "$package" ||
      return 1 ;;
    http://*) fail "$package: only https is fetched" ;;
    *) cp -- "$package" "$file" || return 1 ;;
  esac
  if [ -n "${CRASHREAD_SHA256:-}" ]; then
    echo "$CRASHREAD_SHA256  $file" | sha256sum --check --status || fail "$package: its SHA-256 isn't $CRASHREAD_SHA256"
  fi
  case $file in
    *.deb) dpkg-deb -x "$file" "$place/tree" && mv "$place/tree/usr" "$place/crashread" ;;
    *) mkdir "$place/crashread" && tar -x -z -f "$file" -C "$place/crashread" ;;
  esac || return 1
  PATH=$place/crashread/bin:$PATH
  if [ -n "${GITHUB_PATH:-}" ]; then echo "$place/crashread/bin" >>"$GITHUB_PATH"; fi
}

[ -n "${CRASHREAD_RUN:-}" ] || fail "no test command (input 'run', or CRASHREAD_RUN)"
test_command=(bash -eo pipefail -c "$CRASHREAD_RUN")
if [ -n "${CRASHREAD_PACKAGE:-}" ] && ! install_package "$CRASHREAD_PACKAGE"; then
  warn "$CRASHREAD_PACKAGE could not be installed: the tests run without crashread"
  exec "${test_command[@]}"
fi
if ! crashread --version >/dev/null; then
  warn "crashread doesn't start (is libdw1 installed?): the tests run without it"
  exec "${test_command[@]}"
fi
# Words of the options, as in a shell but without its expansions.
read -r -a options <<<"${CRASHREAD_OPTIONS:-}"
exec crashread ci "${options[@]}" -- "${test_command[@]}"
