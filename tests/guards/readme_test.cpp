// Guard: the programs in the README are the examples that are compiled and run.
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace {

std::string read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(std::string(BROADSIDE_SOURCE_DIR) + "/" + path, std::ios::binary).rdbuf();
    return text.str();
}

// The program between the fences of the `number`-th C++ block.
std::string readme_program(std::size_t number) {
    const std::string readme = read("README.md");
    const std::string opening = "```cpp\n";
    std::size_t begin = readme.find(opening);
    for (; number != 0; --number) begin = readme.find(opening, begin + 1);
    REQUIRE(begin != std::string::npos);
    const std::size_t end = readme.find("```", begin + opening.size());
    REQUIRE(end != std::string::npos);
    return readme.substr(begin + opening.size(), end - begin - opening.size());
}

// Without the comment that every file opens with.
std::string example_program(const std::string& path) {
    const std::string example = read(path);
    return example.substr(example.find('\n') + 1);
}

}  // namespace

TEST_CASE("the README's first program is examples/first_pairs.cpp") {
    CHECK(readme_program(0) == example_program("examples/first_pairs.cpp"));
}

TEST_CASE("the README's World is examples/follow_world.cpp") {
    CHECK(readme_program(1) == example_program("examples/follow_world.cpp"));
}

TEST_CASE("the page on recordings shows examples/dump_boxrec.cpp") {
    const std::string page = read("docs/boxrec.md");
    const std::size_t begin = page.find("```cpp\n") + 7;
    const std::string shown = page.substr(begin, page.find("```", begin) - begin);
    CHECK(shown.size() > 300);
    CHECK(read("examples/dump_boxrec.cpp").find(shown) != std::string::npos);
}
