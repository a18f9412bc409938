// The frame of every batch call: it checks the arguments before any output is touched, finds the kernels of
// the active ISA, and calls one.
#pragma once

#include "core/src/argument.hpp"
#include "narrowphase/src/batch/pair_range.hpp"
#include "simd/src/dispatch.hpp"

#include <broadside/bits.hpp>
#include <broadside/triangle_mesh.hpp>

#include <span>

namespace broadside::narrowphase {

/// An optional output: null if it is empty.
template <class T>
T* pointer_or_null(std::span<T> output) noexcept {
    return output.empty() ? nullptr : output.data();
}

/// The checks of one call, in the order of the calls: the first that fails decides the status. Messages,
/// shown in builds with asserts, name the argument and the rule.
class BatchCall {
public:
    BatchCall& legal(bool is_legal, [[maybe_unused]] const char* message) noexcept {
        if (is_ok() && !BROADSIDE_ARGUMENT(is_legal, message)) result_ = {Status::invalid_argument};
        return *this;
    }
    template <class View>
    BatchCall& readable(const View& view, const char* message) noexcept {
        if (!legal(view.is_readable(), message).is_ok()) return *this;
        std::size_t count = 0;
        if constexpr (requires { view.count(); })
            count = view.count();
        else
            count = view.count;
        if (!check_count(count, sizeof(float))) result_ = {Status::invalid_argument};
        return *this;
    }
    template <class... Item>
    BatchCall& readable(std::span<Item>... spans) noexcept {
        if (is_ok() && !check_readable(spans...)) result_ = {Status::invalid_argument};
        return *this;
    }
    BatchCall& readable(const TriangleSoaView& triangles) noexcept {
        if (is_ok() && !check_readable(triangles)) result_ = {Status::invalid_argument};
        return *this;
    }
    BatchCall& policy(Touch touch) noexcept {
        if (is_ok() && !check_touch(touch)) result_ = {Status::invalid_argument};
        return *this;
    }
    BatchCall& policy(Inside inside) noexcept {
        if (is_ok() && !check_inside(inside)) result_ = {Status::invalid_argument};
        return *this;
    }
    BatchCall& runner(const TaskRunner* runner) noexcept {
        if (is_ok() && !check_runner(runner)) result_ = {Status::invalid_argument};
        return *this;
    }
    /// Displacements: none if nothing moves, else one for each item.
    BatchCall& none_or_one_each(std::size_t count, std::size_t item_count, const char* message) noexcept {
        return legal(count == 0 || count == item_count, message);
    }

    /// Outputs. One that is too short is not a misuse, so it has a status of its own.
    BatchCall& room(bool has_room) noexcept {
        if (is_ok() && !has_room) result_ = {Status::capacity_exceeded};
        return *this;
    }
    template <class T>
    BatchCall& holds(std::span<T> output, std::size_t count) noexcept {
        return readable(output).room(output.size() >= count);
    }
    template <class T>
    BatchCall& holds_if_wanted(std::span<T> output, std::size_t count) noexcept {
        return readable(output).room(output.empty() || output.size() >= count);
    }
    BatchCall& holds_bits(std::span<std::uint64_t> output, std::size_t count) noexcept {
        return holds(output, bit_word_count(count));
    }

    BatchCall& in_range(std::span<const IndexPair> pairs, std::size_t first_count,
                        std::size_t second_count) noexcept {
        if (!readable(pairs).is_ok()) return *this;
        const std::size_t bad_index = find_bad_pair(pairs, first_count, second_count);
        legal(bad_index == kNoIndex, "pairs: an index is at or past the count of its side");
        result_.bad_index = bad_index;
        return *this;
    }
    BatchCall& in_range(std::span<const std::uint32_t> indices, std::size_t count) noexcept {
        readable(indices);
        for (std::size_t i = 0; i < indices.size() && is_ok(); ++i) {
            legal(indices[i] < count, "indices: one is at or past the count");
            if (!is_ok()) result_.bad_index = i;
        }
        return *this;
    }

    /// Runs `call(kernels)` if no check has failed.
    template <class Kernels, class Call>
    BatchResult run(Call&& call) noexcept {
        if (!is_ok()) return result_;
        const auto* kernels = simd::active_kernels<Kernels>();
        if (kernels == nullptr) return {Status::unsupported_isa};
        call(*kernels);
        return result_;
    }

private:
    bool is_ok() const noexcept { return result_.status == Status::ok; }

    BatchResult result_;
};

}  // namespace broadside::narrowphase
