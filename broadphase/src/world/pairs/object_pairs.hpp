// The pairs of a World beside their objects, for updates that change few of them.
#pragma once

#include <broadside/aligned_array.hpp>
#include <broadside/object.hpp>
#include <broadside/pair_buffer.hpp>

#include <span>
#include <utility>

namespace broadside::broadphase {

/// For every slot the handles that it pairs with, ascending by slot, or by a key of each slot and then by slot. Each pair
/// is there twice; the caller's value, where values are kept, is beside the lower slot's, and rows are by slot. What
/// changes is O(pairs of the two objects).
class ObjectPairs {
public:
    explicit ObjectPairs(const Allocator& allocator) noexcept
        : blocks_(allocator), handles_(allocator), values_(allocator) {}
    ObjectPairs(const ObjectPairs&) = delete;
    ObjectPairs& operator=(const ObjectPairs&) = delete;

    /// Null is by slot. For the next `build`; keys of slots with pairs stay as they are until another one.
    void set_order(const AlignedArray<std::uint64_t>* keys) noexcept { keys_ = keys; }
    /// From an ascending list, with the generations by slot; the values of the pairs are read where they are kept, and
    /// are from now on, whether there are pairs or not. False when there is no memory, and nothing is there then.
    bool build(std::span<const std::uint32_t> generations, std::span<const IndexPair> pairs,
               bool keeps_values, const std::uint64_t* values) noexcept;
    /// Slots in all; new ones have no pairs.
    bool grow(std::size_t slot_count) noexcept;
    void clear() noexcept;
    /// With their memory.
    void release() noexcept;

    std::size_t pair_count() const noexcept { return pair_count_; }
    std::span<const ObjectHandle> of(std::uint32_t slot) const noexcept {
        if (slot >= blocks_.size()) return {};
        const Block& block = blocks_.data()[slot];
        return {handles_.data() + block.begin(), block.count};
    }
    /// Two steps towards the pairs of a slot below the count, which are anywhere in memory.
    void prefetch_block(std::uint32_t slot) const noexcept { __builtin_prefetch(blocks_.data() + slot); }
    void prefetch(std::uint32_t slot) const noexcept {
        const Block& block = blocks_.data()[slot];
        const ObjectHandle* const begin = handles_.data() + block.begin();
        for (std::uint32_t i = 0; i < block.count && i < kPrefetchedCount; i += kHandlesPerLine)
            __builtin_prefetch(begin + i);
    }
    /// Keeps values from now on, at first zeros; false when there is no memory.
    bool keep_values() noexcept;
    /// Of a pair that is there, while values are kept; else null.
    const std::uint64_t* value(const IndexPair& pair) const noexcept;
    std::uint64_t* value(const IndexPair& pair) noexcept {
        return const_cast<std::uint64_t*>(std::as_const(*this).value(pair));
    }
    bool holds(const IndexPair& pair) const noexcept;

    /// Memory for pairs to be inserted; false when there is none, and nothing has changed.
    bool reserve(std::span<const IndexPair> to_insert) noexcept;
    /// One of those; it is not there yet, and gets the value zero.
    void insert(const IndexPair& pair, ObjectHandle first, ObjectHandle second) noexcept;
    /// It is there.
    void remove(const IndexPair& pair) noexcept;

    /// `visit(pair, value)` in ascending order.
    template <class Visit>
    void for_each(Visit&& visit) const noexcept {
        for (std::uint32_t slot = 0; slot < blocks_.size(); ++slot) {
            const Block& block = blocks_.data()[slot];
            for (std::size_t i = block.begin(); i < block.begin() + block.count; ++i) {
                const std::uint32_t other = handles_.data()[i].slot();
                if (other > slot) visit(IndexPair{slot, other}, has_values_ ? values_.data()[i] : 0);
            }
        }
    }
    /// Whether every pair is there twice, in order.
    bool is_consistent() const noexcept;
    std::size_t capacity_bytes() const noexcept {
        return blocks_.capacity_bytes() + handles_.capacity_bytes() + values_.capacity_bytes();
    }

private:
    // Entries come in fours, so that 32 bits name every place.
    static constexpr std::uint32_t kUnit = 4;
    static constexpr std::uint32_t kSizeClassCount = 32;
    static constexpr std::uint32_t kNoUnit = ~std::uint32_t{0};
    static constexpr std::uint32_t kHandlesPerLine = 8;
    static constexpr std::uint32_t kPrefetchedCount = 8 * kHandlesPerLine;

    struct Block {
        std::uint32_t begin_unit;
        std::uint32_t count;
        std::uint32_t unit_count;
        /// Pairs that are reserved and not yet inserted; the highest bit says that their memory is counted.
        std::uint32_t wanted;

        std::size_t begin() const noexcept { return std::size_t{begin_unit} * kUnit; }
        std::size_t capacity() const noexcept { return std::size_t{unit_count} * kUnit; }
    };

    bool is_before(std::uint32_t slot, std::uint32_t other) const noexcept {
        const std::uint64_t key = keys_ == nullptr ? 0 : keys_->data()[slot];
        const std::uint64_t other_key = keys_ == nullptr ? 0 : keys_->data()[other];
        return key != other_key ? key < other_key : slot < other;
    }
    std::size_t find(std::uint32_t slot, std::uint32_t other) const noexcept;
    std::size_t place_of(std::uint32_t slot, std::uint32_t other) const noexcept;
    bool resize_values() noexcept;
    void insert_half(std::uint32_t slot, ObjectHandle other) noexcept;
    void remove_half(std::uint32_t slot, std::uint32_t other) noexcept;
    void move_entries(std::size_t from, std::size_t to, std::size_t count) noexcept;
    void move_to_larger(Block& state_block) noexcept;
    bool reserve_units(std::size_t count) noexcept;

    // By slot.
    AlignedArray<Block> blocks_;
    // The entries of all blocks. A block that is free holds the next one of its size.
    AlignedArray<ObjectHandle> handles_;
    AlignedArray<std::uint64_t> values_;
    std::uint32_t free_units_[kSizeClassCount];
    std::size_t pair_count_ = 0;
    const AlignedArray<std::uint64_t>* keys_ = nullptr;
    bool has_values_ = false;
};

}  // namespace broadside::broadphase
