// The state at the start of a step or a ray depends only on the boxes, for any tiny gap and any fast motion:
// boxes and rays whose times underflow, against comparisons of their coordinates.
#include "tests/narrowphase/moving_box/unit_boxes.hpp"
#include "tests/narrowphase/ray/ray_box_support.hpp"
#include "tests/support/for_each_isa.hpp"

#include <broadside/moving_aabb.hpp>
#include <broadside/moving_aabb_rows.hpp>
#include <broadside/ray_box4.hpp>

#include <cmath>

using namespace broadside;
using namespace broadside::test;

namespace {

// Zeros, a few of the smallest floats, and sometimes something larger.
float tiny(Random& random) {
    if (random.chance(6)) return random.grid(-1, 1);
    const float steps = random.grid(0, 4);
    const float size = random.chance(4) ? FLT_MIN : FLT_TRUE_MIN;
    return random.chance(2) ? steps * size : -(steps * size);
}
// A speed of any size, mostly so large that a tiny gap takes no time.
float speed(Random& random) {
    if (random.chance(5)) return random.chance(2) ? 0.0f : -0.0f;
    const int exponent =
        random.chance(4) ? static_cast<int>(random.below(254)) - 126 : static_cast<int>(random.below(128));
    const float value = std::ldexp(1.0f + random.unit(), exponent);
    return random.chance(2) ? std::fmin(value, FLT_MAX) : -std::fmin(value, FLT_MAX);
}
Vec3 tiny_vec3(Random& random) { return {tiny(random), tiny(random), tiny(random)}; }
Vec3 velocity(Random& random) { return {speed(random), speed(random), speed(random)}; }
Aabb tiny_box(Random& random) {
    const Vec3 a = tiny_vec3(random);
    const Vec3 b = tiny_vec3(random);
    return {min_keep(a, b), max_keep(a, b)};
}

// One axis at the start, by comparison: is the mover before, on or behind the first plane, and has it passed
// the other one?
struct Side {
    bool rests;
    bool is_before;
    bool is_on;
    bool has_left;
    Face face;
};
Side side_of(float s_min, float s_max, float m_min, float m_max, float d, int axis) {
    const bool rests = std::fabs(d) < FLT_MIN;
    const bool is_up = !std::signbit(d);
    const bool has_left = is_up ? m_min > s_max : m_max < s_min;
    const bool is_before = is_up ? m_max < s_min : m_min > s_max;
    return {rests, is_before, is_up ? m_max == s_min : m_min == s_max, has_left || (rests && is_before),
            static_cast<Face>(2 * axis + (is_up ? 0 : 1))};
}
struct Sides {
    Side axis[3];

    Sides(const Aabb& s, const Aabb& m, Vec3 d)
        : axis{side_of(s.min.x, s.max.x, m.min.x, m.max.x, d.x, 0),
               side_of(s.min.y, s.max.y, m.min.y, m.max.y, d.y, 1),
               side_of(s.min.z, s.max.z, m.min.z, m.max.z, d.z, 2)} {}
    bool has_left() const { return axis[0].has_left || axis[1].has_left || axis[2].has_left; }
    // The first face that is touched and pressed on.
    Face pressed() const {
        for (const Side& side : axis) {
            if (side.is_on && !side.rests) return side.face;
        }
        return Face::none;
    }
    // Only an axis that is not entered yet, or is touched, can be entered.
    bool may_be_entered_by(Face face) const {
        const Side& side = axis[static_cast<int>(face) / 2];
        return face != Face::none && face == side.face && !side.rests && (side.is_before || side.is_on);
    }
};
bool share_volume(const Aabb& a, const Aabb& b) {
    return a.min.x < b.max.x && b.min.x < a.max.x && a.min.y < b.max.y && b.min.y < a.max.y &&
           a.min.z < b.max.z && b.min.z < a.max.z;
}

// Movers and boxes, as lists and as the views of batches.
struct Scene {
    Scene(std::uint64_t seed, std::size_t count) {
        Random random(seed);
        for (std::size_t i = 0; i < count; ++i) {
            boxes.push_back(tiny_box(random));
            REQUIRE(soa.push_back(boxes.back()) == Status::ok);
            ways.push_back(velocity(random));
            x.push_back(ways.back().x);
            y.push_back(ways.back().y);
            z.push_back(ways.back().z);
        }
    }
    MovingBoxes moving() const { return {soa, {x.data(), y.data(), z.data(), x.size()}}; }

    std::vector<Aabb> boxes;
    std::vector<Vec3> ways;
    std::vector<float> x, y, z;
    BoxSoa soa;
};

// The outputs of a batch, with faces and without.
struct Answers {
    explicit Answers(std::size_t count) : toi(count), toi_alone(count), faces(count) {}
    template <class Ask>
    void ask(Ask&& batch) {
        REQUIRE(batch(std::span<float>(toi), std::span<Face>(faces)).status == Status::ok);
        REQUIRE(batch(std::span<float>(toi_alone), std::span<Face>()).status == Status::ok);
    }
    void require(std::size_t item, const Impact& expected) const {
        CAPTURE(item);
        REQUIRE(same_bits(toi[item], expected.toi));
        REQUIRE(same_bits(toi_alone[item], expected.toi));
        REQUIRE(faces[item] == expected.face);
    }
    std::vector<float> toi;
    std::vector<float> toi_alone;
    std::vector<Face> faces;
};

std::vector<Ray> tiny_rays(Random& random, std::size_t count) {
    std::vector<Ray> rays(count);
    for (Ray& ray : rays) {
        ray = {tiny_vec3(random), velocity(random)};
        if (random.chance(4)) ray.t_max = random.chance(2) ? 0.0f : random.unit();
    }
    return rays;
}

constexpr RaySettings kRaySettings[] = {
    {Inside::miss}, {Inside::negative_t}, {Inside::zero}, {Inside::miss, true}, {Inside::zero, true}};

}  // namespace

TEST_CASE("boxes that overlap at the start meet at 0, and name a face only if it is touched and pressed on") {
    Random random(1);
    int inside_count = 0;
    int pressed_count = 0;
    for (int round = 0; round < 400000; ++round) {
        const Aabb s = tiny_box(random);
        const Aabb m = tiny_box(random);
        const Vec3 d = velocity(random);
        const Sides sides(s, m, d);
        if (overlap(s, m)) {
            const Impact impact = first_impact(s, m, d);
            REQUIRE(same_bits(impact.toi, 0.0f));
            REQUIRE(impact.face == sides.pressed());
            pressed_count += impact.face != Face::none ? 1 : 0;
        }
        if (share_volume(s, m)) {
            for (const Touch touch : kPolicies) {
                const Impact impact = first_impact(s, m, d, touch);
                REQUIRE(same_bits(impact.toi, 0.0f));
                REQUIRE(impact.face == Face::none);
            }
            ++inside_count;
        }
    }
    CHECK(inside_count > 20000);
    CHECK(pressed_count > 20000);
}

TEST_CASE("boxes that are apart at the start and parting never meet, and others name a face before them") {
    Random random(2);
    int parting_count = 0;
    int overlap_count = 0;
    for (int round = 0; round < 400000; ++round) {
        const Aabb s = tiny_box(random);
        const Aabb m = tiny_box(random);
        const Vec3 d = velocity(random);
        const Sides sides(s, m, d);
        for (const Touch touch : kPolicies) {
            const Impact impact = first_impact(s, m, d, touch);
            if (sides.has_left()) {
                REQUIRE(impact.toi == kNoIntersection);
                ++parting_count;
            } else if (!overlap(s, m) && impact.toi <= 1.0f) {
                REQUIRE(sides.may_be_entered_by(impact.face));
                ++overlap_count;
            }
        }
    }
    CHECK(parting_count > 100000);
    CHECK(overlap_count > 10000);
}

TEST_CASE("every form of moving boxes has the bits of first_impact if times underflow, on every ISA") {
    constexpr std::size_t kCount = 3001;
    const Scene a(3, kCount);
    const Scene b(4, kCount);
    const MovingBoxes resting = {a.soa, {}};
    std::vector<IndexPair> pairs;
    Random random(5);
    for (std::size_t i = 0; i < kCount; ++i) {
        pairs.push_back({random.below(kCount), random.below(kCount)});
    }
    for_each_isa([&](Isa) {
        for (const Touch touch : kPolicies) {
            Answers out(kCount);
            out.ask([&](auto toi, auto faces) {
                return times_of_impact(resting, b.moving(), touch, toi, faces);
            });
            for (std::size_t i = 0; i < kCount; ++i)
                out.require(i, first_impact(a.boxes[i], b.boxes[i], b.ways[i], touch));
            out.ask([&](auto toi, auto faces) {
                return times_of_impact(a.moving(), b.moving(), touch, toi, faces);
            });
            for (std::size_t i = 0; i < kCount; ++i)
                out.require(i, first_impact(a.boxes[i], b.boxes[i], b.ways[i] - a.ways[i], touch));

            const auto require_pairs = [&](bool a_moves) {
                for (std::size_t i = 0; i < kCount; ++i) {
                    const auto [first, second] = pairs[i];
                    const Vec3 way = a_moves ? b.ways[second] - a.ways[first] : b.ways[second];
                    out.require(i, first_impact(a.boxes[first], b.boxes[second], way, touch));
                }
            };
            out.ask([&](auto toi, auto faces) {
                return times_of_impact(a.moving(), b.moving(), pairs, touch, toi, faces);
            });
            require_pairs(true);
            BodyBoxRows body_rows_a;
            BodyBoxRows body_rows_b;
            REQUIRE(body_rows_a.prepare(a.moving()) == Status::ok);
            REQUIRE(body_rows_b.prepare(b.moving()) == Status::ok);
            out.ask([&](auto toi, auto faces) {
                return times_of_impact(body_rows_a, body_rows_b, pairs, touch, toi, faces);
            });
            require_pairs(true);
            RestingBoxRows resting_rows;
            MovingBoxRows moving_rows;
            REQUIRE(resting_rows.prepare(a.soa) == Status::ok);
            REQUIRE(moving_rows.prepare(b.moving(), touch) == Status::ok);
            out.ask([&](auto toi, auto faces) {
                return times_of_impact(resting_rows, moving_rows, pairs, toi, faces);
            });
            require_pairs(false);

            for (std::size_t mover = 0; mover < 40; ++mover) {
                out.ask([&](auto toi, auto faces) {
                    return times_of_impact(b.boxes[mover], b.ways[mover], a.soa, touch, toi, faces);
                });
                for (std::size_t i = 0; i < kCount; ++i)
                    out.require(i, first_impact(a.boxes[i], b.boxes[mover], b.ways[mover], touch));
            }
        }
    });
}

TEST_CASE("a ray that starts in a box, or has left it, is told apart from one that enters it at t = 0") {
    Random random(6);
    int inside_count = 0;
    int entering_count = 0;
    int behind_count = 0;
    for (int round = 0; round < 400000; ++round) {
        const Aabb box = tiny_box(random);
        const Ray ray = tiny_rays(random, 1)[0];
        const Sides sides(box, {ray.origin, ray.origin}, ray.direction);
        const Face pressed = sides.pressed();
        for (const RaySettings& settings : kRaySettings) {
            const RaySolidHit hit = ray_box(ray, box, settings);
            if (sides.has_left()) {
                REQUIRE_FALSE(hit.has_hit);
                ++behind_count;
            } else if (contains(box, ray.origin) && pressed != Face::none) {
                REQUIRE(hit.has_hit);
                REQUIRE(same_bits(hit.t_enter, 0.0f));
                REQUIRE(hit.face == pressed);
                ++entering_count;
            } else if (contains(box, ray.origin)) {
                REQUIRE(hit.has_hit == (settings.inside != Inside::miss));
                if (settings.inside == Inside::zero) REQUIRE(same_bits(hit.t_enter, 0.0f));
                if (settings.inside == Inside::zero) REQUIRE(hit.face == Face::none);
                if (settings.inside == Inside::negative_t) REQUIRE(hit.t_enter < 0.0f);
                ++inside_count;
            } else if (hit.has_hit) {
                REQUIRE(hit.t_enter >= 0.0f);
                REQUIRE(sides.may_be_entered_by(hit.face));
            }
        }
    }
    CHECK(inside_count > 50000);
    CHECK(entering_count > 50000);
    CHECK(behind_count > 50000);
}

TEST_CASE("every form of rays has the bits of ray_box if times underflow, on every ISA") {
    Random random(7);
    constexpr std::size_t kBoxCount = 1030;
    const std::vector<Ray> rays = tiny_rays(random, 60);
    std::vector<Aabb> list(kBoxCount);
    for (Aabb& box : list) box = tiny_box(random);
    const GuardedBoxes boxes(list);
    std::vector<IndexPair> pairs;
    for (std::size_t i = 0; i < kBoxCount; ++i) {
        // Runs of a ray, and no runs.
        const auto run = static_cast<std::uint32_t>(i / 40 % 60);
        pairs.push_back({i < 700 ? random.below(60) : run, random.below(kBoxCount)});
    }
    for_each_isa([&](Isa) {
        for (const RaySettings& settings : kRaySettings) {
            const auto expected = [&](std::size_t ray, std::size_t box) {
                return ray_box(rays[ray], list[box], settings);
            };
            const std::size_t words = bit_word_count(kBoxCount);
            std::vector<std::uint64_t> bits(words);
            std::vector<std::uint64_t> all_bits(rays.size() * words);
            std::vector<float> t_enter(kBoxCount);
            std::vector<float> t_exit(kBoxCount);
            std::vector<TreeHit> closest(rays.size());
            REQUIRE(ray_boxes(rays, boxes.view(), settings, all_bits).status == Status::ok);
            REQUIRE(closest_hits(rays, boxes.view(), settings, closest).status == Status::ok);
            for (std::size_t r = 0; r < rays.size(); ++r) {
                RayBoxResults all(kBoxCount);
                REQUIRE(ray_boxes(rays[r], boxes.view(), settings, all.outputs()).status == Status::ok);
                REQUIRE(ray_boxes(rays[r], boxes.view(), settings, {.hit_bits = bits}).status == Status::ok);
                REQUIRE(ray_boxes(rays[r], boxes.view(), settings, {.t_enter = t_enter, .t_exit = t_exit})
                            .status == Status::ok);
                TreeHit brute;
                for (std::size_t i = 0; i < kBoxCount; ++i) {
                    const RaySolidHit hit = expected(r, i);
                    REQUIRE(all.is(i, hit));
                    REQUIRE((bits[i / 64] >> (i % 64) & 1) == (hit.has_hit ? 1u : 0u));
                    REQUIRE((all_bits[r * words + i / 64] >> (i % 64) & 1) == (hit.has_hit ? 1u : 0u));
                    REQUIRE(same_bits(t_enter[i], hit.t_enter));
                    REQUIRE(same_bits(t_exit[i], hit.t_exit));
                    if (hit.has_hit && (brute.target == kNoBox || hit.t_enter < brute.t))
                        brute = {static_cast<std::uint32_t>(i), hit.t_enter, hit.face};
                }
                REQUIRE(closest[r] == brute);
            }
            RayBoxResults by_pair(kBoxCount);
            REQUIRE(ray_boxes(rays, boxes.view(), pairs, settings, by_pair.outputs()).status == Status::ok);
            for (std::size_t i = 0; i < kBoxCount; ++i)
                REQUIRE(by_pair.is(i, expected(pairs[i].first, pairs[i].second)));

            std::vector<Box4> nodes(kBoxCount / 4);
            for (std::size_t i = 0; i < 4 * nodes.size(); ++i)
                nodes[i / 4].set(static_cast<unsigned>(i % 4), list[i]);
            for (std::size_t r = 0; r < rays.size(); r += 4) {
                std::vector<Mask4> hits(kBoxCount);
                std::vector<float> t(4 * kBoxCount);
                REQUIRE(ray_boxes(prepare_ray(rays[r], settings), nodes, hits, t).status == Status::ok);
                for (std::size_t i = 0; i < 4 * nodes.size(); ++i) {
                    REQUIRE((hits[i / 4].bits >> (i % 4) & 1) == (expected(r, i).has_hit ? 1 : 0));
                    REQUIRE(same_bits(t[i], expected(r, i).t_enter));
                }
                const Ray4 packet = prepare_ray4(std::span(rays).subspan(r, 4), settings);
                REQUIRE(ray_boxes(packet, boxes.view(), hits, t).status == Status::ok);
                for (std::size_t i = 0; i < 4 * kBoxCount; ++i) {
                    REQUIRE((hits[i / 4].bits >> (i % 4) & 1) ==
                            (expected(r + i % 4, i / 4).has_hit ? 1 : 0));
                    REQUIRE(same_bits(t[i], expected(r + i % 4, i / 4).t_enter));
                }
            }
        }
    });
}
