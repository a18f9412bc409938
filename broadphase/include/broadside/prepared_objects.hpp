// Objects made ready for a World by any thread, so that adding them takes little of the one that runs it.
#pragma once

#include <broadside/aligned_array.hpp>
#include <broadside/box_view.hpp>
#include <broadside/export.hpp>
#include <broadside/object.hpp>
#include <broadside/status.hpp>

#include <span>

namespace BROADSIDE_API broadside {

/// Descriptions that have been checked, and the boxes that pairs are found with. Knows no world: it may be prepared
/// while others run, and added to one of them, to several or again. Not for two threads at once. Grow-only memory.
class PreparedObjects {
public:
    explicit PreparedObjects(const Allocator& allocator = default_allocator()) noexcept;

    /// Takes the place of what was prepared before. invalid_argument for what World::add refuses, with the first
    /// item that is to blame; out_of_memory; then it holds nothing.
    BatchResult prepare(std::span<const ObjectDescription> descriptions) noexcept;
    /// Boxes that have all else in common; the box of `common` is not read.
    BatchResult prepare(const BoxSoaView& boxes, const ObjectDescription& common) noexcept;

    std::size_t count() const noexcept { return descriptions_.size(); }
    void clear() noexcept;
    std::size_t capacity_bytes() const noexcept;

    // For the sources of the library.

    const ObjectDescription* descriptions() const noexcept { return descriptions_.data(); }
    /// Swept and grown.
    BoxSoaView grown_boxes() const noexcept;

private:
    template <class Describe>
    BatchResult prepare_each(std::size_t count, const Describe& describe) noexcept;

    AlignedArray<ObjectDescription> descriptions_;
    AlignedArray<float> columns_[6];
};

}  // namespace broadside
