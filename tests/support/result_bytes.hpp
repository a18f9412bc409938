// Results of calls as bytes, so that all of them can be compared at once.
#pragma once

#include <broadside/aabb.hpp>
#include <broadside/float_ops.hpp>
#include <broadside/obb.hpp>
#include <broadside/object.hpp>
#include <broadside/pair_buffer.hpp>
#include <broadside/sphere.hpp>
#include <broadside/transform.hpp>

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

// The fields of all structs of results.
// clang-format off
#define BROADSIDE_EACH_RESULT_FIELD(X)                                                                       \
    X(query)                                                                                                 \
    X(found) X(target) X(instance_index) X(triangle_index) X(a) X(b) X(kind) X(relation) X(t) X(u) X(v)      \
        X(toi) X(t_enter) X(t_exit) X(has_hit) X(is_front) X(face) X(axis) X(depth) X(point) X(point_a)      \
            X(point_b) X(normal) X(radius) X(distance) X(distance_sq) X(bits) X(closest) X(status)           \
                X(position) X(is_grounded) X(has_stepped) X(iteration_count) X(ground_normal) X(wall_normal) \
                    X(counts) X(node_tests) X(leaf_pairs) X(triangle_tests) X(value) X(required) X(has_pair)
// clang-format on

namespace broadside::test {

/// Number by number: without padding, and a NaN equals itself.
class ResultBytes {
public:
    template <class... Items>
    void add(const Items&... items) {
        (add_one(items), ...);
    }
    template <class List>
    void add_all(const List& list) {
        for (const auto& item : list) add_one(item);
    }
    void append(const ResultBytes& other) {
        bytes_.insert(bytes_.end(), other.bytes_.begin(), other.bytes_.end());
    }
    const std::vector<unsigned char>& bytes() const { return bytes_; }

    friend bool operator==(const ResultBytes&, const ResultBytes&) = default;

private:
    // Numbers, and structs of floats only.
    template <class Item>
    static constexpr bool kIsWhole =
        std::is_arithmetic_v<Item> || std::is_enum_v<Item> || std::is_same_v<Item, Vec3> ||
        std::is_same_v<Item, Aabb> || std::is_same_v<Item, Obb> || std::is_same_v<Item, Sphere> ||
        std::is_same_v<Item, Transform> || std::is_same_v<Item, IndexPair> ||
        std::is_same_v<Item, ObjectHandle>;

    template <class Item>
    void add_one(const Item& item) {
        if constexpr (kIsWhole<Item>) {
            append(&item, sizeof item);
        } else {
#define BROADSIDE_ADD_FIELD(field) \
    if constexpr (requires { item.field; }) add_one(item.field);
            BROADSIDE_EACH_RESULT_FIELD(BROADSIDE_ADD_FIELD)
#undef BROADSIDE_ADD_FIELD
            // Only padding is left out.
            static_assert(size_of_fields(static_cast<Item*>(nullptr)) + alignof(Item) > sizeof(Item));
        }
    }
    template <class Item>
    static constexpr std::size_t size_of_fields(const Item* item) {
        std::size_t size = 0;
#define BROADSIDE_ADD_SIZE(field) \
    if constexpr (requires { item->field; }) size += sizeof(item->field);
        BROADSIDE_EACH_RESULT_FIELD(BROADSIDE_ADD_SIZE)
#undef BROADSIDE_ADD_SIZE
        return size;
    }
    void append(const void* item, std::size_t size) {
        const std::size_t begin = bytes_.size();
        bytes_.resize(begin + size);
        std::memcpy(bytes_.data() + begin, item, size);
    }

    std::vector<unsigned char> bytes_;
};

}  // namespace broadside::test

#undef BROADSIDE_EACH_RESULT_FIELD
