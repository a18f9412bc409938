// Oriented box against triangle, static and moving, single and in batches. Meshes of triangles are in
// triangle_mesh.hpp, the seven-axis test of a published text is in obb_triangle_compat.hpp.
#pragma once

#include <broadside/export.hpp>
#include <broadside/impact.hpp>
#include <broadside/obb_soa.hpp>
#include <broadside/overlap.hpp>
#include <broadside/triangle_mesh.hpp>

namespace BROADSIDE_API broadside {

// Domain. Everything is decided relative to the operands: there is no absolute epsilon, and the box's center
// is subtracted before anything else, so the distance from the origin costs only the digits that the
// coordinates lack. Results are right to a few units in the last place of the larger of box, triangle and
// path, if those lie between about 1e-15 and kMaxReach. The result is "no overlap" beyond it: if a half
// extent, a component of the relative displacement, or |ab| + |ca| of a triangle (sums of components along
// the box's axes) is larger. It is "no overlap" too for non-finite numbers, negative half extents and
// overflowing differences.
//
// Everything is closed: touching counts. Degenerate triangles and boxes without thickness are ordinary. On a
// *cap* (a triangle whose corners are almost collinear, width w far below its length s) the face normal is
// known to the angle 2^-23·s/w only. Then, and only for gaps below both w and 2^-23·s²/w, a separated
// triangle can count as touching. A true overlap is never lost.

/// Sizes up to this are legal, in world units.
inline constexpr float kMaxReach = 1e18f;

/// One of the 13 candidate axes: the one that closed last before the first contact, so the contact happens
/// along it. The value is its position in the order of the tests; of several that close at the same time the
/// first is returned.
enum class ContactAxis : std::uint8_t {
    /// A face of the box: its axis_x, axis_y or axis_z.
    box_x = 0,
    box_y,
    box_z,
    /// The face of the triangle.
    triangle_normal,
    /// An edge of the box (along its x, y, z axis) against an edge of the triangle (ab, bc, ca).
    x_ab,
    y_ab,
    z_ab,
    x_bc,
    y_bc,
    z_bc,
    x_ca,
    y_ca,
    z_ca,
    /// They already overlap at the start of the step; time of impact 0.
    initial,
    /// No contact within the step.
    none,
};

/// When an oriented box and a triangle first touch.
using TriangleImpact = AxisImpact<ContactAxis>;

/// Whether they share a point. 13 axes: 3 of the box, the normal, 9 edge pairs. Pure and thread-safe, as all
/// here.
bool overlap(const Obb& obb, const Triangle& triangle) noexcept;

/// First contact within a step in which the box moves by `obb_displacement` and the triangle by
/// `triangle_displacement`, linearly and without turning. Components of the relative displacement below
/// FLT_MIN count as zero. If all are zero, the static test decides: toi 0 or none.
TriangleImpact first_impact(const Obb& obb, Vec3 obb_displacement, const Triangle& triangle,
                            Vec3 triangle_displacement) noexcept;

/// Whether they meet within the step: `first_impact` without its time.
bool swept_overlap(const Obb& obb, Vec3 obb_displacement, const Triangle& triangle,
                   Vec3 triangle_displacement) noexcept;

/// The unit normal of a contact, in the world, pointing from the triangle to the box: moving the box along it
/// separates them. Pass the obb and the triangle as at the start of the step, and the axis of the impact. The
/// zero vector for `initial` and `none`.
Vec3 contact_normal(const Obb& obb, const Triangle& triangle, ContactAxis axis) noexcept;

// Batches, as overlap.hpp describes them.

/// One box against many triangles. If the view has `group_bounds` (TriangleSoa has them after `assign`),
/// groups out of the box's reach cost next to nothing.
BatchResult overlaps(const Obb& obb, const TriangleSoaView& triangles,
                     std::span<std::uint64_t> out_bits) noexcept;
/// One moving box against many triangles that share one displacement.
BatchResult times_of_impact(const Obb& obb, Vec3 obb_displacement, const TriangleSoaView& triangles,
                            Vec3 triangle_displacement, std::span<float> out_toi,
                            std::span<ContactAxis> out_axis = {}) noexcept;
/// As above, but only whether they meet.
BatchResult swept_overlaps(const Obb& obb, Vec3 obb_displacement, const TriangleSoaView& triangles,
                           Vec3 triangle_displacement, std::span<std::uint64_t> out_bits) noexcept;

/// Many boxes against one triangle.
BatchResult overlaps(const ObbSoaView& obbs, const Triangle& triangle,
                     std::span<std::uint64_t> out_bits) noexcept;
/// `obb_displacements` has one element per box, or none if no box moves, else invalid_argument.
BatchResult times_of_impact(const ObbSoaView& obbs, const Vec3SoaView& obb_displacements,
                            const Triangle& triangle, Vec3 triangle_displacement, std::span<float> out_toi,
                            std::span<ContactAxis> out_axis = {}) noexcept;

// One box against the triangles that `indices` lists. Triangles come as the caller's structs, which is
// faster, or from arrays, in which each of a triangle's nine floats lies in a cache line of its own.

BatchResult overlaps(const Obb& obb, std::span<const Triangle> triangles,
                     std::span<const std::uint32_t> indices, std::span<std::uint64_t> out_bits) noexcept;
BatchResult overlaps(const Obb& obb, const TriangleSoaView& triangles, std::span<const std::uint32_t> indices,
                     std::span<std::uint64_t> out_bits) noexcept;
BatchResult times_of_impact(const Obb& obb, Vec3 obb_displacement, std::span<const Triangle> triangles,
                            Vec3 triangle_displacement, std::span<const std::uint32_t> indices,
                            std::span<float> out_toi, std::span<ContactAxis> out_axis = {}) noexcept;
BatchResult times_of_impact(const Obb& obb, Vec3 obb_displacement, const TriangleSoaView& triangles,
                            Vec3 triangle_displacement, std::span<const std::uint32_t> indices,
                            std::span<float> out_toi, std::span<ContactAxis> out_axis = {}) noexcept;

// Pairs by index, `first` into `obbs` and `second` into `triangles`, structs or arrays as above. Pairs sorted
// by box are read fastest, and long runs of one box share its preparation. `obb_displacements` has one
// element per box, or none if no box moves, else invalid_argument.

BatchResult overlaps(std::span<const Obb> obbs, std::span<const Triangle> triangles,
                     std::span<const IndexPair> pairs, std::span<std::uint64_t> out_bits) noexcept;
BatchResult overlaps(std::span<const Obb> obbs, const TriangleSoaView& triangles,
                     std::span<const IndexPair> pairs, std::span<std::uint64_t> out_bits) noexcept;
BatchResult times_of_impact(std::span<const Obb> obbs, std::span<const Vec3> obb_displacements,
                            std::span<const Triangle> triangles, Vec3 triangle_displacement,
                            std::span<const IndexPair> pairs, std::span<float> out_toi,
                            std::span<ContactAxis> out_axis = {}) noexcept;
BatchResult times_of_impact(std::span<const Obb> obbs, std::span<const Vec3> obb_displacements,
                            const TriangleSoaView& triangles, Vec3 triangle_displacement,
                            std::span<const IndexPair> pairs, std::span<float> out_toi,
                            std::span<ContactAxis> out_axis = {}) noexcept;

}  // namespace broadside
