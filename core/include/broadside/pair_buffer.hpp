// Where pairs of indices go.
#pragma once

#include <broadside/aligned_array.hpp>
#include <broadside/status.hpp>

#include <cstdint>
#include <span>

namespace broadside {

/// Two indices. Within one set `first < second`; between two sets `first` indexes set a and `second` set b.
struct IndexPair {
    std::uint32_t first;
    std::uint32_t second;

    friend constexpr bool operator==(const IndexPair&, const IndexPair&) = default;
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes what is generated for a 0.
    friend constexpr auto operator<=>(const IndexPair&, const IndexPair&) = default;
};

/// A grow-only list of pairs, reused from frame to frame. An optional cap turns endless growth into
/// Status::capacity_exceeded.
class PairBuffer {
public:
    explicit PairBuffer(const Allocator& allocator = default_allocator()) noexcept : pairs_(allocator) {}

    std::size_t size() const noexcept { return pairs_.size(); }
    bool is_empty() const noexcept { return pairs_.is_empty(); }
    std::size_t capacity() const noexcept { return pairs_.capacity(); }
    std::size_t capacity_bytes() const noexcept { return pairs_.capacity_bytes(); }
    const IndexPair* data() const noexcept { return pairs_.data(); }
    IndexPair* data() noexcept { return pairs_.data(); }
    const IndexPair& operator[](std::size_t index) const noexcept { return pairs_[index]; }
    const IndexPair* begin() const noexcept { return pairs_.begin(); }
    const IndexPair* end() const noexcept { return pairs_.end(); }
    std::span<const IndexPair> span() const noexcept { return {pairs_.data(), pairs_.size()}; }
    operator std::span<const IndexPair>() const noexcept { return span(); }

    void clear() noexcept { pairs_.clear(); }
    /// Gives the memory back.
    void release() noexcept { pairs_.release(); }
    /// Most pairs that a call may put here. Default: no cap but memory.
    std::size_t max_size() const noexcept { return max_size_; }
    void set_max_size(std::size_t max_size) noexcept { max_size_ = max_size; }

    /// The array underneath, for functions that fill the buffer.
    AlignedArray<IndexPair>& storage() noexcept { return pairs_; }

private:
    AlignedArray<IndexPair> pairs_;
    std::size_t max_size_ = static_cast<std::size_t>(-1);
};

}  // namespace broadside
