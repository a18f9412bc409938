// The boxes nearest to points.
#include <broadside/float_environment.hpp>

#include "broadphase/src/tree/near.hpp"
#include "core/src/zones.hpp"

#include <algorithm>

namespace broadside {

using namespace broadphase;

BatchResult BoxTree::closest_boxes(std::span<const Vec3> points, const ClosestBoxSettings& box_settings,
                                   const TreeQuerySettings& settings,
                                   std::span<ClosestBox> out_closest) const noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("BoxTree::closest_boxes");
    if (const Status status = check_query(*this, points.size(), settings); status != Status::ok)
        return {status};
    const std::size_t count = box_settings.count;
    // Divided, so that no product can overflow.
    if (count != 0 && points.size() > out_closest.size() / count) return {Status::capacity_exceeded};
    if (count == 0) return {};
    const TreeQueries queries = {view(), *simd::active_kernels<TreeKernels>(), settings.filter};
    const SlotNumbers numbers = {queries.tree};
    run_chunks(settings.runner, points.size(), 64, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("box tree/query task");
        for (std::size_t i = begin; i < end; ++i) {
            const std::span<ClosestBox> list = out_closest.subspan(i * count, count);
            std::fill(list.begin(), list.end(), ClosestBox{});
            add_near_boxes(queries, numbers, points[i], static_cast<std::uint32_t>(i),
                           box_settings.max_distance, list);
            for (ClosestBox& near : list) {
                if (near.box_index != kNoBox) near.box_index = numbers.index_at(near.box_index);
            }
        }
    });
    return {};
}

}  // namespace broadside
