// Blocks of entries in one array; each block is as large as its object's pairs require.
#include "broadphase/src/world/pairs/object_pairs.hpp"

#include "broadphase/src/thresholds.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace broadside::broadphase {
namespace {

constexpr std::uint32_t kCountedBit = std::uint32_t{1} << 31;

// Freed blocks are reused in sizes of a power of two.
std::uint32_t size_class(std::size_t unit_count) {
    return static_cast<std::uint32_t>(std::bit_width(unit_count - 1));
}

}  // namespace

void ObjectPairs::clear() noexcept {
    blocks_.clear();
    handles_.clear();
    values_.clear();
    pair_count_ = 0;
    has_values_ = false;
}

void ObjectPairs::release() noexcept {
    clear();
    const auto release_all = [](auto&... arrays) { (arrays.release(), ...); };
    release_all(blocks_, handles_, values_);
}

bool ObjectPairs::build(std::span<const std::uint32_t> generations, std::span<const IndexPair> pairs,
                        bool keeps_values, const std::uint64_t* values) noexcept {
    clear();
    if (!grow(generations.size())) return false;
    for (const IndexPair& pair : pairs) {
        ++blocks_.data()[pair.first].count;
        ++blocks_.data()[pair.second].count;
    }
    std::size_t unit_count = 0;
    for (Block& block : blocks_) {
        block.unit_count = (block.count + kUnit - 1) / kUnit;
        block.begin_unit = static_cast<std::uint32_t>(unit_count);
        block.count = 0;
        unit_count += block.unit_count;
    }
    const std::size_t entry_count = unit_count * kUnit;
    has_values_ = keeps_values;
    if (unit_count >= kNoUnit ||
        !handles_.reserve(entry_count + entry_count / thresholds().updates.entries_per_spare +
                          thresholds().updates.spare_entry_min) ||
        !handles_.resize(entry_count) || !(has_values_ ? resize_values() : true)) {
        clear();
        return false;
    }
    std::fill(std::begin(free_units_), std::end(free_units_), kNoUnit);
    const auto handle_of = [&](std::uint32_t slot) {
        return ObjectHandle{std::uint64_t{generations[slot]} << 32 | slot};
    };
    // The list ascends, so lower slots come before higher ones.
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const IndexPair pair = pairs[i];
        Block& first = blocks_.data()[pair.first];
        Block& second = blocks_.data()[pair.second];
        const std::size_t at_first = first.begin() + first.count++;
        const std::size_t at_second = second.begin() + second.count++;
        handles_.data()[at_first] = handle_of(pair.second);
        if (has_values_) values_.data()[at_first] = values[i];
        handles_.data()[at_second] = handle_of(pair.first);
    }
    pair_count_ = pairs.size();
    if (keys_ == nullptr) return true;
    for (const Block& block : blocks_) {
        ObjectHandle* const begin = handles_.data() + block.begin();
        std::sort(begin, begin + block.count,
                  [&](ObjectHandle x, ObjectHandle y) { return is_before(x.slot(), y.slot()); });
    }
    return true;
}

bool ObjectPairs::grow(std::size_t slot_count) noexcept {
    const std::size_t before = blocks_.size();
    if (slot_count <= before) return true;
    if (!blocks_.append(slot_count - before)) return false;
    std::fill(blocks_.begin() + before, blocks_.end(), Block{0, 0, 0, 0});
    return true;
}

// The first entry of a block that is not below `other`.
std::size_t ObjectPairs::find(std::uint32_t slot, std::uint32_t other) const noexcept {
    const std::span<const ObjectHandle> handles = of(slot);
    const auto found = std::lower_bound(
        handles.begin(), handles.end(), other,
        [&](ObjectHandle handle, std::uint32_t wanted) { return is_before(handle.slot(), wanted); });
    return blocks_.data()[slot].begin() + static_cast<std::size_t>(found - handles.begin());
}

// Keys cannot find an entry whose slot has another object by now. Searched in the order of removals.
std::size_t ObjectPairs::place_of(std::uint32_t slot, std::uint32_t other) const noexcept {
    if (keys_ == nullptr) return find(slot, other);
    const std::span<const ObjectHandle> handles = of(slot);
    const auto found = std::find_if(handles.rbegin(), handles.rend(),
                                    [&](ObjectHandle handle) { return handle.slot() == other; });
    return blocks_.data()[slot].begin() + static_cast<std::size_t>(handles.rend() - found) - 1;
}

bool ObjectPairs::resize_values() noexcept {
    return values_.reserve(handles_.capacity()) && values_.resize(handles_.size());
}

bool ObjectPairs::keep_values() noexcept {
    if (has_values_) return true;
    if (!resize_values()) return false;
    std::fill(values_.begin(), values_.end(), 0);
    has_values_ = true;
    return true;
}

const std::uint64_t* ObjectPairs::value(const IndexPair& pair) const noexcept {
    return has_values_ && holds(pair) ? values_.data() + find(pair.first, pair.second) : nullptr;
}

bool ObjectPairs::holds(const IndexPair& pair) const noexcept {
    if (pair.first >= blocks_.size()) return false;
    const Block& block = blocks_.data()[pair.first];
    const std::size_t at = find(pair.first, pair.second);
    return at < block.begin() + block.count && handles_.data()[at].slot() == pair.second;
}

bool ObjectPairs::reserve(std::span<const IndexPair> to_insert) noexcept {
    for (const IndexPair& pair : to_insert) {
        ++blocks_[pair.first].wanted;
        ++blocks_[pair.second].wanted;
    }
    std::size_t unit_count = 0;
    const auto count_block = [&](Block& state_block) {
        if ((state_block.wanted & kCountedBit) != 0) return;
        const std::size_t needed = std::size_t{state_block.count} + state_block.wanted;
        if (needed > state_block.capacity())
            unit_count += std::size_t{1} << size_class((needed + kUnit - 1) / kUnit);
        state_block.wanted |= kCountedBit;
    };
    for (const IndexPair& pair : to_insert) {
        count_block(blocks_[pair.first]);
        count_block(blocks_[pair.second]);
    }
    const bool has_memory = reserve_units(unit_count);
    for (const IndexPair& pair : to_insert) {
        for (const std::uint32_t slot : {pair.first, pair.second})
            blocks_[slot].wanted = has_memory ? blocks_[slot].wanted & ~kCountedBit : 0;
    }
    return has_memory;
}

// Behind the entries in use, as if no block were free.
bool ObjectPairs::reserve_units(std::size_t count) noexcept {
    const std::size_t entries = count * kUnit;
    if (handles_.size() / kUnit + count >= kNoUnit) return false;
    return handles_.reserve_to_append(entries) && (!has_values_ || values_.reserve(handles_.capacity()));
}

void ObjectPairs::insert(const IndexPair& pair, ObjectHandle first, ObjectHandle second) noexcept {
    insert_half(pair.first, second);
    insert_half(pair.second, first);
    ++pair_count_;
}

void ObjectPairs::remove(const IndexPair& pair) noexcept {
    remove_half(pair.first, pair.second);
    remove_half(pair.second, pair.first);
    --pair_count_;
}

void ObjectPairs::insert_half(std::uint32_t slot, ObjectHandle other) noexcept {
    Block& block = blocks_[slot];
    BROADSIDE_ASSERT(block.wanted != 0, "insert: reserve comes first");
    if (block.count == block.capacity()) move_to_larger(block);
    --block.wanted;
    const std::size_t at = find(slot, other.slot());
    move_entries(at, at + 1, block.begin() + block.count - at);
    handles_.data()[at] = other;
    if (has_values_) values_.data()[at] = 0;
    ++block.count;
}

void ObjectPairs::remove_half(std::uint32_t slot, std::uint32_t other) noexcept {
    Block& block = blocks_[slot];
    const std::size_t at = place_of(slot, other);
    BROADSIDE_ASSERT(handles_[at].slot() == other, "remove: no such pair");
    move_entries(at + 1, at, block.begin() + block.count - at - 1);
    --block.count;
}

void ObjectPairs::move_entries(std::size_t from, std::size_t to, std::size_t count) noexcept {
    std::memmove(handles_.data() + to, handles_.data() + from, count * sizeof(ObjectHandle));
    if (has_values_) std::memmove(values_.data() + to, values_.data() + from, count * sizeof(std::uint64_t));
}

// Moves entries to a block for all that is reserved: a freed one, or a new one at the end.
void ObjectPairs::move_to_larger(Block& state_block) noexcept {
    const std::size_t needed = std::size_t{state_block.count} + state_block.wanted;
    const std::uint32_t wanted_class = size_class((needed + kUnit - 1) / kUnit);
    std::uint32_t unit = free_units_[wanted_class];
    if (unit != kNoUnit) {
        free_units_[wanted_class] =
            static_cast<std::uint32_t>(handles_.data()[std::size_t{unit} * kUnit].value);
    } else {
        unit = static_cast<std::uint32_t>(handles_.size() / kUnit);
        const std::size_t size = handles_.size() + (std::size_t{kUnit} << wanted_class);
        // Within the reserved room.
        (void)handles_.resize(size);
        if (has_values_) (void)values_.resize(size);
    }
    const std::size_t from = state_block.begin();
    const std::size_t to = std::size_t{unit} * kUnit;
    move_entries(from, to, state_block.count);
    if (state_block.unit_count != 0) {
        const auto old_class = static_cast<std::uint32_t>(std::bit_width(state_block.unit_count) - 1);
        handles_.data()[from].value = free_units_[old_class];
        free_units_[old_class] = state_block.begin_unit;
    }
    state_block.begin_unit = unit;
    state_block.unit_count = std::uint32_t{1} << wanted_class;
}

bool ObjectPairs::is_consistent() const noexcept {
    std::size_t half_count = 0;
    for (std::uint32_t slot = 0; slot < blocks_.size(); ++slot) {
        const std::span<const ObjectHandle> handles = of(slot);
        half_count += handles.size();
        for (std::size_t i = 0; i < handles.size(); ++i) {
            const std::uint32_t other = handles[i].slot();
            if (other >= blocks_.size() || other == slot) return false;
            if (i != 0 && !is_before(handles[i - 1].slot(), other)) return false;
            const std::span<const ObjectHandle> back = of(other);
            const std::size_t at = find(other, slot) - blocks_.data()[other].begin();
            if (at == back.size() || back[at].slot() != slot) return false;
        }
        if (blocks_.data()[slot].wanted != 0) return false;
    }
    return half_count == 2 * pair_count_;
}

}  // namespace broadside::broadphase
