// Guard: every case in docs/edge_semantics.md has a test of its name, and no others.
#include "tests/guards/edge_semantics.hpp"

#include "tests/guards/source_tree.hpp"

#include <doctest/doctest.h>

using namespace broadside::test;

namespace {

// The guard's own examples of names are no tests.
std::set<std::string> all_tests() {
    std::set<std::string> tests;
    for (const SourceFile& file : source_files({"tests"})) {
        if (file.path.find("tests/guards/") == 0) continue;
        tests.merge(edge_tests(file.text));
    }
    return tests;
}

// A page with one section that has every case.
std::string small_page(const std::string& answer_of_touching) {
    std::string text = "# Edges\n\n## ball\n\n| case | answer |\n|---|---|\n";
    for (const std::string& name : edge_cases())
        text += "| " + name + " | " +
                (name == "touching" ? answer_of_touching : "does not apply: an example") + " |\n";
    return text;
}

}  // namespace

TEST_CASE("every row of docs/edge_semantics.md has a test of its name, and every such test a row") {
    const std::string page = file_text("docs/edge_semantics.md");
    const std::map<std::string, EdgeRows> sections = edge_sections(page);
    REQUIRE(sections.size() >= 4);
    for (const auto& [concept_name, rows] : sections) {
        INFO(concept_name);
        CHECK(rows.size() >= edge_cases().size());
    }
    for (const std::string& mismatch : edge_mismatches(page, all_tests())) FAIL_CHECK(mismatch);
}

TEST_CASE("the guard of edge semantics finds what is missing on either side") {
    using Lines = std::vector<std::string>;
    const std::string row_of_test = small_page("they overlap");
    CHECK(edge_mismatches(row_of_test, {"ball/touching"}) == Lines{});
    CHECK(edge_mismatches(row_of_test, {}) == Lines{"no test: ball/touching"});
    CHECK(edge_mismatches(row_of_test, {"ball/touching", "ball/inside"}) ==
          Lines{"no row for the test: ball/inside"});
    CHECK(edge_mismatches(row_of_test, {"ball/touching", "cone/touching"}) ==
          Lines{"no row for the test: cone/touching"});
    CHECK(edge_mismatches(small_page("does not apply"), {}) == Lines{"no reason: ball/touching"});
    CHECK(edge_mismatches(small_page(""), {"ball/touching"}) == Lines{"no answer: ball/touching"});
    CHECK(edge_mismatches(row_of_test + "\n## cone\n", {"ball/touching"}).size() == edge_cases().size());
    CHECK(edge_tests("TEST_CASE(\"edge ball/t = 0: now\") {}\nTEST_CASE(\n    \"edge ball/zero \"\n"
                     "    \"size: a point\") {}") == std::set<std::string>{"ball/t = 0", "ball/zero size"});
}
