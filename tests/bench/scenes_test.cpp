// Tests of the scene generators: the same bits on every platform, and the documented density of each scene.
#include "tests/support/suites.hpp"

#include <broadside/scenes/box_scene.hpp>
#include <broadside/scenes/exact_math.hpp>
#include <broadside/scenes/query_set.hpp>
#include <broadside/scenes/scene_random.hpp>
#include <broadside/scenes/street_scene.hpp>
#include <broadside/scenes/terrain.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>

using namespace broadside;
using namespace broadside::scenes;

namespace {

// FNV-1a over the bits of the floats, so that -0 and +0 differ.
class BitHash {
public:
    void add(std::uint32_t word) {
        for (int shift = 0; shift < 32; shift += 8) {
            value_ = (value_ ^ ((word >> shift) & 0xff)) * std::uint64_t{0x100000001b3};
        }
    }
    void add(float number) { add(std::bit_cast<std::uint32_t>(number)); }
    void add(Vec3 vector) {
        add(vector.x);
        add(vector.y);
        add(vector.z);
    }
    void add(const Aabb& box) {
        add(box.min);
        add(box.max);
    }
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0xcbf29ce484222325;
};

std::uint64_t hash_of(const BoxFrame& frame) {
    BitHash hash;
    for (const Aabb& box : frame.boxes) hash.add(box);
    for (const Vec3 displacement : frame.displacements) hash.add(displacement);
    return hash.value();
}

std::uint64_t hash_of(const StreetFrame& frame) {
    BitHash hash;
    for (const Aabb& box : frame.boxes) hash.add(box);
    for (const Vec3 displacement : frame.box_displacements) hash.add(displacement);
    for (const Ray& ray : frame.rays) {
        hash.add(ray.origin);
        hash.add(ray.direction);
        hash.add(ray.t_max);
    }
    for (const Obb& obb : frame.obbs) {
        for (const Vec3 part : {obb.center, obb.axis_x, obb.axis_y, obb.axis_z, obb.half_extent})
            hash.add(part);
    }
    for (const Vec3 displacement : frame.obb_displacements) hash.add(displacement);
    return hash.value();
}

BoxFrame frame_of(const BoxScene& scene, std::uint64_t frame_index) {
    BoxFrame frame;
    scene.frame(frame_index, frame);
    return frame;
}

StreetFrame frame_of(const StreetScene& scene, std::uint64_t frame_index) {
    StreetFrame frame;
    scene.frame(frame_index, frame);
    return frame;
}

// Closed overlap in doubles, apart from the library's own rule.
bool overlap_in_doubles(const Aabb& a, const Aabb& b) {
    const auto meet = [](float a_min, float a_max, float b_min, float b_max) {
        return std::max(static_cast<double>(a_min), static_cast<double>(b_min)) <=
               std::min(static_cast<double>(a_max), static_cast<double>(b_max));
    };
    return meet(a.min.x, a.max.x, b.min.x, b.max.x) && meet(a.min.y, a.max.y, b.min.y, b.max.y) &&
           meet(a.min.z, a.max.z, b.min.z, b.max.z);
}

std::size_t brute_pair_count(const std::vector<Aabb>& boxes) {
    std::size_t count = 0;
    for (std::size_t a = 0; a < boxes.size(); ++a) {
        for (std::size_t b = a + 1; b < boxes.size(); ++b)
            count += overlap_in_doubles(boxes[a], boxes[b]) ? 1u : 0u;
    }
    return count;
}

// True if the ray reaches the box: slabs in doubles.
bool ray_reaches(const Ray& ray, const Aabb& box) {
    double t_enter = 0.0;
    double t_leave = static_cast<double>(ray.t_max);
    const auto clip = [&](float origin_, float direction_, float min, float max) {
        const auto origin = static_cast<double>(origin_);
        const auto direction = static_cast<double>(direction_);
        if (direction_ == 0.0f) return min <= origin_ && origin_ <= max;
        const double t_min = (static_cast<double>(min) - origin) / direction;
        const double t_max = (static_cast<double>(max) - origin) / direction;
        t_enter = std::max(t_enter, std::min(t_min, t_max));
        t_leave = std::min(t_leave, std::max(t_min, t_max));
        return t_enter <= t_leave;
    };
    return clip(ray.origin.x, ray.direction.x, box.min.x, box.max.x) &&
           clip(ray.origin.y, ray.direction.y, box.min.y, box.max.y) &&
           clip(ray.origin.z, ray.direction.z, box.min.z, box.max.z);
}

struct Vec3Double {
    double x, y, z;
};
double dot_in_doubles(Vec3 a, Vec3 b) {
    return static_cast<double>(a.x) * static_cast<double>(b.x) +
           static_cast<double>(a.y) * static_cast<double>(b.y) +
           static_cast<double>(a.z) * static_cast<double>(b.z);
}

// Separating axes in the frame of the box, in doubles.
bool obb_touches_triangle(const Obb& obb, const std::array<Vec3, 3>& corners) {
    std::array<Vec3Double, 3> at{};
    for (std::size_t i = 0; i < 3; ++i) {
        const Vec3 from_center = corners[i] - obb.center;
        at[i] = {dot_in_doubles(obb.axis_x, from_center), dot_in_doubles(obb.axis_y, from_center),
                 dot_in_doubles(obb.axis_z, from_center)};
    }
    const auto separates = [&](double x, double y, double z) {
        std::array<double, 3> on_axis{};
        for (std::size_t i = 0; i < 3; ++i) on_axis[i] = x * at[i].x + y * at[i].y + z * at[i].z;
        const double reach = std::fabs(x) * static_cast<double>(obb.half_extent.x) +
                             std::fabs(y) * static_cast<double>(obb.half_extent.y) +
                             std::fabs(z) * static_cast<double>(obb.half_extent.z);
        const auto [min, max] = std::minmax_element(on_axis.begin(), on_axis.end());
        return *min > reach || *max < -reach;
    };
    if (separates(1, 0, 0) || separates(0, 1, 0) || separates(0, 0, 1)) return false;
    std::array<Vec3Double, 3> edges{};
    for (std::size_t i = 0; i < 3; ++i) {
        const Vec3Double& next = at[(i + 1) % 3];
        edges[i] = {next.x - at[i].x, next.y - at[i].y, next.z - at[i].z};
        const Vec3Double& e = edges[i];
        if (separates(0, -e.z, e.y) || separates(e.z, 0, -e.x) || separates(-e.y, e.x, 0)) return false;
    }
    const Vec3Double& e = edges[0];
    const Vec3Double& f = edges[1];
    return !separates(e.y * f.z - e.z * f.y, e.z * f.x - e.x * f.z, e.x * f.y - e.y * f.x);
}

}  // namespace

TEST_CASE("exact math agrees with the C library to the last digits") {
    for (int i = -4000; i <= 4000; ++i) {
        const double turns = i / 997.0;
        CHECK(std::fabs(sine_of_turns(turns) - std::sin(turns * 6.283185307179586477)) < 1e-14);
        CHECK(std::fabs(cosine_of_turns(turns) - std::cos(turns * 6.283185307179586477)) < 1e-14);
        const double exponent = i / 101.0;
        CHECK(std::fabs(power_of_two(exponent) / std::exp2(exponent) - 1.0) < 1e-15);
    }
    double value = 1e-6;
    for (int i = 0; i < 90; ++i, value *= 1.7) {
        CHECK(std::fabs(cube_root(value) / std::cbrt(value) - 1.0) < 1e-15);
    }
    CHECK(cube_root(0.0) == 0.0);
    CHECK(sine_of_turns(0.5) == 0.0);
    CHECK(power_of_two(-3.0) == 0.125);
}

TEST_CASE("the random stream is splitmix64, and its floats stay in their ranges") {
    // The first values for seed 1234567 as the author's own program prints them.
    SceneRandom known(1234567);
    CHECK(known.next_bits() == 6457827717110365317u);
    CHECK(known.next_bits() == 3203168211198807973u);
    CHECK(known.next_bits() == 9817491932198370423u);
    SceneRandom random(5);
    double sum = 0.0;
    double sum_sq = 0.0;
    for (int i = 0; i < 100000; ++i) {
        const float unit = random.unit();
        REQUIRE((unit >= 0.0f && unit < 1.0f));
        REQUIRE(random.below(7) < 7);
        const auto bell = static_cast<double>(random.bell());
        sum += bell;
        sum_sq += bell * bell;
    }
    CHECK(std::fabs(sum / 100000) < 0.01);
    CHECK(std::fabs(sum_sq / 100000 - 1.0) < 0.02);
}

TEST_CASE("golden hashes: every box scene has the same bits on every platform and compiler") {
    struct Golden {
        const char* name;
        std::uint64_t first_frame;
        std::uint64_t later_frame;
    };
    constexpr std::array<Golden, 37> kGolden = {{
        {"uniform", 0x779d47f176ebece2, 0x779d47f176ebece2},
        {"clustered", 0xe777765de080b395, 0xe777765de080b395},
        {"mixed", 0x82dfa66b1e2cd0f0, 0x82dfa66b1e2cd0f0},
        {"city", 0x65d3ecc7435fc468, 0x65d3ecc7435fc468},
        {"pile", 0xb971560eb409a026, 0xb971560eb409a026},
        {"wall", 0xb247e7b091a32a81, 0xb247e7b091a32a81},
        {"sticks", 0x5b912cea41e998c0, 0x5b912cea41e998c0},
        {"line", 0x9078c65837f560c4, 0x9078c65837f560c4},
        {"one_place", 0x0b327b978b352025, 0x0b327b978b352025},
        {"clumps", 0xbf9a998c73d30432, 0xbf9a998c73d30432},
        {"sizes", 0x10aec229cb1855ad, 0x10aec229cb1855ad},
        {"giants", 0xc1003d4778a09a76, 0xc1003d4778a09a76},
        {"static90", 0x115f33eebad52136, 0x9cf89c9bd29cbddb},
        {"clustered90", 0xc8ee71626fdffb26, 0x0873535eed3b4057},
        {"mixed90", 0x8db5ee475349a3bc, 0x39a1f0b6f41f5692},
        {"city90", 0x3960c28d2f09d3e3, 0x9d08da4dba797fbf},
        {"pile90", 0x00c06bd424c8b4b8, 0xf714b38d1a472667},
        {"uniform_moving", 0x2db8a11057fd8148, 0x9c690932aa052800},
        {"clustered_moving", 0x2e7d0c3012177352, 0x85749d43158ffaa8},
        {"mixed_moving", 0x341967d12a3da69b, 0x6a5860af8a005001},
        {"city_moving", 0x2cb5437c5204aff0, 0x01e2f94bfc538881},
        {"pile_moving", 0xc27c2914c3070b04, 0xaa73363a573f19c0},
        {"wall_moving", 0x1e21a2cf6f977ba4, 0x677006dbaf3bf972},
        {"sticks_moving", 0xa26e332fac0039b7, 0x0e0445c426202076},
        {"line_moving", 0x806fad55c96cff9b, 0x9fad5c338ac00d91},
        {"one_place_moving", 0x696aa287d32dafb8, 0xb7a3dd303b518ee8},
        {"clumps_moving", 0x92ee3061c5ad7ff2, 0x31c3b7ddfa9065a4},
        {"sizes_moving", 0x98ad8f382f8e4e24, 0xa8e412e9f23e1141},
        {"giants_moving", 0x60ba9bb209be0a4e, 0xbe5fadf79b4101f1},
        {"islands", 0x900f90f156ece7e2, 0x900f90f156ece7e2},
        {"strays", 0xc813bb97d0903aec, 0xc813bb97d0903aec},
        {"distances", 0xed4c8c0f531d4092, 0xed4c8c0f531d4092},
        {"islands_moving", 0xa7925c72ae7b1cd7, 0x6d770256ad7a7569},
        {"strays_moving", 0x26dd666152427bdb, 0x3fc68e06cfa13991},
        {"distances_moving", 0x54f32fd898c7704c, 0x98ca7f8d4a7261a7},
        {"mixture", 0x72b2cdd4a54a9948, 0x72b2cdd4a54a9948},
        {"mixture_moving", 0xc49caaed4dfae298, 0x02e523ab66fab51b},
    }};
    REQUIRE(named_scenes().size() == kGolden.size());
    for (std::size_t i = 0; i < kGolden.size(); ++i) {
        const NamedScene& named = named_scenes()[i];
        CAPTURE(named.name);
        CHECK(named.name == kGolden[i].name);
        const BoxScene scene(named, 1000);
        CHECK(hash_of(frame_of(scene, 0)) == kGolden[i].first_frame);
        CHECK(hash_of(frame_of(scene, 1037)) == kGolden[i].later_frame);
    }
}

TEST_CASE("golden hashes: the queries of a scene have the same bits on every platform and compiler") {
    const std::vector<Aabb> boxes = make_boxes(Layout::city, 1000);
    const auto hash_of_queries = [&](QueryOrder order) {
        const QuerySet queries = make_queries(boxes, 1000, order);
        BitHash hash;
        for (const Aabb& box : queries.overlaps) hash.add(box);
        for (const Ray& ray : queries.rays) {
            hash.add(ray.origin);
            hash.add(ray.direction);
            hash.add(ray.t_max);
        }
        for (const BoxCast& cast : queries.casts) {
            hash.add(cast.shape);
            hash.add(cast.displacement);
        }
        for (const Vec3 point : queries.points) hash.add(point);
        return hash.value();
    };
    CHECK(hash_of_queries(QueryOrder::incoherent) == 0x7cf535cdc30210fe);
    CHECK(hash_of_queries(QueryOrder::coherent) == 0xda1cc4b74c88bcd7);
}

TEST_CASE("generated queries are valid, of the requested count, and adjacent if coherent") {
    const std::vector<Aabb> boxes = make_boxes(Layout::uniform, 1000);
    for (const std::size_t count : {0u, 1u, 7u, 10000u}) {
        for (const QueryOrder order : {QueryOrder::incoherent, QueryOrder::coherent}) {
            const QuerySet queries = make_queries(boxes, count, order);
            REQUIRE(queries.overlaps.size() == count);
            REQUIRE(queries.rays.size() == count);
            REQUIRE(queries.casts.size() == count);
            REQUIRE(queries.points.size() == count);
            for (std::size_t i = 0; i < count; ++i) {
                REQUIRE(is_valid(queries.overlaps[i]));
                REQUIRE(is_valid(queries.rays[i]));
                REQUIRE(is_valid(queries.casts[i].shape));
                REQUIRE(is_finite(queries.points[i]));
            }
        }
    }
    const auto mean_turn = [&](QueryOrder order) {
        const QuerySet queries = make_queries(boxes, 10000, order);
        double sum = 0;
        for (std::size_t i = 1; i < queries.rays.size(); ++i) {
            const Vec3 turn = absolute(queries.rays[i].direction - queries.rays[i - 1].direction);
            sum += static_cast<double>(turn.x + turn.y + turn.z);
        }
        return sum / 9999;
    };
    CHECK(mean_turn(QueryOrder::coherent) < 0.05);
    CHECK(mean_turn(QueryOrder::incoherent) > 1.0);
}

TEST_CASE("golden hashes: the street has the same bits on every platform and compiler") {
    const StreetScene street;
    CHECK(hash_of(frame_of(street, 0)) == 0xe4cb5f8b0591a9d8);
    CHECK(hash_of(frame_of(street, 119)) == 0x41ed3a3d0875f9b7);
    BitHash terrain;
    for (const Vec3 position : street.terrain_mesh().positions) terrain.add(position);
    for (const auto& triangle : street.terrain_mesh().triangles) {
        for (const std::uint32_t index : triangle) terrain.add(index);
    }
    CHECK(terrain.value() == 0x52a3b6d76fa20396);
}

TEST_CASE("every scene has exactly the requested count of valid boxes, from none to a million" *
          test::kLong) {
    for (const NamedScene& named : named_scenes()) {
        CAPTURE(named.name);
        for (const std::size_t count : {0u, 1u, 2u, 7u, 999u, 1001u}) {
            const BoxFrame frame = frame_of(BoxScene(named, count), 3);
            REQUIRE(frame.boxes.size() == count);
            REQUIRE(frame.displacements.size() == count);
            for (const Aabb& box : frame.boxes)
                REQUIRE((is_finite(box.min) && is_finite(box.max) && !is_empty(box)));
        }
        if (named.motion != Motion::none) continue;
        const std::vector<Aabb> boxes = make_boxes(named.layout, 1'000'000);
        CHECK(boxes.size() == 1'000'000);
        CHECK(std::all_of(boxes.begin(), boxes.end(), [](const Aabb& box) { return is_valid(box); }));
    }
}

TEST_CASE("different seeds make different scenes") {
    CHECK(make_boxes(Layout::uniform, 10, 1) == make_boxes(Layout::uniform, 10, 1));
    CHECK(make_boxes(Layout::uniform, 10, 1) != make_boxes(Layout::uniform, 10, 2));
}

TEST_CASE("every scene has its documented pair density") {
    struct Promise {
        const char* name;
        double min, max;
    };
    constexpr std::array<Promise, 20> kPromises = {{{"uniform", 0.85, 1.1},
                                                    {"clustered", 1.3, 1.9},
                                                    {"clustered_moving", 1.0, 1.9},
                                                    {"mixed", 1.5, 2.8},
                                                    {"city", 0.8, 1.0},
                                                    {"pile", 10.5, 12.5},
                                                    {"pile_moving", 10.5, 12.5},
                                                    {"wall", 0.9, 1.1},
                                                    {"sticks", 0.7, 1.1},
                                                    {"line", 0.9, 1.1},
                                                    {"one_place", 1499.5, 1499.5},
                                                    {"clumps", 6.0, 9.0},
                                                    {"sizes", 0.8, 1.3},
                                                    {"giants", 1.5, 2.5},
                                                    {"islands", 0.6, 1.1},
                                                    {"strays", 0.5, 1.0},
                                                    {"distances", 0.01, 0.2},
                                                    {"mixture", 0.6, 1.2},
                                                    {"static90", 0.8, 1.1},
                                                    {"uniform_moving", 0.7, 1.1}}};
    for (const Promise& promise : kPromises) {
        CAPTURE(promise.name);
        const auto named = find_scene(promise.name);
        REQUIRE(named);
        const BoxFrame frame = frame_of(BoxScene(*named, 3000), named->motion == Motion::none ? 0 : 500);
        const double density = static_cast<double>(brute_pair_count(frame.boxes)) / 3000.0;
        CHECK(density >= promise.min);
        CHECK(density <= promise.max);
    }
}

TEST_CASE("each layout has the shape that its name says") {
    for (const Aabb& box : make_boxes(Layout::wall, 1000)) REQUIRE((box.min.x <= 0.0f && box.max.x >= 0.0f));
    for (const Aabb& box : make_boxes(Layout::city, 1000)) REQUIRE(box.min.y == 0.0f);
    float min_size = 1e9f;
    float max_size = 0.0f;
    std::size_t giant_count = 0;
    for (const Aabb& box : make_boxes(Layout::mixed, 10'000)) {
        const Vec3 edges = size(box);
        const float mean = (edges.x + edges.y + edges.z) / 3.0f;
        const bool is_giant = mean > 10.0f;
        giant_count += is_giant ? 1u : 0u;
        if (!is_giant) min_size = std::min(min_size, mean);
        if (!is_giant) max_size = std::max(max_size, mean);
    }
    CHECK(giant_count == 10);
    CHECK(max_size / min_size > 15.0f);
    CHECK(max_size / min_size < 30.0f);
}

TEST_CASE("frames can be generated in any order, and a displacement leads to the next frame") {
    for (const NamedScene& named : named_scenes()) {
        CAPTURE(named.name);
        const BoxScene scene(named, 200);
        CHECK(frame_of(scene, 0).boxes.size() == scene.resting_boxes().size());
        CHECK(std::equal(scene.resting_boxes().begin(), scene.resting_boxes().end(),
                         frame_of(scene, 0).boxes.begin()));
        BoxFrame frame = frame_of(scene, 300);
        CHECK(hash_of(frame) == hash_of(frame_of(BoxScene(named, 200), 300)));
        std::size_t moving_count = 0;
        for (std::uint64_t k = 0; k < 20; ++k) {
            scene.frame(k, frame);
            const BoxFrame next = frame_of(scene, k + 1);
            moving_count = 0;
            for (std::size_t i = 0; i < 200; ++i) {
                const Vec3 displacement = frame.displacements[i];
                const bool is_moving = displacement != Vec3{};
                moving_count += is_moving ? 1u : 0u;
                if (!is_moving) REQUIRE(frame.boxes[i] == next.boxes[i]);
                const Vec3 off = absolute((next.boxes[i].min - frame.boxes[i].min) - displacement);
                // Three steps of the rounding of coordinates, which are below 128 except far away.
                const Vec3 place = absolute(frame.boxes[i].min);
                const float reach = std::max({128.0f, place.x, place.y, place.z});
                REQUIRE(std::max({off.x, off.y, off.z}) < 3 * 0x1p-23f * reach);
            }
        }
        const std::size_t expected = named.motion == Motion::none      ? 0
                                     : named.motion == Motion::a_tenth ? 20
                                                                       : 200;
        CHECK(moving_count == expected);
    }
}

TEST_CASE("scenes are found by name") {
    CHECK(find_scene("static90")->motion == Motion::a_tenth);
    CHECK_FALSE(find_scene("Uniform"));
}

TEST_CASE("street: counts, kinds and validity at any size") {
    for (const std::size_t count : {0u, 1u, 3u, 40u, 1000u, 50000u}) {
        CAPTURE(count);
        StreetSettings settings;
        settings.box_count = count;
        settings.ray_count = 100;
        settings.obb_count = 10;
        settings.terrain_quad_count_per_side = 8;
        const StreetScene street(settings);
        const StreetFrame frame = frame_of(street, 1'000'000'007);
        CHECK(frame.boxes.size() == count);
        CHECK(frame.box_displacements.size() == count);
        CHECK(street.kinds().size() == count);
        CHECK(frame.rays.size() == 100);
        CHECK(frame.obbs.size() == 10);
        CHECK(frame.obb_displacements.size() == 10);
        CHECK(street.terrain_mesh().triangles.size() == 128);
        const float reach = street.town_size() * 0.5f + 20.0f;
        for (std::size_t i = 0; i < count; ++i) {
            const Aabb& box = frame.boxes[i];
            REQUIRE((is_valid(box) && box.min.y == 0.0f));
            REQUIRE((box.min.x > -reach && box.max.x < reach && box.min.z > -reach && box.max.z < reach));
            REQUIRE(is_static(street.kinds()[i]) == (frame.box_displacements[i] == Vec3{}));
        }
        for (const Ray& ray : frame.rays) REQUIRE((is_valid(ray) && ray.t_max <= 100.0f));
        for (const Obb& obb : frame.obbs) {
            REQUIRE(is_valid(obb));
            REQUIRE(std::fabs(dot_in_doubles(obb.axis_x, obb.axis_x) - 1.0) < 1e-6);
            REQUIRE(std::fabs(dot_in_doubles(obb.axis_x, obb.axis_y)) < 1e-6);
            REQUIRE(std::fabs(dot_in_doubles(obb.axis_z, cross(obb.axis_x, obb.axis_y)) - 1.0) < 1e-6);
        }
    }
}

TEST_CASE(
    "street: box plus displacement is the next box bit for bit, except for vehicles that leave the town") {
    const StreetScene street;
    const StreetFrame frame = frame_of(street, 59);
    const StreetFrame next = frame_of(street, 60);
    std::size_t wrap_count = 0;
    for (std::size_t i = 0; i < frame.boxes.size(); ++i) {
        const Vec3 displacement = frame.box_displacements[i];
        const Aabb moved = {frame.boxes[i].min + displacement, frame.boxes[i].max + displacement};
        if (moved != next.boxes[i]) {
            ++wrap_count;
            const Vec3 jump = absolute(moved.min - next.boxes[i].min);
            REQUIRE(jump.x + jump.z == street.town_size());
        }
    }
    CHECK(wrap_count < 10);
    for (std::size_t i = 0; i < frame.obbs.size(); ++i) {
        const Vec3 off = absolute(frame.obbs[i].center + frame.obb_displacements[i] - next.obbs[i].center);
        REQUIRE(std::max({off.x, off.y, off.z}) < 1e-3f);
    }
}

TEST_CASE("street: there are impacts, ray hits and ground contacts in every frame") {
    const StreetScene street;
    const std::vector<Aabb> triangle_boxes = scene_io::triangle_boxes(street.terrain_mesh());
    for (const std::uint64_t k : {0u, 119u}) {
        CAPTURE(k);
        const StreetFrame frame = frame_of(street, k);
        std::size_t impact_count = 0;
        for (std::size_t b = 0; b < frame.boxes.size(); ++b) {
            if (is_static(street.kinds()[b])) continue;
            const Aabb swept_b = swept(frame.boxes[b], frame.box_displacements[b]);
            for (std::size_t a = 0; a < b; ++a) {
                const bool meet_in_step =
                    overlap_in_doubles(swept(frame.boxes[a], frame.box_displacements[a]), swept_b);
                impact_count += meet_in_step && !overlap_in_doubles(frame.boxes[a], frame.boxes[b]) ? 1u : 0u;
            }
        }
        CHECK(impact_count >= 3);
        CHECK(impact_count <= 40);
        std::size_t hit_count = 0;
        for (const Ray& ray : frame.rays) {
            hit_count += std::any_of(frame.boxes.begin(), frame.boxes.end(),
                                     [&](const Aabb& box) { return ray_reaches(ray, box); })
                             ? 1u
                             : 0u;
        }
        CHECK(hit_count > frame.rays.size() * 4 / 10);
        CHECK(hit_count < frame.rays.size() * 8 / 10);
        std::size_t contact_count = 0;
        const auto& mesh = street.terrain_mesh();
        for (const Obb& obb : frame.obbs) {
            // A bounding sphere of the oriented box, for a quick reject.
            const float radius = obb.half_extent.x + obb.half_extent.y + obb.half_extent.z;
            const Aabb around = expanded({obb.center, obb.center}, radius);
            bool has_contact = false;
            for (std::size_t i = 0; i < triangle_boxes.size() && !has_contact; ++i) {
                if (!overlap_in_doubles(around, triangle_boxes[i])) continue;
                const auto& [p, q, r] = mesh.triangles[i];
                has_contact =
                    obb_touches_triangle(obb, {mesh.positions[p], mesh.positions[q], mesh.positions[r]});
            }
            contact_count += has_contact ? 1u : 0u;
        }
        CHECK(contact_count > frame.obbs.size() * 3 / 10);
        CHECK(contact_count < frame.obbs.size() * 6 / 10);
    }
}

TEST_CASE("terrain: heights match the mesh, and its triangles face up") {
    TerrainSettings settings;
    settings.quad_count_per_side = 16;
    settings.min_corner = {10.0f, 3.0f, -7.0f};
    const Terrain terrain(settings);
    const auto& mesh = terrain.mesh();
    CHECK(mesh.positions.size() == 17 * 17);
    CHECK(mesh.triangles.size() == 2 * 16 * 16);
    for (const Vec3 position : mesh.positions) {
        REQUIRE(std::fabs(terrain.height(position.x, position.z) - position.y) < 1e-5f);
        REQUIRE(std::fabs(position.y - 3.0f) < 6.0f);
    }
    for (const auto& [a, b, c] : mesh.triangles) {
        const Vec3 normal =
            cross(mesh.positions[b] - mesh.positions[a], mesh.positions[c] - mesh.positions[a]);
        REQUIRE(normal.y > 0.0f);
    }
}
