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

/// Walks for the closest or for any hit of each ray, as its visitor wants.
template <class Arch, class Visitor>
class BundleWalk {
    static constexpr LeafQuestion kQuestion = Visitor::kQuestion;

public:
    /// Begins with rays that have common sides. Returns false if a common walk is not worth it, or if one of
    /// the rays is not usual (see ReadyRays).
    BROADSIDE_FORCE_INLINE bool begin(const Ray* in_rays, Sides sides, const MeshExtent& extent) {
        using namespace simd;
        for (std::uint32_t i = 0; i < kGroups; ++i) {
            make_columns(in_rays + i * Arch::kLanes, Arch::kLanes, extent, columns_[i]);
            if (columns_[i].usual_lanes != (1u << Arch::kLanes) - 1) return false;
        }
        const auto column = [&](auto&& of) {
            return range_of([&](std::uint32_t i) { return of(columns_[i]); });
        };
        float spread = 0.0f;
        for (std::uint32_t i = 0; i < 2; ++i) {
            shear_[i] = column([&](const Columns& c) { return c.shear[i]; });
            spread += shear_[i].max - shear_[i].min;
        }
        const Range along = column([](const Columns& c) { return c.along; });
        along_ = __builtin_bit_cast(std::uint32_t, along.min);
        bool is_worth_it = spread <= kBundleSpread && along_ == __builtin_bit_cast(std::uint32_t, along.max);
        mixed_axis_ = kNoAxis;
        for (std::uint32_t axis = 0; axis < 3; ++axis) {
            const Range origin = column([&](const Columns& c) { return c.origin[axis]; });
            const Range minus_inv = column([&](const Columns& c) { return c.minus_inv[axis]; });
            const Range minus_inv_far = column([&](const Columns& c) { return c.minus_inv_far[axis]; });
            // The inverse of a slope close to zero is useless.
            is_worth_it &= (origin.max - origin.min <= kBundleOrigins * extent.half_size) &
                           (minus_inv.min >= -0x1p40f) & (minus_inv.max <= 0x1p40f);
            origin_[axis] = origin;
            // If the inverse of the slope is positive, times fall as origins rise.
            const bool do_fall = minus_inv.min < 0.0f;
            near_[axis] = {do_fall ? origin.max : origin.min, minus_inv};
            far_[axis] = {do_fall ? origin.min : origin.max, minus_inv_far};
            if (minus_inv.min > 0.0f || minus_inv.max < 0.0f) continue;
            is_worth_it &= mixed_axis_ == kNoAxis;
            mixed_axis_ = axis;
            mixed_slope_ =
                column([&](const Columns& c) { return broadcast<Arch>(-1.0f) / c.minus_inv[axis]; });
        }
        if (!is_worth_it) return false;
        sides_ = sides;
        for (std::uint32_t i = 0; i < kGroups; ++i) store_numbers(i);
        error_floor_ = column([](const Columns& c) { return c.error_floor; }).max;
        for (std::uint32_t k = 0; k < kBundleWidth; ++k) {
            const auto at = [&](std::uint32_t row) { return exact_[row][k]; };
            rays[k].ray = {{{at(0), at(1), at(2)}, {at(3), at(4), at(5)}, at(6), sides},
                           static_cast<double>(scales_[k]),
                           0.0};
        }
        note_limits();
        return true;
    }

    /// Looks first at `last_leaf`, the leaf in which the bundle before ended, unless that is kNoChild.
    BROADSIDE_FORCE_INLINE void walk(const MeshView& mesh, std::uint32_t last_leaf) {
        depth_ = 0;
        last_leaf_ = kNoChild;
        step_count_ = 0;
        if (last_leaf != kNoChild) look_at_leaf(mesh, last_leaf, kAllRays);
        go_to(mesh, mesh.root, kAllRays);
        while (depth_ != 0) {
            Level& level = levels_[depth_ - 1];
            const std::int32_t nearest = nearest_of<Arch>(level.entries);
            if (nearest > last_entry(limit_)) {
                --depth_;
                continue;
            }
            const std::uint32_t lane = static_cast<std::uint32_t>(nearest) & nodes::kLaneBits;
            level.entries[lane] = kNoEntry;
            ++step_count_;
            const std::uint32_t meeting = test_box(level.node->planes + lane, level.rays);
            if (meeting != 0) go_to(mesh, level.node->children[lane], meeting);
        }
    }

    /// True if the rays went together for long enough to be faster than alone.
    BROADSIDE_FORCE_INLINE bool was_worth_it() const { return step_count_ <= kMostSteps; }
    /// If kQuestion is `any`: the leaf in which a ray was hit last, or kNoChild.
    BROADSIDE_FORCE_INLINE std::uint32_t last_leaf() const { return last_leaf_; }

    /// A ray of the bundle and its hit so far.
    struct BundleRay {
        TimedRay ray;
        Visitor visitor;
    };
    BundleRay rays[kBundleWidth];

private:
    using Columns = RayColumns<Arch>;
    using Judged = JudgedLanes<Arch>;
    static constexpr std::uint32_t kNoAxis = 3;
    static constexpr std::uint32_t kAllRays = (1u << kBundleWidth) - 1;
    /// Rays that any triangle ends are fast alone: they begin at the leaf in which the ray before was hit.
    static constexpr std::uint32_t kMostSteps = kQuestion == LeafQuestion::any ? 12 : 24;
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
    BROADSIDE_FORCE_INLINE simd::FloatW<Arch> limits(std::uint32_t i) const {
        return simd::load_aligned<Arch>(limits_ + std::size_t{i} * Arch::kLanes);
    }
    BROADSIDE_FORCE_INLINE void note_limits() {
        limit_ = range_of([&](std::uint32_t i) { return limits(i); }).max;
    }
    BROADSIDE_FORCE_INLINE void store_numbers(std::uint32_t group) {
        using namespace simd;
        const Columns& c = columns_[group];
        const std::size_t first = std::size_t{group} * Arch::kLanes;
        for (std::uint32_t axis = 0; axis < 3; ++axis) {
            store_unaligned(exact_[axis] + first, c.origin[axis]);
            store_unaligned(exact_[axis + 3] + first, c.direction[axis]);
        }
        store_unaligned(exact_[6] + first, min_keep(c.t_max, broadcast<Arch>(FLT_MAX)));
        store_unaligned(scales_ + first, c.scale);
        store_unaligned(limits_ + first, c.limit);
        const FloatW<Arch> numbers[9] = {c.origin[x_axis(along_)],
                                         c.origin[y_axis(along_)],
                                         c.origin[along_],
                                         c.shear[0],
                                         c.shear[1],
                                         c.minus_inv[along_],
                                         c.error_scale,
                                         c.error_floor,
                                         sure_limit_of(c.limit, sides_)};
        for (std::uint32_t row = 0; row < 9; ++row) store_unaligned(numbers_[row] + first, numbers[row]);
    }
    /// The numbers of some rays, as `of` reads them from a row.
    template <class Of>
    static BROADSIDE_FORCE_INLINE LeafRays<Arch> leaf_rays(Of&& of) {
        return {{of(0), of(1), of(2)},      {of(3), of(4)}, of(5), of(6), of(7), of(8),
                simd::broadcast<Arch>(0.0f)};
    }

    BROADSIDE_FORCE_INLINE void go_to(const MeshView& mesh, std::uint32_t child, std::uint32_t meeting) {
        if (is_mesh_leaf(child)) return look_at_leaf(mesh, child, meeting);
        Level& level = levels_[depth_];
        level.node = &mesh.nodes[child];
        level.rays = meeting;
        depth_ += test_all(level.node->planes, level.entries) != 0 ? 1u : 0u;
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
            const bool is_down = near_[axis].minus_inv.min > 0.0f;
            const float* const near_planes = node + std::size_t{is_down ? axis + 3 : axis} * kNodeWidth;
            const float* const far_planes = node + std::size_t{is_down ? axis : axis + 3} * kNodeWidth;
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
        const FloatW<Arch> low = reach(origin_[mixed_axis_].min, mixed_slope_.min);
        const FloatW<Arch> high = reach(origin_[mixed_axis_].max, mixed_slope_.max);
        const FloatW<Arch> origins =
            broadcast<Arch>(max_keep(absolute(origin_[mixed_axis_].min), absolute(origin_[mixed_axis_].max)));
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

    /// The triangles of a leaf that some of the rays may pass through: those whose corners are not all on the
    /// same side of all rays, as seen along the rays. With the origin, the shear and the distance of each ray
    /// within a half of what they range over of the middle of it, a sheared corner is within r0 + r1 · |z| of
    /// that of a ray in the middle. All roundings together are below 12 · 2^-24 of the largest distance.
    BROADSIDE_FORCE_INLINE std::uint32_t triangles_in_reach(const MeshLeaf& leaf) const {
        using namespace simd;
        const auto number = [](float value) { return broadcast<Arch>(value); };
        const auto middle = [](Range range) { return range.min * 0.5f + range.max * 0.5f; };
        // The middle may be rounded by more than the range.
        const auto half = [&](Range range) {
            const float at = middle(range);
            return max_keep(range.max - at, at - range.min) * (1.0f + 0x1p-20f);
        };
        const Range z_range = origin_[along_];
        std::uint32_t in_reach = 0;
        for (std::uint32_t first = 0; first < kNodeWidth; first += Arch::kLanes) {
            const auto corner = [&](std::uint32_t i, std::uint32_t axis) {
                return load_aligned<Arch>(leaf.corners[3 * i + axis] + first);
            };
            FloatW<Arch> z[3];
            for (std::uint32_t i = 0; i < 3; ++i) z[i] = number(middle(z_range)) - corner(i, along_);
            MaskW<Arch> passes_by;
            for (std::uint32_t side = 0; side < 2; ++side) {
                const std::uint32_t axis = side == 0 ? x_axis(along_) : y_axis(along_);
                const float shear = middle(shear_[side]);
                const float r1 = half(shear_[side]);
                const float r0 =
                    half(origin_[axis]) + ((absolute(shear) + r1) * half(z_range) + 4.0f * error_floor_);
                FloatW<Arch> low, high;
                for (std::uint32_t i = 0; i < 3; ++i) {
                    const FloatW<Arch> x =
                        (number(middle(origin_[axis])) - corner(i, axis)) - number(shear) * z[i];
                    const FloatW<Arch> r = number(r0) + number(r1) * absolute(z[i]);
                    low = i == 0 ? x - r : min_keep(x - r, low);
                    high = i == 0 ? x + r : max_keep(x + r, high);
                }
                const MaskW<Arch> is_aside = (low > number(0.0f)) | (high < number(0.0f));
                passes_by = side == 0 ? is_aside : passes_by | is_aside;
            }
            in_reach |= bits(~passes_by) << first;
        }
        return in_reach;
    }

    BROADSIDE_FORCE_INLINE void look_at_leaf(const MeshView& mesh, std::uint32_t child,
                                             std::uint32_t meeting) {
        using namespace simd;
        const std::uint32_t index = leaf_index(child);
        const MeshLeaf& leaf = mesh.leaves[index];
        const std::uint32_t filled = nodes::kAllLanes >> (kNodeWidth - leaf_count(child));
        const std::uint32_t in_reach = triangles_in_reach(leaf) & filled;
        if (in_reach == 0) return;
        // The rays that each triangle may be hit by, before any that certainly is.
        std::uint32_t asking[kNodeWidth];
        FloatW<Arch> keys[kNodeWidth][kGroups];
        FloatW<Arch> behind[kGroups];
        for (std::uint32_t i = 0; i < kGroups; ++i) behind[i] = limits(i);
        const std::uint32_t axes[3] = {x_axis(along_), y_axis(along_), along_};
        std::uint32_t asked = 0;
        for (std::uint32_t rest = in_reach; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
            std::uint32_t asking_of_lane = 0;
            std::uint32_t sure = 0;
            for (std::uint32_t i = 0; i < kGroups; ++i) {
                const std::size_t first = std::size_t{i} * Arch::kLanes;
                const LeafRays<Arch> of_group =
                    leaf_rays([&](std::uint32_t row) { return load_aligned<Arch>(numbers_[row] + first); });
                const QuickVerdicts<Arch> verdicts =
                    judge_quickly(of_group, [&](std::uint32_t corner, std::uint32_t axis) {
                        return broadcast<Arch>(leaf.corners[3 * corner + axes[axis]][lane]);
                    });
                keys[lane][i] = verdicts.key;
                asking_of_lane |= bits((~verdicts.passes_by) & (verdicts.key <= behind[i])) << first;
                if constexpr (kQuestion == LeafQuestion::closest) {
                    const FloatW<Arch> last =
                        verdicts.last * broadcast<Arch>(kLimitSlack) + broadcast<Arch>(FLT_MIN);
                    behind[i] = min_keep(select(verdicts.is_hit, last, behind[i]), behind[i]);
                } else {
                    sure |= bits(verdicts.is_hit) << first;
                }
            }
            asking_of_lane &= meeting;
            if constexpr (kQuestion == LeafQuestion::any) {
                sure &= meeting;
                end_rays(sure);
                if (sure != 0) last_leaf_ = child;
                meeting &= ~sure;
                asking_of_lane &= ~sure;
            }
            asking[lane] = asking_of_lane;
            asked |= (asking_of_lane != 0 ? 1u : 0u) << lane;
        }
        for (; asked != 0; asked &= asked - 1) {
            const auto lane = static_cast<std::uint32_t>(__builtin_ctz(asked));
            std::uint32_t asking_of_lane = asking[lane] & meeting;
            if constexpr (kQuestion == LeafQuestion::closest) {
                std::uint32_t before = 0;
                for (std::uint32_t i = 0; i < kGroups; ++i)
                    before |= bits(keys[lane][i] <= behind[i]) << (i * Arch::kLanes);
                asking_of_lane &= before;
            }
            judge(mesh, index, lane, asking_of_lane);
        }
        note_limits();
    }
    /// Lets go of rays that are hit, if kQuestion is `any`.
    BROADSIDE_FORCE_INLINE void end_rays(std::uint32_t met) {
        for (; met != 0; met &= met - 1) {
            const auto k = static_cast<std::uint32_t>(__builtin_ctz(met));
            rays[k].visitor.is_met = true;
            limits_[k] = -1.0f;
        }
    }
    BROADSIDE_FORCE_INLINE void judge(const MeshView& mesh, std::uint32_t leaf, std::uint32_t lane,
                                      std::uint32_t asking) {
        constexpr std::uint32_t kMask = (1u << Judged::kLanes) - 1;
        const std::uint32_t slot = leaf * kNodeWidth + lane;
        while (asking != 0) {
            const std::uint32_t first =
                static_cast<std::uint32_t>(__builtin_ctz(asking)) / Judged::kLanes * Judged::kLanes;
            std::uint32_t of_group = asking >> first & kMask;
            asking &= ~(kMask << first);
            judged_.judge_rays(exact_, first, mesh.leaves[leaf], lane, sides_);
            for (; of_group != 0; of_group &= of_group - 1) {
                const auto of_judged = static_cast<std::uint32_t>(__builtin_ctz(of_group));
                const std::uint32_t k = first + of_judged;
                BundleRay& ray = rays[k];
                if constexpr (kQuestion == LeafQuestion::closest)
                    ray.visitor.visit_judged(mesh, ray.ray, slot, judged_, of_judged, limits_[k]);
                else if (judged_.verdict(ray.ray.ray, mesh, slot, of_judged).verdict == Verdict::hit)
                    end_rays(1u << k);
            }
        }
    }

    Columns columns_[kGroups];
    /// Origins, directions and times of rays, in rows.
    alignas(64) float exact_[7][kBundleWidth];
    /// The numbers of LeafRays, in rows.
    alignas(64) float numbers_[9][kBundleWidth];
    alignas(64) float limits_[kBundleWidth];
    float scales_[kBundleWidth];
    // The largest of limits_.
    float limit_;
    float error_floor_;
    Range origin_[3];
    Range shear_[2];
    Side near_[3];
    Side far_[3];
    std::uint32_t along_;
    // The axis along which rays go to both sides, if there is one.
    std::uint32_t mixed_axis_;
    Range mixed_slope_;
    Level levels_[kMeshLevelCount];
    std::uint32_t depth_;
    std::uint32_t last_leaf_;
    // Children that were tested for each ray.
    std::uint32_t step_count_;
    Sides sides_;
    Judged judged_;
};

/// Calls `walk_alone(begin, end)` for rays that form no bundle, and `finish(index, ray)` for the others.
template <class Arch, class Visitor, class WalkAlone, class Finish>
BROADSIDE_FORCE_INLINE void walk_bundles(const MeshView& mesh, const Ray* rays, std::size_t count,
                                         Sides sides, WalkAlone&& walk_alone, Finish&& finish) {
    std::size_t done = 0;
    if constexpr (ReadyRays<Arch>::kCount != 1) {
        const MeshExtent extent(mesh.bounds);
        std::uint32_t last_leaf = kNoChild;
        // Bundles that are not tried after one that was not worth it: each time four times as many, because the
        // few rays between two bundles are slow by themselves.
        std::size_t pause = 0;
        for (std::size_t i = 0; i + kBundleWidth <= count; i += kBundleWidth) {
            if (!have_common_sides(rays + i)) continue;
            BundleWalk<Arch, Visitor> bundle;
            if (!bundle.begin(rays + i, sides, extent)) continue;
            if (done != i) walk_alone(done, i);
            done = i + kBundleWidth;
            bundle.walk(mesh, last_leaf);
            last_leaf = bundle.last_leaf();
            for (std::uint32_t k = 0; k < kBundleWidth; ++k) finish(i + k, bundle.rays[k]);
            pause = bundle.was_worth_it() ? 0 : 4 * pause + 7;
            i += pause * kBundleWidth;
        }
    }
    if (done != count) walk_alone(done, count);
}

template <class Arch>
void closest_kernel(const MeshView& mesh, const Ray* rays, std::size_t count, Sides sides,
                    MeshHit* out_closest) {
    if (count == 1) {
        *out_closest = closest_of_one<Arch>(mesh, *rays, sides);
        return;
    }
    const auto finish = [&](std::size_t i, const auto& walk) {
        out_closest[i] = walk.visitor.result(mesh, walk.ray.ray);
    };
    walk_bundles<Arch, ClosestVisitor>(
        mesh, rays, count, sides,
        [&](std::size_t begin, std::size_t end) {
            walk_rays<Arch, kRayWalkCount>(mesh, rays + begin, end - begin, sides, ClosestVisitor{},
                                           [&](std::size_t i, const auto& walk) { finish(begin + i, walk); });
        },
        finish);
}

template <class Arch>
void any_kernel(const MeshView& mesh, const Ray* rays, std::size_t count, Sides sides,
                std::uint64_t* out_bits) {
    if (count == 1) {
        *out_bits = is_any_met<Arch>(mesh, *rays, sides) ? 1u : 0u;
        return;
    }
    for (std::size_t i = 0; i < count; i += 64) out_bits[i / 64] = 0;
    const auto finish = [&](std::size_t i, const auto& walk) {
        out_bits[i / 64] |= std::uint64_t{walk.visitor.is_met ? 1u : 0u} << (i % 64);
    };
    walk_bundles<Arch, AnyVisitor>(
        mesh, rays, count, sides,
        [&](std::size_t begin, std::size_t end) {
            walk_rays<Arch, kRayWalkCountOfRuns>(
                mesh, rays + begin, end - begin, sides, AnyVisitor{},
                [&](std::size_t i, const auto& walk) { finish(begin + i, walk); });
        },
        finish);
}

}  // namespace broadside::narrowphase
