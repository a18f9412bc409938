// A BoxTree over boxes of other numbers than float, or with two axes, that decides on the numbers as they are
// given.
#pragma once

#include <broadside/box_tree.hpp>
#include <broadside/exact_boxes.hpp>

namespace broadside::broadphase {
template <class Number>
struct AxisMaps;
}

namespace BROADSIDE_API broadside {

/// Memory for questions to an ExactBoxTree: see TreeScratch, which it holds. With a runner its allocator is called from
/// the runner's threads.
struct ExactTreeScratch {
    explicit ExactTreeScratch(const Allocator& allocator = default_allocator()) noexcept
        : search(allocator), rounded(allocator) {}

    std::size_t capacity_bytes() const noexcept { return search.capacity_bytes() + rounded.capacity_bytes(); }
    /// Gives all memory back.
    void release() noexcept {
        search.release();
        rounded.release();
    }

    /// What the tree of floats works in.
    TreeScratch search;
    /// The queries as floats; to a caller it means nothing.
    AlignedArray<Aabb> rounded;
};

/// Which boxes a box or a point overlaps, and which of them overlap each other: closed intervals between valid
/// boxes, compared as the numbers that they are. It is a BoxTree of floats that ascend with the numbers (see
/// find_pairs in exact_boxes.hpp) beside a copy of the numbers, and promises what a BoxTree does.
///
/// It answers overlaps alone, of boxes and points: there exact means comparing numbers that were given, and the
/// answer is a bit. Where a ray enters and how far a box is are numbers that have to be rounded, of products that
/// no type here holds, and the floats of this tree keep order and no distances; such questions are for a BoxTree of
/// floats.
template <BoxNumber Number>
class ExactBoxTree {
public:
    explicit ExactBoxTree(const Allocator& allocator = default_allocator()) noexcept;

    /// Sorts the boxes into a new tree. ok; invalid_argument as find_pairs has it, and the tree is as before;
    /// out_of_memory or unsupported_isa, and it is empty. The allocator is not called when as many boxes were
    /// built before. Six numbers a box and 94 bytes (four and 94 with two axes), 33 more while it builds, two
    /// numbers for each axis that counts numbers, and 10 KB.
    Status build(const ExactBoxView<Number>& boxes, const TaskRunner* runner = nullptr) noexcept;

    std::size_t box_count() const noexcept { return tree_.box_count(); }
    /// Boxes that took no part.
    InvalidBoxes invalid_boxes() const noexcept { return tree_.invalid_boxes(); }
    /// That of the boxes; 3 without any.
    std::uint32_t axis_count() const noexcept { return shape_.axis_count; }
    /// The copy of the boxes, in rows, invalid ones as they were given.
    ExactBoxView<Number> boxes() const noexcept {
        return ExactBoxView<Number>::rows(rows_.data(), box_count(), axis_count());
    }
    std::size_t capacity_bytes() const noexcept;
    void clear() noexcept;

    // A query is a box, and a point a box whose corners are the same. Queries have the axis_count of the tree,
    // else the answer is invalid_argument, as it is where BoxTree says so. An invalid query finds nothing.

    /// All boxes that each of the queries overlaps: pairs of the query and the box.
    WriteResult find_overlaps(const ExactBoxView<Number>& queries, const TreeQuerySettings& settings,
                              ExactTreeScratch& scratch, const PairOutput& out_pairs) const noexcept;
    /// Whether there is one: bit i % 64 of word i / 64; words for all queries, bits past the last are zero.
    BatchResult any_overlap(const ExactBoxView<Number>& queries, const TreeQuerySettings& settings,
                            ExactTreeScratch& scratch, std::span<std::uint64_t> out_bits) const noexcept;
    /// All i < j of boxes that overlap.
    WriteResult find_pairs(const TreePairSettings& settings, ExactTreeScratch& scratch,
                           const PairOutput& out_pairs) const noexcept;

private:
    BoxTree tree_;
    AlignedArray<Number> rows_;
    // The maps, the numbers that axes count, and the boxes as floats while the tree builds.
    AlignedArray<std::byte> memory_;
    struct Shape {
        std::uint32_t axis_count = 3;
        // Floats do not decide all pairs of boxes.
        bool is_lossy = false;
        // How numbers become floats; in the memory, and null before there are boxes.
        const broadphase::AxisMaps<Number>* maps = nullptr;
    };
    ResetOnMove<Shape> shape_;
};

extern template class ExactBoxTree<float>;
extern template class ExactBoxTree<double>;
extern template class ExactBoxTree<std::int32_t>;
extern template class ExactBoxTree<std::int64_t>;

}  // namespace broadside
