// Appends items to the output that the caller chose, and counts those that did not fit.
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
    /// Clears the output if it is an array.
    explicit ListWriter(const ListOutput<Item>& output) noexcept : output_(output) {
        if (output_.array() != nullptr) output_.array()->clear();
    }

    /// If true, items must go through `write`.
    bool is_sink() const noexcept { return output_.is_sink(); }

    /// Writes what fits. Returns ok also if something did not fit; out_of_memory if the array could not grow;
    /// stopped if the sink returned false, after which it is not called again.
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

    /// True if `count` more items fit into the output's memory, or up to its limit if the array can grow.
    /// False for a sink.
    bool has_room(std::size_t count) const noexcept {
        return !output_.is_sink() && count <= output_.max_size() - written_;
    }

    /// Counts the next `count` items as written as far as they fit, and returns the space for them, which the
    /// caller fills. Not for a sink.
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

    /// Number of items seen, including those that did not fit.
    std::size_t required() const noexcept { return required_; }

    /// Writes the outcome of a search to `out_result`: `status`, or capacity_exceeded if that is ok and
    /// something did not fit.
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
