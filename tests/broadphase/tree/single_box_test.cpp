// BoxTree, one box at a time: a tree after random insertions, moves and removals matches loops over its
// boxes.
#include "tests/broadphase/tree/tree_life.hpp"
#include "tests/support/counting_allocator.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/test_scale.hpp"

using namespace broadside;
using namespace broadside::test;

TEST_CASE("trees match loops over their boxes after random operations, with the same bits on every ISA" *
          kLong) {
    for (const std::size_t count : {3u, 20u, 60u, 400u}) {
        for (int round = 0; round < 2 * test_scale(); ++round) {
            std::vector<IndexPair> expected;
            for_each_isa([&](Isa isa) {
                INFO(count << " boxes, round " << round);
                TreeLife life(count + 1000 * static_cast<std::uint64_t>(round), count);
                for (int step = 0; step < 1500; ++step) {
                    life.operate();
                    // One tree is queried completely after every operation.
                    if (step % (count == 20 ? 1 : count < 100 ? 6 : 25) == 0) life.check(3);
                }
                if (isa == Isa::scalar) expected = life.structure;
                REQUIRE(std::equal(life.structure.begin(), life.structure.end(), expected.begin(),
                                   expected.end()));
            });
        }
    }
}

TEST_CASE("a tree that grows box by box, moves far, and shrinks to nothing always returns the same as loops" *
          kLong) {
    for_each_isa([&](Isa) {
        TreeLife life(5, 6000);
        Random random(9);
        for (std::uint32_t i = 0; i < 6000; ++i) {
            life.set(i, uniform_box(random, 0, 6000));
            if (i % 700 == 0) life.check(4);
        }
        const std::size_t grown_bytes = life.tree.capacity_bytes();
        // Everything moves elsewhere, five times over.
        for (int step = 0; step < 30000; ++step) {
            life.set(life.any_member(), uniform_box(random, 0, 6000));
            if (step % 6000 == 0) life.check(4);
        }
        CHECK(life.tree.capacity_bytes() <= 3 * grown_bytes);
        for (std::size_t count = 6000; count > 0; --count) {
            life.remove();
            if (count % 900 == 1) life.check(4);
        }
        CHECK(life.tree.member_count() == 0);
        CHECK(is_empty(life.tree.bounds()));
        life.set(3, {{0, 0, 0}, {1, 1, 1}});
        life.check(4);
    });
}

TEST_CASE("setting a NaN box or removing a non-member disturbs nothing") {
    BoxTree tree;
    CHECK(tree.remove_box(0) == Status::invalid_argument);
    CHECK(tree.set_box(static_cast<std::uint32_t>(kMaxBoxCount), {}) == Status::invalid_argument);
    CHECK(tree.box_count() == 0);
    CHECK(tree.set_box(2, {{0, 0, 0}, {1, 1, 1}}) == Status::ok);
    CHECK(tree.box_count() == 3);
    CHECK(tree.remove_box(1) == Status::invalid_argument);
    CHECK(tree.remove_box(7) == Status::invalid_argument);
    CHECK(tree.member_count() == 1);
    CHECK(tree.closest_hit(Ray{{-1, 0.5f, 0.5f}, {1, 0, 0}}) == TreeHit{2, 1.0f, Face::min_x});
    CHECK(tree.set_box(2, Aabb::empty()) == Status::ok);
    CHECK(tree.invalid_boxes().count == 1);
    CHECK(tree.closest_hit(Ray{{-1, 0.5f, 0.5f}, {1, 0, 0}}) == TreeHit{});
    CHECK(tree.set_box(2, {{5, 0, 0}, {6, 1, 1}}) == Status::ok);
    CHECK(tree.invalid_boxes().first_index == kNoIndex);
    CHECK(tree.closest_hit(Ray{{-1, 0.5f, 0.5f}, {1, 0, 0}}) == TreeHit{2, 6.0f, Face::min_x});
}

TEST_CASE("a warm tree is rebuilt without allocation while boxes are added") {
    CountingAllocator counter;
    Random random(4);
    BoxTree tree(counter.hook());
    std::vector<Aabb> boxes;
    for (std::size_t i = 0; i < 2000; ++i) boxes.push_back(uniform_box(random, i, 2000));
    // Each time more than half are new, which happens several times from an empty tree.
    const auto grow = [&] {
        tree.clear();
        for (std::uint32_t i = 0; i < boxes.size(); ++i) REQUIRE(tree.set_box(i, boxes[i]) == Status::ok);
    };
    grow();
    const std::size_t before = counter.allocation_count;
    grow();
    CHECK(counter.allocation_count == before);
}

TEST_CASE("a warm tree moves boxes without allocation, and stays unchanged without memory") {
    CountingAllocator counter;
    Random random(3);
    {
        BoxTree tree(counter.hook());
        std::vector<Aabb> boxes;
        for (int i = 0; i < 2000; ++i) boxes.push_back(uniform_box(random, 0, 2000));
        REQUIRE(tree.build(soa_of(boxes)) == Status::ok);
        const auto wander = [&] {
            for (int i = 0; i < 4000; ++i) {
                const std::uint32_t index = random.below(2000);
                const Vec3 by = random_vec3(random, -0.3f, 0.3f);
                boxes[index] = {boxes[index].min + by, boxes[index].max + by};
                REQUIRE(tree.set_box(index, boxes[index]) == Status::ok);
            }
        };
        wander();
        const std::size_t before = counter.allocation_count;
        wander();
        CHECK(counter.allocation_count == before);
        // Boxes are added until some are refused.
        counter.fail_after = counter.allocation_count;
        std::size_t refused = 0;
        for (std::uint32_t i = 2000; refused < 5; ++i) {
            const Aabb box = uniform_box(random, 0, 2000);
            const Status status = tree.set_box(i, box);
            REQUIRE((status == Status::ok || status == Status::out_of_memory));
            refused += status == Status::ok ? 0 : 1;
            if (status == Status::ok) {
                boxes.resize(i + 1, Aabb::empty());
                boxes[i] = box;
            }
        }
        boxes.resize(tree.box_count(), Aabb::empty());
        const TreeQuestions questions = make_questions(boxes, 20, 1);
        counter.fail_after = ~std::size_t{0};
        CHECK((TreeAsker(tree, questions, {}).ask(Inside::zero, Touch::closed) ==
               oracle_answers(boxes, questions, Inside::zero, Touch::closed)));
        REQUIRE(tree.set_box(5000, boxes[0]) == Status::ok);
    }
    CHECK(counter.live_bytes == 0);
}
