// Boxes that the cells algorithm defers to a grid of their own: those of an overfull cell, or large boxes.
#pragma once

#include "broadphase/src/cells/store.hpp"

namespace broadside::broadphase {

/// Boxes still to be compared with each other, in the columns that plan and scatter read.
struct DeferredBoxes {
    BoxSoaView boxes;
    /// For each box: its id, and its tag, which holds its set and its homes in the outer grids.
    const std::uint32_t* ids;
    const std::uint32_t* tags;
    std::uint32_t depth;
};

/// A first-in, first-out queue of runs: a header record with length and depth, then the records of the boxes.
class DeferredQueue {
public:
    explicit DeferredQueue(AlignedArray<std::byte>& memory) noexcept : memory_(memory) { memory_.clear(); }

    bool is_empty() const { return read_bytes_ == memory_.size(); }

    /// Appends a run of `count` records; `for_each_record(take)` calls `take(record)`. Returns false if out
    /// of memory.
    template <class ForEachRecord>
    [[nodiscard]] bool push(std::uint32_t depth, std::size_t count,
                            ForEachRecord&& for_each_record) noexcept {
        const std::size_t begin = memory_.size();
        const std::size_t bytes = (count + 1) * sizeof(CellRecord);
        if (!memory_.append(bytes)) return false;
        CellRecord header = {};
        header.id = static_cast<std::uint32_t>(count);
        header.tag = depth;
        std::byte* next = memory_.data() + begin;
        const auto take = [&](const CellRecord& record) {
            std::memcpy(next, &record, sizeof record);
            next += sizeof record;
        };
        take(header);
        for_each_record(take);
        return true;
    }

    /// Takes the oldest run and copies it to `memory`, where `out_boxes` points until `memory` changes.
    [[nodiscard]] bool pop(AlignedArray<std::byte>& memory, DeferredBoxes& out_boxes) noexcept;

private:
    AlignedArray<std::byte>& memory_;
    std::size_t read_bytes_ = 0;
};

/// Stores records as columns in `memory`; `for_each_record(take)` as above. Returns false if out of memory.
template <class ForEachRecord>
[[nodiscard]] bool gather_records(AlignedArray<std::byte>& memory, std::size_t count, std::uint32_t depth,
                                  ForEachRecord&& for_each_record, DeferredBoxes& out_boxes) noexcept {
    float* columns[6] = {};
    std::uint32_t* ids = nullptr;
    std::uint32_t* tags = nullptr;
    if (!reserve_arrays(memory, [&](Arena& arena) {
            for (float*& column : columns) column = arena.reserve<float>(count);
            ids = arena.reserve<std::uint32_t>(count);
            tags = arena.reserve<std::uint32_t>(count);
        })) {
        return false;
    }
    std::size_t index = 0;
    for_each_record([&](const CellRecord& record) {
        for (int axis = 0; axis < 3; ++axis) {
            columns[axis][index] = record.min[axis];
            columns[axis + 3][index] = record.max[axis];
        }
        ids[index] = record.id;
        tags[index] = record.tag;
        ++index;
    });
    out_boxes = {
        {columns[0], columns[1], columns[2], columns[3], columns[4], columns[5], count}, ids, tags, depth};
    return true;
}

inline bool DeferredQueue::pop(AlignedArray<std::byte>& memory, DeferredBoxes& out_boxes) noexcept {
    const auto* run = reinterpret_cast<const CellRecord*>(memory_.data() + read_bytes_);
    const std::size_t count = run->id;
    read_bytes_ += (count + 1) * sizeof(CellRecord);
    return gather_records(
        memory, count, run->tag,
        [&](auto&& take) {
            for (std::size_t k = 1; k <= count; ++k) take(run[k]);
        },
        out_boxes);
}

}  // namespace broadside::broadphase
