// What the questions to a World share: each is put to the trees of the kinds that are looked for, and the answers
// are joined.
#pragma once

#include "broadphase/src/tree/queries.hpp"
#include "broadphase/src/world/trees.hpp"
#include "core/src/argument.hpp"
#include "core/src/zones.hpp"

#include <broadside/world_query.hpp>

#include <algorithm>

namespace broadside::broadphase {

inline constexpr std::uint64_t kAllLayers = ~std::uint64_t{0};

/// A run of the queries of a call, as the trees are asked.
class KindQueries {
public:
    KindQueries(const WorldTrees& world, const WorldQuerySettings& settings, std::size_t first,
                std::size_t count)
        : world_(world),
          settings_(settings),
          first_(static_cast<std::uint32_t>(first)),
          masks_(settings.masks.empty() ? settings.masks : settings.masks.subspan(first, count)) {}

    /// Calls `ask(tree, settings)` for every tree that may hold an answer.
    template <class Ask>
    void for_each_tree(Ask&& ask) const {
        for (std::uint32_t kind = 0; kind < kKindCount; ++kind) {
            const BoxTree& tree = world_.tree(kind);
            if ((settings_.kinds >> kind & 1) == 0 || tree.member_count() == 0) continue;
            TreeQuerySettings tree_settings;
            const std::span<const std::uint64_t> categories = world_.categories();
            tree_settings.filter.masks = masks_;
            if (!masks_.empty() && !categories.empty()) {
                tree_settings.filter.categories = categories.first(tree.box_count());
            }
            if (settings_.accepts != nullptr || settings_.layers != kAllLayers) {
                tree_settings.filter.accepts = &accepts;
                tree_settings.filter.user = const_cast<KindQueries*>(this);
            }
            ask(kind, tree, tree_settings);
        }
    }

private:
    static bool accepts(void* user, std::uint32_t query_index, std::uint32_t slot) noexcept {
        const auto& self = *static_cast<const KindQueries*>(user);
        const WorldQuerySettings& settings = self.settings_;
        if ((settings.layers >> self.world_.layer_at(slot) & 1) == 0) return false;
        return settings.accepts == nullptr ||
               settings.accepts(settings.user, self.first_ + query_index, self.world_.handle_at(slot));
    }

    const WorldTrees& world_;
    const WorldQuerySettings& settings_;
    std::uint32_t first_;
    std::span<const std::uint64_t> masks_;
};

/// ok, or what is wrong with the arguments that all queries have.
inline Status check(const WorldQueries& queries, std::size_t query_count,
                    const WorldQuerySettings& settings) {
    if (queries.status() != Status::ok) return queries.status();
    const bool is_valid = BROADSIDE_ARGUMENT(settings.kinds <= kAllKinds, "kinds: a bit that is no kind's") &&
                          check_query_count(query_count) && check_masks(settings.masks, query_count) &&
                          check_runner(settings.runner);
    return is_valid ? Status::ok : Status::invalid_argument;
}

/// Queries of a task: whole words of bits.
inline constexpr std::size_t kObjectRun = 256;

/// Whether each query finds anything. `ask(tree, settings, queries, out)` puts a part of them to one tree.
template <class Query, class Ask>
BatchResult find_any(const WorldQueries& queries, std::span<const Query> shapes,
                     const WorldQuerySettings& settings, std::span<std::uint64_t> out_bits, const Ask& ask) {
    if (const Status status = check(queries, shapes.size(), settings); status != Status::ok) return {status};
    if (out_bits.size() < bit_word_count(shapes.size())) return {Status::capacity_exceeded};
    run_chunks(settings.runner, shapes.size(), kObjectRun, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("world/query task");
        const std::size_t word_count = bit_word_count(end - begin);
        std::uint64_t* const words = out_bits.data() + begin / 64;
        std::fill_n(words, word_count, 0);
        KindQueries(*queries.data(), settings, begin, end - begin)
            .for_each_tree([&](std::uint32_t, const BoxTree& tree, const TreeQuerySettings& tree_settings) {
                std::uint64_t found[kObjectRun / 64];
                (void)ask(tree, tree_settings, shapes.subspan(begin, end - begin),
                          std::span(found, word_count));
                for (std::size_t word = 0; word < word_count; ++word) words[word] |= found[word];
            });
    });
    return {};
}

inline std::uint32_t query_of(const IndexPair& pair) { return pair.first; }
inline std::uint32_t slot_of(const IndexPair& pair) { return pair.second; }
inline std::uint32_t query_of(const TreeHit& hit) { return hit.query; }
inline std::uint32_t slot_of(const TreeHit& hit) { return hit.box; }

inline WorldOverlap answer_of(const WorldTrees& world, const IndexPair& pair) {
    return {pair.first, world.handle_at(pair.second)};
}
inline WorldHit answer_of(const WorldTrees& world, const TreeHit& hit) {
    return {hit.query, world.handle_at(hit.box), hit.t, hit.face};
}

/// What the tree of one kind found.
template <class Item>
auto& list_of(WorldQueryScratch& scratch, std::uint32_t kind) {
    if constexpr (std::is_same_v<Item, IndexPair>) {
        return scratch.pairs[kind];
    } else {
        return scratch.hits[kind];
    }
}

/// The lists of the trees, each by query and slot, as one.
template <class Item, class Answer>
Status join_lists(const WorldTrees& world, WorldQueryScratch& scratch, AlignedArray<Answer>& out_list) {
    const Item* next[kKindCount];
    const Item* ends[kKindCount];
    std::size_t count = 0;
    for (std::uint32_t kind = 0; kind < kKindCount; ++kind) {
        auto& list = list_of<Item>(scratch, kind);
        next[kind] = list.data();
        ends[kind] = list.data() + list.size();
        count += list.size();
    }
    if (!out_list.resize(count)) return Status::out_of_memory;
    const auto key = [](const Item& item) { return std::uint64_t{query_of(item)} << 32 | slot_of(item); };
    for (std::size_t i = 0; i < count; ++i) {
        std::uint32_t first = kKindCount;
        for (std::uint32_t kind = 0; kind < kKindCount; ++kind) {
            if (next[kind] == ends[kind]) continue;
            if (first == kKindCount || key(*next[kind]) < key(*next[first])) first = kind;
        }
        out_list[i] = answer_of(world, *next[first]++);
    }
    if (world.order() == WorldOrder::slot) return Status::ok;
    std::sort(out_list.begin(), out_list.end(), [&](const Answer& a, const Answer& b) {
        if (a.query != b.query) return a.query < b.query;
        const std::uint64_t data_a = world.user_data_at(a.object.slot());
        const std::uint64_t data_b = world.user_data_at(b.object.slot());
        return data_a != data_b ? data_a < data_b : a.object.slot() < b.object.slot();
    });
    return Status::ok;
}

/// `ask(tree, settings, scratch, out)` puts all queries to one tree.
template <class Item, class Answer, class Ask>
WriteResult find_all(const WorldQueries& queries, std::size_t query_count, const WorldQuerySettings& settings,
                     WorldQueryScratch& scratch, AlignedArray<Answer>& out_list, const Ask& ask) {
    if (queries.status() == Status::out_of_memory) out_list.clear();
    if (const Status status = check(queries, query_count, settings); status != Status::ok) return {status};
    const WorldTrees& world = *queries.data();
    out_list.clear();
    Status status = Status::ok;
    for (std::uint32_t kind = 0; kind < kKindCount; ++kind) list_of<Item>(scratch, kind).clear();
    KindQueries(world, settings, 0, query_count)
        .for_each_tree([&](std::uint32_t kind, const BoxTree& tree, TreeQuerySettings tree_settings) {
            if (status != Status::ok) return;
            tree_settings.runner = settings.runner;
            status = ask(tree, tree_settings, scratch.tree, list_of<Item>(scratch, kind)).status;
        });
    if (status == Status::ok) status = join_lists<Item>(world, scratch, out_list);
    return {status, out_list.size(), out_list.size()};
}

}  // namespace broadside::broadphase
