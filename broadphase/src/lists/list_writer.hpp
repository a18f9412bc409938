// Appends items to whatever the caller named as output, and keeps count of what did not fit.
#pragma once

#include <broadside/list_output.hpp>
#include <broadside/status.hpp>

#include <algorithm>

namespace broadside::broadphase {

template <class Item>
class ListWriter {
public:
    /// Empties an array.
    explicit ListWriter(const ListOutput<Item>& output) noexcept : output_(output) {
        if (output_.array() != nullptr) output_.array()->clear();
    }

    bool is_sink() const noexcept { return output_.is_sink(); }

    /// Writes what fits. ok also when something did not fit; out_of_memory when the array could not grow.
    Status write(std::span<const Item> items) noexcept {
        if (output_.is_sink()) {
            required_ += items.size();
            written_ += items.size();
            if (!items.empty()) output_.sink().emit(output_.sink().user, items);
            return Status::ok;
        }
        std::span<Item> room;
        const Status status = claim(items.size(), room);
        std::copy_n(items.begin(), room.size(), room.begin());
        return status;
    }

    /// Counts the next `count` items as written as far as they fit, and gives the room for those, for the caller to
    /// fill. Not for a sink.
    Status claim(std::size_t count, std::span<Item>& out_room) noexcept {
        out_room = {};
        required_ += count;
        if (AlignedArray<Item>* const array = output_.array(); array != nullptr) {
            if (!array->reserve_to_append(count) || !array->resize(written_ + count))
                return Status::out_of_memory;
            out_room = {array->data() + written_, count};
        } else {
            out_room = output_.span().subspan(written_, std::min(count, output_.span().size() - written_));
        }
        written_ += out_room.size();
        return Status::ok;
    }

    /// How a search ended: with `status`, unless that is ok and something did not fit.
    WriteResult result(Status status) const noexcept {
        const bool is_short = status == Status::ok && written_ < required_;
        return {is_short ? Status::capacity_exceeded : status, written_, required_};
    }

private:
    ListOutput<Item> output_;
    std::size_t written_ = 0;
    std::size_t required_ = 0;
};

}  // namespace broadside::broadphase
