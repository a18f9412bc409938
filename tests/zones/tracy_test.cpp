// Zones in a build for Tracy: they reach its macro, begin and end in pairs, and enclose one another.
#include <broadside/box_soa.hpp>
#include <broadside/box_tree.hpp>
#include <broadside/scenes/box_scene.hpp>

#include <doctest/doctest.h>
#include <tracy/Tracy.hpp>

#include <algorithm>

using namespace broadside;

TEST_CASE("in a Tracy build, the phases of BoxTree::build are nested zones") {
    const std::vector<Aabb> made = scenes::make_boxes(scenes::Layout::uniform, 1000);
    BoxSoa boxes;
    REQUIRE(boxes.assign({.data = made.data(), .stride_bytes = sizeof(Aabb), .count = made.size()}) ==
            Status::ok);
    BoxTree tree;
    tracy::recorded().clear();
    REQUIRE(tree.build(boxes) == Status::ok);

    const std::vector<std::string>& lines = tracy::recorded();
    REQUIRE(lines.size() >= 6);
    CHECK(lines.front() == "begin BoxTree::build");
    CHECK(lines.back() == "end BoxTree::build");
    std::vector<std::string> open;
    for (const std::string& line : lines) {
        const bool begins = line.rfind("begin ", 0) == 0;
        const std::string name = line.substr(line.find(' ') + 1);
        if (begins) {
            open.push_back(name);
            continue;
        }
        REQUIRE_FALSE(open.empty());
        CHECK(open.back() == name);
        open.pop_back();
    }
    CHECK(open.empty());
    for (const char* phase : {"begin box tree/order", "begin box tree/fill", "begin box tree/nodes task"}) {
        INFO(phase);
        CHECK(std::count(lines.begin(), lines.end(), phase) >= 1);
    }
}
