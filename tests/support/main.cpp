// Entry point of the test program: says which build it tests, and refuses a BROADSIDE_ISA that it cannot
// honour.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <broadside/config_string.hpp>
#include <broadside/isa.hpp>

#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
    std::printf("%s\n", broadside::config_string().c_str());
    doctest::Context context(argc, argv);
    // --no-skip runs the one test that wants a wrong value.
    const bool wants_wrong_isa = argc > 1 && std::strcmp(argv[1], "--no-skip") == 0;
    if (const std::string error = broadside::isa_error(); !error.empty() && !wants_wrong_isa) {
        std::fprintf(stderr, "%s\n", error.c_str());
        return 1;
    }
    return context.run();
}
