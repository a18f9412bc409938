// The boxes of a World: as the caller set them, and as pairs are found with them.
#pragma once

#include "broadphase/src/lists/bits.hpp"

#include <broadside/aligned_array.hpp>
#include <broadside/box_view.hpp>
#include <broadside/float_ops.hpp>

#include <cstdint>

namespace broadside::broadphase {

/// A box as the caller set it.
struct WorldBody {
    Aabb box;
    Vec3 displacement;
    float margin;
};

/// Whether there is more than a box. Compared bit for bit, because a displacement of -0 is kept as it is.
inline bool is_shaped(const WorldBody& body) {
    const auto bits = [](float number) { return __builtin_bit_cast(std::uint32_t, number); };
    const Vec3 step = body.displacement;
    return (bits(step.x) | bits(step.y) | bits(step.z) | bits(body.margin)) != 0;
}

/// Whether two boxes are equal bit for bit.
inline bool is_same(const Aabb& a, const Aabb& b) { return __builtin_memcmp(&a, &b, sizeof a) == 0; }

/// The condition of every call that takes a margin or a displacement; the box may be anything.
inline bool is_legal(const WorldBody& body) { return body.margin >= 0 && is_finite(body.displacement); }

/// a + b, rounded downwards. Without branches, so that compilers vectorise it fully.
BROADSIDE_FORCE_INLINE float add_down(float a, float b) {
    const float sum = a + b;
    // The rounding error, exactly (Knuth, TAOCP 2, 4.2.2); NaN if the sum is infinite, zero if the sum is.
    const float b_added = sum - a;
    const float error = (a - (sum - b_added)) + (b - b_added);
    const auto bits = __builtin_bit_cast(std::int32_t, sum);
    // The next float below has a lower pattern, or a higher one if the number is negative.
    return __builtin_bit_cast(float, bits - ((bits >> 31 | 1) & (error < 0 ? -1 : 0)));
}

/// The number if it is negative, else the zero that adds nothing: -0.
BROADSIDE_FORCE_INLINE float negative_part(float a) {
    const auto bits = __builtin_bit_cast(std::int32_t, a);
    return __builtin_bit_cast(float, (bits & bits >> 31) | INT32_MIN);
}

/// The lower side of the box that pairs are found with: swept, then grown, both rounded outwards. The upper
/// side is the negated lower one of the negated numbers. No sum of a legal body is NaN, and a sum beyond
/// FLT_MAX is infinite.
BROADSIDE_FORCE_INLINE float grown_side(float side, float step, float margin) {
    return add_down(add_down(side, negative_part(step)), -margin);
}

/// The box that pairs are found with. It is valid exactly if the box is: an invalid box becomes empty, so
/// that a margin does not turn an inverted box into a valid one.
inline Aabb grown_box(const WorldBody& body) {
    if (!is_shaped(body)) return body.box;
    if (!is_valid(body.box)) return Aabb::empty();
    const Aabb& box = body.box;
    const Vec3 step = body.displacement;
    // A zero displacement adds nothing, bit for bit.
    const bool is_still = !is_shaped({.box = {}, .displacement = step, .margin = 0});
    const auto low = [&](float min, float along) {
        return is_still ? add_down(min, -body.margin) : grown_side(min, along, body.margin);
    };
    const auto high = [&](float max, float along) { return -low(-max, -along); };
    return {{low(box.min.x, step.x), low(box.min.y, step.y), low(box.min.z, step.z)},
            {high(box.max.x, step.x), high(box.max.y, step.y), high(box.max.z, step.z)}};
}

inline constexpr std::uint32_t kSlotsPerWord = 64;

/// Boxes by slot, in columns. In a word of 64 slots without any margin or displacement, the columns hold the
/// boxes themselves, valid or not. In other words they hold the grown boxes, and further columns the boxes as
/// they were set; these take no memory before the first shape is set.
class ObjectBoxes {
public:
    explicit ObjectBoxes(const Allocator& allocator) noexcept;
    ObjectBoxes(const ObjectBoxes&) = delete;
    ObjectBoxes& operator=(const ObjectBoxes&) = delete;

    /// Makes room for this many slots, a multiple of 64; with shapes, if there are any or `wants_shapes`.
    /// Returns false if out of memory.
    bool reserve(std::size_t slot_count, bool wants_shapes) noexcept;
    /// Sets the size within that room. New slots have empty boxes.
    void resize(std::size_t slot_count) noexcept;
    std::size_t size() const noexcept { return columns_[0].size(); }
    /// The boxes of the first `count` slots, as pairs are found with them.
    BoxSoaView view(std::size_t count) const noexcept;
    WorldBody body(std::uint32_t slot) const noexcept;
    bool is_shaped(std::uint32_t slot) const noexcept { return has_bit(shaped_bits_, slot); }
    /// Whether any object of its word is shaped.
    bool has_shapes_near(std::uint32_t slot) const noexcept {
        return shaped_bits_.data()[slot / kSlotsPerWord] != 0;
    }
    bool are_shaped() const noexcept { return shaped_count_ != 0; }

    // These return whether a body has changed, or which have, as bits of the slots' word; consecutive slots
    // are all of one word. The body decides, not the grown box, which may stay the same while the object
    // moves; queries are about the object. A shaped body requires room for shapes.

    bool replace(std::uint32_t slot, const WorldBody& body) noexcept;
    bool replace_box(std::uint32_t slot, const Aabb& box) noexcept {
        return has_shapes_near(slot) ? replace_shaped_box(slot, box) : replace_plain_box(slot, box);
    }
    /// Prefetches the columns of a slot that will be replaced soon.
    void prefetch(std::uint32_t slot) const noexcept {
        for (const AlignedArray<float>& column : columns_) __builtin_prefetch(column.data() + slot, 1);
    }
    /// The same if nothing in the word is shaped.
    bool replace_plain_box(std::uint32_t slot, const Aabb& box) noexcept {
        return replace_corners(columns_, slot, box);
    }
    /// The same if something in the word is shaped.
    bool replace_shaped_box(std::uint32_t slot, const Aabb& box) noexcept {
        if (!replace_corners(shapes_, slot, box)) return false;
        (void)replace_plain_box(slot, grown_box(body(slot)));
        return true;
    }
    std::uint64_t replace_boxes(std::uint32_t first_slot, const BoxSoaView& boxes) noexcept;
    std::uint64_t replace_displacements(std::uint32_t first_slot, const Vec3SoaView& displacements) noexcept;
    std::uint64_t replace_margin(std::uint32_t first_slot, std::size_t count, float margin) noexcept;

    /// Stores a shaped body whose grown box is known.
    void put(std::uint32_t slot, const WorldBody& body, const Aabb& grown) noexcept;
    /// The columns that pairs are found with; a snapshot holds them.
    AlignedArray<float>& column(std::size_t index) noexcept { return columns_[index]; }
    const AlignedArray<float>& column(std::size_t index) const noexcept { return columns_[index]; }

    std::size_t capacity_bytes() const noexcept;
    void shrink() noexcept;

private:
    static constexpr std::size_t kCornerCount = 6;
    static constexpr std::size_t kMarginColumn = 9;

    static bool replace_corners(AlignedArray<float>* state_columns, std::uint32_t slot,
                                const Aabb& box) noexcept {
        std::uint32_t difference = 0;
        // One corner after the other, so that few registers suffice.
        const auto replace_corner = [&](std::size_t column, const float& corner) {
            float& state_corner = state_columns[column].data()[slot];
            const auto bits = __builtin_bit_cast(std::uint32_t, corner);
            difference |= __builtin_bit_cast(std::uint32_t, state_corner) ^ bits;
            state_corner = __builtin_bit_cast(float, bits);
        };
        replace_corner(0, box.min.x);
        replace_corner(1, box.min.y);
        replace_corner(2, box.min.z);
        replace_corner(3, box.max.x);
        replace_corner(4, box.max.y);
        replace_corner(5, box.max.z);
        return difference != 0;
    }
    // The last of them is allocated last.
    bool has_shapes() const noexcept { return shapes_[kMarginColumn].capacity() != 0; }
    std::uint32_t replace_body(std::uint32_t slot, const WorldBody& body) noexcept;
    void open_word(std::size_t word) noexcept;
    void copy_boxes(std::size_t word, AlignedArray<float>* out_columns,
                    const AlignedArray<float>* columns) noexcept;
    void note_shapes(std::uint32_t first_slot, std::size_t count) noexcept;
    void grow_boxes(std::uint32_t first_slot, std::size_t count) noexcept;

    AlignedArray<float> columns_[kCornerCount];
    // Six corners as they were set, unused in words without shapes; three of displacements; margins.
    AlignedArray<float> shapes_[10];
    AlignedArray<std::uint64_t> shaped_bits_;
    std::size_t shaped_count_ = 0;
};

}  // namespace broadside::broadphase
