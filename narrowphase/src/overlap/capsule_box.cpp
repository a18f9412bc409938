// Capsules against boxes, single and in batches.
#include "core/src/geometry/capsule_box.hpp"

#include <broadside/capsule_box.hpp>
#include <broadside/float_environment.hpp>

#include "narrowphase/src/batch/call.hpp"
#include "narrowphase/src/overlap/kernels.hpp"

namespace broadside {

using narrowphase::BatchCall;
using narrowphase::OverlapKernels;

bool overlap(const Capsule& capsule, const Aabb& box) noexcept {
    const FloatEnvironment environment;
    return FloatEnvironment::result(geometry::capsule_box_overlap(capsule, box));
}

BatchResult overlaps(const Capsule& capsule, const BoxSoaView& boxes,
                     std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    return BatchCall()
        .readable(boxes, "boxes: a column is null though the count is not 0")
        .holds_bits(out_bits, boxes.count)
        .run<OverlapKernels>([&](const auto& kernels) {
            const Aabb around = is_valid(capsule) ? geometry::bounds_outwards(capsule) : Aabb::empty();
            kernels.boxes(around, boxes, out_bits.data());
            for (std::size_t word = 0; word < bit_word_count(boxes.count); ++word) {
                for (std::uint64_t rest = out_bits[word]; rest != 0; rest &= rest - 1) {
                    const auto bit = static_cast<std::size_t>(__builtin_ctzll(rest));
                    if (!geometry::capsule_box_overlap(capsule, boxes[64 * word + bit]))
                        out_bits[word] &= ~(std::uint64_t{1} << bit);
                }
            }
        });
}

Impact first_impact(const Aabb& stationary, const Capsule& moving, Vec3 displacement) noexcept {
    const FloatEnvironment environment(displacement);
    const geometry::CapsuleBoxImpact impact =
        geometry::capsule_cast_hit(moving, displacement, 1.0f, stationary);
    return FloatEnvironment::result(Impact{impact.toi, impact.face});
}

}  // namespace broadside
