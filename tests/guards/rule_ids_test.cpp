// Guard: docs/source_rules.md has a row for every id that the repository cites, and a test for every row.
#include "tests/guards/source_rules.hpp"

#include "tests/guards/source_tree.hpp"
#include "tests/support/suites.hpp"

#include <doctest/doctest.h>

using namespace broadside::test;

namespace {

const char* const kPage = "docs/source_rules.md";

// The guards' own examples are no citations.
bool is_guard(const SourceFile& file) { return file.path.rfind("tests/guards/", 0) == 0; }

FilesOfIds files_of_tests() {
    FilesOfIds files;
    for (const SourceFile& file : source_files({"tests"})) {
        if (is_guard(file)) continue;
        for (const std::string& id : tested_ids(file.text)) files[id].insert(file.name());
    }
    return files;
}

FilesOfIds files_of_citations() {
    FilesOfIds files;
    const std::vector<std::string> folders = {"core",  "simd",  "broadphase", "narrowphase", "stage", "bench",
                                              "tests", "tools", "extras",     "examples",    "cmake", "docs"};
    const std::vector<std::string> extensions = {".hpp", ".cpp", ".md", ".txt", ".cmake", ".py"};
    std::vector<SourceFile> sources = source_files(folders, extensions);
    for (const char* path : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "CMakeLists.txt"})
        sources.push_back({path, file_text(path)});
    for (const SourceFile& file : sources) {
        if (is_guard(file)) continue;
        for (const std::string& id : cited_ids(file.text)) files[id].insert(file.path);
    }
    return files;
}

}  // namespace

TEST_CASE("every rule id that is cited has a row in docs/source_rules.md, and every row a test of its id") {
    const std::string page = file_text(kPage);
    REQUIRE(source_rules(page).size() > 100);
    for (const std::string& mismatch : rule_mismatches(page, files_of_tests(), files_of_citations()))
        FAIL_CHECK(mismatch);
}

TEST_CASE("the headers and functions that docs/source_rules.md names exist" * kLong) {
    static const std::regex name(R"([A-Za-z_]\w*(::\w+)*)");
    std::set<std::string> headers;
    std::string text;
    for (const SourceFile& file : source_files({"core", "simd", "broadphase", "narrowphase", "stage"})) {
        if (!file.is_public_header()) continue;
        headers.insert(file.name());
        text += file.text;
    }
    for (const SourceRule& rule : source_rules(file_text(kPage))) {
        for (const std::string& word : quoted_words(rule.answer)) {
            INFO(rule.id << ": " << word);
            if (word.find(".hpp") != std::string::npos) {
                CHECK(headers.count(word) == 1);
            } else if (std::regex_match(word, name)) {
                const std::string last = word.substr(word.rfind(':') + 1);
                CHECK(std::regex_search(text, std::regex("\\b" + last + "\\b")));
            }
        }
    }
}

TEST_CASE("the guard of the source rules finds what is missing on either side") {
    using Lines = std::vector<std::string>;
    const std::string a1 = "| A1 | touch | `overlap` | `x_test.cpp` |\n";
    const FilesOfIds tests = {{"A1", {"x_test.cpp"}}};
    CHECK(rule_mismatches(a1, tests, {}) == Lines{});
    CHECK(rule_mismatches(a1, {}, {}) == Lines{"no test: A1 in x_test.cpp"});
    CHECK(rule_mismatches(a1, {{"A1", {"y_test.cpp"}}}, {}) == Lines{"no test: A1 in x_test.cpp"});
    CHECK(rule_mismatches("| A1 | touch | `overlap` | |\n", tests, {}) ==
          Lines{"no row: A1, cited in x_test.cpp"});
    CHECK(rule_mismatches("| A1 | touch | `overlap` | later |\n", tests, {}) == Lines{"no test: A1"});
    CHECK(rule_mismatches("| A1 | tree | none | not implemented |\n", {}, {}) == Lines{});
    CHECK(rule_mismatches("| A1 | tree | none | not implemented |\n", tests, {}) ==
          Lines{"a test, yet not implemented: A1"});
    CHECK(rule_mismatches(a1 + a1, tests, {}) == Lines{"two rows: A1"});
    CHECK(rule_mismatches(a1 + "| A3 | touch | none | not implemented |\n", tests, {}) ==
          Lines{"no row: A2"});
    CHECK(rule_mismatches(a1, tests, {{"A1", {"a.hpp"}}, {"G9", {"b.hpp"}}}) ==
          Lines{"no row: G9, cited in b.hpp"});
    CHECK(cited_ids("(A4-A14, G2) of xA1, A0, A123, H1, B5x, _C1; D12.") ==
          std::set<std::string>{"A4", "A14", "G2", "D12"});
    CHECK(tested_ids("TEST_CASE(\"A1: a\") TEST_CASE(\n    \"B2, C3 and D4: b\") TEST_CASE(\"E5 c\")") ==
          std::set<std::string>{"A1", "B2", "C3", "D4"});
}
