# Read by cpack for each package:
#     cpack -G DEB -D "BROADSIDE_PUBLISHER=Name <name@example.org>;https://example.org/broadside.git"
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/broadside_publisher.cmake")
broadside_get_publisher(CPACK_PACKAGE_CONTACT CPACK_DEBIAN_PACKAGE_HOMEPAGE)
