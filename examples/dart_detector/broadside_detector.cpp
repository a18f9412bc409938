#include "examples/dart_detector/broadside_detector.hpp"

#include <dart/collision/CollisionFilter.hpp>
#include <dart/collision/CollisionObject.hpp>
#include <dart/collision/dart/DARTCollide.hpp>
#include <dart/collision/dart/DARTCollisionGroup.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/EllipsoidShape.hpp>
#include <dart/dynamics/ShapeFrame.hpp>
#include <dart/dynamics/SphereShape.hpp>

#include <cmath>
#include <limits>
#include <map>

namespace dart_example {
namespace {

using broadside::Aabb;
using broadside::Status;
using dart::collision::CollisionObject;
using dart::collision::CollisionOption;
using dart::collision::CollisionResult;
using Eigen::Vector3d;
using Objects = std::vector<CollisionObject*>;

// The list that DART's loops go through.
struct Group : dart::collision::DARTCollisionGroup {
    static const Objects& objects(dart::collision::CollisionGroup& group) {
        return static_cast<dart::collision::DARTCollisionGroup&>(group).*(&Group::mCollisionObjects);
    }
};

// A millionth of a shape's size is far more than the narrowphase errs by, and the rest more than rounding to float does.
Aabb box_of(const CollisionObject& object) {
    const dart::dynamics::ConstShapePtr shape = object.getShape();
    const Eigen::Isometry3d& transform = object.getTransform();
    Vector3d extent;
    if (shape->is<dart::dynamics::BoxShape>()) {
        const auto& box = static_cast<const dart::dynamics::BoxShape&>(*shape);
        extent = transform.linear().cwiseAbs() * box.getSize() * 0.5;
    } else if (shape->is<dart::dynamics::SphereShape>()) {
        extent.setConstant(static_cast<const dart::dynamics::SphereShape&>(*shape).getRadius());
    } else if (shape->is<dart::dynamics::EllipsoidShape>()) {
        extent.setConstant(static_cast<const dart::dynamics::EllipsoidShape&>(*shape).getRadii()[0]);
    } else {
        return Aabb::empty();  // which DART's narrowphase tests with nothing
    }
    const Vector3d center = transform.translation();
    extent.array() += 1e-6 * extent.sum() + 1.2e-7 * center.array().abs();
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    // What is no float may touch anything, because the narrowphase may make a contact of a NaN.
    if (!(center.lpNorm<1>() + extent.sum() < 1e38)) return {{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
    const Eigen::Vector3f min = (center - extent).cast<float>();
    const Eigen::Vector3f max = (center + extent).cast<float>();
    return {{min.x(), min.y(), min.z()}, {max.x(), max.y(), max.z()}};
}

Status set_boxes(const Objects& objects, broadside::BoxSoa& boxes) {
    if (boxes.resize(objects.size()) != Status::ok) return Status::out_of_memory;
    for (std::size_t i = 0; i < objects.size(); ++i) boxes.set(i, box_of(*objects[i]));
    return Status::ok;
}

// What DART's loops do with a pair.
class Loop {
public:
    Loop(const Objects& objects1, const Objects& objects2, const CollisionOption& option, CollisionResult* result)
        : objects1_(objects1), objects2_(objects2), option_(option), result_(result) {
        if (result != nullptr) result->clear();
    }

    // The first row, where one contact is all that is wanted: it costs less than the boxes, and may be enough.
    bool is_done_by_first_row(std::size_t begin) {
        if (!is_binary() || objects1_.empty()) return false;
        for (std::size_t index = begin; index < objects2_.size(); ++index)
            if (is_done_by(0, index)) return true;
        return false;
    }
    bool collide(const broadside::PairBuffer& pairs) {
        for (const broadside::IndexPair pair : pairs)
            if (!(is_binary() && pair.first == 0) && is_done_by(pair.first, pair.second)) return true;
        return result_ != nullptr && result_->isCollision();
    }

private:
    bool is_binary() const { return result_ == nullptr || option_.maxNumContacts == 1; }

    bool is_done_by(std::size_t index1, std::size_t index2) {
        CollisionObject* const object1 = objects1_[index1];
        CollisionObject* const object2 = objects2_[index2];
        if (option_.collisionFilter && option_.collisionFilter->ignoresCollision(object1, object2)) return false;
        of_pair_.clear();
        dart::collision::collide(object1, object2, of_pair_);
        if (result_ == nullptr) return of_pair_.isCollision();
        for (dart::collision::Contact contact : of_pair_.getContacts()) {
            if (!is_new(contact.point)) continue;
            contact.collisionObject1 = object1;
            contact.collisionObject2 = object2;
            result_->addContact(contact);
            if (result_->getNumContacts() >= option_.maxNumContacts) return true;
        }
        return false;
    }

    // Whether no contact is at the point yet, for which DART looks at all of them. Along a line of irrational slopes no
    // two points of a grid are beside each other.
    bool is_new(const Vector3d& point) {
        const double position = point.dot(Vector3d(std::sqrt(0.3), 0.5, std::sqrt(0.45)));
        if (!std::isfinite(position)) return true;
        const double reach = 3.1e-12 + 1e-15 * point.lpNorm<1>();
        for (auto near = contacts_.lower_bound(position - reach);
             near != contacts_.end() && near->first <= position + reach; ++near)
            if ((point - result_->getContact(near->second).point).norm() < 3.0e-12) return false;
        contacts_.emplace(position, result_->getNumContacts());
        return true;
    }

    const Objects& objects1_;
    const Objects& objects2_;
    const CollisionOption& option_;
    CollisionResult* result_;
    CollisionResult of_pair_;
    std::multimap<double, std::size_t> contacts_;
};

// For those who name a detector, as SDF and SKEL files do.
const dart::collision::CollisionDetector::Registrar<BroadsideDetector> registrar(BroadsideDetector::getStaticType(),
                                                                                 &BroadsideDetector::create);

}  // namespace

std::shared_ptr<BroadsideDetector> BroadsideDetector::create() {
    return std::shared_ptr<BroadsideDetector>(new BroadsideDetector());
}

const std::string& BroadsideDetector::getStaticType() {
    static const std::string type = "broadside";
    return type;
}

bool BroadsideDetector::collide(dart::collision::CollisionGroup* group, const CollisionOption& option,
                                CollisionResult* result) {
    // DART's own refuses what it does not do, and does it where memory is short.
    if (group->getCollisionDetector().get() != this || option.maxNumContacts == 0)
        return DARTCollisionDetector::collide(group, option, result);
    const Objects& objects = Group::objects(*group);
    Loop loop(objects, objects, option, result);
    if (loop.is_done_by_first_row(1)) return true;
    if (set_boxes(objects, boxes_[0]) != Status::ok ||
        find_pairs(boxes_[0], {}, scratch_, pairs_).status != Status::ok)
        return DARTCollisionDetector::collide(group, option, result);
    return loop.collide(pairs_);
}

bool BroadsideDetector::collide(dart::collision::CollisionGroup* group1, dart::collision::CollisionGroup* group2,
                                const CollisionOption& option, CollisionResult* result) {
    if (group1->getCollisionDetector().get() != this || group2->getCollisionDetector().get() != this ||
        option.maxNumContacts == 0)
        return DARTCollisionDetector::collide(group1, group2, option, result);
    const Objects& objects1 = Group::objects(*group1);
    const Objects& objects2 = Group::objects(*group2);
    Loop loop(objects1, objects2, option, result);
    if (loop.is_done_by_first_row(0)) return true;
    if (set_boxes(objects1, boxes_[0]) != Status::ok || set_boxes(objects2, boxes_[1]) != Status::ok ||
        find_pairs(boxes_[0], boxes_[1], {}, scratch_, pairs_).status != Status::ok)
        return DARTCollisionDetector::collide(group1, group2, option, result);
    return loop.collide(pairs_);
}

}  // namespace dart_example
