// Embree: user geometry and rtcCollide for pairs, from nothing and from frame to frame.
#include "bench/peers/pair_peer.hpp"
#include "bench/peers/world_peer.hpp"
#include "bench/suites.hpp"

#include <embree3/rtcore.h>

namespace broadside::bench {
namespace {

// One thread; the build of the lowest quality, which is the fastest in total; every pair is reported both
// ways.
class EmbreePairs {
public:
    static constexpr const char* kName = "embree";
    static constexpr std::size_t kCountMax = 1'000'000;

    EmbreePairs() : device_(rtcNewDevice("threads=1")) {}
    EmbreePairs(const EmbreePairs&) = delete;
    EmbreePairs& operator=(const EmbreePairs&) = delete;
    ~EmbreePairs() { rtcReleaseDevice(device_); }

    const std::vector<IndexPair>& find(const std::vector<Aabb>& boxes) {
        boxes_ = boxes.data();
        pairs_.clear();
        RTCScene scene = rtcNewScene(device_);
        rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_LOW);
        RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_USER);
        rtcSetGeometryBuildQuality(geometry, RTC_BUILD_QUALITY_LOW);
        rtcSetGeometryUserPrimitiveCount(geometry, static_cast<unsigned>(boxes.size()));
        rtcSetGeometryUserData(geometry, this);
        rtcSetGeometryBoundsFunction(geometry, &bounds, nullptr);
        rtcSetGeometryIntersectFunction(geometry, [](const RTCIntersectFunctionNArguments*) {});
        rtcSetGeometryOccludedFunction(geometry, [](const RTCOccludedFunctionNArguments*) {});
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(scene, geometry);
        rtcReleaseGeometry(geometry);
        rtcCommitScene(scene);
        rtcCollide(scene, scene, &collect, this);
        rtcReleaseScene(scene);
        return pairs_;
    }

private:
    static void bounds(const RTCBoundsFunctionArguments* arguments) {
        const Aabb& box = static_cast<EmbreePairs*>(arguments->geometryUserPtr)->boxes_[arguments->primID];
        *arguments->bounds_o = {box.min.x, box.min.y, box.min.z, 0, box.max.x, box.max.y, box.max.z, 0};
    }
    static void collect(void* user, RTCCollision* collisions, unsigned count) {
        EmbreePairs& self = *static_cast<EmbreePairs*>(user);
        for (unsigned i = 0; i < count; ++i) {
            const IndexPair pair = {collisions[i].primID0, collisions[i].primID1};
            if (pair.first < pair.second && overlap(self.boxes_[pair.first], self.boxes_[pair.second])) {
                self.pairs_.push_back(pair);
            }
        }
    }

    RTCDevice device_;
    const Aabb* boxes_ = nullptr;
    std::vector<IndexPair> pairs_;
};

// One thread. Fixed objects are a scene of their own, built once at full quality; movable ones are a scene
// that is rebuilt each frame at the lowest quality, which is the fastest in total. The list of pairs is new
// each frame.
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
    const std::vector<IndexPair>& pairs() const { return pairs_; }

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
                self.pairs_.push_back(sorted_pair(a, b));
            }
        }
    }

    RTCDevice device_;
    std::vector<Aabb> boxes_;
    Set fixed_;
    Set movers_;
    std::vector<IndexPair> pairs_;
};

void register_rows() {
    register_pair_peer<EmbreePairs>();
    register_world_peers<EmbreeWorld>();
}

const Suite suite("embree", &register_rows,
                  {"broadphase/(find_pairs/(uniform|city|pile)|world/(uniform_moving|static90))/"
                   "(1000|10000|100000)/embree"});

}  // namespace
}  // namespace broadside::bench
