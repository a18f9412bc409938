// The four-wide forms of ray against box on every ISA.
#include "tests/narrowphase/ray/ray_box_support.hpp"
#include "tests/support/for_each_isa.hpp"

#include <broadside/ray_box4.hpp>

using namespace broadside;
using namespace broadside::test;

TEST_CASE("four rays against many boxes return the bits of ray_box in every lane on every ISA") {
    for_each_isa([](Isa) {
        Random random(1);
        for (const std::size_t count : awkward_counts()) {
            const std::vector<Aabb> list = adversarial_boxes(random, count);
            const GuardedBoxes boxes(list);
            for (std::size_t ray_count = 0; ray_count <= 5; ++ray_count) {
                const std::vector<Ray> rays = adversarial_rays(random, ray_count, list);
                const RaySettings settings = {kInsidePolicies[ray_count % 3], ray_count % 2 == 0};
                const Ray4 packet = prepare_ray4(rays, settings);
                GuardedArray<Mask4> hits(count);
                GuardedArray<float> t_enter(4 * count);
                REQUIRE(ray_boxes(packet, boxes.view(), hits.span(), t_enter.span()).status == Status::ok);
                GuardedArray<Mask4> hits_alone(count);
                REQUIRE(ray_boxes(packet, boxes.view(), hits_alone.span()).status == Status::ok);
                for (std::size_t i = 0; i < count; ++i) {
                    REQUIRE(hits_alone[i] == hits[i]);
                    REQUIRE(hits[i].bits < 16);
                    for (unsigned lane = 0; lane < 4; ++lane) {
                        const RaySolidHit expected =
                            lane < ray_count ? ray_box(rays[lane], list[i], settings) : RaySolidHit{};
                        REQUIRE(has_lane(hits[i], lane) == expected.has_hit);
                        REQUIRE(same_bits(t_enter[4 * i + lane], expected.t_enter));
                    }
                }
            }
        }
    });
}

TEST_CASE("one ray against many nodes of four boxes returns the bits of ray_box in every lane on every ISA") {
    for_each_isa([](Isa) {
        Random random(2);
        for (const std::size_t count : awkward_counts()) {
            const std::vector<Box4> no_boxes(count);
            GuardedArray<Box4> nodes(no_boxes);
            for (Box4& node : nodes.span()) {
                // The lanes behind keep their initial state: without a box.
                for (unsigned lane = 0; lane < 1 + random.below(4); ++lane)
                    node.set(lane, adversarial_box(random));
            }
            for (int round = 0; round < 6; ++round) {
                const Ray ray = count == 0 ? Ray{} : adversarial_ray(random, nodes[0][0]);
                const RaySettings settings = {kInsidePolicies[static_cast<std::size_t>(round) % 3],
                                              round >= 3};
                GuardedArray<Mask4> hits(count);
                GuardedArray<float> t_enter(4 * count);
                REQUIRE(
                    ray_boxes(prepare_ray(ray, settings), nodes.span(), hits.span(), t_enter.span()).status ==
                    Status::ok);
                GuardedArray<Mask4> hits_alone(count);
                REQUIRE(ray_boxes(prepare_ray(ray, settings), nodes.span(), hits_alone.span()).status ==
                        Status::ok);
                for (std::size_t i = 0; i < count; ++i) {
                    REQUIRE(hits_alone[i] == hits[i]);
                    for (unsigned lane = 0; lane < 4; ++lane) {
                        const RaySolidHit expected = ray_box(ray, nodes[i][lane], settings);
                        REQUIRE(has_lane(hits[i], lane) == expected.has_hit);
                        REQUIRE(same_bits(t_enter[4 * i + lane], expected.t_enter));
                    }
                }
            }
        }
    });
}

TEST_CASE("a lane without a box or a ray is not hit, even by a ray that hits everything") {
    const Ray ray = {{0, 0, 0}, {1, 0, 0}};
    const Aabb everything = {{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
    Box4 node;
    CHECK(none(ray_box(prepare_ray(ray), node).hits));
    node.set(2, everything);
    CHECK(ray_box(prepare_ray(ray), node).hits == Mask4{0b0100});
    CHECK(none(ray_box(prepare_ray4({}), everything).hits));
    CHECK(ray_box(prepare_ray4({&ray, 1}), everything).hits == Mask4{0b0001});
    CHECK(none(ray_box(PreparedRay{}, node).hits));
}

TEST_CASE("invalid arguments of the four-wide ray batches are reported and nothing is written") {
    const std::vector<Box4> nodes(2);
    const GuardedBoxes boxes(std::vector<Aabb>(2, Aabb{{0, 0, 0}, {1, 1, 1}}));
    Mask4 hits[2] = {{9}, {9}};
    float t_enter[8] = {7};
    const PreparedRay ray = prepare_ray({{-1, 0, 0}, {1, 0, 0}});
    CHECK(ray_boxes(ray, nodes, {hits, 1}).status == Status::capacity_exceeded);
    CHECK(ray_boxes(ray, nodes, hits, {t_enter, 7}).status == Status::capacity_exceeded);
    CHECK(ray_boxes(Ray4{}, boxes.view(), {hits, 1}).status == Status::capacity_exceeded);
    CHECK(ray_boxes(Ray4{}, boxes.view(), hits, {t_enter, 7}).status == Status::capacity_exceeded);
    CHECK(ray_boxes(Ray4{}, BoxSoaView{.count = 2}, hits).status == Status::invalid_argument);
    CHECK(hits[0] == Mask4{9});
    CHECK(t_enter[0] == 7.0f);
}
