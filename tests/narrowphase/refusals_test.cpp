// Every cause for which a batch of the narrowphase refuses its arguments, and its report to the assert
// handler.
#include "tests/support/refusals.hpp"

#include <broadside/bounds.hpp>
#include <broadside/capsule_box.hpp>
#include <broadside/closest_point.hpp>
#include <broadside/fit.hpp>
#include <broadside/moving_aabb_rows.hpp>
#include <broadside/moving_sphere.hpp>
#include <broadside/obb_obb.hpp>
#include <broadside/obb_triangle.hpp>
#include <broadside/ray_box4.hpp>
#include <broadside/ray_sphere.hpp>
#include <broadside/sphere_overlap.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

using namespace broadside;
using namespace broadside::test;

namespace {

struct Refusal {
    /// The beginning of the message: the argument and a colon.
    std::string argument;
    std::function<Status()> call;
};

void check(const std::vector<Refusal>& refusals) {
    for (const Refusal& refusal : refusals) {
        INFO(refusal.argument);
        (void)take_refusals();
        CHECK(refusal.call() == Status::invalid_argument);
        const Refusals told = take_refusals();
        CHECK(told.count == (library_asserts() ? 1 : 0));
        if (!library_asserts() || told.count == 0) continue;
        CHECK(told.last.is_refused_argument);
        CHECK(std::string(told.last.message).rfind(refusal.argument, 0) == 0);
    }
}

// Two of every readable input, and an unreadable one of each.
struct Arguments {
    Aabb box = {{0, 0, 0}, {1, 1, 1}};
    Obb obb = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    Sphere sphere = {{0, 0, 0}, 1};
    Triangle triangle = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    Ray ray = {{0, 0, 0}, {1, 0, 0}, 1};
    float zeros[2] = {};
    BoxSoaView boxes = {zeros, zeros, zeros, zeros, zeros, zeros, 2};
    BoxSoaView no_boxes = {zeros, zeros, zeros, zeros, zeros, nullptr, 2};
    Vec3SoaView vectors = {zeros, zeros, zeros, 2};
    Vec3SoaView one_vector = {zeros, zeros, zeros, 1};
    Vec3SoaView no_vectors = {zeros, zeros, nullptr, 2};
    SphereSoaView spheres = {zeros, zeros, zeros, zeros, 2};
    SphereSoaView no_spheres = {zeros, zeros, zeros, nullptr, 2};
    TriangleSoaView no_triangles;
    TriangleSoaView no_groups;
    TriangleSoaView other_groups;
    ObbSoaView no_obbs;
    std::vector<Obb> obbs = {obb, obb};
    std::vector<Triangle> triangles = {triangle, triangle};
    std::vector<Ray> rays = {ray, ray};
    std::vector<Vec3> one_displacement = std::vector<Vec3>(1);
    std::vector<std::uint32_t> bad_indices = {0, 2};
    std::vector<IndexPair> bad_pairs = {{0, 1}, {2, 0}};
    std::vector<std::uint64_t> bits = std::vector<std::uint64_t>(2);
    std::vector<float> numbers = std::vector<float>(8);

    Arguments() {
        no_triangles.count = 2;
        no_groups.group_bounds = {zeros, zeros, zeros, zeros, zeros, nullptr, 1};
        other_groups.group_bounds = boxes;
        no_obbs.center = no_vectors;
    }
};

}  // namespace

TEST_CASE("a batch of overlaps, points or bounds names its refused argument") {
    Arguments s;
    const BoxSoaSpan out_boxes = {s.zeros, s.zeros, s.zeros, s.zeros, s.zeros, s.zeros, 2};
    const BoxSoaSpan no_out_boxes = {s.zeros, s.zeros, s.zeros, s.zeros, s.zeros, nullptr, 2};
    const std::vector<Transform> one_transform(1);
    check({
        {"boxes:", [&] { return overlaps(s.box, s.no_boxes, s.bits).status; }},
        {"a:", [&] { return overlaps(s.no_boxes, s.boxes, s.bad_pairs, s.bits).status; }},
        {"b:", [&] { return overlaps(s.boxes, s.no_boxes, s.bad_pairs, s.bits).status; }},
        {"pairs:", [&] { return overlaps(s.boxes, s.boxes, s.bad_pairs, s.bits).status; }},
        {"spheres:", [&] { return overlaps(s.sphere, s.no_spheres, s.bits).status; }},
        {"boxes:", [&] { return overlaps(s.sphere, s.no_boxes, s.bits).status; }},
        {"boxes:", [&] { return overlaps(Capsule{}, s.no_boxes, s.bits).status; }},
        {"triangles:", [&] { return overlaps(s.sphere, s.no_triangles, s.bits).status; }},
        {"spheres:", [&] { return overlaps(s.box, s.no_spheres, s.bits).status; }},
        {"spheres:", [&] { return overlaps(s.obb, s.no_spheres, s.bits).status; }},
        {"spheres:", [&] { return overlaps(s.triangle, s.no_spheres, s.bits).status; }},
        {"b:", [&] { return overlaps(s.obb, s.no_obbs, s.bits).status; }},
        {"pairs:", [&] { return overlaps(s.obbs, s.obbs, s.bad_pairs, s.bits).status; }},
        {"triangles:", [&] { return overlaps(s.obb, s.no_triangles, s.bits).status; }},
        {"triangles: a column of group_bounds", [&] { return overlaps(s.obb, s.no_groups, s.bits).status; }},
        {"triangles: group_bounds are", [&] { return overlaps(s.obb, s.other_groups, s.bits).status; }},
        {"obbs:", [&] { return overlaps(s.no_obbs, s.triangle, s.bits).status; }},
        {"indices:", [&] { return overlaps(s.obb, s.triangles, s.bad_indices, s.bits).status; }},
        {"triangles:", [&] { return overlaps(s.obb, s.no_triangles, s.bad_indices, s.bits).status; }},
        {"pairs:", [&] { return overlaps(s.obbs, s.triangles, s.bad_pairs, s.bits).status; }},
        {"triangles:", [&] { return overlaps(s.obbs, s.no_triangles, s.bad_pairs, s.bits).status; }},
        {"triangles:", [&] { return swept_overlaps(s.obb, {}, s.no_triangles, {}, s.bits).status; }},
        {"points:", [&] { return closest_points(s.box, s.no_vectors, {}).status; }},
        {"points:", [&] { return closest_points(s.obb, s.no_vectors, {}).status; }},
        {"points:", [&] { return closest_points(s.triangle, s.no_vectors, {}).status; }},
        {"boxes:", [&] { return closest_points(s.no_boxes, {}, {}).status; }},
        {"triangles:", [&] { return closest_points(s.no_triangles, {}, {}).status; }},
        {"spheres:", [&] { return bounds(s.no_spheres, Rounding::nearest, out_boxes).status; }},
        {"out_boxes:", [&] { return bounds(s.spheres, Rounding::nearest, no_out_boxes).status; }},
        {"out_boxes:", [&] { return bounds(s.obbs, Rounding::nearest, no_out_boxes).status; }},
        {"boxes_in_b:",
         [&] { return transformed_bounds(Transform{}, s.no_boxes, Rounding::nearest, out_boxes).status; }},
        {"boxes_in_b:",
         [&] { return transformed_bounds(one_transform, s.no_boxes, Rounding::nearest, out_boxes).status; }},
        {"a_from_b:",
         [&] { return transformed_bounds(one_transform, s.boxes, Rounding::nearest, out_boxes).status; }},
    });
}

TEST_CASE("a batch of times, contacts or rays names its refused argument") {
    Arguments s;
    BoxSoaView too_many_boxes = s.boxes;
    too_many_boxes.count = kNoBox;
    SphereSoaView too_many_spheres = s.spheres;
    too_many_spheres.count = kNoBox;
    const MovingBoxes boxes = {s.boxes, s.vectors};
    const MovingSpheres spheres = {s.spheres, s.vectors};
    const std::span<float> toi = s.numbers;
    const Touch touch = Touch::closed;
    RestingBoxRows resting;
    MovingBoxRows movers;
    BodyBoxRows bodies;
    check({
        {"boxes:",
         [&] {
             return times_of_impact({s.no_boxes, {}}, boxes, touch, toi).status;
         }},
        {"displacements: a column",
         [&] {
             return times_of_impact(boxes, {s.boxes, s.no_vectors}, touch, toi).status;
         }},
        {"displacements: neither",
         [&] {
             return times_of_impact(boxes, {s.boxes, s.one_vector}, touch, toi).status;
         }},
        {"b:", [&] { return times_of_impact(boxes, MovingBoxes{}, touch, toi).status; }},
        {"boxes:",
         [&] {
             return times_of_impact(boxes, {s.no_boxes, {}}, s.bad_pairs, touch, toi).status;
         }},
        {"pairs:", [&] { return times_of_impact(boxes, boxes, s.bad_pairs, touch, toi).status; }},
        {"resting:", [&] { return times_of_impact(s.box, {}, s.no_boxes, touch, toi).status; }},
        {"boxes:", [&] { return resting.prepare(s.no_boxes); }},
        {"boxes:",
         [&] {
             return movers.prepare({s.no_boxes, {}});
         }},
        {"displacements:",
         [&] {
             return movers.prepare({s.boxes, s.one_vector});
         }},
        {"boxes:",
         [&] {
             return bodies.prepare({s.no_boxes, {}});
         }},
        {"pairs:", [&] { return times_of_impact(resting, movers, s.bad_pairs, toi).status; }},
        {"pairs:", [&] { return times_of_impact(bodies, bodies, s.bad_pairs, touch, toi).status; }},
        {"spheres:",
         [&] {
             return times_of_impact(s.sphere, {}, {s.no_spheres, {}}, toi).status;
         }},
        {"displacements:",
         [&] {
             return times_of_impact(s.sphere, {}, {s.spheres, s.one_vector}, toi).status;
         }},
        {"b:", [&] { return times_of_impact(spheres, MovingSpheres{}, toi).status; }},
        {"pairs:", [&] { return times_of_impact(spheres, spheres, s.bad_pairs, toi).status; }},
        {"b:", [&] { return times_of_impact(s.obb, {}, s.no_obbs, {}, toi).status; }},
        {"b_displacements: a column",
         [&] { return times_of_impact(s.obb, {}, ObbSoaView{}, s.no_vectors, toi).status; }},
        {"b_displacements: neither",
         [&] { return times_of_impact(s.obb, {}, ObbSoaView{}, s.one_vector, toi).status; }},
        {"a_displacements:",
         [&] { return times_of_impact(s.obbs, s.one_displacement, s.obbs, {}, s.bad_pairs, toi).status; }},
        {"b_displacements:",
         [&] { return times_of_impact(s.obbs, {}, s.obbs, s.one_displacement, s.bad_pairs, toi).status; }},
        {"pairs:", [&] { return times_of_impact(s.obbs, {}, s.obbs, {}, s.bad_pairs, toi).status; }},
        {"triangles:", [&] { return times_of_impact(s.obb, {}, s.no_triangles, {}, toi).status; }},
        {"obbs:", [&] { return times_of_impact(s.no_obbs, {}, s.triangle, {}, toi).status; }},
        {"obb_displacements:",
         [&] { return times_of_impact(ObbSoaView{}, s.one_vector, s.triangle, {}, toi).status; }},
        {"indices:", [&] { return times_of_impact(s.obb, {}, s.triangles, {}, s.bad_indices, toi).status; }},
        {"obb_displacements:",
         [&] {
             return times_of_impact(s.obbs, s.one_displacement, s.triangles, {}, s.bad_pairs, toi).status;
         }},
        {"pairs:", [&] { return times_of_impact(s.obbs, {}, s.triangles, {}, s.bad_pairs, toi).status; }},
        {"b:", [&] { return obb_contacts(s.obb, s.no_obbs, toi).status; }},
        {"pairs:", [&] { return obb_contacts(s.obbs, s.obbs, s.bad_pairs, toi).status; }},
        {"boxes:", [&] { return ray_boxes(s.ray, s.no_boxes, {}, {}).status; }},
        {"boxes:", [&] { return ray_boxes(s.rays, s.no_boxes, {}, s.bits).status; }},
        {"boxes:", [&] { return ray_boxes(s.rays, s.no_boxes, s.bad_pairs, {}, {}).status; }},
        {"pairs:", [&] { return ray_boxes(s.rays, s.boxes, s.bad_pairs, {}, {}).status; }},
        {"boxes:", [&] { return ray_boxes(Ray4{}, s.no_boxes, {}).status; }},
        {"boxes: a column", [&] { return closest_hits({}, s.no_boxes, {}, std::span<TreeHit>{}).status; }},
        {"boxes: as many", [&] { return closest_hits({}, too_many_boxes, {}, std::span<TreeHit>{}).status; }},
        {"spheres:", [&] { return ray_spheres(s.ray, s.no_spheres, {}, {}).status; }},
        {"spheres: a column",
         [&] { return closest_hits({}, s.no_spheres, {}, std::span<TreeHit>{}).status; }},
        {"spheres: as many",
         [&] { return closest_hits({}, too_many_spheres, {}, std::span<TreeHit>{}).status; }},
    });
}

TEST_CASE(
    "a fit refuses points that are absent, unreadable, not finite, or too far apart for a shape of floats") {
    const float ends[2] = {-3e38f, 3e38f};
    const float zeros[2] = {};
    const float not_finite[2] = {0, std::numeric_limits<float>::infinity()};
    const Vec3SoaView no_column = {zeros, zeros, nullptr, 2};
    const Vec3SoaView infinite = {zeros, not_finite, zeros, 2};
    const Vec3SoaView too_far = {ends, ends, ends, 2};
    check({
        {"points: there are none", [&] { return fit_obb({}).status; }},
        {"points: there are none", [&] { return fit_sphere({}).status; }},
        {"points: a column is null though the count is not 0", [&] { return fit_obb(no_column).status; }},
        {"points: a column is null though the count is not 0", [&] { return fit_sphere(no_column).status; }},
        {"points: one is not finite", [&] { return fit_obb(infinite).status; }},
        {"points: one is not finite", [&] { return fit_sphere(infinite).status; }},
        {"points: they are further apart than a shape of floats reaches",
         [&] { return fit_obb(too_far).status; }},
        {"points: they are further apart than a shape of floats reaches",
         [&] { return fit_sphere(too_far).status; }},
    });
    CHECK(fit_sphere(infinite).bad_index == 1);
}

TEST_CASE("a policy that is no enumerator is refused by every batch with a policy") {
    const Arguments s;
    const auto touch = static_cast<Touch>(2);
    const RaySettings inside = {.inside = static_cast<Inside>(3)};
    const MovingBoxes boxes = {s.boxes, {}};
    MovingBoxRows movers;
    BodyBoxRows bodies;
    REQUIRE(bodies.prepare(boxes) == Status::ok);
    float toi[2];
    std::uint64_t bits[2];
    TreeHit closest[2];
    TreeHit closest_sphere[2];
    check({
        {"touch: no enumerator", [&] { return times_of_impact(boxes, boxes, touch, toi).status; }},
        {"touch: no enumerator", [&] { return times_of_impact(boxes, boxes, {}, touch, toi).status; }},
        {"touch: no enumerator", [&] { return times_of_impact(s.box, {}, s.boxes, touch, toi).status; }},
        {"touch: no enumerator", [&] { return movers.prepare(boxes, touch); }},
        {"touch: no enumerator", [&] { return times_of_impact(bodies, bodies, {}, touch, toi).status; }},
        {"inside: no enumerator", [&] { return ray_boxes(s.ray, s.boxes, inside, {}).status; }},
        {"inside: no enumerator", [&] { return ray_boxes(s.rays, s.boxes, inside, bits).status; }},
        {"inside: no enumerator", [&] { return ray_boxes(s.rays, s.boxes, {}, inside, {}).status; }},
        {"inside: no enumerator", [&] { return closest_hits(s.rays, s.boxes, inside, closest).status; }},
        {"inside: no enumerator", [&] { return ray_spheres(s.ray, s.spheres, inside, {}).status; }},
        {"inside: no enumerator",
         [&] { return closest_hits(s.rays, s.spheres, inside, closest_sphere).status; }},
    });
}
