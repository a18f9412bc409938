// libFuzzer target of the searches for pairs: boxes, filters and settings from raw bytes. Shadow verification
// compares every list with brute force, and every output gets the same list.
#include "tests/fuzz/fuzz_input.hpp"

#include <broadside/bits.hpp>
#include <broadside/box_soa.hpp>
#include <broadside/pair_cache.hpp>

using namespace broadside;
using namespace broadside::test;

namespace {

void run_backwards(void*, std::uint32_t task_count, TaskFunction task, void* context) noexcept {
    for (std::uint32_t i = task_count; i-- > 0;) task(context, i);
}

std::vector<IndexPair> copy_of(const PairBuffer& pairs) { return {pairs.begin(), pairs.end()}; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    verify_all_calls();
    FuzzInput input(data, size);
    choose_isa(input);
    const TaskRunner runner = {run_backwards, nullptr, 1 + input.below(8)};
    FindPairsSettings settings;
    settings.sweep_axis = static_cast<SweepAxis>(input.below(4));
    settings.runner = input.flag() ? &runner : nullptr;
    if (input.flag()) settings.cell_counts = {1 + input.below(16), 1 + input.below(16), 1 + input.below(16)};
    const std::uint32_t rules = input.below(32);
    const std::size_t cap = input.flag() ? input.below(64) : ~std::size_t{0};

    BoxSoa boxes;
    BoxSoa moved;
    std::vector<std::uint64_t> categories, masks, movers;
    std::vector<std::uint32_t> groups;
    while (!input.is_empty() && boxes.count() < 400) {
        const Aabb box = input.box();
        require(boxes.push_back(box) == Status::ok, "memory");
        categories.push_back(std::uint64_t{1} << input.below(4));
        masks.push_back(input.take<std::uint8_t>());
        groups.push_back(input.below(4));
        if (categories.size() % 64 == 1) movers.push_back(input.take<std::uint64_t>());
        const bool is_mover = (movers.back() >> ((categories.size() - 1) % 64) & 1) != 0;
        require(moved.push_back(is_mover ? input.box() : box) == Status::ok, "memory");
    }
    if ((rules & 1) != 0) settings.filter.categories = categories;
    if ((rules & 2) != 0) settings.filter.masks = masks;
    if ((rules & 4) != 0) settings.filter.groups = groups;
    if ((rules & 16) != 0) settings.filter.ids = groups;
    if ((rules & 8) != 0) settings.filter.subset_bits = movers;
    settings.filter_b = settings.filter;

    BoxScratch scratch;
    PairBuffer pairs;
    std::vector<IndexPair> expected;
    for (const PairAlgorithm algorithm : {PairAlgorithm::brute_force, PairAlgorithm::automatic,
                                          PairAlgorithm::sweep_and_prune, PairAlgorithm::cells}) {
        settings.algorithm = algorithm;
        settings.order = PairOrder::canonical;
        require(find_pairs(boxes, settings, scratch, pairs).status == Status::ok, "find_pairs");
        if (algorithm == PairAlgorithm::brute_force) expected = copy_of(pairs);
        require(copy_of(pairs) == expected, "every algorithm finds one list");
        settings.order = PairOrder::by_algorithm;
        require(find_pairs(boxes, settings, scratch, pairs).required == expected.size(), "find_pairs");
        require(find_pairs(boxes, moved, settings, scratch, pairs).status == Status::ok, "two sets");
    }
    // Pairs that do not fit are counted.
    settings.order = PairOrder::canonical;
    PairBuffer capped;
    const FindPairsResult result = find_pairs(boxes, settings, scratch, {capped, cap});
    require(result.required == expected.size() && result.written == std::min(cap, expected.size()),
            "the cap");

    PairCache cache(input.number());
    for (const BoxSoa* frame : {&boxes, &moved, &boxes}) {
        require(find_pairs(*frame, settings, scratch, pairs).status == Status::ok, "find_pairs");
        expected = copy_of(pairs);
        require(cache.find_pairs(*frame, settings, scratch, pairs).status == Status::ok, "PairCache");
        require(copy_of(pairs) == expected, "a cache finds the list of the plain call");
    }
    if (movers.empty()) return 0;
    settings.filter.subset_bits = movers;
    RestingBoxes resting;
    require(resting.build(boxes, movers) == Status::ok, "RestingBoxes");
    require(find_pairs(moved, settings, scratch, pairs).status == Status::ok, "find_pairs");
    expected = copy_of(pairs);
    require(resting.find_pairs(moved, settings, scratch, pairs).status == Status::ok, "RestingBoxes");
    require(copy_of(pairs) == expected, "RestingBoxes find the list of the plain call");
    return 0;
}
