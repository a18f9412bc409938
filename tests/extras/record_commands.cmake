# Runs the commands of broadside-record on a recording that the example dumped: exit codes and output. Variables: RECORD
# and DUMP, the programs, after their emulator if they need one; FOLDER, the folder for files.
function(expect expected_code expected)
    execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${FOLDER}"
        RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE error)
    if(NOT code EQUAL "${expected_code}" OR NOT "${output}${error}" MATCHES "${expected}")
        message(SEND_ERROR "${ARGN}: exit code ${code}, expected ${expected_code} and '${expected}':\n${output}${error}")
    endif()
endfunction()

file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}")

# The example's file is legal, and has the documented contents: the crate reaches the ground in the last frame.
expect(0 "^$" ${DUMP} dump.boxrec)
expect(0 "dump.boxrec: no fault; frames 10 of 10, boxes 20, uncompressed bytes 692" ${RECORD} check dump.boxrec)
expect(0 "pairs +0 +0 +0" ${RECORD} stats dump.boxrec)
expect(0 "\"frame_count\": 10,\n \"object_count\": 2" ${RECORD} stats dump.boxrec --json)

# Packed and unpacked again it has the same bytes.
expect(0 "packed.boxrec.gz: frames 10, boxes in all 20" ${RECORD} convert dump.boxrec -o packed.boxrec.gz)
expect(0 "no fault" ${RECORD} check packed.boxrec.gz)
expect(0 "frames 10" ${RECORD} convert packed.boxrec.gz -o unpacked.boxrec)
execute_process(COMMAND "${CMAKE_COMMAND}" -E compare_files dump.boxrec unpacked.boxrec
    WORKING_DIRECTORY "${FOLDER}" RESULT_VARIABLE code)
if(NOT code EQUAL 0)
    message(SEND_ERROR "dump.boxrec and unpacked.boxrec differ")
endif()

# Faults: exit code 1, each with its byte.
file(WRITE "${FOLDER}/cut_off.boxrec" "BOXREC01")
expect(1 "cut_off.boxrec: byte 8: expected the frame count" ${RECORD} check dump.boxrec cut_off.boxrec)
expect(1 "\"byte\": 8" ${RECORD} check cut_off.boxrec --json)
expect(2 "missing.boxrec: cannot be opened" ${RECORD} check missing.boxrec)

# A part, and its disguise.
expect(0 "frames 3, boxes in all 3" ${RECORD} cut dump.boxrec -o part.boxrec --first-frame 7 --frame-count 3 --kinds dynamic)
expect(0 "frames 10, boxes in all 10" ${RECORD} cut dump.boxrec -o part.boxrec --ids 2-9)
expect(0 "frames 10, boxes in all 13" ${RECORD} cut dump.boxrec -o part.boxrec --region -9,-1,-9,9,1.5,9)
expect(2 "--ids: expected an id or a range" ${RECORD} cut dump.boxrec -o refused.boxrec --ids 9-2)
expect(2 "--first-frame: expected one of the 10 frames, from 0, found 10" ${RECORD} cut dump.boxrec -o refused.boxrec --first-frame 10)
expect(2 "--first-frame: expected a whole number, found '-1'" ${RECORD} cut dump.boxrec -o refused.boxrec --first-frame -1)
expect(2 "--frame-count: expected a whole number above 0, found '0'" ${RECORD} cut dump.boxrec -o refused.boxrec --frame-count 0)
expect(0 "frames 1, boxes in all 2" ${RECORD} cut dump.boxrec -o part.boxrec --first-frame 9 --frame-count 5)
expect(2 "--region: expected min <= max" ${RECORD} cut dump.boxrec -o refused.boxrec --region 1,0,0,0,1,1)
expect(0 "frames 10, boxes in all 20" ${RECORD} anonymise dump.boxrec -o disguised.boxrec.gz --seed 5)
expect(0 "no fault" ${RECORD} check disguised.boxrec.gz)
expect(2 "frame 0: 1 pairs changed; take a smaller shift" ${RECORD} anonymise dump.boxrec -o refused.boxrec --seed 5 --shift 1e38,1e38,1e38)

# Replays are equal for any method; another input is detected.
expect(0 "a.json: frames 10, ISA scalar, threads 1" ${RECORD} replay dump.boxrec --isa scalar -o a.json)
expect(0 "b.json: frames 10" ${RECORD} replay packed.boxrec.gz --threads 2 --algorithm brute_force -o b.json)
expect(0 "equal: frames 10, paths find_pairs world stage" ${RECORD} compare a.json b.json)
expect(0 "c.json: frames 10" ${RECORD} replay dump.boxrec --paths world -o c.json)
expect(0 "equal: frames 10, paths world\n" ${RECORD} compare a.json c.json)
expect(0 "frames 9" ${RECORD} cut dump.boxrec --frame-count 9 -o part.boxrec)
expect(0 "d.json" ${RECORD} replay part.boxrec -o d.json)
expect(1 "input: 10 frames against 9" ${RECORD} compare a.json d.json)
expect(0 "e.json" ${RECORD} replay disguised.boxrec.gz -o e.json)
expect(1 "input: frame 0 is the first of 10 that differ" ${RECORD} compare a.json e.json)
# An unknown enumerator is reported in a whole line.
expect(2 "--kinds: expected one of dynamic.kinematic.static, found 'frob'\n" ${RECORD} cut dump.boxrec -o refused.boxrec --kinds static,frob)
expect(2 "--items: expected one of edges.faces.vertices, found 'frob'\n" ${RECORD} convert dump.boxrec -o refused.boxrec --items frob)
expect(2 "--paths: expected one of find_pairs.stage.world, found 'frob'\n" ${RECORD} replay dump.boxrec --paths world,frob)
expect(2 "--algorithm: expected one of automatic.*sweep_and_prune, found 'frob'\n" ${RECORD} replay dump.boxrec --algorithm frob)
expect(2 "is not a replay" ${RECORD} compare a.json dump.boxrec)
expect(2 "avx1024 is not the name of an ISA" ${RECORD} replay dump.boxrec --isa avx1024)

expect(2 "no_such_folder/a.boxrec: cannot be created" ${RECORD} convert dump.boxrec -o no_such_folder/a.boxrec)
expect(2 "subcommand is required" ${RECORD})
expect(0 "convert.*check.*stats.*cut.*anonymise.*replay.*compare" ${RECORD} --help)
if(EXISTS "${FOLDER}/refused.boxrec")
    message(SEND_ERROR "a command that failed left refused.boxrec")
endif()
file(GLOB leftovers "${FOLDER}/*.part")
if(leftovers)
    message(SEND_ERROR "temporary files are left: ${leftovers}")
endif()
