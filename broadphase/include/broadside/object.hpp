// What a World knows of an object, and the handle that names it.
#pragma once

#include <broadside/aabb.hpp>

#include <compare>
#include <cstdint>

namespace broadside {

/// Names an object of one World: a slot in its arrays, and how often the slot was used. A handle of a
/// removed object never becomes that of another: a slot whose count is used up is retired. The default one
/// names nothing.
struct ObjectHandle {
    /// Slot in the lower half, generation in the upper; the generation of a living object is odd.
    /// Aligned, so that structs with handles are laid out alike on 32-bit x86.
    alignas(8) std::uint64_t value = 0;

    /// Slot in the arrays; below World::slot_count.
    constexpr std::uint32_t slot() const noexcept { return static_cast<std::uint32_t>(value); }
    /// How often the slot was taken and left.
    constexpr std::uint32_t generation() const noexcept { return static_cast<std::uint32_t>(value >> 32); }
    /// Whether it names nothing in any world.
    constexpr bool is_null() const noexcept { return value == 0; }

    friend constexpr bool operator==(ObjectHandle, ObjectHandle) = default;
    friend constexpr auto operator<=>(ObjectHandle, ObjectHandle) = default;
};

/// How an object behaves. The kind may change at any time: for queries at once, for pairs at the next update.
enum class ObjectKind : std::uint8_t {
    /// Expected to move in most frames.
    moving,
    /// A body that rests for now. Pairs like a moving one; the update looks at it only when it was changed.
    resting,
    /// Part of the world (static). Does not pair with other fixed objects, unless WorldSettings asks for it.
    fixed,
};

/// Layers are numbers of 16 bits.
inline constexpr std::uint32_t kLayerCount = 65536;

/// Which objects an object may pair with. All rules must agree, except that a common group overrules the
/// masks.
struct ObjectFilter {
    /// The kinds of object that this one is of, as bits. Default: all.
    std::uint64_t category = ~std::uint64_t{0};
    /// The kinds that it pairs with; two objects pair when each has a category that the other's mask holds.
    std::uint64_t mask = ~std::uint64_t{0};
    /// Zero is no group. Two objects of one positive group pair whatever their masks, of one negative group
    /// never.
    std::int32_t group = 0;
    /// What rules for layers name; see World::set_layers_pair.
    std::uint16_t layer = 0;

    friend constexpr bool operator==(const ObjectFilter&, const ObjectFilter&) = default;
};

/// An object of a World, as it is added.
struct ObjectDescription {
    /// May be infinite. An invalid one (see `is_valid`) pairs with nothing and is quarantined until it is set
    /// again.
    Aabb box = {};
    /// Default moving.
    ObjectKind kind = ObjectKind::moving;
    /// Default: pairs with all.
    ObjectFilter filter = {};
    /// The caller's. Also the order of the results, where WorldSettings says so.
    std::uint64_t user_data = 0;
    /// Added on every side, units of length: pairs live as long as the grown boxes overlap. Zero or more,
    /// else refused; infinity grows a valid box to all of space, which meets every valid box. Default none.
    float margin = 0;
    /// The box is swept along this vector, units of length. Finite, else refused. Default zero.
    ///
    /// Boxes are swept, then grown, and rounded outwards both times, so that nothing within the margin is missed;
    /// where a sum is beyond FLT_MAX they reach to infinity. An invalid
    /// box stays invalid.
    Vec3 displacement = {0, 0, 0};
};

}  // namespace broadside
