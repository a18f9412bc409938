// The boxes nearest to points.
#include "broadphase/src/box_distance.hpp"
#include "broadphase/src/tree_access.hpp"
#include "core/src/zones.hpp"

#include <algorithm>

namespace broadside {
namespace broadphase {
namespace {

bool is_nearer(const NearBox& a, const NearBox& b) {
    return a.distance_sq != b.distance_sq ? a.distance_sq < b.distance_sq : a.box_index < b.box_index;
}

// The list of one point, nearest first, in the caller's places.
struct NearVisitor : KeyedVisitor {
    const TreeQueries& queries;
    Vec3 point;
    std::uint32_t query_index;
    std::span<NearBox> list;
    std::size_t list_count = 0;

    NearVisitor(const TreeQueries& queries_in, Vec3 point_in, std::uint32_t index, float limit_in,
                std::span<NearBox> out_list)
        : KeyedVisitor{limit_in, &look_at},
          queries(queries_in),
          point(point_in),
          query_index(index),
          list(out_list) {}

    static bool look_at(KeyedVisitor& visitor, const std::uint64_t* candidates, std::uint32_t count) {
        auto& self = static_cast<NearVisitor&>(visitor);
        for (std::uint32_t i = 0; i < count; ++i) self.look_at_one(slot_of(candidates[i]));
        return true;
    }
    void look_at_one(std::uint32_t slot) {
        const NearBox found = {reported_distance_sq(distance_sq(slot_box(queries.tree, slot), point)),
                               queries.tree.box_index[slot]};
        if (!(found.distance_sq <= limit)) return;
        const bool is_full = list_count == list.size();
        if (is_full && !is_nearer(found, list[list_count - 1])) return;
        if (!queries.passes(query_index, found.box_index)) return;
        std::size_t place = is_full ? list_count - 1 : list_count++;
        for (; place > 0 && is_nearer(found, list[place - 1]); --place) list[place] = list[place - 1];
        list[place] = found;
        if (list_count == list.size()) limit = list[list_count - 1].distance_sq;
    }
};

}  // namespace
}  // namespace broadphase

using namespace broadphase;

BatchResult BoxTree::nearest_boxes(std::span<const Vec3> points, const NearSettings& near_settings,
                                   const TreeQuerySettings& settings,
                                   std::span<NearBox> out_nearest) const noexcept {
    BROADSIDE_ZONE("BoxTree::nearest_boxes");
    if (const Status status = check_query(*this, points.size(), settings); status != Status::ok)
        return {status};
    const std::size_t count = near_settings.count;
    // Divided, so that no product can overflow.
    if (count != 0 && points.size() > out_nearest.size() / count) return {Status::capacity_exceeded};
    if (count == 0) return {};
    const TreeQueries queries = {TreeAccess::view(*this), active_kernels()->tree, settings.filter};
    const float reach = near_settings.max_distance;
    const float limit = min_keep(reach * reach, FLT_MAX);
    run_chunks(settings.runner, points.size(), 64, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("box tree/query task");
        for (std::size_t i = begin; i < end; ++i) {
            const std::span<NearBox> list = out_nearest.subspan(i * count, count);
            std::fill(list.begin(), list.end(), NearBox{});
            if (!is_finite(points[i]) || !(reach >= 0.0f)) continue;
            NearVisitor visitor(queries, points[i], static_cast<std::uint32_t>(i), limit, list);
            queries.kernels.visit_near(queries.tree, {points[i]}, visitor);
        }
    });
    return {};
}

}  // namespace broadside
