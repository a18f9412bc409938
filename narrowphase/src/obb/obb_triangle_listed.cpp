// Oriented boxes against listed triangles in batches: by index, and pairs.
#include <broadside/float_environment.hpp>
#include <broadside/obb_triangle.hpp>

#include "narrowphase/src/batch/call.hpp"
#include "narrowphase/src/obb/kernels.hpp"

namespace broadside {

using narrowphase::BatchCall;
using narrowphase::ListedTriangleKernels;
using narrowphase::pointer_or_null;
using narrowphase::TriangleList;

namespace {

// The triangles of a call and their count; also as the caller's structs, if they are structs.
struct Source {
    TriangleList triangles;
    std::size_t count;
    std::span<const Triangle> structs = {};
};

Source source_of(const TriangleSoaView& triangles) { return {{triangles, nullptr}, triangles.count}; }
Source source_of(std::span<const Triangle> triangles) {
    return {{{}, triangles.data()}, triangles.size(), triangles};
}

BatchResult overlap_indexed(const Obb& obb, const Source& source, std::span<const std::uint32_t> indices,
                            std::span<std::uint64_t> out_bits) {
    return BatchCall()
        .readable(source.triangles.arrays)
        .readable(source.structs)
        .holds_bits(out_bits, indices.size())
        .in_range(indices, source.count)
        .run<ListedTriangleKernels>([&](const auto& kernels) {
            kernels.overlap_indexed(obb, source.triangles, indices.data(), indices.size(), out_bits.data());
        });
}

BatchResult impacts_indexed(const Obb& obb, Vec3 motion, const Source& source,
                            std::span<const std::uint32_t> indices, std::span<float> out_toi,
                            std::span<ContactAxis> out_axis) {
    return BatchCall()
        .readable(source.triangles.arrays)
        .readable(source.structs)
        .holds(out_toi, indices.size())
        .holds_if_wanted(out_axis, indices.size())
        .in_range(indices, source.count)
        .run<ListedTriangleKernels>([&](const auto& kernels) {
            kernels.impacts_indexed(obb, motion, source.triangles, indices.data(), indices.size(),
                                    {out_toi.data(), pointer_or_null(out_axis)});
        });
}

BatchResult overlap_pairs(std::span<const Obb> obbs, const Source& source, std::span<const IndexPair> pairs,
                          std::span<std::uint64_t> out_bits) {
    return BatchCall()
        .readable(source.triangles.arrays)
        .readable(source.structs, obbs)
        .holds_bits(out_bits, pairs.size())
        .in_range(pairs, obbs.size(), source.count)
        .run<ListedTriangleKernels>([&](const auto& kernels) {
            kernels.overlap_pairs(obbs.data(), source.triangles, pairs.data(), pairs.size(), out_bits.data());
        });
}

BatchResult impact_pairs(std::span<const Obb> obbs, std::span<const Vec3> obb_displacements,
                         const Source& source, Vec3 triangle_displacement, std::span<const IndexPair> pairs,
                         std::span<float> out_toi, std::span<ContactAxis> out_axis) {
    return BatchCall()
        .readable(source.triangles.arrays)
        .readable(source.structs, obbs, obb_displacements)
        .none_or_one_each(obb_displacements.size(), obbs.size(),
                          "obb_displacements: neither none nor one per box")
        .holds(out_toi, pairs.size())
        .holds_if_wanted(out_axis, pairs.size())
        .in_range(pairs, obbs.size(), source.count)
        .run<ListedTriangleKernels>([&](const auto& kernels) {
            const narrowphase::ObbsOfPairs moving = {obbs.data(), pointer_or_null(obb_displacements),
                                                     triangle_displacement};
            kernels.impact_pairs(moving, source.triangles, pairs.data(), pairs.size(),
                                 {out_toi.data(), pointer_or_null(out_axis)});
        });
}

}  // namespace

BatchResult overlaps(const Obb& obb, std::span<const Triangle> triangles,
                     std::span<const std::uint32_t> indices, std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    return overlap_indexed(obb, source_of(triangles), indices, out_bits);
}
BatchResult overlaps(const Obb& obb, const TriangleSoaView& triangles, std::span<const std::uint32_t> indices,
                     std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    return overlap_indexed(obb, source_of(triangles), indices, out_bits);
}

BatchResult times_of_impact(const Obb& obb, Vec3 obb_displacement, std::span<const Triangle> triangles,
                            Vec3 triangle_displacement, std::span<const std::uint32_t> indices,
                            std::span<float> out_toi, std::span<ContactAxis> out_axis) noexcept {
    const FloatEnvironment environment(obb_displacement, triangle_displacement);
    return impacts_indexed(obb, triangle_displacement - obb_displacement, source_of(triangles), indices,
                           out_toi, out_axis);
}
BatchResult times_of_impact(const Obb& obb, Vec3 obb_displacement, const TriangleSoaView& triangles,
                            Vec3 triangle_displacement, std::span<const std::uint32_t> indices,
                            std::span<float> out_toi, std::span<ContactAxis> out_axis) noexcept {
    const FloatEnvironment environment(obb_displacement, triangle_displacement);
    return impacts_indexed(obb, triangle_displacement - obb_displacement, source_of(triangles), indices,
                           out_toi, out_axis);
}

BatchResult overlaps(std::span<const Obb> obbs, std::span<const Triangle> triangles,
                     std::span<const IndexPair> pairs, std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    return overlap_pairs(obbs, source_of(triangles), pairs, out_bits);
}
BatchResult overlaps(std::span<const Obb> obbs, const TriangleSoaView& triangles,
                     std::span<const IndexPair> pairs, std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    return overlap_pairs(obbs, source_of(triangles), pairs, out_bits);
}

BatchResult times_of_impact(std::span<const Obb> obbs, std::span<const Vec3> obb_displacements,
                            std::span<const Triangle> triangles, Vec3 triangle_displacement,
                            std::span<const IndexPair> pairs, std::span<float> out_toi,
                            std::span<ContactAxis> out_axis) noexcept {
    const FloatEnvironment environment(triangle_displacement);
    return impact_pairs(obbs, obb_displacements, source_of(triangles), triangle_displacement, pairs, out_toi,
                        out_axis);
}
BatchResult times_of_impact(std::span<const Obb> obbs, std::span<const Vec3> obb_displacements,
                            const TriangleSoaView& triangles, Vec3 triangle_displacement,
                            std::span<const IndexPair> pairs, std::span<float> out_toi,
                            std::span<ContactAxis> out_axis) noexcept {
    const FloatEnvironment environment(triangle_displacement);
    return impact_pairs(obbs, obb_displacements, source_of(triangles), triangle_displacement, pairs, out_toi,
                        out_axis);
}

}  // namespace broadside
