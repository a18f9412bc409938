// Shapes that reveal their floating-point environment: a third of denormal numbers that differ by denormal
// numbers, a third whose every result is rounded, and a third of special values.
#pragma once

#include "tests/support/generators.hpp"
#include "tests/support/guarded_columns.hpp"

#include <broadside/obb_soa.hpp>
#include <broadside/pair_buffer.hpp>
#include <broadside/ray.hpp>
#include <broadside/sphere_view.hpp>
#include <broadside/triangle_mesh.hpp>

#include <vector>

namespace broadside::test {

/// Item i of every list is of the same kind: denormal, rounded or special, in turns.
class EnvironmentShapes {
public:
    explicit EnvironmentShapes(std::size_t count, std::uint64_t seed = 1) {
        Random random(seed);
        for (std::uint32_t i = 0; i < count; ++i) {
            add_boxes(random, i);
            add_solids(random, i);
            add_motions(random, i);
            for (std::uint32_t j = i % 3; j < count && j < i + 150; j += 3) pairs.push_back({i, j});
            all_indices.push_back(static_cast<std::uint32_t>(count) - 1 - i);
        }
        (void)obb_soa.assign(obbs);
        std::vector<std::uint32_t> indices;
        for (const Triangle& triangle : triangles) {
            for (const Vec3& corner : {triangle.a, triangle.b, triangle.c}) {
                indices.push_back(static_cast<std::uint32_t>(triangle_corners.size()));
                triangle_corners.push_back(corner);
            }
        }
        (void)triangle_soa.assign(triangle_corners, indices);
    }

    Vec3SoaView point_view() const { return points_.view(); }
    Vec3SoaView displacement_view() const { return displacements_.view(); }
    SphereSoaView sphere_view() const {
        return {sphere_columns_[0].data(), sphere_columns_[1].data(), sphere_columns_[2].data(),
                sphere_columns_[3].data(), spheres.size()};
    }

    std::vector<Aabb> boxes;
    BoxSoa box_soa;
    std::vector<Obb> obbs;
    ObbSoa obb_soa;
    std::vector<Triangle> triangles;
    TriangleSoa triangle_soa;
    /// Three of each triangle.
    std::vector<Vec3> triangle_corners;
    std::vector<Sphere> spheres;
    std::vector<Vec3> points;
    std::vector<Vec3> displacements;
    std::vector<Ray> rays;
    std::vector<Transform> transforms;
    /// Pairs of items of the same kind.
    std::vector<IndexPair> pairs;
    /// All items, backwards.
    std::vector<std::uint32_t> all_indices;

private:
    struct Columns {
        std::vector<float> x, y, z;
        void push_back(Vec3 vector) {
            x.push_back(vector.x);
            y.push_back(vector.y);
            z.push_back(vector.z);
        }
        Vec3SoaView view() const { return {x.data(), y.data(), z.data(), x.size()}; }
    };

    static bool is_tiny(std::uint32_t i) { return i % 3 == 0; }
    static bool is_special(std::uint32_t i) { return i % 3 == 2; }
    static float tiny(std::uint32_t steps) { return static_cast<float>(steps) * 0x1p-149f; }
    static Vec3 tiny_vector(Random& random, std::uint32_t reach) {
        const float x = tiny(random.below(reach));
        const float y = tiny(random.below(reach));
        return {x, y, tiny(random.below(reach))};
    }
    static Vec3 place(Random& random, std::uint32_t i) {
        if (is_special(i)) return solids::adversarial_vector(random);
        return is_tiny(i) ? tiny_vector(random, 4000) : random_vector(random, 3);
    }
    static Vec3 offset(Random& random, std::uint32_t i) {
        return is_tiny(i) ? tiny_vector(random, 600) : random_vector(random, 1);
    }

    void add_boxes(Random& random, std::uint32_t i) {
        const Vec3 extent = absolute(offset(random, i));
        const Vec3 corner = place(random, i);
        Aabb box = {corner, corner + extent};
        // Inverted by a denormal number.
        if (is_tiny(i) && random.chance(8)) box.max.y = box.min.y - tiny(4);
        boxes.push_back(is_special(i) ? adversarial_box(random) : box);
        (void)box_soa.push_back(boxes.back());
        const Obb turned = solids::turned_box(random, place(random, i), extent);
        obbs.push_back(is_special(i) ? solids::adversarial_obb(random) : turned);
    }
    void add_solids(Random& random, std::uint32_t i) {
        const Vec3 a = place(random, i);
        const Vec3 b = a + offset(random, i);
        const Vec3 c = a + offset(random, i);
        triangles.push_back(is_special(i) ? solids::adversarial_triangle(random) : Triangle{a, b, c});
        const Sphere sphere = {place(random, i), absolute(offset(random, i).x)};
        spheres.push_back(is_special(i) ? solids::adversarial_sphere(random) : sphere);
        const float numbers[4] = {spheres.back().center.x, spheres.back().center.y, spheres.back().center.z,
                                  spheres.back().radius};
        for (int column = 0; column < 4; ++column) sphere_columns_[column].push_back(numbers[column]);
    }
    void add_motions(Random& random, std::uint32_t i) {
        points.push_back(place(random, i));
        points_.push_back(points.back());
        // A denormal displacement counts as none, so not all are denormal.
        displacements.push_back(is_tiny(i) && i % 2 == 0 ? offset(random, i) : random_vector(random, 2));
        displacements_.push_back(displacements.back());
        const Vec3 direction = is_special(i) ? place(random, i) : random_vector(random, 1);
        rays.push_back({place(random, i), direction, is_tiny(i) ? tiny(3000) : 4.0f});
        const Vec3 row_x = random_vector(random, 1);
        const Vec3 row_y = random_vector(random, 1);
        transforms.push_back({row_x, row_y, offset(random, i), place(random, i)});
    }

    Columns points_;
    Columns displacements_;
    std::vector<float> sphere_columns_[4];
};

}  // namespace broadside::test
