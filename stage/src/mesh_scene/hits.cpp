// Rays and moving shapes on a MeshScene: queries the meshes whose boxes they meet, in their own space.
#include <broadside/float_environment.hpp>
#include <broadside/mesh_scene.hpp>

#include "broadphase/src/tree/queries.hpp"
#include "narrowphase/src/mesh/kernels.hpp"
#include "narrowphase/src/mesh_pairs/placement.hpp"
#include "stage/src/filter_bounds.hpp"
#include "stage/src/mesh_scene/bundles.hpp"
#include "stage/src/mesh_scene/queries.hpp"

#include <algorithm>
#include <cmath>

namespace broadside {
namespace {

// The bounds are grown by more than the touching tolerance of meshes and the rounding of the displacement.
template <class Shape>
BoxCast bounds_of(const Cast<Shape>& cast) {
    const Aabb box = bounds(cast.shape);
    const Vec3 sizes = (box.max - box.min) + absolute(cast.displacement);
    const float size = (sizes.x + sizes.y) + sizes.z;
    const bool is_legal = is_valid(cast);
    return {stage::padded(box, {size, size, size}), cast.displacement,
            is_legal ? stage::limit_behind(cast.t_max) : -1.0f};
}

// Calls `visit(placed mesh, instance index, t of the box)` for the instances whose boxes a query meets; it
// returns the t up to which others matter.
template <class Visit>
Status for_each_instance(const MeshScene& scene, const Ray& ray, Visit&& visit) {
    return broadphase::visit_times(scene.tree(), ray, stage::kConservative, [&](const TreeHit& box) {
        return visit(scene.instance(box.target), box.target, box.t);
    });
}
template <class Shape, class Visit>
Status for_each_instance(const MeshScene& scene, const Cast<Shape>& cast, Visit&& visit) {
    const BoxCast box_cast = bounds_of(cast);
    return scene.tree().visit_hits(box_cast, {}, [&](const TreeHit& box) {
        return visit(scene.instance(box.target), box.target, box.t);
    });
}

// Hits of a mesh in the world.
SceneHit in_world(const Transform&, const MeshHit& hit, std::uint32_t instance) {
    return {hit.t, hit.u, hit.v, {instance, hit.target}};
}
SceneImpact in_world(const Transform& world_from_mesh, const MeshImpact& impact, std::uint32_t instance) {
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
    const Vec3 normal = {static_cast<float>(x * inv_length), static_cast<float>(y * inv_length),
                         static_cast<float>(z * inv_length)};
    // Oriented boxes have no point.
    const bool has_point = impact.axis == ContactAxis::none;
    return {impact.t,
            {instance, impact.target},
            has_point ? placed(world_from_mesh, impact.point) : Vec3{},
            normal,
            impact.axis};
}

Ray seen_from(const Transform& world_from_mesh, const Ray& ray) {
    return narrowphase::MeshSpace(world_from_mesh).ray(ray);
}
template <class Shape>
auto seen_from(const Transform& world_from_mesh, const Cast<Shape>& cast) {
    return seen_from_mesh(world_from_mesh, cast);
}

// As the mesh does, without a check of arguments and a float environment for each instance.
MeshHit closest_on(const TriangleMesh& mesh, const Ray& ray, Sides sides) {
    MeshHit hit;
    const narrowphase::MeshView view = mesh.view();
    if (!view.is_empty())
        simd::active_kernels<narrowphase::MeshKernels>()->closest(view, &ray, 1, sides, &hit);
    return hit;
}
template <class Shape>
MeshImpact closest_on(const TriangleMesh& mesh, const Cast<Shape>& cast, Sides) {
    return mesh.closest_hit(cast);
}

template <class Found, class Query>
Found closest_of(const MeshScene& scene, const Query& query, Sides sides = Sides::both) {
    stage::ClosestHit<Found> closest;
    (void)for_each_instance(
        scene, query, [&](const PlacedMesh& placed_mesh, std::uint32_t instance, float box_t) {
            const Transform& place = placed_mesh.world_from_mesh;
            auto seen = seen_from(place, query);
            seen.t_max = closest.shortened(seen.t_max);
            const auto hit = closest_on(*placed_mesh.mesh, seen, sides);
            if (hit.target != kNoTriangle)
                closest.take(hit.t, instance, box_t, [&] { return in_world(place, hit, instance); });
            return closest.limit();
        });
    return closest.result();
}

bool has_hit(const TriangleMesh& mesh, const Ray& ray, Sides sides) {
    std::uint64_t bits = 0;
    const narrowphase::MeshView view = mesh.view();
    if (!view.is_empty()) simd::active_kernels<narrowphase::MeshKernels>()->any(view, &ray, 1, sides, &bits);
    return bits != 0;
}
template <class Shape>
bool has_hit(const TriangleMesh& mesh, const Cast<Shape>& cast, Sides) {
    return mesh.any_hit(cast);
}

template <class Query>
bool is_any_hit(const MeshScene& scene, const Query& query, Sides sides) {
    bool is_met = false;
    (void)for_each_instance(scene, query, [&](const PlacedMesh& placed_mesh, std::uint32_t, float) {
        is_met = has_hit(*placed_mesh.mesh, seen_from(placed_mesh.world_from_mesh, query), sides);
        return is_met ? kVisitNoMore : kVisitAll;
    });
    return is_met;
}

template <class Visit>
void visit_on(const TriangleMesh& mesh, const Ray& ray, Sides sides, const Visit& visit) {
    (void)mesh.visit_hits({ray, sides}, visit);
}
template <class Shape, class Visit>
void visit_on(const TriangleMesh& mesh, const Cast<Shape>& cast, Sides, const Visit& visit) {
    (void)mesh.visit_hits(cast, visit);
}

// Visits the hits of a query on all instances that it meets.
template <class Query, class Visit>
Status visit_all(const MeshScene& scene, const Query& query, Sides sides, const Visit& visit) {
    float limit = kVisitAll;
    return for_each_instance(scene, query, [&](const PlacedMesh& placed_mesh, std::uint32_t instance, float) {
        auto seen = seen_from_mesh(placed_mesh.world_from_mesh, query);
        // Times are compared as rounded.
        if (limit < kVisitAll) seen.t_max = min_keep(seen.t_max, next_up(limit));
        visit_on(*placed_mesh.mesh, seen, sides, [&](const auto& hit) {
            if (hit.t > limit) return limit;
            const float wanted = visit(in_world(placed_mesh.world_from_mesh, hit, instance));
            limit = wanted >= 0.0f ? min_keep(wanted, limit) : kVisitNoMore;
            return limit;
        });
        return limit < kVisitAll ? stage::limit_behind(limit) : limit;
    });
}

template <class Query, class Found>
WriteResult find_all(const MeshScene& scene, std::span<const Query> queries, Sides sides,
                     const TaskRunner* runner, AlignedArray<Found>& state_found,
                     std::span<Listed<Found>> out_hits) {
    if (!check_readable(queries, out_hits) || !check_runner(runner)) return {Status::invalid_argument};
    return stage::list_found(queries, state_found, out_hits, [&](const Query& query) {
        bool has_memory = true;
        const Status status = visit_all(scene, query, sides, [&](const Found& hit) {
            has_memory = state_found.push_back(hit);
            return has_memory ? kVisitAll : kVisitNoMore;
        });
        std::sort(state_found.begin(), state_found.end(), [](const Found& a, const Found& b) {
            return a.t != b.t ? a.t < b.t : a.target < b.target;
        });
        return has_memory ? status : Status::out_of_memory;
    });
}

bool check_sides(Sides sides) { return BROADSIDE_ARGUMENT(sides <= Sides::front, "sides: no enumerator"); }

}  // namespace

BatchResult MeshScene::closest_hits(const MeshRays& rays, const TaskRunner* runner,
                                    std::span<SceneHit> out_closest) const noexcept {
    const FloatEnvironment environment;
    if (!check_sides(rays.sides)) return {Status::invalid_argument};
    BatchResult result;
    rays.visit([&](auto list) {
        result = stage::ask_all(
            list, runner, out_closest,
            [&](const Ray& ray) { return closest_of<SceneHit>(*this, ray, rays.sides); },
            [&](const Ray* bundle, SceneHit* out) {
                return stage::closest_of_bundle(*this, bundle, rays.sides, out);
            });
    });
    return result;
}

BatchResult MeshScene::closest_hits(const MeshCasts& casts, const TaskRunner* runner,
                                    std::span<SceneImpact> out_closest) const noexcept {
    const FloatEnvironment environment;
    BatchResult result;
    casts.visit([&](auto list) {
        result = stage::ask_all(list, runner, out_closest,
                                [&](const auto& cast) { return closest_of<SceneImpact>(*this, cast); });
    });
    return result;
}

BatchResult MeshScene::any_hit(const MeshHitQueries& queries, const TaskRunner* runner,
                               std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    if (!check_sides(queries.sides)) return {Status::invalid_argument};
    BatchResult result;
    queries.visit([&](auto list) {
        const auto ask = [&](const auto& query) { return is_any_hit(*this, query, queries.sides); };
        if constexpr (std::is_same_v<decltype(list), std::span<const Ray>>) {
            result =
                stage::ask_bits(list, runner, out_bits, ask, [&](const Ray* bundle, std::uint64_t& bits) {
                    return stage::any_of_bundle(*this, bundle, queries.sides, bits);
                });
        } else {
            result = stage::ask_bits(list, runner, out_bits, ask);
        }
    });
    return result;
}

SceneHit MeshScene::closest_hit(const MeshRay& ray) const noexcept {
    const FloatEnvironment environment;
    SceneHit closest;
    if (!check_sides(ray.sides)) return closest;
    ray.visit([&](auto one) { closest = closest_of<SceneHit>(*this, one[0], ray.sides); });
    return FloatEnvironment::result(closest);
}

SceneImpact MeshScene::closest_hit(const MeshCast& cast) const noexcept {
    const FloatEnvironment environment;
    SceneImpact closest;
    cast.visit([&](auto one) { closest = closest_of<SceneImpact>(*this, one[0]); });
    return FloatEnvironment::result(closest);
}

bool MeshScene::any_hit(const MeshHitQuery& query) const noexcept {
    const FloatEnvironment environment;
    bool is_met = false;
    if (!check_sides(query.sides)) return is_met;
    query.visit([&](auto one) { is_met = is_any_hit(*this, one[0], query.sides); });
    return FloatEnvironment::result(is_met);
}

WriteResult MeshScene::find_hits(const MeshRays& rays, const TaskRunner* runner, MeshScratch& scratch,
                                 std::span<Listed<SceneHit>> out_hits) const noexcept {
    const FloatEnvironment environment;
    if (!check_sides(rays.sides)) return {Status::invalid_argument};
    WriteResult result;
    rays.visit(
        [&](auto list) { result = find_all(*this, list, rays.sides, runner, scratch.scene_hits, out_hits); });
    return result;
}

WriteResult MeshScene::find_hits(const MeshCasts& casts, const TaskRunner* runner, MeshScratch& scratch,
                                 std::span<Listed<SceneImpact>> out_hits) const noexcept {
    const FloatEnvironment environment;
    WriteResult result;
    casts.visit([&](auto list) {
        result = find_all(*this, list, Sides::both, runner, scratch.scene_impacts, out_hits);
    });
    return result;
}

Status MeshScene::visit_hits(const MeshRay& ray, SceneHitVisitor visit) const noexcept {
    const FloatEnvironment environment;
    if (!check_sides(ray.sides)) return Status::invalid_argument;
    Status status = Status::ok;
    ray.visit([&](auto one) { status = visit_all(*this, one[0], ray.sides, visit); });
    return status;
}

Status MeshScene::visit_hits(const MeshCast& cast, SceneImpactVisitor visit) const noexcept {
    const FloatEnvironment environment;
    Status status = Status::ok;
    cast.visit([&](auto one) { status = visit_all(*this, one[0], Sides::both, visit); });
    return status;
}

}  // namespace broadside
