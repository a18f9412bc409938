# Makes broadside.wrap, which Meson projects take, of broadside.wrap.in and the version of the checkout.
# Called as: cmake -D "BROADSIDE_PUBLISHER=Name <name@example.org>;https://example.org/broadside.git" -D FILE=broadside.wrap
#     -P packaging/make_wrap.cmake
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/broadside_publisher.cmake")
if(NOT FILE)
    message(FATAL_ERROR "FILE is empty: name the file to write, as in -D FILE=broadside.wrap")
endif()
broadside_get_publisher(BROADSIDE_CONTACT BROADSIDE_URL)
file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/../CMakeLists.txt" project REGEX "^project[(]broadside VERSION [0-9.]+")
string(REGEX REPLACE ".* VERSION ([0-9.]+).*" "\\1" BROADSIDE_VERSION "${project}")
configure_file("${CMAKE_CURRENT_LIST_DIR}/broadside.wrap.in" "${FILE}" @ONLY)
