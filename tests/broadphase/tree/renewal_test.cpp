// BoxTree: a tree that changes have degraded is rebuilt, a little at each change. Its results do not show it.
#include "broadphase/src/order/steps.hpp"
#include "broadphase/src/tree/tree_data.hpp"
#include "tests/broadphase/tree/tree_life.hpp"
#include "tests/support/counting_allocator.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/generators.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/test_scale.hpp"

#include <bit>
#include <cstring>
#include <memory>

using namespace broadside;
using namespace broadside::test;

namespace {

// Counts how often the nodes move to other memory: in a tree that does not grow, when its successor takes
// over.
class MoveCounter {
public:
    explicit MoveCounter(const BoxTree& tree) : tree_(tree), planes_(broadphase::view_of(tree).planes) {}
    int count() {
        if (broadphase::view_of(tree_).planes != planes_) ++count_;
        planes_ = broadphase::view_of(tree_).planes;
        return count_;
    }

private:
    const BoxTree& tree_;
    const float* planes_;
    int count_ = 0;
};

// The number of nodes that a change has rewritten.
class RewriteCounter {
public:
    explicit RewriteCounter(const BoxTree& tree) : tree_(tree) { (void)count(); }
    // Since the last call. None if another tree has taken over.
    std::size_t count() {
        using namespace broadphase;
        const TreeView tree = broadphase::view_of(tree_);
        const std::size_t node_count = std::size_t{tree.family_count} * kNodeWidth;
        nodes_.resize(std::max(nodes_.size(), node_count));
        std::size_t count = 0;
        for (std::uint32_t index = 0; index < node_count; ++index) {
            if ((tree.used_bits[family_of(index)] >> index % kNodeWidth & 1) == 0) continue;
            Node node;
            std::copy_n(tree.node(index), kNodeFloats, node.planes);
            if (std::memcmp(&node, &nodes_[index], sizeof node) == 0) continue;
            nodes_[index] = node;
            ++count;
        }
        const bool is_other = planes_ != tree.planes;
        planes_ = tree.planes;
        return is_other ? 0 : count;
    }

private:
    struct Node {
        float planes[broadphase::kNodeFloats];
    };
    const BoxTree& tree_;
    const float* planes_ = nullptr;
    std::vector<Node> nodes_;
};

BoxTree tree_of(const std::vector<Aabb>& boxes, const Allocator& allocator = default_allocator()) {
    BoxTree tree(allocator);
    REQUIRE(tree.build(soa_of(boxes)) == Status::ok);
    return tree;
}
std::vector<Aabb> uniform_boxes(Random& random, std::size_t count) {
    std::vector<Aabb> boxes;
    for (std::size_t i = 0; i < count; ++i) boxes.push_back(uniform_box(random, i, count));
    return boxes;
}
void check_answers(const BoxTree& tree, const std::vector<Aabb>& boxes, std::uint64_t seed) {
    const TreeQuestions questions = make_questions(boxes, 2, seed);
    REQUIRE((TreeAsker(tree, questions, {}).ask(Inside::zero, Touch::closed) ==
             oracle_answers(boxes, questions, Inside::zero, Touch::closed)));
}

// Nodes whose only child is a node with children.
std::size_t detour_count(const broadphase::TreeView& tree, std::uint32_t node) {
    if (broadphase::is_leaf(node) || broadphase::is_leaf(tree.child_of(node))) return 0;
    const std::uint32_t first_child = tree.child_of(node);
    const std::uint32_t used = tree.used_bits[broadphase::family_of(first_child)];
    std::size_t count = std::has_single_bit(used) ? 1 : 0;
    for (std::uint32_t rest = used; rest != 0; rest &= rest - 1)
        count += detour_count(tree, first_child + static_cast<std::uint32_t>(std::countr_zero(rest)));
    return count;
}

}  // namespace

TEST_CASE("no node of a built or renewed tree has a single inner child") {
    for (const std::size_t count : {3000u, 10000u}) {
        INFO(count << " boxes");
        Random random(count);
        std::vector<Aabb> boxes = uniform_boxes(random, count);
        // A few large ones, which have a branch of their own.
        for (std::size_t i = 0; i < count; i += 50) boxes[i].max.y += 40.0f;
        BoxTree tree = tree_of(boxes);
        CHECK(detour_count(broadphase::view_of(tree), broadphase::view_of(tree).root) == 0);
        MoveCounter moves(tree);
        while (moves.count() == 0) {
            const std::uint32_t index = random.below(static_cast<std::uint32_t>(count));
            if (index % 50 == 0) continue;
            boxes[index] = uniform_box(random, index, count);
            REQUIRE(tree.set_box(index, boxes[index]) == Status::ok);
        }
        CHECK(detour_count(broadphase::view_of(tree), broadphase::view_of(tree).root) == 0);
        check_answers(tree, boxes, count);
    }
}

TEST_CASE("boxes seven times as high as most share no leaf with others, in built and in renewed trees") {
    const std::uint32_t count = 3000;
    Random random(7);
    const auto make_box = [&](std::uint32_t index) {
        const Vec3 min = {random.uniform(0.0f, 50.0f), 0.0f, random.uniform(0.0f, 50.0f)};
        return Aabb{min, min + Vec3{1.0f, index % 50 == 0 ? 7.0f : 1.0f, 1.0f}};
    };
    std::vector<Aabb> boxes;
    for (std::uint32_t i = 0; i < count; ++i) boxes.push_back(make_box(i));
    BoxTree tree = tree_of(boxes);
    const auto mixed_leaf_count = [&] {
        const broadphase::TreeView view = broadphase::view_of(tree);
        std::size_t mixed_count = 0;
        for (std::uint32_t family = 0; family < view.family_count; ++family) {
            view.for_each_leaf(family, [&](std::uint32_t leaf) {
                std::size_t high_count = 0;
                std::size_t box_count = 0;
                for (std::uint32_t lane = 0; lane < broadphase::kNodeWidth; ++lane) {
                    const Aabb box = broadphase::lane_box(view.node(leaf), lane);
                    box_count += is_valid(box) ? 1u : 0u;
                    high_count += is_valid(box) && box.max.y > 2.0f ? 1u : 0u;
                }
                mixed_count += high_count != 0 && high_count != box_count ? 1u : 0u;
            });
        }
        return mixed_count;
    };
    CHECK(mixed_leaf_count() == 0);
    // A few that are added during a gradual rebuild find their leaves in it without the sorting.
    constexpr std::size_t kJoinedMax = 8;
    MoveCounter moves(tree);
    while (moves.count() == 0) {
        const std::uint32_t index = random.below(count);
        if (index % 50 == 0) continue;
        boxes[index] = make_box(index);
        REQUIRE(tree.set_box(index, boxes[index]) == Status::ok);
    }
    CHECK(mixed_leaf_count() <= kJoinedMax);
    check_answers(tree, boxes, count);
}

TEST_CASE("boxes as large as the world that shrink go to leaves of their new neighbours") {
    for (const std::size_t count : {1000u, 8000u}) {
        INFO(count << " boxes");
        Random random(count);
        const std::vector<Aabb> boxes = uniform_boxes(random, count);
        const BoxTree fresh = tree_of(boxes);
        // Leaves around the middle of a box.
        const auto leaf_count = [&](const BoxTree& tree) {
            const broadphase::TreeView view = broadphase::view_of(tree);
            std::size_t leaves = 0;
            for (std::uint32_t family = 0; family < view.family_count; ++family) {
                view.for_each_leaf(family, [&](std::uint32_t leaf) {
                    const Aabb around = view.box_around(broadphase::node_index(leaf));
                    for (const Aabb& box : boxes) leaves += contains(around, center(box)) ? 1u : 0u;
                });
            }
            return leaves;
        };
        const Aabb everywhere = {{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
        for (const Aabb& large : {fresh.bounds(), everywhere}) {
            BoxTree tree = tree_of(std::vector<Aabb>(count, large));
            for (std::uint32_t i = 0; i < count; ++i) REQUIRE(tree.set_box(i, boxes[i]) == Status::ok);
            CHECK(leaf_count(tree) < 3 * leaf_count(fresh));
            check_answers(tree, boxes, count);
        }
    }
}

TEST_CASE("a tree returns the same as loops after each change while its successor is built" * kLong) {
    for (const std::size_t count : {30u, 200u, 900u}) {
        std::vector<IndexPair> expected;
        for_each_isa([&](Isa isa) {
            INFO(count << " boxes");
            TreeLife life(count, count);
            MoveCounter moves(life.tree);
            for (int step = 0; step < 3000 * test_scale(); ++step) {
                life.operate();
                (void)moves.count();
                if (step % (count < 100 ? 1 : count < 500 ? 5 : 31) == 0) life.check(1);
            }
            CHECK(moves.count() >= 3);
            if (isa == Isa::scalar) expected = life.structure;
            REQUIRE(
                std::equal(life.structure.begin(), life.structure.end(), expected.begin(), expected.end()));
        });
    }
}

TEST_CASE(
    "all boxes that move in refits and updates during a gradual rebuild are found at their new position" *
    kLong) {
    for_each_isa([&](Isa) {
        Random random(8);
        std::vector<Aabb> boxes = uniform_boxes(random, 500);
        BoxTree tree = tree_of(boxes);
        MoveCounter moves(tree);
        const auto drift = [&](Aabb& box) {
            const Vec3 by = random_vec3(random, -0.3f, 0.3f);
            box = {box.min + by, box.max + by};
        };
        for (int step = 0; step < 2500; ++step) {
            const std::uint32_t index = random.below(500);
            if (is_valid(boxes[index]) && random.chance(20)) {
                boxes[index] = Aabb::empty();
                REQUIRE(tree.remove_box(index) == Status::ok);
            } else {
                boxes[index] = uniform_box(random, index, 500);
                REQUIRE(tree.set_box(index, boxes[index]) == Status::ok);
            }
            if (random.chance(12)) {
                for (Aabb& box : boxes) {
                    if (is_valid(box)) drift(box);
                }
                const BoxSoa soa = soa_of(boxes);
                REQUIRE((random.chance(2) ? tree.update(soa) : tree.refit(soa)) == Status::ok);
            }
            if (step % 9 == 0) check_answers(tree, boxes, static_cast<std::uint64_t>(step));
            (void)moves.count();
        }
        CHECK(moves.count() >= 3);
    });
}

TEST_CASE("slow motion never makes update rebuild in one call, and leaves never grow beyond the limit" *
          kLong) {
    Random random(4);
    std::vector<Aabb> boxes = uniform_boxes(random, 3000);
    std::vector<Vec3> ways;
    for (std::size_t i = 0; i < boxes.size(); ++i) ways.push_back(random_vec3(random, -0.01f, 0.01f));
    BoxTree tree = tree_of(boxes);
    MoveCounter moves(tree);
    for (int frame = 0; frame < 1000; ++frame) {
        for (std::size_t i = 0; i < boxes.size(); ++i)
            boxes[i] = {boxes[i].min + ways[i], boxes[i].max + ways[i]};
        REQUIRE(tree.update(soa_of(boxes)) == Status::ok);
        // A tree built in this call has not grown; an earlier one has.
        CHECK(tree.growth() > 1.0f);
        CHECK(tree.growth() <= BoxTree::kMaxGrowth);
        (void)moves.count();
        if (frame % 50 == 0) check_answers(tree, boxes, static_cast<std::uint64_t>(frame));
    }
    CHECK(moves.count() >= 3);
}

TEST_CASE("a rebuild of boxes with one center takes the planned work, in whatever order they come") {
    constexpr std::uint32_t kCount = 20000;
    using Place = std::uint32_t (*)(std::uint32_t);
    static constexpr Place kOrders[] = {
        [](std::uint32_t i) { return i; },
        [](std::uint32_t i) { return kCount - 1 - i; },
        [](std::uint32_t i) { return (i + kCount / 4) % kCount; },
        [](std::uint32_t i) { return (kCount + kCount / 4 - 1 - i) % kCount; },
        [](std::uint32_t i) { return i % 2 == 0 ? i / 2 : kCount - 1 - i / 2; },
        [](std::uint32_t i) { return i < kCount / 2 ? 2 * i : 2 * (kCount - 1 - i) + 1; },
    };
    const auto memory = std::make_unique<broadphase::OrderMemory>();
    for (const Place place : kOrders) {
        // As usual boxes, and as those that reach further or are invalid.
        for (const std::size_t usual_count : {std::size_t{kCount}, std::size_t{0}}) {
            std::vector<broadphase::BoxRecord> records;
            for (std::uint32_t i = 0; i < kCount; ++i)
                records.push_back(broadphase::ordering::record_of({{0, 0, 0}, {1, 1, 1}}, place(i)));
            std::vector<std::uint8_t> levels(kCount);
            broadphase::OrderSteps steps;
            steps.begin(records.data(), levels.data(), *memory, usual_count, kCount);
            std::int64_t units = 2 * broadphase::OrderSteps::units_of(kCount);
            CHECK(steps.advance(units));
        }
    }
}

TEST_CASE("later gradual rebuilds allocate nothing, and without memory nothing is lost") {
    CountingAllocator counter;
    {
        Random random(6);
        std::vector<Aabb> boxes = uniform_boxes(random, 1500);
        BoxTree tree = tree_of(boxes, counter.hook());
        MoveCounter moves(tree);
        const auto live = [&](int change_count) {
            for (int change = 0; change < change_count; ++change) {
                const std::uint32_t index = random.below(1500);
                if (is_valid(boxes[index]) && random.chance(4)) {
                    boxes[index] = Aabb::empty();
                    REQUIRE(tree.remove_box(index) == Status::ok);
                } else {
                    boxes[index] = uniform_box(random, index, 1500);
                    REQUIRE(tree.set_box(index, boxes[index]) == Status::ok);
                }
                (void)moves.count();
            }
        };
        live(12000);
        const int move_count = moves.count();
        CHECK(move_count >= 4);
        const std::size_t allocation_count = counter.allocation_count;
        live(12000);
        CHECK(counter.allocation_count == allocation_count);
        CHECK(moves.count() >= move_count + 4);

        // A tree of twice as many that may not allocate from some moment on.
        for (std::size_t allowed = 0; allowed < 12; ++allowed) {
            std::vector<Aabb> others = uniform_boxes(random, 3000);
            BoxTree other = tree_of(others, counter.hook());
            counter.fail_after = counter.allocation_count + allowed;
            for (int change = 0; change < 9000; ++change) {
                const std::uint32_t index = random.below(3000);
                const Aabb box = uniform_box(random, index, 3000);
                const Status status = other.set_box(index, box);
                REQUIRE((status == Status::ok || status == Status::out_of_memory));
                if (status == Status::ok) others[index] = box;
                if (change % 900 == 0) check_answers(other, others, static_cast<std::uint64_t>(change));
            }
            counter.fail_after = ~std::size_t{0};
            check_answers(other, others, allowed);
        }
    }
    CHECK(counter.live_bytes == 0);
}

TEST_CASE("no change of a built tree copies its arrays to larger ones" * kLong) {
    // Each rebuild reserves one array a change, the last two together; a copy would reserve all five at once.
    for (const std::size_t count : {3000u, 20000u}) {
        CountingAllocator counter;
        Random random(count);
        std::vector<Aabb> boxes = uniform_boxes(random, count);
        BoxTree tree = tree_of(boxes, counter.hook());
        MoveCounter moves(tree);
        const auto last = static_cast<std::uint32_t>(count);
        for (std::uint32_t change = 0; change < 2 * last; ++change) {
            const std::size_t allocation_count = counter.allocation_count;
            // Some of them new, behind the existing ones.
            const std::uint32_t index = change % 8 == 0 ? last + change / 8 : random.below(last);
            if (index >= boxes.size()) boxes.resize(index + 1);
            boxes[index] = uniform_box(random, index, count);
            REQUIRE(tree.set_box(index, boxes[index]) == Status::ok);
            const std::size_t now = counter.allocation_count - allocation_count;
            if (now > 2) FAIL("change " << change << " of " << count << " allocated " << now << " times");
            (void)moves.count();
        }
        CHECK(moves.count() >= 2);
        check_answers(tree, boxes, count);
    }
}

TEST_CASE("no change of a tree rewrites more than a few of its nodes, whatever is split or dropped") {
    // The leaves that the box leaves and joins with all their ancestors, and the pieces of one split or one
    // sparse leaf.
    constexpr std::size_t kRewrittenMax = 12;
    const std::size_t count = 6000;
    Random random(12);
    std::vector<Aabb> boxes = uniform_boxes(random, count);
    BoxTree tree = tree_of(boxes);
    RewriteCounter rewrites(tree);
    std::size_t most = 0;
    for (std::uint32_t change = 0; change < 9000; ++change) {
        const std::uint32_t index = random.below(static_cast<std::uint32_t>(count));
        // In turns all over the scene, and into a corner and out of it.
        const bool is_removed = is_valid(boxes[index]) && random.chance(5);
        boxes[index] =
            is_removed ? Aabb::empty() : uniform_box(random, index, change / 3000 == 1 ? 300 : count);
        REQUIRE((is_removed ? tree.remove_box(index) : tree.set_box(index, boxes[index])) == Status::ok);
        most = std::max(most, rewrites.count());
    }
    CHECK(most <= kRewrittenMax);
    // Otherwise nothing was split.
    CHECK(most > 6);
    check_answers(tree, boxes, count);
}
