# A Meson project with the wrap of packaging/, whose folder is the checkout: configured, built, its programs run.
# Called as: cmake -DMESON=... -DNINJA=... -DCHECKOUT=... -DXSIMD=... -DFOLDER=... -P meson.cmake

file(REMOVE_RECURSE "${FOLDER}/project" "${FOLDER}/build")
file(MAKE_DIRECTORY "${FOLDER}/project/subprojects")
file(COPY "${CHECKOUT}/tests/consumers/meson/meson.build" "${CHECKOUT}/examples/first_pairs.cpp"
    "${CHECKOUT}/examples/c_pairs.c" DESTINATION "${FOLDER}/project")
set(wrap "${FOLDER}/project/subprojects/broadside.wrap")
set(make_wrap "${CMAKE_COMMAND}" -D "FILE=${wrap}")
# Without a publisher there is no wrap.
execute_process(COMMAND ${make_wrap} -P "${CHECKOUT}/packaging/make_wrap.cmake" RESULT_VARIABLE result ERROR_VARIABLE why)
if(result EQUAL 0 OR EXISTS "${wrap}" OR NOT why MATCHES "BROADSIDE_PUBLISHER is ''")
    message(FATAL_ERROR "a wrap without a publisher: ${why}")
endif()
execute_process(COMMAND ${make_wrap} -D "BROADSIDE_PUBLISHER=A B <a@b.test>;https://b.test/broadside.git"
    -P "${CHECKOUT}/packaging/make_wrap.cmake" COMMAND_ERROR_IS_FATAL ANY)
file(STRINGS "${wrap}" lines REGEX "^(url|revision) = ")
if(NOT lines MATCHES "^url = https://b.test/broadside.git;revision = v[0-9]+[.][0-9]+[.][0-9]+$")
    message(FATAL_ERROR "wrong lines in the wrap: ${lines}")
endif()
file(CREATE_LINK "${CHECKOUT}" "${FOLDER}/project/subprojects/broadside" SYMBOLIC)

# One instruction set, and few files with little optimisation, are quick; the project's own build has them all.
execute_process(COMMAND "${MESON}" setup "${FOLDER}/build" "${FOLDER}/project" --wrap-mode nodownload
    -Dbroadside:isas=scalar "-Dbroadside:xsimd_dir=${XSIMD}" -Doptimization=0 -Ddebug=false -Dbroadside:kernel_optimization=1 -Dunity=subprojects
    -Dunity_size=1000 COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${NINJA}" -C "${FOLDER}/build" -j 2 COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${MESON}" test -C "${FOLDER}/build" COMMAND_ERROR_IS_FATAL ANY)
# The library's own flags must not reach the caller.
file(READ "${FOLDER}/build/compile_commands.json" commands)
string(JSON count LENGTH "${commands}")
math(EXPR last "${count} - 1")
foreach(index RANGE ${last})
    string(JSON file GET "${commands}" ${index} file)
    string(JSON command GET "${commands}" ${index} command)
    if(file MATCHES "project/[a-z]+_pairs[.]c" AND command MATCHES "xsimd|fno-rtti|BROADSIDE_")
        message(FATAL_ERROR "private flags reach a caller: ${command}")
    endif()
endforeach()
