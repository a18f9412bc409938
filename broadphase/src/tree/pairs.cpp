// All pairs within a tree and between two: leaf after leaf of one against the other.
#include <broadside/float_environment.hpp>

#include "broadphase/src/lists/canonical_order.hpp"
#include "broadphase/src/lists/pair_filter.hpp"
#include "broadphase/src/lists/pair_writer.hpp"
#include "broadphase/src/tree/queries.hpp"
#include "core/src/zones.hpp"

#include <algorithm>

namespace broadside {
namespace broadphase {
namespace {

// Both trees as the kernels read them.
struct Views {
    TreeView a;
    TreeView b;
    bool is_one_tree;

    explicit Views(const TwoTrees& trees)
        : a(view_of(trees.a)), b(view_of(trees.second())), is_one_tree(trees.is_one()) {}
    std::uint32_t family_count() const { return a.is_empty() ? 0 : a.family_count; }
    // False if no node of a family of a can meet one of b.
    bool reaches(std::uint32_t family) const {
        const std::uint32_t parent = a.parents[family];
        if (is_one_tree || parent == kNoLink) return true;
        return overlap(parent == a.top ? a.bounds() : a.box_around(parent), b.bounds());
    }
    // Converts the slots of a block to the caller's indices, within one tree the smaller one first.
    void write_pairs(const HitBlock<std::uint64_t>& block, IndexPair* out_pairs) const {
        for (const std::uint64_t* found = block.begin; found != block.next; ++found) {
            const std::uint32_t first = a.box_index(static_cast<std::uint32_t>(*found));
            const std::uint32_t second = b.box_index(static_cast<std::uint32_t>(*found >> 32));
            *out_pairs++ =
                is_one_tree && second < first ? IndexPair{second, first} : IndexPair{first, second};
        }
    }
};

// Appends the pairs of one leaf to the task's.
Status append_leaf_pairs(const Views& views, std::uint32_t leaf, const TreeKernels& kernels,
                         BoxScratch::Task& state_task) {
    GrowingBlock<std::uint64_t> block(state_task.found);
    kernels.leaf_pairs(views.a, leaf, views.b, views.is_one_tree, block);
    if (block.is_out_of_memory || !state_task.pairs.append(block.count())) return Status::out_of_memory;
    views.write_pairs(block, state_task.pairs.end() - block.count());
    return Status::ok;
}

// Passes the pairs of a walk to a visitor, until it ends the search. The first block has room for one pair,
// so that a visitor that wants no more has it before the walk of a leaf is over.
class AskingPairs : HitBlock<std::uint64_t> {
public:
    AskingPairs(const Views& views, const PairFilter& filter, PairVisitor visitor)
        : HitBlock{room_, room_, room_ + 1, &ask}, views_(views), filter_(filter), visitor_(visitor) {}

    void run() {
        const TreeKernels& kernels = *simd::active_kernels<TreeKernels>();
        for (std::uint32_t family = 0; family < views_.family_count() && wants_more_; ++family) {
            // A visitor of one pair mostly has it from the first family, before it is known whether this
            // reaches b.
            if (family != 0 && !views_.reaches(family)) continue;
            views_.a.for_each_leaf(family, [&](std::uint32_t leaf) {
                if (!wants_more_) return;
                kernels.leaf_pairs(views_.a, leaf, views_.b, views_.is_one_tree, *this);
                if (wants_more_) ask(*this);
            });
        }
    }

private:
    static bool ask(HitBlock& block) {
        auto& self = static_cast<AskingPairs&>(block);
        IndexPair pairs[sizeof room_ / sizeof *room_];
        self.views_.write_pairs(block, pairs);
        const std::size_t count = self.filter_.keep(pairs, block.count(), pairs);
        block.next = block.begin;
        block.end = std::end(self.room_);
        self.wants_more_ = std::all_of(pairs, pairs + count, self.visitor_);
        return self.wants_more_;
    }

    std::uint64_t room_[64];
    const Views& views_;
    const PairFilter& filter_;
    PairVisitor visitor_;
    bool wants_more_ = true;
};

Status visit_tree_pairs(const TwoTrees& trees, const FindPairsSettings& settings, PairVisitor visit) {
    const Status status = trees.check(settings);
    if (status == Status::ok) AskingPairs(Views(trees), trees.filter(settings), visit).run();
    return status;
}
bool has_tree_pair(const TwoTrees& trees, const FindPairsSettings& settings) {
    bool is_found = false;
    const auto note = [&](const IndexPair&) {
        is_found = true;
        return false;
    };
    (void)visit_tree_pairs(trees, settings, note);
    return is_found;
}

Status write_pairs(const TwoTrees& trees, const FindPairsSettings& settings, BoxScratch& scratch,
                   PairWriter& state_writer) {
    const TreeKernels& kernels = *simd::active_kernels<TreeKernels>();
    const Views views(trees);
    return run_query_tasks(
        settings.runner, views.family_count(), scratch,
        [&](BoxScratch::Task& task, std::uint32_t family) {
            Status status = Status::ok;
            if (!views.reaches(family)) return status;
            views.a.for_each_leaf(family, [&](std::uint32_t leaf) {
                if (status == Status::ok) status = append_leaf_pairs(views, leaf, kernels, task);
            });
            return status;
        },
        [&](const BoxScratch::Task& task) {
            return state_writer.write({task.pairs.data(), task.pairs.size()});
        });
}

}  // namespace

WriteResult find_tree_pairs(const BoxTree& a, const BoxTree* b, const FindPairsSettings& settings,
                            const PairDecision* decision, BoxScratch& scratch, const PairOutput& output) {
    BROADSIDE_ZONE("BoxTree::find_pairs");
    const TwoTrees trees = {a, b};
    WriteResult result = {check_output(output) ? trees.check(settings) : Status::invalid_argument};
    if (result.status != Status::ok) return result;
    PairFilter filter = trees.filter(settings);
    filter.decide_by(decision);
    PairWriter writer(output, &filter);
    const auto find = [&](PairWriter& out_writer) {
        return write_pairs(trees, settings, scratch, out_writer);
    };
    const Status status = settings.order == PairOrder::by_algorithm
                              ? find(writer)
                              : find_sorted(trees.a.box_count(), trees.second().box_count(), settings.runner,
                                            scratch.pairs.collected, scratch.pairs.order, writer, find);
    writer.report(status, result);
    return result;
}

}  // namespace broadphase

WriteResult BoxTree::find_pairs(const FindPairsSettings& settings, BoxScratch& scratch,
                                const PairOutput& out_pairs) const noexcept {
    const FloatEnvironment environment;
    return broadphase::find_tree_pairs(*this, nullptr, settings, nullptr, scratch, out_pairs);
}
WriteResult BoxTree::find_pairs(const BoxTree& other, const FindPairsSettings& settings, BoxScratch& scratch,
                                const PairOutput& out_pairs) const noexcept {
    const FloatEnvironment environment;
    return broadphase::find_tree_pairs(*this, &other, settings, nullptr, scratch, out_pairs);
}
Status BoxTree::visit_pairs(const FindPairsSettings& settings, PairVisitor visit) const noexcept {
    const FloatEnvironment environment;
    return broadphase::visit_tree_pairs({*this, nullptr}, settings, visit);
}
Status BoxTree::visit_pairs(const BoxTree& other, const FindPairsSettings& settings,
                            PairVisitor visit) const noexcept {
    const FloatEnvironment environment;
    return broadphase::visit_tree_pairs({*this, &other}, settings, visit);
}
bool BoxTree::any_pair(const FindPairsSettings& settings) const noexcept {
    const FloatEnvironment environment;
    return FloatEnvironment::result(broadphase::has_tree_pair({*this, nullptr}, settings));
}
bool BoxTree::any_pair(const BoxTree& other, const FindPairsSettings& settings) const noexcept {
    const FloatEnvironment environment;
    return FloatEnvironment::result(broadphase::has_tree_pair({*this, &other}, settings));
}

}  // namespace broadside
