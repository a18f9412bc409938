// Moves of the objects of find_pairs and of the tree.
#include "tests/broadphase/exact/exact_oracle.hpp"
#include "tests/broadphase/tree/box_tree_oracle.hpp"
#include "tests/support/check_moves.hpp"

#include <broadside/bits.hpp>
#include <broadside/pair_cache.hpp>

using namespace broadside;
using namespace broadside::test;

namespace {

// Enough that sorting pays.
constexpr std::size_t kMovesCount = 300;

std::vector<Aabb> scene_boxes(std::uint64_t seed = 1) {
    return make_scene(pair_scenes()[0], kMovesCount, seed);
}

void add_found(const FindPairsResult& found, const PairBuffer& pairs, Answers& out_answers) {
    out_answers.add(found.status);
    out_answers.add(found.written);
    out_answers.add(found.required);
    out_answers.add(found.invalid.count);
    out_answers.add(found.plan.algorithm);
    out_answers.add(found.plan.cache_use);
    out_answers.add(found.plan.escaped_count);
    if (found.status == Status::ok) out_answers.add_pairs(pairs);
}

void add_tree_answers(const TreeAnswers& found, Answers& out_answers) {
    out_answers.add_pairs(found.pairs);
    out_answers.add(found.words);
}

}  // namespace

TEST_CASE("moves: RestingBoxes") {
    const std::vector<Aabb> scene = scene_boxes();
    const BoxSoa boxes = soa_of(scene);
    const BoxSoa moved = soa_of(scene_boxes(2));
    std::vector<std::uint64_t> mover_bits(bit_word_count(kMovesCount));
    mover_bits[0] = 0x5A;
    check_moves<RestingBoxes>(
        [](const Allocator& allocator) { return RestingBoxes(allocator); },
        [&](RestingBoxes& resting) { REQUIRE(resting.build(boxes, mover_bits) == Status::ok); },
        [&](RestingBoxes& resting) {
            Answers answers;
            answers.add(resting.is_built());
            answers.add(resting.box_count());
            answers.add(resting.resting_count());
            answers.add(resting.find_moved_box(moved, {}));
            answers.add(resting.count_drift({}));
            answers.add(resting.capacity_bytes());
            answers.add(resting.remove({}));
            answers.add(resting.remove(mover_bits));
            answers.add(resting.mover_bits().size());
            FindPairsSettings settings;
            BoxScratch scratch;
            PairBuffer pairs;
            for (const bool has_movers : {false, true}) {
                if (has_movers) settings.filter.subset_bits = mover_bits;
                add_found(resting.find_pairs(boxes, settings, scratch, pairs), pairs, answers);
                add_found(resting.find_pairs(BoxSoaView{}, settings, scratch, pairs), pairs, answers);
            }
            return answers;
        });
}

TEST_CASE("moves: PairCache") {
    const BoxSoa boxes = soa_of(scene_boxes());
    std::vector<Aabb> near = scene_boxes();
    for (std::size_t i = 0; i < near.size(); i += 50) near[i].max.x += 0.5f;
    const BoxSoa later = soa_of(near);
    BoxScratch scratch;
    PairBuffer pairs;
    const auto find = [&](PairCache& cache, const BoxSoa& at, Answers& out_answers) {
        add_found(cache.find_pairs(at, {}, scratch, pairs), pairs, out_answers);
    };
    check_moves<PairCache>(
        [](const Allocator& allocator) {
            // Settings, which stay with both.
            PairCache cache(0.125f, allocator);
            cache.set_stable_filter(true);
            return cache;
        },
        [&](PairCache& cache) {
            Answers answers;
            for (int call = 0; call < 2; ++call) find(cache, boxes, answers);
            // Few leave, so the grown boxes are built as resting ones.
            find(cache, later, answers);
            find(cache, later, answers);
        },
        [&](PairCache& cache) {
            Answers answers;
            answers.add(cache.margin());
            answers.add(cache.has_stable_filter());
            answers.add(cache.capacity_bytes() != 0);
            find(cache, later, answers);
            find(cache, boxes, answers);
            return answers;
        });
}

TEST_CASE("moves: BoxTree") {
    std::vector<Aabb> scene = scene_boxes();
    scene[7] = Aabb::empty();
    const BoxSoa boxes = soa_of(scene);
    const BoxSoa others = soa_of(scene_boxes(2));
    BoxTree other_tree;
    REQUIRE(other_tree.build(others) == Status::ok);
    const TreeQuestions questions = make_questions(scene, 20, 9);
    check_moves<BoxTree>(
        [](const Allocator& allocator) { return BoxTree(allocator); },
        [&](BoxTree& tree) {
            REQUIRE(tree.build(others) == Status::ok);
            // This grows some leaves.
            REQUIRE(tree.refit(boxes) == Status::ok);
        },
        [&](BoxTree& tree) {
            Answers answers;
            answers.add(tree.growth());
            answers.add(tree.box_count());
            answers.add(tree.member_count());
            answers.add(tree.invalid_boxes().count);
            answers.add(tree.invalid_boxes().first_index);
            answers.add(tree.bounds());
            answers.add(tree.capacity_bytes());
            for (const std::uint32_t index : {0u, 7u, 200u, kNoBox}) answers.add(tree.box(index));
            add_tree_answers(TreeAsker(tree, questions, {}).ask(Inside::zero, Touch::closed), answers);
            BoxScratch scratch;
            PairBuffer pairs;
            answers.add(tree.find_pairs({}, scratch, pairs).status);
            answers.add_pairs(pairs);
            answers.add(tree.find_pairs(other_tree, {}, scratch, pairs).status);
            answers.add_pairs(pairs);
            answers.add(other_tree.find_pairs(tree, {}, scratch, pairs).status);
            answers.add_pairs(pairs);
            TreeQuerySettings filtered;
            filtered.categories = questions.categories;
            std::vector<std::uint64_t> bits(1);
            answers.add(tree.any_overlap(std::span<const Aabb>(questions.boxes), filtered, bits).status);
            answers.add(tree.closest_box({0, 0, 0}).target);
            // A tree of no boxes may be refitted to none.
            answers.add(tree.refit(boxes));
            answers.add(tree.refit(BoxSoaView{}));
            return answers;
        });
}

TEST_CASE("moves: BoxScratch") {
    const std::vector<Aabb> scene = scene_boxes();
    const BoxSoa boxes = soa_of(scene);
    const auto exact_scene = exact_scenes<double>(kMovesCount, 1)[0];
    BoxTree tree;
    REQUIRE(tree.build(boxes) == Status::ok);
    ExactBoxTree<double> exact_tree;
    REQUIRE(exact_tree.build(exact_scene.view()) == Status::ok);
    const TreeQuestions questions = make_questions(scene, 20, 9);
    FindPairsSettings by_cells;
    by_cells.algorithm = PairAlgorithm::cells;
    AlignedArray<Listed<TreeHit>> hits;
    PairBuffer pairs;
    const auto use = [&](BoxScratch& scratch) {
        Answers answers;
        answers.add(scratch.capacity_bytes());
        add_found(find_pairs(boxes, by_cells, scratch, pairs), pairs, answers);
        add_found(find_pairs(exact_scene.view(), {}, scratch, pairs), pairs, answers);
        answers.add(tree.find_hits(questions.rays, {}, scratch, hits).status);
        answers.add_all(hits, [&](const Listed<TreeHit>& hit) {
            answers.add(hit.query);
            answers.add(hit.found.target);
            answers.add(hit.found.t);
        });
        answers.add(tree.find_pairs({}, scratch, pairs).status);
        answers.add_pairs(pairs);
        answers.add(exact_tree.find_overlaps(exact_scene.view(), {}, scratch, pairs).status);
        answers.add_pairs(pairs);
        return answers;
    };
    check_moves<BoxScratch>([](const Allocator& allocator) { return BoxScratch(allocator); },
                            [&](BoxScratch& scratch) { use(scratch); }, use);
    using Pairs = BoxScratch::Pairs;
    check_moves<Pairs>([](const Allocator& allocator) { return Pairs(allocator); },
                       [](Pairs& memory) { REQUIRE(memory.boxes.reserve(100)); },
                       [](Pairs& memory) {
                           Answers answers;
                           answers.add(memory.capacity_bytes());
                           return answers;
                       });
}

TEST_CASE("moves: ExactBoxTree") {
    // A tree with listed numbers, which the maps of the axes refer to.
    const auto scene = exact_scenes<double>(kMovesCount, 1)[7];
    check_moves<ExactBoxTree<double>>(
        [](const Allocator& allocator) { return ExactBoxTree<double>(allocator); },
        [&](ExactBoxTree<double>& tree) { REQUIRE(tree.build(scene.view()) == Status::ok); },
        [&](ExactBoxTree<double>& tree) {
            Answers answers;
            answers.add(tree.box_count());
            answers.add(tree.axis_count());
            answers.add(tree.capacity_bytes() != 0);
            BoxScratch scratch;
            PairBuffer pairs;
            answers.add(tree.find_overlaps(scene.view(), {}, scratch, pairs).status);
            answers.add_pairs(pairs);
            answers.add(tree.find_pairs({}, scratch, pairs).status);
            answers.add_pairs(pairs);
            return answers;
        });
}
