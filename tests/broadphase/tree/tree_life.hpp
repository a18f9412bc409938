// A tree in a random life of single changes and whole ones, beside what it should hold.
#pragma once

#include "tests/broadphase/tree/alone_asker.hpp"

namespace broadside::test {

/// A tree and what it should hold: an index without a member is an empty box, which nothing finds either.
class TreeLife {
public:
    TreeLife(std::uint64_t seed, std::size_t wanted_count) : random_(seed), wanted_count_(wanted_count) {}

    BoxTree tree;
    std::vector<Aabb> boxes;
    std::vector<bool> is_member;

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
                return random_.chance(8) ? make_whole() : step();
            case 4:
                return set(any_member(), any_box());
            default:
                return step();
        }
    }

    void add() {
        std::uint32_t index = random_.below(static_cast<std::uint32_t>(boxes.size() + 2));
        if (random_.chance(30)) index += random_.below(70);
        set(index, any_box());
    }
    void remove() {
        const std::uint32_t index = any_member();
        REQUIRE(tree.remove_box(index) == Status::ok);
        REQUIRE(tree.remove_box(index) == Status::invalid_argument);
        boxes[index] = Aabb::empty();
        is_member[index] = false;
    }
    // All the rest that makes a tree, over boxes whose tree has been changed.
    void make_whole() {
        std::vector<std::uint64_t> bits(bit_word_count(boxes.size()));
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            bits[i / 64] |= std::uint64_t{is_member[i] ? 1u : 0u} << i % 64;
        }
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            if (is_member[i] && random_.chance(3)) boxes[i] = any_box();
        }
        const BoxSoa soa = soa_of(boxes);
        switch (random_.below(5)) {
            case 0:
                REQUIRE(tree.refit(soa) == Status::ok);
                break;
            case 1:
                REQUIRE(tree.update(soa) == Status::ok);
                break;
            case 2:
                REQUIRE(tree.build_subset(soa, bits) == Status::ok);
                break;
            case 3: {
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
        REQUIRE(tree.set_box(index, box) == Status::ok);
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
        const TreeQuestions questions = make_questions(boxes, question_count, random_.next());
        const TreeRules rules = tree_rules(random_.below(kTreeRulesCount));
        TreeQuerySettings settings;
        settings.filter = filter_of(questions, rules);
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
        // The leaves one after the other: the tree itself.
        TreePairSettings by_leaves;
        by_leaves.order = PairOrder::by_algorithm;
        REQUIRE(tree.find_pairs(by_leaves, scratch_, pairs).status == Status::ok);
        for (const IndexPair& pair : pairs) structure.push_back(pair);
    }
    std::vector<IndexPair> structure;

    Aabb any_box() {
        if (random_.chance(12)) return adversarial_box(random_);
        if (random_.chance(20)) return vast_box(random_);
        if (random_.chance(20)) return infinite_box(random_, 0, wanted_count_);
        if (random_.chance(3)) return lattice_box(random_, 0, 0);
        return uniform_box(random_, 0, wanted_count_);
    }

private:
    void replace() {
        const std::uint32_t index = any_member();
        const Aabb box = boxes[index];
        REQUIRE(tree.remove_box(index) == Status::ok);
        set(index, random_.chance(2) ? box : any_box());
    }

    Random random_;
    std::size_t wanted_count_;
    TreeScratch scratch_;
};

}  // namespace broadside::test
