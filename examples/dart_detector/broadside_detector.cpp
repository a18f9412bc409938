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

// The box around the shape, larger by the errors of the narrowphase: a millionth of the shape's size, because
// rotations may have been read from text, and the last bits of its position, in all directions because it is
// rotated there. Then it grows by the rounding to float.
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
        return Aabb::empty();  // DART's narrowphase tests such a shape with nothing.
    }
    const Vector3d center = transform.translation();
    extent.array() += 1e-6 * extent.sum() + 1e-14 * center.lpNorm<1>() + 1.2e-7 * center.array().abs();
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    // Numbers beyond float may touch anything, because the narrowphase may make a contact of a NaN.
    if (!(center.lpNorm<1>() + extent.sum() < 1e38))
        return {{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
    const Eigen::Vector3f min = (center - extent).cast<float>();
    const Eigen::Vector3f max = (center + extent).cast<float>();
    return {{min.x(), min.y(), min.z()}, {max.x(), max.y(), max.z()}};
}

Status set_boxes(const Objects& objects, broadside::BoxSoa& boxes) {
    if (boxes.resize(objects.size()) != Status::ok) return Status::out_of_memory;
    for (std::size_t i = 0; i < objects.size(); ++i) boxes.set(i, box_of(*objects[i]));
    return Status::ok;
}

// The work of DART's loops on a pair.
class Loop {
public:
    Loop(const Objects& objects1, const Objects& objects2, const CollisionOption& option,
         CollisionResult* result)
        : objects1_(objects1), objects2_(objects2), option_(option), result_(result) {
        if (result != nullptr) result->clear();
    }

    // If one contact is enough, tests rows while they cost less than boxes would; often they suffice.
    // `is_self`: one group. True if no pair is left to be tested.
    bool is_done_by_first_rows(bool is_self) {
        if (result_ != nullptr && option_.maxNumContacts > 1) return false;
        std::size_t pair_count = 0;
        for (; row_ < objects1_.size() && pair_count < objects2_.size() + 50; ++row_) {
            for (std::size_t i = is_self ? row_ + 1 : 0; i < objects2_.size(); ++i, ++pair_count)
                if (is_done_by(row_, i)) return true;
        }
        return row_ == objects1_.size();
    }
    void collide(const broadside::PairBuffer& pairs) {
        for (const broadside::IndexPair pair : pairs)
            if (pair.first >= row_ && is_done_by(pair.first, pair.second)) return;
    }
    bool has_contact() const { return has_contact_; }

private:
    bool is_done_by(std::size_t index1, std::size_t index2) {
        CollisionObject* const object1 = objects1_[index1];
        CollisionObject* const object2 = objects2_[index2];
        if (option_.collisionFilter && option_.collisionFilter->ignoresCollision(object1, object2))
            return false;
        of_pair_.clear();
        dart::collision::collide(object1, object2, of_pair_);
        has_contact_ = has_contact_ || of_pair_.isCollision();
        if (result_ == nullptr) return has_contact_;
        for (dart::collision::Contact contact : of_pair_.getContacts()) {
            if (!is_new(contact.point)) continue;
            contact.collisionObject1 = object1;
            contact.collisionObject2 = object2;
            result_->addContact(contact);
            if (result_->getNumContacts() >= option_.maxNumContacts) return true;
        }
        return false;
    }

    // Whether there is no contact at the point yet. DART compares with all contacts; here they are sorted
    // along a line of irrational slopes, on which no two points of a grid are close.
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
    // The first row that is not done yet.
    std::size_t row_ = 0;
    bool has_contact_ = false;
    std::multimap<double, std::size_t> contacts_;
};

// Users may name a detector, as SKEL files do.
const dart::collision::CollisionDetector::Registrar<BroadsideDetector> registrar(
    BroadsideDetector::getStaticType(), &BroadsideDetector::create);

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
    // DART's own detector refuses unsupported calls, and takes over if memory is short.
    if (group->getCollisionDetector().get() != this || option.maxNumContacts == 0)
        return DARTCollisionDetector::collide(group, option, result);
    const Objects& objects = Group::objects(*group);
    Loop loop(objects, objects, option, result);
    if (loop.is_done_by_first_rows(true)) return loop.has_contact();
    if (set_boxes(objects, boxes_[0]) != Status::ok ||
        find_pairs(boxes_[0], {}, scratch_, pairs_).status != Status::ok)
        return DARTCollisionDetector::collide(group, option, result);
    loop.collide(pairs_);
    return loop.has_contact();
}

bool BroadsideDetector::collide(dart::collision::CollisionGroup* group1,
                                dart::collision::CollisionGroup* group2, const CollisionOption& option,
                                CollisionResult* result) {
    if (group1->getCollisionDetector().get() != this || group2->getCollisionDetector().get() != this ||
        option.maxNumContacts == 0)
        return DARTCollisionDetector::collide(group1, group2, option, result);
    const Objects& objects1 = Group::objects(*group1);
    const Objects& objects2 = Group::objects(*group2);
    Loop loop(objects1, objects2, option, result);
    if (loop.is_done_by_first_rows(false)) return loop.has_contact();
    if (set_boxes(objects1, boxes_[0]) != Status::ok || set_boxes(objects2, boxes_[1]) != Status::ok ||
        find_pairs(boxes_[0], boxes_[1], {}, scratch_, pairs_).status != Status::ok)
        return DARTCollisionDetector::collide(group1, group2, option, result);
    loop.collide(pairs_);
    return loop.has_contact();
}

}  // namespace dart_example
