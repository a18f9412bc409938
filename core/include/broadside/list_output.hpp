// The three outputs for a list: a growing array, the caller's own array, or a function.
#pragma once

#include <broadside/aligned_array.hpp>

#include <span>

namespace broadside {

/// A function that receives a list in blocks, for callers that pass items on without storing them or want
/// only some. Called on the thread that called the library, in the order of the list, with at least one item.
/// A block is valid during the call only. Block sizes are unspecified.
template <class Item>
struct ListSink {
    /// Receives `user` and the block, and returns true to go on. False ends the call with the status
    /// `stopped`; the blocks so far are a prefix of the list. No exception may leave it; see Visitor.
    bool (*emit)(void* user, std::span<const Item> items) noexcept = nullptr;
    void* user = nullptr;
};

/// The output of a call that produces a list. Converts implicitly from any of the three. Refers to them, so
/// they must outlive the call. No item is lost silently: what does not fit is counted, and the status says
/// so.
template <class Item>
class ListOutput {
public:
    /// Replaces the content of the array, which grows as needed, up to `max_size` items.
    ListOutput(AlignedArray<Item>& array, std::size_t max_size = ~std::size_t{0}) noexcept
        : array_(&array), max_size_(max_size) {}
    /// Fills the span from its beginning and never writes past its end.
    ListOutput(std::span<Item> span) noexcept : span_(span), max_size_(span.size()) {}
    /// Calls the function of the sink, block by block.
    ListOutput(const ListSink<Item>& sink) noexcept : sink_(sink), is_sink_(true) {}

    /// The growing array, or null if the output is another.
    AlignedArray<Item>* array() const noexcept { return array_; }
    /// The span; empty if the output is another.
    std::span<Item> span() const noexcept { return span_; }
    /// The most items that the array or the span takes.
    std::size_t max_size() const noexcept { return max_size_; }
    /// The sink, if `is_sink`.
    const ListSink<Item>& sink() const noexcept { return sink_; }
    bool is_sink() const noexcept { return is_sink_; }
    /// False for a sink without a function, for which every call returns invalid_argument.
    bool is_valid() const noexcept { return !is_sink_ || sink_.emit != nullptr; }

private:
    AlignedArray<Item>* array_ = nullptr;
    std::span<Item> span_;
    std::size_t max_size_ = 0;
    ListSink<Item> sink_;
    bool is_sink_ = false;
};

}  // namespace broadside
