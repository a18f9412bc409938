# Fails if a program is larger than MOST bytes without its symbols.
# Called as: cmake -DSTRIP=... -DPROGRAM=... -DMOST=... -DCOPY=... -P link_size.cmake

execute_process(COMMAND "${STRIP}" -o "${COPY}" "${PROGRAM}" RESULT_VARIABLE code)
if(NOT code EQUAL 0)
    message(FATAL_ERROR "cannot strip ${PROGRAM}")
endif()
file(SIZE "${COPY}" size)
if(size GREATER MOST)
    message("${size} bytes, more than ${MOST}")
    message(FATAL_ERROR "${PROGRAM} links more kernels than it calls")
endif()
message("${size} bytes")
