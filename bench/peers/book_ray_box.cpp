// The article's loop for a ray and a box (source_rules.md D), compiled like this file: no library is needed.
#include "bench/peers/ray_box_peer.hpp"
#include "bench/suites.hpp"

#include <utility>

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

struct Book {
    static constexpr const char* kName = "book";

    explicit Book(const BoxSoa& source) : boxes(source) {}
    void ask(const Ray& ray, LineVector<float>& out_t) {
        for (std::size_t i = 0; i < boxes.count; ++i) out_t[i] = book_ray_box(ray, boxes[i]);
    }

    BoxSoaView boxes;
};

const Suite suite("book_ray_box", &register_ray_box_peer<Book>, {"narrowphase/ray_boxes/t/1024/book"});

}  // namespace
}  // namespace broadside::bench
