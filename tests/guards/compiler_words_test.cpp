// Guard: words specific to g++ and clang are only in compiler.hpp, which has others for MSVC.
#include "tests/guards/source_tree.hpp"

#include <doctest/doctest.h>

#include <map>
#include <regex>
#include <set>

using namespace broadside::test;

namespace {

const char* const kHeader = "core/include/broadside/compiler.hpp";

std::set<std::string> words(const std::string& text, const std::string& expression) {
    const std::regex regex(expression);
    std::set<std::string> found;
    for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match) {
        found.insert((*match)[1]);
    }
    return found;
}

// Without comments, which may name anything.
std::string code_of(const std::string& text) { return std::regex_replace(text, std::regex("//[^\n]*"), ""); }

// Words that MSVC rejects, except in files with an alternative for it.
std::set<std::string> foreign_words(const std::string& path, const std::string& text) {
    std::set<std::string> found = words(
        code_of(text),
        "(__attribute__|\\[\\[gnu::|__extension__|__int128|\\basm\\b|__PRETTY_FUNCTION__|\\btypeof\\b)");
    const std::map<std::string, std::set<std::string>> at_home = {
        {kHeader, {"__attribute__", "[[gnu::"}},
        {"core/include/broadside/export.hpp", {"[[gnu::"}},
        {"core/include/broadside/float_environment.hpp", {"asm"}},
        {"narrowphase/src/exact/int128.hpp", {"__extension__", "__int128"}},
        {"simd/src/shadow_operands.hpp", {"__PRETTY_FUNCTION__"}},
    };
    if (const auto file = at_home.find(path); file != at_home.end()) {
        for (const std::string& word : file->second) found.erase(word);
    }
    return found;
}

std::set<std::string> unknown_builtins(const std::string& path, const std::string& text) {
    std::set<std::string> known = words(file_text(kHeader), "#define (__builtin_[a-z0-9_]+)");
    REQUIRE(known.size() > 10);
    // MSVC has these by the same names.
    known.insert({"__builtin_addressof", "__builtin_bit_cast", "__builtin_nan", "__builtin_nanf"});
    if (path == kHeader) known.insert({"__builtin_huge_val", "__builtin_huge_valf"});
    // MSVC queries the processor in its own way there.
    if (path == "simd/src/native/machine.hpp") known.insert("__builtin_cpu_supports");
    std::set<std::string> unknown;
    for (const std::string& word : words(code_of(text), "\\b(__builtin_[a-z0-9_]+)")) {
        if (known.count(word) == 0) unknown.insert(word);
    }
    return unknown;
}

std::string listed(const std::set<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += word + " ";
    return text;
}

}  // namespace

TEST_CASE("sources use no compiler-specific words except those that compiler.hpp translates") {
    for (const SourceFile& file : source_files({"core", "simd", "broadphase", "narrowphase", "stage"})) {
        // Lanes use their processor's intrinsics, with every compiler.
        INFO(file.path);
        CHECK(listed(foreign_words(file.path, file.text)) == "");
        CHECK(listed(unknown_builtins(file.path, file.text)) == "");
    }
}

TEST_CASE("the guard of compiler words finds violations") {
    CHECK(foreign_words("a.hpp", "[[gnu::cold]] void f();").size() == 1);
    CHECK(foreign_words("a.hpp", "__attribute__((pure)) int g(); // asm\n").size() == 1);
    CHECK(foreign_words("a.hpp", "asm volatile(\"\");").size() == 1);
    CHECK(foreign_words(kHeader, "asm volatile(\"\");").size() == 1);
    CHECK(foreign_words("a.hpp", "int assembly;").empty());
    CHECK(unknown_builtins("a.hpp", "__builtin_parity(1); __builtin_ctz(2);") ==
          std::set<std::string>{"__builtin_parity"});
}
