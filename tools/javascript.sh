# Builds and tests the npm package. Sourced by ./run, which provides root, log_dir, say, fail, configure and build.
# shellcheck shell=bash disable=SC2154

javascript_dir=$root/build/javascript
javascript_settings=()

# build_javascript_module <name> <instruction sets>: one WebAssembly module in build/javascript/<name>.
build_javascript_module() {
    configure "${javascript_dir#"$root/build/"}/$1" -G Ninja -DCMAKE_BUILD_TYPE=Release "-DBROADSIDE_ISAS=$2" \
        -DCMAKE_TOOLCHAIN_FILE=/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake \
        -DBROADSIDE_BUILD_TESTS=OFF -DBROADSIDE_BUILD_BENCHMARKS=OFF -DBROADSIDE_BUILD_EXTRAS=OFF \
        -DBROADSIDE_BUILD_EXAMPLES=OFF -DBROADSIDE_INSTALL=OFF "${javascript_settings[@]}"
    build "${javascript_dir#"$root/build/"}/$1" broadside_javascript
}

build_javascript() {
    set_up javascript
    build_javascript_module simd "scalar;wasm128"
    build_javascript_module scalar scalar
    local module=bindings/javascript/broadside.wasm version
    version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$javascript_dir/simd/CMakeCache.txt")
    node "$root/bindings/javascript/make_package.mjs" "$javascript_dir/simd/$module" \
        "$javascript_dir/scalar/$module" "$version" "$javascript_dir" ||
        fail "the package could not be assembled"
    say "the package is in ${javascript_dir#"$root/"}/package"
}

# Peers of the tests and the bench, from the npm registry.
install_javascript_peers() {
    (cd "$javascript_dir/tests" && npm ci --no-audit --no-fund) >"$log_dir/npm.log" 2>&1 ||
        fail "npm ci failed (build/log/npm.log)"
}

make_live_page() {
    node "$root/extras/viewer/live/make_page.mjs" "$javascript_dir/package" /usr/share/javascript/three/three.min.js \
        /usr/share/javascript/three/examples/js/controls/OrbitControls.js \
        /usr/share/javascript/chart.js/chart.min.js "$1" || fail "the live page could not be assembled"
}

# The live page, with the library in it.
run_live_view() {
    local page=$root/build/live.html
    case ${1:-} in
        "") ;;
        --page)
            [[ $# -eq 2 ]] || fail "--page: expected 1 of FILE, found $(($# - 1))"
            page=$(realpath -m -- "$2")
            ;;
        *) fail "view --live takes only --page FILE" ;;
    esac
    set_up demo
    have_packages "${page_packages[@]}" || fail "the live page needs ${page_packages[*]}"
    build_javascript
    make_live_page "$page"
    say "open $page in any browser"
}

# In a browser, if there is one and the packages that draw the page.
test_live_page() {
    local browser program=
    set_up_browser
    for browser in chromium-headless-shell chromium chromium-browser google-chrome; do
        [[ -n $program ]] || program=$(command -v "$browser") || program=
    done
    if [[ -z $program ]] || ! have_packages "${page_packages[@]}" || ! have_package python3; then
        say "no browser, three.js, Chart.js or Python here: the live page is not tested"
        return 0
    fi
    make_live_page "$root/build/live.html"
    mkdir -p "$javascript_dir/live"
    (cd "$javascript_dir/live" && python3 "$root/tests/extras/viewer/live_test.py" "$program" "$root/build/live.html") ||
        fail "tests of the live page failed"
    say "the tests of the live page passed"
}

check_javascript_arguments() {
    local what=$1 name
    shift
    while [[ $# -gt 0 ]]; do
        case $what:$1 in
            bench:--quick) ;;
            bench:--json)
                [[ $# -gt 1 ]] || fail "--json: expected 1 of FILE, found 0"
                shift
                ;;
            bench:*) fail "unknown argument '$1'; javascript bench takes --quick and --json FILE" ;;
            package:*) fail "unknown argument '$1'; javascript package takes none" ;;
            *:--test-*) ;;
            *)
                name=$root/bindings/javascript/tests/$1
                [[ $1 != -* && -f $name ]] ||
                    fail "unknown argument '$1'; javascript $what takes files of bindings/javascript/tests and --test-... of node"
                ;;
        esac
        shift
    done
}

run_javascript() {
    local what=${1:-test}
    [[ $# -eq 0 ]] || shift
    case $what in
        package | test | bench) ;;
        quick)
            javascript_dir=$root/build/javascript-quick
            javascript_settings=(-DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=16
                "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG" -DBROADSIDE_KERNEL_OPTIMISATION=-O1)
            ;;
        *) fail "unknown: javascript $what; known: package test quick bench" ;;
    esac
    check_javascript_arguments "$what" "$@"
    build_javascript
    [[ $what != package ]] || return 0
    install_javascript_peers
    cd "$javascript_dir/tests"
    if [[ $what == bench ]]; then
        exec node bench.mjs "$@"
    fi
    say "run the tests of the package"
    BROADSIDE_ROOT=$root node --test "$@" || fail "tests of the package failed"
    node_modules/.bin/tsc --noEmit --strict --target es2022 --module nodenext --moduleResolution nodenext \
        --lib es2022,dom --noUncheckedIndexedAccess types.ts || fail "the declared types do not match the module"
    say "the tests of the package passed"
    [[ $what == quick ]] || test_live_page
}
