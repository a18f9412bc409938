// The example's engine: a pile that falls, rests, sleeps and wakes up, the same for any number of threads,
// with the pairs of a loop over all bodies.
#include "examples/engine_broadphase/pile.hpp"

#include "tests/support/drawn_thresholds.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <thread>

using namespace broadside;
using namespace engine_example;
using broadside::test::DrawnThresholds;

namespace {

std::vector<std::uint32_t> fill(Engine& engine, std::uint32_t count) {
    REQUIRE(engine.add_bodies(engine.prepare_bodies(make_bin(count))) == Status::ok);
    const Engine::Batch batch = engine.prepare_bodies(make_rain(count, 0, count));
    REQUIRE(engine.add_bodies(batch) == Status::ok);
    std::vector<std::uint32_t> bodies(count);
    std::iota(bodies.begin(), bodies.end(), batch.first_body);
    return bodies;
}

void step(Engine& engine, int count) {
    for (int i = 0; i < count; ++i) REQUIRE(engine.step() == Status::ok);
}

// The contacts of the last step, which began with an update of the boxes before it.
std::size_t count_pairs(const std::vector<Body>& bodies) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            const bool are_there = bodies[i].is_alive && bodies[k].is_alive;
            const bool can_move = bodies[i].inv_mass != 0 || bodies[k].inv_mass != 0;
            if (are_there && can_move && overlap(bodies[i].known_box, bodies[k].known_box)) ++count;
        }
    }
    return count;
}

// The boxes of registered bodies are within those of the broad phase.
bool are_in_their_boxes(const Engine& engine) {
    return std::all_of(engine.bodies().begin(), engine.bodies().end(), [](const Body& body) {
        const Vec3 reach = body.shape == ShapeKind::sphere ? body.pose.half_extent : Vec3{};
        const Aabb box = body.shape == ShapeKind::sphere
                             ? Aabb{body.pose.center - reach, body.pose.center + reach}
                             : bounds(body.pose);
        return !body.is_alive || contains(body.known_box, box);
    });
}

// Steps with added and removed bodies, and rays from another thread meanwhile; returns the hashes of the
// states.
std::vector<std::uint64_t> hashes_of_life(std::uint32_t worker_count, float box_margin) {
    EngineSettings settings;
    settings.worker_count = worker_count;
    settings.box_margin = box_margin;
    Engine engine(settings);
    std::vector<std::uint32_t> bodies = fill(engine, 120);
    std::atomic<bool> is_over{false};
    std::atomic<std::uint32_t> wrong_count{0};
    std::thread asker([&] {
        while (!is_over) {
            const BroadPhaseView view = engine.view();
            for (float x = -2; x < 2; x += 0.25f) {
                // The ground is always there, once it has been published.
                std::size_t hit_count = 0;
                const Status status = view.cast(Ray{{x, 50, 0}, {0, -1, 0}}, std::uint64_t{1} << kScenery,
                                                [&](std::uint64_t body, float) {
                                                    hit_count += body < 5 ? 1u : 2u;
                                                    return kVisitAll;
                                                });
                if (status == Status::ok && hit_count != 1) ++wrong_count;
            }
        }
    });
    std::vector<std::uint64_t> hashes;
    for (std::uint32_t k = 0; k < 10; ++k) {
        step(engine, 7);
        const std::vector<Body> before(engine.bodies().begin(), engine.bodies().end());
        const std::size_t pair_count = count_pairs(before);
        step(engine, 1);
        CHECK(engine.contact_count() == pair_count);
        CHECK(are_in_their_boxes(engine));
        hashes.push_back(engine.state_hash());
        REQUIRE(engine.remove_bodies(std::span(bodies).subspan(k * 3, 3)) == Status::ok);
        REQUIRE(engine.add_bodies(engine.prepare_bodies(make_rain(120, 120 + k * 3, 3))) == Status::ok);
        if (k == 5) REQUIRE(engine.optimize() == Status::ok);
    }
    is_over = true;
    asker.join();
    CHECK(wrong_count == 0);
    return hashes;
}

}  // namespace

TEST_CASE("the example's engine has the same states on any number of threads, with every pair") {
    for (const float box_margin : {0.1f, 0.0f}) {
        const DrawnThresholds thresholds(box_margin == 0 ? 3 : 4);
        const std::vector<std::uint64_t> expected = hashes_of_life(1, box_margin);
        CHECK(hashes_of_life(2, box_margin) == expected);
        CHECK(hashes_of_life(4, box_margin) == expected);
    }
}

TEST_CASE("the example's pile comes to rest in its bin and sleeps, and wakes when bodies are removed") {
    Engine engine(EngineSettings{});
    const std::vector<std::uint32_t> bodies = fill(engine, 100);
    step(engine, 1);
    CHECK(engine.awake_count() == 100);
    int step_count = 1;
    for (; engine.awake_count() != 0 && step_count < 2000; ++step_count) step(engine, 1);
    INFO(step_count, " steps");
    CHECK(engine.awake_count() == 0);
    CHECK(engine.deepest_overlap() < 0.1f);
    std::uint32_t lowest = bodies.front();
    for (const std::uint32_t i : bodies) {
        const Vec3 center = engine.bodies()[i].pose.center;
        CHECK(center.y > 0.25f);
        CHECK(center.y < 6);
        if (center.y < engine.bodies()[lowest].pose.center.y) lowest = i;
    }
    // No work is left.
    const std::uint64_t hash = engine.state_hash();
    step(engine, 10);
    CHECK(engine.state_hash() == hash);
    REQUIRE(engine.remove_bodies(std::span(&lowest, 1)) == Status::ok);
    CHECK(engine.awake_count() > 0);
    step(engine, 10);
    CHECK(engine.state_hash() != hash);
}
