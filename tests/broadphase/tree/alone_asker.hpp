// All single queries of a BoxTree and its visitors: results equal those of a batch, and visitors see the list
// up to where they stop.
#pragma once

#include "tests/broadphase/tree/box_tree_oracle.hpp"

#include <utility>

namespace broadside::test {

// One query of a batch with the batch's rules, on its own: its mask is the only one, and callbacks get its
// index.
struct AloneSettings {
    const TreeQuestions& questions;
    std::size_t query;
    TreeQuerySettings settings;

    AloneSettings(const TreeQuestions& questions_in, const TreeRules& rules, std::size_t query_in)
        : questions(questions_in), query(query_in) {
        settings = settings_of(questions, rules);
        if (rules.has_masks) settings.masks = std::span(questions.masks).subspan(query, 1);
        if (rules.has_callback) {
            settings.user = this;
            settings.accepts = [](void* user, std::uint32_t query_index, std::uint32_t box) noexcept {
                const auto& self = *static_cast<const AloneSettings*>(user);
                return query_index == 0 && callback_accepts(self.questions, self.query, box);
            };
        }
    }
};

inline bool is_before(const TreeHit& a, const TreeHit& b) {
    return a.t < b.t || (a.t == b.t && a.target < b.target);
}
inline std::vector<TreeHit> sorted(std::vector<TreeHit> hits) {
    std::sort(hits.begin(), hits.end(), is_before);
    return hits;
}
inline TreeHit closest_of(const std::vector<TreeHit>& hits) {
    TreeHit closest;
    for (const TreeHit& hit : hits) {
        if (closest.target == kNoBox || hit.t < closest.t ||
            (hit.t == closest.t && hit.target < closest.target)) {
            closest = hit;
        }
    }
    return closest;
}

// All return values of a visitor of hits. `visit(visitor)` runs the query, `expected` is the list of a batch.
template <class Visit>
std::vector<TreeHit> check_hit_visitor(const Visit& visit, const std::vector<TreeHit>& expected,
                                       const TreeHit& closest, Random& random) {
    std::vector<TreeHit> all;
    REQUIRE(visit([&](const TreeHit& hit) {
                all.push_back(hit);
                return kVisitAll;
            }) == Status::ok);
    REQUIRE((sorted(all) == sorted(expected)));

    // Clipped at each accepted hit, ties included.
    std::vector<TreeHit> clipped;
    float limit = kVisitAll;
    REQUIRE(visit([&](const TreeHit& hit) {
                REQUIRE(hit.t <= limit);
                clipped.push_back(hit);
                return limit = std::min(limit, hit.t);
            }) == Status::ok);
    REQUIRE(closest_of(clipped) == closest);

    // A limit of its own from the first hit on, and a larger one later, which has no effect.
    const float wanted =
        expected.empty() ? 0.0f : expected[random.below(static_cast<std::uint32_t>(expected.size()))].t;
    std::vector<TreeHit> within;
    bool is_first = true;
    REQUIRE(visit([&](const TreeHit& hit) {
                if (!is_first) REQUIRE(hit.t <= wanted);
                if (hit.t <= wanted) within.push_back(hit);
                return std::exchange(is_first, false) ? wanted : kVisitAll;
            }) == Status::ok);
    std::vector<TreeHit> wanted_hits;
    for (const TreeHit& hit : expected) {
        if (hit.t <= wanted) wanted_hits.push_back(hit);
    }
    REQUIRE((sorted(within) == sorted(wanted_hits)));

    const std::size_t most = random.below(4) + 1;
    for (const float no_more : {kVisitNoMore, kNaN}) {
        std::vector<TreeHit> some;
        REQUIRE(visit([&](const TreeHit& hit) {
                    some.push_back(hit);
                    return some.size() < most ? kVisitAll : no_more;
                }) == Status::ok);
        REQUIRE(some.size() == std::min(most, all.size()));
        REQUIRE(std::equal(some.begin(), some.end(), all.begin()));
    }
    return all;
}

inline std::vector<std::vector<TreeHit>> by_query(const AlignedArray<Listed<TreeHit>>& hits,
                                                  std::size_t query_count) {
    std::vector<std::vector<TreeHit>> lists(query_count);
    for (const Listed<TreeHit>& hit : hits) lists[hit.query].push_back(hit.found);
    return lists;
}

// The order in which visitors saw everything.
struct Order {
    std::vector<std::uint32_t> boxes;

    void add(const std::vector<TreeHit>& hits) {
        for (const TreeHit& hit : hits) boxes.push_back(hit.target);
    }
};

/// Runs each query of a tree as a batch, alone, and by visitors of every kind.
class AloneAsker {
public:
    AloneAsker(const BoxTree& tree, const TreeQuestions& questions, const TreeRules& rules)
        : tree_(tree), questions_(questions), rules_(rules) {
        settings_ = settings_of(questions, rules);
    }

    void ask(Inside inside, Touch touch) {
        const RaySettings ray_settings = {inside};
        hits(questions_.rays, {questions_.rays, ray_settings},
             [&](const Ray& ray) { return HitQuery(ray, ray_settings); });
        hits(questions_.casts, {questions_.casts, touch},
             [&](const BoxCast& cast) { return HitQuery(cast, touch); });
        hits(questions_.sphere_casts, questions_.sphere_casts,
             [](const SphereCast& cast) { return HitQuery(cast); });
        hits(questions_.capsule_casts, questions_.capsule_casts,
             [](const CapsuleCast& cast) { return HitQuery(cast); });
        overlaps(questions_.boxes);
        overlaps(questions_.points);
        overlaps(questions_.spheres);
        overlaps(questions_.obbs);
        overlaps(questions_.capsules);
        overlaps(questions_.volumes);
        nearest();
    }
    /// The boxes in the order in which visitors saw them.
    const std::vector<std::uint32_t>& order() const { return order_; }

private:
    template <class Query, class One>
    void hits(const std::vector<Query>& queries, const HitQueries& many, const One& one) {
        AlignedArray<Listed<TreeHit>> list;
        REQUIRE(tree_.find_hits(many, settings_, scratch_, list).status == Status::ok);
        std::vector<TreeHit> expected(queries.size());
        REQUIRE(tree_.closest_hits(many, settings_, expected).status == Status::ok);
        const auto lists = by_query(list, queries.size());
        for (std::size_t i = 0; i < queries.size(); ++i) {
            AloneSettings alone(questions_, rules_, i);
            const HitQuery query = one(queries[i]);
            REQUIRE(tree_.closest_hit(query, alone.settings) == expected[i]);
            REQUIRE(tree_.any_hit(query, alone.settings) == !lists[i].empty());
            const auto visit = [&](HitVisitor visitor) {
                return tree_.visit_hits(query, alone.settings, visitor);
            };
            for (const PairOrder order : {PairOrder::canonical, PairOrder::by_algorithm}) {
                alone.settings.order = order;
                for (const TreeHit& hit : check_hit_visitor(visit, lists[i], expected[i], random_))
                    order_.push_back(hit.target);
            }
        }
    }

    template <class Query>
    void overlaps(const std::vector<Query>& queries) {
        PairBuffer pairs;
        const std::span<const Query> span = queries;
        REQUIRE(tree_.find_overlaps(span, settings_, scratch_, pairs).status == Status::ok);
        std::vector<std::vector<std::uint32_t>> lists(queries.size());
        for (const IndexPair& pair : pairs) lists[pair.first].push_back(pair.second);
        for (std::size_t i = 0; i < queries.size(); ++i) {
            const AloneSettings alone(questions_, rules_, i);
            std::vector<std::uint32_t> all;
            REQUIRE(tree_.visit_overlaps(queries[i], alone.settings, [&](std::uint32_t box) {
                all.push_back(box);
                return true;
            }) == Status::ok);
            order_.insert(order_.end(), all.begin(), all.end());
            const std::size_t most = random_.below(4) + 1;
            std::vector<std::uint32_t> some;
            REQUIRE(tree_.visit_overlaps(queries[i], alone.settings, [&](std::uint32_t box) {
                some.push_back(box);
                return some.size() < most;
            }) == Status::ok);
            REQUIRE(some.size() == std::min(most, all.size()));
            REQUIRE(std::equal(some.begin(), some.end(), all.begin()));
            std::sort(all.begin(), all.end());
            REQUIRE((all == lists[i]));
            REQUIRE(tree_.any_overlap(queries[i], alone.settings) == !all.empty());
        }
    }

    void nearest() {
        const std::vector<Vec3>& points = questions_.points;
        std::vector<ClosestBox> expected(points.size());
        REQUIRE(tree_.closest_boxes(points, {}, settings_, expected).status == Status::ok);
        for (std::size_t i = 0; i < points.size(); ++i) {
            const AloneSettings alone(questions_, rules_, i);
            REQUIRE(tree_.closest_box(points[i], alone.settings) == expected[i]);
            const ClosestBoxSettings within = {.max_distance = random_.uniform(0.0f, 4.0f)};
            ClosestBox near;
            REQUIRE(tree_.closest_boxes(points[i], within, alone.settings, {&near, 1}).status == Status::ok);
            REQUIRE(tree_.closest_box(points[i], within, alone.settings) == near);
        }
    }

    const BoxTree& tree_;
    const TreeQuestions& questions_;
    TreeRules rules_;
    TreeQuerySettings settings_;
    Random random_{7};
    BoxScratch scratch_;
    std::vector<std::uint32_t> order_;
};

}  // namespace broadside::test
