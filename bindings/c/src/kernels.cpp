// Single queries and batches of the narrowphase.
#include "bindings/c/src/convert.hpp"
#include "bindings/c/src/handles.hpp"

#include <broadside/mesh_query.hpp>
#include <broadside/moving_aabb.hpp>
#include <broadside/obb_obb.hpp>
#include <broadside/obb_triangle.hpp>
#include <broadside/overlap.hpp>
#include <broadside/ray_box.hpp>
#include <broadside/ray_triangle.hpp>

using namespace broadside;
using namespace broadside::c;

namespace {

// The result of a batch, and the size that its outputs need.
struct Answer {
    BatchResult result;
    std::size_t room;
};

// The shared part of every batch; `ask` does the rest.
template <class Ask>
broadside_status batch(bool can_read, broadside_result* out_result, const Ask& ask) {
    if (!can_read || !is_writable(out_result)) return refuse(out_result);
    const Answer answer = ask();
    return finish(out_result, answer.result, answer.room);
}
template <class... Pointer>
bool all_given(const Pointer*... pointers) {
    return (... && (pointers != nullptr));
}
std::span<std::uint64_t> bits(std::uint64_t* words, std::size_t word_count) {
    return std::span(words, words == nullptr ? 0 : word_count);
}
template <class Enum>
std::span<Enum> bytes(std::uint8_t* items, std::size_t count) {
    return span_of<Enum>(items, count);
}
std::span<const IndexPair> pairs_of(const broadside_pair* pairs, std::size_t count) {
    return span_of<IndexPair>(pairs, count);
}
MovingBoxes moving_boxes(const broadside_moving_boxes& boxes) {
    return {.shapes = view_of(boxes.boxes), .displacements = view_of(boxes.displacements)};
}
bool read_ray_settings(const broadside_ray_settings* settings, RaySettings& out_settings) {
    broadside_ray_settings given;
    if (!read_struct(settings, given) || !is_enumerator(given.inside, BROADSIDE_INSIDE_NEGATIVE_T))
        return false;
    out_settings = {.inside = inside_of(given.inside), .is_conservative = given.is_conservative != 0};
    return true;
}
// The C++ API takes an empty output as not wanted. Here null is not wanted, and 0 is too small.
template <class Ask>
Answer ask_with_room(const RayOutputs& outputs, std::size_t capacity, std::size_t room, const Ask& ask) {
    const bool is_wanted = outputs.t_enter.data() != nullptr || outputs.t_exit.data() != nullptr ||
                           outputs.face.data() != nullptr || outputs.hit_bits.data() != nullptr;
    if (!is_wanted || capacity >= room) return {ask(outputs), room};
    const BatchResult without_outputs = ask({});
    const bool is_legal = without_outputs.status == Status::ok;
    return {is_legal ? BatchResult{Status::capacity_exceeded} : without_outputs, room};
}
RayOutputs ray_outputs(float* t_enter, float* t_exit, std::uint8_t* faces, std::uint64_t* hit_bits,
                       std::size_t capacity) {
    return {.t_enter = span_of<float>(t_enter, capacity),
            .t_exit = span_of<float>(t_exit, capacity),
            .face = bytes<Face>(faces, capacity),
            .hit_bits = bits(hit_bits, bit_word_count(capacity))};
}

static_assert(static_cast<int>(ContactAxis::initial) == BROADSIDE_AXIS_INITIAL &&
              static_cast<int>(ContactAxis::none) == BROADSIDE_AXIS_NONE &&
              static_cast<int>(ContactAxis::z_ca) == BROADSIDE_AXIS_Z_CA);

}  // namespace

uint32_t broadside_overlap(const broadside_aabb* a, const broadside_aabb* b) {
    return all_given(a, b) && overlap(value_of<Aabb>(*a), value_of<Aabb>(*b)) ? 1 : 0;
}
broadside_status broadside_box_overlaps(const broadside_aabb* box, const broadside_boxes* boxes,
                                        uint64_t* out_bits, size_t word_count, broadside_result* out_result) {
    return batch(all_given(box, boxes) && is_readable(out_bits, word_count), out_result, [&] {
        return Answer{overlaps(value_of<Aabb>(*box), view_of(*boxes), bits(out_bits, word_count)),
                      bit_word_count(boxes->count)};
    });
}
broadside_status broadside_pair_overlaps(const broadside_boxes* a, const broadside_boxes* b,
                                         const broadside_pair* pairs, size_t pair_count, uint64_t* out_bits,
                                         size_t word_count, broadside_result* out_result) {
    const bool can_read =
        all_given(a, b) && is_readable(pairs, pair_count) && is_readable(out_bits, word_count);
    return batch(can_read, out_result, [&] {
        return Answer{
            overlaps(view_of(*a), view_of(*b), pairs_of(pairs, pair_count), bits(out_bits, word_count)),
            bit_word_count(pair_count)};
    });
}

float broadside_time_of_impact(const broadside_aabb* stationary, const broadside_aabb* moving,
                               const broadside_vec3* displacement, broadside_touch touch,
                               broadside_face* out_face) {
    Impact impact;
    if (all_given(stationary, moving, displacement) && is_enumerator(touch, BROADSIDE_TOUCH_OPEN))
        impact = first_impact(value_of<Aabb>(*stationary), value_of<Aabb>(*moving),
                              value_of<Vec3>(*displacement), enum_of<Touch>(touch));
    if (out_face != nullptr) *out_face = static_cast<broadside_face>(impact.face);
    return impact.toi;
}
broadside_status broadside_times_of_impact(const broadside_moving_boxes* a, const broadside_moving_boxes* b,
                                           broadside_touch touch, float* out_toi, uint8_t* out_faces,
                                           size_t capacity, broadside_result* out_result) {
    const bool can_read =
        all_given(a, b) && is_enumerator(touch, BROADSIDE_TOUCH_OPEN) && is_readable(out_toi, capacity);
    return batch(can_read, out_result, [&] {
        return Answer{times_of_impact(moving_boxes(*a), moving_boxes(*b), enum_of<Touch>(touch),
                                      std::span(out_toi, capacity), bytes<Face>(out_faces, capacity)),
                      a->boxes.count};
    });
}
broadside_status broadside_mover_times_of_impact(const broadside_aabb* mover,
                                                 const broadside_vec3* displacement,
                                                 const broadside_boxes* resting, broadside_touch touch,
                                                 float* out_toi, uint8_t* out_faces, size_t capacity,
                                                 broadside_result* out_result) {
    const bool can_read = all_given(mover, displacement, resting) &&
                          is_enumerator(touch, BROADSIDE_TOUCH_OPEN) && is_readable(out_toi, capacity);
    return batch(can_read, out_result, [&] {
        return Answer{times_of_impact(value_of<Aabb>(*mover), value_of<Vec3>(*displacement),
                                      view_of(*resting), enum_of<Touch>(touch), std::span(out_toi, capacity),
                                      bytes<Face>(out_faces, capacity)),
                      resting->count};
    });
}
broadside_status broadside_pair_times_of_impact(const broadside_moving_boxes* a,
                                                const broadside_moving_boxes* b, const broadside_pair* pairs,
                                                size_t pair_count, broadside_touch touch, float* out_toi,
                                                uint8_t* out_faces, size_t capacity,
                                                broadside_result* out_result) {
    const bool can_read = all_given(a, b) && is_enumerator(touch, BROADSIDE_TOUCH_OPEN) &&
                          is_readable(pairs, pair_count) && is_readable(out_toi, capacity);
    return batch(can_read, out_result, [&] {
        return Answer{times_of_impact(moving_boxes(*a), moving_boxes(*b), pairs_of(pairs, pair_count),
                                      enum_of<Touch>(touch), std::span(out_toi, capacity),
                                      bytes<Face>(out_faces, capacity)),
                      pair_count};
    });
}

broadside_ray_box_hit broadside_ray_box(const broadside_ray* ray, const broadside_aabb* box,
                                        const broadside_ray_settings* settings) {
    RaySettings with;
    RaySolidHit hit;
    if (all_given(ray, box) && read_ray_settings(settings, with))
        hit = ray_box(value_of<Ray>(*ray), value_of<Aabb>(*box), with);
    return {.t_enter = hit.t_enter,
            .t_exit = hit.t_exit,
            .has_hit = hit.has_hit ? 1u : 0u,
            .face = static_cast<broadside_face>(hit.face)};
}
broadside_status broadside_ray_boxes(const broadside_ray* ray, const broadside_boxes* boxes,
                                     const broadside_ray_settings* settings, float* out_t_enter,
                                     float* out_t_exit, uint8_t* out_faces, uint64_t* out_bits,
                                     size_t capacity, broadside_result* out_result) {
    RaySettings with;
    return batch(all_given(ray, boxes) && read_ray_settings(settings, with), out_result, [&] {
        const RayOutputs outputs = ray_outputs(out_t_enter, out_t_exit, out_faces, out_bits, capacity);
        return ask_with_room(outputs, capacity, boxes->count, [&](const RayOutputs& into) {
            return ray_boxes(value_of<Ray>(*ray), view_of(*boxes), with, into);
        });
    });
}
broadside_status broadside_pair_ray_boxes(const broadside_ray* rays, size_t ray_count,
                                          const broadside_boxes* boxes, const broadside_pair* pairs,
                                          size_t pair_count, const broadside_ray_settings* settings,
                                          float* out_t_enter, float* out_t_exit, uint8_t* out_faces,
                                          uint64_t* out_bits, size_t capacity, broadside_result* out_result) {
    RaySettings with;
    const bool can_read = boxes != nullptr && is_readable(rays, ray_count) &&
                          is_readable(pairs, pair_count) && read_ray_settings(settings, with);
    return batch(can_read, out_result, [&] {
        const RayOutputs outputs = ray_outputs(out_t_enter, out_t_exit, out_faces, out_bits, capacity);
        return ask_with_room(outputs, capacity, pair_count, [&](const RayOutputs& into) {
            return ray_boxes(span_of<Ray>(rays, ray_count), view_of(*boxes), pairs_of(pairs, pair_count),
                             with, into);
        });
    });
}
broadside_status broadside_ray_closest_hits(const broadside_ray* rays, size_t ray_count,
                                            const broadside_boxes* boxes,
                                            const broadside_ray_settings* settings,
                                            broadside_closest_hit* out_closest, size_t capacity,
                                            broadside_result* out_result) {
    RaySettings with;
    const bool can_read = boxes != nullptr && is_readable(rays, ray_count) &&
                          is_readable(out_closest, capacity) && read_ray_settings(settings, with);
    return batch(can_read, out_result, [&] {
        return Answer{closest_hits(span_of<Ray>(rays, ray_count), view_of(*boxes), with,
                                   span_of<TreeHit>(out_closest, capacity)),
                      ray_count};
    });
}

uint32_t broadside_obb_triangle_overlap(const broadside_obb* obb, const broadside_triangle* triangle) {
    return all_given(obb, triangle) && overlap(value_of<Obb>(*obb), value_of<Triangle>(*triangle)) ? 1 : 0;
}
uint32_t broadside_obb_obb_overlap(const broadside_obb* a, const broadside_obb* b) {
    return all_given(a, b) && overlap(value_of<Obb>(*a), value_of<Obb>(*b)) ? 1 : 0;
}
float broadside_obb_triangle_time_of_impact(const broadside_obb* obb, const broadside_vec3* obb_displacement,
                                            const broadside_triangle* triangle,
                                            const broadside_vec3* triangle_displacement,
                                            broadside_contact_axis* out_axis) {
    TriangleImpact impact;
    if (all_given(obb, obb_displacement, triangle, triangle_displacement))
        impact = first_impact(value_of<Obb>(*obb), value_of<Vec3>(*obb_displacement),
                              value_of<Triangle>(*triangle), value_of<Vec3>(*triangle_displacement));
    if (out_axis != nullptr) *out_axis = static_cast<broadside_contact_axis>(impact.axis);
    return impact.toi;
}
broadside_status broadside_obb_triangle_overlaps(const broadside_obb* obb,
                                                 const broadside_triangles* triangles, uint64_t* out_bits,
                                                 size_t word_count, broadside_result* out_result) {
    return batch(all_given(obb, triangles) && is_readable(out_bits, word_count), out_result, [&] {
        return Answer{overlaps(value_of<Obb>(*obb), view_of(*triangles), bits(out_bits, word_count)),
                      bit_word_count(triangles->count)};
    });
}
broadside_status broadside_obb_triangle_times_of_impact(const broadside_obb* obb,
                                                        const broadside_vec3* obb_displacement,
                                                        const broadside_triangles* triangles,
                                                        const broadside_vec3* triangle_displacement,
                                                        float* out_toi, uint8_t* out_axes, size_t capacity,
                                                        broadside_result* out_result) {
    const bool can_read = all_given(obb, obb_displacement, triangle_displacement) && triangles != nullptr &&
                          is_readable(out_toi, capacity);
    return batch(can_read, out_result, [&] {
        return Answer{times_of_impact(value_of<Obb>(*obb), value_of<Vec3>(*obb_displacement),
                                      view_of(*triangles), value_of<Vec3>(*triangle_displacement),
                                      std::span(out_toi, capacity), bytes<ContactAxis>(out_axes, capacity)),
                      triangles->count};
    });
}
broadside_status broadside_pair_obb_triangle_overlaps(const broadside_obb* obbs, size_t obb_count,
                                                      const broadside_triangle* triangles,
                                                      size_t triangle_count, const broadside_pair* pairs,
                                                      size_t pair_count, uint64_t* out_bits,
                                                      size_t word_count, broadside_result* out_result) {
    const bool can_read = is_readable(obbs, obb_count) && is_readable(triangles, triangle_count) &&
                          is_readable(pairs, pair_count) && is_readable(out_bits, word_count);
    return batch(can_read, out_result, [&] {
        return Answer{overlaps(span_of<Obb>(obbs, obb_count), span_of<Triangle>(triangles, triangle_count),
                               pairs_of(pairs, pair_count), bits(out_bits, word_count)),
                      bit_word_count(pair_count)};
    });
}
broadside_status broadside_pair_obb_triangle_times_of_impact(
    const broadside_obb* obbs, const broadside_vec3* obb_displacements, size_t obb_count,
    const broadside_triangle* triangles, size_t triangle_count, const broadside_vec3* triangle_displacement,
    const broadside_pair* pairs, size_t pair_count, float* out_toi, uint8_t* out_axes, size_t capacity,
    broadside_result* out_result) {
    const bool can_read = is_readable(obbs, obb_count) && is_readable(triangles, triangle_count) &&
                          is_readable(pairs, pair_count) && is_readable(out_toi, capacity) &&
                          triangle_displacement != nullptr;
    return batch(can_read, out_result, [&] {
        return Answer{
            times_of_impact(span_of<Obb>(obbs, obb_count), span_of<Vec3>(obb_displacements, obb_count),
                            span_of<Triangle>(triangles, triangle_count),
                            value_of<Vec3>(*triangle_displacement), pairs_of(pairs, pair_count),
                            std::span(out_toi, capacity), bytes<ContactAxis>(out_axes, capacity)),
            pair_count};
    });
}
broadside_status broadside_pair_obb_overlaps(const broadside_obb* a, size_t a_count, const broadside_obb* b,
                                             size_t b_count, const broadside_pair* pairs, size_t pair_count,
                                             uint64_t* out_bits, size_t word_count,
                                             broadside_result* out_result) {
    const bool can_read = is_readable(a, a_count) && is_readable(b, b_count) &&
                          is_readable(pairs, pair_count) && is_readable(out_bits, word_count);
    return batch(can_read, out_result, [&] {
        return Answer{overlaps(span_of<Obb>(a, a_count), span_of<Obb>(b, b_count),
                               pairs_of(pairs, pair_count), bits(out_bits, word_count)),
                      bit_word_count(pair_count)};
    });
}

broadside_mesh_hit broadside_ray_triangle(const broadside_ray* ray, const broadside_triangle* triangle,
                                          uint32_t do_cull_back_side) {
    RayTriangleHit hit;
    if (all_given(ray, triangle))
        hit = ray_triangle(value_of<Ray>(*ray), value_of<Triangle>(*triangle),
                           do_cull_back_side != 0 ? Sides::front : Sides::both);
    return {.t = hit.t, .u = hit.u, .v = hit.v, .triangle = hit.has_hit ? 0 : kNoTriangle};
}
broadside_status broadside_triangle_bounds(const broadside_triangles* triangles,
                                           broadside_box_array* out_bounds) {
    if (triangles == nullptr || out_bounds == nullptr) return BROADSIDE_INVALID_ARGUMENT;
    return c_status(triangle_bounds(view_of(*triangles), out_bounds->boxes));
}
