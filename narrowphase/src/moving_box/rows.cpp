// Owners of prepared rows, and times of impact of pairs of them.
#include <broadside/float_environment.hpp>
#include <broadside/moving_aabb_rows.hpp>

#include "narrowphase/src/moving_box/check.hpp"
#include "narrowphase/src/moving_box/kernels.hpp"
#include "narrowphase/src/moving_box/rows_scalar.hpp"

namespace broadside {

using narrowphase::BatchCall;
using narrowphase::BodyBoxRow;
using narrowphase::MovingAabbRowsKernels;
using narrowphase::MovingBoxRow;
using narrowphase::pointer_or_null;
using narrowphase::RestingBoxRow;

namespace {

// Rows for `count` boxes, in whole groups so that no kernel has to write a part of one; then
// `call(kernels, rows)`.
template <class Row, class Call>
Status prepare_rows(BatchCall& batch, std::size_t count, AlignedArray<std::byte>& rows,
                    Call&& call) noexcept {
    constexpr std::size_t kGroup = narrowphase::kRowGroup;
    constexpr std::size_t kMaxCount = (static_cast<std::size_t>(-1) - kGroup) / sizeof(Row) - kGroup;
    Status status = Status::ok;
    const BatchResult result = batch.run<MovingAabbRowsKernels>([&](const auto& kernels) {
        const bool has_memory = count <= kMaxCount &&
                                rows.reserve((count + kGroup - 1) / kGroup * kGroup * sizeof(Row)) &&
                                rows.resize(count * sizeof(Row));
        if (has_memory)
            call(kernels, reinterpret_cast<Row*>(rows.data()));
        else
            status = Status::out_of_memory;
    });
    return result.status == Status::ok ? status : result.status;
}

}  // namespace

Status RestingBoxRows::prepare(const BoxSoaView& boxes) noexcept {
    const FloatEnvironment environment;
    rows_.clear();
    BatchCall batch;
    batch.readable(boxes, "boxes: a column is null though the count is not 0");
    return prepare_rows<RestingBoxRow>(
        batch, boxes.count, rows_,
        [&](const auto& kernels, RestingBoxRow* rows) { kernels.prepare_resting(boxes, rows); });
}

Status MovingBoxRows::prepare(const MovingBoxes& movers, Touch touch) noexcept {
    const FloatEnvironment environment;
    rows_.clear();
    policy_.touch = touch;
    BatchCall batch;
    check(batch, movers);
    batch.policy(touch);
    return prepare_rows<MovingBoxRow>(
        batch, movers.shapes.count, rows_,
        [&](const auto& kernels, MovingBoxRow* rows) { kernels.prepare_movers(movers, touch, rows); });
}

Status BodyBoxRows::prepare(const MovingBoxes& bodies) noexcept {
    const FloatEnvironment environment;
    rows_.clear();
    BatchCall batch;
    check(batch, bodies);
    return prepare_rows<BodyBoxRow>(
        batch, bodies.shapes.count, rows_,
        [&](const auto& kernels, BodyBoxRow* rows) { kernels.prepare_bodies(bodies, rows); });
}

BatchResult times_of_impact(const RestingBoxRows& resting, const MovingBoxRows& movers,
                            std::span<const IndexPair> pairs, std::span<float> out_toi,
                            std::span<Face> out_faces) noexcept {
    const FloatEnvironment environment;
    return BatchCall()
        .holds(out_toi, pairs.size())
        .holds_if_wanted(out_faces, pairs.size())
        .in_range(pairs, resting.count(), movers.count())
        .run<MovingAabbRowsKernels>([&](const auto& kernels) {
            kernels.pairs(resting.data(), movers.data(), pairs.data(), pairs.size(), movers.touch(),
                          out_toi.data(), pointer_or_null(out_faces));
        });
}

BatchResult times_of_impact(const BodyBoxRows& a, const BodyBoxRows& b, std::span<const IndexPair> pairs,
                            Touch touch, std::span<float> out_toi, std::span<Face> out_faces) noexcept {
    const FloatEnvironment environment;
    return BatchCall()
        .policy(touch)
        .holds(out_toi, pairs.size())
        .holds_if_wanted(out_faces, pairs.size())
        .in_range(pairs, a.count(), b.count())
        .run<MovingAabbRowsKernels>([&](const auto& kernels) {
            kernels.body_pairs(a.data(), b.data(), pairs.data(), pairs.size(), touch, out_toi.data(),
                               pointer_or_null(out_faces));
        });
}

}  // namespace broadside
