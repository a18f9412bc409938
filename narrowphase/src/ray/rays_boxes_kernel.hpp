// Many rays against many boxes: boxes in lanes, rays in a loop, both cut into blocks that stay in the
// first-level cache. See ray_box_scalar.hpp.
#pragma once

#include "narrowphase/src/ray/ray_box_lanes.hpp"

namespace broadside::narrowphase {

/// Boxes of a tile: 12 KiB of planes leave room for the rays beside them in 32 KiB. A multiple of 64, so that
/// every tile begins a word of hit bits.
inline constexpr std::size_t kTileBoxes = 512;
/// Rays prepared at once: each copy of a tile is used this many times.
inline constexpr std::size_t kTileRays = 64;

/// Boxes by plane: min x, y, z, max x, y, z. Lanes without a box, or with an empty one, hold Aabb::empty().
/// Slabs alone make every ray miss it, because its near plane lies at infinity ahead of every line. So the
/// loop over rays needs neither a test for emptiness nor tails.
template <class Arch>
struct BoxTile {
    alignas(64) float planes[6][kTileBoxes];
    std::size_t box_count;
};

/// Fills the tile with the boxes from `first` on, as many as there are and fit.
template <class Arch>
BROADSIDE_FORCE_INLINE void fill_tile(const BoxSoaView& boxes, std::size_t first, BoxTile<Arch>& out_tile) {
    using namespace simd;
    const std::size_t rest = boxes.count - first;
    out_tile.box_count = rest < kTileBoxes ? rest : kTileBoxes;
    const BoxW<Arch> empty = broadcast<Arch>(Aabb::empty());
    for_each_group<Arch>(out_tile.box_count, [&](std::size_t place, auto group) {
        const BoxW<Arch> box = load_boxes<Arch>(boxes, first + place, group);
        const MaskW<Arch> is_kept = has_points(box);
        store_unaligned(out_tile.planes[0] + place, select(is_kept, box.min.x, empty.min.x));
        store_unaligned(out_tile.planes[1] + place, select(is_kept, box.min.y, empty.min.y));
        store_unaligned(out_tile.planes[2] + place, select(is_kept, box.min.z, empty.min.z));
        store_unaligned(out_tile.planes[3] + place, select(is_kept, box.max.x, empty.max.x));
        store_unaligned(out_tile.planes[4] + place, select(is_kept, box.max.y, empty.max.y));
        store_unaligned(out_tile.planes[5] + place, select(is_kept, box.max.z, empty.max.z));
    });
}

/// The tile's planes in the order in which a ray meets them.
template <class Arch>
struct TilePlanes {
    const float* near_planes[3];
    const float* far_planes[3];

    BROADSIDE_FORCE_INLINE BoxPlanesW<Arch> load(std::size_t place) const {
        using namespace simd;
        return {{load_aligned<Arch>(near_planes[0] + place), load_aligned<Arch>(near_planes[1] + place),
                 load_aligned<Arch>(near_planes[2] + place)},
                {load_aligned<Arch>(far_planes[0] + place), load_aligned<Arch>(far_planes[1] + place),
                 load_aligned<Arch>(far_planes[2] + place)}};
    }
};
template <class Arch>
BROADSIDE_FORCE_INLINE TilePlanes<Arch> order_tile(const PreparedRay& ray, const BoxTile<Arch>& tile) {
    const int from_max_x = has_sign_bit(ray.inv_direction.x) ? 3 : 0;
    const int from_max_y = has_sign_bit(ray.inv_direction.y) ? 3 : 0;
    const int from_max_z = has_sign_bit(ray.inv_direction.z) ? 3 : 0;
    return {{tile.planes[from_max_x], tile.planes[1 + from_max_y], tile.planes[2 + from_max_z]},
            {tile.planes[3 - from_max_x], tile.planes[4 - from_max_y], tile.planes[5 - from_max_z]}};
}

/// The bits of one ray and all boxes of the tile. Groups past the last box are skipped, and lanes behind it
/// in the last group never hit.
template <class Arch, Begin kBegin>
BROADSIDE_FORCE_INLINE void write_tile_bits(const PreparedRay& ray, const BoxTile<Arch>& tile,
                                            std::uint64_t* out_words) {
    using namespace simd;
    const RayW<Arch> ray_w = broadcast_ray<Arch>(ray);
    const TilePlanes<Arch> planes = order_tile(ray, tile);
    const std::size_t group_count = (tile.box_count + Arch::kLanes - 1) / Arch::kLanes;
    write_group_bits<Arch>(group_count * Arch::kLanes, out_words, [&](std::size_t place, auto) {
        return bits(ray_box_slabs<kBegin, false>(ray_w, planes.load(place)).meets);
    });
}

/// Prepares up to kTileRays rays from `first` on and returns how many.
BROADSIDE_FORCE_INLINE std::size_t prepare_block(const Ray* rays, std::size_t ray_count, std::size_t first,
                                                 const RaySettings& settings, PreparedRay* out_block) {
    const std::size_t rest = ray_count - first;
    const std::size_t count = rest < kTileRays ? rest : kTileRays;
    for (std::size_t i = 0; i < count; ++i) out_block[i] = prepared_ray(rays[first + i], settings);
    return count;
}

/// Hit bits, one row of words per ray.
template <class Arch>
void rays_hits_kernel(const Ray* rays, std::size_t ray_count, const BoxSoaView& boxes,
                      const RaySettings& settings, std::uint64_t* out_bits) {
    const std::size_t row_words = (boxes.count + 63) / 64;
    if constexpr (simd::is_scalar<Arch>) {
        for (std::size_t r = 0; r < ray_count; ++r) {
            const PreparedRay ray = prepared_ray(rays[r], settings);
            simd::BitWriter writer(out_bits + r * row_words);
            for (std::size_t i = 0; i < boxes.count; ++i) {
                writer.write(i, ray_box_prepared(ray, boxes[i]).has_hit ? 1u : 0u, 1);
            }
            writer.finish();
        }
    } else {
        using namespace simd;
        PreparedRay block[kTileRays];
        BoxTile<Arch> tile;
        for (std::size_t first_ray = 0; first_ray < ray_count; first_ray += kTileRays) {
            const std::size_t block_count = prepare_block(rays, ray_count, first_ray, settings, block);
            for (std::size_t first_box = 0; first_box < boxes.count; first_box += kTileBoxes) {
                fill_tile<Arch>(boxes, first_box, tile);
                for (std::size_t r = 0; r < block_count; ++r) {
                    std::uint64_t* const row = out_bits + (first_ray + r) * row_words + first_box / 64;
                    if (begin_of(block[r], false) == Begin::at_start) {
                        write_tile_bits<Arch, Begin::at_start>(block[r], tile, row);
                    } else {
                        write_tile_bits<Arch, Begin::anywhere>(block[r], tile, row);
                    }
                }
            }
        }
    }
}

/// The smallest entry t so far and the index of its box.
struct ClosestSoFar {
    float t;
    std::uint32_t box_index;
};

/// The tile's closest box for one ray, if it is strictly closer than that of earlier tiles. A lane keeps its
/// first among equals, and the lanes are then compared by t and index, so the smallest index wins whatever
/// the lane count.
template <class Arch>
BROADSIDE_FORCE_INLINE ClosestSoFar closest_in_tile(const PreparedRay& ray, const BoxTile<Arch>& tile,
                                                    std::uint32_t first_box, ClosestSoFar closest) {
    using namespace simd;
    const RayW<Arch> ray_w = broadcast_ray<Arch>(ray);
    const FloatW<Arch> infinity = broadcast<Arch>(__builtin_inff());
    FloatW<Arch> closest_t = broadcast<Arch>(closest.t);
    IntW<Arch> closest_place = broadcast_int<Arch>(-1);
    IntW<Arch> place_w = lane_index<Arch>();
    const IntW<Arch> step = broadcast_int<Arch>(static_cast<std::int32_t>(Arch::kLanes));
    const TilePlanes<Arch> planes = order_tile(ray, tile);
    for (std::size_t place = 0; place < tile.box_count; place += Arch::kLanes) {
        const auto [slabs, meets] = ray_box_slabs<Begin::anywhere, false>(ray_w, planes.load(place));
        // if (has_hit && t < closest_t) closest = {t, place}. A miss is +infinity, so only a min depends on
        // the last group.
        const FloatW<Arch> t = select(meets, max_keep(slabs.t_enter, ray_w.report_floor), infinity);
        const MaskW<Arch> is_closer = t < closest_t;
        closest_t = min_keep(t, closest_t);
        closest_place = select(is_closer, place_w, closest_place);
        place_w = place_w + step;
    }

    alignas(64) float lane_t[Arch::kLanes];
    alignas(64) std::int32_t lane_place[Arch::kLanes];
    store_unaligned(lane_t, closest_t);
    store_unaligned(lane_place, closest_place);
    bool is_found = false;
    for (std::uint32_t lane = 0; lane < Arch::kLanes; ++lane) {
        if (lane_place[lane] < 0) continue;
        const std::uint32_t box_index = first_box + static_cast<std::uint32_t>(lane_place[lane]);
        const bool is_closer = lane_t[lane] < closest.t ||
                               (is_found && lane_t[lane] == closest.t && box_index < closest.box_index);
        if (is_closer) {
            closest = {lane_t[lane], box_index};
            is_found = true;
        }
    }
    return closest;
}

/// The closest box of every ray. Lanes find the index; the specification computes its time and face.
template <class Arch>
void closest_hits_kernel(const Ray* rays, std::size_t ray_count, const BoxSoaView& boxes,
                         const RaySettings& settings, TreeHit* out_closest) {
    constexpr ClosestSoFar kNone = {__builtin_inff(), kNoBox};
    const auto report = [&](std::size_t r, const PreparedRay& ray, std::uint32_t box_index) {
        if (box_index == kNoBox) {
            out_closest[r] = {};
            return;
        }
        const RaySolidHit result = ray_box_prepared(ray, boxes[box_index]);
        out_closest[r] = {box_index, result.t_enter, result.face};
    };
    if constexpr (simd::is_scalar<Arch>) {
        for (std::size_t r = 0; r < ray_count; ++r) {
            const PreparedRay ray = prepared_ray(rays[r], settings);
            ClosestSoFar closest = kNone;
            for (std::size_t i = 0; i < boxes.count; ++i) {
                const RaySolidHit result = ray_box_prepared(ray, boxes[i]);
                if (result.has_hit && result.t_enter < closest.t) {
                    closest = {result.t_enter, static_cast<std::uint32_t>(i)};
                }
            }
            report(r, ray, closest.box_index);
        }
    } else {
        PreparedRay block[kTileRays];
        ClosestSoFar closest[kTileRays];
        BoxTile<Arch> tile;
        for (std::size_t first_ray = 0; first_ray < ray_count; first_ray += kTileRays) {
            const std::size_t block_count = prepare_block(rays, ray_count, first_ray, settings, block);
            for (std::size_t r = 0; r < block_count; ++r) closest[r] = kNone;
            for (std::size_t first_box = 0; first_box < boxes.count; first_box += kTileBoxes) {
                fill_tile<Arch>(boxes, first_box, tile);
                for (std::size_t r = 0; r < block_count; ++r) {
                    closest[r] = closest_in_tile<Arch>(block[r], tile, static_cast<std::uint32_t>(first_box),
                                                       closest[r]);
                }
            }
            for (std::size_t r = 0; r < block_count; ++r) {
                report(first_ray + r, block[r], closest[r].box_index);
            }
        }
    }
}

}  // namespace broadside::narrowphase
