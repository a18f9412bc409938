# Compiler flags as private interface targets: broadside_build_flags (meaning of the arithmetic, sanitizers) and
# broadside_warnings. Flags of single instruction sets are in broadside_isa.cmake.

add_library(broadside_build_flags INTERFACE)
# Same bits on every ISA: a compiler may fuse a*b+c on one ISA and not on another (house rule R6), and a caller's
# -ffast-math, which is undone here, makes NaN an ordinary number.
if(MSVC)
    # MSVC fuses nothing unless told to, and needs its standard and encoding named.
    target_compile_options(broadside_build_flags INTERFACE /fp:precise /utf-8 /Zc:__cplusplus /bigobj)
else()
    target_compile_options(broadside_build_flags INTERFACE -fno-fast-math -ffp-contract=off)
endif()
# The x87 registers of 32-bit x86 keep more bits of a float than it has.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^i.86$")
    target_compile_options(broadside_build_flags INTERFACE -msse2 -mfpmath=sse)
endif()

string(REPLACE "," ";" broadside_sanitizers "${BROADSIDE_SANITIZE}")
foreach(sanitizer IN LISTS broadside_sanitizers)
    if(NOT sanitizer MATCHES "^(address|undefined|thread|memory)$")
        message(FATAL_ERROR "broadside: BROADSIDE_SANITIZE is '${BROADSIDE_SANITIZE}'; it must be empty, "
            "address, undefined, address,undefined, thread or memory")
    endif()
    target_compile_options(broadside_build_flags INTERFACE -fsanitize=${sanitizer} -fno-omit-frame-pointer)
    target_link_options(broadside_build_flags INTERFACE -fsanitize=${sanitizer})
endforeach()
if(BROADSIDE_BUILD_FUZZERS)
    # Coverage of the code by an input, which guides the fuzzer.
    target_compile_options(broadside_build_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if("undefined" IN_LIST broadside_sanitizers)
    # Conversions that do not fit an integer differ from processor to processor, and are not part of `undefined`.
    # vptr needs RTTI, which the library is built without. Division by zero is defined by IEEE 754 and the ray
    # kernels rely on it; neither compiler counts it as undefined here.
    target_compile_options(broadside_build_flags INTERFACE
        -fsanitize=float-cast-overflow -fno-sanitize=vptr -fno-sanitize-recover=all)
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
        # It marks each function with weak type data, which ISA units would share, against rule R5.
        target_compile_options(broadside_build_flags INTERFACE -fno-sanitize=function)
    endif()
endif()

add_library(broadside_warnings INTERFACE)
if(MSVC)
    target_compile_options(broadside_warnings INTERFACE /W4)
else()
    target_compile_options(broadside_warnings INTERFACE
        -Wall -Wextra -Wpedantic
        -Wconversion
        -Wshadow -Wold-style-cast -Wcast-align -Wcast-qual
        -Wnon-virtual-dtor -Woverloaded-virtual
        -Wformat=2 -Wundef -Wimplicit-fallthrough)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(broadside_warnings INTERFACE
        -Wduplicated-cond -Wduplicated-branches -Wlogical-op
        # A note on a change of the vector ABI in GCC 4.6, useless for builds with GCC 12.
        -Wno-psabi)
    # g++ warns on processors without unaligned reads, also for nodes in arrays of bytes, which have the allocator's
    # alignment.
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^riscv")
        target_compile_options(broadside_warnings INTERFACE -Wno-cast-align)
    endif()
    # The code that sanitizers insert between a store and its load hides one from the other; it stays a warning.
    if(BROADSIDE_SANITIZE)
        target_compile_options(broadside_warnings INTERFACE -Wno-error=maybe-uninitialized)
    endif()
    # It has false ones at -O1, too.
    if(BROADSIDE_ONLY_UNIT_TESTS)
        target_compile_options(broadside_warnings INTERFACE -Wno-maybe-uninitialized)
    endif()
endif()
# std::stable_sort of libstdc++ 12 calls a function that it deprecates, which clang 19 reports and clang 16 does not.
# g++ and clang 16 still report what is deprecated here.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 17)
    target_compile_options(broadside_warnings INTERFACE -Wno-deprecated-declarations)
endif()
if(BROADSIDE_WARNINGS_AS_ERRORS AND NOT MSVC)
    target_compile_options(broadside_warnings INTERFACE -Werror)
endif()
