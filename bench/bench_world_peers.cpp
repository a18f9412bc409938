// Other libraries on the frames of bench_world, for ratios within one run: Embree (what moves rebuilt by Morton codes,
// rtcCollide) and Bullet (dynamic trees, and sorted end points), each built in where the machine has it. Their pairs are
// compared with those of find_pairs before timing. Bullet's pairs live in its cache; Embree's are a list without memory.
#include "bench/suites.hpp"
#include "bench/support.hpp"
#include "bench/world_frames.hpp"

#include <memory>

#if defined(BROADSIDE_HAS_EMBREE)
#include <embree3/rtcore.h>
#endif
#if defined(BROADSIDE_HAS_BULLET)
#include <BulletCollision/BroadphaseCollision/btAxisSweep3.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#endif

namespace broadside::bench {
namespace {

#if defined(BROADSIDE_HAS_EMBREE)
// One thread. What never moves is a scene of its own that is built once, at full quality; what may move is a scene that
// is built anew each frame at the lowest quality, which is the fastest in total. The list of pairs is new each frame.
class EmbreeWorld {
public:
    static constexpr const char* kName = "embree";
    static constexpr std::size_t kCountMax = 1'000'000;

    explicit EmbreeWorld(const WorldFrames& frames) : device_(rtcNewDevice("threads=1")) {
        boxes_ = frames.first_boxes();
        for (std::size_t i = 0; i < frames.count(); ++i) {
            (frames.is_fixed(i) ? fixed_ : movers_).indices.push_back(static_cast<std::uint32_t>(i));
        }
        make_set(fixed_, RTC_BUILD_QUALITY_MEDIUM);
        make_set(movers_, RTC_BUILD_QUALITY_LOW);
        rtcCommitScene(fixed_.scene);
    }
    EmbreeWorld(const EmbreeWorld&) = delete;
    EmbreeWorld& operator=(const EmbreeWorld&) = delete;
    ~EmbreeWorld() {
        for (const Set* set : {&fixed_, &movers_}) {
            rtcReleaseGeometry(set->geometry);
            rtcReleaseScene(set->scene);
        }
        rtcReleaseDevice(device_);
    }

    void step(const WorldFrame& frame) {
        for (std::size_t k = 0; k < frame.moved.size(); ++k) boxes_[frame.moved[k]] = frame.moved_boxes[k];
        pairs_.clear();
        rtcCommitGeometry(movers_.geometry);
        rtcCommitScene(movers_.scene);
        // Every pair is reported both ways.
        rtcCollide(movers_.scene, movers_.scene, &collect<true>, this);
        if (!fixed_.indices.empty()) rtcCollide(movers_.scene, fixed_.scene, &collect<false>, this);
    }
    std::vector<IndexPair> pairs() const { return pairs_; }

private:
    struct Set {
        EmbreeWorld* world = nullptr;
        std::vector<std::uint32_t> indices;
        RTCScene scene = nullptr;
        RTCGeometry geometry = nullptr;
    };

    void make_set(Set& out_set, RTCBuildQuality quality) {
        out_set.world = this;
        out_set.scene = rtcNewScene(device_);
        rtcSetSceneBuildQuality(out_set.scene, quality);
        out_set.geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_USER);
        rtcSetGeometryBuildQuality(out_set.geometry, quality);
        rtcSetGeometryUserPrimitiveCount(out_set.geometry, static_cast<unsigned>(out_set.indices.size()));
        rtcSetGeometryUserData(out_set.geometry, &out_set);
        rtcSetGeometryBoundsFunction(out_set.geometry, &bounds, nullptr);
        rtcSetGeometryIntersectFunction(out_set.geometry, [](const RTCIntersectFunctionNArguments*) {});
        rtcSetGeometryOccludedFunction(out_set.geometry, [](const RTCOccludedFunctionNArguments*) {});
        rtcCommitGeometry(out_set.geometry);
        rtcAttachGeometry(out_set.scene, out_set.geometry);
    }
    static void bounds(const RTCBoundsFunctionArguments* arguments) {
        const Set& set = *static_cast<const Set*>(arguments->geometryUserPtr);
        const Aabb& box = set.world->boxes_[set.indices[arguments->primID]];
        *arguments->bounds_o = {box.min.x, box.min.y, box.min.z, 0, box.max.x, box.max.y, box.max.z, 0};
    }
    template <bool kAmongMovers>
    static void collect(void* user, RTCCollision* collisions, unsigned count) {
        EmbreeWorld& self = *static_cast<EmbreeWorld*>(user);
        for (unsigned i = 0; i < count; ++i) {
            const std::uint32_t a = self.movers_.indices[collisions[i].primID0];
            const std::uint32_t b =
                (kAmongMovers ? self.movers_ : self.fixed_).indices[collisions[i].primID1];
            if (kAmongMovers && a >= b) continue;
            if (overlap(self.boxes_[a], self.boxes_[b])) {
                self.pairs_.push_back({std::min(a, b), std::max(a, b)});
            }
        }
    }

    RTCDevice device_;
    std::vector<Aabb> boxes_;
    Set fixed_;
    Set movers_;
    std::vector<IndexPair> pairs_;
};
#endif

#if defined(BROADSIDE_HAS_BULLET)
btVector3 bullet_vector(Vec3 v) { return {v.x, v.y, v.z}; }

// What both of Bullet's have in common: proxies, of which those of fixed objects do not look at each other.
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
    // Those that overlap exactly: end points on 32 bits are rounded outwards.
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
            if (overlap(boxes_[a], boxes_[b])) pairs.push_back({std::min(a, b), std::max(a, b)});
        }
        return pairs;
    }

private:
    std::unique_ptr<btBroadphaseInterface> broadphase_;
    std::vector<Aabb> boxes_;
    std::vector<btBroadphaseProxy*> proxies_;
};

// Two dynamic trees. No margin, collided once a frame, and all pairs looked at for those that are over.
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

// Sorted end points on three axes. Adding objects one by one is quadratic.
class BulletSweepWorld : public BulletWorld {
public:
    static constexpr const char* kName = "bullet_sweep";
    static constexpr std::size_t kCountMax = 10'000;

    explicit BulletSweepWorld(const WorldFrames& frames) : BulletWorld(frames, make(frames)) {}

private:
    static std::unique_ptr<btBroadphaseInterface> make(const WorldFrames& frames) {
        Aabb world = Aabb::empty();
        for (const Aabb& box : frames.first_boxes()) world = include(world, box);
        // Further than any box of the scenes goes.
        world = expanded(world, 20);
        constexpr bool kNoRayTree = true;
        return std::make_unique<bt32BitAxisSweep3>(bullet_vector(world.min), bullet_vector(world.max),
                                                   static_cast<unsigned>(frames.count() + 2), nullptr,
                                                   kNoRayTree);
    }
};
#endif

template <class Peer>
[[maybe_unused]] void register_peer(const WorldScene& scene, std::size_t count,
                                    const std::shared_ptr<std::unique_ptr<WorldFrames>>& frames) {
    if (count > Peer::kCountMax) return;
    const std::string name =
        std::string("broadphase/world/") + scene.name + "/" + std::to_string(count) + "/" + Peer::kName;
    const auto body = [=](benchmark::State& state) {
        if (*frames == nullptr) *frames = std::make_unique<WorldFrames>(scene, count);
        (*frames)->rewind();
        Peer peer(**frames);
        std::size_t pair_count = 0;
        for (int k = 0; k < kWarmUpFrameCount; ++k) {
            const WorldFrame& frame = (*frames)->next();
            peer.step(frame);
            std::vector<IndexPair> pairs = peer.pairs();
            std::sort(pairs.begin(), pairs.end());
            require_same(pairs == expected_pairs(**frames, frame.boxes), name);
            pair_count = pairs.size();
        }
        for (auto _ : state) {
            const WorldFrame& frame = (*frames)->next();
            state.SetIterationTime(seconds_of([&] { peer.step(frame); }));
        }
        count_items(state, "box", count);
        state.counters["pairs"] = static_cast<double>(pair_count);
    };
    benchmark::RegisterBenchmark(name.c_str(), body)->Unit(benchmark::kMicrosecond)->UseManualTime();
}

void register_rows() {
    for ([[maybe_unused]] const WorldScene& scene : kWorldScenes) {
        for ([[maybe_unused]] const std::size_t count : {1000u, 10000u, 100000u, 1000000u}) {
            [[maybe_unused]] const auto frames = std::make_shared<std::unique_ptr<WorldFrames>>();
#if defined(BROADSIDE_HAS_EMBREE)
            register_peer<EmbreeWorld>(scene, count, frames);
#endif
#if defined(BROADSIDE_HAS_BULLET)
            register_peer<BulletTreeWorld>(scene, count, frames);
            register_peer<BulletSweepWorld>(scene, count, frames);
#endif
        }
    }
}

const Suite suite("world_peers", &register_rows,
                  {"broadphase/world/(uniform_moving|static90)/(1000|10000|100000)/.*"});

}  // namespace

}  // namespace broadside::bench
