// Entry point of the test program: says which build it tests, and refuses a BROADSIDE_ISA that it cannot honour.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <broadside/config_string.hpp>
#include <broadside/isa.hpp>

#include <cstdio>

int main(int argc, char** argv) {
    std::printf("%s\n", broadside::config_string().c_str());
    if (const std::string error = broadside::isa_error(); !error.empty()) {
        std::fprintf(stderr, "%s\n", error.c_str());
        return 1;
    }
    return doctest::Context(argc, argv).run();
}
