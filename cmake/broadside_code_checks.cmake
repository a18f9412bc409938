# Targets for developers: `format`, `format-check`, `tidy`. Each exists only if its tool does.

set(broadside_code_globs "")
foreach(folder IN LISTS BROADSIDE_FOLDERS ITEMS bench tests tools extras examples)
    list(APPEND broadside_code_globs "${folder}/*.hpp" "${folder}/*.cpp")
endforeach()
file(GLOB_RECURSE broadside_code_files ${broadside_code_globs})

# Not part of the tests: two versions of clang-format rarely agree on every line.
find_program(BROADSIDE_CLANG_FORMAT clang-format)
if(BROADSIDE_CLANG_FORMAT)
    add_custom_target(format-check VERBATIM
        COMMAND "${BROADSIDE_CLANG_FORMAT}" --dry-run --Werror ${broadside_code_files})
    add_custom_target(format VERBATIM
        COMMAND "${BROADSIDE_CLANG_FORMAT}" -i ${broadside_code_files})
endif()

# Not part of the tests: it takes longer than all of them together.
find_program(BROADSIDE_CLANG_TIDY NAMES clang-tidy-19 clang-tidy-16 clang-tidy)
find_program(BROADSIDE_RUN_CLANG_TIDY run-clang-tidy)
if(BROADSIDE_CLANG_TIDY AND BROADSIDE_RUN_CLANG_TIDY)
    # g++ usually compiles the sources, and clang does not know some of its warnings and options. Tests are left
    # out: most findings would be in the expansions of doctest's macros.
    list(JOIN BROADSIDE_FOLDERS "|" broadside_tidy_folders)
    add_custom_target(tidy VERBATIM USES_TERMINAL
        COMMAND "${CMAKE_COMMAND}" -E make_directory "${PROJECT_BINARY_DIR}/tidy"
        COMMAND sed -E "s/ -m(move|store)-max=[0-9]+//g" "${PROJECT_BINARY_DIR}/compile_commands.json"
            > "${PROJECT_BINARY_DIR}/tidy/compile_commands.json"
        COMMAND "${BROADSIDE_RUN_CLANG_TIDY}" -quiet -clang-tidy-binary "${BROADSIDE_CLANG_TIDY}"
            -extra-arg=-Wno-unknown-warning-option -p "${PROJECT_BINARY_DIR}/tidy"
            "^${PROJECT_SOURCE_DIR}/(${broadside_tidy_folders}|bench|tools|extras|examples)/.*[.]cpp$")
endif()
