// A query of the C API, from the arguments of a function to its status: checks, conversions, the call and its
// result. `query` puts together what is asked (a Call of the source file), what with (Shapes, Casts, Rays,
// Points), and what is written (BatchOutput, BitOutput, MotionOutput, ListOutputs, ArrayOutput, Visits).
#pragma once

#include "bindings/c/src/convert.hpp"
#include "bindings/c/src/handles.hpp"

#include <span>
#include <type_traits>

namespace broadside::c {

/// Calls `ask` with the items as To, which takes many of them or one, and their number. False if To does not
/// take such items, or not so many.
template <class To, class Ask, class Item, class... Rule>
bool ask_as(const Ask& ask, std::span<const Item> items, const Rule&... rule) {
    if constexpr (std::is_constructible_v<To, std::span<const Item>, const Rule&...>) {
        ask(To(items, rule...), items.size());
        return true;
    } else if constexpr (std::is_constructible_v<To, const Item&, const Rule&...>) {
        if (items.size() != 1) return false;
        ask(To(items[0], rule...), 1);
        return true;
    } else {
        return false;
    }
}

/// Shapes as To. Refused: an unknown kind, null items, and more than an index can count.
template <class To>
struct Shapes {
    const broadside_shapes* given;

    template <class Settings, class Ask>
    bool visit(const Settings&, const Ask& ask) const {
        if (given == nullptr || !is_readable(given->items, given->count) || given->count >= kNoBox)
            return false;
        const auto ask_with = [&]<class Shape>(const Shape* items) {
            return ask_as<To>(ask, std::span(items, given->count));
        };
        switch (given->kind) {
            case BROADSIDE_SHAPE_BOX:
                return ask_with(static_cast<const Aabb*>(given->items));
            case BROADSIDE_SHAPE_POINT:
                return ask_with(static_cast<const Vec3*>(given->items));
            case BROADSIDE_SHAPE_SPHERE:
                return ask_with(static_cast<const Sphere*>(given->items));
            case BROADSIDE_SHAPE_OBB:
                return ask_with(static_cast<const Obb*>(given->items));
            case BROADSIDE_SHAPE_VOLUME: {
                const auto* const volumes = static_cast<const broadside_volume*>(given->items);
                for (std::size_t index = 0; index < given->count; ++index) {
                    if (!is_readable(volumes[index].planes, volumes[index].plane_count)) return false;
                }
                return ask_with(same_layout<ConvexVolume>(volumes));
            }
            case BROADSIDE_SHAPE_CAPSULE:
                return ask_with(static_cast<const Capsule*>(given->items));
            case BROADSIDE_SHAPE_FORCE_32_BITS:
                break;
        }
        return false;
    }
};

/// Casts as To, with the rules for rays and boxes that the settings have.
template <class To>
struct Casts {
    const broadside_casts* given;

    template <class Settings, class Ask>
    bool visit(const Settings& settings, const Ask& ask) const {
        if (given == nullptr || !is_readable(given->items, given->count)) return false;
        const auto ask_with = [&]<class Cast>(const Cast* items, const auto&... rule) {
            return ask_as<To>(ask, std::span(items, given->count), rule...);
        };
        RaySettings of_rays;
        Touch touch = Touch::closed;
        if constexpr (requires { settings.touch; }) {
            if (!is_enumerator(settings.inside, BROADSIDE_INSIDE_NEGATIVE_T) ||
                !is_enumerator(settings.touch, BROADSIDE_TOUCH_OPEN))
                return false;
            of_rays = {.inside = inside_of(settings.inside),
                       .is_conservative = settings.is_conservative != 0};
            touch = enum_of<Touch>(settings.touch);
        }
        switch (given->kind) {
            case BROADSIDE_CAST_RAY:
                return ask_with(static_cast<const Ray*>(given->items), of_rays);
            case BROADSIDE_CAST_BOX:
                return ask_with(static_cast<const BoxCast*>(given->items), touch);
            case BROADSIDE_CAST_SPHERE:
                return ask_with(static_cast<const SphereCast*>(given->items));
            case BROADSIDE_CAST_CAPSULE:
                return ask_with(static_cast<const CapsuleCast*>(given->items));
            case BROADSIDE_CAST_OBB:
                return ask_with(static_cast<const ObbCast*>(given->items));
            case BROADSIDE_CAST_FORCE_32_BITS:
                break;
        }
        return false;
    }
};

/// Rays at triangles as To.
template <class To>
struct Rays {
    const broadside_ray* items;
    std::size_t count;

    template <class Ask>
    bool visit(const broadside_mesh_settings& settings, const Ask& ask) const {
        if (!is_readable(items, count)) return false;
        const Sides sides = settings.do_cull_back_sides != 0 ? Sides::front : Sides::both;
        ask(To(span_of<Ray>(items, count), sides), count);
        return true;
    }
};

struct Points {
    const broadside_vec3* items;
    std::size_t count;

    template <class Settings, class Ask>
    bool visit(const Settings&, const Ask& ask) const {
        if (!is_readable(items, count)) return false;
        ask(span_of<Vec3>(items, count), count);
        return true;
    }
};

/// Some items as To for each query.
template <class To, class From>
struct BatchOutput {
    From* items;
    std::size_t capacity;
    std::size_t items_per_query = 1;

    bool clear() const { return is_readable(items, capacity); }
    template <class Ask>
    broadside_status write(broadside_result* out_result, std::size_t query_count, const Ask& ask) const {
        return finish(out_result, ask(span_of<To>(items, capacity)), query_count * items_per_query);
    }
};
template <class To, class From>
BatchOutput<To, From> batch_output(From* items, std::size_t capacity, std::size_t items_per_query = 1) {
    return {items, capacity, items_per_query};
}

/// A bit for each query.
struct BitOutput {
    std::uint64_t* words;
    std::size_t word_count;

    bool clear() const { return is_readable(words, word_count); }
    template <class Ask>
    broadside_status write(broadside_result* out_result, std::size_t query_count, const Ask& ask) const {
        return finish(out_result, ask(std::span(words, word_count)), bit_word_count(query_count));
    }
};

/// An index for each motion.
struct MotionOutput {
    std::uint32_t* first;
    std::size_t motion_count;

    bool clear() const { return is_readable(first, motion_count); }
    template <class Ask>
    broadside_status write(broadside_result* out_result, std::size_t, const Ask& ask) const {
        return finish(out_result, ask(std::span(first, motion_count)), motion_count);
    }
};

/// A list in the caller's query lists.
template <class Item, class List>
struct ListOutputs {
    broadside_query_lists* lists;
    List broadside_query_lists::*list;
    const Item** out_items;
    std::size_t* out_count;

    bool clear() const { return clear_list(out_items, out_count) && lists != nullptr; }
    template <class Ask>
    broadside_status write(broadside_result* out_result, std::size_t, const Ask& ask) const {
        (lists->*list).clear();
        const broadside_status status = finish(out_result, ask(lists->scratch, lists->*list));
        show_list(lists->*list, out_items, out_count);
        return status;
    }
};
// clang 16 does not find it by itself.
template <class Item, class List>
ListOutputs(broadside_query_lists*, List broadside_query_lists::*, const Item**, std::size_t*) -> ListOutputs<Item, List>;

/// A list as To in an array of the caller, by way of a scratch in its query lists.
template <class To, class From, class Scratch>
struct ArrayOutput {
    broadside_query_lists* lists;
    Scratch broadside_query_lists::*scratch;
    From* items;
    std::size_t capacity;

    bool clear() const { return lists != nullptr && is_readable(items, capacity); }
    template <class Ask>
    broadside_status write(broadside_result* out_result, std::size_t, const Ask& ask) const {
        return finish(out_result, ask(lists->*scratch, span_of<To>(items, capacity)));
    }
};
template <class To, class From, class Scratch>
ArrayOutput<To, From, Scratch> array_output(broadside_query_lists* lists,
                                            Scratch broadside_query_lists::*scratch, From* items,
                                            std::size_t capacity) {
    return {lists, scratch, items, capacity};
}

/// Results go to a visitor.
template <class Visit>
struct VisitorOutput {
    bool has_visitor;
    Visit visit;

    bool clear() const { return has_visitor; }
    template <class Ask>
    broadside_status write(broadside_result*, std::size_t, const Ask& ask) const {
        return c_status(ask(visit));
    }
};
/// `convert` calls the caller's function, which may be null, with one result.
template <class Function, class Visit>
VisitorOutput<Visit> visitor_output(Function* function, const Visit& convert) {
    return {function != nullptr, convert};
}

/// Runs a query. A Call is made of the settings, what is asked and the number of queries; it has the object
/// of the C++ API and its settings for the call, which is `ask` of both, the queries and the outputs.
template <class Call, class Asked, class Settings, class Input, class Output, class Ask>
broadside_status query(Asked* asked, const Settings* settings, const Input& input, const Output& output,
                       broadside_result* out_result, const Ask& ask) {
    Settings given;
    const bool has_output = output.clear();
    if (asked == nullptr || !has_output || !is_writable(out_result) || !read_struct(settings, given))
        return refuse(out_result);
    if constexpr (requires { given.order; }) {
        if (!is_enumerator(given.order, BROADSIDE_ORDER_BY_ALGORITHM)) return refuse(out_result);
    }
    broadside_status status = BROADSIDE_INVALID_ARGUMENT;
    const bool is_asked = input.visit(given, [&](const auto& queries, std::size_t query_count) {
        const Call question(given, *asked, query_count);
        status = output.write(out_result, query_count, [&](auto&&... outputs) {
            return ask(question.object(), queries, question.settings(), outputs...);
        });
    });
    return is_asked ? status : refuse(out_result);
}

// Functions that several objects have, as `ask` of a query.
inline constexpr auto kFindOverlaps = [](const auto& of, auto&&... with) {
    return of.find_overlaps(with...);
};
inline constexpr auto kAnyOverlap = [](const auto& of, auto&&... with) { return of.any_overlap(with...); };
inline constexpr auto kFindHits = [](const auto& of, auto&&... with) { return of.find_hits(with...); };
inline constexpr auto kAnyHit = [](const auto& of, auto&&... with) { return of.any_hit(with...); };
inline constexpr auto kClosestHits = [](const auto& of, auto&&... with) { return of.closest_hits(with...); };
inline constexpr auto kVisitOverlaps = [](const auto& of, auto&&... with) {
    return of.visit_overlaps(with...);
};
inline constexpr auto kVisitHits = [](const auto& of, auto&&... with) { return of.visit_hits(with...); };
inline constexpr auto kClosestPoints = [](const auto& of, auto&&... with) {
    return of.closest_points(with...);
};
inline constexpr auto kContain = [](const auto& of, auto&&... with) { return of.contain(with...); };
inline constexpr auto kSignedDistances = [](const auto& of, auto&&... with) {
    return of.signed_distances(with...);
};
/// `first_overlaps` of bodies of some shapes.
inline auto first_overlaps_of(std::uint32_t shapes_per_state) {
    return [shapes_per_state](const auto& of, const auto& shapes, auto&&... with) {
        return of.first_overlaps(shapes, shapes_per_state, with...);
    };
}

/// The runner of a query of triangles, during the query.
template <class Object>
class MeshCall {
public:
    template <class Asked>
    MeshCall(const broadside_mesh_settings& given, const Asked& asked, std::size_t)
        : object_(object_of(asked)), runner_(given.runner) {}
    MeshCall(const MeshCall&) = delete;
    MeshCall& operator=(const MeshCall&) = delete;

    const Object& object() const { return object_; }
    const TaskRunner* settings() const { return runner_.get(); }

private:
    static const Object& object_of(const broadside_mesh& mesh) { return mesh.mesh; }
    static const Object& object_of(const broadside_scene& scene) { return scene.scene; }

    const Object& object_;
    Runner runner_;
};

}  // namespace broadside::c
