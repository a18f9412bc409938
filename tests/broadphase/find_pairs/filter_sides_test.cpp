// Every span of every filter given or left out on its own, on each side, in every kind of call for a list of
// pairs.
#include <broadside/box_tree.hpp>
#include <broadside/pair_cache.hpp>

#include "tests/broadphase/find_pairs/filter_oracle.hpp"
#include "tests/broadphase/find_pairs/settings.hpp"
#include "tests/broadphase/pair_oracle.hpp"
#include "tests/broadphase/pair_scenes.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/garbage.hpp"
#include "tests/support/guarded_boxes.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/suites.hpp"

using namespace broadside;
using namespace broadside::test;

namespace {

using Pairs = std::vector<IndexPair>;

constexpr PairAlgorithm kChoices[] = {PairAlgorithm::automatic, PairAlgorithm::brute_force,
                                      PairAlgorithm::sweep_and_prune, PairAlgorithm::cells};
constexpr IndexPair kUntouched = {kGarbage, kGarbage};

// One of four runners, or none.
class Workers {
public:
    explicit Workers(std::uint64_t seed) : one_(seed, 1), two_(seed, 2), three_(seed, 3), eight_(seed, 8) {}
    const TaskRunner* any(Random& random) const {
        const TaskRunner* const runners[] = {nullptr, one_.runner(), two_.runner(), three_.runner(),
                                             eight_.runner()};
        return runners[random.below(5)];
    }

private:
    ShuffledRunner one_, two_, three_, eight_;
};

// A buffer that is as good as new, but has held something else.
struct LitteredBuffer {
    PairBuffer pairs{garbage_allocator()};
    LitteredBuffer() {
        for (int i = 0; i < 40; ++i) REQUIRE(pairs.push_back(kUntouched));
    }
    Pairs list() const { return {pairs.begin(), pairs.end()}; }
};

template <class Find>
Pairs list_in_buffer(const Find& find) {
    LitteredBuffer out;
    litter_stack();
    const auto result = find(PairOutput(out.pairs));
    REQUIRE(result.status == Status::ok);
    REQUIRE(result.written == out.pairs.size());
    REQUIRE(result.required == out.pairs.size());
    return out.list();
}

// `find(output)` returns the list in an output of any kind, and its beginning if there is no room.
template <class Find>
void check_any_output(const Find& find, const Pairs& list, Random& random) {
    const std::size_t room = random.chance(2) ? list.size() + random.below(4)
                                              : random.below(static_cast<std::uint32_t>(list.size() + 1));
    const std::size_t fitting = std::min(room, list.size());
    const Status expected_status = fitting < list.size() ? Status::capacity_exceeded : Status::ok;
    const Pairs prefix(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(fitting));
    const std::uint32_t kind = random.below(4);
    INFO("output " << kind << ", room for " << room << " of " << list.size());
    if (kind == 0) {
        REQUIRE((list_in_buffer(find) == list));
        return;
    }
    if (kind == 1) {
        LitteredBuffer out;
        litter_stack();
        const auto result = find(PairOutput(out.pairs, room));
        REQUIRE(result.status == expected_status);
        REQUIRE(result.required == list.size());
        REQUIRE(result.written == fitting);
        REQUIRE((out.list() == prefix));
        return;
    }
    if (kind == 2) {
        GuardedArray<IndexPair> out(Pairs(room, kUntouched));
        litter_stack();
        const auto result = find(PairOutput(out.span()));
        REQUIRE(result.status == expected_status);
        REQUIRE(result.required == list.size());
        REQUIRE(result.written == fitting);
        REQUIRE(std::equal(prefix.begin(), prefix.end(), out.data()));
        for (std::size_t i = fitting; i < room; ++i) REQUIRE(out[i] == kUntouched);
        return;
    }
    Pairs taken;
    const PairSink sink = {[](void* user, std::span<const IndexPair> block) noexcept {
                               auto& pairs = *static_cast<Pairs*>(user);
                               pairs.insert(pairs.end(), block.begin(), block.end());
                               return true;
                           },
                           &taken};
    litter_stack();
    const auto result = find(PairOutput(sink));
    REQUIRE(result.status == Status::ok);
    REQUIRE(result.required == list.size());
    REQUIRE(result.written == list.size());
    REQUIRE((taken == list));
}

// The lists of one call of find_pairs, `find(settings, scratch, output)`, with every algorithm and order.
template <class Find>
class FindPairsLists {
public:
    FindPairsLists(const Find& find, const FindPairsSettings& settings, const Pairs& expected)
        : find_(find), settings_(settings), expected_(expected) {}

    void check(Isa isa, const Workers& workers, Random& random) {
        for (std::size_t i = 0; i < std::size(kChoices); ++i) {
            for (const PairOrder order : kOrders) {
                FindPairsSettings settings = settings_;
                settings.algorithm = kChoices[i];
                settings.order = order;
                INFO("algorithm " << pair_algorithm_name(kChoices[i]) << ", order "
                                  << static_cast<int>(order));
                const auto find = [&](const PairOutput& out) {
                    BoxScratch scratch(garbage_allocator());
                    return find_(settings, scratch, out);
                };
                if (isa == Isa::scalar && order == PairOrder::by_algorithm) {
                    as_found_[i] = list_in_buffer(find);
                    REQUIRE((sorted(as_found_[i]) == expected_));
                }
                const Pairs& list = order == PairOrder::canonical ? expected_ : as_found_[i];
                settings.runner = workers.any(random);
                check_any_output(find, list, random);
            }
        }
    }

private:
    const Find& find_;
    FindPairsSettings settings_;
    const Pairs& expected_;
    // Lists of each algorithm; automatic may choose any.
    Pairs as_found_[std::size(kChoices)];
};

// The lists of BoxTree::find_pairs, `find(settings, scratch, output)`, in both orders.
template <class Find>
class TreeLists {
public:
    TreeLists(const Find& find, const FindPairsSettings& settings, const Pairs& expected)
        : find_(find), settings_(settings), expected_(expected) {}

    void check(Isa isa, const Workers& workers, Random& random) {
        for (const PairOrder order : kOrders) {
            FindPairsSettings settings = settings_;
            settings.order = order;
            INFO("tree, order " << static_cast<int>(order));
            const auto find = [&](const PairOutput& out) {
                BoxScratch scratch(garbage_allocator());
                return find_(settings, scratch, out);
            };
            if (isa == Isa::scalar && order == PairOrder::by_algorithm) {
                as_found_ = list_in_buffer(find);
                REQUIRE((sorted(as_found_) == expected_));
            }
            settings.runner = workers.any(random);
            check_any_output(find, order == PairOrder::canonical ? expected_ : as_found_, random);
        }
    }

private:
    const Find& find_;
    FindPairsSettings settings_;
    const Pairs& expected_;
    Pairs as_found_;
};

// Two sets, their pairs without any rule, and rules for both.
struct Sides {
    std::vector<Aabb> list_a, list_b;
    GuardedBoxes boxes_a, boxes_b;
    Pairs complete, between;
    Rules rules_a, rules_b;

    Sides(const PairScene& scene, std::size_t count_a, std::size_t count_b, Random& random)
        : list_a(make_scene(scene, count_a, 1)),
          list_b(make_scene(scene, count_b, 2)),
          boxes_a(list_a),
          boxes_b(list_b),
          complete(oracle_pairs(list_a)),
          between(oracle_pairs(list_a, list_b)),
          rules_a(random, count_a),
          rules_b(random, count_b) {}

    /// Queries everything with these rules, within set a and between the two. Rules for set b are ignored
    /// within set a.
    void check(unsigned which_a, unsigned which_b, const Workers& workers, Random& random) {
        INFO("rules of a " << which_a << ", of b " << which_b);
        const BoxFilter filter_a = rules_a.filter(which_a);
        const BoxFilter filter_b = rules_b.filter(which_b);
        const Pairs allowed = only_allowed(complete, filter_a, filter_a);
        const Pairs allowed_between = only_allowed(between, filter_a, filter_b);
        FindPairsSettings settings;
        settings.filter = filter_a;
        settings.filter_b = filter_b;
        const auto find_within = [&](const auto& with, auto& scratch, const PairOutput& out) {
            return find_pairs(boxes_a.view(), with, scratch, out);
        };
        const auto find_between = [&](const auto& with, auto& scratch, const PairOutput& out) {
            return find_pairs(boxes_a.view(), boxes_b.view(), with, scratch, out);
        };
        FindPairsLists lists_within(find_within, settings, allowed);
        FindPairsLists lists_between(find_between, settings, allowed_between);

        FindPairsSettings tree_settings;
        tree_settings.filter = filter_a;
        tree_settings.filter_b = filter_b;
        BoxTree tree_a, tree_b;
        const auto find_in_tree = [&](const auto& with, auto& scratch, const PairOutput& out) {
            return tree_a.find_pairs(with, scratch, out);
        };
        const auto find_in_trees = [&](const auto& with, auto& scratch, const PairOutput& out) {
            return tree_a.find_pairs(tree_b, with, scratch, out);
        };
        TreeLists lists_in_tree(find_in_tree, tree_settings, allowed);
        TreeLists lists_in_trees(find_in_trees, tree_settings, allowed_between);
        for_each_isa([&](Isa isa) {
            lists_between.check(isa, workers, random);
            lists_within.check(isa, workers, random);
            REQUIRE(tree_a.build(boxes_a.view()) == Status::ok);
            REQUIRE(tree_b.build(boxes_b.view()) == Status::ok);
            lists_in_trees.check(isa, workers, random);
            lists_in_tree.check(isa, workers, random);
        });
    }
};

// Each with a chance of one in `one_in`.
void fill_bits(Random& random, std::uint32_t one_in, std::span<std::uint64_t> out_bits) {
    for (std::uint64_t& word : out_bits) {
        word = 0;
        for (int bit = 0; bit < 64; ++bit) word |= std::uint64_t{random.chance(one_in) ? 1u : 0u} << bit;
    }
}

bool has_bit(std::span<const std::uint64_t> bits, std::size_t index) {
    return (bits[index / 64] & std::uint64_t{1} << index % 64) != 0;
}

}  // namespace

TEST_CASE("a rule missing from one of two filters has its default there: groups, or a subset of one side") {
    const std::vector<Aabb> list_a = {{{0, 0, 0}, {0, 1, 1}}, {{1, 0, 0}, {1, 1, 1}}, {{2, 0, 0}, {2, 1, 1}}};
    const std::vector<Aabb> list_b(2, Aabb{{0, 0, 0}, {9, 1, 1}});
    const GuardedBoxes a(list_a);
    const GuardedBoxes b(list_b);
    const std::uint64_t first_only[] = {1};
    const std::uint64_t masks[] = {1, 0, 1};
    const std::uint32_t groups[] = {1, 2, 1};
    const Pairs all = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}};
    const auto list_of = [&](const BoxFilter& filter_a, const BoxFilter& filter_b) {
        FindPairsSettings settings;
        settings.order = PairOrder::by_algorithm;
        settings.filter = filter_a;
        settings.filter_b = filter_b;
        return sorted(list_in_buffer(
            [&](const PairOutput& out) { return find_pairs(a.view(), b.view(), settings, out); }));
    };
    BoxFilter grouped_a, grouped_b, part_of_a, part_of_b, masked_a;
    grouped_a.groups = groups;
    grouped_b.groups = std::span(groups).first(2);
    part_of_a.subset_bits = first_only;
    part_of_b.subset_bits = first_only;
    masked_a.masks = masks;
    // Boxes without groups are in none.
    CHECK((list_of(grouped_a, {}) == all));
    CHECK((list_of({}, grouped_b) == all));
    CHECK((list_of(grouped_a, grouped_b) == Pairs{{0, 1}, {1, 0}, {2, 1}}));
    // Without a subset all boxes are in it.
    CHECK((list_of(part_of_a, {}) == all));
    CHECK((list_of({}, part_of_b) == all));
    CHECK((list_of(part_of_a, part_of_b) == Pairs{{0, 0}, {0, 1}, {1, 0}, {2, 0}}));
    // Without categories a box is of all kinds, which are none for an empty mask.
    CHECK((list_of(masked_a, {}) == Pairs{{0, 0}, {0, 1}, {2, 0}, {2, 1}}));
    // One thing left out on each side.
    CHECK((list_of(grouped_a, part_of_b) == all));
}

// Choices of all rules but ids, which are drawn beside.
constexpr unsigned kListed = Rules::kIds;
unsigned any_ids(Random& random) { return random.chance(2) ? Rules::kIds : 0; }

TEST_CASE("any combination of spans per side: the pairs of brute force with the rules" * kLong) {
    Random random(71);
    const Workers workers(72);
    // A step that is prime to the number of choices, so that all of them come.
    constexpr unsigned kStep = 37;
    unsigned choice = 0;
    for (const PairScene& scene : pair_scenes()) {
        INFO("scene " << scene.name);
        Sides sides(scene, 90 + random.below(80), 60 + random.below(80), random);
        for (int i = 0; i < 16; ++i, choice += kStep) {
            sides.check(choice % kListed | any_ids(random), choice / kListed % kListed | any_ids(random),
                        workers, random);
        }
    }
    CHECK(choice / kStep >= kListed * kListed);
}

TEST_CASE("any combination of spans per side, if a set has one box or none" * kLong) {
    Random random(73);
    const Workers workers(74);
    for (const auto& [count_a, count_b] : {std::pair{0u, 5u}, {5u, 0u}, {1u, 1u}, {1u, 64u}, {64u, 1u}}) {
        INFO(count_a << " and " << count_b << " boxes");
        Sides sides(pair_scenes()[9], count_a, count_b, random);
        for (unsigned choice = 0; choice < kListed * kListed; choice += 5) {
            sides.check(choice % kListed | any_ids(random), choice / kListed | any_ids(random), workers,
                        random);
        }
    }
}

TEST_CASE("spans of one side only, in sets large enough for tasks and subset reaches" * kLong) {
    Random random(75);
    const Workers workers(76);
    constexpr unsigned kGroups = Rules::kGroups;
    constexpr unsigned kSubset = Rules::kSubset;
    for (const std::size_t scene_index : {0u, 11u}) {
        const PairScene& scene = pair_scenes()[scene_index];
        INFO("scene " << scene.name);
        Sides sides(scene, 2200, 300, random);
        fill_bits(random, 100, sides.rules_a.subset_bits.span());
        for (const auto& [which_a, which_b] :
             {std::pair{kGroups, 0u}, {0u, kGroups}, {kSubset, 0u}, {0u, kSubset}, {kGroups, kSubset}}) {
            sides.check(which_a, which_b, workers, random);
        }
    }
}

TEST_CASE("any combination of spans, with resting boxes: the pairs of brute force with the rules") {
    Random random(77);
    const Workers workers(78);
    for (const PairScene& scene : pair_scenes()) {
        INFO("scene " << scene.name);
        const std::size_t count = 100 + random.below(100);
        const std::vector<Aabb> before = make_scene(scene, count, 1);
        const std::vector<Aabb> after = make_scene(scene, count, 2);
        Rules rules(random, count);
        for (unsigned which = 0; which < Rules::kChoices; which += 2) {
            // A subset is always given; the other spans in every combination.
            const BoxFilter filter = rules.filter(which / 2 | Rules::kSubset);
            INFO("rules " << which / 2);
            std::vector<std::uint64_t> left_out(bit_word_count(count));
            std::vector<std::uint64_t> taken_out(bit_word_count(count));
            fill_bits(random, 3, left_out);
            fill_bits(random, 6, taken_out);
            fill_bits(random, 4, rules.subset_bits.span());
            std::vector<Aabb> now = before;
            for (std::size_t i = 0; i < count; ++i) {
                const bool may_move =
                    has_bit(left_out, i) || has_bit(taken_out, i) || has_bit(filter.subset_bits, i);
                if (may_move) now[i] = after[i];
            }
            const Pairs expected = only_allowed(oracle_pairs(now), filter, filter);
            const GuardedBoxes boxes_before(before);
            const GuardedBoxes boxes_now(now);
            Pairs as_found;
            for_each_isa([&](Isa isa) {
                RestingBoxes resting(garbage_allocator());
                REQUIRE(resting.build(boxes_before.view(), left_out, workers.any(random)) == Status::ok);
                REQUIRE(resting.remove(taken_out) == Status::ok);
                FindPairsSettings settings;
                settings.filter = filter;
                settings.filter_b = rules.filter(random.below(Rules::kChoices));
                const auto find = [&](const PairOutput& out) {
                    BoxScratch scratch(garbage_allocator());
                    return resting.find_pairs(boxes_now.view(), settings, scratch, out);
                };
                if (isa == Isa::scalar) {
                    settings.order = PairOrder::by_algorithm;
                    as_found = list_in_buffer(find);
                    REQUIRE((sorted(as_found) == expected));
                }
                settings.runner = workers.any(random);
                for (const PairOrder order : kOrders) {
                    settings.order = order;
                    check_any_output(find, order == PairOrder::canonical ? expected : as_found, random);
                }
            });
        }
    }
}

TEST_CASE("any combination of spans, with a cache from frame to frame: the same pairs" * kLong) {
    Random random(79);
    const Workers workers(80);
    for (const PairScene& scene : pair_scenes()) {
        INFO("scene " << scene.name);
        const std::size_t count = 100 + random.below(100);
        const std::vector<Aabb> others = make_scene(scene, count, 2);
        Rules rules(random, count);
        for (unsigned which = 0; which < Rules::kChoices; ++which) {
            const bool is_stable = random.chance(2);
            INFO("rules " << which << (is_stable ? ", stable" : ""));
            std::vector<std::vector<Aabb>> frames = {make_scene(scene, count, 1)};
            std::vector<Pairs> pairs = {oracle_pairs(frames[0])};
            for (int frame = 1; frame < 4; ++frame) {
                frames.push_back(frames.back());
                frames.back()[random.below(static_cast<std::uint32_t>(count))] = others[0];
                pairs.push_back(oracle_pairs(frames.back()));
            }
            for_each_isa([&](Isa) {
                PairCache cache(0.1f, garbage_allocator());
                cache.set_stable_filter(is_stable);
                for (std::size_t frame = 0; frame < frames.size(); ++frame) {
                    FindPairsSettings settings;
                    // Spans of a filter that is not stable change.
                    settings.filter = rules.filter(is_stable ? which : random.below(Rules::kChoices));
                    settings.filter_b = rules.filter(random.below(Rules::kChoices));
                    settings.algorithm = kChoices[random.below(std::uint32_t{std::size(kChoices)})];
                    settings.order = kOrders[random.below(2)];
                    settings.runner = workers.any(random);
                    const GuardedBoxes boxes(frames[frame]);
                    const auto find = [&](const PairOutput& out) {
                        BoxScratch scratch(garbage_allocator());
                        return cache.find_pairs(boxes.view(), settings, scratch, out);
                    };
                    check_any_output(find, only_allowed(pairs[frame], settings.filter, settings.filter),
                                     random);
                }
            });
        }
    }
}
