// Queries of a scene's boxes: rays, boxes, moving boxes, and points, random or coherent.
#pragma once

#include <broadside/ray.hpp>
#include <broadside/scenes/box_scene.hpp>
#include <broadside/tree_query.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace broadside::scenes {

enum class QueryOrder : std::uint8_t {
    /// Each at a random position, rays and motions in random directions.
    incoherent,
    /// Rays of one camera, row by row; all others along a line through the scene in small steps.
    coherent,
};

struct QuerySet {
    /// Boxes of edge 5.
    std::vector<Aabb> overlaps;
    /// As long as the scene; unit directions (to rounding) if they are incoherent.
    std::vector<Ray> rays;
    /// Unit boxes that move by a tenth of the scene.
    std::vector<BoxCast> casts;
    std::vector<Vec3> points;
    /// Rods of the overlaps' volume, four times as long as thick and turned at random.
    std::vector<Obb> obbs;
    /// Spheres of radius one half that move like the boxes.
    std::vector<SphereCast> sphere_casts;
};

/// `count` queries of each kind within the bounds of `boxes`, which are not empty. The same bytes on every
/// platform for the same arguments. Linear in both counts.
QuerySet make_queries(std::span<const Aabb> boxes, std::size_t count, QueryOrder order,
                      std::uint64_t seed = kDefaultSeed);

}  // namespace broadside::scenes
