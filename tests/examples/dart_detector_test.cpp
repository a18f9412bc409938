// The example's collision detector against DART's native one: the same contacts in the same order, bit for bit.
#include "examples/dart_detector/broadside_detector.hpp"
#include "examples/dart_detector/scenes.hpp"

#include <dart/collision/CollisionFilter.hpp>
#include <dart/collision/CollisionGroup.hpp>
#include <dart/collision/CollisionObject.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/CylinderShape.hpp>
#include <dart/dynamics/EllipsoidShape.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PlaneShape.hpp>
#include <dart/dynamics/SimpleFrame.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/SphereShape.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <iostream>
#include <limits>
#include <random>
#include <sstream>

using namespace dart_example;
using namespace dart::collision;
using namespace dart::dynamics;
using Eigen::Vector3d;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// DART reports to std::cerr each pair of shapes that it does not know.
class Errors {
public:
    Errors() : before_(std::cerr.rdbuf(text_.rdbuf())) {}
    Errors(const Errors&) = delete;
    Errors& operator=(const Errors&) = delete;
    ~Errors() { std::cerr.rdbuf(before_); }
    std::string text() const { return text_.str(); }
    void clear() { text_.str({}); }

private:
    std::ostringstream text_;
    std::streambuf* before_;
};

bool same_bits(const Vector3d& a, const Vector3d& b) {
    return std::memcmp(a.data(), b.data(), 3 * sizeof(double)) == 0;
}

bool is_same(const Contact& a, const Contact& b) {
    return same_bits(a.point, b.point) && same_bits(a.normal, b.normal) &&
           std::memcmp(&a.penetrationDepth, &b.penetrationDepth, sizeof(double)) == 0 &&
           a.collisionObject1->getShapeFrame() == b.collisionObject1->getShapeFrame() &&
           a.collisionObject2->getShapeFrame() == b.collisionObject2->getShapeFrame();
}

// A group of each detector with the same frames, added in the same order.
struct Groups {
    CollisionGroupPtr native;
    CollisionGroupPtr ours;

    template <class Source>
    void add(const Source* source) {
        native->addShapeFramesOf(source);
        ours->addShapeFramesOf(source);
    }
    void subscribe(const SkeletonPtr& skeleton) {
        native->subscribeTo(skeleton);
        ours->subscribeTo(skeleton);
    }
    void remove(const ShapeFrame* frame) {
        native->removeShapeFrame(frame);
        ours->removeShapeFrame(frame);
    }
};

struct Detectors {
    std::shared_ptr<CollisionDetector> native = DARTCollisionDetector::create();
    std::shared_ptr<CollisionDetector> ours = BroadsideDetector::create();

    Groups make_groups() const {
        return {native->createCollisionGroupAsSharedPtr(), ours->createCollisionGroupAsSharedPtr()};
    }
};

// Both detectors, with the group alone, or with it and another one. Returns the number of contacts.
std::size_t check_same(const Groups& groups, const CollisionOption& option, const Groups* others = nullptr) {
    const auto collide = [&](CollisionGroup& group, CollisionGroup* other, CollisionResult* result) {
        return other != nullptr ? group.collide(other, option, result) : group.collide(option, result);
    };
    CollisionGroup* const native_other = others != nullptr ? others->native.get() : nullptr;
    CollisionGroup* const our_other = others != nullptr ? others->ours.get() : nullptr;
    CollisionResult expected;
    CollisionResult found;
    (void)collide(*groups.native, native_other, &expected);
    CHECK(collide(*groups.ours, our_other, &found) == expected.isCollision());
    REQUIRE(found.getNumContacts() == expected.getNumContacts());
    for (std::size_t i = 0; i < found.getNumContacts(); ++i) {
        CAPTURE(i);
        REQUIRE(is_same(expected.getContact(i), found.getContact(i)));
    }
    CHECK(found.getCollidingBodyNodes() == expected.getCollidingBodyNodes());
    CHECK(found.getCollidingShapeFrames() == expected.getCollidingShapeFrames());
    // Without a result both stop at the first contact.
    CHECK(collide(*groups.ours, our_other, nullptr) == collide(*groups.native, native_other, nullptr));
    return found.getNumContacts();
}

CollisionOption option_of(std::size_t max_contact_count, std::shared_ptr<CollisionFilter> filter = nullptr,
                          bool has_contacts = true) {
    return {has_contacts, max_contact_count, std::move(filter)};
}

SimpleFramePtr make_frame(const ShapePtr& shape, const Vector3d& position) {
    auto frame = std::make_shared<SimpleFrame>(Frame::World());
    frame->setShape(shape);
    frame->setRelativeTransform(Eigen::Isometry3d(Eigen::Translation3d(position)));
    return frame;
}
ShapePtr unit_box() { return std::make_shared<BoxShape>(Vector3d(1, 1, 1)); }

// A body with two boxes and a sphere.
SkeletonPtr make_skeleton(const Vector3d& position) {
    const SkeletonPtr skeleton = Skeleton::create();
    const auto [joint, body] = skeleton->createJointAndBodyNodePair<FreeJoint>();
    joint->setRelativeTransform(Eigen::Isometry3d(Eigen::Translation3d(position)));
    for (int i = 0; i < 3; ++i) {
        const ShapePtr shape = i == 1 ? ShapePtr(std::make_shared<SphereShape>(0.6)) : unit_box();
        body->createShapeNodeWith<VisualAspect, CollisionAspect, DynamicsAspect>(shape)
            ->setRelativeTranslation(Vector3d(0.8 * i, 0, 0.1 * i));
    }
    return skeleton;
}

// Filters by the x of both, so that the test sees DART's order of objects.
struct OrderedFilter final : CollisionFilter {
    bool ignoresCollision(const CollisionObject* a, const CollisionObject* b) const override {
        return !(a->getTransform().translation().x() <= b->getTransform().translation().x());
    }
};

// Groups of frames and skeletons, and all changes of them between two queries.
class Life {
public:
    explicit Life(unsigned seed) : random_(seed) {
        for (int i = 0; i < 12; ++i) add_frame();
    }

    void change() {
        Groups& groups = below(2) == 0 ? groups_ : others_;
        switch (below(12)) {
            case 0:
                add_frame();
                return;
            case 1:
                groups.add(any_skeleton().get());
                return;
            case 2:
                groups.subscribe(any_skeleton());
                return;
            case 3:
                if (!frames_.empty()) groups.remove(any_frame().get());
                return;
            case 4:
                if (!frames_.empty())
                    frames_.erase(frames_.begin() + below(static_cast<int>(frames_.size())));
                return;
            case 5:
                if (!frames_.empty()) any_frame()->setShape(shape());
                return;
            case 6:
                change_shape();
                return;
            case 7:
                change_body();
                return;
            case 8:
                groups.add(any_skeleton()->getBodyNode(0));
                return;
            default:
                for (const SimpleFramePtr& frame : frames_) frame->setRelativeTransform(transform());
                // A joint asserts that it is finite.
                for (const SkeletonPtr& skeleton : skeletons_)
                    static_cast<FreeJoint&>(*skeleton->getJoint(0)).setRelativeTransform(transform(false));
        }
    }
    std::size_t check() {
        std::shared_ptr<CollisionFilter> filter;
        if (below(3) == 0) filter = std::make_shared<OrderedFilter>();
        if (below(2) == 0) filter = std::make_shared<BodyNodeCollisionFilter>();
        constexpr std::size_t kLimits[] = {0, 1, 2, 7, 30, 1000, 1000, 1000};
        const CollisionOption option = option_of(kLimits[below(8)], filter, below(2) == 0);
        // DART does so for the first group alone.
        for (const Groups& groups : {groups_, others_}) {
            groups.native->update();
            groups.ours->update();
        }
        return check_same(groups_, option) + check_same(groups_, option, &others_) +
               check_same(others_, option, &groups_) + check_same(others_, option, &others_);
    }

private:
    int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
    double between(double min, double max) {
        return std::uniform_real_distribution<double>(min, max)(random_);
    }
    const SimpleFramePtr& any_frame() {
        return frames_[static_cast<std::size_t>(below(static_cast<int>(frames_.size())))];
    }
    const SkeletonPtr& any_skeleton() { return skeletons_[static_cast<std::size_t>(below(4))]; }

    // Mostly on a grid, so that faces touch exactly.
    double coordinate(bool is_hostile) {
        constexpr double kHostile[] = {kNan,   kInfinity, -kInfinity, 1e300, -1e300,
                                       1e-320, 3.5e38,    16777217,   1e9,   -0.0};
        if (is_hostile && below(200) == 0) return kHostile[below(10)];
        if (below(50) == 0) return 16777216 + below(3);
        return below(3) == 0 ? between(-3, 3) : 0.5 * (below(12) - 6);
    }
    Eigen::Isometry3d transform(bool is_hostile = true) {
        Eigen::Isometry3d transform = Eigen::Isometry3d::Identity();
        transform.translation() =
            Vector3d(coordinate(is_hostile), coordinate(is_hostile), coordinate(is_hostile));
        const int turn = below(3);
        if (turn == 1)
            transform.linear() =
                Eigen::AngleAxisd(1.5707963267948966, Vector3d::Unit(below(3))).toRotationMatrix();
        if (turn == 2)
            transform.linear() =
                Eigen::Quaterniond(between(-1, 1), between(-1, 1), between(-1, 1), between(0.1, 1))
                    .normalized()
                    .toRotationMatrix();
        return transform;
    }
    double length() {
        constexpr double kLengths[] = {1, 1, 1, 2, 0.5, 0.25, 1e-3, 1e-30, 100};
        return below(100) == 0 ? kInfinity : kLengths[below(9)];
    }
    ShapePtr shape() {
        switch (below(12)) {
            case 0:
                return std::make_shared<CylinderShape>(length(), length());
            case 1:
                return std::make_shared<PlaneShape>(Vector3d::UnitZ(), 0.0);
            case 2:
                return std::make_shared<EllipsoidShape>(Vector3d(length(), length(), length()));
            case 3:
                return std::make_shared<EllipsoidShape>(Vector3d(1, 1, 1));
            case 4:
            case 5:
            case 6:
                return std::make_shared<SphereShape>(length());
            default:
                return std::make_shared<BoxShape>(Vector3d(length(), length(), length()));
        }
    }
    void add_frame() {
        frames_.push_back(make_frame(shape(), Vector3d::Zero()));
        frames_.back()->setRelativeTransform(transform());
        Groups& groups = below(2) == 0 ? groups_ : others_;
        groups.add(frames_.back().get());
        // An object of both groups meets itself.
        if (below(4) == 0) others_.add(frames_.back().get());
    }
    void change_shape() {
        BodyNode& body = *any_skeleton()->getBodyNode(0);
        ShapeNode& node = *body.getShapeNode(static_cast<std::size_t>(below(3)));
        if (const auto box = std::dynamic_pointer_cast<BoxShape>(node.getShape()))
            box->setSize({length(), length(), length()});
    }
    void change_body() {
        BodyNode& body = *any_skeleton()->getBodyNode(0);
        ShapeNode& node = *body.getShapeNode(static_cast<std::size_t>(below(3)));
        switch (below(5)) {
            case 0:
                body.setCollidable(below(2) == 0);
                return;
            case 1:
                body.getSkeleton()->setMobile(below(2) == 0);
                return;
            case 2:
                node.getVisualAspect()->setHidden(below(2) == 0);
                return;
            case 3:
                node.removeCollisionAspect();
                return;
            default:
                if (!node.hasCollisionAspect()) node.createCollisionAspect();
        }
    }

    std::mt19937 random_;
    Detectors detectors_;
    std::vector<SimpleFramePtr> frames_;
    std::vector<SkeletonPtr> skeletons_ = {make_skeleton({0, 0, 0}), make_skeleton({1, 0, 0}),
                                           make_skeleton({0, 2, 0}), make_skeleton({0, 0, 1})};
    Groups groups_ = detectors_.make_groups();
    Groups others_ = detectors_.make_groups();
};

}  // namespace

TEST_CASE("DART's dynamics have the same bits with broadside in front of its detector") {
    const Errors errors;
    for (const Scene scene : {Scene::airborne, Scene::landed, Scene::towers, Scene::chains, Scene::unknown}) {
        CAPTURE(std::string(scene_name(scene)));
        // Also too few contacts for the limit.
        for (const std::size_t max_contact_count : {std::size_t{1'000'000}, std::size_t{15}}) {
            CAPTURE(max_contact_count);
            ScenePlay native({scene, false, 45, max_contact_count});
            ScenePlay ours({scene, true, 45, max_contact_count});
            const std::uint64_t first = ours.state_hash();
            std::size_t most = 0;
            for (int step = 0; step < 500; ++step) {
                (void)native.step();
                (void)ours.step();
                CAPTURE(step);
                REQUIRE(native.contact_count() == ours.contact_count());
                REQUIRE(native.contact_hash() == ours.contact_hash());
                REQUIRE(native.state_hash() == ours.state_hash());
                most = std::max(most, ours.contact_count());
            }
            CHECK(ours.state_hash() != first);
            CHECK((scene == Scene::airborne ? most == 0 : most >= 15));
        }
    }
}

TEST_CASE("contacts match DART's detector after any change of the groups") {
    Errors errors;
    std::size_t contact_count = 0;
    for (unsigned seed = 0; seed < 400; ++seed) {
        CAPTURE(seed);
        Life life(seed);
        for (int i = 0; i < 60; ++i) {
            CAPTURE(i);
            life.change();
            contact_count += life.check();
        }
        errors.clear();
    }
    CHECK(contact_count > 10000);
}

TEST_CASE("shapes that touch within rounding have the contacts of DART's detector") {
    const Detectors detectors;
    Groups groups = detectors.make_groups();
    const auto ground_shape = std::make_shared<BoxShape>(Vector3d(1, 1, 1));
    const auto box_shape = std::make_shared<BoxShape>(Vector3d(1, 1, 1));
    const auto sphere_shape = std::make_shared<SphereShape>(1.0);
    const SimpleFramePtr ground = make_frame(ground_shape, Vector3d::Zero());
    const SimpleFramePtr box = make_frame(box_shape, Vector3d::Zero());
    const SimpleFramePtr sphere = make_frame(sphere_shape, Vector3d::Zero());
    for (const SimpleFramePtr& frame : {ground, box, sphere}) groups.add(frame.get());
    std::mt19937 random(5);
    std::uniform_real_distribution<double> from(-1, 1);
    int narrow_count = 0;
    int touching_count = 0;
    for (int i = 0; i < 5000; ++i) {
        const Vector3d size(1.1 + from(random), 1.1 + from(random), 1.1 + from(random));
        box_shape->setSize(size);
        sphere_shape->setRadius(1.1 + from(random));
        const double depth = std::exp(4 * from(random));
        ground_shape->setSize({100, 100, depth});
        // The top of the ground where floats are finest, and where they are coarse.
        const double top = i % 2 == 0 ? 0 : 1000 * from(random);
        ground->setRelativeTranslation({0, 0, top - 0.5 * depth});
        Eigen::Isometry3d transform = Eigen::Isometry3d::Identity();
        transform.linear() = Eigen::Quaterniond(from(random), from(random), from(random), from(random))
                                 .normalized()
                                 .toRotationMatrix();
        const double reach = 0.5 * transform.linear().row(2).cwiseAbs().dot(size);
        const double gap = 2e-16 * from(random) * (1 + depth);
        transform.translation() = Vector3d(20, 0, top + reach + gap);
        box->setRelativeTransform(transform);
        sphere->setRelativeTranslation({-20, 0, top + sphere_shape->getRadius() + gap});
        const std::size_t count = check_same(groups, option_of(100));
        touching_count += count > 0 ? 1 : 0;
        narrow_count +=
            count > 0 && static_cast<float>(transform.translation().z() - reach) > static_cast<float>(top)
                ? 1
                : 0;
    }
    CHECK(touching_count > 1000);
    CHECK(touching_count < 4999);
    // Contacts that float boxes without a margin would miss.
    CHECK(narrow_count > 20);
}

TEST_CASE("shapes far from the origin have the contacts of DART's detector") {
    const Detectors detectors;
    Groups groups = detectors.make_groups();
    // DART turns both centers into the box's axes, where they lose bits, and finds points inside that are
    // beside it.
    const SimpleFramePtr box = make_frame(unit_box(), Vector3d::Zero());
    const SimpleFramePtr sphere = make_frame(std::make_shared<SphereShape>(1e-9), Vector3d::Zero());
    for (const SimpleFramePtr& frame : {box, sphere}) groups.add(frame.get());
    std::mt19937 random(6);
    std::uniform_real_distribution<double> from(-1, 1);
    int missed_count = 0;
    for (int i = 0; i < 2000; ++i) {
        Eigen::Isometry3d transform = Eigen::Isometry3d::Identity();
        transform.linear() = Eigen::AngleAxisd(3 * from(random), Vector3d::UnitY()).toRotationMatrix();
        transform.translation() = Vector3d(1e12, 0, 0);
        box->setRelativeTransform(transform);
        // Above the box's highest edge.
        const Eigen::RowVector3d up = transform.linear().row(2);
        const Vector3d edge =
            transform.linear() * Vector3d(up.x() < 0 ? -0.5 : 0.5, 0, up.z() < 0 ? -0.5 : 0.5);
        const double gap = 1e-4 * from(random);
        sphere->setRelativeTranslation({1e12 + edge.x(), 0, edge.z() + gap});
        missed_count += check_same(groups, option_of(100)) > 0 && gap > 1e-5 ? 1 : 0;
    }
    CHECK(missed_count > 20);
}

TEST_CASE("the first contacts up to the limit are those of DART's detector") {
    const Detectors detectors;
    const Groups groups = detectors.make_groups();
    const Groups others = detectors.make_groups();
    std::vector<SimpleFramePtr> frames;
    for (int i = 0; i < 20; ++i) {
        frames.push_back(make_frame(unit_box(), Vector3d(0.9 * (i % 5), 0.95 * (i / 5), 0.1 * i)));
        (i % 2 == 0 ? Groups(groups) : Groups(others)).add(frames.back().get());
    }
    const std::size_t most = check_same(groups, option_of(1000));
    const std::size_t most_of_both = check_same(groups, option_of(1000), &others);
    REQUIRE(most > 20);
    REQUIRE(most_of_both > 40);
    for (std::size_t limit = 0; limit <= most_of_both + 1; ++limit) {
        CHECK(check_same(groups, option_of(limit)) == std::min(limit, most));
        CHECK(check_same(groups, option_of(limit, nullptr, false), &others) == std::min(limit, most_of_both));
    }
    CHECK(check_same(groups, CollisionOption(false, 1u, nullptr)) == 1);
}

TEST_CASE("groups of no object or one have no contact") {
    const Detectors detectors;
    Groups groups = detectors.make_groups();
    const Groups others = detectors.make_groups();
    CHECK(check_same(groups, option_of(10)) == 0);
    CHECK(check_same(groups, option_of(10), &others) == 0);
    const SimpleFramePtr frame = make_frame(unit_box(), Vector3d::Zero());
    groups.add(frame.get());
    CHECK(check_same(groups, option_of(10)) == 0);
    CHECK(check_same(groups, option_of(10), &others) == 0);
    CHECK(check_same(others, option_of(10), &groups) == 0);
    // The object against itself.
    CHECK(check_same(groups, option_of(10), &groups) > 0);
}

TEST_CASE("queries that DART's detector refuses are refused") {
    Errors errors;
    Detectors detectors;
    Groups groups = detectors.make_groups();
    const SimpleFramePtr frames[] = {make_frame(unit_box(), Vector3d::Zero()),
                                     make_frame(unit_box(), {0.5, 0, 0})};
    for (const SimpleFramePtr& frame : frames) groups.add(frame.get());
    CollisionResult result;
    CHECK(groups.ours->collide(option_of(10), &result));
    // Groups of another detector. An ignored result stays without contacts.
    CHECK(!detectors.ours->collide(groups.native.get(), option_of(10), &result));
    CHECK(!result.isCollision());
    CHECK(!detectors.ours->collide(groups.ours.get(), groups.native.get(), option_of(10), &result));
    CHECK(!detectors.ours->collide(groups.native.get(), groups.ours.get(), option_of(10), &result));
    CHECK(errors.text().find("different collision detector") != std::string::npos);
    // Distances and rays.
    errors.clear();
    CHECK(groups.ours->distance() == groups.native->distance());
    CHECK(groups.ours->distance(groups.ours.get()) == 0);
    CHECK(!groups.ours->raycast({-5, 0, 0}, {5, 0, 0}));
    CHECK(errors.text().find("not support (signed) distance") != std::string::npos);
    CHECK(errors.text().find("Raycast is not supported by 'broadside'") != std::string::npos);
    // Shapes unknown to DART's narrowphase: reported when they are added, not for every pair in every step.
    errors.clear();
    const SimpleFramePtr cylinder = make_frame(std::make_shared<CylinderShape>(1.0, 1.0), Vector3d::Zero());
    groups.ours->addShapeFrame(cylinder.get());
    CHECK(errors.text().find("CylinderShape") != std::string::npos);
    errors.clear();
    CHECK(groups.ours->collide(option_of(1000), &result));
    CHECK(errors.text().empty());
}

TEST_CASE("the detector is created by its name, and copied worlds have their own") {
    const auto detector = CollisionDetector::getFactory()->create("broadside");
    REQUIRE(detector != nullptr);
    CHECK(detector->getType() == "broadside");
    CHECK(std::dynamic_pointer_cast<BroadsideDetector>(detector) != nullptr);
    const auto world = dart::simulation::World::create();
    world->getConstraintSolver()->setCollisionDetector(detector);
    const auto copy = world->clone();
    CHECK(copy->getConstraintSolver()->getCollisionDetector()->getType() == "broadside");
    CHECK(copy->getConstraintSolver()->getCollisionDetector() != detector);
}
