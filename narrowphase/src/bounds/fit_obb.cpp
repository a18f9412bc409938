// The oriented box of a set of points: descent over orientations, on the points that matter.
#include <broadside/fit.hpp>
#include <broadside/float_environment.hpp>

#include "narrowphase/src/bounds/fit_checks.hpp"
#include "narrowphase/src/bounds/fit_search.hpp"
#include "narrowphase/src/bounds/kernels.hpp"
#include "simd/src/dispatch.hpp"

namespace broadside {
namespace {

using narrowphase::FitFrame;
using narrowphase::FitKernels;
using narrowphase::FitPoints;
using narrowphase::FrameExtents;
using narrowphase::Orientation;

// At most this many searches in a row, each with the points that the box before left outside.
constexpr int kMaxRounds = 16;

// Chooses the points for the search: all points of a small set; of a large one, the extremes along the axes
// of coarsely spread orientations.
void choose_points(const FitKernels& kernels, const Vec3SoaView& points, FitPoints& out_chosen) {
    if (points.count <= FitPoints::kCapacity) {
        for (std::size_t i = 0; i < points.count; ++i) out_chosen.add(points, i);
        return;
    }
    for (int index = 0; index < narrowphase::kCoarseOrientationCount; ++index) {
        FrameExtents extents;
        kernels.extents(narrowphase::frame_of(narrowphase::coarse_orientation(index), out_chosen.origin),
                        points, extents);
        out_chosen.add_extremes(points, extents);
    }
}

// The best orientation for the chosen points, corrected until it is good for all points.
Orientation best_orientation(const FitKernels& kernels, const Vec3SoaView& points, FitPoints& state_chosen) {
    Orientation best = narrowphase::search_all(kernels, state_chosen);
    if (points.count <= FitPoints::kCapacity) return best;
    Orientation result = best;
    double result_size = __builtin_inf();
    for (int round = 0; round < kMaxRounds; ++round) {
        FrameExtents extents;
        kernels.extents(narrowphase::frame_of(best, state_chosen.origin), points, extents);
        const double size = narrowphase::size_of(extents);
        if (size < result_size) {
            result = best;
            result_size = size;
        }
        const std::size_t count_before = state_chosen.count;
        state_chosen.add_extremes(points, extents);
        if (state_chosen.count == count_before) break;
        best = narrowphase::search_from(kernels, state_chosen, best);
    }
    return result;
}

Vec3 center_of(const FitFrame& frame, const FrameExtents& extents) {
    Vec3Double center = frame.origin;
    for (int i = 0; i < 3; ++i)
        center = center + frame.axis[i] * (extents.along[i].min * 0.5 + extents.along[i].max * 0.5);
    return narrowphase::rounded_to_float(center);
}

// The box of the orientation as floats, with extents around the rounded center along the rounded axes.
Obb rounded_box(const FitKernels& kernels, const Vec3SoaView& points, const FitFrame& frame) {
    FrameExtents extents;
    kernels.extents(frame, points, extents);
    Obb obb;
    obb.center = center_of(frame, extents);
    obb.axis_x = narrowphase::rounded_to_float(frame.axis[0]);
    obb.axis_y = narrowphase::rounded_to_float(frame.axis[1]);
    obb.axis_z = narrowphase::rounded_to_float(frame.axis[2]);
    const FitFrame rounded = {widened(obb.center),
                              {widened(obb.axis_x), widened(obb.axis_y), widened(obb.axis_z)}};
    kernels.extents(rounded, points, extents);
    const auto half = [&](int axis) { return max_keep(-extents.along[axis].min, extents.along[axis].max); };
    // The rounded axes are orthonormal to 2^-24. The pad keeps points inside in both readings of a box.
    const double pad = (half(0) + half(1) + half(2)) * 0x1p-22;
    obb.half_extent = {narrowphase::rounded_up(half(0) + pad), narrowphase::rounded_up(half(1) + pad),
                       narrowphase::rounded_up(half(2) + pad)};
    return obb;
}

}  // namespace

Fitted<Obb> fit_obb(const Vec3SoaView& points) noexcept {
    const FloatEnvironment environment;
    std::size_t bad_index;
    if (const Status status = narrowphase::check_points(points, bad_index); status != Status::ok)
        return {status, bad_index, {}};
    const auto* kernels = simd::active_kernels<narrowphase::FitKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa, kNoIndex, {}};

    FitPoints chosen(widened(points[0]));
    choose_points(*kernels, points, chosen);
    const Orientation best = best_orientation(*kernels, points, chosen);
    const Obb obb = rounded_box(*kernels, points, narrowphase::frame_of(best, chosen.origin));
    if (!narrowphase::check_fit(is_valid(obb))) return {Status::invalid_argument, kNoIndex, {}};
    return FloatEnvironment::result(Fitted<Obb>{Status::ok, kNoIndex, obb});
}

}  // namespace broadside
