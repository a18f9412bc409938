// Bullet's broadphases from frame to frame: two dynamic trees, and sorted end points. Their pairs are in its
// cache.
#include "bench/peers/world_peer.hpp"
#include "bench/suites.hpp"

#include <BulletCollision/BroadphaseCollision/btAxisSweep3.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>

#include <type_traits>

namespace broadside::bench {
namespace {

btVector3 bullet_vector(Vec3 v) { return {v.x, v.y, v.z}; }

// Common to both of Bullet's: proxies, of which those of fixed objects do not pair with each other.
class BulletWorld {
public:
    BulletWorld(const WorldFrames& frames, std::unique_ptr<btBroadphaseInterface> broadphase)
        : broadphase_(std::move(broadphase)), boxes_(frames.first_boxes()) {
        for (std::size_t i = 0; i < frames.count(); ++i) {
            const int group =
                frames.is_fixed(i) ? btBroadphaseProxy::StaticFilter : btBroadphaseProxy::DefaultFilter;
            const int mask =
                frames.is_fixed(i) ? btBroadphaseProxy::DefaultFilter : btBroadphaseProxy::AllFilter;
            const Aabb& box = boxes_[i];
            proxies_.push_back(broadphase_->createProxy(bullet_vector(box.min), bullet_vector(box.max), 0,
                                                        &boxes_[i], group, mask, nullptr));
        }
        broadphase_->calculateOverlappingPairs(nullptr);
    }
    BulletWorld(const BulletWorld&) = delete;
    BulletWorld& operator=(const BulletWorld&) = delete;
    ~BulletWorld() {
        for (btBroadphaseProxy* proxy : proxies_) broadphase_->destroyProxy(proxy, nullptr);
    }

    void step(const WorldFrame& frame) {
        for (std::size_t k = 0; k < frame.moved.size(); ++k) {
            const std::uint32_t index = frame.moved[k];
            const Aabb box = frame.moved_boxes[k];
            boxes_[index] = box;
            broadphase_->setAabb(proxies_[index], bullet_vector(box.min), bullet_vector(box.max), nullptr);
        }
        broadphase_->calculateOverlappingPairs(nullptr);
    }
    // The pairs in its cache: a few too many with integer end points, which are rounded outwards.
    std::vector<IndexPair> pairs() {
        std::vector<IndexPair> pairs;
        const btBroadphasePairArray& cached =
            broadphase_->getOverlappingPairCache()->getOverlappingPairArray();
        for (int i = 0; i < cached.size(); ++i) {
            const auto index_of = [&](const btBroadphaseProxy* proxy) {
                return static_cast<std::uint32_t>(static_cast<const Aabb*>(proxy->m_clientObject) -
                                                  boxes_.data());
            };
            const std::uint32_t a = index_of(cached[i].m_pProxy0);
            const std::uint32_t b = index_of(cached[i].m_pProxy1);
            pairs.push_back(sorted_pair(a, b));
        }
        return pairs;
    }

private:
    std::unique_ptr<btBroadphaseInterface> broadphase_;
    std::vector<Aabb> boxes_;
    std::vector<btBroadphaseProxy*> proxies_;
};

// Two dynamic trees. No margin, collided once a frame, and ended pairs removed by a pass over all.
class BulletTreeWorld : public BulletWorld {
public:
    static constexpr const char* kName = "bullet_dbvt";
    static constexpr std::size_t kCountMax = 100'000;

    explicit BulletTreeWorld(const WorldFrames& frames) : BulletWorld(frames, make()) {}

private:
    static std::unique_ptr<btBroadphaseInterface> make() {
        gDbvtMargin = 0;
        auto broadphase = std::make_unique<btDbvtBroadphase>();
        broadphase->m_deferedcollide = true;
        broadphase->m_cupdates = 100;
        broadphase->setVelocityPrediction(0);
        return broadphase;
    }
};

// Sorted end points on three axes, as integers of 32 or of 16 bits. Adding objects one by one is quadratic,
// and sixteen bits have room for 16,384.
template <class Sweep>
class BulletSweepWorld : public BulletWorld {
public:
    static constexpr std::size_t kCountMax = 10'000;

    explicit BulletSweepWorld(const WorldFrames& frames) : BulletWorld(frames, make(frames)) {}

private:
    static std::unique_ptr<btBroadphaseInterface> make(const WorldFrames& frames) {
        Aabb world = Aabb::empty();
        for (const Aabb& box : frames.first_boxes()) world = include(world, box);
        // Further than the extent of any box of the scenes.
        world = expanded(world, 20);
        constexpr bool kNoRayTree = true;
        const std::size_t handle_count = frames.count() + 2;
        if constexpr (std::is_same_v<Sweep, btAxisSweep3>) {
            return std::make_unique<Sweep>(bullet_vector(world.min), bullet_vector(world.max),
                                           static_cast<unsigned short>(handle_count), nullptr, kNoRayTree);
        } else {
            return std::make_unique<Sweep>(bullet_vector(world.min), bullet_vector(world.max),
                                           static_cast<unsigned>(handle_count), nullptr, kNoRayTree);
        }
    }
};

struct BulletSweep32World : BulletSweepWorld<bt32BitAxisSweep3> {
    static constexpr const char* kName = "bullet_sweep";
    using BulletSweepWorld::BulletSweepWorld;
};
struct BulletSweep16World : BulletSweepWorld<btAxisSweep3> {
    static constexpr const char* kName = "bullet_sweep16";
    using BulletSweepWorld::BulletSweepWorld;
};

const Suite suite("bullet", &register_world_peers<BulletTreeWorld, BulletSweep32World, BulletSweep16World>,
                  {"broadphase/world/(uniform_moving|static90)/1000/bullet_.*",
                   "broadphase/world/(uniform_moving|static90)/10000/bullet_dbvt",
                   "broadphase/world/static90/100000/bullet_dbvt"});

}  // namespace
}  // namespace broadside::bench
