#include "examples/dart_detector/scenes.hpp"

#include "examples/dart_detector/broadside_detector.hpp"

#include <dart/collision/CollisionFilter.hpp>
#include <dart/collision/CollisionObject.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/CylinderShape.hpp>
#include <dart/dynamics/EllipsoidShape.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PlaneShape.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/SphereShape.hpp>
#include <dart/dynamics/WeldJoint.hpp>

#include <chrono>
#include <cmath>
#include <cstring>

namespace dart_example {
namespace {

using namespace dart::dynamics;
using Eigen::Vector3d;
using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

template <class Detector>
class Timed final : public Detector {
public:
    double microseconds = 0;

    bool collide(dart::collision::CollisionGroup* group, const dart::collision::CollisionOption& option,
                 dart::collision::CollisionResult* result) override {
        const Clock::time_point begin = Clock::now();
        const bool has_contact = Detector::collide(group, option, result);
        microseconds += microseconds_since(begin);
        return has_contact;
    }
    using Detector::collide;
};

template <class Detector>
std::shared_ptr<dart::collision::CollisionDetector> make_timed(double*& out_microseconds) {
    const auto detector = std::make_shared<Timed<Detector>>();
    out_microseconds = &detector->microseconds;
    return detector;
}

class Hash {
public:
    void add(double value) {
        std::uint64_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        add(bits);
    }
    void add(std::uint64_t bits) { value_ = (value_ ^ bits) * 0x9e3779b97f4a7c15u ^ (value_ >> 29); }
    void add(const Vector3d& vector) {
        for (int axis = 0; axis < 3; ++axis) add(vector[axis]);
    }
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0;
};

}  // namespace

const char* scene_name(Scene scene) {
    constexpr const char* kNames[] = {"airborne", "landed", "towers", "chains", "unknown"};
    return kNames[static_cast<int>(scene)];
}

ScenePlay::ScenePlay(const SceneSettings& settings) : settings_(settings), random_(7) {
    dart::constraint::ConstraintSolver& solver = *world_->getConstraintSolver();
    solver.setCollisionDetector(
        settings.is_broadside ? make_timed<BroadsideDetector>(detection_microseconds_)
                              : make_timed<dart::collision::DARTCollisionDetector>(detection_microseconds_));
    solver.getCollisionOption().maxNumContacts = settings.max_contact_count;
    add_ground();
    switch (settings.scene) {
        case Scene::airborne:
            add_shapes(settings.shape_count, 2, false);
            break;
        case Scene::landed:
            add_shapes(settings.shape_count, 1.5, true);
            break;
        case Scene::towers:
            add_towers(settings.shape_count);
            break;
        case Scene::chains:
            for (int i = 0; i < settings.shape_count / 5; ++i)
                add_chain({0.4 * (i % 8), 0.4 * (i / 8), 1 + 0.1 * i}, i);
            break;
        case Scene::unknown:
            add_towers(settings.shape_count);
            add_body(std::make_shared<PlaneShape>(Vector3d::UnitZ(), 0.0), {0, 0, 0.1});
            for (int i = 0; i < settings.shape_count / 4; ++i) {
                add_body(std::make_shared<CylinderShape>(0.3, 0.8), {0.7 * i, 0.2, 0.5});
                add_body(std::make_shared<EllipsoidShape>(Vector3d(1.0, 0.6, 1.4)), {0.8 * i, 0.4, 2});
            }
    }
}

SkeletonPtr ScenePlay::add_body(const ShapePtr& shape, const Vector3d& position) {
    const SkeletonPtr skeleton = Skeleton::create("body " + std::to_string(world_->getNumSkeletons()));
    const auto [joint, body] = skeleton->createJointAndBodyNodePair<FreeJoint>();
    body->createShapeNodeWith<VisualAspect, CollisionAspect, DynamicsAspect>(shape);
    body->setInertia(Inertia(1, Vector3d::Zero(), shape->computeInertia(1)));
    joint->setRelativeTransform(Eigen::Isometry3d(Eigen::Translation3d(position)));
    world_->addSkeleton(skeleton);
    return skeleton;
}

void ScenePlay::add_ground() {
    const SkeletonPtr skeleton = Skeleton::create("ground");
    const auto [joint, body] = skeleton->createJointAndBodyNodePair<WeldJoint>();
    body->createShapeNodeWith<VisualAspect, CollisionAspect, DynamicsAspect>(
        std::make_shared<BoxShape>(Vector3d(1000, 1000, 1)));
    joint->setTransformFromParentBodyNode(Eigen::Isometry3d(Eigen::Translation3d(0, 0, -0.5)));
    skeleton->setMobile(false);
    world_->addSkeleton(skeleton);
}

ShapePtr ScenePlay::next_shape() {
    switch (shape_number_++ % 4) {
        case 1:
            return std::make_shared<SphereShape>(0.5);
        case 3:
            return std::make_shared<EllipsoidShape>(Vector3d(1, 1, 1));
        default:
            return std::make_shared<BoxShape>(Vector3d(1, 1, 1));
    }
}

void ScenePlay::add_shapes(int count, double spacing, bool is_flat) {
    const int side = static_cast<int>(std::ceil(is_flat ? std::sqrt(count) : std::cbrt(count)));
    std::uniform_real_distribution<double> speed(-1, 1);
    for (int i = 0; i < count; ++i) {
        const int layer = is_flat ? 0 : i / (side * side);
        const SkeletonPtr skeleton = add_body(
            next_shape(),
            {spacing * (i % side), spacing * (i / side % side), is_flat ? 0.4995 : 20 + spacing * layer});
        if (is_flat) continue;
        for (std::size_t axis = 0; axis < 6; ++axis) skeleton->setVelocity(axis, speed(random_));
    }
}

void ScenePlay::add_towers(int count) {
    std::uniform_real_distribution<double> shift(-0.3, 0.3);
    const int side = static_cast<int>(std::ceil(std::sqrt(count / 3.0)));
    for (int i = 0; i < count; ++i) {
        const int tower = i / 3;
        add_body(next_shape(), {2.5 * (tower % side) + shift(random_), 2.5 * (tower / side) + shift(random_),
                                0.499 + 0.998 * (i % 3)});
    }
}

void ScenePlay::add_chain(const Vector3d& position, int number) {
    const SkeletonPtr skeleton = Skeleton::create("chain " + std::to_string(number));
    BodyNode* parent = nullptr;
    for (int link = 0; link < 5; ++link) {
        BodyNode* body = nullptr;
        BodyNode::Properties body_properties;
        body_properties.mName = "link " + std::to_string(link);
        if (parent == nullptr) {
            const auto [joint, root] =
                skeleton->createJointAndBodyNodePair<FreeJoint>(nullptr, {}, body_properties);
            joint->setRelativeTransform(Eigen::Isometry3d(Eigen::Translation3d(position)));
            body = root;
        } else {
            BallJoint::Properties properties;
            properties.mName = "joint " + std::to_string(link);
            properties.mT_ParentBodyToJoint.translation() = Vector3d(0, 0, 0.2);
            properties.mT_ChildBodyToJoint.translation() = Vector3d(0, 0, -0.2);
            body = parent->createChildJointAndBodyNodePair<BallJoint>(properties, body_properties).second;
        }
        const ShapePtr shape = link % 2 == 0 ? ShapePtr(std::make_shared<BoxShape>(Vector3d(0.3, 0.2, 0.42)))
                                             : ShapePtr(std::make_shared<SphereShape>(0.22));
        body->createShapeNodeWith<VisualAspect, CollisionAspect, DynamicsAspect>(shape);
        body->setInertia(Inertia(1, Vector3d::Zero(), shape->computeInertia(1)));
        body->setCollidable(link != 3 || number % 7 != 0);
        parent = body;
    }
    skeleton->setSelfCollisionCheck(number % 2 == 0);
    skeleton->setAdjacentBodyCheck(number % 4 == 0);
    for (std::size_t i = 0; i < skeleton->getNumDofs(); ++i)
        skeleton->setVelocity(i, std::sin(number + 3.0 * static_cast<double>(i)));
    world_->addSkeleton(skeleton);
    auto& filter = static_cast<dart::collision::BodyNodeCollisionFilter&>(
        *world_->getConstraintSolver()->getCollisionOption().collisionFilter);
    if (number % 5 == 0)
        filter.addBodyNodePairToBlackList(skeleton->getBodyNode(0), skeleton->getBodyNode(4));
}

StepTimes ScenePlay::step(bool is_checked) {
    StepTimes times;
    *detection_microseconds_ = 0;
    Clock::time_point begin = Clock::now();
    world_->step();
    times.step = microseconds_since(begin);
    times.detection = *detection_microseconds_;
    if (!is_checked) return times;
    const auto& filter = world_->getConstraintSolver()->getCollisionOption().collisionFilter;
    begin = Clock::now();
    (void)world_->checkCollision({false, 1, filter});
    times.check = microseconds_since(begin);
    return times;
}

std::uint64_t ScenePlay::state_hash() const {
    Hash hash;
    for (std::size_t i = 0; i < world_->getNumSkeletons(); ++i) {
        const SkeletonPtr skeleton = world_->getSkeleton(i);
        for (const double value : skeleton->getPositions()) hash.add(value);
        for (const double value : skeleton->getVelocities()) hash.add(value);
    }
    return hash.value();
}

std::uint64_t ScenePlay::contact_hash() const {
    std::unordered_map<const ShapeFrame*, std::uint64_t> numbers;
    for (std::size_t i = 0; i < world_->getNumSkeletons(); ++i) {
        const SkeletonPtr skeleton = world_->getSkeleton(i);
        for (std::size_t body = 0; body < skeleton->getNumBodyNodes(); ++body)
            for (const ShapeNode* node : skeleton->getBodyNode(body)->getShapeNodes())
                numbers.emplace(node, numbers.size());
    }
    Hash hash;
    for (const dart::collision::Contact& contact : world_->getLastCollisionResult().getContacts()) {
        hash.add(contact.point);
        hash.add(contact.normal);
        hash.add(contact.penetrationDepth);
        hash.add(numbers[contact.collisionObject1->getShapeFrame()]);
        hash.add(numbers[contact.collisionObject2->getShapeFrame()]);
    }
    return hash.value();
}

std::size_t ScenePlay::contact_count() const { return world_->getLastCollisionResult().getNumContacts(); }

}  // namespace dart_example
