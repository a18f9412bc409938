# Toolchain of `./run test --windows`: 64-bit Windows, by Debian's mingw-w64 and wine.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_CROSSCOMPILING_EMULATOR wine)
# One file that runs alone.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")

set(windows_libraries "${CMAKE_CURRENT_LIST_DIR}/../../build/deps/windows")
set(CMAKE_FIND_ROOT_PATH "${windows_libraries}" /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
