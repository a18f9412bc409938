// The stage against brute force over the single functions, on every ISA and worker count.
#include "tests/stage/stage_scene.hpp"
#include "tests/support/counting_allocator.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/thread_runner.hpp"

#include <broadside/ray_box.hpp>
#include <broadside/sphere_overlap.hpp>

using namespace broadside;
using namespace broadside::test;

namespace {

std::vector<StageImpact> impacts_by_brute_force(const StageScene& scene) {
    std::vector<StageImpact> impacts;
    for (std::uint32_t i = 0; i < scene.bodies.size(); ++i) {
        for (std::uint32_t j = i + 1; j < scene.bodies.size(); ++j) {
            if (!is_finite(scene.displacements[i]) || !is_finite(scene.displacements[j])) continue;
            const Impact impact = first_impact(scene.bodies[i], scene.bodies[j],
                                               scene.displacements[j] - scene.displacements[i]);
            if (impact.toi <= 1.0f) impacts.push_back({{i, j}, impact.toi, impact.face});
        }
    }
    std::stable_sort(impacts.begin(), impacts.end(),
                     [](const StageImpact& a, const StageImpact& b) { return a.t < b.t; });
    return impacts;
}

std::vector<Listed<TreeHit>> ray_hits_by_brute_force(const StageScene& scene, bool reports_all) {
    std::vector<Listed<TreeHit>> hits;
    for (std::uint32_t r = 0; r < scene.rays.size(); ++r) {
        const std::size_t start = hits.size();
        for (std::uint32_t b = 0; b < scene.bodies.size(); ++b) {
            const RaySolidHit hit = ray_box(scene.rays[r], scene.bodies[b]);
            if (!hit.has_hit) continue;
            if (!reports_all && hits.size() > start) {
                if (hit.t_enter < hits.back().found.t) hits.back() = {r, {b, hit.t_enter, hit.face}};
            } else {
                hits.push_back({r, {b, hit.t_enter, hit.face}});
            }
        }
    }
    return hits;
}

std::vector<StageTriangleImpact> contacts_by_brute_force(const StageScene& scene) {
    std::vector<StageTriangleImpact> contacts;
    for (std::uint32_t o = 0; o < scene.obbs.size(); ++o) {
        for (std::uint32_t t = 0; t < scene.triangles.size(); ++t) {
            const TriangleImpact impact =
                first_impact(scene.obbs[o], scene.obb_displacements[o], scene.triangles[t], {});
            if (impact.toi <= 1.0f) contacts.push_back({o, t, impact.toi, impact.axis});
        }
    }
    return contacts;
}

bool same(const StageImpact& a, const StageImpact& b) {
    return a.target == b.target && same_bits(a.t, b.t) && a.face == b.face;
}
bool same(const Listed<TreeHit>& a, const Listed<TreeHit>& b) {
    return a.query == b.query && a.found.target == b.found.target && same_bits(a.found.t, b.found.t) &&
           a.found.face == b.found.face;
}
bool same(const StageTriangleImpact& a, const StageTriangleImpact& b) {
    return a.obb == b.obb && a.triangle == b.triangle && same_bits(a.toi, b.toi) && a.axis == b.axis;
}

template <class T>
void require_same_list(std::span<const T> actual, const std::vector<T>& expected) {
    REQUIRE(actual.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        INFO("item " << i);
        REQUIRE(same(actual[i], expected[i]));
    }
}

}  // namespace

TEST_CASE("the stage finds what brute force finds, in the documented order, on every ISA") {
    for_each_isa([](Isa) {
        for (const bool on_grid : {false, true}) {
            for (const bool with_bad : {false, true}) {
                for (const std::size_t count : {0u, 1u, 2u, 5u, 40u, 300u}) {
                    StageScene scene = make_stage_scene(7 + count, count, on_grid, with_bad);
                    INFO("count " << count << ", grid " << on_grid << ", bad " << with_bad);
                    CollisionStage stage;
                    StageSettings settings;
                    REQUIRE(stage.step(scene.input(), settings).status == Status::ok);
                    const std::vector<StageImpact> impacts = impacts_by_brute_force(scene);
                    if (count == 300) CHECK(impacts.size() > 50);
                    require_same_list(stage.impacts(), impacts);
                    require_same_list(stage.ray_hits(), ray_hits_by_brute_force(scene, false));
                    const std::vector<StageTriangleImpact> contacts = contacts_by_brute_force(scene);
                    if (count == 300) CHECK(contacts.size() > 20);
                    require_same_list(stage.triangle_impacts(), contacts);
                    settings.report_all_ray_hits = true;
                    REQUIRE(stage.step(scene.input(), settings).status == Status::ok);
                    require_same_list(stage.ray_hits(), ray_hits_by_brute_force(scene, true));
                }
            }
        }
    });
}

TEST_CASE("impacts match brute force for bodies with few pairs and with many") {
    for_each_isa([](Isa) {
        // One stage for all, so that rows of one step must not show in another.
        CollisionStage stage;
        for (const float reach : {20.0f, 2.0f, 8.0f, 3.0f}) {
            Random random(static_cast<std::uint64_t>(reach));
            StageScene scene;
            for (std::size_t i = 0; i < 150; ++i) {
                const Vec3 corner = random_vector(random, reach);
                scene.bodies.push_back({corner, corner + Vec3{1, 1, 1}});
                scene.displacements.push_back(random_vector(random, 1));
            }
            for (const Touch touch : {Touch::closed, Touch::open}) {
                StageSettings settings;
                settings.touch = touch;
                REQUIRE(stage.step(scene.input(), settings).status == Status::ok);
                CHECK((stage.candidate_pairs().size() >= 150) == (reach < 5));
                // No two of these boxes touch without common volume, so both policies give the same.
                require_same_list(stage.impacts(), impacts_by_brute_force(scene));
            }
        }
    });
}

TEST_CASE("the stage returns one hash on every ISA, for 1 to 8 workers" * kLong) {
    StageScene scene = make_stage_scene(3, 3000, false, true);
    const StageInput input = scene.input();
    std::uint64_t expected = 0;
    {
        const ScopedIsa scalar(Isa::scalar);
        CollisionStage stage;
        REQUIRE(stage.step(input).status == Status::ok);
        expected = stage.result_hash();
    }
    for_each_isa([&](Isa) {
        for (std::uint32_t workers = 1; workers <= 8; ++workers) {
            Threads threads(workers);
            StageSettings settings;
            settings.runner = threads.runner();
            CollisionStage stage;
            REQUIRE(stage.step(input, settings).status == Status::ok);
            CHECK(stage.result_hash() == expected);
        }
    });
}

TEST_CASE("a warm step does not allocate") {
    for_each_isa([](Isa) {
        CountingAllocator allocator;
        StageScene scene = make_stage_scene(5, 500, false, false);
        CollisionStage stage(allocator.hook());
        const StageInput input = scene.input();
        REQUIRE(stage.step(input).status == Status::ok);
        const std::size_t warm_count = allocator.allocation_count;
        CHECK(warm_count > 0);
        for (int frame = 0; frame < 3; ++frame) REQUIRE(stage.step(input).status == Status::ok);
        CHECK(allocator.allocation_count == warm_count);
    });
}

TEST_CASE("out of memory at any allocation is reported, and the next step works") {
    StageScene scene = make_stage_scene(6, 200, false, false);
    const StageInput input = scene.input();
    CollisionStage reference;
    REQUIRE(reference.step(input).status == Status::ok);
    for (std::size_t fail_after = 0;; ++fail_after) {
        CountingAllocator allocator;
        allocator.fail_after = fail_after;
        CollisionStage stage(allocator.hook());
        const Status status = stage.step(input).status;
        if (status == Status::ok) {
            CHECK(fail_after > 5);
            break;
        }
        CHECK(status == Status::out_of_memory);
        allocator.fail_after = static_cast<std::size_t>(-1);
        REQUIRE(stage.step(input).status == Status::ok);
        CHECK(stage.result_hash() == reference.result_hash());
    }
}

TEST_CASE("invalid objects are counted and reported, and change nothing for the others") {
    StageScene scene = make_stage_scene(8, 60, false, false);
    CollisionStage clean;
    REQUIRE(clean.step(scene.input()).status == Status::ok);
    const std::vector<StageImpact> impacts(clean.impacts().begin(), clean.impacts().end());
    scene.bodies.push_back({{kNaN, 0, 0}, {1, 1, 1}});
    scene.displacements.push_back({});
    scene.bodies.push_back({{0, 0, 0}, {1, 1, 1}});
    scene.displacements.push_back({0, kInfinity, 0});
    scene.bodies.push_back({{2, 0, 0}, {1, 1, 1}});
    scene.displacements.push_back({});
    scene.rays.push_back({{0, 0, 0}, {kNaN, 0, 0}, 1});
    scene.obbs.push_back({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 1, 1}});
    scene.obb_displacements.push_back({});
    CollisionStage stage;
    const StageResult result = stage.step(scene.input());
    CHECK(result.status == Status::ok);
    CHECK(result.invalid_box_count == 2);
    CHECK(result.first_invalid_box == 60);
    CHECK(result.invalid_displacement_count == 1);
    CHECK(result.first_invalid_displacement == 61);
    CHECK(result.invalid_ray_count == 1);
    CHECK(result.first_invalid_ray == scene.rays.size() - 1);
    CHECK(result.invalid_obb_count == 1);
    CHECK(result.first_invalid_obb == scene.obbs.size() - 1);
    require_same_list(stage.impacts(), impacts);
}

TEST_CASE("contradictory views are refused and leave the results empty") {
    StageScene scene = make_stage_scene(9, 20, false, false);
    StageInput input = scene.input();
    CollisionStage stage;
    REQUIRE(stage.step(input).status == Status::ok);
    StageInput bad = input;
    bad.displacements.count -= 1;
    CHECK(stage.step(bad).status == Status::invalid_argument);
    CHECK(stage.impacts().empty());
    CHECK(stage.candidate_pairs().empty());
    bad = input;
    bad.triangle_bounds.count = 1;
    CHECK(stage.step(bad).status == Status::invalid_argument);
    bad = input;
    bad.obb_displacements = bad.obb_displacements.first(1);
    CHECK(stage.step(bad).status == Status::invalid_argument);
    bad = input;
    bad.boxes.min_y = nullptr;
    CHECK(stage.step(bad).status == Status::invalid_argument);
    CHECK(stage.step({}).status == Status::ok);
}

TEST_CASE("a body that crosses another within one step is found although neither end touches it") {
    StageScene scene;
    scene.bodies = {{{0, 0, 0}, {1, 1, 1}}, {{-10, 0, 0}, {-9, 1, 1}}};
    scene.displacements = {{}, {20, 0, 0}};
    CollisionStage stage;
    REQUIRE(stage.step(scene.input()).status == Status::ok);
    REQUIRE(stage.impacts().size() == 1);
    CHECK(stage.impacts()[0].t == doctest::Approx(0.45));
    CHECK(stage.impacts()[0].face == Face::min_x);
}

namespace {

// Shapes around the bodies of a scene: casts, sphere_casts, and shapes for overlaps.
struct StageQueries {
    std::vector<BoxCast> casts;
    std::vector<SphereCast> sphere_casts;
    std::vector<Sphere> spheres;
    std::vector<HitQueries> cast_lists;
    std::vector<OverlapQueries> overlap_lists;

    StageQueries(const StageScene& scene, std::size_t count) {
        Random random(77);
        for (std::size_t i = 0; i < count; ++i) {
            const Aabb box = scene.bodies[random.below(static_cast<std::uint32_t>(scene.bodies.size()))];
            const Vec3 way = {random.uniform(-9, 9), random.uniform(-9, 9), random.grid(-2, 2)};
            casts.push_back({{box.max, box.max + Vec3{1, 1, 1}}, way});
            sphere_casts.push_back({{box.max + way, random.uniform(0, 1)}, -(way + way)});
            spheres.push_back({box.min, random.uniform(0, 2)});
        }
    }
    StageInput with(StageInput input, const StageScene& scene) {
        cast_lists = {casts, sphere_casts};
        overlap_lists = {scene.bodies, spheres, scene.obbs};
        input.casts = cast_lists;
        input.overlaps = overlap_lists;
        return input;
    }
};

template <class Shape, class Overlaps>
std::vector<IndexPair> overlaps_by_brute_force(const std::vector<Shape>& shapes, const StageScene& scene,
                                               Overlaps&& overlaps) {
    std::vector<IndexPair> pairs;
    for (std::uint32_t i = 0; i < shapes.size(); ++i) {
        for (std::uint32_t b = 0; b < scene.bodies.size(); ++b) {
            if (overlaps(shapes[i], scene.bodies[b])) pairs.push_back({i, b});
        }
    }
    return pairs;
}

}  // namespace

TEST_CASE("casts and overlaps of a step match brute force and a tree, on every ISA") {
    StageScene scene = make_stage_scene(21, 400, false, true);
    StageQueries queries(scene, 150);
    const StageInput input = queries.with(scene.input(), scene);
    std::vector<Listed<TreeHit>> hits;
    std::vector<Listed<TreeHit>> first_hits;
    for (std::uint32_t i = 0; i < queries.casts.size(); ++i) {
        Listed<TreeHit> first = {i, {kNoBox, 2, Face::none}};
        for (std::uint32_t b = 0; b < scene.bodies.size(); ++b) {
            const Impact impact =
                first_impact(scene.bodies[b], queries.casts[i].shape, queries.casts[i].displacement);
            if (!(impact.toi <= 1.0f)) continue;
            hits.push_back({i, {b, impact.toi, impact.face}});
            if (impact.toi < first.found.t) first = hits.back();
        }
        if (first.found.target != kNoBox) first_hits.push_back(first);
    }
    REQUIRE(first_hits.size() > 50);
    std::uint64_t expected_hash = 0;
    for_each_isa([&](Isa isa) {
        CollisionStage stage;
        StageSettings settings;
        Threads threads(3);
        for (const bool is_tasked : {false, true}) {
            if (is_tasked) settings.runner = threads.runner();
            settings.report_all_cast_hits = false;
            const StageResult result = stage.step(input, settings);
            REQUIRE(result.status == Status::ok);
            std::size_t invalid_count = 0;
            for (const Aabb& box : scene.bodies) invalid_count += is_valid(box) ? 0u : 1u;
            for (const Obb& obb : scene.obbs) invalid_count += is_valid(obb) ? 0u : 1u;
            for (const BoxCast& cast : queries.casts) invalid_count += is_valid(cast.shape) ? 0u : 1u;
            for (const SphereCast& cast : queries.sphere_casts)
                invalid_count += is_valid(cast.shape) ? 0u : 1u;
            for (const Sphere& sphere : queries.spheres) invalid_count += is_valid(sphere) ? 0u : 1u;
            CHECK(result.invalid_query_count == invalid_count);
            CHECK((std::vector(stage.cast_hits(0).begin(), stage.cast_hits(0).end()) == first_hits));
            const auto overlaps = overlaps_by_brute_force(
                queries.spheres, scene, [](const Sphere& a, const Aabb& b) { return overlap(a, b); });
            CHECK(overlaps.size() > 100);
            CHECK((std::vector(stage.overlaps(1).begin(), stage.overlaps(1).end()) == overlaps));
            const auto box_overlaps = overlaps_by_brute_force(
                scene.bodies, scene, [](const Aabb& a, const Aabb& b) { return overlap(a, b); });
            CHECK((std::vector(stage.overlaps(0).begin(), stage.overlaps(0).end()) == box_overlaps));
            CHECK(stage.overlaps(2).size() > 10);
            CHECK(stage.cast_hits(1).size() > 50);
            settings.report_all_cast_hits = true;
            REQUIRE(stage.step(input, settings).status == Status::ok);
            CHECK((std::vector(stage.cast_hits(0).begin(), stage.cast_hits(0).end()) == hits));
            if (isa == Isa::scalar && !is_tasked) expected_hash = stage.result_hash();
            CHECK(stage.result_hash() == expected_hash);
        }
    });
}

TEST_CASE("a stage notices moved triangles, and added or removed bodies") {
    StageScene scene = make_stage_scene(22, 200, false, false);
    CollisionStage stage;
    const auto check = [&] {
        REQUIRE(stage.step(scene.input()).status == Status::ok);
        require_same_list(stage.triangle_impacts(), contacts_by_brute_force(scene));
        require_same_list(stage.ray_hits(), ray_hits_by_brute_force(scene, false));
    };
    check();
    check();
    // The triangles in reverse: the same number, none at its old index.
    std::reverse(scene.triangles.begin(), scene.triangles.end());
    check();
    scene.triangles.pop_back();
    check();
    scene.bodies.resize(150);
    scene.displacements.resize(150);
    check();
    for (Aabb& box : scene.bodies) box = {box.min + Vec3{9, 0, 0}, box.max + Vec3{9, 0, 0}};
    check();
    scene.triangles.clear();
    scene.rays.clear();
    check();
}
