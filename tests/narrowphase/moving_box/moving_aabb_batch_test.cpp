// Batches of moving boxes: every ISA against the single function, bit for bit, at every count and alignment.
#include "tests/narrowphase/moving_box/literal_moving_aabb.hpp"
#include "tests/narrowphase/moving_box/unit_boxes.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/generators.hpp"
#include "tests/support/guarded_boxes.hpp"

#include <broadside/moving_aabb.hpp>

#include <cmath>
#include <memory>

using namespace broadside;
using namespace broadside::test;

namespace {

Vec3 adversarial_displacement(Random& random) {
    const auto component = [&] {
        if (random.chance(12)) return special_float(random);
        return random.chance(2) ? random.grid(-3, 3) : random.uniform(-4, 4);
    };
    return {component(), component(), component()};
}

// Boxes and displacements in guarded arrays, and the plain list that they were made from. `at_rest` leaves
// the displacements out.
class Bodies {
public:
    Bodies(Random& random, std::size_t count, bool at_rest)
        : boxes_(make_boxes(random, count)), x_(count), y_(count), z_(count), at_rest_(at_rest) {
        displacements_.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            if (!at_rest) displacements_[i] = adversarial_displacement(random);
            x_[i] = displacements_[i].x;
            y_[i] = displacements_[i].y;
            z_[i] = displacements_[i].z;
        }
        guarded_ = std::make_unique<GuardedBoxes>(boxes_);
    }

    Aabb box(std::size_t index) const { return boxes_[index]; }
    Vec3 displacement(std::size_t index) const { return displacements_[index]; }
    MovingBoxes view(std::size_t begin, std::size_t count) const {
        MovingBoxes moving = {guarded_->view().part(begin, count), {}};
        if (!at_rest_ && count != 0)
            moving.displacements = {x_.data() + begin, y_.data() + begin, z_.data() + begin, count};
        return moving;
    }
    MovingBoxes view() const { return view(0, boxes_.size()); }

private:
    static std::vector<Aabb> make_boxes(Random& random, std::size_t count) {
        std::vector<Aabb> boxes(count);
        for (Aabb& box : boxes) box = adversarial_box(random);
        return boxes;
    }

    std::vector<Aabb> boxes_;
    std::vector<Vec3> displacements_;
    GuardedArray<float> x_, y_, z_;
    std::unique_ptr<GuardedBoxes> guarded_;
    bool at_rest_;
};

Impact expected_impact(const Bodies& a, std::size_t first, const Bodies& b, std::size_t second, Touch touch) {
    return first_impact(a.box(first), b.box(second), b.displacement(second) - a.displacement(first), touch);
}

}  // namespace

TEST_CASE("times_of_impact returns the bits of first_impact on every ISA, count, alignment and policy") {
    for_each_isa([&](Isa) {
        int impact_count = 0;
        Random random(1);
        for (const std::size_t count : awkward_counts()) {
            for (const bool a_rests : {true, false}) {
                const Bodies a(random, count, a_rests);
                const Bodies b(random, count, a_rests && random.chance(4));
                for (const Touch touch : kPolicies) {
                    for (const std::size_t begin : {0u, 1u, 3u}) {
                        if (begin > count) continue;
                        const std::size_t part_count = count - begin;
                        GuardedArray<float> out_toi(part_count);
                        GuardedArray<Face> out_faces(part_count);
                        REQUIRE(times_of_impact(a.view(begin, part_count), b.view(begin, part_count), touch,
                                                out_toi.span(), out_faces.span())
                                    .status == Status::ok);
                        GuardedArray<float> out_toi_alone(part_count);
                        REQUIRE(times_of_impact(a.view(begin, part_count), b.view(begin, part_count), touch,
                                                out_toi_alone.span())
                                    .status == Status::ok);
                        for (std::size_t i = 0; i < part_count; ++i) {
                            const Impact expected = expected_impact(a, begin + i, b, begin + i, touch);
                            REQUIRE(same_bits(out_toi[i], expected.toi));
                            REQUIRE(same_bits(out_toi_alone[i], expected.toi));
                            REQUIRE(out_faces[i] == expected.face);
                            impact_count += expected.toi <= 1 ? 1 : 0;
                        }
                    }
                }
            }
        }
        CHECK(impact_count > 500);
    });
}

TEST_CASE("times_of_impact of pairs returns the bits of first_impact on every ISA, count and policy") {
    for_each_isa([](Isa) {
        Random random(2);
        for (const bool a_rests : {true, false}) {
            const Bodies a(random, 37, a_rests);
            const Bodies b(random, 53, false);
            for (const std::size_t count : awkward_counts()) {
                GuardedArray<IndexPair> pairs(count);
                for (IndexPair& pair : pairs.span()) pair = {random.below(37), random.below(53)};
                for (const Touch touch : kPolicies) {
                    GuardedArray<float> out_toi(count);
                    GuardedArray<Face> out_faces(count);
                    REQUIRE(times_of_impact(a.view(), b.view(), pairs.span(), touch, out_toi.span(),
                                            out_faces.span())
                                .status == Status::ok);
                    for (std::size_t i = 0; i < count; ++i) {
                        const Impact expected = expected_impact(a, pairs[i].first, b, pairs[i].second, touch);
                        REQUIRE(same_bits(out_toi[i], expected.toi));
                        REQUIRE(out_faces[i] == expected.face);
                    }
                }
            }
        }
    });
}

TEST_CASE("every ISA gives the scalar bits on a large set of adversarial pairs, for every policy") {
    // Special values everywhere: a quarter of all numbers.
    constexpr std::size_t kCount = 60000;
    Random random(3);
    const auto number = [&] { return random.chance(4) ? special_float(random) : random.grid(-3, 3); };
    BoxSoa a;
    BoxSoa b;
    REQUIRE(a.resize(kCount) == Status::ok);
    REQUIRE(b.resize(kCount) == Status::ok);
    std::vector<float> displacement[3];
    for (std::vector<float>& axis : displacement)
        for (std::size_t i = 0; i < kCount; ++i) axis.push_back(number());
    const auto interval = [&](float& min, float& max) {
        min = number();
        max = number();
        if (min > max && !random.chance(8)) std::swap(min, max);
    };
    for (std::size_t i = 0; i < kCount; ++i) {
        for (BoxSoa* boxes : {&a, &b}) {
            Aabb box;
            interval(box.min.x, box.max.x);
            interval(box.min.y, box.max.y);
            interval(box.min.z, box.max.z);
            boxes->set(i, box);
        }
    }
    const MovingBoxes moving = {
        b, {displacement[0].data(), displacement[1].data(), displacement[2].data(), kCount}};
    std::vector<float> out_toi(kCount);
    std::vector<Face> out_faces(kCount);
    int impact_count = 0;
    for_each_isa([&](Isa) {
        for (const Touch touch : kPolicies) {
            REQUIRE(times_of_impact({a, {}}, moving, touch, out_toi, out_faces).status == Status::ok);
            for (std::size_t i = 0; i < kCount; ++i) {
                const Impact expected = first_impact(
                    a[i], b[i], {displacement[0][i], displacement[1][i], displacement[2][i]}, touch);
                if (!same_bits(out_toi[i], expected.toi) || out_faces[i] != expected.face)
                    FAIL("differs at " << i);
                impact_count += expected.toi <= 1 ? 1 : 0;
            }
        }
    });
    CHECK(impact_count > 5000);
}

TEST_CASE(
    "every ISA gives the scalar bits for every pairing of special intervals and motions, axis by axis") {
    const float intervals[][2] = {{0, 1},
                                  {1, 2},
                                  {-1, 0},
                                  {1, 1},
                                  {-FLT_MAX, FLT_MAX},
                                  {1, 0},
                                  {kNaN, 1},
                                  {0, kNaN},
                                  {kDenormal, 1},
                                  {-kInfinity, 0},
                                  {0, kInfinity},
                                  {2, kInfinity},
                                  {-0.0f, 0.0f},
                                  {FLT_MAX, FLT_MAX},
                                  {-kInfinity, kInfinity},
                                  {kInfinity, kInfinity},
                                  {-kInfinity, -kInfinity}};
    std::vector<float> motions = special_floats();
    // Not yet normal, but with a finite reciprocal.
    for (const float motion : {0.75f * FLT_MIN, -0.75f * FLT_MIN, 3.0f, -3.0f}) motions.push_back(motion);
    BoxSoa a;
    BoxSoa b;
    std::vector<float> displacement[3];
    for (int axis = 0; axis < 3; ++axis) {
        for (const auto& of_a : intervals) {
            for (const auto& of_b : intervals) {
                for (const float motion : motions) {
                    const auto on_axis = [&](float value, float elsewhere) {
                        return Vec3{axis == 0 ? value : elsewhere, axis == 1 ? value : elsewhere,
                                    axis == 2 ? value : elsewhere};
                    };
                    REQUIRE(a.push_back({on_axis(of_a[0], 0), on_axis(of_a[1], 1)}) == Status::ok);
                    REQUIRE(b.push_back({on_axis(of_b[0], 0), on_axis(of_b[1], 1)}) == Status::ok);
                    const Vec3 d = on_axis(motion, 0);
                    displacement[0].push_back(d.x);
                    displacement[1].push_back(d.y);
                    displacement[2].push_back(d.z);
                }
            }
        }
    }
    const std::size_t count = a.count();
    const MovingBoxes moving = {
        b, {displacement[0].data(), displacement[1].data(), displacement[2].data(), count}};
    std::vector<float> out_toi(count);
    std::vector<Face> out_faces(count);
    for_each_isa([&](Isa) {
        for (const Touch touch : kPolicies) {
            REQUIRE(times_of_impact({a, {}}, moving, touch, out_toi, out_faces).status == Status::ok);
            for (std::size_t i = 0; i < count; ++i) {
                const Impact expected = first_impact(
                    a[i], b[i], {displacement[0][i], displacement[1][i], displacement[2][i]}, touch);
                if (!same_bits(out_toi[i], expected.toi) || out_faces[i] != expected.face)
                    FAIL("differs at " << i);
                // A pair with an impact is valid; closed boxes that overlap have theirs at 0.
                if (expected.toi <= 1) REQUIRE((is_valid(a[i]) && is_valid(b[i])));
                if (overlap(a[i], b[i]) && touch == Touch::closed && std::isfinite(displacement[0][i]) &&
                    std::isfinite(displacement[1][i]) && std::isfinite(displacement[2][i]))
                    REQUIRE(same_bits(expected.toi, 0.0f));
            }
        }
    });
}

TEST_CASE("a shuffled or split batch gives each pair the same result") {
    for_each_isa([](Isa) {
        Random random(4);
        constexpr std::size_t kCount = 200;
        const Bodies a(random, 64, false);
        const Bodies b(random, 64, false);
        std::vector<IndexPair> pairs(kCount);
        for (IndexPair& pair : pairs) pair = {random.below(64), random.below(64)};
        std::vector<float> whole(kCount);
        REQUIRE(times_of_impact(a.view(), b.view(), pairs, Touch::closed, whole).status == Status::ok);

        std::vector<std::size_t> order(kCount);
        std::vector<IndexPair> shuffled(kCount);
        for (std::size_t i = 0; i < kCount; ++i) order[i] = i;
        for (std::size_t i = kCount - 1; i > 0; --i)
            std::swap(order[i], order[random.below(static_cast<std::uint32_t>(i + 1))]);
        for (std::size_t i = 0; i < kCount; ++i) shuffled[i] = pairs[order[i]];
        std::vector<float> out_toi(kCount);
        REQUIRE(times_of_impact(a.view(), b.view(), shuffled, Touch::closed, out_toi).status == Status::ok);
        for (std::size_t i = 0; i < kCount; ++i) REQUIRE(same_bits(out_toi[i], whole[order[i]]));

        for (std::size_t begin = 0; begin < kCount;) {
            const std::size_t part_count = std::min<std::size_t>(1 + random.below(40), kCount - begin);
            REQUIRE(times_of_impact(a.view(), b.view(), std::span(pairs).subspan(begin, part_count),
                                    Touch::closed, std::span(out_toi).subspan(begin, part_count))
                        .status == Status::ok);
            begin += part_count;
        }
        for (std::size_t i = 0; i < kCount; ++i) REQUIRE(same_bits(out_toi[i], whole[i]));
    });
}

TEST_CASE("A13: a batch with motion on both sides uses the relative displacement") {
    BoxSoa a;
    BoxSoa b;
    REQUIRE(a.push_back({{0, 0, 0}, {1, 1, 1}}) == Status::ok);
    REQUIRE(b.push_back({{-3, 0, 0}, {-2, 1, 1}}) == Status::ok);
    const float toward_b = -2;
    const float toward_a = 6;
    const float zero = 0;
    for_each_isa([&](Isa) {
        float toi = -1;
        Face face = Face::none;
        REQUIRE(times_of_impact({a, {&toward_b, &zero, &zero, 1}}, {b, {&toward_a, &zero, &zero, 1}},
                                Touch::closed, {&toi, 1}, {&face, 1})
                    .status == Status::ok);
        CHECK(toi == 0.25f);
        CHECK(face == Face::min_x);
        REQUIRE(
            times_of_impact({a, {&toward_b, &zero, &zero, 1}}, {b, {}}, Touch::closed, {&toi, 1}).status ==
            Status::ok);
        CHECK(toi == 1.0f);
        REQUIRE(times_of_impact({a, {}}, {b, {}}, Touch::closed, {&toi, 1}).status == Status::ok);
        CHECK(toi == kNoIntersection);
    });
}

TEST_CASE("invalid arguments of the moving-box batches are reported and nothing is written") {
    const GuardedBoxes boxes(std::vector<Aabb>(3, Aabb{{0, 0, 0}, {1, 1, 1}}));
    const std::vector<float> zeros(3);
    const MovingBoxes resting = {boxes.view(), {}};
    const MovingBoxes moving = {boxes.view(), {zeros.data(), zeros.data(), zeros.data(), 3}};
    std::vector<float> out_toi(3, -7.0f);
    std::vector<Face> out_faces(3, Face::max_y);
    const auto streams = [&](const MovingBoxes& a, const MovingBoxes& b, std::size_t toi_room,
                             std::size_t face_room) {
        return times_of_impact(a, b, Touch::closed, std::span(out_toi).first(toi_room),
                               std::span(out_faces).first(face_room))
            .status;
    };
    CHECK(streams(resting, moving, 2, 0) == Status::capacity_exceeded);
    CHECK(streams(resting, moving, 3, 2) == Status::capacity_exceeded);
    CHECK(streams(resting, {boxes.view(), {zeros.data(), zeros.data(), zeros.data(), 2}}, 3, 0) ==
          Status::invalid_argument);
    CHECK(streams(resting, {boxes.view(), {zeros.data(), nullptr, zeros.data(), 3}}, 3, 0) ==
          Status::invalid_argument);
    CHECK(streams({BoxSoaView{.count = 3}, {}}, moving, 3, 0) == Status::invalid_argument);
    CHECK(streams({boxes.view().part(0, 2), {}}, moving, 3, 0) == Status::invalid_argument);

    const std::vector<IndexPair> pairs = {{0, 1}, {2, 2}, {1, 3}};
    const BatchResult result = times_of_impact(resting, moving, pairs, Touch::closed, out_toi, out_faces);
    CHECK(result.status == Status::invalid_argument);
    CHECK(result.bad_index == 2);
    CHECK(times_of_impact(resting, moving, std::span(pairs).first(2), Touch::closed, {}).status ==
          Status::capacity_exceeded);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(out_toi[i] == -7.0f);
        CHECK(out_faces[i] == Face::max_y);
    }
    // No items: arrays may be null.
    CHECK(times_of_impact({}, {}, Touch::closed, {}).status == Status::ok);
    CHECK(times_of_impact(MovingBoxes{}, {}, {}, Touch::closed, {}).status == Status::ok);
}
