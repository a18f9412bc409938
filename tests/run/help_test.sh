#!/usr/bin/env bash
# ./run <command> --help prints help without installing, configuring, building or writing anything.
# Called as: bash help_test.sh <checkout> <folder>
set -euo pipefail
# shellcheck source=tests/run/copy_checkout.sh
source "$(dirname "${BASH_SOURCE[0]}")/copy_checkout.sh"
checkout=$1 folder=$2
copy_checkout "$checkout" "$folder"
mask "$folder" 1 apt-get apt-cache apt dpkg dpkg-deb dpkg-query sudo curl wget cmake ctest ninja make g++ \
    c++ git python3
export PATH=$folder/masked:$PATH
cd "$folder/checkout"

failed=0
fault() { printf '%s\n' "$*" >&2; failed=1; }

# expect <expected text of the output> <arguments of ./run...>
expect() {
    local wanted=$1 answer
    shift
    if ! answer=$(./run "$@" 2>&1); then fault "./run $*: fails: $answer"; fi
    [[ $answer == usage:* ]] || fault "./run $*: does not begin with the usage: $answer"
    [[ $answer == *"$wanted"* ]] || fault "./run $*: does not say '$wanted': $answer"
    [[ ! -e $folder/called ]] || fault "./run $*: calls $(cat "$folder/called")"
    rm -f "$folder/called"
    [[ ! -e build ]] || fault "./run $*: makes build/"
    rm -rf build
}

expect '<command> --help tells more'
expect '<command> --help tells more' --help
expect '<command> --help tells more' -h
for flag in --help -h; do
    expect '--scene' demo "$flag"
    expect '--margin' view "$flag"
    expect '--debug' test "$flag"
    expect 'targets: box_tree' fuzz "$flag"
    expect '--compare' bench "$flag"
    expect 'xsimd' setup "$flag"
    expect 'Usage: broadside-record [OPTIONS] SUBCOMMAND' record "$flag"
    expect '--seconds' tune "$flag"
    expect 'wheel' python "$flag"
    expect 'build/docs/site' docs "$flag"
done
for command in convert check stats cut anonymise replay compare; do
    expect "Usage: broadside-record $command [OPTIONS]" record "$command" --help
done
expect 'Usage: broadside-record [OPTIONS] SUBCOMMAND' record nonsense --help
# After other arguments, too.
expect '--page' demo --scene some.ply --help
expect '--debug' test --asan -R guard --help
expect '--compare' bench --filter x -h
expect 'Usage: broadside-record check' record check some.boxrec --help
expect '--seconds' tune some.boxrec --help

# The mask itself: a command that does set up first is noticed.
touch some.boxrec
./run record check some.boxrec >/dev/null 2>&1 || true
[[ -s $folder/called ]] || fault "./run record check: no masked command was called, so this test sees nothing"

exit $failed
