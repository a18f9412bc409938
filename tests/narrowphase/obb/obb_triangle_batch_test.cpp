// Oriented box against triangles in batches: every ISA, count and alignment against the single functions, bit
// for bit.
#include "tests/narrowphase/obb/guarded_triangles.hpp"
#include "tests/narrowphase/obb/obb_triangle_oracle.hpp"
#include "tests/support/bits.hpp"
#include "tests/support/for_each_isa.hpp"

#include <memory>

using namespace broadside;
using namespace broadside::test;

namespace {

std::vector<Triangle> adversarial_triangles(Random& random, std::size_t count) {
    std::vector<Triangle> list(count);
    for (Triangle& triangle : list) triangle = adversarial_triangle(random);
    return list;
}

// Boxes and motions that sometimes hit half of the triangles near the origin.
struct Mover {
    Obb obb;
    Vec3 displacement;
    Vec3 triangle_displacement;
};
Mover random_mover(Random& random) {
    Mover mover = {adversarial_obb(random), adversarial_displacement(random), {}};
    if (random.chance(2)) mover.triangle_displacement = adversarial_displacement(random);
    if (random.chance(4)) mover.displacement = mover.triangle_displacement;
    return mover;
}
TriangleImpact single(const Mover& mover, const Triangle& triangle) {
    return first_impact(mover.obb, mover.displacement, triangle, mover.triangle_displacement);
}

// The impacts in guarded arrays; runs without axes must give the same times.
struct Outputs {
    explicit Outputs(std::size_t count) : toi(count), toi_alone(count), axis(count) {}
    GuardedArray<float> toi;
    GuardedArray<float> toi_alone;
    GuardedArray<ContactAxis> axis;

    template <class Expected>
    void require(Expected&& expected) {
        for (std::size_t i = 0; i < toi.size(); ++i) {
            const TriangleImpact impact = expected(i);
            REQUIRE(same_bits(toi[i], impact.toi));
            REQUIRE(same_bits(toi_alone[i], impact.toi));
            REQUIRE(axis[i] == impact.axis);
        }
    }
};

}  // namespace

TEST_CASE(
    "one box against triangles: every ISA, count and alignment gives the bits of the single functions") {
    for_each_isa([](Isa) {
        Random random(71);
        for (const std::size_t count : awkward_counts()) {
            const std::vector<Triangle> list = adversarial_triangles(random, count);
            const GuardedTriangles triangles(list);
            for (int round = 0; round < 4; ++round) {
                const Mover mover = random_mover(random);
                // From an odd address on, too.
                const std::size_t begin = count > 3 && round % 2 == 1 ? 3 : 0;
                const TriangleSoaView view = triangles.view().part(begin, count - begin);
                GuardedArray<std::uint64_t> out_bits(bit_word_count(view.count));
                REQUIRE(overlaps(mover.obb, view, out_bits.span()).status == Status::ok);
                require_bits(out_bits.span(), view.count,
                             [&](std::size_t i) { return overlap(mover.obb, list[begin + i]); });
                REQUIRE(swept_overlaps(mover.obb, mover.displacement, view, mover.triangle_displacement,
                                       out_bits.span())
                            .status == Status::ok);
                require_bits(out_bits.span(), view.count, [&](std::size_t i) {
                    return swept_overlap(mover.obb, mover.displacement, list[begin + i],
                                         mover.triangle_displacement);
                });
                Outputs out(view.count);
                REQUIRE(times_of_impact(mover.obb, mover.displacement, view, mover.triangle_displacement,
                                        out.toi.span(), out.axis.span())
                            .status == Status::ok);
                REQUIRE(times_of_impact(mover.obb, mover.displacement, view, mover.triangle_displacement,
                                        out.toi_alone.span())
                            .status == Status::ok);
                out.require([&](std::size_t i) { return single(mover, list[begin + i]); });
            }
        }
    });
}

TEST_CASE("one box against listed triangles: every ISA and count gives the bits of the single functions") {
    for_each_isa([](Isa) {
        Random random(72);
        const std::vector<Triangle> list = adversarial_triangles(random, 77);
        const GuardedTriangles triangles(list);
        const GuardedArray<Triangle> guarded_rows(list);
        const std::span<const Triangle> rows(guarded_rows.data(), guarded_rows.size());
        for (const std::size_t count : awkward_counts()) {
            GuardedArray<std::uint32_t> indices(count);
            for (std::uint32_t& index : indices.span()) index = random.below(77);
            const Mover mover = random_mover(random);
            GuardedArray<std::uint64_t> out_bits(bit_word_count(count));
            REQUIRE(overlaps(mover.obb, triangles.view(), indices.span(), out_bits.span()).status ==
                    Status::ok);
            const auto is_hit = [&](std::size_t i) { return overlap(mover.obb, list[indices[i]]); };
            require_bits(out_bits.span(), count, is_hit);
            REQUIRE(overlaps(mover.obb, rows, indices.span(), out_bits.span()).status == Status::ok);
            require_bits(out_bits.span(), count, is_hit);
            Outputs out(count);
            REQUIRE(times_of_impact(mover.obb, mover.displacement, triangles.view(),
                                    mover.triangle_displacement, indices.span(), out.toi.span(),
                                    out.axis.span())
                        .status == Status::ok);
            REQUIRE(times_of_impact(mover.obb, mover.displacement, triangles.view(),
                                    mover.triangle_displacement, indices.span(), out.toi_alone.span())
                        .status == Status::ok);
            out.require([&](std::size_t i) { return single(mover, list[indices[i]]); });
            Outputs of_rows(count);
            for (const std::span<float> toi : {of_rows.toi.span(), of_rows.toi_alone.span()}) {
                const bool has_axis = toi.data() == of_rows.toi.data();
                REQUIRE(times_of_impact(mover.obb, mover.displacement, rows, mover.triangle_displacement,
                                        indices.span(), toi,
                                        has_axis ? of_rows.axis.span() : std::span<ContactAxis>())
                            .status == Status::ok);
            }
            of_rows.require([&](std::size_t i) { return single(mover, list[indices[i]]); });
        }
    });
}

TEST_CASE("pairs: every ISA, count and run length gives the bits of the single functions") {
    for_each_isa([](Isa) {
        Random random(73);
        const std::vector<Triangle> list = adversarial_triangles(random, 61);
        const GuardedTriangles triangles(list);
        const GuardedArray<Triangle> guarded_rows(list);
        const std::span<const Triangle> rows(guarded_rows.data(), guarded_rows.size());
        std::vector<Mover> movers(9);
        for (Mover& mover : movers) mover = random_mover(random);
        GuardedArray<Obb> obbs(movers.size());
        GuardedArray<Vec3> displacements(movers.size());
        for (std::size_t i = 0; i < movers.size(); ++i) {
            // One displacement for the mesh.
            movers[i].triangle_displacement = {0.5f, -1, 0.25f};
            obbs[i] = movers[i].obb;
            displacements[i] = movers[i].displacement;
        }
        for (const std::size_t count : awkward_counts()) {
            GuardedArray<IndexPair> pairs(count);
            const std::uint32_t one_in = 1 + random.below(40);
            std::uint32_t obb_index = 0;
            for (IndexPair& pair : pairs.span()) {
                if (random.chance(one_in)) obb_index = random.below(9);
                pair = {obb_index, random.below(61)};
            }
            GuardedArray<std::uint64_t> out_bits(bit_word_count(count));
            REQUIRE(overlaps(obbs.span(), triangles.view(), pairs.span(), out_bits.span()).status ==
                    Status::ok);
            const auto is_hit = [&](std::size_t i) {
                return overlap(obbs[pairs[i].first], list[pairs[i].second]);
            };
            require_bits(out_bits.span(), count, is_hit);
            REQUIRE(overlaps(obbs.span(), rows, pairs.span(), out_bits.span()).status == Status::ok);
            require_bits(out_bits.span(), count, is_hit);
            Outputs of_arrays(count);
            REQUIRE(times_of_impact(obbs.span(), displacements.span(), triangles.view(), {0.5f, -1, 0.25f},
                                    pairs.span(), of_arrays.toi.span(), of_arrays.axis.span())
                        .status == Status::ok);
            REQUIRE(times_of_impact(obbs.span(), displacements.span(), triangles.view(), {0.5f, -1, 0.25f},
                                    pairs.span(), of_arrays.toi_alone.span())
                        .status == Status::ok);
            const auto expected = [&](std::size_t i) {
                return single(movers[pairs[i].first], list[pairs[i].second]);
            };
            of_arrays.require(expected);
            Outputs of_rows(count);
            REQUIRE(times_of_impact(obbs.span(), displacements.span(), rows, {0.5f, -1, 0.25f}, pairs.span(),
                                    of_rows.toi.span(), of_rows.axis.span())
                        .status == Status::ok);
            REQUIRE(times_of_impact(obbs.span(), displacements.span(), rows, {0.5f, -1, 0.25f}, pairs.span(),
                                    of_rows.toi_alone.span())
                        .status == Status::ok);
            of_rows.require(expected);
            // No displacements: no box moves.
            Outputs out(count);
            for (const std::span<float> toi : {out.toi.span(), out.toi_alone.span()}) {
                REQUIRE(times_of_impact(obbs.span(), {}, triangles.view(), {0.5f, -1, 0.25f}, pairs.span(),
                                        toi, out.axis.span())
                            .status == Status::ok);
            }
            out.require([&](std::size_t i) {
                return first_impact(obbs[pairs[i].first], {}, list[pairs[i].second], {0.5f, -1, 0.25f});
            });
        }
    });
}

TEST_CASE("many boxes against one triangle: every ISA and count gives the bits of the single functions") {
    for_each_isa([](Isa) {
        Random random(75);
        for (const std::size_t count : awkward_counts()) {
            std::vector<Mover> movers(count);
            std::vector<std::unique_ptr<GuardedArray<float>>> numbers;
            for (int k = 0; k < 18; ++k) numbers.push_back(std::make_unique<GuardedArray<float>>(count));
            for (std::size_t i = 0; i < count; ++i) {
                movers[i] = random_mover(random);
                const Obb& o = movers[i].obb;
                std::size_t k = 0;
                for (const Vec3& v :
                     {o.center, o.axis_x, o.axis_y, o.axis_z, o.half_extent, movers[i].displacement}) {
                    for (const float number : {v.x, v.y, v.z}) (*numbers[k++])[i] = number;
                }
            }
            const auto vectors = [&](std::size_t k) -> Vec3SoaView {
                return {numbers[k]->data(), numbers[k + 1]->data(), numbers[k + 2]->data(), count};
            };
            const ObbSoaView obbs = {vectors(0), vectors(3), vectors(6), vectors(9), vectors(12)};
            const Triangle triangle = adversarial_triangle(random);
            const Vec3 triangle_moves = adversarial_displacement(random);
            GuardedArray<std::uint64_t> out_bits(bit_word_count(count));
            REQUIRE(overlaps(obbs, triangle, out_bits.span()).status == Status::ok);
            require_bits(out_bits.span(), count,
                         [&](std::size_t i) { return overlap(movers[i].obb, triangle); });
            for (const bool has_displacements : {true, false}) {
                const Vec3SoaView displacements = has_displacements ? vectors(15) : Vec3SoaView{};
                Outputs out(count);
                REQUIRE(times_of_impact(obbs, displacements, triangle, triangle_moves, out.toi.span(),
                                        out.axis.span())
                            .status == Status::ok);
                REQUIRE(times_of_impact(obbs, displacements, triangle, triangle_moves, out.toi_alone.span())
                            .status == Status::ok);
                out.require([&](std::size_t i) {
                    return first_impact(movers[i].obb, has_displacements ? movers[i].displacement : Vec3{},
                                        triangle, triangle_moves);
                });
            }
        }
    });
}

TEST_CASE("shuffling or splitting a batch of pairs changes no result") {
    for_each_isa([](Isa) {
        Random random(74);
        const std::vector<Triangle> list = adversarial_triangles(random, 200);
        const GuardedTriangles triangles(list);
        std::vector<Obb> obbs(7);
        std::vector<Vec3> displacements(7);
        for (Obb& obb : obbs) obb = random_obb(random, 1.0f, 1.0f);
        for (Vec3& displacement : displacements) displacement = random_vec3(random, 3.0f);
        std::vector<IndexPair> pairs;
        for (std::uint32_t obb = 0; obb < 7; ++obb) {
            for (std::uint32_t triangle = 0; triangle < 200; ++triangle) pairs.push_back({obb, triangle});
        }
        const auto impacts = [&](std::span<const IndexPair> part, std::span<float> out_toi) {
            REQUIRE(times_of_impact(obbs, displacements, triangles.view(), {}, part, out_toi).status ==
                    Status::ok);
        };
        std::vector<float> expected(pairs.size());
        impacts(pairs, expected);
        std::vector<float> split(pairs.size());
        for (std::size_t begin = 0; begin < pairs.size();) {
            const std::size_t count = std::min<std::size_t>(pairs.size() - begin, 1 + random.below(90));
            impacts(std::span(pairs).subspan(begin, count), std::span(split).subspan(begin, count));
            begin += count;
        }
        std::vector<IndexPair> shuffled = pairs;
        for (std::size_t i = shuffled.size(); i > 1; --i) {
            std::swap(shuffled[i - 1], shuffled[random.below(static_cast<std::uint32_t>(i))]);
        }
        std::vector<float> mixed(pairs.size());
        impacts(shuffled, mixed);
        int hit_count = 0;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            hit_count += expected[i] <= 1.0f ? 1 : 0;
            REQUIRE(same_bits(split[i], expected[i]));
            REQUIRE(same_bits(mixed[i], expected[shuffled[i].first * 200 + shuffled[i].second]));
        }
        CHECK(hit_count > 100);
    });
}

TEST_CASE("invalid arguments of the oriented-box batches are reported and nothing is written") {
    const GuardedTriangles triangles(std::vector<Triangle>(3));
    const Obb obb = world_box({0, 0, 0}, {1, 1, 1});
    TriangleSoaView unreadable;
    unreadable.count = 2;
    std::uint64_t word = 0xABCD;
    float toi[3] = {7, 7, 7};
    ContactAxis axis[3] = {ContactAxis::box_y, ContactAxis::box_y, ContactAxis::box_y};
    const std::uint32_t indices[] = {0, 3};
    const IndexPair pairs[] = {{0, 1}, {0, 2}, {1, 0}};
    const std::span<const Obb> obbs(&obb, 1);

    CHECK(overlaps(obb, triangles.view(), {}).status == Status::capacity_exceeded);
    CHECK(overlaps(obb, unreadable, {&word, 1}).status == Status::invalid_argument);
    CHECK(times_of_impact(obb, {}, unreadable, {}, toi).status == Status::invalid_argument);
    CHECK(times_of_impact(obb, {}, triangles.view(), {}, {toi, 2}).status == Status::capacity_exceeded);
    CHECK(times_of_impact(obb, {}, triangles.view(), {}, toi, {axis, 2}).status == Status::capacity_exceeded);

    CHECK(overlaps(obb, triangles.view(), indices, {}).status == Status::capacity_exceeded);
    const BatchResult listed = overlaps(obb, triangles.view(), indices, {&word, 1});
    CHECK(listed.status == Status::invalid_argument);
    CHECK(listed.bad_index == 1);
    CHECK(times_of_impact(obb, {}, triangles.view(), {}, indices, toi).bad_index == 1);
    CHECK(times_of_impact(obb, {}, triangles.view(), {}, indices, {toi, 1}).status ==
          Status::capacity_exceeded);

    CHECK(overlaps(obbs, triangles.view(), pairs, {&word, 1}).bad_index == 2);
    CHECK(overlaps(obbs, unreadable, pairs, {&word, 1}).status == Status::invalid_argument);
    const Vec3 displacements[2] = {};
    CHECK(times_of_impact(obbs, {displacements, 1}, triangles.view(), {}, pairs, toi).bad_index == 2);
    CHECK(times_of_impact(obbs, displacements, triangles.view(), {}, pairs, toi).status ==
          Status::invalid_argument);
    CHECK(times_of_impact(obbs, {displacements, 1}, triangles.view(), {}, pairs, {toi, 2}).status ==
          Status::capacity_exceeded);

    ObbSoa soa;
    REQUIRE(soa.resize(3) == Status::ok);
    ObbSoaView uneven = soa.view();
    uneven.half_extent.count = 1;
    const float zeros[2] = {};
    CHECK(swept_overlaps(obb, {}, triangles.view(), {}, {}).status == Status::capacity_exceeded);
    CHECK(swept_overlaps(obb, {}, unreadable, {}, {&word, 1}).status == Status::invalid_argument);
    CHECK(overlaps(soa, {}, {}).status == Status::capacity_exceeded);
    CHECK(overlaps(uneven, {}, {&word, 1}).status == Status::invalid_argument);
    CHECK(times_of_impact(soa, {}, {}, {}, {toi, 2}).status == Status::capacity_exceeded);
    CHECK(times_of_impact(soa, {zeros, zeros, zeros, 2}, {}, {}, toi).status == Status::invalid_argument);
    const std::vector<Triangle> rows(3);
    CHECK(overlaps(obb, rows, indices, {&word, 1}).bad_index == 1);
    CHECK(times_of_impact(obb, {}, rows, {}, indices, toi).bad_index == 1);
    CHECK(overlaps(obbs, rows, pairs, {&word, 1}).bad_index == 2);
    CHECK(times_of_impact(obbs, displacements, rows, {}, pairs, toi).status == Status::invalid_argument);

    CHECK(word == 0xABCD);
    for (const float value : toi) CHECK(value == 7);
    for (const ContactAxis value : axis) CHECK(value == ContactAxis::box_y);
    CHECK(overlaps(obb, {}, {}).status == Status::ok);
    CHECK(times_of_impact(std::span<const Obb>{}, {}, TriangleSoaView{}, {}, {}, {}).status == Status::ok);
}
