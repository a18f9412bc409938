// Times of impact of moving spheres, single and in batches.
#include <broadside/float_environment.hpp>
#include <broadside/moving_sphere.hpp>

#include "narrowphase/src/batch/call.hpp"
#include "narrowphase/src/sphere/kernels.hpp"
#include "narrowphase/src/sphere/moving_sphere_scalar.hpp"

namespace broadside {
using narrowphase::BatchCall;
using narrowphase::MovingSphereKernels;

namespace {

void check(BatchCall& batch, const MovingSpheres& moving) noexcept {
    batch.readable(moving.shapes, "shapes: a column is null though the count is not 0")
        .readable(moving.displacements, "displacements: a column is null though the count is not 0")
        .none_or_one_each(moving.displacements.count, moving.shapes.count,
                          "displacements: neither none nor one per sphere");
}

}  // namespace

float time_of_impact(const Sphere& a, const Sphere& b, Vec3 displacement_a, Vec3 displacement_b) noexcept {
    const FloatEnvironment environment(displacement_a, displacement_b);
    return FloatEnvironment::result(narrowphase::sphere_impact_scalar(a, b, displacement_a, displacement_b));
}

BatchResult times_of_impact(const Sphere& sphere, Vec3 displacement, const MovingSpheres& others,
                            std::span<float> out_toi) noexcept {
    const FloatEnvironment environment(displacement);
    BatchCall batch;
    check(batch, others);
    return batch.holds(out_toi, others.shapes.count).run<MovingSphereKernels>([&](const auto& kernels) {
        kernels.one(sphere, displacement, others, out_toi.data());
    });
}

BatchResult times_of_impact(const MovingSpheres& a, const MovingSpheres& b,
                            std::span<float> out_toi) noexcept {
    const FloatEnvironment environment;
    BatchCall batch;
    check(batch, a);
    check(batch, b);
    return batch.legal(a.shapes.count == b.shapes.count, "b: not as many spheres as a")
        .holds(out_toi, a.shapes.count)
        .run<MovingSphereKernels>([&](const auto& kernels) { kernels.streams(a, b, out_toi.data()); });
}

BatchResult times_of_impact(const MovingSpheres& a, const MovingSpheres& b, std::span<const IndexPair> pairs,
                            std::span<float> out_toi) noexcept {
    const FloatEnvironment environment;
    BatchCall batch;
    check(batch, a);
    check(batch, b);
    return batch.holds(out_toi, pairs.size())
        .in_range(pairs, a.shapes.count, b.shapes.count)
        .run<MovingSphereKernels>(
            [&](const auto& kernels) { kernels.pairs(a, b, pairs.data(), pairs.size(), out_toi.data()); });
}

}  // namespace broadside
