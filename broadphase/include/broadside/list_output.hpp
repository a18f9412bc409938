// The three places where a list that questions are answered with can go: a growing array, the caller's own array, or
// a function. Lists of pairs of indices have PairOutput.
#pragma once

#include <broadside/aligned_array.hpp>

#include <span>

namespace broadside {

/// A function that takes a list in blocks, for callers who pass items on without storing them: on the thread that
/// called the library, in the order of the list, at least one item each. A block is valid during the call only. How a
/// list is cut into blocks is not part of any promise.
template <class Item>
struct ListSink {
    /// Gets `user` and the block. No exception may leave it; see Visitor.
    void (*emit)(void* user, std::span<const Item> items) noexcept = nullptr;
    void* user = nullptr;
};

/// Made implicitly from any of the three. Refers to them, so they must outlive the call. What does not fit is counted,
/// and the status says so.
template <class Item>
class ListOutput {
public:
    /// Replaces the content of the array, which grows as needed.
    ListOutput(AlignedArray<Item>& array) noexcept : array_(&array) {}
    /// Fills the span from its beginning.
    ListOutput(std::span<Item> span) noexcept : span_(span) {}
    /// Calls the function of the sink, block by block.
    ListOutput(const ListSink<Item>& sink) noexcept : sink_(sink), is_sink_(true) {}

    /// The growing array, or null when it is not one.
    AlignedArray<Item>* array() const noexcept { return array_; }
    /// The span; empty when it is not one.
    std::span<Item> span() const noexcept { return span_; }
    /// The sink, if `is_sink`.
    const ListSink<Item>& sink() const noexcept { return sink_; }
    bool is_sink() const noexcept { return is_sink_; }
    /// False for a sink without a function, which every call answers with invalid_argument.
    bool is_valid() const noexcept { return !is_sink_ || sink_.emit != nullptr; }

private:
    AlignedArray<Item>* array_ = nullptr;
    std::span<Item> span_;
    ListSink<Item> sink_;
    bool is_sink_ = false;
};

}  // namespace broadside
