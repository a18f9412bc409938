// Guard: the programs in the README and on the pages of docs/ are examples that are compiled and run.
#include "tests/guards/source_tree.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <regex>

using namespace broadside::test;

namespace {

// What stands between the fences of the C++ blocks of a page.
std::vector<std::string> cpp_blocks(const std::string& page) {
    const std::string opening = "\n```cpp\n";
    std::vector<std::string> blocks;
    for (std::size_t at = page.find(opening); at != std::string::npos; at = page.find(opening, at + 1)) {
        const std::size_t begin = at + opening.size();
        blocks.push_back(page.substr(begin, page.find("```", begin) - begin));
    }
    return blocks;
}

// Without the comment that every file opens with.
std::string program(const SourceFile& example) { return example.text.substr(example.text.find('\n') + 1); }

// A block with a `main` is a whole example. Any other is a part of one, and long enough not to be there by
// chance.
bool shows(const std::string& block, const SourceFile& example) {
    if (block.find("int main(") != std::string::npos) return block == program(example);
    return block.size() > 300 && example.text.find(block) != std::string::npos;
}

}  // namespace

TEST_CASE("every C++ block of the README and the pages of docs/ is one of the examples") {
    const std::vector<SourceFile> examples = source_files({"examples"}, {".cpp"});
    std::vector<SourceFile> pages = source_files({"docs"}, {".md"});
    pages.push_back({"README.md", file_text("README.md")});
    std::size_t block_count = 0;
    for (const SourceFile& page : pages) {
        for (const std::string& block : cpp_blocks(page.text)) {
            ++block_count;
            const bool is_shown =
                std::any_of(examples.begin(), examples.end(),
                            [&](const SourceFile& example) { return shows(block, example); });
            INFO(page.path << ":\n" << block);
            CHECK(is_shown);
        }
    }
    CHECK(block_count >= 7);
}

TEST_CASE("every file and folder that docs/promises.md names is there") {
    static const std::regex path(R"(\b((?:tests|tools|docs)/[\w./]*\w))");
    const std::string page = file_text("docs/promises.md");
    std::size_t path_count = 0;
    for (std::sregex_iterator match(page.begin(), page.end(), path), end; match != end; ++match) {
        INFO((*match)[1].str());
        CHECK(std::filesystem::exists(std::string(BROADSIDE_SOURCE_DIR) + "/" + (*match)[1].str()));
        ++path_count;
    }
    CHECK(path_count > 20);
}

TEST_CASE("every example is compiled") {
    for (const SourceFile& example : source_files({"examples"}, {".cpp"})) {
        const std::string name = example.name();
        const std::string folder = example.path.substr(0, example.path.rfind('/') + 1);
        const std::string build = file_text(folder + "CMakeLists.txt");
        INFO(name);
        CHECK(build.find(name.substr(0, name.rfind('.'))) != std::string::npos);
    }
}
