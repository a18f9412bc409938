// A BoxTree over boxes of other numbers than float, or with two axes, that decides on the original numbers.
#pragma once

#include <broadside/box_tree.hpp>
#include <broadside/exact_boxes.hpp>

namespace broadside::broadphase {
template <class Number>
struct AxisMaps;
}

namespace BROADSIDE_API broadside {

/// Finds the boxes that a box or a point overlaps, and the pairs of its boxes that overlap: closed intervals
/// of valid boxes, compared exactly as the numbers that they are. It is a BoxTree of floats that ascend with
/// the numbers (see find_pairs in exact_boxes.hpp) beside a copy of the numbers, and promises what a BoxTree
/// does.
///
/// It has overlaps of boxes and points alone: an exact overlap compares given numbers, and the result is a
/// bit. The entry point of a ray and the distance of a box are numbers that must be rounded, of products that
/// no type here holds, and the floats of this tree keep order and no distances. Use a BoxTree of floats for
/// such queries.
template <BoxNumber Number>
class ExactBoxTree {
public:
    explicit ExactBoxTree(const Allocator& allocator = default_allocator()) noexcept;

    /// Sorts the boxes into a new tree. Returns ok; invalid_argument like find_pairs, and the tree is as
    /// before; out_of_memory or unsupported_isa, and it is empty. The allocator is not called if as many
    /// boxes were built before. Six numbers a box (four with two axes) and 135 to 160 bytes, two numbers for
    /// each axis that counts numbers, and 10 KB.
    Status build(const ExactBoxView<Number>& boxes, const TaskRunner* runner = nullptr) noexcept;

    std::size_t box_count() const noexcept { return tree_.box_count(); }
    /// Boxes that took no part because they are invalid.
    InvalidBoxes invalid_boxes() const noexcept { return tree_.invalid_boxes(); }
    /// Number of axes of the boxes; 3 if there are none.
    std::uint32_t axis_count() const noexcept { return shape_.axis_count; }
    /// The copy of the boxes, in rows, invalid ones unchanged.
    ExactBoxView<Number> boxes() const noexcept {
        return ExactBoxView<Number>::rows(rows_.data(), box_count(), axis_count());
    }
    std::size_t capacity_bytes() const noexcept;
    void clear() noexcept;

    // A query is a box; a point is a box with equal corners. Queries have the axis_count of the tree, else
    // the status is invalid_argument, as for the errors that BoxTree names. An invalid query finds nothing.

    /// Lists all boxes that each of the queries overlaps: pairs of the query and the box.
    WriteResult find_overlaps(const ExactBoxView<Number>& queries, const TreeQuerySettings& settings,
                              BoxScratch& scratch, const PairOutput& out_pairs) const noexcept;
    /// Tests whether each query overlaps any box: bit i % 64 of word i / 64, zeros past the last query.
    BatchResult any_overlap(const ExactBoxView<Number>& queries, const TreeQuerySettings& settings,
                            BoxScratch& scratch, std::span<std::uint64_t> out_bits) const noexcept;
    /// Lists all i < j of boxes that overlap.
    WriteResult find_pairs(const FindPairsSettings& settings, BoxScratch& scratch,
                           const PairOutput& out_pairs) const noexcept;

private:
    BoxTree tree_;
    AlignedArray<Number> rows_;
    // The maps, the numbers that axes count, and the boxes as floats during a build.
    AlignedArray<std::byte> memory_;
    struct Shape {
        std::uint32_t axis_count = 3;
        // True if floats leave pairs of boxes undecided.
        bool is_lossy = false;
        // The maps from numbers to floats; in memory_, and null before there are boxes.
        const broadphase::AxisMaps<Number>* maps = nullptr;
    };
    ResetOnMove<Shape> shape_;
};

extern template class ExactBoxTree<float>;
extern template class ExactBoxTree<double>;
extern template class ExactBoxTree<std::int32_t>;
extern template class ExactBoxTree<std::int64_t>;

}  // namespace broadside
