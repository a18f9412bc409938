// A caller's program: public headers only, compiled with a caller's flags.
#include <broadside/config_string.hpp>
#include <broadside/version.hpp>

#include <cstdio>

#if __has_include("simd/src/arch.hpp")
#error "the library's private include folders, xsimd's among them, reached a caller"
#endif

int main() {
    std::printf("%s\n", broadside::config_string().c_str());
    return broadside::version_string()[0] == '0' + broadside::kVersionMajor ? 0 : 1;
}
