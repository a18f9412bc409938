// Appends items to whatever the caller named as output, and keeps count of what did not fit.
#pragma once

#include "core/src/argument.hpp"

#include <broadside/list_output.hpp>
#include <broadside/status.hpp>

#include <algorithm>

namespace broadside {

template <class Item>
bool check_output(const ListOutput<Item>& output) noexcept {
    return BROADSIDE_ARGUMENT(output.is_valid(), "output: the sink has no function") &&
           check_readable(output.span());
}

template <class Item>
class ListWriter {
public:
    /// Empties an array.
    explicit ListWriter(const ListOutput<Item>& output) noexcept : output_(output) {
        if (output_.array() != nullptr) output_.array()->clear();
    }

    /// Items must come by write.
    bool is_sink() const noexcept { return output_.is_sink(); }

    /// Writes what fits. ok also when something did not fit; out_of_memory when the array could not grow; stopped when the
    /// sink wants no more, which is not called again.
    Status write(std::span<const Item> items) noexcept {
        if (output_.is_sink()) {
            if (items.empty()) return Status::ok;
            required_ += items.size();
            written_ += items.size();
            return output_.sink().emit(output_.sink().user, items) ? Status::ok : Status::stopped;
        }
        std::span<Item> room;
        const Status status = claim(items.size(), room);
        std::copy_n(items.begin(), room.size(), room.begin());
        return status;
    }

    /// Whether the output takes `count` items more to its own memory, as far as there is any; a sink does not.
    bool has_room(std::size_t count) const noexcept {
        return !output_.is_sink() && count <= output_.max_size() - written_;
    }

    /// Counts the next `count` items as written as far as they fit, and gives the room for those, for the caller to
    /// fill. Not for a sink.
    Status claim(std::size_t count, std::span<Item>& out_room) noexcept {
        BROADSIDE_ASSERT(!output_.is_sink(), "output: a sink has no room to claim");
        required_ += count;
        const std::size_t fitting = std::min(count, output_.max_size() - written_);
        out_room = {};
        if (fitting == 0) return Status::ok;
        Item* target = output_.span().data();
        if (AlignedArray<Item>* const array = output_.array(); array != nullptr) {
            if (!array->append(fitting)) return Status::out_of_memory;
            target = array->data();
        }
        out_room = {target + written_, fitting};
        written_ += fitting;
        return Status::ok;
    }

    /// Items seen, whether they fitted or not.
    std::size_t required() const noexcept { return required_; }

    /// Says in `out_result` how a search ended: with `status`, unless that is ok and something did not fit.
    template <class Result>
    void report(Status status, Result& out_result) const noexcept {
        out_result.status = status == Status::ok && written_ < required_ ? Status::capacity_exceeded : status;
        BROADSIDE_ASSERT(written_ <= required_, "output: more was written than found");
        out_result.written = written_;
        out_result.required = required_;
    }
    WriteResult result(Status status) const noexcept {
        WriteResult result;
        report(status, result);
        return result;
    }

private:
    ListOutput<Item> output_;
    std::size_t written_ = 0;
    std::size_t required_ = 0;
};

}  // namespace broadside
