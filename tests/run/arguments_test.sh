#!/usr/bin/env bash
# ./run refuses wrong arguments before it installs, configures, builds or writes anything, and so do the programs; valid
# ones get as far as setting up.
# Called as: bash arguments_test.sh <checkout> <folder> [<folder of the extras' programs>]
set -euo pipefail
# shellcheck source=tests/run/copy_checkout.sh
source "$(dirname "${BASH_SOURCE[0]}")/copy_checkout.sh"
checkout=$1 folder=$2 programs=${3:-}
copy_checkout "$checkout" "$folder"
mask "$folder" 1 apt-get apt-cache apt dpkg dpkg-deb dpkg-query sudo curl wget cmake ninja make g++ c++ python3 clang++ \
    valgrind cppcheck node npm
export PATH=$folder/masked:$PATH
cd "$folder/checkout"
touch a.boxrec b.boxrec a.json b.json

failed=0
fault() { printf '%s\n' "$*" >&2; failed=1; }

# refused <expected text of the message> <arguments of ./run...>
refused() {
    local wanted=$1 answer code=0
    shift
    answer=$(./run "$@" 2>&1) || code=$?
    [[ $code -ne 0 ]] || fault "./run $*: does not fail"
    [[ $answer == *"$wanted"* ]] || fault "./run $*: does not say '$wanted': $answer"
    [[ $(wc -l <<<"$answer") -eq 1 ]] || fault "./run $*: more than a line: $answer"
    [[ ! -e $folder/called ]] || fault "./run $*: calls $(cat "$folder/called")"
    [[ ! -e build ]] || fault "./run $*: makes build/"
    rm -rf build "$folder/called"
    local program=$programs/$1/broadside-$1
    if [[ -n $programs && -x $program ]] && "$program" "${@:2}" >/dev/null 2>&1; then
        fault "$program ${*:2}: does not fail, but ./run refuses it"
    fi
}

# accepted <arguments of ./run...>
accepted() {
    local answer
    answer=$(./run "$@" 2>&1) || true
    [[ -s $folder/called || -e build ]] || fault "./run $*: is refused: $answer"
    rm -rf build "$folder/called"
}

refused "unknown argument '--frob'" demo --frob
refused "unknown argument '--frame'" demo --frame 3
refused "unknown argument 'stray'" demo stray
refused "unknown argument '-x'" demo -x
refused "--frames: expected a whole number from 1 to 1000000, found '0'" demo --frames 0
refused "--frames: expected a whole number from 1 to 1000000, found '1000001'" demo --frames=1000001
refused "--frames: expected a whole number, found '-1'" demo --frames -1
refused "--frames: expected a whole number, found 'three'" demo --frames three
refused "--frames: expected 1 of UINT" demo --frames
refused "--isa: expected scalar|sse2" demo --isa avx1024
refused "--scene: expected a file that exists, found 'missing.ply'" demo --scene missing.ply
refused "unknown argument 'b.boxrec'" demo --scene a.boxrec a.boxrec b.boxrec

refused "record what? expected one of anonymise check" record
refused "record what? expected one of anonymise check" record frob
refused "record what? expected one of anonymise check" record --json
refused "input is required" record check
refused "input: expected a file that exists, found 'missing.boxrec'" record check a.boxrec missing.boxrec
refused "unknown argument '--per-frame'" record check a.boxrec --per-frame
refused "--max-faults: expected a whole number, found '-3'" record check a.boxrec --max-faults -3
refused "--output is required" record cut a.boxrec
refused "unknown argument 'b.boxrec'" record cut a.boxrec a.boxrec b.boxrec -o c.boxrec
refused "--frame-count: expected a whole number" record cut a.boxrec -o c.boxrec --frame-count 0
refused "--kinds: expected dynamic|kinematic|static, found 'frob'" record cut a.boxrec -o c.boxrec --kinds static,frob
refused "--region: expected 6 of FLOAT x 6, found 5" record cut a.boxrec -o c.boxrec --region 0,0,0,1,1
refused "--region: expected a number, found 'b'" record cut a.boxrec -o c.boxrec --region 0,0,0,1,1,b
refused "--items: expected edges|faces|vertices, found 'foo'" record convert a.boxrec -o c.boxrec --items foo
refused "--paths: expected find_pairs|stage|world, found 'foo'" record replay a.boxrec --paths world,foo
refused "--threads: expected a whole number from 1 to 256, found '0'" record replay a.boxrec --threads 0
refused "replays: expected a file that exists, found 'c.json'" record compare a.json c.json
refused "replays is required" record compare a.json
refused "unknown argument 'a.boxrec'" record compare a.json b.json a.boxrec

refused "input is required" tune
refused "--threads: expected a whole number from 1 to 256, found '0'" tune a.boxrec --threads 1,0
refused "--isa: expected scalar" tune a.boxrec --isa sse2,avx1024
refused "--pairs: expected all|movers, found 'foo'" tune a.boxrec --pairs foo
refused "--seconds: expected a number from 0 to 3600, found '-0.5'" tune a.boxrec --seconds -0.5
refused "files is required" view
refused "--algorithm: expected automatic|brute_force" view a.boxrec --algorithm foo
refused "view --live takes only --page FILE" view --live --frob
refused "--page: expected 1 of FILE, found 0" view --live --page

refused "unknown argument 'stray'" test --unit stray
if command -v ctest >/dev/null; then
    refused "unknown argument '--frob'" test --frob
    refused "unknown argument '--frob'" test --debug --frob
    refused "unknown argument '--frob'" test --all --frob
    refused "unknown argument 'stray'" test -R guard stray
fi
for variant in --valgrind --lint --cppcheck --tidy; do refused "test $variant takes none" test "$variant" --frob; done
refused "unknown argument '--frob'" bench --frob
refused "unknown argument 'stray'" bench --full stray
refused "--filter needs a value" bench --filter
refused "--rounds needs a number above 0, found 'x'" bench --rounds x
refused "--rounds needs a number above 0, found '0'" bench --compare . --rounds=0
refused "--rounds is for --compare BASE" bench --rounds 3
refused "--full and --filter: only one of them" bench --full --filter=a
refused "unknown argument '--benchmark_frob=1'; known after --benchmark_: color" bench --benchmark_frob=1
refused "'frob' is neither a commit nor a build folder" bench --compare frob
refused "no bench/broadside_bench in tests" bench --compare=tests
refused "fuzz what?" fuzz frob
refused "unknown argument '-frob'; expected -name=value" fuzz world 1 -frob
refused "unknown argument 'frob'" fuzz world frob
refused "nothing to set up for 'frob'" setup frob
refused "unknown: javascript frob" javascript frob
refused "unknown argument 'frob'; javascript package takes none" javascript package frob
refused "unknown argument '--frob'; javascript bench takes --quick and --json FILE" javascript bench --quick --frob
refused "--json: expected 1 of FILE, found 0" javascript bench --json
refused "unknown argument 'frob.mjs'; javascript test takes files" javascript test frob.mjs
refused "unknown: python frob" python frob
for part in wheel example; do refused "unknown argument 'frob'; python $part takes none" python "$part" frob; done
refused "unknown argument '--frob'; python bench takes only --quick" python bench --frob
if /usr/bin/python3 -c 'import pytest' 2>/dev/null; then
    refused "wrong arguments of pytest: unrecognized arguments: --frob" python test --frob
fi
refused "unknown argument '--frob'; docs takes only --check" docs --frob
refused "unknown command 'frob'" frob

accepted demo
accepted demo --frames 3 --threads=2 --json --page ""
accepted demo --scene a.boxrec b.boxrec --isa scalar
accepted record check a.boxrec b.boxrec --json --max-faults 0
accepted record cut a.boxrec -o c.boxrec --region -9,-1,-9,9,1.5e1,9 --ids 3,7-9 --kinds static,dynamic --whole-lives
accepted record cut -oc.boxrec --first-frame 0x1 -- a.boxrec
accepted record anonymise a.boxrec -o c.boxrec --shift -1,.5,0
accepted record replay a.boxrec b.boxrec --paths world,stage --algorithm cells
accepted record compare a.json b.json
accepted tune a.boxrec --isa sse2,avx2 --threads 1,2 --seconds 0.5 --all
accepted view a.boxrec b.boxrec a.json b.json -o x.html --margin 0.5
accepted test
accepted test -R guard -j4 --debug -VV --repeat until-fail:3 -E 'a|b'
accepted test --debug-avx2 --rerun-failed
accepted test --unit -tc='*ray*' -s
accepted bench --filter 'a|b' --benchmark_repetitions=9
accepted fuzz world 20 -seed=1
accepted bench --compare=run --rounds 3 --full
accepted javascript bench --quick --json x.json
accepted javascript quick --test-name-pattern=tree
accepted python test -k tree -x
accepted docs --check

exit $failed
