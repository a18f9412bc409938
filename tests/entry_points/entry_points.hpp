// The lists of all public entry points, and the things that they are called with.
#pragma once

#include "tests/entry_points/entry_point.hpp"
#include "tests/support/environment_shapes.hpp"

#include <broadside/box_tree.hpp>
#include <broadside/cast.hpp>
#include <broadside/convex_volume.hpp>
#include <broadside/mesh.hpp>

namespace broadside::test {

/// Boxes, queries and a mesh. Small ones reveal their floating-point environment; large ones are split among workers.
struct Material {
    explicit Material(bool is_large);
    Material(const Material&) = delete;
    Material& operator=(const Material&) = delete;

    std::size_t count() const { return boxes.count(); }
    /// The items of a list that are queries, in groups of eight.
    template <class List>
    static auto some(const List& list, std::size_t count = 144) {
        return std::span(list).first(std::min(list.size() / 8 * 8, count));
    }

    std::vector<Aabb> box_list;
    BoxSoa boxes;
    /// As many, some of them elsewhere.
    std::vector<Aabb> later_list;
    BoxSoa later;
    BoxSoa others;
    BoxTree tree;
    BoxTree other_tree;
    std::vector<std::uint64_t> mover_bits;

    EnvironmentShapes queries;
    std::vector<Capsule> capsules;
    std::vector<Plane> planes;
    std::vector<ConvexVolume> volumes;
    std::vector<BoxCast> box_casts;
    std::vector<SphereCast> sphere_casts;
    std::vector<CapsuleCast> capsule_casts;
    std::vector<ObbCast> obb_casts;

    std::vector<Vec3> vertices;
    std::vector<std::uint32_t> indices;
    TriangleMesh mesh;
};
const Material& small_material();
const Material& large_material();

// Settings that a call reads in a way of its own, so that bad ones are made for it.

/// Of two sets, with two filters.
struct TwoSets : FindPairsSettings {};
/// Of a tree, which needs no algorithm.
struct TreePairs : FindPairsSettings {};
struct TwoTrees : FindPairsSettings {};
/// Every mistake of settings.
std::vector<BadSettings> all_bad_settings();

/// Rays and moving boxes have a rule of what counts as a hit, other queries have none.
struct NoRule {};
template <class Queries, class Rule>
auto with_rule(const Queries& queries, const Rule& rule) {
    return HitQueries(queries, rule);
}
template <class Queries>
auto with_rule(const Queries& queries, NoRule) {
    return HitQueries(queries);
}

void add_narrowphase(EntryPoints& list);
void add_solids_and_rays(EntryPoints& list);
void add_meshes_alone(EntryPoints& list);
// These refer to the material.
void add_meshes(const Material& m, EntryPoints& list);
void add_broadphase(const Material& m, EntryPoints& list);
void add_trees_and_worlds(const Material& m, EntryPoints& list);
void add_stage(const Material& m, EntryPoints& list);

/// Every entry point, with the small material.
const EntryPoints& small_list();
/// The ones that are split among workers, with the large material.
const EntryPoints& large_list();

}  // namespace broadside::test
