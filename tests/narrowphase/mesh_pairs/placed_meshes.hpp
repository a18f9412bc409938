// Pairs of placed meshes for tests.
#pragma once

#include "tests/narrowphase/mesh/made_meshes.hpp"

#include <broadside/obb_tree.hpp>
#include <broadside/placed_mesh.hpp>

#include <cmath>
#include <memory>

namespace broadside::test {

/// A rotation about any axis, as exact as floats allow.
inline Transform any_rotation(Random& random) {
    double q[4];
    double length = 0;
    for (double& part : q) {
        part = static_cast<double>(random.uniform(-1, 1));
        length += part * part;
    }
    for (double& part : q) part /= std::sqrt(length);
    const auto [w, x, y, z] = q;
    const auto row = [](double a, double b, double c) {
        return Vec3{static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)};
    };
    return {row(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            row(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            row(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
            {}};
}
inline Transform any_placement(Random& random, float scale, float reach) {
    Transform place = random.chance(3) ? Transform{} : any_rotation(random);
    place.row_x = place.row_x * scale;
    place.row_y = place.row_y * scale;
    place.row_z = place.row_z * scale;
    place.translation =
        random.chance(3) ? grid_vector(random, 2) * (0.25f * reach) : random_vector(random, reach);
    return place;
}

inline TriangleMesh mesh_of(const std::vector<Triangle>& triangles) {
    MadeMesh made;
    for (const Triangle& triangle : triangles) made.add(triangle);
    return built(made);
}

/// Triangles around the corner (0, 0, height), with the others on a circle of radius 1.
inline std::vector<Triangle> fan(int count, float height, float first_angle) {
    const auto on_circle = [&](int i) {
        const float angle =
            first_angle + 6.2831853f * static_cast<float>(i % count) / static_cast<float>(count);
        return Vec3{std::cos(angle), std::sin(angle), 0};
    };
    std::vector<Triangle> triangles;
    for (int i = 0; i < count; ++i) triangles.push_back({{0, 0, height}, on_circle(i), on_circle(i + 1)});
    return triangles;
}

/// Two meshes, their trees, and their placements.
struct PlacedCase {
    std::unique_ptr<TriangleMesh> mesh[2];
    std::unique_ptr<ObbTree> tree[2];
    Transform place[2];
    float size;

    PlacedMesh first() const { return {mesh[0].get(), place[0], tree[0].get()}; }
    PlacedMesh second() const { return {mesh[1].get(), place[1], tree[1].get()}; }
};
inline std::vector<PlacedCase> placed_cases(Random& random, int count) {
    std::vector<PlacedCase> cases;
    for (int i = 0; i < count; ++i) {
        PlacedCase test;
        const float scales[4] = {1.0f, 0x1p-30f, 0x1p30f, 3.0f};
        test.size = scales[random.below(4)];
        const Vec3 far = random.chance(3) ? random_vector(random, 1000.0f * test.size) : Vec3{};
        for (int k = 0; k < 2; ++k) {
            MadeMesh made = random.chance(3)   ? fine_cube(1)
                            : random.chance(3) ? sphere(1)
                            : random.chance(2) ? heap(random, 1 + random.below(120), 2.0f)
                                               : hills(random, 6);
            if (random.chance(20)) made = {};
            test.mesh[k] = std::make_unique<TriangleMesh>(built(made));
            test.tree[k] = std::make_unique<ObbTree>();
            const ObbTreeSettings settings = {random.chance(4) ? random.below(4) : 48u, 1 + random.below(40)};
            REQUIRE(test.tree[k]->build(*test.mesh[k], settings) == Status::ok);
            const float scale = random.chance(2) ? 1.0f : random.uniform(0.25f, 4.0f);
            test.place[k] = any_placement(random, scale * test.size, 3.0f * test.size);
            test.place[k].translation = test.place[k].translation + far;
        }
        if (random.chance(8)) test.place[1] = test.place[0];
        cases.push_back(std::move(test));
    }
    return cases;
}

}  // namespace broadside::test
