# Debian packages by `cpack -G DEB -D BROADSIDE_PUBLISHER=...` from the build folder: the shared libraries, the files to
# build programs with, and the Python package if it is built. As usual in Debian, the library's package has the number
# of its ABI in its name, so that two of them can be installed.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME broadside)
set(CPACK_PACKAGE_VENDOR "broadside")
# Asks for the publisher.
set(CPACK_PROJECT_CONFIG_FILE "${PROJECT_SOURCE_DIR}/packaging/debian.cmake")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)

# Finds what binaries need, with versions; without it the versions of this machine, which built them, are named.
find_program(BROADSIDE_DPKG_SHLIBDEPS dpkg-shlibdeps DOC "Finds what the shared libraries of a package need")
set(broadside_package_needs "")
if(NOT BROADSIDE_DPKG_SHLIBDEPS)
    execute_process(COMMAND dpkg-query -W -f "\${Package} (>= \${Version}), " libc6 libstdc++6 libgcc-s1
        OUTPUT_VARIABLE broadside_package_needs ERROR_QUIET)
    string(REGEX REPLACE ", $" "" broadside_package_needs "${broadside_package_needs}")
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL development)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libbroadside-dev)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Headers, libraries and package files to build with broadside")
if(TARGET broadside_c OR BUILD_SHARED_LIBS)
    list(APPEND CPACK_COMPONENTS_ALL library)
    if(BUILD_SHARED_LIBS)
        get_target_property(broadside_package_number broadside SOVERSION)
    else()
        get_target_property(broadside_package_number broadside_c SOVERSION)
        string(PREPEND broadside_package_number "-c")
    endif()
    set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libbroadside${broadside_package_number})
    set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
    set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "Shared libraries of broadside")
    set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
        "${CPACK_DEBIAN_LIBRARY_PACKAGE_NAME} (= ${PROJECT_VERSION})")
    if(BROADSIDE_DPKG_SHLIBDEPS)
        set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
    endif()
    set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "${broadside_package_needs}")
    # Packages of programs that link the library find the package that contains it here.
    set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
    set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
endif()
if(TARGET broadside_python)
    list(APPEND CPACK_COMPONENTS_ALL python)
    set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-broadside)
    set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
    set(CPACK_COMPONENT_PYTHON_DESCRIPTION "The Python package")
    # The extension is for the Python that it was built with.
    math(EXPR broadside_next_python "${broadside_python_minor} + 1")
    if(BROADSIDE_DPKG_SHLIBDEPS)
        set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
    endif()
    string(CONCAT CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
        "python3 (>= 3.${broadside_python_minor}), python3 (<< 3.${broadside_next_python}), "
        "python3-numpy (>= 1:1.22), python3-numpy (<< 1:2), ${broadside_package_needs}")
    string(REGEX REPLACE ", $" "" CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "${CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS}")
endif()
include(CPack)
