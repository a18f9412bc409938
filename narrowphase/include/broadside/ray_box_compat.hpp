// Ray against box exactly as two published texts define it. It serves callers that must reproduce their
// results. Neither is batched; ray_box.hpp has the library's own rule.
#pragma once

#include <broadside/aabb.hpp>
#include <broadside/export.hpp>

namespace BROADSIDE_API broadside {

/// Box2D's b2RayCastInput: the segment from p1 towards p2, as far as max_fraction of it.
struct Box2dRayCastInput {
    Vec3 p1 = {};
    Vec3 p2 = {};
    /// Reach, as a multiple of p2 - p1; a hit exactly there counts.
    float max_fraction = 1.0f;
};

/// Box2D's b2RayCastOutput.
struct [[nodiscard]] Box2dRayCastOutput {
    /// Outward unit normal of the face that is hit; on an edge or corner the normal of the first axis.
    Vec3 normal = {};
    /// Position of the hit, as a multiple of p2 - p1.
    float fraction = 0.0f;
};

/// Box2D's b2AABB::RayCast, to the last bit of the fraction (source_rules.md E), extended to a third axis.
/// For the original in two dimensions give the box a z from -infinity to +infinity and the points z = 0. Its
/// rules differ from `ray_box`: a start inside the box is a miss, and so are a ray of zero length and a start
/// on a face that moves out; a component of p2 - p1 below 1.19e-7 counts as parallel, whatever the scale of
/// the world (source_rules.md G8); `out_output` is written on a hit only. Input on which Box2D asserts
/// (invalid box, points that are not finite) is a miss.
bool ray_box_box2d(const Aabb& box, const Box2dRayCastInput& input, Box2dRayCastOutput* out_output) noexcept;

/// The article's function on doubles (source_rules.md D): the t of the entry in multiples of the direction,
/// +infinity if there is none, negative if the ray starts inside, which means "test everything inside this
/// box too". The ray has no end. A ray of zero length inside the box returns the lowest double. As the
/// article's text says and its code does not, slabs are closed for parallel rays (G7), and parallel means a
/// direction of exactly zero (G8). An invalid box or ray returns +infinity. Planes are divided by the
/// direction, not multiplied by its reciprocal.
double ray_box_text_d(const Aabb& box, Vec3 start, Vec3 direction) noexcept;

}  // namespace broadside
