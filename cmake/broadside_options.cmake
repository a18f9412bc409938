# Every setting of the build, with its reason; no logic beyond defaults.

# An embedder gets the library alone; developers get everything. Tests look inside the library, which a shared one
# does not allow.
set(broadside_build_tests ${PROJECT_IS_TOP_LEVEL})
if(BUILD_SHARED_LIBS)
    set(broadside_build_tests OFF)
endif()
option(BROADSIDE_BUILD_TESTS "Build the tests (need doctest, GMP, oneTBB and zlib)" ${broadside_build_tests})
if(BUILD_SHARED_LIBS AND BROADSIDE_BUILD_TESTS)
    message(FATAL_ERROR "broadside: BROADSIDE_BUILD_TESTS needs a static library, for the tests look inside it; "
        "leave them out, or BUILD_SHARED_LIBS")
endif()
# For a quick result after an edit: the tests of core, simd, broadphase, narrowphase and stage that need neither scenes
# nor examples, in one program; nothing else is built.
option(BROADSIDE_ONLY_UNIT_TESTS "Build the library and its unit tests, and nothing else" OFF)
# Needs clang's libFuzzer, and makes a library that is useless for anything else.
option(BROADSIDE_BUILD_FUZZERS "Build the fuzzers (need clang++, zlib)" OFF)
# Debian's clang is older than the compilers of the tests; its libFuzzer suffices.
option(BROADSIDE_ANY_COMPILER "Take a compiler that the tests are not built with" OFF)
# Apart from the tests, because Google Benchmark is one more dependency.
option(BROADSIDE_BUILD_BENCHMARKS "Build the benches (need Google Benchmark, zlib)" ${PROJECT_IS_TOP_LEVEL})
# Separate from the library, because extras/ needs zlib, CLI11, nlohmann-json and oneTBB; the library needs
# nothing.
option(BROADSIDE_BUILD_EXTRAS "Build the demo and the programs for scenes and recordings" ${PROJECT_IS_TOP_LEVEL})
# Examples use the public API as a caller does. They have no dependency, but an embedder does not need them.
option(BROADSIDE_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
# Off: it needs pybind11 and the Python to build for. bindings/python/setup.py turns it on.
option(BROADSIDE_BUILD_PYTHON "Build the extension module of the Python package (needs pybind11)" OFF)
# A shared library beside the static one. C++ callers do not need it, and instrumented builds look only at the
# library itself.
set(broadside_build_c ${PROJECT_IS_TOP_LEVEL})
if(EMSCRIPTEN OR BROADSIDE_BUILD_FUZZERS OR BROADSIDE_SANITIZE STREQUAL "thread")
    set(broadside_build_c OFF)
endif()
option(BROADSIDE_BUILD_C "Build the C API (libbroadside_c)" ${broadside_build_c})
# A project that vendors the library must be able to keep it out of its own install tree.
option(BROADSIDE_INSTALL "Create install rules and package files" ${PROJECT_IS_TOP_LEVEL})
# Off, each source compiles alone, which finds a missing include.
option(BROADSIDE_JOIN_SOURCES "Compile tests and benches folder by folder, not source by source" ON)
# We allow no warning, but a newer compiler of an embedder must not break their build with one.
option(BROADSIDE_WARNINGS_AS_ERRORS "Treat warnings in our own sources as errors" ${PROJECT_IS_TOP_LEVEL})
# Distributions ship old xsimd; not everyone accepts a configure step that downloads unasked.
option(BROADSIDE_FETCH_XSIMD "Download a pinned xsimd release when none new enough is installed" ON)

# For a caller that keeps its own copy of xsimd, and for machines without a network.
set(BROADSIDE_XSIMD_DIR "" CACHE PATH "Folder that holds xsimd/xsimd.hpp (version 13 or newer)")
# Asserts cost time in every build and catch misuse in Debug. A Release build with asserts finds bugs that show only
# when optimised.
set(BROADSIDE_ASSERTS AUTO CACHE STRING "Compile asserts in: AUTO (in Debug only), ON or OFF")
set_property(CACHE BROADSIDE_ASSERTS PROPERTY STRINGS AUTO ON OFF)
# Sanitizers must be on for the library, the tests and the link alike, so they are one switch.
set(BROADSIDE_SANITIZE "" CACHE STRING "Sanitizers for all our targets: address, undefined, both, thread, memory (clang) or none")
set_property(CACHE BROADSIDE_SANITIZE PROPERTY STRINGS "" address undefined address,undefined thread memory)
# Zones around phases and tasks, for the built-in collector or for Tracy, which show where the time of a call goes.
# Off, because each costs a read of a global, and the library has no others but the ISA and the assert handler.
set(BROADSIDE_ZONES OFF CACHE STRING "Profiling zones: OFF, TRACE (Chrome trace files), TRACY, AUTO (TRACY if found)")
set_property(CACHE BROADSIDE_ZONES PROPERTY STRINGS OFF TRACE TRACY AUTO)
# The specification repeats batch calls while they run (shadow.hpp), to find a wrong result. Off, because it costs a
# read of a global per call, and code for every kernel.
option(BROADSIDE_SHADOW "Compile shadow verification in, to be started at run time" OFF)
# Checks that no bit depends on how a compiler optimises kernels.
set(BROADSIDE_KERNEL_OPTIMISATION "-O3" CACHE STRING "Optimisation of the instruction-set units in every build type")
# Recorded scenes are too large for the repository; tests and extras that need them skip when they are absent.
set(BROADSIDE_DATA_DIR "${CMAKE_CURRENT_SOURCE_DIR}/../shared/data" CACHE PATH
    "Folder of recorded scenes and meshes for tests and extras")

if(BROADSIDE_ASSERTS STREQUAL "AUTO")
    set(BROADSIDE_ASSERTS_VALUE $<IF:$<CONFIG:Debug>,1,0>)
elseif(BROADSIDE_ASSERTS)
    set(BROADSIDE_ASSERTS_VALUE 1)
else()
    set(BROADSIDE_ASSERTS_VALUE 0)
endif()

# An unoptimised build by accident is the most common false benchmark.
get_property(broadside_is_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(PROJECT_IS_TOP_LEVEL AND NOT broadside_is_multi_config AND NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
endif()
