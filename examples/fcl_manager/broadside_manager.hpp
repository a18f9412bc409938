// FCL's broad phase on a BoxTree: the code of a host with doubles that puts broadside under its collision
// managers. README.md says what becomes what.
#pragma once

#include "examples/fcl_manager/object_table.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/box_tree.hpp>

#include <fcl/broadphase/broadphase_collision_manager.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace fcl_example {

/// Replaces DynamicAABBTreeCollisionManager. Every function calls back for exactly the pairs that
/// NaiveCollisionManager finds, whatever numbers the boxes hold. Boxes are those that objects had when they
/// were last registered or updated. In `collide` of one object, Naive calls back for all objects, this one
/// for those whose boxes overlap. Distances mostly come near before far, so that fewer pairs are called back.
/// Beyond that:
/// - An object that is registered twice is there twice, and pairs with itself; unregisterObject and update
///   affect both. They ignore an object that is not registered.
/// - Registered objects wait until `setup`, an update or a query, which then builds the tree.
/// - const functions may be called on several threads at once, and from callbacks. Callbacks run within
///   broadside's FloatEnvironment.
/// - The pair that ended the last call, or was the nearest in it, is the first of the next call.
/// - An exception of a callback ends the call and goes on to the caller.
/// - A callback of `distance` may shorten the distance; a later increase is ignored.
/// - The other manager may be of any type.
/// - std::bad_alloc of registering leaves all unchanged; of `setup` or a query the objects still wait; of an
///   update some objects may be found at their old positions until the next one.
class BroadsideManager final : public fcl::BroadPhaseCollisionManager<double> {
public:
    using Object = fcl::CollisionObject<double>;
    using Objects = std::vector<Object*>;
    using Manager = fcl::BroadPhaseCollisionManager<double>;
    using CollisionCallBack = fcl::CollisionCallBack<double>;
    using DistanceCallBack = fcl::DistanceCallBack<double>;

    BroadsideManager() = default;
    BroadsideManager(const BroadsideManager&) = delete;
    BroadsideManager& operator=(const BroadsideManager&) = delete;

    void registerObjects(const Objects& objects) override;
    void registerObject(Object* object) override;
    void unregisterObject(Object* object) override;
    void setup() override { get_ready(); }
    void update() override;
    void update(Object* object) override;
    void update(const Objects& objects) override;
    void clear() override;
    void getObjects(Objects& out_objects) const override;
    bool empty() const override { return size() == 0; }
    std::size_t size() const override { return objects_.size() - free_.size(); }

    void collide(Object* object, void* user, CollisionCallBack callback) const override;
    void collide(void* user, CollisionCallBack callback) const override;
    void collide(Manager* other, void* user, CollisionCallBack callback) const override;
    void distance(Object* object, void* user, DistanceCallBack callback) const override;
    void distance(void* user, DistanceCallBack callback) const override;
    void distance(Manager* other, void* user, DistanceCallBack callback) const override;

private:
    using Box = fcl::AABB<double>;
    class Distances;
    // The pair that ended a walk, or was its nearest. The next walk tests it first: objects move little
    // between two walks, so the walk then ends at once, or hardly anything else is near enough (coherence; M.
    // Lin and J. Canny, "A fast algorithm for incremental distance calculation", 1991).
    class Witness {
    public:
        broadside::IndexPair pair() const {
            const std::uint64_t pair = pair_.load(std::memory_order_relaxed);
            return {static_cast<std::uint32_t>(pair), static_cast<std::uint32_t>(pair >> 32)};
        }
        void note(const broadside::IndexPair& pair) {
            pair_.store(std::uint64_t{pair.second} << 32 | pair.first, std::memory_order_relaxed);
        }

    private:
        std::atomic<std::uint64_t> pair_ = ~std::uint64_t{0};
    };

    void resize(std::size_t count);
    void add(Object* const* objects, std::size_t count);
    void round(std::uint32_t index) const;
    void round_all() const;
    void refit();
    void get_ready() const;
    void add_pending() const;
    void collide_pairs(const BroadsideManager& other, void* user, CollisionCallBack callback) const;
    void distance_pairs(const BroadsideManager& other, void* user, DistanceCallBack callback) const;
    // Whether both indices have an object.
    bool has_pair(const broadside::IndexPair& pair, const BroadsideManager& other) const;
    static std::unique_ptr<BroadsideManager> copy_of(const Manager& other);

    // By index, which is that of the tree's boxes. An index without an object is free and has a null pointer.
    Objects objects_;
    std::vector<Box> boxes_;
    std::vector<std::uint32_t> free_;
    ObjectTable indices_;
    // Brought up to date by the first query; several may run at once.
    mutable broadside::BoxSoa rounded_;
    mutable broadside::BoxTree tree_;
    // Indices whose boxes are not in the tree yet.
    mutable std::vector<std::uint32_t> pending_;
    // Within this manager, and with another one.
    mutable Witness own_witness_;
    mutable Witness other_witness_;
    mutable std::atomic<bool> is_ready_ = true;
    mutable std::mutex mutex_;
};

}  // namespace fcl_example
