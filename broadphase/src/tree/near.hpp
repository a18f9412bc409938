// The list of the boxes nearest to a point, as walks fill it.
#pragma once

#include "broadphase/src/tree/exact_distance.hpp"
#include "broadphase/src/tree/queries.hpp"

namespace broadside::broadphase {

// While a list is filled, the boxes in it go by numbers by which they are found again where distances have to
// be compared anew. A type of such numbers has `number_of(slot)` of the tree that is walked, and of any
// number in the list `box_at(number)` and `index_at(number)`.

/// The slots of the one tree.
struct SlotNumbers {
    const TreeView& tree;

    std::uint32_t number_of(std::uint32_t slot) const { return slot; }
    Aabb box_at(std::uint32_t number) const { return slot_box(tree, number); }
    std::uint32_t index_at(std::uint32_t number) const { return tree.box_index(number); }
};
/// The indices in the boxes that several trees were built from.
struct IndexNumbers {
    const TreeView& tree;
    BoxSoaView boxes;

    std::uint32_t number_of(std::uint32_t slot) const { return tree.box_index(slot); }
    Aabb box_at(std::uint32_t number) const { return boxes[number]; }
    std::uint32_t index_at(std::uint32_t number) const { return number; }
};

/// The list of one point, nearest first, in the caller's places.
template <class Numbers>
struct ClosestBoxVisitor : KeyedVisitor {
    const TreeQueries& queries;
    Numbers numbers;
    Vec3 point;
    std::uint32_t query_index;
    Reach reach;
    /// What has a larger square, in double precision, has no place in the list.
    double possible_sq;
    std::span<ClosestBox> list;
    std::size_t list_count = 0;

    // Keys fall short of squares by more than those below are rounded by.
    ClosestBoxVisitor(const TreeQueries& queries_in, const Numbers& numbers_in, Vec3 point_in,
                      std::uint32_t index, float max_distance, std::span<ClosestBox> state_list)
        : KeyedVisitor{min_keep(max_distance * max_distance, FLT_MAX), &look_at},
          queries(queries_in),
          numbers(numbers_in),
          point(point_in),
          query_index(index),
          reach(max_distance),
          possible_sq(reach.possible_sq()),
          list(state_list) {
        for (; list_count < list.size() && list[list_count].box_index != kNoBox; ++list_count) {
            note(list_count, square_of(list[list_count].box_index), Exactness::unknown);
        }
        draw_in();
    }

    static bool look_at(KeyedVisitor& visitor, const std::uint64_t* candidates, std::uint32_t count) {
        auto& self = static_cast<ClosestBoxVisitor&>(visitor);
        for (std::uint32_t i = 0; i < count; ++i) self.look_at_one(slot_of(candidates[i]));
        return true;
    }
    void look_at_one(std::uint32_t slot) {
        const Aabb box = slot_box(queries.tree, slot);
        Candidate found = {numbers.number_of(slot), Exactness::unknown, distance_sq(box, point)};
        if (found.square > possible_sq) return;
        const bool is_full = list_count == list.size();
        if (is_full && !is_nearer(found, list_count - 1)) return;
        if (!reach.holds(box, point, found.square)) return;
        if (!queries.passes(query_index, queries.tree.box_index(slot))) return;
        std::size_t place = is_full ? list_count - 1 : list_count++;
        for (; place > 0 && is_nearer(found, place - 1); --place) {
            list[place] = list[place - 1];
            note(place, square_at(place - 1), exactness_at(place - 1));
        }
        list[place] = {reported_distance_sq(found.square), found.number};
        note(place, found.square, found.exactness);
        draw_in();
    }

private:
    /// Of a squared distance in double precision. Seldom asked for, so not before.
    enum class Exactness : std::uint8_t { unknown, exact, rounded };

    struct Candidate {
        std::uint32_t number;
        Exactness exactness;
        double square;
    };

    bool is_nearer(Candidate& state_found, std::size_t place) {
        const double square = square_at(place);
        const double lead = square - state_found.square;
        const double doubt = square * kCertainShare;
        if (lead > doubt) return true;
        if (lead < -doubt) return false;
        // Inside of both boxes there is no doubt.
        if (doubt == 0.0) return has_smaller_index(state_found.number, list[place].box_index);
        return is_nearer_in_doubt(state_found, place);
    }
    [[gnu::noinline]] bool is_nearer_in_doubt(Candidate& state_found, std::size_t place) {
        const std::uint32_t number = list[place].box_index;
        const double square = square_at(place);
        Exactness exactness = exactness_at(place);
        ask_for(state_found.number, state_found.exactness);
        ask_for(number, exactness);
        note(place, square, exactness);
        if (state_found.exactness == Exactness::exact && exactness == Exactness::exact) {
            if (state_found.square != square) return state_found.square < square;
        } else {
            const int order =
                compare_distances(numbers.box_at(state_found.number), numbers.box_at(number), point);
            if (order != 0) return order < 0;
        }
        return has_smaller_index(state_found.number, number);
    }
    bool has_smaller_index(std::uint32_t number, std::uint32_t other) const {
        return numbers.index_at(number) < numbers.index_at(other);
    }
    void ask_for(std::uint32_t number, Exactness& state_exactness) const {
        if (state_exactness != Exactness::unknown) return;
        const bool is_exact = is_distance_sq_exact(numbers.box_at(number), point);
        state_exactness = is_exact ? Exactness::exact : Exactness::rounded;
    }

    // Of the boxes in the list. Behind the first places it is worked out anew.
    double square_of(std::uint32_t number) const { return distance_sq(numbers.box_at(number), point); }
    double square_at(std::size_t place) const {
        return place < kNotedMax ? squares_[place] : square_of(list[place].box_index);
    }
    Exactness exactness_at(std::size_t place) const {
        return place < kNotedMax ? exactness_[place] : Exactness::unknown;
    }
    void note(std::size_t place, double square, Exactness exactness) {
        if (place >= kNotedMax) return;
        squares_[place] = square;
        exactness_[place] = exactness;
    }
    void draw_in() {
        if (list_count != list.size()) return;
        limit = min_keep(list[list_count - 1].distance_sq, limit);
        possible_sq = min_keep(square_at(list_count - 1) * (1.0 + kCertainShare), possible_sq);
    }

    static constexpr std::size_t kNotedMax = 64;
    double squares_[kNotedMax];
    Exactness exactness_[kNotedMax];
};

/// Puts the tree's boxes into a list that may hold some of other trees already, by their numbers, ClosestBox{}
/// behind the last.
template <class Numbers>
void add_near_boxes(const TreeQueries& queries, const Numbers& numbers, Vec3 point, std::uint32_t query_index,
                    float max_distance, std::span<ClosestBox> state_list) {
    if (!is_finite(point) || !(max_distance >= 0.0f) || state_list.empty()) return;
    ClosestBoxVisitor<Numbers> visitor(queries, numbers, point, query_index, max_distance, state_list);
    queries.kernels.visit_close(queries.tree, {point}, visitor);
}

}  // namespace broadside::broadphase
