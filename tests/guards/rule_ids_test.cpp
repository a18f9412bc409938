// Guard: every rule of the source texts has a test whose name carries its id.
#include "tests/guards/source_tree.hpp"

#include <doctest/doctest.h>

#include <regex>
#include <set>

using namespace broadside::test;

namespace {

// "A9: …" or "D5, D7: …": the ids that open a test's name.
std::set<std::string> tested_ids() {
    static const std::regex name(
        R"(TEST_CASE(?:_TEMPLATE)?\(\s*"((?:[A-G]\d+(?:-[A-G]?\d+)?(?:, | and )?)+):)");
    static const std::regex id(R"([A-G]\d+)");
    std::set<std::string> ids;
    for (const SourceFile& file : source_files({"tests"})) {
        for (std::sregex_iterator match(file.text.begin(), file.text.end(), name), end; match != end;
             ++match) {
            const std::string list = (*match)[1];
            for (std::sregex_iterator one(list.begin(), list.end(), id), last; one != last; ++one)
                ids.insert(one->str());
        }
    }
    return ids;
}

}  // namespace

TEST_CASE("every rule id that the library covers has a test of that name") {
    const std::set<std::string> ids = tested_ids();
    const auto require_all = [&](char part, int first, int last) {
        for (int number = first; number <= last; ++number) {
            const std::string id = part + std::to_string(number);
            INFO("rule " << id);
            CHECK(ids.count(id) == 1);
        }
    };
    require_all('A', 1, 14);
    require_all('B', 1, 6);
    // B7 and B30 to B32 are sphere trees and oriented-box trees, which come with the tree.
    require_all('B', 8, 29);
    require_all('B', 33, 34);
    require_all('C', 1, 14);
    require_all('D', 1, 12);
    require_all('E', 1, 13);
    require_all('G', 1, 15);
}
