// The objects that a shape overlaps.
#include "broadphase/src/world/query.hpp"

#include <broadside/float_environment.hpp>

namespace broadside {
namespace broadphase {
namespace {

// Tree after tree, until the visitor has enough.
template <class Shape>
Status visit_overlaps_of_trees(const WorldQueries& queries, const Shape& shape,
                               const WorldQuerySettings& settings, ObjectVisitor visit) {
    if (const Status status = check(queries, 1, settings); status != Status::ok) return status;
    const WorldTrees& world = *queries.data();
    bool goes_on = true;
    const KindQueries kinds(world, settings, 0, 1);
    kinds.for_each_tree([&](std::uint32_t, const BoxTree& tree, const TreeQuerySettings& tree_settings) {
        if (!goes_on) return;
        (void)tree.visit_overlaps(shape, tree_settings, [&](std::uint32_t slot) {
            goes_on = visit(world.handle_at(slot));
            return goes_on;
        });
    });
    return Status::ok;
}

template <class Shape>
WriteResult find_shape_overlaps(const WorldQueries& queries, std::span<const Shape> shapes,
                                const WorldQuerySettings& settings, WorldQueryScratch& scratch,
                                AlignedArray<WorldOverlap>& out_list) {
    return find_all<IndexPair>(
        queries, shapes.size(), settings, scratch, out_list,
        [&](const BoxTree& tree, const TreeQuerySettings& tree_settings, TreeScratch& tree_scratch,
            PairBuffer& out) { return tree.find_overlaps(shapes, tree_settings, tree_scratch, out); });
}
template <class Shape>
BatchResult any_shape_overlap(const WorldQueries& queries, std::span<const Shape> shapes,
                              const WorldQuerySettings& settings, std::span<std::uint64_t> out_bits) {
    return find_any(
        queries, shapes, settings, out_bits,
        [](const BoxTree& tree, const TreeQuerySettings& tree_settings, std::span<const Shape> part,
           std::span<std::uint64_t> out) { return tree.any_overlap(part, tree_settings, out); });
}

}  // namespace
}  // namespace broadphase

using namespace broadphase;

WriteResult WorldQueries::find_overlaps(std::span<const Aabb> boxes, const WorldQuerySettings& settings,
                                        WorldQueryScratch& scratch,
                                        AlignedArray<WorldOverlap>& out_overlaps) const noexcept {
    const FloatEnvironment environment;
    return find_shape_overlaps(*this, boxes, settings, scratch, out_overlaps);
}
WriteResult WorldQueries::find_overlaps(std::span<const Vec3> points, const WorldQuerySettings& settings,
                                        WorldQueryScratch& scratch,
                                        AlignedArray<WorldOverlap>& out_overlaps) const noexcept {
    const FloatEnvironment environment;
    return find_shape_overlaps(*this, points, settings, scratch, out_overlaps);
}
WriteResult WorldQueries::find_overlaps(std::span<const Sphere> spheres, const WorldQuerySettings& settings,
                                        WorldQueryScratch& scratch,
                                        AlignedArray<WorldOverlap>& out_overlaps) const noexcept {
    const FloatEnvironment environment;
    return find_shape_overlaps(*this, spheres, settings, scratch, out_overlaps);
}
WriteResult WorldQueries::find_overlaps(std::span<const Obb> obbs, const WorldQuerySettings& settings,
                                        WorldQueryScratch& scratch,
                                        AlignedArray<WorldOverlap>& out_overlaps) const noexcept {
    const FloatEnvironment environment;
    return find_shape_overlaps(*this, obbs, settings, scratch, out_overlaps);
}
WriteResult WorldQueries::find_overlaps(std::span<const ConvexVolume> volumes,
                                        const WorldQuerySettings& settings, WorldQueryScratch& scratch,
                                        AlignedArray<WorldOverlap>& out_overlaps) const noexcept {
    const FloatEnvironment environment;
    return find_shape_overlaps(*this, volumes, settings, scratch, out_overlaps);
}

Status WorldQueries::visit_overlaps(const Aabb& box, const WorldQuerySettings& settings,
                                    ObjectVisitor visit) const noexcept {
    const FloatEnvironment environment;
    return visit_overlaps_of_trees(*this, box, settings, visit);
}
Status WorldQueries::visit_overlaps(Vec3 point, const WorldQuerySettings& settings,
                                    ObjectVisitor visit) const noexcept {
    const FloatEnvironment environment(point);
    return visit_overlaps_of_trees(*this, point, settings, visit);
}
Status WorldQueries::visit_overlaps(const Sphere& sphere, const WorldQuerySettings& settings,
                                    ObjectVisitor visit) const noexcept {
    const FloatEnvironment environment;
    return visit_overlaps_of_trees(*this, sphere, settings, visit);
}
Status WorldQueries::visit_overlaps(const Obb& obb, const WorldQuerySettings& settings,
                                    ObjectVisitor visit) const noexcept {
    const FloatEnvironment environment;
    return visit_overlaps_of_trees(*this, obb, settings, visit);
}
Status WorldQueries::visit_overlaps(const ConvexVolume& volume, const WorldQuerySettings& settings,
                                    ObjectVisitor visit) const noexcept {
    const FloatEnvironment environment;
    return visit_overlaps_of_trees(*this, volume, settings, visit);
}

BatchResult WorldQueries::any_overlap(std::span<const Aabb> boxes, const WorldQuerySettings& settings,
                                      std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    return any_shape_overlap(*this, boxes, settings, out_bits);
}
BatchResult WorldQueries::any_overlap(std::span<const Vec3> points, const WorldQuerySettings& settings,
                                      std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    return any_shape_overlap(*this, points, settings, out_bits);
}
BatchResult WorldQueries::any_overlap(std::span<const Sphere> spheres, const WorldQuerySettings& settings,
                                      std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    return any_shape_overlap(*this, spheres, settings, out_bits);
}
BatchResult WorldQueries::any_overlap(std::span<const Obb> obbs, const WorldQuerySettings& settings,
                                      std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    return any_shape_overlap(*this, obbs, settings, out_bits);
}
BatchResult WorldQueries::any_overlap(std::span<const ConvexVolume> volumes,
                                      const WorldQuerySettings& settings,
                                      std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    return any_shape_overlap(*this, volumes, settings, out_bits);
}

}  // namespace broadside
