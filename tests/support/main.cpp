// Entry point of the test program: prints which build it tests, and refuses a BROADSIDE_ISA that it cannot
// honour.
#define DOCTEST_CONFIG_IMPLEMENT
#include "tests/support/refusals.hpp"

#include <doctest/doctest.h>

#include <broadside/config_string.hpp>
#include <broadside/isa.hpp>
#include <broadside/shadow.hpp>

#include <cstdio>
#include <cstring>

// AddressSanitizer calls this at the start of the program; other builds do not. By default it ends a program
// that requests more memory than there can be, but tests expect null as in every other build.
extern "C" __attribute__((visibility("default"))) const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }

int main(int argc, char** argv) {
    std::printf("%s\n", broadside::config_string().c_str());
    broadside::test::record_refusals();
    doctest::Context context(argc, argv);
    // --no-skip runs the one test that needs a wrong value.
    const bool wants_wrong_isa = argc > 1 && std::strcmp(argv[1], "--no-skip") == 0;
    if (const std::string error = broadside::isa_error(); !error.empty() && !wants_wrong_isa) {
        std::fprintf(stderr, "%s\n", error.c_str());
        return 1;
    }
    // In a build with shadow verification every test is one of it, too.
    broadside::start_shadow();
    const int result = context.run();
    const std::uint64_t finding_count = broadside::shadow_counts().finding_count;
    if (finding_count == 0) return result;
    std::fprintf(stderr, "shadow verification: %llu findings\n",
                 static_cast<unsigned long long>(finding_count));
    return 1;
}
