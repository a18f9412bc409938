// Rays against boxes four at a time, with a Mask4 as the result: for trees whose nodes have four children,
// and for packets of four rays. Everything else is in ray_box.hpp.
#pragma once

#include <broadside/export.hpp>
#include <broadside/mask4.hpp>
#include <broadside/ray_box.hpp>

namespace BROADSIDE_API broadside {

/// Four boxes side by side, such as the children of a tree node. A lane without a box is empty and never hit.
struct Box4 {
    alignas(16) float min_x[4] = {kEmptyMin, kEmptyMin, kEmptyMin, kEmptyMin};
    alignas(16) float min_y[4] = {kEmptyMin, kEmptyMin, kEmptyMin, kEmptyMin};
    alignas(16) float min_z[4] = {kEmptyMin, kEmptyMin, kEmptyMin, kEmptyMin};
    alignas(16) float max_x[4] = {-kEmptyMin, -kEmptyMin, -kEmptyMin, -kEmptyMin};
    alignas(16) float max_y[4] = {-kEmptyMin, -kEmptyMin, -kEmptyMin, -kEmptyMin};
    alignas(16) float max_z[4] = {-kEmptyMin, -kEmptyMin, -kEmptyMin, -kEmptyMin};

    /// The box in `lane`, 0 to 3.
    BROADSIDE_FORCE_INLINE Aabb operator[](unsigned lane) const noexcept {
        return {{min_x[lane], min_y[lane], min_z[lane]}, {max_x[lane], max_y[lane], max_z[lane]}};
    }
    void set(unsigned lane, const Aabb& box) noexcept {
        min_x[lane] = box.min.x;
        min_y[lane] = box.min.y;
        min_z[lane] = box.min.z;
        max_x[lane] = box.max.x;
        max_y[lane] = box.max.y;
        max_z[lane] = box.max.z;
    }

private:
    static constexpr float kEmptyMin = Aabb::empty().min.x;
};

/// Four prepared rays side by side that share their settings. A lane without a ray hits nothing. Made by
/// `prepare_ray4`; the fields are those of PreparedRay.
struct Ray4 {
    /// PreparedRay::origin.
    alignas(16) float origin_x[4] = {};
    alignas(16) float origin_y[4] = {};
    alignas(16) float origin_z[4] = {};
    /// PreparedRay::inv_direction.
    alignas(16) float inv_direction_x[4] = {};
    alignas(16) float inv_direction_y[4] = {};
    alignas(16) float inv_direction_z[4] = {};
    /// PreparedRay::inv_direction_far.
    alignas(16) float inv_direction_far_x[4] = {};
    alignas(16) float inv_direction_far_y[4] = {};
    alignas(16) float inv_direction_far_z[4] = {};
    alignas(16) float t_max[4] = {-1.0f, -1.0f, -1.0f, -1.0f};
    /// PreparedRay::accept_floor.
    float accept_floor = 0.0f;
    /// PreparedRay::report_floor.
    float report_floor = 0.0f;

    /// The ray in `lane`, 0 to 3.
    BROADSIDE_FORCE_INLINE PreparedRay operator[](unsigned lane) const noexcept {
        return {{origin_x[lane], origin_y[lane], origin_z[lane]},
                {inv_direction_x[lane], inv_direction_y[lane], inv_direction_z[lane]},
                {inv_direction_far_x[lane], inv_direction_far_y[lane], inv_direction_far_z[lane]},
                t_max[lane],
                accept_floor,
                report_floor};
    }
};

/// Prepares up to four of `rays` for the lanes from 0 on.
Ray4 prepare_ray4(std::span<const Ray> rays, const RaySettings& settings = {}) noexcept;

/// Four results of `ray_box`.
struct [[nodiscard]] RayBoxHit4 {
    /// Lane i in bit i: RaySolidHit::has_hit.
    Mask4 hits = {};
    /// RaySolidHit::t_enter of each lane.
    float t_enter[4] = {kNoIntersection, kNoIntersection, kNoIntersection, kNoIntersection};
};

/// One ray against four boxes, and four rays against one box. Every lane is `ray_box` bit for bit. Runs on
/// the active ISA; if none is active, on the specification.
RayBoxHit4 ray_box(const PreparedRay& ray, const Box4& boxes) noexcept;
RayBoxHit4 ray_box(const Ray4& rays, const Aabb& box) noexcept;

/// One ray against many nodes of four boxes. `out_hits` needs a Mask4 per node; `out_t_enter` is empty or has
/// room for four floats per node. Else capacity_exceeded, and nothing is written. O(nodes).
BatchResult ray_boxes(const PreparedRay& ray, std::span<const Box4> nodes, std::span<Mask4> out_hits,
                      std::span<float> out_t_enter = {}) noexcept;

/// Four rays against many boxes. Outputs as above, per box: a Mask4 and four floats, one per ray. O(boxes).
BatchResult ray_boxes(const Ray4& rays, const BoxSoaView& boxes, std::span<Mask4> out_hits,
                      std::span<float> out_t_enter = {}) noexcept;

}  // namespace broadside
