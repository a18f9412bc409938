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

// A result without contacts at one point, of which DART compares every two.
class Contacts {
public:
    explicit Contacts(CollisionResult& result) : result_(result) {}

    void add(const dart::collision::Contact& contact) {
        // Along a line that is perpendicular to nothing in a scene, so that few are beside each other.
        const double position = contact.point.dot(Vector3d(0.48, 0.6, 0.64));
        if (std::isfinite(position)) {
            const double reach = 3.1e-12 + 1e-15 * contact.point.lpNorm<1>();
            for (auto near = at_.lower_bound(position - reach); near != at_.end() && near->first <= position + reach; ++near)
                if ((contact.point - result_.getContact(near->second).point).norm() < 3.0e-12) return;
            at_.emplace(position, result_.getNumContacts());
        }
        result_.addContact(contact);
    }

private:
    CollisionResult& result_;
    std::multimap<double, std::size_t> at_;
};

bool collide_pairs(const broadside::PairBuffer& pairs, const Objects& objects1, const Objects& objects2,
                   const CollisionOption& option, CollisionResult* result) {
    CollisionResult of_pair;
    CollisionResult none;
    Contacts contacts(result != nullptr ? *result : none);
    for (const broadside::IndexPair pair : pairs) {
        CollisionObject* const object1 = objects1[pair.first];
        CollisionObject* const object2 = objects2[pair.second];
        if (option.collisionFilter && option.collisionFilter->ignoresCollision(object1, object2)) continue;
        of_pair.clear();
        dart::collision::collide(object1, object2, of_pair);
        if (result == nullptr && of_pair.isCollision()) return true;
        if (result == nullptr) continue;
        for (dart::collision::Contact contact : of_pair.getContacts()) {
            contact.collisionObject1 = object1;
            contact.collisionObject2 = object2;
            contacts.add(contact);
            if (result->getNumContacts() >= option.maxNumContacts) return true;
        }
    }
    return result != nullptr && result->isCollision();
}

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
    if (set_boxes(objects, boxes_[0]) != Status::ok ||
        find_pairs(boxes_[0], {}, scratch_, pairs_).status != Status::ok)
        return DARTCollisionDetector::collide(group, option, result);
    if (result != nullptr) result->clear();
    return collide_pairs(pairs_, objects, objects, option, result);
}

bool BroadsideDetector::collide(dart::collision::CollisionGroup* group1, dart::collision::CollisionGroup* group2,
                                const CollisionOption& option, CollisionResult* result) {
    if (group1->getCollisionDetector().get() != this || group2->getCollisionDetector().get() != this ||
        option.maxNumContacts == 0)
        return DARTCollisionDetector::collide(group1, group2, option, result);
    const Objects& objects1 = Group::objects(*group1);
    const Objects& objects2 = Group::objects(*group2);
    if (set_boxes(objects1, boxes_[0]) != Status::ok || set_boxes(objects2, boxes_[1]) != Status::ok ||
        find_pairs(boxes_[0], boxes_[1], {}, scratch_, pairs_).status != Status::ok)
        return DARTCollisionDetector::collide(group1, group2, option, result);
    if (result != nullptr) result->clear();
    return collide_pairs(pairs_, objects1, objects2, option, result);
}

}  // namespace dart_example
