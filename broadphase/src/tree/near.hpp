// The list of the boxes nearest to a point, as walks fill it.
#pragma once

#include "broadphase/src/tree/queries.hpp"
#include "core/src/geometry/box_distance.hpp"

namespace broadside::broadphase {

inline bool is_nearer(const NearBox& a, const NearBox& b) {
    return a.distance_sq != b.distance_sq ? a.distance_sq < b.distance_sq : a.box_index < b.box_index;
}

/// The list of one point, nearest first, in the caller's places.
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

/// Puts the tree's boxes into a list that may hold some of other trees already, NearBox{} behind the last.
inline void add_near_boxes(const TreeQueries& queries, Vec3 point, std::uint32_t query_index,
                           float max_distance, std::span<NearBox> state_list) {
    if (!is_finite(point) || !(max_distance >= 0.0f) || state_list.empty()) return;
    NearVisitor visitor(queries, point, query_index, min_keep(max_distance * max_distance, FLT_MAX),
                        state_list);
    while (visitor.list_count < state_list.size() && state_list[visitor.list_count].box_index != kNoBox) {
        ++visitor.list_count;
    }
    if (visitor.list_count == state_list.size()) {
        visitor.limit = min_keep(state_list.back().distance_sq, visitor.limit);
    }
    queries.kernels.visit_near(queries.tree, {point}, visitor);
}

}  // namespace broadside::broadphase
