// Shared by all queries for hits in the course of time: the first hit, all hits, and whether there is any.
#pragma once

#include "broadphase/src/tree/queries.hpp"
#include "core/src/zones.hpp"

#include <algorithm>

namespace broadside::broadphase {

struct Met {
    float t = kNoIntersection;
    Face face = Face::none;
    bool has_hit = false;
};

// Every query is a type with `t_max()`, the walks `visit` and `all`, which give candidates, and `met_at(tree,
// slot, key)`, which decides.

// Finds the first box of one query if the walk alone cannot decide.
template <class Hits>
struct FirstVisitor : KeyedVisitor {
    const TreeQueries& queries;
    const Hits& hits;
    std::uint32_t query_index;
    TreeHit closest = {};

    FirstVisitor(const TreeQueries& queries_in, const Hits& hits_in, std::uint32_t index)
        : KeyedVisitor{hits_in.t_max(), &look_at}, queries(queries_in), hits(hits_in), query_index(index) {}

    static bool look_at(KeyedVisitor& visitor, const std::uint64_t* candidates, std::uint32_t count) {
        auto& self = static_cast<FirstVisitor&>(visitor);
        for (std::uint32_t i = 0; i < count; ++i)
            self.look_at_one(slot_of(candidates[i]), key_of(candidates[i]));
        return true;
    }
    void look_at_one(std::uint32_t slot, float key) {
        const Met met = hits.met_at(*tree, slot, key);
        if (!met.has_hit) return;
        const std::uint32_t box_index = tree->box_index(slot);
        const bool is_first = closest.target == kNoBox || met.t < closest.t ||
                              (met.t == closest.t && box_index < closest.target);
        if (!is_first || !queries.passes(query_index, box_index)) return;
        closest = {box_index, met.t, met.face};
        // Times before the start have keys of 0.
        limit = max_keep(met.t, 0.0f);
    }
};

template <class Hits>
TreeHit visit_closest(const TreeQueries& queries, const Hits& hits, std::uint32_t query_index) {
    FirstVisitor<Hits> visitor(queries, hits, query_index);
    hits.visit(queries, visitor);
    return visitor.closest;
}

// Passes the hits of one query to the caller's visitor.
template <class Hits>
struct AllVisitor : KeyedVisitor {
    const TreeQueries& queries;
    const Hits& hits;
    HitVisitor visitor;
    /// Times may be below zero; keys are not.
    float t_limit = kVisitAll;

    AllVisitor(const TreeQueries& queries_in, const Hits& hits_in, HitVisitor visitor_in)
        : KeyedVisitor{hits_in.t_max(), &look_at}, queries(queries_in), hits(hits_in), visitor(visitor_in) {}

    static bool look_at(KeyedVisitor& visitor, const std::uint64_t* candidates, std::uint32_t count) {
        auto& self = static_cast<AllVisitor&>(visitor);
        TreeHit met_hits[kNodeWidth];
        std::uint32_t met_count = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint32_t slot = slot_of(candidates[i]);
            const Met met = self.hits.met_at(*self.tree, slot, key_of(candidates[i]));
            if (!met.has_hit) continue;
            std::uint32_t rank = met_count++;
            const TreeHit hit = {self.tree->box_index(slot), met.t, met.face};
            for (; rank > 0 && is_before(hit, met_hits[rank - 1]); --rank)
                met_hits[rank] = met_hits[rank - 1];
            met_hits[rank] = hit;
        }
        for (std::uint32_t i = 0; i < met_count; ++i) {
            if (met_hits[i].t > self.t_limit) break;
            if (!self.queries.passes(0, met_hits[i].target)) continue;
            const float answer = self.visitor(met_hits[i]);
            // NaN too.
            if (!(answer >= -FLT_MAX)) return false;
            self.t_limit = min_keep(answer, self.t_limit);
            self.limit = min_keep(max_keep(self.t_limit, 0.0f), self.limit);
        }
        return true;
    }
    static bool is_before(const TreeHit& a, const TreeHit& b) {
        return a.t < b.t || (a.t == b.t && a.target < b.target);
    }
};

// An AllVisitor in the order of the walk that lists, which waits for no choice of the nearest.
template <class Hits>
struct UnorderedVisitor : HitBlock<std::uint64_t> {
    const TreeQueries& queries;
    const Hits& hits;
    HitVisitor visitor;
    const TreeView* tree = nullptr;
    float t_limit = kVisitAll;
    bool goes_on = true;

    UnorderedVisitor(const TreeQueries& queries_in, const Hits& hits_in, HitVisitor visitor_in,
                     std::uint64_t (&found)[8 * kNodeWidth])
        : HitBlock{found, found, found + std::size(found), &empty},
          queries(queries_in),
          hits(hits_in),
          visitor(visitor_in) {}
    UnorderedVisitor(const UnorderedVisitor&) = delete;
    UnorderedVisitor& operator=(const UnorderedVisitor&) = delete;

    void run() {
        for (const TreeView& next_tree : queries.all()) {
            tree = &next_tree;
            hits.all(next_tree, *this);
            if (!empty(*this)) return;
        }
    }
    static bool empty(HitBlock<std::uint64_t>& block) {
        auto& self = static_cast<UnorderedVisitor&>(block);
        for (const std::uint64_t* entry = self.begin; entry != self.next && self.goes_on; ++entry) {
            const std::uint32_t slot = slot_of(*entry);
            const Met met = self.hits.met_at(*self.tree, slot, key_of(*entry));
            const std::uint32_t box_index = self.tree->box_index(slot);
            if (!met.has_hit || met.t > self.t_limit || !self.queries.passes(0, box_index)) continue;
            const float answer = self.visitor({box_index, met.t, met.face});
            // False for NaN too.
            self.goes_on = answer >= -FLT_MAX;
            self.t_limit = min_keep(answer, self.t_limit);
        }
        self.next = self.begin;
        return self.goes_on;
    }
};

// Up to this many hits of a query are sorted by counting, for each, the hits before it: no branch on the
// data, and loops of a length that the compiler knows.
constexpr std::size_t kCountedMax = 32;

template <std::size_t kCount>
void sort_counted(Listed<TreeHit>* hits, std::size_t count) {
    Listed<TreeHit> unsorted[kCount];
    std::int32_t boxes[kCount];
    for (std::size_t i = 0; i < kCount; ++i) {
        // Indices are below 2^31; missing entries come last.
        boxes[i] = i < count ? static_cast<std::int32_t>(hits[i].found.target) : 0x7FFFFFFF;
    }
    std::copy(hits, hits + count, unsorted);
    for (std::size_t i = 0; i < count; ++i) {
        std::int32_t place = 0;
        for (std::size_t j = 0; j < kCount; ++j) place += boxes[j] < boxes[i] ? 1 : 0;
        hits[place] = unsorted[i];
    }
}

inline void sort_by_box(Listed<TreeHit>* hits, std::size_t count) {
    if (count < 2) return;
    if (count <= 8) {
        sort_counted<8>(hits, count);
    } else if (count <= kCountedMax) {
        sort_counted<kCountedMax>(hits, count);
    } else {
        std::sort(hits, hits + count, [](const Listed<TreeHit>& a, const Listed<TreeHit>& b) {
            return a.found.target < b.found.target;
        });
    }
}

template <class Hits>
Status append_hits(const TreeQueries& queries, const Hits& hits, std::uint32_t query_index,
                   BoxScratch::Task& state_task) {
    AlignedArray<Listed<TreeHit>>& list = state_task.hits;
    const std::size_t begin = list.size();
    std::size_t count = 0;
    for (const TreeView& tree : queries.all()) {
        GrowingBlock<std::uint64_t> block(state_task.found);
        hits.all(tree, block);
        if (block.is_out_of_memory) return Status::out_of_memory;
        if (!list.reserve_to_append(block.count())) return Status::out_of_memory;
        Listed<TreeHit>* const target = list.data() + begin;
        for (const std::uint64_t* found = block.begin; found != block.next; ++found) {
            const std::uint32_t slot = slot_of(*found);
            const Met met = hits.met_at(tree, slot, key_of(*found));
            const std::uint32_t box_index = tree.box_index(slot);
            if (!met.has_hit || (!queries.settings.finds_all() && !queries.passes(query_index, box_index)))
                continue;
            target[count++] = {query_index, {box_index, met.t, met.face}};
        }
        // The size keeps the hits when the list grows for the next tree.
        if (!list.resize(begin + count)) return Status::out_of_memory;
    }
    if (queries.settings.order == PairOrder::canonical) sort_by_box(list.data() + begin, count);
    return Status::ok;
}

// Ends the search with the first hit that counts.
template <class Hits>
struct AnyVisitor : KeyedVisitor {
    const TreeQueries& queries;
    const Hits& hits;
    std::uint32_t query_index;
    bool is_met = false;

    AnyVisitor(const TreeQueries& queries_in, const Hits& hits_in, std::uint32_t index)
        : KeyedVisitor{hits_in.t_max(), &ask}, queries(queries_in), hits(hits_in), query_index(index) {}

    static bool ask(KeyedVisitor& visitor, const std::uint64_t* candidates, std::uint32_t count) {
        auto& self = static_cast<AnyVisitor&>(visitor);
        for (std::uint32_t i = 0; i < count && !self.is_met; ++i) {
            const std::uint32_t slot = slot_of(candidates[i]);
            self.is_met = self.hits.met_at(*self.tree, slot, key_of(candidates[i])).has_hit &&
                          self.queries.passes(self.query_index, self.tree->box_index(slot));
        }
        return !self.is_met;
    }
};

template <class Hits>
bool is_any_met(const TreeQueries& queries, const Hits& hits, std::uint32_t query_index) {
    if constexpr (requires { hits.any(queries); }) {
        if (hits.is_decided_by_walk && queries.settings.finds_all()) {
            if (!hits.any(queries)) return false;
            if (hits.is_any_right()) return true;
        }
    }
    AnyVisitor<Hits> visitor(queries, hits, query_index);
    hits.visit(queries, visitor);
    return visitor.is_met;
}

}  // namespace broadside::broadphase
