// One query or many, all of one of several types: the input of every query function.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace broadside {

/// Refers to queries of one of the types, which must live as long as the call that the list is passed to.
/// Converts implicitly from a query, or from a contiguous range of them: a span, a vector, an AlignedArray.
template <class... Query>
class QueryList {
public:
    /// Whether T is one of the types.
    template <class T>
    static constexpr bool kIsQuery = (std::same_as<T, Query> || ...);

    /// A list of one query.
    template <class One>
    requires kIsQuery<One> QueryList(const One& one)
    noexcept : queries_(&one), count_(1), stride_(sizeof(One)), kind_(kind_of<One>()) {}
    /// A list of many queries of one type.
    template <class Many, class Item = std::remove_cvref_t<decltype(*std::data(std::declval<const Many&>()))>>
    requires kIsQuery<Item> QueryList(const Many& many)
    noexcept
        : queries_(std::data(many)), count_(std::size(many)), stride_(sizeof(Item)), kind_(kind_of<Item>()) {}

    std::size_t size() const noexcept { return count_; }
    /// The first query.
    const void* data() const noexcept { return queries_; }
    /// The `count` queries from `first` on.
    QueryList part(std::size_t first, std::size_t count) const noexcept {
        QueryList some = *this;
        some.queries_ = static_cast<const std::byte*>(queries_) + first * stride_;
        some.count_ = count;
        return some;
    }
    /// Calls `visit` with a span of the queries in their own type.
    template <class Visit>
    void visit(Visit&& visit) const noexcept {
        (visit_if<Query>(visit), ...);
    }

private:
    template <class One>
    static constexpr std::uint32_t kind_of() noexcept {
        std::uint32_t kind = 0;
        (void)((std::same_as<One, Query> || (++kind, false)) || ...);
        return kind;
    }
    template <class One, class Visit>
    void visit_if(Visit&& visit) const noexcept {
        if (kind_ == kind_of<One>()) visit(std::span<const One>(static_cast<const One*>(queries_), count_));
    }

    const void* queries_;
    std::size_t count_;
    std::size_t stride_;
    std::uint32_t kind_;
};

/// One query of the types of a QueryList.
template <class Queries>
struct SingleQuery : Queries {
    /// Converts implicitly from a query. It may come with its rule, as in the list.
    template <class One, class... Rule>
    requires Queries::template kIsQuery<One> SingleQuery(const One& query, const Rule&... rule) noexcept
        : Queries(query, rule...) {}
};

}  // namespace broadside
