// Rays and triangles judged side by side: judge and rounded_hit in lanes, as far as doubles are certain.
#pragma once

#include "narrowphase/src/mesh/layout.hpp"
#include "narrowphase/src/mesh/ray_triangle_scalar.hpp"
#include "simd/src/doubles.hpp"

namespace broadside::narrowphase {

/// The reported values of a hit, if they are known.
struct RoundedTriple {
    float t;
    float u;
    float v;
    bool is_known;
};

/// Lanes are set, judged, and then read.
template <class Arch>
class JudgedLanes {
public:
    static constexpr std::uint32_t kLanes = simd::is_scalar<Arch> ? 1 : Arch::kLanes / 2;

    /// Judges one ray and kLanes triangles of a leaf.
    BROADSIDE_FORCE_INLINE void judge_triangles(const TriangleRay& ray, const MeshLeaf& leaf,
                                                std::uint32_t first) {
        if constexpr (simd::is_scalar<Arch>) {
            judge_one(ray, leaf.triangle(first));
        } else {
            const float numbers[7] = {ray.origin.x,    ray.origin.y,    ray.origin.z, ray.direction.x,
                                      ray.direction.y, ray.direction.z, ray.t_max};
            judge_columns([&](std::uint32_t k) { return broadcast(numbers[k]); },
                          [&](std::uint32_t k) { return simd::load_widened<Arch>(leaf.corners[k] + first); },
                          ray.sides);
        }
    }
    /// Judges kLanes rays, in rows of their numbers, and one triangle of a leaf.
    template <std::size_t kCount>
    BROADSIDE_FORCE_INLINE void judge_rays(const float (&rays)[7][kCount], std::uint32_t first,
                                           const MeshLeaf& leaf, std::uint32_t lane, Sides sides) {
        judge_columns([&](std::uint32_t k) { return simd::load_widened<Arch>(rays[k] + first); },
                      [&](std::uint32_t k) { return broadcast(leaf.corners[k][lane]); }, sides);
    }

    /// Never unsure. The lane holds the ray and the triangle of the slot.
    BROADSIDE_FORCE_INLINE TriangleVerdict verdict(const TriangleRay& ray, const MeshView& mesh,
                                                   std::uint32_t slot, std::uint32_t lane) const {
        if ((hit_ >> lane & 1u) != 0) return {Verdict::hit, {t_min_[lane], t_max_[lane]}};
        if ((miss_ >> lane & 1u) != 0) return {Verdict::miss, {}};
        return judge_exactly(ray, mesh.triangle_at(slot));
    }
    /// Only for a hit.
    BROADSIDE_FORCE_INLINE RoundedTriple rounded(std::uint32_t lane) const {
        return {rounded_[0][lane], rounded_[1][lane], rounded_[2][lane], (known_ >> lane & 1u) != 0};
    }

protected:
    static BROADSIDE_FORCE_INLINE auto broadcast(float value) {
        return simd::broadcast_double<Arch>(static_cast<double>(value));
    }
    /// The arguments return the k-th numbers of rays and of triangles.
    template <class OfRays, class OfTriangles>
    BROADSIDE_FORCE_INLINE void judge_columns(OfRays&& of_rays, OfTriangles&& of_triangles, Sides sides) {
        using namespace simd;
        const auto three = [](auto&& of, std::uint32_t k) {
            return Vec3DoubleW<Arch>{of(k), of(k + 1), of(k + 2)};
        };
        const auto number = [](double value) { return broadcast_double<Arch>(value); };
        const auto largest_of = [](Vec3DoubleW<Arch> v) {
            return max_keep(max_keep(absolute(v.x), absolute(v.y)), absolute(v.z));
        };
        // edge_functions(); -n = e2 × e1 has the bits of n except for its signs.
        const Vec3DoubleW<Arch> corner = three(of_triangles, 0);
        const Vec3DoubleW<Arch> a = corner - three(of_rays, 0);
        const Vec3DoubleW<Arch> e1 = three(of_triangles, 3) - corner;
        const Vec3DoubleW<Arch> e2 = three(of_triangles, 6) - corner;
        const Vec3DoubleW<Arch> d = three(of_rays, 3);
        const Vec3DoubleW<Arch> minus_n = cross(e2, e1);
        const DoubleW<Arch> sum = dot(d, minus_n);
        const DoubleW<Arch> of_b = dot(d, cross(a, e2));
        const DoubleW<Arch> of_c = dot(d, cross(e1, a));
        const DoubleW<Arch> of_a = (sum - of_b) - of_c;
        const DoubleW<Arch> numerator = dot(a, minus_n);
        const DoubleW<Arch> edge = max_keep(largest_of(e1), largest_of(e2));
        const DoubleW<Arch> distance = largest_of(a);
        const DoubleW<Arch> speed_edge = largest_of(d) * edge;
        const DoubleW<Arch> edge_error = number(0x1p-46) * (speed_edge * (edge + distance));
        const DoubleW<Arch> sum_error = number(0x1p-47) * (speed_edge * edge);
        const DoubleW<Arch> numerator_error = number(0x1p-47) * (distance * edge * edge);

        // judge()
        const DoubleW<Arch> smallest = min_keep(min_keep(of_a, of_b), of_c);
        const DoubleW<Arch> largest = max_keep(max_keep(of_a, of_b), of_c);
        const DoubleW<Arch> zero = number(0.0);
        const DoubleW<Arch> minus_error = zero - edge_error;
        // if (smallest < -error && (largest > error || ray.sides == Sides::front)) miss
        std::uint32_t miss = bits(smallest < minus_error);
        if (sides == Sides::both) miss &= bits(largest > edge_error);
        // if (!is_certain || !(|sum| > 2.0 * sum_error)) unsure
        const DoubleMaskW<Arch> has_sum = absolute(sum) > number(2.0) * sum_error;
        const std::uint32_t certain =
            bits(((smallest > edge_error) | (largest < minus_error)) & has_sum) & ~miss;
        const DoubleW<Arch> inv_sum = number(1.0) / sum;
        const DoubleW<Arch> twice_inv_sum = number(2.0) * absolute(inv_sum);
        // The error bound of a quotient that is divided by the sum.
        const auto error_of = [&](DoubleW<Arch> quotient, DoubleW<Arch> dividend_error) {
            const DoubleW<Arch> size = absolute(quotient);
            return twice_inv_sum * (dividend_error + size * sum_error) + size * number(0x1p-51);
        };
        const DoubleW<Arch> t = numerator * inv_sum;
        const DoubleW<Arch> t_error = error_of(t, numerator_error);
        const DoubleW<Arch> t_min = t - t_error;
        const DoubleW<Arch> t_max = t + t_error;
        const DoubleW<Arch> reach = of_rays(6);
        // if (time.max < 0.0 || time.min > t_max) miss
        miss_ = miss | (certain & bits((t_max < zero) | (t_min > reach)));
        // if (!(time.min >= 0.0 && time.max <= t_max)) unsure
        hit_ = certain & bits((t_min >= zero) & (t_max <= reach));
        store_doubles_unaligned(t_min_, t_min);
        store_doubles_unaligned(t_max_, t_max);

        // rounded_if_certain()
        std::uint32_t known = bits(has_sum);
        const auto round = [&](DoubleW<Arch> from, DoubleW<Arch> to, float* out_rounded) {
            const DoubleW<Arch> below = round_to_float(from);
            known &= bits((below == round_to_float(to)) & (below >= zero));
            store_narrowed(out_rounded, below + zero);
        };
        round(t_min, t_max, rounded_[0]);
        const DoubleW<Arch> u = of_b * inv_sum;
        const DoubleW<Arch> u_error = error_of(u, edge_error);
        round(u - u_error, u + u_error, rounded_[1]);
        const DoubleW<Arch> v = of_c * inv_sum;
        const DoubleW<Arch> v_error = error_of(v, edge_error);
        round(v - v_error, v + v_error, rounded_[2]);
        known_ = known;
    }
    BROADSIDE_FORCE_INLINE void judge_one(const TriangleRay& ray, const Triangle& triangle) {
        const TriangleVerdict verdict = narrowphase::judge(ray, edge_functions(ray, triangle));
        miss_ = verdict.verdict == Verdict::miss ? 1u : 0u;
        hit_ = verdict.verdict == Verdict::hit ? 1u : 0u;
        t_min_[0] = verdict.t.min;
        t_max_[0] = verdict.t.max;
        known_ = 0;
    }

private:
    double t_min_[kLanes] = {};
    double t_max_[kLanes] = {};
    float rounded_[3][kLanes] = {};
    std::uint32_t miss_ = 0;
    std::uint32_t hit_ = 0;
    std::uint32_t known_ = 0;
};

/// Rays and triangles from anywhere: lanes are set, judged, and then read.
template <class Arch>
class GatheredLanes : public JudgedLanes<Arch> {
public:
    using JudgedLanes<Arch>::kLanes;

    BROADSIDE_FORCE_INLINE void set(std::uint32_t lane, const TriangleRay& ray, const MeshView& mesh,
                                    std::uint32_t slot) {
        const float numbers[7] = {ray.origin.x,    ray.origin.y,    ray.origin.z, ray.direction.x,
                                  ray.direction.y, ray.direction.z, ray.t_max};
        for (std::uint32_t k = 0; k < 7; ++k) rays_[k][lane] = numbers[k];
        const MeshLeaf& leaf = mesh.leaves[slot / kNodeWidth];
        for (std::uint32_t k = 0; k < 9; ++k) corners_[k][lane] = leaf.corners[k][slot % kNodeWidth];
    }

    /// Judges the lanes that have been set.
    BROADSIDE_FORCE_INLINE void judge(Sides sides) {
        if constexpr (simd::is_scalar<Arch>) {
            const auto vector = [](const float(*columns)[kLanes]) {
                return Vec3{columns[0][0], columns[1][0], columns[2][0]};
            };
            this->judge_one({vector(rays_), vector(rays_ + 3), rays_[6][0], sides},
                            {vector(corners_), vector(corners_ + 3), vector(corners_ + 6)});
        } else {
            this->judge_columns([&](std::uint32_t k) { return simd::load_widened<Arch>(rays_[k]); },
                                [&](std::uint32_t k) { return simd::load_widened<Arch>(corners_[k]); },
                                sides);
        }
    }

private:
    // Lanes that have not been set hold 0.
    alignas(64) float rays_[7][kLanes] = {};
    float corners_[9][kLanes] = {};
};

}  // namespace broadside::narrowphase
