// libFuzzer target of the narrowphase: raw bytes as shapes, through every batch call. Shadow verification
// compares each call with its specification; bounds and fits must contain their shapes.
#include "tests/fuzz/fuzz_input.hpp"

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

using namespace broadside;
using namespace broadside::test;

namespace {

// A list of shapes from the input, and the outputs of calls for them.
class Material {
public:
    explicit Material(FuzzInput& state_input) : count(1 + state_input.below(40)) {
        FuzzInput& in = state_input;
        require(boxes.resize(count) == Status::ok && other_boxes.resize(count) == Status::ok, "memory");
        for (std::size_t i = 0; i < count; ++i) {
            boxes.set(i, in.box());
            other_boxes.set(i, in.box());
            const Vec3 displacement = in.vector();
            for (std::size_t k = 0; k < 3; ++k) {
                const float components[3] = {displacement.x, displacement.y, displacement.z};
                motion[k].push_back(components[k]);
            }
            for (auto& column : spheres_of) column.push_back(in.number());
            rays.push_back({in.vector(), in.vector(), in.number()});
            triangles.push_back({in.vector(), in.vector(), in.vector()});
            obbs.push_back({in.vector(), in.vector(), in.vector(), in.vector(), in.vector()});
            if (in.flag()) {
                obbs.back().axis_x = {1, 0, 0};
                obbs.back().axis_y = {0, 0.6f, 0.8f};
                obbs.back().axis_z = {0, -0.8f, 0.6f};
            }
            const auto any = [&] { return in.below(static_cast<std::uint32_t>(count)); };
            pairs.push_back({any(), any()});
            indices.push_back(any());
        }
        require(obb_soa.assign(obbs) == Status::ok && soa.resize(count) == Status::ok, "memory");
        for (std::size_t i = 0; i < count; ++i) soa.set(i, triangles[i]);
        if (in.flag()) require(soa.update_group_bounds() == Status::ok, "memory");
    }
    Vec3SoaView displacements() const {
        return {motion[0].data(), motion[1].data(), motion[2].data(), count};
    }
    SphereSoaView spheres() const {
        return {spheres_of[0].data(), spheres_of[1].data(), spheres_of[2].data(), spheres_of[3].data(),
                count};
    }

    std::size_t count;
    BoxSoa boxes;
    BoxSoa other_boxes;
    std::vector<float> motion[3];
    std::vector<float> spheres_of[4];
    std::vector<Ray> rays;
    std::vector<Triangle> triangles;
    std::vector<Obb> obbs;
    std::vector<IndexPair> pairs;
    std::vector<std::uint32_t> indices;
    ObbSoa obb_soa;
    TriangleSoa soa;
};

void require_ok(const BatchResult& result) { require(result.status == Status::ok, "the call is well"); }

void call_boxes(FuzzInput& state_input, const Material& m, std::vector<float>& times,
                std::vector<Face>& faces, std::vector<std::uint64_t>& bits) {
    const auto touch = static_cast<Touch>(state_input.below(2));
    const MovingBoxes moving = {m.boxes, m.displacements()};
    const MovingBoxes other = {m.other_boxes, state_input.flag() ? m.displacements() : Vec3SoaView{}};
    require_ok(overlaps(m.boxes[0], m.other_boxes, bits));
    for (std::size_t i = 0; i < m.count; ++i) {
        const bool is_hit = (bits[i / 64] >> (i % 64) & 1) != 0;
        require(is_hit == overlap(m.boxes[0], m.other_boxes[i]), "the bit is overlap()");
    }
    require_ok(overlaps(m.boxes, m.other_boxes, m.pairs, bits));
    require_ok(times_of_impact(other, moving, touch, times, faces));
    for (const float time : times)
        require((time >= 0 && time <= 1) || time == kNoIntersection, "a time is in the step, or none");
    require_ok(times_of_impact(m.boxes[0], state_input.vector(), m.other_boxes, touch, times, faces));
    require_ok(times_of_impact(moving, other, m.pairs, touch, times, faces));
    RestingBoxRows resting;
    MovingBoxRows movers;
    BodyBoxRows bodies;
    require(resting.prepare(m.other_boxes) == Status::ok && movers.prepare(moving, touch) == Status::ok &&
                bodies.prepare(moving) == Status::ok,
            "rows");
    require_ok(times_of_impact(resting, movers, m.pairs, times, faces));
    require_ok(times_of_impact(bodies, bodies, m.pairs, touch, times, faces));
}

void call_rays(FuzzInput& state_input, const Material& m, std::vector<float>& times, std::vector<Face>& faces,
               std::vector<std::uint64_t>& bits) {
    const RaySettings settings = {static_cast<Inside>(state_input.below(3)), state_input.flag()};
    std::vector<float> exits(m.count);
    require_ok(ray_boxes(m.rays[0], m.boxes, settings, {times, exits, faces, bits}));
    require_ok(ray_boxes(m.rays[0], m.boxes, settings, {{}, {}, {}, bits}));
    require_ok(ray_boxes(m.rays[0], m.boxes, settings, {times, {}, {}, {}}));
    require_ok(ray_boxes(m.rays, m.boxes, m.pairs, settings, {times, exits, faces, bits}));
    std::vector<std::uint64_t> rows(m.count * bit_word_count(m.count));
    require_ok(ray_boxes(m.rays, m.boxes, settings, rows));
    std::vector<TreeHit> closest(m.count);
    require_ok(closest_hits(m.rays, m.boxes, settings, closest));
    for (std::size_t i = 0; i < m.count; ++i) {
        TreeHit expected;
        for (std::uint32_t k = 0; k < m.count; ++k) {
            const RaySolidHit hit = ray_box(m.rays[i], m.boxes[k], settings);
            if (hit.has_hit && (expected.target == kNoBox || hit.t_enter < expected.t))
                expected = {k, hit.t_enter, hit.face};
        }
        require(closest[i] == expected, "the closest is the first of the smallest t");
    }
    std::vector<Mask4> masks(m.count);
    std::vector<float> four(4 * m.count);
    require_ok(ray_boxes(prepare_ray4(m.rays, settings), m.boxes, masks, four));
    require_ok(ray_spheres(m.rays[0], m.spheres(), settings, {times, exits, {}, bits}));
    std::vector<TreeHit> closest_spheres(m.count);
    require_ok(closest_hits(m.rays, m.spheres(), settings, closest_spheres));
}

void call_obbs(FuzzInput& state_input, const Material& m, std::vector<float>& times,
               std::vector<std::uint64_t>& bits) {
    const Vec3 motion = state_input.vector();
    const Vec3 other_motion = state_input.vector();
    const Obb& obb = m.obbs[0];
    std::vector<ObbAxis> axes(m.count);
    require_ok(overlaps(obb, m.obb_soa, bits));
    require_ok(overlaps(m.obbs, m.obbs, m.pairs, bits));
    require_ok(obb_contacts(obb, m.obb_soa, times, axes));
    require_ok(obb_contacts(m.obbs, m.obbs, m.pairs, times, axes));
    require_ok(times_of_impact(obb, motion, m.obb_soa, m.displacements(), times, axes));
    require_ok(times_of_impact(m.obbs, {}, m.obbs, {}, m.pairs, times, axes));
    std::vector<ContactAxis> contacts(m.count);
    require_ok(overlaps(obb, m.soa, bits));
    require_ok(times_of_impact(obb, motion, m.soa, other_motion, times, contacts));
    require_ok(swept_overlaps(obb, motion, m.soa, other_motion, bits));
    require_ok(overlaps(m.obb_soa, m.triangles[0], bits));
    require_ok(times_of_impact(m.obb_soa, m.displacements(), m.triangles[0], motion, times, contacts));
    require_ok(overlaps(obb, m.triangles, m.indices, bits));
    require_ok(overlaps(m.obbs, m.soa, m.pairs, bits));
    require_ok(times_of_impact(m.obbs, {}, m.triangles, motion, m.pairs, times, contacts));
}

void call_spheres(FuzzInput& state_input, const Material& m, std::vector<float>& times,
                  std::vector<std::uint64_t>& bits) {
    const Sphere sphere = m.spheres()[0];
    require_ok(overlaps(sphere, m.spheres(), bits));
    require_ok(overlaps(sphere, m.boxes, bits));
    require_ok(overlaps(sphere, m.obbs, bits));
    require_ok(overlaps(sphere, m.soa, bits));
    require_ok(overlaps(m.boxes[0], m.spheres(), bits));
    require_ok(overlaps(m.obbs[0], m.spheres(), bits));
    require_ok(overlaps(m.triangles[0], m.spheres(), bits));
    const MovingSpheres moving = {m.spheres(), m.displacements()};
    require_ok(times_of_impact(sphere, state_input.vector(), moving, times));
    require_ok(times_of_impact(moving, {m.spheres(), {}}, times));
    require_ok(times_of_impact(moving, moving, m.pairs, times));
    std::vector<float> x(m.count), y(m.count), z(m.count), distance_sq(m.count);
    const ClosestPointOutputs out = {x, y, z, distance_sq};
    const Vec3 point = state_input.vector();
    require_ok(closest_points(m.boxes[0], m.displacements(), out));
    require_ok(closest_points(m.obbs[0], m.displacements(), out));
    require_ok(closest_points(m.triangles[0], m.displacements(), out));
    require_ok(closest_points(m.boxes, point, out));
    require_ok(closest_points(m.obbs, point, out));
    require_ok(closest_points(m.soa, point, out));
}

void call_bounds(FuzzInput& state_input, const Material& m) {
    const auto rounding = static_cast<Rounding>(state_input.below(2));
    BoxSoa out;
    require(out.resize(m.count) == Status::ok, "memory");
    require_ok(bounds(m.spheres(), rounding, BoxSoaSpan(out)));
    require_ok(bounds(m.obbs, rounding, BoxSoaSpan(out)));
    const Transform transform = {state_input.vector(), state_input.vector(), state_input.vector(),
                                 state_input.vector()};
    require_ok(transformed_bounds(transform, m.boxes, rounding, BoxSoaSpan(out)));
    require_ok(
        transformed_bounds(std::vector<Transform>(m.count, transform), m.boxes, rounding, BoxSoaSpan(out)));
    const Fitted<Sphere> sphere = fit_sphere(m.displacements());
    for (std::size_t i = 0; i < m.count && sphere.status == Status::ok; ++i)
        require(contains(sphere.shape, m.displacements()[i]), "a fitted sphere holds its points");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    verify_all_calls();
    FuzzInput input(data, size);
    choose_isa(input);
    const std::uint32_t kind = input.below(6);
    const Material material(input);
    std::vector<float> times(material.count);
    std::vector<Face> faces(material.count);
    std::vector<std::uint64_t> bits(bit_word_count(material.count));
    switch (kind) {
        case 0:
            call_boxes(input, material, times, faces, bits);
            break;
        case 1:
            call_rays(input, material, times, faces, bits);
            break;
        case 2:
        case 3:
            call_obbs(input, material, times, bits);
            break;
        case 4:
            call_spheres(input, material, times, bits);
            break;
        default:
            call_bounds(input, material);
            break;
    }
    return 0;
}
