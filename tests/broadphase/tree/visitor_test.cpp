// Questions alone: the answers of a batch; and visitors, which see what is in the list, and only as much of it
// as they want.
#include "tests/broadphase/tree/box_tree_oracle.hpp"
#include "tests/support/for_each_isa.hpp"

using namespace broadside;
using namespace broadside::test;

namespace {

// One query of a batch with the batch's rules, asked alone: its mask is the only one, and its index is what a
// callback goes by.
struct AloneSettings {
    const TreeQuestions& questions;
    std::size_t query;
    TreeQuerySettings settings;

    AloneSettings(const TreeQuestions& questions_in, const TreeRules& rules, std::size_t query_in)
        : questions(questions_in), query(query_in) {
        settings.filter = filter_of(questions, rules);
        if (rules.has_masks) settings.filter.masks = std::span(questions.masks).subspan(query, 1);
        if (rules.has_callback) {
            settings.filter.user = this;
            settings.filter.accepts = [](void* user, std::uint32_t query_index, std::uint32_t box) noexcept {
                const auto& self = *static_cast<const AloneSettings*>(user);
                return query_index == 0 && callback_accepts(self.questions, self.query, box);
            };
        }
    }
};

bool is_before(const TreeHit& a, const TreeHit& b) { return a.t < b.t || (a.t == b.t && a.box < b.box); }
std::vector<TreeHit> sorted(std::vector<TreeHit> hits) {
    std::sort(hits.begin(), hits.end(), is_before);
    return hits;
}
ClosestHit closest_of(const std::vector<TreeHit>& hits) {
    ClosestHit closest;
    for (const TreeHit& hit : hits) {
        if (closest.box_index == kNoBox || hit.t < closest.t ||
            (hit.t == closest.t && hit.box < closest.box_index)) {
            closest = {hit.t, hit.box, hit.face};
        }
    }
    return closest;
}

// All that a visitor of hits can answer. `visit(visitor)` asks, `expected` is the list, as a batch gives it.
template <class Visit>
std::vector<TreeHit> check_hit_visitor(const Visit& visit, const std::vector<TreeHit>& expected,
                                       const ClosestHit& closest, Random& random) {
    std::vector<TreeHit> all;
    REQUIRE(visit([&](const TreeHit& hit) {
                all.push_back(hit);
                return kVisitAll;
            }) == Status::ok);
    REQUIRE((sorted(all) == sorted(expected)));

    // Clipped at each hit that is taken, ties included.
    std::vector<TreeHit> clipped;
    float limit = kVisitAll;
    REQUIRE(visit([&](const TreeHit& hit) {
                REQUIRE(hit.t <= limit);
                clipped.push_back(hit);
                return limit = std::min(limit, hit.t);
            }) == Status::ok);
    REQUIRE(closest_of(clipped) == closest);

    // A limit of its own from the first hit on, and a larger one later, which changes nothing.
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

std::vector<std::vector<TreeHit>> by_query(const AlignedArray<TreeHit>& hits, std::size_t query_count) {
    std::vector<std::vector<TreeHit>> lists(query_count);
    for (const TreeHit& hit : hits) lists[hit.query].push_back({0, hit.box, hit.t, hit.face});
    return lists;
}

// The order in which visitors saw everything.
struct Order {
    std::vector<std::uint32_t> boxes;

    void add(const std::vector<TreeHit>& hits) {
        for (const TreeHit& hit : hits) boxes.push_back(hit.box);
    }
};

struct Subject {
    const BoxTree& tree;
    const TreeQuestions& questions;
    TreeRules rules;
    Random random{7};
    TreeScratch scratch = TreeScratch();
    Order order = {};

    TreeQuerySettings batch_settings() const {
        TreeQuerySettings settings;
        settings.filter = filter_of(questions, rules);
        return settings;
    }

    template <class Query, class FindAll, class FindClosest, class Visit, class Closest>
    void hits(const std::vector<Query>& queries, FindAll&& find_all, FindClosest&& find_closest,
              Visit&& visit, Closest&& closest) {
        AlignedArray<TreeHit> list;
        REQUIRE(find_all(list).status == Status::ok);
        std::vector<ClosestHit> expected(queries.size());
        REQUIRE(find_closest(std::span(expected)).status == Status::ok);
        const auto lists = by_query(list, queries.size());
        for (std::size_t i = 0; i < queries.size(); ++i) {
            const AloneSettings alone(questions, rules, i);
            REQUIRE(closest(queries[i], alone.settings) == expected[i]);
            order.add(check_hit_visitor(
                [&](HitVisitor visitor) { return visit(queries[i], alone.settings, visitor); }, lists[i],
                expected[i], random));
        }
    }

    template <class Query>
    void overlaps(const std::vector<Query>& queries) {
        PairBuffer pairs;
        const std::span<const Query> span = queries;
        REQUIRE(tree.find_overlaps(span, batch_settings(), scratch, pairs).status == Status::ok);
        std::vector<std::vector<std::uint32_t>> lists(queries.size());
        for (const IndexPair& pair : pairs) lists[pair.first].push_back(pair.second);
        for (std::size_t i = 0; i < queries.size(); ++i) {
            const AloneSettings alone(questions, rules, i);
            std::vector<std::uint32_t> all;
            REQUIRE(tree.visit_overlaps(queries[i], alone.settings, [&](std::uint32_t box) {
                all.push_back(box);
                return true;
            }) == Status::ok);
            order.boxes.insert(order.boxes.end(), all.begin(), all.end());
            const std::size_t most = random.below(4) + 1;
            std::vector<std::uint32_t> some;
            REQUIRE(tree.visit_overlaps(queries[i], alone.settings, [&](std::uint32_t box) {
                some.push_back(box);
                return some.size() < most;
            }) == Status::ok);
            REQUIRE(some.size() == std::min(most, all.size()));
            REQUIRE(std::equal(some.begin(), some.end(), all.begin()));
            std::sort(all.begin(), all.end());
            REQUIRE((all == lists[i]));
            REQUIRE(tree.any_overlap(queries[i], alone.settings) == !all.empty());
        }
    }

    void ask(Inside inside, Touch touch) {
        const RaySettings ray_settings = {inside};
        const TreeQuerySettings settings = batch_settings();
        hits(
            questions.rays,
            [&](auto& out) {
                return tree.find_hits({questions.rays, ray_settings}, settings, scratch, out);
            },
            [&](auto out) {
                return tree.closest_hits({questions.rays, ray_settings}, settings, out);
            },
            [&](const Ray& ray, const auto& alone, HitVisitor visitor) {
                return tree.visit_hits({ray, ray_settings}, alone, visitor);
            },
            [&](const Ray& ray, const auto& alone) {
                return tree.closest_hit({ray, ray_settings}, alone);
            });
        hits(
            questions.casts,
            [&](auto& out) {
                return tree.find_hits({questions.casts, touch}, settings, scratch, out);
            },
            [&](auto out) {
                return tree.closest_hits({questions.casts, touch}, settings, out);
            },
            [&](const BoxCast& cast, const auto& alone, HitVisitor visitor) {
                return tree.visit_hits({cast, touch}, alone, visitor);
            },
            [&](const BoxCast& cast, const auto& alone) {
                return tree.closest_hit({cast, touch}, alone);
            });
        hits(
            questions.sphere_casts,
            [&](auto& out) { return tree.find_hits(questions.sphere_casts, settings, scratch, out); },
            [&](auto out) { return tree.closest_hits(questions.sphere_casts, settings, out); },
            [&](const SphereCast& cast, const auto& alone, HitVisitor visitor) {
                return tree.visit_hits(cast, alone, visitor);
            },
            [&](const SphereCast& cast, const auto& alone) { return tree.closest_hit(cast, alone); });
        overlaps(questions.boxes);
        overlaps(questions.points);
        overlaps(questions.spheres);
        overlaps(questions.obbs);
        overlaps(questions.volumes);
    }
};

}  // namespace

TEST_CASE(
    "a question alone has the answer of the batch, and visitors see its list, on every ISA in one order") {
    std::size_t visit_count = 0;
    for (const PairScene& scene : pair_scenes()) {
        const std::vector<Aabb> boxes = make_scene(scene, 700);
        BoxTree tree;
        REQUIRE(tree.build(soa_of(boxes)) == Status::ok);
        const TreeQuestions questions = make_questions(boxes, 12, 3);
        for (unsigned choice = 0; choice < kTreeRulesCount; ++choice) {
            const auto inside = static_cast<Inside>(choice % 3);
            const auto touch = static_cast<Touch>(choice % 2);
            std::vector<std::uint32_t> expected_order;
            for_each_isa([&](Isa isa) {
                INFO(scene.name << ", rules " << choice);
                Subject subject = {tree, questions, tree_rules(choice)};
                subject.ask(inside, touch);
                if (isa == Isa::scalar) expected_order = subject.order.boxes;
                REQUIRE((subject.order.boxes == expected_order));
                visit_count += subject.order.boxes.size();
            });
        }
    }
    CHECK(visit_count > 100000);
}

TEST_CASE("hits of boxes in a row come near before far, and those at one t by index") {
    std::vector<Aabb> boxes;
    for (int i = 0; i < 2000; ++i) {
        // From the far end, each box twice.
        const auto x = static_cast<float>(2 * (1000 - i / 2));
        boxes.push_back({{x, 0, 0}, {x + 1, 1, 1}});
    }
    BoxTree tree;
    REQUIRE(tree.build(soa_of(boxes)) == Status::ok);
    const Ray ray = {{0, 0.5f, 0.5f}, {1, 0, 0}};
    const BoxCast cast = {{{0, 0, 0}, {1, 1, 1}}, {3000, 0, 0}};
    const SphereCast ball = {{{0, 0.5f, 0.5f}, 0.25f}, {3000, 0, 0}};
    for_each_isa([&](Isa) {
        std::vector<TreeHit> hits;
        const auto add = [&](const TreeHit& hit) {
            hits.push_back(hit);
            return kVisitAll;
        };
        const auto check = [&] {
            CHECK(hits.size() == boxes.size());
            CHECK(std::is_sorted(hits.begin(), hits.end(), is_before));
            hits.clear();
        };
        REQUIRE(tree.visit_hits(ray, {}, add) == Status::ok);
        check();
        REQUIRE(tree.visit_hits({cast, Touch::closed}, {}, add) == Status::ok);
        check();
        REQUIRE(tree.visit_hits(ball, {}, add) == Status::ok);
        check();
        // The nearest is enough: little else is looked at.
        std::size_t count = 0;
        REQUIRE(tree.visit_hits(ray, {}, [&](const TreeHit& hit) {
            ++count;
            return hit.t;
        }) == Status::ok);
        CHECK(count == 2);
    });
}

TEST_CASE("a cast finds what it meets within its reach") {
    std::vector<Aabb> boxes;
    for (int i = 1; i <= 40; ++i) {
        const auto x = static_cast<float>(i);
        boxes.push_back({{x, 0, 0}, {x + 0.5f, 1, 1}});
    }
    BoxTree tree;
    REQUIRE(tree.build(soa_of(boxes)) == Status::ok);
    // Box i is met at (i + 1 - 0.5) / 64.
    BoxCast cast = {{{0, 0, 0}, {0.5f, 1, 1}}, {64, 0, 0}};
    SphereCast ball = {{{0.25f, 0.5f, 0.5f}, 0.25f}, {64, 0, 0}};
    TreeScratch scratch;
    AlignedArray<TreeHit> hits;
    const auto count_within = [&](float t_max) {
        std::size_t count = 0;
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            count += (static_cast<float>(i) + 0.5f) / 64 <= t_max ? 1 : 0;
        }
        return count;
    };
    for_each_isa([&](Isa) {
        for (const float t_max :
             {kNaN, -1.0f, -0.0f, 0.0f, 0.5f / 64, 3.5f / 64, 3.4999f / 64, 0.25f, 1.0f, 2.0f, kInfinity}) {
            cast.t_max = t_max;
            ball.t_max = t_max;
            const std::size_t expected = t_max >= 0 ? count_within(t_max) : 0;
            INFO("t_max " << t_max);
            REQUIRE(tree.find_hits({cast, Touch::open}, {}, scratch, hits).status == Status::ok);
            CHECK(hits.size() == expected);
            REQUIRE(tree.find_hits({cast, Touch::closed}, {}, scratch, hits).status == Status::ok);
            CHECK(hits.size() == expected);
            REQUIRE(tree.find_hits(ball, {}, scratch, hits).status == Status::ok);
            CHECK(hits.size() == expected);
            CHECK((tree.closest_hit(cast).box_index == 0) == (expected != 0));
            CHECK((tree.closest_hit({cast, Touch::open}).box_index == 0) == (expected != 0));
            CHECK((tree.closest_hit(ball).box_index == 0) == (expected != 0));
        }
    });
}

TEST_CASE("a visitor of a question with bad arguments is not called") {
    BoxTree tree;
    REQUIRE(tree.build(soa_of({{{0, 0, 0}, {1, 1, 1}}})) == Status::ok);
    const Ray ray = {{-1, 0.5f, 0.5f}, {1, 0, 0}};
    const auto no_hit = [](const TreeHit&) {
        FAIL("called");
        return kVisitAll;
    };
    const auto no_box = [](std::uint32_t) {
        FAIL("called");
        return true;
    };
    const std::vector<std::uint64_t> masks(2);
    TreeQuerySettings settings;
    settings.filter.masks = masks;
    CHECK(tree.visit_hits(ray, settings, no_hit) == Status::invalid_argument);
    CHECK(tree.visit_hits({ray, {static_cast<Inside>(3)}}, {}, no_hit) == Status::invalid_argument);
    CHECK(tree.closest_hit({ray, {static_cast<Inside>(3)}}) == ClosestHit{});
    CHECK(tree.closest_hit(ray, settings) == ClosestHit{});
    const BoxCast cast = {{{-2, 0, 0}, {-1, 1, 1}}, {4, 0, 0}};
    CHECK(tree.visit_hits({cast, static_cast<Touch>(2)}, {}, no_hit) == Status::invalid_argument);
    CHECK(tree.closest_hit({cast, static_cast<Touch>(2)}) == ClosestHit{});
    CHECK(tree.visit_hits({cast, Touch::closed}, settings, no_hit) == Status::invalid_argument);
    const SphereCast ball = {{{-2, 0, 0}, 1}, {4, 0, 0}};
    CHECK(tree.visit_hits(ball, settings, no_hit) == Status::invalid_argument);
    CHECK(tree.closest_hit(ball, settings) == ClosestHit{});
    CHECK(tree.visit_overlaps(Vec3{}, settings, no_box) == Status::invalid_argument);
    // An invalid question finds nothing, and so does an empty tree.
    CHECK(tree.visit_overlaps(Aabb::empty(), {}, no_box) == Status::ok);
    CHECK(tree.visit_hits(Ray{{kNaN, 0, 0}, {1, 0, 0}}, {}, no_hit) == Status::ok);
    tree.clear();
    CHECK(tree.visit_hits(ray, {}, no_hit) == Status::ok);
    CHECK(tree.visit_overlaps(Vec3{}, {}, no_box) == Status::ok);
    CHECK(tree.closest_hit(ray) == ClosestHit{});
}
