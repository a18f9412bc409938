// find_clashes: boxes of meshes, pairs of boxes, and the relation of each pair.
#include <broadside/clash.hpp>
#include <broadside/float_environment.hpp>
#include <broadside/obb_tree.hpp>
#include <broadside/run_tasks.hpp>

#include "core/src/argument.hpp"
#include "core/src/list_writer.hpp"
#include "core/src/zones.hpp"

#include <algorithm>

namespace broadside {
namespace {

// Pairs differ in cost a hundredfold, so tasks are small.
constexpr std::size_t kPairRun = 32;
constexpr std::size_t kBlock = 256;

bool check_settings(const MeshRelationSettings& settings, const ClashOutput& output) {
    return BROADSIDE_ARGUMENT(settings.clearance >= 0.0f && is_finite(settings.clearance),
                              "clearance: negative or not finite") &&
           check_output(output) && check_runner(settings.runner);
}

bool is_usable(const PlacedMesh& placed) {
    if (!BROADSIDE_ARGUMENT(placed.mesh != nullptr, "meshes: one has no mesh")) return false;
    if (!BROADSIDE_ARGUMENT(is_placement(placed.world_from_mesh),
                            "meshes: a world_from_mesh is no rotation times a scale"))
        return false;
    if (!BROADSIDE_ARGUMENT(
            placed.obb_tree == nullptr || placed.obb_tree->triangle_count() == placed.mesh->triangle_count(),
            "meshes: an obb_tree is none of the triangles of its mesh"))
        return false;
    const Aabb box = placed_bounds(placed);
    return BROADSIDE_ARGUMENT(
        placed.mesh->triangle_count() == 0 || (is_finite(box.min) && is_finite(box.max)),
        "meshes: one is out of the range of floats once placed");
}
// The first unusable mesh, or kNoIndex.
std::size_t check_meshes(std::span<const PlacedMesh> meshes) {
    for (std::size_t i = 0; i < meshes.size(); ++i) {
        if (!is_usable(meshes[i])) return i;
    }
    return kNoIndex;
}

// Bounds of the meshes, grown by the reach.
Status fill_boxes(std::span<const PlacedMesh> meshes, float reach, BoxSoa& out_boxes) {
    if (const Status status = out_boxes.resize(meshes.size()); status != Status::ok) return status;
    for (std::size_t i = 0; i < meshes.size(); ++i) {
        const Aabb box = placed_bounds(meshes[i]);
        const Vec3 size = max_keep(absolute(box.min), absolute(box.max));
        // Rounding to nearest may lose as much as this.
        const float pad =
            reach == 0.0f ? 0.0f : next_up(reach) + max_keep(max_keep(size.x, size.y), size.z) * FLT_EPSILON;
        const bool is_empty = meshes[i].mesh->triangle_count() == 0;
        out_boxes.set(i, is_empty ? box : Aabb{box.min - Vec3{pad, pad, pad}, box.max + Vec3{pad, pad, pad}});
    }
    return Status::ok;
}

// Decides all candidates. Returns the first status that is not ok, in their order.
Status relate_all(std::span<const PlacedMesh> a, std::span<const PlacedMesh> b,
                  const MeshRelationSettings& settings, BoxScratch& scratch) {
    const std::span<const IndexPair> pairs = scratch.listed_pairs;
    if (!scratch.relations.resize(pairs.size())) return Status::out_of_memory;
    std::uint8_t* const relations = scratch.relations.data();
    run_chunks(settings.runner, pairs.size(), kPairRun, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("clash/relation task");
        for (std::size_t i = begin; i < end; ++i) {
            const MeshRelationResult answer = mesh_relation(a[pairs[i].first], b[pairs[i].second], settings);
            // A value past the last enumerator encodes the status.
            relations[i] = answer.status == Status::ok
                               ? static_cast<std::uint8_t>(answer.found)
                               : static_cast<std::uint8_t>(0x80u | static_cast<unsigned>(answer.status));
        }
    });
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const unsigned value = relations[i];
        if ((value & 0x80u) != 0) return static_cast<Status>(value & 0x7Fu);
    }
    return Status::ok;
}

void hand_out(const BoxScratch& scratch, const ClashOutput& output, ClashResult& state_result) {
    ListWriter<Clash> writer(output);
    Clash block[kBlock];
    std::size_t count = 0;
    Status status = Status::ok;
    for (std::size_t i = 0; i < scratch.listed_pairs.size() && status == Status::ok; ++i) {
        const auto relation = static_cast<MeshRelation>(scratch.relations.data()[i]);
        if (relation == MeshRelation::apart) continue;
        block[count++] = {scratch.listed_pairs[i].first, scratch.listed_pairs[i].second, relation};
        if (count < kBlock) continue;
        status = writer.write({block, count});
        count = 0;
    }
    if (status == Status::ok) status = writer.write({block, count});
    writer.report(status, state_result);
}

ClashResult finish(std::span<const PlacedMesh> a, std::span<const PlacedMesh> b,
                   const MeshRelationSettings& settings, Status found, BoxScratch& scratch,
                   const ClashOutput& output) {
    ClashResult result = {found};
    if (result.status != Status::ok) return result;
    result.candidate_count = scratch.listed_pairs.size();
    result.status = relate_all(a, b, settings, scratch);
    if (result.status == Status::ok) hand_out(scratch, output, result);
    return result;
}

FindPairsSettings pair_settings(const MeshRelationSettings& settings) {
    FindPairsSettings of_pairs;
    of_pairs.runner = settings.runner;
    return of_pairs;
}

}  // namespace

ClashResult find_clashes(std::span<const PlacedMesh> a, std::span<const PlacedMesh> b,
                         const MeshRelationSettings& settings, BoxScratch& scratch,
                         const ClashOutput& out_clashes) noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("stage/find_clashes");
    if (!check_readable(a, b) || !check_settings(settings, out_clashes)) return {Status::invalid_argument};
    const std::size_t bad_a = check_meshes(a);
    const std::size_t bad_b = bad_a == kNoIndex ? check_meshes(b) : kNoIndex;
    if (bad_a != kNoIndex || bad_b != kNoIndex) return {Status::invalid_argument, 0, 0, bad_a, bad_b};
    if (const Status status = fill_boxes(a, settings.clearance, scratch.boxes_a); status != Status::ok)
        return {status};
    if (const Status status = fill_boxes(b, 0.0f, scratch.boxes_b); status != Status::ok) return {status};
    const FindPairsResult found =
        find_pairs(scratch.boxes_a, scratch.boxes_b, pair_settings(settings), scratch, scratch.listed_pairs);
    return finish(a, b, settings, found.status, scratch, out_clashes);
}

ClashResult find_clashes(std::span<const PlacedMesh> meshes, const MeshRelationSettings& settings,
                         BoxScratch& scratch, const ClashOutput& out_clashes) noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("stage/find_clashes");
    if (!check_readable(meshes) || !check_settings(settings, out_clashes)) return {Status::invalid_argument};
    const std::size_t bad = check_meshes(meshes);
    if (bad != kNoIndex) return {Status::invalid_argument, 0, 0, bad};
    if (const Status status = fill_boxes(meshes, settings.clearance, scratch.boxes_a); status != Status::ok)
        return {status};
    const FindPairsResult found =
        find_pairs(scratch.boxes_a, pair_settings(settings), scratch, scratch.listed_pairs);
    return finish(meshes, meshes, settings, found.status, scratch, out_clashes);
}

}  // namespace broadside
