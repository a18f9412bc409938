// First impacts of moving shapes on a MeshScene: queries the meshes whose boxes the shape's box meets, in
// their own space.
#include <broadside/float_environment.hpp>
#include <broadside/mesh_scene.hpp>

#include "stage/src/filter_bounds.hpp"
#include "stage/src/scene_queries.hpp"

#include <cmath>

namespace broadside {
namespace {

// Bounds of a moving shape, grown by more than the touching tolerance of meshes and the rounding of the
// displacement.
template <class Shape>
BoxCast cast_of(const Shape& shape, Vec3 displacement) {
    const Aabb box = bounds(shape);
    const Vec3 sizes = (box.max - box.min) + absolute(displacement);
    const float size = (sizes.x + sizes.y) + sizes.z;
    return {stage::padded(box, {size, size, size}), displacement};
}

// Transforms an impact from the space of a mesh to the world.
const MeshImpact& placed_impact(const Transform&, const MeshImpact& impact) { return impact; }
MeshShapeImpact placed_impact(const Transform& world_from_mesh, const MeshShapeImpact& impact) {
    MeshShapeImpact in_world = impact;
    in_world.point = placed(world_from_mesh, impact.point);
    const auto in_double = [](float a) { return static_cast<double>(a); };
    const auto product = [&](Vec3 row) {
        return (in_double(row.x) * in_double(impact.normal.x) +
                in_double(row.y) * in_double(impact.normal.y)) +
               in_double(row.z) * in_double(impact.normal.z);
    };
    const double x = product(world_from_mesh.row_x);
    const double y = product(world_from_mesh.row_y);
    const double z = product(world_from_mesh.row_z);
    const double length_sq = (x * x + y * y) + z * z;
    const double inv_length = length_sq > 0.0 ? 1.0 / std::sqrt(length_sq) : 0.0;
    in_world.normal = {static_cast<float>(x * inv_length), static_cast<float>(y * inv_length),
                       static_cast<float>(z * inv_length)};
    return in_world;
}

template <class Impact, class Shape>
Impact impact_of(const MeshScene& scene, const Shape& shape, Vec3 displacement) {
    Impact first;
    if (!is_valid(shape) || !is_finite(displacement)) return first;
    (void)scene.tree().visit_hits(
        HitQuery(cast_of(shape, displacement), Touch::closed), {}, [&](const TreeHit& box) {
            const PlacedMesh& placed_mesh = scene.instance(box.box);
            const Transform& place = placed_mesh.world_from_mesh;
            const auto impact = placed_mesh.mesh->closest_hit(seen_from_mesh(place, shape),
                                                              way_seen_from_mesh(place, displacement));
            const bool is_first = impact.triangle_index != kNoTriangle &&
                                  (impact.toi < first.impact.toi ||
                                   (impact.toi == first.impact.toi && box.box < first.instance_index));
            if (is_first) first = {placed_impact(place, impact), box.box};
            return first.instance_index == kNoInstance ? kVisitAll : stage::limit_behind(first.impact.toi);
        });
    return first;
}

template <class Impact, class Shape>
BatchResult impacts_of(const MeshScene& scene, std::span<const Shape> shapes,
                       std::span<const Vec3> displacements, const MeshQuerySettings& settings,
                       std::span<Impact> out_impacts) {
    if (!check_readable(displacements) ||
        !BROADSIDE_ARGUMENT(displacements.size() == shapes.size(), "displacements: not one for each shape"))
        return {Status::invalid_argument};
    return stage::answer_all(shapes, settings.runner, out_impacts, shapes.size(), [&](std::size_t i) {
        out_impacts[i] = impact_of<Impact>(scene, shapes[i], displacements[i]);
    });
}

}  // namespace

BatchResult MeshScene::closest_hits(std::span<const Obb> obbs, std::span<const Vec3> displacements,
                                    const MeshQuerySettings& settings,
                                    std::span<SceneImpact> out_impacts) const noexcept {
    const FloatEnvironment environment;
    return impacts_of(*this, obbs, displacements, settings, out_impacts);
}
BatchResult MeshScene::closest_hits(std::span<const Sphere> spheres, std::span<const Vec3> displacements,
                                    const MeshQuerySettings& settings,
                                    std::span<SceneShapeImpact> out_impacts) const noexcept {
    const FloatEnvironment environment;
    return impacts_of(*this, spheres, displacements, settings, out_impacts);
}
BatchResult MeshScene::closest_hits(std::span<const Capsule> capsules, std::span<const Vec3> displacements,
                                    const MeshQuerySettings& settings,
                                    std::span<SceneShapeImpact> out_impacts) const noexcept {
    const FloatEnvironment environment;
    return impacts_of(*this, capsules, displacements, settings, out_impacts);
}

SceneImpact MeshScene::closest_hit(const Obb& obb, Vec3 displacement) const noexcept {
    const FloatEnvironment environment(displacement);
    return FloatEnvironment::result(impact_of<SceneImpact>(*this, obb, displacement));
}
SceneShapeImpact MeshScene::closest_hit(const Sphere& sphere, Vec3 displacement) const noexcept {
    const FloatEnvironment environment(displacement);
    return FloatEnvironment::result(impact_of<SceneShapeImpact>(*this, sphere, displacement));
}
SceneShapeImpact MeshScene::closest_hit(const Capsule& capsule, Vec3 displacement) const noexcept {
    const FloatEnvironment environment(displacement);
    return FloatEnvironment::result(impact_of<SceneShapeImpact>(*this, capsule, displacement));
}

}  // namespace broadside
