// The entry points of the broadphase.
#include "tests/broadphase/exact/exact_scenes.hpp"
#include "tests/entry_points/entry_points.hpp"

#include <broadside/bits.hpp>
#include <broadside/exact_box_tree.hpp>
#include <broadside/pair_cache.hpp>
#include <broadside/prepared_objects.hpp>
#include <broadside/resting_boxes.hpp>
#include <broadside/world_query.hpp>
#include <broadside/world_view.hpp>

#include <doctest/doctest.h>

namespace broadside::test {
namespace {

void add_plan(Call& call, const FindPairsResult& result) {
    call.add(result.invalid.count, result.plan.cache_use, result.plan.escaped_count);
}

void add_pair_lists(const Material& m, EntryPoints& list) {
    const Named a = {"boxes", m.boxes.view()};
    const Named b = {"boxes", m.others.view()};
    PairBuffer* const pairs = list.list<PairBuffer>();
    const BoxSoa& few = *[&] {
        BoxSoa* const made = list.list<BoxSoa>();
        REQUIRE(made->assign(m.boxes.view().part(0, std::min<std::size_t>(m.count(), 2000))) == Status::ok);
        return made;
    }();
    // The order of an algorithm shows how it divided the work.
    std::string more;
    for (const PairAlgorithm algorithm : {PairAlgorithm::automatic, PairAlgorithm::brute_force,
                                          PairAlgorithm::sweep_and_prune, PairAlgorithm::cells}) {
        for (const PairOrder order : {PairOrder::canonical, PairOrder::by_algorithm}) {
            const FindPairsSettings given = {.algorithm = algorithm, .order = order};
            const Named some = {"boxes", algorithm == PairAlgorithm::brute_force ? few.view() : a.view};
            list.add(
                "find_pairs" + more,
                [=](Call& call, auto boxes, auto out) {
                    BoxScratch scratch;
                    const FindPairsResult result = find_pairs(boxes, call.settings(given), scratch, *out);
                    add_plan(call, result);
                    return result;
                },
                some, pairs);
            list.add(
                "find_pairs" + more,
                [=](Call& call, auto first, auto second, auto out) {
                    BoxScratch scratch;
                    return find_pairs(first, second, call.settings(TwoSets{given}), scratch, *out);
                },
                some, b, pairs);
            more = ", " + std::string(pair_algorithm_name(algorithm));
        }
    }
    list.add(
        "find_pairs (without a scratch)",
        [](Call& call, auto boxes, auto out) {
            return find_pairs(boxes, call.settings<FindPairsSettings>(), *out);
        },
        a, pairs);
    list.add(
        "find_pairs (two sets, without a scratch)",
        [](Call& call, auto first, auto second, auto out) {
            return find_pairs(first, second, call.settings<TwoSets>(), *out);
        },
        a, b, pairs);
    list.add(
        "PairOutput::PairOutput",
        [&](Call& call, auto out) {
            BoxScratch scratch;
            return find_pairs(few, call.settings<FindPairsSettings>(), scratch, out);
        },
        list.room<IndexPair>(100000));
    const auto with_filter = [&](const char* name, auto make, auto span) {
        list.add(
            name,
            [=, &m](Call& call, auto given) {
                BoxScratch scratch;
                PairBuffer found;
                const auto settings = call.settings(FindPairsSettings{.filter = make(given)});
                const FindPairsResult result = find_pairs(m.boxes, settings, scratch, found);
                call.add_all(found);
                return result;
            },
            span);
    };
    std::vector<std::uint64_t> word_list(m.count());
    std::vector<std::uint32_t> group_list(m.count());
    for (std::size_t i = 0; i < m.count(); ++i) {
        word_list[i] = i % 5 + 1;
        group_list[i] = static_cast<std::uint32_t>(i % 7);
    }
    const auto words = list.keep(word_list);
    const auto groups = list.keep(group_list);
    const std::span<const std::uint64_t> movers = m.mover_bits;
    with_filter(
        "BoxFilter::categories", [](auto s) { return BoxFilter{.categories = s}; }, words);
    with_filter(
        "BoxFilter::masks", [](auto s) { return BoxFilter{.masks = s}; }, words);
    with_filter(
        "BoxFilter::groups", [](auto s) { return BoxFilter{.groups = s}; }, groups);
    with_filter(
        "BoxFilter::subset_bits", [](auto s) { return BoxFilter{.subset_bits = s}; }, movers);
    with_filter(
        "BoxFilter::ids", [](auto s) { return BoxFilter{.ids = s}; }, groups);
    list.add("explain", [&](Call& call) {
        PairBuffer found;
        FindPairsPlan plan = find_pairs(m.boxes, found).plan;
        // The number of tests depends on the width of a register, the memory on the workers.
        plan.tested_count = 0;
        plan.memory_bytes = 0;
        call.add_all(explain(plan).text);
    });
}

void add_kept_boxes(const Material& m, EntryPoints& list) {
    PairBuffer* const pairs = list.list<PairBuffer>();
    const Named boxes = {"boxes", m.boxes.view()};
    const std::span<const std::uint64_t> movers = m.mover_bits;
    list.add(
        "PairCache::find_pairs",
        [&](Call& call, auto given, auto out) {
            PairCache cache(0.25f);
            BoxScratch scratch;
            Status status = Status::ok;
            // New, then kept, then with boxes that have left.
            for (const BoxSoaView& at : {given, m.boxes.view(), m.later.view(), m.boxes.view()}) {
                const auto result = cache.find_pairs(at, call.settings<FindPairsSettings>(), scratch, *out);
                if (at.max_z == given.max_z) status = result.status;
                if (status != Status::ok) return status;
                add_plan(call, result);
                call.add_all(*out);
            }
            return status;
        },
        boxes, pairs);
    const auto build = [&](Call& call, auto from, auto bits, BoxScratch* scratch) {
        RestingBoxes resting;
        const Status status = scratch == nullptr ? resting.build(from, bits, call.runner())
                                                 : resting.build(from, bits, call.runner(), *scratch);
        if (status != Status::ok) {
            CHECK_FALSE(resting.is_built());
            return status;
        }
        call.add(resting.resting_count(), resting.find_moved_box(m.later, m.mover_bits));
        BoxScratch pair_scratch;
        PairBuffer found;
        call.add(resting.find_pairs(m.boxes, {.filter = {.subset_bits = m.mover_bits}}, pair_scratch, found)
                     .status);
        call.add_all(found);
        return status;
    };
    list.add(
        "RestingBoxes::build", [=](Call& call, auto... of) { return build(call, of..., nullptr); }, boxes,
        movers);
    list.add(
        "RestingBoxes::build (in a scratch)",
        [=](Call& call, auto... of) {
            BoxScratch scratch;
            return build(call, of..., &scratch);
        },
        boxes, movers);
    list.add(
        "RestingBoxes::find_pairs",
        [&](Call& call, auto from, auto out) {
            RestingBoxes resting;
            REQUIRE(resting.build(m.boxes, m.mover_bits) == Status::ok);
            BoxScratch scratch;
            const FindPairsSettings given = {.filter = {.subset_bits = m.mover_bits}};
            return resting.find_pairs(from, call.settings(given), scratch, *out);
        },
        boxes, pairs);
    list.add(
        "RestingBoxes::remove",
        [&](Call& call, auto bits) {
            RestingBoxes resting;
            REQUIRE(resting.build(m.boxes, {}) == Status::ok);
            const Status status = resting.remove(bits);
            call.add(resting.resting_count());
            return status;
        },
        movers);
    list.add(
        "RestingBoxes::find_moved_box",
        [&](Call& call, auto from) {
            RestingBoxes resting;
            REQUIRE(resting.build(m.boxes, {}) == Status::ok);
            const std::size_t moved = resting.find_moved_box(from, m.mover_bits);
            call.add(moved, resting.find_moved_box(m.later, {}));
            return moved == kNoIndex && from.count != 0 ? Status::invalid_argument : Status::ok;
        },
        Named("boxes", m.later.view()));
}

void add_exact_boxes(EntryPoints& list) {
    static const auto scenes = exact_scenes<double>(300, 1);
    PairBuffer* const pairs = list.list<PairBuffer>();
    for (const auto& scene : scenes) {
        const std::string more = &scene == scenes.data() ? "" : ", " + scene.name;
        const auto find = [&](const char* name, auto ask) {
            list.add(std::string("find_pairs (exact") + name + ")" + more, ask, pairs);
        };
        find("", [&](Call& call, auto out) {
            BoxScratch scratch;
            return find_pairs(scene.view(), call.settings<FindPairsSettings>(), scratch, *out);
        });
        find(", two sets", [&](Call& call, auto out) {
            BoxScratch scratch;
            return find_pairs(scene.view(), scene.view(), call.settings<TwoSets>(), scratch, *out);
        });
        find(", without a scratch", [&](Call& call, auto out) {
            return find_pairs(scene.view(), call.settings<FindPairsSettings>(), *out);
        });
        find(", two sets, without a scratch", [&](Call& call, auto out) {
            return find_pairs(scene.view(), scene.view(), call.settings<TwoSets>(), *out);
        });
        list.add("ExactBoxTree::build" + more, [&](Call& call) {
            ExactBoxTree<double> tree;
            const Status status = tree.build(scene.view(), call.runner());
            call.add(tree.box_count());
            return status;
        });
        list.add(
            "ExactBoxTree::find_overlaps" + more,
            [&](Call& call, auto out) {
                ExactBoxTree<double> tree;
                BoxScratch scratch;
                REQUIRE(tree.build(scene.view()) == Status::ok);
                return tree.find_overlaps(scene.view(), call.settings<TreeQuerySettings>(), scratch, *out);
            },
            pairs);
        list.add(
            "ExactBoxTree::any_overlap" + more,
            [&](Call& call, auto out) {
                ExactBoxTree<double> tree;
                BoxScratch scratch;
                REQUIRE(tree.build(scene.view()) == Status::ok);
                return tree.any_overlap(scene.view(), call.settings<TreeQuerySettings>(), scratch, out);
            },
            list.room<std::uint64_t>(bit_word_count(scene.count())));
        list.add(
            "ExactBoxTree::find_pairs" + more,
            [&](Call& call, auto out) {
                ExactBoxTree<double> tree;
                BoxScratch scratch;
                REQUIRE(tree.build(scene.view()) == Status::ok);
                return tree.find_pairs(call.settings<TreePairs>(), scratch, *out);
            },
            pairs);
    }
}

// The state of a tree: its numbers, and the order of its leaves.
ResultBytes state_of(const BoxTree& tree) {
    ResultBytes bytes;
    bytes.add(tree.bounds(), tree.growth(), tree.member_count(), tree.invalid_boxes().count);
    for (std::uint32_t i = 0; i < tree.box_count(); ++i) bytes.add(tree.box(i));
    BoxScratch scratch;
    PairBuffer pairs;
    bytes.add(tree.find_pairs({.order = PairOrder::by_algorithm}, scratch, pairs).status);
    bytes.add_all(pairs);
    return bytes;
}

void add_tree_changes(const Material& m, EntryPoints& list) {
    // `change(call, tree, args...)` of the tree of some boxes. A refused one leaves it as it was.
    const auto add = [&](const std::string& name, const BoxSoa& built_from, auto change, auto... args) {
        list.add(
            name,
            [&built_from, change](Call& call, auto... given) {
                BoxTree tree;
                REQUIRE(tree.build(built_from) == Status::ok);
                const ResultBytes before = state_of(tree);
                const Status status = change(call, tree, given...);
                const ResultBytes after = state_of(tree);
                if (status == Status::invalid_argument) CHECK((after == before));
                call.add_all(after.bytes());
                return status;
            },
            args...);
    };
    const Named boxes = {"boxes", m.boxes.view()};
    const Named later = {"boxes", m.later.view()};
    const std::span<const std::uint64_t> movers = m.mover_bits;
    add(
        "BoxTree::build", m.others,
        [](Call& call, BoxTree& tree, auto from) { return tree.build(from, call.runner()); }, boxes);
    add(
        "BoxTree::build_subset", m.others,
        [](Call& call, BoxTree& tree, auto from, auto bits) {
            return tree.build_subset(from, bits, call.runner());
        },
        boxes, movers);
    add(
        "BoxTree::refit", m.boxes,
        [](Call& call, BoxTree& tree, auto from) { return tree.refit(from, call.runner()); }, later);
    for (const bool same_count : {true, false}) {
        add(
            same_count ? "BoxTree::update" : "BoxTree::update, of another number",
            same_count ? m.boxes : m.others,
            [](Call& call, BoxTree& tree, auto from) { return tree.update(from, call.runner()); }, later);
    }
    add("BoxTree::set_box", m.boxes, [&](Call&, BoxTree& tree) {
        for (std::uint32_t i = 0; i < 100; ++i) {
            const Status status = tree.set_box(i, m.later_list[i]);
            if (status != Status::ok) return status;
        }
        return Status::ok;
    });
    add("BoxTree::set_box, of a new tree", m.others, [&](Call&, BoxTree& tree) {
        tree.clear();
        for (std::uint32_t i = 0; i < 150; ++i) {
            const Status status = tree.set_box(i, m.box_list[i]);
            if (status != Status::ok) return status;
        }
        return Status::ok;
    });
    add("BoxTree::remove_box", m.boxes, [&](Call&, BoxTree& tree) {
        for (std::uint32_t i = 0; i < 100; i += 3) {
            const Status status = tree.remove_box(i);
            if (status != Status::ok) return status;
        }
        return Status::ok;
    });
}

void add_tree_pairs(const Material& m, EntryPoints& list) {
    const BoxTree& tree = m.tree;
    const BoxTree& other = m.other_tree;
    PairBuffer* const pairs = list.list<PairBuffer>();
    for (const PairOrder order : {PairOrder::canonical, PairOrder::by_algorithm}) {
        const std::string more = order == PairOrder::canonical ? "" : ", by_algorithm";
        list.add(
            "BoxTree::find_pairs" + more,
            [&, order](Call& call, auto out) {
                BoxScratch scratch;
                return tree.find_pairs(call.settings(TreePairs{{.order = order}}), scratch, *out);
            },
            pairs);
        list.add(
            "BoxTree::find_pairs (two trees)" + more,
            [&, order](Call& call, auto out) {
                BoxScratch scratch;
                return tree.find_pairs(other, call.settings(TwoTrees{{.order = order}}), scratch, *out);
            },
            pairs);
    }
    const auto add_pair = [](Call& call) {
        return [&call](const IndexPair& pair) {
            call.add(pair);
            return true;
        };
    };
    const auto add_near = [](Call& call) {
        return [&call](const ClosePair& near) {
            call.add(near);
            return near.distance;
        };
    };
    constexpr float kNoLimit = std::numeric_limits<float>::infinity();
    const auto is_found = [](bool has_found) { return has_found ? Status::ok : Status::invalid_argument; };
    list.add("BoxTree::visit_pairs",
             [=, &tree](Call& call) { return tree.visit_pairs(call.settings<TreePairs>(), add_pair(call)); });
    list.add("BoxTree::visit_pairs (two trees)", [=, &tree, &other](Call& call) {
        return tree.visit_pairs(other, call.settings<TwoTrees>(), add_pair(call));
    });
    list.add("BoxTree::any_pair",
             [=, &tree](Call& call) { return is_found(tree.any_pair(call.settings<TreePairs>())); });
    list.add("BoxTree::any_pair (two trees)", [=, &tree, &other](Call& call) {
        return is_found(tree.any_pair(other, call.settings<TwoTrees>()));
    });
    list.add("BoxTree::visit_close_pairs", [=, &tree](Call& call) {
        return tree.visit_close_pairs(kNoLimit, call.settings<TreePairs>(), add_near(call));
    });
    list.add("BoxTree::visit_close_pairs (two trees)", [=, &tree, &other](Call& call) {
        return tree.visit_close_pairs(other, kNoLimit, call.settings<TwoTrees>(), add_near(call));
    });
    list.add("BoxTree::closest_pair", [=, &tree](Call& call) {
        const ClosePair found = tree.closest_pair(kNoLimit, call.settings<TreePairs>());
        call.add(found);
        return is_found(found.target != kNoTarget<IndexPair>);
    });
    list.add("BoxTree::closest_pair (two trees)", [=, &tree, &other](Call& call) {
        const ClosePair found = tree.closest_pair(other, kNoLimit, call.settings<TwoTrees>());
        call.add(found);
        return is_found(found.target != kNoTarget<IndexPair>);
    });
}

}  // namespace

void add_broadphase(const Material& m, EntryPoints& list) {
    add_pair_lists(m, list);
    add_kept_boxes(m, list);
    add_exact_boxes(list);
    add_tree_changes(m, list);
    add_tree_pairs(m, list);
}

}  // namespace broadside::test
