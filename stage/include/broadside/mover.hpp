// Boxes, spheres and capsules that move through boxes and meshes: they slide along what blocks them, climb slopes and
// steps, and end inside nothing.
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
    /// Along the axes of the world.
    box,
    sphere,
    /// Along MoverSettings::up.
    capsule,
};

/// What a mover is: a box, a sphere or a capsule around its center.
struct MoverShape {
    /// Which of them; it says which fields below count.
    MoverForm form = MoverForm::capsule;
    /// Of a box.
    Vec3 half_extent = {};
    /// Of a sphere or a capsule; zero is legal.
    float radius = 0.0f;
    /// Of a capsule: from its center to the center of the sphere at an end.
    float half_length = 0.0f;
};

/// Something that moves, and where it wants to be.
struct Mover {
    MoverShape shape = {};
    /// Its center.
    Vec3 position = {};
    /// What it wants to do in this step, gravity included; of any finite length. It ends at the last float.
    Vec3 displacement = {};
    /// A box of MoverObstacles::boxes that it passes through, which is its own if it is among them.
    std::uint32_t ignored_box = 0xFFFFFFFFu;
};

/// What is in the way: at rest for the step. The caller keeps it alive for the call.
struct MoverObstacles {
    /// Solid. Null for none.
    const BoxTree* boxes = nullptr;
    /// Their triangles have two sides. No pointer may be null.
    std::span<const TriangleMesh* const> meshes = {};
    /// Placed meshes: the triangles that `placed` makes of theirs. Null for none.
    const MeshScene* scene = nullptr;
};

/// How movers move; common to all movers of a call.
struct MoverSettings {
    /// Away from the ground, of any length but zero.
    Vec3 up = {0.0f, 0.0f, 1.0f};
    /// The cosine of the steepest slope that is ground. Default: 45 degrees.
    float min_ground_cosine = 0.70710678f;
    /// How far it steps up onto ground that is in its way. Zero: not at all.
    float step_height = 0.0f;
    /// How far down it looks for ground to stay on after a step that began on ground and was not upwards. Zero: it
    /// does not stick.
    float stick_distance = 0.0f;
    /// How far it stays away from everything. It should be some hundredths of the mover's size; where floats are
    /// coarser than a quarter of it, it is four of their steps.
    float contact_offset = 0.01f;
    /// How many times at most it may be deflected in a step.
    std::uint32_t max_iterations = 16;
    /// Movers are shared out in runs; no answer depends on it.
    const TaskRunner* runner = nullptr;
};

/// How the step of a mover ended.
enum class MoverStatus : std::uint8_t {
    /// It went as far as it could: all the way, or to where nothing leads on.
    finished,
    /// It is where it was after so many deflections; what was left of the displacement is lost.
    iterations_used_up,
    /// It began deeper inside something than the contact offset, and has not moved.
    started_inside,
    /// More than kMoverNeighbourCount triangles and boxes have boxes that meet the one around it, grown by twice its
    /// clearance: it went as far as it could.
    crowded,
    /// Its shape is none, or a number is not finite; it has not moved.
    invalid,
};

/// Obstacles near a mover that are looked at at once.
inline constexpr std::uint32_t kMoverNeighbourCount = 256;

/// Where a step ended.
struct [[nodiscard]] MoverResult {
    /// The center at the end of the step.
    Vec3 position = {};
    MoverStatus status = MoverStatus::invalid;
    /// Whether it stands on ground: something within twice the contact offset whose slope is low enough.
    bool is_grounded = false;
    /// Whether it went up a step.
    bool has_stepped = false;
    /// How often it was deflected.
    std::uint32_t iteration_count = 0;
    /// Of the ground it stands on; zero without.
    Vec3 ground_normal = {};
    /// Of the last wall that it was deflected by, zero without: what a caller takes out of its velocity.
    Vec3 wall_normal = {};

    friend constexpr bool operator==(const MoverResult&, const MoverResult&) = default;
};

/// One mover, one step; docs/movers.md says what it promises. Movers do not see each other. Under bad arguments, see
/// below, the status is invalid.
MoverResult step_mover(const Mover& mover, const MoverObstacles& obstacles,
                       const MoverSettings& settings = {}) noexcept;

/// Many, each as if alone. invalid_argument for settings that are not finite, negative, or an up of no length, and for a
/// mesh that is null; capacity_exceeded, unsupported_isa.
BatchResult step_movers(std::span<const Mover> movers, const MoverObstacles& obstacles,
                        const MoverSettings& settings, std::span<MoverResult> out_results) noexcept;

}  // namespace broadside
