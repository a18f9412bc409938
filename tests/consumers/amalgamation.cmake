# Makes the two files of the amalgamation, compiles them with one line, and compares a program's results for a scene
# with those of the library.
# Called as: cmake -DPYTHON=... -DSCRIPT=... -DFOLDER=... -DCXX=... -DPROGRAM=... -DLIBRARY=... -DINCLUDES=<folders> -P
# ...

function(run)
    execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${FOLDER}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(MAKE_DIRECTORY "${FOLDER}")
run("${PYTHON}" -B "${SCRIPT}" "${FOLDER}/made")
# Compiled again only if it has changed, and with little optimisation: it is the slowest step here.
file(SHA256 "${FOLDER}/made/broadside.cpp" code)
file(SHA256 "${FOLDER}/made/broadside.hpp" header)
set(state "${code} ${header} ${CXX}")
set(last "")
if(EXISTS "${FOLDER}/state.txt")
    file(READ "${FOLDER}/state.txt" last)
endif()
if(NOT EXISTS "${FOLDER}/broadside.o" OR NOT state STREQUAL last)
    execute_process(COMMAND "${CXX}" -std=c++20 -O0 -c made/broadside.cpp WORKING_DIRECTORY "${FOLDER}"
        OUTPUT_VARIABLE said ERROR_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
    # No flags of ours are needed against warnings and notes.
    if(said)
        file(REMOVE "${FOLDER}/broadside.o")
        message(FATAL_ERROR "the compiler says: ${said}")
    endif()
    file(WRITE "${FOLDER}/state.txt" "${state}")
endif()
run("${CXX}" -std=c++20 -Wall -Wextra -Werror -DBROADSIDE_IS_AMALGAMATION -Imade "${PROGRAM}" broadside.o -o amalgamated)
list(TRANSFORM INCLUDES PREPEND -I)
run("${CXX}" -std=c++20 -Wall -Wextra -Werror ${INCLUDES} "${PROGRAM}" "${LIBRARY}" -o linked)

foreach(program IN ITEMS amalgamated linked)
    execute_process(COMMAND "${FOLDER}/${program}" OUTPUT_VARIABLE ${program} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
message("${amalgamated}")
if(NOT amalgamated STREQUAL linked OR NOT linked MATCHES "[1-9][0-9]* impacts, [1-9]")
    message(FATAL_ERROR "the library says ${linked}")
endif()
