# Finds xsimd >= 13. Offers it to the ISA units as the private interface target broadside_xsimd, and the project
# root as an include folder to all our sources as broadside_internals. Neither reaches an installed or exported
# target.

# Sets ${out} to the version of the xsimd headers in a folder, or to nothing if there are none.
function(broadside_read_xsimd_version folder out)
    set(${out} "" PARENT_SCOPE)
    set(header "${folder}/xsimd/config/xsimd_config.hpp")
    if(NOT EXISTS "${header}")
        return()
    endif()
    set(parts "")
    foreach(part MAJOR MINOR PATCH)
        file(STRINGS "${header}" line REGEX "^#define XSIMD_VERSION_${part} +[0-9]+")
        string(REGEX MATCH "[0-9]+$" number "${line}")
        list(APPEND parts "${number}")
    endforeach()
    list(JOIN parts "." version)
    set(${out} "${version}" PARENT_SCOPE)
endfunction()

# Sets broadside_xsimd_include_dir to the folder if it holds headers that are new enough.
macro(broadside_try_xsimd folder)
    if(NOT broadside_xsimd_include_dir AND NOT "${folder}" STREQUAL "")
        broadside_read_xsimd_version("${folder}" broadside_xsimd_version)
        if(broadside_xsimd_version VERSION_GREATER_EQUAL 13)
            set(broadside_xsimd_include_dir "${folder}")
        elseif(broadside_xsimd_version)
            message(STATUS "broadside: xsimd ${broadside_xsimd_version} in ${folder} is too old, not used")
        endif()
    endif()
endmacro()

set(broadside_xsimd_include_dir "")
if(BROADSIDE_XSIMD_DIR)
    broadside_try_xsimd("${BROADSIDE_XSIMD_DIR}")
    broadside_try_xsimd("${BROADSIDE_XSIMD_DIR}/include")
    broadside_try_xsimd("${BROADSIDE_XSIMD_DIR}/usr/include")
    if(NOT broadside_xsimd_include_dir)
        message(FATAL_ERROR "broadside: BROADSIDE_XSIMD_DIR (${BROADSIDE_XSIMD_DIR}) holds no xsimd >= 13")
    endif()
endif()
if(NOT broadside_xsimd_include_dir)
    # Without a version: xsimd's own version file accepts the same major only, and we accept 13 and newer.
    find_package(xsimd QUIET CONFIG)
    if(TARGET xsimd)
        get_target_property(broadside_xsimd_found xsimd INTERFACE_INCLUDE_DIRECTORIES)
        foreach(folder IN LISTS broadside_xsimd_found)
            broadside_try_xsimd("${folder}")
        endforeach()
    endif()
endif()
# The folder into which ./run unpacks the package of a newer Debian suite.
broadside_try_xsimd("${PROJECT_SOURCE_DIR}/build/deps/xsimd/usr/include")
if(NOT broadside_xsimd_include_dir AND BROADSIDE_FETCH_XSIMD)
    include(broadside_fetch_xsimd)
    broadside_try_xsimd("${broadside_xsimd_SOURCE_DIR}/include")
endif()
if(NOT broadside_xsimd_include_dir)
    message(FATAL_ERROR "broadside: needs xsimd >= 13; install it, set BROADSIDE_XSIMD_DIR, run ./run setup, "
        "or allow BROADSIDE_FETCH_XSIMD")
endif()
message(STATUS "broadside: xsimd ${broadside_xsimd_version} in ${broadside_xsimd_include_dir}")

add_library(broadside_internals INTERFACE)
target_include_directories(broadside_internals INTERFACE "${PROJECT_SOURCE_DIR}")
add_library(broadside_xsimd INTERFACE)
# SYSTEM: warnings in xsimd are not ours to fix.
target_include_directories(broadside_xsimd SYSTEM INTERFACE "${broadside_xsimd_include_dir}")
