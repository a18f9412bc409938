// The arguments of entry points.
#include "tests/broadphase/pair_scenes.hpp"
#include "tests/entry_points/entry_points.hpp"
#include "tests/support/casts.hpp"

#include <broadside/bits.hpp>

#include <doctest/doctest.h>

#include <numeric>

namespace broadside::test {
namespace {

constexpr std::size_t kSmallCount = 150;
constexpr std::size_t kLargeCount = 12000;

// One box in eight is denormal, the others fill a cube.
std::vector<Aabb> many_boxes() {
    Random random(7);
    std::vector<Aabb> boxes;
    const auto tiny = [&](std::uint32_t reach) {
        const float x = static_cast<float>(random.below(reach)) * 0x1p-149f;
        const float y = static_cast<float>(random.below(reach)) * 0x1p-149f;
        return Vec3{x, y, static_cast<float>(random.below(reach)) * 0x1p-149f};
    };
    for (std::uint32_t i = 0; i < kLargeCount; ++i) {
        const Vec3 corner = tiny(3000000);
        boxes.push_back(i % 8 == 0 ? Aabb{corner, corner + tiny(150000)} : random_box(random, 50, 6));
    }
    return boxes;
}

}  // namespace

Material::Material(bool is_large)
    : box_list(is_large ? many_boxes() : EnvironmentShapes(kSmallCount, 2).boxes),
      boxes(soa_of(box_list)),
      later_list(box_list),
      others(is_large ? soa_of(std::vector(box_list.begin(), box_list.begin() + 2000))
                      : soa_of(EnvironmentShapes(kSmallCount, 3).boxes)),
      mover_bits(bit_word_count(box_list.size())),
      queries(is_large ? 300 : kSmallCount, 3) {
    for (std::size_t i = 0; i < count(); ++i) {
        // Some replace others of their kind; in the small list some grow by a denormal number, too.
        if (is_large ? i % 40 == 0 : i % 2 == 1) later_list[i] = box_list[(i + 6) % count()];
        if (!is_large && i % 4 == 0) later_list[i].max.x += 0x1p-149f;
        if (i % 5 == 0) mover_bits[i / 64] |= std::uint64_t{1} << i % 64;
    }
    later = soa_of(later_list);
    REQUIRE(tree.build(boxes) == Status::ok);
    REQUIRE(other_tree.build(others) == Status::ok);
    const std::size_t query_count = queries.boxes.size();
    for (std::size_t i = 0; i < query_count; ++i) {
        const Sphere& sphere = queries.spheres[i];
        capsules.push_back({sphere.center, queries.spheres[(i + 3) % query_count].center, sphere.radius});
        planes.push_back({queries.displacements[i], queries.points[i].x});
    }
    for (std::size_t i = 0; i + 6 < query_count; ++i)
        volumes.push_back({std::span(planes).subspan(i, i % 6 + 1)});
    box_casts = casts_of(queries.boxes, queries.displacements);
    sphere_casts = casts_of(queries.spheres, queries.displacements);
    capsule_casts = casts_of(capsules, queries.displacements);
    obb_casts = casts_of(queries.obbs, queries.displacements);

    if (is_large) {
        for (const Aabb& box : box_list)
            vertices.insert(vertices.end(), {box.min, {box.max.x, box.min.y, box.min.z}, box.max});
    } else {
        for (const Triangle& triangle : EnvironmentShapes(63).triangles) {
            if (!is_finite(triangle.a) || !is_finite(triangle.b) || !is_finite(triangle.c)) continue;
            vertices.insert(vertices.end(), {triangle.a, triangle.b, triangle.c});
        }
    }
    indices.resize(vertices.size());
    std::iota(indices.begin(), indices.end(), 0u);
    REQUIRE(mesh.build(vertices, indices).status == Status::ok);
}

const Material& small_material() {
    static const Material made(false);
    return made;
}

const Material& large_material() {
    static const Material made(true);
    return made;
}

namespace {

void add_all(const Material& m, EntryPoints& list) {
    add_meshes(m, list);
    add_broadphase(m, list);
    add_trees_and_worlds(m, list);
    add_stage(m, list);
}

}  // namespace

const EntryPoints& small_list() {
    static const EntryPoints list = [] {
        EntryPoints made;
        add_narrowphase(made);
        add_solids_and_rays(made);
        add_meshes_alone(made);
        add_all(small_material(), made);
        return made;
    }();
    return list;
}

const EntryPoints& large_list() {
    static const EntryPoints list = [] {
        EntryPoints made;
        add_all(large_material(), made);
        return made;
    }();
    return list;
}

}  // namespace broadside::test
