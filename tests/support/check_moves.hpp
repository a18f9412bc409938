// Checks the promise about moves (see Allocator) for any class that owns memory: the target of a move behaves
// as the object did, the source as a new one.
#pragma once

#include "tests/support/answers.hpp"
#include "tests/support/counting_allocator.hpp"

#include <doctest/doctest.h>

#include <type_traits>
#include <utility>

namespace broadside::test {

/// `make(allocator)` returns a new object, `fill(object)` makes it differ from a new one, and `ask(object)`
/// queries everything and returns Answers; both may change it, the same way each time.
template <class T, class Make, class Fill, class Ask>
void check_moves(Make&& make, Fill&& fill, Ask&& ask) {
    static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>);
    static_assert(!std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T>);
    CountingAllocator allocator;
    CountingAllocator other;
    {
        // The results of an object that was not moved.
        T unmoved = make(allocator.hook());
        const Answers when_new = ask(unmoved);
        fill(unmoved);
        const Answers when_filled_later = ask(unmoved);
        T unmoved_full = make(allocator.hook());
        fill(unmoved_full);
        const Answers when_full = ask(unmoved_full);
        REQUIRE_FALSE(when_new == when_full);

        const auto check_as_new = [&](T& moved_from) {
            CHECK(ask(moved_from) == when_new);
            fill(moved_from);
            CHECK(ask(moved_from) == when_filled_later);
        };
        {
            INFO("moved by construction");
            T from = make(allocator.hook());
            fill(from);
            T to = std::move(from);
            CHECK(ask(to) == when_full);
            check_as_new(from);
        }
        {
            INFO("filled again at once, from its own allocator");
            T from = make(allocator.hook());
            fill(from);
            const T to = std::move(from);
            const std::size_t live_bytes = allocator.live_bytes;
            fill(from);
            CHECK(allocator.live_bytes > live_bytes);
            CHECK(ask(from) == when_full);
        }
        {
            INFO("moved by assignment to a full one of another allocator");
            T from = make(allocator.hook());
            fill(from);
            T to = make(other.hook());
            fill(to);
            to = std::move(from);
            CHECK(other.live_bytes == 0);
            CHECK(ask(to) == when_full);
            check_as_new(from);
        }
        {
            INFO("a moved-from one assigned to a full one");
            T from = make(allocator.hook());
            fill(from);
            const T taken = std::move(from);
            T to = make(other.hook());
            fill(to);
            to = std::move(from);
            check_as_new(from);
            check_as_new(to);
        }
        {
            INFO("moved to itself, full and moved-from");
            T object = make(allocator.hook());
            fill(object);
            T& same = object;
            object = std::move(same);
            const T taken = std::move(object);
            object = std::move(same);
            check_as_new(object);
        }
        {
            INFO("moved to itself");
            T object = make(allocator.hook());
            fill(object);
            T& same = object;
            object = std::move(same);
            CHECK(ask(object) == when_full);
        }
        {
            INFO("exchanged for a new one");
            T full = make(allocator.hook());
            fill(full);
            T empty = make(other.hook());
            std::swap(full, empty);
            CHECK(ask(empty) == when_full);
            check_as_new(full);
        }
    }
    CHECK(allocator.live_bytes == 0);
    CHECK(other.live_bytes == 0);
}

}  // namespace broadside::test
