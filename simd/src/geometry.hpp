// Vec3W and BoxW: the core types with a value per lane, and the same operations in the same order.
#pragma once

#include "simd/src/groups.hpp"

#include <broadside/box_view.hpp>
#include <broadside/pair_buffer.hpp>

namespace broadside::simd {

template <class Arch>
struct Vec3W {
    FloatW<Arch> x;
    FloatW<Arch> y;
    FloatW<Arch> z;
};

template <class Arch>
struct BoxW {
    Vec3W<Arch> min;
    Vec3W<Arch> max;
};

template <class Arch>
BROADSIDE_FORCE_INLINE Vec3W<Arch> broadcast(const Vec3& value) {
    return {broadcast<Arch>(value.x), broadcast<Arch>(value.y), broadcast<Arch>(value.z)};
}
template <class Arch>
BROADSIDE_FORCE_INLINE BoxW<Arch> broadcast(const Aabb& box) {
    return {broadcast<Arch>(box.min), broadcast<Arch>(box.max)};
}

template <class Arch>
BROADSIDE_FORCE_INLINE Vec3W<Arch> operator+(Vec3W<Arch> a, Vec3W<Arch> b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class Arch>
BROADSIDE_FORCE_INLINE Vec3W<Arch> operator-(Vec3W<Arch> a, Vec3W<Arch> b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class Arch>
BROADSIDE_FORCE_INLINE FloatW<Arch> dot(Vec3W<Arch> a, Vec3W<Arch> b) {
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}
template <class Arch>
BROADSIDE_FORCE_INLINE Vec3W<Arch> cross(Vec3W<Arch> a, Vec3W<Arch> b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class Arch>
BROADSIDE_FORCE_INLINE Vec3W<Arch> absolute(Vec3W<Arch> a) {
    return {absolute(a.x), absolute(a.y), absolute(a.z)};
}
template <class Arch>
BROADSIDE_FORCE_INLINE Vec3W<Arch> min_keep(Vec3W<Arch> a, Vec3W<Arch> b) {
    return {min_keep(a.x, b.x), min_keep(a.y, b.y), min_keep(a.z, b.z)};
}
template <class Arch>
BROADSIDE_FORCE_INLINE Vec3W<Arch> max_keep(Vec3W<Arch> a, Vec3W<Arch> b) {
    return {max_keep(a.x, b.x), max_keep(a.y, b.y), max_keep(a.z, b.z)};
}
template <class Arch>
BROADSIDE_FORCE_INLINE MaskW<Arch> is_finite(Vec3W<Arch> a) {
    return is_finite(a.x) & is_finite(a.y) & is_finite(a.z);
}

/// The vectors from `first` on; zeros in the lanes past the end.
template <class Arch, class Group>
BROADSIDE_FORCE_INLINE Vec3W<Arch> load_vectors(const Vec3SoaView& vectors, std::size_t first, Group group) {
    return {group.load(vectors.x + first, 0.0f), group.load(vectors.y + first, 0.0f),
            group.load(vectors.z + first, 0.0f)};
}
/// Lane i holds the vector at indices[i].
template <class Arch>
BROADSIDE_FORCE_INLINE Vec3W<Arch> load_vectors_indexed(const Vec3SoaView& vectors,
                                                        const std::uint32_t* indices) {
    return {load_indexed<Arch>(vectors.x, indices), load_indexed<Arch>(vectors.y, indices),
            load_indexed<Arch>(vectors.z, indices)};
}

/// The boxes from `first` on. Lanes past the end hold NaN corners, which no comparison accepts.
template <class Arch, class Group>
BROADSIDE_FORCE_INLINE BoxW<Arch> load_boxes(const BoxSoaView& boxes, std::size_t first, Group group) {
    constexpr float kNoBox = __builtin_nanf("");
    return {{group.load(boxes.min_x + first, kNoBox), group.load(boxes.min_y + first, kNoBox),
             group.load(boxes.min_z + first, kNoBox)},
            {group.load(boxes.max_x + first, kNoBox), group.load(boxes.max_y + first, kNoBox),
             group.load(boxes.max_z + first, kNoBox)}};
}
/// Calls `body(first_item, boxes)` for every group. The boxes of a partial one are copied, so that a body of
/// hundreds of operations is compiled once; lanes behind the last box hold NaN.
template <class Arch, class Body>
BROADSIDE_FORCE_INLINE void for_each_group_of_boxes(BoxSoaView boxes, Body&& body) {
    alignas(64) float last[6][Arch::kLanes];
    std::size_t index = 0;
    for (std::size_t item = 0; item < boxes.count; item += Arch::kLanes, index += Arch::kLanes) {
        if (boxes.count - item < Arch::kLanes) {
            const TailGroup<Arch> group{static_cast<std::uint32_t>(boxes.count - item)};
            const BoxW<Arch> box = load_boxes<Arch>(boxes, item, group);
            const FloatW<Arch> columns[6] = {box.min.x, box.min.y, box.min.z,
                                             box.max.x, box.max.y, box.max.z};
            for (int k = 0; k < 6; ++k) store_unaligned(last[k], columns[k]);
            boxes = {last[0], last[1], last[2], last[3], last[4], last[5], boxes.count};
            index = 0;
        }
        body(item, load_boxes<Arch>(boxes, index, FullGroup<Arch>{}));
    }
}
/// Lane i holds the box at indices[i].
template <class Arch>
BROADSIDE_FORCE_INLINE BoxW<Arch> load_boxes_indexed(const BoxSoaView& boxes, const std::uint32_t* indices) {
    return {{load_indexed<Arch>(boxes.min_x, indices), load_indexed<Arch>(boxes.min_y, indices),
             load_indexed<Arch>(boxes.min_z, indices)},
            {load_indexed<Arch>(boxes.max_x, indices), load_indexed<Arch>(boxes.max_y, indices),
             load_indexed<Arch>(boxes.max_z, indices)}};
}

/// The two index columns of a group of pairs. A partial group repeats its first pair in the lanes behind, so
/// that every lane has an item to load; BitWriter and the tail stores drop their results.
template <class Arch>
struct PairIndices {
    std::uint32_t first[Arch::kLanes];
    std::uint32_t second[Arch::kLanes];
};
template <class Arch>
BROADSIDE_FORCE_INLINE PairIndices<Arch> load_pair_indices(const IndexPair* pairs, std::uint32_t count) {
    PairIndices<Arch> indices;
    for (std::uint32_t lane = 0; lane < Arch::kLanes; ++lane) {
        const IndexPair& pair = pairs[lane < count ? lane : 0];
        indices.first[lane] = pair.first;
        indices.second[lane] = pair.second;
    }
    return indices;
}

/// See is_valid(Aabb): min <= max, min < +infinity and max > -infinity on every axis; false for NaN.
template <class Arch>
BROADSIDE_FORCE_INLINE MaskW<Arch> is_valid(const BoxW<Arch>& box) {
    const FloatW<Arch> largest = broadcast<Arch>(FLT_MAX);
    const FloatW<Arch> smallest = broadcast<Arch>(-FLT_MAX);
    return (box.min.x <= box.max.x) & (box.min.y <= box.max.y) & (box.min.z <= box.max.z) &  //
           (box.min.x <= largest) & (box.min.y <= largest) & (box.min.z <= largest) &        //
           (box.max.x >= smallest) & (box.max.y >= smallest) & (box.max.z >= smallest);
}

/// True if the closed intervals meet on all axes. Both boxes must be valid.
template <class Arch>
BROADSIDE_FORCE_INLINE MaskW<Arch> intervals_meet(const BoxW<Arch>& a, const BoxW<Arch>& b) {
    return (a.min.x <= b.max.x) & (b.min.x <= a.max.x) &  //
           (a.min.y <= b.max.y) & (b.min.y <= a.max.y) &  //
           (a.min.z <= b.max.z) & (b.min.z <= a.max.z);
}

}  // namespace broadside::simd
