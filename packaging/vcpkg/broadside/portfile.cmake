# An overlay port of the checkout that it stands in: vcpkg install broadside --overlay-ports=packaging/vcpkg
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS FEATURES
    c BROADSIDE_BUILD_C)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS
    -DBROADSIDE_BUILD_TESTS=OFF
    -DBROADSIDE_BUILD_BENCHMARKS=OFF
    -DBROADSIDE_BUILD_EXTRAS=OFF
    -DBROADSIDE_BUILD_EXAMPLES=OFF
    -DBROADSIDE_INSTALL=ON
    -DBROADSIDE_WARNINGS_AS_ERRORS=OFF
    # vcpkg's own.
    -DBROADSIDE_FETCH_XSIMD=OFF
    ${FEATURE_OPTIONS})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME broadside CONFIG_PATH lib/cmake/broadside)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
