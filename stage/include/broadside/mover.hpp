// Boxes, spheres and capsules that move through boxes and meshes: they slide along obstacles, climb slopes
// and steps, and end inside nothing.
#pragma once

#include <broadside/box_tree.hpp>
#include <broadside/export.hpp>
#include <broadside/mesh.hpp>

#include <cstdint>
#include <span>

namespace BROADSIDE_API broadside {

class MeshScene;

/// The form of a mover.
enum class MoverForm : std::uint8_t {
    /// Aligned with the axes of the world.
    box,
    sphere,
    /// Aligned with MoverSettings::up.
    capsule,
};

/// The shape of a mover: a box, a sphere or a capsule around its center.
struct MoverShape {
    /// The form, which decides which fields below count.
    MoverForm form = MoverForm::capsule;
    /// Half extent of a box.
    Vec3 half_extent = {};
    /// Radius of a sphere or a capsule; zero is legal.
    float radius = 0.0f;
    /// Half length of a capsule: from its center to the center of the sphere at an end.
    float half_length = 0.0f;
};

/// A moving shape and its wanted displacement.
struct Mover {
    MoverShape shape = {};
    /// The center.
    Vec3 position = {};
    /// The wanted displacement in this step, gravity included; of any finite length. Motion ends at the
    /// largest float.
    Vec3 displacement = {};
    /// A box of MoverObstacles::boxes that the mover passes through: its own, if it is among them.
    std::uint32_t ignored_box = 0xFFFFFFFFu;
};

/// The obstacles, at rest for the step. The caller keeps them alive for the call.
struct MoverObstacles {
    /// Solid boxes. Null for none.
    const BoxTree* boxes = nullptr;
    /// Meshes, whose triangles have two sides. No pointer may be null.
    std::span<const TriangleMesh* const> meshes = {};
    /// Placed meshes: the triangles that `placed` returns for theirs. Null for none.
    const MeshScene* scene = nullptr;
};

/// Settings for all movers of a call.
struct MoverSettings {
    /// Direction away from the ground, of any length but zero.
    Vec3 up = {0.0f, 0.0f, 1.0f};
    /// Cosine of the steepest slope that counts as ground. Default: 45 degrees.
    float min_ground_cosine = 0.70710678f;
    /// The highest step up onto ground in the way. Zero: none.
    float step_height = 0.0f;
    /// Distance down to ground that the mover sticks to, after a step that began on ground and was not
    /// upwards. Zero: it does not stick.
    float stick_distance = 0.0f;
    /// The distance that movers keep from everything. It should be some hundredths of the mover's size. Where
    /// a quarter of it is finer than the floats, it is four of their steps.
    float contact_offset = 0.01f;
    /// The most deflections in a step.
    std::uint32_t max_iterations = 16;
    /// Threads. Movers are distributed in runs; no result depends on it.
    const TaskRunner* runner = nullptr;
};

/// Outcome of a mover's step.
enum class MoverStatus : std::uint8_t {
    /// It went as far as it could: the whole displacement, or to a point from which nothing leads on.
    finished,
    /// It stopped after `max_iterations` deflections; the rest of the displacement is lost.
    iterations_used_up,
    /// It began inside something by more than the contact offset, and has not moved.
    started_inside,
    /// The boxes of more than kMoverNeighbourCount triangles and boxes meet its own, grown by twice its
    /// clearance. It went as far as it could.
    crowded,
    /// The shape is invalid, or a number is not finite. It has not moved.
    invalid,
};

/// The most obstacles near a mover that are considered at once.
inline constexpr std::uint32_t kMoverNeighbourCount = 256;

/// Result of a step.
struct [[nodiscard]] MoverResult {
    /// The center at the end of the step.
    Vec3 position = {};
    MoverStatus status = MoverStatus::invalid;
    /// True if it stands on ground: a slope that is low enough, within twice the contact offset.
    bool is_grounded = false;
    /// True if it went up a step.
    bool has_stepped = false;
    /// Number of deflections.
    std::uint32_t iteration_count = 0;
    /// Normal of the ground that it stands on; zero without ground.
    Vec3 ground_normal = {};
    /// Normal of the last wall that deflected it, for removal from the caller's velocity; zero without a
    /// wall.
    Vec3 wall_normal = {};

    friend constexpr bool operator==(const MoverResult&, const MoverResult&) = default;
};

/// Moves one mover by one step; docs/movers.md says what it promises. Movers do not see each other. Bad
/// arguments (see below) give the status invalid.
MoverResult step_mover(const Mover& mover, const MoverObstacles& obstacles,
                       const MoverSettings& settings = {}) noexcept;

/// Moves many, each as if alone. Returns invalid_argument for settings that are not finite or are negative,
/// an up of length zero, a contact offset of zero, a cosine that is not above 0 and at most 1, or a null mesh;
/// capacity_exceeded; or unsupported_isa.
BatchResult step_movers(std::span<const Mover> movers, const MoverObstacles& obstacles,
                        const MoverSettings& settings, std::span<MoverResult> out_results) noexcept;

}  // namespace broadside
