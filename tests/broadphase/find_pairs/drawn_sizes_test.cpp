// find_pairs with everything drawn at random: boxes, rules, settings, outputs, workers, instruction set, and the
// sizes at which its mechanisms begin.
#include <broadside/find_pairs.hpp>

#include "tests/broadphase/find_pairs/filter_oracle.hpp"
#include "tests/broadphase/pair_oracle.hpp"
#include "tests/broadphase/pair_scenes.hpp"
#include "tests/support/drawn_thresholds.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_boxes.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/test_scale.hpp"

#include <optional>

using namespace broadside;
using namespace broadside::test;

namespace {

// Of up to three scenes, one of which may be elsewhere and of another size.
std::vector<Aabb> drawn_boxes(Random& random) {
    const std::span<const PairScene> scenes = pair_scenes();
    const std::size_t count = random.below(random.chance(4) ? 700 : 80);
    const PairScene* made_by[3];
    for (const PairScene*& scene : made_by)
        scene = &scenes[random.below(static_cast<std::uint32_t>(scenes.size()))];
    const std::uint32_t scene_count = 1 + random.below(3);
    const float scale = random.chance(2) ? 1.0f : std::ldexp(1.0f, static_cast<int>(random.below(40)) - 20);
    std::vector<Aabb> boxes;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t scene = random.below(scene_count);
        Aabb box = made_by[scene]->make_box(random, i, count);
        if (scene == 1) box = {box.min * scale, box.max * scale};
        boxes.push_back(box);
    }
    return boxes;
}

// Rules, of which each leaves out most boxes, some or none.
BoxFilter drawn_filter(Random& random, Rules& rules) {
    for (std::uint32_t times = random.below(6); times > 0; --times) {
        for (std::size_t word = 0; word < rules.subset_bits.size(); ++word)
            rules.subset_bits[word] &= random.next();
    }
    return rules.filter(random.chance(3) ? 0 : random.below(Rules::kChoices));
}

FindPairsSettings drawn_plan(Random& random) {
    FindPairsSettings settings;
    settings.algorithm = static_cast<PairAlgorithm>(random.below(4));
    settings.order = static_cast<PairOrder>(random.below(2));
    settings.sweep_axis = static_cast<SweepAxis>(random.below(4));
    if (random.chance(3))
        settings.cell_counts = {1 + random.below(9), 1 + random.below(9), 1 + random.below(9)};
    return settings;
}

// Takes some blocks, then stops.
struct StoppingSink {
    std::vector<IndexPair> pairs;
    std::size_t stop_at;

    static bool take(void* user, std::span<const IndexPair> block) noexcept {
        auto& self = *static_cast<StoppingSink*>(user);
        self.pairs.insert(self.pairs.end(), block.begin(), block.end());
        return self.pairs.size() < self.stop_at;
    }
};

struct Search {
    const GuardedBoxes& a;
    const GuardedBoxes* b;
    const FindPairsSettings& settings;
    BoxScratch& scratch;

    FindPairsResult run(const PairOutput& output) const {
        return b == nullptr ? find_pairs(a.view(), settings, scratch, output)
                            : find_pairs(a.view(), b->view(), settings, scratch, output);
    }
};

void check_output(Random& random, const Search& search, const std::vector<IndexPair>& list) {
    const std::size_t cap = random.below(static_cast<std::uint32_t>(list.size()) + 3);
    const std::size_t kept = std::min(cap, list.size());
    const auto check_written = [&](const FindPairsResult& result, std::span<const IndexPair> pairs) {
        CHECK(result.status == (cap < list.size() ? Status::capacity_exceeded : Status::ok));
        CHECK(result.required == list.size());
        REQUIRE(result.written == kept);
        CHECK(std::equal(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(kept), pairs.begin()));
    };
    if (random.chance(2)) {
        GuardedArray<IndexPair> pairs(cap);
        check_written(search.run(pairs.span()), pairs.span());
    } else {
        PairBuffer pairs;
        const FindPairsResult result = search.run({pairs, cap});
        REQUIRE(pairs.size() == result.written);
        check_written(result, pairs);
    }
    StoppingSink sink{{}, cap};
    const FindPairsResult result = search.run(PairSink{&StoppingSink::take, &sink});
    const bool is_stopped = !list.empty() && sink.pairs.size() >= cap;
    CHECK(result.status == (is_stopped ? Status::stopped : Status::ok));
    CHECK(result.written == sink.pairs.size());
    REQUIRE(sink.pairs.size() >= kept);
    CHECK(std::equal(sink.pairs.begin(), sink.pairs.end(), list.begin()));
}

}  // namespace

TEST_CASE("find_pairs finds the pairs of plain loops, whatever the sizes at which its mechanisms begin") {
    BoxScratch scratch;
    for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(400 * test_scale()); ++seed) {
        Random random(seed);
        std::optional<DrawnThresholds> drawn;
        if (!random.chance(8)) drawn.emplace(seed);
        const std::vector<Aabb> list_a = drawn_boxes(random);
        const std::vector<Aabb> list_b = drawn_boxes(random);
        const GuardedBoxes a(list_a);
        const GuardedBoxes b(list_b);
        Rules rules_a(random, list_a.size());
        Rules rules_b(random, list_b.size());
        const BoxFilter filter_a = drawn_filter(random, rules_a);
        BoxFilter filter_b = drawn_filter(random, rules_b);
        // Both sets have ids, or none has.
        filter_b.ids = filter_a.ids.empty() ? std::span<const std::uint32_t>() : rules_b.ids.span();
        filter_b.ids_per_box = rules_b.ids_per_box;
        const bool are_two = random.chance(2);
        const std::vector<IndexPair> expected =
            are_two ? only_allowed(oracle_pairs(list_a, list_b), filter_a, filter_b)
                    : only_allowed(oracle_pairs(list_a), filter_a, filter_a);
        const std::span<const Isa> isas = supported_isas();
        for (int plan = 0; plan < 3; ++plan) {
            FindPairsSettings settings = drawn_plan(random);
            settings.filter = filter_a;
            settings.filter_b = filter_b;
            INFO("seed " << seed << ", plan " << plan << ": " << list_a.size() << " and " << list_b.size());
            std::vector<IndexPair> list;
            for (int call = 0; call < 3; ++call) {
                const ScopedIsa isa(call == 0 ? Isa::scalar
                                              : isas[random.below(static_cast<std::uint32_t>(isas.size()))]);
                const ShuffledRunner shuffled(random.next(), 1 + random.below(8));
                settings.runner = call == 0 || random.chance(3) ? nullptr : shuffled.runner();
                const Search search = {a, are_two ? &b : nullptr, settings, scratch};
                PairBuffer pairs;
                const FindPairsResult result = search.run(pairs);
                REQUIRE(result.status == Status::ok);
                CHECK(result.invalid.first_index == find_invalid_box(a.view()));
                CHECK(result.invalid_b.first_index == (are_two ? find_invalid_box(b.view()) : kNoIndex));
                CHECK(result.required == expected.size());
                if (call == 0) list.assign(pairs.begin(), pairs.end());
                REQUIRE(std::equal(pairs.begin(), pairs.end(), list.begin(), list.end()));
                check_output(random, search, list);
            }
            if (settings.order == PairOrder::by_algorithm) list = sorted(std::move(list));
            REQUIRE(list == expected);
        }
    }
}
