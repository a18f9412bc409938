// DART's native collision detector with broadside in front of it: the code of an engine that keeps its own
// narrowphase. README.md says what stays the same.
#pragma once

#include <broadside/box_soa.hpp>
#include <broadside/find_pairs.hpp>

#include <dart/collision/dart/DARTCollisionDetector.hpp>

namespace dart_example {

/// Finds the contacts of DARTCollisionDetector, in its order. The filter and the shapes are tested only for
/// pairs whose boxes overlap. Registered as "broadside". Like DART's other detectors, one call at a time.
class BroadsideDetector : public dart::collision::DARTCollisionDetector {
public:
    static std::shared_ptr<BroadsideDetector> create();
    static const std::string& getStaticType();
    const std::string& getType() const override { return getStaticType(); }
    std::shared_ptr<dart::collision::CollisionDetector> cloneWithoutCollisionObjects() const override {
        return create();
    }

    /// Both return whether there is a contact. (With a result that does not fill up, DARTCollisionDetector
    /// returns whether the last tested pair has one.)
    bool collide(dart::collision::CollisionGroup* group, const dart::collision::CollisionOption& option,
                 dart::collision::CollisionResult* result) override;
    bool collide(dart::collision::CollisionGroup* group1, dart::collision::CollisionGroup* group2,
                 const dart::collision::CollisionOption& option,
                 dart::collision::CollisionResult* result) override;

protected:
    BroadsideDetector() = default;

private:
    broadside::BoxSoa boxes_[2];
    broadside::BoxScratch scratch_;
    broadside::PairBuffer pairs_;
};

}  // namespace dart_example
