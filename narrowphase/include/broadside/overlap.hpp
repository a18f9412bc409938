// Static overlap of boxes in batches; the single test is `overlap(a, b)` in aabb.hpp.
#pragma once

#include <broadside/aabb.hpp>
#include <broadside/bits.hpp>
#include <broadside/box_view.hpp>
#include <broadside/export.hpp>
#include <broadside/pair_buffer.hpp>

#include <span>

namespace BROADSIDE_API broadside {

// Every query of the narrowphase has one function for a single item, and batches of one name: `overlap` and
// `overlaps`, `closest_point` and `closest_points`, `first_impact` and `times_of_impact`, `obb_contact` and
// `obb_contacts`, `ray_box` and `ray_boxes`, `bounds`. The arguments of a batch select its items:
// - a value and a view: the value against each item of the view;
// - two views and pairs: `first` of a pair is an index into the first view, `second` into the second; both
//   may be the same view. An index out of range returns invalid_argument and is reported in `bad_index`;
// - a value, a view and indices: the value against the items that the indices list, in that order.
// Result i is that of the single function for item i, bit for bit, on every ISA and however a batch is cut.
// Results that are bits have item i in bit i % 64 of word i / 64, and zeros past the last item. Outputs hold
// one result for each item (bit_word_count(items) words), else capacity_exceeded. An optional output may be
// empty and is then not written. A view that has a count and lacks a column, or a policy that is no
// enumerator, returns invalid_argument. Nothing is written unless the status is ok. Outputs must not overlap
// inputs. Pure, thread-safe, O(items).

/// One box against many: bit i % 64 of word i / 64 is `overlap(box, boxes[i])`.
BatchResult overlaps(const Aabb& box, const BoxSoaView& boxes, std::span<std::uint64_t> out_bits) noexcept;

/// Pairs by index: bit i is `overlap(a[pairs[i].first], b[pairs[i].second])`.
BatchResult overlaps(const BoxSoaView& a, const BoxSoaView& b, std::span<const IndexPair> pairs,
                     std::span<std::uint64_t> out_bits) noexcept;

}  // namespace broadside
