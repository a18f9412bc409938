// Worlds for movers, and a test of being inside, by other functions than those that move them.
#pragma once

#include "tests/support/generators.hpp"

#include <broadside/mover.hpp>
#include <broadside/sphere_overlap.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace broadside::test {

struct MoverWorld {
    std::vector<Aabb> boxes;
    std::vector<Triangle> triangles;
    BoxTree tree;
    TriangleMesh mesh;
    const TriangleMesh* meshes[1] = {&mesh};

    MoverWorld() = default;
    MoverWorld(const MoverWorld&) = delete;

    void add(const Triangle& triangle) { triangles.push_back(triangle); }
    /// Two triangles around the corners a, b, c, d.
    void add_quad(Vec3 a, Vec3 b, Vec3 c, Vec3 d) {
        add({a, b, c});
        add({a, c, d});
    }
    void build() {
        BoxSoa soa;
        REQUIRE(soa.resize(boxes.size()) == Status::ok);
        for (std::size_t i = 0; i < boxes.size(); ++i) soa.set(i, boxes[i]);
        REQUIRE(tree.build(soa) == Status::ok);
        std::vector<Vec3> vertices;
        std::vector<std::uint32_t> indices;
        for (const Triangle& triangle : triangles) {
            for (const Vec3 corner : {triangle.a, triangle.b, triangle.c}) {
                indices.push_back(static_cast<std::uint32_t>(vertices.size()));
                vertices.push_back(corner);
            }
        }
        REQUIRE(mesh.build(vertices, indices).status == Status::ok);
    }
    MoverObstacles obstacles() const { return {&tree, meshes}; }
};

inline std::vector<Triangle> faces_of(const Aabb& box) {
    const auto corner = [&](int i) {
        return Vec3{i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y,
                    i & 4 ? box.max.z : box.min.z};
    };
    static constexpr int kQuads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    std::vector<Triangle> faces;
    for (const auto& quad : kQuads) {
        faces.push_back({corner(quad[0]), corner(quad[1]), corner(quad[2])});
        faces.push_back({corner(quad[0]), corner(quad[2]), corner(quad[3])});
    }
    return faces;
}

/// True if it is inside, by the overlap functions of the narrowphase.
inline bool is_inside(const MoverWorld& world, const MoverShape& shape, Vec3 at, Vec3 up = {0, 0, 1}) {
    const Vec3 half = shape.half_extent;
    const Vec3 axis = shape.form == MoverForm::capsule ? up * shape.half_length : Vec3{};
    const Capsule capsule = {at - axis, at + axis, shape.radius};
    const Aabb box = {at - half, at + half};
    const auto meets_triangle = [&](const Triangle& triangle) {
        return shape.form == MoverForm::box ? overlap(box, triangle) : overlap(capsule, triangle);
    };
    for (const Triangle& triangle : world.triangles) {
        if (meets_triangle(triangle)) return true;
    }
    for (const Aabb& other : world.boxes) {
        if (shape.form == MoverForm::box ? overlap(box, other) : contains(other, at)) return true;
        if (shape.form == MoverForm::box) continue;
        for (const Triangle& face : faces_of(other)) {
            if (meets_triangle(face)) return true;
        }
    }
    return false;
}

inline MoverShape capsule_shape(float radius, float half_length) {
    return {MoverForm::capsule, {}, radius, half_length};
}
inline MoverShape sphere_shape(float radius) { return {MoverForm::sphere, {}, radius, 0}; }
inline MoverShape box_shape(Vec3 half) { return {MoverForm::box, half, 0, 0}; }
/// A box, a sphere and a capsule, each half a unit wide and a unit above its foot.
inline std::vector<MoverShape> some_shapes() {
    return {box_shape({0.25f, 0.25f, 0.5f}), sphere_shape(0.5f), capsule_shape(0.25f, 0.25f)};
}
inline float foot_of(const MoverShape& shape) {
    return shape.form == MoverForm::box ? shape.half_extent.z : shape.radius + shape.half_length;
}

inline float flat_length(Vec3 a) { return std::sqrt(a.x * a.x + a.y * a.y); }
inline float full_length(Vec3 a) { return std::sqrt(length_sq(a)); }

/// A mover with the same wish again and again.
struct Walk {
    const MoverWorld& world;
    Mover mover;
    MoverSettings settings = {};
    MoverResult last = {};

    Vec3 at() const { return mover.position; }
    const MoverResult& go(Vec3 displacement, int times = 1) {
        for (int i = 0; i < times; ++i) {
            mover.displacement = displacement;
            last = step_mover(mover, world.obstacles(), settings);
            mover.position = last.position;
            REQUIRE_FALSE(is_inside(world, mover.shape, mover.position, settings.up));
        }
        return last;
    }
};

}  // namespace broadside::test
