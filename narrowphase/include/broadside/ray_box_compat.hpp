// Ray against box exactly as two published texts define it. It serves callers that must reproduce their
// results. Neither is batched; ray_box.hpp has the library's own rule.
#pragma once

#include <broadside/aabb.hpp>
#include <broadside/export.hpp>
#include <broadside/impact.hpp>

namespace BROADSIDE_API broadside {

/// Box2D's b2AABB::RayCast of the segment from p1 towards p2, as far as max_fraction of it; a hit exactly
/// there counts. The toi of the result is Box2D's fraction, to the last bit (source_rules.md E), extended to
/// a third axis. Its normal is the outward_normal of the face; on an edge or corner, of the first axis. The
/// face is none on a miss, and only then. For the original in two dimensions give the box a z from -infinity
/// to +infinity and the points z = 0. Its rules differ from `ray_box`: a start inside the box is a miss, and
/// so are a ray of zero length and a start on a face that moves out; a component of p2 - p1 below 1.19e-7
/// counts as parallel, whatever the scale of the world (source_rules.md G8). Input on which Box2D asserts
/// (invalid box, points that are not finite) is a miss.
Impact ray_box_box2d(const Aabb& box, Vec3 p1, Vec3 p2, float max_fraction = 1.0f) noexcept;

/// The article's function on doubles (source_rules.md D): the t of the entry in multiples of the direction,
/// +infinity if there is none, negative if the ray starts inside, which means "test everything inside this
/// box too". The ray has no end. A ray of zero length inside the box returns the lowest double. As the
/// article's text says and its code does not, slabs are closed for parallel rays (G7), and parallel means a
/// direction of exactly zero (G8). An invalid box or ray returns +infinity. Planes are divided by the
/// direction, not multiplied by its reciprocal.
double ray_box_text_d(const Aabb& box, Vec3 start, Vec3 direction) noexcept;

}  // namespace broadside
