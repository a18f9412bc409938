// BoxTree: every query in every form against loops over all boxes.
#include "tests/broadphase/pair_oracle.hpp"
#include "tests/broadphase/tree/box_tree_oracle.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/test_scale.hpp"

using namespace broadside;
using namespace broadside::test;

namespace {

constexpr std::size_t kQuestionCount = 70;

}  // namespace

TEST_CASE("a tree returns for every query what a loop over all boxes does, on every ISA" * kLong) {
    for (const PairScene& scene : pair_scenes()) {
        for (const std::size_t count : {0u, 1u, 2u, 15u, 16u, 17u, 100u, 257u, 700u}) {
            const std::vector<Aabb> boxes = make_scene(scene, count);
            const BoxSoa soa = soa_of(boxes);
            const TreeQuestions questions = make_questions(boxes, kQuestionCount, count + 1);
            const TreeAnswers expected = oracle_answers(boxes, questions, Inside::zero, Touch::closed);
            for_each_isa([&](Isa) {
                INFO("scene " << scene.name << ", " << count << " boxes");
                BoxTree tree;
                REQUIRE(tree.build(soa) == Status::ok);
                const TreeAnswers answers = TreeAsker(tree, questions, {}).ask(Inside::zero, Touch::closed);
                CHECK((answers.pairs == expected.pairs));
                CHECK((answers.words == expected.words));
            });
        }
    }
}

TEST_CASE(
    "ray and cast policies, and each part of a filter, change a tree's results as they change the single "
    "functions'" *
    kLong) {
    constexpr std::pair<Inside, Touch> kPolicies[] = {
        {Inside::miss, Touch::open}, {Inside::negative_t, Touch::open}, {Inside::zero, Touch::closed}};
    // Every combination of rules with each policy in one scene of nine; in one of three if tests run three
    // times as long.
    const unsigned stride = test_scale() >= 3 ? 3 : 9;
    unsigned first_choice = 0;
    for (const PairScene& scene : pair_scenes()) {
        const std::vector<Aabb> boxes = make_scene(scene, 333);
        const BoxSoa soa = soa_of(boxes);
        const TreeQuestions questions = make_questions(boxes, kQuestionCount, 5);
        for (unsigned choice = first_choice++ % stride; choice < 3 * kTreeRulesCount; choice += stride) {
            const TreeRules rules = tree_rules(choice % kTreeRulesCount);
            const auto [inside, touch] = kPolicies[choice / kTreeRulesCount];
            const TreeAnswers expected = oracle_answers(boxes, questions, inside, touch, rules);
            const TreeQuerySettings settings = settings_of(questions, rules);
            for_each_isa([&](Isa) {
                INFO("scene " << scene.name << ", choice " << choice);
                BoxTree tree;
                REQUIRE(tree.build(soa) == Status::ok);
                const TreeAnswers answers = TreeAsker(tree, questions, settings).ask(inside, touch);
                CHECK((answers.pairs == expected.pairs));
                CHECK((answers.words == expected.words));
            });
        }
    }
}

TEST_CASE("a tree's results do not depend on the runner, the number of workers, or the size of the batch" *
          kLong) {
    const std::vector<Aabb> boxes = make_scene(pair_scenes()[10], 5000);
    const BoxSoa soa = soa_of(boxes);
    const TreeQuestions questions = make_questions(boxes, 500, 3);
    BoxTree tree;
    REQUIRE(tree.build(soa) == Status::ok);
    const TreeAnswers expected = TreeAsker(tree, questions, {}).ask(Inside::zero, Touch::closed);
    for (const std::uint32_t workers : {1u, 2u, 3u, 8u}) {
        ShuffledRunner runner(workers, workers);
        BoxTree tasked;
        REQUIRE(tasked.build(soa, runner.runner()) == Status::ok);
        TreeQuerySettings settings;
        settings.runner = runner.runner();
        const TreeAnswers answers = TreeAsker(tasked, questions, settings).ask(Inside::zero, Touch::closed);
        CHECK((answers == expected));
        CHECK(runner.task_count() > 50);
    }
    std::vector<TreeHit> closest(questions.rays.size());
    std::vector<TreeHit> first(questions.casts.size());
    std::vector<ClosestBox> nearest(questions.points.size());
    std::vector<std::uint64_t> overlapped(questions.spheres.size() / 64 + 1);
    REQUIRE(tree.closest_hits(questions.rays, {}, closest).status == Status::ok);
    REQUIRE(tree.closest_hits({questions.casts, Touch::closed}, {}, first).status == Status::ok);
    REQUIRE(tree.closest_boxes(questions.points, {}, {}, nearest).status == Status::ok);
    REQUIRE(tree.any_overlap(questions.spheres, {}, overlapped).status == Status::ok);
    for (std::size_t i = 0; i < closest.size(); ++i) {
        INFO("question " << i);
        CHECK(tree.closest_hit(questions.rays[i]) == closest[i]);
        CHECK(tree.closest_hit(questions.casts[i]) == first[i]);
        CHECK(tree.closest_box(questions.points[i]) == nearest[i]);
        CHECK(tree.any_overlap(questions.spheres[i]) == ((overlapped[i / 64] >> (i % 64) & 1) != 0));
    }
}

TEST_CASE("coherent rays and casts that walk the tree together find what each finds alone" * kLong) {
    for (const PairScene& scene : pair_scenes()) {
        const std::vector<Aabb> boxes = make_scene(scene, 900);
        const BoxSoa soa = soa_of(boxes);
        Random random(8);
        std::vector<Ray> rays;
        std::vector<BoxCast> casts;
        for (int i = 0; i < 333; ++i) {
            const float across = static_cast<float>(i % 16) * 0.02f;
            const float down = static_cast<float>(i / 16) * 0.02f;
            const Vec3 way = {1.0f, across - 0.1f, 0.2f - down};
            // Some are isolated, invalid, or without direction.
            Ray ray = {{-1.0f, 2.0f, 3.0f}, way};
            if (i % 50 == 7) ray.direction = {};
            if (i % 60 == 9) ray.origin.x = kNaN;
            if (i % 7 == 3) ray.t_max = random.uniform(0, 9);
            rays.push_back(ray);
            const Vec3 place = {across, down, 1.0f};
            casts.push_back({{place, place + Vec3{1, 1, 1}}, way * 20.0f});
        }
        TreeAnswers expected;
        TreeQuestions questions;
        add_hits(
            boxes, rays, questions, {},
            [](const Ray& ray, const Aabb& box) { return hit_of(ray, box, Inside::zero); }, expected);
        add_hits(
            boxes, casts, questions, {},
            [](const BoxCast& cast, const Aabb& box) { return hit_of(cast, box, Touch::closed); }, expected);
        questions.rays = rays;
        questions.casts = casts;
        for_each_isa([&](Isa) {
            INFO(scene.name);
            BoxTree tree;
            REQUIRE(tree.build(soa) == Status::ok);
            const TreeAnswers answers = TreeAsker(tree, questions, {}).ask(Inside::zero, Touch::closed);
            CHECK((answers.words == expected.words));
        });
    }
}

TEST_CASE("close boxes and points that leave the tree together find what each finds alone" * kLong) {
    for (const PairScene& scene : pair_scenes()) {
        const std::vector<Aabb> boxes = make_scene(scene, 900);
        const BoxSoa soa = soa_of(boxes);
        Random random(9);
        TreeQuestions questions = make_questions(boxes, 0, 1);
        const Aabb middle = boxes[450];
        for (int i = 0; i < 205; ++i) {
            const Vec3 at = middle.min + Vec3{static_cast<float>(i) * 0.05f, 0.5f, random.unit()};
            questions.boxes.push_back({at, at + Vec3{1, 2, random.unit()}});
            questions.points.push_back(at);
            // Some packets have an invalid member.
            if (i % 70 == 3) questions.boxes.back().min.y = kNaN;
            if (i % 70 == 23) questions.boxes.back() = {{1, 1, 1}, {0, 2, 2}};
            if (i % 70 == 43) questions.points.back().z = kInfinity;
            questions.masks.push_back(std::uint64_t{1} << random.below(3));
        }
        questions.boxes[150].max.x = kInfinity;
        for (unsigned choice = 0; choice < kTreeRulesCount; ++choice) {
            const TreeRules rules = tree_rules(choice);
            TreeAnswers expected;
            add_overlaps(
                boxes, questions.boxes, questions, rules,
                [](const Aabb& query, const Aabb& box) { return overlap(query, box); }, expected);
            TreeAnswers expected_points;
            add_overlaps(
                boxes, questions.points, questions, rules,
                [](Vec3 query, const Aabb& box) {
                    return is_valid(box) && is_finite(query) && contains(box, query);
                },
                expected_points);
            const TreeQuerySettings settings = settings_of(questions, rules);
            for_each_isa([&](Isa) {
                INFO(scene.name << ", choice " << choice);
                BoxTree tree;
                REQUIRE(tree.build(soa) == Status::ok);
                BoxScratch scratch;
                PairBuffer pairs;
                REQUIRE(tree.find_overlaps(questions.boxes, settings, scratch, pairs).status == Status::ok);
                CHECK((std::vector<IndexPair>(pairs.begin(), pairs.end()) == expected.pairs));
                REQUIRE(tree.find_overlaps(questions.points, settings, scratch, pairs).status == Status::ok);
                CHECK((std::vector<IndexPair>(pairs.begin(), pairs.end()) == expected_points.pairs));
                // A single box has no packet; the order of the tree is the same with and without. A callback
                // gets the number of the query, which is then another.
                if (rules.has_callback) return;
                TreeQuerySettings by_tree = settings;
                by_tree.order = PairOrder::by_algorithm;
                REQUIRE(tree.find_overlaps(questions.boxes, by_tree, scratch, pairs).status == Status::ok);
                const std::vector<IndexPair> together(pairs.begin(), pairs.end());
                std::vector<IndexPair> alone;
                for (std::uint32_t i = 0; i < questions.boxes.size(); ++i) {
                    if (rules.has_masks) by_tree.masks = std::span(questions.masks).subspan(i, 1);
                    const std::span<const Aabb> one = {&questions.boxes[i], 1};
                    REQUIRE(tree.find_overlaps(one, by_tree, scratch, pairs).status == Status::ok);
                    for (const IndexPair& pair : pairs) alone.push_back({i, pair.second});
                }
                CHECK((together == alone));
            });
        }
    }
}

TEST_CASE("conservative rays find the same boxes in a tree as box by box") {
    const RaySettings conservative = {.inside = Inside::zero, .is_conservative = true};
    const std::vector<Aabb> boxes = make_scene(pair_scenes()[1], 600);
    const BoxSoa soa = soa_of(boxes);
    const TreeQuestions questions = make_questions(boxes, 300, 12);
    std::vector<Listed<TreeHit>> expected;
    for (std::uint32_t i = 0; i < questions.rays.size(); ++i) {
        for (std::uint32_t box = 0; box < boxes.size(); ++box) {
            const RaySolidHit hit = ray_box(questions.rays[i], boxes[box], conservative);
            if (hit.has_hit) expected.push_back({i, {box, hit.t_enter, hit.face}});
        }
    }
    for_each_isa([&](Isa) {
        BoxTree tree;
        REQUIRE(tree.build(soa) == Status::ok);
        BoxScratch scratch;
        AlignedArray<Listed<TreeHit>> hits;
        REQUIRE(tree.find_hits({questions.rays, conservative}, {}, scratch, hits).status == Status::ok);
        CHECK((std::vector<Listed<TreeHit>>(hits.begin(), hits.end()) == expected));
    });
}

TEST_CASE("rays of any numbers, in batches of any size, hit the boxes that each hits alone") {
    Random random(77);
    const auto component = [&](float reach) {
        return random.below(8) == 0 ? special_float(random) : random.uniform(-reach, reach);
    };
    std::vector<Ray> rays;
    for (std::size_t i = 0; i < 400; ++i) {
        const float t_max = random.below(4) == 0 ? special_float(random) : random.uniform(-1, 40);
        rays.push_back({{component(20), component(20), component(20)},
                        {component(1), component(1), component(1)},
                        t_max});
    }
    for (const bool is_conservative : {false, true}) {
        const RaySettings settings = {.inside = Inside::zero, .is_conservative = is_conservative};
        // Roots with one leaf, with some children, and with all.
        for (const std::size_t box_count : {1u, 16u, 17u, 40u, 208u, 2000u}) {
            INFO(box_count << " boxes, conservative " << is_conservative);
            std::vector<Aabb> boxes;
            for (std::size_t i = 0; i < box_count; ++i) {
                boxes.push_back(i % 16 == 5 ? adversarial_box(random) : random_box(random, 20, 4));
            }
            std::vector<TreeHit> expected(rays.size());
            for (std::size_t i = 0; i < rays.size(); ++i) {
                for (std::uint32_t box = 0; box < box_count; ++box) {
                    const RaySolidHit hit = ray_box(rays[i], boxes[box], settings);
                    const bool is_first = expected[i].target == kNoBox || hit.t_enter < expected[i].t;
                    if (hit.has_hit && is_first) expected[i] = {box, hit.t_enter, hit.face};
                }
            }
            for_each_isa([&](Isa) {
                BoxTree tree;
                REQUIRE(tree.build(soa_of(boxes)) == Status::ok);
                std::size_t begin = 0;
                for (std::size_t size = 1; begin + size <= rays.size(); begin += size++) {
                    const std::span<const Ray> batch(rays.data() + begin, size);
                    std::vector<TreeHit> closest(size);
                    std::vector<std::uint64_t> bits(bit_word_count(size));
                    REQUIRE(tree.closest_hits({batch, settings}, {}, closest).status == Status::ok);
                    REQUIRE(tree.any_hit({batch, settings}, {}, bits).status == Status::ok);
                    for (std::size_t i = 0; i < size; ++i) {
                        const TreeHit& wanted = expected[begin + i];
                        CHECK(closest[i] == wanted);
                        CHECK((bits[i / 64] >> i % 64 & 1) == (wanted.target != kNoBox ? 1u : 0u));
                        CHECK(tree.closest_hit({batch[i], settings}, {}) == wanted);
                    }
                }
            });
        }
    }
}

TEST_CASE("lists of any length are in ascending order and name each box once") {
    for_each_isa([](Isa) {
        for (const std::size_t count : {1u, 16u, 17u, 127u, 128u, 129u, 383u, 384u, 385u, 700u}) {
            INFO(count << " boxes");
            Random random(count);
            std::vector<Aabb> boxes;
            for (std::size_t i = 0; i < count; ++i) boxes.push_back(random_box(random, 5, 2));
            BoxTree tree;
            REQUIRE(tree.build(soa_of(boxes)) == Status::ok);
            BoxScratch scratch;
            PairBuffer pairs;
            const Aabb all[] = {{{-9, -9, -9}, {9, 9, 9}}};
            REQUIRE(tree.find_overlaps(all, {}, scratch, pairs).written == count);
            for (std::uint32_t i = 0; i < count; ++i) REQUIRE(pairs[i] == IndexPair{0, i});
        }
    });
}

TEST_CASE("by_algorithm gives the same boxes in an order that is the same on every ISA") {
    const std::vector<Aabb> boxes = make_scene(pair_scenes()[0], 3000);
    const BoxSoa soa = soa_of(boxes);
    const TreeQuestions questions = make_questions(boxes, 200, 3);
    TreeQuerySettings settings;
    settings.order = PairOrder::by_algorithm;
    std::vector<IndexPair> first;
    for_each_isa([&](Isa isa) {
        BoxTree tree;
        REQUIRE(tree.build(soa) == Status::ok);
        BoxScratch scratch;
        PairBuffer pairs;
        REQUIRE(tree.find_overlaps(questions.boxes, settings, scratch, pairs).status == Status::ok);
        std::vector<IndexPair> found(pairs.begin(), pairs.end());
        if (isa == Isa::scalar) first = found;
        CHECK((found == first));
        REQUIRE(tree.find_overlaps(questions.boxes, {}, scratch, pairs).status == Status::ok);
        CHECK((sorted(found) == std::vector<IndexPair>(pairs.begin(), pairs.end())));
    });
}

TEST_CASE("pairs of one tree, and between two, are those of brute force on every ISA") {
    for (const PairScene& scene : pair_scenes()) {
        for (const std::size_t count : {0u, 1u, 17u, 300u}) {
            const std::vector<Aabb> a = make_scene(scene, count);
            const std::vector<Aabb> b = make_scene(scene, 150, 2);
            const BoxSoa soa_a = soa_of(a);
            const BoxSoa soa_b = soa_of(b);
            for_each_isa([&](Isa) {
                INFO("scene " << scene.name << ", " << count << " boxes");
                BoxTree tree_a;
                BoxTree tree_b;
                REQUIRE(tree_a.build(soa_a) == Status::ok);
                REQUIRE(tree_b.build(soa_b) == Status::ok);
                BoxScratch scratch;
                PairBuffer pairs;
                ShuffledRunner runner(1, 4);
                for (const TaskRunner* tasks : {static_cast<const TaskRunner*>(nullptr), runner.runner()}) {
                    FindPairsSettings settings;
                    settings.runner = tasks;
                    REQUIRE(tree_a.find_pairs(settings, scratch, pairs).status == Status::ok);
                    CHECK((std::vector<IndexPair>(pairs.begin(), pairs.end()) == oracle_pairs(a)));
                    REQUIRE(tree_a.find_pairs(tree_b, settings, scratch, pairs).status == Status::ok);
                    CHECK((std::vector<IndexPair>(pairs.begin(), pairs.end()) == oracle_pairs(a, b)));
                    CHECK(tree_a.any_pair() == !oracle_pairs(a).empty());
                    CHECK(tree_a.any_pair(tree_b) == !oracle_pairs(a, b).empty());
                }
            });
        }
    }
}

TEST_CASE("a tree's rays and casts match the single functions if times underflow" * kLong) {
    Random random(12);
    // Zeros, a few of the smallest floats, and sometimes something larger; and so fast that the times are
    // zero.
    const auto tiny = [&] {
        const float steps = random.grid(-4, 4);
        return random.chance(6) ? steps : steps * (random.chance(4) ? FLT_MIN : FLT_TRUE_MIN);
    };
    const auto tiny_vec3 = [&] { return Vec3{tiny(), tiny(), tiny()}; };
    const auto tiny_box = [&] {
        const Vec3 a = tiny_vec3();
        const Vec3 b = tiny_vec3();
        return Aabb{min_keep(a, b), max_keep(a, b)};
    };
    const auto speed = [&] {
        const float size = std::ldexp(1.0f + random.unit(), static_cast<int>(random.below(120)));
        return random.chance(5) ? 0.0f : random.chance(2) ? size : -size;
    };
    for (const std::size_t count : {1u, 20u, 700u}) {
        std::vector<Aabb> boxes(count);
        for (Aabb& box : boxes) box = tiny_box();
        TreeQuestions questions;
        Vec3 way;
        for (std::size_t i = 0; i < 600; ++i) {
            // At first each goes its own way, then sixteen the same.
            if (i < 300 || i % 16 == 0) way = {speed(), speed(), speed()};
            questions.rays.push_back({tiny_vec3(), way, random.chance(4) ? random.unit() : FLT_MAX});
            questions.casts.push_back({tiny_box(), way});
        }
        const BoxSoa soa = soa_of(boxes);
        for (const auto& [inside, touch] :
             {std::pair{Inside::zero, Touch::closed}, std::pair{Inside::miss, Touch::open},
              std::pair{Inside::negative_t, Touch::open}}) {
            const TreeAnswers expected = oracle_answers(boxes, questions, inside, touch, {});
            for_each_isa([&](Isa) {
                BoxTree tree;
                REQUIRE(tree.build(soa) == Status::ok);
                const TreeAnswers answers = TreeAsker(tree, questions, {}).ask(inside, touch);
                CHECK((answers.words == expected.words));
            });
        }
    }
}
