#include "examples/bullet_broadphase/scenes.hpp"

#include "examples/bullet_broadphase/broadside_broadphase.hpp"

#include <BulletCollision/BroadphaseCollision/btAxisSweep3.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <tuple>

namespace bullet_example {
namespace {

using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

// FNV-1a over the bytes of numbers.
struct Hash {
    std::uint64_t value = 0xCBF29CE484222325u;

    void add(const float* numbers, int count) {
        for (int i = 0; i < count; ++i) {
            std::uint32_t bits;
            std::memcpy(&bits, numbers + i, sizeof bits);
            value = (value ^ bits) * 0x100000001B3u;
        }
    }
    void add(const btVector3& v) { add(v.m_floats, 3); }
};

// A fixed sequence of numbers from 0 to 1.
class Numbers {
public:
    explicit Numbers(std::uint32_t seed) : state_(seed) {}
    float next() {
        state_ = state_ * 1664525u + 1013904223u;
        return static_cast<float>(state_ >> 8) * 0x1p-24f;
    }
    btVector3 in_cube(float extent) {
        const float x = next();
        const float y = next();
        const float z = next();
        return (btVector3(x, y, z) * 2 - btVector3(1, 1, 1)) * extent;
    }

private:
    std::uint32_t state_;
};

btTransform at(const btVector3& place, float turn = 0) {
    return btTransform(btQuaternion(btVector3(0, 1, 0), turn), place);
}

}  // namespace

const char* scene_name(Scene scene) {
    switch (scene) {
        case Scene::stacks:
            return "stacks";
        case Scene::ragdolls:
            return "ragdolls";
        case Scene::character:
            return "character";
        case Scene::flight:
            return "flight";
    }
    return "";
}

const char* broadphase_name(BroadphaseKind kind) {
    switch (kind) {
        case BroadphaseKind::dbvt:
            return "btDbvtBroadphase";
        case BroadphaseKind::axis_sweep:
            return "btAxisSweep3";
        case BroadphaseKind::broadside:
            return "broadside";
    }
    return "";
}

std::unique_ptr<btBroadphaseInterface> make_broadphase(BroadphaseKind kind, float extent, int proxy_count) {
    const btVector3 corner(extent, extent, extent);
    switch (kind) {
        case BroadphaseKind::dbvt:
            return std::make_unique<btDbvtBroadphase>();
        case BroadphaseKind::axis_sweep:
            return std::make_unique<btAxisSweep3>(-corner, corner,
                                                  static_cast<unsigned short>(proxy_count + 2));
        case BroadphaseKind::broadside:
            return std::make_unique<BroadsideBroadphase>();
    }
    return nullptr;
}

// Solves contacts and joints in the order of the bodies. Bullet sorts them by island, and islands depend on
// pairs whose shapes do not touch, which differ between broadphases.
class ScenePlay::OrderedSolver : public btSequentialImpulseConstraintSolver {
    // The bodies. A ghost's pairs have two lists of contacts, one of them the ghost's own, so the contacts
    // count too.
    static auto key_of(const btPersistentManifold& manifold) {
        std::array<float, 7> contact = {};
        if (manifold.getNumContacts() != 0) {
            const btManifoldPoint& point = manifold.getContactPoint(0);
            const btVector3& a = point.m_localPointA;
            const btVector3& b = point.m_localPointB;
            contact = {a.x(), a.y(), a.z(), b.x(), b.y(), b.z(), point.m_appliedImpulse};
        }
        return std::tuple(id_of(*manifold.getBody0()), id_of(*manifold.getBody1()), manifold.getNumContacts(),
                          contact);
    }
    static int id_of(const btCollisionObject& object) { return object.getBroadphaseHandle()->m_uniqueId; }

public:
    btScalar solveGroup(btCollisionObject** bodies, int body_count, btPersistentManifold** manifolds,
                        int manifold_count, btTypedConstraint** joints, int joint_count,
                        const btContactSolverInfo& info, btIDebugDraw* drawer,
                        btDispatcher* dispatcher) override {
        std::sort(manifolds, manifolds + manifold_count,
                  [](const auto* a, const auto* b) { return key_of(*a) < key_of(*b); });
        std::sort(joints, joints + joint_count, [](const auto* a, const auto* b) {
            return a->getUserConstraintId() < b->getUserConstraintId();
        });
        return btSequentialImpulseConstraintSolver::solveGroup(bodies, body_count, manifolds, manifold_count,
                                                               joints, joint_count, info, drawer, dispatcher);
    }
};

// Keeps its overlaps in the order of the bodies. Bullet's character pushes itself out of them in this order.
class OrderedGhost : public btPairCachingGhostObject {
public:
    explicit OrderedGhost(btDispatcher* dispatcher) : dispatcher_(dispatcher) {}

    void addOverlappingObjectInternal(btBroadphaseProxy* other, btBroadphaseProxy* self) override {
        btPairCachingGhostObject::addOverlappingObjectInternal(other, self);
        sort();
    }
    void removeOverlappingObjectInternal(btBroadphaseProxy* other, btDispatcher* dispatcher,
                                         btBroadphaseProxy* self) override {
        btPairCachingGhostObject::removeOverlappingObjectInternal(other, dispatcher, self);
        sort();
    }

private:
    void sort() {
        m_overlappingObjects.quickSort([](const btCollisionObject* a, const btCollisionObject* b) {
            return a->getBroadphaseHandle()->m_uniqueId < b->getBroadphaseHandle()->m_uniqueId;
        });
        btOverlappingPairCache& pairs = *getOverlappingPairCache();
        pairs.sortOverlappingPairs(dispatcher_);
    }

    btDispatcher* dispatcher_;
};

// The two calls of a step that belong to the broadphase. Bullet computes a box and sets it, body by body.
// Here all boxes are computed first, so that the clock measures the setting alone.
class ScenePlay::TimedWorld : public btDiscreteDynamicsWorld {
public:
    using btDiscreteDynamicsWorld::btDiscreteDynamicsWorld;

    double set_boxes_time = 0;
    double pairs_time = 0;

    void updateAabbs() override {
        boxes_.clear();
        for (int i = 0; i < m_collisionObjects.size(); ++i) {
            const btCollisionObject& object = *m_collisionObjects[i];
            if (!m_forceUpdateAllAabbs && !object.isActive()) continue;
            Box box;
            object.getCollisionShape()->getAabb(object.getWorldTransform(), box.min, box.max);
            const btVector3 threshold(gContactBreakingThreshold, gContactBreakingThreshold,
                                      gContactBreakingThreshold);
            box.min -= threshold;
            box.max += threshold;
            box.proxy = m_collisionObjects[i]->getBroadphaseHandle();
            boxes_.push_back(box);
        }
        const auto begin = Clock::now();
        for (const Box& box : boxes_)
            m_broadphasePairCache->setAabb(box.proxy, box.min, box.max, m_dispatcher1);
        set_boxes_time += microseconds_since(begin);
    }
    void computeOverlappingPairs() override {
        const auto begin = Clock::now();
        m_broadphasePairCache->calculateOverlappingPairs(m_dispatcher1);
        pairs_time += microseconds_since(begin);
    }

private:
    struct Box {
        btVector3 min;
        btVector3 max;
        btBroadphaseProxy* proxy;
    };
    std::vector<Box> boxes_;
};

ScenePlay::ScenePlay(const SceneSettings& settings)
    : settings_(settings),
      extent_(20 + 2.5f * std::sqrt(static_cast<float>(settings.body_count))),
      dispatcher_(&configuration_),
      broadphase_(make_broadphase(settings.broadphase, 2 * extent_, settings.body_count + 100)),
      solver_(std::make_unique<OrderedSolver>()),
      world_(std::make_unique<TimedWorld>(&dispatcher_, broadphase_.get(), solver_.get(), &configuration_)) {
    // Pairs are then in the order of the bodies, whatever the broadphase.
    world_->getDispatchInfo().m_deterministicOverlappingPairs = true;
    broadphase_->getOverlappingPairCache()->setInternalGhostPairCallback(&ghost_callback_);
    if (settings.scene == Scene::flight) {
        world_->setGravity({0, 0, 0});
        add_flight(settings.body_count);
        return;
    }
    world_->setGravity({0, -10, 0});
    add_ground();
    if (settings.scene == Scene::ragdolls) {
        add_ragdolls(settings.body_count / 10);
        return;
    }
    add_towers(settings.body_count);
    if (settings.scene != Scene::character) return;
    for (int i = 0; i < 16; ++i) add_character({-7.5f, 1.0f, 3.0f * static_cast<float>(i) - 24});
}

ScenePlay::~ScenePlay() {
    for (auto& character : characters_) world_->removeAction(character.get());
    for (auto& ghost : ghosts_) world_->removeCollisionObject(ghost.get());
    for (auto& joint : joints_) world_->removeConstraint(joint.get());
    for (auto& body : bodies_) world_->removeRigidBody(body.get());
}

btDiscreteDynamicsWorld& ScenePlay::world() { return *world_; }

btRigidBody* ScenePlay::add_box(const btVector3& half_extent, const btTransform& place, float mass) {
    // One shape per size.
    btCollisionShape* shape = nullptr;
    for (const auto& known : shapes_) {
        auto* const box = dynamic_cast<btBoxShape*>(known.get());
        if (box != nullptr && box->getHalfExtentsWithMargin() == half_extent) shape = box;
    }
    if (shape == nullptr) {
        shapes_.push_back(std::make_unique<btBoxShape>(half_extent));
        shape = shapes_.back().get();
    }
    btVector3 inertia(0, 0, 0);
    if (mass != 0) shape->calculateLocalInertia(mass, inertia);
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
    info.m_startWorldTransform = place;
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    btRigidBody* const body = bodies_.back().get();
    if (!settings_.bodies_sleep) body->setActivationState(DISABLE_DEACTIVATION);
    world_->addRigidBody(body);
    return body;
}

void ScenePlay::add_ground() { add_box({extent_, 1, extent_}, at({0, -1, 0}), 0); }

void ScenePlay::add_towers(int count) {
    constexpr int kHeight = 10;
    const int side = static_cast<int>(std::ceil(std::sqrt(static_cast<float>(count) / kHeight)));
    for (int i = 0; i < count; ++i) {
        const int tower = i / kHeight;
        const float x = 3.0f * (static_cast<float>(tower % side) - static_cast<float>(side) / 2);
        const float z = 3.0f * (static_cast<float>(tower / side) - static_cast<float>(side) / 2);
        // No tower stands quite straight.
        const float lean = 0.02f * static_cast<float>((i * 7) % 5 - 2);
        add_box({0.5f, 0.5f, 0.5f}, at({x + lean, 0.5f + 1.01f * static_cast<float>(i % kHeight), z}), 1);
    }
}

// Pelvis, chest and head in a column, two limbs of two parts on either side above, and one of each below.
void ScenePlay::add_ragdoll(const btVector3& place, float turn) {
    struct Part {
        btVector3 half_extent;
        btVector3 center;
        int parent;
        btVector3 joint;
    };
    const Part parts[10] = {
        {{0.20f, 0.15f, 0.12f}, {0, 1.0f, 0}, -1, {0, 0, 0}},
        {{0.22f, 0.25f, 0.12f}, {0, 1.45f, 0}, 0, {0, 1.18f, 0}},
        {{0.12f, 0.14f, 0.12f}, {0, 1.90f, 0}, 1, {0, 1.73f, 0}},
        {{0.18f, 0.07f, 0.07f}, {-0.45f, 1.60f, 0}, 1, {-0.25f, 1.60f, 0}},
        {{0.18f, 0.06f, 0.06f}, {-0.85f, 1.60f, 0}, 3, {-0.65f, 1.60f, 0}},
        {{0.18f, 0.07f, 0.07f}, {0.45f, 1.60f, 0}, 1, {0.25f, 1.60f, 0}},
        {{0.18f, 0.06f, 0.06f}, {0.85f, 1.60f, 0}, 5, {0.65f, 1.60f, 0}},
        {{0.09f, 0.36f, 0.09f}, {-0.12f, 0.45f, 0}, 0, {-0.12f, 0.83f, 0}},
        {{0.09f, 0.36f, 0.09f}, {0.12f, 0.45f, 0}, 0, {0.12f, 0.83f, 0}},
        {{0.10f, 0.05f, 0.16f}, {0.12f, 0.02f, 0.06f}, 8, {0.12f, 0.08f, 0}},
    };
    const btTransform body_place = at(place, turn);
    btRigidBody* bodies[10];
    for (int i = 0; i < 10; ++i) {
        const Part& part = parts[i];
        bodies[i] = add_box(part.half_extent, body_place * at(part.center), 1);
        bodies[i]->setDamping(0.05f, 0.85f);
        if (part.parent < 0) continue;
        joints_.push_back(std::make_unique<btPoint2PointConstraint>(*bodies[part.parent], *bodies[i],
                                                                    part.joint - parts[part.parent].center,
                                                                    part.joint - part.center));
        joints_.back()->setUserConstraintId(static_cast<int>(joints_.size()));
        world_->addConstraint(joints_.back().get(), true);
    }
}

void ScenePlay::add_ragdolls(int count) {
    const int side = static_cast<int>(std::ceil(std::sqrt(static_cast<float>(count) / 4)));
    for (int i = 0; i < count; ++i) {
        const int column = i / 4;
        const float x = 1.6f * (static_cast<float>(column % side) - static_cast<float>(side) / 2);
        const float z = 1.6f * (static_cast<float>(column / side) - static_cast<float>(side) / 2);
        add_ragdoll({x, 0.2f + 2.4f * static_cast<float>(i % 4), z}, 0.7f * static_cast<float>(i));
    }
}

void ScenePlay::add_flight(int count) {
    Numbers numbers(1);
    const float extent = 1.2f * std::cbrt(static_cast<float>(count));
    for (int i = 0; i < count; ++i) {
        const btVector3 place = numbers.in_cube(extent);
        btRigidBody* const body = add_box({0.4f, 0.4f, 0.4f}, at(place, 6 * numbers.next()), 1);
        body->setRestitution(1);
        body->setFriction(0);
        body->setLinearVelocity(numbers.in_cube(6));
        body->setAngularVelocity(numbers.in_cube(3));
    }
}

void ScenePlay::add_character(const btVector3& place) {
    auto capsule = std::make_unique<btCapsuleShape>(0.4f, 1.0f);
    auto ghost = std::make_unique<OrderedGhost>(&dispatcher_);
    ghost->setWorldTransform(at(place));
    ghost->setCollisionShape(capsule.get());
    ghost->setCollisionFlags(btCollisionObject::CF_CHARACTER_OBJECT);
    auto character = std::make_unique<btKinematicCharacterController>(ghost.get(), capsule.get(), 0.35f,
                                                                      btVector3(0, 1, 0));
    // Sweeps through the world's broadphase. A ghost's own sweep tests only its pairs, and so goes further on
    // a broadphase with pairs of boxes that do not overlap.
    character->setUseGhostSweepTest(false);
    character->setGravity({0, -10, 0});
    character->setWalkDirection({0.06f, 0, 0.015f});
    world_->addCollisionObject(ghost.get(), btBroadphaseProxy::CharacterFilter,
                               btBroadphaseProxy::StaticFilter | btBroadphaseProxy::DefaultFilter);
    world_->addAction(character.get());
    shapes_.push_back(std::move(capsule));
    ghosts_.push_back(std::move(ghost));
    characters_.push_back(std::move(character));
}

// Half of them look down on the scene, half run through it.
void ScenePlay::cast_rays(FrameTimes& out_times) {
    struct CountBoxes : btBroadphaseRayCallback {
        std::uint64_t count = 0;
        bool process(const btBroadphaseProxy*) override {
            ++count;
            return true;
        }
    };
    Numbers numbers(1000u + static_cast<std::uint32_t>(frame_));
    const float reach = 0.4f * extent_;
    std::vector<btVector3> ends;
    for (int i = 0; i < settings_.ray_count; ++i) {
        btVector3 from = numbers.in_cube(reach);
        btVector3 to = numbers.in_cube(reach);
        if (settings_.scene != Scene::flight) {
            from.setY(i % 2 == 0 ? 20.0f : 0.1f + 8 * numbers.next());
            to.setY(i % 2 == 0 ? -2.0f : 0.1f + 8 * numbers.next());
        }
        ends.push_back(from);
        ends.push_back(to);
    }
    const auto boxes_begin = Clock::now();
    CountBoxes count;
    for (std::size_t i = 0; i < ends.size(); i += 2) {
        const btVector3 direction = (ends[i + 1] - ends[i]).normalized();
        for (int axis = 0; axis < 3; ++axis) {
            const float part = direction[axis];
            count.m_rayDirectionInverse[axis] = part == 0 ? BT_LARGE_FLOAT : 1 / part;
            count.m_signs[axis] = count.m_rayDirectionInverse[axis] < 0 ? 1u : 0u;
        }
        count.m_lambda_max = direction.dot(ends[i + 1] - ends[i]);
        broadphase_->rayTest(ends[i], ends[i + 1], count, btVector3(0, 0, 0), btVector3(0, 0, 0));
    }
    out_times.rays_boxes = microseconds_since(boxes_begin);
    Hash hash;
    const auto begin = Clock::now();
    for (std::size_t i = 0; i < ends.size(); i += 2) {
        btCollisionWorld::ClosestRayResultCallback closest(ends[i], ends[i + 1]);
        world_->rayTest(ends[i], ends[i + 1], closest);
        hash.add(&closest.m_closestHitFraction, 1);
    }
    out_times.rays = microseconds_since(begin);
    ray_hash_ = hash.value;
}

FrameTimes ScenePlay::step() {
    FrameTimes times;
    world_->set_boxes_time = 0;
    world_->pairs_time = 0;
    const auto begin = Clock::now();
    world_->stepSimulation(1.0f / 60, 0);
    times.step = microseconds_since(begin);
    times.set_boxes = world_->set_boxes_time;
    times.pairs = world_->pairs_time;
    times.pair_count = broadphase_->getOverlappingPairCache()->getNumOverlappingPairs();
    if (settings_.ray_count != 0) cast_rays(times);
    ++frame_;
    return times;
}

std::uint64_t ScenePlay::state_hash() const {
    Hash hash;
    const auto add = [&](const btTransform& place) {
        hash.add(place.getOrigin());
        for (int row = 0; row < 3; ++row) hash.add(place.getBasis()[row]);
    };
    for (const auto& body : bodies_) {
        add(body->getWorldTransform());
        hash.add(body->getLinearVelocity());
        hash.add(body->getAngularVelocity());
    }
    for (const auto& ghost : ghosts_) add(ghost->getWorldTransform());
    return hash.value;
}

}  // namespace bullet_example
