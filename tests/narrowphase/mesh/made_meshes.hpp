// Meshes for tests: closed ones, open ones, and heaps of triangles that share nothing.
#pragma once

#include "tests/narrowphase/mesh/ray_oracle.hpp"
#include "tests/support/drawn_thresholds.hpp"

#include <doctest/doctest.h>

#include <map>
#include <utility>

namespace broadside::test {

struct MadeMesh {
    std::vector<Vec3> vertices;
    std::vector<std::uint32_t> indices;
    /// Drawn with random meshes; queries return the same.
    MeshBuildQuality quality = MeshBuildQuality::standard;
    narrowphase::MeshBuildSizes sizes = {};

    std::uint32_t triangle_count() const { return static_cast<std::uint32_t>(indices.size() / 3); }
    Triangle triangle(std::uint32_t index) const {
        return {vertices[indices[3 * index]], vertices[indices[3 * index + 1]],
                vertices[indices[3 * index + 2]]};
    }
    void add(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        for (const std::uint32_t index : {a, b, c}) indices.push_back(index);
    }
    void add(const Triangle& triangle) {
        const auto first = static_cast<std::uint32_t>(vertices.size());
        for (const Vec3 corner : {triangle.a, triangle.b, triangle.c}) vertices.push_back(corner);
        add(first, first + 1, first + 2);
    }
};

/// A cube of side 2 around the origin, with front faces outside.
inline MadeMesh cube() {
    MadeMesh mesh;
    for (int i = 0; i < 8; ++i) {
        mesh.vertices.push_back({i & 1 ? 1.0f : -1.0f, i & 2 ? 1.0f : -1.0f, i & 4 ? 1.0f : -1.0f});
    }
    static constexpr std::uint32_t kQuads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                                   {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (const auto& quad : kQuads) {
        mesh.add(quad[0], quad[1], quad[2]);
        mesh.add(quad[0], quad[2], quad[3]);
    }
    return mesh;
}

/// Splits every triangle in four, with the corners that `place` makes of the midpoints; shared edges stay
/// shared.
template <class Place>
MadeMesh refined(const MadeMesh& mesh, Place&& place) {
    MadeMesh finer;
    finer.vertices = mesh.vertices;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
    const auto middle = [&](std::uint32_t a, std::uint32_t b) {
        const auto [found, is_new] =
            middles.try_emplace(std::minmax(a, b), static_cast<std::uint32_t>(finer.vertices.size()));
        if (is_new) finer.vertices.push_back(place(mesh.vertices[a] * 0.5f + mesh.vertices[b] * 0.5f));
        return found->second;
    };
    for (std::uint32_t i = 0; i < mesh.triangle_count(); ++i) {
        const std::uint32_t a = mesh.indices[3 * i], b = mesh.indices[3 * i + 1], c = mesh.indices[3 * i + 2];
        const std::uint32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
        finer.add(a, ab, ca);
        finer.add(ab, b, bc);
        finer.add(ca, bc, c);
        finer.add(ab, bc, ca);
    }
    return finer;
}

/// A sphere of radius 2 about the origin; 12 · 4^levels triangles.
inline MadeMesh sphere(int levels) {
    MadeMesh mesh = cube();
    const auto on_sphere = [](Vec3 a) { return a * (2.0f / std::sqrt(length_sq(a))); };
    for (Vec3& vertex : mesh.vertices) vertex = on_sphere(vertex);
    for (int level = 0; level < levels; ++level) mesh = refined(mesh, on_sphere);
    return mesh;
}
/// A cube whose faces are plane grids: many edges and corners with whole coordinates.
inline MadeMesh fine_cube(int levels) {
    MadeMesh mesh = cube();
    for (int level = 0; level < levels; ++level) mesh = refined(mesh, [](Vec3 a) { return a; });
    return mesh;
}
inline void draw_build(Random& random, MadeMesh& out_mesh) {
    out_mesh.quality = random.chance(2) ? MeshBuildQuality::fast : MeshBuildQuality::standard;
    out_mesh.sizes = drawn_mesh_build_sizes(random);
}

/// Hills over a square of `side` cells a side.
inline MadeMesh hills(Random& random, std::uint32_t side) {
    MadeMesh mesh;
    draw_build(random, mesh);
    for (std::uint32_t y = 0; y <= side; ++y) {
        for (std::uint32_t x = 0; x <= side; ++x) {
            mesh.vertices.push_back({static_cast<float>(x), static_cast<float>(y), random.unit() * 2});
        }
    }
    for (std::uint32_t y = 0; y < side; ++y) {
        for (std::uint32_t x = 0; x < side; ++x) {
            const std::uint32_t corner = y * (side + 1) + x;
            mesh.add(corner, corner + 1, corner + side + 2);
            mesh.add(corner, corner + side + 2, corner + side + 1);
        }
    }
    return mesh;
}
/// Triangles of all kinds, some of them twice, some degenerate.
inline MadeMesh heap(Random& random, std::uint32_t count, float reach) {
    MadeMesh mesh;
    draw_build(random, mesh);
    while (mesh.triangle_count() < count) {
        if (mesh.triangle_count() > 0 && random.chance(8)) {
            mesh.add(mesh.triangle(random.below(mesh.triangle_count())));
            continue;
        }
        const Triangle triangle = adversarial_triangle(random, reach * 0.2f);
        const Vec3 place =
            random.chance(2) ? random_vector(random, reach) : grid_vector(random, 3) * (reach * 0.25f);
        mesh.add({triangle.a + place, triangle.b + place, triangle.c + place});
    }
    return mesh;
}

inline TriangleMesh built(const MadeMesh& made) {
    const UsedMeshBuildSizes used(made.sizes);
    TriangleMesh mesh;
    const MeshBuildResult result = mesh.build(made.vertices, made.indices, nullptr, made.quality);
    REQUIRE(result.status == Status::ok);
    return mesh;
}

/// A ray at some triangle of the mesh that is hard to decide; see above.
inline Ray adversarial_ray(Random& random, const MadeMesh& mesh, float reach) {
    return adversarial_ray(random, mesh.triangle(random.below(mesh.triangle_count())), reach);
}

}  // namespace broadside::test
