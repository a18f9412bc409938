// The queries of a scene in every shape that a tree and a world support: those of its QuerySet, and others
// derived from them.
#pragma once

#include "bench/query_scene.hpp"

#include <utility>
#include <vector>

namespace broadside::bench {

struct ShapeQueries : scenes::QuerySet {
    explicit ShapeQueries(scenes::QuerySet set)
        : QuerySet(std::move(set)),
          rays_within(within(rays)),
          casts_within(within(casts)),
          sphere_casts_within(within(sphere_casts)) {
        // Volumes refer to their planes.
        planes_.reserve(12 * overlaps.size());
        for (const Aabb& box : overlaps) add_shapes_in(box);
        for (const SphereCast& cast : sphere_casts) {
            const Vec3 up = {0, 0, 2 * cast.shape.radius};
            const Capsule capsule = {cast.shape.center, cast.shape.center + up, cast.shape.radius};
            capsule_casts.push_back({capsule, cast.displacement, cast.t_max});
        }
        capsule_casts_within = within(capsule_casts);
    }
    ShapeQueries(ShapeQueries&&) = default;

    // Within the boxes of overlap queries: spheres, upright capsules half as wide, the boxes themselves as
    // six planes, and frustums that open along x.
    std::vector<Sphere> spheres;
    std::vector<Capsule> capsules;
    std::vector<ConvexVolume> volumes;
    std::vector<ConvexVolume> frustums;
    // The sphere casts, as high again.
    std::vector<CapsuleCast> capsule_casts;
    // The same with a reach of a quarter.
    std::vector<Ray> rays_within;
    std::vector<BoxCast> casts_within;
    std::vector<SphereCast> sphere_casts_within;
    std::vector<CapsuleCast> capsule_casts_within;

private:
    template <class Query>
    static std::vector<Query> within(std::vector<Query> queries) {
        for (Query& query : queries) query.t_max *= 0.25f;
        return queries;
    }
    void add_shapes_in(const Aabb& box) {
        spheres.push_back({center(box), half_extent(box).x});
        const Vec3 up = {0, 0, 0.5f * half_extent(box).z};
        capsules.push_back({center(box) - up, center(box) + up, 0.5f * half_extent(box).x});
        volumes.push_back(volume_of({{{1, 0, 0}, -box.min.x},
                                     {{-1, 0, 0}, box.max.x},
                                     {{0, 1, 0}, -box.min.y},
                                     {{0, -1, 0}, box.max.y},
                                     {{0, 0, 1}, -box.min.z},
                                     {{0, 0, -1}, box.max.z}}));
        frustums.push_back(frustum_in(box));
    }
    // From a third of the box's height and width to all of it.
    ConvexVolume frustum_in(const Aabb& box) {
        const Vec3 half = half_extent(box);
        const Vec3 middle = center(box);
        const auto side = [&](Vec3 normal) {
            const Vec3 corner = {box.min.x, middle.y - normal.y * half.y / 3,
                                 middle.z - normal.z * half.z / 3};
            normal.x = (normal.y != 0 ? half.y : half.z) / (3 * half.x);
            return Plane{normal, -dot(normal, corner)};
        };
        return volume_of({{{1, 0, 0}, -box.min.x},
                          {{-1, 0, 0}, box.max.x},
                          side({0, 1, 0}),
                          side({0, -1, 0}),
                          side({0, 0, 1}),
                          side({0, 0, -1})});
    }
    ConvexVolume volume_of(const Plane (&planes)[6]) {
        const std::size_t first = planes_.size();
        planes_.insert(planes_.end(), planes, planes + 6);
        return {std::span<const Plane>(planes_).subspan(first, 6)};
    }

    std::vector<Plane> planes_;
};

}  // namespace broadside::bench
