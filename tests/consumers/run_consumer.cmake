# Configures, builds and runs one consumer project; the first step that fails ends the script.
# Called as: cmake -DSOURCE_DIR=... -DBUILD_DIR=... -DOPTIONS=... -P run_consumer.cmake

# Without the cache the defaults of our options apply again; objects stay, so that a second run is quick.
file(REMOVE "${BUILD_DIR}/CMakeCache.txt")
execute_process(COMMAND "${CMAKE_COMMAND}" -S "${SOURCE_DIR}" -B "${BUILD_DIR}" ${OPTIONS}
    -DCMAKE_BUILD_TYPE=Release -DFETCHCONTENT_FULLY_DISCONNECTED=ON COMMAND_ERROR_IS_FATAL ANY)
# Other tests run beside it.
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BUILD_DIR}" --config Release --parallel 2 COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${BUILD_DIR}/consumer" COMMAND_ERROR_IS_FATAL ANY)
# Only if the library is C++.
if(EXISTS "${BUILD_DIR}/first_pairs")
    execute_process(COMMAND "${BUILD_DIR}/first_pairs" COMMAND_ERROR_IS_FATAL ANY)
endif()
