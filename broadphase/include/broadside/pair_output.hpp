// The three places where a list of pairs can go: a growing buffer, the caller's own array, or a function.
#pragma once

#include <broadside/pair_buffer.hpp>

namespace broadside {

/// A function that takes a list of any length in blocks, for callers who filter or forward pairs without
/// storing them. In the order by_algorithm the call holds a block at a time; tasks of the cells algorithm
/// together hold the list, 8 bytes a pair. Canonical order takes the list into the scratch, 4 bytes a pair, with
/// workers 8 more, and up to 12 bytes for each pair of some neighbouring boxes to sort those.
struct PairSink {
    /// Called on the thread that called the library, once per block, in the order of the list. A block has at
    /// least one pair and is valid during the call only. How a list is cut into blocks is not part of any
    /// promise. No exception may leave it; see Visitor.
    void (*emit)(void* user, std::span<const IndexPair> pairs) noexcept = nullptr;
    void* user = nullptr;
};

/// Where a call puts its pairs; made implicitly from any of the three. Refers to them, so they must outlive
/// the call. None of them ever loses a pair silently: what does not fit is counted, and the status says so.
class PairOutput {
public:
    /// Replaces the content of the buffer, which grows as needed up to its `max_size()`.
    PairOutput(PairBuffer& buffer) noexcept : buffer_(&buffer) {}
    /// Fills the array from its beginning and writes nothing behind its end.
    PairOutput(std::span<IndexPair> span) noexcept : span_(span) {}
    /// Calls the function of the sink, block by block.
    PairOutput(const PairSink& sink) noexcept : sink_(sink), is_sink_(true) {}

    /// The buffer, or null when it is not one.
    PairBuffer* buffer() const noexcept { return buffer_; }
    /// The array; empty when it is not one.
    std::span<IndexPair> span() const noexcept { return span_; }
    /// The sink, if `is_sink`.
    const PairSink& sink() const noexcept { return sink_; }
    /// Whether it is a sink.
    bool is_sink() const noexcept { return is_sink_; }
    /// False for a sink without a function, which every call answers with invalid_argument.
    bool is_valid() const noexcept { return !is_sink_ || sink_.emit != nullptr; }

private:
    PairBuffer* buffer_ = nullptr;
    std::span<IndexPair> span_;
    PairSink sink_;
    bool is_sink_ = false;
};

}  // namespace broadside
