// Results of core and narrowphase, single and batched, in any floating-point environment.
#include "narrowphase/src/moving_box/rows_scalar.hpp"
#include "tests/support/environment_shapes.hpp"
#include "tests/support/foreign_environment.hpp"

#include <broadside/bounds.hpp>
#include <broadside/capsule_box.hpp>
#include <broadside/closest_point.hpp>
#include <broadside/fit.hpp>
#include <broadside/moving_aabb_compat.hpp>
#include <broadside/moving_aabb_rows.hpp>
#include <broadside/moving_sphere.hpp>
#include <broadside/obb_obb.hpp>
#include <broadside/obb_triangle.hpp>
#include <broadside/obb_triangle_compat.hpp>
#include <broadside/ray_box4.hpp>
#include <broadside/ray_box_compat.hpp>
#include <broadside/ray_sphere.hpp>
#include <broadside/sphere_overlap.hpp>
#include <broadside/volume_box.hpp>

using namespace broadside;
using namespace broadside::test;

namespace {

constexpr std::size_t kEnvironmentCount = 63;

const EnvironmentShapes& shapes() {
    static const EnvironmentShapes made(kEnvironmentCount);
    return made;
}

using Calls = std::vector<EnvironmentCall>;

// `ask(answers, i, j)` for items of the same kind, denormal, rounded or special.
template <class Ask>
EnvironmentCall for_pairs(const char* name, Ask ask) {
    return {name, [ask](const TaskRunner*, ResultBytes& answers) {
                for (std::size_t i = 0; i < kEnvironmentCount; ++i) {
                    for (std::size_t step = 0; step < 4; ++step)
                        ask(answers, i, (i + 3 * step) % kEnvironmentCount);
                }
            }};
}

// `ask(item, outputs...)` for one item of each kind, or all items if the batch takes two lists.
template <class T, class Ask>
EnvironmentCall batch(const char* name, std::size_t size, Ask ask, std::size_t item_count = 3) {
    return {name, [=](const TaskRunner*, ResultBytes& answers) {
                std::vector<T> out(size);
                for (std::size_t item = 0; item < item_count; ++item) {
                    answers.add(ask(item, std::span<T>(out)).status);
                    answers.add_all(out);
                }
            }};
}
template <class Ask>
EnvironmentCall bit_batch(const char* name, std::size_t size, Ask ask, std::size_t item_count = 3) {
    return batch<std::uint64_t>(name, bit_word_count(size), ask, item_count);
}
// `ask(item, numbers, seconds)` of a batch with two outputs.
template <class Second, class Ask>
EnvironmentCall double_batch(const char* name, std::size_t size, Ask ask, std::size_t item_count = 3) {
    return {name, [=](const TaskRunner*, ResultBytes& answers) {
                std::vector<float> numbers(size);
                std::vector<Second> seconds(size);
                for (std::size_t item = 0; item < item_count; ++item) {
                    answers.add(ask(item, std::span(numbers), std::span(seconds)).status);
                    answers.add_all(numbers);
                    answers.add_all(seconds);
                }
            }};
}

Calls core_calls() {
    const EnvironmentShapes& s = shapes();
    return {
        for_pairs("Transform * Transform",
                  [&](ResultBytes& answers, std::size_t i, std::size_t j) {
                      answers.add(s.transforms[i] * s.transforms[j]);
                  }),
        for_pairs("transformed_bounds",
                  [&](ResultBytes& answers, std::size_t i, std::size_t j) {
                      answers.add(transformed_bounds(s.transforms[i], s.boxes[j]));
                  }),
        for_pairs("transformed_corner_bounds",
                  [&](ResultBytes& answers, std::size_t i, std::size_t j) {
                      answers.add(transformed_corner_bounds(s.transforms[i], s.boxes[j]));
                  }),
        for_pairs("obb_from_aabb",
                  [&](ResultBytes& answers, std::size_t i, std::size_t j) {
                      answers.add(obb_from_aabb(s.transforms[i], s.boxes[j]));
                  }),
        for_pairs("bounds of an Obb",
                  [&](ResultBytes& answers, std::size_t i, std::size_t) { answers.add(bounds(s.obbs[i])); }),
        for_pairs("find_invalid_box", [&](ResultBytes& answers, std::size_t i,
                                          std::size_t) { answers.add(find_invalid_box(s.box_soa, i)); }),
    };
}

// The groups of denormal triangles only, since larger triangles would decide the size of a group.
const std::vector<std::uint32_t>& tiny_triangle_indices() {
    static const std::vector<std::uint32_t> made = [] {
        std::vector<std::uint32_t> indices;
        for (std::uint32_t i = 0; i < kEnvironmentCount; i += 3) {
            for (std::uint32_t corner = 0; corner < 3; ++corner) indices.push_back(3 * i + corner);
        }
        return indices;
    }();
    return made;
}

// Boxes around shapes, and triangles.
Calls bounds_calls() {
    const EnvironmentShapes& s = shapes();
    const auto boxes = [](const char* name, auto ask) {
        return EnvironmentCall{name, [ask](const TaskRunner*, ResultBytes& answers) {
                                   for (const Rounding rounding : {Rounding::nearest, Rounding::outward}) {
                                       BoxSoa out;
                                       (void)out.resize(kEnvironmentCount);
                                       answers.add(ask(rounding, BoxSoaSpan(out)).status);
                                       for (std::size_t i = 0; i < kEnvironmentCount; ++i)
                                           answers.add(out[i]);
                                   }
                               }};
    };
    return {
        boxes("bounds of spheres",
              [&](Rounding rounding, BoxSoaSpan out) { return bounds(s.sphere_view(), rounding, out); }),
        boxes("bounds of oriented boxes",
              [&](Rounding rounding, BoxSoaSpan out) { return bounds(s.obbs, rounding, out); }),
        boxes("transformed_bounds by one",
              [&](Rounding rounding, BoxSoaSpan out) {
                  return transformed_bounds(s.transforms[0], s.box_soa, rounding, out);
              }),
        boxes("transformed_bounds by many",
              [&](Rounding rounding, BoxSoaSpan out) {
                  return transformed_bounds(s.transforms, s.box_soa, rounding, out);
              }),
        {"triangle_bounds",
         [&](const TaskRunner*, ResultBytes& answers) {
             BoxSoa out;
             answers.add(triangle_bounds(s.triangle_soa, out));
             for (std::size_t i = 0; i < kEnvironmentCount; ++i) answers.add(out[i]);
         }},
        {"TriangleSoa::assign and update_group_bounds",
         [&](const TaskRunner*, ResultBytes& answers) {
             TriangleSoa triangles;
             answers.add(triangles.assign(s.triangle_corners, tiny_triangle_indices()).status);
             const auto add_groups = [&] {
                 const BoxSoaView groups = triangles.view().group_bounds;
                 for (std::size_t i = 0; i < groups.count; ++i) answers.add(groups[i]);
             };
             add_groups();
             triangles.set(0, s.triangles[3]);
             answers.add(triangles.update_group_bounds());
             add_groups();
         }},
    };
}

Calls closest_point_calls() {
    const EnvironmentShapes& s = shapes();
    const auto single = [&](const char* name, const auto& list) {
        return for_pairs(name, [&](ResultBytes& answers, std::size_t i, std::size_t j) {
            const ClosestPoint closest = closest_point(list[i], s.points[j]);
            answers.add(closest.point, closest.distance_sq);
        });
    };
    const auto points = [](const char* name, auto ask) {
        return EnvironmentCall{name, [ask](const TaskRunner*, ResultBytes& answers) {
                                   std::vector<float> x(kEnvironmentCount), y(kEnvironmentCount),
                                       z(kEnvironmentCount), distance_sq(kEnvironmentCount);
                                   for (std::size_t item = 0; item < 3; ++item) {
                                       answers.add(ask(item, {x, y, z, distance_sq}).status);
                                       for (const auto* out : {&x, &y, &z, &distance_sq})
                                           answers.add_all(*out);
                                   }
                               }};
    };
    using Out = const ClosestPointOutputs&;
    return {
        single("closest_point of a box", s.boxes),
        single("closest_point of an oriented box", s.obbs),
        single("closest_point of a triangle", s.triangles),
        points("closest_points of a box",
               [&](std::size_t i, Out out) { return closest_points(s.boxes[i], s.point_view(), out); }),
        points("closest_points of an oriented box",
               [&](std::size_t i, Out out) { return closest_points(s.obbs[i], s.point_view(), out); }),
        points("closest_points of a triangle",
               [&](std::size_t i, Out out) { return closest_points(s.triangles[i], s.point_view(), out); }),
        points("closest_points of boxes",
               [&](std::size_t i, Out out) { return closest_points(s.box_soa, s.points[i], out); }),
        points("closest_points of oriented boxes",
               [&](std::size_t i, Out out) { return closest_points(s.obbs, s.points[i], out); }),
        points("closest_points of triangles",
               [&](std::size_t i, Out out) { return closest_points(s.triangle_soa, s.points[i], out); }),
    };
}

Calls fit_calls() {
    // Without the special values, since nothing can be fitted to them; only denormal ones, and only ordinary
    // ones.
    struct Points {
        std::vector<float> x, y, z;
        Vec3SoaView view() const { return {x.data(), y.data(), z.data(), x.size()}; }
    };
    static const std::vector<Points> sets = [] {
        std::vector<Points> made(2);
        for (std::size_t i = 0; i < kEnvironmentCount; ++i) {
            if (i % 3 == 2) continue;
            const Vec3 point = shapes().points[i];
            made[i % 3].x.push_back(point.x);
            made[i % 3].y.push_back(point.y);
            made[i % 3].z.push_back(point.z);
        }
        return made;
    }();
    return {
        {"fit_obb",
         [](const TaskRunner*, ResultBytes& answers) {
             const Fitted<Obb> fitted = fit_obb(sets[1].view());
             answers.add(fitted.status, fitted.shape);
         }},
        {"fit_sphere",
         [](const TaskRunner*, ResultBytes& answers) {
             for (const Points& points : sets) {
                 const Fitted<Sphere> fitted = fit_sphere(points.view());
                 answers.add(fitted.status, fitted.shape);
             }
         }},
    };
}

Calls moving_box_calls() {
    const EnvironmentShapes& s = shapes();
    static const MovingBoxes bodies = {s.box_soa, s.displacement_view()};
    using Times = std::span<float>;
    using Faces = std::span<Face>;
    return {
        for_pairs("time_of_impact of boxes",
                  [&](ResultBytes& answers, std::size_t i, std::size_t j) {
                      answers.add(time_of_impact(s.boxes[i], s.boxes[j], s.displacements[j]));
                  }),
        for_pairs("time_of_impact_text_a",
                  [&](ResultBytes& answers, std::size_t i, std::size_t j) {
                      answers.add(time_of_impact_text_a(s.boxes[i], s.boxes[j], s.displacements[j]));
                  }),
        for_pairs("first_impact",
                  [&](ResultBytes& answers, std::size_t i, std::size_t j) {
                      answers.add(first_impact(s.boxes[i], s.boxes[j], s.displacements[j]));
                  }),
        double_batch<Face>(
            "times_of_impact of boxes", kEnvironmentCount - 3,
            [&](std::size_t, Times times, Faces faces) {
                const Vec3SoaView moves = bodies.displacements;
                const MovingBoxes a = {bodies.boxes.part(0, kEnvironmentCount - 3),
                                       {moves.x, moves.y, moves.z, kEnvironmentCount - 3}};
                const MovingBoxes b = {bodies.boxes.part(3, kEnvironmentCount - 3),
                                       {moves.x + 3, moves.y + 3, moves.z + 3, kEnvironmentCount - 3}};
                return times_of_impact(a, b, Touch::closed, times, faces);
            },
            1),
        double_batch<Face>("times_of_impact of one mover", kEnvironmentCount,
                           [&](std::size_t i, Times times, Faces faces) {
                               return times_of_impact(s.boxes[i], s.displacements[i], s.box_soa,
                                                      Touch::closed, times, faces);
                           }),
        double_batch<Face>(
            "times_of_impact of pairs of boxes", s.pairs.size(),
            [&](std::size_t, Times times, Faces faces) {
                return times_of_impact(bodies, bodies, s.pairs, Touch::closed, times, faces);
            },
            1),
        double_batch<Face>(
            "rows of resting and moving boxes", s.pairs.size(),
            [&](std::size_t, Times times, Faces faces) {
                RestingBoxRows resting;
                MovingBoxRows movers;
                (void)resting.prepare(s.box_soa);
                (void)movers.prepare(bodies);
                return times_of_impact(resting, movers, s.pairs, times, faces);
            },
            1),
        double_batch<Face>(
            "rows of bodies", s.pairs.size(),
            [&](std::size_t, Times times, Faces faces) {
                BodyBoxRows rows;
                (void)rows.prepare(bodies);
                return times_of_impact(rows, rows, s.pairs, Touch::closed, times, faces);
            },
            1),
        bit_batch("overlaps of a box", kEnvironmentCount,
                  [&](std::size_t i, std::span<std::uint64_t> bits) {
                      return overlaps(s.boxes[i], s.box_soa, bits);
                  }),
        bit_batch(
            "overlaps of pairs of boxes", s.pairs.size(),
            [&](std::size_t, std::span<std::uint64_t> bits) {
                return overlaps(s.box_soa, s.box_soa, s.pairs, bits);
            },
            1),
    };
}

// Rows prepared in one environment and queried in another.
Calls row_calls() {
    const EnvironmentShapes& s = shapes();
    const auto add_bytes = [](ResultBytes& answers, const float* numbers, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) answers.add(numbers[i]);
    };
    static const MovingBoxes bodies = {s.box_soa, s.displacement_view()};
    return {
        {"RestingBoxRows::prepare",
         [=, &s](const TaskRunner*, ResultBytes& answers) {
             RestingBoxRows rows;
             answers.add(rows.prepare(s.box_soa));
             for (std::size_t i = 0; i < rows.count(); ++i) add_bytes(answers, &rows.data()[i].min.x, 8);
         }},
        {"MovingBoxRows::prepare",
         [=](const TaskRunner*, ResultBytes& answers) {
             MovingBoxRows rows;
             answers.add(rows.prepare(bodies));
             for (std::size_t i = 0; i < rows.count(); ++i) add_bytes(answers, &rows.data()[i].max.x, 16);
         }},
        {"BodyBoxRows::prepare",
         [=](const TaskRunner*, ResultBytes& answers) {
             BodyBoxRows rows;
             answers.add(rows.prepare(bodies));
             for (std::size_t i = 0; i < rows.count(); ++i) add_bytes(answers, &rows.data()[i].min.x, 12);
         }},
    };
}

Calls obb_calls() {
    const EnvironmentShapes& s = shapes();
    using Numbers = std::span<float>;
    using Axes = std::span<ObbAxis>;
    using Bits = std::span<std::uint64_t>;
    return {
        for_pairs("overlap of oriented boxes",
                  [&](ResultBytes& answers, std::size_t i, std::size_t j) {
                      answers.add(overlap(s.obbs[i], s.obbs[j]));
                  }),
        for_pairs("obb_contact",
                  [&](ResultBytes& answers, std::size_t i, std::size_t j) {
                      const ObbContact contact = obb_contact(s.obbs[i], s.obbs[j]);
                      answers.add(contact.depth, contact.axis);
                  }),
        for_pairs("first_impact of oriented boxes",
                  [&](ResultBytes& answers, std::size_t i, std::size_t j) {
                      const ObbImpact impact =
                          first_impact(s.obbs[i], s.displacements[i], s.obbs[j], s.displacements[j]);
                      answers.add(impact.toi, impact.axis);
                  }),
        for_pairs("contact_normal of oriented boxes",
                  [&](ResultBytes& answers, std::size_t i, std::size_t j) {
                      for (const ObbAxis axis : {ObbAxis::a_y, ObbAxis::b_x, ObbAxis::y_z})
                          answers.add(contact_normal(s.obbs[i], s.obbs[j], axis));
                  }),
        bit_batch("overlaps of oriented boxes", kEnvironmentCount,
                  [&](std::size_t i, Bits bits) { return overlaps(s.obbs[i], s.obb_soa, bits); }),
        double_batch<ObbAxis>("obb_contacts", kEnvironmentCount,
                              [&](std::size_t i, Numbers depths, Axes axes) {
                                  return obb_contacts(s.obbs[i], s.obb_soa, depths, axes);
                              }),
        double_batch<ObbAxis>("times_of_impact of oriented boxes", kEnvironmentCount,
                              [&](std::size_t i, Numbers times, Axes axes) {
                                  return times_of_impact(s.obbs[i], s.displacements[i], s.obb_soa,
                                                         s.displacement_view(), times, axes);
                              }),
        bit_batch(
            "overlaps of pairs of oriented boxes", s.pairs.size(),
            [&](std::size_t, Bits bits) { return overlaps(s.obbs, s.obbs, s.pairs, bits); }, 1),
        double_batch<ObbAxis>(
            "obb_contacts of pairs", s.pairs.size(),
            [&](std::size_t, Numbers depths, Axes axes) {
                return obb_contacts(s.obbs, s.obbs, s.pairs, depths, axes);
            },
            1),
        double_batch<ObbAxis>(
            "times_of_impact of pairs of oriented boxes", s.pairs.size(),
            [&](std::size_t, Numbers times, Axes axes) {
                return times_of_impact(s.obbs, s.displacements, s.obbs, s.displacements, s.pairs, times,
                                       axes);
            },
            1),
    };
}

Calls triangle_calls() {
    const EnvironmentShapes& s = shapes();
    return {
        for_pairs("overlap of oriented box and triangle",
                  [&](ResultBytes& answers, std::size_t i, std::size_t j) {
                      answers.add(overlap(s.obbs[i], s.triangles[j]));
                  }),
        for_pairs("first_impact of a triangle",
                  [&](ResultBytes& answers, std::size_t i, std::size_t j) {
                      const TriangleImpact impact =
                          first_impact(s.obbs[i], s.displacements[i], s.triangles[j], s.displacements[j]);
                      answers.add(impact.toi, impact.axis);
                  }),
        for_pairs("swept_overlap",
                  [&](ResultBytes& answers, std::size_t i, std::size_t j) {
                      answers.add(
                          swept_overlap(s.obbs[i], s.displacements[i], s.triangles[j], s.displacements[j]));
                  }),
        for_pairs("swept_overlap_7_axes",
                  [&](ResultBytes& answers, std::size_t i, std::size_t j) {
                      answers.add(swept_overlap_7_axes(s.obbs[i], s.displacements[i], s.triangles[j],
                                                       s.displacements[j]));
                  }),
        for_pairs("contact_normal of oriented box and triangle",
                  [&](ResultBytes& answers, std::size_t i, std::size_t j) {
                      for (const ContactAxis axis :
                           {ContactAxis::box_y, ContactAxis::triangle_normal, ContactAxis::y_bc})
                          answers.add(contact_normal(s.obbs[i], s.triangles[j], axis));
                  }),
    };
}

Calls triangle_batch_calls() {
    const EnvironmentShapes& s = shapes();
    using Times = std::span<float>;
    using Axes = std::span<ContactAxis>;
    using Bits = std::span<std::uint64_t>;
    return {
        bit_batch("overlaps of triangles", kEnvironmentCount,
                  [&](std::size_t i, Bits bits) { return overlaps(s.obbs[i], s.triangle_soa, bits); }),
        double_batch<ContactAxis>("times_of_impact of triangles", kEnvironmentCount,
                                  [&](std::size_t i, Times times, Axes axes) {
                                      return times_of_impact(s.obbs[i], s.displacements[i], s.triangle_soa,
                                                             s.displacements[i + 3], times, axes);
                                  }),
        bit_batch("swept_overlaps", kEnvironmentCount,
                  [&](std::size_t i, Bits bits) {
                      return swept_overlaps(s.obbs[i], s.displacements[i], s.triangle_soa,
                                            s.displacements[i + 3], bits);
                  }),
        bit_batch("overlaps of a triangle", kEnvironmentCount,
                  [&](std::size_t i, Bits bits) { return overlaps(s.obb_soa, s.triangles[i], bits); }),
        double_batch<ContactAxis>("times_of_impact of a triangle", kEnvironmentCount,
                                  [&](std::size_t i, Times times, Axes axes) {
                                      return times_of_impact(s.obb_soa, s.displacement_view(), s.triangles[i],
                                                             s.displacements[i], times, axes);
                                  }),
        bit_batch(
            "overlaps of listed triangles, structs", kEnvironmentCount,
            [&](std::size_t i, Bits bits) { return overlaps(s.obbs[i], s.triangles, s.all_indices, bits); }),
        bit_batch("overlaps of listed triangles, arrays", kEnvironmentCount,
                  [&](std::size_t i, Bits bits) {
                      return overlaps(s.obbs[i], s.triangle_soa.view(), s.all_indices, bits);
                  }),
        double_batch<ContactAxis>("times_of_impact of listed triangles, structs", kEnvironmentCount,
                                  [&](std::size_t i, Times times, Axes axes) {
                                      return times_of_impact(s.obbs[i], s.displacements[i],
                                                             std::span(s.triangles), s.displacements[i + 3],
                                                             s.all_indices, times, axes);
                                  }),
        double_batch<ContactAxis>("times_of_impact of listed triangles, arrays", kEnvironmentCount,
                                  [&](std::size_t i, Times times, Axes axes) {
                                      return times_of_impact(s.obbs[i], s.displacements[i],
                                                             s.triangle_soa.view(), s.displacements[i + 3],
                                                             s.all_indices, times, axes);
                                  }),
        bit_batch(
            "overlaps of pairs with triangles, structs", s.pairs.size(),
            [&](std::size_t, Bits bits) { return overlaps(s.obbs, std::span(s.triangles), s.pairs, bits); },
            1),
        bit_batch(
            "overlaps of pairs with triangles, arrays", s.pairs.size(),
            [&](std::size_t, Bits bits) { return overlaps(s.obbs, s.triangle_soa.view(), s.pairs, bits); },
            1),
        double_batch<ContactAxis>("times_of_impact of pairs with triangles, structs", s.pairs.size(),
                                  [&](std::size_t i, Times times, Axes axes) {
                                      return times_of_impact(s.obbs, s.displacements, std::span(s.triangles),
                                                             s.displacements[i], s.pairs, times, axes);
                                  }),
        double_batch<ContactAxis>("times_of_impact of pairs with triangles, arrays", s.pairs.size(),
                                  [&](std::size_t i, Times times, Axes axes) {
                                      return times_of_impact(s.obbs, s.displacements, s.triangle_soa.view(),
                                                             s.displacements[i], s.pairs, times, axes);
                                  }),
    };
}

// All outputs of the batches of rays against boxes at once.
struct RayBoxLists {
    explicit RayBoxLists(std::size_t count)
        : t_enter(count), t_exit(count), face(count), hit_bits(bit_word_count(count)) {}
    RayOutputs outputs() { return {t_enter, t_exit, face, hit_bits}; }
    void add_to(ResultBytes& answers) const {
        answers.add_all(t_enter);
        answers.add_all(t_exit);
        answers.add_all(face);
        answers.add_all(hit_bits);
    }

    std::vector<float> t_enter, t_exit;
    std::vector<Face> face;
    std::vector<std::uint64_t> hit_bits;
};

Calls ray_calls() {
    const EnvironmentShapes& s = shapes();
    return {
        for_pairs("ray_box",
                  [&](ResultBytes& answers, std::size_t i, std::size_t j) {
                      for (const Inside inside : {Inside::zero, Inside::negative_t}) {
                          const RayBoxHit hit = ray_box(s.rays[i], s.boxes[j], {.inside = inside});
                          answers.add(hit.t_enter, hit.t_exit, hit.has_hit, hit.face);
                      }
                  }),
        {"ray_boxes",
         [&](const TaskRunner*, ResultBytes& answers) {
             for (std::size_t i = 0; i < 6; ++i) {
                 RayBoxLists lists(kEnvironmentCount);
                 answers.add(
                     ray_boxes(s.rays[i], s.box_soa, {.is_conservative = i < 3}, lists.outputs()).status);
                 lists.add_to(answers);
             }
         }},
        bit_batch(
            "ray_boxes of many rays", kEnvironmentCount * 64,
            [&](std::size_t, std::span<std::uint64_t> bits) {
                return ray_boxes(s.rays, s.box_soa, {}, bits);
            },
            1),
        batch<TreeHit>(
            "closest_hits", kEnvironmentCount,
            [&](std::size_t, std::span<TreeHit> out) { return closest_hits(s.rays, s.box_soa, {}, out); }, 1),
        {"ray_boxes of pairs",
         [&](const TaskRunner*, ResultBytes& answers) {
             RayBoxLists lists(s.pairs.size());
             answers.add(ray_boxes(s.rays, s.box_soa, s.pairs, {}, lists.outputs()).status);
             lists.add_to(answers);
         }},
        for_pairs("prepare_ray",
                  [&](ResultBytes& answers, std::size_t i, std::size_t) {
                      const PreparedRay ray = prepare_ray(s.rays[i], {.is_conservative = true});
                      answers.add(ray.origin, ray.inv_direction, ray.inv_direction_far, ray.t_max,
                                  ray.accept_floor, ray.report_floor);
                  }),
        for_pairs("ray_box_box2d",
                  [&](ResultBytes& answers, std::size_t i, std::size_t j) {
                      const Impact impact = ray_box_box2d(s.boxes[j], s.rays[i].origin, s.points[j]);
                      answers.add(impact.toi, impact.face);
                  }),
        for_pairs("ray_box_text_d",
                  [&](ResultBytes& answers, std::size_t i, std::size_t j) {
                      answers.add(ray_box_text_d(s.boxes[j], s.rays[i].origin, s.rays[i].direction));
                  }),
    };
}

// Nodes of four boxes of the same kind, prepared in the default environment.
const std::vector<Box4>& nodes() {
    static const std::vector<Box4> made = [] {
        std::vector<Box4> list(kEnvironmentCount);
        for (std::size_t i = 0; i < kEnvironmentCount; ++i) {
            for (unsigned lane = 0; lane < 4; ++lane)
                list[i].set(lane, shapes().boxes[(i + 3 * std::size_t{lane}) % kEnvironmentCount]);
        }
        return list;
    }();
    return made;
}
const std::vector<PreparedRay>& prepared_rays() {
    static const std::vector<PreparedRay> made = [] {
        std::vector<PreparedRay> list;
        for (const Ray& ray : shapes().rays) list.push_back(prepare_ray(ray));
        return list;
    }();
    return made;
}
// Four rays of the same kind.
std::vector<Ray> four_rays(std::size_t i) {
    std::vector<Ray> rays;
    for (std::size_t lane = 0; lane < 4; ++lane)
        rays.push_back(shapes().rays[(i + 3 * lane) % kEnvironmentCount]);
    return rays;
}
const std::vector<Ray4>& packets() {
    static const std::vector<Ray4> made = [] {
        std::vector<Ray4> list;
        for (std::size_t i = 0; i < kEnvironmentCount; ++i) list.push_back(prepare_ray4(four_rays(i)));
        return list;
    }();
    return made;
}

Calls four_wide_calls() {
    const EnvironmentShapes& s = shapes();
    const auto add_hit = [](ResultBytes& answers, const RayBoxHit4& hit) {
        answers.add(hit.hits.bits);
        answers.add_all(hit.t_enter);
    };
    const auto hits = [](const char* name, auto ask) {
        return EnvironmentCall{name, [ask](const TaskRunner*, ResultBytes& answers) {
                                   for (std::size_t item = 0; item < 6; ++item) {
                                       std::vector<Mask4> masks(kEnvironmentCount);
                                       std::vector<float> t_enter(4 * kEnvironmentCount);
                                       answers.add(ask(item, std::span(masks), std::span(t_enter)).status);
                                       for (const Mask4 mask : masks) answers.add(mask.bits);
                                       answers.add_all(t_enter);
                                   }
                               }};
    };
    const std::vector<Box4>& boxes4 = nodes();
    const std::vector<PreparedRay>& rays = prepared_rays();
    const std::vector<Ray4>& rays4 = packets();
    return {
        for_pairs("prepare_ray4",
                  [&](ResultBytes& answers, std::size_t i, std::size_t) {
                      const Ray4 ray4 = prepare_ray4(four_rays(i));
                      for (unsigned lane = 0; lane < 4; ++lane) {
                          const PreparedRay ray = ray4[lane];
                          answers.add(ray.origin, ray.inv_direction, ray.inv_direction_far, ray.t_max);
                      }
                  }),
        for_pairs("ray_box of four boxes",
                  [&, add_hit](ResultBytes& answers, std::size_t i, std::size_t j) {
                      add_hit(answers, ray_box(rays[i], boxes4[j]));
                  }),
        for_pairs("ray_box of four rays",
                  [&, add_hit](ResultBytes& answers, std::size_t i, std::size_t j) {
                      add_hit(answers, ray_box(rays4[i], s.boxes[j]));
                  }),
        hits("ray_boxes of nodes",
             [&](std::size_t i, std::span<Mask4> masks, std::span<float> t_enter) {
                 return ray_boxes(rays[i], boxes4, masks, t_enter);
             }),
        hits("ray_boxes of four rays",
             [&](std::size_t i, std::span<Mask4> masks, std::span<float> t_enter) {
                 return ray_boxes(rays4[i], s.box_soa, masks, t_enter);
             }),
    };
}

Calls sphere_calls() {
    const EnvironmentShapes& s = shapes();
    static const MovingSpheres bodies = {s.sphere_view(), s.displacement_view()};
    using Times = std::span<float>;
    static const auto capsule = [](std::size_t i) {
        const EnvironmentShapes& of = shapes();
        return Capsule{of.spheres[i].center, of.spheres[(i + 5) % kEnvironmentCount].center,
                       of.spheres[i].radius};
    };
    return {
        for_pairs("overlap of spheres and boxes",
                  [&](ResultBytes& answers, std::size_t i, std::size_t j) {
                      answers.add(overlap(s.spheres[i], s.boxes[j]));
                  }),
        for_pairs("overlap of capsules and boxes",
                  [&](ResultBytes& answers, std::size_t i, std::size_t j) {
                      answers.add(overlap(capsule(i), s.boxes[j]));
                  }),
        for_pairs("overlap of volumes and boxes",
                  [&](ResultBytes& answers, std::size_t i, std::size_t j) {
                      const Plane planes[] = {{s.displacements[i], s.spheres[j].radius},
                                              {s.displacements[j], s.spheres[i].radius}};
                      answers.add(overlap(ConvexVolume{planes}, s.boxes[j]));
                  }),
        bit_batch("overlaps of one capsule with boxes", kEnvironmentCount,
                  [&](std::size_t i, std::span<std::uint64_t> bits) {
                      return overlaps(capsule(i), s.box_soa, bits);
                  }),
        for_pairs("first_impact of capsules and boxes",
                  [&](ResultBytes& answers, std::size_t i, std::size_t j) {
                      const Impact impact = first_impact(s.boxes[j], capsule(i), s.displacements[i]);
                      answers.add(impact.toi, impact.face);
                  }),
        for_pairs("overlap of spheres and oriented boxes",
                  [&](ResultBytes& answers, std::size_t i, std::size_t j) {
                      answers.add(overlap(s.spheres[i], s.obbs[j]));
                  }),
        for_pairs("overlap of spheres and triangles",
                  [&](ResultBytes& answers, std::size_t i, std::size_t j) {
                      answers.add(overlap(s.spheres[i], s.triangles[j]));
                  }),
        for_pairs("time_of_impact of spheres",
                  [&](ResultBytes& answers, std::size_t i, std::size_t j) {
                      answers.add(
                          time_of_impact(s.spheres[i], s.spheres[j], s.displacements[i], s.displacements[j]));
                  }),
        batch<float>("times_of_impact of one sphere", kEnvironmentCount,
                     [&](std::size_t i, Times times) {
                         return times_of_impact(s.spheres[i], s.displacements[i], bodies, times);
                     }),
        batch<float>(
            "times_of_impact of spheres", kEnvironmentCount - 3,
            [&](std::size_t, Times times) {
                const Vec3SoaView moves = bodies.displacements;
                const MovingSpheres a = {bodies.spheres.part(0, kEnvironmentCount - 3),
                                         {moves.x, moves.y, moves.z, kEnvironmentCount - 3}};
                const MovingSpheres b = {bodies.spheres.part(3, kEnvironmentCount - 3),
                                         {moves.x + 3, moves.y + 3, moves.z + 3, kEnvironmentCount - 3}};
                return times_of_impact(a, b, times);
            },
            1),
        batch<float>(
            "times_of_impact of pairs of spheres", s.pairs.size(),
            [&](std::size_t, Times times) { return times_of_impact(bodies, bodies, s.pairs, times); }, 1),
        for_pairs("ray_sphere",
                  [&](ResultBytes& answers, std::size_t i, std::size_t j) {
                      const RaySphereHit hit = ray_sphere(s.rays[i], s.spheres[j]);
                      answers.add(hit.t_enter, hit.t_exit, hit.has_hit);
                  }),
        {"ray_spheres",
         [&](const TaskRunner*, ResultBytes& answers) {
             for (std::size_t i = 0; i < 6; ++i) {
                 RayBoxLists lists(kEnvironmentCount);
                 answers.add(ray_spheres(s.rays[i], s.sphere_view(), {}, lists.outputs()).status);
                 lists.add_to(answers);
             }
         }},
        {"closest_hits of spheres",
         [&](const TaskRunner*, ResultBytes& answers) {
             std::vector<TreeHit> closest(kEnvironmentCount);
             answers.add(closest_hits(s.rays, s.sphere_view(), {}, closest).status);
             for (const TreeHit& found : closest) answers.add(found.t, found.target);
         }},
    };
}

Calls sphere_batch_calls() {
    const EnvironmentShapes& s = shapes();
    using Bits = std::span<std::uint64_t>;
    return {
        bit_batch("overlaps of spheres", kEnvironmentCount,
                  [&](std::size_t i, Bits bits) { return overlaps(s.spheres[i], s.sphere_view(), bits); }),
        bit_batch("overlaps of a sphere and boxes", kEnvironmentCount,
                  [&](std::size_t i, Bits bits) { return overlaps(s.spheres[i], s.box_soa, bits); }),
        bit_batch("overlaps of a sphere and oriented boxes", kEnvironmentCount,
                  [&](std::size_t i, Bits bits) { return overlaps(s.spheres[i], s.obbs, bits); }),
        bit_batch("overlaps of a sphere and triangles", kEnvironmentCount,
                  [&](std::size_t i, Bits bits) { return overlaps(s.spheres[i], s.triangle_soa, bits); }),
        bit_batch("overlaps of a box and spheres", kEnvironmentCount,
                  [&](std::size_t i, Bits bits) { return overlaps(s.boxes[i], s.sphere_view(), bits); }),
        bit_batch("overlaps of an oriented box and spheres", kEnvironmentCount,
                  [&](std::size_t i, Bits bits) { return overlaps(s.obbs[i], s.sphere_view(), bits); }),
        bit_batch("overlaps of a triangle and spheres", kEnvironmentCount,
                  [&](std::size_t i, Bits bits) { return overlaps(s.triangles[i], s.sphere_view(), bits); }),
    };
}

}  // namespace

TEST_CASE("single queries and batches return the same bits in every floating-point environment") {
    for (const auto& calls : {core_calls(), bounds_calls(), closest_point_calls(), moving_box_calls(),
                              row_calls(), obb_calls(), triangle_calls(), triangle_batch_calls(), ray_calls(),
                              four_wide_calls(), sphere_calls(), sphere_batch_calls()}) {
        check_in_every_environment(calls, all_environments());
    }
}

TEST_CASE("fitting returns the same bits in every floating-point environment") {
    check_in_every_environment(fit_calls(), all_environments());
}
