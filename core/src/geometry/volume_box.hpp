// Convex volumes against boxes: whether they have a point in common.
#pragma once

#include "core/src/geometry/node_shapes_scalar.hpp"

#include <broadside/plane.hpp>

#include <span>

namespace broadside::geometry {

/// A volume that is asked about many boxes, by one thread. Refers to the planes.
class VolumeOverlaps {
public:
    explicit VolumeOverlaps(std::span<const Plane> planes) noexcept;

    /// What a walk takes: the planes that it looks at, so as to lose no box.
    const nodes::PlanesQuery& query() const noexcept { return query_; }

    /// Closed: whether some point is in the box and on the inner side of all planes, decided exactly. The planes
    /// and the box are valid.
    bool holds(const Aabb& box) const noexcept;

private:
    enum class Emptiness : std::uint8_t { unknown, no, yes };
    bool is_empty() const noexcept;

    std::span<const Plane> planes_;
    nodes::PlanesQuery query_;
    /// Found out for the first box that needs it.
    mutable Emptiness emptiness_ = Emptiness::unknown;
};

}  // namespace broadside::geometry
