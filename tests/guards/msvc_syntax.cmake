# Compiles the header of compiler-specific words as MSVC would: compiler.hpp's branch for it, Windows' sizes of
# integers, and clang with Microsoft's extensions as the compiler. It does not show whether MSVC accepts the rest.
# -DCOMPILER=... -DINCLUDES=<folders> -DSYSTEM_INCLUDES=<folders> -DSOURCE_DIR=...
set(options --target=x86_64-w64-mingw32 -std=c++20 -fms-extensions -fno-exceptions -fno-rtti -fsyntax-only
    -D_M_X64=100 -DBROADSIDE_IS_MSVC=1 -Wno-everything
    -DBROADSIDE_BUILT_SSE2=1 -DBROADSIDE_BUILT_AVX2=1 -DBROADSIDE_BUILT_AVX512=0 -DBROADSIDE_BUILT_NEON64=0
    -DBROADSIDE_BUILT_WASM128=0)
foreach(folder IN LISTS INCLUDES)
    list(APPEND options -I "${folder}")
endforeach()
foreach(folder IN LISTS SYSTEM_INCLUDES)
    list(APPEND options -isystem "${folder}")
endforeach()

function(check source)
    execute_process(COMMAND "${COMPILER}" ${options} ${ARGN} "${SOURCE_DIR}/${source}"
        RESULT_VARIABLE result ERROR_VARIABLE errors)
    if(NOT result EQUAL 0)
        message(SEND_ERROR "${source} is not for MSVC:\n${errors}")
    endif()
endfunction()

check(stage/include/broadside/broadside.hpp -x c++)
check(simd/src/isa.cpp)
check(broadphase/src/tree/nearest.cpp)
check(broadphase/src/candidates/staggered_changes.cpp)
check(broadphase/src/candidates/staggered_pairs.cpp)
check(broadphase/src/candidates/staggered_renewal.cpp)
check(narrowphase/src/bounds/fit_obb.cpp)
check(narrowphase/src/mesh/mesh.cpp)
check(broadphase/src/tree/kernels/unit.cpp -DBROADSIDE_UNIT_ARCH=Sse2 -DBROADSIDE_UNIT_ISA=sse2)
check(narrowphase/src/ray/unit.cpp -DBROADSIDE_UNIT_ARCH=Scalar -DBROADSIDE_UNIT_ISA=scalar)
