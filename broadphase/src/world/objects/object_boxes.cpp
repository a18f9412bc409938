// Sets and grows boxes column by column, so that compilers vectorise the loops.
#include "broadphase/src/world/objects/object_boxes.hpp"

#include "broadphase/src/lists/shrink_to_fit.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace broadside::broadphase {
namespace {

using Lanes = std::uint32_t[kSlotsPerWord];

constexpr float empty_corner(std::size_t column) {
    return column < 3 ? Aabb::empty().min.x : Aabb::empty().max.x;
}

// Replaces the numbers of consecutive slots, and notes which differ.
inline void replace_column(const float* __restrict source, std::size_t count, float* __restrict state_numbers,
                           std::uint32_t* __restrict state_differences) {
    for (std::size_t k = 0; k < count; ++k) {
        state_differences[k] |= __builtin_bit_cast(std::uint32_t, state_numbers[k]) ^
                                __builtin_bit_cast(std::uint32_t, source[k]);
        state_numbers[k] = source[k];
    }
}

// The slots that differ, as bits of their word.
inline std::uint64_t bits_of(const Lanes& differences, std::uint32_t first_slot) {
    std::uint64_t bits = 0;
    for (std::size_t k = 0; k < kSlotsPerWord; ++k) {
        // Not in one expression with the shift: g++ 12 under UBSan then uses a k set only in the index check.
        const std::uint64_t differs = differences[k] != 0 ? 1u : 0u;
        bits |= differs << k;
    }
    return bits << first_slot % kSlotsPerWord;
}

// Grows boxes on one axis. Leaves out displacements or margins that are all zero.
template <bool kIsDisplaced, bool kHasMargins>
inline void grow_axis(const float* __restrict min, const float* __restrict max, const float* __restrict steps,
                      const float* __restrict margins, std::size_t count, float* __restrict out_min,
                      float* __restrict out_max) {
    for (std::size_t k = 0; k < count; ++k) {
        float low = min[k];
        float high = -max[k];
        if constexpr (kIsDisplaced) {
            low = add_down(low, negative_part(steps[k]));
            high = add_down(high, negative_part(-steps[k]));
        }
        if constexpr (kHasMargins) {
            low = add_down(low, -margins[k]);
            high = add_down(high, -margins[k]);
        }
        out_min[k] = low;
        out_max[k] = -high;
    }
}

// Whether any box is invalid. Two sides at the same infinity have a NaN distance.
inline bool has_invalid(const AlignedArray<float>* columns, std::size_t first, std::size_t count) {
    const auto side = [&](std::size_t column) { return columns[column].data() + first; };
    const float *const min_x = side(0), *const min_y = side(1), *const min_z = side(2);
    const float *const max_x = side(3), *const max_y = side(4), *const max_z = side(5);
    std::uint32_t valid = ~0u;
    for (std::size_t k = 0; k < count; ++k) {
        valid &= (max_x[k] - min_x[k] >= 0 ? ~0u : 0u) & (max_y[k] - min_y[k] >= 0 ? ~0u : 0u) &
                 (max_z[k] - min_z[k] >= 0 ? ~0u : 0u);
    }
    return valid == 0;
}

// Whether all numbers are +0.
inline bool are_zero(const float* numbers, std::size_t count) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < count; ++k) bits |= __builtin_bit_cast(std::uint32_t, numbers[k]);
    return bits == 0;
}

}  // namespace

ObjectBoxes::ObjectBoxes(const Allocator& allocator) noexcept : shaped_bits_(allocator) {
    for (AlignedArray<float>& column : columns_) column = AlignedArray<float>(allocator);
    for (AlignedArray<float>& column : shapes_) column = AlignedArray<float>(allocator);
}

bool ObjectBoxes::reserve(std::size_t slot_count, bool wants_shapes) noexcept {
    const auto grow = [](auto& state_array, std::size_t count) {
        const std::size_t most = state_array.capacity();
        return count <= most || state_array.reserve(std::max(count, most + most / 2));
    };
    bool has_memory = grow(shaped_bits_, slot_count / kSlotsPerWord);
    for (AlignedArray<float>& column : columns_) has_memory = has_memory && grow(column, slot_count);
    const bool had_shapes = has_shapes();
    if (!had_shapes && !wants_shapes) return has_memory;
    for (AlignedArray<float>& column : shapes_) has_memory = has_memory && grow(column, slot_count);
    if (!has_memory || had_shapes) return has_memory;
    for (AlignedArray<float>& column : shapes_) {
        (void)column.resize(size());
        std::fill(column.begin(), column.end(), 0.0f);
    }
    return true;
}

void ObjectBoxes::resize(std::size_t slot_count) noexcept {
    const std::size_t before = size();
    if (slot_count <= before) return;
    (void)shaped_bits_.resize(slot_count / kSlotsPerWord);
    std::fill(shaped_bits_.begin() + before / kSlotsPerWord, shaped_bits_.end(), 0);
    for (std::size_t c = 0; c < kCornerCount; ++c) {
        (void)columns_[c].resize(slot_count);
        std::fill(columns_[c].begin() + before, columns_[c].end(), empty_corner(c));
    }
    if (!has_shapes()) return;
    for (AlignedArray<float>& column : shapes_) {
        (void)column.resize(slot_count);
        std::fill(column.begin() + before, column.end(), 0.0f);
    }
}

BoxSoaView ObjectBoxes::view(std::size_t count) const noexcept {
    return {columns_[0].data(),
            columns_[1].data(),
            columns_[2].data(),
            columns_[3].data(),
            columns_[4].data(),
            columns_[5].data(),
            count};
}

WorldBody ObjectBoxes::body(std::uint32_t slot) const noexcept {
    if (shaped_bits_[slot / kSlotsPerWord] == 0) return {view(size())[slot], {0, 0, 0}, 0};
    const auto number = [&](std::size_t column) { return shapes_[column].data()[slot]; };
    return {{{number(0), number(1), number(2)}, {number(3), number(4), number(5)}},
            {number(6), number(7), number(8)},
            number(kMarginColumn)};
}

void ObjectBoxes::copy_boxes(std::size_t word, AlignedArray<float>* out_columns,
                             const AlignedArray<float>* columns) noexcept {
    const std::size_t first = word * kSlotsPerWord;
    for (std::size_t c = 0; c < kCornerCount; ++c) {
        std::memcpy(out_columns[c].data() + first, columns[c].data() + first, kSlotsPerWord * sizeof(float));
    }
}

// The word's columns hold the boxes as they were set, until a shape is set.
void ObjectBoxes::open_word(std::size_t word) noexcept {
    BROADSIDE_ASSERT(shapes_[0].size() == size(), "shapes: reserve comes first");
    if (shaped_bits_[word] == 0) copy_boxes(word, shapes_, columns_);
}

// Called after displacements or margins were set in an open word: notes which slots are shaped. A word
// without any is as if there had never been one.
void ObjectBoxes::note_shapes(std::uint32_t first_slot, std::size_t count) noexcept {
    Lanes shapes = {};
    for (std::size_t c = kCornerCount; c <= kMarginColumn; ++c) {
        const float* const numbers = shapes_[c].data() + first_slot;
        for (std::size_t k = 0; k < count; ++k) shapes[k] |= __builtin_bit_cast(std::uint32_t, numbers[k]);
    }
    const std::size_t word = first_slot / kSlotsPerWord;
    const std::uint64_t of_these = item_bits_in_word(0, count) << first_slot % kSlotsPerWord;
    std::uint64_t& bits = shaped_bits_[word];
    shaped_count_ -= static_cast<std::size_t>(std::popcount(bits));
    bits = (bits & ~of_these) | bits_of(shapes, first_slot);
    shaped_count_ += static_cast<std::size_t>(std::popcount(bits));
    if (bits != 0) return grow_boxes(first_slot, count);
    copy_boxes(word, columns_, shapes_);
    for (std::size_t c = kCornerCount; c <= kMarginColumn; ++c) {
        std::fill_n(shapes_[c].begin() + word * kSlotsPerWord, kSlotsPerWord, 0.0f);
    }
}

void ObjectBoxes::grow_boxes(std::uint32_t first_slot, std::size_t count) noexcept {
    const float* const margins = shapes_[kMarginColumn].data() + first_slot;
    const auto grow = [&]<bool kIsDisplaced, bool kHasMargins>() {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            grow_axis<kIsDisplaced, kHasMargins>(
                shapes_[axis].data() + first_slot, shapes_[axis + 3].data() + first_slot,
                shapes_[axis + 6].data() + first_slot, margins, count, columns_[axis].data() + first_slot,
                columns_[axis + 3].data() + first_slot);
        }
    };
    bool is_still = true;
    for (std::size_t c = kCornerCount; c < kMarginColumn; ++c)
        is_still &= are_zero(shapes_[c].data() + first_slot, count);
    if (is_still) {
        grow.template operator()<false, true>();
    } else if (are_zero(margins, count)) {
        grow.template operator()<true, false>();
    } else {
        grow.template operator()<true, true>();
    }
    if (!has_invalid(shapes_, first_slot, count)) return;
    for (std::size_t k = 0; k < count; ++k) {
        const std::uint32_t slot = first_slot + static_cast<std::uint32_t>(k);
        const Aabb box = body(slot).box;
        if (!is_valid(box)) (void)replace_plain_box(slot, is_shaped(slot) ? Aabb::empty() : box);
    }
}

// Stores a body as it was set, in an open word. Returns the bits that differ.
std::uint32_t ObjectBoxes::replace_body(std::uint32_t slot, const WorldBody& body) noexcept {
    const Aabb& box = body.box;
    const Vec3 step = body.displacement;
    const float numbers[] = {box.min.x, box.min.y, box.min.z, box.max.x, box.max.y,
                             box.max.z, step.x,    step.y,    step.z,    body.margin};
    std::uint32_t difference = 0;
    for (std::size_t c = 0; c <= kMarginColumn; ++c)
        replace_column(numbers + c, 1, shapes_[c].data() + slot, &difference);
    return difference;
}

bool ObjectBoxes::replace(std::uint32_t slot, const WorldBody& body) noexcept {
    if (shaped_bits_[slot / kSlotsPerWord] == 0 && !broadphase::is_shaped(body))
        return replace_plain_box(slot, body.box);
    open_word(slot / kSlotsPerWord);
    const std::uint32_t difference = replace_body(slot, body);
    note_shapes(slot, 1);
    return difference != 0;
}

void ObjectBoxes::put(std::uint32_t slot, const WorldBody& body, const Aabb& grown) noexcept {
    open_word(slot / kSlotsPerWord);
    (void)replace_body(slot, body);
    shaped_count_ += is_shaped(slot) ? 0u : 1u;
    set_bit(shaped_bits_, slot);
    (void)replace_plain_box(slot, grown);
}

std::uint64_t ObjectBoxes::replace_boxes(std::uint32_t first_slot, const BoxSoaView& boxes) noexcept {
    const float* const sources[kCornerCount] = {boxes.min_x, boxes.min_y, boxes.min_z,
                                                boxes.max_x, boxes.max_y, boxes.max_z};
    const bool is_open = shaped_bits_[first_slot / kSlotsPerWord] != 0;
    // Nothing changes behind the last box.
    Lanes differences = {};
    for (std::size_t c = 0; c < kCornerCount; ++c) {
        float* const numbers = (is_open ? shapes_ : columns_)[c].data() + first_slot;
        replace_column(sources[c], boxes.count, numbers, differences);
    }
    if (is_open) grow_boxes(first_slot, boxes.count);
    return bits_of(differences, first_slot);
}

std::uint64_t ObjectBoxes::replace_displacements(std::uint32_t first_slot,
                                                 const Vec3SoaView& displacements) noexcept {
    const float* const sources[3] = {displacements.x, displacements.y, displacements.z};
    const std::size_t count = displacements.count;
    const std::size_t word = first_slot / kSlotsPerWord;
    const bool are_none =
        are_zero(sources[0], count) && are_zero(sources[1], count) && are_zero(sources[2], count);
    if (shaped_bits_[word] == 0 && are_none) return 0;
    open_word(word);
    Lanes differences = {};
    for (std::size_t axis = 0; axis < 3; ++axis)
        replace_column(sources[axis], count, shapes_[kCornerCount + axis].data() + first_slot, differences);
    note_shapes(first_slot, count);
    return bits_of(differences, first_slot);
}

std::uint64_t ObjectBoxes::replace_margin(std::uint32_t first_slot, std::size_t count,
                                          float margin) noexcept {
    const std::size_t word = first_slot / kSlotsPerWord;
    if (shaped_bits_[word] == 0 && are_zero(&margin, 1)) return 0;
    open_word(word);
    float margins[kSlotsPerWord];
    std::fill(margins, margins + count, margin);
    Lanes differences = {};
    replace_column(margins, count, shapes_[kMarginColumn].data() + first_slot, differences);
    note_shapes(first_slot, count);
    return bits_of(differences, first_slot);
}

std::size_t ObjectBoxes::capacity_bytes() const noexcept {
    std::size_t bytes = shaped_bits_.capacity_bytes();
    for (const AlignedArray<float>& column : columns_) bytes += column.capacity_bytes();
    for (const AlignedArray<float>& column : shapes_) bytes += column.capacity_bytes();
    return bytes;
}

void ObjectBoxes::shrink() noexcept {
    shrink_to_fit(shaped_bits_);
    for (AlignedArray<float>& column : columns_) shrink_to_fit(column);
    for (AlignedArray<float>& column : shapes_) are_shaped() ? shrink_to_fit(column) : column.release();
}

}  // namespace broadside::broadphase
