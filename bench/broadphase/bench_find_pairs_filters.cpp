// Cost or gain of the filters of find_pairs: rules that half of the pairs pass, and subsets from a thousandth
// to all of the boxes.
#include "bench/broadphase/find_pairs_run.hpp"
#include "bench/suites.hpp"

namespace broadside::bench {
namespace {

// Rules for `count` boxes that live as long as the benchmarks.
struct Rules {
    std::vector<std::uint64_t> categories;
    std::vector<std::uint64_t> masks;
    std::vector<std::uint32_t> groups;

    explicit Rules(std::size_t count) : categories(count), masks(count), groups(count) {
        std::uint32_t random = 1;
        for (std::size_t i = 0; i < count; ++i) {
            random = random * 1664525u + 1013904223u;
            categories[i] = std::uint64_t{1} << (random >> 30);
            masks[i] = ~categories[i] | (random >> 29 & 1u);
            groups[i] = 1 + (random >> 31);
        }
    }
};

// Every `step`th box, like movers all over the scene.
std::vector<std::uint64_t> every(std::size_t step, std::size_t count) {
    std::vector<std::uint64_t> bits((count + 63) / 64);
    for (std::size_t i = 0; i < count; i += step) bits[i / 64] |= std::uint64_t{1} << (i % 64);
    return bits;
}

void register_with(const std::string& name, const char* scene, std::size_t count, const BoxFilter& filter) {
    FindPairsSettings settings = {.order = PairOrder::by_algorithm};
    settings.filter = filter;
    register_run({"filter_" + name, scene, count, settings});
}

void register_rows() {
    static std::vector<Rules> rules;
    static std::vector<std::vector<std::uint64_t>> subsets;
    constexpr std::size_t kCounts[] = {1000, 10000, 100000};
    constexpr std::size_t kSteps[] = {1000, 100, 30, 10, 4, 1};
    // Spans point into these: the reserved capacity must not be exceeded.
    rules.reserve(std::size(kCounts));
    subsets.reserve(std::size(kCounts) * std::size(kSteps));
    for (const std::size_t count : kCounts) {
        const Rules& kept = rules.emplace_back(count);
        for (const char* scene : {"uniform", "pile"}) {
            register_with("none", scene, count, {});
            BoxFilter filter;
            filter.groups = kept.groups;
            register_with("groups", scene, count, filter);
            filter = {};
            filter.categories = kept.categories;
            filter.masks = kept.masks;
            register_with("masks", scene, count, filter);
        }
        for (const std::size_t step : kSteps) {
            BoxFilter filter;
            filter.subset_bits = subsets.emplace_back(every(step, count));
            for (const char* scene : {"uniform", "pile"}) {
                register_with("subset_1_in_" + std::to_string(step), scene, count, filter);
            }
        }
    }
}

const Suite suite("find_pairs_filters", &register_rows,
                  {"broadphase/filter_(none|masks|groups|subset_1_in_10)/uniform/10000/widest"});

}  // namespace

}  // namespace broadside::bench
