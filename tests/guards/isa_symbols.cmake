# Reads the symbols of every ISA unit and fails on one that the linker could merge with another unit's code.
# Called as: cmake -DNM=... -DOBJECT_LIST=... -DISAS=... -P isa_symbols.cmake

set(tag_scalar "[Ss]calar")
set(tag_sse2 "[Ss]se2")
set(tag_avx2 "[Aa]vx2|fma3")
set(tag_avx512 "[Aa]vx512")
# xsimd wraps some NEON intrinsics in plain functions on NEON's register types, which no other unit can name.
set(tag_neon64 "[Nn]eon64|__(Int|Uint|Float)[0-9]+x[0-9]+_t")

set(findings "")
set(symbol_count 0)
file(STRINGS "${OBJECT_LIST}" objects)
foreach(isa IN LISTS ISAS)
    set(units ${objects})
    list(FILTER units INCLUDE REGEX "_isa_${isa}\\.dir/")
    if(NOT units)
        list(APPEND findings "no object of ${isa} among those of the library")
    endif()
    foreach(unit IN LISTS units)
        execute_process(COMMAND "${NM}" --defined-only --format=posix "${unit}"
            OUTPUT_VARIABLE rows ERROR_VARIABLE problem RESULT_VARIABLE code)
        if(NOT code EQUAL 0)
            message(FATAL_ERROR "cannot read the symbols of ${unit}: ${problem}")
        endif()
        string(REPLACE "\n" ";" rows "${rows}")
        foreach(row IN LISTS rows)
            # Rule R3: code compiled for an ISA must not run before the ISA is known to be supported.
            if(row MATCHES "_GLOBAL__(sub_)?I_|__cxx_global_var_init")
                list(APPEND findings "${unit}: code runs at load: ${row}")
            endif()
            # T: global text; W, V: weak text and weak data; u: unique; i: resolved by a function at load.
            if(NOT row MATCHES "^([^ ]+) [TWVui] ")
                continue()
            endif()
            set(symbol "${CMAKE_MATCH_1}")
            # Reads the program counter on 32-bit x86: the same instructions everywhere.
            if(symbol MATCHES "^__x86[.]get_pc_thunk[.]")
                continue()
            endif()
            math(EXPR symbol_count "${symbol_count} + 1")
            if(NOT symbol MATCHES "${tag_${isa}}")
                list(APPEND findings "${unit}: symbol without the tag of ${isa}: ${symbol}")
            endif()
            # A name with two tags passes the line above in both units, and would still be merged.
            if(DEFINED "isa_of_${symbol}" AND NOT "${isa_of_${symbol}}" STREQUAL isa)
                list(APPEND findings "${unit}: symbol also in a unit of ${isa_of_${symbol}}: ${symbol}")
            endif()
            set("isa_of_${symbol}" "${isa}")
        endforeach()
    endforeach()
endforeach()

if(findings)
    list(JOIN findings "\n" text)
    message("${text}")
    message(FATAL_ERROR "ISA units may share nothing: put the arch tag into the name, force-inline it, or "
        "move it into an unnamed namespace")
endif()
list(JOIN ISAS " " isa_names)
message("${symbol_count} symbols, all with the tag of their unit (${isa_names})")
