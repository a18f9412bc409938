# Builds, tests and times the Python package. Sourced by ./run, which provides root, log_dir, say, fail and logged.
# shellcheck shell=bash disable=SC2154

python_dir=$root/build/python
# Debian's Python, which has Debian's packages; another one may be first on the PATH.
python=/usr/bin/python3

# Builds the wheel with the installed packages and without a network, and unpacks it for the tests. pip builds in the
# folder that it is given, so it gets a copy: the checkout stays clean.
build_python() {
    set_up python
    rm -rf "$python_dir/source" "$python_dir/wheel" "$python_dir/site"
    mkdir -p "$python_dir"
    cp -r "$root/bindings/python" "$python_dir/source"
    say "build the wheel"
    # Joined to few units: this takes half the time, and the tests of the wheel do not depend on optimisation.
    BROADSIDE_PYTHON_CMAKE_ARGS="-DCMAKE_UNITY_BUILD=ON ${BROADSIDE_PYTHON_CMAKE_ARGS:-}" \
        BROADSIDE_SOURCE_DIR=$root BROADSIDE_PYTHON_BUILD_DIR=$python_dir/cmake CMAKE_BUILD_PARALLEL_LEVEL=$jobs \
        CMAKE_GENERATOR=Ninja logged python-wheel "$python" -m pip wheel --no-index --no-build-isolation --no-deps \
        --wheel-dir "$python_dir/wheel" "$python_dir/source" || fail "no wheel (build/log/python-wheel.log)"
    logged python-wheel "$python" -m pip install --no-index --no-deps --no-compile --target "$python_dir/site" \
        "$python_dir"/wheel/*.whl || fail "the wheel does not install (build/log/python-wheel.log)"
    say "the wheel is in build/python/wheel; to install it: $(how_to_install)"
}

# Debian 12 manages its own Python packages, so the wheel is installed in a virtual environment that sees them.
how_to_install() {
    local wheel
    wheel=$(cd "$root" && printf '%s\n' build/python/wheel/*.whl)
    echo "/usr/bin/python3 -m venv --system-site-packages VENV && VENV/bin/python -m pip install $wheel"
}

# Outside the checkout's folders, so that imports use the wheel.
in_python() {
    (cd "$python_dir" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$python_dir/site "$python" "$@")
}

# pytest knows its own arguments: it is asked to collect the tests of an empty folder.
check_pytest_arguments() {
    [[ $# -gt 0 ]] && "$python" -c 'import pytest' 2>/dev/null || return 0
    local folder answer code=0
    folder=$(mktemp -d)
    answer=$(cd "$folder" && PYTHONDONTWRITEBYTECODE=1 "$python" -m pytest -q -p no:cacheprovider --collect-only "$@" "$folder" 2>&1) ||
        code=$?
    rm -rf "$folder"
    # 4 is a wrong use of pytest.
    [[ $code -ne 4 ]] || fail "wrong arguments of pytest: $(sed -nE '/ERROR: usage/d; s/.*(error|ERROR): //p' <<<"$answer" | head -n 1)"
}

check_python_arguments() {
    local what=$1
    shift
    case $what in
        test) check_pytest_arguments "$@" ;;
        bench) [[ $# -eq 0 || $* == --quick ]] || fail "unknown argument '$1'; python bench takes only --quick" ;;
        *) [[ $# -eq 0 ]] || fail "unknown argument '$1'; python $what takes none" ;;
    esac
}

run_python() {
    local what=${1:-test}
    [[ $# -eq 0 ]] || shift
    case $what in
        wheel | test | bench | example) ;;
        *) fail "unknown: python $what; known: wheel test bench example" ;;
    esac
    check_python_arguments "$what" "$@"
    [[ $what == wheel || $what == test ]] || set_up python_peers
    build_python
    case $what in
        test)
            say "run the tests of the package"
            in_python -m pytest -q -p no:cacheprovider "$@" "$root/bindings/python/tests" ||
                fail "tests of the package failed"
            ;;
        bench) in_python "$root/bindings/python/bench/bench.py" "$@" ;;
        example)
            in_python "$root/examples/python/broadside_in_pictures.py" "$python_dir/pictures"
            say "pictures are in build/python/pictures"
            ;;
    esac
}
