# ./run test --lint: what reads the sources and runs nothing. Sourced by ./run.

# What is not asked of cppcheck: types and arrays that are filled later on purpose, and what it misreads of C++20: lambdas
# with template parameters, pointers of nested types, templates over types that it has not read.
lint_suppressions=(missingIncludeSystem internalAstError operatorEqVarError uninitMemberVar uninitDerivedMemberVar
    CastIntegerToAddressAtReturn compareBoolExpressionWithInt duplicateAssignExpression
    syntaxError uninitvar)

run_lint() {
    local folder sources suppressions includes=() log=$log_dir/lint.log
    mkdir -p "$log_dir"
    command -v cppcheck >/dev/null || fail "cppcheck is not installed; on Debian: apt-get install cppcheck"
    for folder in core simd broadphase narrowphase stage; do includes+=("-I$root/$folder/include"); done
    # Units are compiled for one instruction set each and are their kernels' includes.
    mapfile -t sources < <(cd "$root" && find core/src simd/src broadphase/src narrowphase/src stage/src -name '*.cpp' \
        ! -name '*unit.cpp' | sort)
    suppressions=("${lint_suppressions[@]/#/--suppress=}")
    say "cppcheck over ${#sources[@]} sources"
    (cd "$root" && cppcheck -q -j "$jobs" --std=c++20 --language=c++ --enable=warning,performance,portability \
        --inline-suppr "${suppressions[@]}" --error-exitcode=1 --template='{file}:{line}: {severity} {id}: {message}' \
        -D__x86_64__ -D__SSE2__ -D__GNUC__ -DBROADSIDE_BUILT_SSE2=1 -DBROADSIDE_BUILT_AVX2=1 \
        -DBROADSIDE_BUILT_AVX512=1 -DBROADSIDE_BUILT_NEON64=0 -DBROADSIDE_BUILT_WASM128=0 \
        "${includes[@]}" "-I$root" "${sources[@]}") || fail "findings of cppcheck, see above"
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
