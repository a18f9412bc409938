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

run_python() {
    local what=${1:-test}
    [[ $# -eq 0 ]] || shift
    case $what in
        wheel | test | bench | example) ;;
        *) fail "unknown: python $what; known: wheel test bench example" ;;
    esac
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
            in_python "$root/examples/python/broadside_in_pictures.py" "$python_dir/pictures" "$@"
            say "pictures are in build/python/pictures"
            ;;
    esac
}
