# Install rules and package files, so that find_package(broadside) gives broadside::broadside, nothing else.
include(CMakePackageConfigHelpers)

set(broadside_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/broadside")

install(TARGETS broadside EXPORT broadside_targets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
foreach(folder IN LISTS BROADSIDE_FOLDERS)
    install(DIRECTORY "${folder}/include/broadside" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.hpp")
endforeach()
install(EXPORT broadside_targets NAMESPACE broadside:: FILE broadside_targets.cmake
    DESTINATION "${broadside_package_dir}")

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/broadside-config.cmake.in"
    "${PROJECT_BINARY_DIR}/broadside-config.cmake" INSTALL_DESTINATION "${broadside_package_dir}")
# Before 1.0 a minor version may change the API.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/broadside-config-version.cmake"
    COMPATIBILITY SameMinorVersion)
install(FILES
    "${PROJECT_BINARY_DIR}/broadside-config.cmake"
    "${PROJECT_BINARY_DIR}/broadside-config-version.cmake"
    DESTINATION "${broadside_package_dir}")
