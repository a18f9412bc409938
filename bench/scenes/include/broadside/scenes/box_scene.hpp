// The box scenes of the benches and tests, resting and moving. The street is street_scene.hpp.
#pragma once

#include <broadside/aabb.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace broadside::scenes {

/// The arrangement of the boxes. Pairs a box are those of 10,000 resting boxes, closed.
enum class Layout : std::uint8_t {
    /// Edges 0.5 to 1.5 all over a cube; 1 pair a box. The usual scene of published numbers.
    uniform,
    /// The same boxes in bell-shaped heaps of 200 far apart, as objects gather around players; 1.6
    /// pairs a box.
    clustered,
    /// Sizes spread like a log-normal over a factor of 20, and one giant (30 times the middle size) in a
    /// thousand; 0.7 pairs a box without the giants, 2.3 with them.
    mixed,
    /// Everything stands on flat ground; one in fifty is a tower; 0.9 pairs a box.
    city,
    /// A settled heap: a lattice whose neighbours all just overlap; 12 pairs a box.
    pile,
    /// All boxes overlap in x: the worst case of a sweep along x; 1 pair a box.
    wall,
    /// Long thin boxes along the three axes: bounds that fill little of the space that they span; 0.9 pairs a
    /// box.
    sticks,
    /// A row along x: one dimension does all the work, and the other two none; 1 pair a box.
    line,
    /// The same box many times: every pair overlaps. Keep the count low.
    one_place,
    /// Half of all boxes in crowds of a thousand, the rest far apart: defeats a grid made for the mean; 5
    /// pairs a box.
    clumps,
    /// Log-normal sizes over a factor of 256: no cell suits all; 1.2 pairs a box.
    sizes,
    /// One box in fifty has an edge of 20 among boxes of edge 1; 2.6 pairs a box.
    giants,
    /// Clusters of a thousand boxes each, a hundred thousand apart, as towns on a planet or arenas of a
    /// match; 1 pair a box.
    islands,
    /// One box in ten is up to a hundred thousand away from the others, like objects that fall forever; 0.8
    /// pairs a box.
    strays,
    /// Distances from the centre with uniform logarithms, over a factor of 32,768; one pair for thirty boxes.
    distances,
    /// All at once: two boxes of seven in islands, one each in a flat city, a row, of many sizes, with strays and at
    /// distances; 1 pair a box.
    mixture,
};

/// The boxes that move.
enum class Motion : std::uint8_t {
    none,
    /// Every tenth box; the others have a displacement of zero and never change.
    a_tenth,
    all,
};

inline constexpr std::uint64_t kDefaultSeed = 1;

/// A scene by its name in benches, such as "uniform", "uniform_moving" or "static90" (uniform, a tenth
/// moves).
struct NamedScene {
    std::string_view name;
    Layout layout;
    Motion motion;
};

/// Every named scene, in a fixed order. Static storage.
std::span<const NamedScene> named_scenes() noexcept;
/// The scene of that name, or nothing.
std::optional<NamedScene> find_scene(std::string_view name) noexcept;

/// The boxes of a layout: finite, min <= max. The same bytes on every platform for the same arguments.
/// Density does not depend on the count, so the world grows with it. Linear in the count.
std::vector<Aabb> make_boxes(Layout layout, std::size_t box_count, std::uint64_t seed = kDefaultSeed);

/// The state of a scene at the start of a step.
struct BoxFrame {
    std::vector<Aabb> boxes;
    /// The motion of each box during the step; added to the box it gives that of the next frame, up to
    /// rounding in the last place.
    std::vector<Vec3> displacements;
};

/// A scene with any frame. Moving boxes go back and forth, each along its own direction and with its own
/// speed (up to `max_displacement` on an axis a step) and turning points, so that the scene keeps its
/// character forever. Frame 0 is the resting scene.
class BoxScene {
public:
    BoxScene(Layout layout, Motion motion, std::size_t box_count, std::uint64_t seed = kDefaultSeed);
    BoxScene(const NamedScene& scene, std::size_t box_count, std::uint64_t seed = kDefaultSeed)
        : BoxScene(scene.layout, scene.motion, box_count, seed) {}

    std::span<const Aabb> resting_boxes() const noexcept { return resting_boxes_; }

    /// Replaces `out_frame` by frame `frame_index`, in any order, independent of earlier calls. Allocates
    /// only if `out_frame` grows. Linear in the count; safe to call from several threads.
    void frame(std::uint64_t frame_index, BoxFrame& out_frame) const;

private:
    // The phase of a moving box in its course, counted in steps; see box_scene.cpp.
    struct Course {
        Vec3 displacement_per_step;
        std::uint32_t half_period_steps = 1;
        std::uint32_t phase_steps = 0;
    };

    std::vector<Aabb> resting_boxes_;
    // Empty if nothing moves.
    std::vector<Course> courses_;
};

}  // namespace broadside::scenes
