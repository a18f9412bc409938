// World::queries: whatever happens to a world, its answers are those of loops over the objects that live.
#include "tests/broadphase/tree/box_tree_oracle.hpp"
#include "tests/support/counting_allocator.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/shuffled_runner.hpp"

#include <broadside/world_query.hpp>

#include <map>

using namespace broadside;
using namespace broadside::test;

namespace {

struct Model {
    World world;
    std::vector<ObjectHandle> handles;

    explicit Model(const WorldSettings& settings = {}) : world(settings) {}

    std::vector<ObjectHandle> living() const {
        std::vector<ObjectHandle> list = handles;
        std::sort(list.begin(), list.end(),
                  [](ObjectHandle a, ObjectHandle b) { return a.place() < b.place(); });
        return list;
    }
};

ObjectDescription any_object(Random& random) {
    ObjectDescription object;
    object.box = random.chance(6) ? adversarial_box(random) : grid_box(random, 8);
    object.kind = static_cast<ObjectKind>(random.below(3));
    if (random.chance(2)) object.filter.category = random.below(4);
    object.user_data = random.below(5);
    if (random.chance(5)) object.margin = random.grid(0, 2);
    if (random.chance(5)) object.displacement = random_vec3(random, -3, 3);
    return object;
}

// One change of a random kind.
void change(Model& model, Random& random) {
    World& world = model.world;
    const auto any_handle = [&] {
        return model.handles[random.below(static_cast<std::uint32_t>(model.handles.size()))];
    };
    const std::uint32_t what = model.handles.size() < 10 ? 0 : random.below(8);
    if (what <= 1) {
        for (int i = 0; i < 12; ++i) {
            const ObjectHandle handle = world.add(any_object(random));
            REQUIRE_FALSE(handle.is_null());
            model.handles.push_back(handle);
        }
    } else if (what == 2) {
        const std::uint32_t index = random.below(static_cast<std::uint32_t>(model.handles.size()));
        REQUIRE(world.remove(model.handles[index]) == Status::ok);
        model.handles.erase(model.handles.begin() + index);
    } else if (what == 3) {
        const ObjectHandle handle = any_handle();
        REQUIRE(world.set_kind({&handle, 1}, static_cast<ObjectKind>(random.below(3))).status == Status::ok);
    } else if (what == 4) {
        const ObjectHandle handle = any_handle();
        REQUIRE(world.set_filter({&handle, 1}, {random.below(4), 3, 0, 0}).status == Status::ok);
    } else if (what == 5) {
        std::vector<Aabb> boxes;
        for (std::size_t i = 0; i < model.handles.size(); ++i) boxes.push_back(any_object(random).box);
        REQUIRE(world.set_boxes(model.handles, soa_of(boxes)).status == Status::ok);
    } else if (what == 6) {
        REQUIRE(world.set_box(any_handle(), any_object(random).box) == Status::ok);
    } else {
        world.shift_origin({1, 0, -1});
    }
}

// The questions, and who may be found.
struct WorldQuestions {
    TreeQuestions shapes;
    std::vector<std::uint64_t> masks;
    std::uint32_t kinds = kAllKinds;
    bool is_masked = false;
    bool is_picky = false;

    WorldQuerySettings settings() const {
        WorldQuerySettings settings;
        settings.kinds = kinds;
        if (is_masked) settings.masks = masks;
        if (is_picky) {
            settings.accepts = [](void*, std::uint32_t query, ObjectHandle object) noexcept {
                return (query + object.place()) % 3 != 0;
            };
        }
        return settings;
    }
    bool passes(const World& world, std::uint32_t query, ObjectHandle object) const {
        const ObjectDescription known = world.description(object);
        return (kinds & kind_bit(known.kind)) != 0 &&
               (!is_masked || (known.filter.category & masks[query]) != 0) &&
               (!is_picky || (query + object.place()) % 3 != 0);
    }
};

template <class Meets>
std::vector<WorldOverlap> expected_overlaps(const Model& model, const WorldQuestions& questions,
                                            std::size_t count, bool is_by_user_data, Meets&& meets) {
    std::vector<WorldOverlap> list;
    for (std::uint32_t query = 0; query < count; ++query) {
        std::vector<WorldOverlap> found;
        for (const ObjectHandle object : model.living()) {
            const Aabb box = model.world.description(object).box;
            if (is_valid(box) && questions.passes(model.world, query, object) && meets(query, box)) {
                found.push_back({query, object});
            }
        }
        if (is_by_user_data) {
            std::stable_sort(found.begin(), found.end(), [&](const WorldOverlap& a, const WorldOverlap& b) {
                return model.world.description(a.object).user_data <
                       model.world.description(b.object).user_data;
            });
        }
        list.insert(list.end(), found.begin(), found.end());
    }
    return list;
}

template <class List>
auto as_vector(const List& list) {
    return std::vector(list.begin(), list.end());
}

std::vector<std::uint64_t> bits_of(const std::vector<WorldOverlap>& list, std::size_t count) {
    std::vector<std::uint64_t> bits((count + 63) / 64);
    for (const WorldOverlap& item : list) bits[item.query / 64] |= std::uint64_t{1} << item.query % 64;
    return bits;
}

class Checker {
public:
    Checker(Model& model, const WorldQuestions& questions, bool is_by_user_data, const TaskRunner* runner)
        : model_(model),
          questions_(questions),
          is_by_user_data_(is_by_user_data),
          queries_(model.world.queries(runner)),
          settings_(questions.settings()) {
        settings_.runner = runner;
    }

    void check_all() {
        REQUIRE(queries_.status() == Status::ok);
        const TreeQuestions& shapes = questions_.shapes;
        overlaps(shapes.boxes, [](const Aabb& query, const Aabb& box) { return overlap(query, box); });
        overlaps(shapes.points,
                 [](Vec3 query, const Aabb& box) { return is_finite(query) && contains(box, query); });
        overlaps(shapes.spheres, [](const Sphere& query, const Aabb& box) {
            const auto radius = static_cast<long double>(query.radius);
            return is_valid(query) && true_distance_sq(box, query.center) <= radius * radius;
        });
        overlaps(shapes.obbs, [](const Obb& query, const Aabb& box) { return decided_overlap(query, box); });
        overlaps(shapes.volumes,
                 [](const ConvexVolume& query, const Aabb& box) { return is_inside(query, box); });
        const RaySettings inside = {Inside::negative_t};
        const std::span<const Ray> rays = shapes.rays;
        hits(
            rays, [](const Ray& ray, const Aabb& box) { return hit_of(ray, box, Inside::negative_t); },
            [&](auto&... out) { return queries_.find_hits(rays, inside, settings_, scratch_, out...); },
            [&](auto out) { return queries_.closest_objects(rays, inside, settings_, out); },
            [&](auto out) { return queries_.any_hit(rays, inside, settings_, out); });
        const std::span<const BoxCast> casts = shapes.casts;
        hits(
            casts, [](const BoxCast& cast, const Aabb& box) { return hit_of(cast, box, Touch::open); },
            [&](auto&... out) {
                return queries_.find_impacts(casts, Touch::open, settings_, scratch_, out...);
            },
            [&](auto out) { return queries_.first_impacts(casts, Touch::open, settings_, out); },
            [&](auto out) { return queries_.any_impact(casts, Touch::open, settings_, out); });
        const std::span<const SphereCast> balls = shapes.sphere_casts;
        hits(
            balls, [](const SphereCast& cast, const Aabb& box) { return hit_of(cast, box); },
            [&](auto&... out) { return queries_.find_impacts(balls, settings_, scratch_, out...); },
            [&](auto out) { return queries_.first_impacts(balls, settings_, out); },
            [&](auto out) { return queries_.any_impact(balls, settings_, out); });
        nearest();
    }

private:
    template <class Query, class Meets>
    void overlaps(const std::vector<Query>& shapes, Meets&& meets) {
        const auto expected = expected_overlaps(
            model_, questions_, shapes.size(), is_by_user_data_,
            [&](std::uint32_t query, const Aabb& box) { return meets(shapes[query], box); });
        const std::span<const Query> span = shapes;
        AlignedArray<WorldOverlap> list;
        REQUIRE(queries_.find_overlaps(span, settings_, scratch_, list).status == Status::ok);
        CHECK((as_vector(list) == expected));
        std::vector<std::uint64_t> bits((shapes.size() + 63) / 64);
        REQUIRE(queries_.any_overlap(span, settings_, bits).status == Status::ok);
        CHECK((bits == bits_of(expected, shapes.size())));
    }

    template <class Query, class Meet, class FindAll, class FindFirst, class FindAny>
    void hits(std::span<const Query> shapes, Meet&& meet, FindAll&& all, FindFirst&& first, FindAny&& any) {
        const auto expected = expected_overlaps(
            model_, questions_, shapes.size(), is_by_user_data_,
            [&](std::uint32_t query, const Aabb& box) { return meet(shapes[query], box).has_hit; });
        AlignedArray<WorldHit> list;
        REQUIRE(all(list).status == Status::ok);
        REQUIRE(list.size() == expected.size());
        std::vector<ClosestObject> closest(shapes.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const ObjectHandle object = expected[i].object;
            const OracleHit hit = meet(shapes[expected[i].query], model_.world.description(object).box);
            CHECK((list[i] == WorldHit{expected[i].query, object, hit.t, hit.face}));
            ClosestObject& best = closest[expected[i].query];
            if (best.object.is_null() || hit.t < best.t ||
                (hit.t == best.t && object.place() < best.object.place())) {
                best = {hit.t, object, hit.face};
            }
        }
        std::vector<ClosestObject> found(shapes.size());
        REQUIRE(first(std::span(found)).status == Status::ok);
        CHECK((found == closest));
        std::vector<std::uint64_t> bits((shapes.size() + 63) / 64);
        REQUIRE(any(std::span(bits)).status == Status::ok);
        CHECK((bits == bits_of(expected, shapes.size())));
    }

    void nearest() {
        constexpr std::uint32_t kCount = 3;
        const std::vector<Vec3>& points = questions_.shapes.points;
        std::vector<NearObject> found(points.size() * kCount);
        REQUIRE(queries_.nearest_objects(points, {kCount, 9.0f}, settings_, found).status == Status::ok);
        for (std::uint32_t query = 0; query < points.size(); ++query) {
            std::vector<NearObject> near;
            for (const ObjectHandle object : model_.living()) {
                const Aabb box = model_.world.description(object).box;
                if (!is_valid(box) || !is_finite(points[query])) continue;
                if (!questions_.passes(model_.world, query, object)) continue;
                const auto distance_sq = static_cast<float>(true_distance_sq(box, points[query]));
                if (distance_sq <= 81.0f) near.push_back({distance_sq, object});
            }
            std::stable_sort(near.begin(), near.end(), [](const NearObject& a, const NearObject& b) {
                return a.distance_sq < b.distance_sq;
            });
            near.resize(kCount);
            CHECK(std::equal(near.begin(), near.end(), found.begin() + query * kCount));
        }
    }

    Model& model_;
    const WorldQuestions& questions_;
    bool is_by_user_data_;
    WorldQueries queries_;
    WorldQuerySettings settings_;
    WorldQueryScratch scratch_;
};

WorldQuestions any_questions(const Model& model, Random& random) {
    std::vector<Aabb> boxes;
    for (const ObjectHandle object : model.handles) boxes.push_back(model.world.description(object).box);
    WorldQuestions questions;
    questions.shapes = make_questions(boxes, 70, random.next());
    for (int i = 0; i < 70; ++i) questions.masks.push_back(random.below(4));
    questions.is_masked = random.chance(2);
    questions.is_picky = random.chance(3);
    if (random.chance(2)) questions.kinds = random.below(8);
    return questions;
}

}  // namespace

TEST_CASE("a world answers questions as loops over its objects do, through any history, on every ISA") {
    for (const WorldOrder order : {WorldOrder::place, WorldOrder::user_data}) {
        for_each_isa([&](Isa) {
            Random random(order == WorldOrder::place ? 51 : 52);
            Model model({.order = order});
            ShuffledRunner runner(3, 4);
            for (int step = 0; step < 40; ++step) {
                INFO("step " << step);
                for (std::uint32_t i = random.below(4); i > 0; --i) change(model, random);
                if (random.chance(3)) REQUIRE(model.world.update().status == Status::ok);
                const WorldQuestions questions = any_questions(model, random);
                Checker(model, questions, order == WorldOrder::user_data,
                        random.chance(3) ? runner.runner() : nullptr)
                    .check_all();
            }
            CHECK(model.world.is_consistent());
        });
    }
}

TEST_CASE("the trees of a world are made when they are asked for, and not again until something changes") {
    World world;
    Random random(5);
    std::vector<ObjectDescription> objects(30000);
    for (ObjectDescription& object : objects) {
        object.box = random_box(random, 50, 2);
        object.kind = static_cast<ObjectKind>(random.below(3));
    }
    std::vector<ObjectHandle> handles(objects.size());
    REQUIRE(world.add(objects, handles).status == Status::ok);
    const std::size_t bytes_before = world.capacity_bytes();
    ShuffledRunner runner(3, 4);
    const auto tasks_of_queries = [&] {
        const std::size_t before = runner.task_count();
        CHECK(world.queries(runner.runner()).status() == Status::ok);
        return runner.task_count() - before;
    };
    CHECK(tasks_of_queries() > 0);
    CHECK(world.capacity_bytes() > bytes_before + 40 * objects.size());
    CHECK(tasks_of_queries() == 0);
    // An update only learns what the trees know already.
    REQUIRE(world.update().status == Status::ok);
    CHECK(tasks_of_queries() == 0);
    // To set what is there already is no change, another user's data is none either.
    REQUIRE(world.set_box(handles[7], objects[7].box) == Status::ok);
    REQUIRE(world.set_user_data({handles.data(), 1}, 4).status == Status::ok);
    CHECK(tasks_of_queries() == 0);
    // One box: the tree of one kind is refitted, the others are left alone.
    REQUIRE(world.set_box(handles[7], objects[8].box) == Status::ok);
    const std::size_t refit_count = tasks_of_queries();
    CHECK(refit_count > 0);
    CHECK(tasks_of_queries() == 0);
    REQUIRE(world.update().status == Status::ok);
    CHECK(tasks_of_queries() == 0);
    for (const ObjectHandle handle : handles) {
        const Aabb box = world.description(handle).box;
        REQUIRE(world.set_box(handle, {box.min + Vec3{1, 0, 0}, box.max + Vec3{1, 0, 0}}) == Status::ok);
    }
    CHECK(tasks_of_queries() >= 3 * refit_count);
}

TEST_CASE(
    "queries see changes before an update does, boxes without their margins, and nothing in quarantine") {
    World world;
    const ObjectHandle a = world.add({.box = {{0, 0, 0}, {1, 1, 1}}, .margin = 5, .displacement = {9, 0, 0}});
    const ObjectHandle b = world.add({.box = {{kNaN, 0, 0}, {1, 1, 1}}, .kind = ObjectKind::fixed});
    CHECK(world.queries().closest_object({{-4, 0.5f, 0.5f}, {1, 0, 0}}) == ClosestObject{4, a, Face::min_x});
    CHECK(world.queries().nearest_object({7, 0, 0}) == NearObject{36, a});
    REQUIRE(world.set_box(b, {{-2, 0, 0}, {-1, 1, 1}}) == Status::ok);
    CHECK(world.queries().closest_object({{-4, 0.5f, 0.5f}, {1, 0, 0}}) == ClosestObject{2, b, Face::min_x});
    WorldQuerySettings settings;
    settings.kinds = kind_bit(ObjectKind::moving) | kind_bit(ObjectKind::asleep);
    CHECK(world.queries().closest_object({{-4, 0.5f, 0.5f}, {1, 0, 0}}, {}, settings).object == a);
    REQUIRE(world.remove(b) == Status::ok);
    CHECK(world.queries().closest_object({{-4, 0.5f, 0.5f}, {1, 0, 0}}).object == a);
    // The place of b again: another object, another handle.
    const ObjectHandle c = world.add({.box = {{-3, 0, 0}, {-2, 1, 1}}, .kind = ObjectKind::fixed});
    CHECK(c.place() == b.place());
    CHECK(world.queries().first_impact(SphereCast{{{-6, 0.5f, 0.5f}, 1}, {4, 0, 0}}) ==
          ClosestObject{0.5f, c, Face::min_x});
    CHECK(world.queries().is_any_overlapped(Sphere{{-4, 0, 0}, 1}));
    CHECK_FALSE(world.queries().is_any_overlapped(Sphere{{-4, 0, 0}, 0.5f}));

    std::vector<std::byte> bytes(world.snapshot_bytes());
    REQUIRE(world.save(bytes) == Status::ok);
    World restored;
    CHECK(restored.queries().closest_object({{-4, 0.5f, 0.5f}, {1, 0, 0}}) == ClosestObject{});
    REQUIRE(restored.restore(bytes) == Status::ok);
    CHECK(restored.queries().closest_object({{-4, 0.5f, 0.5f}, {1, 0, 0}}) ==
          ClosestObject{1, c, Face::min_x});
}

TEST_CASE("queries of a world refuse what they do not understand, before they write") {
    World world;
    REQUIRE_FALSE(world.add({.box = {{0, 0, 0}, {1, 1, 1}}}).is_null());
    const WorldQueries queries = world.queries();
    const Ray ray = {{-4, 0.5f, 0.5f}, {1, 0, 0}};
    ClosestObject closest;
    const std::uint64_t masks[2] = {1, 1};
    WorldQuerySettings bad_masks;
    bad_masks.masks = masks;
    WorldQuerySettings bad_kinds;
    bad_kinds.kinds = 8;
    const TaskRunner no_function = {nullptr, nullptr, 1};
    WorldQuerySettings bad_runner;
    bad_runner.runner = &no_function;
    WorldQueryScratch scratch;
    AlignedArray<WorldHit> list;
    for (const WorldQuerySettings& settings : {bad_masks, bad_kinds, bad_runner}) {
        CHECK(queries.closest_objects({&ray, 1}, {}, settings, {&closest, 1}).status ==
              Status::invalid_argument);
        CHECK(queries.find_hits({&ray, 1}, {}, settings, scratch, list).status == Status::invalid_argument);
    }
    CHECK(queries.closest_objects({&ray, 1}, {}, {}, {}).status == Status::capacity_exceeded);
    CHECK(queries.any_hit({&ray, 1}, {}, {}, {}).status == Status::capacity_exceeded);
    CHECK(world.queries(&no_function).status() == Status::invalid_argument);
    CHECK(world.queries(&no_function).closest_object(ray) == ClosestObject{});
    NearObject near;
    const Vec3 point;
    CHECK(queries.nearest_objects({&point, 1}, {65}, {}, {&near, 1}).status == Status::invalid_argument);
    CHECK(queries.nearest_objects({&point, 1}, {2}, {}, {&near, 1}).status == Status::capacity_exceeded);
    CHECK(closest == ClosestObject{});
    CHECK(WorldQueries().closest_object(ray) == ClosestObject{});
}

TEST_CASE("a warmed-up world answers without allocating, and without memory says so until it has some") {
    CountingAllocator counter;
    World world({}, counter.hook());
    WorldQueryScratch scratch(counter.hook());
    AlignedArray<WorldHit> hits(counter.hook());
    AlignedArray<WorldOverlap> overlaps(counter.hook());
    Random random(6);
    std::vector<ObjectHandle> handles;
    std::vector<Aabb> boxes;
    for (int i = 0; i < 2000; ++i) {
        boxes.push_back(random_box(random, 30, 3));
        handles.push_back(world.add({.box = boxes.back(), .kind = static_cast<ObjectKind>(i % 3)}));
    }
    const TreeQuestions questions = make_questions(boxes, 100, 1);
    const auto ask = [&] {
        for (Aabb& box : boxes) box = {box.min + Vec3{0.25f, 0, 0}, box.max + Vec3{0.25f, 0, 0}};
        REQUIRE(world.set_boxes(handles, soa_of(boxes)).status == Status::ok);
        const WorldQueries queries = world.queries();
        REQUIRE(queries.status() == Status::ok);
        REQUIRE(queries.find_hits(questions.rays, {}, {}, scratch, hits).status == Status::ok);
        REQUIRE(queries.find_overlaps(questions.spheres, {}, scratch, overlaps).status == Status::ok);
        std::vector<ClosestObject> closest(questions.casts.size());
        REQUIRE(queries.first_impacts(questions.casts, Touch::closed, {}, closest).status == Status::ok);
    };
    for (int i = 0; i < 3; ++i) ask();
    const std::size_t before = counter.allocation_count;
    for (int i = 0; i < 10; ++i) ask();
    // Lists grow a little where boxes drift into each other; the trees never do.
    CHECK(counter.allocation_count <= before + 3);

    for (std::size_t allowed = 0;; ++allowed) {
        CountingAllocator scarce;
        World poor({}, scarce.hook());
        REQUIRE(poor.add(soa_of(boxes), {}, handles).status == Status::ok);
        scarce.fail_after = scarce.allocation_count + allowed;
        const Status status = poor.queries().status();
        if (status == Status::ok) break;
        REQUIRE(allowed < 40);
        CHECK(status == Status::out_of_memory);
        CHECK(poor.queries().closest_object(questions.rays[0]) == ClosestObject{});
        scarce.fail_after = ~std::size_t{0};
        const WorldQueries queries = poor.queries();
        REQUIRE(queries.status() == Status::ok);
        CHECK_FALSE(queries.nearest_object({1, 2, 3}).object.is_null());
    }
}
