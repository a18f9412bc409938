// Neighbouring rays of similar direction, down the tree of a mesh together: a node is tested once for all.
#pragma once

#include "narrowphase/src/mesh/ray_kernel.hpp"

namespace broadside::narrowphase {

inline constexpr std::uint32_t kBundleWidth = 16;

/// Limits of a bundle. Directions are scaled to length one along the axis that is the largest of all of them;
/// on the two others together they differ by at most this. Origins differ by at most kBundleOrigins of the
/// mesh's half size.
inline constexpr float kBundleSpread = 0.5f;
inline constexpr float kBundleOrigins = 0.03125f;

/// Whether the next rays go to the same side on at least two axes, as a bundle must. Unordered rays seldom
/// pass the first few.
BROADSIDE_FORCE_INLINE bool have_common_sides(const Ray* rays) {
    const auto signs = [](const Ray& ray, std::uint32_t axis) {
        return __builtin_bit_cast(std::uint32_t, (&ray.direction.x)[axis]);
    };
    std::uint32_t differing[3] = {};
    for (std::uint32_t first = 0; first < kBundleWidth; first += 4) {
        for (std::uint32_t k = first; k < first + 4; ++k)
            for (std::uint32_t axis = 0; axis < 3; ++axis)
                differing[axis] |= signs(rays[k], axis) ^ signs(rays[0], axis);
        const std::uint32_t of_two =
            (differing[0] & differing[1]) | (differing[1] & differing[2]) | (differing[2] & differing[0]);
        if (of_two >> 31 != 0) return false;
    }
    return true;
}

/// A ray of a bundle and its hit so far.
struct BundleRay {
    MeshRay ray;
    ClosestVisitor visitor;
};

template <class Arch>
class BundleWalk {
public:
    /// Begins with rays that have common sides. Returns false if a common walk is not worth it, or if one of
    /// the rays is not usual (see ReadyRays).
    BROADSIDE_FORCE_INLINE bool begin(const Ray* in_rays, Sides sides, const MeshExtent& extent) {
        using namespace simd;
        ReadyRays<Arch> ready[kGroups];
        for (std::uint32_t i = 0; i < kGroups; ++i) {
            make_ready<Arch>(in_rays + i * Arch::kLanes, Arch::kLanes, extent, ready[i], columns_[i]);
            if (ready[i].usual_lanes != (1u << Arch::kLanes) - 1) return false;
        }
        mixed_axis_ = kNoAxis;
        const auto column = [&](auto&& of) {
            return range_of([&](std::uint32_t i) { return of(columns_[i]); });
        };
        float spread = 0.0f;
        for (std::uint32_t i = 0; i < 2; ++i) {
            const Range shear = column([&](const Columns& c) { return c.shear[i]; });
            spread += shear.max - shear.min;
        }
        const Range along = column([](const Columns& c) { return c.axis; });
        bool is_worth_it = spread <= kBundleSpread && __builtin_bit_cast(std::uint32_t, along.min) ==
                                                          __builtin_bit_cast(std::uint32_t, along.max);
        for (std::uint32_t axis = 0; axis < 3; ++axis) {
            const Range origin = column([&](const Columns& c) { return c.origin[axis]; });
            const Range minus_inv = column([&](const Columns& c) { return c.minus_inv[axis]; });
            const Range minus_inv_far = column([&](const Columns& c) { return c.minus_inv_far[axis]; });
            // The inverse of a slope close to zero is useless.
            is_worth_it &= (origin.max - origin.min <= kBundleOrigins * extent.half_size) &
                           (minus_inv.min >= -0x1p40f) & (minus_inv.max <= 0x1p40f);
            // If the inverse of the slope is positive, times fall as origins rise.
            const bool do_fall = minus_inv.min < 0.0f;
            near_[axis] = {do_fall ? origin.max : origin.min, minus_inv};
            far_[axis] = {do_fall ? origin.min : origin.max, minus_inv_far};
            if (minus_inv.min > 0.0f || minus_inv.max < 0.0f) continue;
            is_worth_it &= mixed_axis_ == kNoAxis;
            mixed_axis_ = axis;
            mixed_origin_ = origin;
            mixed_slope_ =
                column([&](const Columns& c) { return broadcast<Arch>(-1.0f) / c.minus_inv[axis]; });
        }
        if (!is_worth_it) return false;
        for (std::uint32_t k = 0; k < kBundleWidth; ++k) {
            begin_ready(rays[k].ray, ready[k / Arch::kLanes], k % Arch::kLanes, in_rays[k], sides);
            rays[k].visitor = ClosestVisitor();
        }
        for (std::uint32_t k = 0; k < kBundleWidth; ++k)
            limits_[k] = ClosestVisitor::first_limit(rays[k].ray);
        sides_ = sides;
        note_limits();
        return true;
    }

    BROADSIDE_FORCE_INLINE void walk(const MeshView& mesh) {
        depth_ = 0;
        go_to(mesh, mesh.root, (1u << kBundleWidth) - 1);
        while (depth_ != 0) {
            Level& level = levels_[depth_ - 1];
            const std::int32_t nearest = nearest_of<Arch>(level.entries);
            if (nearest > last_entry(limit_)) {
                --depth_;
                continue;
            }
            const std::uint32_t lane = static_cast<std::uint32_t>(nearest) & nodes::kLaneBits;
            level.entries[lane] = kNoEntry;
            const std::uint32_t meeting = test_box(level.node->planes + lane, level.rays);
            if (meeting != 0) go_to(mesh, level.node->children[lane], meeting);
        }
    }

    BundleRay rays[kBundleWidth];

private:
    using Columns = RayColumns<Arch>;
    using Judged = JudgedLanes<Arch>;
    static constexpr std::uint32_t kNoAxis = 3;
    static constexpr std::uint32_t kGroups = kBundleWidth / Arch::kLanes;
    struct Range {
        float min;
        float max;
    };
    /// Bounds of the times of planes on an axis: the origin that makes them least or most with any inverse.
    struct Side {
        float origin;
        Range minus_inv;
    };
    struct Level {
        alignas(64) std::int32_t entries[kNodeWidth];
        const MeshNode* node;
        std::uint32_t rays;
    };

    template <class Group>
    static BROADSIDE_FORCE_INLINE Range range_of(Group&& group) {
        using namespace simd;
        FloatW<Arch> least = group(0), most = least;
        for (std::uint32_t i = 1; i < kGroups; ++i) {
            least = min_keep(group(i), least);
            most = max_keep(group(i), most);
        }
        return {smallest(least), largest(most)};
    }
    BROADSIDE_FORCE_INLINE void note_limits() {
        limit_ = range_of([&](std::uint32_t i) {
                     return simd::load_aligned<Arch>(limits_ + std::size_t{i} * Arch::kLanes);
                 }).max;
    }

    BROADSIDE_FORCE_INLINE void go_to(const MeshView& mesh, std::uint32_t child, std::uint32_t meeting) {
        if (is_mesh_leaf(child)) return look_at_leaf(mesh, child, meeting);
        Level& level = levels_[depth_];
        level.node = &mesh.nodes[child];
        level.rays = meeting;
        // For a single ray the exact test refuses more.
        const std::uint32_t first = static_cast<std::uint32_t>(__builtin_ctz(meeting));
        const std::uint32_t lanes =
            (meeting & (meeting - 1)) == 0
                ? test_node<Arch>(rays[first].ray, level.node->planes, limits_[first], level.entries).lanes
                : test_all(level.node->planes, level.entries);
        depth_ += lanes != 0 ? 1u : 0u;
    }

    /// The children in which some of the rays may hit something. No time of a ray is rounded below the least
    /// of the bundle, nor above the most: both come from the same operations, and all of them are monotonic.
    BROADSIDE_FORCE_INLINE std::uint32_t test_all(const float* node, std::int32_t* out_entries) const {
        using namespace simd;
        constexpr std::uint32_t kNodeGroups = nodes::NodeFloats<Arch>::kGroups;
        FloatW<Arch> t_enter[kNodeGroups], t_exit[kNodeGroups];
        for (std::uint32_t i = 0; i < kNodeGroups; ++i) {
            t_enter[i] = broadcast<Arch>(0.0f);
            t_exit[i] = broadcast<Arch>(limit_);
        }
        for (std::uint32_t axis = 0; axis < 3; ++axis) {
            if (axis == mixed_axis_) continue;
            const float* const near_planes = node + rays[0].ray.near_row[axis];
            const float* const far_planes = node + rays[0].ray.far_row[axis];
            for (std::uint32_t i = 0; i < kNodeGroups; ++i) {
                const std::size_t first = std::size_t{i} * Arch::kLanes;
                const FloatW<Arch> near =
                    broadcast<Arch>(near_[axis].origin) - load_aligned<Arch>(near_planes + first);
                const FloatW<Arch> far =
                    broadcast<Arch>(far_[axis].origin) - load_aligned<Arch>(far_planes + first);
                const FloatW<Arch> least = min_keep(near * broadcast<Arch>(near_[axis].minus_inv.min),
                                                    near * broadcast<Arch>(near_[axis].minus_inv.max));
                const FloatW<Arch> most = max_keep(far * broadcast<Arch>(far_[axis].minus_inv.min),
                                                   far * broadcast<Arch>(far_[axis].minus_inv.max));
                t_enter[i] = max_keep(least, t_enter[i]);
                t_exit[i] = min_keep(most, t_exit[i]);
            }
        }
        std::uint32_t lanes = 0;
        for (std::uint32_t i = 0; i < kNodeGroups; ++i) {
            const std::uint32_t first = i * Arch::kLanes;
            MaskW<Arch> is_met = t_enter[i] <= t_exit[i];
            if (mixed_axis_ != kNoAxis) is_met = is_met & is_within_reach(node + first, t_exit[i]);
            store_unaligned(out_entries + first, select(is_met, entries_of<Arch>(t_enter[i], first),
                                                        broadcast_int<Arch>(kNoEntry)));
            lanes |= bits(is_met) << first;
        }
        return lanes;
    }

    /// Whether rays reach a box within the time `t`, on the axis along which they go to both sides. The
    /// margin is much larger than the rounding errors.
    BROADSIDE_FORCE_INLINE simd::MaskW<Arch> is_within_reach(const float* planes,
                                                             simd::FloatW<Arch> t) const {
        using namespace simd;
        const auto reach = [&](float origin, float slope) {
            return broadcast<Arch>(origin) + t * broadcast<Arch>(slope);
        };
        const FloatW<Arch> low = reach(mixed_origin_.min, mixed_slope_.min);
        const FloatW<Arch> high = reach(mixed_origin_.max, mixed_slope_.max);
        const FloatW<Arch> origins =
            broadcast<Arch>(max_keep(absolute(mixed_origin_.min), absolute(mixed_origin_.max)));
        const FloatW<Arch> rounded = (absolute(low) + absolute(high) + origins) * broadcast<Arch>(0x1p-18f);
        const float* const mins = planes + std::size_t{mixed_axis_} * kNodeWidth;
        return (load_aligned<Arch>(mins) <= high + rounded) &
               (load_aligned<Arch>(mins + std::size_t{3} * kNodeWidth) >= low - rounded);
    }

    /// The rays of `asked` that may hit something in one box, whose planes are kNodeWidth apart.
    BROADSIDE_FORCE_INLINE std::uint32_t test_box(const float* planes, std::uint32_t asked) const {
        using namespace simd;
        std::uint32_t meeting = 0;
        for (std::uint32_t i = 0; i < kGroups; ++i) {
            const std::size_t first = std::size_t{i} * Arch::kLanes;
            FloatW<Arch> t_enter = broadcast<Arch>(0.0f);
            FloatW<Arch> t_exit = load_aligned<Arch>(limits_ + first);
            for (std::uint32_t axis = 0; axis < 3; ++axis) {
                const FloatW<Arch> origin = columns_[i].origin[axis];
                const FloatW<Arch> minus_inv = columns_[i].minus_inv[axis];
                const FloatW<Arch> lower = origin - broadcast<Arch>(planes[std::size_t{axis} * kNodeWidth]);
                const FloatW<Arch> upper =
                    origin - broadcast<Arch>(planes[std::size_t{axis + 3} * kNodeWidth]);
                t_enter = max_keep(select_by_sign(minus_inv, lower, upper) * minus_inv, t_enter);
                t_exit = min_keep(select_by_sign(minus_inv, upper, lower) * columns_[i].minus_inv_far[axis],
                                  t_exit);
            }
            meeting |= bits(t_enter <= t_exit) << first;
        }
        return meeting & asked;
    }

    BROADSIDE_FORCE_INLINE void look_at_leaf(const MeshView& mesh, std::uint32_t child,
                                             std::uint32_t meeting) {
        const std::uint32_t index = leaf_index(child);
        std::uint32_t asked_count = 0;
        bool has_asked = false;
        for (; meeting != 0; meeting &= meeting - 1) {
            const auto k = static_cast<std::uint32_t>(__builtin_ctz(meeting));
            std::uint32_t sure;
            std::uint32_t triangles = test_leaf<Arch, ClosestVisitor::kQuestion>(
                rays[k].ray, mesh.leaves[index], leaf_count(child), limits_[k], sure);
            for (; triangles != 0; triangles &= triangles - 1) {
                const std::uint32_t slot =
                    index * kNodeWidth + static_cast<std::uint32_t>(__builtin_ctz(triangles));
                judged_.set(asked_count, rays[k].ray.ray, mesh, slot);
                asked_[asked_count++] = {k, slot};
                has_asked = true;
                if (asked_count == Judged::kLanes) judge(mesh, asked_count);
            }
        }
        judge(mesh, asked_count);
        if (has_asked) note_limits();
    }
    BROADSIDE_FORCE_INLINE void judge(const MeshView& mesh, std::uint32_t& state_asked_count) {
        if (state_asked_count == 0) return;
        judged_.judge(sides_);
        for (std::uint32_t lane = 0; lane < state_asked_count; ++lane) {
            BundleRay& asked = rays[asked_[lane].ray];
            asked.visitor.visit_judged(mesh, asked.ray, asked_[lane].slot, judged_, lane,
                                       limits_[asked_[lane].ray]);
        }
        state_asked_count = 0;
    }

    struct Asked {
        std::uint32_t ray;
        std::uint32_t slot;
    };

    Columns columns_[kGroups];
    alignas(64) float limits_[kBundleWidth];
    // The largest of limits_.
    float limit_;
    Side near_[3];
    Side far_[3];
    // The axis along which rays go to both sides, if there is one.
    std::uint32_t mixed_axis_;
    Range mixed_origin_;
    Range mixed_slope_;
    Level levels_[kMeshLevelCount];
    std::uint32_t depth_;
    Sides sides_;
    Judged judged_;
    Asked asked_[Judged::kLanes];
};

/// Rays that form no bundle are walked one by one.
template <class Arch>
void closest_kernel(const MeshView& mesh, const Ray* rays, std::size_t count, Sides sides,
                    MeshHit* out_closest) {
    const auto finish = [&](std::size_t i, const auto& walk) {
        const std::uint32_t slot = walk.visitor.slot;
        if (slot == kNoMeshSlot) {
            out_closest[i] = MeshHit{};
            return;
        }
        RoundedTriple hit = walk.visitor.rounded;
        if (!hit.is_known) {
            const RayTriangleHit exact = rounded_hit(walk.ray.ray, mesh.triangle_at(slot));
            hit = {exact.t, exact.u, exact.v, true};
        }
        out_closest[i] = {hit.t, hit.u, hit.v, mesh.index_at(slot)};
    };
    std::size_t done = 0;
    const auto walk_others = [&](std::size_t end) {
        if (done == end) return;
        walk_rays<Arch, kRayWalkCount>(mesh, rays + done, end - done, sides, ClosestVisitor{},
                                       [&](std::size_t i, const auto& walk) { finish(done + i, walk); });
    };
    if constexpr (ReadyRays<Arch>::kCount != 1) {
        const MeshExtent extent(mesh.bounds);
        for (std::size_t i = 0; i + kBundleWidth <= count; i += kBundleWidth) {
            if (!have_common_sides(rays + i)) continue;
            BundleWalk<Arch> bundle;
            if (!bundle.begin(rays + i, sides, extent)) continue;
            walk_others(i);
            done = i + kBundleWidth;
            bundle.walk(mesh);
            for (std::uint32_t k = 0; k < kBundleWidth; ++k) finish(i + k, bundle.rays[k]);
        }
    }
    walk_others(count);
}

}  // namespace broadside::narrowphase
