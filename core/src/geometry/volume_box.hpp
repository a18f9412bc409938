// Convex volumes against boxes: the overlap test.
#pragma once

#include "core/src/geometry/node_shapes_scalar.hpp"

#include <broadside/plane.hpp>

#include <span>

namespace broadside::geometry {

/// A volume that one thread tests against many boxes. Refers to the planes.
class VolumeOverlaps {
public:
    explicit VolumeOverlaps(std::span<const Plane> planes) noexcept;

    /// The planes that a tree walk tests, with enough slack to lose no box.
    const nodes::PlanesQuery& query() const noexcept { return query_; }

    /// True if some point is in the box and on the inner side of all planes; closed and exact. The planes and
    /// the box are valid.
    bool holds(const Aabb& box) const noexcept;

private:
    enum class Emptiness : std::uint8_t { unknown, no, yes };
    bool is_empty() const noexcept;

    std::span<const Plane> planes_;
    nodes::PlanesQuery query_;
    /// Computed for the first box that needs it.
    mutable Emptiness emptiness_ = Emptiness::unknown;
};

}  // namespace broadside::geometry
