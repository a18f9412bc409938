// Small scenes of all kinds of objects for the tests of the stage, and the stage's expected results by brute
// force.
#pragma once

#include "tests/support/generators.hpp"

#include <broadside/collision_stage.hpp>
#include <broadside/triangle_mesh.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace broadside::test {

/// Objects in plain lists; `input` fills the arrays of the stage from them.
class StageScene {
public:
    std::vector<Aabb> bodies;
    std::vector<Vec3> displacements;
    std::vector<Ray> rays;
    std::vector<Obb> obbs;
    std::vector<Vec3> obb_displacements;
    std::vector<Triangle> triangles;

    StageInput input() {
        REQUIRE(boxes_.resize(bodies.size()) == Status::ok);
        for (std::size_t i = 0; i < bodies.size(); ++i) boxes_.set(i, bodies[i]);
        x_.clear();
        y_.clear();
        z_.clear();
        for (const Vec3& d : displacements) {
            x_.push_back(d.x);
            y_.push_back(d.y);
            z_.push_back(d.z);
        }
        REQUIRE(soa_.resize(triangles.size()) == Status::ok);
        for (std::size_t i = 0; i < triangles.size(); ++i) soa_.set(i, triangles[i]);
        REQUIRE(triangle_bounds(soa_, triangle_bounds_) == Status::ok);
        StageInput input;
        input.boxes = boxes_;
        input.displacements = {x_.data(), y_.data(), z_.data(), x_.size()};
        input.rays = rays;
        input.obbs = obbs;
        input.obb_displacements = obb_displacements;
        input.triangles = soa_;
        input.triangle_bounds = triangle_bounds_;
        return input;
    }

private:
    BoxSoa boxes_;
    std::vector<float> x_, y_, z_;
    TriangleSoa soa_;
    BoxSoa triangle_bounds_;
};

/// A rotation about a random axis with random angle, orthonormal to rounding.
inline Obb random_obb(Random& random, float reach) {
    const float i = random.uniform(-1, 1);
    const float j = random.uniform(-1, 1);
    const float k = random.uniform(-1, 1);
    const float r = random.uniform(0.1f, 1);
    const float s = 2.0f / (r * r + i * i + j * j + k * k);
    const Vec3 center = {random.uniform(-reach, reach), random.uniform(-reach, reach),
                         random.uniform(-reach, reach)};
    const Vec3 half = {random.uniform(0, 1), random.uniform(0, 1), random.uniform(0, 1)};
    return {center,
            {1 - s * (j * j + k * k), s * (i * j + k * r), s * (i * k - j * r)},
            {s * (i * j - k * r), 1 - s * (i * i + k * k), s * (j * k + i * r)},
            {s * (i * k + j * r), s * (j * k - i * r), 1 - s * (i * i + j * j)},
            half};
}

/// Objects on whole-number coordinates (touching often) or anywhere, with a few bad ones among them.
inline StageScene make_stage_scene(std::uint64_t seed, std::size_t count, bool on_grid, bool with_bad) {
    Random random(seed);
    StageScene scene;
    for (std::size_t i = 0; i < count; ++i) {
        scene.bodies.push_back(with_bad && random.chance(10) ? adversarial_box(random)
                               : on_grid                     ? grid_box(random, 12)
                                                             : random_box(random, 8.0f, 2.0f));
        Vec3 displacement = on_grid ? grid_vector(random, 3) : random_vector(random, 3.0f);
        if (random.chance(3)) displacement = {};
        if (with_bad && random.chance(20)) displacement.y = special_float(random);
        scene.displacements.push_back(displacement);
    }
    for (std::size_t i = 0; i < count / 2; ++i) {
        Ray ray = {on_grid ? grid_vector(random, 12) : random_vector(random, 10.0f),
                   on_grid ? grid_vector(random, 2) : random_vector(random, 1.0f), random.uniform(0, 20)};
        if (random.chance(10)) ray.t_max = FLT_MAX;
        if (with_bad && random.chance(10)) ray.direction.x = special_float(random);
        scene.rays.push_back(ray);
    }
    for (std::size_t i = 0; i < count; ++i) {
        const Vec3 a = on_grid ? grid_vector(random, 12) : random_vector(random, 10.0f);
        const Vec3 b = on_grid ? grid_vector(random, 2) : random_vector(random, 2.0f);
        const Vec3 c = on_grid ? grid_vector(random, 2) : random_vector(random, 2.0f);
        scene.triangles.push_back({a, a + b, a + c});
        if (with_bad && random.chance(20)) scene.triangles.back().b.z = special_float(random);
    }
    for (std::size_t i = 0; i < count / 4; ++i) {
        Obb obb = random_obb(random, 10.0f);
        if (on_grid)
            obb = {grid_vector(random, 12), {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 2, random.grid(0, 2)}};
        if (with_bad && random.chance(10)) obb.half_extent.x = special_float(random);
        scene.obbs.push_back(obb);
        Vec3 displacement = on_grid ? grid_vector(random, 3) : random_vector(random, 3.0f);
        if (with_bad && random.chance(20)) displacement.z = special_float(random);
        scene.obb_displacements.push_back(displacement);
    }
    return scene;
}

}  // namespace broadside::test
