// Spheres against spheres, boxes, oriented boxes and triangles at rest. Moving ones: moving_sphere.hpp.
#pragma once

#include <broadside/export.hpp>
#include <broadside/obb.hpp>
#include <broadside/overlap.hpp>
#include <broadside/sphere_view.hpp>
#include <broadside/triangle_mesh.hpp>

namespace BROADSIDE_API broadside {

// Closed and solid: a sphere overlaps a shape if the point of the shape that is closest to its center
// (`closest_point`) is at most the radius away. This is decided by squares in double precision, so at every
// scale and position; for boxes as if nothing were rounded. For other shapes a touch is found exactly
// wherever the numbers are exact (on an edge of a triangle: where its foot is). A decision is wrong only if
// distance and radius differ by less than 2^-46 of the distance and size of the shape (slivers 2^-32,
// oriented boxes 2^-24; see closest_point.hpp). A sphere of radius zero is a point. An invalid sphere or
// shape overlaps nothing; a triangle is valid if it is finite. Sphere against sphere is in sphere.hpp. Pure
// and thread-safe.

bool overlap(const Sphere& sphere, const Aabb& box) noexcept;
bool overlap(const Sphere& sphere, const Obb& obb) noexcept;
/// The triangle may be degenerate.
bool overlap(const Sphere& sphere, const Triangle& triangle) noexcept;

// Batches, as overlap.hpp describes them.

/// One sphere against many shapes.
BatchResult overlaps(const Sphere& sphere, const SphereSoaView& spheres,
                     std::span<std::uint64_t> out_bits) noexcept;
BatchResult overlaps(const Sphere& sphere, const BoxSoaView& boxes,
                     std::span<std::uint64_t> out_bits) noexcept;
BatchResult overlaps(const Sphere& sphere, std::span<const Obb> obbs,
                     std::span<std::uint64_t> out_bits) noexcept;
BatchResult overlaps(const Sphere& sphere, const TriangleSoaView& triangles,
                     std::span<std::uint64_t> out_bits) noexcept;

/// One shape against many spheres.
BatchResult overlaps(const Aabb& box, const SphereSoaView& spheres,
                     std::span<std::uint64_t> out_bits) noexcept;
BatchResult overlaps(const Obb& obb, const SphereSoaView& spheres,
                     std::span<std::uint64_t> out_bits) noexcept;
BatchResult overlaps(const Triangle& triangle, const SphereSoaView& spheres,
                     std::span<std::uint64_t> out_bits) noexcept;

}  // namespace broadside
