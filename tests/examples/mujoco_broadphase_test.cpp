// The example's broad phase for MuJoCo beside plain loops over doubles.
#include "examples/mujoco_broadphase/mujoco_broadphase.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kDenormal = std::numeric_limits<double>::denorm_min();

using Pair = std::array<int, 2>;
using Rows = std::vector<double>;

struct Finder {
    broadside_finder* handle = nullptr;
    Finder() { REQUIRE(broadside_finder_create(nullptr, &handle) == BROADSIDE_OK); }
    Finder(const Finder&) = delete;
    ~Finder() { broadside_finder_destroy(handle); }
};

bool is_box(const double* row) {
    for (int axis = 0; axis < 3; ++axis) {
        if (!(row[axis] <= row[3 + axis] && row[axis] < kInfinity && row[3 + axis] > -kInfinity))
            return false;
    }
    return true;
}

std::vector<Pair> plain_pairs(const Rows& rows) {
    const int count = static_cast<int>(rows.size() / 6);
    std::vector<Pair> pairs;
    for (int i = 0; i < count; ++i) {
        for (int j = i + 1; j < count; ++j) {
            const double *a = &rows[6 * static_cast<std::size_t>(i)],
                         *b = &rows[6 * static_cast<std::size_t>(j)];
            bool meet = is_box(a) && is_box(b);
            for (int axis = 0; axis < 3; ++axis)
                meet = meet && a[axis] <= b[3 + axis] && b[axis] <= a[3 + axis];
            if (meet) pairs.push_back({i, j});
        }
    }
    return pairs;
}

std::vector<Pair> sap_pairs(Finder& finder, const Rows& rows, int maxpair = 1 << 20) {
    std::vector<int> packed(static_cast<std::size_t>(maxpair) + 1, -7);
    const int count =
        broadside_SAP(finder.handle, rows.data(), static_cast<int>(rows.size() / 6), packed.data(), maxpair);
    REQUIRE(count >= 0);
    CHECK(packed[static_cast<std::size_t>(count)] == -7);
    std::vector<Pair> pairs;
    for (int k = 0; k < count; ++k) {
        const auto bits = static_cast<unsigned>(packed[static_cast<std::size_t>(k)]);
        pairs.push_back({static_cast<int>(bits >> 16), static_cast<int>(bits & 0xFFFF)});
    }
    return pairs;
}

Rows random_rows(std::mt19937_64& random, int count, double offset, double grid) {
    std::uniform_real_distribution<double> position(0, 8), size(0, 2);
    const auto on_grid = [&](double x) { return grid > 0 ? grid * std::floor(x / grid) : x; };
    Rows rows;
    for (int i = 0; i < count; ++i) {
        std::array<double, 6> row;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            row[axis] = on_grid(offset + position(random));
            row[3 + axis] = row[axis] + on_grid(size(random));
        }
        rows.insert(rows.end(), row.begin(), row.end());
    }
    return rows;
}

// Bodies that are joined or welded, geoms with all kinds of bits, planes among them.
struct Scene {
    std::vector<int> weld, parent, body, contype, conaffinity;
    std::vector<mjtNum> rbound, margin, aabb, position, rotation;
    mjModel m = {};
    mjData d = {};

    Scene(std::mt19937_64& random, int body_count, int geom_count, double offset) {
        std::uniform_real_distribution<double> unit(-1, 1);
        const auto below = [&](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
        for (int b = 0; b < body_count; ++b) {
            parent.push_back(b == 0 ? 0 : below(b));
            weld.push_back(b == 0 ? 0 : below(4) == 0 ? weld[static_cast<std::size_t>(parent.back())] : b);
        }
        for (int g = 0; g < geom_count; ++g) {
            body.push_back(below(body_count));
            contype.push_back(below(3) == 0 ? static_cast<int>(random()) : below(4));
            conaffinity.push_back(below(3) == 0 ? 1 << below(32) : below(4));
            margin.push_back(below(2) * 0.1 * std::abs(unit(random)));
            rbound.push_back(below(30) == 0 ? 0 : 1);
            for (int k = 0; k < 3; ++k) aabb.push_back(0.3 * unit(random));
            for (int k = 0; k < 3; ++k) aabb.push_back(below(8) == 0 ? 0 : std::abs(unit(random)));
            for (int k = 0; k < 3; ++k) position.push_back(offset + 5 * unit(random));
            add_rotation(unit(random), unit(random), unit(random), unit(random));
        }
        m = {body_count,     geom_count,         weld.data(),   parent.data(), body.data(),
             contype.data(), conaffinity.data(), rbound.data(), margin.data(), aabb.data()};
        d = {position.data(), rotation.data()};
    }
    void add_rotation(double w, double x, double y, double z) {
        const double length = std::sqrt(w * w + x * x + y * y + z * z);
        w /= length, x /= length, y /= length, z /= length;
        for (const double entry : {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
                                   2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                                   2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)})
            rotation.push_back(entry);
    }

    // The grown bounds of the corners of a geom's box: with more digits, by another method than the
    // adapter's.
    void bounds(std::size_t g, std::array<long double, 6>& out) const {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            out[axis] = std::numeric_limits<long double>::infinity();
            out[3 + axis] = -out[axis];
            for (int corner = 0; corner < 8; ++corner) {
                long double x = position[3 * g + axis];
                for (std::size_t k = 0; k < 3; ++k) {
                    const long double half = aabb[6 * g + 3 + k];
                    const long double local = aabb[6 * g + k] + ((corner >> k & 1) != 0 ? half : -half);
                    x += rotation[9 * g + 3 * axis + k] * local;
                }
                out[axis] = std::min(out[axis], x - margin[g]);
                out[3 + axis] = std::max(out[3 + axis], x + margin[g]);
            }
        }
    }
    // The gap of two geoms' bounds; at or below zero they overlap.
    double gap(std::size_t a, std::size_t b) const {
        if (rbound[a] == 0 || rbound[b] == 0) return -1;
        std::array<long double, 6> box_a, box_b;
        bounds(a, box_a);
        bounds(b, box_b);
        long double most = -std::numeric_limits<long double>::infinity();
        for (std::size_t axis = 0; axis < 3; ++axis)
            most = std::max({most, box_a[axis] - box_b[3 + axis], box_b[axis] - box_a[3 + axis]});
        return static_cast<double>(most);
    }
    bool may_touch(std::size_t a, std::size_t b) const {
        if ((contype[a] & conaffinity[b]) == 0 && (contype[b] & conaffinity[a]) == 0) return false;
        const auto weld_of = [&](std::size_t g) { return weld[static_cast<std::size_t>(body[g])]; };
        const auto parent_of = [&](int w) {
            return weld[static_cast<std::size_t>(parent[static_cast<std::size_t>(w)])];
        };
        const int weld_a = weld_of(a), weld_b = weld_of(b);
        if (weld_a == weld_b) return false;
        if (weld_a == 0 || weld_b == 0) return true;
        return weld_a != parent_of(weld_b) && weld_b != parent_of(weld_a);
    }
};

}  // namespace

TEST_CASE("MuJoCo broad phase: all pairs of boxes of doubles, near and far from the origin") {
    std::mt19937_64 random(1);
    Finder finder;
    for (const double offset : {0.0, -1e3, 1e6, 1e12, 1e15}) {
        for (const double grid : {0.0, 0.1, 0.5}) {
            for (const int count : {0, 1, 2, 3, 17, 300}) {
                const Rows rows = random_rows(random, count, offset, grid);
                CHECK(sap_pairs(finder, rows) == plain_pairs(rows));
            }
        }
    }
}

TEST_CASE("MuJoCo broad phase: NaN, infinite, tiny and huge numbers") {
    std::mt19937_64 random(2);
    const double values[] = {0.0,   -0.0,   kDenormal, -kDenormal, 1,   -1,
                             1e308, -1e308, kInfinity, -kInfinity, kNan};
    Finder finder;
    std::size_t pair_count = 0;
    for (int round = 0; round < 50; ++round) {
        Rows rows;
        for (int i = 0; i < 6 * 100; ++i) rows.push_back(values[random() % std::size(values)]);
        // Most are boxes.
        for (std::size_t i = 0; i < rows.size(); i += 6) {
            for (std::size_t axis = i; axis < i + 3; ++axis) {
                if (random() % 16 != 0 && rows[axis] > rows[3 + axis]) std::swap(rows[axis], rows[3 + axis]);
            }
        }
        const std::vector<Pair> expected = plain_pairs(rows);
        pair_count += expected.size();
        CHECK(sap_pairs(finder, rows) == expected);
    }
    CHECK(pair_count > 10000);
}

TEST_CASE("MuJoCo broad phase: a full list holds its first pairs, and a call without a result returns -1") {
    std::mt19937_64 random(3);
    Finder finder;
    const Rows rows = random_rows(random, 100, 0, 0);
    const std::vector<Pair> all = plain_pairs(rows);
    REQUIRE(all.size() > 20);
    for (const int maxpair : {1, 2, 19, static_cast<int>(all.size()) - 1, static_cast<int>(all.size())}) {
        CHECK(sap_pairs(finder, rows, maxpair) == std::vector<Pair>(all.begin(), all.begin() + maxpair));
    }
    int pair = 0;
    CHECK(broadside_SAP(finder.handle, rows.data(), 100, &pair, 0) == -1);
    CHECK(broadside_SAP(finder.handle, rows.data(), 0x10000, &pair, 1) == -1);
    CHECK(broadside_SAP(finder.handle, rows.data(), -1, &pair, 1) == -1);
    CHECK(broadside_SAP(finder.handle, nullptr, 0, &pair, 1) == 0);
    // Indices that need the topmost bit.
    Rows many = random_rows(random, 0xFFFF, 0, 0);
    for (std::size_t i = 0; i < many.size(); i += 6)
        many[i] += 100.0 * static_cast<double>(i), many[i + 3] = many[i] + 1;
    for (std::size_t k = 0; k < 6; ++k) many[many.size() - 6 + k] = many[many.size() - 12 + k];
    CHECK(sap_pairs(finder, many) == std::vector<Pair>{{0xFFFD, 0xFFFE}});
}

TEST_CASE("MuJoCo broad phase: pairs of geoms, by frames, margins, bits and bodies") {
    std::mt19937_64 random(4);
    std::size_t pair_count = 0, filtered_count = 0, apart_count = 0;
    for (int round = 0; round < 30; ++round) {
        const double offset = round % 3 == 0 ? 0 : round % 3 == 1 ? 1e3 : -1e7;
        const int geom_count = round < 3 ? round : 120;
        const Scene scene(random, 1 + round, geom_count, offset);
        geom_broadphase* const broadphase = geom_broadphase_create(&scene.m);
        REQUIRE(broadphase != nullptr);
        std::vector<int> found(2 * 120 * 120, -7);
        const long long count = geom_broadphase_pairs(broadphase, &scene.d, found.data(), 120 * 120);
        REQUIRE(count >= 0);
        CHECK(found[2 * static_cast<std::size_t>(count)] == -7);
        // A list that is too short holds the first pairs, and all are counted.
        int few[2] = {-7, -7};
        CHECK(geom_broadphase_pairs(broadphase, &scene.d, few, 1) == count);
        CHECK(few[0] == found[0]);
        CHECK(few[1] == found[1]);
        std::size_t next = 0;
        for (int a = 0; a < geom_count; ++a) {
            for (int b = a + 1; b < geom_count; ++b) {
                const bool is_found = found[next] == a && found[next + 1] == b;
                if (is_found) next += 2;
                const double gap = scene.gap(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
                const bool may_touch =
                    scene.may_touch(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
                INFO("geoms " << a << " and " << b << " of round " << round << ", apart by " << gap);
                if (gap <= 0 || !may_touch) CHECK(is_found == (gap <= 0 && may_touch));
                // Grown by their rounding at most.
                if (gap > 1e-14 * (std::abs(offset) + 10)) CHECK_FALSE(is_found);
                pair_count += std::size_t{is_found};
                filtered_count += std::size_t{gap <= 0 && !may_touch};
                apart_count += std::size_t{gap > 0};
            }
        }
        CHECK(next == 2 * static_cast<std::size_t>(count));
        geom_broadphase_destroy(broadphase);
    }
    geom_broadphase_destroy(nullptr);
    CHECK(pair_count > 1000);
    CHECK(filtered_count > 1000);
    CHECK(apart_count > 1000);
}

TEST_CASE(
    "MuJoCo broad phase: a point that touches a turned geom's bounds is a pair, whatever the rounding") {
    std::mt19937_64 random(5);
    for (const double offset : {0.0, 1e3, -1e7}) {
        Scene scene(random, 3, 400, offset);
        // Worlds of two bodies that move. Every second geom is a point at the bounds of the one before it.
        scene.parent = scene.weld = {0, 1, 2};
        scene.parent[1] = scene.parent[2] = 0;
        scene.m.body_parentid = scene.parent.data();
        scene.m.body_weldid = scene.weld.data();
        for (std::size_t g = 0; g < 400; ++g) {
            scene.body[g] = 1 + static_cast<int>(g % 2);
            scene.contype[g] = scene.conaffinity[g] = 1;
            scene.rbound[g] = 1;
            if (g % 2 == 0) continue;
            scene.margin[g] = 0;
            std::fill_n(&scene.aabb[6 * g], 6, 0.0);
            std::array<long double, 6> bounds;
            scene.bounds(g - 1, bounds);
            for (std::size_t axis = 0; axis < 3; ++axis) {
                // Inside by less than one ulp on one axis, and in the middle on the others.
                auto x = static_cast<double>((bounds[axis] + bounds[3 + axis]) / 2);
                if (axis == g / 2 % 3) {
                    x = static_cast<double>(bounds[3 + axis]);
                    if (x > bounds[3 + axis]) x = std::nextafter(x, -kInfinity);
                }
                scene.position[3 * g + axis] = x;
            }
        }
        geom_broadphase* const broadphase = geom_broadphase_create(&scene.m);
        REQUIRE(broadphase != nullptr);
        std::vector<int> found(2 * 400 * 400);
        const long long count = geom_broadphase_pairs(broadphase, &scene.d, found.data(), 400 * 400);
        std::size_t touching_count = 0;
        for (std::size_t k = 0; k < 2 * static_cast<std::size_t>(count); k += 2)
            touching_count += std::size_t{found[k] % 2 == 0 && found[k + 1] == found[k] + 1};
        CHECK(touching_count == 200);
        geom_broadphase_destroy(broadphase);
    }
}
