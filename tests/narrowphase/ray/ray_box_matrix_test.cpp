// The reference cases of ray against box that published slab tests get wrong, for the single function and
// every batch form on every ISA.
#include "tests/narrowphase/ray/centered_cube.hpp"
#include "tests/narrowphase/ray/ray_box_support.hpp"
#include "tests/support/for_each_isa.hpp"

#include <broadside/ray_box4.hpp>

#include <cmath>

using namespace broadside;
using namespace broadside::test;

namespace {

constexpr float kMiss = kNoIntersection;
constexpr float kFar = FLT_MAX;
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr Aabb kFlat = {{-1, 0, -1}, {1, 0, 1}};
constexpr Aabb kPoint = {{1, 1, 1}, {1, 1, 1}};
constexpr Aabb kEverything = {{-kInf, -kInf, -kInf}, {kInf, kInf, kInf}};
const float kPastOne = std::nextafter(1.0f, 2.0f);
const float kBelowNormal = std::nextafter(FLT_MIN, 0.0f);
const float kBeforeTwo = std::nextafter(2.0f, 0.0f);

struct Case {
    const char* name;
    Ray ray;
    Aabb box;
    bool has_hit;
    // Under Inside::zero; kMiss on a miss.
    float t_enter;
    // The entry lies before the start, so that the policies differ.
    bool starts_inside = false;
    Face face = Face::none;
};

const Case kCases[] = {
    {"parallel inside, +0", {{-3, 0, 0}, {1, 0.0f, 0.0f}}, kCenteredCube, true, 2, false, Face::min_x},
    {"parallel inside, -0", {{-3, 0, 0}, {1, -0.0f, -0.0f}}, kCenteredCube, true, 2, false, Face::min_x},
    {"parallel above, +0", {{-3, 2, 0}, {1, 0.0f, 0.0f}}, kCenteredCube, false, kMiss},
    {"parallel above, -0", {{-3, 2, 0}, {1, -0.0f, -0.0f}}, kCenteredCube, false, kMiss},
    {"parallel below, +0", {{-3, -2, 0}, {1, 0.0f, 0.0f}}, kCenteredCube, false, kMiss},
    {"parallel below, -0", {{-3, -2, 0}, {1, -0.0f, -0.0f}}, kCenteredCube, false, kMiss},
    {"parallel on the min plane, +0",
     {{-3, -1, 0}, {1, 0.0f, 0.0f}},
     kCenteredCube,
     true,
     2,
     false,
     Face::min_x},
    {"parallel on the min plane, -0",
     {{-3, -1, 0}, {1, -0.0f, -0.0f}},
     kCenteredCube,
     true,
     2,
     false,
     Face::min_x},
    {"parallel on the max plane, +0",
     {{-3, 1, 0}, {1, 0.0f, 0.0f}},
     kCenteredCube,
     true,
     2,
     false,
     Face::min_x},
    {"parallel on the max plane, -0",
     {{-3, 1, 0}, {1, -0.0f, -0.0f}},
     kCenteredCube,
     true,
     2,
     false,
     Face::min_x},
    {"parallel one ulp past the max plane", {{-3, kPastOne, 0}, {1, 0, 0}}, kCenteredCube, false, kMiss},
    {"two parallel axes along an edge",
     {{-3, 1, -1}, {1, 0.0f, -0.0f}},
     kCenteredCube,
     true,
     2,
     false,
     Face::min_x},
    {"two parallel axes, one ulp off the edge", {{-3, 1, -kPastOne}, {1, 0, 0}}, kCenteredCube, false, kMiss},
    {"flat box, ray in its plane", {{3, 0, 0}, {-1, 0, 0}}, kFlat, true, 2, false, Face::max_x},
    {"flat box, ray across", {{0, 3, 0}, {0, -1, 0}}, kFlat, true, 3, false, Face::max_y},
    {"flat box, ray beside its plane", {{-3, 0.5f, 0}, {1, 0, 0}}, kFlat, false, kMiss},
    {"point box on the ray", {{0, 0, 0}, {1, 1, 1}}, kPoint, true, 1, false, Face::min_x},
    {"point box beside the ray", {{0, 0, 0}, {1, 1, 0.5f}}, kPoint, false, kMiss},
    {"start inside", {{0, 0, 0}, {1, 0, 0}}, kCenteredCube, true, 0, true},
    {"start on a face, moving in", {{-1, 0, 0}, {1, 0, 0}}, kCenteredCube, true, 0, false, Face::min_x},
    {"start on a face, moving out", {{1, 0, 0}, {1, 0, 0}}, kCenteredCube, true, 0, true},
    {"start on a corner, moving in", {{1, 1, 1}, {-1, -1, -1}}, kCenteredCube, true, 0, false, Face::max_x},
    {"start on a corner, moving out", {{1, 1, 1}, {1, 1, 1}}, kCenteredCube, true, 0, true},
    {"box behind", {{3, 0, 0}, {1, 0, 0}}, kCenteredCube, false, kMiss},
    {"ends on the face", {{-3, 0, 0}, {1, 0, 0}, 2}, kCenteredCube, true, 2, false, Face::min_x},
    {"ends one ulp before the face", {{-3, 0, 0}, {1, 0, 0}, kBeforeTwo}, kCenteredCube, false, kMiss},
    {"grazes an edge", {{-2, 0, 0}, {1, 1, 0}}, kCenteredCube, true, 1, false, Face::min_x},
    {"grazes a corner", {{-2, 0, 0}, {1, 1, 1}}, kCenteredCube, true, 1, false, Face::min_x},
    {"passes an edge at 1e-6", {{-2, 1e-6f, 0}, {1, 1, 0}}, kCenteredCube, false, kMiss},
    {"denormal direction is zero length", {{-3, 0, 0}, {kDenormal, 0, 0}}, kCenteredCube, false, kMiss},
    {"denormal component is parallel",
     {{-3, 1, 0}, {1, -kDenormal, 0}},
     kCenteredCube,
     true,
     2,
     false,
     Face::min_x},
    {"direction just below FLT_MIN is zero length",
     {{-3, 0, 0}, {kBelowNormal, 0, 0}},
     kCenteredCube,
     false,
     kMiss},
    {"direction of FLT_MIN",
     {{-1.5f, 0, 0}, {FLT_MIN, 0, 0}},
     kCenteredCube,
     true,
     0.5f / FLT_MIN,
     false,
     Face::min_x},
    {"direction of 1e-30",
     {{-3, 0, 0}, {1e-30f, 0, 0}},
     kCenteredCube,
     true,
     2 * (1 / 1e-30f),
     false,
     Face::min_x},
    {"direction of 1e-8",
     {{-3, 0, 0}, {0, 0, 1e-8f}},
     {{-4, -1, 2}, {-2, 1, 3}},
     true,
     2 * (1 / 1e-8f),
     false,
     Face::min_z},
    {"direction of 1e-10",
     {{0, -3, 0}, {0, 1e-10f, 0}},
     kCenteredCube,
     true,
     2 * (1 / 1e-10f),
     false,
     Face::min_y},
    {"coordinates of 1e30",
     {{0, 0, 0}, {1, 0, 0}},
     {{1e30f, -1e30f, -1e30f}, {2e30f, 1e30f, 1e30f}},
     true,
     1e30f,
     false,
     Face::min_x},
    {"box of FLT_MAX", {{3, 0, 0}, {1, 0, 0}}, {{-kFar, -kFar, -kFar}, {kFar, kFar, kFar}}, true, 0, true},
    {"infinite box, parallel axes", {{3, -2, 7}, {1, 0.0f, -0.0f}}, kEverything, true, 0, true},
    {"half-infinite box ahead",
     {{0, 0, 0}, {1, 0, 0}},
     {{1, -1, -1}, {kInf, 1, 1}},
     true,
     1,
     false,
     Face::min_x},
    {"half-infinite box behind", {{0, 0, 0}, {1, 0, 0}}, {{-kInf, -1, -1}, {-1, 1, 1}}, false, kMiss},
    {"half-infinite box, parallel inside",
     {{3, -3, 0}, {0, 1, 0}},
     {{-kInf, -1, -1}, {5, 1, 1}},
     true,
     2,
     false,
     Face::min_y},
    {"inverted box", {{-3, 0, 0}, {1, 0, 0}}, {{1, -1, -1}, {-1, 1, 1}}, false, kMiss},
    {"inverted by one ulp, beyond the resolution of t",
     {{-3e7f, 0, 0}, {1, 0, 0}},
     {{kPastOne, -1, -1}, {1, 1, 1}},
     false,
     kMiss},
    {"empty box", {{-3, 0, 0}, {1, 0, 0}}, Aabb::empty(), false, kMiss},
    {"zero length inside", {{0, 0, 0}, {0.0f, -0.0f, 0.0f}}, kCenteredCube, true, 0, true},
    {"zero length on a face", {{1, 0, 0}, {0.0f, -0.0f, 0.0f}}, kCenteredCube, true, 0, true},
    {"zero length outside", {{2, 0, 0}, {0.0f, -0.0f, 0.0f}}, kCenteredCube, false, kMiss},
    {"reach of zero on a face", {{-1, 0, 0}, {1, 0, 0}, -0.0f}, kCenteredCube, true, 0, false, Face::min_x},
    {"box at +infinity", {{0, 0, 0}, {1, 0, 0}}, {{kInf, -1, -1}, {kInf, 1, 1}}, false, kMiss},
    {"box at -infinity", {{0, 0, 0}, {1, 0, 0}}, {{-kInf, -1, -1}, {-kInf, 1, 1}}, false, kMiss},
    {"NaN box", {{-3, 0, 0}, {1, 0, 0}}, {{kNaN, kNaN, kNaN}, {kNaN, kNaN, kNaN}}, false, kMiss},
    {"one NaN corner", {{-3, 0, 0}, {1, 0, 0}}, {{-1, -1, -1}, {1, kNaN, 1}}, false, kMiss},
    {"NaN origin", {{-3, kNaN, 0}, {1, 0, 0}}, kCenteredCube, false, kMiss},
    {"NaN direction", {{-3, 0, 0}, {1, 0, kNaN}}, kCenteredCube, false, kMiss},
    {"infinite direction", {{-3, 0, 0}, {kInf, 0, 0}}, kCenteredCube, false, kMiss},
    {"infinite origin", {{-kInf, 0, 0}, {1, 0, 0}}, kCenteredCube, false, kMiss},
    {"NaN reach", {{-3, 0, 0}, {1, 0, 0}, kNaN}, kCenteredCube, false, kMiss},
    {"negative reach", {{0, 0, 0}, {1, 0, 0}, -1}, kCenteredCube, false, kMiss},
};
constexpr std::size_t kCaseCount = std::size(kCases);
static_assert(kCaseCount >= 40);

// Every float of the case mirrored, and the axes turned: 48 versions of it, whose results must agree.
struct Placement {
    unsigned negated_axes;
    unsigned turn;
    bool is_swapped;
};
Vec3 place(Vec3 v, const Placement& placement) {
    if (placement.is_swapped) v = {v.y, v.x, v.z};
    for (unsigned i = 0; i < placement.turn; ++i) v = {v.y, v.z, v.x};
    if ((placement.negated_axes & 1) != 0) v.x = -v.x;
    if ((placement.negated_axes & 2) != 0) v.y = -v.y;
    if ((placement.negated_axes & 4) != 0) v.z = -v.z;
    return v;
}
Aabb place(const Aabb& box, const Placement& placement) {
    const Vec3 a = place(box.min, placement);
    const Vec3 b = place(box.max, placement);
    const unsigned n = placement.negated_axes;
    return {{(n & 1) != 0 ? b.x : a.x, (n & 2) != 0 ? b.y : a.y, (n & 4) != 0 ? b.z : a.z},
            {(n & 1) != 0 ? a.x : b.x, (n & 2) != 0 ? a.y : b.y, (n & 4) != 0 ? a.z : b.z}};
}
template <class Body>
void for_each_placement(Body&& body) {
    for (unsigned negated_axes = 0; negated_axes < 8; ++negated_axes) {
        for (unsigned turn = 0; turn < 3; ++turn) {
            for (const bool is_swapped : {false, true}) body(Placement{negated_axes, turn, is_swapped});
        }
    }
}

}  // namespace

TEST_CASE("K2: the reference cases have their results under every inside policy") {
    for (const Case& row : kCases) {
        INFO(row.name);
        const RaySolidHit zero = ray_box(row.ray, row.box, {Inside::zero});
        CHECK(zero.has_hit == row.has_hit);
        CHECK(same_bits(zero.t_enter, row.t_enter));
        CHECK(zero.face == row.face);
        CHECK((row.has_hit ? zero.t_enter <= zero.t_exit && zero.t_exit <= FLT_MAX : zero.t_exit == kMiss));

        const RaySolidHit negative = ray_box(row.ray, row.box, {Inside::negative_t});
        CHECK(negative.has_hit == row.has_hit);
        CHECK(same_bits(negative.t_exit, zero.t_exit));
        if (row.starts_inside) {
            CHECK((negative.t_enter < 0.0f && negative.t_enter >= -FLT_MAX));
        } else {
            CHECK(negative == zero);
        }

        const RaySolidHit miss = ray_box(row.ray, row.box, {Inside::miss});
        CHECK(miss == (row.starts_inside ? RaySolidHit{} : zero));
    }
}

TEST_CASE("K2: mirrored and turned, with the other zeros, the reference cases keep their results") {
    for (const Case& row : kCases) {
        INFO(row.name);
        for_each_placement([&](const Placement& placement) {
            const Ray ray = {place(row.ray.origin, placement), place(row.ray.direction, placement),
                             row.ray.t_max};
            const Aabb box = place(row.box, placement);
            for (const Inside inside : kInsidePolicies) {
                const RaySolidHit expected = ray_box(row.ray, row.box, {inside});
                const RaySolidHit hit = ray_box(ray, box, {inside});
                REQUIRE(hit.has_hit == expected.has_hit);
                REQUIRE(same_bits(hit.t_enter, expected.t_enter));
                REQUIRE(same_bits(hit.t_exit, expected.t_exit));
                REQUIRE((hit.face == Face::none) == (expected.face == Face::none));
            }
        });
    }
}

TEST_CASE("K2: every batch form on every ISA gives the reference cases the result of the single function") {
    for_each_isa([](Isa) {
        std::vector<Ray> rays;
        std::vector<Aabb> list;
        for (const Case& row : kCases) {
            rays.push_back(row.ray);
            list.push_back(row.box);
        }
        const GuardedBoxes boxes(list);
        const std::size_t row_words = bit_word_count(kCaseCount);
        for (const Inside inside : kInsidePolicies) {
            // Each ray against all boxes, so that every case meets every lane's neighbours.
            std::vector<std::uint64_t> bits(kCaseCount * row_words);
            std::vector<TreeHit> closest(kCaseCount);
            REQUIRE(ray_boxes(rays, boxes.view(), {inside}, bits).status == Status::ok);
            std::vector<IndexPair> pairs;
            for (std::uint32_t r = 0; r < kCaseCount; ++r) {
                RayBoxResults results(kCaseCount);
                REQUIRE(ray_boxes(rays[r], boxes.view(), {inside}, results.outputs()).status == Status::ok);
                for (std::uint32_t b = 0; b < kCaseCount; ++b) {
                    const RaySolidHit expected = ray_box(rays[r], list[b], {inside});
                    INFO(kCases[r].name << " against the box of " << kCases[b].name);
                    REQUIRE(results.is(b, expected));
                    REQUIRE((bits[r * row_words + b / 64] >> (b % 64) & 1) == (expected.has_hit ? 1u : 0u));
                    pairs.push_back({r, b});
                }
                // The closest of a single box equals the single function, in any lane.
                for (std::size_t b = 0; b < kCaseCount; ++b) {
                    const RaySolidHit expected = ray_box(rays[r], list[b], {inside});
                    REQUIRE(closest_hits({&rays[r], 1}, boxes.view().part(b, 1), {inside}, {&closest[r], 1})
                                .status == Status::ok);
                    REQUIRE(same_bits(closest[r].t, expected.t_enter));
                    REQUIRE(closest[r].face == expected.face);
                    REQUIRE((closest[r].target == 0) == expected.has_hit);
                }
            }
            RayBoxResults results(pairs.size());
            REQUIRE(ray_boxes(rays, boxes.view(), pairs, {inside}, results.outputs()).status == Status::ok);
            for (std::size_t i = 0; i < pairs.size(); ++i) {
                REQUIRE(results.is(i, ray_box(rays[pairs[i].first], list[pairs[i].second], {inside})));
            }
        }
    });
}

TEST_CASE("K2: the Mask4 forms give the reference cases the result of the single function in every lane") {
    for_each_isa([](Isa) {
        for (const Inside inside : kInsidePolicies) {
            for (std::size_t c = 0; c < kCaseCount; ++c) {
                INFO(kCases[c].name);
                // The other lanes have neighbours of all kinds.
                for (unsigned lane = 0; lane < 4; ++lane) {
                    Box4 node;
                    Ray rays[4];
                    for (unsigned other = 0; other < 4; ++other) {
                        const Case& neighbour = kCases[(c + other + kCaseCount - lane) % kCaseCount];
                        node.set(other, neighbour.box);
                        rays[other] = neighbour.ray;
                    }
                    const RayBoxHit4 one_ray = ray_box(prepare_ray(kCases[c].ray, {inside}), node);
                    const RayBoxHit4 one_box = ray_box(prepare_ray4(rays, {inside}), kCases[c].box);
                    for (unsigned other = 0; other < 4; ++other) {
                        const RaySolidHit of_box = ray_box(kCases[c].ray, node[other], {inside});
                        REQUIRE(has_lane(one_ray.hits, other) == of_box.has_hit);
                        REQUIRE(same_bits(one_ray.t_enter[other], of_box.t_enter));
                        const RaySolidHit of_ray = ray_box(rays[other], kCases[c].box, {inside});
                        REQUIRE(has_lane(one_box.hits, other) == of_ray.has_hit);
                        REQUIRE(same_bits(one_box.t_enter[other], of_ray.t_enter));
                    }
                }
            }
        }
    });
}
