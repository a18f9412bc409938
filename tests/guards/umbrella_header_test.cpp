// Guards over the umbrella header.
#include <broadside/broadside.hpp>

#include "tests/guards/source_tree.hpp"

#include <doctest/doctest.h>

using namespace broadside;
using namespace broadside::test;

TEST_CASE("broadside.hpp includes every public header, except three that take long to compile") {
    std::string umbrella;
    std::vector<std::string> headers;
    for (const SourceFile& file : source_files({"core", "simd", "broadphase", "narrowphase", "stage"})) {
        if (!file.is_public_header()) continue;
        const std::string name = file.name();
        if (name == "broadside.hpp") {
            umbrella = file.text;
        } else {
            headers.push_back(name);
        }
    }
    CHECK(headers.size() > 50);
    for (const std::string& name : headers) {
        INFO(name);
        const bool is_included = umbrella.find("#include <broadside/" + name + ">\n") != std::string::npos;
        const bool is_heavy =
            name == "config_string.hpp" || name == "tbb_task_runner.hpp" || name == "zone_trace.hpp";
        CHECK(is_included == !is_heavy);
    }
}

TEST_CASE("a program that includes broadside.hpp alone has the whole library") {
    BoxSoa boxes;
    REQUIRE(boxes.resize(2) == Status::ok);
    PairBuffer pairs;
    CHECK(find_pairs(boxes.view(), pairs).status == Status::ok);
    CollisionStage stage;
    CHECK(stage.step({.boxes = boxes.view()}).status == Status::ok);
    World world;
    CHECK(world.queries().closest_hit(Ray{{0, 0, 0}, {1, 0, 0}}).target.is_null());
    CHECK(time_of_impact_text_a({{0, 0, 0}, {1, 1, 1}}, {{2, 0, 0}, {3, 1, 1}}, {-2, 0, 0}) == 0.5f);
}
