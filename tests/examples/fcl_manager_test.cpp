// The example's manager of FCL: every call against FCL's own managers, with seeds of the day.
#include "examples/fcl_manager/broadside_manager.hpp"
#include "examples/fcl_manager/scenes.hpp"

#include "tests/support/for_each_isa.hpp"
#include "tests/support/generators.hpp"
#include "tests/support/test_scale.hpp"

#include <fcl/broadphase/broadphase_bruteforce.h>
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/broadphase/default_broadphase_callbacks.h>
#include <fcl/geometry/shape/box.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>

using namespace fcl_example;
using broadside::test::Random;
using broadside::test::test_scale;

namespace {

using Box = fcl::AABB<double>;
using Naive = fcl::NaiveCollisionManager<double>;
using Tree = fcl::DynamicAABBTreeCollisionManager<double>;
using ObjectPair = std::pair<const Object*, const Object*>;
using Pairs = std::vector<ObjectPair>;

// Another one each day; BROADSIDE_FCL_SEED repeats one.
std::uint64_t drawn_seed() {
    const char* const text = std::getenv("BROADSIDE_FCL_SEED");
    return text != nullptr ? std::strtoull(text, nullptr, 10) : std::random_device{}();
}

// An object whose box is set, instead of made from a shape and a pose.
class BoxObject : public Object {
public:
    explicit BoxObject(const Box& box) : Object(shape()) { aabb = box; }
    void set(const Box& box) { aabb = box; }

private:
    static std::shared_ptr<fcl::CollisionGeometry<double>> shape() {
        static const auto one = std::make_shared<fcl::Box<double>>(1, 1, 1);
        return one;
    }
};

Box box_of(const fcl::Vector3<double>& min, const fcl::Vector3<double>& max) {
    Box box;
    box.min_ = min;
    box.max_ = max;
    return box;
}

// Boxes whose faces often touch, also if floats cannot tell.
Box touching_box(Random& random, double offset) {
    fcl::Vector3<double> min;
    fcl::Vector3<double> size;
    for (int axis = 0; axis < 3; ++axis) {
        min[axis] = offset + 0.1 * double{random.grid(0, 40)};
        size[axis] = 0.1 * double{random.grid(0, 9)};
        // As thin as a ray, and sometimes as long.
        if (random.chance(4)) size[axis] = 0;
        if (random.chance(20)) size[axis] = 3;
    }
    return box_of(min, min + size);
}

// The pairs of callbacks.
struct Log {
    Pairs pairs;
    std::size_t most = static_cast<std::size_t>(-1);
    // The call that throws, counted from 1.
    std::size_t throwing = static_cast<std::size_t>(-1);
};
bool log_pair(Object* a, Object* b, void* user) {
    auto& log = *static_cast<Log*>(user);
    log.pairs.push_back({a, b});
    if (log.pairs.size() == log.throwing) throw std::runtime_error("of a callback");
    return log.pairs.size() >= log.most;
}

Pairs sorted(Pairs pairs) {
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}
// Pairs without order: either object may come first.
Pairs unordered(Pairs pairs) {
    for (ObjectPair& pair : pairs) {
        if (pair.second < pair.first) std::swap(pair.first, pair.second);
    }
    return sorted(pairs);
}

Pairs self_pairs(const Manager& manager) {
    Log log;
    manager.collide(&log, &log_pair);
    return unordered(log.pairs);
}
Pairs other_pairs(const Manager& manager, Manager& other) {
    Log log;
    manager.collide(&other, &log, &log_pair);
    return sorted(log.pairs);
}
Pairs one_pairs(const Manager& manager, Object& object) {
    Log log;
    manager.collide(&object, &log, &log_pair);
    return unordered(log.pairs);
}
// The naive manager calls back for all pairs of one object, so the boxes decide.
Pairs naive_one_pairs(const Naive& naive, Object& object) {
    Pairs pairs = one_pairs(naive, object);
    std::erase_if(
        pairs, [](const ObjectPair& pair) { return !pair.first->getAABB().overlap(pair.second->getAABB()); });
    return pairs;
}

// The distances of callbacks, and how the limit shrinks.
struct Distances {
    Pairs pairs;
    double nearest = DBL_MAX;
    // The distance that callbacks set: the nearest so far, or this.
    double constant = 0;
    std::size_t most = static_cast<std::size_t>(-1);
    std::size_t throwing = static_cast<std::size_t>(-1);
};
bool note_distance(Object* a, Object* b, void* user, double& distance) {
    auto& noted = *static_cast<Distances*>(user);
    const double own = a->getAABB().distance(b->getAABB());
    CHECK(own < distance);
    noted.pairs.push_back({a, b});
    noted.nearest = std::min(noted.nearest, own);
    distance = noted.constant != 0 ? noted.constant : noted.nearest;
    if (noted.pairs.size() == noted.throwing) throw std::runtime_error("of a distance");
    return noted.pairs.size() >= noted.most;
}
// FCL's tree calls back even for boxes that are no nearer.
bool note_nearest(Object* a, Object* b, void* user, double& distance) {
    auto& nearest = *static_cast<double*>(user);
    nearest = std::min(nearest, a->getAABB().distance(b->getAABB()));
    distance = nearest;
    return false;
}

// Queries three managers for distances, by one of the calls.
template <class Ask>
void check_distances(const Manager& ours, const Manager& naive, const Manager* tree, Ask&& ask) {
    for (const double constant : {0.0, 0.25, 1e-3, DBL_MAX}) {
        Distances our_distances{{}, DBL_MAX, constant};
        Distances naive_distances{{}, DBL_MAX, constant};
        ask(ours, &our_distances, &note_distance);
        ask(naive, &naive_distances, &note_distance);
        if (constant == 0) {
            CHECK(our_distances.nearest == naive_distances.nearest);
            if (tree == nullptr) continue;
            double tree_nearest = DBL_MAX;
            ask(*tree, &tree_nearest, &note_nearest);
            CHECK(our_distances.nearest == tree_nearest);
            continue;
        }
        // All pairs within the distance, once each; the first may be further away.
        const auto within = [&](Pairs pairs) {
            std::erase_if(pairs, [&](const ObjectPair& pair) {
                return !(pair.first->getAABB().distance(pair.second->getAABB()) < constant);
            });
            return unordered(pairs);
        };
        CHECK(within(our_distances.pairs) == within(naive_distances.pairs));
        CHECK(our_distances.pairs.size() <= within(our_distances.pairs).size() + 1);
    }
}

// The same objects in three managers. FCL's tree is left out if an object is there twice, because it forgets
// one.
struct Three {
    BroadsideManager ours;
    Naive naive;
    Tree tree;
    bool has_tree = true;

    template <class Change>
    void all(Change&& change) {
        change(ours);
        change(naive);
        if (has_tree) change(tree);
    }

    void check(Three& other, const std::vector<Object*>& queries) {
        check_collisions(other, queries);
        check_distances(other, queries);
    }
    void check_collisions(Three& other, const std::vector<Object*>& queries) {
        CHECK(ours.size() == naive.size());
        CHECK(ours.empty() == naive.empty());
        std::vector<Object*> our_objects;
        std::vector<Object*> naive_objects;
        ours.getObjects(our_objects);
        naive.getObjects(naive_objects);
        std::sort(our_objects.begin(), our_objects.end());
        std::sort(naive_objects.begin(), naive_objects.end());
        CHECK(our_objects == naive_objects);

        const Pairs own = self_pairs(ours);
        CHECK(own == self_pairs(naive));
        if (has_tree) CHECK(own == self_pairs(tree));
        Log with_itself;
        ours.collide(&ours, &with_itself, &log_pair);
        CHECK(unordered(with_itself.pairs) == own);
        const Pairs with_other = other_pairs(ours, other.ours);
        CHECK(with_other == other_pairs(naive, other.naive));
        if (has_tree && other.has_tree) CHECK(with_other == other_pairs(tree, other.tree));
        // A manager of another type, which FCL's own managers would take for theirs.
        CHECK(with_other == other_pairs(ours, other.naive));
        for (Object* query : queries) {
            const Pairs found = one_pairs(ours, *query);
            CHECK(found == naive_one_pairs(naive, *query));
            if (has_tree) CHECK(found == one_pairs(tree, *query));
        }
    }
    void check_distances(Three& other, const std::vector<Object*>& queries) const {
        const Manager* const peer = has_tree ? &tree : nullptr;
        ::check_distances(ours, naive, peer, [](const Manager& manager, void* user, auto callback) {
            manager.distance(user, callback);
        });
        ::check_distances(
            ours, naive, other.has_tree ? peer : nullptr,
            [&](const Manager& manager, void* user, auto callback) {
                Manager* const others[] = {&other.ours, &other.naive, &other.tree};
                const bool is_ours = &manager == &ours;
                manager.distance(others[is_ours ? 0 : &manager == &naive ? 1 : 2], user, callback);
            });
        for (Object* query : queries) {
            ::check_distances(ours, naive, peer, [&](const Manager& manager, void* user, auto callback) {
                manager.distance(query, user, callback);
            });
        }
    }
};

// Objects that move, and others that rest.
class Life {
public:
    Life(std::uint64_t seed, double offset, bool has_doubles)
        : random_(seed), offset_(offset), has_doubles_(has_doubles) {
        life_.has_tree = others_.has_tree = offset == 0 && !has_doubles;
        const std::vector<Object*> rest = make(40);
        others_.all([&](Manager& manager) {
            manager.registerObjects(rest);
            manager.setup();
        });
        queries_ = make(4);
    }

    void step() {
        const std::uint32_t kind = random_.below(10);
        if (kind == 0) return check();
        if (kind == 1) return clear_now_and_then();
        if (kind == 2) return register_many();
        if (kind == 3) return register_one();
        if (kind <= 5) return unregister_one();
        update(kind);
    }
    void check() {
        life_.all([](Manager& manager) { manager.setup(); });
        // A stopped call affects how the next one works, but not its result.
        check_end(self_pairs(life_.naive), [&](Log* log) { life_.ours.collide(log, &log_pair); });
        check_end(unordered(other_pairs(life_.naive, others_.naive)),
                  [&](Log* log) { life_.ours.collide(&others_.ours, log, &log_pair); });
        life_.check(others_, queries_);
        // The other way round, too.
        others_.check(life_, {});
    }

private:
    std::vector<Object*> make(std::size_t count) {
        std::vector<Object*> objects;
        for (std::size_t i = 0; i < count; ++i) {
            owned_.push_back(std::make_unique<BoxObject>(touching_box(random_, offset_)));
            objects.push_back(owned_.back().get());
        }
        return objects;
    }
    template <class Ask>
    void check_end(const Pairs& all, Ask&& ask) {
        Log log;
        log.most = 1 + random_.below(4);
        ask(&log);
        CHECK(log.pairs.size() == std::min<std::size_t>(log.most, all.size()));
        const Pairs found = unordered(log.pairs);
        CHECK(std::includes(all.begin(), all.end(), found.begin(), found.end()));
    }
    Object* any() { return members_[random_.below(static_cast<std::uint32_t>(members_.size()))]; }
    void move(Object* object) { static_cast<BoxObject*>(object)->set(touching_box(random_, offset_)); }

    void clear_now_and_then() {
        if (!random_.chance(4)) return;
        life_.all([](Manager& manager) { manager.clear(); });
        members_.clear();
    }
    void register_many() {
        std::vector<Object*> objects = make(random_.below(60));
        if (has_doubles_ && !objects.empty()) objects.push_back(objects.front());
        life_.all([&](Manager& manager) { manager.registerObjects(objects); });
        members_.insert(members_.end(), objects.begin(), objects.end());
    }
    void register_one() {
        Object* const object =
            has_doubles_ && !members_.empty() && random_.chance(2) ? any() : make(1).front();
        life_.all([&](Manager& manager) { manager.registerObject(object); });
        members_.push_back(object);
    }
    void unregister_one() {
        if (members_.empty()) return;
        Object* const object = any();
        life_.all([&](Manager& manager) { manager.unregisterObject(object); });
        std::erase(members_, object);
    }
    // Updates all, some, one, or none.
    void update(std::uint32_t kind) {
        std::vector<Object*> moved;
        const std::uint32_t one_in = kind == 6 ? 1 : kind == 7 ? 4 : 40;
        for (Object* object : members_) {
            if (kind == 9 || !random_.chance(one_in)) continue;
            move(object);
            moved.push_back(object);
        }
        life_.all([&](Manager& manager) {
            if (kind == 6 || kind == 9) {
                manager.update();
            } else if (kind == 7) {
                manager.update(moved);
            } else {
                for (Object* object : moved) manager.update(object);
            }
        });
    }

    Random random_;
    double offset_;
    bool has_doubles_;
    std::vector<std::unique_ptr<BoxObject>> owned_;
    std::vector<Object*> members_;
    std::vector<Object*> queries_;
    Three life_;
    Three others_;
};

}  // namespace

TEST_CASE("FCL's manager: random operations, and every call finds what FCL's own managers find") {
    const std::uint64_t seed = drawn_seed();
    INFO("BROADSIDE_FCL_SEED=", seed);
    broadside::test::for_each_isa([&](broadside::Isa) {
        // Floats hold the numbers, one in eight of them, or none.
        for (const double offset : {0.0, 1e6, -1e12}) {
            for (const bool has_doubles : {false, true}) {
                for (int life = 0; life < 2 * test_scale(); ++life) {
                    INFO("offset ", offset, ", doubles ", has_doubles, ", life ", life);
                    Life objects(seed + static_cast<std::uint64_t>(life), offset, has_doubles);
                    for (int step = 0; step < 60; ++step) objects.step();
                    objects.check();
                }
            }
        }
    });
}

namespace {

// As in FCL's tests: shapes in random poses, and the collision of the shapes in the callback.
struct ShapeScenes {
    Scene scene;
    Scene others;
    BroadsideManager ours, our_others;
    Naive naive, naive_others;
    Tree tree, tree_others;

    ShapeScenes(std::size_t count, double neighbours, std::uint64_t seed, Layout layout, Layout other_layout)
        : scene(count, neighbours, seed, layout), others(count, neighbours, seed + 1, other_layout) {
        for (Manager* manager : managers()) {
            manager->registerObjects(scene.objects());
            manager->setup();
        }
        for (Manager* manager : {static_cast<Manager*>(&our_others), static_cast<Manager*>(&naive_others),
                                 static_cast<Manager*>(&tree_others)}) {
            manager->registerObjects(others.objects());
            manager->setup();
        }
    }
    std::vector<Manager*> managers() { return {&ours, &naive, &tree}; }
    Manager* other_of(const Manager* manager) {
        if (manager == &ours) return &our_others;
        return manager == &naive ? static_cast<Manager*>(&naive_others) : &tree_others;
    }
};

// All contacts, or only if there is one.
std::size_t contacts(const auto& ask, bool is_exhaustive) {
    fcl::DefaultCollisionData<double> data;
    data.request.num_max_contacts = is_exhaustive ? 100'000 : 1;
    ask(&data, &fcl::DefaultCollisionFunction<double>);
    return is_exhaustive ? data.result.numContacts() : data.result.isCollision() ? 1 : 0;
}
double least_distance(const auto& ask) {
    fcl::DefaultDistanceData<double> data;
    ask(&data, &fcl::DefaultDistanceFunction<double>);
    return data.result.min_distance;
}

}  // namespace

TEST_CASE("FCL's manager: shapes collide as with FCL's own, before and after updates") {
    const std::uint64_t seed = drawn_seed();
    INFO("BROADSIDE_FCL_SEED=", seed);
    for (const bool is_exhaustive : {true, false}) {
        ShapeScenes scenes(60, 2, seed, Layout::random, Layout::random);
        for (int frame = 0; frame < 4; ++frame) {
            std::vector<std::vector<std::size_t>> found;
            for (Manager* manager : scenes.managers()) {
                found.emplace_back();
                found.back().push_back(
                    contacts([&](auto... asked) { manager->collide(asked...); }, is_exhaustive));
                found.back().push_back(
                    contacts([&](auto... asked) { manager->collide(scenes.other_of(manager), asked...); },
                             is_exhaustive));
                for (std::size_t i = 0; i < 20; ++i) {
                    Object* const query = scenes.others.objects()[i];
                    found.back().push_back(
                        contacts([&](auto... asked) { manager->collide(query, asked...); }, is_exhaustive));
                }
            }
            CHECK(found[0] == found[1]);
            CHECK(found[0] == found[2]);
            CHECK(found[0][0] > 0);
            scenes.scene.move_all();
            for (Manager* manager : scenes.managers()) manager->update();
        }
    }
}

TEST_CASE("FCL's manager: distances of shapes equal those of FCL's own") {
    const std::uint64_t seed = drawn_seed();
    INFO("BROADSIDE_FCL_SEED=", seed);
    // As in FCL's tests.
    constexpr double kTolerance = 0.01;
    ShapeScenes scenes(40, 1, seed, Layout::even_cells, Layout::odd_cells);
    for (int frame = 0; frame < 2; ++frame) {
        std::vector<std::vector<double>> found;
        for (Manager* manager : scenes.managers()) {
            found.emplace_back();
            found.back().push_back(least_distance([&](auto... asked) { manager->distance(asked...); }));
            found.back().push_back(least_distance(
                [&](auto... asked) { manager->distance(scenes.other_of(manager), asked...); }));
            for (std::size_t i = 0; i < 10; ++i) {
                Object* const query = scenes.others.objects()[i];
                found.back().push_back(
                    least_distance([&](auto... asked) { manager->distance(query, asked...); }));
            }
        }
        CHECK(found[0].size() == 12);
        for (std::size_t i = 0; i < found[0].size(); ++i) {
            CHECK(std::abs(found[0][i] - found[1][i]) < kTolerance);
            CHECK(std::abs(found[0][i] - found[2][i]) < kTolerance);
            CHECK(found[0][i] < 1000);
        }
        scenes.scene.move_all();
        for (Manager* manager : scenes.managers()) manager->update();
    }
}

TEST_CASE("FCL's manager: boxes of any numbers work") {
    const std::uint64_t seed = drawn_seed();
    INFO("BROADSIDE_FCL_SEED=", seed);
    Random random(seed);
    const double infinity = std::numeric_limits<double>::infinity();
    const std::vector<double> sides = {
        0.0,  -0.0,  1,       2,        1 + DBL_EPSILON, 0.1,       1e-50,        -1e-50,
        1e39, -1e39, DBL_MAX, -DBL_MAX, infinity,        -infinity, std::nan(""), 4.9e-324};
    const auto side = [&] { return sides[random.below(static_cast<std::uint32_t>(sides.size()))]; };
    // FCL's distance of an inverted box depends on the order of the two boxes.
    for (const bool may_be_inverted : {true, false}) {
        const auto odd_box = [&] {
            Box box = box_of({side(), side(), side()}, {side(), side(), side()});
            for (int axis = 0; axis < 3 && !may_be_inverted; ++axis) {
                if (box.max_[axis] < box.min_[axis]) std::swap(box.min_[axis], box.max_[axis]);
            }
            return box;
        };
        std::vector<std::unique_ptr<BoxObject>> objects;
        Three all;
        Three others;
        all.has_tree = others.has_tree = false;
        const auto check = [&] {
            const std::vector<Object*> queries = {objects[0].get(), objects[1].get(), objects[2].get(),
                                                  objects[120].get()};
            all.check_collisions(others, queries);
            if (!may_be_inverted) all.check_distances(others, queries);
        };
        for (int i = 0; i < 150; ++i) {
            // Every other one is an ordinary box.
            objects.push_back(std::make_unique<BoxObject>(i % 2 == 0 ? odd_box() : touching_box(random, -1)));
            (i < 100 ? all : others).all([&](Manager& manager) {
                manager.registerObject(objects.back().get());
            });
        }
        check();
        for (std::size_t i = 0; i < 100; ++i) {
            objects[i]->set(odd_box());
            all.all([&](Manager& manager) { manager.update(objects[i].get()); });
        }
        check();
    }
}

TEST_CASE("FCL's manager: no object, one, the same one twice, and unknown ones") {
    BoxObject a(box_of({0, 0, 0}, {1, 1, 1}));
    BoxObject b(box_of({1, 1, 1}, {2, 2, 2}));
    BroadsideManager none;
    BroadsideManager one;
    Log log;
    Distances distances;
    const auto ask_all = [&](BroadsideManager& manager, BroadsideManager& other) {
        manager.collide(&log, &log_pair);
        manager.collide(&other, &log, &log_pair);
        manager.distance(&distances, &note_distance);
        manager.distance(&other, &distances, &note_distance);
    };
    ask_all(none, none);
    none.collide(&a, &log, &log_pair);
    none.distance(&a, &distances, &note_distance);
    none.setup();
    none.update();
    none.update(&a);
    none.update({&a, &b});
    none.unregisterObject(&a);
    none.registerObjects({});
    none.clear();
    CHECK(none.empty());
    one.registerObject(&a);
    ask_all(one, none);
    ask_all(none, one);
    ask_all(one, one);
    CHECK(log.pairs.empty());
    CHECK(distances.pairs.empty());

    // A pair of one object with itself, once for two entries; that the two touch is a pair for each.
    one.registerObjects({&b, &a});
    CHECK(one.size() == 3);
    CHECK(self_pairs(one) == unordered({{&a, &a}, {&a, &b}, {&a, &b}}));
    CHECK(one_pairs(one, a) == unordered({{&a, &a}, {&a, &a}, {&a, &b}}));
    a.set(box_of({5, 0, 0}, {6, 1, 1}));
    one.update(&a);
    CHECK(self_pairs(one) == Pairs{{&a, &a}});
    one.unregisterObject(&a);
    one.unregisterObject(&a);
    CHECK(one.size() == 1);
    CHECK(self_pairs(one).empty());
    one.unregisterObject(&b);
    CHECK(one.empty());
}

TEST_CASE("FCL's manager: either object of the pair that ended a call may be unregistered") {
    constexpr double kEndless = std::numeric_limits<double>::infinity();
    for (const bool is_first_gone : {false, true}) {
        for (const bool is_distance : {false, true}) {
            // This touches even FCL's empty box, which an index without an object has.
            BoxObject endless(
                fcl::AABB<double>(box_of({-kEndless, -kEndless, -kEndless}, {kEndless, kEndless, kEndless})));
            BoxObject small(box_of({0, 0, 0}, {1, 1, 1}));
            BroadsideManager manager, other;
            const std::vector<Object*> pair = {is_first_gone ? &small : &endless,
                                               is_first_gone ? &endless : &small};
            manager.registerObjects(pair);
            other.registerObjects(pair);
            const auto ask = [&](std::size_t most) {
                Log log{{}, most};
                Distances distances{{}, DBL_MAX, DBL_MAX, most};
                if (is_distance) {
                    manager.distance(&distances, &note_distance);
                    manager.distance(&other, &distances, &note_distance);
                } else {
                    manager.collide(&log, &log_pair);
                    manager.collide(&other, &log, &log_pair);
                }
                log.pairs.insert(log.pairs.end(), distances.pairs.begin(), distances.pairs.end());
                return log.pairs;
            };
            CHECK(ask(1).size() >= 1);
            manager.unregisterObject(&small);
            for (const ObjectPair& found : ask(100))
                CHECK((found.first != nullptr && found.second != nullptr && found.first != &small));
            other.unregisterObject(&small);
            for (const ObjectPair& found : ask(100)) CHECK(found == ObjectPair{&endless, &endless});
        }
    }
}

TEST_CASE("FCL's manager: a moved object keeps its old box until it is updated, as in FCL's tree") {
    BoxObject a(box_of({0, 0, 0}, {1, 1, 1}));
    BoxObject b(box_of({1, 1, 1}, {2, 2, 2}));
    BroadsideManager ours;
    Tree tree;
    for (Manager* manager : {static_cast<Manager*>(&ours), static_cast<Manager*>(&tree)}) {
        a.set(box_of({0, 0, 0}, {1, 1, 1}));
        manager->registerObjects({&a, &b});
        manager->setup();
        a.set(box_of({5, 5, 5}, {6, 6, 6}));
        CHECK(self_pairs(*manager) == unordered({{&a, &b}}));
        manager->update(&b);
        CHECK(self_pairs(*manager) == unordered({{&a, &b}}));
        manager->update(&a);
        CHECK(self_pairs(*manager).empty());
    }
}

namespace {

// 200 boxes, each of which overlaps the next.
struct Row {
    std::vector<std::unique_ptr<BoxObject>> owned;
    std::vector<Object*> objects;
    BroadsideManager manager;

    Row() {
        for (int i = 0; i < 200; ++i) {
            owned.push_back(std::make_unique<BoxObject>(box_of({0.75 * i, 0, 0}, {0.75 * i + 1, 1, 1})));
            objects.push_back(owned.back().get());
        }
        manager.registerObjects(objects);
    }
};

}  // namespace

TEST_CASE("FCL's manager: a callback may end a call at any time") {
    Row row;
    BroadsideManager other;
    other.registerObjects(row.objects);
    BoxObject wide(box_of({0, 0, 0}, {1000, 1, 1}));
    for (const std::size_t most : {1u, 2u, 16u, 17u, 64u, 65u, 150u, 199u, 200u, 1000u}) {
        Log log{{}, most};
        row.manager.collide(&log, &log_pair);
        CHECK(log.pairs.size() == std::min<std::size_t>(most, 199));
        log.pairs.clear();
        row.manager.collide(&other, &log, &log_pair);
        CHECK(log.pairs.size() == std::min<std::size_t>(most, 200 + 2 * 199));
        log.pairs.clear();
        row.manager.collide(&wide, &log, &log_pair);
        CHECK(log.pairs.size() == std::min<std::size_t>(most, 200));
        // A constant distance lets all pairs pass, and zero none.
        Distances distances{{}, DBL_MAX, DBL_MAX, most};
        row.manager.distance(&distances, &note_distance);
        CHECK(distances.pairs.size() == std::min<std::size_t>(most, 200 * 199 / 2));
        distances.pairs.clear();
        row.manager.distance(&other, &distances, &note_distance);
        CHECK(distances.pairs.size() == std::min<std::size_t>(most, 200 * 200));
        distances.pairs.clear();
        row.manager.distance(&wide, &distances, &note_distance);
        CHECK(distances.pairs.size() == std::min<std::size_t>(most, 200));
    }
    Distances touching;
    row.manager.distance(&touching, &note_distance);
    CHECK(touching.nearest == 0);
    CHECK(touching.pairs.size() < 200);
    CHECK(touching.pairs.back().first->getAABB().distance(touching.pairs.back().second->getAABB()) == 0);
}

TEST_CASE("FCL's manager: an exception from a callback reaches the caller, and the manager stays intact") {
    Row row;
    BroadsideManager other;
    other.registerObjects(row.objects);
    BoxObject wide(box_of({0, 0, 0}, {1000, 1, 1}));
    const Pairs before = self_pairs(row.manager);
    for (const std::size_t throwing : {1u, 2u, 50u, 199u}) {
        Log log;
        log.throwing = throwing;
        CHECK_THROWS_WITH_AS(row.manager.collide(&log, &log_pair), "of a callback", std::runtime_error);
        CHECK(log.pairs.size() == throwing);
        log.pairs.clear();
        CHECK_THROWS_WITH_AS(row.manager.collide(&other, &log, &log_pair), "of a callback",
                             std::runtime_error);
        CHECK(log.pairs.size() == throwing);
        log.pairs.clear();
        CHECK_THROWS_WITH_AS(row.manager.collide(&wide, &log, &log_pair), "of a callback",
                             std::runtime_error);
        CHECK(log.pairs.size() == throwing);
        Distances distances{{}, DBL_MAX, DBL_MAX};
        distances.throwing = throwing;
        CHECK_THROWS_WITH_AS(row.manager.distance(&distances, &note_distance), "of a distance",
                             std::runtime_error);
        distances.pairs.clear();
        CHECK_THROWS_WITH_AS(row.manager.distance(&other, &distances, &note_distance), "of a distance",
                             std::runtime_error);
        distances.pairs.clear();
        CHECK_THROWS_WITH_AS(row.manager.distance(&wide, &distances, &note_distance), "of a distance",
                             std::runtime_error);
        CHECK(distances.pairs.size() == throwing);
        CHECK(self_pairs(row.manager) == before);
    }
}

namespace {

struct Nested {
    const BroadsideManager* manager;
    Object* query;
    std::size_t count = 0;
};
bool ask_again(Object*, Object*, void* user) {
    auto& nested = *static_cast<Nested*>(user);
    CHECK(one_pairs(*nested.manager, *nested.query).size() == 200);
    Distances distances;
    nested.manager->distance(nested.query, &distances, &note_distance);
    CHECK(distances.nearest == 0);
    return ++nested.count == 10;
}
bool ask_distance_again(Object* a, Object* b, void* user, double&) { return ask_again(a, b, user); }

}  // namespace

TEST_CASE("FCL's manager: a callback may query the same manager") {
    Row row;
    BoxObject wide(box_of({0, 0, 0}, {1000, 1, 1}));
    Nested nested{&row.manager, &wide};
    row.manager.collide(&nested, &ask_again);
    CHECK(nested.count == 10);
    nested.count = 0;
    row.manager.distance(&wide, &nested, &ask_distance_again);
    CHECK(nested.count == 10);
}

TEST_CASE("FCL's manager: several threads query one that is not set up yet") {
    for (int repeat = 0; repeat < 10; ++repeat) {
        Row row;
        std::vector<Pairs> found(4);
        std::vector<std::thread> threads;
        for (Pairs& pairs : found) threads.emplace_back([&row, &pairs] { pairs = self_pairs(row.manager); });
        for (std::thread& thread : threads) thread.join();
        for (const Pairs& pairs : found) CHECK(pairs.size() == 199);
    }
}
