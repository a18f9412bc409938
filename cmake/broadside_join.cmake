# broadside_join_by_folder(<target> [ALONE <sources>...]): compiles the sources of a folder together, at most eight at once.
#
# Headers and templates of the library are most of what a test or a tool takes to compile. Names outside functions must be
# unique in a folder. Sources with options of their own are compiled alone, as are those of other folders, those named ALONE,
# and all with BROADSIDE_JOIN_SOURCES=OFF.
function(broadside_join_by_folder target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "ALONE")
    if(NOT BROADSIDE_JOIN_SOURCES)
        return()
    endif()
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "^[^.$<>][^$<>]*[.]cpp$")
    list(REMOVE_ITEM sources "" ${arg_ALONE})
    foreach(source IN LISTS sources)
        get_filename_component(folder "${source}" DIRECTORY)
        string(MAKE_C_IDENTIFIER "${folder}" folder)
        math(EXPR part "0${count_${folder}} / 8")
        math(EXPR count_${folder} "0${count_${folder}} + 1")
        set_property(SOURCE "${source}" PROPERTY UNITY_GROUP "${folder}_${part}")
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
