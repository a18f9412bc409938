// Meshes and their queries: for bench_mesh and its peers.
#pragma once

#include "bench/sequence.hpp"

#include <broadside/mesh.hpp>
#include <broadside/scenes/terrain.hpp>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

namespace broadside::bench {

inline constexpr std::size_t kMeshRayCount = 20000;
inline constexpr std::size_t kMeshPointCount = 2000;

struct MeshScene {
    std::vector<Vec3> vertices;
    std::vector<std::uint32_t> indices;
    /// From all over the box around the mesh in all directions; from a camera above, row by row; from a camera
    /// inside, in tiles of 4 × 4.
    std::vector<Ray> incoherent_rays;
    std::vector<Ray> coherent_rays;
    std::vector<Ray> inside_rays;
    std::vector<Vec3> points;
    std::vector<Obb> obbs;

    std::size_t triangle_count() const { return indices.size() / 3; }
};

inline void add_box(MeshScene& state_scene, Vec3 min, Vec3 max) {
    const auto first = static_cast<std::uint32_t>(state_scene.vertices.size());
    for (unsigned i = 0; i < 8; ++i) {
        state_scene.vertices.push_back(
            {(i & 1) != 0 ? max.x : min.x, (i & 2) != 0 ? max.y : min.y, (i & 4) != 0 ? max.z : min.z});
    }
    static constexpr std::uint32_t kQuads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                                   {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (const auto& quad : kQuads) {
        for (const std::uint32_t corner : {0u, 1u, 2u, 0u, 2u, 3u})
            state_scene.indices.push_back(first + quad[corner]);
    }
}

/// "terrain": hills of this many triangles; "building": rooms of floors, walls with doors, and furniture. y
/// is up.
inline MeshScene make_mesh_scene(const std::string& name, std::size_t triangle_count) {
    MeshScene scene;
    Sequence sequence;
    if (name == "terrain") {
        const auto side = static_cast<std::uint32_t>(std::sqrt(static_cast<double>(triangle_count) / 2));
        const scenes::Terrain terrain(
            {.quad_count_per_side = side, .quad_size = 512.0f / static_cast<float>(side), .min_corner = {}});
        scene.vertices = terrain.mesh().positions;
        for (const auto& triangle : terrain.mesh().triangles) {
            for (const std::uint32_t index : triangle) scene.indices.push_back(index);
        }
    } else if (name == "building") {
        // Four boxes a room.
        const auto side = static_cast<int>(std::cbrt(static_cast<double>(triangle_count) / 48));
        for (int room = 0; room < side * side * side; ++room) {
            const Vec3 corner = {static_cast<float>(room % side) * 4,
                                 static_cast<float>(room / side % side) * 3,
                                 static_cast<float>(room / side / side) * 4};
            const Vec3 wall = corner + Vec3{0, 0.25f, 0};
            const float door = sequence.next(0.3f, 2.3f);
            const Vec3 desk = corner + Vec3{sequence.next(0.5f, 2.5f), 0.25f, sequence.next(0.5f, 2.5f)};
            add_box(scene, corner, corner + Vec3{3.9f, 0.2f, 3.9f});
            add_box(scene, wall, wall + Vec3{door, 2.7f, 0.1f});
            add_box(scene, wall + Vec3{door + 1, 0, 0}, wall + Vec3{3.9f, 2.7f, 0.1f});
            add_box(scene, desk, desk + Vec3{sequence.next(0.3f, 1.3f), sequence.next(0.4f, 1.4f), 0.6f});
        }
    } else {
        std::abort();
    }
    Aabb box = Aabb::empty();
    for (const Vec3 vertex : scene.vertices) box = include(box, vertex);
    const Vec3 extent = size(box);
    const auto place = [&] {
        const Vec3 part = sequence.vector(0, 1);
        return box.min + Vec3{extent.x * part.x, extent.y * part.y * 1.25f, extent.z * part.z};
    };
    for (std::size_t i = 0; i < kMeshRayCount; ++i) {
        const Vec3 origin = place();
        scene.incoherent_rays.push_back({origin, sequence.vector(1)});
        const float x = static_cast<float>(i % 200) / 200 - 0.5f;
        const float z = static_cast<float>(i / 200) / 100 - 0.5f;
        const Vec3 camera = box.min + Vec3{extent.x * 0.51f, extent.y + extent.x * 0.7f, extent.z * 0.52f};
        scene.coherent_rays.push_back({camera, {x * 0.93f, -0.8f, z * 0.91f}});
        const std::size_t tile = i / 16;
        const float right = static_cast<float>(tile % 50 * 4 + i % 4) / 200 - 0.5f;
        const float up = static_cast<float>(tile / 50 * 4 + i / 4 % 4) / 100 - 0.5f;
        const Vec3 inside = box.min + Vec3{extent.x * 0.52f, extent.y * 0.53f, extent.z * 0.51f};
        scene.inside_rays.push_back({inside, Vec3{0.8f, -0.1f, 0.6f} + Vec3{-0.6f, 0, 0.8f} * (right * 1.5f) +
                                                 Vec3{0, 1, 0} * (up * 0.75f)});
    }
    for (std::size_t i = 0; i < kMeshPointCount; ++i) {
        scene.points.push_back(place());
        const float angle = sequence.next(0, 6);
        const Vec3 half = {sequence.next(0.2f, 1.5f), sequence.next(0.2f, 1.5f), sequence.next(0.2f, 1.5f)};
        scene.obbs.push_back({scene.points.back(),
                              {std::cos(angle), 0, -std::sin(angle)},
                              {0, 1, 0},
                              {std::sin(angle), 0, std::cos(angle)},
                              half});
    }
    return scene;
}

/// The kinds of rays by the names that rows have, each with its list.
struct MeshRays {
    const char* name;
    std::vector<Ray> MeshScene::*rays;
};
inline constexpr MeshRays kMeshRays[] = {{"incoherent", &MeshScene::incoherent_rays},
                                         {"coherent", &MeshScene::coherent_rays},
                                         {"inside", &MeshScene::inside_rays}};

struct MeshSceneName {
    const char* name;
    std::size_t triangle_count;
};
inline constexpr MeshSceneName kMeshScenes[] = {{"terrain", 1000000}, {"building", 250000}};

}  // namespace broadside::bench
