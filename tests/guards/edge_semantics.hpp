// docs/edge_semantics.md and its tests, as text: the rows, the tests, and the mismatches.
#pragma once

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace broadside::test {

/// The result of each case of a section.
using EdgeRows = std::map<std::string, std::string>;

/// The tables of the page, by concept: the sections that `## ` opens and their rows `| case | answer |`.
inline std::map<std::string, EdgeRows> edge_sections(const std::string& page) {
    static const std::regex row(R"(^\|\s*([^|]+?)\s*\|\s*(.*?)\s*\|\s*$)");
    std::map<std::string, EdgeRows> sections;
    std::string concept_name;
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("## ", 0) == 0) {
            concept_name = line.substr(3);
            sections[concept_name];
            continue;
        }
        std::smatch match;
        if (concept_name.empty() || !std::regex_match(line, match, row)) continue;
        if (match[1] == "case" || match[1].str().find_first_not_of("-: ") == std::string::npos) continue;
        sections[concept_name][match[1]] = match[2];
    }
    return sections;
}

/// "concept/case" of every test named `edge concept/case: …` in the text of a source. A name may be broken
/// over several string literals.
inline std::set<std::string> edge_tests(const std::string& source) {
    static const std::regex name(R"re(TEST_CASE\(\s*"edge ([^/"]+)/([^:"]+):)re");
    static const std::regex seam(R"re("\s*\n\s*")re");
    const std::string joined = std::regex_replace(source, seam, "");
    std::set<std::string> tests;
    for (std::sregex_iterator match(joined.begin(), joined.end(), name), end; match != end; ++match)
        tests.insert((*match)[1].str() + "/" + (*match)[2].str());
    return tests;
}

/// The cases that every section must have.
inline const std::vector<std::string>& edge_cases() {
    static const std::vector<std::string> cases = {"touching",  "inside",   "parallel", "zero length",
                                                   "zero size", "t = 0",    "t = 1",    "tie of normals",
                                                   "NaN",       "infinity", "inverted", "denormal"};
    return cases;
}

/// The mismatches between page and tests, one line each: a row without a test, a test without a row, a case
/// missing from a section, a test of a case that "does not apply", and a "does not apply" without a reason.
inline std::vector<std::string> edge_mismatches(const std::string& page, const std::set<std::string>& tests) {
    const std::string no_case = "does not apply";
    const std::map<std::string, EdgeRows> sections = edge_sections(page);
    std::vector<std::string> mismatches;
    std::set<std::string> expected;
    for (const auto& [concept_name, rows] : sections) {
        for (const std::string& case_name : edge_cases()) {
            if (rows.count(case_name) == 0) mismatches.push_back("no row: " + concept_name + "/" + case_name);
        }
        for (const auto& [case_name, answer] : rows) {
            const std::string test = concept_name + "/" + case_name;
            if (answer.empty()) mismatches.push_back("no answer: " + test);
            if (answer.rfind(no_case, 0) != 0) {
                expected.insert(test);
            } else if (answer.size() < no_case.size() + 5) {
                mismatches.push_back("no reason: " + test);
            }
        }
    }
    for (const std::string& test : expected) {
        if (tests.count(test) == 0) mismatches.push_back("no test: " + test);
    }
    for (const std::string& test : tests) {
        if (expected.count(test) == 0) mismatches.push_back("no row for the test: " + test);
    }
    return mismatches;
}

}  // namespace broadside::test
