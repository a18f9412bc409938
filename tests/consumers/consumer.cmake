# Common to the consumer projects: the program, strict flags, and checks that nothing private reached them.

# consumer_add_program(<more compile options...>): the executables `consumer` and `first_pairs`, the README's
# program.
function(consumer_add_program)
    add_executable(consumer "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/program.cpp")
    add_executable(first_pairs "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../examples/first_pairs.cpp")
    foreach(program IN ITEMS consumer first_pairs)
        # NO_SYSTEM: warnings in an installed package's headers would otherwise be silenced.
        set_target_properties(${program} PROPERTIES CXX_EXTENSIONS OFF NO_SYSTEM_FROM_IMPORTED ON)
        target_compile_features(${program} PRIVATE cxx_std_20)
        target_compile_options(${program} PRIVATE
            -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast -Werror ${ARGN})
        target_link_libraries(${program} PRIVATE broadside::broadside)
    endforeach()
endfunction()

# The library requires of its callers its include folders and C++20, and nothing else.
function(consumer_check_target target)
    foreach(property IN ITEMS COMPILE_OPTIONS COMPILE_DEFINITIONS SYSTEM_INCLUDE_DIRECTORIES LINK_OPTIONS)
        get_target_property(value ${target} INTERFACE_${property})
        # A package file may repeat the plain folders as system ones, which NO_SYSTEM_FROM_IMPORTED undoes.
        get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
        if(value AND NOT value STREQUAL folders)
            message(FATAL_ERROR "${target} forces ${property} on its callers: ${value}")
        endif()
    endforeach()
    if("${folders}" MATCHES "xsimd")
        message(FATAL_ERROR "${target} shows xsimd to its callers: ${folders}")
    endif()
endfunction()

# Everything that is not the library stays off in a caller's build.
function(consumer_check_only_library)
    foreach(part IN ITEMS BUILD_C BUILD_TESTS BUILD_BENCHMARKS BUILD_EXTRAS BUILD_EXAMPLES INSTALL WARNINGS_AS_ERRORS)
        get_property(value CACHE BROADSIDE_${part} PROPERTY VALUE)
        if(value)
            message(FATAL_ERROR "BROADSIDE_${part} is on in a project that only uses the library")
        endif()
    endforeach()
    foreach(target IN ITEMS broadside_tests broadside_bench broadside-demo format tidy)
        if(TARGET ${target})
            message(FATAL_ERROR "target ${target} exists in a project that only uses the library")
        endif()
    endforeach()
endfunction()
