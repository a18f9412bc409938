# The tests of a cross build for Windows, which has neither GMP nor oneTBB nor the readers of scenes, which write files
# by POSIX calls: all except those that include one of these, directly or by a header of the tests, or a POSIX-only
# header.

# Debian's package says /usr wherever it is unpacked, and the machine's own headers are there.
find_path(broadside_doctest_include doctest/doctest.h REQUIRED)
set_target_properties(doctest::doctest PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${broadside_doctest_include}")

# broadside_needs_more(<file below the project> <variable>): sets it when the file needs one of them.
function(broadside_needs_more file out)
    string(MAKE_C_IDENTIFIER "broadside_needs_more_${file}" known)
    get_property(answer GLOBAL PROPERTY ${known})
    if(NOT DEFINED answer OR answer STREQUAL "")
        set(answer FALSE)
        file(STRINGS "${PROJECT_SOURCE_DIR}/${file}" lines REGEX "^#include ")
        foreach(line IN LISTS lines)
            if(line MATCHES "<(gmpxx\\.h|tbb/.*|broadside/tbb_task_runner\\.hpp|sys/wait\\.h|broadside/scene_io/.*|broadside/scenes/.*)>")
                set(answer TRUE)
            elseif(line MATCHES "\"(tests/.*)\"")
                broadside_needs_more("${CMAKE_MATCH_1}" of_header)
                if(of_header)
                    set(answer TRUE)
                endif()
            endif()
        endforeach()
        set_property(GLOBAL PROPERTY ${known} ${answer})
    endif()
    set(${out} ${answer} PARENT_SCOPE)
endfunction()

function(broadside_leave_out_what_windows_has_not target)
    get_target_property(sources ${target} SOURCES)
    set(kept "")
    foreach(source IN LISTS sources)
        set(needs_more FALSE)
        # Not the objects of another target.
        if(NOT source MATCHES "^[$]<")
            broadside_needs_more("tests/${source}" needs_more)
        endif()
        if(NOT needs_more)
            list(APPEND kept "${source}")
        endif()
    endforeach()
    set_property(TARGET ${target} PROPERTY SOURCES ${kept})
endfunction()
