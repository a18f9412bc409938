// TriangleSoa over its nine arrays, and the bounds of triangles.
#include "core/src/argument.hpp"

#include <broadside/float_environment.hpp>
#include <broadside/triangle_mesh.hpp>

namespace broadside {

Status TriangleSoa::resize(std::size_t count) noexcept {
    group_bounds_.clear();
    const std::size_t old_count = arrays_.count();
    if (const Status status = arrays_.resize(count); status != Status::ok) return status;
    for (std::size_t index = old_count; index < count; ++index) set(index, Triangle{});
    return Status::ok;
}

BatchResult TriangleSoa::assign(std::span<const Vec3> positions,
                                std::span<const std::uint32_t> indices) noexcept {
    const FloatEnvironment environment;
    if (!check_readable(positions, indices) ||
        !BROADSIDE_ARGUMENT(indices.size() % 3 == 0, "indices: not three for each triangle"))
        return {Status::invalid_argument};
    for (std::size_t i = 0; i < indices.size(); ++i) {
        if (!BROADSIDE_ARGUMENT(indices[i] < positions.size(), "indices: one is past the last position"))
            return {Status::invalid_argument, i / 3};
    }
    const std::size_t count = indices.size() / 3;
    // Both allocations precede the first change, so that a failure changes only the bounds.
    if (const Status status = group_bounds_.resize(TriangleSoaView::group_count(count)); status != Status::ok)
        return {status};
    group_bounds_.clear();
    if (const Status status = arrays_.resize(count); status != Status::ok) return {status};
    for (std::size_t index = 0; index < arrays_.count(); ++index) {
        set(index, {positions[indices[3 * index]], positions[indices[3 * index + 1]],
                    positions[indices[3 * index + 2]]});
    }
    return {update_group_bounds()};
}

void TriangleSoa::set(std::size_t index, const Triangle& triangle) noexcept {
    BROADSIDE_ASSERT(index < arrays_.count(), "index: at or past the count");
    group_bounds_.clear();
    const float numbers[] = {triangle.a.x, triangle.a.y, triangle.a.z, triangle.b.x, triangle.b.y,
                             triangle.b.z, triangle.c.x, triangle.c.y, triangle.c.z};
    for (std::size_t side = 0; side < 9; ++side) arrays_.array(side)[index] = numbers[side];
}

TriangleSoaView TriangleSoa::view() const noexcept {
    if (arrays_.count() == 0) return {};
    return {arrays_.array(0), arrays_.array(1), arrays_.array(2),    arrays_.array(3),
            arrays_.array(4), arrays_.array(5), arrays_.array(6),    arrays_.array(7),
            arrays_.array(8), arrays_.count(),  group_bounds_.view()};
}

void TriangleSoa::clear() noexcept {
    arrays_.clear();
    group_bounds_.clear();
}

Status TriangleSoa::update_group_bounds() noexcept {
    const FloatEnvironment environment;
    group_bounds_.clear();
    const TriangleSoaView triangles = view();
    const Status status = group_bounds_.resize(TriangleSoaView::group_count(triangles.count));
    if (status != Status::ok) return status;
    for (std::size_t group = 0; group < group_bounds_.count(); ++group) {
        const std::size_t begin = group * kTrianglesPerGroup;
        Aabb box = Aabb::empty();
        for (std::size_t i = begin; i < begin + kTrianglesPerGroup && i < triangles.count; ++i) {
            const Triangle triangle = triangles[i];
            if (is_finite(triangle.a) && is_finite(triangle.b) && is_finite(triangle.c))
                box = include(box, bounds(triangle));
        }
        group_bounds_.set(group, box);
    }
    return Status::ok;
}

Status triangle_bounds(const TriangleSoaView& triangles, BoxSoa& out_bounds) noexcept {
    const FloatEnvironment environment;
    if (!check_readable(triangles)) return Status::invalid_argument;
    if (const Status status = out_bounds.resize(triangles.count); status != Status::ok) return status;
    for (std::size_t index = 0; index < triangles.count; ++index) {
        out_bounds.set(index, bounds(triangles[index]));
    }
    return Status::ok;
}

}  // namespace broadside
