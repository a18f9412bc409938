// Conversions between the structs of C callers and those of the C++ API.
#pragma once

#include "bindings/c/src/structs.hpp"

#include <broadside/bits.hpp>
#include <broadside/box_filter.hpp>
#include <broadside/find_pairs.hpp>
#include <broadside/task_runner.hpp>
#include <broadside/tree_query.hpp>
#include <broadside/triangle_mesh.hpp>

#include <span>
#include <type_traits>

namespace broadside::c {

/// An array of C structs as the C++ structs of the same layout.
template <class To, class From>
auto* same_layout(From* items) {
    using Target = std::conditional_t<std::is_const_v<From>, const To, To>;
    // On 32-bit x86 broadside_object loses its alignment as a template argument.
    constexpr bool kLosesAlignment =
        alignof(std::uint64_t) < sizeof(std::uint64_t) && sizeof(To) == sizeof(broadside_object);
    static_assert(sizeof(To) == sizeof(From) && (kLosesAlignment || alignof(To) == alignof(From)));
    return reinterpret_cast<Target*>(items);
}
template <class To, class From>
To value_of(const From& item) {
    return *same_layout<To>(&item);
}

/// check_array for counts that the C++ API does not see.
template <class Item>
bool is_readable(const Item* items, std::size_t count) {
    using Bytes = std::conditional_t<std::is_void_v<Item>, std::byte, Item>;
    // NOLINTNEXTLINE(bugprone-sizeof-expression): items may be pointers.
    return count == 0 || (items != nullptr && count <= static_cast<std::size_t>(PTRDIFF_MAX) / sizeof(Bytes));
}
template <class To, class From>
auto span_of(From* items, std::size_t count) {
    auto* const same = same_layout<To>(items);
    return std::span(same, items == nullptr ? 0 : count);
}

/// True if the number is an enumerator, of which the last is given.
template <class Enum>
bool is_enumerator(Enum value, Enum last) {
    return static_cast<std::uint32_t>(value) <= static_cast<std::uint32_t>(last);
}
template <class To, class Enum>
To enum_of(Enum value) {
    return static_cast<To>(static_cast<std::underlying_type_t<To>>(value));
}

inline BoxSoaView view_of(const broadside_boxes& boxes) {
    return {boxes.min_x, boxes.min_y, boxes.min_z, boxes.max_x, boxes.max_y, boxes.max_z, boxes.count};
}
inline Vec3SoaView view_of(const broadside_vec3s& vectors) {
    return {vectors.x, vectors.y, vectors.z, vectors.count};
}
inline TriangleSoaView view_of(const broadside_triangles& all) {
    return {all.a_x,
            all.a_y,
            all.a_z,
            all.b_x,
            all.b_y,
            all.b_z,
            all.c_x,
            all.c_y,
            all.c_z,
            all.count,
            view_of(all.group_bounds)};
}

inline broadside_status c_status(Status status) { return static_cast<broadside_status>(status); }

/// Converts a runner. One that breaks the struct's rules becomes one that the library refuses.
class Runner {
public:
    explicit Runner(const broadside_task_runner* given) : is_given_(given != nullptr) {
        const bool is_read = read_struct(given, hooks_);
        runner_ = {.parallel_for = is_read && hooks_.parallel_for != nullptr ? &parallel_for : nullptr,
                   .user = &hooks_,
                   .worker_count = hooks_.worker_count};
    }
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;

    const TaskRunner* get() const { return is_given_ ? &runner_ : nullptr; }

private:
    static void parallel_for(void* user, std::uint32_t task_count, TaskFunction task,
                             void* context) noexcept {
        const broadside_task_runner& hooks = *static_cast<const broadside_task_runner*>(user);
        hooks.parallel_for(hooks.user, task_count, task, context);
    }

    broadside_task_runner hooks_;
    TaskRunner runner_;
    bool is_given_;
};

inline BoxFilter filter_of(const broadside_box_filter& filter, std::size_t box_count) {
    const auto words = [](const auto* items, std::size_t count) {
        return std::span(items, items == nullptr ? 0 : count);
    };
    return {.categories = words(filter.categories, box_count),
            .masks = words(filter.masks, box_count),
            .groups = words(filter.groups, box_count),
            .subset_bits = words(filter.subset_bits, bit_word_count(box_count)),
            // Refused later: ids without a number per box.
            .ids = words(filter.ids, box_count * (filter.ids_per_box == 0 ? 1 : filter.ids_per_box)),
            .ids_per_box = filter.ids_per_box};
}

inline bool has_enumerators(const broadside_find_pairs_settings& settings) {
    return is_enumerator(settings.order, BROADSIDE_ORDER_BY_ALGORITHM) &&
           is_enumerator(settings.algorithm, BROADSIDE_ALGORITHM_CELLS) && settings.sweep_axis <= 3;
}

inline Inside inside_of(broadside_inside inside) {
    return inside == BROADSIDE_INSIDE_MISS         ? Inside::miss
           : inside == BROADSIDE_INSIDE_NEGATIVE_T ? Inside::negative_t
                                                   : Inside::zero;
}

/// Ends a call: writes the result, if wanted, and returns its status. `room` is the size that a batch's
/// output needs; a batch writes all of it or nothing.
inline broadside_status finish(broadside_result* out_result, const BatchResult& answer,
                               std::size_t room = 0) {
    const broadside_status status = c_status(answer.status);
    const bool is_short = answer.status == Status::capacity_exceeded;
    write_struct(out_result, {.size = 0,
                              .status = status,
                              .bad_index = answer.bad_index,
                              .written = answer.status == Status::ok ? room : 0,
                              .required = answer.status == Status::ok || is_short ? room : 0});
    return status;
}
// A list reports its own sizes.
inline broadside_status finish(broadside_result* out_result, const WriteResult& answer, std::size_t = 0) {
    const broadside_status status = c_status(answer.status);
    write_struct(out_result, {.size = 0,
                              .status = status,
                              .bad_index = BROADSIDE_NO_INDEX,
                              .written = answer.written,
                              .required = answer.required});
    return status;
}
inline broadside_status refuse(broadside_result* out_result) {
    if (!is_writable(out_result)) return BROADSIDE_INVALID_ARGUMENT;
    return finish(out_result, BatchResult{Status::invalid_argument, kNoIndex});
}

/// Empties a list, in case the call fails before it fills it. False if the caller passes no list.
template <class Item>
bool clear_list(const Item** out_items, std::size_t* out_count) {
    if (out_items != nullptr) *out_items = nullptr;
    if (out_count != nullptr) *out_count = 0;
    return out_items != nullptr && out_count != nullptr;
}
template <class Item, class List>
void show_list(const List& list, const Item** out_items, std::size_t* out_count) {
    *out_items = same_layout<Item>(list.data());
    *out_count = list.size();
}

static_assert(sizeof(Vec3) == sizeof(broadside_vec3) && sizeof(Aabb) == sizeof(broadside_aabb));
static_assert(sizeof(Sphere) == sizeof(broadside_sphere) && sizeof(Obb) == sizeof(broadside_obb));
static_assert(sizeof(Ray) == sizeof(broadside_ray) && sizeof(BoxCast) == sizeof(broadside_box_cast));
static_assert(sizeof(SphereCast) == sizeof(broadside_sphere_cast));
static_assert(sizeof(Capsule) == sizeof(broadside_capsule) &&
              sizeof(CapsuleCast) == sizeof(broadside_capsule_cast) &&
              sizeof(ObbCast) == sizeof(broadside_obb_cast));
static_assert(offsetof(Listed<TreeHit>, found.target) == offsetof(broadside_hit, box) &&
              offsetof(Listed<TreeHit>, found.face) == offsetof(broadside_hit, face));
static_assert(offsetof(TreeHit, target) == offsetof(broadside_closest_hit, box) &&
              offsetof(TreeHit, face) == offsetof(broadside_closest_hit, face));
static_assert(offsetof(ClosestBox, target) == offsetof(broadside_closest_box, box));
static_assert(static_cast<int>(Status::stopped) == BROADSIDE_STOPPED);
static_assert(offsetof(ClosePair, target) == offsetof(broadside_close_pair, pair));
static_assert(static_cast<int>(PairOrder::by_algorithm) == BROADSIDE_ORDER_BY_ALGORITHM);
static_assert(static_cast<int>(SweepAxis::z) == 3 && static_cast<int>(Touch::open) == BROADSIDE_TOUCH_OPEN);
static_assert(static_cast<int>(Face::none) == BROADSIDE_FACE_NONE);

}  // namespace broadside::c
