// The objects closest to points.
#include "broadphase/src/tree/near.hpp"
#include "broadphase/src/world/query.hpp"

#include <broadside/float_environment.hpp>

namespace broadside {
using namespace broadphase;

BatchResult WorldQueries::closest_objects(std::span<const Vec3> points,
                                          const ClosestBoxSettings& box_settings,
                                          const WorldQuerySettings& settings,
                                          std::span<ClosestObject> out_closest) const noexcept {
    const FloatEnvironment environment;
    if (const Status status = check(*this, points.size(), settings); status != Status::ok) return {status};
    const std::size_t count = box_settings.count;
    if (!BROADSIDE_ARGUMENT(count <= kClosestObjectsMax,
                            "box_settings: count is more than kClosestObjectsMax"))
        return {Status::invalid_argument};
    if (points.size() * count > out_closest.size()) return {Status::capacity_exceeded};
    const WorldTrees& world = *data_;
    run_chunks(settings.runner, points.size(), 64, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("world/query task");
        for (std::size_t i = begin; i < end; ++i) {
            ClosestBox list[kClosestObjectsMax];
            std::fill_n(list, count, ClosestBox{});
            // The trees fill one list, each within the reach that the others left.
            KindQueries(world, settings, i, 1)
                .for_each_tree(
                    [&](std::uint32_t, const BoxTree& tree, const TreeQuerySettings& tree_settings) {
                        const TreeQueries tree_queries = {tree.view(), *simd::active_kernels<TreeKernels>(),
                                                          tree_settings.filter};
                        const IndexNumbers numbers = {tree_queries.tree, world.boxes()};
                        add_near_boxes(tree_queries, numbers, points[i], 0, box_settings.max_distance,
                                       {list, count});
                    });
            for (std::size_t k = 0; k < count; ++k) {
                out_closest[i * count + k] =
                    list[k].box_index == kNoBox
                        ? ClosestObject{}
                        : ClosestObject{list[k].distance_sq, world.handle_at(list[k].box_index)};
            }
        }
    });
    return {};
}

}  // namespace broadside
