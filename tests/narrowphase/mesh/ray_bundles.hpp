// Bundles of sixteen rays, and the check that a batch of them has the hits that each ray has alone.
#pragma once

#include "tests/support/for_each_isa.hpp"
#include "tests/support/generators.hpp"

#include <broadside/bits.hpp>
#include <broadside/mesh.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <span>
#include <vector>

namespace broadside::test {

inline constexpr std::size_t kBundle = 16;

inline Vec3 random_vec3(Random& random, float min, float max) {
    const float x = random.uniform(min, max);
    const float y = random.uniform(min, max);
    return {x, y, random.uniform(min, max)};
}

// Mostly sixteen coherent rays: some that may be walked together, some that may not, and borderline ones.
inline void add_bundle(Random& random, float extent, std::vector<Ray>& out_rays) {
    static constexpr float kSpreads[] = {0, 1e-6f, 0.01f, 0.1f, 0.3f, 0.6f, 2};
    static constexpr float kShifts[] = {0, 0, 1e-4f, 0.01f, 0.1f, 1};
    const float spread = kSpreads[random.below(std::size(kSpreads))];
    const float shift = kShifts[random.below(std::size(kShifts))] * extent;
    const Vec3 origin = random_vec3(random, -extent, extent) * (random.chance(6) ? 20.0f : 0.9f);
    Vec3 direction = random_vec3(random, -1, 1);
    // Along an axis or in a plane of two, with the others on both sides.
    if (random.chance(3)) direction.x = 0;
    if (random.chance(4)) direction.y = random.chance(2) ? 0.0f : -0.0f;
    const float length = random.chance(5) ? 1e-30f : random.chance(5) ? 1e20f : 1;
    for (std::size_t k = 0; k < kBundle; ++k) {
        Ray ray = {origin + random_vec3(random, -1, 1) * shift,
                   (direction + random_vec3(random, -1, 1) * spread) * length};
        if (random.chance(4)) ray.t_max = random.uniform(0, 3) * extent / length;
        if (random.chance(300)) ray.t_max = -1;
        if (random.chance(300)) ray.origin.x = kNaN;
        if (random.chance(300)) ray.direction = {0, 0, 0};
        if (random.chance(300)) ray.direction.y = kInfinity;
        if (random.chance(300)) ray.origin = ray.origin * 1e12f;
        out_rays.push_back(ray);
    }
}

/// Compares rays in runs of sixteen, and not, with those alone on the scalar ISA. Returns the number of hits.
template <class Hit, class OneRay, class Asked>
std::size_t check_bundles(const Asked& mesh, const std::vector<Ray>& rays, Sides sides) {
    std::vector<Hit> expected(rays.size());
    std::size_t hit_count = 0;
    {
        const ScopedIsa scalar(Isa::scalar);
        for (std::size_t i = 0; i < rays.size(); ++i) {
            expected[i] = mesh.closest_hit(OneRay(rays[i], sides));
            hit_count += expected[i] == Hit{} ? 0u : 1u;
        }
    }
    for_each_isa([&](Isa) {
        for (const std::size_t skipped : {0u, 3u}) {
            const auto asked = std::span<const Ray>(rays).subspan(skipped);
            std::vector<Hit> hits(asked.size());
            REQUIRE(mesh.closest_hits({asked, sides}, {}, hits).status == Status::ok);
            std::vector<std::uint64_t> bits(bit_word_count(asked.size()));
            REQUIRE(mesh.any_hit({asked, sides}, {}, bits).status == Status::ok);
            for (std::size_t i = 0; i < asked.size(); ++i) {
                const Hit& of_ray = expected[skipped + i];
                const bool is_met = (bits[i / 64] >> (i % 64) & 1) != 0;
                const bool is_hit = of_ray.target != Hit{}.target;
                if (std::memcmp(&hits[i], &of_ray, sizeof of_ray) == 0 && is_met == is_hit) continue;
                INFO("ray " << skipped + i);
                REQUIRE(hits[i] == of_ray);
                REQUIRE(is_met == is_hit);
            }
        }
    });
    return hit_count;
}

}  // namespace broadside::test
