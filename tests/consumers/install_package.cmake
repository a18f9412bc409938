# Installs the build into an empty prefix: a header that the checkout no longer has must not linger there.
# Called as: cmake -DBUILD_DIR=... -DPREFIX=... -DCONFIG=... -P install_package.cmake
file(REMOVE_RECURSE "${PREFIX}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${PREFIX}" --config "${CONFIG}"
    COMMAND_ERROR_IS_FATAL ANY)
