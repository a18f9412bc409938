// A tree under random single and whole changes, beside its expected contents.
#pragma once

#include "tests/broadphase/pair_oracle.hpp"
#include "tests/broadphase/tree/alone_asker.hpp"
#include "tests/support/faulty_allocator.hpp"
#include "tests/support/shuffled_runner.hpp"

namespace broadside::test {

/// A tree and its expected contents: an index without a member is an empty box, which nothing finds.
class TreeLife {
    FaultyAllocator memory_;

public:
    TreeLife(std::uint64_t seed, std::size_t wanted_count) : random_(seed), wanted_count_(wanted_count) {}

    BoxTree tree{memory_.hook()};
    std::vector<Aabb> boxes;
    std::vector<bool> is_member;
    /// One change in this many finds no memory at first; zero means none.
    std::uint32_t one_in_poor = 0;
    /// Indices are multiples of it.
    std::uint32_t index_step = 1;
    /// Boxes are all of about one size, and never more than requested.
    bool is_plain = false;

    std::size_t member_count() const {
        return static_cast<std::size_t>(std::count(is_member.begin(), is_member.end(), true));
    }

    void operate() {
        const std::size_t count = member_count();
        if (count == 0 || (count < wanted_count_ && random_.chance(2))) return add();
        switch (random_.below(12)) {
            case 0:
            case 1:
                return remove();
            case 2:
                return replace();
            case 3:
                return random_.chance(8) ? make_whole() : random_.chance(20) ? clear_side() : step();
            case 4: {
                const std::uint32_t index = any_member();
                return set(index, any_box());
            }
            default:
                return step();
        }
    }

    void add() {
        std::uint32_t index = random_.below(static_cast<std::uint32_t>(boxes.size() / index_step + 2));
        if (random_.chance(30)) index += random_.below(70);
        // If few levels must hold them, a build of all indices has no more boxes than requested.
        if (is_plain) index %= static_cast<std::uint32_t>(wanted_count_);
        set(index * index_step, any_box());
    }
    void remove(std::uint32_t index) {
        REQUIRE(tree.remove_box(index) == Status::ok);
        REQUIRE(tree.remove_box(index) == Status::invalid_argument);
        boxes[index] = Aabb::empty();
        is_member[index] = false;
    }
    void remove() { remove(any_member()); }
    // All on one side of a plane, so that whole branches become empty.
    void clear_side() {
        const float limit = random_.chance(2) ? kInfinity : center(boxes[any_member()]).x;
        for (std::uint32_t index = 0; index < boxes.size(); ++index)
            if (is_member[index] && center(boxes[index]).x < limit && !random_.chance(60)) remove(index);
    }
    /// Begins with as many boxes as requested.
    void begin() {
        for (std::size_t i = 0; i < wanted_count_; ++i)
            set(static_cast<std::uint32_t>(i) * index_step, any_box());
    }
    // All by a little.
    void drift() {
        for (Aabb& box : boxes) {
            const Vec3 by = random_vec3(random_, -0.02f, 0.02f);
            box = {box.min + by, box.max + by};
        }
        REQUIRE(call([&] { return tree.update(soa_of(boxes), runner()); }) == Status::ok);
    }
    // All other operations that build a tree, after its boxes have changed.
    void make_whole() {
        std::vector<std::uint64_t> bits(bit_word_count(boxes.size()));
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            bits[i / 64] |= std::uint64_t{is_member[i] ? 1u : 0u} << i % 64;
        }
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            if (is_member[i] && random_.chance(3)) boxes[i] = any_box();
        }
        const BoxSoa soa = soa_of(boxes);
        switch (random_.below(7)) {
            case 0:
                REQUIRE(call([&] { return tree.refit(soa, runner()); }) == Status::ok);
                break;
            case 1:
                REQUIRE(call([&] { return tree.update(soa, runner()); }) == Status::ok);
                break;
            case 2:
                REQUIRE(call([&] { return tree.build_subset(soa, bits, runner()); }) == Status::ok);
                break;
            case 3:
                REQUIRE(call([&] { return tree.build(soa, runner()); }) == Status::ok);
                is_member.assign(boxes.size(), true);
                break;
            case 4:
                for (int frame = 0; frame < 40; ++frame) drift();
                break;
            case 5: {
                for (std::size_t i = 0; i < boxes.size(); ++i)
                    boxes[i] = tree.box(static_cast<std::uint32_t>(i));
                BoxTree moved = std::move(tree);
                tree = std::move(moved);
                break;
            }
            default:
                tree.clear();
                boxes.clear();
                is_member.clear();
        }
    }
    std::uint32_t any_member() {
        for (;;) {
            const std::uint32_t index = random_.below(static_cast<std::uint32_t>(boxes.size()));
            if (is_member[index]) return index;
        }
    }
    void set(std::uint32_t index, const Aabb& box) {
        REQUIRE(call([&] { return tree.set_box(index, box); }) == Status::ok);
        if (index >= boxes.size()) {
            boxes.resize(index + 1, Aabb::empty());
            is_member.resize(index + 1, false);
        }
        boxes[index] = box;
        is_member[index] = true;
    }
    void step() {
        const std::uint32_t index = any_member();
        const Vec3 by = random_vec3(random_, -0.5f, 0.5f);
        set(index, {boxes[index].min + by, boxes[index].max + by});
    }

    void check(std::size_t question_count) {
        CHECK(tree.box_count() == boxes.size());
        REQUIRE(tree.member_count() == member_count());
        Aabb bounds = Aabb::empty();
        std::size_t invalid_count = 0;
        std::size_t first_invalid = kNoIndex;
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            if (is_valid(boxes[i])) bounds = include(bounds, boxes[i]);
            const bool is_quarantined = is_member[i] && !is_valid(boxes[i]);
            if (is_quarantined && invalid_count++ == 0) first_invalid = i;
            const Aabb expected = is_valid(boxes[i]) ? boxes[i] : Aabb::empty();
            if (!(tree.box(static_cast<std::uint32_t>(i)) == expected)) FAIL("box " << i);
        }
        REQUIRE(tree.bounds() == bounds);
        REQUIRE(tree.invalid_boxes().count == invalid_count);
        REQUIRE(tree.invalid_boxes().first_index == first_invalid);
        TreeQuestions questions = make_questions(boxes, question_count, random_.next());
        if (random_.chance(4)) questions.boxes[0] = bounds;
        // So short that products are zero.
        const float shorter = random_.chance(2) ? 1e-38f : 1e-43f;
        for (std::size_t i = 0; i < question_count && random_.chance(2); ++i) {
            questions.rays[i].direction = questions.rays[i].direction * shorter;
            questions.casts[i].displacement = questions.casts[i].displacement * shorter;
        }
        const TreeRules rules = tree_rules(random_.below(kTreeRulesCount));
        TreeQuerySettings settings = settings_of(questions, rules);
        settings.runner = runner();
        const auto inside = static_cast<Inside>(random_.below(3));
        const auto touch = static_cast<Touch>(random_.below(2));
        REQUIRE((TreeAsker(tree, questions, settings).ask(inside, touch) ==
                 oracle_answers(boxes, questions, inside, touch, rules)));
        AloneAsker(tree, questions, rules).ask(inside, touch);
        PairBuffer pairs;
        PairBuffer expected;
        REQUIRE(find_pairs(soa_of(boxes), expected).status == Status::ok);
        REQUIRE(tree.find_pairs({}, scratch_, pairs).status == Status::ok);
        REQUIRE(std::equal(pairs.begin(), pairs.end(), expected.begin(), expected.end()));
        // The leaves one after the other: the structure of the tree.
        FindPairsSettings by_leaves;
        by_leaves.order = PairOrder::by_algorithm;
        REQUIRE(tree.find_pairs(by_leaves, scratch_, pairs).status == Status::ok);
        for (const IndexPair& pair : pairs) structure.push_back(pair);
        check_visits();
        check_nearest(questions.points);
        if (one_in_poor != 0) check_poor(questions, settings, pairs);
    }
    /// Against another tree.
    void check_pairs(const TreeLife& other) {
        FindPairsSettings settings;
        settings.runner = runner();
        PairBuffer pairs;
        REQUIRE(tree.find_pairs(other.tree, settings, scratch_, pairs).status == Status::ok);
        const std::vector<IndexPair> expected = oracle_pairs(boxes, other.boxes);
        REQUIRE(std::equal(pairs.begin(), pairs.end(), expected.begin(), expected.end()));
        check_visits(other);
    }
    std::vector<IndexPair> structure;

    Aabb any_box() {
        if (is_plain) return uniform_box(random_, 0, wanted_count_);
        if (random_.chance(12)) return adversarial_box(random_);
        if (random_.chance(20)) return vast_box(random_);
        if (random_.chance(20)) return infinite_box(random_, 0, wanted_count_);
        if (random_.chance(3)) return lattice_box(random_, 0, 0);
        return uniform_box(random_, 0, wanted_count_);
    }

private:
    // Sometimes several workers, which split the work.
    const TaskRunner* runner() { return random_.chance(2) ? runner_.runner() : nullptr; }

    // A change, sometimes without memory at first: then the tree stays unchanged.
    template <class Change>
    Status call(const Change& change) {
        if (one_in_poor != 0 && random_.chance(one_in_poor)) {
            memory_.fail_first = memory_.request_count + random_.below(3);
            memory_.fail_count = 1 + random_.below(4);
        }
        const std::size_t refused_before = memory_.refused_count;
        const Status status = change();
        memory_.fail_first = ~std::size_t{0};
        if (status != Status::out_of_memory) return status;
        REQUIRE(memory_.refused_count != refused_before);
        return change();
    }

    // Lists, sometimes without memory at first.
    void check_poor(const TreeQuestions& questions, const TreeQuerySettings& settings,
                    PairBuffer& state_pairs) {
        BoxScratch scratch(memory_.hook());
        std::vector<IndexPair> expected(state_pairs.begin(), state_pairs.end());
        FindPairsSettings by_leaves;
        by_leaves.order = PairOrder::by_algorithm;
        REQUIRE(call([&] { return tree.find_pairs(by_leaves, scratch, state_pairs).status; }) == Status::ok);
        REQUIRE(std::equal(state_pairs.begin(), state_pairs.end(), expected.begin(), expected.end()));
        scratch.release();
        const std::span<const Aabb> shapes = questions.boxes;
        REQUIRE(tree.find_overlaps(shapes, settings, scratch_, state_pairs).status == Status::ok);
        expected.assign(state_pairs.begin(), state_pairs.end());
        REQUIRE(call([&] { return tree.find_overlaps(shapes, settings, scratch, state_pairs).status; }) ==
                Status::ok);
        REQUIRE(std::equal(state_pairs.begin(), state_pairs.end(), expected.begin(), expected.end()));
    }

    struct FilterData {
        std::vector<std::uint64_t> categories, masks, subset_bits;
        std::vector<std::uint32_t> groups, ids;
    };
    // Each rule given or left out.
    BoxFilter any_filter(std::size_t count, FilterData& out_data) {
        const auto draw = [&](std::size_t size, auto& out_values, auto most) {
            if (random_.chance(2)) return;
            out_values.resize(size);
            for (auto& value : out_values) value = static_cast<decltype(most)>(random_.next() % most);
        };
        draw(count, out_data.categories, std::uint64_t{4});
        draw(count, out_data.masks, std::uint64_t{4});
        draw(count, out_data.groups, std::uint32_t{3});
        draw(bit_word_count(count), out_data.subset_bits, ~std::uint64_t{0});
        const std::uint32_t ids_per_box = 1 + random_.below(3);
        draw(count * ids_per_box, out_data.ids, std::uint32_t{20});
        return {.categories = out_data.categories,
                .masks = out_data.masks,
                .groups = out_data.groups,
                .subset_bits = out_data.subset_bits,
                .ids = out_data.ids,
                .ids_per_box = ids_per_box};
    }

    // Visitors of pairs, of this tree or with another one, see the list of the same filters up to where they
    // stop.
    template <class... Other>
    void check_visits(const Other&... other) {
        FilterData of_tree;
        FilterData of_other;
        FindPairsSettings settings;
        settings.filter = any_filter(boxes.size(), of_tree);
        (void(settings.filter_b = any_filter(other.boxes.size(), of_other)), ...);
        FindPairsSettings of_boxes;
        of_boxes.filter = settings.filter;
        of_boxes.filter_b = settings.filter_b;
        PairBuffer list;
        PairBuffer found;
        REQUIRE(find_pairs(soa_of(boxes), soa_of(other.boxes)..., of_boxes, list).status == Status::ok);
        REQUIRE(tree.find_pairs(other.tree..., settings, scratch_, found).status == Status::ok);
        REQUIRE(std::equal(found.begin(), found.end(), list.begin(), list.end()));
        const std::size_t most = random_.chance(2) ? list.size() + 1 : 1 + random_.below(40);
        std::vector<IndexPair> seen;
        REQUIRE(tree.visit_pairs(other.tree..., settings, [&](const IndexPair& pair) {
            seen.push_back(pair);
            return seen.size() < most;
        }) == Status::ok);
        REQUIRE(seen.size() == std::min(most, list.size()));
        structure.insert(structure.end(), seen.begin(), seen.end());
        std::sort(seen.begin(), seen.end());
        REQUIRE(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
        REQUIRE(std::includes(list.begin(), list.end(), seen.begin(), seen.end()));
        REQUIRE(tree.any_pair(other.tree..., settings) == !list.is_empty());

        // The same pairs by distance.
        const ClosePair closest = tree.closest_pair(other.tree..., 0.0f, settings);
        REQUIRE(closest == (list.is_empty() ? ClosePair{} : ClosePair{0.0f, list[0]}));
        seen.clear();
        REQUIRE(tree.visit_close_pairs(other.tree..., 0.0f, settings, [&](const ClosePair& near) {
            seen.push_back(near.target);
            return near.distance;
        }) == Status::ok);
        structure.insert(structure.end(), seen.begin(), seen.end());
        std::sort(seen.begin(), seen.end());
        REQUIRE(std::equal(seen.begin(), seen.end(), list.begin(), list.end()));
    }

    // All of them from the first few points.
    void check_nearest(const std::vector<Vec3>& points) {
        if (boxes.empty() || points.empty() || !is_finite(points[0])) return;
        std::vector<NearOracle> expected;
        for (std::uint32_t index = 0; index < boxes.size(); ++index)
            if (is_valid(boxes[index])) expected.push_back({boxes[index], index, points[0]});
        sort_closest(expected, points[0], std::numeric_limits<float>::infinity());
        std::vector<ClosestBox> found(boxes.size());
        const ClosestBoxSettings all = {.count = static_cast<std::uint32_t>(found.size())};
        REQUIRE(tree.closest_boxes(points[0], all, {}, found).status == Status::ok);
        for (std::size_t i = 0; i < found.size(); ++i)
            if (!(found[i] == (i < expected.size() ? expected[i].reported() : ClosestBox{})))
                FAIL("near " << i);
    }

    void replace() {
        const std::uint32_t index = any_member();
        const Aabb box = boxes[index];
        REQUIRE(tree.remove_box(index) == Status::ok);
        set(index, random_.chance(2) ? box : any_box());
    }

    Random random_;
    ShuffledRunner runner_{random_.next(), 4};
    std::size_t wanted_count_;
    BoxScratch scratch_;
};

}  // namespace broadside::test
