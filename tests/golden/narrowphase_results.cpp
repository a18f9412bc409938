// Golden results of the narrowphase's batch functions, on ordinary and on hostile numbers.
#include "tests/golden/golden_hash.hpp"

#include <broadside/bits.hpp>
#include <broadside/bounds.hpp>
#include <broadside/closest_point.hpp>
#include <broadside/fit.hpp>
#include <broadside/moving_aabb_rows.hpp>
#include <broadside/moving_sphere.hpp>
#include <broadside/obb_obb.hpp>
#include <broadside/obb_triangle.hpp>
#include <broadside/overlap.hpp>
#include <broadside/ray_box.hpp>
#include <broadside/ray_box4.hpp>
#include <broadside/ray_sphere.hpp>
#include <broadside/sphere_overlap.hpp>

#include "tests/stage/stage_scene.hpp"

namespace broadside::test {
namespace {

constexpr std::size_t kItemCount = 203;

// Shapes of all kinds; the inputs of a stage scene, and spheres and points.
struct Shapes {
    StageScene scene;
    StageInput input;
    BoxSoa other_boxes;
    ObbSoa obb_soa;
    std::vector<float> numbers[4];
    SphereSoaView spheres;
    Vec3SoaView points;
    Vec3SoaView obb_displacements;
    std::vector<float> obb_motion[3];
    std::vector<Transform> transforms;
    std::vector<IndexPair> pairs;
    std::vector<IndexPair> obb_pairs;
    std::vector<IndexPair> triangle_pairs;
    std::vector<std::uint32_t> triangle_indices;

    Shapes(std::uint64_t seed, bool on_grid, bool with_bad)
        : scene(make_stage_scene(seed, kItemCount, on_grid, with_bad)), input(scene.input()) {
        Random random(seed + 100);
        const auto number = [&](float reach) {
            return with_bad && random.chance(12) ? special_float(random)
                   : on_grid                     ? random.grid(-4, 4)
                                                 : random.uniform(-reach, reach);
        };
        REQUIRE(other_boxes.resize(kItemCount) == Status::ok);
        for (std::size_t i = 0; i < kItemCount; ++i) {
            other_boxes.set(i, with_bad ? adversarial_box(random) : grid_box(random));
            for (int k = 0; k < 4; ++k) numbers[k].push_back(number(8.0f));
            transforms.push_back(
                {{number(2), number(2), number(2)}, {number(2), 1, 0}, {0, number(2), 1}, {number(8), 1, 2}});
            pairs.push_back({random.below(kItemCount), random.below(kItemCount)});
        }
        spheres = {numbers[0].data(), numbers[1].data(), numbers[2].data(), numbers[3].data(), kItemCount};
        points = {numbers[0].data(), numbers[1].data(), numbers[2].data(), kItemCount};
        REQUIRE(obb_soa.assign(scene.obbs) == Status::ok);
        for (const Vec3 displacement : scene.obb_displacements) {
            obb_motion[0].push_back(displacement.x);
            obb_motion[1].push_back(displacement.y);
            obb_motion[2].push_back(displacement.z);
        }
        obb_displacements = {obb_motion[0].data(), obb_motion[1].data(), obb_motion[2].data(),
                             scene.obbs.size()};
        const auto obb_count = static_cast<std::uint32_t>(scene.obbs.size());
        for (std::size_t i = 0; i < kItemCount; ++i) {
            obb_pairs.push_back({random.below(obb_count), random.below(obb_count)});
            triangle_pairs.push_back({random.below(obb_count), random.below(kItemCount)});
            triangle_indices.push_back(random.below(kItemCount));
        }
    }
};

class Results {
public:
    Results(std::string suffix, GoldenHashes& out_hashes)
        : suffix_(std::move(suffix)), hashes_(&out_hashes) {}

    /// Calls `call(words, values, more_values, marks)` and hashes the outputs that it wrote.
    template <class Mark, class Call>
    void add(const char* name, std::size_t count, Call&& call) {
        std::vector<std::uint64_t> words(bit_word_count(count));
        std::vector<float> values(count);
        std::vector<Mark> marks(count);
        REQUIRE(call(words, values, marks).status == Status::ok);
        GoldenHash& hash = of_name(name);
        for (const std::uint64_t word : words) hash.add(word);
        for (const float value : values) hash.add(value);
        for (const Mark mark : marks) hash.add(mark);
    }
    template <class Call>
    void add_bits(const char* name, std::size_t count, Call&& call) {
        add<Face>(name, count, [&](auto& words, auto&, auto&) { return call(words); });
    }
    template <class Call>
    void add_times(const char* name, std::size_t count, Call&& call) {
        add<Face>(name, count, [&](auto&, auto& values, auto&) { return call(values); });
    }
    template <class Call>
    void add_points(const char* name, std::size_t count, Call&& call) {
        std::vector<float> x(count), y(count), z(count), distance_sq(count);
        REQUIRE(call(ClosestPointOutputs{x, y, z, distance_sq}).status == Status::ok);
        for (std::size_t i = 0; i < count; ++i) of_name(name).add(x[i], y[i], z[i], distance_sq[i]);
    }
    template <class Call>
    void add_boxes(const char* name, std::size_t count, Call&& call) {
        BoxSoa boxes;
        REQUIRE(boxes.resize(count) == Status::ok);
        REQUIRE(call(BoxSoaSpan(boxes)).status == Status::ok);
        for (std::size_t i = 0; i < count; ++i) of_name(name).add(boxes[i].min, boxes[i].max);
    }
    GoldenHash& of_name(const char* name) { return by_name_[name]; }

    ~Results() {
        for (const auto& [name, hash] : by_name_) (*hashes_)[golden_name(name, suffix_)] = hash.value();
    }

private:
    std::string suffix_;
    GoldenHashes* hashes_;
    std::map<std::string, GoldenHash> by_name_;
};

void add_box_results(const Shapes& s, Results& state) {
    const MovingBoxes moving = {s.input.boxes, s.input.displacements};
    const MovingBoxes resting = {s.other_boxes, {}};
    state.add_bits("box_box", kItemCount,
                   [&](auto& bits) { return overlaps(s.other_boxes[3], s.input.boxes, bits); });
    state.add_bits("box_box", kItemCount,
                   [&](auto& bits) { return overlaps(s.input.boxes, s.other_boxes, s.pairs, bits); });
    RestingBoxRows resting_rows;
    MovingBoxRows mover_rows;
    BodyBoxRows body_rows;
    REQUIRE(resting_rows.prepare(s.other_boxes) == Status::ok);
    REQUIRE(body_rows.prepare(moving) == Status::ok);
    for (const Touch touch : {Touch::closed, Touch::open}) {
        REQUIRE(mover_rows.prepare(moving, touch) == Status::ok);
        const auto add = [&](auto&& call) {
            state.add<Face>("moving_box", kItemCount,
                            [&](auto&, auto& times, auto& faces) { return call(times, faces); });
        };
        add([&](auto& times, auto& faces) { return times_of_impact(resting, moving, touch, times, faces); });
        add([&](auto& times, auto& faces) {
            return times_of_impact(s.input.boxes[5], {1, -2, 0.5f}, s.other_boxes, touch, times, faces);
        });
        add([&](auto& times, auto& faces) {
            return times_of_impact(moving, moving, s.pairs, touch, times, faces);
        });
        add([&](auto& times, auto& faces) {
            return times_of_impact(resting_rows, mover_rows, s.pairs, times, faces);
        });
        add([&](auto& times, auto& faces) {
            return times_of_impact(body_rows, body_rows, s.pairs, touch, times, faces);
        });
    }
    for (const Rounding rounding : {Rounding::nearest, Rounding::outward}) {
        state.add_boxes("bounds", kItemCount,
                        [&](BoxSoaSpan out) { return bounds(s.spheres, rounding, out); });
        state.add_boxes("bounds", s.scene.obbs.size(),
                        [&](BoxSoaSpan out) { return bounds(s.scene.obbs, rounding, out); });
        state.add_boxes("bounds", kItemCount, [&](BoxSoaSpan out) {
            return transformed_bounds(s.transforms[1], s.input.boxes, rounding, out);
        });
        state.add_boxes("bounds", kItemCount, [&](BoxSoaSpan out) {
            return transformed_bounds(s.transforms, s.input.boxes, rounding, out);
        });
    }
}

void add_ray_results(const Shapes& s, Results& state) {
    for (const Inside inside : {Inside::miss, Inside::negative_t, Inside::zero}) {
        const RaySettings settings = {.inside = inside};
        std::vector<float> exits(kItemCount);
        for (std::size_t i = 0; i < s.scene.rays.size(); i += 9) {
            const Ray& ray = s.scene.rays[i];
            state.add<Face>("ray_box", kItemCount, [&](auto& words, auto& times, auto& faces) {
                return ray_boxes(ray, s.input.boxes, settings, {times, exits, faces, words});
            });
            for (const float exit : exits) state.of_name("ray_box").add(exit);
            state.add<Face>("ray_sphere", kItemCount, [&](auto& words, auto& times, auto&) {
                return ray_spheres(ray, s.spheres, settings, {times, exits, {}, words});
            });
            for (const float exit : exits) state.of_name("ray_sphere").add(exit);
        }
        std::vector<TreeHit> closest(s.scene.rays.size());
        REQUIRE(closest_hits(s.scene.rays, s.input.boxes, settings, closest).status == Status::ok);
        for (const TreeHit& hit : closest) state.of_name("ray_box").add(hit.t, hit.target, hit.face);
        std::vector<TreeHit> spheres(s.scene.rays.size());
        REQUIRE(closest_hits(s.scene.rays, s.spheres, settings, spheres).status == Status::ok);
        for (const TreeHit& hit : spheres) state.of_name("ray_sphere").add(hit.t, hit.target);
        const Ray4 packet = prepare_ray4(std::span(s.scene.rays).first(4), settings);
        std::vector<Mask4> masks(kItemCount);
        std::vector<float> times(4 * kItemCount);
        REQUIRE(ray_boxes(packet, s.input.boxes, masks, times).status == Status::ok);
        for (const Mask4 mask : masks) state.of_name("ray_box4").add(std::uint64_t{mask.bits});
        for (const float time : times) state.of_name("ray_box4").add(time);
    }
}

void add_obb_results(const Shapes& s, Results& state) {
    const std::size_t obb_count = s.scene.obbs.size();
    const Obb& obb = s.scene.obbs[2];
    state.add_bits("obb_obb", obb_count, [&](auto& bits) { return overlaps(obb, s.obb_soa, bits); });
    state.add_bits("obb_obb", kItemCount,
                   [&](auto& bits) { return overlaps(s.scene.obbs, s.scene.obbs, s.obb_pairs, bits); });
    state.add<ObbAxis>("obb_obb", obb_count, [&](auto&, auto& depths, auto& axes) {
        return obb_contacts(obb, s.obb_soa, depths, axes);
    });
    state.add<ObbAxis>("obb_obb", kItemCount, [&](auto&, auto& depths, auto& axes) {
        return obb_contacts(s.scene.obbs, s.scene.obbs, s.obb_pairs, depths, axes);
    });
    state.add<ObbAxis>("obb_obb", obb_count, [&](auto&, auto& times, auto& axes) {
        return times_of_impact(obb, {1, 2, -1}, s.obb_soa, s.obb_displacements, times, axes);
    });
    state.add<ObbAxis>("obb_obb", kItemCount, [&](auto&, auto& times, auto& axes) {
        return times_of_impact(s.scene.obbs, s.scene.obb_displacements, s.scene.obbs, {}, s.obb_pairs, times,
                               axes);
    });
    const TriangleSoaView& triangles = s.input.triangles;
    const std::span<const Triangle> structs = s.scene.triangles;
    for (std::size_t i = 0; i < obb_count; i += 5) {
        const Obb& box = s.scene.obbs[i];
        const Vec3 displacement = s.scene.obb_displacements[i];
        state.add_bits("obb_triangle", kItemCount,
                       [&](auto& bits) { return overlaps(box, triangles, bits); });
        state.add_bits("obb_triangle", kItemCount, [&](auto& bits) {
            return swept_overlaps(box, displacement, triangles, {0, 1, 0}, bits);
        });
        state.add<ContactAxis>("obb_triangle", kItemCount, [&](auto&, auto& times, auto& axes) {
            return times_of_impact(box, displacement, triangles, {0, 1, 0}, times, axes);
        });
        state.add_bits("obb_triangle", kItemCount,
                       [&](auto& bits) { return overlaps(box, structs, s.triangle_indices, bits); });
    }
    state.add<ContactAxis>("obb_triangle", kItemCount, [&](auto&, auto& times, auto& axes) {
        return times_of_impact(s.scene.obbs, s.scene.obb_displacements, structs, {0, 0, 0}, s.triangle_pairs,
                               times, axes);
    });
    for (std::size_t i = 0; i < kItemCount; i += 40) {
        state.add_bits("obb_triangle", obb_count,
                       [&](auto& bits) { return overlaps(s.obb_soa, structs[i], bits); });
        state.add<ContactAxis>("obb_triangle", obb_count, [&](auto&, auto& times, auto& axes) {
            return times_of_impact(s.obb_soa, s.obb_displacements, structs[i], {1, 0, 0}, times, axes);
        });
    }
}

void add_sphere_results(const Shapes& s, Results& state) {
    const TriangleSoaView& triangles = s.input.triangles;
    for (std::size_t i = 0; i < kItemCount; i += 23) {
        const Sphere sphere = s.spheres[i];
        state.add_bits("sphere", kItemCount, [&](auto& bits) { return overlaps(sphere, s.spheres, bits); });
        state.add_bits("sphere", kItemCount,
                       [&](auto& bits) { return overlaps(sphere, s.input.boxes, bits); });
        state.add_bits("sphere", s.scene.obbs.size(),
                       [&](auto& bits) { return overlaps(sphere, s.scene.obbs, bits); });
        state.add_bits("sphere", kItemCount, [&](auto& bits) { return overlaps(sphere, triangles, bits); });
        state.add_bits("sphere", kItemCount,
                       [&](auto& bits) { return overlaps(s.input.boxes[i], s.spheres, bits); });
        state.add_bits("sphere", kItemCount,
                       [&](auto& bits) { return overlaps(s.scene.obbs[i / 5], s.spheres, bits); });
        state.add_bits("sphere", kItemCount,
                       [&](auto& bits) { return overlaps(s.scene.triangles[i], s.spheres, bits); });
        state.add_times("moving_sphere", kItemCount, [&](auto& times) {
            return times_of_impact(sphere, {1, 0, -2}, {s.spheres, s.input.displacements}, times);
        });
        const Vec3 point = s.points[i];
        const auto add = [&](std::size_t count, auto&& call) {
            state.add_points("closest_point", count, call);
        };
        add(kItemCount, [&](const auto& out) { return closest_points(s.input.boxes[i], s.points, out); });
        add(kItemCount, [&](const auto& out) { return closest_points(s.scene.obbs[i / 5], s.points, out); });
        add(kItemCount, [&](const auto& out) { return closest_points(s.scene.triangles[i], s.points, out); });
        add(kItemCount, [&](const auto& out) { return closest_points(s.input.boxes, point, out); });
        add(s.scene.obbs.size(), [&](const auto& out) { return closest_points(s.scene.obbs, point, out); });
        add(kItemCount, [&](const auto& out) { return closest_points(triangles, point, out); });
    }
    const MovingSpheres moving = {s.spheres, s.input.displacements};
    state.add_times("moving_sphere", kItemCount, [&](auto& times) {
        return times_of_impact(moving, {s.spheres, {}}, times);
    });
    state.add_times("moving_sphere", kItemCount,
                    [&](auto& times) { return times_of_impact(moving, moving, s.pairs, times); });
}

void add_fit_results(const Shapes& s, Results& state) {
    for (std::size_t first = 0; first + 40 <= kItemCount; first += 40) {
        const Vec3SoaView points = {s.points.x + first, s.points.y + first, s.points.z + first, 40};
        const Fitted<Obb> obb = fit_obb(points);
        const Fitted<Sphere> sphere = fit_sphere(points);
        state.of_name("fit").add(obb.shape.center, obb.shape.axis_x, obb.shape.axis_y, obb.shape.axis_z,
                                 obb.shape.half_extent, sphere.shape.center, sphere.shape.radius);
    }
}

}  // namespace

void add_narrowphase_results(GoldenHashes& out_hashes) {
    for (const bool on_grid : {false, true}) {
        for (const bool with_bad : {false, true}) {
            const Shapes shapes(9, on_grid, with_bad);
            const char* const names[] = {"anywhere", "anywhere/hostile", "grid", "grid/hostile"};
            Results results(names[2 * on_grid + with_bad], out_hashes);
            add_box_results(shapes, results);
            add_ray_results(shapes, results);
            add_obb_results(shapes, results);
            add_sphere_results(shapes, results);
            if (!with_bad) add_fit_results(shapes, results);
        }
    }
}

}  // namespace broadside::test
