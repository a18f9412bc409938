# Replaces Tracy's package file: its one target, with the folder of the header that replaces Tracy's.
add_library(Tracy::TracyClient INTERFACE IMPORTED)
target_include_directories(Tracy::TracyClient INTERFACE "${CMAKE_CURRENT_LIST_DIR}")
