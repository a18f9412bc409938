// Appends blocks of pairs to whatever the caller named as output, and keeps count of what did not fit.
#pragma once

#include "broadphase/src/lists/pair_filter.hpp"

#include <broadside/pair_output.hpp>

#include <cstring>

namespace broadside::broadphase {

class PairWriter {
public:
    /// Empties a buffer. Pairs that do not pass `filter` are dropped uncounted; null lets all pass.
    PairWriter(const PairOutput& output, const PairFilter* filter) noexcept : output_(output) {
        set_filter(filter);
        if (output_.buffer() != nullptr) output_.buffer()->clear();
    }

    /// Writes what fits. ok also when something did not fit; out_of_memory when the buffer could not grow.
    /// `may_touch` as PairFilter has it.
    Status write(std::span<const IndexPair> pairs, bool may_touch = true) noexcept {
        if (filter_ == nullptr) return write_filtered(pairs);
        constexpr std::size_t kBlock = 512;
        IndexPair kept[kBlock];
        for (std::size_t begin = 0; begin < pairs.size(); begin += kBlock) {
            const std::size_t count = pairs.size() - begin < kBlock ? pairs.size() - begin : kBlock;
            const Status status =
                write_filtered({kept, filter_->keep(pairs.data() + begin, count, kept, may_touch)});
            if (status != Status::ok) return status;
        }
        return Status::ok;
    }

    /// The filter that tasks apply before they hand pairs to write_filtered or claim; null when there is
    /// none.
    const PairFilter* filter() const noexcept { return filter_; }
    void set_filter(const PairFilter* filter) noexcept {
        filter_ = filter != nullptr && !filter->is_empty() ? filter : nullptr;
    }

    /// As write, for pairs that have passed the filter.
    Status write_filtered(std::span<const IndexPair> pairs) noexcept {
        if (output_.is_sink()) {
            required_ += pairs.size();
            written_ += pairs.size();
            if (!pairs.empty()) output_.sink().emit(output_.sink().user, pairs);
            return Status::ok;
        }
        std::span<IndexPair> room;
        const Status status = claim(pairs.size(), room);
        if (!room.empty()) std::memcpy(room.data(), pairs.data(), room.size_bytes());
        return status;
    }

    /// Pairs must come by write.
    bool is_sink() const noexcept { return output_.is_sink(); }

    /// Whether so many more would all go to memory of the output, if there is enough. Not so for a sink.
    bool has_room(std::size_t count) const noexcept {
        if (output_.is_sink()) return false;
        const PairBuffer* const buffer = output_.buffer();
        return count <= (buffer != nullptr ? buffer->max_size() : output_.span().size()) - written_;
    }

    /// Counts the next `count` pairs as written as far as they fit, and gives the room for those, for the
    /// caller to fill. Not for a sink.
    Status claim(std::size_t count, std::span<IndexPair>& out_room) noexcept {
        BROADSIDE_ASSERT(!output_.is_sink(), "output: a sink has no room to claim");
        required_ += count;
        PairBuffer* const buffer = output_.buffer();
        const std::size_t room = (buffer != nullptr ? buffer->max_size() : output_.span().size()) - written_;
        const std::size_t fitting = count < room ? count : room;
        out_room = {};
        if (fitting == 0) return Status::ok;
        IndexPair* target = output_.span().data();
        if (buffer != nullptr) {
            AlignedArray<IndexPair>& storage = buffer->storage();
            if (!storage.reserve_to_append(fitting) || !storage.resize(written_ + fitting)) {
                return Status::out_of_memory;
            }
            target = storage.data();
        }
        out_room = {target + written_, fitting};
        written_ += fitting;
        return Status::ok;
    }

    /// Pairs seen, whether they fitted or not.
    std::size_t required() const noexcept { return required_; }

    /// Says in `out_result` how a search ended: with `status`, unless that is ok and something did not fit.
    template <class Result>
    void report(Status status, Result& out_result) const noexcept {
        out_result.status = status == Status::ok && written_ < required_ ? Status::capacity_exceeded : status;
        BROADSIDE_ASSERT(written_ <= required_, "output: more was written than found");
        out_result.written = written_;
        out_result.required = required_;
    }

private:
    PairOutput output_;
    const PairFilter* filter_ = nullptr;
    std::size_t written_ = 0;
    std::size_t required_ = 0;
};

}  // namespace broadside::broadphase
