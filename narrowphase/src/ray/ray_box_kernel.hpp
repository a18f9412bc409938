// One ray against many boxes, and pairs by index, over lanes. See ray_box_scalar.hpp.
#pragma once

#include "narrowphase/src/ray/kernels.hpp"
#include "narrowphase/src/ray/ray_box_lanes.hpp"
#include "narrowphase/src/ray/rays_boxes_kernel.hpp"

namespace broadside::narrowphase {

/// The six arrays in the order in which a ray meets the planes: near and far are a choice of pointers.
struct PlaneArrays {
    const float* near_x;
    const float* near_y;
    const float* near_z;
    const float* far_x;
    const float* far_y;
    const float* far_z;
};
BROADSIDE_FORCE_INLINE PlaneArrays order_arrays(const PreparedRay& ray, const BoxSoaView& boxes) {
    const bool from_max_x = has_sign_bit(ray.inv_direction.x);
    const bool from_max_y = has_sign_bit(ray.inv_direction.y);
    const bool from_max_z = has_sign_bit(ray.inv_direction.z);
    return {from_max_x ? boxes.max_x : boxes.min_x, from_max_y ? boxes.max_y : boxes.min_y,
            from_max_z ? boxes.max_z : boxes.min_z, from_max_x ? boxes.min_x : boxes.max_x,
            from_max_y ? boxes.min_y : boxes.max_y, from_max_z ? boxes.min_z : boxes.max_z};
}
template <class Arch, class Group>
BROADSIDE_FORCE_INLINE BoxPlanesW<Arch> load_planes(const PlaneArrays& arrays, std::size_t first,
                                                    Group group) {
    constexpr float kNoPlane = __builtin_nanf("");
    return {{group.load(arrays.near_x + first, kNoPlane), group.load(arrays.near_y + first, kNoPlane),
             group.load(arrays.near_z + first, kNoPlane)},
            {group.load(arrays.far_x + first, kNoPlane), group.load(arrays.far_y + first, kNoPlane),
             group.load(arrays.far_z + first, kNoPlane)}};
}

/// Stores the requested results of an item; hit bits go through the caller's writer.
BROADSIDE_FORCE_INLINE void store_result(const RayBoxTargets& targets, std::size_t item,
                                         const RaySolidHit& result) {
    if (targets.t_enter != nullptr) targets.t_enter[item] = result.t_enter;
    if (targets.t_exit != nullptr) targets.t_exit[item] = result.t_exit;
    if (targets.face != nullptr) targets.face[item] = result.face;
}
template <Begin kBegin, bool kWithFace, class Arch, class Group>
BROADSIDE_FORCE_INLINE void store_results(const RayBoxTargets& targets, std::size_t first, Group group,
                                          const RayW<Arch>& ray, const SlabIntervalW<Arch>& slabs,
                                          simd::MaskW<Arch> hit) {
    if (targets.t_enter != nullptr)
        group.store(targets.t_enter + first, reported_t_enter<kBegin>(ray, slabs, hit));
    if (targets.t_exit != nullptr) group.store(targets.t_exit + first, reported_t_exit(slabs, hit));
    if constexpr (kWithFace) store_bytes(targets.face + first, group, reported_face(ray, slabs, hit));
}

/// One lane: does the ray hit one box of the batch? Sources, edge rules: ray_box_scalar.hpp. Padding lanes
/// hold NaN boxes and never hit. Twelve loads; six of them test the box for emptiness, which near and far
/// planes do not show without the signs.
template <class Arch, Begin kBegin>
BROADSIDE_FORCE_INLINE void ray_hits_lanes(const PreparedRay& ray, const BoxSoaView& boxes,
                                           std::uint64_t* out_bits) {
    using namespace simd;
    const RayW<Arch> ray_w = broadcast_ray<Arch>(ray);
    const BoxSoaView view = boxes;
    const PlaneArrays arrays = order_arrays(ray, view);
    write_group_bits<Arch>(view.count, out_bits, [&](std::size_t first, auto group) {
        const auto [slabs, meets] =
            ray_box_slabs<kBegin, false>(ray_w, load_planes<Arch>(arrays, first, group));
        return bits(has_points(load_boxes<Arch>(view, first, group)) & meets);
    });
}
template <class Arch>
void ray_hits_kernel(const PreparedRay& ray, const BoxSoaView& boxes, std::uint64_t* out_bits) {
    if constexpr (simd::is_scalar<Arch>) {
        simd::BitWriter writer(out_bits);
        for (std::size_t i = 0; i < boxes.count; ++i) {
            writer.write(i, ray_box_prepared(ray, boxes[i]).has_hit ? 1u : 0u, 1);
        }
        writer.finish();
    } else if (begin_of(ray, false) == Begin::at_start) {
        ray_hits_lanes<Arch, Begin::at_start>(ray, boxes, out_bits);
    } else {
        ray_hits_lanes<Arch, Begin::anywhere>(ray, boxes, out_bits);
    }
}

/// As above with times and, if requested, faces.
template <class Arch, Begin kBegin, bool kWithFace>
BROADSIDE_FORCE_INLINE void ray_boxes_lanes(const PreparedRay& ray, const BoxSoaView& boxes,
                                            const RayBoxTargets& out_results) {
    using namespace simd;
    const RayBoxTargets targets = out_results;
    BitWriter writer(targets.hit_bits);
    const RayW<Arch> ray_w = broadcast_ray<Arch>(ray);
    const EntryFacesW<Arch> faces = entry_faces(ray_w);
    const BoxSoaView view = boxes;
    const PlaneArrays arrays = order_arrays(ray, view);
    const auto answer = [&](std::size_t first, auto group) {
        const auto [slabs, meets] =
            ray_box_slabs<kBegin, kWithFace>(ray_w, load_planes<Arch>(arrays, first, group), faces);
        const MaskW<Arch> hit = has_points(load_boxes<Arch>(view, first, group)) & meets;
        store_results<kBegin, kWithFace>(targets, first, group, ray_w, slabs, hit);
        if (targets.hit_bits != nullptr) writer.write(first, bits(hit), group.count);
    };
    // Streamed results begin at an aligned element; bits and a second array need the default groups.
    if (targets.t_exit == nullptr && targets.hit_bits == nullptr) {
        for_each_group_to<Arch>(targets.t_enter, view.count, answer);
    } else {
        for_each_group<Arch>(view.count, answer);
    }
    if (targets.hit_bits != nullptr) writer.finish();
}
template <class Arch, bool kWithFace>
void ray_boxes_kernel(const PreparedRay& ray, const BoxSoaView& boxes, const RayBoxTargets& out_results) {
    if constexpr (simd::is_scalar<Arch>) {
        const RayBoxTargets targets = out_results;
        simd::BitWriter writer(targets.hit_bits);
        for (std::size_t i = 0; i < boxes.count; ++i) {
            const RaySolidHit result = ray_box_prepared(ray, boxes[i]);
            store_result(targets, i, result);
            if (targets.hit_bits != nullptr) writer.write(i, result.has_hit ? 1u : 0u, 1);
        }
        if (targets.hit_bits != nullptr) writer.finish();
    } else if (!kWithFace && begin_of(ray, true) == Begin::at_start) {
        ray_boxes_lanes<Arch, Begin::at_start, kWithFace>(ray, boxes, out_results);
    } else {
        ray_boxes_lanes<Arch, Begin::anywhere, kWithFace>(ray, boxes, out_results);
    }
}

/// True if the `kLanes` indices are equal.
template <class Arch>
BROADSIDE_FORCE_INLINE bool are_equal(const std::uint32_t* indices) {
    std::uint32_t differences = 0;
    for (std::uint32_t lane = 1; lane < Arch::kLanes; ++lane) differences |= indices[lane] ^ indices[0];
    return differences == 0;
}

/// A ray that stays prepared until another one is requested.
class RayInUse {
public:
    BROADSIDE_FORCE_INLINE RayInUse(const Ray* rays, const RaySettings& settings)
        : rays_(rays), settings_(settings) {}
    BROADSIDE_FORCE_INLINE const PreparedRay& at(std::uint32_t index) {
        if (index != index_) ray_ = prepared_ray(rays_[index], settings_);
        index_ = index;
        return ray_;
    }

private:
    const Ray* rays_;
    RaySettings settings_;
    // Not a valid index: there are fewer rays.
    std::uint32_t index_ = 0xFFFFFFFFu;
    PreparedRay ray_;
};

/// Every lane fetches its own box. A group with a single ray broadcasts it, prepared once while the ray stays
/// the same. A group with several rays fetches and prepares them in lanes.
template <class Arch, bool kWithFace>
BROADSIDE_FORCE_INLINE void ray_box_pairs_lanes(const Ray* rays, const BoxSoaView& boxes,
                                                const IndexPair* pairs, std::size_t pair_count,
                                                const RaySettings& settings, const RayBoxTargets& targets) {
    using namespace simd;
    BitWriter writer(targets.hit_bits);
    RayInUse ray(rays, settings);
    for_each_group<Arch>(pair_count, [&](std::size_t first, auto group) {
        const PairIndices<Arch> indices = load_pair_indices<Arch>(pairs + first, group.count);
        const RayW<Arch> ray_w = are_equal<Arch>(indices.first)
                                     ? broadcast_ray<Arch>(ray.at(indices.first[0]))
                                     : prepare_rays_indexed<Arch>(rays, indices.first, settings);
        const BoxW<Arch> box = load_boxes_indexed<Arch>(boxes, indices.second);
        const auto [slabs, meets] =
            ray_box_slabs<Begin::anywhere, kWithFace>(ray_w, order_planes(ray_w, box), entry_faces(ray_w));
        const MaskW<Arch> hit = has_points(box) & meets;
        store_results<Begin::anywhere, kWithFace>(targets, first, group, ray_w, slabs, hit);
        if (targets.hit_bits != nullptr) writer.write(first, bits(hit), group.count);
    });
    if (targets.hit_bits != nullptr) writer.finish();
}
template <class Arch>
void ray_box_pairs_kernel(const Ray* rays, const BoxSoaView& boxes, const IndexPair* pairs,
                          std::size_t pair_count, const RaySettings& settings,
                          const RayBoxTargets& out_results) {
    const RayBoxTargets targets = out_results;
    if constexpr (simd::is_scalar<Arch>) {
        simd::BitWriter writer(targets.hit_bits);
        RayInUse ray(rays, settings);
        for (std::size_t i = 0; i < pair_count; ++i) {
            const RaySolidHit result = ray_box_prepared(ray.at(pairs[i].first), boxes[pairs[i].second]);
            store_result(targets, i, result);
            if (targets.hit_bits != nullptr) writer.write(i, result.has_hit ? 1u : 0u, 1);
        }
        if (targets.hit_bits != nullptr) writer.finish();
    } else if (targets.face != nullptr) {
        ray_box_pairs_lanes<Arch, true>(rays, boxes, pairs, pair_count, settings, targets);
    } else {
        ray_box_pairs_lanes<Arch, false>(rays, boxes, pairs, pair_count, settings, targets);
    }
}

}  // namespace broadside::narrowphase
