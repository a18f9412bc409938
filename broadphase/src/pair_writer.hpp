// Appends blocks of pairs to whatever the caller named as output, and keeps count of what did not fit.
#pragma once

#include <broadside/pair_output.hpp>

#include <cstring>

namespace broadside::broadphase {

class PairWriter {
public:
    /// Empties a buffer.
    explicit PairWriter(const PairOutput& output) noexcept : output_(output) {
        if (output_.buffer() != nullptr) output_.buffer()->clear();
    }

    /// Writes what fits. ok also when something did not fit; out_of_memory when the buffer could not grow.
    Status write(std::span<const IndexPair> pairs) noexcept {
        required_ += pairs.size();
        if (pairs.empty()) return Status::ok;
        if (output_.is_sink()) {
            output_.sink().take(output_.sink().user, pairs);
            written_ += pairs.size();
            return Status::ok;
        }
        PairBuffer* buffer = output_.buffer();
        const std::size_t room = (buffer != nullptr ? buffer->max_size() : output_.span().size()) - written_;
        const std::size_t count = pairs.size() < room ? pairs.size() : room;
        if (count == 0) return Status::ok;
        IndexPair* target = output_.span().data();
        if (buffer != nullptr) {
            AlignedArray<IndexPair>& storage = buffer->storage();
            if (!storage.reserve_to_append(count) || !storage.resize(written_ + count)) {
                return Status::out_of_memory;
            }
            target = storage.data();
        }
        std::memcpy(target + written_, pairs.data(), count * sizeof(IndexPair));
        written_ += count;
        return Status::ok;
    }

    std::size_t written() const noexcept { return written_; }
    std::size_t required() const noexcept { return required_; }

private:
    PairOutput output_;
    std::size_t written_ = 0;
    std::size_t required_ = 0;
};

}  // namespace broadside::broadphase
