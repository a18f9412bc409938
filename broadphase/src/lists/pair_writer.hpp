// Appends blocks of pairs to whatever the caller named as output, and keeps count of what did not fit.
#pragma once

#include "broadphase/src/lists/pair_filter.hpp"

#include <broadside/pair_output.hpp>
#include <broadside/pair_position.hpp>

#include <cstring>

namespace broadside::broadphase {

class PairWriter {
public:
    /// Empties a buffer. Pairs that do not pass `filter` are dropped uncounted; null lets all pass. The list
    /// is written from where `begin` is; when its length is known, nothing is looked for behind the end of
    /// the output.
    PairWriter(const PairOutput& output, const PairFilter* filter, const PairPosition& begin = {}) noexcept
        : output_(output),
          skip_left_(static_cast<std::size_t>(begin.pair_count)),
          is_length_known_(begin.list_length != PairPosition::kUnknown) {
        set_filter(filter);
        if (output_.buffer() != nullptr) output_.buffer()->clear();
    }

    /// Writes what fits. ok also when something did not fit; out_of_memory when the buffer could not grow;
    /// capacity_exceeded when nothing more will fit and nothing need be counted.
    Status write(std::span<const IndexPair> pairs) noexcept {
        if (filter_ == nullptr) return write_filtered(pairs);
        constexpr std::size_t kBlock = 512;
        IndexPair kept[kBlock];
        for (std::size_t begin = 0; begin < pairs.size(); begin += kBlock) {
            const std::size_t count = pairs.size() - begin < kBlock ? pairs.size() - begin : kBlock;
            const Status status = write_filtered({kept, filter_->keep(pairs.data() + begin, count, kept)});
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
        if (skip_left_ != 0) {
            const std::size_t skipped = pairs.size() < skip_left_ ? pairs.size() : skip_left_;
            skip_left_ -= skipped;
            required_ += skipped;
            pairs = pairs.subspan(skipped);
        }
        if (output_.is_sink()) {
            required_ += pairs.size();
            written_ += pairs.size();
            if (!pairs.empty()) output_.sink().take(output_.sink().user, pairs);
            return Status::ok;
        }
        std::span<IndexPair> room;
        const Status status = claim(pairs.size(), room);
        if (!room.empty()) std::memcpy(room.data(), pairs.data(), room.size_bytes());
        return status;
    }

    /// Pairs must come by write: to a sink, and as long as the beginning of the list is passed over.
    bool wants_blocks() const noexcept { return output_.is_sink() || skip_left_ != 0; }

    /// Counts the next `count` pairs as written as far as they fit, and gives the place for those, for the
    /// caller to fill. Not where blocks are wanted.
    Status claim(std::size_t count, std::span<IndexPair>& out_room) noexcept {
        required_ += count;
        PairBuffer* buffer = output_.buffer();
        const std::size_t room = (buffer != nullptr ? buffer->max_size() : output_.span().size()) - written_;
        const std::size_t fitting = count < room ? count : room;
        out_room = {};
        if (fitting == 0) return count != 0 && is_length_known_ ? Status::capacity_exceeded : Status::ok;
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

    std::size_t written() const noexcept { return written_; }
    /// Pairs seen, those passed over among them.
    std::size_t required() const noexcept { return required_; }

private:
    PairOutput output_;
    const PairFilter* filter_;
    std::size_t skip_left_;
    bool is_length_known_;
    std::size_t written_ = 0;
    std::size_t required_ = 0;
};

}  // namespace broadside::broadphase
