// Meshes of every kind and size, points near them, and the test of overlaps with them.
#pragma once

#include "tests/narrowphase/mesh/made_meshes.hpp"
#include "tests/support/casts.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_array.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/test_scale.hpp"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

namespace broadside::test {

/// A reach of a cast: mostly all of the step.
inline float some_t_max(Random& random) {
    const float reaches[] = {0.0f, 0.25f, 0.5f, 0.9f, 2.0f, -0.5f, __builtin_nanf("")};
    return random.chance(2) ? 1.0f : reaches[random.below(7)];
}
/// Casts one by one, and whether each meets anything, have the results of a batch.
template <class Casts>
void check_casts_alone(const TriangleMesh& mesh, const Casts& casts,
                       const std::vector<MeshImpact>& expected) {
    std::vector<std::uint64_t> bits(bit_word_count(casts.size()));
    REQUIRE(mesh.any_hit(casts, {}, bits).status == Status::ok);
    for (std::size_t i = 0; i < casts.size(); ++i) {
        const bool is_met = expected[i].target != kNoTriangle;
        REQUIRE(mesh.closest_hit(casts[i]) == expected[i]);
        REQUIRE(mesh.any_hit(casts[i]) == is_met);
        REQUIRE((bits[i / 64] >> i % 64 & 1) == (is_met ? 1u : 0u));
    }
}

/// A mesh, and its size.
struct MeshCase {
    MadeMesh made;
    float scale;
};
inline std::vector<MeshCase> mesh_cases(Random& random) {
    std::vector<MeshCase> all;
    for (const float scale : {1.0f, 0x1p-40f, 0x1p40f}) {
        for (MadeMesh made :
             {fine_cube(2), hills(random, 12), heap(random, 300, 4.0f), heap(random, 7, 4.0f)}) {
            for (Vec3& vertex : made.vertices) vertex = vertex * scale;
            all.push_back({std::move(made), scale});
        }
    }
    return all;
}

/// Near the mesh, on it, and far away.
inline Vec3 place_near(Random& random, const MadeMesh& mesh, float scale) {
    if (random.chance(3)) return point_of(random, mesh.triangle(random.below(mesh.triangle_count())));
    if (random.chance(3)) return grid_vector(random, 8) * (0.5f * scale);
    return random_vector(random, (random.chance(8) ? 1000.0f : 8.0f) * scale);
}

/// Lists and bits, alone and in batches, equal those of a loop over all triangles. Returns the number of
/// pairs.
template <class Shape>
std::size_t check_overlaps(const MadeMesh& made, const std::vector<Shape>& shapes) {
    const TriangleMesh mesh = built(made);
    std::vector<IndexPair> expected;
    std::vector<bool> is_met(shapes.size());
    for (std::uint32_t i = 0; i < shapes.size(); ++i) {
        for (std::uint32_t k = 0; k < made.triangle_count(); ++k) {
            if (!overlap(shapes[i], made.triangle(k))) continue;
            expected.push_back({i, k});
            is_met[i] = true;
        }
    }
    for_each_isa([&](Isa) {
        MeshScratch scratch;
        GuardedArray<IndexPair> pairs(expected.size());
        const WriteResult result = mesh.find_overlaps(shapes, {}, scratch, pairs.span());
        REQUIRE(result.status == Status::ok);
        REQUIRE(result.required == expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            REQUIRE(pairs[i].first == expected[i].first);
            REQUIRE(pairs[i].second == expected[i].second);
        }
        ShuffledRunner shuffled(3, 4);
        for (const TaskRunner* runner : {static_cast<const TaskRunner*>(nullptr), shuffled.runner()}) {
            GuardedArray<std::uint64_t> bits((shapes.size() + 63) / 64);
            REQUIRE(mesh.any_overlap(shapes, runner, bits.span()).status == Status::ok);
            for (std::size_t i = 0; i < shapes.size(); ++i)
                REQUIRE(((bits[i / 64] >> (i % 64) & 1) != 0) == is_met[i]);
        }
        for (std::size_t i = 0; i < shapes.size(); ++i) REQUIRE(mesh.any_overlap(shapes[i]) == is_met[i]);
        if (!expected.empty()) {
            const WriteResult too_few =
                mesh.find_overlaps(shapes, {}, scratch, pairs.span().first(expected.size() - 1));
            CHECK(too_few.status == Status::capacity_exceeded);
            CHECK(too_few.written == expected.size() - 1);
            CHECK(too_few.required == expected.size());
        }
    });
    return expected.size();
}

}  // namespace broadside::test
