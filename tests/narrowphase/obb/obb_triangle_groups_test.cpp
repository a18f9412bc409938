// Culling of whole groups of triangles: it changes no bit, and its bounds are never stale.
#include "tests/narrowphase/obb/obb_triangle_oracle.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/suites.hpp"

#include <bit>

using namespace broadside;
using namespace broadside::test;

namespace {

struct Answers {
    explicit Answers(std::size_t count)
        : bits(bit_word_count(count)), swept_bits(bit_word_count(count)), toi(count), axis(count) {}
    std::vector<std::uint64_t> bits;
    std::vector<std::uint64_t> swept_bits;
    std::vector<float> toi;
    std::vector<ContactAxis> axis;
};

Answers answers_of(const Obb& obb, Vec3 displacement, const TriangleSoaView& triangles,
                   Vec3 triangle_displacement) {
    Answers out(triangles.count);
    REQUIRE(overlaps(obb, triangles, out.bits).status == Status::ok);
    REQUIRE(swept_overlaps(obb, displacement, triangles, triangle_displacement, out.swept_bits).status ==
            Status::ok);
    REQUIRE(times_of_impact(obb, displacement, triangles, triangle_displacement, out.toi, out.axis).status ==
            Status::ok);
    return out;
}

void require_same_answers(const Answers& a, const Answers& b) {
    REQUIRE(a.bits == b.bits);
    REQUIRE(a.swept_bits == b.swept_bits);
    REQUIRE(a.axis == b.axis);
    for (std::size_t i = 0; i < a.toi.size(); ++i) REQUIRE(same_bits(a.toi[i], b.toi[i]));
}

// Groups of triangles near one position each, so that some are culled; thin ones, far ones and special
// numbers among them.
TriangleSoa make_mesh(Random& random, std::size_t count) {
    TriangleSoa mesh;
    REQUIRE(mesh.resize(count) == Status::ok);
    Vec3 place;
    for (std::size_t i = 0; i < count; ++i) {
        if (i % kTrianglesPerGroup == 0) place = random_vec3(random, 5.0f);
        Triangle t = random.chance(40) ? adversarial_triangle(random) : random_triangle(random, 1.0f, 0.6f);
        if (random.chance(4)) t.c = t.a + (t.b - t.a) * random.unit() + random_vec3(random, 1e-4f);
        mesh.set(i, moved(t, place));
    }
    REQUIRE(mesh.update_group_bounds() == Status::ok);
    return mesh;
}

}  // namespace

TEST_CASE("skipping groups of triangles changes no bit of any result") {
    for_each_isa([](Isa) {
        Random random(91);
        std::size_t hit_count = 0;
        for (const std::size_t count : {1u, 15u, 16u, 17u, 63u, 64u, 250u, 257u, 1000u}) {
            const TriangleSoa mesh = make_mesh(random, count);
            REQUIRE(mesh.view().group_bounds.count == (count + 15) / 16);
            for (int round = 0; round < 60; ++round) {
                const Obb obb = random.chance(6) ? adversarial_obb(random) : random_obb(random, 3.0f, 1.0f);
                const Vec3 displacement =
                    random.chance(6) ? adversarial_displacement(random) : random_vec3(random, 2.0f);
                const Vec3 other = random.chance(2) ? Vec3{} : random_vec3(random, 2.0f);
                TriangleSoaView plain = mesh;
                plain.group_bounds = {};
                const Answers expected = answers_of(obb, displacement, plain, other);
                require_same_answers(answers_of(obb, displacement, mesh, other), expected);
                for (const float toi : expected.toi) hit_count += toi <= 1.0f ? 1 : 0;
                // A subrange that begins with a group, and one that does not.
                for (const std::size_t begin : {std::size_t{16}, std::size_t{5}}) {
                    if (begin >= count) continue;
                    require_same_answers(
                        answers_of(obb, displacement, mesh.view().part(begin, count - begin), other),
                        answers_of(obb, displacement, plain.part(begin, count - begin), other));
                }
            }
        }
        CHECK(hit_count > 1000);
    });
}

// Found by fuzzing, with axes of zeros: all triangles meet such a box, and groups of them did not.
TEST_CASE("skipping groups of triangles changes no bit if the axes are no axes of a box") {
    Random random(93);
    const TriangleSoa mesh = make_mesh(random, 500);
    TriangleSoaView without_bounds = mesh.view();
    without_bounds.group_bounds = {};
    std::size_t hit_count = 0;
    for (int round = 0; round < 300; ++round) {
        Obb obb = random_obb(random, 5.0f, 1.0f);
        Vec3* const axes[] = {&obb.axis_x, &obb.axis_y, &obb.axis_z};
        Vec3& axis = *axes[random.below(3)];
        switch (round % 6) {
            case 0:
                axis = {};
                break;
            case 1:
                axis = axis * 0.01f;
                break;
            case 2:
                axis = *axes[random.below(3)];
                break;
            case 3:
                axis = axis + random_vec3(random, 0x1p-10f);
                break;
            case 4:
                obb.axis_x = obb.axis_y = obb.axis_z = {};
                break;
            default:
                axis = random.chance(2) ? axis * 1e30f : Vec3{kNaN, 0, 0};
                break;
        }
        const Vec3 displacement = random_vec3(random, 2.0f);
        const Answers expected = [&] {
            const ScopedIsa scalar(Isa::scalar);
            return answers_of(obb, displacement, without_bounds, {});
        }();
        for_each_isa([&](Isa) { require_same_answers(answers_of(obb, displacement, mesh, {}), expected); });
        hit_count += static_cast<std::size_t>(std::popcount(expected.bits[0]));
    }
    CHECK(hit_count > 1000);
}

TEST_CASE("skipping groups of triangles changes no bit at any scale, nor if scales differ" * kLong) {
    for_each_isa([](Isa) {
        Random random(93);
        std::size_t hit_count = 0;
        std::size_t left_out_count = 0;
        for (int exponent = -148; exponent <= 58; ++exponent) {
            CAPTURE(exponent);
            const float scale = std::ldexp(1.0f, exponent);
            TriangleSoa mesh;
            REQUIRE(mesh.resize(40 * kTrianglesPerGroup) == Status::ok);
            for (std::size_t group = 0; group < 40; ++group) {
                // Every other group holds triangles of a scale of its own.
                const int other = static_cast<int>(random.below(207)) - 148;
                const float size = group % 2 == 0 ? scale : std::ldexp(1.0f, std::min(other, exponent));
                const Vec3 place = random_vec3(random, 1.5f) * scale;
                for (std::size_t i = 0; i < kTrianglesPerGroup; ++i) {
                    const Triangle t = random_triangle(random, 0.2f, 0.3f);
                    mesh.set(group * kTrianglesPerGroup + i,
                             moved({t.a * size, t.b * size, t.c * size}, place));
                }
            }
            REQUIRE(mesh.update_group_bounds() == Status::ok);
            TriangleSoaView plain = mesh;
            plain.group_bounds = {};
            for (int round = 0; round < 4; ++round) {
                Obb obb = random_obb(random, 1.0f, 1.0f);
                obb.center = obb.center * scale;
                obb.half_extent = obb.half_extent * scale;
                const Vec3 displacement = random_vec3(random, 2.0f) * scale;
                const Answers expected = answers_of(obb, displacement, plain, {});
                require_same_answers(answers_of(obb, displacement, mesh, {}), expected);
                for (const float toi : expected.toi) hit_count += toi <= 1.0f ? 1 : 0;
                for (const float toi : expected.toi) left_out_count += toi <= 1.0f ? 0 : 1;
            }
        }
        CHECK(hit_count > 10000);
        CHECK(left_out_count > 10000);
    });
}

TEST_CASE("a group at the very rim of a box is never skipped wrongly, also with thin triangles") {
    const ScopedIsa scope(supported_isas().back());
    Random random(92);
    int hit_count = 0;
    for (int i = 0; i < 30000; ++i) {
        Obb obb = random_obb(random, 1.0f, 1.0f);
        Triangle t = random_triangle(random, 1.0f, 1.0f);
        if (random.chance(2)) {
            t.c = t.a + (t.b - t.a) * random.unit() +
                  random_vec3(random, 1.0f) * std::exp2(-random.uniform(4, 22));
        }
        V3<long double> axis = {};
        for (int k = 0; k < 2; ++k) {
            const long double gap = signed_gap(in_box<long double>(obb, t, {}), &axis);
            const auto part = [&](float x, float y, float z) {
                return static_cast<float>(-gap * (axis.x * x + axis.y * y + axis.z * z));
            };
            t = moved(t, {part(obb.axis_x.x, obb.axis_y.x, obb.axis_z.x),
                          part(obb.axis_x.y, obb.axis_y.y, obb.axis_z.y),
                          part(obb.axis_x.z, obb.axis_y.z, obb.axis_z.z)});
        }
        const Vec3 origin = random_direction(random) * (random.chance(2) ? 1e5f : 0.0f);
        obb.center = obb.center + origin;
        t = moved(t, origin + random_direction(random) * std::exp2(-random.uniform(6, 24)));
        TriangleSoa mesh;
        REQUIRE(mesh.resize(1) == Status::ok);
        mesh.set(0, t);
        REQUIRE(mesh.update_group_bounds() == Status::ok);
        std::uint64_t word = 0;
        REQUIRE(overlaps(obb, mesh, {&word, 1}).status == Status::ok);
        REQUIRE(word == (overlap(obb, t) ? 1u : 0u));
        hit_count += word != 0 ? 1 : 0;
    }
    CHECK(hit_count > 5000);
}

TEST_CASE("bounds of groups exist after assign and update, and are dropped when a triangle changes") {
    const Vec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {kNaN, 0, 0}};
    const std::uint32_t indices[] = {0, 1, 2, 1, 2, 3};
    TriangleSoa mesh;
    REQUIRE(mesh.assign(positions, indices).status == Status::ok);
    REQUIRE(mesh.view().group_bounds.count == 1);
    // The triangle that is not finite is not in them.
    CHECK(mesh.view().group_bounds[0] == Aabb{{0, 0, 0}, {1, 1, 0}});
    mesh.set(0, {{0, 0, 9}, {1, 0, 9}, {0, 1, 9}});
    CHECK(mesh.view().group_bounds.count == 0);
    REQUIRE(mesh.update_group_bounds() == Status::ok);
    CHECK(mesh.view().group_bounds[0] == Aabb{{0, 0, 9}, {1, 1, 9}});
    REQUIRE(mesh.resize(40) == Status::ok);
    CHECK(mesh.view().group_bounds.count == 0);
    REQUIRE(mesh.update_group_bounds() == Status::ok);
    CHECK(mesh.view().group_bounds.count == 3);
    TriangleSoaView wrong = mesh;
    wrong.group_bounds.count = 2;
    CHECK_FALSE(wrong.is_readable());
    mesh.clear();
    CHECK(mesh.view().group_bounds.count == 0);
}
