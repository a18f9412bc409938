// The entry points of the narrowphase: oriented boxes, triangles and rays.
#include "tests/entry_points/shapes.hpp"

#include <broadside/obb_obb.hpp>
#include <broadside/obb_triangle.hpp>
#include <broadside/obb_triangle_compat.hpp>
#include <broadside/ray_box4.hpp>
#include <broadside/ray_box_compat.hpp>
#include <broadside/ray_sphere.hpp>

#include <cstring>

namespace broadside::test {
namespace {

void add_obbs(EntryPoints& list) {
    const EnvironmentShapes& s = few_shapes();
    using Index = std::size_t;
    add_pairwise(list, "overlap (oriented boxes)",
                 [&](Call& call, Index i, Index j) { call.add(overlap(s.obbs[i], s.obbs[j])); });
    add_pairwise(list, "obb_contact",
                 [&](Call& call, Index i, Index j) { call.add(obb_contact(s.obbs[i], s.obbs[j])); });
    add_pairwise(list, "first_impact (oriented boxes)", [&](Call& call, Index i, Index j) {
        call.add(first_impact(s.obbs[i], s.displacements[i], s.obbs[j], s.displacements[j]));
    });
    add_pairwise(list, "contact_normal (oriented boxes)", [&](Call& call, Index i, Index j) {
        for (const ObbAxis axis : {ObbAxis::a_y, ObbAxis::b_x, ObbAxis::y_z})
            call.add(contact_normal(s.obbs[i], s.obbs[j], axis));
    });
    const std::span<const IndexPair> pairs = s.pairs;
    const std::span<const Obb> obbs = s.obbs;
    const std::span<const Vec3> ways = s.displacements;
    const std::span<float> numbers = list.room<float>(pairs.size());
    const std::span<ObbAxis> axes = list.room<ObbAxis>(pairs.size());
    const std::span<std::uint64_t> bits = list.room<std::uint64_t>(bit_word_count(pairs.size()));
    const Named b = {"b", s.obb_soa.view()};
    const Named b_ways = {"b_displacements", s.displacement_view()};
    list.add(
        "overlaps", [&](Call& call, auto of, auto out) { return overlaps(s.obbs[call.item()], of, out); }, b,
        bits.first(1));
    list.add(
        "obb_contacts",
        [&](Call& call, auto of, auto... out) { return obb_contacts(s.obbs[call.item()], of, out...); }, b,
        numbers.first(kShapeCount), axes.first(kShapeCount));
    list.add(
        "times_of_impact",
        [&](Call& call, auto of, auto moves, auto... out) {
            return times_of_impact(s.obbs[call.item()], s.displacements[call.item()], of, moves, out...);
        },
        b, b_ways, numbers.first(kShapeCount), axes.first(kShapeCount));
    list.bad("b_displacements: neither",
             [=, &s](Call&) { return times_of_impact(s.obbs[0], {}, ObbSoaView{}, b_ways.view, numbers); });
    list.add(
        "overlaps", [](Call&, auto... spans) { return overlaps(spans...); }, obbs, obbs, pairs, bits);
    list.add(
        "obb_contacts", [](Call&, auto... spans) { return obb_contacts(spans...); }, obbs, obbs, pairs,
        numbers, axes);
    list.add(
        "times_of_impact", [](Call&, auto... spans) { return times_of_impact(spans...); }, obbs, ways, obbs,
        ways, pairs, numbers, axes);
    list.bad("a_displacements: ",
             [=](Call&) { return times_of_impact(obbs, ways.first(1), obbs, {}, pairs, numbers); });
    list.bad("b_displacements: ",
             [=](Call&) { return times_of_impact(obbs, {}, obbs, ways.first(1), pairs, numbers); });
}

void add_triangles(EntryPoints& list) {
    const EnvironmentShapes& s = few_shapes();
    using Index = std::size_t;
    const auto moving = [&](const char* name, auto ask) {
        add_pairwise(list, name, [ask](Call& call, Index i, Index j) {
            const EnvironmentShapes& of = few_shapes();
            call.add(ask(of.obbs[i], of.displacements[i], of.triangles[j], of.displacements[j]));
        });
    };
    add_pairwise(list, "overlap (oriented box, triangle)",
                 [&](Call& call, Index i, Index j) { call.add(overlap(s.obbs[i], s.triangles[j])); });
    moving("first_impact (triangle)", [](const auto&... of) { return first_impact(of...); });
    moving("swept_overlap", [](const auto&... of) { return swept_overlap(of...); });
    moving("swept_overlap_7_axes", [](const auto&... of) { return swept_overlap_7_axes(of...); });
    add_pairwise(list, "contact_normal (triangle)", [&](Call& call, Index i, Index j) {
        for (const ContactAxis axis : {ContactAxis::box_y, ContactAxis::triangle_normal, ContactAxis::y_bc})
            call.add(contact_normal(s.obbs[i], s.triangles[j], axis));
    });
    const std::span<const IndexPair> pairs = s.pairs;
    const std::span<const Obb> obbs = s.obbs;
    const std::span<const Vec3> ways = s.displacements;
    const std::span<const Triangle> structs = s.triangles;
    const std::span<const std::uint32_t> indices = s.all_indices;
    const std::span<float> times = list.room<float>(pairs.size());
    const std::span<ContactAxis> axes = list.room<ContactAxis>(pairs.size());
    const std::span<std::uint64_t> bits = list.room<std::uint64_t>(bit_word_count(pairs.size()));
    const Named arrays = {"triangles", s.triangle_soa.view()};
    const Named obb_soa = {"obbs", s.obb_soa.view()};
    const Named obb_ways = {"obb_displacements", s.displacement_view()};
    const char* const impacts = "times_of_impact";
    static const std::uint32_t bad_indices[] = {0, kShapeCount};
    const auto overlaps_one = [&s](Call& call, auto... spans) {
        return overlaps(s.obbs[call.item()], spans...);
    };
    const auto impacts_one = [&s](Call& call, auto triangles, auto... spans) {
        const std::size_t i = call.item();
        return times_of_impact(s.obbs[i], s.displacements[i], triangles, s.displacements[i + 3], spans...);
    };
    const std::span<float> some_times = times.first(kShapeCount);
    const std::span<ContactAxis> some_axes = axes.first(kShapeCount);
    list.add("overlaps", overlaps_one, arrays, bits.first(1));
    list.add(impacts, impacts_one, arrays, some_times, some_axes);
    list.add(
        "swept_overlaps",
        [&](Call& call, auto triangles, auto out) {
            const std::size_t i = call.item();
            return swept_overlaps(s.obbs[i], s.displacements[i], triangles, s.displacements[i + 3], out);
        },
        arrays, bits.first(1));
    list.add(
        "overlaps",
        [&](Call& call, auto of, auto out) { return overlaps(of, s.triangles[call.item()], out); }, obb_soa,
        bits.first(1));
    list.add(
        impacts,
        [&](Call& call, auto of, auto moves, auto... out) {
            const std::size_t i = call.item();
            return times_of_impact(of, moves, s.triangles[i], s.displacements[i], out...);
        },
        obb_soa, obb_ways, some_times, some_axes);
    list.bad("obb_displacements: neither", [=, &s](Call&) {
        return times_of_impact(ObbSoaView{}, obb_ways.view, s.triangles[0], {}, times);
    });
    const auto bad_index = [&](auto of) {
        list.bad("indices: ", [=, &s](Call&) { return overlaps(s.obbs[0], of, bad_indices, bits); });
        list.bad("indices: ",
                 [=, &s](Call&) { return times_of_impact(s.obbs[0], {}, of, {}, bad_indices, times); });
    };
    list.add("overlaps", overlaps_one, structs, indices, bits.first(1));
    list.add(impacts, impacts_one, structs, indices, some_times, some_axes);
    bad_index(structs);
    list.add("overlaps", overlaps_one, arrays, indices, bits.first(1));
    list.add(impacts, impacts_one, arrays, indices, some_times, some_axes);
    bad_index(arrays.view);
    const auto overlaps_pairs = [](Call&, auto... spans) { return overlaps(spans...); };
    const auto impacts_pairs = [&s](Call& call, auto of, auto moves, auto triangles, auto... spans) {
        return times_of_impact(of, moves, triangles, s.displacements[call.item()], spans...);
    };
    list.add("overlaps", overlaps_pairs, obbs, structs, pairs, bits);
    list.add(impacts, impacts_pairs, obbs, ways, structs, pairs, times, axes);
    list.bad("obb_displacements: ",
             [=](Call&) { return times_of_impact(obbs, ways.first(1), structs, {}, pairs, times); });
    list.add("overlaps", overlaps_pairs, obbs, arrays, pairs, bits);
    list.add(impacts, impacts_pairs, obbs, ways, arrays, pairs, times, axes);
}

void add_rays(EntryPoints& list) {
    const EnvironmentShapes& s = few_shapes();
    using Index = std::size_t;
    add_pairwise(list, "ray_box (box)", [&](Call& call, Index i, Index j) {
        for (const Inside inside : {Inside::zero, Inside::negative_t})
            call.add(ray_box(s.rays[i], s.boxes[j], {.inside = inside}));
    });
    add_pairwise(list, "ray_sphere",
                 [&](Call& call, Index i, Index j) { call.add(ray_sphere(s.rays[i], s.spheres[j])); });
    add_pairwise(list, "ray_box_box2d", [&](Call& call, Index i, Index j) {
        call.add(ray_box_box2d(s.boxes[j], s.rays[i].origin, s.points[j]));
    });
    add_pairwise(list, "ray_box_text_d", [&](Call& call, Index i, Index j) {
        call.add(ray_box_text_d(s.boxes[j], s.rays[i].origin, s.rays[i].direction));
    });
    const std::span<const IndexPair> pairs = s.pairs;
    const std::span<const Ray> rays = s.rays;
    const std::span<float> t_enter = list.room<float>(pairs.size());
    const std::span<float> t_exit = list.room<float>(pairs.size());
    const std::span<Face> faces = list.room<Face>(pairs.size());
    const std::span<std::uint64_t> bits = list.room<std::uint64_t>(bit_word_count(pairs.size()));
    const Named boxes = {"boxes", s.box_soa.view()};
    const Named spheres = {"spheres", s.sphere_view()};
    const auto add_outputs = [&](const std::string& more, auto into, const auto& of) {
        const auto add = [&](const char* field, auto make, auto out) {
            list.add(
                field + more,
                [=](Call& call, auto from, RaySettings settings, auto to) {
                    return into(few_shapes().rays[call.item()], from, settings, make(to));
                },
                of, RaySettings{}, out);
        };
        const std::size_t n = kShapeCount;
        add(
            "RayOutputs::t_enter", [](auto to) { return RayOutputs{.t_enter = to}; }, t_enter.first(n));
        add(
            "RayOutputs::t_exit", [](auto to) { return RayOutputs{.t_exit = to}; }, t_exit.first(n));
        add(
            "RayOutputs::face", [](auto to) { return RayOutputs{.face = to}; }, faces.first(n));
        add(
            "RayOutputs::hit_bits", [](auto to) { return RayOutputs{.hit_bits = to}; }, bits.first(1));
    };
    add_outputs(
        "", [](const auto&... of) { return ray_boxes(of...); }, boxes);
    add_outputs(
        ", spheres", [](const auto&... of) { return ray_spheres(of...); }, spheres);
    list.add(
        "ray_boxes",
        [](Call&, auto from, auto of, RaySettings settings, auto out) {
            return ray_boxes(from, of, settings, out);
        },
        rays, boxes, RaySettings{}, list.room<std::uint64_t>(kShapeCount));
    list.add(
        "ray_boxes",
        [](Call&, auto from, auto of, auto listed, RaySettings settings, const auto& out) {
            return ray_boxes(from, of, listed, settings, out.template make<RayOutputs>());
        },
        rays, boxes, pairs, RaySettings{}, unvaried(t_enter, t_exit, faces, bits));
    // All outputs at once.
    const auto all_outputs = unvaried(t_enter, t_exit, faces, bits);
    const auto add_all_outputs = [&](const std::string& name, auto into, const auto& of) {
        for (const bool is_conservative : {false, true}) {
            list.add(
                name + (is_conservative ? ", conservative" : ""),
                [=](Call& call, const auto& out) {
                    return into(few_shapes().rays[call.item()], of,
                                RaySettings{.is_conservative = is_conservative},
                                out.template make<RayOutputs>());
                },
                all_outputs);
        }
    };
    add_all_outputs(
        "ray_boxes", [](const auto&... of) { return ray_boxes(of...); }, boxes.view);
    add_all_outputs(
        "ray_spheres", [](const auto&... of) { return ray_spheres(of...); }, spheres.view);
    const auto closest = [](Call&, auto from, auto of, RaySettings settings, auto out) {
        return closest_hits(from, of, settings, out);
    };
    const std::span<TreeHit> hits = list.room<TreeHit>(kShapeCount);
    const auto too_many = [&](auto view) {
        view.count = kNoBox;
        list.bad(std::string(std::is_same_v<decltype(view), BoxSoaView> ? "boxes" : "spheres") + ": as many",
                 [=](Call&) { return closest_hits({}, view, {}, std::span<TreeHit>{}); });
    };
    list.add("closest_hits", closest, rays, boxes, RaySettings{}, hits);
    too_many(boxes.view);
    list.add("closest_hits", closest, rays, spheres, RaySettings{}, hits);
    too_many(spheres.view);
}

// Four rays of the same kind.
std::vector<Ray> four_rays(std::size_t i) {
    std::vector<Ray> rays;
    for (std::size_t lane = 0; lane < 4; ++lane)
        rays.push_back(few_shapes().rays[(i + 3 * lane) % kShapeCount]);
    return rays;
}

void add_four_wide(EntryPoints& list) {
    // Nodes of four boxes of the same kind, and rays, prepared in the default environment.
    static const std::vector<Box4> nodes = [] {
        std::vector<Box4> made(kShapeCount);
        for (std::size_t i = 0; i < kShapeCount; ++i) {
            for (unsigned lane = 0; lane < 4; ++lane)
                made[i].set(lane, few_shapes().boxes[(i + 3 * std::size_t{lane}) % kShapeCount]);
        }
        return made;
    }();
    static const std::vector<PreparedRay> rays = [] {
        std::vector<PreparedRay> made;
        for (const Ray& ray : few_shapes().rays) made.push_back(prepare_ray(ray));
        return made;
    }();
    static const std::vector<Ray4> rays4 = [] {
        std::vector<Ray4> made;
        for (std::size_t i = 0; i < kShapeCount; ++i) made.push_back(prepare_ray4(four_rays(i)));
        return made;
    }();
    const auto add_ray = [](Call& call, const PreparedRay& ray) {
        call.add(ray.origin, ray.inv_direction, ray.inv_direction_far, ray.t_max, ray.accept_floor,
                 ray.report_floor);
    };
    const auto add_hit = [](Call& call, const RayBoxHit4& hit) {
        call.add(hit.hits);
        call.add_all(hit.t_enter);
    };
    add_pairwise(list, "prepare_ray", [=](Call& call, std::size_t i, std::size_t) {
        add_ray(call, prepare_ray(few_shapes().rays[i], {.is_conservative = true}));
    });
    add_pairwise(list, "prepare_ray4, all", [=](Call& call, std::size_t i, std::size_t) {
        const Ray4 packet = prepare_ray4(four_rays(i));
        for (unsigned lane = 0; lane < 4; ++lane) add_ray(call, packet[lane]);
    });
    // No status: the result of no ray.
    list.add(
        "prepare_ray4",
        [](Call&, auto four) {
            // As bits, since comparing numbers may trap.
            const float t_max = prepare_ray4(four).t_max[0];
            return std::memcmp(&t_max, &rays4[0].t_max[0], sizeof t_max) == 0 ? Status::ok
                                                                              : Status::invalid_argument;
        },
        list.keep(four_rays(0)));
    add_pairwise(list, "ray_box (four boxes)", [=](Call& call, std::size_t i, std::size_t j) {
        add_hit(call, ray_box(rays[i], nodes[j]));
    });
    add_pairwise(list, "ray_box (four rays)", [=](Call& call, std::size_t i, std::size_t j) {
        add_hit(call, ray_box(rays4[i], few_shapes().boxes[j]));
    });
    const std::span<Mask4> masks = list.room<Mask4>(kShapeCount);
    const std::span<float> t_enter = list.room<float>(4 * kShapeCount);
    list.add(
        "ray_boxes",
        [](Call& call, auto of, auto... out) { return ray_boxes(rays[call.item()], of, out...); },
        std::span<const Box4>(nodes), masks, t_enter);
    list.add(
        "ray_boxes",
        [](Call& call, auto of, auto... out) { return ray_boxes(rays4[call.item()], of, out...); },
        Named("boxes", few_shapes().box_soa.view()), masks, t_enter);
}

}  // namespace

void add_solids_and_rays(EntryPoints& list) {
    add_obbs(list);
    add_triangles(list);
    add_rays(list);
    add_four_wide(list);
}

}  // namespace broadside::test
