// Rays that a batch walks together, against each of them alone: the same hits, to the last bit, on every ISA.
#include "tests/narrowphase/mesh/ray_bundles.hpp"
#include "tests/support/suites.hpp"

#include <utility>

using namespace broadside;
using namespace broadside::test;

namespace {

constexpr Vec3 kFarAway = {0x1p24f, -0x1p24f, 0x1p24f};

struct Triangles {
    std::vector<Vec3> positions;
    std::vector<std::uint32_t> indices;

    void add(Vec3 a, Vec3 b, Vec3 c) {
        for (const Vec3 corner : {a, b, c}) {
            indices.push_back(static_cast<std::uint32_t>(positions.size()));
            positions.push_back(corner);
        }
    }
};

// A closed room with many small triangles, in integers, so that rays hit edges and corners.
Triangles room(int cells) {
    Triangles triangles;
    const auto size = static_cast<float>(cells);
    for (int side = 0; side < 6; ++side) {
        const int axis = side / 2;
        const float at = side % 2 == 0 ? -size : size;
        const auto point = [&](int u, int v) {
            float corner[3];
            corner[axis] = at;
            corner[(axis + 1) % 3] = static_cast<float>(2 * u) - size;
            corner[(axis + 2) % 3] = static_cast<float>(2 * v) - size;
            return Vec3{corner[0], corner[1], corner[2]};
        };
        for (int u = 0; u < cells; ++u) {
            for (int v = 0; v < cells; ++v) {
                triangles.add(point(u, v), point(u + 1, v), point(u, v + 1));
                triangles.add(point(u + 1, v), point(u + 1, v + 1), point(u, v + 1));
            }
        }
    }
    return triangles;
}

Triangles soup(Random& random, int count, float extent, float size) {
    Triangles triangles;
    for (int i = 0; i < count; ++i) {
        const Vec3 at = random_vec3(random, -extent, extent);
        const Vec3 b = at + random_vec3(random, -size, size);
        // Some are segments or points.
        const Vec3 c = random.chance(20) ? b : random.chance(40) ? at : at + random_vec3(random, -size, size);
        triangles.add(at, b, c);
    }
    return triangles;
}

// Sixteen rays to neighbouring corners or edges of the mesh, from one origin or parallel.
void add_bundle_at_corners(Random& random, const Triangles& triangles, Vec3 offset, float extent,
                           std::vector<Ray>& out_rays) {
    const Vec3 origin = random_vec3(random, -extent, extent) * (random.chance(3) ? 3.0f : 0.9f);
    const std::size_t count = triangles.positions.size();
    const std::size_t first = random.below(static_cast<std::uint32_t>(count));
    const std::size_t step = 1 + random.below(4);
    const bool is_parallel = random.chance(2);
    const auto whole = [&] { return static_cast<float>(random.below(9)) - 4; };
    const Vec3 direction = {whole(), whole(), whole()};
    for (std::size_t k = 0; k < kBundle; ++k) {
        const Vec3 corner = triangles.positions[(first + k * step) % count];
        const Vec3 other = triangles.positions[(first + k * step + 1) % count];
        const Vec3 target = random.chance(2) ? corner : (corner + other) * 0.5f;
        const float reach = random.chance(4) ? 1.0f : 8.0f;
        if (is_parallel)
            out_rays.push_back({target - offset - direction * 4.0f, direction});
        else
            out_rays.push_back({origin, target - offset - origin, reach});
    }
}

}  // namespace

TEST_CASE("coherent rays have the hits that each has alone" * kLong) {
    Random random(1900);
    std::vector<std::pair<Triangles, float>> meshes;
    meshes.emplace_back(room(1), 1.0f);
    meshes.emplace_back(room(16), 16.0f);
    meshes.emplace_back(soup(random, 3, 5, 4), 5.0f);
    meshes.emplace_back(soup(random, 3000, 10, 1), 10.0f);
    meshes.emplace_back(soup(random, 400, 1e-3f, 1e-3f), 1e-3f);
    // Small objects in the middle of a large mesh, so that origins may be far apart.
    meshes.emplace_back(room(16), 16.0f);
    meshes.back().first.add({-998, -998, -998}, {-996, -998, -998}, {-998, -996, -998});
    meshes.back().first.add({998, 998, 998}, {996, 998, 998}, {998, 996, 998});
    meshes.emplace_back(soup(random, 6000, 2, 0.2f), 2.0f);
    meshes.back().first.add({-30, -30, -30}, {-29, -30, -30}, {-30, -29, -30});
    meshes.back().first.add({30, 30, 30}, {29, 30, 30}, {30, 29, 30});
    // The room again, so far from zero that its corners are neighbouring floats.
    meshes.push_back(meshes[5]);
    for (Vec3& position : meshes.back().first.positions) position = position + kFarAway;
    std::size_t hit_count = 0;
    for (const auto& [triangles, extent] : meshes) {
        TriangleMesh mesh;
        REQUIRE(mesh.build(triangles.positions, triangles.indices).status == Status::ok);
        for (const Sides sides : {Sides::both, Sides::front}) {
            std::vector<Ray> rays;
            const bool is_far_away = &triangles == &meshes.back().first;
            for (int bundle = 0; bundle < 400; ++bundle) {
                if (random.chance(4))
                    add_bundle_at_corners(random, triangles, is_far_away ? kFarAway : Vec3{}, extent, rays);
                else
                    add_bundle(random, extent, rays);
                for (std::size_t k = rays.size() - kBundle; k < rays.size() && is_far_away; ++k)
                    rays[k].origin = rays[k].origin + kFarAway;
            }
            hit_count += check_bundles<MeshHit, MeshRay>(mesh, rays, sides);
        }
    }
    CHECK(hit_count > 10'000);
}
