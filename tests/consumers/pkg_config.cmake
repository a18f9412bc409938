# A caller without CMake: compiles and runs the README's program with the flags that pkg-config gives for an installed
# tree, and again after the tree was moved.
# Called as: cmake -DPREFIX=... -DFOLDER=... -DPKG_CONFIG=... -DCXX=... -DPROGRAMS=... -DLICENSE=... -P pkg_config.cmake
# and, if the C API is part of it, with -DCC=... -DC_PROGRAM=...

# check_tree(<prefix>): every check uses only the files below it.
function(check_tree prefix)
    file(GLOB_RECURSE file "${prefix}/*/broadside.pc")
    if(NOT file)
        message(FATAL_ERROR "no broadside.pc in ${prefix}")
    endif()
    get_filename_component(folder "${file}" DIRECTORY)
    set(ENV{PKG_CONFIG_PATH} "${folder}")
    execute_process(COMMAND "${PKG_CONFIG}" --cflags --libs broadside
        OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    foreach(flag IN ITEMS -I -L)
        string(FIND "${flags}" "${flag}${prefix}/" position)
        if(position EQUAL -1)
            message(FATAL_ERROR "pkg-config names no folder below ${prefix} by ${flag}: ${flags}")
        endif()
    endforeach()
    execute_process(COMMAND "${PKG_CONFIG}" --modversion broadside COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(flags UNIX_COMMAND "${flags}")
    foreach(program IN LISTS PROGRAMS)
        execute_process(COMMAND "${CXX}" -std=c++20 -Wall -Wextra -Werror "${program}" ${flags} -o "${FOLDER}/program"
            COMMAND_ERROR_IS_FATAL ANY)
        execute_process(COMMAND "${FOLDER}/program" COMMAND_ERROR_IS_FATAL ANY)
    endforeach()
    if(C_PROGRAM)
        execute_process(COMMAND "${PKG_CONFIG}" --cflags --libs broadside_c
            OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
        execute_process(COMMAND "${PKG_CONFIG}" --variable=libdir broadside_c
            OUTPUT_VARIABLE libraries OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
        separate_arguments(flags UNIX_COMMAND "${flags}")
        execute_process(COMMAND "${CC}" -std=c11 -Wall -Wextra -Werror "${C_PROGRAM}" ${flags} -o "${FOLDER}/program"
            COMMAND_ERROR_IS_FATAL ANY)
        execute_process(COMMAND "${CMAKE_COMMAND}" -E env "LD_LIBRARY_PATH=${libraries}" "${FOLDER}/program"
            COMMAND_ERROR_IS_FATAL ANY)
    endif()

    file(GLOB_RECURSE license "${prefix}/share/*/LICENSE")
    execute_process(COMMAND "${CMAKE_COMMAND}" -E compare_files "${license}" "${LICENSE}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}")
check_tree("${PREFIX}")
file(COPY "${PREFIX}/" DESTINATION "${FOLDER}/moved")
check_tree("${FOLDER}/moved")
