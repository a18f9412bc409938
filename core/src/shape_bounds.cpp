// Bounds of transformed and oriented boxes, and the composition of transforms: arithmetic whose bits must not
// depend on the embedder's compile flags.
#include <broadside/float_environment.hpp>
#include <broadside/obb.hpp>
#include <broadside/transform.hpp>

namespace broadside {
namespace {

// Adds element·[corner_min, corner_max] to the interval [min, max]. A zero element adds nothing, so that
// 0·infinity cannot arise. A NaN element makes both ends NaN and the box invalid.
void add_product(float element, float corner_min, float corner_max, float& state_min, float& state_max) {
    if (element > 0.0f) {
        state_min += element * corner_min;
        state_max += element * corner_max;
    } else if (element != 0.0f) {
        state_min += element * corner_max;
        state_max += element * corner_min;
    }
}

void add_row(Vec3 row, const Aabb& box, float& state_min, float& state_max) {
    add_product(row.x, box.min.x, box.max.x, state_min, state_max);
    add_product(row.y, box.min.y, box.max.y, state_min, state_max);
    add_product(row.z, box.min.z, box.max.z, state_min, state_max);
}

}  // namespace

Transform operator*(const Transform& a_from_b, const Transform& b_from_c) noexcept {
    const FloatEnvironment environment;
    const Vec3 column_x = {b_from_c.row_x.x, b_from_c.row_y.x, b_from_c.row_z.x};
    const Vec3 column_y = {b_from_c.row_x.y, b_from_c.row_y.y, b_from_c.row_z.y};
    const Vec3 column_z = {b_from_c.row_x.z, b_from_c.row_y.z, b_from_c.row_z.z};
    const auto row = [&](Vec3 r) { return Vec3{dot(r, column_x), dot(r, column_y), dot(r, column_z)}; };
    return FloatEnvironment::result(Transform{row(a_from_b.row_x), row(a_from_b.row_y), row(a_from_b.row_z),
                                              transform_point(a_from_b, b_from_c.translation)});
}

Aabb transformed_bounds(const Transform& a_from_b, const Aabb& box_in_b) noexcept {
    const FloatEnvironment environment;
    if (is_empty(box_in_b)) return box_in_b;
    Aabb box = {a_from_b.translation, a_from_b.translation};
    add_row(a_from_b.row_x, box_in_b, box.min.x, box.max.x);
    add_row(a_from_b.row_y, box_in_b, box.min.y, box.max.y);
    add_row(a_from_b.row_z, box_in_b, box.min.z, box.max.z);
    return FloatEnvironment::result(box);
}

Aabb transformed_corner_bounds(const Transform& a_from_b, const Aabb& box_in_b) noexcept {
    const FloatEnvironment environment;
    if (is_empty(box_in_b)) return box_in_b;
    Aabb box = Aabb::empty();
    for (unsigned corner = 0; corner < 8; ++corner) {
        const Vec3 point = {(corner & 1u) != 0 ? box_in_b.max.x : box_in_b.min.x,
                            (corner & 2u) != 0 ? box_in_b.max.y : box_in_b.min.y,
                            (corner & 4u) != 0 ? box_in_b.max.z : box_in_b.min.z};
        box = include(box, transform_point(a_from_b, point));
    }
    return FloatEnvironment::result(box);
}

Aabb bounds(const Obb& obb) noexcept {
    const FloatEnvironment environment;
    const Vec3 reach = absolute(obb.axis_x) * obb.half_extent.x + absolute(obb.axis_y) * obb.half_extent.y +
                       absolute(obb.axis_z) * obb.half_extent.z;
    return FloatEnvironment::result(Aabb{obb.center - reach, obb.center + reach});
}

Obb obb_from_aabb(const Transform& world_from_box, const Aabb& box) noexcept {
    const FloatEnvironment environment;
    const Transform& t = world_from_box;
    return FloatEnvironment::result(Obb{transform_point(t, center(box)),
                                        {t.row_x.x, t.row_y.x, t.row_z.x},
                                        {t.row_x.y, t.row_y.y, t.row_z.y},
                                        {t.row_x.z, t.row_y.z, t.row_z.z},
                                        half_extent(box)});
}

}  // namespace broadside
