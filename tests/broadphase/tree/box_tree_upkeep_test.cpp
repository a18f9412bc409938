// BoxTree: builds, refits and updates with input of every kind; memory, arguments, and full outputs.
#include "tests/broadphase/tree/box_tree_oracle.hpp"
#include "tests/support/counting_allocator.hpp"
#include "tests/support/faulty_allocator.hpp"
#include "tests/support/folders.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_array.hpp"
#include "tests/support/guarded_boxes.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/suites.hpp"

#include <broadside/scene_io/bounds_text.hpp>

#include <filesystem>

using namespace broadside;
using namespace broadside::test;

namespace {

const PairScene& scene_named(const std::string& name) {
    for (const PairScene& scene : pair_scenes()) {
        if (scene.name == name) return scene;
    }
    FAIL("no scene " << name);
    return pair_scenes()[0];
}

TreeAnswers answers_of(const BoxTree& tree, const TreeQuestions& questions) {
    return TreeAsker(tree, questions, {}).ask(Inside::zero, Touch::closed);
}
TreeAnswers oracle_of(const std::vector<Aabb>& boxes, const TreeQuestions& questions) {
    return oracle_answers(boxes, questions, Inside::zero, Touch::closed);
}

// The boxes of find_overlaps in the order of the tree: differs if the tree does.
std::vector<IndexPair> order_of(const BoxTree& tree, const TreeQuestions& questions) {
    TreeQuerySettings settings;
    settings.order = PairOrder::by_algorithm;
    BoxScratch scratch;
    PairBuffer pairs;
    REQUIRE(tree.find_overlaps(questions.boxes, settings, scratch, pairs).status == Status::ok);
    return {pairs.begin(), pairs.end()};
}

}  // namespace

TEST_CASE("a tree after random builds, refits and updates returns the same as a new one" * kLong) {
    for_each_isa([&](Isa) {
        Random random(77);
        BoxTree tree;
        std::vector<Aabb> boxes;
        ShuffledRunner runner(5, 3);
        for (int step = 0; step < 60; ++step) {
            const TaskRunner* tasks = random.chance(3) ? runner.runner() : nullptr;
            const std::uint32_t kind = random.below(8);
            if (kind == 0 || boxes.empty()) {
                const auto& scene = pair_scenes()[random.below(16)];
                boxes = make_scene(scene, random.below(300), random.next());
            } else if (kind == 1) {
                for (Aabb& box : boxes) box = adversarial_box(random);
            } else {
                for (Aabb& box : boxes) {
                    if (random.chance(3)) continue;
                    const Vec3 way = random_vec3(random, -1, 1);
                    box = {box.min + way, box.max + way};
                }
            }
            const BoxSoa soa = soa_of(boxes);
            if (boxes.size() == tree.box_count() && random.chance(2)) {
                REQUIRE(tree.refit(soa, tasks) == Status::ok);
            } else {
                REQUIRE((random.chance(2) ? tree.update(soa, tasks) : tree.build(soa, tasks)) == Status::ok);
            }
            const TreeQuestions questions = make_questions(boxes, 20, static_cast<std::uint64_t>(step));
            INFO("step " << step << ", " << boxes.size() << " boxes");
            CHECK((answers_of(tree, questions) == oracle_of(boxes, questions)));
            Aabb bounds = Aabb::empty();
            std::size_t invalid_count = 0;
            for (const Aabb& box : boxes) {
                if (is_valid(box)) bounds = include(bounds, box);
                invalid_count += is_valid(box) ? 0 : 1;
            }
            CHECK(tree.bounds() == bounds);
            CHECK(tree.invalid_boxes().count == invalid_count);
            CHECK(tree.invalid_boxes().first_index == find_invalid_box(soa));
        }
    });
}

TEST_CASE("the tree is the same for every ISA and every number of workers" * kLong) {
    for (const PairScene& scene : pair_scenes()) {
        const std::vector<Aabb> boxes = make_scene(scene, 9000);
        const BoxSoa soa = soa_of(boxes);
        const TreeQuestions questions = make_questions(boxes, 20, 1);
        std::vector<IndexPair> expected;
        for_each_isa([&](Isa isa) {
            BoxTree tree;
            REQUIRE(tree.build(soa) == Status::ok);
            if (isa == Isa::scalar) expected = order_of(tree, questions);
            INFO(scene.name);
            CHECK((order_of(tree, questions) == expected));
        });
        for (const std::uint32_t workers : {1u, 2u, 8u}) {
            ShuffledRunner runner(workers, workers);
            BoxTree tree;
            REQUIRE(tree.build(soa, runner.runner()) == Status::ok);
            INFO(scene.name << ", " << workers << " workers");
            CHECK((order_of(tree, questions) == expected));
        }
    }
}

TEST_CASE("update refits while boxes stay near their neighbours, and rebuilds when they have left them") {
    std::vector<Aabb> boxes = make_scene(scene_named("uniform"), 4000);
    BoxTree tree;
    REQUIRE(tree.update(soa_of(boxes)) == Status::ok);
    CHECK(tree.growth() == 1.0f);
    std::vector<Vec3> ways;
    Random random(4);
    for (std::size_t i = 0; i < boxes.size(); ++i) ways.push_back(random_vec3(random, -0.2f, 0.2f));
    const auto move = [&] {
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            boxes[i] = {boxes[i].min + ways[i], boxes[i].max + ways[i]};
        }
    };
    move();
    REQUIRE(tree.update(soa_of(boxes)) == Status::ok);
    CHECK(tree.growth() > 1.0f);
    CHECK(tree.growth() < 1.2f);
    // Free motion: never worse than the limit, and rebuilt once in a while.
    int build_count = 0;
    float before = tree.growth();
    for (int frame = 0; frame < 60; ++frame) {
        move();
        REQUIRE(tree.update(soa_of(boxes)) == Status::ok);
        CHECK(tree.growth() <= BoxTree::kMaxGrowth);
        if (tree.growth() < before) ++build_count;
        before = tree.growth();
    }
    CHECK(build_count >= 3);
    CHECK(build_count <= 30);
    // One teleported box is no reason to build.
    boxes[7] = {{1e6f, 1e6f, 1e6f}, {2e6f, 2e6f, 2e6f}};
    REQUIRE(tree.build(soa_of(boxes)) == Status::ok);
    boxes[7] = {{0, 0, 0}, {1, 1, 1}};
    boxes[8] = {{-1e30f, 0, 0}, {-1e30f, 1, 1}};
    REQUIRE(tree.update(soa_of(boxes)) == Status::ok);
    CHECK(tree.growth() > 1.0f);
    CHECK(tree.growth() < 1.1f);
    const TreeQuestions questions = make_questions(boxes, 20, 1);
    CHECK((answers_of(tree, questions) == oracle_of(boxes, questions)));
}

TEST_CASE("degenerate and extreme input makes a tree of normal depth and memory") {
    const std::size_t count = 70000;
    std::size_t usual_bytes = 0;
    for (const std::string name : {"uniform", "all identical", "line", "infinite", "far outlier", "denormals",
                                   "invalid among others"}) {
        BoxTree tree;
        REQUIRE(tree.build(soa_of(make_scene(scene_named(name), count))) == Status::ok);
        if (usual_bytes == 0) usual_bytes = tree.capacity_bytes();
        INFO(name);
        CHECK(tree.capacity_bytes() == usual_bytes);
        CHECK(tree.capacity_bytes() <= 120 * count);
        const Ray ray = {{-1e3f, 1, 1}, {1, 0, 0}};
        TreeHit closest;
        CHECK(tree.closest_hits(std::span(&ray, 1), {}, std::span(&closest, 1)).status == Status::ok);
    }
}

TEST_CASE("known results: static worlds of a game, by a tree") {
    const std::filesystem::path& folder = data_folder();
    if (!std::filesystem::is_directory(folder)) {
        MESSAGE("skipped: there is no folder " << folder.string());
        return;
    }
    for (const std::string file : {"bounds01.txt", "bounds02.txt", "bounds03.txt"}) {
        const auto read = scene_io::read_bounds_text((folder / file).string());
        REQUIRE(read);
        const std::vector<Aabb>& boxes = read->boxes;
        const BoxSoa soa = soa_of(boxes);
        BoxTree tree;
        REQUIRE(tree.build(soa) == Status::ok);
        BoxScratch scratch;
        PairBuffer pairs;
        PairBuffer expected;
        REQUIRE(find_pairs(soa, expected).status == Status::ok);
        REQUIRE(tree.find_pairs({}, scratch, pairs).status == Status::ok);
        INFO(file);
        CHECK(pairs.size() == expected.size());
        CHECK(std::equal(pairs.begin(), pairs.end(), expected.begin(), expected.end()));
        const TreeQuestions questions = make_questions(boxes, 40, 2);
        CHECK((answers_of(tree, questions) == oracle_of(boxes, questions)));
    }
}

TEST_CASE("a tree's boxes may end at an unreadable page, and its outputs at an unwritable one") {
    for_each_isa([&](Isa) {
        for (const std::size_t count : awkward_counts()) {
            const std::vector<Aabb> boxes = make_scene(scene_named("lattice"), count);
            const GuardedBoxes guarded(boxes);
            BoxTree tree;
            REQUIRE(tree.build(guarded.view()) == Status::ok);
            REQUIRE(tree.refit(guarded.view()) == Status::ok);
            const TreeQuestions questions = make_questions(boxes, 33, 1);
            GuardedArray<TreeHit> closest(33);
            GuardedArray<std::uint64_t> bits(1);
            GuardedArray<ClosestBox> near(66);
            CHECK(tree.closest_hits(questions.rays, {}, closest.span()).status == Status::ok);
            CHECK(tree.closest_hits({questions.casts, Touch::closed}, {}, closest.span()).status ==
                  Status::ok);
            CHECK(tree.any_hit(questions.rays, {}, bits.span()).status == Status::ok);
            CHECK(tree.any_overlap(std::span<const Aabb>(questions.boxes), {}, bits.span()).status ==
                  Status::ok);
            CHECK(tree.closest_boxes(questions.points, {2}, {}, near.span()).status == Status::ok);
            CHECK(tree.closest_hits(questions.sphere_casts, {}, closest.span()).status == Status::ok);
            CHECK(tree.any_hit(questions.sphere_casts, {}, bits.span()).status == Status::ok);
            CHECK(tree.any_overlap(std::span<const Obb>(questions.obbs), {}, bits.span()).status ==
                  Status::ok);
            // Queries may end at an unreadable page, too, and those of a packet be anywhere.
            GuardedArray<Aabb> near_by(std::vector<Aabb>(33, Aabb{{0, 0, 0}, {2, 2, 2}}));
            const std::span<const Aabb> together = near_by.span();
            BoxScratch scratch;
            PairBuffer pairs;
            REQUIRE(tree.find_overlaps(together, {}, scratch, pairs).status == Status::ok);
            GuardedArray<IndexPair> pair_room(pairs.size());
            CHECK(tree.find_overlaps(together, {}, scratch, pair_room.span()).status == Status::ok);
            GuardedArray<SphereCast> casts(questions.sphere_casts);
            const std::span<const SphereCast> guarded_casts = casts.span();
            AlignedArray<Listed<TreeHit>> hits;
            REQUIRE(tree.find_hits(guarded_casts, {}, scratch, hits).status == Status::ok);
            REQUIRE(tree.find_hits(questions.rays, {}, scratch, hits).status == Status::ok);
            GuardedArray<Listed<TreeHit>> room(hits.size());
            CHECK(tree.find_hits(questions.rays, {}, scratch, room.span()).status == Status::ok);
            CHECK(std::equal(hits.begin(), hits.end(), room.span().begin()));
        }
    });
}

TEST_CASE(
    "a list that does not fit keeps its beginning and returns its whole length; a function gets all of it") {
    const std::vector<Aabb> boxes = make_scene(scene_named("giants"), 400);
    BoxTree tree;
    REQUIRE(tree.build(soa_of(boxes)) == Status::ok);
    const TreeQuestions questions = make_questions(boxes, 150, 1);
    BoxScratch scratch;
    PairBuffer pairs;
    AlignedArray<Listed<TreeHit>> hits;
    REQUIRE(tree.find_overlaps(questions.spheres, {}, scratch, pairs).status == Status::ok);
    REQUIRE(tree.find_hits(questions.rays, {}, scratch, hits).status == Status::ok);
    for (const std::size_t room : {std::size_t{0}, std::size_t{1}, pairs.size() / 2, pairs.size() - 1}) {
        std::vector<IndexPair> some(room);
        const WriteResult result =
            tree.find_overlaps(questions.spheres, {}, scratch, std::span<IndexPair>(some));
        CHECK(result.status == Status::capacity_exceeded);
        CHECK(result.written == room);
        CHECK(result.required == pairs.size());
        CHECK(std::equal(some.begin(), some.end(), pairs.begin()));
    }
    std::vector<Listed<TreeHit>> some(hits.size() / 3);
    const WriteResult result = tree.find_hits(questions.rays, {}, scratch, std::span<Listed<TreeHit>>(some));
    CHECK(result.status == Status::capacity_exceeded);
    CHECK(result.written == some.size());
    CHECK(result.required == hits.size());
    CHECK(std::equal(some.begin(), some.end(), hits.begin()));
    std::vector<Listed<TreeHit>> passed;
    const WriteResult whole = tree.find_hits(questions.rays, {}, scratch, sink_into(passed));
    CHECK(whole.status == Status::ok);
    CHECK(whole.written == hits.size());
    CHECK(whole.required == hits.size());
    CHECK(std::equal(hits.begin(), hits.end(), passed.begin(), passed.end()));
}

TEST_CASE("a warm tree and its scratch allocate nothing, and free all memory") {
    CountingAllocator counter;
    {
        BoxTree tree(counter.hook());
        BoxScratch scratch(counter.hook());
        PairBuffer pairs(counter.hook());
        AlignedArray<Listed<TreeHit>> hits(counter.hook());
        const std::vector<Aabb> boxes = make_scene(scene_named("uniform"), 3000);
        const BoxSoa soa = soa_of(boxes);
        const TreeQuestions questions = make_questions(boxes, 200, 1);
        ShuffledRunner runner(3, 4);
        const auto ask = [&](const TaskRunner* tasks) {
            TreeQuerySettings settings;
            settings.runner = tasks;
            REQUIRE(tree.build(soa, tasks) == Status::ok);
            REQUIRE(tree.refit(soa, tasks) == Status::ok);
            REQUIRE(tree.find_overlaps(questions.boxes, settings, scratch, pairs).status == Status::ok);
            REQUIRE(tree.find_overlaps(questions.spheres, settings, scratch, pairs).status == Status::ok);
            REQUIRE(tree.find_overlaps(questions.obbs, settings, scratch, pairs).status == Status::ok);
            REQUIRE(tree.find_hits(questions.sphere_casts, settings, scratch, hits).status == Status::ok);
            REQUIRE(tree.find_hits(questions.rays, settings, scratch, hits).status == Status::ok);
            FindPairsSettings pair_settings;
            pair_settings.runner = tasks;
            REQUIRE(tree.find_pairs(pair_settings, scratch, pairs).status == Status::ok);
        };
        ask(nullptr);
        ask(runner.runner());
        const std::size_t before = counter.allocation_count;
        ask(nullptr);
        ask(runner.runner());
        CHECK(counter.allocation_count == before);
        CHECK(tree.capacity_bytes() + scratch.capacity_bytes() <= counter.live_bytes);
        scratch.release();
        CHECK(scratch.capacity_bytes() == 0);
    }
    CHECK(counter.live_bytes == 0);
}

TEST_CASE("a tree without memory reports it and stays unchanged") {
    const std::vector<Aabb> boxes = make_scene(scene_named("uniform"), 600);
    const std::vector<Aabb> more = make_scene(scene_named("uniform"), 6000);
    const BoxSoa soa = soa_of(boxes);
    const BoxSoa more_soa = soa_of(more);
    const TreeQuestions questions = make_questions(boxes, 30, 1);
    for (std::size_t allowed = 0; allowed < 12; ++allowed) {
        CountingAllocator counter;
        BoxTree tree(counter.hook());
        REQUIRE(tree.build(soa) == Status::ok);
        const std::size_t used = counter.allocation_count;
        counter.fail_after = used + allowed;
        const Status status = tree.build(more_soa);
        INFO(allowed << " allocations");
        if (status == Status::ok) {
            CHECK(allowed == 7);
            break;
        }
        CHECK(status == Status::out_of_memory);
        CHECK(tree.box_count() == 600);
        CHECK((answers_of(tree, questions) == oracle_of(boxes, questions)));
        CountingAllocator none;
        none.fail_after = allowed;
        BoxScratch scratch(none.hook());
        AlignedArray<Listed<TreeHit>> hits;
        PairBuffer pairs;
        if (allowed < 2) {
            CHECK(tree.find_hits(questions.rays, {}, scratch, hits).status == Status::out_of_memory);
            CHECK(tree.find_pairs({}, scratch, pairs).status == Status::out_of_memory);
        }
    }
}

TEST_CASE("an update without memory for a new tree takes the boxes into the old one") {
    Random random(1423);
    std::vector<Aabb> boxes;
    for (int i = 0; i < 100; ++i) boxes.push_back(random_box(random, 10, 1));
    FaultyAllocator memory;
    BoxTree tree(memory.hook());
    // Never built as a whole.
    for (std::uint32_t i = 0; i < boxes.size(); ++i) REQUIRE(tree.set_box(i, boxes[i]) == Status::ok);
    const std::size_t refused_before = memory.refused_count;
    memory.fail_first = memory.request_count;
    memory.fail_count = 1000;
    for (int frame = 0; frame < 10; ++frame) {
        for (Aabb& box : boxes) box = random_box(random, 10, 1);
        REQUIRE(tree.update(soa_of(boxes)) == Status::ok);
        for (std::uint32_t i = 0; i < boxes.size(); ++i) REQUIRE(tree.box(i) == boxes[i]);
    }
    CHECK(tree.growth() > BoxTree::kMaxGrowth);
    CHECK(memory.refused_count != refused_before);
}

TEST_CASE("arguments against a tree's documentation are refused before anything is written") {
    const std::vector<Aabb> boxes = make_scene(scene_named("uniform"), 50);
    BoxTree tree;
    const BoxSoa soa = soa_of(boxes);
    REQUIRE(tree.build(soa) == Status::ok);
    BoxSoaView unreadable;
    unreadable.count = 3;
    CHECK(tree.build(unreadable) == Status::invalid_argument);
    CHECK(tree.refit(soa.view().part(0, 49)) == Status::invalid_argument);
    const TaskRunner no_function = {nullptr, nullptr, 1};
    CHECK(tree.build(soa, &no_function) == Status::invalid_argument);
    CHECK(tree.box_count() == 50);

    const TreeQuestions questions = make_questions(boxes, 5, 1);
    BoxScratch scratch;
    PairBuffer pairs;
    AlignedArray<Listed<TreeHit>> hits;
    std::vector<TreeHit> closest(5);
    std::vector<std::uint64_t> bits(1, 42);
    TreeQuerySettings bad_categories;
    bad_categories.categories = std::span(questions.categories).first(49);
    TreeQuerySettings bad_masks;
    bad_masks.masks = std::span(questions.masks).first(4);
    TreeQuerySettings bad_runner;
    bad_runner.runner = &no_function;
    for (const TreeQuerySettings& settings : {bad_categories, bad_masks, bad_runner}) {
        CHECK(tree.find_overlaps(questions.boxes, settings, scratch, pairs).status ==
              Status::invalid_argument);
        CHECK(tree.find_hits(questions.rays, settings, scratch, hits).status == Status::invalid_argument);
        CHECK(tree.closest_hits(questions.rays, settings, closest).status == Status::invalid_argument);
        CHECK(tree.any_hit(questions.rays, settings, bits).status == Status::invalid_argument);
    }
    CHECK(tree.closest_hits(questions.rays, {}, std::span(closest).first(4)).status ==
          Status::capacity_exceeded);
    CHECK(tree.any_hit(questions.rays, {}, {}).status == Status::capacity_exceeded);
    std::vector<ClosestBox> near(9);
    CHECK(tree.closest_boxes(questions.points, {2}, {}, near).status == Status::capacity_exceeded);
    const PairSink no_sink;
    CHECK(tree.find_overlaps(questions.boxes, {}, scratch, no_sink).status == Status::invalid_argument);
    CHECK(bits[0] == 42);
    CHECK(closest == std::vector<TreeHit>(5));
}

TEST_CASE("a tree without boxes allocates nothing, and one with boxes nothing but by its allocator") {
    CountingAllocator counting;
    {
        BoxTree tree(counting.hook());
        CHECK(tree.build(BoxSoaView{}) == Status::ok);
        CHECK(tree.build_subset(BoxSoaView{}, {}) == Status::ok);
        CHECK(tree.refit(BoxSoaView{}) == Status::ok);
        CHECK(tree.update(BoxSoaView{}) == Status::ok);
        CHECK(tree.remove_box(0) == Status::invalid_argument);
        CHECK(tree.closest_hit(Ray{{0, 0, 0}, {1, 0, 0}}) == TreeHit{});
        CHECK(tree.growth() == 1.0f);
        CHECK(tree.bounds() == Aabb::empty());
        CHECK(tree.invalid_boxes().count == 0);
        tree.clear();
        BoxTree other(std::move(tree));
        tree = std::move(other);
        CHECK(counting.allocation_count == 0);
        CHECK(tree.capacity_bytes() == 0);
        CHECK(tree.set_box(3, {{0, 0, 0}, {1, 1, 1}}) == Status::ok);
        CHECK(tree.box_count() == 4);
        CHECK(counting.live_bytes == tree.capacity_bytes());
    }
    CHECK(counting.live_bytes == 0);
}

TEST_CASE("an empty tree can be queried, and can be emptied and filled again") {
    BoxTree tree;
    const std::vector<Aabb> boxes = make_scene(scene_named("uniform"), 50);
    const TreeQuestions questions = make_questions(boxes, 10, 1);
    TreeQuestions unfiltered = questions;
    CHECK((answers_of(tree, unfiltered) == oracle_of({}, unfiltered)));
    CHECK(tree.bounds() == Aabb::empty());
    REQUIRE(tree.build(soa_of(boxes)) == Status::ok);
    CHECK((answers_of(tree, questions) == oracle_of(boxes, questions)));
    CHECK(tree.box(7) == boxes[7]);
    CHECK(tree.box(50) == Aabb::empty());
    tree.clear();
    CHECK(tree.box_count() == 0);
    CHECK(tree.box(7) == Aabb::empty());
    CHECK((answers_of(tree, questions) == oracle_of({}, questions)));
    REQUIRE(tree.update(soa_of(boxes)) == Status::ok);
    CHECK(tree.box(7) == boxes[7]);
    REQUIRE(tree.build_subset(soa_of(boxes), std::vector<std::uint64_t>(1)) == Status::ok);
    CHECK(tree.box_count() == 50);
    CHECK(tree.box(7) == Aabb::empty());
}

TEST_CASE("a tree of a subset finds the boxes of the subset, by their indices in the whole") {
    for_each_isa([&](Isa) {
        Random random(12);
        for (const std::size_t count : {1u, 63u, 64u, 65u, 700u}) {
            std::vector<Aabb> boxes = make_scene(scene_named("invalid among others"), count);
            // Bits past the last box are ignored.
            std::vector<std::uint64_t> bits((count + 63) / 64);
            for (std::uint64_t& word : bits) word = random.next();
            BoxTree tree;
            for (int step = 0; step < 3; ++step) {
                INFO(count << " boxes, step " << step);
                std::vector<Aabb> part(boxes.size(), Aabb::empty());
                std::size_t member_count = 0;
                std::size_t invalid_count = 0;
                for (std::size_t i = 0; i < count; ++i) {
                    if ((bits[i / 64] >> i % 64 & 1) == 0) continue;
                    part[i] = boxes[i];
                    ++member_count;
                    invalid_count += is_valid(boxes[i]) ? 0u : 1u;
                }
                const BoxSoa soa = soa_of(boxes);
                // First built, then refitted, then built again by update.
                REQUIRE((step == 0 ? tree.build_subset(soa, bits) : tree.update(soa)) == Status::ok);
                CHECK(tree.box_count() == count);
                CHECK(tree.member_count() == member_count);
                CHECK(tree.invalid_boxes().count == invalid_count);
                const TreeQuestions questions = make_questions(boxes, 30, 1);
                CHECK((answers_of(tree, questions) == oracle_of(part, questions)));
                const float reach = step == 0 ? 0.01f : 100.0f;
                for (Aabb& box : boxes) {
                    const Vec3 way = random_vec3(random, -reach, reach);
                    box = {box.min + way, box.max + way};
                }
            }
            CHECK(tree.build_subset(soa_of(boxes), std::span(bits).first(bits.size() - 1)) ==
                  Status::invalid_argument);
            const std::vector<std::uint64_t> none(bits.size());
            REQUIRE(tree.build_subset(soa_of(boxes), none) == Status::ok);
            CHECK(tree.member_count() == 0);
            CHECK(tree.closest_hit(Ray{{0, 0, 0}, {1, 1, 1}}) == TreeHit{});
        }
    });
}
