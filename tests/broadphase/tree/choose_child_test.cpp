// The child of a node that a new box joins: over lanes as `joining_cost` says box by box.
#include "broadphase/src/tree/kernels.hpp"
#include "simd/src/dispatch.hpp"
#include "tests/support/generators.hpp"

#include <broadside/isa.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace broadside;
using namespace broadside::test;

TEST_CASE("a box joins the first of the children whose edges it makes grow least, on every ISA") {
    Random random(57);
    int tie_count = 0;
    int empty_count = 0;
    for (int i = 0; i < 4000; ++i) {
        INFO("node " << i);
        const bool is_grid = random.chance(2);
        const float scale =
            std::ldexp(1.0f, random.chance(2) ? 0 : static_cast<int>(random.below(250)) - 125);
        const auto any_box = [&] {
            const Aabb box = is_grid ? grid_box(random) : random_box(random, 4, 3);
            return random.chance(5) ? Aabb::empty() : Aabb{box.min * scale, box.max * scale};
        };
        alignas(64) float node[nodes::kNodeFloats];
        for (std::uint32_t lane = 0; lane < nodes::kNodeWidth; ++lane)
            nodes::set_lane_box(node, lane, any_box());
        Aabb box = any_box();
        while (!is_valid(box)) box = any_box();
        const auto cost_of = [&](std::uint32_t lane) {
            return nodes::joining_cost(nodes::lane_box(node, lane), box);
        };
        std::uint32_t best = 0;
        for (std::uint32_t lane = 1; lane < nodes::kNodeWidth; ++lane) {
            tie_count += cost_of(lane) == cost_of(best) && cost_of(lane) <= FLT_MAX ? 1 : 0;
            empty_count += cost_of(lane) <= FLT_MAX ? 0 : 1;
            if (cost_of(lane) < cost_of(best)) best = lane;
        }
        for (const Isa isa : supported_isas())
            CHECK(simd::kernels_of<broadphase::TreeKernels>(isa)->choose_child(node, box) == best);
    }
    CHECK(tie_count > 100);
    CHECK(empty_count > 1000);
}
