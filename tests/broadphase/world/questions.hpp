// All queries of a World, compared with loops over the objects of a model.
#pragma once

#include "tests/broadphase/tree/box_tree_oracle.hpp"
#include "tests/support/motions.hpp"

#include <broadside/world_query.hpp>

#include <map>
#include <utility>
#include <vector>

namespace broadside::test {

/// A model's knowledge of the living objects.
using WorldObjects = std::map<ObjectHandle, ObjectDescription>;

/// Shapes, and filters.
struct WorldQuestions {
    TreeQuestions shapes;
    std::vector<std::uint64_t> masks;
    std::uint32_t kinds = kAllKinds;
    std::uint64_t layers = ~std::uint64_t{0};
    bool is_masked = false;
    bool is_picky = false;
    bool is_layered = false;
    Inside inside = Inside::negative_t;
    Touch touch = Touch::open;

    static bool likes(std::uint32_t query, ObjectHandle object) { return (query + object.slot()) % 3 != 0; }

    static bool likes_layer(std::uint32_t layer) { return (layer * 2654435761u >> 16) % 3 != 0; }

    WorldQuerySettings settings() const {
        WorldQuerySettings settings;
        settings.kinds = kinds;
        settings.layers = layers;
        if (is_layered) {
            settings.accepts_layer = [](void*, std::uint32_t layer) noexcept { return likes_layer(layer); };
        }
        if (is_masked) settings.masks = masks;
        if (is_picky) {
            settings.accepts = [](void*, std::uint32_t query, ObjectHandle object) noexcept {
                return likes(query, object);
            };
        }
        return settings;
    }
    /// One of the queries, on its own.
    WorldQuerySettings settings_alone(const std::uint32_t& query) const {
        WorldQuerySettings alone = settings();
        if (is_masked) alone.masks = std::span(masks).subspan(query, 1);
        alone.user = const_cast<std::uint32_t*>(&query);
        if (is_picky) {
            alone.accepts = [](void* user, std::uint32_t query_index, ObjectHandle object) noexcept {
                return query_index == 0 && likes(*static_cast<const std::uint32_t*>(user), object);
            };
        }
        return alone;
    }
    bool passes(std::uint32_t query, ObjectHandle object, const ObjectDescription& known) const {
        return (kinds & kind_bit(known.kind)) != 0 &&
               (layers == ~std::uint64_t{0} ||
                (known.filter.layer < 64 && (layers >> known.filter.layer & 1) != 0)) &&
               (!is_layered || likes_layer(known.filter.layer)) &&
               (!is_masked || (known.filter.category & masks[query]) != 0) &&
               (!is_picky || likes(query, object));
    }
};

/// `count` queries of every kind, aimed at the boxes of `scene`.
inline WorldQuestions make_world_questions(const std::vector<Aabb>& scene, std::size_t count,
                                           Random& random) {
    WorldQuestions questions;
    questions.shapes = make_questions(scene, count, random.next());
    for (std::size_t i = 0; i < count; ++i) questions.masks.push_back(random.below(8));
    questions.is_masked = random.chance(3);
    questions.is_picky = random.chance(4);
    questions.is_layered = random.chance(4);
    if (random.chance(4)) questions.layers = random.next();
    if (random.chance(2)) questions.kinds = random.below(kAllKinds + 1);
    questions.inside = static_cast<Inside>(random.below(3));
    questions.touch = static_cast<Touch>(random.below(2));
    return questions;
}

/// Runs queries of a world and requires the results of the model.
class WorldInquiry {
public:
    static constexpr std::uint32_t kSubjectCount = 11;

    WorldInquiry(World& world, const WorldObjects& objects, WorldOrder order, const WorldQuestions& questions,
                 const TaskRunner* runner)
        : WorldInquiry(world.queries(runner), objects, order, questions, runner) {}
    WorldInquiry(const WorldQueries& queries, const WorldObjects& objects, WorldOrder order,
                 const WorldQuestions& questions, const TaskRunner* runner)
        : order_(order), questions_(questions), queries_(queries), settings_(questions.settings()) {
        settings_.runner = runner;
        REQUIRE(queries_.status() == Status::ok);
        for (const auto& [handle, known] : objects) {
            if (is_valid(known.box)) objects_.push_back({handle, &known});
        }
        std::sort(objects_.begin(), objects_.end(),
                  [](const Object& a, const Object& b) { return a.handle.slot() < b.handle.slot(); });
    }

    void ask_all() {
        for (std::uint32_t subject = 0; subject < kSubjectCount; ++subject) ask(subject);
    }

    void ask(std::uint32_t subject) {
        INFO("subject " << subject);
        const TreeQuestions& shapes = questions_.shapes;
        switch (subject) {
            case 0:
                return overlaps(shapes.boxes, [](const Aabb& a, const Aabb& b) { return overlap(a, b); });
            case 1:
                return overlaps(shapes.points, [](Vec3 point, const Aabb& box) {
                    return is_finite(point) && contains(box, point);
                });
            case 2:
                return overlaps(shapes.spheres,
                                [](const Sphere& sphere, const Aabb& box) { return overlap(sphere, box); });
            case 3:
                return overlaps(shapes.obbs,
                                [](const Obb& obb, const Aabb& box) { return decided_overlap(obb, box); });
            case 4:
                return overlaps(shapes.volumes, [](const ConvexVolume& volume, const Aabb& box) {
                    return overlap(volume, box);
                });
            case 5:
                return rays();
            case 6:
                return box_casts();
            case 7:
                return sphere_casts();
            case 8:
                return capsule_casts();
            case 9:
                return overlaps(shapes.capsules, [](const Capsule& capsule, const Aabb& box) {
                    return overlap(capsule, box);
                });
            default:
                return nearest();
        }
    }

private:
    struct Object {
        ObjectHandle handle;
        const ObjectDescription* known;
    };

    // The objects that a query meets, in the order of a list.
    template <class Meets>
    std::vector<Listed<ObjectHandle>> expected_list(std::size_t query_count, Meets&& meets) const {
        std::vector<Listed<ObjectHandle>> list;
        for (std::uint32_t query = 0; query < query_count; ++query) {
            std::vector<Object> found;
            for (const Object& object : objects_) {
                if (questions_.passes(query, object.handle, *object.known) &&
                    meets(query, object.known->box)) {
                    found.push_back(object);
                }
            }
            if (order_ == WorldOrder::user_data) {
                std::stable_sort(found.begin(), found.end(), [](const Object& a, const Object& b) {
                    return a.known->user_data < b.known->user_data;
                });
            }
            for (const Object& object : found) list.push_back({query, object.handle});
        }
        return list;
    }
    static std::vector<std::uint64_t> bits_of_list(const std::vector<Listed<ObjectHandle>>& list,
                                                   std::size_t query_count) {
        std::vector<std::uint64_t> bits((query_count + 63) / 64);
        for (const Listed<ObjectHandle>& item : list)
            bits[item.query / 64] |= std::uint64_t{1} << item.query % 64;
        return bits;
    }
    const Aabb& box_of(ObjectHandle handle) const {
        const auto object = std::find_if(objects_.begin(), objects_.end(),
                                         [&](const Object& other) { return other.handle == handle; });
        return object->known->box;
    }

    template <class Query, class Meets>
    void overlaps(const std::vector<Query>& shapes, Meets&& meets) {
        const auto expected = expected_list(
            shapes.size(), [&](std::uint32_t query, const Aabb& box) { return meets(shapes[query], box); });
        const std::span<const Query> span = shapes;
        AlignedArray<Listed<ObjectHandle>> list;
        REQUIRE(queries_.find_overlaps(span, settings_, scratch_, list).status == Status::ok);
        REQUIRE(std::equal(list.begin(), list.end(), expected.begin(), expected.end()));
        std::vector<Listed<ObjectHandle>> sunk;
        REQUIRE(queries_.find_overlaps(span, settings_, scratch_, sink_into(sunk)).status == Status::ok);
        REQUIRE((sunk == expected));
        std::vector<std::uint64_t> bits((shapes.size() + 63) / 64);
        REQUIRE(queries_.any_overlap(span, settings_, bits).status == Status::ok);
        REQUIRE((bits == bits_of_list(expected, shapes.size())));
        check_first_overlaps(queries_, span, settings_, bits);
        const Listed<ObjectHandle>* next = list.begin();
        for (std::uint32_t query = 0; query < shapes.size(); ++query) {
            std::vector<ObjectHandle> visited;
            REQUIRE(queries_.visit_overlaps(shapes[query], questions_.settings_alone(query),
                                            [&](ObjectHandle object) {
                                                visited.push_back(object);
                                                return true;
                                            }) == Status::ok);
            std::vector<ObjectHandle> listed;
            for (; next != list.end() && next->query == query; ++next) listed.push_back(next->found);
            REQUIRE(queries_.any_overlap(shapes[query], questions_.settings_alone(query)) == !listed.empty());
            std::sort(visited.begin(), visited.end());
            std::sort(listed.begin(), listed.end());
            REQUIRE((visited == listed));
            bool is_asked_again = false;
            REQUIRE(
                queries_.visit_overlaps(shapes[query], questions_.settings_alone(query), [&](ObjectHandle) {
                    REQUIRE_FALSE(is_asked_again);
                    is_asked_again = true;
                    return false;
                }) == Status::ok);
        }
    }

    void rays() {
        const std::span<const Ray> rays = questions_.shapes.rays;
        const RaySettings inside = {questions_.inside};
        hits(
            rays, {rays, inside},
            [&](const Ray& ray, const Aabb& box) { return hit_of(ray, box, questions_.inside); },
            [&](const Ray& ray) { return HitQuery(ray, inside); });
    }
    void box_casts() {
        const std::span<const BoxCast> casts = questions_.shapes.casts;
        hits(
            casts, {casts, questions_.touch},
            [&](const BoxCast& cast, const Aabb& box) { return hit_of(cast, box, questions_.touch); },
            [&](const BoxCast& cast) { return HitQuery(cast, questions_.touch); });
    }
    void sphere_casts() {
        const std::span<const SphereCast> casts = questions_.shapes.sphere_casts;
        hits(
            casts, casts, [](const SphereCast& cast, const Aabb& box) { return hit_of(cast, box); },
            [](const SphereCast& cast) { return HitQuery(cast); });
    }

    void capsule_casts() {
        const std::span<const CapsuleCast> casts = questions_.shapes.capsule_casts;
        hits(
            casts, casts, [](const CapsuleCast& cast, const Aabb& box) { return hit_of(cast, box); },
            [](const CapsuleCast& cast) { return HitQuery(cast); });
    }

    static bool is_before(const WorldHit& a, const WorldHit& b) {
        return a.t < b.t || (a.t == b.t && a.target.slot() < b.target.slot());
    }
    // The hits that a visitor of one query sees: its whole list, or the part left as the visitor clips.
    template <class Visit>
    void visit(const Visit& ask, std::vector<WorldHit> listed, const WorldHit& closest) {
        std::vector<WorldHit> visited;
        REQUIRE(ask([&](const WorldHit& hit) {
                    visited.push_back(hit);
                    return kVisitAll;
                }) == Status::ok);
        std::sort(visited.begin(), visited.end(), is_before);
        std::sort(listed.begin(), listed.end(), is_before);
        REQUIRE((visited == listed));
        float limit = kVisitAll;
        WorldHit best;
        REQUIRE(ask([&](const WorldHit& hit) {
                    REQUIRE(hit.t <= limit);
                    limit = hit.t;
                    if (best.target.is_null() || is_before(hit, best)) best = hit;
                    return limit;
                }) == Status::ok);
        REQUIRE((best == closest));
        std::size_t count = 0;
        REQUIRE(ask([&](const WorldHit&) {
                    ++count;
                    return kVisitNoMore;
                }) == Status::ok);
        REQUIRE(count == (listed.empty() ? 0 : 1));
    }

    // `many` are the shapes with the rules that `one` gives to each.
    template <class Query, class Meet, class One>
    void hits(std::span<const Query> shapes, const HitQueries& many, Meet&& meet, One&& one) {
        const auto expected = expected_list(shapes.size(), [&](std::uint32_t query, const Aabb& box) {
            return meet(shapes[query], box).has_hit;
        });
        AlignedArray<Listed<WorldHit>> list;
        REQUIRE(queries_.find_hits(many, settings_, scratch_, list).status == Status::ok);
        REQUIRE(list.size() == expected.size());
        std::vector<WorldHit> closest(shapes.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const ObjectHandle object = expected[i].found;
            const OracleHit hit = meet(shapes[expected[i].query], box_of(object));
            REQUIRE((list[i] == Listed<WorldHit>{expected[i].query, {object, hit.t, hit.face}}));
            WorldHit& best = closest[expected[i].query];
            if (best.target.is_null() || hit.t < best.t ||
                (hit.t == best.t && object.slot() < best.target.slot())) {
                best = {object, hit.t, hit.face};
            }
        }
        std::vector<WorldHit> found(shapes.size());
        REQUIRE(queries_.closest_hits(many, settings_, found).status == Status::ok);
        REQUIRE((found == closest));
        const Listed<WorldHit>* next = list.begin();
        for (std::uint32_t query = 0; query < shapes.size(); ++query) {
            const WorldQuerySettings alone = questions_.settings_alone(query);
            REQUIRE((queries_.closest_hit(one(shapes[query]), alone) == closest[query]));
            REQUIRE(queries_.any_hit(one(shapes[query]), alone) == !closest[query].target.is_null());
            std::vector<WorldHit> listed;
            for (; next != list.end() && next->query == query; ++next) listed.push_back(next->found);
            for (const PairOrder order : {PairOrder::canonical, PairOrder::by_algorithm}) {
                WorldQuerySettings visited = alone;
                visited.order = order;
                visit(
                    [&](ObjectHitVisitor visitor) {
                        return queries_.visit_hits(one(shapes[query]), visited, visitor);
                    },
                    listed, closest[query]);
            }
        }
        std::vector<std::uint64_t> bits((shapes.size() + 63) / 64);
        REQUIRE(queries_.any_hit(many, settings_, bits).status == Status::ok);
        REQUIRE((bits == bits_of_list(expected, shapes.size())));
    }

    void nearest() {
        Aabb around = Aabb::empty();
        for (const Object& object : objects_) around = include(around, object.known->box);
        REQUIRE(queries_.bounds() == around);
        constexpr std::uint32_t kCount = 3;
        constexpr float kReach = 9.0f;
        const std::vector<Vec3>& points = questions_.shapes.points;
        std::vector<ClosestObject> found(points.size() * kCount);
        REQUIRE(queries_.closest_objects(points, {kCount, kReach}, settings_, found).status == Status::ok);
        for (std::uint32_t query = 0; query < points.size(); ++query) {
            std::vector<NearOracle> near;
            std::map<std::uint32_t, ObjectHandle> handles;
            for (const Object& object : objects_) {
                if (!is_finite(points[query])) continue;
                if (!questions_.passes(query, object.handle, *object.known)) continue;
                near.push_back({object.known->box, object.handle.slot(), points[query]});
                handles[object.handle.slot()] = object.handle;
            }
            sort_closest(near, points[query], kReach);
            const WorldQuerySettings of_one = questions_.settings_alone(query);
            const ClosestObject alone = queries_.closest_object(points[query], of_one);
            const ClosestObject first = found[query * kCount];
            const bool is_same =
                alone == first || (first.target.is_null() && alone.distance_sq >= kReach * kReach);
            REQUIRE(is_same);
            REQUIRE(queries_.closest_object(points[query], {.max_distance = kReach}, of_one) == first);
            for (std::size_t k = 0; k < kCount; ++k) {
                const ClosestObject expected = k < near.size() ? ClosestObject{near[k].reported().distance_sq,
                                                                               handles[near[k].box_index]}
                                                               : ClosestObject{};
                REQUIRE((found[query * kCount + k] == expected));
            }
        }
    }

    // Objects with valid boxes, by slot.
    std::vector<Object> objects_;
    WorldOrder order_;
    const WorldQuestions& questions_;
    WorldQueries queries_;
    WorldQuerySettings settings_;
    BoxScratch scratch_;
};

}  // namespace broadside::test
