# Toolchain of `./run test --i386`: 32-bit x86, which most kernels of 64-bit x86 run, too.
set(machine i386)
set(triple i686-linux-gnu)
set(CMAKE_SYSTEM_PROCESSOR i686)
set(emulator qemu-i386)
set(loader ld-linux.so.2)
include("${CMAKE_CURRENT_LIST_DIR}/debian.cmake")
