# Toolchain of `./run test --neon64`: AArch64, 64 bits, little-endian.
set(machine neon64)
set(triple aarch64-linux-gnu)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(emulator qemu-aarch64)
include("${CMAKE_CURRENT_LIST_DIR}/debian.cmake")
