// Static overlap of boxes in batches; the single question is `overlap(a, b)` in aabb.hpp.
#pragma once

#include <broadside/aabb.hpp>
#include <broadside/bits.hpp>
#include <broadside/box_view.hpp>
#include <broadside/export.hpp>
#include <broadside/pair_buffer.hpp>

#include <span>

namespace BROADSIDE_API broadside {

/// One box against many: bit i % 64 of word i / 64 is `overlap(box, boxes[i])`; bits past the last box are
/// zero. `out_bits` needs bit_word_count(boxes.count) words, else capacity_exceeded and nothing is written.
/// O(count).
BatchResult overlap_boxes(const Aabb& box, const BoxSoaView& boxes,
                          std::span<std::uint64_t> out_bits) noexcept;

/// Pairs by index: bit i is `overlap(a[pairs[i].first], b[pairs[i].second])`. `a` and `b` may be the same
/// view. An index out of range answers invalid_argument with the pair's place, and nothing is written.
/// O(pairs).
BatchResult overlap_pairs(const BoxSoaView& a, const BoxSoaView& b, std::span<const IndexPair> pairs,
                          std::span<std::uint64_t> out_bits) noexcept;

}  // namespace broadside
