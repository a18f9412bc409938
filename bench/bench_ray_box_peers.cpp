// One ray against many boxes as others do it, for ratios within one run: the article's loop (rules.md D)
// compiled like this file, and Bullet's two functions where the machine has its headers. Embree's box tests
// are inside its traversal and cannot be called.
#include "bench/ray_box_scene.hpp"
#include "bench/suites.hpp"

#include <cstdlib>
#include <utility>

#if defined(BROADSIDE_HAS_BULLET)
#include <LinearMath/btAabbUtil2.h>
#endif

namespace broadside::bench {
namespace {

bool book_axis(float min, float max, float start, float direction, float& near, float& far) {
    if (direction == 0.0f) return min <= start && start <= max;
    float t1 = (min - start) / direction;
    float t2 = (max - start) / direction;
    if (t1 > t2) std::swap(t1, t2);
    if (t1 > near) near = t1;
    if (t2 < far) far = t2;
    return true;
}
float book_ray_box(const Ray& ray, const Aabb& box) {
    float near = -FLT_MAX;
    float far = FLT_MAX;
    const bool is_within = book_axis(box.min.x, box.max.x, ray.origin.x, ray.direction.x, near, far) &&
                           book_axis(box.min.y, box.max.y, ray.origin.y, ray.direction.y, near, far) &&
                           book_axis(box.min.z, box.max.z, ray.origin.z, ray.direction.z, near, far);
    return is_within && far >= 0.0f && far >= near ? near : kNoIntersection;
}

// Each peer is made from the boxes once, and asked with one ray after another.
struct Book {
    static constexpr const char* kName = "book";

    explicit Book(const BoxSoa& source) : boxes(source) {}
    void ask(const Ray& ray, LineVector<float>& out_t) {
        for (std::size_t i = 0; i < boxes.count; ++i) out_t[i] = book_ray_box(ray, boxes[i]);
    }

    BoxSoaView boxes;
};

#if defined(BROADSIDE_HAS_BULLET)
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
#endif

// Peers differ in the last bits and on rays that graze, so all but one hit in a thousand must be the same.
template <class Peer>
bool finds_our_hits(Peer& peer, const RayBoxScene& scene) {
    const std::size_t count = scene.boxes.count();
    LineVector<float> t(count);
    LineVector<std::uint64_t> bits(bit_word_count(count));
    std::size_t difference_count = 0;
    for (std::size_t r = 0; r < 8; ++r) {
        peer.ask(scene.rays[r], t);
        ray_boxes(scene.rays[r], scene.boxes, {}, {.hit_bits = bits});
        for (std::size_t i = 0; i < count; ++i) {
            const bool is_ours = (bits[i / 64] >> (i % 64) & 1) != 0;
            difference_count += is_ours != (t[i] != kNoIntersection) ? 1 : 0;
        }
    }
    return difference_count * 1000 <= 8 * count;
}

template <class Peer>
void register_peer(std::size_t count) {
    const std::string name = "narrowphase/ray_boxes/t/" + std::to_string(count) + "/" + Peer::kName;
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
        const auto scene = make_ray_box_scene(count);
        Peer peer(scene->boxes);
        require_same(finds_our_hits(peer, *scene), name);
        LineVector<float> out_t(count);
        std::size_t turn = 0;
        for (auto _ : state) {
            peer.ask(scene->rays[turn++ % kRayCount], out_t);
            benchmark::DoNotOptimize(out_t.data());
            benchmark::ClobberMemory();
        }
        count_items(state, "test", count);
    });
}

void register_rows() {
    for (const std::size_t count : {std::size_t{1024}, std::size_t{1000000}}) {
        register_peer<Book>(count);
#if defined(BROADSIDE_HAS_BULLET)
        register_peer<BulletRayAabb>(count);
        register_peer<BulletRayAabb2>(count);
#endif
    }
}

const Suite suite("ray_box_peers", &register_rows, {"narrowphase/ray_boxes/t/1024/.*"});

}  // namespace

}  // namespace broadside::bench
