// The street: the demo's scene of static town and crossing traffic, sensor rays, and debris on hilly ground.
#pragma once

#include <broadside/obb.hpp>
#include <broadside/ray.hpp>
#include <broadside/scene_io/triangle_mesh.hpp>
#include <broadside/scenes/box_scene.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace broadside::scenes {

/// The kind of a box of the street; everything from `car` on moves.
enum class StreetKind : std::uint8_t { building, parked_car, pedestrian, lamp_post, car, bus, bike };

constexpr bool is_static(StreetKind kind) noexcept { return kind < StreetKind::car; }

struct StreetSettings {
    /// Boxes in all, in fixed shares: 60 % stand, 40 % drive. The town grows with them.
    std::size_t box_count = 10'000;
    /// Nine in ten sweep around from the roofs of cars, the others look straight down from above the town.
    std::size_t ray_count = 5'000;
    /// Pieces of debris that tumble over the terrain.
    std::size_t obb_count = 500;
    /// Quads of 2 m along each side of the terrain, which lies east of the town.
    std::uint32_t terrain_quad_count_per_side = 128;
    std::uint64_t seed = kDefaultSeed;
};

/// The state at the start of a step of 1/60 s. Metres; y is up; index i means the same object in every frame.
struct StreetFrame {
    std::vector<Aabb> boxes;
    /// During the step. box + displacement is, bit for bit, the box of the next frame, unless a vehicle
    /// leaves the town and reappears at the other end.
    std::vector<Vec3> box_displacements;
    /// Unit directions (to rounding), t_max in metres.
    std::vector<Ray> rays;
    /// Axes orthonormal to rounding; attitudes stay during a step.
    std::vector<Obb> obbs;
    std::vector<Vec3> obb_displacements;
};

/// A town of blocks with two roads each way between them. Vehicles keep lane and speed, drive through each
/// other at crossings (there is no right of way, so there are impacts in every frame) and come back at the
/// other end of their road. The same bytes on every platform for the same settings.
class StreetScene {
public:
    explicit StreetScene(const StreetSettings& settings = {});
    StreetScene(StreetScene&&) noexcept;
    StreetScene& operator=(StreetScene&&) noexcept;
    ~StreetScene();

    /// Replaces `out_frame` by frame `frame_index`, in any order, independent of earlier calls. Allocates
    /// only if `out_frame` grows. Linear in the counts; safe to call from several threads.
    void frame(std::uint64_t frame_index, StreetFrame& out_frame) const;

    /// The kind of each box, in the order of StreetFrame::boxes: static ones first.
    std::span<const StreetKind> kinds() const noexcept;
    /// The ground under the oriented boxes.
    const scene_io::TriangleMesh& terrain_mesh() const noexcept;
    /// Edge of the square town, metres, centered on the origin.
    float town_size() const noexcept;

private:
    struct State;
    std::unique_ptr<const State> state_;
};

}  // namespace broadside::scenes
