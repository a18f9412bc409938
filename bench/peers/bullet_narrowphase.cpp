// Bullet, one pair at a time: its two tests of a ray and a box, and triangle against box of its Gimpact part.
#include "bench/peers/obb_peer.hpp"
#include "bench/peers/ray_box_peer.hpp"
#include "bench/suites.hpp"

#include <BulletCollision/Gimpact/btBoxCollision.h>
#include <LinearMath/btAabbUtil2.h>

namespace broadside::bench {
namespace {

struct BulletBoxes {
    explicit BulletBoxes(const BoxSoa& source) {
        for (std::size_t i = 0; i < source.count(); ++i) {
            const Aabb box = source[i];
            corners.push_back({box.min.x, box.min.y, box.min.z});
            corners.push_back({box.max.x, box.max.y, box.max.z});
        }
    }
    static btVector3 vector(Vec3 a) { return {a.x, a.y, a.z}; }

    LineVector<btVector3> corners;
};
struct BulletRayAabb : BulletBoxes {
    static constexpr const char* kName = "bullet_ray_aabb";
    using BulletBoxes::BulletBoxes;

    void ask(const Ray& ray, LineVector<float>& out_t) {
        const btVector3 from = vector(ray.origin);
        // A segment of sixteen directions leaves every box of the scene.
        const btVector3 to = vector(ray.origin + ray.direction * 16.0f);
        for (std::size_t i = 0; i < out_t.size(); ++i) {
            btScalar fraction = 1;
            btVector3 normal;
            const bool has_hit = btRayAabb(from, to, corners[2 * i], corners[2 * i + 1], fraction, normal);
            out_t[i] = has_hit ? fraction * 16.0f : kNoIntersection;
        }
    }
};
struct BulletRayAabb2 : BulletBoxes {
    static constexpr const char* kName = "bullet_ray_aabb2";
    using BulletBoxes::BulletBoxes;

    void ask(const Ray& ray, LineVector<float>& out_t) {
        const auto inverse = [](float a) { return a == 0.0f ? btScalar(BT_LARGE_FLOAT) : 1.0f / a; };
        const btVector3 inv = {inverse(ray.direction.x), inverse(ray.direction.y), inverse(ray.direction.z)};
        const unsigned signs[3] = {inv.x() < 0.0f, inv.y() < 0.0f, inv.z() < 0.0f};
        const btVector3 from = vector(ray.origin);
        for (std::size_t i = 0; i < out_t.size(); ++i) {
            btScalar t = 0;
            const bool has_hit = btRayAabb2(from, inv, signs, &corners[2 * i], t, 0, 16);
            out_t[i] = has_hit ? t : kNoIntersection;
        }
    }
};

// It leaves the three faces of the box to a test of boxes before it, and needs the triangle in the frame of
// the box and its plane.
struct BulletObb {
    static constexpr const char* kName = "bullet";

    explicit BulletObb(const Obb& obb) : obb_(obb) {
        const btVector3 h(obb.half_extent.x, obb.half_extent.y, obb.half_extent.z);
        box_.m_min = -h;
        box_.m_max = h;
    }
    bool overlaps(const Triangle& triangle) const {
        const btVector3 a = in_box(triangle.a);
        const btVector3 b = in_box(triangle.b);
        const btVector3 c = in_box(triangle.c);
        if (!box_.has_collision(btAABB(a, b, c))) return false;
        const btVector3 normal = (b - a).cross(c - a);
        return box_.collide_triangle_exact(a, b, c,
                                           btVector4(normal.x(), normal.y(), normal.z(), normal.dot(a)));
    }

private:
    btVector3 in_box(Vec3 point) const {
        const Vec3 p = vector_in_box(obb_, point - obb_.center);
        return {p.x, p.y, p.z};
    }
    Obb obb_;
    btAABB box_;
};

void register_rows() {
    register_ray_box_peer<BulletRayAabb>();
    register_ray_box_peer<BulletRayAabb2>();
    register_obb_peer<BulletObb>("obb_triangles", &ObbPeerScene::triangles);
}

const Suite suite("bullet_narrowphase", &register_rows,
                  {"narrowphase/obb_triangles/static/1000000/bullet",
                   "narrowphase/ray_boxes/t/1024/bullet_.*"});

}  // namespace
}  // namespace broadside::bench
