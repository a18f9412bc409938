# Compares the help of PROGRAM or one of its commands with FILE, or writes it there.
# Called as: cmake -DPROGRAM=... -DSUBCOMMAND=... -DFILE=... [-DWRITE=ON] -P help_text.cmake
execute_process(COMMAND "${PROGRAM}" ${SUBCOMMAND} --help OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
if(WRITE)
    file(WRITE "${FILE}" "${text}")
    return()
endif()
file(READ "${FILE}" kept)
if(NOT kept STREQUAL text)
    message(FATAL_ERROR
        "${FILE} is not what the program says; the target help-texts writes it anew:\n${text}")
endif()
