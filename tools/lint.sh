# ./run test --lint: what reads the sources and runs nothing. Sourced by ./run.

# Half a minute of one processor, in CI as well.
run_cppcheck() {
    local folder sources includes=()
    set_up cppcheck
    for folder in core simd broadphase narrowphase stage; do includes+=("-I$root/$folder/include"); done
    # Units are compiled for one instruction set each and are their kernels' includes.
    mapfile -t sources < <(cd "$root" && find core/src simd/src broadphase/src narrowphase/src stage/src -name '*.cpp' \
        ! -name '*unit.cpp' | sort)
    say "cppcheck over ${#sources[@]} sources"
    (cd "$root" && cppcheck -q -j "$jobs" --std=c++20 --language=c++ --enable=warning,performance,portability \
        --inline-suppr --suppressions-list=tools/checks/cppcheck.txt --error-exitcode=1 \
        --template='{file}:{line}: {severity} {id}: {message}' \
        -D__x86_64__ -D__SSE2__ -D__GNUC__ -DBROADSIDE_BUILT_SSE2=1 -DBROADSIDE_BUILT_AVX2=1 \
        -DBROADSIDE_BUILT_AVX512=1 -DBROADSIDE_BUILT_NEON64=0 -DBROADSIDE_BUILT_WASM128=0 \
        "${includes[@]}" "-I$root" "${sources[@]}") || fail "findings of cppcheck, see above"
}

run_lint() {
    local log=$log_dir/lint.log
    mkdir -p "$log_dir"
    run_cppcheck
    if command -v run-clang-tidy >/dev/null; then
        set_up test
        configure_release
        say "clang-tidy (build/log/lint.log)"
        ninja -C "$root/build/release" tidy >"$log" 2>&1 || {
            grep -E '(warning|error):' "$log" | sort -u
            fail "findings of clang-tidy, see above"
        }
    else
        say "no clang-tidy here; left out"
    fi
}
