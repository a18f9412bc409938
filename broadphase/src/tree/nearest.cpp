// The boxes nearest to points and boxes.
#include <broadside/float_environment.hpp>

#include "broadphase/src/tree/queries.hpp"
#include "core/src/geometry/exact_distance.hpp"
#include "core/src/zones.hpp"

#include <algorithm>

namespace broadside {
namespace broadphase {
namespace {

using geometry::compare_distances;
using geometry::is_distance_sq_exact;
using geometry::kCertainShare;
using geometry::Reach;

// The list of one query, nearest first, in the caller's output.
struct ClosestBoxVisitor : KeyedVisitor {
    const TreeQueries& queries;
    Aabb query;
    std::uint32_t query_index;
    Reach reach;
    /// A box with a larger square, in double precision, cannot be in the list.
    double possible_sq;
    std::span<ClosestBox> list;
    std::size_t list_count = 0;

    ClosestBoxVisitor(const TreeQueries& queries_in, const Aabb& query_in, std::uint32_t index,
                      float max_distance, std::span<ClosestBox> out_list)
        : KeyedVisitor{key_limit(max_distance), &look_at},
          queries(queries_in),
          query(query_in),
          query_index(index),
          reach(max_distance),
          possible_sq(reach.possible_sq()),
          list(out_list) {}

    static bool look_at(KeyedVisitor& visitor, const std::uint64_t* candidates, std::uint32_t count) {
        auto& self = static_cast<ClosestBoxVisitor&>(visitor);
        for (std::uint32_t i = 0; i < count; ++i) self.look_at_one(slot_of(candidates[i]));
        return true;
    }
    void look_at_one(std::uint32_t slot) {
        const Aabb box = slot_box(*tree, slot);
        Candidate found = {number_of(slot), Exactness::unknown, distance_sq(box, query)};
        if (found.square > possible_sq) return;
        const bool is_full = list_count == list.size();
        if (is_full && !is_nearer(found, list_count - 1)) return;
        if (!reach.holds(box, query, found.square)) return;
        if (!queries.passes(query_index, tree->box_index(slot))) return;
        std::size_t place = is_full ? list_count - 1 : list_count++;
        for (; place > 0 && is_nearer(found, place - 1); --place) {
            list[place] = list[place - 1];
            note(place, square_at(place - 1), exactness_at(place - 1));
        }
        list[place] = {reported_distance_sq(found.square), found.number};
        note(place, found.square, found.exactness);
        draw_in();
    }

    /// While the list is filled, its boxes have numbers by which they are found again if distances must be
    /// compared anew: their slots if there is one tree.
    std::uint32_t number_of(std::uint32_t slot) const {
        return queries.tree_count == 1 ? slot : tree->box_index(slot);
    }
    Aabb box_at(std::uint32_t number) const {
        return queries.tree_count == 1 ? slot_box(queries.trees[0], number) : (*queries.boxes)[number];
    }
    std::uint32_t index_at(std::uint32_t number) const {
        return queries.tree_count == 1 ? queries.trees[0].box_index(number) : number;
    }

private:
    /// Whether a squared distance in double precision is exact. Seldom needed, so not computed before.
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
        // If both boxes are overlapped there is no doubt.
        if (doubt == 0.0) return has_smaller_index(state_found.number, list[place].target);
        return is_nearer_in_doubt(state_found, place);
    }
    BROADSIDE_NEVER_INLINE bool is_nearer_in_doubt(Candidate& state_found, std::size_t place) {
        const std::uint32_t number = list[place].target;
        const double square = square_at(place);
        Exactness exactness = exactness_at(place);
        ask_for(state_found.number, state_found.exactness);
        ask_for(number, exactness);
        note(place, square, exactness);
        if (state_found.exactness == Exactness::exact && exactness == Exactness::exact) {
            if (state_found.square != square) return state_found.square < square;
        } else {
            const int order = compare_distances({box_at(state_found.number), query}, {box_at(number), query});
            if (order != 0) return order < 0;
        }
        return has_smaller_index(state_found.number, number);
    }
    bool has_smaller_index(std::uint32_t number, std::uint32_t other) const {
        return index_at(number) < index_at(other);
    }
    void ask_for(std::uint32_t number, Exactness& state_exactness) const {
        if (state_exactness != Exactness::unknown) return;
        const bool is_exact = is_distance_sq_exact(box_at(number), query);
        state_exactness = is_exact ? Exactness::exact : Exactness::rounded;
    }

    // Squares of the boxes in the list, computed anew behind the first kNotedMax.
    double square_of(std::uint32_t number) const { return distance_sq(box_at(number), query); }
    double square_at(std::size_t place) const {
        return place < kNotedMax ? squares_[place] : square_of(list[place].target);
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

// Passes the boxes near one query to a visitor, which returns the new reach.
class CloseBoxes : KeyedVisitor {
public:
    CloseBoxes(const TreeQueries& queries, const Aabb& query, float max_distance, ClosePairVisitor visitor)
        : KeyedVisitor{key_limit(max_distance), &look_at},
          queries_(queries),
          query_(query),
          reach_(max_distance),
          exact_reach_(max_distance),
          visitor_(visitor) {}

    void run() {
        simd::active_kernels<TreeNearKernels>()->visit_close(queries_.trees, queries_.tree_count, query_,
                                                             *this);
    }

private:
    // Nearest first, one by one: after the first, hardly any other is of interest.
    static bool look_at(KeyedVisitor& visitor, const std::uint64_t* candidates, std::uint32_t count) {
        auto& self = static_cast<CloseBoxes&>(visitor);
        std::uint64_t near[kNodeWidth];
        std::copy_n(candidates, count, near);
        for (std::uint64_t* next = near; next != near + count; ++next) {
            std::iter_swap(next, std::min_element(next, near + count));
            if (key_of(*next) > self.limit) return true;
            if (!self.look_at_one(slot_of(*next))) return false;
        }
        return true;
    }
    bool look_at_one(std::uint32_t slot) {
        const Aabb box = slot_box(*tree, slot);
        const double square = distance_sq(box, query_);
        const std::uint32_t index = tree->box_index(slot);
        if (!exact_reach_.holds(box, query_, square) || !queries_.passes(0, index)) return true;
        const float answer = visitor_({geometry::distance_above(box, query_, square), {0, index}});
        if (!(answer >= 0.0f)) return false;
        if (answer < reach_) {
            reach_ = answer;
            limit = key_limit(answer);
            exact_reach_ = Reach(answer);
        }
        return true;
    }

    const TreeQueries& queries_;
    const Aabb query_;
    float reach_;
    Reach exact_reach_;
    ClosePairVisitor visitor_;
};

}  // namespace

void visit_close_boxes(const TreeQueries& queries, const Aabb& query, float max_distance,
                       ClosePairVisitor visitor) {
    if (is_valid(query) && max_distance >= 0.0f) CloseBoxes(queries, query, max_distance, visitor).run();
}

void closest_boxes(const TreeQueries& queries, const Aabb& query, std::uint32_t query_index,
                   float max_distance, std::span<ClosestBox> out_list) {
    std::fill(out_list.begin(), out_list.end(), ClosestBox{});
    if (!is_valid(query) || !(max_distance >= 0.0f) || out_list.empty()) return;
    ClosestBoxVisitor visitor(queries, query, query_index, max_distance, out_list);
    simd::active_kernels<TreeNearKernels>()->visit_close(queries.trees, queries.tree_count, query, visitor);
    for (std::size_t i = 0; i < visitor.list_count; ++i)
        out_list[i].target = visitor.index_at(out_list[i].target);
}

}  // namespace broadphase

using namespace broadphase;

BatchResult BoxTree::closest_boxes(const NearQueries& queries, const ClosestBoxSettings& box_settings,
                                   const TreeQuerySettings& settings,
                                   std::span<ClosestBox> out_closest) const noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("BoxTree::closest_boxes");
    if (const Status status = check_query(*this, queries, settings); status != Status::ok) return {status};
    if (!check_readable(out_closest)) return {Status::invalid_argument};
    const std::size_t count = box_settings.count;
    // Divided, so that no product can overflow.
    if (count != 0 && queries.size() > out_closest.size() / count) return {Status::capacity_exceeded};
    if (count == 0) return {};
    const OneTree tree(*this, settings);
    queries.visit([&](auto list) {
        run_chunks(settings.runner, list.size(), 64, [&](std::size_t begin, std::size_t end) {
            BROADSIDE_ZONE("box tree/query task");
            for (std::size_t i = begin; i < end; ++i) {
                broadphase::closest_boxes(tree, list[i], static_cast<std::uint32_t>(i),
                                          box_settings.max_distance, out_closest.subspan(i * count, count));
            }
        });
    });
    return {};
}

Status BoxTree::visit_close_boxes(const NearQuery& query, const ClosestBoxSettings& box_settings,
                                  const TreeQuerySettings& settings, ClosePairVisitor visit) const noexcept {
    const FloatEnvironment environment;
    if (const Status status = check_query(*this, query, settings); status != Status::ok) return status;
    const OneTree tree(*this, settings);
    query.visit(
        [&](auto list) { broadphase::visit_close_boxes(tree, list[0], box_settings.max_distance, visit); });
    return Status::ok;
}

}  // namespace broadside
