// Prepared rows and one mover against many: every form on every ISA returns the bits of the single function.
#include "narrowphase/src/moving_box/rows_scalar.hpp"
#include "tests/narrowphase/moving_box/unit_boxes.hpp"
#include "tests/support/counting_allocator.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/generators.hpp"
#include "tests/support/guarded_boxes.hpp"

#include <broadside/moving_aabb_rows.hpp>

#include <array>

using namespace broadside;
using namespace broadside::test;

namespace {

// Boxes and displacements as lists, and as the views of batches.
struct RowBodies {
    std::vector<Aabb> boxes;
    std::vector<Vec3> displacements;
    BoxSoa soa;
    std::array<std::vector<float>, 3> axes;

    void push_back(const Aabb& box, Vec3 displacement) {
        boxes.push_back(box);
        displacements.push_back(displacement);
        REQUIRE(soa.push_back(box) == Status::ok);
        axes[0].push_back(displacement.x);
        axes[1].push_back(displacement.y);
        axes[2].push_back(displacement.z);
    }
    MovingBoxes moving() const {
        return {soa, {axes[0].data(), axes[1].data(), axes[2].data(), boxes.size()}};
    }
};

// Integers, so that faces coincide often, and special values in a quarter of all numbers.
RowBodies special_bodies(Random& random, std::size_t count) {
    const auto number = [&] { return random.chance(4) ? special_float(random) : random.grid(-3, 3); };
    const auto vector = [&] { return Vec3{number(), number(), number()}; };
    RowBodies bodies;
    for (std::size_t i = 0; i < count; ++i) {
        const Vec3 a = vector();
        const Vec3 b = vector();
        bodies.push_back(random.chance(8) ? Aabb{a, b} : Aabb{min_keep(a, b), max_keep(a, b)}, vector());
    }
    return bodies;
}
RowBodies adversarial_bodies(Random& random, std::size_t count) {
    const auto component = [&] {
        if (random.chance(12)) return special_float(random);
        return random.chance(2) ? random.grid(-3, 3) : random.uniform(-4, 4);
    };
    RowBodies bodies;
    for (std::size_t i = 0; i < count; ++i) {
        const Aabb box = adversarial_box(random);
        bodies.push_back(box, {component(), component(), component()});
    }
    return bodies;
}

struct Impacts {
    explicit Impacts(std::size_t count) : toi(count), toi_alone(count), faces(count) {}
    // Requires that item `item` is `expected`, bit for bit, with faces and without.
    bool are(std::size_t item, const Impact& expected) {
        return same_bits(toi[item], expected.toi) && same_bits(toi_alone[item], expected.toi) &&
               faces[item] == expected.face;
    }
    GuardedArray<float> toi;
    GuardedArray<float> toi_alone;
    GuardedArray<Face> faces;
};

// All pairs through the rows of resting and moving boxes, and of bodies, under one policy.
std::size_t require_rows_answer(const RowBodies& a, const RowBodies& b, std::span<const IndexPair> pairs,
                                Touch touch) {
    RestingBoxRows resting;
    MovingBoxRows movers;
    BodyBoxRows bodies_a;
    BodyBoxRows bodies_b;
    REQUIRE(resting.prepare(a.soa) == Status::ok);
    REQUIRE(movers.prepare(b.moving(), touch) == Status::ok);
    REQUIRE(bodies_a.prepare(a.moving()) == Status::ok);
    REQUIRE(bodies_b.prepare(b.moving()) == Status::ok);
    Impacts rows(pairs.size());
    REQUIRE(times_of_impact(resting, movers, pairs, rows.toi.span(), rows.faces.span()).status == Status::ok);
    REQUIRE(times_of_impact(resting, movers, pairs, rows.toi_alone.span()).status == Status::ok);
    Impacts bodies(pairs.size());
    REQUIRE(
        times_of_impact(bodies_a, bodies_b, pairs, touch, bodies.toi.span(), bodies.faces.span()).status ==
        Status::ok);
    REQUIRE(times_of_impact(bodies_a, bodies_b, pairs, touch, bodies.toi_alone.span()).status == Status::ok);
    std::size_t impact_count = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const auto [first, second] = pairs[i];
        const Vec3 displacement = b.displacements[second];
        const Impact of_rows = first_impact(a.boxes[first], b.boxes[second], displacement, touch);
        if (!rows.are(i, of_rows)) FAIL("rows differ at " << i);
        const Impact of_bodies =
            first_impact(a.boxes[first], b.boxes[second], displacement - a.displacements[first], touch);
        // A mover's own displacement that is not finite is refused; two of them cannot cancel out.
        if (!bodies.are(i, of_bodies)) FAIL("bodies differ at " << i);
        impact_count += of_rows.toi <= 1.0f ? 1 : 0;
    }
    return impact_count;
}

}  // namespace

TEST_CASE("pairs over prepared rows return the bits of first_impact on every ISA, count and policy") {
    for_each_isa([](Isa) {
        Random random(1);
        const RowBodies a = adversarial_bodies(random, 37);
        const RowBodies b = adversarial_bodies(random, 53);
        for (const std::size_t count : awkward_counts()) {
            GuardedArray<IndexPair> pairs(count);
            for (IndexPair& pair : pairs.span()) pair = {random.below(37), random.below(53)};
            for (const Touch touch : kPolicies) require_rows_answer(a, b, pairs.span(), touch);
        }
    });
}

TEST_CASE("prepared rows of every count are complete, to the last box of a partial group") {
    for_each_isa([](Isa) {
        Random random(2);
        for (const std::size_t count : awkward_counts()) {
            const RowBodies a = adversarial_bodies(random, count);
            const RowBodies b = adversarial_bodies(random, count);
            std::vector<IndexPair> pairs;
            for (std::uint32_t i = 0; i < count; ++i) pairs.push_back({i, i});
            for (const Touch touch : kPolicies) require_rows_answer(a, b, pairs, touch);
        }
    });
}

TEST_CASE("pairs over prepared rows return the bits of first_impact if a quarter of all numbers is special") {
    std::size_t impact_count = 0;
    for_each_isa([&](Isa) {
        Random random(3);
        const RowBodies a = special_bodies(random, 30000);
        const RowBodies b = special_bodies(random, 30000);
        std::vector<IndexPair> pairs;
        for (std::uint32_t i = 0; i < 30000; ++i) pairs.push_back({i, i});
        for (const Touch touch : kPolicies) impact_count += require_rows_answer(a, b, pairs, touch);
    });
    CHECK(impact_count > 5000);
}

// A row of an invalid box meets nothing, but callers may compare or save rows. Found by fuzzing: one side NaN
// and the other 0.
TEST_CASE("prepared rows have the same bits on every ISA, also of invalid boxes") {
    Random random(11);
    const RowBodies bodies = special_bodies(random, 5000);
    const auto words = [](const auto& rows) {
        const auto* const numbers = reinterpret_cast<const float*>(rows.data());
        std::vector<std::uint32_t> all;
        for (std::size_t i = 0; i < rows.count() * sizeof(*rows.data()) / sizeof(float); ++i) {
            // The bit pattern of a NaN depends on the processor.
            all.push_back(bits_of(numbers[i] == numbers[i] ? numbers[i] : kNaN));
        }
        return all;
    };
    std::vector<std::uint32_t> expected[4];
    for_each_isa([&](Isa) {
        RestingBoxRows resting;
        BodyBoxRows of_bodies;
        REQUIRE(resting.prepare(bodies.soa) == Status::ok);
        REQUIRE(of_bodies.prepare(bodies.moving()) == Status::ok);
        std::vector<std::uint32_t> found[4] = {words(resting), words(of_bodies), {}, {}};
        for (const Touch touch : kPolicies) {
            MovingBoxRows moving;
            REQUIRE(moving.prepare(bodies.moving(), touch) == Status::ok);
            found[2 + (touch == Touch::open ? 1 : 0)] = words(moving);
        }
        for (int i = 0; i < 4; ++i) {
            if (expected[i].empty()) expected[i] = found[i];
            CHECK(found[i] == expected[i]);
        }
    });
}

TEST_CASE("rows and one mover handle every pairing of special intervals and motions, axis by axis") {
    const float intervals[][2] = {{0, 1},
                                  {1, 2},
                                  {-1, 0},
                                  {1, 1},
                                  {-FLT_MAX, FLT_MAX},
                                  {1, 0},
                                  {kNaN, 1},
                                  {0, kNaN},
                                  {kDenormal, 1},
                                  {-1, -kDenormal},
                                  {-kInfinity, 0},
                                  {0, kInfinity},
                                  {2, kInfinity},
                                  {-0.0f, 0.0f},
                                  {FLT_MAX, FLT_MAX},
                                  {next_up(1.0f), 2},
                                  {-1, next_down(0.0f)},
                                  {-kInfinity, kInfinity},
                                  {kInfinity, kInfinity},
                                  {-kInfinity, -kInfinity}};
    std::vector<float> motions = special_floats();
    for (const float motion : {0.75f * FLT_MIN, -0.75f * FLT_MIN, 3.0f, -3.0f}) motions.push_back(motion);
    for_each_isa([&](Isa) {
        for (int axis = 0; axis < 3; ++axis) {
            const auto on_axis = [&](float value, float elsewhere) {
                return Vec3{axis == 0 ? value : elsewhere, axis == 1 ? value : elsewhere,
                            axis == 2 ? value : elsewhere};
            };
            RowBodies resting;
            for (const auto& interval : intervals) {
                resting.push_back({on_axis(interval[0], 0), on_axis(interval[1], 1)}, {});
            }
            RowBodies movers;
            for (const auto& interval : intervals) {
                for (const float motion : motions) {
                    movers.push_back({on_axis(interval[0], 0), on_axis(interval[1], 1)}, on_axis(motion, 0));
                }
            }
            std::vector<IndexPair> pairs;
            for (std::uint32_t s = 0; s < resting.boxes.size(); ++s) {
                for (std::uint32_t m = 0; m < movers.boxes.size(); ++m) pairs.push_back({s, m});
            }
            for (const Touch touch : kPolicies) {
                require_rows_answer(resting, movers, pairs, touch);
                for (std::size_t m = 0; m < movers.boxes.size(); ++m) {
                    Impacts out(resting.boxes.size());
                    REQUIRE(times_of_impact(movers.boxes[m], movers.displacements[m], resting.soa, touch,
                                            out.toi.span(), out.faces.span())
                                .status == Status::ok);
                    REQUIRE(times_of_impact(movers.boxes[m], movers.displacements[m], resting.soa, touch,
                                            out.toi_alone.span())
                                .status == Status::ok);
                    for (std::size_t s = 0; s < resting.boxes.size(); ++s) {
                        const Impact expected =
                            first_impact(resting.boxes[s], movers.boxes[m], movers.displacements[m], touch);
                        if (!out.are(s, expected)) FAIL("differs at mover " << m << ", box " << s);
                    }
                }
            }
        }
    });
}

TEST_CASE("times_of_impact of one mover returns the bits of first_impact on every ISA, count and alignment") {
    std::size_t impact_count = 0;
    for_each_isa([&](Isa) {
        Random random(4);
        for (const std::size_t count : awkward_counts()) {
            const RowBodies resting = adversarial_bodies(random, count);
            const GuardedBoxes boxes(resting.boxes);
            const RowBodies movers = adversarial_bodies(random, 12);
            for (std::size_t m = 0; m < movers.boxes.size(); ++m) {
                const Touch touch = kPolicies[m % 2];
                for (const std::size_t begin : {0u, 1u, 3u}) {
                    if (begin > count) continue;
                    Impacts out(count - begin);
                    REQUIRE(times_of_impact(movers.boxes[m], movers.displacements[m],
                                            boxes.view().part(begin, count - begin), touch, out.toi.span(),
                                            out.faces.span())
                                .status == Status::ok);
                    REQUIRE(times_of_impact(movers.boxes[m], movers.displacements[m],
                                            boxes.view().part(begin, count - begin), touch,
                                            out.toi_alone.span())
                                .status == Status::ok);
                    for (std::size_t i = begin; i < count; ++i) {
                        const Impact expected =
                            first_impact(resting.boxes[i], movers.boxes[m], movers.displacements[m], touch);
                        REQUIRE(out.are(i - begin, expected));
                        impact_count += expected.toi <= 1.0f ? 1 : 0;
                    }
                }
            }
        }
    });
    CHECK(impact_count > 2500 * supported_isas().size());
}

TEST_CASE("large streams, whose times are written past the caches, have the bits of small ones") {
    constexpr std::size_t kCount = (std::size_t{1} << 20) + 23;
    Random random(7);
    const RowBodies some = adversarial_bodies(random, 499);
    const RowBodies other = adversarial_bodies(random, 499);
    BoxSoa resting;
    BoxSoa movers;
    REQUIRE(resting.resize(kCount) == Status::ok);
    REQUIRE(movers.resize(kCount) == Status::ok);
    std::array<std::vector<float>, 3> axes;
    for (std::vector<float>& axis : axes) axis.resize(kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
        resting.set(i, some.boxes[i % 499]);
        movers.set(i, other.boxes[i % 499]);
        for (std::size_t k = 0; k < 3; ++k) axes[k][i] = other.axes[k][i % 499];
    }
    const MovingBoxes moving = {movers, {axes[0].data(), axes[1].data(), axes[2].data(), kCount}};
    for_each_isa([&](Isa) {
        for (const std::size_t offset : {0u, 3u}) {
            std::vector<float> out(kCount + offset + 1, -7.0f);
            REQUIRE(
                times_of_impact({resting, {}}, moving, Touch::closed, std::span(out).subspan(offset, kCount))
                    .status == Status::ok);
            bool is_same = true;
            for (std::size_t i = 0; i < kCount; ++i) {
                const float expected =
                    time_of_impact(some.boxes[i % 499], other.boxes[i % 499], other.displacements[i % 499]);
                is_same = is_same && same_bits(out[offset + i], expected);
            }
            REQUIRE(is_same);
            REQUIRE(out.back() == -7.0f);
        }
    });
}

TEST_CASE("rows are reused without allocation, moved with their boxes, and empty if memory runs out") {
    CountingAllocator memory;
    Random random(5);
    const RowBodies many = adversarial_bodies(random, 100);
    const RowBodies few = adversarial_bodies(random, 60);
    MovingBoxRows movers(memory.hook());
    RestingBoxRows resting(memory.hook());
    BodyBoxRows bodies(memory.hook());
    const auto prepare = [&](const RowBodies& source) {
        return movers.prepare(source.moving()) == Status::ok && resting.prepare(source.soa) == Status::ok &&
               bodies.prepare(source.moving()) == Status::ok;
    };
    REQUIRE(prepare(many));
    CHECK(memory.allocation_count == 3);
    for (int frame = 0; frame < 4; ++frame) {
        REQUIRE(prepare(frame % 2 == 0 ? few : many));
        CHECK(movers.count() == (frame % 2 == 0 ? 60 : 100));
    }
    CHECK(memory.allocation_count == 3);
    const MovingBoxRows taken = std::move(movers);
    CHECK(taken.count() == 100);
    CHECK(movers.count() == 0);

    memory.fail_after = memory.allocation_count;
    const RowBodies more = adversarial_bodies(random, 200);
    CHECK(resting.prepare(more.soa) == Status::out_of_memory);
    CHECK(resting.count() == 0);
    CHECK(bodies.prepare(more.moving()) == Status::out_of_memory);
    CHECK(movers.prepare(many.moving()) == Status::out_of_memory);
}

TEST_CASE("invalid arguments of rows and of one mover are reported and nothing is written") {
    Random random(6);
    const RowBodies three = adversarial_bodies(random, 3);
    RestingBoxRows resting;
    MovingBoxRows movers;
    BodyBoxRows bodies;
    REQUIRE(resting.prepare(three.soa) == Status::ok);
    REQUIRE(movers.prepare(three.moving(), Touch::open) == Status::ok);
    REQUIRE(bodies.prepare(three.moving()) == Status::ok);
    CHECK(movers.touch() == Touch::open);
    std::vector<float> toi(3, -7.0f);
    std::vector<Face> faces(3, Face::max_y);
    const std::vector<IndexPair> pairs = {{0, 1}, {2, 2}, {1, 3}};
    const std::vector<IndexPair> other = {{0, 1}, {3, 2}};

    const BatchResult result = times_of_impact(resting, movers, pairs, toi, faces);
    CHECK(result.status == Status::invalid_argument);
    CHECK(result.bad_index == 2);
    CHECK(times_of_impact(bodies, bodies, other, Touch::closed, toi).bad_index == 1);
    const auto good = std::span(pairs).first(2);
    CHECK(times_of_impact(resting, movers, good, std::span(toi).first(1)).status ==
          Status::capacity_exceeded);
    CHECK(times_of_impact(bodies, bodies, good, Touch::open, toi, std::span(faces).first(1)).status ==
          Status::capacity_exceeded);
    CHECK(times_of_impact({}, {}, three.soa, Touch::closed, std::span(toi).first(2)).status ==
          Status::capacity_exceeded);
    CHECK(times_of_impact({}, {}, BoxSoaView{.count = 1}, Touch::closed, toi).status ==
          Status::invalid_argument);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(toi[i] == -7.0f);
        CHECK(faces[i] == Face::max_y);
    }

    CHECK(resting.prepare(BoxSoaView{.count = 2}) == Status::invalid_argument);
    CHECK(resting.count() == 0);
    MovingBoxes bad = three.moving();
    bad.displacements.count = 2;
    CHECK(movers.prepare(bad) == Status::invalid_argument);
    CHECK(bodies.prepare(bad) == Status::invalid_argument);
    // No items: rows may be empty.
    CHECK(times_of_impact(resting, movers, {}, {}).status == Status::ok);
    CHECK(times_of_impact({}, {1, 0, 0}, {}, Touch::closed, {}).status == Status::ok);
    // Boxes without displacements rest.
    REQUIRE(bodies.prepare({three.soa, {}}) == Status::ok);
    REQUIRE(movers.prepare({three.soa, {}}) == Status::ok);
}
