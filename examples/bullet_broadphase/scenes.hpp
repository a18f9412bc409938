// Worlds of Bullet that run on any broadphase, with a clock around the work of the broadphase.
#pragma once

#include <btBulletCollisionCommon.h>
#include <btBulletDynamicsCommon.h>

#include <BulletCollision/CollisionDispatch/btGhostObject.h>
#include <BulletDynamics/Character/btKinematicCharacterController.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace bullet_example {

enum class Scene : std::uint8_t {
    /// Towers of ten boxes on the ground.
    stacks,
    /// Figures of ten boxes, each with nine joints, that fall on each other.
    ragdolls,
    /// Towers, and characters with ghost objects that walk through them.
    character,
    /// Boxes that fly about and bounce, without gravity.
    flight,
};
inline constexpr Scene kScenes[] = {Scene::stacks, Scene::ragdolls, Scene::character, Scene::flight};
const char* scene_name(Scene scene);

enum class BroadphaseKind : std::uint8_t { dbvt, axis_sweep, broadside };
inline constexpr BroadphaseKind kBroadphaseKinds[] = {BroadphaseKind::dbvt, BroadphaseKind::axis_sweep,
                                                      BroadphaseKind::broadside};
const char* broadphase_name(BroadphaseKind kind);
/// A broadphase as Bullet sets it up by default; the sweep for `proxy_count` objects within `extent` of the
/// origin.
std::unique_ptr<btBroadphaseInterface> make_broadphase(BroadphaseKind kind, float extent, int proxy_count);

/// Microseconds of a frame.
struct FrameTimes {
    double set_boxes = 0;
    double pairs = 0;
    /// Rays through the broadphase alone, and through Bullet, which tests the shapes as well.
    double rays_boxes = 0;
    double rays = 0;
    /// stepSimulation, with set_boxes and pairs; without rays.
    double step = 0;
    int pair_count = 0;
};

struct SceneSettings {
    Scene scene = Scene::stacks;
    BroadphaseKind broadphase = BroadphaseKind::broadside;
    int body_count = 1000;
    int ray_count = 1000;
    /// Bodies that lie still are skipped, island by island.
    bool bodies_sleep = false;
};

class ScenePlay {
public:
    explicit ScenePlay(const SceneSettings& settings);
    ScenePlay(const ScenePlay&) = delete;
    ScenePlay& operator=(const ScenePlay&) = delete;
    ~ScenePlay();

    FrameTimes step();
    /// Hash of the positions and velocities of all bodies and characters, bit for bit.
    std::uint64_t state_hash() const;
    /// Hash of the hits of the last frame's rays, bit for bit.
    std::uint64_t ray_hash() const { return ray_hash_; }
    btBroadphaseInterface& broadphase() { return *broadphase_; }
    btDiscreteDynamicsWorld& world();

private:
    btRigidBody* add_box(const btVector3& half_extent, const btTransform& place, float mass);
    void add_ground();
    void add_towers(int count);
    void add_ragdoll(const btVector3& place, float turn);
    void add_ragdolls(int count);
    void add_flight(int count);
    void add_character(const btVector3& place);
    void cast_rays(FrameTimes& out_times);

    SceneSettings settings_;
    float extent_;
    int frame_ = 0;
    std::uint64_t ray_hash_ = 0;
    btDefaultCollisionConfiguration configuration_;
    btCollisionDispatcher dispatcher_;
    btGhostPairCallback ghost_callback_;
    std::unique_ptr<btBroadphaseInterface> broadphase_;
    class OrderedSolver;
    std::unique_ptr<OrderedSolver> solver_;
    class TimedWorld;
    std::unique_ptr<TimedWorld> world_;
    std::vector<std::unique_ptr<btCollisionShape>> shapes_;
    std::vector<std::unique_ptr<btRigidBody>> bodies_;
    std::vector<std::unique_ptr<btTypedConstraint>> joints_;
    std::vector<std::unique_ptr<btPairCachingGhostObject>> ghosts_;
    std::vector<std::unique_ptr<btKinematicCharacterController>> characters_;
};

}  // namespace bullet_example
