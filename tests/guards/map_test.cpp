// Guard: the map of folders in CONTRIBUTING.md against the existing folders.
#include "tests/guards/source_tree.hpp"

#include <doctest/doctest.h>

#include <regex>
#include <set>

using namespace broadside::test;

namespace {

namespace fs = std::filesystem;

// The paths of the map. A line begins with one or more paths, ended by two blanks; a path that begins with a
// slash continues the path above it, up to its own column, or the folder of the one before it in its line.
std::set<std::string> rooms_of_map(const std::string& page) {
    const std::size_t begin = page.find("```text\n", page.find("## Where a line belongs"));
    REQUIRE(begin != std::string::npos);
    std::istringstream lines(page.substr(begin + 8, page.find("\n```", begin) - begin - 7));
    std::set<std::string> rooms;
    std::string above;
    for (std::string line; std::getline(lines, line);) {
        const std::size_t column = line.find_first_not_of(' ');
        std::istringstream paths(line.substr(column, line.find("  ", column) - column));
        std::string before = above.substr(0, column);
        for (std::string path; paths >> path;) {
            if (path[0] == '/') {
                path = before + path;
            } else {
                above = path;
            }
            before = path.substr(0, path.rfind('/'));
            rooms.insert(path);
        }
    }
    return rooms;
}

bool holds_files(const fs::path& folder) {
    const auto is_file = [](const fs::directory_entry& entry) {
        return entry.is_regular_file() && entry.path().filename() != "CMakeLists.txt";
    };
    return std::any_of(fs::directory_iterator(folder), fs::directory_iterator(), is_file);
}

// The folders of sources below `src`, the other ones below each folder, and folders without such.
std::set<std::string> rooms_of_tree() {
    const fs::path& root = source_folder();
    std::set<std::string> rooms;
    const auto add_below = [&](const std::string& folder) {
        for (const auto& entry : fs::directory_iterator(root / folder)) {
            const std::string name = entry.path().filename().string();
            if (entry.is_directory() && name[0] != '_' && name[0] != '.') rooms.insert(folder + "/" + name);
        }
    };
    for (const auto& entry : fs::directory_iterator(root)) {
        const std::string name = entry.path().filename().string();
        if (!entry.is_directory() || name[0] == '.' || name.rfind("build", 0) == 0) continue;
        if (fs::is_directory(entry.path() / "src")) {
            add_below(name + "/src");
            for (const auto& room : fs::directory_iterator(entry.path() / "src"))
                if (room.is_directory()) add_below(name + "/src/" + room.path().filename().string());
            if (holds_files(entry.path() / "src")) rooms.insert(name + "/src");
        } else if (std::set<std::string>{"bench", "bindings", "extras", "tests", "tools"}.count(name) != 0) {
            add_below(name);
        } else {
            rooms.insert(name);
        }
    }
    return rooms;
}

}  // namespace

TEST_CASE("the map of CONTRIBUTING.md names every existing folder, and no other") {
    const std::set<std::string> on_map = rooms_of_map(file_text("CONTRIBUTING.md"));
    const std::set<std::string> there = rooms_of_tree();
    REQUIRE(there.size() > 60);
    for (const std::string& room : there) {
        INFO(room << " is not on the map");
        CHECK(on_map.count(room) == 1);
    }
    for (const std::string& room : on_map) {
        INFO(room << " is on the map and not there");
        CHECK(there.count(room) == 1);
    }
}
