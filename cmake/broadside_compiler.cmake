# Checks the compiler, and refuses an unsupported one with a reason instead of pages of errors. To check one by
# hand: `cmake -DCMAKE_CXX_COMPILER_ID=... -DCMAKE_CXX_COMPILER_VERSION=... -P` this file.

# The oldest of each that the tests are built with. Clang before 16 does not let a lambda capture a structured
# binding; Apple counts by Xcode, whose 15 is that 16. No older g++ has been tried.
set(broadside_oldest_GNU 12)
set(broadside_oldest_Clang 16)
if(EMSCRIPTEN)
    # The library itself captures no structured binding, and Debian's emscripten brings this one.
    set(broadside_oldest_Clang 14)
endif()
set(broadside_oldest_AppleClang 15)
set(broadside_reason_GNU "the oldest that is tested")
set(broadside_reason_Clang "older ones lack parts of C++20: lambdas that capture structured bindings")
set(broadside_reason_AppleClang "${broadside_reason_Clang}")

set(broadside_oldest "${broadside_oldest_${CMAKE_CXX_COMPILER_ID}}")
if(CMAKE_CXX_COMPILER_ID STREQUAL "MSVC")
    # The flags and attributes for it are here, but it has never compiled them.
    if(NOT BROADSIDE_ANY_COMPILER)
        message(FATAL_ERROR "broadside: compiler MSVC is not tried; use g++ >= ${broadside_oldest_GNU} or clang++ >= "
            "${broadside_oldest_Clang}, or try it with -DBROADSIDE_ANY_COMPILER=ON")
    endif()
elseif(NOT broadside_oldest)
    message(FATAL_ERROR "broadside: compiler ${CMAKE_CXX_COMPILER_ID} is not supported; use g++ >= "
        "${broadside_oldest_GNU} or clang++ >= ${broadside_oldest_Clang}, whose per-file -m flags the "
        "instruction-set units need")
elseif(CMAKE_CXX_COMPILER_VERSION VERSION_LESS broadside_oldest AND NOT BROADSIDE_ANY_COMPILER)
    message(FATAL_ERROR "broadside: ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} is too old; needs "
        "${CMAKE_CXX_COMPILER_ID} >= ${broadside_oldest} "
        "(${broadside_reason_${CMAKE_CXX_COMPILER_ID}}). Name another by -DCMAKE_CXX_COMPILER=...")
endif()
