// Pairs of boxes by their distance, within a tree and between two.
#include <broadside/float_environment.hpp>

#include "broadphase/src/tree/queries.hpp"
#include "core/src/geometry/exact_distance.hpp"
#include "core/src/zones.hpp"

namespace broadside {
namespace broadphase {
namespace {

using geometry::BoxDistance;
using geometry::compare_distances;
using geometry::is_distance_sq_exact;
using geometry::kCertainShare;
using geometry::Reach;

// The pairs of a walk, for whoever decides on them by their boxes.
template <class Decider>
class ClosePairs : KeyedPairVisitor {
public:
    ClosePairs(const TwoTrees& trees, const PairFilter& filter, Decider& state_decider)
        : KeyedPairVisitor{state_decider.limit(), &look_at},
          trees_(trees),
          a_(trees.a.view()),
          b_(trees.second().view()),
          filter_(filter),
          decider_(state_decider) {}

    void run() {
        if (a_.is_empty() || b_.is_empty() || !(limit >= 0.0f)) return;
        simd::active_kernels<TreeKernels>()->close_pairs(a_, b_, trees_.is_one(), *this);
    }

private:
    static bool look_at(KeyedPairVisitor& visitor, std::uint32_t slot_a, const std::uint64_t* candidates,
                        std::uint32_t count) {
        auto& self = static_cast<ClosePairs&>(visitor);
        const Aabb box = slot_box(self.a_, slot_a);
        const std::uint32_t index = self.a_.box_index(slot_a);
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint32_t slot = slot_of(candidates[i]);
            const Aabb other = slot_box(self.b_, slot);
            const double square = distance_sq(box, other);
            if (square > self.decider_.possible_sq()) continue;
            const IndexPair pair = self.trees_.pair_of(index, self.b_.box_index(slot));
            if (!self.decider_.wants({box, other}, square, pair) || !self.passes(pair)) continue;
            if (!self.decider_.take({box, other}, square, pair)) return false;
            self.limit = self.decider_.limit();
        }
        return true;
    }
    bool passes(IndexPair pair) const { return filter_.keep(&pair, 1, &pair) != 0; }

    const TwoTrees& trees_;
    const TreeView a_;
    const TreeView b_;
    const PairFilter& filter_;
    Decider& decider_;
};

float limit_of(float distance) { return distance >= 0.0f ? min_keep(distance * distance, FLT_MAX) : -1.0f; }

// Hands pairs within reach to a visitor, which shortens it.
class AskedPairs {
public:
    AskedPairs(float max_distance, ClosePairVisitor visitor)
        : max_distance_(max_distance), reach_(max_distance), visitor_(visitor) {}

    float limit() const { return limit_of(max_distance_); }
    double possible_sq() const { return reach_.possible_sq(); }
    bool wants(const BoxDistance& boxes, double square, IndexPair) const {
        return reach_.holds(boxes.a, boxes.b, square);
    }
    bool take(const BoxDistance& boxes, double square, IndexPair pair) {
        const float answer = visitor_({geometry::distance_above(boxes.a, boxes.b, square), pair});
        if (!(answer >= 0.0f)) return false;
        if (answer < max_distance_) {
            max_distance_ = answer;
            reach_ = Reach(answer);
        }
        return true;
    }

private:
    float max_distance_;
    Reach reach_;
    ClosePairVisitor visitor_;
};

// The first by distance, then by index.
class ClosestPair {
public:
    explicit ClosestPair(const TwoTrees& trees, const PairFilter& filter, float max_distance)
        : trees_(trees),
          filter_(filter),
          reach_(max_distance),
          limit_(limit_of(max_distance)),
          possible_sq_(reach_.possible_sq()) {}

    ClosePair answer() const {
        if (pair_.first == kNoBox) return {};
        return {geometry::distance_above(boxes_.a, boxes_.b, square_), pair_};
    }

    float limit() const { return limit_; }
    double possible_sq() const { return possible_sq_; }
    bool wants(const BoxDistance& boxes, double square, IndexPair pair) const {
        return pair_.first == kNoBox ? reach_.holds(boxes.a, boxes.b, square) : is_nearer(boxes, square, pair);
    }
    bool take(const BoxDistance& boxes, double square, IndexPair pair) {
        const bool is_first_overlap = square == 0.0 && !(square_ == 0.0 && pair_.first != kNoBox);
        boxes_ = boxes;
        square_ = square;
        pair_ = pair;
        limit_ = min_keep(reported_distance_sq(square), limit_);
        possible_sq_ = min_keep(square * (1.0 + kCertainShare), possible_sq_);
        return !is_first_overlap || !take_first_overlap();
    }

private:
    // Where many boxes overlap, one of the first ones does, and all pairs need not be looked at for the first of them.
    // Where none of so many does, few do.
    static constexpr std::uint32_t kAskedInOrder = 128;

    bool is_nearer(const BoxDistance& boxes, double square, IndexPair pair) const {
        const double lead = square_ - square;
        const double doubt = square_ * kCertainShare;
        if (lead > doubt) return true;
        if (lead < -doubt) return false;
        const int order = doubt == 0.0 ? 0 : order_in_doubt(boxes, square);
        return order != 0 ? order < 0 : pair < pair_;
    }
    BROADSIDE_NEVER_INLINE int order_in_doubt(const BoxDistance& boxes, double square) const {
        if (!is_distance_sq_exact(boxes.a, boxes.b) || !is_distance_sq_exact(boxes_.a, boxes_.b))
            return compare_distances(boxes, boxes_);
        return square < square_ ? -1 : square_ < square ? 1 : 0;
    }
    // Whether one of the first boxes of a overlaps another; then the pair is the first that does.
    bool take_first_overlap() {
        const std::uint32_t last = pair_.first;
        for (std::uint32_t first = 0; first < kAskedInOrder && first <= last; ++first) {
            const Aabb box = trees_.a.box(first);
            std::uint32_t second = kNoBox;
            const auto note = [&](std::uint32_t index) {
                IndexPair pair = {first, index};
                const bool is_pair = index < second && (!trees_.is_one() || first < index);
                if (is_pair && filter_.keep(&pair, 1, &pair) != 0) second = index;
                return true;
            };
            (void)trees_.second().visit_overlaps(box, {}, note);
            if (second == kNoBox) continue;
            pair_ = {first, second};
            return true;
        }
        return false;
    }

    const TwoTrees& trees_;
    const PairFilter& filter_;
    Reach reach_;
    float limit_;
    double possible_sq_;
    BoxDistance boxes_;
    double square_ = 0.0;
    IndexPair pair_ = {kNoBox, kNoBox};
};

template <class Decider>
void walk_pairs(const TwoTrees& trees, const PairFilter& filter, Decider& state_decider) {
    ClosePairs<Decider>(trees, filter, state_decider).run();
}

ClosePair closest_tree_pair(const TwoTrees& trees, const ClosePairSettings& settings) {
    if (trees.check(settings.filter, settings.filter_b) != Status::ok) return {};
    const PairFilter filter = trees.filter(settings.filter, settings.filter_b);
    ClosestPair closest(trees, filter, settings.max_distance);
    walk_pairs(trees, filter, closest);
    return closest.answer();
}
Status visit_close_tree_pairs(const TwoTrees& trees, const ClosePairSettings& settings,
                              ClosePairVisitor visit) {
    const Status status = trees.check(settings.filter, settings.filter_b);
    if (status != Status::ok) return status;
    AskedPairs asked(settings.max_distance, visit);
    walk_pairs(trees, trees.filter(settings.filter, settings.filter_b), asked);
    return status;
}

}  // namespace
}  // namespace broadphase

using namespace broadphase;

ClosePair BoxTree::closest_pair(const ClosePairSettings& settings) const noexcept {
    const FloatEnvironment environment;
    return FloatEnvironment::result(closest_tree_pair({*this, nullptr}, settings));
}
ClosePair BoxTree::closest_pair(const BoxTree& other, const ClosePairSettings& settings) const noexcept {
    const FloatEnvironment environment;
    return FloatEnvironment::result(closest_tree_pair({*this, &other}, settings));
}
Status BoxTree::visit_close_pairs(const ClosePairSettings& settings, ClosePairVisitor visit) const noexcept {
    const FloatEnvironment environment;
    return visit_close_tree_pairs({*this, nullptr}, settings, visit);
}
Status BoxTree::visit_close_pairs(const BoxTree& other, const ClosePairSettings& settings,
                                  ClosePairVisitor visit) const noexcept {
    const FloatEnvironment environment;
    return visit_close_tree_pairs({*this, &other}, settings, visit);
}

}  // namespace broadside
