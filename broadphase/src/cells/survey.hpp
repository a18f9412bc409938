// The distribution of boxes in space, measured on a sample.
#pragma once

#include "broadphase/src/cells/axis_spread.hpp"
#include "broadphase/src/lists/box_sample.hpp"
#include "broadphase/src/thresholds.hpp"

#include <span>

namespace broadside::broadphase {

/// The range of an axis that a grid cuts, and the mean extent of the boxes there: in units of length, or in
/// shares of the bins if there are several stretches.
struct AxisSample {
    double range = 0;
    double extent = 0;
    /// The range in units of length, in any case.
    double length = 0;
    /// Share of all pairs that meet on the axis; known only after fit_to_crowds.
    double met_share = 1;
};

// Not an Aabb, whose corners begin as zeros: zeroing the whole array would be felt in calls of few boxes.
struct SampleBox {
    float min[3];
    float extent[3];
};

class BoxSurvey {
public:
    explicit BoxSurvey(const BoxSets& sets) noexcept;

    /// Whether many boxes are close together and far from others, so that even bins would not separate them.
    bool has_crowds() const { return has_crowds_; }
    /// True if there are crowds, but so few boxes that a sweep costs no more than locating the crowds.
    bool is_for_sweep() const noexcept;
    /// Gives several stretches to axes on which the boxes are not spread evenly.
    void fit_to_crowds(const BoxSets& sets) noexcept;

    std::size_t box_count() const { return box_count_; }
    const AxisSample& axis(int axis) const { return axes_[axis]; }
    const AxisSpread& spread(int axis) const { return spreads_[axis]; }
    /// Density around a box, relative to boxes spread over space as they are on each axis; 1 until fitted.
    double crowding() const { return crowding_; }
    std::span<const SampleBox> sample() const { return {boxes_, count_}; }

private:
    void take_sample(const BoxSets& sets, std::size_t wanted);
    void set_large_apart();
    void take_mins(int axis);
    void measure(int axis);
    bool find_crowds() const;
    void fit_axis(int axis);
    double measure_crowding() const;
    static float longest_extent(const SampleBox& box);

    SampleBox boxes_[kSampleCountMax];
    std::size_t count_ = 0;
    // The boxes that are not large come first.
    std::size_t ordinary_count_ = 0;
    std::size_t box_count_;
    // The finite ones of boxes_, ascending unless the sample is too small to be fitted.
    float mins_[3][kSampleCountMax];
    std::size_t min_counts_[3];
    AxisSample axes_[3];
    AxisSpread spreads_[3];
    bool has_crowds_ = false;
    double crowding_ = 1;
};

}  // namespace broadside::broadphase
