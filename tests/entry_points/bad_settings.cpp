// Every mistake that settings can have beside a bad runner, with the report of it.
#include "tests/entry_points/entry_points.hpp"

#include <broadside/collision_stage.hpp>
#include <broadside/world_query.hpp>

namespace broadside::test {
namespace {

const std::uint64_t kWords[9] = {};
const std::uint32_t kGroups[9] = {};

template <class Enum>
Enum no_enumerator() {
    return static_cast<Enum>(200);
}

}  // namespace

std::vector<BadSettings> all_bad_settings() {
    std::vector<BadSettings> all;
    const auto add = [&]<class Settings>(const Settings&, const char* message, auto change) {
        all.push_back(bad_settings<Settings>(message, change));
    };
    const auto in_each = [&](const char* message, auto change, const auto&... settings) {
        (add(settings, message, change), ...);
    };
    const auto no_order = [](auto& settings) { settings.order = no_enumerator<PairOrder>(); };
    in_each("order: no enumerator", no_order, FindPairsSettings{}, TwoSets{}, TreePairs{}, TwoTrees{},
            TreeQuerySettings{}, WorldQuerySettings{});

    // Filters, of either set.
    const auto filter = [&](const char* message, auto change) {
        const auto of_a = [change](auto& settings) { change(settings.filter); };
        const auto of_b = [change](auto& settings) { change(settings.filter_b); };
        in_each(message, of_a, FindPairsSettings{}, TwoSets{}, TreePairs{}, TwoTrees{}, StageSettings{});
        in_each(message, of_b, TwoSets{}, TwoTrees{});
    };
    filter("filter: categories are neither none nor one per box", [](BoxFilter& bad) {
        bad.categories = {kWords, 4};
    });
    filter("filter: masks are neither none nor one per box", [](BoxFilter& bad) { bad.masks = {kWords, 6}; });
    filter("filter: groups are neither none nor one per box", [](BoxFilter& bad) {
        bad.groups = {kGroups, 1};
    });
    filter("filter: subset_bits are neither none nor bit_word_count words", [](BoxFilter& bad) {
        bad.subset_bits = {kWords, 2};
    });
    filter("filter: ids are neither none nor ids_per_box per box", [](BoxFilter& bad) {
        bad.ids = {kGroups, 1};
    });
    filter("filter: ids are neither none nor ids_per_box per box", [](BoxFilter& bad) {
        bad.ids = {kGroups, 1};
        bad.ids_per_box = 0;
    });

    // How pairs are found.
    const auto search = [&](const char* message, auto change) {
        in_each(message, change, FindPairsSettings{}, TwoSets{});
    };
    search("algorithm: no enumerator",
           [](auto& settings) { settings.algorithm = no_enumerator<PairAlgorithm>(); });
    add(StageSettings{}, "algorithm: no enumerator",
        [](auto& settings) { settings.algorithm = no_enumerator<PairAlgorithm>(); });
    search("sweep_axis: no enumerator",
           [](auto& settings) { settings.sweep_axis = no_enumerator<SweepAxis>(); });
    search("cell_counts: neither all zero nor none", [](auto& settings) {
        settings.cell_counts = {4, 0, 4};
    });
    search("cell_counts: more than 65,535 on an axis", [](auto& settings) {
        settings.cell_counts = {1, 65536, 1};
    });
    search("cell_counts: more than kMaxCellCount", [](auto& settings) {
        settings.cell_counts = {4096, 4096, 2};
    });

    // Queries.
    add(TreeQuerySettings{}, "categories: neither none nor one per box of the tree", [](auto& settings) {
        settings.categories = {kWords, 4};
    });
    add(TreeQuerySettings{}, "masks: neither none nor one per query", [](auto& settings) {
        settings.masks = {kWords, 2};
    });
    add(WorldQuerySettings{}, "masks: neither none nor one per query", [](auto& settings) {
        settings.masks = {kWords, 2};
    });
    add(WorldQuerySettings{}, "kinds: a bit that is no kind's", [](auto& settings) { settings.kinds = 8; });

    add(StageSettings{}, "touch: no enumerator",
        [](auto& settings) { settings.touch = no_enumerator<Touch>(); });
    add(StageSettings{}, "inside: no enumerator",
        [](auto& settings) { settings.inside = no_enumerator<Inside>(); });
    return all;
}

}  // namespace broadside::test
