# Runs broadside-tune on small scenes: exit codes and output. Variables: TUNE, the program, after its emulator if it
# needs one; FOLDER, the folder for files.
function(expect expected_code expected)
    execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${FOLDER}"
        RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE error)
    if(NOT code EQUAL "${expected_code}" OR NOT "${output}${error}" MATCHES "${expected}")
        message(SEND_ERROR "${ARGN}: exit code ${code}, expected ${expected_code} and '${expected}':\n${output}${error}")
    endif()
endfunction()

file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}")
file(WRITE "${FOLDER}/world.txt" "0 0 0 1 1 1\n1 1 1 2 2 2\n5 5 5 6 6 6\n")
file(WRITE "${FOLDER}/a.obj" "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 1\nf 1 2 3\nf 2 3 4\n")

expect(0 "boxes 3 to 3, pairs 1 to 1 .all pairs.*The default against itself.*broadside::find_pairs\\(boxes, settings, scratch, pairs\\).status"
    ${TUNE} world.txt --seconds 0 --threads 1,2 --isa scalar)
expect(0 "\"question\": \"all pairs\".*\"recommendations\"" ${TUNE} a.obj --items edges --seconds 0 --threads 1 --json)
expect(2 "missing.txt: cannot be opened" ${TUNE} missing.txt)
expect(2 "--pairs: expected one of all.movers, found 'frob'\n" ${TUNE} world.txt --pairs frob)
expect(2 "avx1024 is not the name of an ISA" ${TUNE} world.txt --isa avx1024)
expect(0 "--pairs .*all.movers" ${TUNE} --help)
