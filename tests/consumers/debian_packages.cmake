# Makes the Debian packages of a build, checks their metadata, and unpacks them into FOLDER/root.
# Called as: cmake -DCPACK=... -DDPKG_DEB=... -DBUILD_DIR=... -DFOLDER=... -DCONFIG=... -P debian_packages.cmake

file(REMOVE_RECURSE "${FOLDER}")
set(make_packages "${CPACK}" --config "${BUILD_DIR}/CPackConfig.cmake" -G DEB -C "${CONFIG}" -B "${FOLDER}")
# Without a publisher, or with half of one, there is no package.
foreach(publisher "" "A B <a@b.test>")
    execute_process(COMMAND ${make_packages} -D "BROADSIDE_PUBLISHER=${publisher}" RESULT_VARIABLE result
        OUTPUT_VARIABLE why ERROR_VARIABLE why)
    file(GLOB packages "${FOLDER}/*.deb")
    if(result EQUAL 0 OR packages OR NOT why MATCHES "BROADSIDE_PUBLISHER is '${publisher}'")
        message(FATAL_ERROR "packages by '${publisher}': ${why}")
    endif()
endforeach()
execute_process(COMMAND ${make_packages} -D "BROADSIDE_PUBLISHER=A B <a@b.test>;https://b.test/broadside.git"
    COMMAND_ERROR_IS_FATAL ANY)
file(GLOB packages "${FOLDER}/*.deb")
list(LENGTH packages count)
if(NOT count EQUAL 2)
    message(FATAL_ERROR "not two packages: ${packages}")
endif()

# expect(<package> <field> <regex>)
function(expect package field regex)
    execute_process(COMMAND "${DPKG_DEB}" --field "${package}" "${field}"
        OUTPUT_VARIABLE value OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    if(NOT value MATCHES "^${regex}$")
        message(SEND_ERROR "${package}: ${field} is '${value}', and not ${regex}")
    endif()
endfunction()

foreach(package IN LISTS packages)
    execute_process(COMMAND "${DPKG_DEB}" --extract "${package}" "${FOLDER}/root" COMMAND_ERROR_IS_FATAL ANY)
    expect("${package}" Maintainer "A B <a@b.test>")
    expect("${package}" Homepage "https://b.test/broadside.git")
    expect("${package}" Version "[0-9]+[.][0-9]+[.][0-9]+")
    execute_process(COMMAND "${DPKG_DEB}" --contents "${package}" OUTPUT_VARIABLE contents COMMAND_ERROR_IS_FATAL ANY)
    if(package MATCHES "-dev_")
        expect("${package}" Package libbroadside-dev)
        expect("${package}" Depends "libbroadside-c[0-9]+ \\(= [0-9.]+\\)")
    else()
        expect("${package}" Package "libbroadside-c[0-9]+")
        expect("${package}" Depends "libc6 \\(>= [^ ]+\\).*, libstdc\\+\\+6 \\(>= [^ ]+\\)")
        # A file common to two versions would keep them from being installed together.
        string(REGEX MATCHALL "[^\n]+[^/\n]\n" files "${contents}")
        list(FILTER files EXCLUDE REGEX "libbroadside_c[.]so[.][0-9]")
        if(files)
            message(SEND_ERROR "${package} holds more than the library: ${files}")
        endif()
    endif()
endforeach()
