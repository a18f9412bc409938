// Pairs of layers that may not pair.
#pragma once

#include "broadphase/src/lists/bits.hpp"
#include "broadphase/src/lists/shrink_to_fit.hpp"

#include <broadside/aligned_array.hpp>
#include <broadside/bits.hpp>
#include <broadside/object.hpp>

#include <algorithm>
#include <span>

namespace broadside::broadphase {

/// Pairs of layers as keys in ascending order, and the layers that are in any. A pair of objects whose layers
/// have no rules costs the test of a bit, one with a rule a search.
class LayerRules {
public:
    explicit LayerRules(const Allocator& allocator) noexcept : keys_(allocator), ruled_bits_(allocator) {}

    bool is_empty() const noexcept { return keys_.is_empty(); }
    /// Ascending; a snapshot holds them.
    std::span<const std::uint32_t> keys() const noexcept { return {keys_.data(), keys_.size()}; }

    /// Whether a rule may name the layer.
    bool has_rule(std::uint32_t layer) const noexcept {
        return !is_empty() && has_bit(ruled_bits_.data(), layer);
    }
    bool may_pair(std::uint32_t a, std::uint32_t b) const noexcept {
        if (!has_rule(a) || !has_rule(b)) return true;
        const std::uint32_t key = key_of(a, b);
        const std::uint32_t* const found = std::lower_bound(keys_.begin(), keys_.end(), key);
        return found == keys_.end() || *found != key;
    }
    /// Returns false, and changes nothing, if out of memory.
    bool set(std::uint32_t a, std::uint32_t b, bool may_pair) noexcept {
        const std::uint32_t key = key_of(a, b);
        const auto position =
            static_cast<std::size_t>(std::lower_bound(keys_.begin(), keys_.end(), key) - keys_.begin());
        const bool is_there = position < keys_.size() && keys_[position] == key;
        if (is_there != may_pair) return true;
        const std::size_t count = keys_.size();
        if (may_pair) {
            std::copy(keys_.begin() + position + 1, keys_.end(), keys_.begin() + position);
            (void)keys_.resize(count - 1);
            return true;
        }
        if (!reserve_bits() || !keys_.append(1)) return false;
        std::copy_backward(keys_.begin() + position, keys_.begin() + count, keys_.end());
        keys_[position] = key;
        note(key);
        return true;
    }
    /// Makes room for this many keys, to be filled. Returns false if out of memory.
    bool resize(std::size_t count) noexcept { return (count == 0 || reserve_bits()) && keys_.resize(count); }
    std::uint32_t* data() noexcept { return keys_.data(); }
    const std::uint32_t* data() const noexcept { return keys_.data(); }
    /// Called after they were filled. Returns false if they are not what `keys` could have returned.
    bool check_filled() noexcept {
        for (std::size_t i = 0; i < keys_.size(); ++i) {
            if (keys_[i] >> 16 > (keys_[i] & 0xFFFFu) || (i != 0 && keys_[i - 1] >= keys_[i])) return false;
            note(keys_[i]);
        }
        return true;
    }
    void shrink() noexcept {
        if (is_empty()) ruled_bits_.release();
        shrink_to_fit(keys_);
    }
    std::size_t capacity_bytes() const noexcept {
        return keys_.capacity_bytes() + ruled_bits_.capacity_bytes();
    }

private:
    static std::uint32_t key_of(std::uint32_t a, std::uint32_t b) noexcept {
        return std::min(a, b) << 16 | std::max(a, b);
    }
    bool reserve_bits() noexcept {
        if (!ruled_bits_.is_empty()) return true;
        if (!ruled_bits_.resize(bit_word_count(kLayerCount))) return false;
        std::fill(ruled_bits_.begin(), ruled_bits_.end(), 0);
        return true;
    }
    void note(std::uint32_t key) noexcept {
        set_bit(ruled_bits_, key >> 16, true);
        set_bit(ruled_bits_, key & 0xFFFFu, true);
    }

    AlignedArray<std::uint32_t> keys_;
    // Layers that a rule has named at any time.
    AlignedArray<std::uint64_t> ruled_bits_;
};

}  // namespace broadside::broadphase
