// Pairs of boxes by their distance, within a tree and between two.
#include <broadside/float_environment.hpp>

#include "broadphase/src/thresholds.hpp"
#include "broadphase/src/tree/queries.hpp"
#include "core/src/geometry/exact_distance.hpp"

#include <algorithm>

namespace broadside {
namespace broadphase {
namespace {

using geometry::BoxDistance;
using geometry::compare_distances;
using geometry::distance_above;
using geometry::is_distance_sq_exact;
using geometry::kCertainShare;
using geometry::Reach;

struct FoundPair {
    BoxDistance boxes;
    double distance_sq;
    IndexPair pair;
};

// Calls `take(found)` for pairs within reach that pass the filter; `take` returns the new reach.
template <class Take>
class ClosePairs : KeyedPairVisitor {
public:
    ClosePairs(const TwoTrees& trees, const PairFilter& filter, float max_distance, const Take& take)
        : KeyedPairVisitor{key_limit(max_distance), max_distance, &look_at},
          trees_(trees),
          views_{view_of(trees.a), view_of(trees.second())},
          filter_(filter),
          exact_reach_(max_distance),
          take_(take) {}

    void run() {
        if (views_[0].is_empty() || views_[1].is_empty() || !(reach >= 0.0f)) return;
        simd::active_kernels<TreeNearKernels>()->close_pairs(views_[0], views_[1], trees_.is_one(), *this);
    }

private:
    static bool look_at(KeyedPairVisitor& visitor, std::uint32_t side, std::uint32_t slot,
                        std::uint32_t first, std::uint32_t mask) {
        auto& self = static_cast<ClosePairs&>(visitor);
        for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
            const std::uint32_t other = first + static_cast<std::uint32_t>(__builtin_ctz(rest));
            if (!(side == 0 ? self.look_at_pair(slot, other) : self.look_at_pair(other, slot))) return false;
        }
        return true;
    }
    bool look_at_pair(std::uint32_t slot_a, std::uint32_t slot_b) {
        FoundPair found = {{slot_box(views_[0], slot_a), slot_box(views_[1], slot_b)}, 0.0, {}};
        found.distance_sq = distance_sq(found.boxes.a, found.boxes.b);
        if (!exact_reach_.holds(found.boxes.a, found.boxes.b, found.distance_sq)) return true;
        found.pair = trees_.pair_of(views_[0].box_index(slot_a), views_[1].box_index(slot_b));
        if (filter_.keep(&found.pair, 1, &found.pair) == 0) return true;
        const float answer = take_(found);
        if (!(answer >= 0.0f)) return false;
        if (answer < reach) {
            reach = answer;
            limit = key_limit(answer);
            exact_reach_ = Reach(answer);
        }
        return true;
    }

    const TwoTrees& trees_;
    const TreeView views_[2];
    const PairFilter& filter_;
    Reach exact_reach_;
    const Take& take_;
};

// Keeps the first pair by distance, then by index.
class ClosestPair {
public:
    ClosestPair(const TwoTrees& trees, const PairFilter& filter) : trees_(trees), filter_(filter) {}

    const ClosePair& answer() const { return answer_; }

    float take(const FoundPair& found) {
        const bool has_overlap = !is_none() && best_.distance_sq == 0.0;
        if (!is_none() && !is_before(found)) return answer_.distance;
        best_ = found;
        answer_ = {distance_above(found.boxes.a, found.boxes.b, found.distance_sq), found.pair};
        const bool is_first_overlap = found.distance_sq == 0.0 && !has_overlap;
        return is_first_overlap && take_first_overlap() ? kVisitNoMore : answer_.distance;
    }

private:
    bool is_none() const { return answer_.target.first == kNoBox; }
    bool is_before(const FoundPair& found) const {
        const double lead = best_.distance_sq - found.distance_sq;
        const double doubt = best_.distance_sq * kCertainShare;
        if (lead > doubt) return true;
        if (lead < -doubt) return false;
        const int order = doubt == 0.0 ? 0 : order_in_doubt(found);
        return order != 0 ? order < 0 : found.pair < best_.pair;
    }
    int order_in_doubt(const FoundPair& found) const {
        const bool is_exact = is_distance_sq_exact(found.boxes.a, found.boxes.b) &&
                              is_distance_sq_exact(best_.boxes.a, best_.boxes.b);
        if (!is_exact) return compare_distances(found.boxes, best_.boxes);
        return found.distance_sq < best_.distance_sq ? -1 : found.distance_sq > best_.distance_sq ? 1 : 0;
    }
    // Tests whether one of the first boxes, in their order, overlaps another. That pair is then the first.
    bool take_first_overlap() {
        const std::uint32_t end = std::min(answer_.target.first + 1, thresholds().trees.boxes_asked_in_order);
        for (std::uint32_t first = 0; first < end; ++first) {
            std::uint32_t second = kNoBox;
            const auto note = [&](std::uint32_t index) {
                IndexPair pair = {first, index};
                const bool is_pair = index < second && (!trees_.is_one() || first < index);
                if (is_pair && filter_.keep(&pair, 1, &pair) != 0) second = index;
                return true;
            };
            (void)trees_.second().visit_overlaps(trees_.a.box(first), {}, note);
            if (second == kNoBox) continue;
            answer_.target = {first, second};
            return true;
        }
        return false;
    }

    const TwoTrees& trees_;
    const PairFilter& filter_;
    FoundPair best_ = {};
    ClosePair answer_;
};

ClosePair closest_tree_pair(const TwoTrees& trees, float max_distance, const FindPairsSettings& settings) {
    if (trees.check(settings) != Status::ok) return {};
    const PairFilter filter = trees.filter(settings);
    ClosestPair closest(trees, filter);
    const auto take = [&](const FoundPair& found) { return closest.take(found); };
    ClosePairs(trees, filter, max_distance, take).run();
    return closest.answer();
}
Status visit_close_tree_pairs(const TwoTrees& trees, float max_distance, const FindPairsSettings& settings,
                              ClosePairVisitor visit) {
    const Status status = trees.check(settings);
    if (status != Status::ok) return status;
    const auto take = [&](const FoundPair& found) {
        return visit({distance_above(found.boxes.a, found.boxes.b, found.distance_sq), found.pair});
    };
    ClosePairs(trees, trees.filter(settings), max_distance, take).run();
    return status;
}

}  // namespace
}  // namespace broadphase

using namespace broadphase;

ClosePair BoxTree::closest_pair(float max_distance, const FindPairsSettings& settings) const noexcept {
    const FloatEnvironment environment(max_distance);
    return FloatEnvironment::result(closest_tree_pair({*this, nullptr}, max_distance, settings));
}
ClosePair BoxTree::closest_pair(const BoxTree& other, float max_distance,
                                const FindPairsSettings& settings) const noexcept {
    const FloatEnvironment environment(max_distance);
    return FloatEnvironment::result(closest_tree_pair({*this, &other}, max_distance, settings));
}
Status BoxTree::visit_close_pairs(float max_distance, const FindPairsSettings& settings,
                                  ClosePairVisitor visit) const noexcept {
    const FloatEnvironment environment(max_distance);
    return visit_close_tree_pairs({*this, nullptr}, max_distance, settings, visit);
}
Status BoxTree::visit_close_pairs(const BoxTree& other, float max_distance, const FindPairsSettings& settings,
                                  ClosePairVisitor visit) const noexcept {
    const FloatEnvironment environment(max_distance);
    return visit_close_tree_pairs({*this, &other}, max_distance, settings, visit);
}

}  // namespace broadside
