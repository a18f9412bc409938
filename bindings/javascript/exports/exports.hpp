// Shared by the exports of the WebAssembly module: flat functions over the C++ API that take numbers and addresses of
// its memory. src/ wraps them in objects. Nothing is decided here; the C++ functions document the calls. The C API is
// not in between, because its settings take zero for a default, and here zero is a value: a mask of no category.
#pragma once

#include <broadside/broadside.hpp>

#include <cstdint>
#include <span>
#include <type_traits>

// Exports a function to JavaScript by its name.
#define BROADSIDE_EXPORT(name) extern "C" __attribute__((export_name(#name), used))

namespace broadside::javascript {

// Columns of boxes are consecutive: min x, y, z, then max x, y, z, each with space for `capacity`.
inline BoxSoaView boxes_at(const float* columns, std::size_t capacity, std::size_t count) {
    return {columns,
            columns + capacity,
            columns + 2 * capacity,
            columns + 3 * capacity,
            columns + 4 * capacity,
            columns + 5 * capacity,
            count};
}
inline Vec3SoaView vectors_at(const float* columns, std::size_t capacity, std::size_t count) {
    return {columns, columns + capacity, columns + 2 * capacity, count};
}

/// Results of the last call besides the one that the function returns.
inline std::uint32_t result_words[8];

inline std::uint32_t code(Status status) { return static_cast<std::uint32_t>(status); }

template <class Index>
std::uint32_t index_of(Index index) {
    return static_cast<std::uint32_t>(index);
}

/// Writes the bad item.
inline std::uint32_t batch_result(const BatchResult& result) {
    result_words[0] = index_of(result.bad_index);
    return code(result.status);
}

/// Writes the address and the length of a list.
template <class List>
std::uint32_t list_result(Status status, const List& list) {
    result_words[0] = index_of(reinterpret_cast<std::uintptr_t>(list.data()));
    result_words[1] = index_of(list.size());
    return code(status);
}

/// Fills a list by a call that writes to a span. A second call follows if the first one had too little memory.
template <class Item, class Call>
std::uint32_t grown_list_result(AlignedArray<Item>& list, const Call& call) {
    // All of its memory at once, so that a list grows only if it must.
    if (!list.resize(list.capacity())) return code(Status::out_of_memory);
    auto result = call(std::span(list.data(), list.size()));
    if (result.status == Status::capacity_exceeded) {
        if (!list.resize(result.required)) return code(Status::out_of_memory);
        result = call(std::span(list.data(), list.size()));
    }
    if (!list.resize(result.status == Status::ok ? result.written : 0)) return code(Status::out_of_memory);
    return list_result(result.status, list);
}

/// Arguments of the next query, which src/queries.js writes before the call.
struct Query {
    // The position of the items' type in the list of types that the call takes.
    std::uint32_t type;
    const std::byte* items;
    std::size_t count;
    // One for each query; none are all bits.
    const std::uint64_t* masks;
    std::size_t mask_count;
    // One for each box of a tree; none are all bits.
    const std::uint64_t* categories;
    std::size_t category_count;
    std::uint32_t inside;
    std::uint32_t touch;
    // Of a mesh: rays hit the side alone on which corners are counter-clockwise.
    std::uint32_t is_front_only;
    // Of a world.
    std::uint32_t kinds;
    // Whether the caller has a function that accepts layers.
    std::uint32_t has_layer_function;
    std::uint64_t layers;

    template <class Item>
    std::span<const Item> as() const {
        return {reinterpret_cast<const Item*>(items), count};
    }
    /// The items as a list of the queries' type.
    template <class Queries, class Item, class... More>
    Queries list(std::uint32_t skipped = 0) const {
        if constexpr (sizeof...(More) != 0) {
            if (type != skipped) return list<Queries, More...>(skipped + 1);
        }
        return as<Item>();
    }
    OverlapQueries shapes() const { return list<OverlapQueries, Aabb, Vec3, Sphere, Capsule, Obb>(); }
    MeshShapes mesh_shapes() const { return list<MeshShapes, Aabb, Sphere, Capsule, Obb>(); }
    NearQueries near() const { return list<NearQueries, Vec3, Aabb>(); }
    HitQueries casts() const {
        HitQueries casts = list<HitQueries, Ray, BoxCast, SphereCast, CapsuleCast>();
        casts.ray_settings.inside = static_cast<Inside>(inside);
        casts.touch = static_cast<Touch>(touch);
        return casts;
    }
    MeshRays mesh_rays() const { return {as<Ray>(), is_front_only != 0 ? Sides::front : Sides::both}; }
    MeshCasts mesh_casts() const { return list<MeshCasts, SphereCast, CapsuleCast, ObbCast>(); }
    std::span<std::uint64_t> bits(std::uint64_t* out_bits) const { return {out_bits, bit_word_count(count)}; }
};
inline Query query;

// The layouts that src/ reads and writes.
static_assert(sizeof(Query) == 56 && offsetof(Query, layers) == 48);
static_assert(sizeof(Aabb) == 24 && sizeof(Vec3) == 12 && sizeof(Sphere) == 16 && sizeof(Ray) == 28);
static_assert(sizeof(Capsule) == 28 && sizeof(Obb) == 60 && sizeof(BoxCast) == 40);
static_assert(sizeof(SphereCast) == 32 && sizeof(CapsuleCast) == 44 && sizeof(ObbCast) == 76);
static_assert(sizeof(IndexPair) == 8);
static_assert(static_cast<int>(Inside::zero) == 2 && static_cast<int>(Touch::open) == 1);

}  // namespace broadside::javascript
