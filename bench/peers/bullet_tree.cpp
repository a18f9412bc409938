// Bullet's btDbvt on the queries of bench_box_tree. Its callbacks make the exact test.
#include "bench/peers/tree_peer.hpp"
#include "bench/suites.hpp"

#include <BulletCollision/BroadphaseCollision/btDbvt.h>

#include <memory>

namespace broadside::bench {
namespace {

// Inserted box by box, then optimised, which is its best form.
class BulletTree {
public:
    static constexpr const char* kName = "bullet";

    explicit BulletTree(const QueryScene& world) : world_(world), tree_(std::make_unique<btDbvt>()) {
        build();
    }
    static std::vector<TreePeerQuestion<BulletTree>> questions() {
        return {{"build", &BulletTree::build, nullptr},
                {"overlaps", &BulletTree::overlaps, &TreeAnswers::overlaps},
                {"ray_all", &BulletTree::ray_all, &TreeAnswers::ray_hits},
                {"cast_closest", &BulletTree::cast_closest, &TreeAnswers::casts_with_hit}};
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
        for (const Aabb& box : world_.queries.overlaps) {
            counter.query = box;
            tree_->collideTV(tree_->m_root, btDbvtVolume::FromMM(vector(box.min), vector(box.max)), counter);
        }
        return counter.count;
    }
    std::size_t ray_all() {
        RayCounter counter(world_);
        for (const Ray& ray : world_.queries.rays) {
            counter.start({}, ray.origin, ray.direction, ray.t_max, false);
            shoot(ray.origin, ray.direction, ray.t_max, {}, counter);
        }
        return counter.count;
    }
    std::size_t cast_closest() {
        RayCounter counter(world_);
        std::size_t found = 0;
        for (const BoxCast& cast : world_.queries.casts) {
            const Vec3 half = half_extent(cast.shape);
            const Vec3 middle = center(cast.shape);
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
        explicit Counter(const QueryScene& world_in) : world(world_in) {}
        void Process(const btDbvtNode* leaf) override {
            count += overlap(query, world.boxes[reinterpret_cast<std::size_t>(leaf->data)]) ? 1u : 0u;
        }
        const QueryScene& world;
        Aabb query = {};
        std::size_t count = 0;
    };
    // Boxes grown by the half extents of the mover, whose cast becomes a ray.
    struct RayCounter : btDbvt::ICollide {
        explicit RayCounter(const QueryScene& world_in) : world(world_in) {}
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
        const QueryScene& world;
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

    const QueryScene& world_;
    std::unique_ptr<btDbvt> tree_;
    btAlignedObjectArray<const btDbvtNode*> stack_;
};

const Suite suite("bullet_tree", &register_tree_peer<BulletTree>,
                  {"broadphase/box_tree_(build|overlaps|cast_closest)/uniform/10000/bullet"});

}  // namespace
}  // namespace broadside::bench
