// Refused arguments: the macro that tells the assert handler why, and the checks that calls of several rooms
// share.
#pragma once

#include <broadside/assert.hpp>
#include <broadside/box_view.hpp>
#include <broadside/exact_box_view.hpp>
#include <broadside/impact.hpp>
#include <broadside/ray_hit.hpp>
#include <broadside/task_runner.hpp>
#include <broadside/triangle_mesh.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

/// The value of the condition. In builds with asserts, a false one is first reported as a refused argument.
/// In others this is the condition alone, and the binary contains no text. Every cause has a message of its
/// own, "argument: the rule", so one condition never joins several causes.
#if defined(BROADSIDE_ENABLE_ASSERTS) && BROADSIDE_ENABLE_ASSERTS
#define BROADSIDE_ARGUMENT(condition, message)                                                    \
    ((condition) || (::broadside::report_assert_failure(                                          \
                         ::broadside::AssertInfo{#condition, message, __FILE__, __LINE__, true}), \
                     false))
#else
#define BROADSIDE_ARGUMENT(condition, message) static_cast<bool>(condition)
#endif

namespace broadside {

// Checks that calls of several rooms share.

inline bool check_runner(const TaskRunner* runner) noexcept {
    return BROADSIDE_ARGUMENT(is_valid_runner(runner), "runner: parallel_for is null");
}
/// No array has more bytes than a pointer difference can count. So a count of -1, made unsigned, is refused
/// before anything of its length is touched.
inline bool check_count(std::size_t count, std::size_t item_bytes) noexcept {
    return BROADSIDE_ARGUMENT(count <= static_cast<std::size_t>(PTRDIFF_MAX) / item_bytes,
                              "span: longer than any array");
}
/// Checks an array of `count` items, read or written.
inline bool check_array(const void* items, std::size_t count, std::size_t item_bytes) noexcept {
    return BROADSIDE_ARGUMENT(items != nullptr || count == 0, "span: null though the count is not 0") &&
           check_count(count, item_bytes);
}
/// Checks all arrays.
template <class... Item>
bool check_readable(std::span<Item>... spans) noexcept {
    // NOLINTNEXTLINE(bugprone-sizeof-expression): Item may be a pointer.
    return (... && check_array(spans.data(), spans.size(), sizeof(Item)));
}
inline bool check_readable(const BoxSoaView& boxes) noexcept {
    return BROADSIDE_ARGUMENT(boxes.is_readable(), "boxes: a column is null though the count is not 0") &&
           check_count(boxes.count, sizeof(float));
}
inline bool check_readable(const BoxAosView& boxes) noexcept {
    return BROADSIDE_ARGUMENT(boxes.count == 0 || boxes.data != nullptr,
                              "boxes: data is null though the count is not 0");
}
inline bool check_readable(const Vec3SoaView& displacements) noexcept {
    return BROADSIDE_ARGUMENT(displacements.is_readable(),
                              "displacements: a column is null though the count is not 0") &&
           check_count(displacements.count, sizeof(float));
}
inline bool check_readable(const TriangleSoaView& triangles) noexcept {
    const std::size_t group_count = triangles.group_bounds.count;
    return BROADSIDE_ARGUMENT(triangles.group_bounds.is_readable(),
                              "triangles: a column of group_bounds is null though their count is not 0") &&
           BROADSIDE_ARGUMENT(group_count == 0 || group_count == triangles.group_count(triangles.count),
                              "triangles: group_bounds are neither none nor one per group") &&
           BROADSIDE_ARGUMENT(triangles.is_readable(),
                              "triangles: a column is null though the count is not 0") &&
           check_count(triangles.count, sizeof(float));
}
template <class Number>
bool check_readable(const ExactBoxView<Number>& boxes) noexcept {
    return BROADSIDE_ARGUMENT(boxes.axis_count == 2 || boxes.axis_count == 3,
                              "axis_count: neither 2 nor 3") &&
           BROADSIDE_ARGUMENT(boxes.stride != 0, "stride: zero") &&
           BROADSIDE_ARGUMENT(boxes.is_readable(), "boxes: a side is null though the count is not 0");
}
inline bool check_inside(Inside inside) noexcept {
    return BROADSIDE_ARGUMENT(inside <= Inside::zero, "inside: no enumerator");
}
inline bool check_touch(Touch touch) noexcept {
    return BROADSIDE_ARGUMENT(touch <= Touch::open, "touch: no enumerator");
}

}  // namespace broadside
