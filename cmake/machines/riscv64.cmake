# Toolchain of `./run test --riscv64`: RISC-V, 64 bits, little-endian.
set(machine riscv64)
set(triple riscv64-linux-gnu)
set(CMAKE_SYSTEM_PROCESSOR riscv64)
set(emulator qemu-riscv64)
include("${CMAKE_CURRENT_LIST_DIR}/debian.cmake")
