// Times of impact of moving boxes in batches.
#include <broadside/float_environment.hpp>
#include <broadside/moving_aabb.hpp>

#include "narrowphase/src/moving_box/check.hpp"
#include "narrowphase/src/moving_box/kernels.hpp"

namespace broadside {

using narrowphase::BatchCall;
using narrowphase::pointer_or_null;

BatchResult times_of_impact(const MovingBoxes& a, const MovingBoxes& b, Touch touch, std::span<float> out_toi,
                            std::span<Face> out_faces) noexcept {
    const FloatEnvironment environment;
    BatchCall batch;
    check(batch, a);
    check(batch, b);
    return batch.legal(a.shapes.count == b.shapes.count, "b: not as many boxes as a")
        .policy(touch)
        .holds(out_toi, a.shapes.count)
        .holds_if_wanted(out_faces, a.shapes.count)
        .run<narrowphase::MovingAabbKernels>([&](const auto& kernels) {
            kernels.streams(a, b, touch, out_toi.data(), pointer_or_null(out_faces));
        });
}

BatchResult times_of_impact(const MovingBoxes& a, const MovingBoxes& b, std::span<const IndexPair> pairs,
                            Touch touch, std::span<float> out_toi, std::span<Face> out_faces) noexcept {
    const FloatEnvironment environment;
    BatchCall batch;
    check(batch, a);
    check(batch, b);
    return batch.policy(touch)
        .holds(out_toi, pairs.size())
        .holds_if_wanted(out_faces, pairs.size())
        .in_range(pairs, a.shapes.count, b.shapes.count)
        .run<narrowphase::MovingAabbKernels>([&](const auto& kernels) {
            kernels.pairs(a, b, pairs.data(), pairs.size(), touch, out_toi.data(),
                          pointer_or_null(out_faces));
        });
}

BatchResult times_of_impact(const Aabb& mover, Vec3 displacement, const BoxSoaView& resting, Touch touch,
                            std::span<float> out_toi, std::span<Face> out_faces) noexcept {
    const FloatEnvironment environment(displacement);
    return BatchCall()
        .readable(resting, "resting: a column is null though the count is not 0")
        .policy(touch)
        .holds(out_toi, resting.count)
        .holds_if_wanted(out_faces, resting.count)
        .run<narrowphase::OneMoverKernels>([&](const auto& kernels) {
            kernels.boxes(mover, displacement, resting, touch, out_toi.data(), pointer_or_null(out_faces));
        });
}

}  // namespace broadside
