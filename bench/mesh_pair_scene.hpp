// Mesh pairs for bench_mesh_pairs and its peers.
#pragma once

#include "bench/mesh_scene.hpp"

#include <broadside/mesh_distance.hpp>
#include <broadside/mesh_pairs.hpp>

namespace broadside::bench {

/// A mesh, and placements of copies that meet it at its own placement.
struct MeshPairScene {
    std::vector<Vec3> vertices;
    std::vector<std::uint32_t> indices;
    std::vector<Transform> places;
    /// Placements that do not meet it, and their motions; most meet it on the way.
    std::vector<Transform> starts;
    std::vector<Vec3> displacements;

    std::size_t triangle_count() const { return indices.size() / 3; }
};

/// A rotation about two axes, and a position.
inline Transform turned_place(float yaw, float pitch, Vec3 place) {
    const float cy = std::cos(yaw), sy = std::sin(yaw), cp = std::cos(pitch), sp = std::sin(pitch);
    return {{cy, 0, sy}, {sy * sp, cp, -cy * sp}, {-sy * cp, sp, cy * cp}, place};
}

/// "balls": bumpy balls that cut into each other. "buildings": a building and a slanted one through it.
inline MeshPairScene make_mesh_pair_scene(const std::string& name, std::size_t triangle_count) {
    MeshPairScene scene;
    Sequence sequence;
    const bool are_balls = name == "balls";
    if (are_balls) {
        const auto rows = static_cast<std::uint32_t>(std::sqrt(static_cast<double>(triangle_count) / 4));
        const std::uint32_t columns = 2 * rows;
        for (std::uint32_t row = 0; row <= rows; ++row) {
            for (std::uint32_t column = 0; column < columns; ++column) {
                const float latitude = 3.14159265f * static_cast<float>(row) / static_cast<float>(rows);
                const float longitude = 6.2831853f * static_cast<float>(column) / static_cast<float>(columns);
                const float radius = 1 + 0.1f * std::sin(latitude * 9) * std::sin(longitude * 7);
                scene.vertices.push_back({radius * std::sin(latitude) * std::cos(longitude),
                                          radius * std::cos(latitude),
                                          radius * std::sin(latitude) * std::sin(longitude)});
            }
        }
        for (std::uint32_t row = 0; row < rows; ++row) {
            for (std::uint32_t column = 0; column < columns; ++column) {
                const std::uint32_t next = (column + 1) % columns;
                const std::uint32_t a = row * columns + column, b = row * columns + next;
                const std::uint32_t c = a + columns, d = b + columns;
                // At the upper pole a and b are one point.
                if (row != 0)
                    for (const std::uint32_t corner : {a, b, c}) scene.indices.push_back(corner);
                for (const std::uint32_t corner : {b, d, c}) scene.indices.push_back(corner);
            }
        }
    } else {
        MeshScene building = make_mesh_scene("building", triangle_count);
        scene.vertices = std::move(building.vertices);
        scene.indices = std::move(building.indices);
    }
    Aabb box = Aabb::empty();
    for (const Vec3 vertex : scene.vertices) box = include(box, vertex);
    const Vec3 extent = size(box);
    for (int i = 0; i < 20; ++i) {
        const float yaw = are_balls ? sequence.next(0, 6) : sequence.next(0.05f, 0.5f);
        const float pitch = are_balls ? sequence.next(0, 6) : 0.0f;
        const Vec3 way = {sequence.next(-1, 1), sequence.next(-0.2f, 0.2f), sequence.next(-1, 1)};
        const Vec3 aside = way * (1 / std::sqrt(length_sq(way)));
        const float far = are_balls ? 1.6f : extent.x * 0.85f;
        scene.places.push_back(turned_place(yaw, pitch, aside * far));
        const float apart = are_balls ? 3.0f : extent.x * 2.2f;
        scene.starts.push_back(turned_place(yaw, pitch, aside * apart));
        scene.displacements.push_back(aside * -apart);
    }
    return scene;
}

struct MeshPairSceneName {
    const char* name;
    std::size_t triangle_count;
};
inline constexpr MeshPairSceneName kMeshPairScenes[] = {
    {"balls", 20000}, {"balls", 200000}, {"buildings", 100000}};

inline std::string mesh_pair_row(const char* question, const MeshPairSceneName& scene,
                                 const std::string& who) {
    std::string name = "narrowphase/mesh_pairs_";
    name.append(question).append("/").append(scene.name);
    return name.append("/").append(std::to_string(scene.triangle_count)).append("/").append(who);
}

/// Our results: pairs at every placement, and times from every start.
struct MeshPairAnswers {
    std::vector<std::size_t> pair_counts;
    std::vector<float> times;

    std::size_t pair_count() const {
        std::size_t sum = 0;
        for (const std::size_t count : pair_counts) sum += count;
        return sum;
    }
};
inline MeshPairAnswers our_mesh_pairs(const MeshPairScene& scene) {
    TriangleMesh mesh;
    if (mesh.build(scene.vertices, scene.indices).status != Status::ok) std::abort();
    MeshScratch scratch;
    MeshPairAnswers answers;
    for (std::size_t i = 0; i < scene.places.size(); ++i) {
        answers.pair_counts.push_back(
            find_triangle_pairs({&mesh}, {&mesh, scene.places[i]}, scratch, {}).required);
        answers.times.push_back(
            first_impact({&mesh}, {}, {&mesh, scene.starts[i]}, scene.displacements[i]).toi);
    }
    return answers;
}

/// Two meshes that do not meet, and placements of the second.
struct MeshDistanceScene {
    std::vector<Vec3> vertices;
    std::vector<Vec3> other_vertices;
    /// Of both.
    std::vector<std::uint32_t> indices;
    std::vector<Transform> places;
};
struct MeshDistanceSceneName {
    MeshPairSceneName meshes;
    const char* form;
    /// The distance of the centers, in radii of a ball or widths of a building.
    float far;
    /// The size of the second mesh.
    float scale;
};
/// "far": ten radii apart. "near": a tenth. "nested": a ball of half the size within the other. "caps": the ends of
/// two cylinders, one above the other, of triangles around their middles, so that all are equally near.
inline constexpr MeshDistanceSceneName kMeshDistanceScenes[] = {
    {{"balls", 20000}, "far", 10.0f, 1.0f},      {{"balls", 20000}, "near", 2.25f, 1.0f},
    {{"balls", 20000}, "nested", 0.2f, 0.5f},    {{"balls", 200000}, "far", 10.0f, 1.0f},
    {{"balls", 200000}, "near", 2.25f, 1.0f},    {{"balls", 200000}, "nested", 0.2f, 0.5f},
    {{"buildings", 100000}, "near", 1.5f, 1.0f}, {{"caps", 64}, "stacked", 0.5f, 1.0f},
    {{"caps", 500}, "stacked", 0.5f, 1.0f},
};
inline MeshDistanceScene make_stacked_caps(std::uint32_t triangle_count, float far) {
    MeshDistanceScene scene;
    scene.vertices.push_back({0, 0, 0});
    for (std::uint32_t i = 0; i < triangle_count; ++i) {
        const float angle = 6.2831853f * static_cast<float>(i) / static_cast<float>(triangle_count);
        scene.vertices.push_back({std::cos(angle), 0, std::sin(angle)});
        for (const std::uint32_t corner : {0u, 1 + i, 1 + (i + 1) % triangle_count})
            scene.indices.push_back(corner);
    }
    scene.other_vertices = scene.vertices;
    Sequence sequence;
    for (int i = 0; i < 20; ++i) scene.places.push_back(turned_place(sequence.next(0, 6), 0, {0, far, 0}));
    return scene;
}
inline MeshDistanceScene make_mesh_distance_scene(const MeshDistanceSceneName& name) {
    if (std::string(name.meshes.name) == "caps")
        return make_stacked_caps(static_cast<std::uint32_t>(name.meshes.triangle_count), name.far);
    MeshPairScene pair = make_mesh_pair_scene(name.meshes.name, name.meshes.triangle_count);
    MeshDistanceScene scene;
    Aabb box = Aabb::empty();
    for (const Vec3 vertex : pair.vertices) {
        box = include(box, vertex);
        scene.other_vertices.push_back(vertex * name.scale);
    }
    const float unit = std::string(name.meshes.name) == "balls" ? 1.0f : size(box).x;
    for (Transform place : pair.places) {
        const Vec3 way = place.translation * (1 / std::sqrt(length_sq(place.translation)));
        place.translation = way * (name.far * unit);
        scene.places.push_back(place);
    }
    scene.vertices = std::move(pair.vertices);
    scene.indices = std::move(pair.indices);
    return scene;
}
inline std::string mesh_distance_row(const MeshDistanceSceneName& scene, const std::string& who) {
    std::string name = "narrowphase/mesh_distance/";
    name.append(scene.meshes.name).append("_").append(scene.form).append("/");
    return name.append(std::to_string(scene.meshes.triangle_count)).append("/").append(who);
}
/// The distances at every placement.
inline std::vector<ClosestTrianglePair> our_mesh_distances(const MeshDistanceScene& scene) {
    TriangleMesh a, b;
    if (a.build(scene.vertices, scene.indices).status != Status::ok) std::abort();
    if (b.build(scene.other_vertices, scene.indices).status != Status::ok) std::abort();
    std::vector<ClosestTrianglePair> answers;
    for (const Transform& place : scene.places) answers.push_back(closest_triangle_pair({&a}, {&b, place}));
    return answers;
}

/// A camera's image of 128 x 128.
inline constexpr std::size_t kHallImage = 128;
inline constexpr std::size_t kHallRayCount = kHallImage * kHallImage;

/// Instances of a few meshes in a hall, so close that many are near each other.
struct Hall {
    TriangleMesh meshes[3];
    std::vector<PlacedMesh> placed;

    float side;

    std::vector<Ray> random_rays() const {
        Sequence sequence;
        std::vector<Ray> rays;
        for (std::size_t i = 0; i < kMeshRayCount; ++i)
            rays.push_back({sequence.vector(0, side), sequence.vector(1)});
        return rays;
    }
    /// Of a camera in the middle, in tiles of 4 x 4, as neighbouring rays of an image come.
    std::vector<Ray> camera_rays() const {
        std::vector<Ray> rays;
        const Vec3 eye = Vec3{0.52f, 0.51f, 0.53f} * side;
        for (std::size_t i = 0; i < kHallRayCount; ++i) {
            const std::size_t tile = i / 16, of_tile = i % 16;
            const auto part = [](std::size_t at) {
                return (static_cast<float>(at) + 0.5f) / static_cast<float>(kHallImage) - 0.5f;
            };
            const float right = part(tile % (kHallImage / 4) * 4 + of_tile % 4);
            const float up = part(tile / (kHallImage / 4) * 4 + of_tile / 4);
            rays.push_back({eye, Vec3{0.8f, 0.1f, 0.6f} + Vec3{-0.6f, 0, 0.8f} * right + Vec3{0, 1, 0} * up});
        }
        return rays;
    }

    explicit Hall(std::size_t count) : side(std::cbrt(static_cast<float>(count)) * 2.2f) {
        const MeshPairScene ball = make_mesh_pair_scene("balls", 2000);
        const MeshPairScene small = make_mesh_pair_scene("balls", 400);
        MeshScene box;
        add_box(box, {-1, -0.1f, -0.1f}, {1, 0.1f, 0.1f});
        const auto build = [](TriangleMesh& mesh, const auto& made) {
            if (mesh.build(made.vertices, made.indices).status != Status::ok) std::abort();
        };
        build(meshes[0], ball);
        build(meshes[1], small);
        build(meshes[2], box);
        Sequence sequence;
        for (std::size_t i = 0; i < count; ++i) {
            const Vec3 place = {sequence.next(0, side), sequence.next(0, side), sequence.next(0, side)};
            placed.push_back({&meshes[i % 3], turned_place(sequence.next(0, 6), sequence.next(0, 6), place)});
        }
    }
};

}  // namespace broadside::bench
