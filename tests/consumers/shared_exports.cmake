# The shared library exports exactly the declarations of the public headers: definitions in the namespace broadside
# itself. Internals are in namespaces below it, whose names begin with a small letter, unlike those of classes.
# Called as: cmake -DNM=... -DOBJDUMP=... -DSHARED=... -DSTATIC=... -DSONAME=... -P shared_exports.cmake

# The demangled names of the symbols of a file of the given kind.
function(names_of file kinds out)
    execute_process(COMMAND "${NM}" ${ARGN} --demangle --defined-only "${file}"
        OUTPUT_VARIABLE rows ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
    # Brackets and semicolons are special in lists.
    string(REGEX REPLACE "[][;]" "_" rows "${rows}")
    string(REPLACE "\n" ";" rows "${rows}")
    list(FILTER rows INCLUDE REGEX "^[0-9a-f]+ [${kinds}] broadside::")
    list(TRANSFORM rows REPLACE "^[0-9a-f]+ [${kinds}] " "")
    list(REMOVE_DUPLICATES rows)
    set(${out} ${rows} PARENT_SCOPE)
endfunction()

set(internal "^broadside::[a-z_0-9]+::")
names_of("${SHARED}" "A-Za-z" shown --dynamic)
names_of("${STATIC}" "T" wanted)
list(FILTER wanted EXCLUDE REGEX "${internal}")
list(LENGTH wanted count)
if(count LESS 100)
    message(FATAL_ERROR "only ${count} public functions in ${STATIC}")
endif()

set(hidden ${wanted})
list(REMOVE_ITEM hidden ${shown})
list(FILTER shown INCLUDE REGEX "${internal}")
foreach(name IN LISTS hidden)
    message("not shown: ${name}; its header lacks BROADSIDE_API, or stands behind one that declares it without")
endforeach()
foreach(name IN LISTS shown)
    message("shown, though internal: ${name}")
endforeach()
if(hidden OR shown)
    message(FATAL_ERROR "${SHARED} does not show just the public functions")
endif()
execute_process(COMMAND "${OBJDUMP}" -p "${SHARED}" OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
if(NOT dynamic MATCHES "SONAME +${SONAME}\n")
    message(FATAL_ERROR "the SONAME of ${SHARED} is not ${SONAME}")
endif()
message("${count} public functions shown, nothing else")
