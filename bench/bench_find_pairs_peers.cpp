// Other libraries on the scenes of bench_find_pairs, for ratios within one run: Embree (Morton build and
// rtcCollide) and CGAL (box_self_intersection_d), each built in where the machine has it. Pair sets are
// compared before timing.
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/find_pairs.hpp>
#include <broadside/scenes/box_scene.hpp>

#include <algorithm>
#include <memory>
#include <vector>

#if defined(BROADSIDE_HAS_EMBREE)
#include <embree3/rtcore.h>
#endif
#if defined(BROADSIDE_HAS_CGAL)
#include <CGAL/box_intersection_d.h>
#endif

namespace broadside::bench {
namespace {

// Frames that take turns, as in bench_find_pairs.
constexpr std::size_t kFrameCount = 4;

using Frames = std::vector<std::vector<Aabb>>;

Frames make_frames(const std::string& scene_name, std::size_t count) {
    const scenes::NamedScene scene = scenes::find_scene(scene_name).value();
    const scenes::BoxScene boxes(scene.layout, scenes::Motion::all, count);
    scenes::BoxFrame frame;
    Frames frames;
    for (std::size_t index = 0; index < kFrameCount; ++index) {
        boxes.frame(index, frame);
        frames.push_back(frame.boxes);
    }
    return frames;
}

std::vector<IndexPair> our_pairs(const std::vector<Aabb>& boxes) {
    BoxSoa soa;
    const BoxAosView view = {.data = boxes.data(), .stride_bytes = sizeof(Aabb), .count = boxes.size()};
    if (soa.assign(view) != Status::ok) std::abort();
    PairBuffer pairs;
    if (find_pairs(soa, pairs).status != Status::ok) std::abort();
    return {pairs.begin(), pairs.end()};
}

#if defined(BROADSIDE_HAS_EMBREE)
// One thread; the build of the least quality, which is the fastest in total; every pair is reported both
// ways.
class EmbreePeer {
public:
    static constexpr const char* kName = "embree";

    EmbreePeer() : device_(rtcNewDevice("threads=1")) {}
    EmbreePeer(const EmbreePeer&) = delete;
    EmbreePeer& operator=(const EmbreePeer&) = delete;
    ~EmbreePeer() { rtcReleaseDevice(device_); }

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
        const Aabb& box = static_cast<EmbreePeer*>(arguments->geometryUserPtr)->boxes_[arguments->primID];
        *arguments->bounds_o = {box.min.x, box.min.y, box.min.z, 0, box.max.x, box.max.y, box.max.z, 0};
    }
    static void collect(void* user, RTCCollision* collisions, unsigned count) {
        EmbreePeer& self = *static_cast<EmbreePeer*>(user);
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
#endif

#if defined(BROADSIDE_HAS_CGAL)
// The streamed segment tree; boxes by value, and the cutoff that is best on most of the scenes.
class CgalPeer {
public:
    static constexpr const char* kName = "cgal";

    const std::vector<IndexPair>& find(const std::vector<Aabb>& boxes) {
        items_.clear();
        pairs_.clear();
        for (const Aabb& box : boxes) {
            items_.push_back({{box.min.x, box.min.y, box.min.z},
                              {box.max.x, box.max.y, box.max.z},
                              static_cast<std::uint32_t>(items_.size())});
        }
        constexpr std::ptrdiff_t kCutoff = 500;
        CGAL::box_self_intersection_d<CGAL::Sequential_tag>(
            items_.begin(), items_.end(),
            [&](const Item& a, const Item& b) {
                pairs_.push_back({std::min(a.index, b.index), std::max(a.index, b.index)});
            },
            CGAL::Box_intersection_d::Box_traits_d<Item>(), kCutoff);
        return pairs_;
    }

private:
    // The concept BoxIntersectionBox_d names these members.
    struct Item {
        using NT = float;
        using ID = std::uint32_t;
        float min[3];
        float max[3];
        std::uint32_t index;
        static int dimension() { return 3; }
        float min_coord(int axis) const { return min[axis]; }
        float max_coord(int axis) const { return max[axis]; }
        ID id() const { return index; }
    };

    std::vector<Item> items_;
    std::vector<IndexPair> pairs_;
};
#endif

template <class Peer>
[[maybe_unused]] void register_peer(const std::string& scene, std::size_t count) {
    const std::string name =
        "broadphase/find_pairs/" + scene + "/" + std::to_string(count) + "/" + Peer::kName;
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
        const Frames frames = make_frames(scene, count);
        Peer peer;
        std::vector<IndexPair> pairs = peer.find(frames[0]);
        std::sort(pairs.begin(), pairs.end());
        require_same(pairs == our_pairs(frames[0]), name);
        std::size_t frame = 0;
        for (auto _ : state) {
            benchmark::DoNotOptimize(peer.find(frames[frame]).data());
            frame = (frame + 1) % kFrameCount;
        }
        count_items(state, "box", count);
        state.counters["pairs"] = static_cast<double>(pairs.size());
    })->Unit(benchmark::kMicrosecond);
}

void register_rows() {
    for ([[maybe_unused]] const std::string scene : {"uniform", "mixed", "city", "pile", "wall"}) {
        for ([[maybe_unused]] const std::size_t count : {1000u, 10000u, 100000u, 1000000u}) {
#if defined(BROADSIDE_HAS_EMBREE)
            register_peer<EmbreePeer>(scene, count);
#endif
#if defined(BROADSIDE_HAS_CGAL)
            register_peer<CgalPeer>(scene, count);
#endif
        }
    }
}

const Suite suite("find_pairs_peers", &register_rows,
                  {"broadphase/find_pairs/(uniform|city|pile)/(1000|10000|100000)/.*"});

}  // namespace

}  // namespace broadside::bench
