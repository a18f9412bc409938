// FCL: its dynamic tree of boxes and its sorted ends (SaP), from frame to frame. It computes in doubles,
// which hold our floats exactly.
#include "bench/peers/world_peer.hpp"
#include "bench/suites.hpp"

#include <fcl/broadphase/broadphase_SaP.h>
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/shape/box.h>

namespace broadside::bench {
namespace {

// An object whose box is ours bit for bit, and not derived from a shape and a pose.
class FclObject : public fcl::CollisionObjectd {
public:
    FclObject(const std::shared_ptr<fcl::CollisionGeometryd>& any_shape, const Aabb* box)
        : CollisionObject(any_shape), box_(box) {
        take_box();
    }
    void take_box() {
        aabb.min_ = {double{box_->min.x}, double{box_->min.y}, double{box_->min.z}};
        aabb.max_ = {double{box_->max.x}, double{box_->max.y}, double{box_->max.z}};
    }
    const Aabb* box() const { return box_; }

private:
    const Aabb* box_;
};

// Two managers: one for fixed objects, whose pairs are not wanted.
template <class Manager, bool kIsUpdated>
class FclWorld {
public:
    explicit FclWorld(const WorldFrames& frames) : boxes_(frames.first_boxes()) {
        const auto shape = std::make_shared<fcl::Boxd>(1, 1, 1);
        std::vector<fcl::CollisionObjectd*> fixed;
        for (std::size_t i = 0; i < boxes_.size(); ++i) {
            objects_.push_back(std::make_unique<FclObject>(shape, &boxes_[i]));
            (frames.is_fixed(i) ? fixed : mover_objects_).push_back(objects_.back().get());
        }
        fixed_.registerObjects(fixed);
        movers_.registerObjects(mover_objects_);
        fixed_.setup();
        movers_.setup();
    }

    void step(const WorldFrame& frame) {
        moved_.clear();
        for (std::size_t k = 0; k < frame.moved.size(); ++k) {
            FclObject& object = *objects_[frame.moved[k]];
            boxes_[frame.moved[k]] = frame.moved_boxes[k];
            object.take_box();
            moved_.push_back(&object);
        }
        if constexpr (kIsUpdated) {
            movers_.update(moved_);
        } else {
            movers_.clear();
            movers_.registerObjects(mover_objects_);
            movers_.setup();
        }
        pairs_.clear();
        movers_.collide(this, &collect);
        if (fixed_.size() != 0) movers_.collide(&fixed_, this, &collect);
    }
    const std::vector<IndexPair>& pairs() const { return pairs_; }

private:
    static bool collect(fcl::CollisionObjectd* a, fcl::CollisionObjectd* b, void* user) {
        auto& self = *static_cast<FclWorld*>(user);
        const auto index_of = [&](const fcl::CollisionObjectd* object) {
            return static_cast<std::uint32_t>(static_cast<const FclObject*>(object)->box() -
                                              self.boxes_.data());
        };
        self.pairs_.push_back(sorted_pair(index_of(a), index_of(b)));
        constexpr bool kIsEnough = false;
        return kIsEnough;
    }

    std::vector<Aabb> boxes_;
    std::vector<std::unique_ptr<FclObject>> objects_;
    std::vector<fcl::CollisionObjectd*> mover_objects_;
    std::vector<fcl::CollisionObjectd*> moved_;
    Manager fixed_;
    Manager movers_;
    std::vector<IndexPair> pairs_;
};

class FclTreeWorld : public FclWorld<fcl::DynamicAABBTreeCollisionManagerd, true> {
public:
    static constexpr const char* kName = "fcl_tree";
    static constexpr std::size_t kCountMax = 100'000;
    using FclWorld::FclWorld;
};

// Filled again in each frame: version 0.7 decides by the smaller corner alone in which direction a box has
// moved, so a box whose larger corner stays, by the rounding of a small step, turns the linked list into a
// ring, and the next walk never ends.
class FclSapWorld : public FclWorld<fcl::SaPCollisionManagerd, false> {
public:
    static constexpr const char* kName = "fcl_sap";
    static constexpr std::size_t kCountMax = 10'000;
    using FclWorld::FclWorld;
};

const Suite suite("fcl", &register_world_peers<FclTreeWorld, FclSapWorld>,
                  {"broadphase/world/(uniform_moving|static90)/1000/fcl_.*",
                   "broadphase/world/(uniform_moving|static90)/10000/fcl_tree",
                   "broadphase/world/static90/100000/fcl_tree"});

}  // namespace
}  // namespace broadside::bench
