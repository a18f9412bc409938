// Worlds of DART that run on its native detector and on broadside's, with a clock around detection.
#pragma once

#include <dart/simulation/World.hpp>

#include <cstdint>
#include <random>

namespace dart_example {

enum class Scene : std::uint8_t {
    /// Boxes, spheres and ellipsoids with one radius that tumble through the air, two lengths apart.
    airborne,
    /// The same, each on the ground.
    landed,
    /// Towers of three on the ground, that fall over.
    towers,
    /// Chains of five bodies that fall on each other, with all filters that DART has.
    chains,
    /// Towers and a plane, with shapes among them that DART's narrowphase does not know: as long as they
    /// live, DART complains about them on std::cerr.
    unknown,
};
inline constexpr Scene kScenes[] = {Scene::airborne, Scene::landed, Scene::towers, Scene::chains};
const char* scene_name(Scene scene);

struct SceneSettings {
    Scene scene = Scene::airborne;
    bool is_broadside = true;
    int shape_count = 1000;
    /// Most contacts of a step; 1,000 is DART's default.
    std::size_t max_contact_count = 1'000'000;
};

/// Microseconds of a step: of the detector's collide, of everything, and of World::checkCollision after it,
/// which needs one contact and no result.
struct StepTimes {
    double detection = 0;
    double step = 0;
    double check = 0;
};

class ScenePlay {
public:
    explicit ScenePlay(const SceneSettings& settings);

    StepTimes step(bool is_checked = false);
    /// Hash of positions and velocities of everything, bit for bit.
    std::uint64_t state_hash() const;
    /// Hash of the contacts of the last step in their order, bit for bit.
    std::uint64_t contact_hash() const;
    std::size_t contact_count() const;
    dart::simulation::World& world() { return *world_; }
    dart::dynamics::SkeletonPtr add_body(const dart::dynamics::ShapePtr& shape,
                                         const Eigen::Vector3d& position);

private:
    void add_ground();
    void add_shapes(int count, double spacing, bool is_flat);
    void add_towers(int count);
    void add_chain(const Eigen::Vector3d& position, int number);
    dart::dynamics::ShapePtr next_shape();

    SceneSettings settings_;
    std::mt19937 random_;
    int shape_number_ = 0;
    dart::simulation::WorldPtr world_ = dart::simulation::World::create();
    double* detection_microseconds_ = nullptr;
};

}  // namespace dart_example
