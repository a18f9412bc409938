// Other libraries on the questions of bench_box_tree, for ratios within one run: Embree (medium build, user geometry,
// rtcIntersect1 and rtcCollide) and Bullet (btDbvt), each built in where the machine has it. Their callbacks make the
// exact test; counts of answers are compared before timing.
#include "bench/box_tree_queries.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <broadside/box_soa.hpp>

#include <memory>

#if defined(BROADSIDE_HAS_EMBREE)
#include <embree3/rtcore.h>
#endif
#if defined(BROADSIDE_HAS_BULLET)
#include <BulletCollision/BroadphaseCollision/btDbvt.h>
#endif

namespace broadside::bench {
namespace {

// How many answers our tree gives, the measure of the peers.
struct Expected {
    std::size_t overlaps = 0;
    std::size_t ray_hits = 0;
    std::size_t rays_with_hit = 0;
    std::size_t casts_with_hit = 0;

    explicit Expected(const TreeWorld& world) {
        BoxSoa boxes;
        const BoxAosView view = {
            .data = world.boxes.data(), .stride_bytes = sizeof(Aabb), .count = world.boxes.size()};
        BoxTree tree;
        if (boxes.assign(view) != Status::ok || tree.build(boxes) != Status::ok) std::abort();
        TreeScratch scratch;
        PairBuffer pairs;
        AlignedArray<TreeHit> hits;
        std::vector<ClosestBox> closest(kQueryCount);
        const auto count_found = [&] {
            return static_cast<std::size_t>(
                std::count_if(closest.begin(), closest.end(),
                              [](const ClosestBox& box) { return box.box_index != kNoBox; }));
        };
        overlaps = tree.find_overlaps(world.overlaps, {}, scratch, pairs).written;
        ray_hits = tree.find_hits(world.rays, {}, {}, scratch, hits).written;
        tree.closest_boxes(world.rays, {}, {}, closest);
        rays_with_hit = count_found();
        tree.first_impacts(world.casts, Touch::closed, {}, closest);
        casts_with_hit = count_found();
    }
};

// The ray test that the peers' callbacks make: entry, or a value beyond t_max.
[[maybe_unused]] float entry_t(Vec3 origin, Vec3 inv_direction, float t_max, const Aabb& box) {
    const auto near_far = [](float origin_in, float inv, float min, float max) {
        const float a = (min - origin_in) * inv;
        const float b = (max - origin_in) * inv;
        return std::pair(std::min(a, b), std::max(a, b));
    };
    const auto [near_x, far_x] = near_far(origin.x, inv_direction.x, box.min.x, box.max.x);
    const auto [near_y, far_y] = near_far(origin.y, inv_direction.y, box.min.y, box.max.y);
    const auto [near_z, far_z] = near_far(origin.z, inv_direction.z, box.min.z, box.max.z);
    const float t_enter = std::max(std::max(near_x, near_y), std::max(near_z, 0.0f));
    const float t_exit = std::min(std::min(far_x, far_y), std::min(far_z, t_max));
    return t_enter <= t_exit ? t_enter : FLT_MAX;
}
[[maybe_unused]] Vec3 inverse(Vec3 v) { return {1.0f / v.x, 1.0f / v.y, 1.0f / v.z}; }

// The count is right up to rays that graze an edge, which arithmetic of another form sees otherwise.
[[maybe_unused]] bool is_close(std::size_t count, std::size_t expected) {
    const std::size_t difference = count > expected ? count - expected : expected - count;
    return difference <= 2 + expected / 10000;
}

template <class Peer>
struct PeerRun {
    std::string question;
    std::size_t (Peer::*run)();
    std::size_t Expected::*expected;
};

#if defined(BROADSIDE_HAS_EMBREE)
class EmbreeTree {
public:
    explicit EmbreeTree(const TreeWorld& world)
        : world_(world), device_(rtcNewDevice("threads=1")), scene_(make_scene(world.boxes)) {
        out_.resize(1 << 20);
    }
    EmbreeTree(const EmbreeTree&) = delete;
    EmbreeTree& operator=(const EmbreeTree&) = delete;
    ~EmbreeTree() {
        rtcReleaseScene(scene_);
        rtcReleaseDevice(device_);
    }
    static std::vector<PeerRun<EmbreeTree>> runs() {
        return {{"build", &EmbreeTree::build, nullptr},
                {"overlaps", &EmbreeTree::overlaps, &Expected::overlaps},
                {"ray_closest", &EmbreeTree::ray_closest, &Expected::rays_with_hit},
                {"ray_all", &EmbreeTree::ray_all, &Expected::ray_hits}};
    }

    std::size_t build() {
        rtcReleaseScene(scene_);
        scene_ = make_scene(world_.boxes);
        return 0;
    }
    // rtcCollide takes trees only, so the queries get one; building it is part of the question.
    std::size_t overlaps() {
        RTCScene queries = make_scene(world_.overlaps);
        count_ = 0;
        rtcCollide(queries, scene_, &take_collisions, this);
        rtcReleaseScene(queries);
        return count_;
    }
    std::size_t ray_closest() { return cast_rays(true); }
    std::size_t ray_all() { return cast_rays(false); }

private:
    struct Context {
        RTCIntersectContext context;
        EmbreeTree* self;
        Vec3 inv_direction;
    };

    static void bounds(const RTCBoundsFunctionArguments* arguments) {
        const Aabb& box = static_cast<const Aabb*>(arguments->geometryUserPtr)[arguments->primID];
        *arguments->bounds_o = {box.min.x, box.min.y, box.min.z, 0, box.max.x, box.max.y, box.max.z, 0};
    }
    static void intersect(const RTCIntersectFunctionNArguments* arguments) {
        Context& context = *reinterpret_cast<Context*>(arguments->context);
        EmbreeTree& self = *context.self;
        auto& ray_hit = *reinterpret_cast<RTCRayHit*>(arguments->rayhit);
        RTCRay& ray = ray_hit.ray;
        const float t = entry_t({ray.org_x, ray.org_y, ray.org_z}, context.inv_direction, ray.tfar,
                                self.world_.boxes[arguments->primID]);
        if (t == FLT_MAX) return;
        if (!self.is_closest_) {
            self.out_[self.count_++ % self.out_.size()] = arguments->primID;
            return;
        }
        ray.tfar = t;
        ray_hit.hit.primID = arguments->primID;
        ray_hit.hit.geomID = arguments->geomID;
    }
    static void take_collisions(void* user, RTCCollision* collisions, unsigned count) {
        EmbreeTree& self = *static_cast<EmbreeTree*>(user);
        for (unsigned i = 0; i < count; ++i) {
            if (!overlap(self.world_.overlaps[collisions[i].primID0],
                         self.world_.boxes[collisions[i].primID1])) {
                continue;
            }
            self.out_[self.count_++ % self.out_.size()] = collisions[i].primID1;
        }
    }
    RTCScene make_scene(const std::vector<Aabb>& boxes) {
        RTCScene scene = rtcNewScene(device_);
        RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_USER);
        rtcSetGeometryUserPrimitiveCount(geometry, static_cast<unsigned>(boxes.size()));
        rtcSetGeometryUserData(geometry, const_cast<Aabb*>(boxes.data()));
        rtcSetGeometryBoundsFunction(geometry, &bounds, nullptr);
        rtcSetGeometryIntersectFunction(geometry, &intersect);
        rtcSetGeometryOccludedFunction(geometry, [](const RTCOccludedFunctionNArguments*) {});
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(scene, geometry);
        rtcReleaseGeometry(geometry);
        rtcCommitScene(scene);
        return scene;
    }
    std::size_t cast_rays(bool is_closest) {
        is_closest_ = is_closest;
        count_ = 0;
        std::size_t hit_count = 0;
        for (const Ray& ray : world_.rays) {
            Context context;
            rtcInitIntersectContext(&context.context);
            context.self = this;
            context.inv_direction = inverse(ray.direction);
            RTCRayHit ray_hit = {};
            ray_hit.ray = {ray.origin.x,
                           ray.origin.y,
                           ray.origin.z,
                           0,
                           ray.direction.x,
                           ray.direction.y,
                           ray.direction.z,
                           0,
                           ray.t_max,
                           ~0u,
                           0,
                           0};
            ray_hit.hit.geomID = RTC_INVALID_GEOMETRY_ID;
            ray_hit.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
            rtcIntersect1(scene_, &context.context, &ray_hit);
            hit_count += ray_hit.hit.geomID != RTC_INVALID_GEOMETRY_ID ? 1u : 0u;
        }
        return is_closest ? hit_count : count_;
    }

    const TreeWorld& world_;
    RTCDevice device_;
    RTCScene scene_;
    bool is_closest_ = false;
    std::size_t count_ = 0;
    std::vector<unsigned> out_;
};
#endif

#if defined(BROADSIDE_HAS_BULLET)
// Box by box inserted, then optimised, which is its best form.
class BulletTree {
public:
    explicit BulletTree(const TreeWorld& world) : world_(world), tree_(std::make_unique<btDbvt>()) {
        build();
    }
    static std::vector<PeerRun<BulletTree>> runs() {
        return {{"build", &BulletTree::build, nullptr},
                {"overlaps", &BulletTree::overlaps, &Expected::overlaps},
                {"ray_all", &BulletTree::ray_all, &Expected::ray_hits},
                {"cast_closest", &BulletTree::cast_closest, &Expected::casts_with_hit}};
    }

    std::size_t build() {
        tree_ = std::make_unique<btDbvt>();
        for (std::size_t i = 0; i < world_.boxes.size(); ++i) {
            const Aabb& box = world_.boxes[i];
            tree_->insert(btDbvtVolume::FromMM(vector(box.min), vector(box.max)), reinterpret_cast<void*>(i));
        }
        tree_->optimizeTopDown();
        return 0;
    }
    std::size_t overlaps() {
        Counter counter(world_);
        for (const Aabb& box : world_.overlaps) {
            counter.query = box;
            tree_->collideTV(tree_->m_root, btDbvtVolume::FromMM(vector(box.min), vector(box.max)), counter);
        }
        return counter.count;
    }
    std::size_t ray_all() {
        RayCounter counter(world_);
        for (const Ray& ray : world_.rays) {
            counter.start({}, ray.origin, ray.direction, ray.t_max, false);
            shoot(ray.origin, ray.direction, ray.t_max, {}, counter);
        }
        return counter.count;
    }
    std::size_t cast_closest() {
        RayCounter counter(world_);
        std::size_t found = 0;
        for (const BoxCast& cast : world_.casts) {
            const Vec3 half = half_extent(cast.box);
            const Vec3 middle = center(cast.box);
            counter.start(half, middle, cast.displacement, 1.0f, true);
            shoot(middle, cast.displacement, 1.0f, half, counter);
            found += counter.count != 0 ? 1u : 0u;
            counter.count = 0;
        }
        return found;
    }

private:
    static btVector3 vector(Vec3 v) { return {v.x, v.y, v.z}; }

    struct Counter : btDbvt::ICollide {
        explicit Counter(const TreeWorld& world_in) : world(world_in) {}
        void Process(const btDbvtNode* leaf) override {
            count += overlap(query, world.boxes[reinterpret_cast<std::size_t>(leaf->data)]) ? 1u : 0u;
        }
        const TreeWorld& world;
        Aabb query = {};
        std::size_t count = 0;
    };
    // Boxes grown by the half extent of what moves, which makes a ray of it.
    struct RayCounter : btDbvt::ICollide {
        explicit RayCounter(const TreeWorld& world_in) : world(world_in) {}
        void start(Vec3 half_in, Vec3 origin_in, Vec3 direction, float t_max, bool is_closest_in) {
            half = half_in;
            origin = origin_in;
            inv_direction = inverse(direction);
            limit = t_max;
            is_closest = is_closest_in;
        }
        void Process(const btDbvtNode* leaf) override {
            const Aabb& box = world.boxes[reinterpret_cast<std::size_t>(leaf->data)];
            const float t = entry_t(origin, inv_direction, limit, {box.min - half, box.max + half});
            if (t == FLT_MAX) return;
            ++count;
            if (is_closest) limit = t;
        }
        const TreeWorld& world;
        Vec3 half = {};
        Vec3 origin = {};
        Vec3 inv_direction = {};
        float limit = 0;
        bool is_closest = false;
        std::size_t count = 0;
    };
    void shoot(Vec3 origin, Vec3 direction, float t_max, Vec3 half, RayCounter& counter) {
        const Vec3 inv = inverse(direction);
        unsigned signs[3] = {inv.x < 0, inv.y < 0, inv.z < 0};
        const Vec3 end = origin + direction * t_max;
        tree_->rayTestInternal(tree_->m_root, vector(origin), vector(end), vector(inv), signs, t_max,
                               vector(-half), vector(half), stack_, counter);
    }

    const TreeWorld& world_;
    std::unique_ptr<btDbvt> tree_;
    btAlignedObjectArray<const btDbvtNode*> stack_;
};
#endif

template <class Peer>
[[maybe_unused]] void register_peer(const std::string& peer_name, const std::string& scene,
                                    std::size_t count) {
    for (const PeerRun<Peer>& peer_run : Peer::runs()) {
        const std::string name = "broadphase/box_tree_" + peer_run.question + "/" + scene + "/" +
                                 std::to_string(count) + "/" + peer_name;
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            const TreeWorld world = make_tree_world(scene, count, false);
            Peer peer(world);
            const std::size_t answers = (peer.*peer_run.run)();
            if (peer_run.expected != nullptr) {
                require_same(is_close(answers, Expected(world).*peer_run.expected), name);
            }
            for (auto _ : state) benchmark::DoNotOptimize((peer.*peer_run.run)());
            count_items(state, peer_run.expected != nullptr ? "query" : "box",
                        peer_run.expected != nullptr ? kQueryCount : count);
            state.counters["answers"] = static_cast<double>(answers);
        })->Unit(benchmark::kMicrosecond);
    }
}

void register_rows() {
    for ([[maybe_unused]] const std::string scene : {"uniform", "mixed", "city"}) {
        for ([[maybe_unused]] const std::size_t count : {std::size_t{10000}, std::size_t{100000}}) {
#if defined(BROADSIDE_HAS_EMBREE)
            register_peer<EmbreeTree>("embree", scene, count);
#endif
#if defined(BROADSIDE_HAS_BULLET)
            register_peer<BulletTree>("bullet", scene, count);
#endif
        }
    }
}

const Suite suite(
    "box_tree_peers", &register_rows,
    {"broadphase/box_tree_(build|overlaps|ray_closest|cast_closest)/uniform/(10000|100000)/.*"});

}  // namespace

}  // namespace broadside::bench
