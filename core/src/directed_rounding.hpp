// Conversions in which the processor itself rounds up or down.
#pragma once

#include <broadside/float_environment.hpp>

namespace broadside {

/// A scope in which the thread rounds in one direction, inside a FloatEnvironment. Its end restores rounding
/// to nearest. Compilers do not model it, and assume that `-f(-x)` is `f(x)`. So use it only for loops that
/// read memory and write memory, one conversion a number.
class DirectedRounding {
public:
    /// False if the processor has no rounding directions, such as WebAssembly.
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
