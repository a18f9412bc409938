# Install rules and package files: find_package(broadside) provides broadside::broadside and nothing else, and
# pkg-config the same without CMake.
include(CMakePackageConfigHelpers)

set(broadside_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/broadside")

install(TARGETS broadside EXPORT broadside_targets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT library NAMELINK_COMPONENT development
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
foreach(folder IN LISTS BROADSIDE_FOLDERS)
    install(DIRECTORY "${folder}/include/broadside" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        COMPONENT development FILES_MATCHING PATTERN "*.hpp")
endforeach()
install(EXPORT broadside_targets NAMESPACE broadside:: FILE broadside_targets.cmake
    DESTINATION "${broadside_package_dir}" COMPONENT development)

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/broadside-config.cmake.in"
    "${PROJECT_BINARY_DIR}/broadside-config.cmake" INSTALL_DESTINATION "${broadside_package_dir}")
# Before 1.0 a minor version may change the API.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/broadside-config-version.cmake"
    COMPATIBILITY SameMinorVersion)
install(FILES
    "${PROJECT_BINARY_DIR}/broadside-config.cmake"
    "${PROJECT_BINARY_DIR}/broadside-config-version.cmake"
    DESTINATION "${broadside_package_dir}" COMPONENT development)
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT development)

# A distribution may use absolute folders; all others are relative to the file.
set(broadside_pc_prefix "${CMAKE_INSTALL_PREFIX}")
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    file(RELATIVE_PATH broadside_pc_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
    string(PREPEND broadside_pc_prefix "\${pcfiledir}/")
endif()
foreach(folder IN ITEMS includedir libdir)
    string(TOUPPER "${folder}" upper)
    set(broadside_pc_${folder} "${CMAKE_INSTALL_${upper}}")
    if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_${upper}}")
        string(PREPEND broadside_pc_${folder} "\${prefix}/")
    endif()
endforeach()
# broadside_install_pc(<library> <text for the description>): installs <library>.pc
function(broadside_install_pc broadside_pc_name broadside_pc_needs)
    configure_file("${PROJECT_SOURCE_DIR}/cmake/broadside.pc.in" "${PROJECT_BINARY_DIR}/${broadside_pc_name}.pc" @ONLY)
    # A library for Tracy needs the flags of Tracy's own package.
    if(NOT broadside_zones STREQUAL "TRACY")
        install(FILES "${PROJECT_BINARY_DIR}/${broadside_pc_name}.pc"
            DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)
    endif()
endfunction()
broadside_install_pc(broadside "; needs C++20")
