// Bullet's broadphase interface on a World: the code that an engine writes to run its dynamics on broadside.
// README.md says what becomes what.
#pragma once

#include <broadside/box_soa.hpp>
#include <broadside/world.hpp>
#include <broadside/world_query.hpp>

#include <BulletCollision/BroadphaseCollision/btBroadphaseInterface.h>
#include <BulletCollision/BroadphaseCollision/btOverlappingPairCache.h>

#include <memory>
#include <vector>

namespace bullet_example {

/// Replaces btDbvtBroadphase. Differences that a caller can see:
/// - Pairs end in the next calculateOverlappingPairs after their boxes have separated. Meanwhile the boxes of
///   calm objects are larger by `calm_margin`, those of immediate ones by `immediate_margin`.
/// - createProxy and setAabb take effect on pairs in calculateOverlappingPairs; on rays and boxes at once.
///   A few objects read their pairs earlier, such as a character between its own steps: `immediate_groups`.
/// - A pair that a filter rejects is tested again when one of the two is set; the order is not defined.
class BroadsideBroadphase final : public btBroadphaseInterface {
public:
    /// Makes a btHashedOverlappingPairCache if none is given. A given one must outlive this object.
    explicit BroadsideBroadphase(btOverlappingPairCache* pair_cache = nullptr,
                                 const broadside::TaskRunner* runner = nullptr);
    BroadsideBroadphase(const BroadsideBroadphase&) = delete;
    BroadsideBroadphase& operator=(const BroadsideBroadphase&) = delete;
    ~BroadsideBroadphase() override;

    btBroadphaseProxy* createProxy(const btVector3& box_min, const btVector3& box_max, int shape_type,
                                   void* client, int group, int mask, btDispatcher* dispatcher) override;
    void destroyProxy(btBroadphaseProxy* proxy, btDispatcher* dispatcher) override;
    void setAabb(btBroadphaseProxy* proxy, const btVector3& box_min, const btVector3& box_max,
                 btDispatcher* dispatcher) override;
    void getAabb(btBroadphaseProxy* proxy, btVector3& out_min, btVector3& out_max) const override;
    /// The ray ends at `to`; with a box around the origin it is a cast of that box. Near objects come before
    /// far ones. The return value of `process` is ignored, as in Bullet.
    void rayTest(const btVector3& from, const btVector3& to, btBroadphaseRayCallback& callback,
                 const btVector3& box_min, const btVector3& box_max) override;
    void aabbTest(const btVector3& box_min, const btVector3& box_max,
                  btBroadphaseAabbCallback& callback) override;
    void calculateOverlappingPairs(btDispatcher* dispatcher) override;
    btOverlappingPairCache* getOverlappingPairCache() override { return pair_cache_; }
    const btOverlappingPairCache* getOverlappingPairCache() const override { return pair_cache_; }
    void getBroadphaseAabb(btVector3& out_min, btVector3& out_max) const override;
    void resetPool(btDispatcher* dispatcher) override;
    void printStats() override;

    /// Objects of these groups get their new pairs in setAabb already, as all objects do in Bullet's own
    /// broadphases. Bullet's character needs it, because it reads its pairs between its own moves.
    int immediate_groups = btBroadphaseProxy::CharacterFilter;
    /// Margin of their boxes on every side. With it they query only once in some steps, as all objects of
    /// btDbvtBroadphase do. Zero for exact pairs.
    float immediate_margin = 0.08f;
    /// An object that moves by less than a quarter of this in a step gets a larger box: larger on every side
    /// by eight such steps, at most by this. The object is skipped until it leaves that box. Zero for exact
    /// pairs.
    float calm_margin = 0.04f;

    const broadside::World& world() const { return world_; }

private:
    struct Proxy;
    // The rule that decides whether two overlapping boxes are a pair.
    enum class Rules : std::uint8_t {
        // All objects have the groups that btDiscreteDynamicsWorld gives them: static objects do not pair.
        kinds,
        // Groups and masks, which the World applies.
        masks,
        // The pair cache's btOverlapFilterCallback.
        callback,
    };

    void grow_pool();
    Proxy* proxy_of(broadside::ObjectHandle handle) const;
    void grow_pending(std::size_t size);
    void set_outer_box(Proxy& proxy, const btVector3& box_min, const btVector3& box_max);
    void put_pending_boxes();
    void ask_rules();
    void set_rules(const Proxy& proxy);
    void look_at_groups(Proxy& proxy);
    void add_pair(const broadside::WorldPair& pair);
    void ask_rejected_again();
    float calm_margin_of(const btVector3& step) const;
    void add_immediate_pairs(Proxy& proxy);
    void end_immediate_pairs(btDispatcher* dispatcher);
    void remove_deferred(btDispatcher* dispatcher);

    std::unique_ptr<btOverlappingPairCache> own_pair_cache_;
    btOverlappingPairCache* pair_cache_;
    const broadside::TaskRunner* runner_;
    broadside::World world_;
    std::vector<void*> pool_;
    std::vector<void*> free_proxies_;
    // By slot of the world's handles.
    std::vector<Proxy*> proxies_;
    std::size_t proxy_count_ = 0;
    // Proxies with groups or masks of their own.
    std::size_t masked_count_ = 0;
    int last_id_ = 0;
    std::uint32_t step_ = 1;
    Rules rules_ = Rules::kinds;
    bool is_asking_ = false;
    // Boxes set since the last transfer to the world, in order.
    std::vector<broadside::ObjectHandle> pending_;
    std::vector<float> pending_boxes_[6];
    std::size_t pending_count_ = 0;
    // Pairs that the callback rejected, and immediate pairs that the world has not confirmed.
    std::vector<broadside::WorldPair> rejected_;
    std::vector<broadside::WorldPair> immediate_;
};

}  // namespace bullet_example
