// Argument checks and dispatch of oriented box against listed triangles.
#include <broadside/float_environment.hpp>
#include <broadside/obb_triangle.hpp>

#include "core/src/pair_check.hpp"
#include "narrowphase/src/batch/outputs.hpp"
#include "narrowphase/src/obb/kernels.hpp"
#include "simd/src/dispatch.hpp"

namespace broadside {
namespace {

using narrowphase::ListedTriangleKernels;
using narrowphase::TriangleList;

// The triangles of a call, and how many.
struct Source {
    TriangleList triangles;
    std::size_t count;
    bool is_readable() const { return triangles.structs != nullptr || triangles.arrays.is_readable(); }
};

Source source_of(const TriangleSoaView& triangles) { return {{triangles, nullptr}, triangles.count}; }
Source source_of(std::span<const Triangle> triangles) { return {{{}, triangles.data()}, triangles.size()}; }

std::size_t find_index_out_of_range(std::span<const std::uint32_t> indices, std::size_t count) {
    for (std::size_t i = 0; i < indices.size(); ++i) {
        if (indices[i] >= count) return i;
    }
    return kNoIndex;
}

BatchResult overlap_indexed(const Obb& obb, const Source& source, std::span<const std::uint32_t> indices,
                            std::span<std::uint64_t> out_bits) {
    if (!source.is_readable()) return {Status::invalid_argument};
    if (out_bits.size() < bit_word_count(indices.size())) return {Status::capacity_exceeded};
    const std::size_t bad_index = find_index_out_of_range(indices, source.count);
    if (bad_index != kNoIndex) return {Status::invalid_argument, bad_index};
    const auto* kernels = simd::active_kernels<ListedTriangleKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->overlap_indexed(obb, source.triangles, indices.data(), indices.size(), out_bits.data());
    return {};
}

BatchResult impacts_indexed(const Obb& obb, Vec3 motion, const Source& source,
                            std::span<const std::uint32_t> indices, std::span<float> out_toi,
                            std::span<ContactAxis> out_axis) {
    if (!source.is_readable()) return {Status::invalid_argument};
    if (narrowphase::is_too_short(indices.size(), out_toi, out_axis)) return {Status::capacity_exceeded};
    const std::size_t bad_index = find_index_out_of_range(indices, source.count);
    if (bad_index != kNoIndex) return {Status::invalid_argument, bad_index};
    const auto* kernels = simd::active_kernels<ListedTriangleKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->impacts_indexed(obb, motion, source.triangles, indices.data(), indices.size(),
                             {out_toi.data(), narrowphase::pointer_or_null(out_axis)});
    return {};
}

BatchResult overlap_pairs(std::span<const Obb> obbs, const Source& source, std::span<const IndexPair> pairs,
                          std::span<std::uint64_t> out_bits) {
    if (!source.is_readable()) return {Status::invalid_argument};
    if (out_bits.size() < bit_word_count(pairs.size())) return {Status::capacity_exceeded};
    const std::size_t bad_index = find_pair_out_of_range(pairs, obbs.size(), source.count);
    if (bad_index != kNoIndex) return {Status::invalid_argument, bad_index};
    const auto* kernels = simd::active_kernels<ListedTriangleKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->overlap_pairs(obbs.data(), source.triangles, pairs.data(), pairs.size(), out_bits.data());
    return {};
}

BatchResult impact_pairs(std::span<const Obb> obbs, std::span<const Vec3> obb_displacements,
                         const Source& source, Vec3 triangle_displacement, std::span<const IndexPair> pairs,
                         std::span<float> out_toi, std::span<ContactAxis> out_axis) {
    const bool has_displacements = !obb_displacements.empty();
    if (!source.is_readable() || (has_displacements && obb_displacements.size() != obbs.size()))
        return {Status::invalid_argument};
    if (narrowphase::is_too_short(pairs.size(), out_toi, out_axis)) return {Status::capacity_exceeded};
    const std::size_t bad_index = find_pair_out_of_range(pairs, obbs.size(), source.count);
    if (bad_index != kNoIndex) return {Status::invalid_argument, bad_index};
    const auto* kernels = simd::active_kernels<ListedTriangleKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    const narrowphase::ObbsOfPairs moving = {
        obbs.data(), has_displacements ? obb_displacements.data() : nullptr, triangle_displacement};
    kernels->impact_pairs(moving, source.triangles, pairs.data(), pairs.size(),
                          {out_toi.data(), narrowphase::pointer_or_null(out_axis)});
    return {};
}

}  // namespace

BatchResult overlap_triangles_indexed(const Obb& obb, std::span<const Triangle> triangles,
                                      std::span<const std::uint32_t> indices,
                                      std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    return overlap_indexed(obb, source_of(triangles), indices, out_bits);
}
BatchResult overlap_triangles_indexed(const Obb& obb, const TriangleSoaView& triangles,
                                      std::span<const std::uint32_t> indices,
                                      std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    return overlap_indexed(obb, source_of(triangles), indices, out_bits);
}

BatchResult obb_triangle_impacts_indexed(const Obb& obb, Vec3 obb_displacement,
                                         std::span<const Triangle> triangles, Vec3 triangle_displacement,
                                         std::span<const std::uint32_t> indices, std::span<float> out_toi,
                                         std::span<ContactAxis> out_axis) noexcept {
    const FloatEnvironment environment(obb_displacement, triangle_displacement);
    return impacts_indexed(obb, triangle_displacement - obb_displacement, source_of(triangles), indices,
                           out_toi, out_axis);
}
BatchResult obb_triangle_impacts_indexed(const Obb& obb, Vec3 obb_displacement,
                                         const TriangleSoaView& triangles, Vec3 triangle_displacement,
                                         std::span<const std::uint32_t> indices, std::span<float> out_toi,
                                         std::span<ContactAxis> out_axis) noexcept {
    const FloatEnvironment environment(obb_displacement, triangle_displacement);
    return impacts_indexed(obb, triangle_displacement - obb_displacement, source_of(triangles), indices,
                           out_toi, out_axis);
}

BatchResult overlap_obb_triangle_pairs(std::span<const Obb> obbs, std::span<const Triangle> triangles,
                                       std::span<const IndexPair> pairs,
                                       std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    return overlap_pairs(obbs, source_of(triangles), pairs, out_bits);
}
BatchResult overlap_obb_triangle_pairs(std::span<const Obb> obbs, const TriangleSoaView& triangles,
                                       std::span<const IndexPair> pairs,
                                       std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    return overlap_pairs(obbs, source_of(triangles), pairs, out_bits);
}

BatchResult obb_triangle_impact_pairs(std::span<const Obb> obbs, std::span<const Vec3> obb_displacements,
                                      std::span<const Triangle> triangles, Vec3 triangle_displacement,
                                      std::span<const IndexPair> pairs, std::span<float> out_toi,
                                      std::span<ContactAxis> out_axis) noexcept {
    const FloatEnvironment environment(triangle_displacement);
    return impact_pairs(obbs, obb_displacements, source_of(triangles), triangle_displacement, pairs, out_toi,
                        out_axis);
}
BatchResult obb_triangle_impact_pairs(std::span<const Obb> obbs, std::span<const Vec3> obb_displacements,
                                      const TriangleSoaView& triangles, Vec3 triangle_displacement,
                                      std::span<const IndexPair> pairs, std::span<float> out_toi,
                                      std::span<ContactAxis> out_axis) noexcept {
    const FloatEnvironment environment(triangle_displacement);
    return impact_pairs(obbs, obb_displacements, source_of(triangles), triangle_displacement, pairs, out_toi,
                        out_axis);
}

}  // namespace broadside
