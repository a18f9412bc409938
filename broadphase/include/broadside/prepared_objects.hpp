// Objects that any thread prepares for a World, so that adding them takes little time on the world's thread.
#pragma once

#include <broadside/aligned_array.hpp>
#include <broadside/box_view.hpp>
#include <broadside/export.hpp>
#include <broadside/object.hpp>
#include <broadside/status.hpp>

#include <span>

namespace BROADSIDE_API broadside {

/// Checked descriptions, and the boxes that pairs are found with. It knows no world: it may be prepared while
/// worlds run, and added to one or several of them, or again. Not for two threads at once. Grow-only memory.
class PreparedObjects {
public:
    explicit PreparedObjects(const Allocator& allocator = default_allocator()) noexcept;

    /// Prepares objects and replaces those prepared before. invalid_argument for anything that World::add
    /// refuses, with the same bad_index, or out_of_memory; then it holds nothing.
    BatchResult prepare(std::span<const ObjectDescription> descriptions) noexcept;
    /// Prepares objects that differ only in their boxes; the box of `common` is not read.
    BatchResult prepare(const BoxSoaView& boxes, const ObjectDescription& common) noexcept;

    std::size_t count() const noexcept { return descriptions_.size(); }
    void clear() noexcept;
    std::size_t capacity_bytes() const noexcept;

    // For the sources of the library.

    const ObjectDescription* descriptions() const noexcept { return descriptions_.data(); }
    /// The swept and grown boxes.
    BoxSoaView grown_boxes() const noexcept;

private:
    template <class Describe>
    BatchResult prepare_each(std::size_t count, const Describe& describe) noexcept;

    AlignedArray<ObjectDescription> descriptions_;
    AlignedArray<float> columns_[6];
};

}  // namespace broadside
