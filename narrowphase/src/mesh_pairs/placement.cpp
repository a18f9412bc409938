// Positions of placed meshes, and of two of them relative to each other.
#include <broadside/float_environment.hpp>

#include "narrowphase/src/mesh_pairs/placement.hpp"

namespace broadside {
namespace narrowphase {
namespace {

double largest(const Vec3Double& a) {
    return max_keep(max_keep(__builtin_fabs(a.x), __builtin_fabs(a.y)), __builtin_fabs(a.z));
}

// a_from_world * world_from_b.
Placement relative(const Placement& place_a, const Placement& place_b) {
    const Placement a = inverse(place_a);
    const auto row = [&](const Vec3Double& r) {
        return (place_b.row_x * r.x + place_b.row_y * r.y) + place_b.row_z * r.z;
    };
    return {row(a.row_x), row(a.row_y), row(a.row_z), turned(a, place_b.translation - place_a.translation)};
}

// A bound of all coordinates that occur when a mesh is transformed into the world.
double reach_of(const Placement& p, const Aabb& bounds) {
    const double size = max_keep(largest(widened(bounds.min)), largest(widened(bounds.max)));
    return 2.0 * scale_of(p) * size + largest(p.translation);
}

}  // namespace

// By cofactors; placements are far from singular.
Placement inverse(const Placement& p) noexcept {
    const Vec3Double x = cross(p.row_y, p.row_z);
    const Vec3Double y = cross(p.row_z, p.row_x);
    const Vec3Double z = cross(p.row_x, p.row_y);
    const double inv = 1.0 / dot(p.row_x, x);
    return {Vec3Double{x.x, y.x, z.x} * inv,
            Vec3Double{x.y, y.y, z.y} * inv,
            Vec3Double{x.z, y.z, z.z} * inv,
            {}};
}

BoxFrame mesh_from_world(const PlacedMesh& placed_mesh) noexcept {
    const Placement place = widened(placed_mesh.world_from_mesh);
    Placement seen = inverse(place);
    seen.translation = turned(seen, place.translation) * -1.0;
    // As for pairs, see below.
    const double pad = reach_of(place, placed_mesh.mesh->bounds()) * 0x1p-20 + 0x1p-120;
    return {seen, pad / scale_of(place), {0.0f, 0.0f, 0.0f}};
}

PlacedPair placed_pair(const PlacedMesh& a, const PlacedMesh& b, const Vec3Double& motion) noexcept {
    PlacedPair pair;
    pair.place_a = widened(a.world_from_mesh);
    pair.place_b = widened(b.world_from_mesh);
    const double scale_a = scale_of(pair.place_a);
    const double scale_b = scale_of(pair.place_b);
    const double size =
        max_keep(reach_of(pair.place_a, a.mesh->bounds()), reach_of(pair.place_b, b.mesh->bounds())) +
        largest(motion);
    // Vertices of both are within 2^-24 of `size` of their exact positions. The rest covers the rounding of
    // the displacement to floats, and of the numbers above.
    const double pad = size * 0x1p-20 + 0x1p-120;
    const Vec3Double none = {0.0, 0.0, 0.0};
    pair.a_from_b = {relative(pair.place_a, pair.place_b), pad / scale_a,
                     narrowed(turned(inverse(pair.place_a), motion))};
    pair.b_from_a = {relative(pair.place_b, pair.place_a), pad / scale_b,
                     narrowed(turned(inverse(pair.place_b), none - motion))};
    pair.motion = motion;
    pair.pad = pad;
    pair.world_pad = static_cast<float>(min_keep(pad, static_cast<double>(FLT_MAX)));
    pair.is_moving = motion.x != 0.0 || motion.y != 0.0 || motion.z != 0.0;
    pair.scale_of_b = static_cast<float>(scale_b / scale_a);
    return pair;
}

}  // namespace narrowphase

using narrowphase::MeshSpace;

bool is_placement(const Transform& world_from_mesh) noexcept {
    const FloatEnvironment environment;
    using namespace narrowphase;
    if (!is_finite(world_from_mesh.row_x) || !is_finite(world_from_mesh.row_y) ||
        !is_finite(world_from_mesh.row_z) || !is_finite(world_from_mesh.translation)) {
        return false;
    }
    const Placement p = widened(world_from_mesh);
    const double length_sq = dot(p.row_x, p.row_x);
    const auto is_near = [&](double number, double wanted) {
        return __builtin_fabs(number - wanted) <= 0x1p-11 * length_sq;
    };
    return FloatEnvironment::result(
        length_sq >= 0x1p-80 && length_sq <= 0x1p80 &&  //
        is_near(dot(p.row_y, p.row_y), length_sq) && is_near(dot(p.row_z, p.row_z), length_sq) &&
        is_near(dot(p.row_x, p.row_y), 0.0) && is_near(dot(p.row_y, p.row_z), 0.0) &&
        is_near(dot(p.row_z, p.row_x), 0.0));
}

Vec3 placed(const Transform& world_from_mesh, Vec3 vertex) noexcept {
    const FloatEnvironment environment(vertex);
    return FloatEnvironment::result(
        narrowphase::placed_scalar(narrowphase::widened(world_from_mesh), vertex));
}
Triangle placed(const Transform& world_from_mesh, const Triangle& triangle) noexcept {
    const FloatEnvironment environment;
    return FloatEnvironment::result(
        narrowphase::placed_scalar(narrowphase::widened(world_from_mesh), triangle));
}

Vec3 seen_from_mesh(const Transform& world_from_mesh, Vec3 point) noexcept {
    const FloatEnvironment environment(point);
    return FloatEnvironment::result(MeshSpace(world_from_mesh).point(point));
}
Ray seen_from_mesh(const Transform& world_from_mesh, const Ray& ray) noexcept {
    const FloatEnvironment environment;
    return FloatEnvironment::result(MeshSpace(world_from_mesh).ray(ray));
}
Vec3 way_seen_from_mesh(const Transform& world_from_mesh, Vec3 way) noexcept {
    const FloatEnvironment environment(way);
    return FloatEnvironment::result(MeshSpace(world_from_mesh).way(way));
}
Sphere seen_from_mesh(const Transform& world_from_mesh, const Sphere& sphere) noexcept {
    const FloatEnvironment environment;
    const MeshSpace mesh(world_from_mesh);
    return FloatEnvironment::result(Sphere{mesh.point(sphere.center), mesh.length(sphere.radius)});
}
Capsule seen_from_mesh(const Transform& world_from_mesh, const Capsule& capsule) noexcept {
    const FloatEnvironment environment;
    const MeshSpace mesh(world_from_mesh);
    return FloatEnvironment::result(
        Capsule{mesh.point(capsule.a), mesh.point(capsule.b), mesh.length(capsule.radius)});
}
Obb seen_from_mesh(const Transform& world_from_mesh, const Obb& obb) noexcept {
    const FloatEnvironment environment;
    const MeshSpace mesh(world_from_mesh);
    const double scale = scale_of(mesh.world_from_mesh);
    const auto axis = [&](Vec3 a) { return narrowed(turned(mesh.mesh_from_world, widened(a)) * scale); };
    return FloatEnvironment::result(Obb{mesh.point(obb.center), axis(obb.axis_x), axis(obb.axis_y),
                                        axis(obb.axis_z),
                                        narrowed(widened(obb.half_extent) * (1.0 / scale))});
}
Obb seen_from_mesh(const Transform& world_from_mesh, const Aabb& box) noexcept {
    const FloatEnvironment environment;
    const Vec3Double min = widened(box.min);
    const Vec3Double max = widened(box.max);
    Obb obb;
    obb.center = narrowed((min + max) * 0.5);
    obb.half_extent = narrowed((max - min) * 0.5);
    return FloatEnvironment::result(seen_from_mesh(world_from_mesh, obb));
}

Aabb placed_bounds(const PlacedMesh& placed_mesh) noexcept {
    const FloatEnvironment environment;
    if (placed_mesh.mesh == nullptr || placed_mesh.mesh->triangle_count() == 0) return Aabb::empty();
    return FloatEnvironment::result(narrowphase::seen_box(
        {narrowphase::widened(placed_mesh.world_from_mesh), 0x1p-140, {}}, placed_mesh.mesh->bounds()));
}

}  // namespace broadside
