// Oriented box against oriented box, static and moving, single and in batches.
#pragma once

#include <broadside/export.hpp>
#include <broadside/impact.hpp>
#include <broadside/obb_soa.hpp>
#include <broadside/overlap.hpp>

#include <span>

namespace BROADSIDE_API broadside {

// Domain. Everything is closed: touching counts. There is no epsilon, absolute or per axis: in the form that
// obb_obb_frame.hpp explains, nearly parallel edges need none. The difference of the centers is taken first,
// so the distance from the origin costs only the digits that the coordinates lack. Decisions are right to a
// few units in the last place of the larger of extents, center distance and path, if those lie between about
// 1e-25 and 1e35. Boxes without thickness are ordinary. An invalid box, a center distance that overflows and
// a displacement that is not finite give no overlap and no impact.

/// One of the 15 candidate axes. The value is its position in the order of the tests.
enum class ObbAxis : std::uint8_t {
    /// A face of a: its axis_x, axis_y or axis_z.
    a_x = 0,
    a_y,
    a_z,
    /// A face of b.
    b_x,
    b_y,
    b_z,
    /// An edge of a against an edge of b: `y_z` is a's axis_y × b's axis_z.
    x_x,
    y_x,
    z_x,
    x_y,
    y_y,
    z_y,
    x_z,
    y_z,
    z_z,
    /// They already overlap at the start of the step; time of impact 0.
    initial,
    /// No contact.
    none,
};

/// How deeply two boxes overlap.
struct [[nodiscard]] ObbContact {
    /// The distance that separates them along `axis`, never negative, in the units of the boxes; 0 if they
    /// touch and if they do not overlap.
    float depth = 0.0f;
    /// The axis of least depth; `none` exactly if they do not overlap. Faces are preferred: an edge pair is
    /// returned only if its depth is less by more than 2^-20 of the boxes' extent along it. It is never
    /// returned if its edges are parallel to within 2^-22 and so define no axis of their own.
    ObbAxis axis = ObbAxis::none;

    friend constexpr bool operator==(const ObbContact&, const ObbContact&) = default;
};

/// When two boxes first touch.
using ObbImpact = AxisImpact<ObbAxis>;

/// Whether two oriented boxes share a point. Separating axes: 3 + 3 face normals and 9 cross products of
/// edges (source_rules.md B34). Pure and thread-safe, as are all functions here.
bool overlap(const Obb& a, const Obb& b) noexcept;

/// Axis and depth of the smallest translation that separates two overlapping boxes.
ObbContact obb_contact(const Obb& a, const Obb& b) noexcept;

/// First contact within a step in which the boxes move by their displacements, linearly and without turning.
/// Components of the relative displacement below FLT_MIN count as zero. If all are zero, the static test
/// decides: toi 0 or none.
ObbImpact first_impact(const Obb& a, Vec3 a_displacement, const Obb& b, Vec3 b_displacement) noexcept;

/// The unit vector along `axis` in the world that points from b to a: moving a along it separates them. Pass
/// the boxes as at the start of the step. The zero vector for `initial` and `none`, and for parallel edges.
Vec3 contact_normal(const Obb& a, const Obb& b, ObbAxis axis) noexcept;

// Batches, as overlap.hpp describes them.

/// One box against many.
BatchResult overlaps(const Obb& a, const ObbSoaView& b, std::span<std::uint64_t> out_bits) noexcept;
/// `out_axis` is optional.
BatchResult obb_contacts(const Obb& a, const ObbSoaView& b, std::span<float> out_depth,
                         std::span<ObbAxis> out_axis = {}) noexcept;
/// `b_displacements` has one element per box, or none if no box moves, else invalid_argument. `out_axis` is
/// optional.
BatchResult times_of_impact(const Obb& a, Vec3 a_displacement, const ObbSoaView& b,
                            const Vec3SoaView& b_displacements, std::span<float> out_toi,
                            std::span<ObbAxis> out_axis = {}) noexcept;

// Pairs by index.

BatchResult overlaps(std::span<const Obb> a, std::span<const Obb> b, std::span<const IndexPair> pairs,
                     std::span<std::uint64_t> out_bits) noexcept;
/// `out_axis` is optional.
BatchResult obb_contacts(std::span<const Obb> a, std::span<const Obb> b, std::span<const IndexPair> pairs,
                         std::span<float> out_depth, std::span<ObbAxis> out_axis = {}) noexcept;
/// Displacements have one element per box, or none if no box on that side moves, else invalid_argument.
/// `out_axis` is optional.
BatchResult times_of_impact(std::span<const Obb> a, std::span<const Vec3> a_displacements,
                            std::span<const Obb> b, std::span<const Vec3> b_displacements,
                            std::span<const IndexPair> pairs, std::span<float> out_toi,
                            std::span<ObbAxis> out_axis = {}) noexcept;

}  // namespace broadside
