// Keys that put boxes near each other in space near each other in a list: size class, then Morton code.
#pragma once

#include <broadside/aabb.hpp>
#include <broadside/box_view.hpp>

namespace broadside::broadphase {

/// Where boxes lie and how large they are, guessed from a sample, and how that becomes bits. A wrong guess
/// costs time and nothing else.
class MortonCode {
public:
    /// Steps along the middle of the sample on each axis, so that outliers do not stretch them; what lies
    /// outside takes the first or the last step. `b` is null when there is one set.
    MortonCode(const BoxSoaView& a, const BoxSoaView* b) noexcept;

    /// The two topmost bits are the size class, so that a large box shares its leaf with boxes that are as
    /// large and does not blow up the bounds of small ones. Below them the bits of the steps, each taken from
    /// the axis on which what is left of space is longest: in turn where space is a cube, two axes of a flat
    /// one. For a valid box.
    std::uint32_t key(const Aabb& box) const noexcept;

private:
    // Enough for an axis that has all the bits, and for a float to hold the step.
    static constexpr int kBytesPerAxis = 3;

    struct Axis {
        float origin = 0;
        // Steps per unit of length, finite and above zero.
        float scale = 1;
        float last_step = 0;
        std::uint32_t byte_count = 0;
        // What each byte of the step adds to the key.
        std::uint32_t bits_of_byte[kBytesPerAxis][256];
    };

    void take_bits(const double (&ranges)[3]) noexcept;

    Axis axes_[3];
    // Longest side of the boxes of each size class but the last; ascending.
    float size_max_[3];
};

}  // namespace broadside::broadphase
