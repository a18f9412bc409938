// Guard: every public class that takes an allocator has a test of its moves.
#include "tests/guards/source_tree.hpp"

#include <doctest/doctest.h>

#include <regex>
#include <set>

using namespace broadside::test;

namespace {

// The first group of every match in the files that `is_wanted` accepts.
template <class IsWanted>
std::set<std::string> names_in(const std::vector<SourceFile>& files, const std::regex& pattern,
                               IsWanted&& is_wanted) {
    std::set<std::string> names;
    for (const SourceFile& file : files) {
        if (!is_wanted(file)) continue;
        for (std::sregex_iterator match(file.text.begin(), file.text.end(), pattern), end; match != end;
             ++match)
            names.insert((*match)[1]);
    }
    return names;
}

}  // namespace

TEST_CASE("every public class that takes an allocator has a test that moves it, or cannot be moved") {
    static const std::regex constructor(R"(([A-Z]\w+)\((?:[^()]*,\s+)?const Allocator& allocator)");
    static const std::regex copy_deleted(R"((\w+)\(const \1&\) = delete;)");
    static const std::regex move_declared(R"((\w+)\(\1&&)");
    static const std::regex tested(R"(check_moves<(\w+))");
    const auto in_public_headers = [](const SourceFile& file) { return file.is_public_header(); };
    const std::vector<SourceFile> library =
        source_files({"core", "simd", "broadphase", "narrowphase", "stage"});
    const std::set<std::string> owners = names_in(library, constructor, in_public_headers);
    CHECK(owners.size() >= 18);
    const std::set<std::string> uncopied = names_in(library, copy_deleted, in_public_headers);
    const std::set<std::string> moved = names_in(library, move_declared, in_public_headers);
    const std::set<std::string> in_tests =
        names_in(source_files({"tests"}), tested, [](const SourceFile&) { return true; });
    for (const std::string& owner : owners) {
        const bool is_immovable = uncopied.count(owner) == 1 && moved.count(owner) == 0;
        INFO(owner);
        CHECK((is_immovable || in_tests.count(owner) == 1));
    }
}
