# The instruction-set units: the ones built for this processor, and the flags of each.

# Units are templates compiled once per level; a level is a cluster of extensions (house rule R1).
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
    set(broadside_known_isas scalar sse2 avx2 avx512)
    # None of MSVC's levels is AVX-512 with VBMI2.
    if(MSVC)
        list(REMOVE_ITEM broadside_known_isas avx512)
    endif()
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$")
    set(broadside_known_isas scalar neon64)
elseif(EMSCRIPTEN)
    set(broadside_known_isas scalar wasm128)
else()
    set(broadside_known_isas scalar)
endif()

# For an embedder that knows its machines, or counts bytes: every unit but the reference can be left out.
set(BROADSIDE_ISAS "${broadside_known_isas}" CACHE STRING "Instruction sets to build, scalar among them")
foreach(isa IN LISTS BROADSIDE_ISAS)
    if(NOT isa IN_LIST broadside_known_isas)
        message(FATAL_ERROR "broadside: BROADSIDE_ISAS names '${isa}'; known here: ${broadside_known_isas}")
    endif()
endforeach()
if(NOT "scalar" IN_LIST BROADSIDE_ISAS)
    message(FATAL_ERROR "broadside: BROADSIDE_ISAS must hold scalar, the reference that always runs")
endif()

# Run-time detection must test every extension that is named here. SSE2 and NEON are the baselines of their
# processors and need no flag.
set(BROADSIDE_ISA_FLAGS_scalar "")
set(BROADSIDE_ISA_FLAGS_sse2 "")
set(BROADSIDE_ISA_FLAGS_avx2 -mavx2 -mfma -mbmi -mbmi2)
# VBMI2 for the 16-bit compression of the cells algorithm; xsimd requires VBMI and IFMA with it.
set(BROADSIDE_ISA_FLAGS_avx512 ${BROADSIDE_ISA_FLAGS_avx2}
    -mavx512f -mavx512cd -mavx512dq -mavx512bw -mavx512vl -mavx512ifma -mavx512vbmi -mavx512vbmi2)
set(BROADSIDE_ISA_FLAGS_neon64 "")
set(BROADSIDE_ISA_FLAGS_wasm128 -msimd128)
# Copies structs of registers a register at a time. GCC's default is 16 bytes, for which the next load of the whole
# register has to wait.
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-mmove-max=512 BROADSIDE_HAS_MOVE_MAX)
if(BROADSIDE_HAS_MOVE_MAX)
    list(APPEND BROADSIDE_ISA_FLAGS_avx2 -mmove-max=256 -mstore-max=256)
    list(APPEND BROADSIDE_ISA_FLAGS_avx512 -mmove-max=512 -mstore-max=512)
endif()
# GCC 12 reports the deliberately undefined operand inside its own AVX-512 intrinsics as a mistake of the caller
# (GCC bug 105593).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    list(APPEND BROADSIDE_ISA_FLAGS_avx512 -Wno-uninitialized -Wno-maybe-uninitialized)
endif()

# MSVC has its own levels; its AVX2 includes FMA and BMI.
if(MSVC)
    set(BROADSIDE_ISA_FLAGS_avx2 /arch:AVX2)
endif()

# The tag of each ISA in simd/src/arch.hpp.
set(BROADSIDE_ARCH_scalar Scalar)
set(BROADSIDE_ARCH_sse2 Sse2)
set(BROADSIDE_ARCH_avx2 Avx2)
set(BROADSIDE_ARCH_avx512 Avx512)
set(BROADSIDE_ARCH_neon64 Neon64)
set(BROADSIDE_ARCH_wasm128 Wasm128)

# Adds a source to the objects of an ISA, broadside_isa_<isa>, which the first unit creates.
function(broadside_add_unit_of_isa isa unit)
    set(target broadside_isa_${isa})
    if(NOT TARGET ${target})
        add_library(${target} OBJECT)
        broadside_set_up_library(${target})
        # No unity build: a joined unit would be linked as a whole, and be heavy again.
        set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
        target_link_libraries(${target} PRIVATE broadside_xsimd)
        target_compile_definitions(${target} PRIVATE
            BROADSIDE_UNIT_ISA=${isa} BROADSIDE_UNIT_ARCH=${BROADSIDE_ARCH_${isa}})
        # These options come after those of the configuration, so -O3 wins in Debug too: a wide kernel at -O0 is
        # slower than scalar code, and inlining keeps shared templates out of the unit (rule R4).
        target_compile_options(${target} PRIVATE $<IF:$<CXX_COMPILER_ID:MSVC>,/O2,${BROADSIDE_KERNEL_OPTIMISATION}>
            ${BROADSIDE_ISA_FLAGS_${isa}})
        # Checks around every temporary of the inlined lanes would make a wide unit take minutes to compile. It
        # keeps the checks of the caller's arrays and all others. The scalar units keep these, too.
        if("address" IN_LIST broadside_sanitizers AND NOT isa STREQUAL "scalar")
            if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
                target_compile_options(${target} PRIVATE --param=asan-stack=0)
            else()
                target_compile_options(${target} PRIVATE "SHELL:-mllvm -asan-stack=0")
            endif()
        endif()
        # Parsing the lanes is nine tenths of a small unit's compile time. A compiler cache does not see a header
        # that is precompiled, so with a cache there is none.
        if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
            target_precompile_headers(${target} PRIVATE
                "${PROJECT_SOURCE_DIR}/simd/src/bytes.hpp" "${PROJECT_SOURCE_DIR}/simd/src/transpose.hpp")
        endif()
        target_sources(broadside PRIVATE $<TARGET_OBJECTS:${target}>)
    endif()
    target_sources(${target} PRIVATE "${unit}")
endfunction()

# Adds units to every ISA, from the CMakeLists.txt of their folder. Units behind EIGHT_WIDE have at most eight lanes,
# because sixteen are not faster: avx2's serves avx512. Units behind FOUR_WIDE have four: on x86, sse2's serves all.
function(broadside_add_isa_units)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "EIGHT_WIDE;FOUR_WIDE")
    set(eight_wide_isas ${BROADSIDE_ISAS})
    list(TRANSFORM eight_wide_isas REPLACE "^avx512$" avx2)
    set(four_wide_isas ${BROADSIDE_ISAS})
    list(TRANSFORM four_wide_isas REPLACE "^avx.*" sse2)
    broadside_add_units_of_isas("${BROADSIDE_ISAS}" "${arg_UNPARSED_ARGUMENTS}")
    broadside_add_units_of_isas("${eight_wide_isas}" "${arg_EIGHT_WIDE}")
    broadside_add_units_of_isas("${four_wide_isas}" "${arg_FOUR_WIDE}")
endfunction()
function(broadside_add_units_of_isas isas units)
    list(REMOVE_DUPLICATES isas)
    foreach(isa IN LISTS isas)
        foreach(unit IN LISTS units)
            broadside_add_unit_of_isa(${isa} "${CMAKE_CURRENT_SOURCE_DIR}/${unit}")
        endforeach()
    endforeach()
endfunction()

# Tells the library's own sources which units exist. The names say "built", so they never collide with what a
# compiler predefines for its flags.
foreach(isa IN ITEMS sse2 avx2 avx512 neon64 wasm128)
    string(TOUPPER "${isa}" upper)
    set(is_built 0)
    if(isa IN_LIST BROADSIDE_ISAS)
        set(is_built 1)
    endif()
    target_compile_definitions(broadside_internals INTERFACE BROADSIDE_BUILT_${upper}=${is_built})
endforeach()
