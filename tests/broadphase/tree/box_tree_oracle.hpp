// All queries of a BoxTree, and the same by loops over all boxes with the narrowphase's single functions.
#pragma once

#include "core/src/geometry/capsule_box.hpp"
#include "core/src/geometry/obb_box_scalar.hpp"
#include "core/src/geometry/sphere_box.hpp"
#include "tests/broadphase/pair_scenes.hpp"
#include "tests/support/exact_squares.hpp"
#include "tests/support/motions.hpp"

#include <doctest/doctest.h>

#include <broadside/box_tree.hpp>
#include <broadside/capsule_box.hpp>
#include <broadside/moving_aabb.hpp>
#include <broadside/ray_box.hpp>
#include <broadside/sphere_overlap.hpp>
#include <broadside/volume_box.hpp>

#include <algorithm>
#include <memory>
#include <vector>

namespace broadside::test {

/// Queries around a scene: aimed at its boxes, touching them, inside, far off, and invalid.
struct TreeQuestions {
    std::vector<Aabb> boxes;
    std::vector<Vec3> points;
    std::vector<Sphere> spheres;
    std::vector<Obb> obbs;
    std::vector<Capsule> capsules;
    std::vector<Plane> planes;
    std::vector<ConvexVolume> volumes;
    std::vector<Ray> rays;
    std::vector<BoxCast> casts;
    std::vector<SphereCast> sphere_casts;
    std::vector<CapsuleCast> capsule_casts;
    /// Categories for boxes and masks for `boxes.size()` queries.
    std::vector<std::uint64_t> categories;
    std::vector<std::uint64_t> masks;
    /// Data for callbacks, beside the indices.
    std::size_t refused = 1;
};

/// Appends its argument.
template <class Item>
ListSink<Item> sink_into(std::vector<Item>& out_items) {
    return {[](void* user, std::span<const Item> items) noexcept {
                CHECK_FALSE(items.empty());
                auto& to = *static_cast<std::vector<Item>*>(user);
                to.insert(to.end(), items.begin(), items.end());
                return true;
            },
            &out_items};
}

inline Vec3 corner_of(const Aabb& box, std::uint32_t corner) {
    return {(corner & 1) != 0 ? box.min.x : box.max.x, (corner & 2) != 0 ? box.min.y : box.max.y,
            (corner & 4) != 0 ? box.min.z : box.max.z};
}

/// Turned at random, along the axes, or by an eighth of a turn without being normalised; sometimes invalid.
inline Obb random_obb(Random& random, Vec3 center) {
    Obb obb;
    obb.center = center;
    obb.half_extent = {random.chance(4) ? 0.0f : random.uniform(0, 4), random.uniform(0, 2),
                       random.grid(0, 2)};
    if (random.chance(3)) {
        obb.axis_x = {1, 1, 0};
        obb.axis_y = {-1, 1, 0};
    } else if (random.chance(2)) {
        const Vec3 a = random_vec3(random, -1, 1);
        const Vec3 b = random_vec3(random, -1, 1);
        const Vec3 normal = cross(a, b);
        obb.axis_x = a * (1.0f / std::sqrt(length_sq(a)));
        obb.axis_z = normal * (1.0f / std::sqrt(length_sq(normal)));
        obb.axis_y = cross(obb.axis_z, obb.axis_x);
    }
    if (random.chance(20)) obb.half_extent.y = -1.0f;
    if (random.chance(40)) obb.axis_z.x = kNaN;
    return obb;
}

inline TreeQuestions make_questions(const std::vector<Aabb>& scene, std::size_t count, std::uint64_t seed) {
    Random random(seed);
    TreeQuestions questions;
    const auto any_box = [&] {
        if (scene.empty() || random.chance(8)) return adversarial_box(random);
        return scene[random.below(static_cast<std::uint32_t>(scene.size()))];
    };
    const auto any_point = [&] {
        if (random.chance(16)) return vast_point(random);
        const Aabb box = any_box();
        const Vec3 point = random.chance(2) ? corner_of(box, random.below(8)) : center(box);
        return random.chance(3) ? point + random_vec3(random, -2, 2) : point;
    };
    // In separate statements, since the compiler and the machine choose which operand of a difference is
    // evaluated first.
    const auto any_way = [&] {
        const Vec3 from = any_point();
        const Vec3 to = any_point();
        return to - from;
    };
    for (std::size_t i = 0; i < count; ++i) {
        const Vec3 at = any_point();
        questions.boxes.push_back(random.chance(4) ? any_box() : Aabb{at, at + random_vec3(random, 0, 5)});
        questions.points.push_back(any_point());
        float radius = random.chance(4) ? 0.0f : random.uniform(-0.2f, 4.0f);
        if (random.chance(16)) radius = absolute(any_float(random));
        questions.spheres.push_back({any_point(), radius});
        Ray ray = {any_point(), any_way()};
        if (random.chance(4)) ray.direction = {0, random.chance(2) ? -0.0f : 1.0f, random.grid(-1, 1)};
        if (random.chance(3)) ray.t_max = random.uniform(0, 2);
        questions.rays.push_back(ray);
        BoxCast cast = {any_box(), random_vec3(random, -6, 6)};
        if (random.chance(3)) cast.displacement = {random.grid(-3, 3), 0.0f, random.grid(-1, 1)};
        if (random.chance(4)) cast.t_max = random.chance(2) ? random.uniform(-0.1f, 1.2f) : random.grid(0, 1);
        questions.casts.push_back(cast);
        questions.masks.push_back(random.chance(8) ? 0 : std::uint64_t{1} << random.below(3));
        questions.obbs.push_back(random_obb(random, any_point()));
        float sphere = random.chance(4) ? 0.0f : random.uniform(-0.2f, 3.0f);
        if (random.chance(16)) sphere = absolute(any_float(random));
        SphereCast sphere_cast = {{any_point(), sphere}, any_way()};
        if (random.chance(3)) sphere_cast.displacement = {random.grid(-3, 3), -0.0f, random.grid(-1, 1)};
        if (random.chance(4)) sphere_cast.t_max = random.uniform(-0.1f, 1.2f);
        questions.sphere_casts.push_back(sphere_cast);
    }
    for (std::size_t i = 0; i < count; ++i) {
        // Made from the other shapes without random numbers, so that those stay the same.
        const Vec3 a = questions.spheres[i].center;
        const Vec3 b = i % 8 == 0 ? a : questions.points[i];
        questions.capsules.push_back({a, b, questions.spheres[i].radius * 0.5f});
        const SphereCast& cast = questions.sphere_casts[i];
        const Vec3 end = i % 3 == 0 ? cast.shape.center + Vec3{0, 0, 2} : questions.boxes[i].min;
        questions.capsule_casts.push_back(
            {{cast.shape.center, end, cast.shape.radius}, cast.displacement, cast.t_max});
    }
    for (std::size_t i = 0; i < 3 * count; ++i) {
        const Vec3 normal = {random.grid(-1, 1), random.uniform(-1, 1), random.grid(-1, 1)};
        const Vec3 at = any_point();
        questions.planes.push_back({normal, -dot(normal, at)});
        if (random.chance(16)) questions.planes.back().normal = vast_point(random);
    }
    for (std::size_t i = 0; i < count; ++i) {
        questions.volumes.push_back({std::span(questions.planes).subspan(3 * i, i % 4)});
    }
    for (std::size_t i = 0; i < scene.size(); ++i) {
        questions.categories.push_back(random.chance(8) ? 0 : std::uint64_t{1} << random.below(3));
    }
    return questions;
}

/// All results, in vectors that compare as a whole; times by their bits.
struct TreeAnswers {
    std::vector<IndexPair> pairs;
    std::vector<std::uint32_t> words;

    void add(std::uint32_t query, std::uint32_t box, float t, Face face) {
        for (const std::uint32_t word : {query, box, bits_of(t), static_cast<std::uint32_t>(face)}) {
            words.push_back(word);
        }
    }
    friend bool operator==(const TreeAnswers&, const TreeAnswers&) = default;
};

/// The rules of a TreeQuerySettings that are given.
struct TreeRules {
    bool has_categories = false;
    bool has_masks = false;
    bool has_callback = false;
};

/// All combinations, by number.
constexpr unsigned kTreeRulesCount = 8;
constexpr TreeRules tree_rules(unsigned choice) {
    return {(choice & 1) != 0, (choice & 2) != 0, (choice & 4) != 0};
}

inline bool callback_accepts(const TreeQuestions& questions, std::size_t query, std::size_t box) {
    return (3 * query + box) % 4 != questions.refused;
}
/// The library's form of the rules.
inline TreeQuerySettings settings_of(const TreeQuestions& questions, const TreeRules& rules) {
    TreeQuerySettings settings;
    if (rules.has_categories) settings.categories = questions.categories;
    if (rules.has_masks) settings.masks = questions.masks;
    if (rules.has_callback) {
        settings.accepts = [](void* user, std::uint32_t query, std::uint32_t box) noexcept {
            return callback_accepts(*static_cast<const TreeQuestions*>(user), query, box);
        };
        settings.user = const_cast<TreeQuestions*>(&questions);
    }
    return settings;
}

inline bool passes(const TreeQuestions& questions, const TreeRules& rules, std::size_t query,
                   std::size_t box) {
    const std::uint64_t category = rules.has_categories ? questions.categories[box] : ~std::uint64_t{0};
    const std::uint64_t mask = rules.has_masks ? questions.masks[query] : ~std::uint64_t{0};
    return (category & mask) != 0 && (!rules.has_callback || callback_accepts(questions, query, box));
}

/// In long double, by another formula than the library's: the distance to the clamped point.
inline long double true_distance_sq(const Aabb& box, Vec3 point) {
    const auto gap = [](float min, float max, float place) {
        return static_cast<long double>(place) - std::clamp<long double>(place, min, max);
    };
    const long double x = gap(box.min.x, box.max.x, point.x);
    const long double y = gap(box.min.y, box.max.y, point.y);
    const long double z = gap(box.min.z, box.max.z, point.z);
    return (x * x + y * y) + z * z;
}

/// Orders boxes by their distance to a point, in integers if long doubles cannot be sure.
struct NearOracle {
    Aabb box;
    std::uint32_t box_index;
    long double distance_sq;

    NearOracle(const Aabb& box_in, std::uint32_t index, Vec3 point)
        : box(box_in), box_index(index), distance_sq(true_distance_sq(box_in, point)) {}

    bool is_nearer(const NearOracle& other, Vec3 point) const {
        const long double lead = other.distance_sq - distance_sq;
        if (std::fabs(lead) > other.distance_sq * 1e-15L) return lead > 0;
        const bool are_inside = distance_sq == 0 && other.distance_sq == 0;
        const mpz_class exact_lead =
            are_inside ? mpz_class(0)
                       : mpz_class(exact_distance_sq(other.box, point) - exact_distance_sq(box, point));
        return exact_lead != 0 ? exact_lead > 0 : box_index < other.box_index;
    }
    bool is_within(float distance, Vec3 point) const {
        // No limit; there are distances beyond FLT_MAX.
        if (distance == std::numeric_limits<float>::infinity()) return true;
        const long double square = static_cast<long double>(distance) * distance;
        if (std::fabs(square - distance_sq) > square * 1e-15L) return distance_sq < square;
        return exact_distance_sq(box, point) <= exact_square(distance);
    }
    ClosestBox reported() const {
        return {static_cast<float>(std::min<long double>(distance_sq, FLT_MAX)), box_index};
    }
};

/// The nearest of the boxes within reach, in order.
inline void sort_closest(std::vector<NearOracle>& state_boxes, Vec3 point, float reach) {
    std::erase_if(state_boxes, [&](const NearOracle& box) { return !box.is_within(reach, point); });
    std::sort(state_boxes.begin(), state_boxes.end(),
              [&](const NearOracle& a, const NearOracle& b) { return a.is_nearer(b, point); });
}

constexpr std::uint32_t kNearCount = 3;
constexpr float kNearReach = 5.0f;

template <class Query, class Meets>
void add_overlaps(const std::vector<Aabb>& scene, const std::vector<Query>& queries,
                  const TreeQuestions& questions, const TreeRules& rules, Meets&& meets,
                  TreeAnswers& out_answers) {
    for (std::uint32_t query = 0; query < queries.size(); ++query) {
        bool is_any = false;
        for (std::uint32_t box = 0; box < scene.size(); ++box) {
            if (!passes(questions, rules, query, box) || !meets(queries[query], scene[box])) continue;
            out_answers.pairs.push_back({query, box});
            is_any = true;
        }
        out_answers.words.push_back(is_any ? 1u : 0u);
    }
}

struct OracleHit {
    bool has_hit;
    float t;
    Face face;
};
template <class Query, class Meet>
void add_hits(const std::vector<Aabb>& scene, const std::vector<Query>& queries,
              const TreeQuestions& questions, const TreeRules& rules, Meet&& meet, TreeAnswers& out_answers) {
    for (std::uint32_t query = 0; query < queries.size(); ++query) {
        TreeHit first;
        for (std::uint32_t box = 0; box < scene.size(); ++box) {
            const OracleHit hit = meet(queries[query], scene[box]);
            if (!hit.has_hit || !passes(questions, rules, query, box)) continue;
            out_answers.add(query, box, hit.t, hit.face);
            if (first.target == kNoBox || hit.t < first.t) first = {box, hit.t, hit.face};
        }
        out_answers.words.push_back(first.target != kNoBox ? 1u : 0u);
        out_answers.add(query, first.target, first.t, first.face);
    }
}

inline void add_close(const std::vector<Aabb>& scene, const TreeQuestions& questions, const TreeRules& rules,
                      TreeAnswers& out_answers) {
    for (std::uint32_t query = 0; query < questions.points.size(); ++query) {
        const Vec3 point = questions.points[query];
        std::vector<NearOracle> near;
        for (std::uint32_t box = 0; box < scene.size(); ++box) {
            if (!is_valid(scene[box]) || !is_finite(point)) continue;
            if (passes(questions, rules, query, box)) near.push_back({scene[box], box, point});
        }
        sort_closest(near, point, kNearReach);
        for (std::size_t k = 0; k < kNearCount; ++k) {
            const ClosestBox found = k < near.size() ? near[k].reported() : ClosestBox{};
            out_answers.add(query, found.target, found.distance_sq, Face::none);
        }
    }
}

inline OracleHit hit_of(const Ray& ray, const Aabb& box, Inside inside) {
    const RaySolidHit hit = is_valid(box) ? ray_box(ray, box, {inside}) : RaySolidHit{};
    return {hit.has_hit, hit.t_enter, hit.face};
}
inline OracleHit hit_of(const BoxCast& cast, const Aabb& box, Touch touch) {
    const Impact impact = first_impact(box, cast.shape, cast.displacement, touch);
    return {impact.toi <= std::min(cast.t_max, 1.0f), impact.toi, impact.face};
}

/// The deciding function, which box_tree_shapes_test.cpp tests.
inline OracleHit hit_of(const SphereCast& cast, const Aabb& box) {
    const SphereBoxImpact impact = sphere_box_impact(cast.shape, cast.displacement, box);
    return {impact.has_hit && impact.toi <= cast.t_max, impact.toi, impact.face};
}
inline OracleHit hit_of(const CapsuleCast& cast, const Aabb& box) {
    const geometry::CapsuleBoxImpact impact =
        geometry::capsule_cast_hit(cast.shape, cast.displacement, cast.t_max, box);
    return {impact.has_hit, impact.toi, impact.face};
}
inline bool decided_overlap(const Obb& obb, const Aabb& box) {
    const ObbQuery query = obb_query_of(obb);
    return is_valid(box) && query.is_legal && meets(query, box);
}

/// The results of loops over all boxes.
inline TreeAnswers oracle_answers(const std::vector<Aabb>& scene, const TreeQuestions& questions,
                                  Inside inside, Touch touch, const TreeRules& rules = {}) {
    TreeAnswers answers;
    const auto add = [&](const auto& queries, auto&& meets) {
        add_overlaps(scene, queries, questions, rules, meets, answers);
    };
    add(questions.boxes, [](const Aabb& query, const Aabb& box) { return overlap(query, box); });
    add(questions.points, [](Vec3 query, const Aabb& box) {
        return is_valid(box) && is_finite(query) && contains(box, query);
    });
    add(questions.spheres, [](const Sphere& query, const Aabb& box) { return overlap(query, box); });
    add(questions.obbs, [](const Obb& query, const Aabb& box) { return decided_overlap(query, box); });
    add(questions.capsules, [](const Capsule& query, const Aabb& box) { return overlap(query, box); });
    add(questions.volumes, [](const ConvexVolume& query, const Aabb& box) { return overlap(query, box); });
    add_hits(
        scene, questions.rays, questions, rules,
        [&](const Ray& ray, const Aabb& box) { return hit_of(ray, box, inside); }, answers);
    add_hits(
        scene, questions.casts, questions, rules,
        [&](const BoxCast& cast, const Aabb& box) { return hit_of(cast, box, touch); }, answers);
    add_hits(
        scene, questions.sphere_casts, questions, rules,
        [](const SphereCast& cast, const Aabb& box) { return hit_of(cast, box); }, answers);
    add_hits(
        scene, questions.capsule_casts, questions, rules,
        [](const CapsuleCast& cast, const Aabb& box) { return hit_of(cast, box); }, answers);
    add_close(scene, questions, rules, answers);
    return answers;
}

/// The tree's results for the same queries, in the same form.
class TreeAsker {
public:
    TreeAsker(const BoxTree& tree, const TreeQuestions& questions, const TreeQuerySettings& settings)
        : tree_(tree), questions_(questions), settings_(settings) {}

    TreeAnswers ask(Inside inside, Touch touch) {
        answers_ = {};
        overlaps(questions_.boxes);
        overlaps(questions_.points);
        overlaps(questions_.spheres);
        overlaps(questions_.obbs);
        overlaps(questions_.capsules);
        overlaps(questions_.volumes);
        hits({questions_.rays, {inside}});
        hits({questions_.casts, touch});
        hits(questions_.sphere_casts);
        hits(questions_.capsule_casts);
        std::vector<ClosestBox> near(questions_.points.size() * kNearCount);
        REQUIRE(tree_.closest_boxes(questions_.points, {kNearCount, kNearReach}, settings_, near).status ==
                Status::ok);
        for (std::size_t i = 0; i < near.size(); ++i) {
            answers_.add(static_cast<std::uint32_t>(i / kNearCount), near[i].target, near[i].distance_sq,
                         Face::none);
        }
        return answers_;
    }

private:
    template <class Query>
    void overlaps(const std::vector<Query>& queries) {
        const std::span<const Query> span = queries;
        std::vector<std::uint64_t> bits(span.size() / 64 + 1);
        const WriteResult result = tree_.find_overlaps(span, settings_, scratch_, pairs_);
        REQUIRE(result.status == Status::ok);
        REQUIRE(result.written == pairs_.size());
        REQUIRE(tree_.any_overlap(span, settings_, bits).status == Status::ok);
        check_first_overlaps(tree_, span, settings_, bits);
        answers_.pairs.insert(answers_.pairs.end(), pairs_.begin(), pairs_.end());
        for (std::size_t i = 0; i < span.size(); ++i) {
            answers_.words.push_back(static_cast<std::uint32_t>(bits[i / 64] >> (i % 64) & 1));
        }
    }
    void hits(const HitQueries& queries) {
        std::vector<TreeHit> first(queries.size());
        std::vector<std::uint64_t> bits(queries.size() / 64 + 1);
        REQUIRE(tree_.find_hits(queries, settings_, scratch_, hits_).status == Status::ok);
        REQUIRE(tree_.closest_hits(queries, settings_, first).status == Status::ok);
        REQUIRE(tree_.any_hit(queries, settings_, bits).status == Status::ok);
        add(first, bits);
    }
    void add(const std::vector<TreeHit>& first, const std::vector<std::uint64_t>& bits) {
        const Listed<TreeHit>* hit = hits_.begin();
        for (std::uint32_t i = 0; i < first.size(); ++i) {
            for (; hit != hits_.end() && hit->query == i; ++hit)
                answers_.add(i, hit->found.target, hit->found.t, hit->found.face);
            answers_.words.push_back(static_cast<std::uint32_t>(bits[i / 64] >> (i % 64) & 1));
            answers_.add(i, first[i].target, first[i].t, first[i].face);
        }
        REQUIRE(hit == hits_.end());
    }

    const BoxTree& tree_;
    const TreeQuestions& questions_;
    TreeQuerySettings settings_;
    BoxScratch scratch_;
    PairBuffer pairs_;
    AlignedArray<Listed<TreeHit>> hits_;
    TreeAnswers answers_;
};

}  // namespace broadside::test
