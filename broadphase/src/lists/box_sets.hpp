// The one or two sets of boxes of a call.
#pragma once

#include <broadside/box_view.hpp>

namespace broadside::broadphase {

/// Refers to the caller's views.
struct BoxSets {
    const BoxSoaView& a;
    /// Null if there is one set, whose boxes pair with each other.
    const BoxSoaView* b = nullptr;

    bool is_one() const { return b == nullptr; }
    std::size_t count_b() const { return b != nullptr ? b->count : 0; }
    /// Boxes of both sets together.
    std::size_t box_count() const { return a.count + count_b(); }
    /// The set that second indices refer to.
    const BoxSoaView& second() const { return b != nullptr ? *b : a; }
    /// Box `index` of both sets together, set a first.
    Aabb operator[](std::size_t index) const { return index < a.count ? a[index] : (*b)[index - a.count]; }
};

}  // namespace broadside::broadphase
