# Profiling zones: which profiler the library is built for, by BROADSIDE_ZONES. Included once `broadside`
# exists.

set(broadside_zones "${BROADSIDE_ZONES}")
if(broadside_zones MATCHES "^(TRACY|AUTO)$")
    find_package(Tracy QUIET CONFIG)
    if(broadside_zones STREQUAL "AUTO")
        set(broadside_zones TRACE)
        if(TARGET Tracy::TracyClient)
            set(broadside_zones TRACY)
        endif()
        message(STATUS "broadside: profiling zones for ${broadside_zones}")
    elseif(NOT TARGET Tracy::TracyClient)
        message(FATAL_ERROR "broadside: BROADSIDE_ZONES is TRACY and no package Tracy is found; set Tracy_DIR, or "
            "take BROADSIDE_ZONES=TRACE, which needs nothing")
    endif()
endif()

if(broadside_zones STREQUAL "TRACE")
    target_sources(broadside PRIVATE "${PROJECT_SOURCE_DIR}/core/src/zone_trace.cpp")
    target_compile_definitions(broadside PRIVATE BROADSIDE_ZONES_TRACE=1)
elseif(broadside_zones STREQUAL "TRACY")
    # Users of the installed library find it again by broadside-config.cmake.
    target_link_libraries(broadside PRIVATE Tracy::TracyClient)
    target_compile_definitions(broadside PRIVATE BROADSIDE_ZONES_TRACY=1)
elseif(broadside_zones)
    message(FATAL_ERROR "broadside: BROADSIDE_ZONES is '${BROADSIDE_ZONES}'; it must be OFF, TRACE, TRACY or AUTO")
endif()
