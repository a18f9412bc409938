// The description of an object of a World, and the handle that names it.
#pragma once

#include <broadside/aabb.hpp>

#include <compare>
#include <cstdint>

namespace broadside {

/// Names an object of one World: a slot in its arrays, and how often it was used. The handle of a removed
/// object never names another one: a slot whose count is used up is retired. The default names nothing.
struct ObjectHandle {
    /// Slot in the lower half, generation in the upper; the generation of a living object is odd.
    /// Aligned, so that structs with handles are laid out alike on 32-bit x86.
    alignas(8) std::uint64_t value = 0;

    /// Slot in the arrays; below World::slot_count.
    constexpr std::uint32_t slot() const noexcept { return static_cast<std::uint32_t>(value); }
    /// Counts each time the slot was taken or freed.
    constexpr std::uint32_t generation() const noexcept { return static_cast<std::uint32_t>(value >> 32); }
    /// True for the null handle, which names nothing in any world.
    constexpr bool is_null() const noexcept { return value == 0; }

    friend constexpr bool operator==(ObjectHandle, ObjectHandle) = default;
    friend constexpr auto operator<=>(ObjectHandle, ObjectHandle) = default;
};

/// How an object behaves. May change at any time: queries see it at once, pairs at the next update.
enum class ObjectKind : std::uint8_t {
    /// Expected to move in most frames.
    moving,
    /// A body that rests for now. It pairs like a moving one; an update looks at it only if it was changed.
    resting,
    /// Part of the world (static). Does not pair with other fixed objects, unless WorldSettings asks for it.
    fixed,
};

/// Number of layers: a layer is a 16-bit number.
inline constexpr std::uint32_t kLayerCount = 65536;

/// Rules for the objects that an object may pair with. All must agree, but a common group overrules masks.
struct ObjectFilter {
    /// The kinds of this object, as bits. Default: all.
    std::uint64_t category = ~std::uint64_t{0};
    /// The kinds that it pairs with; two objects pair if each has a category that the other's mask holds.
    std::uint64_t mask = ~std::uint64_t{0};
    /// Zero is no group. Two objects of the same positive group pair whatever their masks; two of the same
    /// negative group never pair.
    std::int32_t group = 0;
    /// The layer that layer rules name; see World::set_layers_pair.
    std::uint16_t layer = 0;

    friend constexpr bool operator==(const ObjectFilter&, const ObjectFilter&) = default;
};

/// An object of a World, as it is added.
struct ObjectDescription {
    /// May be infinite. An invalid box (see `is_valid`) pairs with nothing: quarantined until set again.
    Aabb box = {};
    /// Default moving.
    ObjectKind kind = ObjectKind::moving;
    /// Default: pairs with all.
    ObjectFilter filter = {};
    /// The caller's number. Also the order of the results if WorldSettings says so.
    std::uint64_t user_data = 0;
    /// Added on every side, in units of length: pairs last as long as the grown boxes overlap. Zero or more,
    /// else refused; infinity grows a valid box to all of space, which meets every valid box. Default none.
    float margin = 0;
    /// The box is swept along this vector, in units of length. Finite, else refused. Default zero.
    ///
    /// Boxes are swept, then grown, and rounded outwards both times, so that nothing within the margin is
    /// missed; if a sum is beyond FLT_MAX, they reach to infinity. An invalid box stays invalid.
    Vec3 displacement = {0, 0, 0};
};

}  // namespace broadside
