# The unit tests: those of the library's folders and of its entry points, without the ones that read scenes.
set(broadside_unit_sources $<TARGET_OBJECTS:broadside_test_main>)
foreach(source IN LISTS broadside_test_sources)
    if(source MATCHES "^(core|simd|broadphase|narrowphase|stage|entry_points)/")
        file(STRINGS ${source} scenes LIMIT_COUNT 1 REGEX "^#include <broadside/(scene_io|scenes)/")
        if(NOT scenes)
            list(APPEND broadside_unit_sources ${source})
        endif()
    endif()
endforeach()
add_executable(broadside_unit_tests ${broadside_unit_sources})
broadside_set_up_test_program(broadside_unit_tests)
# Compiles in half the time of -O1.
target_compile_options(broadside_unit_tests PRIVATE $<$<CONFIG:Release>:-O0>)
# Read once, not by each joined source. A compiler cache does not see a header that is precompiled.
if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
    target_precompile_headers(broadside_unit_tests PRIVATE <algorithm> <cmath> <random> <string> <thread> <vector>
        <doctest/doctest.h>)
endif()
add_test(NAME unit COMMAND broadside_unit_tests)
