// docs/source_rules.md, the cited ids and their tests, as text: the rows, and the mismatches.
#pragma once

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace broadside::test {

/// One row of the page.
struct SourceRule {
    std::string id;
    /// The library's behaviour, with headers and functions between back quotes.
    std::string answer;
    /// Files of the tests between back quotes, or `kNotImplemented`.
    std::string tests;
};

inline constexpr const char* kNotImplemented = "not implemented";

/// The names of the files that have each id.
using FilesOfIds = std::map<std::string, std::set<std::string>>;

inline std::vector<SourceRule> source_rules(const std::string& page) {
    static const std::regex row(R"(^\| ([A-G][1-9]\d?) \|[^|]*\| ([^|]*) \| ([^|]*) \|$)");
    std::vector<SourceRule> rules;
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) {
        std::smatch match;
        if (std::regex_match(line, match, row)) rules.push_back({match[1], match[2], match[3]});
    }
    return rules;
}

/// The words between back quotes.
inline std::vector<std::string> quoted_words(const std::string& text) {
    static const std::regex quoted("`([^`]+)`");
    std::vector<std::string> words;
    for (std::sregex_iterator match(text.begin(), text.end(), quoted), end; match != end; ++match)
        words.push_back((*match)[1]);
    return words;
}

/// "A9" in "A9: …", "D5" and "D7" in "D5, D7: …": the ids that open the names of the tests of a source.
inline std::set<std::string> tested_ids(const std::string& source) {
    static const std::regex name(R"(TEST_CASE(?:_TEMPLATE)?\(\s*"((?:[A-G]\d+(?:, | and )?)+):)");
    static const std::regex id(R"([A-G]\d+)");
    std::set<std::string> ids;
    for (std::sregex_iterator match(source.begin(), source.end(), name), end; match != end; ++match) {
        const std::string list = (*match)[1];
        for (std::sregex_iterator one(list.begin(), list.end(), id), last; one != last; ++one)
            ids.insert(one->str());
    }
    return ids;
}

/// Every word of a text in the form of an id. Without a regex, because all sources go through it.
inline std::set<std::string> cited_ids(const std::string& text) {
    const auto is_digit = [&](std::size_t at) {
        return at < text.size() && text[at] >= '0' && text[at] <= '9';
    };
    const auto is_of_word = [&](std::size_t at) {
        if (at >= text.size()) return false;
        const char c = text[at];
        return is_digit(at) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
    };
    std::set<std::string> ids;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] < 'A' || text[at] > 'G' || !is_digit(at + 1) || text[at + 1] == '0') continue;
        const std::size_t end = at + (is_digit(at + 2) ? 3 : 2);
        if ((at == 0 || !is_of_word(at - 1)) && !is_of_word(end)) ids.insert(text.substr(at, end - at));
    }
    return ids;
}

/// The mismatches between the page, the tests by id and the citations by id, one line each: a gap in the
/// numbers, a repeated row, a row without a test, a file without a test of the row's id, a test of an id that
/// is not implemented, and an id in a test or another file that the page does not have.
inline std::vector<std::string> rule_mismatches(const std::string& page, const FilesOfIds& tests,
                                                const FilesOfIds& citations) {
    std::vector<std::string> mismatches;
    std::set<std::string> ids;
    std::map<char, int> last_numbers;
    for (const SourceRule& rule : source_rules(page)) {
        if (!ids.insert(rule.id).second) mismatches.push_back("two rows: " + rule.id);
        int& last = last_numbers[rule.id[0]];
        last = std::max(last, std::stoi(rule.id.substr(1)));
        const auto found = tests.find(rule.id);
        if (rule.tests == kNotImplemented) {
            if (found != tests.end()) mismatches.push_back("a test, yet not implemented: " + rule.id);
            continue;
        }
        const std::vector<std::string> files = quoted_words(rule.tests);
        if (files.empty()) mismatches.push_back("no test: " + rule.id);
        for (const std::string& file : files) {
            if (found == tests.end() || found->second.count(file) == 0)
                mismatches.push_back("no test: " + rule.id + " in " + file);
        }
    }
    for (const auto& [part, last] : last_numbers) {
        for (int number = 1; number < last; ++number) {
            const std::string id = part + std::to_string(number);
            if (ids.count(id) == 0) mismatches.push_back("no row: " + id);
        }
    }
    for (const FilesOfIds& found : {tests, citations}) {
        for (const auto& [id, files] : found) {
            if (ids.count(id) == 0) mismatches.push_back("no row: " + id + ", cited in " + *files.begin());
        }
    }
    return mismatches;
}

}  // namespace broadside::test
