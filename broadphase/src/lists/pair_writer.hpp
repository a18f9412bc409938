// Appends blocks of pairs that pass a filter to the caller's output.
#pragma once

#include "broadphase/src/lists/pair_filter.hpp"
#include "core/src/list_writer.hpp"

#include <broadside/pair_output.hpp>

namespace broadside::broadphase {

class PairWriter : public ListWriter<IndexPair> {
public:
    /// Pairs that do not pass `filter` are dropped uncounted; null lets all pass.
    PairWriter(const PairOutput& output, const PairFilter* filter) noexcept : ListWriter(output) {
        set_filter(filter);
    }

    /// Like ListWriter::write; `are_marked` as in PairFilter.
    Status write(std::span<const IndexPair> pairs, bool are_marked = false) noexcept {
        if (filter_ == nullptr) return write_filtered(pairs);
        constexpr std::size_t kBlock = 512;
        IndexPair kept[kBlock];
        for (std::size_t begin = 0; begin < pairs.size(); begin += kBlock) {
            const std::size_t count = pairs.size() - begin < kBlock ? pairs.size() - begin : kBlock;
            const Status status =
                write_filtered({kept, filter_->keep(pairs.data() + begin, count, kept, are_marked)});
            if (status != Status::ok) return status;
        }
        return Status::ok;
    }
    /// Writes pairs that have passed the filter.
    Status write_filtered(std::span<const IndexPair> pairs) noexcept { return ListWriter::write(pairs); }

    /// The filter that tasks apply before they pass pairs to write_filtered or claim; null if there is none.
    const PairFilter* filter() const noexcept { return filter_; }
    void set_filter(const PairFilter* filter) noexcept {
        filter_ = filter != nullptr && !filter->is_empty() ? filter : nullptr;
    }

private:
    const PairFilter* filter_ = nullptr;
};

}  // namespace broadside::broadphase
