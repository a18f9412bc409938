// The entry points of core and narrowphase: transforms, bounds, points, moving boxes and spheres.
#include "narrowphase/src/moving_box/rows_scalar.hpp"
#include "tests/entry_points/shapes.hpp"

#include <broadside/bounds.hpp>
#include <broadside/capsule_box.hpp>
#include <broadside/closest_point.hpp>
#include <broadside/fit.hpp>
#include <broadside/moving_aabb_compat.hpp>
#include <broadside/moving_aabb_rows.hpp>
#include <broadside/sphere_overlap.hpp>
#include <broadside/volume_box.hpp>

#include <doctest/doctest.h>

namespace broadside::test {
namespace {

const MovingBoxes& bodies() {
    static const MovingBoxes made = {few_shapes().box_soa, few_shapes().displacement_view()};
    return made;
}
MovingBoxes part_of_bodies(std::size_t begin) {
    const Vec3SoaView moves = bodies().displacements;
    const std::size_t count = kShapeCount - 3;
    return {bodies().shapes.part(begin, count), {moves.x + begin, moves.y + begin, moves.z + begin, count}};
}
const MovingSpheres& balls() {
    static const MovingSpheres made = {few_shapes().sphere_view(), few_shapes().displacement_view()};
    return made;
}
MovingSpheres part_of_balls(std::size_t begin) {
    const Vec3SoaView moves = balls().displacements;
    const std::size_t count = kShapeCount - 3;
    return {balls().shapes.part(begin, count), {moves.x + begin, moves.y + begin, moves.z + begin, count}};
}
Capsule capsule(std::size_t i) {
    const EnvironmentShapes& s = few_shapes();
    return {s.spheres[i].center, s.spheres[(i + 5) % kShapeCount].center, s.spheres[i].radius};
}

void add_transforms(EntryPoints& list) {
    const EnvironmentShapes& s = few_shapes();
    using Index = std::size_t;
    add_pairwise(list, "operator*",
                 [&](Call& call, Index i, Index j) { call.add(s.transforms[i] * s.transforms[j]); });
    add_pairwise(list, "transformed_bounds (box)", [&](Call& call, Index i, Index j) {
        call.add(transformed_bounds(s.transforms[i], s.boxes[j]));
    });
    add_pairwise(list, "transformed_corner_bounds", [&](Call& call, Index i, Index j) {
        call.add(transformed_corner_bounds(s.transforms[i], s.boxes[j]));
    });
    add_pairwise(list, "obb_from_aabb",
                 [&](Call& call, Index i, Index j) { call.add(obb_from_aabb(s.transforms[i], s.boxes[j])); });
    add_pairwise(list, "bounds (Obb)", [&](Call& call, Index i, Index) { call.add(bounds(s.obbs[i])); });
    add_pairwise(list, "find_invalid_box",
                 [&](Call& call, Index i, Index) { call.add(find_invalid_box(s.box_soa, i)); });
}

// Boxes around shapes, and triangles.
void add_bounds(EntryPoints& list) {
    const EnvironmentShapes& s = few_shapes();
    list.add("BoxSoa::assign_outwards", [](Call& call) {
        static const double row[6] = {0.1, -0.1, 1e-60, 0.3, 1e300, 1e-50};
        BoxSoa boxes;
        const Status status = boxes.assign_outwards(ExactBoxView<double>::rows(row, 1, 3));
        call.add(boxes[0]);
        return status;
    });
    const std::span<float> column = list.room<float>(6 * kShapeCount);
    const auto side = [&](std::size_t i) { return column.data() + i * kShapeCount; };
    const Named<BoxSoaSpan> out = {"out_boxes",
                                   {side(0), side(1), side(2), side(3), side(4), side(5), kShapeCount}};
    const Named boxes = {"boxes_in_b", s.box_soa.view()};
    const std::span<const Transform> transforms = s.transforms;
    const std::span<const Obb> obbs = s.obbs;
    for (const Rounding rounding : {Rounding::nearest, Rounding::outward}) {
        const std::string more = rounding == Rounding::nearest ? "" : ", outward";
        list.add(
            "bounds" + more, [=](Call&, auto from, auto to) { return bounds(from, rounding, to); },
            Named("spheres", s.sphere_view()), out);
        list.add(
            "bounds" + more, [=](Call&, auto from, auto to) { return bounds(from, rounding, to); }, obbs,
            out);
        list.add(
            "transformed_bounds" + more,
            [=](Call& call, auto from, auto to) {
                return transformed_bounds(few_shapes().transforms[call.item()], from, rounding, to);
            },
            boxes, out);
        list.add(
            "transformed_bounds" + more,
            [=](Call&, auto by, auto from, auto to) { return transformed_bounds(by, from, rounding, to); },
            transforms, boxes, out);
        list.bad("a_from_b: ", [=](Call&) {
            return transformed_bounds(transforms.first(1), boxes.view, rounding, out.view);
        });
    }
    list.add(
        "triangle_bounds",
        [](Call& call, auto triangles) {
            BoxSoa found;
            const Status status = triangle_bounds(triangles, found);
            for (std::size_t i = 0; i < found.count(); ++i) call.add(found[i]);
            return status;
        },
        Named("triangles", s.triangle_soa.view()));
    // The groups of denormal triangles only, since larger triangles would decide the size of a group.
    static const std::vector<std::uint32_t> tiny = [] {
        std::vector<std::uint32_t> indices;
        for (std::uint32_t i = 0; i < 3 * kShapeCount; i += 9)
            indices.insert(indices.end(), {i, i + 1, i + 2});
        return indices;
    }();
    const auto add_groups = [](Call& call, const TriangleSoa& triangles) {
        const BoxSoaView groups = triangles.view().group_bounds;
        for (std::size_t i = 0; i < groups.count; ++i) call.add(groups[i]);
    };
    list.add(
        "TriangleSoa::assign",
        [=](Call& call, auto corners, auto indices) {
            TriangleSoa triangles;
            const auto result = triangles.assign(corners, indices);
            add_groups(call, triangles);
            return result;
        },
        std::span<const Vec3>(s.triangle_corners), std::span<const std::uint32_t>(tiny));
    list.add("TriangleSoa::update_group_bounds", [=](Call& call) {
        TriangleSoa triangles;
        (void)triangles.assign(few_shapes().triangle_corners, tiny);
        triangles.set(0, few_shapes().triangles[3]);
        const Status status = triangles.update_group_bounds();
        add_groups(call, triangles);
        return status;
    });
    list.add(
        "ObbSoa::assign",
        [](Call&, auto from) {
            ObbSoa made;
            return made.assign(from);
        },
        obbs);
}

void add_closest_points(EntryPoints& list) {
    const EnvironmentShapes& s = few_shapes();
    const auto single = [&](const char* name, const auto& of) {
        add_pairwise(list, name, [&](Call& call, std::size_t i, std::size_t j) {
            call.add(closest_point(of[i], few_shapes().points[j]));
        });
    };
    single("closest_point (box)", s.boxes);
    single("closest_point (oriented box)", s.obbs);
    single("closest_point (triangle)", s.triangles);
    const auto column = [&] { return list.room<float>(kShapeCount); };
    const auto out = unvaried(column(), column(), column(), column());
    const auto of_one = [&](const char* name, const auto& of) {
        list.add(
            name,
            [&](Call& call, auto points, const auto& to) {
                return closest_points(of[call.item()], points, to.template make<ClosestPointOutputs>());
            },
            Named("points", s.point_view()), out);
    };
    of_one("closest_points (a box)", s.boxes);
    of_one("closest_points (an oriented box)", s.obbs);
    of_one("closest_points (a triangle)", s.triangles);
    const auto of_many = [&](const char* name, const auto& of) {
        list.add(
            name,
            [](Call& call, auto from, const auto& to) {
                return closest_points(from, few_shapes().points[call.item()],
                                      to.template make<ClosestPointOutputs>());
            },
            of, out);
    };
    of_many("closest_points (boxes)", Named("boxes", s.box_soa.view()));
    of_many("closest_points (oriented boxes)", std::span<const Obb>(s.obbs));
    of_many("closest_points (triangles)", Named("triangles", s.triangle_soa.view()));
    const auto field = [&](const char* name, auto make) {
        list.add(
            name,
            [make](Call&, auto to) {
                return closest_points(few_shapes().boxes[0], few_shapes().point_view(), make(to));
            },
            column());
    };
    field("ClosestPointOutputs::x", [](auto to) { return ClosestPointOutputs{.x = to}; });
    field("ClosestPointOutputs::y", [](auto to) { return ClosestPointOutputs{.y = to}; });
    field("ClosestPointOutputs::z", [](auto to) { return ClosestPointOutputs{.z = to}; });
    field("ClosestPointOutputs::distance_sq", [](auto to) { return ClosestPointOutputs{.distance_sq = to}; });
}

void add_fits(EntryPoints& list) {
    // Without the special values, since nothing can be fitted to them; only denormal ones, and only ordinary ones.
    struct Points {
        std::vector<float> x, y, z;
        Vec3SoaView view() const { return {x.data(), y.data(), z.data(), x.size()}; }
    };
    static const std::vector<Points> sets = [] {
        std::vector<Points> made(2);
        for (std::size_t i = 0; i < kShapeCount; ++i) {
            if (i % 3 == 2) continue;
            const Vec3 point = few_shapes().points[i];
            made[i % 3].x.push_back(point.x);
            made[i % 3].y.push_back(point.y);
            made[i % 3].z.push_back(point.z);
        }
        return made;
    }();
    static const float ends[2] = {-3e38f, 3e38f};
    static const float infinite[2] = {0, std::numeric_limits<float>::infinity()};
    const auto fit = [&](const char* name, auto&& by, std::span<const Points> from) {
        for (const Points& points : from) {
            list.add(name + std::string(&points == from.data() ? "" : ", tiny"), [by, &points](Call& call) {
                const auto fitted = by(points.view());
                call.add(fitted.shape);
                return fitted.status;
            });
        }
        const auto bad = [&](const char* message, const Vec3SoaView& points) {
            list.bad(message, [by, points](Call&) { return by(points).status; });
        };
        bad("points: there are none", {});
        bad("points: a column is null though the count is not 0", {ends, ends, nullptr, 2});
        list.bad("points: one is not finite", [by](Call&) {
            const auto fitted = by({infinite, infinite, infinite, 2});
            CHECK(fitted.bad_index == 1);
            return fitted.status;
        });
        bad("points: they are further apart than a shape of floats reaches", {ends, ends, ends, 2});
    };
    fit(
        "fit_obb", [](const Vec3SoaView& points) { return fit_obb(points); }, std::span(sets).last(1));
    fit(
        "fit_sphere", [](const Vec3SoaView& points) { return fit_sphere(points); }, sets);
}

void add_moving_boxes(EntryPoints& list) {
    const EnvironmentShapes& s = few_shapes();
    using Index = std::size_t;
    add_pairwise(list, "time_of_impact (boxes)", [&](Call& call, Index i, Index j) {
        call.add(time_of_impact(s.boxes[i], s.boxes[j], s.displacements[j]));
    });
    add_pairwise(list, "time_of_impact_text_a", [&](Call& call, Index i, Index j) {
        call.add(time_of_impact_text_a(s.boxes[i], s.boxes[j], s.displacements[j]));
    });
    add_pairwise(list, "first_impact (boxes)", [&](Call& call, Index i, Index j) {
        call.add(first_impact(s.boxes[i], s.boxes[j], s.displacements[j]));
    });
    const std::span<float> times = list.room<float>(s.pairs.size());
    const std::span<Face> faces = list.room<Face>(s.pairs.size());
    const std::span<const IndexPair> pairs = s.pairs;
    const char* const impacts = "times_of_impact";
    const auto a = part_of_bodies(0);
    const auto b = part_of_bodies(3);
    list.add(
        impacts,
        [](Call&, auto first, auto second, Touch touch, auto... out) {
            return times_of_impact(first, second, touch, out...);
        },
        Named("a", a), Named("b", b), Touch::closed, times.first(kShapeCount - 3),
        faces.first(kShapeCount - 3));
    list.bad("b: ", [=](Call&) { return times_of_impact(a, MovingBoxes{}, Touch::closed, times); });
    list.add(
        impacts,
        [&](Call& call, auto boxes, Touch touch, auto... out) {
            const std::size_t i = call.item();
            return times_of_impact(s.boxes[i], s.displacements[i], boxes, touch, out...);
        },
        Named("resting", s.box_soa.view()), Touch::closed, times.first(kShapeCount),
        faces.first(kShapeCount));
    list.add(
        impacts,
        [](Call&, auto first, auto second, auto listed, Touch touch, auto... out) {
            return times_of_impact(first, second, listed, touch, out...);
        },
        Named("a", bodies()), Named("b", bodies()), pairs, Touch::closed, times, faces);
    list.add(
        impacts,
        [&](Call&, auto... spans) {
            RestingBoxRows resting;
            MovingBoxRows movers;
            (void)resting.prepare(s.box_soa);
            (void)movers.prepare(bodies());
            return times_of_impact(resting, movers, spans...);
        },
        pairs, times, faces);
    list.add(
        impacts,
        [](Call&, auto listed, Touch touch, auto... out) {
            BodyBoxRows rows;
            (void)rows.prepare(bodies());
            return times_of_impact(rows, rows, listed, touch, out...);
        },
        pairs, Touch::closed, times, faces);
    // Rows prepared in one environment and queried in another.
    const auto add_rows = [](Call& call, const auto& rows) {
        const auto* const data = reinterpret_cast<const float*>(rows.data());
        call.add_all(std::span(data, rows.count() * sizeof(*rows.data()) / sizeof(float)));
    };
    list.add(
        "RestingBoxRows::prepare",
        [=](Call& call, auto boxes) {
            RestingBoxRows rows;
            const Status status = rows.prepare(boxes);
            add_rows(call, rows);
            return status;
        },
        Named("boxes", s.box_soa.view()));
    list.add(
        "MovingBoxRows::prepare",
        [=](Call& call, auto boxes, Touch touch) {
            MovingBoxRows rows;
            const Status status = rows.prepare(boxes, touch);
            add_rows(call, rows);
            return status;
        },
        Named("boxes", bodies()), Touch::closed);
    list.add(
        "BodyBoxRows::prepare",
        [=](Call& call, auto boxes) {
            BodyBoxRows rows;
            const Status status = rows.prepare(boxes);
            add_rows(call, rows);
            return status;
        },
        Named("boxes", bodies()));
}

void add_spheres(EntryPoints& list) {
    const EnvironmentShapes& s = few_shapes();
    using Index = std::size_t;
    const auto overlap_each = [&](const char* name, auto one, const auto& others) {
        add_pairwise(list, name,
                     [one, &others](Call& call, Index i, Index j) { call.add(overlap(one(i), others[j])); });
    };
    const auto sphere = [&s](Index i) { return s.spheres[i]; };
    overlap_each("overlap (sphere, box)", sphere, s.boxes);
    overlap_each("overlap (sphere, oriented box)", sphere, s.obbs);
    overlap_each("overlap (sphere, triangle)", sphere, s.triangles);
    overlap_each("overlap (capsule, box)", capsule, s.boxes);
    add_pairwise(list, "overlap (volume, box)", [&](Call& call, Index i, Index j) {
        const Plane planes[] = {{s.displacements[i], s.spheres[j].radius},
                                {s.displacements[j], s.spheres[i].radius}};
        call.add(overlap(ConvexVolume{planes}, s.boxes[j]));
    });
    add_pairwise(list, "first_impact (capsule)", [&](Call& call, Index i, Index j) {
        call.add(first_impact(s.boxes[j], capsule(i), s.displacements[i]));
    });
    add_pairwise(list, "time_of_impact (spheres)", [&](Call& call, Index i, Index j) {
        call.add(time_of_impact(s.spheres[i], s.spheres[j], s.displacements[i], s.displacements[j]));
    });
    const std::span<float> times = list.room<float>(s.pairs.size());
    const std::span<std::uint64_t> bits = list.room<std::uint64_t>(bit_word_count(s.pairs.size()));
    const std::span<const IndexPair> pairs = s.pairs;
    const Named all_balls = {"others", balls()};
    list.add(
        "times_of_impact",
        [&](Call& call, auto others, auto out) {
            const std::size_t i = call.item();
            return times_of_impact(s.spheres[i], s.displacements[i], others, out);
        },
        all_balls, times.first(kShapeCount));
    const auto impacts = [](Call&, auto... of) { return times_of_impact(of...); };
    const MovingSpheres a = part_of_balls(0);
    list.add("times_of_impact", impacts, Named("a", a), Named("b", part_of_balls(3)),
             times.first(kShapeCount - 3));
    list.bad("b: ", [=](Call&) { return times_of_impact(a, MovingSpheres{}, times); });
    list.add("times_of_impact", impacts, all_balls, all_balls, pairs, times);

    const auto overlaps_of = [&](auto one, auto many) {
        list.add(
            "overlaps", [one](Call& call, auto of, auto out) { return overlaps(one(call.item()), of, out); },
            many, bits.first(1));
    };
    const Named boxes = {"boxes", s.box_soa.view()};
    const Named spheres = {"spheres", s.sphere_view()};
    overlaps_of([&s](Index i) { return s.boxes[i]; }, boxes);
    overlaps_of(capsule, boxes);
    overlaps_of(sphere, spheres);
    overlaps_of(sphere, boxes);
    overlaps_of(sphere, std::span<const Obb>(s.obbs));
    overlaps_of(sphere, Named("triangles", s.triangle_soa.view()));
    overlaps_of([&s](Index i) { return s.boxes[i]; }, spheres);
    overlaps_of([&s](Index i) { return s.obbs[i]; }, spheres);
    overlaps_of([&s](Index i) { return s.triangles[i]; }, spheres);
    list.add(
        "overlaps", [](Call&, auto... of) { return overlaps(of...); }, Named("a", s.box_soa.view()),
        Named("b", s.box_soa.view()), pairs, bits);
}

}  // namespace

void add_narrowphase(EntryPoints& list) {
    add_transforms(list);
    add_bounds(list);
    add_closest_points(list);
    add_fits(list);
    add_moving_boxes(list);
    add_spheres(list);
}

}  // namespace broadside::test
