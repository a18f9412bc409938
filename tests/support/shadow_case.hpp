// The functions in tests that shadow verification prints (simd/src/shadow_text.cpp).
#pragma once

#include "narrowphase/src/shadow/calls.hpp"
#include "tests/broadphase/find_pairs/filter_oracle.hpp"
#include "tests/broadphase/pair_oracle.hpp"
#include "tests/support/for_each_isa.hpp"

#include <doctest/doctest.h>

#include <broadside/find_pairs.hpp>

#include <cstring>
#include <initializer_list>
#include <vector>

namespace broadside::test {

/// A value of these bits, and an array.
template <class T>
T value(std::initializer_list<std::uint32_t> words) {
    T value = {};
    std::memcpy(static_cast<void*>(&value), words.begin(), sizeof value);
    return value;
}
template <class T>
std::vector<T> items(std::initializer_list<std::uint32_t> words) {
    std::vector<T> items(words.size() * sizeof(std::uint32_t) / sizeof(T));
    if (!items.empty())
        std::memcpy(static_cast<void*>(items.data()), words.begin(), items.size() * sizeof(T));
    return items;
}

/// True if a kernel matches its specification on every ISA: agree<&Kernels::kernel>(arguments of it).
template <auto Member, class Type>
struct Agreement;
template <auto Member, class Kernels, class Answer, class... Args>
struct Agreement<Member, Answer (*Kernels::*)(Args...)> {
    bool operator()(Args... args) const {
        bool do_agree = true;
        for_each_isa(
            [&](Isa isa) { do_agree = agrees(*simd::kernels_of<Kernels>(isa), args...) && do_agree; });
        return do_agree;
    }
    /// The same for kernels that belong to no ISA.
    static bool agrees(const Kernels& tested, Args... args) {
        return simd::shadow::VerifiedCall<Member, Kernels, Answer, Args...>::agree(tested, args...);
    }
};
template <auto Member>
inline constexpr Agreement<Member, decltype(Member)> agree;

/// True if find_pairs matches the loops of the oracles on every ISA.
inline bool finds_the_pairs(const FindPairsSettings& settings, const BoxSoaView& boxes) {
    std::vector<Aabb> list;
    for (std::size_t i = 0; i < boxes.count; ++i) list.push_back(boxes[i]);
    const auto expected = only_allowed(oracle_pairs(list), settings.filter, settings.filter);
    bool are_found = true;
    for_each_isa([&](Isa) {
        PairBuffer pairs;
        REQUIRE(find_pairs(boxes, settings, pairs).status == Status::ok);
        are_found = are_found && std::vector<IndexPair>(pairs.begin(), pairs.end()) == expected;
    });
    return are_found;
}
inline bool finds_the_pairs(const FindPairsSettings& settings, const BoxSoaView& a, const BoxSoaView& b) {
    std::vector<Aabb> list_a;
    std::vector<Aabb> list_b;
    for (std::size_t i = 0; i < a.count; ++i) list_a.push_back(a[i]);
    for (std::size_t i = 0; i < b.count; ++i) list_b.push_back(b[i]);
    const auto expected = only_allowed(oracle_pairs(list_a, list_b), settings.filter, settings.filter_b);
    bool are_found = true;
    for_each_isa([&](Isa) {
        PairBuffer pairs;
        REQUIRE(find_pairs(a, b, settings, pairs).status == Status::ok);
        are_found = are_found && std::vector<IndexPair>(pairs.begin(), pairs.end()) == expected;
    });
    return are_found;
}

}  // namespace broadside::test
