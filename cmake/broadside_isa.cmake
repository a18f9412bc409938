# The instruction-set units: which are built on this processor, and with which flags each is compiled.

# Units are templates compiled once per level; a level is a cluster of extensions (house rule R1).
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
    set(broadside_known_isas scalar sse2 avx2 avx512)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$")
    set(broadside_known_isas scalar neon64)
else()
    set(broadside_known_isas scalar)
endif()

# For an embedder that knows its machines, or counts bytes: units can be left out, all but the reference.
set(BROADSIDE_ISAS "${broadside_known_isas}" CACHE STRING "Instruction sets to build, scalar among them")
foreach(isa IN LISTS BROADSIDE_ISAS)
    if(NOT isa IN_LIST broadside_known_isas)
        message(FATAL_ERROR "broadside: BROADSIDE_ISAS names '${isa}'; known here: ${broadside_known_isas}")
    endif()
endforeach()
if(NOT "scalar" IN_LIST BROADSIDE_ISAS)
    message(FATAL_ERROR "broadside: BROADSIDE_ISAS must hold scalar, the reference that always runs")
endif()

# Detection at run time must test every extension that is named here. SSE2 and NEON are the baselines of their
# processors and need no flag.
set(BROADSIDE_ISA_FLAGS_scalar "")
set(BROADSIDE_ISA_FLAGS_sse2 "")
set(BROADSIDE_ISA_FLAGS_avx2 -mavx2 -mfma -mbmi -mbmi2)
# VBMI2 for the 16-bit compression of the cells algorithm; xsimd asks for VBMI and IFMA with it.
set(BROADSIDE_ISA_FLAGS_avx512 ${BROADSIDE_ISA_FLAGS_avx2}
    -mavx512f -mavx512cd -mavx512dq -mavx512bw -mavx512vl -mavx512ifma -mavx512vbmi -mavx512vbmi2)
set(BROADSIDE_ISA_FLAGS_neon64 "")
# GCC 12 takes the deliberately undefined operand inside its own AVX-512 intrinsics for a mistake of the
# caller (GCC bug 105593).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    list(APPEND BROADSIDE_ISA_FLAGS_avx512 -Wno-uninitialized -Wno-maybe-uninitialized)
endif()

# Adds <folder>/src/isa/<isa>.cpp for every ISA of this processor, from the folder's CMakeLists.txt.
function(broadside_add_isa_units folder)
    foreach(isa IN LISTS BROADSIDE_ISAS)
        set(unit "${PROJECT_SOURCE_DIR}/${folder}/src/isa/${isa}.cpp")
        target_sources(broadside PRIVATE "${unit}")
        # Source options come after those of the configuration, so -O3 wins in Debug too: a wide kernel at -O0
        # is slower than scalar code, and inlining is what keeps shared templates out of the unit (rule R4).
        set(options -O3 -ffp-contract=off ${BROADSIDE_ISA_FLAGS_${isa}})
        if(BROADSIDE_SANITIZE STREQUAL "undefined" AND NOT isa STREQUAL "scalar")
            # These checks stand before every load of the inlined lanes: a unit then takes five minutes and
            # five gigabytes. The scalar unit keeps them, and guard pages and AddressSanitizer stand behind
            # the arrays.
            list(APPEND options -fno-sanitize=null,alignment,object-size,pointer-overflow,bounds)
        endif()
        # Alone in a unity build, too: what is compiled for an instruction set may meet no other code (rule R2).
        set_source_files_properties("${unit}" TARGET_DIRECTORY broadside PROPERTIES
            COMPILE_OPTIONS "${options}" SKIP_UNITY_BUILD_INCLUSION ON)
    endforeach()
endfunction()

# Tells the library's own sources which units exist. The names say "built", so they never collide with what a
# compiler predefines for its flags.
function(broadside_finish_isa_units)
    foreach(isa IN LISTS BROADSIDE_ISAS)
        string(TOUPPER "${isa}" upper)
        target_compile_definitions(broadside PRIVATE BROADSIDE_BUILT_${upper}=1)
    endforeach()
endfunction()
