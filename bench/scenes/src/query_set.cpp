// Queries within the bounds of a scene.
#include <broadside/scenes/query_set.hpp>

#include <broadside/scenes/scene_random.hpp>

#include <algorithm>
#include <cmath>

namespace broadside::scenes {
namespace {

Vec3 unit_direction(SceneRandom& state_random) {
    for (;;) {
        const Vec3 vector = state_random.in_cube(1.0f);
        const float size_sq = length_sq(vector);
        if (size_sq <= 1.0f && size_sq > 0.01f) return vector * (1.0f / std::sqrt(size_sq));
    }
}

Vec3 place_in(const Aabb& bounds, SceneRandom& state_random) {
    const float x = state_random.between(bounds.min.x, bounds.max.x);
    const float y = state_random.between(bounds.min.y, bounds.max.y);
    const float z = state_random.between(bounds.min.z, bounds.max.z);
    return {x, y, z};
}

Aabb cube_at(Vec3 center, float edge) {
    const Vec3 half = {edge / 2, edge / 2, edge / 2};
    return {center - half, center + half};
}

Obb rod_at(Vec3 center, Vec3 direction) {
    const Vec3 side = std::abs(direction.x) < 0.8f ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    const Vec3 across = cross(direction, side);
    Obb obb;
    obb.center = center;
    obb.axis_x = direction;
    obb.axis_y = across * (1.0f / std::sqrt(length_sq(across)));
    obb.axis_z = cross(obb.axis_x, obb.axis_y);
    obb.half_extent = {6.25f, 1.5625f, 1.6f};
    return obb;
}

// From -0.5 to 0.5 in equal steps, their middles.
float step_of(std::size_t step, std::size_t step_count) {
    return (static_cast<float>(step) + 0.5f) / static_cast<float>(step_count) - 0.5f;
}

}  // namespace

QuerySet make_queries(std::span<const Aabb> boxes, std::size_t count, QueryOrder order, std::uint64_t seed) {
    constexpr float kBoxEdge = 5.0f;
    Aabb bounds = Aabb::empty();
    for (const Aabb& box : boxes) bounds = include(bounds, box);
    const Vec3 edges = size(bounds);
    const float length = std::max({edges.x, edges.y, edges.z});
    const bool is_coherent = order == QueryOrder::coherent;
    // Pixels of the camera, which looks along x from a quarter of the scene at an angle of 45 degrees.
    const auto side = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(count))));
    const Vec3 eye = bounds.min + edges * 0.25f;
    // Below the numbers that the layouts begin with.
    SceneRandom random(seed * 7);
    QuerySet queries;
    for (std::size_t i = 0; i < count; ++i) {
        Vec3 at = place_in(bounds, random);
        Vec3 origin = at;
        Vec3 ray_direction = unit_direction(random);
        Vec3 motion = ray_direction;
        const Vec3 turned = ray_direction;
        if (is_coherent) {
            const float across = step_of(i % side, side);
            const float down = step_of(i / side, side);
            const float along = static_cast<float>(i) / static_cast<float>(count);
            at = bounds.min + Vec3{edges.x * across + edges.x * 0.5f, edges.y * along, edges.z * along};
            origin = eye;
            ray_direction = {1.0f, across, down};
            motion = {1.0f, 0.25f, 0.125f};
        }
        queries.overlaps.push_back(cube_at(at, kBoxEdge));
        queries.rays.push_back({origin, ray_direction, length});
        queries.casts.push_back({cube_at(at, 1.0f), motion * (0.1f * length)});
        queries.points.push_back(at);
        queries.obbs.push_back(rod_at(at, turned));
        queries.sphere_casts.push_back({{at, 0.5f}, queries.casts.back().displacement});
    }
    return queries;
}

}  // namespace broadside::scenes
