# ./run test --lint: checks that read the sources and run nothing. Sourced by ./run, which provides root, log_dir, say
# and fail.

# Half a minute of one processor, in CI as well.
run_cppcheck() {
    local folder sources includes=()
    set_up cppcheck
    for folder in core simd broadphase narrowphase stage; do includes+=("-I$root/$folder/include"); done
    # Units are compiled once per instruction set, and only include their kernels.
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

# All checks except clang's static analysis, in CI as well: the sources of the library joined to four files, three of
# them its kernels of an instruction set, so that headers are read four times and not two hundred times; and those of
# the C interface one by one, which nothing else in CI compiles with a clang.
run_tidy() {
    local folder part includes=() failed=false dir=$root/build/tidy
    set_up tidy
    mkdir -p "$dir" "$log_dir"
    for folder in core simd broadphase narrowphase stage bindings/c; do includes+=("-I$root/$folder/include"); done
    local -A part_flags=(
        [library]=
        [c]=
        [scalar]="-DBROADSIDE_UNIT_ARCH=Scalar -DBROADSIDE_UNIT_ISA=scalar"
        [sse2]="-DBROADSIDE_UNIT_ARCH=Sse2 -DBROADSIDE_UNIT_ISA=sse2"
        [avx2]="-DBROADSIDE_UNIT_ARCH=Avx2 -DBROADSIDE_UNIT_ISA=avx2 -mavx2 -mfma -mbmi -mbmi2")
    # Kernels of rays against four boxes stay four wide.
    local -A part_sources=([library]="! -name *unit.cpp" [scalar]="-name *unit.cpp" [sse2]="-name *unit.cpp"
        [avx2]="-name *unit.cpp ! -name four_wide*")
    say "clang-tidy over the library and the C interface"
    for part in "${!part_flags[@]}"; do
        local sources flags files=("$dir/$part.cpp")
        read -ra flags <<<"${part_flags[$part]}"
        if [[ $part = c ]]; then
            files=("$root"/bindings/c/src/*.cpp)
        else
            read -ra sources <<<"${part_sources[$part]}"
            find "$root"/{core,simd,broadphase,narrowphase,stage}/src -name '*.cpp' "${sources[@]}" | sort |
                sed 's|.*|#include "&"|' >"$dir/$part.cpp"
        fi
        clang-tidy -quiet "${files[@]}" --checks='-clang-analyzer-*,-bugprone-suspicious-include' \
            --header-filter="^$root/(core|simd|broadphase|narrowphase|stage|bindings/c)/.*[.][hc]pp\$" \
            -- -std=c++20 -Wno-unknown-warning-option "${includes[@]}" "-I$root" \
            -isystem "$deps_dir/xsimd/usr/include" -DNDEBUG -DBROADSIDE_ENABLE_ASSERTS=0 -DBROADSIDE_BUILT_SSE2=1 \
            -DBROADSIDE_BUILT_AVX2=1 -DBROADSIDE_BUILT_AVX512=0 -DBROADSIDE_BUILT_NEON64=0 \
            -DBROADSIDE_BUILT_WASM128=0 "${flags[@]}" >"$log_dir/tidy-$part.log" 2>&1 &
    done
    for part in "${!part_flags[@]}"; do wait -n || failed=true; done
    if $failed; then
        grep -hE '(warning|error):' "$log_dir"/tidy-{library,c,scalar,sse2,avx2}.log | sort -u
        fail "findings of clang-tidy, see above"
    fi
}

# run_syntax [<folder>...]: compiles the sources of these folders, or all, with the oldest clang. Warnings differ from
# compiler to compiler, and nothing else in CI compiles with a clang.
run_syntax() {
    set_up test bench clang16
    # The library is read several sources at once, tests one by one, which finds a missing include.
    configure syntax --preset release -DCMAKE_CXX_COMPILER=clang++-16 -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=16 \
        -DBROADSIDE_JOIN_SOURCES=OFF
    say "clang 16 over all sources${*:+ of $*}"
    python3 "$root/tools/checks/syntax.py" "$root/build/syntax" "$@" --jobs "$jobs" ||
        fail "clang 16 rejects sources, see above"
}

# The same with clang's static analysis, source by source, and over benches, extras and examples: an hour.
run_lint() {
    local log=$log_dir/lint.log
    run_cppcheck
    run_tidy
    command -v run-clang-tidy >/dev/null || fail "no run-clang-tidy here"
    set_up test
    configure_release
    say "clang-tidy with its static analysis (build/log/lint.log)"
    ninja -C "$root/build/release" tidy >"$log" 2>&1 || {
        grep -E '(warning|error):' "$log" | sort -u
        fail "findings of clang-tidy, see above"
    }
}
