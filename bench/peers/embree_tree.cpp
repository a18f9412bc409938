// Embree's tree (medium build, user geometry) on the queries of bench_box_tree: rtcIntersect1, rtcOccluded1
// and rtcCollide. Its callbacks make the exact test.
#include "bench/peers/tree_peer.hpp"
#include "bench/suites.hpp"

#include <embree3/rtcore.h>

namespace broadside::bench {
namespace {

class EmbreeTree {
public:
    static constexpr const char* kName = "embree";

    explicit EmbreeTree(const QueryScene& world)
        : world_(world), device_(rtcNewDevice("threads=1")), scene_(make_scene(world.boxes)) {
        out_.resize(1 << 20);
    }
    EmbreeTree(const EmbreeTree&) = delete;
    EmbreeTree& operator=(const EmbreeTree&) = delete;
    ~EmbreeTree() {
        rtcReleaseScene(scene_);
        rtcReleaseDevice(device_);
    }
    static std::vector<TreePeerQuestion<EmbreeTree>> questions() {
        return {{"build", &EmbreeTree::build, nullptr},
                {"overlaps", &EmbreeTree::overlaps, &TreeAnswers::overlaps},
                {"ray_closest", &EmbreeTree::ray_closest, &TreeAnswers::rays_with_hit},
                {"ray_any", &EmbreeTree::ray_any, &TreeAnswers::rays_with_hit},
                {"ray_all", &EmbreeTree::ray_all, &TreeAnswers::ray_hits}};
    }

    std::size_t build() {
        rtcReleaseScene(scene_);
        scene_ = make_scene(world_.boxes);
        return 0;
    }
    // rtcCollide takes trees only, so the queries get one; building it is part of the query.
    std::size_t overlaps() {
        RTCScene queries = make_scene(world_.queries.overlaps);
        count_ = 0;
        rtcCollide(queries, scene_, &take_collisions, this);
        rtcReleaseScene(queries);
        return count_;
    }
    std::size_t ray_closest() { return cast_rays(Question::closest); }
    std::size_t ray_any() { return cast_rays(Question::any); }
    std::size_t ray_all() { return cast_rays(Question::all); }

private:
    enum class Question { closest, any, all };
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
        if (self.question_ == Question::all) {
            self.out_[self.count_++ % self.out_.size()] = arguments->primID;
            return;
        }
        ray.tfar = t;
        ray_hit.hit.primID = arguments->primID;
        ray_hit.hit.geomID = arguments->geomID;
    }
    static void occluded(const RTCOccludedFunctionNArguments* arguments) {
        Context& context = *reinterpret_cast<Context*>(arguments->context);
        auto& ray = *reinterpret_cast<RTCRay*>(arguments->ray);
        const float t = entry_t({ray.org_x, ray.org_y, ray.org_z}, context.inv_direction, ray.tfar,
                                context.self->world_.boxes[arguments->primID]);
        // Embree's mark of a hit.
        if (t != FLT_MAX) ray.tfar = -__builtin_inff();
    }
    static void take_collisions(void* user, RTCCollision* collisions, unsigned count) {
        EmbreeTree& self = *static_cast<EmbreeTree*>(user);
        for (unsigned i = 0; i < count; ++i) {
            if (!overlap(self.world_.queries.overlaps[collisions[i].primID0],
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
        rtcSetGeometryOccludedFunction(geometry, &occluded);
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(scene, geometry);
        rtcReleaseGeometry(geometry);
        rtcCommitScene(scene);
        return scene;
    }
    std::size_t cast_rays(Question question) {
        question_ = question;
        count_ = 0;
        std::size_t hit_count = 0;
        for (const Ray& ray : world_.queries.rays) {
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
            if (question == Question::any) {
                rtcOccluded1(scene_, &context.context, &ray_hit.ray);
                hit_count += ray_hit.ray.tfar < 0 ? 1u : 0u;
                continue;
            }
            rtcIntersect1(scene_, &context.context, &ray_hit);
            hit_count += ray_hit.hit.geomID != RTC_INVALID_GEOMETRY_ID ? 1u : 0u;
        }
        return question == Question::all ? count_ : hit_count;
    }

    const QueryScene& world_;
    RTCDevice device_;
    RTCScene scene_;
    Question question_ = Question::closest;
    std::size_t count_ = 0;
    std::vector<unsigned> out_;
};

const Suite suite("embree_tree", &register_tree_peer<EmbreeTree>,
                  {"broadphase/box_tree_(build|overlaps)/uniform/(10000|100000)/embree",
                   "broadphase/box_tree_ray_(closest|any)/(uniform|city|pile)/(10000|100000)/embree"});

}  // namespace
}  // namespace broadside::bench
