// The example's btBroadphaseInterface: every call against brute force and against btDbvtBroadphase.
#include "examples/bullet_broadphase/broadside_broadphase.hpp"

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <set>

using bullet_example::BroadsideBroadphase;

namespace {

// A pair or an object by the names that the tests give to boxes.
using Pair = std::pair<int, int>;
using Pairs = std::set<Pair>;

int name_of(const btBroadphaseProxy* proxy) {
    return static_cast<int>(reinterpret_cast<std::intptr_t>(proxy->m_clientObject));
}
Pair pair_of(const btBroadphaseProxy* a, const btBroadphaseProxy* b) {
    return {std::min(name_of(a), name_of(b)), std::max(name_of(a), name_of(b))};
}

// Receives every begun and ended pair; none may begin twice, or end without having begun.
class Watcher final : public btOverlappingPairCallback {
public:
    Pairs pairs;
    int added_count = 0;
    int removed_count = 0;

    btBroadphasePair* addOverlappingPair(btBroadphaseProxy* a, btBroadphaseProxy* b) override {
        CHECK(pairs.insert(pair_of(a, b)).second);
        ++added_count;
        return nullptr;
    }
    void* removeOverlappingPair(btBroadphaseProxy* a, btBroadphaseProxy* b, btDispatcher*) override {
        CHECK(pairs.erase(pair_of(a, b)) == 1);
        ++removed_count;
        return nullptr;
    }
    void removeOverlappingPairsContainingProxy(btBroadphaseProxy*, btDispatcher*) override {}
};

Pairs pairs_in(btBroadphaseInterface& broadphase) {
    Pairs pairs;
    const btBroadphasePairArray& cached = broadphase.getOverlappingPairCache()->getOverlappingPairArray();
    for (int i = 0; i < cached.size(); ++i) {
        CHECK(pairs.insert(pair_of(cached[i].m_pProxy0, cached[i].m_pProxy1)).second);
    }
    return pairs;
}

bool overlap(const btBroadphaseProxy& a, const btBroadphaseProxy& b) {
    for (int axis = 0; axis < 3; ++axis) {
        if (!(a.m_aabbMin[axis] <= b.m_aabbMax[axis] && b.m_aabbMin[axis] <= a.m_aabbMax[axis])) return false;
    }
    return true;
}
bool masks_agree(const btBroadphaseProxy& a, const btBroadphaseProxy& b) {
    return (a.m_collisionFilterGroup & b.m_collisionFilterMask) != 0 &&
           (b.m_collisionFilterGroup & a.m_collisionFilterMask) != 0;
}

// Collects the objects that a query meets, each once.
class Collector final : public btBroadphaseRayCallback {
public:
    std::set<int> met;
    std::function<void()> on_process;

    bool process(const btBroadphaseProxy* proxy) override {
        CHECK(met.insert(name_of(proxy)).second);
        if (on_process) on_process();
        // No broadphase of Bullet returns this value.
        return false;
    }
};

// The same objects on a broadphase, by name.
class Objects {
public:
    explicit Objects(btBroadphaseInterface& broadphase) : broadphase_(broadphase) {
        broadphase.getOverlappingPairCache()->setInternalGhostPairCallback(&watcher);
    }
    Objects(const Objects&) = delete;
    Objects& operator=(const Objects&) = delete;
    ~Objects() {
        while (!list.empty()) destroy(0);
    }

    Watcher watcher;
    std::vector<btBroadphaseProxy*> list;

    void create(int name, const btVector3& min, const btVector3& max, int group, int mask) {
        void* const client = reinterpret_cast<void*>(static_cast<std::intptr_t>(name));
        list.push_back(broadphase_.createProxy(min, max, BOX_SHAPE_PROXYTYPE, client, group, mask, nullptr));
    }
    void destroy(std::size_t index) {
        broadphase_.destroyProxy(list[index], nullptr);
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(index));
    }
    void set(std::size_t index, const btVector3& min, const btVector3& max) {
        broadphase_.setAabb(list[index], min, max, nullptr);
    }
    void calculate() { broadphase_.calculateOverlappingPairs(nullptr); }
    Pairs pairs() {
        const Pairs pairs = pairs_in(broadphase_);
        CHECK(pairs == watcher.pairs);
        return pairs;
    }
    Pairs expected_pairs(const std::function<bool(const btBroadphaseProxy&, const btBroadphaseProxy&)>& may) {
        Pairs pairs;
        for (std::size_t i = 0; i < list.size(); ++i) {
            for (std::size_t k = 0; k < i; ++k) {
                if (overlap(*list[i], *list[k]) && may(*list[i], *list[k]))
                    pairs.insert(pair_of(list[i], list[k]));
            }
        }
        return pairs;
    }
    std::set<int> ray(const btVector3& from, const btVector3& to, const btVector3& min = {0, 0, 0},
                      const btVector3& max = {0, 0, 0}) {
        Collector collector;
        const btVector3 direction = (to - from).normalized();
        for (int axis = 0; axis < 3; ++axis) {
            const float part = direction[axis];
            collector.m_rayDirectionInverse[axis] = part == 0 ? BT_LARGE_FLOAT : 1 / part;
            collector.m_signs[axis] = collector.m_rayDirectionInverse[axis] < 0 ? 1u : 0u;
        }
        collector.m_lambda_max = direction.dot(to - from);
        broadphase_.rayTest(from, to, collector, min, max);
        return collector.met;
    }
    std::set<int> box(const btVector3& min, const btVector3& max) {
        Collector collector;
        broadphase_.aabbTest(min, max, collector);
        return collector.met;
    }

private:
    btBroadphaseInterface& broadphase_;
};

struct Random {
    std::mt19937 engine;
    float number(float from, float to) { return std::uniform_real_distribution<float>(from, to)(engine); }
    int below(std::size_t count) {
        return std::uniform_int_distribution<int>(0, static_cast<int>(count) - 1)(engine);
    }
    btVector3 vector(float extent) {
        const float x = number(-extent, extent);
        const float y = number(-extent, extent);
        return {x, y, number(-extent, extent)};
    }
};

// True if a ray, or a box that moves along it, meets a box that is larger by `slack`; in double precision.
bool meets(const btBroadphaseProxy& proxy, const btVector3& from, const btVector3& to, const btVector3& min,
           const btVector3& max, double slack) {
    double begin = 0;
    double end = 1;
    for (int axis = 0; axis < 3; ++axis) {
        const double origin = double{from[axis]};
        const double direction = double{to[axis]} - origin;
        const double near = double{proxy.m_aabbMin[axis]} - double{max[axis]} - slack;
        const double far = double{proxy.m_aabbMax[axis]} - double{min[axis]} + slack;
        if (direction == 0) {
            if (origin < near || origin > far) return false;
            continue;
        }
        const double a = (near - origin) / direction;
        const double b = (far - origin) / direction;
        begin = std::max(begin, std::min(a, b));
        end = std::min(end, std::max(a, b));
    }
    return begin <= end;
}

bool is_within(const std::set<int>& inner, const std::set<int>& outer) {
    return std::includes(outer.begin(), outer.end(), inner.begin(), inner.end());
}

void check_rays(Objects& objects, Random& random) {
    for (int i = 0; i < 20; ++i) {
        const btVector3 from = random.vector(8);
        btVector3 to = random.vector(8);
        if (i % 4 == 1) to.setX(from.x());
        if (i % 8 == 5) to = from;
        const bool is_cast = i % 2 == 1;
        const btVector3 half = is_cast ? random.vector(1).absolute() : btVector3(0, 0, 0);
        const std::set<int> met = objects.ray(from, to, -half, half);
        std::set<int> least;
        std::set<int> most;
        for (const btBroadphaseProxy* proxy : objects.list) {
            if (meets(*proxy, from, to, -half, half, -1e-5)) least.insert(name_of(proxy));
            if (meets(*proxy, from, to, -half, half, 1e-4)) most.insert(name_of(proxy));
        }
        CHECK(is_within(least, met));
        CHECK(is_within(met, most));
    }
}

void check_boxes(Objects& objects, Random& random) {
    for (int i = 0; i < 10; ++i) {
        btBroadphaseProxy question;
        const btVector3 center = random.vector(8);
        const btVector3 half = random.vector(3).absolute();
        question.m_aabbMin = center - half;
        question.m_aabbMax = center + half;
        std::set<int> expected;
        for (const btBroadphaseProxy* proxy : objects.list) {
            if (overlap(*proxy, question)) expected.insert(name_of(proxy));
        }
        CHECK(objects.box(question.m_aabbMin, question.m_aabbMax) == expected);
    }
}

constexpr int kStaticMask = btBroadphaseProxy::AllFilter ^ btBroadphaseProxy::StaticFilter;

// Random operations on both broadphases, compared with Bullet's own results.
void live(unsigned seed, bool has_masks) {
    Random random{std::mt19937(seed)};
    BroadsideBroadphase ours;
    ours.calm_margin = 0;
    btDbvtBroadphase bullets;
    Objects our_objects(ours);
    Objects bullet_objects(bullets);
    const auto both = [&](auto&& change) {
        change(our_objects);
        change(bullet_objects);
    };
    int next_name = 1;
    for (int frame = 0; frame < 60; ++frame) {
        const int change_count = random.below(30);
        for (int change = 0; change < change_count; ++change) {
            const std::size_t count = our_objects.list.size();
            const int kind = count < 3 ? 0 : random.below(8);
            const btVector3 center = random.vector(6);
            const btVector3 half = random.vector(1).absolute();
            if (kind < 2) {
                const bool is_static = random.below(4) == 0;
                int group = is_static ? btBroadphaseProxy::StaticFilter : btBroadphaseProxy::DefaultFilter;
                int mask = is_static ? kStaticMask : btBroadphaseProxy::AllFilter;
                if (has_masks && random.below(3) == 0) {
                    group = 1 << random.below(5);
                    mask = random.below(64);
                }
                both([&](Objects& objects) {
                    objects.create(next_name, center - half, center + half, group, mask);
                });
                ++next_name;
            } else if (kind == 2) {
                const auto index = static_cast<std::size_t>(random.below(count));
                both([&](Objects& objects) { objects.destroy(index); });
            } else {
                const auto index = static_cast<std::size_t>(random.below(count));
                both([&](Objects& objects) { objects.set(index, center - half, center + half); });
            }
        }
        if (frame % 3 == 1) check_rays(our_objects, random);
        if (frame % 3 == 2) check_boxes(our_objects, random);
        both([](Objects& objects) { objects.calculate(); });
        const Pairs expected = our_objects.expected_pairs(masks_agree);
        CHECK(our_objects.pairs() == expected);
        const Pairs bullet_pairs = bullet_objects.pairs();
        CHECK(std::includes(bullet_pairs.begin(), bullet_pairs.end(), expected.begin(), expected.end()));
        check_rays(our_objects, random);
        check_boxes(our_objects, random);
    }
    both([](Objects& objects) {
        while (!objects.list.empty()) objects.destroy(objects.list.size() / 2);
        CHECK(objects.pairs().empty());
    });
    // Bullet's has had more pairs, of boxes that it enlarged.
    CHECK(our_objects.watcher.added_count > 50);
    CHECK(our_objects.watcher.added_count <= bullet_objects.watcher.added_count);
    CHECK(our_objects.watcher.added_count == our_objects.watcher.removed_count);
}

}  // namespace

TEST_CASE("Bullet's interface: random operations, with the pairs and results of brute force") {
    for (unsigned seed = 0; seed < 4; ++seed) {
        live(seed, false);
        live(seed, true);
    }
}

TEST_CASE("Bullet's interface: slow objects keep their pairs while they stay within a margin") {
    BroadsideBroadphase broadphase;
    Objects objects(broadphase);
    objects.create(1, {0, 0, 0}, {1, 1, 1}, 1, -1);
    objects.create(2, {0.995f, 0, 0}, {2, 1, 1}, 1, -1);
    objects.calculate();
    CHECK(objects.pairs() == Pairs{{1, 2}});
    // A small step, out of the box that it was created with: it gets a larger one.
    objects.set(1, {1.001f, 0, 0}, {2.006f, 1, 1});
    objects.calculate();
    CHECK(objects.pairs() == Pairs{{1, 2}});
    const std::size_t changes = static_cast<std::size_t>(objects.watcher.added_count);
    for (int frame = 0; frame < 20; ++frame) {
        const float x = frame % 2 == 0 ? 0.999f : 1.002f;
        objects.set(1, {x, 0, 0}, {x + 1.005f, 1, 1});
        objects.calculate();
        CHECK(objects.pairs() == Pairs{{1, 2}});
        btVector3 min;
        btVector3 max;
        broadphase.getAabb(objects.list[1], min, max);
        CHECK(min == btVector3(x, 0, 0));
    }
    CHECK(static_cast<std::size_t>(objects.watcher.added_count) == changes);
    // A large one: it has exactly its given box.
    objects.set(1, {1.5f, 0, 0}, {2.5f, 1, 1});
    objects.calculate();
    CHECK(objects.pairs().empty());
    objects.set(1, {1.0f, 0, 0}, {2, 1, 1});
    objects.calculate();
    CHECK(objects.pairs() == Pairs{{1, 2}});
}

TEST_CASE("Bullet's interface: groups and masks may change, and take effect when the box is set") {
    BroadsideBroadphase broadphase;
    Objects objects(broadphase);
    for (int i = 0; i < 4; ++i) objects.create(i + 1, {0, 0, 0}, {1, 1, 1}, 1, -1);
    objects.calculate();
    CHECK(objects.pairs().size() == 6);
    objects.list[0]->m_collisionFilterMask = 2;
    objects.set(0, {0, 0, 0}, {1, 1, 1});
    objects.calculate();
    CHECK(objects.pairs() == Pairs{{2, 3}, {2, 4}, {3, 4}});
    objects.list[3]->m_collisionFilterGroup = 2;
    objects.set(3, {0, 0, 0}, {1, 1, 1});
    objects.calculate();
    CHECK(objects.pairs() == Pairs{{1, 4}, {2, 3}, {2, 4}, {3, 4}});
    // Back to masks that allow everything.
    objects.list[0]->m_collisionFilterMask = -1;
    objects.list[3]->m_collisionFilterGroup = 1;
    objects.set(0, {0, 0, 0}, {1, 1, 1});
    objects.set(3, {0, 0, 0}, {1, 1, 1});
    objects.calculate();
    CHECK(objects.pairs().size() == 6);
}

namespace {

struct OddOnes final : btOverlapFilterCallback {
    bool wants_odd = true;
    bool needBroadphaseCollision(btBroadphaseProxy* a, btBroadphaseProxy* b) const override {
        return ((name_of(a) + name_of(b)) % 2 != 0) == wants_odd;
    }
};

}  // namespace

TEST_CASE("Bullet's interface: a filter callback decides instead of the masks, and is called again") {
    BroadsideBroadphase broadphase;
    Objects objects(broadphase);
    OddOnes filter;
    const auto decide = [&](const btBroadphaseProxy& a, const btBroadphaseProxy& b) {
        return ((name_of(&a) + name_of(&b)) % 2 != 0) == filter.wants_odd;
    };
    // Masks that forbid every pair, two static objects among them.
    for (int i = 0; i < 5; ++i)
        objects.create(i + 1, {0, 0, 0}, {1, 1, 1}, i < 2 ? 2 : 4, i < 2 ? kStaticMask : 8);
    objects.calculate();
    CHECK(objects.pairs().empty());
    broadphase.getOverlappingPairCache()->setOverlapFilterCallback(&filter);
    objects.calculate();
    CHECK(objects.pairs() == objects.expected_pairs(decide));
    CHECK(objects.pairs().size() == 6);
    // The changed filter is called for set objects: pairs that it rejected begin, none ends.
    filter.wants_odd = false;
    objects.calculate();
    CHECK(objects.pairs().size() == 6);
    for (std::size_t i = 0; i < 5; ++i) objects.set(i, {0.1f, 0, 0}, {1.1f, 1, 1});
    objects.calculate();
    CHECK(objects.pairs().size() == 10);
    // It is not called for rejected pairs that have ended.
    objects.create(6, {0, 0, 0}, {1, 1, 1}, 1, 1);
    objects.calculate();
    CHECK(objects.pairs().size() == 12);
    filter.wants_odd = true;
    for (std::size_t i = 0; i < 6; ++i) {
        const float x = 3 * static_cast<float>(i);
        objects.set(i, {x, 0, 0}, {x + 1, 1, 1});
    }
    objects.calculate();
    CHECK(objects.pairs().empty());
    broadphase.getOverlappingPairCache()->setOverlapFilterCallback(nullptr);
    for (std::size_t i = 0; i < 6; ++i) objects.set(i, {0, 0, 0}, {1, 1, 1});
    objects.calculate();
    CHECK(objects.pairs() == objects.expected_pairs(masks_agree));
}

TEST_CASE("Bullet's interface: an immediate object has its pairs as soon as it is set") {
    BroadsideBroadphase broadphase;
    Objects objects(broadphase);
    constexpr int kCharacter = btBroadphaseProxy::CharacterFilter;
    objects.create(1, {0, 0, 0}, {1, 1, 1}, 1, -1);
    objects.create(2, {3, 0, 0}, {4, 1, 1}, 1, -1);
    objects.create(3, {0.5f, 0, 0}, {1.5f, 1, 1}, kCharacter, 1);
    CHECK(objects.pairs() == Pairs{{1, 3}});
    objects.set(2, {2.5f, 0, 0}, {3.5f, 1, 1});
    CHECK(objects.pairs() == Pairs{{1, 3}, {2, 3}});
    objects.calculate();
    CHECK(objects.pairs() == Pairs{{2, 3}});
    // There and back between two calculations: the pair begins and ends.
    objects.set(2, {0.5f, 0, 0}, {1.5f, 1, 1});
    objects.set(2, {6, 0, 0}, {7, 1, 1});
    CHECK(objects.pairs() == Pairs{{1, 3}, {2, 3}});
    objects.calculate();
    CHECK(objects.pairs().empty());
    // An object removed before the calculation.
    objects.set(2, {0.5f, 0, 0}, {1.5f, 1, 1});
    objects.destroy(0);
    CHECK(objects.pairs().empty());
    objects.calculate();
    CHECK(objects.pairs().empty());
    CHECK(objects.watcher.added_count == objects.watcher.removed_count);
}

TEST_CASE("Bullet's interface: an immediate object has the pairs of a larger box until it leaves that box") {
    BroadsideBroadphase broadphase;
    Objects objects(broadphase);
    objects.create(1, {0, 0, 0}, {1, 1, 1}, 1, -1);
    objects.create(2, {2, 0, 0}, {3, 1, 1}, btBroadphaseProxy::CharacterFilter, 1);
    CHECK(objects.pairs().empty());
    // Not out of the box that it was created with, then out of it.
    objects.set(1, {2.1f, 0, 0}, {2.9f, 1, 1});
    CHECK(objects.pairs().empty());
    objects.set(1, {1.05f, 0, 0}, {2.05f, 1, 1});
    CHECK(objects.pairs() == Pairs{{1, 2}});
    // Within the larger box, which extends from 0.97.
    objects.set(1, {1.12f, 0, 0}, {2.12f, 1, 1});
    objects.calculate();
    CHECK(objects.pairs() == Pairs{{1, 2}});
    objects.set(1, {1.2f, 0, 0}, {2.2f, 1, 1});
    objects.calculate();
    CHECK(objects.pairs().empty());
    broadphase.immediate_margin = 0;
    objects.set(1, {1.05f, 0, 0}, {2.05f, 1, 1});
    objects.calculate();
    CHECK(objects.pairs().empty());
}

TEST_CASE("Bullet's interface: NaN boxes meet nothing until they are set again") {
    BroadsideBroadphase broadphase;
    Objects objects(broadphase);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    objects.create(1, {0, 0, 0}, {1, 1, 1}, 1, -1);
    objects.create(2, {0, nan, 0}, {1, 1, 1}, 1, -1);
    objects.calculate();
    CHECK(objects.pairs().empty());
    CHECK(objects.box({-1, -1, -1}, {2, 2, 2}) == std::set<int>{1});
    CHECK(objects.ray({0.5f, 0.5f, -3}, {0.5f, 0.5f, 3}) == std::set<int>{1});
    objects.set(1, {0, 0, 0}, {1, 1, 1});
    objects.calculate();
    CHECK(objects.pairs() == Pairs{{1, 2}});
    objects.set(0, {nan, nan, nan}, {nan, nan, nan});
    objects.calculate();
    CHECK(objects.pairs().empty());
    CHECK(objects.box({nan, 0, 0}, {1, 1, 1}).empty());
}

TEST_CASE("Bullet's interface: bounds, identifiers and statistics") {
    BroadsideBroadphase broadphase;
    btVector3 min(1, 1, 1);
    btVector3 max(1, 1, 1);
    broadphase.getBroadphaseAabb(min, max);
    CHECK(min == btVector3(0, 0, 0));
    CHECK(max == btVector3(0, 0, 0));
    {
        Objects objects(broadphase);
        objects.create(1, {0, -2, 0}, {1, 1, 1}, 1, -1);
        objects.create(2, {3, 0, -4}, {4, 5, 1}, 1, -1);
        objects.set(0, {-7, -2, 0}, {1, 1, 1});
        broadphase.getBroadphaseAabb(min, max);
        CHECK(min == btVector3(-7, -2, -4));
        CHECK(max == btVector3(4, 5, 1));
        broadphase.getAabb(objects.list[0], min, max);
        CHECK(min == btVector3(-7, -2, 0));
        CHECK(max == btVector3(1, 1, 1));
        CHECK(objects.list[1]->m_uniqueId == 2);
        // With objects left it has no effect.
        broadphase.resetPool(nullptr);
        objects.create(3, {0, 0, 0}, {1, 1, 1}, 1, -1);
        CHECK(objects.list[2]->m_uniqueId == 3);
        objects.calculate();
        CHECK(objects.pairs() == Pairs{{1, 3}});
        broadphase.printStats();
    }
    broadphase.resetPool(nullptr);
    Objects objects(broadphase);
    objects.create(4, {0, 0, 0}, {1, 1, 1}, 1, -1);
    CHECK(objects.list[0]->m_uniqueId == 1);
    CHECK(broadphase.world().slot_count() == 1);
}

TEST_CASE("Bullet's interface: the caller's pair caches, also those that leave removal to the broadphase") {
    const btOverlappingPairCache* const const_cache =
        static_cast<const BroadsideBroadphase&>(BroadsideBroadphase()).getOverlappingPairCache();
    CHECK(const_cache != nullptr);
    btSortedOverlappingPairCache sorted;
    REQUIRE(sorted.hasDeferredRemoval());
    {
        BroadsideBroadphase broadphase(&sorted);
        broadphase.calm_margin = 0;
        CHECK(broadphase.getOverlappingPairCache() == &sorted);
        Random random{std::mt19937(5)};
        Objects objects(broadphase);
        // Such a cache does not report every end.
        sorted.setInternalGhostPairCallback(nullptr);
        for (int i = 0; i < 40; ++i) {
            const btVector3 center = random.vector(2);
            objects.create(i + 1, center, center + btVector3(1, 1, 1), 1, -1);
        }
        for (int frame = 0; frame < 20; ++frame) {
            for (std::size_t i = 0; i < 40; i += 3) {
                const btVector3 center = random.vector(2);
                objects.set(i, center, center + btVector3(1, 1, 1));
            }
            objects.calculate();
            CHECK(pairs_in(broadphase) == objects.expected_pairs(masks_agree));
        }
    }
    btNullPairCache none;
    BroadsideBroadphase broadphase(&none);
    btBroadphaseProxy* const a = broadphase.createProxy({0, 0, 0}, {1, 1, 1}, 0, nullptr, 1, -1, nullptr);
    btBroadphaseProxy* const b = broadphase.createProxy({0, 0, 0}, {1, 1, 1}, 0, nullptr, 1, -1, nullptr);
    broadphase.calculateOverlappingPairs(nullptr);
    broadphase.setAabb(a, {5, 0, 0}, {6, 1, 1}, nullptr);
    broadphase.calculateOverlappingPairs(nullptr);
    broadphase.destroyProxy(b, nullptr);
    broadphase.calculateOverlappingPairs(nullptr);
    broadphase.destroyProxy(a, nullptr);
}

TEST_CASE("Bullet's interface: a callback may set boxes and query again") {
    BroadsideBroadphase broadphase;
    Objects objects(broadphase);
    for (int i = 0; i < 2000; ++i) objects.create(i + 1, {0, 0, 0}, {1, 1, 1}, 1 << (i + 1) % 6, 0);
    Collector outer;
    int depth_count = 0;
    outer.on_process = [&] {
        // More boxes than the queue holds, those of characters among them.
        if (++depth_count != 2) return;
        for (std::size_t i = 0; i < objects.list.size(); ++i) objects.set(i, {5, 0, 0}, {6, 1, 1});
        Collector inner;
        broadphase.aabbTest({0, 0, 0}, {1, 1, 1}, inner);
        CHECK(inner.met.size() == 2000);
    };
    broadphase.aabbTest({0, 0, 0}, {1, 1, 1}, outer);
    CHECK(outer.met.size() == 2000);
    CHECK(objects.box({0, 0, 0}, {1, 1, 1}).empty());
    CHECK(objects.box({5, 0, 0}, {6, 1, 1}).size() == 2000);
}
