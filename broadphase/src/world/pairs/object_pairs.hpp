// The pairs of a World by object, for updates that change few of them.
#pragma once

#include <broadside/aligned_array.hpp>
#include <broadside/object.hpp>
#include <broadside/pair_buffer.hpp>

#include <span>
#include <utility>

namespace broadside::broadphase {

/// For every slot the handles that it pairs with, ascending by slot, or by a key of each slot and then by
/// slot. Each pair is there twice. Its value, if values are kept, is stored with the lower slot, and rows are
/// then by slot. A change is O(pairs of the two objects).
class ObjectPairs {
public:
    explicit ObjectPairs(const Allocator& allocator) noexcept
        : blocks_(allocator), handles_(allocator), values_(allocator) {}
    ObjectPairs(const ObjectPairs&) = delete;
    ObjectPairs& operator=(const ObjectPairs&) = delete;

    /// Sets the keys for the next `build`; null orders by slot. Keys of slots with pairs must not change
    /// until another build.
    void set_order(const AlignedArray<std::uint64_t>* keys) noexcept { keys_ = keys; }
    /// Builds from an ascending list, with the generations by slot. If values are kept, reads those of the
    /// pairs, and keeps values from now on, even without pairs. Returns false, and is empty, if out of
    /// memory.
    bool build(std::span<const std::uint32_t> generations, std::span<const IndexPair> pairs,
               bool keeps_values, const std::uint64_t* values) noexcept;
    /// Grows to this many slots; new ones have no pairs.
    bool grow(std::size_t slot_count) noexcept;
    void clear() noexcept;
    /// Clears, and releases the memory.
    void release() noexcept;

    std::size_t pair_count() const noexcept { return pair_count_; }
    std::span<const ObjectHandle> of(std::uint32_t slot) const noexcept {
        if (slot >= blocks_.size()) return {};
        const Block& block = blocks_.data()[slot];
        return {handles_.data() + block.begin(), block.count};
    }
    /// Two steps of prefetching the pairs of a slot, which must be below the count.
    void prefetch_block(std::uint32_t slot) const noexcept { __builtin_prefetch(blocks_.data() + slot); }
    void prefetch(std::uint32_t slot) const noexcept {
        const Block& block = blocks_.data()[slot];
        const ObjectHandle* const begin = handles_.data() + block.begin();
        for (std::uint32_t i = 0; i < block.count && i < kPrefetchedCount; i += kHandlesPerLine)
            __builtin_prefetch(begin + i);
    }
    /// Keeps values from now on, at first zeros. Returns false if out of memory.
    bool keep_values() noexcept;
    /// The value of a pair that is there, while values are kept; else null.
    const std::uint64_t* value(const IndexPair& pair) const noexcept;
    std::uint64_t* value(const IndexPair& pair) noexcept {
        return const_cast<std::uint64_t*>(std::as_const(*this).value(pair));
    }
    bool holds(const IndexPair& pair) const noexcept;

    /// Reserves memory for pairs to be inserted. Returns false, and changes nothing, if out of memory.
    bool reserve(std::span<const IndexPair> to_insert) noexcept;
    /// Inserts one of those; it must not be there yet, and gets the value zero.
    void insert(const IndexPair& pair, ObjectHandle first, ObjectHandle second) noexcept;
    /// Removes a pair that is there.
    void remove(const IndexPair& pair) noexcept;

    /// Calls `visit(pair, value)` in ascending order.
    template <class Visit>
    void for_each(Visit&& visit) const noexcept {
        for_each_entry([&](const IndexPair& pair, std::uint64_t value) {
            if (pair.first < pair.second) visit(pair, value);
        });
    }
    /// The same, and pairs of the larger slot first are visited between them.
    template <class Visit>
    void for_each_entry(Visit&& visit) const noexcept {
        for (std::uint32_t slot = 0; slot < blocks_.size(); ++slot) {
            const Block& block = blocks_.data()[slot];
            for (std::size_t i = block.begin(); i < block.begin() + block.count; ++i)
                visit(IndexPair{slot, handles_.data()[i].slot()}, has_values_ ? values_.data()[i] : 0);
        }
    }
    /// Whether every pair is there twice, in order.
    bool is_consistent() const noexcept;
    std::size_t capacity_bytes() const noexcept {
        return blocks_.capacity_bytes() + handles_.capacity_bytes() + values_.capacity_bytes();
    }

private:
    // Entries come in fours, so that 32 bits can address all of them.
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
    // The entries of all blocks. A free block holds the next one of its size.
    AlignedArray<ObjectHandle> handles_;
    AlignedArray<std::uint64_t> values_;
    std::uint32_t free_units_[kSizeClassCount];
    std::size_t pair_count_ = 0;
    const AlignedArray<std::uint64_t>* keys_ = nullptr;
    bool has_values_ = false;
};

}  // namespace broadside::broadphase
