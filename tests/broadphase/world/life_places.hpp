// The objects of a program, as functions of a seed and the object's number.
#pragma once

#include "tests/broadphase/world/life_program.hpp"
#include "tests/support/generators.hpp"

#include <algorithm>
#include <cmath>

namespace broadside::test {

/// Random numbers of an object.
inline Random random_of(std::uint32_t seed, std::uint32_t object) {
    Random mixed(seed * std::uint64_t{0x100000000} + object);
    return Random(mixed.next());
}
inline bool is_picked(const LifeOperation& operation, std::uint32_t object) {
    return operation.one_in <= 1 || random_of(operation.seed ^ 0x5EEDu, object).chance(operation.one_in);
}

inline Vec3 random_point(Random& random, float min, float max) {
    const float x = random.uniform(min, max);
    const float y = random.uniform(min, max);
    return {x, y, random.uniform(min, max)};
}

inline Aabb invalid_box(Random& random) {
    Aabb box = random_box(random, 10, 2);
    switch (random.below(5)) {
        case 0:
            box.min.y = kNaN;
            break;
        case 1:
            box.max.z = -kNaN;
            break;
        case 2:
            std::swap(box.min.x, box.max.x);
            box.max.x -= 1;
            break;
        case 3:
            box.min.z = box.max.z = kInfinity;
            break;
        default:
            return Aabb::empty();
    }
    return box;
}

/// From the whole range of float: tiny, vast, unbounded, invalid.
inline Aabb any_box(Random& random, float room) {
    if (random.chance(3)) return adversarial_box(random);
    Aabb box = random_box(random, room, 2);
    const float scale = std::ldexp(1.0f, static_cast<int>(random.below(240)) - 120);
    if (random.chance(2)) return {box.min * scale, box.max * scale};
    float* const sides[6] = {&box.min.x, &box.min.y, &box.min.z, &box.max.x, &box.max.y, &box.max.z};
    for (std::uint32_t side = 0; side < 6; ++side) {
        const float limit = random.chance(2) ? FLT_MAX : kInfinity;
        if (random.chance(4)) *sides[side] = side < 3 ? -limit : limit;
    }
    return box;
}

inline Aabb placed_box(LifePlace place, std::uint32_t seed, std::uint32_t object, float room) {
    Random random = random_of(seed, object);
    Vec3 min = random_point(random, 0, room);
    Vec3 size = random_point(random, 0.2f, 1.2f);
    switch (place) {
        case LifePlace::uniform:
            break;
        case LifePlace::pile:
            min = {min.x * 0.4f, min.y * 0.4f, min.z};
            break;
        case LifePlace::wall:
            min = {min.x * 2, min.y * 2, random.uniform(0, 0.3f)};
            break;
        case LifePlace::lattice: {
            const int reach = std::max(1, static_cast<int>(std::min(room, 1000.0f)));
            min = {random.grid(0, reach), random.grid(0, reach), random.grid(0, reach)};
            size = {random.grid(0, 1), random.grid(0, 1), random.grid(0, 2)};
            break;
        }
        case LifePlace::mixed:
            size = size * std::exp2(random.uniform(-3, 1));
            if (random.chance(60)) size = size * (0.3f * room);
            break;
        case LifePlace::clusters: {
            Random center = random_of(seed, object / 64 + 0x80000000u);
            min = random_point(center, 0, 4 * room) + random_point(random, 0, 3);
            break;
        }
        case LifePlace::floor:
            // At zeros of both signs, flat or not, and some above it.
            min = {min.x * 2, min.y * 2, random.chance(20) ? min.z : random.chance(2) ? 0.0f : -0.0f};
            size.z = random.chance(2) ? 0.0f : size.z;
            break;
        case LifePlace::point:
            min = {1, 2, 3};
            size = {4, 4, 4};
            break;
        case LifePlace::any:
            return any_box(random, room);
    }
    return {min, min + size};
}

inline Vec3 velocity_of(std::uint32_t seed, std::uint32_t object, float length) {
    Random random = random_of(seed, object);
    return random_point(random, -length, length);
}

/// The box to which `operation` moves an object with box `box`.
inline Aabb moved_box(const LifeOperation& operation, std::uint32_t object, const Aabb& box) {
    Random random = random_of(operation.seed, object);
    Vec3 by = {};
    switch (operation.motion) {
        case LifeMotion::step:
            by = velocity_of(operation.seed, object, operation.size);
            break;
        case LifeMotion::together:
            by = velocity_of(operation.seed, object / 64, operation.size);
            break;
        case LifeMotion::jump:
            return placed_box(operation.place, operation.seed, object, operation.size);
        case LifeMotion::far: {
            const Vec3 min = random_point(random, -operation.size, operation.size);
            return {min, min + random_point(random, 0.2f, 1.2f)};
        }
        case LifeMotion::spoil:
            return invalid_box(random);
        case LifeMotion::stretch: {
            const float factor = 1 + random.uniform(-operation.size, operation.size);
            return {box.min, box.min + (box.max - box.min) * factor};
        }
        case LifeMotion::nudge:
            return {box.min,
                    {box.max.x, std::nextafterf(box.max.y, random.chance(2) ? 1e9f : -1e9f), box.max.z}};
        case LifeMotion::none:
            break;
    }
    return {box.min + by, box.max + by};
}

inline ObjectFilter filter_of(std::uint32_t seed) {
    static constexpr std::uint16_t kLayers[] = {0, 1, 63, 64, 65535};
    Random random(seed);
    ObjectFilter filter;
    if (random.chance(2)) filter.category = std::uint64_t{1} << random.below(3);
    if (random.chance(2)) filter.mask = random.below(8);
    if (random.chance(3)) filter.group = static_cast<std::int32_t>(random.below(5)) - 2;
    if (random.chance(3)) filter.layer = kLayers[random.below(5)];
    return filter;
}

inline ObjectDescription description_of(const LifeOperation& operation, std::uint32_t object) {
    ObjectDescription description;
    description.box = placed_box(operation.place, operation.seed, object, operation.size);
    Random random = random_of(operation.seed ^ 0xDE5Cu, object);
    const auto has = [&](std::uint32_t trait) { return (operation.traits & trait) != 0 && random.chance(2); };
    if (has(kLifeKinds)) description.kind = static_cast<ObjectKind>(random.below(3));
    if (has(kLifeFilters)) description.filter = filter_of(random.below(1000));
    if (has(kLifeMargins)) description.margin = random.uniform(0, 0.3f);
    if (has(kLifeDisplacements)) description.displacement = random_point(random, -0.5f, 0.5f);
    if (has(kLifeUserData)) description.user_data = random.below(50);
    return description;
}

}  // namespace broadside::test
