# Shared by the toolchains of this folder: Debian's cross compiler, libraries that ./run unpacks, and the emulator
# of qemu-user. The including file sets machine, triple, CMAKE_SYSTEM_PROCESSOR and emulator, and loader if the
# building processor may run that machine's programs itself.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER ${triple}-gcc)
set(CMAKE_CXX_COMPILER ${triple}-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR ${emulator} -L /usr/${triple})
# Without the emulator, in a tenth of the time.
if(DEFINED loader)
    execute_process(COMMAND /usr/${triple}/lib/${loader} --version RESULT_VARIABLE loader_result OUTPUT_QUIET ERROR_QUIET)
    if(loader_result EQUAL 0)
        set(CMAKE_CROSSCOMPILING_EMULATOR /usr/${triple}/lib/${loader} --library-path /usr/${triple}/lib)
    endif()
endif()
# Debian's library folders for 32-bit x86 have another name than its compiler.
string(REPLACE "i686" "i386" CMAKE_LIBRARY_ARCHITECTURE ${triple})

# Never the machine's own libraries, which are for another processor.
set(machine_libraries "${CMAKE_CURRENT_LIST_DIR}/../../build/deps/${machine}")
set(CMAKE_FIND_ROOT_PATH "${machine_libraries}" /usr/${triple})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# Debian's headers that differ by processor; the compiler searches only its own copy of that folder.
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES "${machine_libraries}/usr/include/${CMAKE_LIBRARY_ARCHITECTURE}")
