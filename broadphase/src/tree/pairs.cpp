// All pairs within a tree and between two: leaf after leaf of the one against the other.
#include <broadside/float_environment.hpp>

#include "broadphase/src/lists/canonical_order.hpp"
#include "broadphase/src/lists/pair_filter.hpp"
#include "broadphase/src/lists/pair_writer.hpp"
#include "broadphase/src/tree/queries.hpp"
#include "core/src/zones.hpp"

namespace broadside {
namespace broadphase {
namespace {

struct Trees {
    const BoxTree& a;
    const BoxTree* b;

    const BoxTree& second() const { return b != nullptr ? *b : a; }
};

Status check_pairs(const Trees& trees, const TreePairSettings& settings, const PairOutput& output) {
    const bool is_valid = check_output(output) && check_filter(settings.filter, trees.a.box_count()) &&
                          (trees.b == nullptr || check_filter(settings.filter_b, trees.b->box_count())) &&
                          check_order(settings.order) && check_runner(settings.runner);
    if (!is_valid) return Status::invalid_argument;
    return simd::active_kernels<TreeKernels>() == nullptr ? Status::unsupported_isa : Status::ok;
}

// The pairs of one leaf, appended to the task's.
Status append_leaf_pairs(const TreeView& a, std::uint32_t leaf, const TreeView& b, bool is_one_tree,
                         const TreeKernels& kernels, TreeScratch::Task& state_task) {
    GrowingBlock<std::uint64_t> block(state_task.found);
    kernels.leaf_pairs(a, leaf, b, is_one_tree, block);
    if (block.is_out_of_memory) return Status::out_of_memory;
    AlignedArray<IndexPair>& pairs = state_task.pairs;
    const std::size_t begin = pairs.size();
    if (!pairs.reserve_to_append(block.count()) || !pairs.resize(begin + block.count())) {
        return Status::out_of_memory;
    }
    IndexPair* target = pairs.data() + begin;
    for (const std::uint64_t* found = block.begin; found != block.next; ++found) {
        const std::uint32_t first = a.box_index(static_cast<std::uint32_t>(*found));
        const std::uint32_t second = b.box_index(static_cast<std::uint32_t>(*found >> 32));
        *target++ = is_one_tree && second < first ? IndexPair{second, first} : IndexPair{first, second};
    }
    return Status::ok;
}

Status write_pairs(const Trees& trees, const TreePairSettings& settings, TreeScratch& scratch,
                   PairWriter& state_writer) {
    const TreeKernels& kernels = *simd::active_kernels<TreeKernels>();
    const TreeView a = trees.a.view();
    const TreeView b = trees.second().view();
    return run_query_tasks(
        settings.runner, a.is_empty() ? 0 : a.family_count, scratch,
        [&](TreeScratch::Task& task, std::uint32_t family) {
            Status status = Status::ok;
            a.for_each_leaf(family, [&](std::uint32_t leaf) {
                if (status == Status::ok)
                    status = append_leaf_pairs(a, leaf, b, trees.b == nullptr, kernels, task);
            });
            return status;
        },
        [&](const TreeScratch::Task& task) {
            return state_writer.write({task.pairs.data(), task.pairs.size()});
        });
}

}  // namespace

WriteResult find_tree_pairs(const BoxTree& a, const BoxTree* b, const TreePairSettings& settings,
                            const PairDecision* decision, TreeScratch& scratch, const PairOutput& output) {
    BROADSIDE_ZONE("BoxTree::find_pairs");
    const Trees trees = {a, b};
    WriteResult result;
    result.status = check_pairs(trees, settings, output);
    if (result.status != Status::ok) return result;
    PairFilter filter(settings.filter, trees.b != nullptr ? settings.filter_b : settings.filter);
    filter.decide_by(decision);
    PairWriter writer(output, &filter);
    const auto find = [&](PairWriter& out_writer) {
        return write_pairs(trees, settings, scratch, out_writer);
    };
    const Status status = settings.order == PairOrder::by_algorithm
                              ? find(writer)
                              : find_sorted(trees.a.box_count(), trees.second().box_count(), settings.runner,
                                            scratch.collected, scratch.order, writer, find);
    writer.report(status, result);
    return result;
}

}  // namespace broadphase

WriteResult BoxTree::find_pairs(const TreePairSettings& settings, TreeScratch& scratch,
                                const PairOutput& out_pairs) const noexcept {
    const FloatEnvironment environment;
    return broadphase::find_tree_pairs(*this, nullptr, settings, nullptr, scratch, out_pairs);
}
WriteResult BoxTree::find_pairs(const BoxTree& other, const TreePairSettings& settings, TreeScratch& scratch,
                                const PairOutput& out_pairs) const noexcept {
    const FloatEnvironment environment;
    return broadphase::find_tree_pairs(*this, &other, settings, nullptr, scratch, out_pairs);
}

}  // namespace broadside
