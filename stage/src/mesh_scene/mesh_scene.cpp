// MeshScene: a tree over the boxes of instances, whose meshes are queried in their own space.
#include <broadside/float_environment.hpp>
#include <broadside/mesh_scene.hpp>

#include "core/src/argument.hpp"
#include "core/src/zones.hpp"
#include "stage/src/mesh_scene/queries.hpp"

#include <algorithm>
#include <utility>

namespace broadside {
namespace {

// Grown by the most that rounding in the instance's space can move what it meets.
Aabb instance_box(const PlacedMesh& placed) {
    const Aabb box = placed_bounds(placed);
    if (placed.mesh->triangle_count() == 0) return box;
    const Vec3 size = max_keep(absolute(box.min), absolute(box.max));
    const float pad = max_keep(max_keep(size.x, size.y), size.z) * 0x1p-15f + FLT_MIN;
    return {box.min - Vec3{pad, pad, pad}, box.max + Vec3{pad, pad, pad}};
}

bool check_instance(const PlacedMesh& placed) {
    if (!BROADSIDE_ARGUMENT(placed.mesh != nullptr, "instances: one has no mesh")) return false;
    if (!BROADSIDE_ARGUMENT(is_placement(placed.world_from_mesh),
                            "instances: a world_from_mesh is no rotation times a scale"))
        return false;
    const Aabb box = instance_box(placed);
    return BROADSIDE_ARGUMENT(
        placed.mesh->triangle_count() == 0 || (is_finite(box.min) && is_finite(box.max)),
        "instances: one is out of the range of floats once placed");
}

template <class Shape>
bool is_any_overlap(const MeshScene& scene, const BoxTree& tree, const Shape& shape) {
    bool has_overlap = false;
    (void)tree.visit_overlaps(shape, {}, [&](const std::uint32_t& instance) {
        const PlacedMesh& placed = scene.instance(instance);
        has_overlap = placed.mesh->any_overlap(seen_from_mesh(placed.world_from_mesh, shape));
        return !has_overlap;
    });
    return has_overlap;
}

template <class Shape>
WriteResult find_shape_overlaps(const MeshScene& scene, const BoxTree& tree, std::span<const Shape> shapes,
                                const TaskRunner* runner, MeshScratch& scratch,
                                std::span<Listed<SceneTriangle>> out_overlaps) {
    WriteResult result;
    if (!check_readable(shapes, out_overlaps) || !check_runner(runner)) return {Status::invalid_argument};
    for (std::uint32_t i = 0; i < shapes.size(); ++i) {
        result.status = stage::collect(scratch.instances, [&](auto&& add) {
            return tree.visit_overlaps(shapes[i], {},
                                       [&](const std::uint32_t& instance) { return add(instance); });
        });
        if (result.status != Status::ok) return result;
        for (const std::uint32_t instance : scratch.instances) {
            const PlacedMesh& placed = scene.instance(instance);
            const auto seen = seen_from_mesh(placed.world_from_mesh, shapes[i]);
            result.status = stage::find_whole(scratch.pairs, [&](std::span<IndexPair> out_pairs) {
                return placed.mesh->find_overlaps(seen, {}, scratch, out_pairs);
            });
            if (result.status != Status::ok) return result;
            for (const IndexPair& pair : scratch.pairs) {
                if (result.required++ < out_overlaps.size())
                    out_overlaps[result.written++] = {i, {instance, pair.second}};
            }
        }
    }
    if (result.written < result.required) result.status = Status::capacity_exceeded;
    return result;
}

}  // namespace

BatchResult MeshScene::build(std::span<const PlacedMesh> instances, const TaskRunner* runner) noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("MeshScene::build");
    if (!check_runner(runner) || !check_readable(instances)) return {Status::invalid_argument};
    for (std::size_t i = 0; i < instances.size(); ++i) {
        if (!check_instance(instances[i])) return {Status::invalid_argument, i};
    }
    AlignedArray<PlacedMesh> copies = instances_.make_empty();
    if (!copies.resize(instances.size()) || boxes_.resize(instances.size()) != Status::ok)
        return {Status::out_of_memory};
    for (std::size_t i = 0; i < instances.size(); ++i) {
        copies.data()[i] = instances[i];
        boxes_.set(i, instance_box(instances[i]));
    }
    if (const Status status = tree_.build(boxes_, runner); status != Status::ok) return {status};
    instances_ = std::move(copies);
    return {};
}

BatchResult MeshScene::update(std::span<const Transform> world_from_meshes,
                              const TaskRunner* runner) noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("MeshScene::update");
    if (!check_runner(runner) || !check_readable(world_from_meshes)) return {Status::invalid_argument};
    if (!BROADSIDE_ARGUMENT(world_from_meshes.size() == instances_.size(),
                            "world_from_meshes: not one for each instance"))
        return {Status::invalid_argument};
    for (std::size_t i = 0; i < instances_.size(); ++i) {
        PlacedMesh moved = instances_.data()[i];
        moved.world_from_mesh = world_from_meshes[i];
        if (!check_instance(moved)) return {Status::invalid_argument, i};
    }
    // A build that failed has left another number of boxes; there is memory for these.
    if (boxes_.resize(instances_.size()) != Status::ok) return {Status::out_of_memory};
    for (std::size_t i = 0; i < instances_.size(); ++i) {
        PlacedMesh& instance = instances_.data()[i];
        instance.world_from_mesh = world_from_meshes[i];
        boxes_.set(i, instance_box(instance));
    }
    return {tree_.update(boxes_, runner)};
}

void MeshScene::clear() noexcept {
    instances_.clear();
    boxes_.clear();
    tree_.clear();
}

const PlacedMesh& MeshScene::instance(std::uint32_t instance_index) const noexcept {
    BROADSIDE_ASSERT(instance_index < instances_.size(), "instance_index: at or past the count");
    return instances_.data()[instance_index];
}
Aabb MeshScene::bounds(std::uint32_t instance_index) const noexcept { return tree_.box(instance_index); }

WriteResult MeshScene::find_overlaps(const MeshShapes& shapes, const TaskRunner* runner, MeshScratch& scratch,
                                     std::span<Listed<SceneTriangle>> out_overlaps) const noexcept {
    const FloatEnvironment environment;
    WriteResult result;
    shapes.visit(
        [&](auto list) { result = find_shape_overlaps(*this, tree_, list, runner, scratch, out_overlaps); });
    return result;
}

BatchResult MeshScene::any_overlap(const MeshShapes& shapes, const TaskRunner* runner,
                                   std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    BatchResult result;
    shapes.visit([&](auto list) {
        result = stage::ask_bits(list, runner, out_bits,
                                 [&](const auto& shape) { return is_any_overlap(*this, tree_, shape); });
    });
    return result;
}

bool MeshScene::any_overlap(const MeshShape& shape) const noexcept {
    const FloatEnvironment environment;
    bool is_met = false;
    shape.visit([&](auto list) { is_met = is_any_overlap(*this, tree_, list[0]); });
    return FloatEnvironment::result(is_met);
}

}  // namespace broadside
