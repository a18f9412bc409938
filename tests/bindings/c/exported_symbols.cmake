# The shared library exports exactly the functions that the list names and the headers declare. A removed function
# breaks programs and needs another BROADSIDE_C_ABI. A new one is a line in the list.
# Called as: cmake -DNM=... -DLIBRARY=... -DLIST=... -DHEADERS=<folder> -DSONAME=... -DOBJDUMP=... -P
# exported_symbols.cmake

execute_process(COMMAND "${NM}" --dynamic --defined-only --format=posix "${LIBRARY}"
    OUTPUT_VARIABLE rows COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" rows "${rows}")
list(TRANSFORM rows REPLACE " .*" "")
list(SORT rows)
file(STRINGS "${LIST}" listed)

set(declared "")
file(GLOB headers "${HEADERS}/*.h")
foreach(header IN LISTS headers)
    file(READ "${header}" text)
    # A semicolon would cut the list of matches.
    string(REPLACE ";" " " text "${text}")
    string(REGEX MATCHALL "\nBROADSIDE_C_API[^(]*[( ]" declarations "${text}")
    list(TRANSFORM declarations REPLACE "[( ]+$" "")
    list(TRANSFORM declarations REPLACE "(.|\n)*[ *\n]" "")
    list(APPEND declared ${declarations})
endforeach()
list(SORT declared)

foreach(other IN ITEMS listed declared)
    set(missing ${${other}})
    list(REMOVE_ITEM missing ${rows})
    set(extra ${rows})
    list(REMOVE_ITEM extra ${${other}})
    foreach(name IN LISTS missing)
        message("${other} and not in the library: ${name}")
    endforeach()
    foreach(name IN LISTS extra)
        message("in the library and not ${other}: ${name}")
    endforeach()
    if(missing OR extra)
        set(has_failed TRUE)
    endif()
endforeach()

execute_process(COMMAND "${OBJDUMP}" -p "${LIBRARY}" OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
if(NOT dynamic MATCHES "SONAME +${SONAME}\n")
    message("the SONAME is not ${SONAME}")
    set(has_failed TRUE)
endif()
list(LENGTH rows count)
if(has_failed OR count LESS 100)
    message(FATAL_ERROR "the symbols of ${LIBRARY} are not those that are promised")
endif()
message("${count} functions shown, nothing else")
