#!/usr/bin/env bash
# The demo, the benches and their tests leave nothing in the checkout except build/. .ci/run checks the tests as a
# whole.
# Called as: bash clean_checkout_test.sh <checkout> <folder> <broadside-demo> <python>
set -euo pipefail
# shellcheck source=tests/run/copy_checkout.sh
source "$(dirname "${BASH_SOURCE[0]}")/copy_checkout.sh"
checkout=$1 folder=$2 demo=$3 python=$4
copy_checkout "$checkout" "$folder"
# Everything seems to be installed and built.
mask "$folder" 0 apt-get apt-cache dpkg dpkg-deb dpkg-query sudo cmake ninja
ln -s "$python" "$folder/masked/python3"
export PATH=$folder/masked:$PATH
# With these set the test would see nothing.
unset PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX
cd "$folder/checkout"
mkdir -p build/release/extras/demo build/release/bench
ln -s "$demo" build/release/extras/demo/broadside-demo
ln -s "$PWD/tests/bench/made_benches.py" build/release/bench/broadside_bench

files() { find . -path ./build -prune -o -type f -exec sha256sum {} + | sort -k 2; }
files >"$folder/before"

./run demo --frames 1
[[ -s build/demo.html ]] || { printf 'no page in build/\n' >&2; exit 1; }
./run demo --frames 1 --page build/other.html >/dev/null
[[ -s build/other.html ]] || { printf 'no page where the caller wants it\n' >&2; exit 1; }
./run bench
python3 tools/bench/report.py build/bench/results.json build/report.html
# Their imports are what they would leave behind; run as tests they are elsewhere.
for program in tests/bench/*_test.py; do
    python3 -c 'import runpy, sys; sys.path[0] = "tests/bench"; runpy.run_path(sys.argv[1])' "$program"
done

files >"$folder/after"
diff "$folder/before" "$folder/after" || { printf 'the checkout is not what it was\n' >&2; exit 1; }
