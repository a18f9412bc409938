// Lists and visits of the hits of queries, compared with the hits that a loop over all triangles finds.
#pragma once

#include "tests/support/for_each_isa.hpp"

#include <broadside/mesh_query.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <span>
#include <vector>

namespace broadside::test {

/// Sorts the hits of each query by time; at one time they keep their order, which is that of triangles.
template <class Hit>
void sort_by_time(std::vector<Listed<Hit>>& hits) {
    std::stable_sort(hits.begin(), hits.end(), [](const Listed<Hit>& a, const Listed<Hit>& b) {
        return a.query != b.query ? a.query < b.query : a.found.t < b.found.t;
    });
}

/// Visits the hits of one query: all, up to the first, and until the visitor has enough.
template <class Surface, class Query, class Hit>
void check_visits(const Surface& surface, const Query& query, std::span<const Listed<Hit>> expected,
                  std::vector<Hit>& state_visited) {
    const std::size_t before = state_visited.size();
    REQUIRE(surface.visit_hits(query, [&](const Hit& hit) {
        state_visited.push_back(hit);
        return kVisitAll;
    }) == Status::ok);
    const std::span visited = std::span(state_visited).subspan(before);
    REQUIRE(visited.size() == expected.size());
    for (const Listed<Hit>& hit : expected)
        REQUIRE(std::count(visited.begin(), visited.end(), hit.found) == 1);

    float limit = kVisitAll;
    std::size_t first_count = 0;
    REQUIRE(surface.visit_hits(query, [&](const Hit& hit) {
        CHECK(hit.t <= limit);
        first_count = hit.t < limit ? 1 : first_count + 1;
        limit = hit.t;
        return limit;
    }) == Status::ok);
    REQUIRE(first_count == static_cast<std::size_t>(
                               std::count_if(expected.begin(), expected.end(), [&](const Listed<Hit>& hit) {
                                   return hit.found.t == expected.front().found.t;
                               })));
    if (!expected.empty()) REQUIRE(limit == expected.front().found.t);

    for (const float enough : {kVisitNoMore, -0.5f, std::numeric_limits<float>::quiet_NaN()}) {
        std::vector<Hit> some;
        REQUIRE(surface.visit_hits(query, [&](const Hit& hit) {
            some.push_back(hit);
            return some.size() < 2 ? kVisitAll : enough;
        }) == Status::ok);
        REQUIRE(some.size() == std::min<std::size_t>(2, expected.size()));
        REQUIRE(std::equal(some.begin(), some.end(), visited.begin()));
    }
}

/// Compares lists and visits with `expected` on every ISA. `one_of(i)` is a query.
template <class Scratch, class Surface, class Many, class OneOf, class Hit>
void check_hits(const Surface& surface, const Many& many, std::size_t query_count, const OneOf& one_of,
                const std::vector<Listed<Hit>>& expected) {
    std::vector<Hit> visited_first;
    for_each_isa([&](Isa) {
        Scratch scratch;
        std::vector<Listed<Hit>> hits(expected.size());
        REQUIRE(surface.find_hits(many, {}, scratch, hits).status == Status::ok);
        for (std::size_t i = 0; i < hits.size(); ++i) REQUIRE(hits[i] == expected[i]);
        std::vector<Listed<Hit>> few(expected.size() / 2);
        const WriteResult result = surface.find_hits(many, {}, scratch, few);
        CHECK(result.required == expected.size());
        CHECK(result.written == few.size());
        if (!expected.empty()) CHECK(result.status == Status::capacity_exceeded);
        CHECK(std::equal(few.begin(), few.end(), expected.begin()));

        std::vector<Hit> visited;
        std::size_t begin = 0;
        for (std::size_t i = 0; i < query_count; ++i) {
            std::size_t end = begin;
            while (end < expected.size() && expected[end].query == i) ++end;
            check_visits(surface, one_of(i), std::span(expected).subspan(begin, end - begin), visited);
            begin = end;
        }
        if (visited_first.empty()) visited_first = visited;
        REQUIRE(visited == visited_first);
    });
}
/// The same for casts.
template <class Scratch, class Surface, class Casts, class Hit>
void check_cast_hits(const Surface& surface, const Casts& casts, const std::vector<Listed<Hit>>& expected) {
    check_hits<Scratch>(
        surface, casts, casts.size(), [&](std::size_t i) { return MeshCast(casts[i]); }, expected);
}

}  // namespace broadside::test
