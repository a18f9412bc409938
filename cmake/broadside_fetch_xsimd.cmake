# Downloads the pinned release of xsimd and sets broadside_xsimd_SOURCE_DIR.
include(FetchContent)

set(broadside_xsimd_url https://github.com/xtensor-stack/xsimd/archive/13.2.0.tar.gz)
set(broadside_xsimd_sha256 edd8cd3d548c185adc70321c53c36df41abe64c1fe2c67bc6d93c3ecda82447a)
set(broadside_xsimd_archive "${CMAKE_BINARY_DIR}/_deps/xsimd-13.2.0.tar.gz")

# Downloaded without FetchContent, which reports a missing network as a page of errors of its own build.
if(NOT FETCHCONTENT_SOURCE_DIR_BROADSIDE_XSIMD)
    set(broadside_xsimd_have "")
    if(EXISTS "${broadside_xsimd_archive}")
        file(SHA256 "${broadside_xsimd_archive}" broadside_xsimd_have)
    endif()
    if(NOT broadside_xsimd_have STREQUAL broadside_xsimd_sha256)
        message(STATUS "broadside: no xsimd >= 13 found, downloading ${broadside_xsimd_url}")
        file(DOWNLOAD ${broadside_xsimd_url} "${broadside_xsimd_archive}" STATUS broadside_xsimd_status)
        list(GET broadside_xsimd_status 0 broadside_xsimd_code)
        list(GET broadside_xsimd_status 1 broadside_xsimd_reason)
        if(NOT broadside_xsimd_code EQUAL 0)
            file(REMOVE "${broadside_xsimd_archive}")
            message(FATAL_ERROR "broadside: needs xsimd >= 13, none is installed, and the download of "
                "${broadside_xsimd_url} failed (${broadside_xsimd_reason}); install it, set "
                "BROADSIDE_XSIMD_DIR or run ./run setup")
        endif()
    endif()
endif()

FetchContent_Declare(broadside_xsimd
    URL "${broadside_xsimd_archive}"
    URL_HASH SHA256=${broadside_xsimd_sha256}
    # A folder without CMakeLists.txt: we want only the headers, not xsimd's targets and install rules.
    SOURCE_SUBDIR include)
FetchContent_MakeAvailable(broadside_xsimd)
