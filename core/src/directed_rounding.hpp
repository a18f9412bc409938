// Conversions that the processor itself rounds up or down.
#pragma once

#include <broadside/float_environment.hpp>

namespace broadside {

/// While it lives, its thread rounds in one direction, inside a FloatEnvironment; afterwards to nearest again. Compilers
/// know nothing of it, and take for granted that `-f(-x)` is `f(x)`: so it is for loops that read memory and write
/// memory, one conversion a number.
class DirectedRounding {
public:
    /// False where the processor has no directions, as that of WebAssembly.
    static constexpr bool kIsPossible = FloatEnvironment::kDownBits != FloatEnvironment::kUpBits;
    enum class Direction : std::uint8_t { down, up };

    BROADSIDE_FORCE_INLINE explicit DirectedRounding(Direction direction) noexcept {
        set(direction == Direction::down ? FloatEnvironment::kDownBits : FloatEnvironment::kUpBits);
    }
    BROADSIDE_FORCE_INLINE ~DirectedRounding() { set(FloatEnvironment::kDefaultBits); }
    DirectedRounding(const DirectedRounding&) = delete;
    DirectedRounding& operator=(const DirectedRounding&) = delete;

private:
    BROADSIDE_FORCE_INLINE static void set(FloatEnvironment::Word bits) noexcept {
        FloatEnvironment::keep_memory_in_place();
        const FloatEnvironment::Word word = FloatEnvironment::control_word();
        FloatEnvironment::set_control_word((word & ~FloatEnvironment::kDecidingBits) | bits);
        FloatEnvironment::keep_memory_in_place();
    }
};

}  // namespace broadside
