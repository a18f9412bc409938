// Oriented box against oriented box in batches: every ISA, count and alignment against the single functions,
// bit for bit.
#include "tests/narrowphase/obb/obb_oracle.hpp"
#include "tests/support/bits.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_array.hpp"

#include <memory>

using namespace broadside;
using namespace broadside::test;

namespace {

// Boxes in fifteen guarded arrays, and displacements in three.
class GuardedObbs {
public:
    GuardedObbs(const std::vector<Obb>& obbs, const std::vector<Vec3>& displacements) {
        for (std::size_t k = 0; k < 18; ++k) {
            arrays_.push_back(std::make_unique<GuardedArray<float>>(obbs.size()));
        }
        for (std::size_t i = 0; i < obbs.size(); ++i) {
            const Obb& o = obbs[i];
            std::size_t array = 0;
            for (const Vec3& v : {o.center, o.axis_x, o.axis_y, o.axis_z, o.half_extent, displacements[i]}) {
                for (const float number : {v.x, v.y, v.z}) (*arrays_[array++])[i] = number;
            }
        }
    }
    ObbSoaView view(std::size_t begin) const {
        return {vectors(0, begin), vectors(3, begin), vectors(6, begin), vectors(9, begin),
                vectors(12, begin)};
    }
    Vec3SoaView displacements(std::size_t begin) const { return vectors(15, begin); }

private:
    Vec3SoaView vectors(std::size_t array, std::size_t begin) const {
        return {arrays_[array]->data() + begin, arrays_[array + 1]->data() + begin,
                arrays_[array + 2]->data() + begin, arrays_[array]->size() - begin};
    }
    std::vector<std::unique_ptr<GuardedArray<float>>> arrays_;
};

struct Boxes {
    Boxes(Random& random, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            obbs.push_back(adversarial_obb(random));
            // Some with equal orientations, exactly and nearly.
            if (i > 0 && random.chance(4)) {
                const Obb& other = obbs[random.below(static_cast<std::uint32_t>(i))];
                const Obb alike = random.chance(2) ? other : turned_slightly(random, other, 1e-6f);
                obbs[i].axis_x = alike.axis_x;
                obbs[i].axis_y = alike.axis_y;
                obbs[i].axis_z = alike.axis_z;
            }
            displacements.push_back(adversarial_displacement(random));
        }
    }
    std::vector<Obb> obbs;
    std::vector<Vec3> displacements;
};

// Values and axes in guarded arrays; a run without axes must give the same values.
struct ObbOutputs {
    explicit ObbOutputs(std::size_t count) : value(count), value_alone(count), axis(count) {}
    GuardedArray<float> value;
    GuardedArray<float> value_alone;
    GuardedArray<ObbAxis> axis;

    void require_impacts(auto&& expected) {
        for (std::size_t i = 0; i < value.size(); ++i) {
            const ObbImpact impact = expected(i);
            require(i, impact.toi, impact.axis);
        }
    }
    void require_contacts(auto&& expected) {
        for (std::size_t i = 0; i < value.size(); ++i) {
            const ObbContact contact = expected(i);
            require(i, contact.depth, contact.axis);
        }
    }

private:
    void require(std::size_t i, float expected, ObbAxis expected_axis) {
        REQUIRE(same_bits(value[i], expected));
        REQUIRE(same_bits(value_alone[i], expected));
        REQUIRE(axis[i] == expected_axis);
    }
};

}  // namespace

TEST_CASE(
    "one oriented box against many: every ISA, count and alignment gives the bits of the single functions") {
    for_each_isa([](Isa) {
        Random random(171);
        for (const std::size_t count : awkward_counts()) {
            const Boxes boxes(random, count);
            const GuardedObbs guarded(boxes.obbs, boxes.displacements);
            for (int round = 0; round < 4; ++round) {
                const Obb a = count > 0 && round == 3 ? boxes.obbs[0] : adversarial_obb(random);
                const Vec3 moves = adversarial_displacement(random);
                const std::size_t begin = count > 3 && round % 2 == 1 ? 3 : 0;
                const ObbSoaView view = guarded.view(begin);
                const auto b = [&](std::size_t i) { return boxes.obbs[begin + i]; };
                GuardedArray<std::uint64_t> out_bits(bit_word_count(view.count()));
                REQUIRE(overlaps(a, view, out_bits.span()).status == Status::ok);
                require_bits(out_bits.span(), view.count(), [&](std::size_t i) { return overlap(a, b(i)); });
                ObbOutputs out(view.count());
                REQUIRE(obb_contacts(a, view, out.value.span(), out.axis.span()).status == Status::ok);
                REQUIRE(obb_contacts(a, view, out.value_alone.span()).status == Status::ok);
                out.require_contacts([&](std::size_t i) { return obb_contact(a, b(i)); });
                for (const bool has_displacements : {true, false}) {
                    const Vec3SoaView b_moves =
                        has_displacements ? guarded.displacements(begin) : Vec3SoaView{};
                    REQUIRE(
                        times_of_impact(a, moves, view, b_moves, out.value.span(), out.axis.span()).status ==
                        Status::ok);
                    REQUIRE(times_of_impact(a, moves, view, b_moves, out.value_alone.span()).status ==
                            Status::ok);
                    out.require_impacts([&](std::size_t i) {
                        return first_impact(a, moves, b(i),
                                            has_displacements ? boxes.displacements[begin + i] : Vec3{});
                    });
                }
            }
        }
    });
}

TEST_CASE("pairs of oriented boxes: every ISA and count gives the bits of the single functions") {
    for_each_isa([](Isa) {
        Random random(172);
        const Boxes boxes_a(random, 41);
        const Boxes boxes_b(random, 53);
        const GuardedArray<Obb> a(boxes_a.obbs);
        const GuardedArray<Obb> b(boxes_b.obbs);
        const GuardedArray<Vec3> a_moves(boxes_a.displacements);
        const GuardedArray<Vec3> b_moves(boxes_b.displacements);
        const std::span<const Obb> a_span(a.data(), a.size());
        const std::span<const Obb> b_span(b.data(), b.size());
        for (const std::size_t count : awkward_counts()) {
            GuardedArray<IndexPair> pairs(count);
            // The last box of each side ends at a guard page.
            for (IndexPair& pair : pairs.span())
                pair = {random.chance(4) ? 40 : random.below(41), random.chance(4) ? 52 : random.below(53)};
            const auto a_of = [&](std::size_t i) { return boxes_a.obbs[pairs[i].first]; };
            const auto b_of = [&](std::size_t i) { return boxes_b.obbs[pairs[i].second]; };
            GuardedArray<std::uint64_t> out_bits(bit_word_count(count));
            REQUIRE(overlaps(a_span, b_span, pairs.span(), out_bits.span()).status == Status::ok);
            require_bits(out_bits.span(), count, [&](std::size_t i) { return overlap(a_of(i), b_of(i)); });
            ObbOutputs out(count);
            REQUIRE(obb_contacts(a_span, b_span, pairs.span(), out.value.span(), out.axis.span()).status ==
                    Status::ok);
            REQUIRE(obb_contacts(a_span, b_span, pairs.span(), out.value_alone.span()).status == Status::ok);
            out.require_contacts([&](std::size_t i) { return obb_contact(a_of(i), b_of(i)); });
            for (int moving = 0; moving < 4; ++moving) {
                const std::span<const Vec3> of_a(a_moves.data(), (moving & 1) != 0 ? 41u : 0u);
                const std::span<const Vec3> of_b(b_moves.data(), (moving & 2) != 0 ? 53u : 0u);
                REQUIRE(times_of_impact(a_span, of_a, b_span, of_b, pairs.span(), out.value.span(),
                                        out.axis.span())
                            .status == Status::ok);
                REQUIRE(times_of_impact(a_span, of_a, b_span, of_b, pairs.span(), out.value_alone.span())
                            .status == Status::ok);
                out.require_impacts([&](std::size_t i) {
                    return first_impact(a_of(i), of_a.empty() ? Vec3{} : of_a[pairs[i].first], b_of(i),
                                        of_b.empty() ? Vec3{} : of_b[pairs[i].second]);
                });
            }
        }
    });
}

TEST_CASE("shuffling or splitting a batch of oriented-box pairs changes no result") {
    for_each_isa([](Isa) {
        Random random(173);
        const Boxes boxes(random, 60);
        std::vector<IndexPair> pairs;
        for (std::uint32_t i = 0; i < 60; ++i) {
            for (std::uint32_t j = 0; j < 60; ++j) pairs.push_back({i, j});
        }
        const auto impacts = [&](std::span<const IndexPair> part, std::span<float> out_toi) {
            REQUIRE(times_of_impact(boxes.obbs, boxes.displacements, boxes.obbs, boxes.displacements, part,
                                    out_toi)
                        .status == Status::ok);
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
        for (std::size_t i = shuffled.size(); i > 1; --i)
            std::swap(shuffled[i - 1], shuffled[random.below(static_cast<std::uint32_t>(i))]);
        std::vector<float> mixed(pairs.size());
        impacts(shuffled, mixed);
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            REQUIRE(same_bits(split[i], expected[i]));
            REQUIRE(same_bits(mixed[i], expected[shuffled[i].first * 60 + shuffled[i].second]));
        }
    });
}

TEST_CASE("invalid arguments of the oriented-box pair batches are reported and nothing is written") {
    const Obb box = world_box({0, 0, 0}, {1, 1, 1});
    const std::span<const Obb> one(&box, 1);
    ObbSoa soa;
    REQUIRE(soa.resize(3) == Status::ok);
    ObbSoaView uneven = soa.view();
    uneven.axis_y.count = 2;
    std::uint64_t word = 0xABCD;
    float value[3] = {7, 7, 7};
    ObbAxis axis[3] = {ObbAxis::b_y, ObbAxis::b_y, ObbAxis::b_y};
    const IndexPair pairs[] = {{0, 0}, {0, 1}};
    const Vec3 moves[2] = {};
    const float zeros[2] = {};

    CHECK(overlaps(box, soa, {}).status == Status::capacity_exceeded);
    CHECK(overlaps(box, uneven, {&word, 1}).status == Status::invalid_argument);
    CHECK(obb_contacts(box, soa, {value, 2}).status == Status::capacity_exceeded);
    CHECK(obb_contacts(box, soa, value, {axis, 2}).status == Status::capacity_exceeded);
    CHECK(obb_contacts(box, uneven, value).status == Status::invalid_argument);
    CHECK(times_of_impact(box, {}, soa, {zeros, zeros, zeros, 2}, value).status == Status::invalid_argument);
    CHECK(times_of_impact(box, {}, soa, {}, {value, 2}).status == Status::capacity_exceeded);
    CHECK(overlaps(one, one, pairs, {}).status == Status::capacity_exceeded);
    CHECK(overlaps(one, one, pairs, {&word, 1}).bad_index == 1);
    CHECK(obb_contacts(one, one, pairs, value).bad_index == 1);
    CHECK(obb_contacts(one, one, pairs, {value, 1}).status == Status::capacity_exceeded);
    CHECK(times_of_impact(one, moves, one, {}, pairs, value).status == Status::invalid_argument);
    CHECK(times_of_impact(one, {}, one, moves, pairs, value).status == Status::invalid_argument);
    CHECK(times_of_impact(one, {}, one, {}, pairs, value).bad_index == 1);

    CHECK(word == 0xABCD);
    for (const float number : value) CHECK(number == 7);
    for (const ObbAxis name : axis) CHECK(name == ObbAxis::b_y);
    CHECK(overlaps(box, ObbSoaView{}, {}).status == Status::ok);
    CHECK(times_of_impact(std::span<const Obb>{}, {}, std::span<const Obb>{}, {}, {}, {}).status ==
          Status::ok);
}

TEST_CASE("oriented boxes in arrays keep their values when the arrays grow") {
    Random random(174);
    std::vector<Obb> obbs(37);
    for (Obb& obb : obbs) obb = random_obb(random, 1, 1);
    ObbSoa soa;
    REQUIRE(soa.assign(obbs) == Status::ok);
    REQUIRE(soa.resize(500) == Status::ok);
    for (std::size_t i = 0; i < obbs.size(); ++i) {
        CHECK(soa[i].center == obbs[i].center);
        CHECK(soa[i].axis_x == obbs[i].axis_x);
        CHECK(soa[i].axis_y == obbs[i].axis_y);
        CHECK(soa[i].axis_z == obbs[i].axis_z);
        CHECK(soa[i].half_extent == obbs[i].half_extent);
    }
    CHECK(soa[499].half_extent == Vec3{});
    CHECK(reinterpret_cast<std::uintptr_t>(soa.view().axis_z.y) % 64 == 0);
    soa.clear();
    CHECK(soa.view().count() == 0);
    CHECK(soa.view().is_readable());
}
