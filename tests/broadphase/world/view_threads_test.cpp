// Views under threads: many query them while one changes the world, and others prepare new objects. Every
// result is compared with a loop over the objects at the view's creation. Made for ThreadSanitizer.
#include <broadside/prepared_objects.hpp>
#include <broadside/world_view.hpp>

#include "tests/broadphase/tree/box_tree_oracle.hpp"
#include "tests/support/test_scale.hpp"
#include "tests/support/thread_runner.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <mutex>
#include <thread>

using namespace broadside;
using namespace broadside::test;

namespace {

struct KnownObject {
    ObjectHandle handle;
    ObjectDescription description;
};

// Data from the writer for the readers.
struct Published {
    WorldView view;
    std::vector<KnownObject> objects;
};

// One value that threads exchange. Its contents are read without a lock.
template <class T>
class Exchange {
public:
    void put(T value) {
        const std::lock_guard lock(mutex_);
        value_ = std::move(value);
    }
    T get() {
        const std::lock_guard lock(mutex_);
        return value_;
    }
    T take() {
        const std::lock_guard lock(mutex_);
        return std::exchange(value_, T{});
    }

private:
    std::mutex mutex_;
    T value_ = {};
};

constexpr float kExtent = 12;

Aabb any_box(Random& random) { return random_box(random, kExtent, 1.5f); }

ObjectDescription any_object(Random& random) {
    ObjectDescription description;
    description.box = any_box(random);
    description.kind = static_cast<ObjectKind>(random.below(3));
    description.filter.category = std::uint64_t{1} << random.below(3);
    description.filter.layer = static_cast<std::uint16_t>(random.below(3));
    description.user_data = random.next();
    return description;
}

// False if a result differs from that of a loop over the objects.
class Asker {
public:
    explicit Asker(std::uint64_t seed) : random_(seed) {}

    bool ask(const WorldView& view, const std::vector<KnownObject>& objects) {
        const std::uint64_t masks[1] = {1 + random_.below(7)};
        WorldQuerySettings settings;
        settings.layers = 1 + random_.below(7);
        settings.masks = masks;
        const auto passes = [&](const KnownObject& object) {
            return (settings.layers >> object.description.filter.layer & 1) != 0 &&
                   (object.description.filter.category & masks[0]) != 0;
        };
        return knows(view, objects) && find_overlaps(view, objects, settings, passes) &&
               find_closest(view, objects, settings, passes);
    }

private:
    bool knows(const WorldView& view, const std::vector<KnownObject>& objects) {
        if (objects.empty()) return true;
        const KnownObject& object = objects[random_.below(static_cast<std::uint32_t>(objects.size()))];
        return view.is_alive(object.handle) && view.box(object.handle) == object.description.box &&
               view.user_data(object.handle) == object.description.user_data;
    }
    template <class Passes>
    bool find_overlaps(const WorldView& view, const std::vector<KnownObject>& objects,
                       const WorldQuerySettings& settings, const Passes& passes) {
        const Aabb box = random_box(random_, kExtent, 6);
        std::vector<ObjectHandle> expected;
        for (const KnownObject& object : objects) {
            if (passes(object) && overlap(object.description.box, box)) expected.push_back(object.handle);
        }
        std::sort(expected.begin(), expected.end(),
                  [](ObjectHandle a, ObjectHandle b) { return a.slot() < b.slot(); });
        std::vector<ObjectHandle> visited;
        const Status status = view->visit_overlaps(box, settings, [&](ObjectHandle object) {
            visited.push_back(object);
            return true;
        });
        std::sort(visited.begin(), visited.end(),
                  [](ObjectHandle a, ObjectHandle b) { return a.slot() < b.slot(); });
        if (status != Status::ok || visited != expected) return false;
        if (view->find_overlaps(std::span(&box, 1), settings, scratch_, list_).status != Status::ok)
            return false;
        return std::equal(
            list_.begin(), list_.end(), expected.begin(), expected.end(),
            [](const Listed<ObjectHandle>& found, ObjectHandle object) { return found.found == object; });
    }
    template <class Passes>
    bool find_closest(const WorldView& view, const std::vector<KnownObject>& objects,
                      const WorldQuerySettings& settings, const Passes& passes) {
        const Vec3 from = random_vec3(random_, -kExtent, kExtent);
        const Ray ray = {from, random_vec3(random_, -kExtent, kExtent) - from};
        WorldHit expected;
        for (const KnownObject& object : objects) {
            if (!passes(object)) continue;
            const OracleHit hit = hit_of(ray, object.description.box, Inside::zero);
            const bool is_closer = expected.target.is_null() || hit.t < expected.t ||
                                   (hit.t == expected.t && object.handle.slot() < expected.target.slot());
            if (hit.has_hit && is_closer) expected = {object.handle, hit.t, hit.face};
        }
        return view->closest_hit(ray, settings) == expected;
    }

    Random random_;
    BoxScratch scratch_;
    AlignedArray<Listed<ObjectHandle>> list_;
};

struct Prepared {
    PreparedObjects objects;
    std::vector<ObjectDescription> descriptions;
};

// The one thread that changes the world.
class Writer {
public:
    explicit Writer(std::size_t frame_count) : frame_count_(frame_count) {}

    Exchange<std::shared_ptr<Published>> published;
    Exchange<std::shared_ptr<Prepared>> prepared;
    std::atomic<bool> is_over = false;

    void run() {
        ThreadRunner threads(2);
        for (std::size_t frame = 0; frame < frame_count_; ++frame) {
            const TaskRunner* const runner = frame % 2 == 0 ? threads.runner() : nullptr;
            change();
            if (frame % 3 != 0) CHECK(world_.update(runner).status == Status::ok);
            if (frame % 4 != 0) {
                auto next = std::make_shared<Published>();
                next->view = world_.view(runner);
                next->objects = objects_;
                CHECK(next->view.status() == Status::ok);
                published.put(std::move(next));
            }
            // Its own queries run at the same time.
            CHECK(asker_.ask(world_.view(), objects_));
        }
        is_over = true;
    }

private:
    void change() {
        add(random_.below(4));
        if (const std::shared_ptr<Prepared> batch = prepared.take(); batch != nullptr) {
            std::vector<ObjectHandle> handles(batch->objects.count());
            CHECK(world_.add(batch->objects, handles).status == Status::ok);
            for (std::size_t i = 0; i < handles.size(); ++i)
                objects_.push_back({handles[i], batch->descriptions[i]});
        }
        while (objects_.size() > 250) remove();
        const std::uint32_t count = random_.chance(5) ? 200 : 10;
        for (std::uint32_t k = 0; k < count && !objects_.empty(); ++k) {
            KnownObject& object = objects_[random_.below(static_cast<std::uint32_t>(objects_.size()))];
            object.description.box = any_box(random_);
            CHECK(world_.set_box(object.handle, object.description.box) == Status::ok);
        }
        if (objects_.empty()) return;
        KnownObject& object = objects_[random_.below(static_cast<std::uint32_t>(objects_.size()))];
        object.description.user_data = random_.next();
        CHECK(world_.set_user_data(object.handle, object.description.user_data) == Status::ok);
        object.description.filter.layer = static_cast<std::uint16_t>(random_.below(3));
        CHECK(world_.set_filter(object.handle, object.description.filter) == Status::ok);
        object.description.kind = static_cast<ObjectKind>(random_.below(3));
        CHECK(world_.set_kind(object.handle, object.description.kind) == Status::ok);
    }
    void add(std::uint32_t count) {
        for (std::uint32_t k = 0; k < count; ++k) {
            const ObjectDescription description = any_object(random_);
            objects_.push_back({world_.add(description), description});
        }
    }
    void remove() {
        const std::size_t index = random_.below(static_cast<std::uint32_t>(objects_.size()));
        CHECK(world_.remove(objects_[index].handle) == Status::ok);
        objects_[index] = objects_.back();
        objects_.pop_back();
    }

    std::size_t frame_count_;
    Random random_{1};
    World world_;
    std::vector<KnownObject> objects_;
    Asker asker_{2};
};

}  // namespace

TEST_CASE("many threads query views while one changes the world and others prepare its new objects") {
    constexpr std::uint32_t kAskerCount = 4;
    auto writer = std::make_unique<Writer>((kHasThreadSanitizer ? 400u : 1500u) *
                                           static_cast<std::size_t>(test_scale()));
    std::atomic<std::uint32_t> wrong_count = 0;
    std::atomic<std::uint32_t> answer_count = 0;
    std::atomic<bool> is_over = false;
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < kAskerCount; ++i) {
        threads.emplace_back([&, i] {
            Asker asker(100 + i);
            // An old view, queried beside the newest one, which outlives the world.
            Published old;
            for (std::uint32_t round = 0; !is_over; ++round) {
                const std::shared_ptr<Published> newest = writer->published.get();
                if (newest == nullptr) continue;
                const WorldView copy = newest->view;
                if (round % (20 * (i + 1)) == 0 || old.objects.empty()) old = *newest;
                wrong_count += asker.ask(copy, newest->objects) ? 0u : 1u;
                wrong_count += asker.ask(old.view, old.objects) ? 0u : 1u;
                answer_count += 2;
            }
        });
    }
    threads.emplace_back([&] {
        Random random(50);
        while (!is_over) {
            auto batch = std::make_shared<Prepared>();
            batch->descriptions.resize(1 + random.below(40));
            for (ObjectDescription& description : batch->descriptions) description = any_object(random);
            if (batch->objects.prepare(batch->descriptions).status != Status::ok) ++wrong_count;
            writer->prepared.put(std::move(batch));
            std::this_thread::yield();
        }
    });
    writer->run();
    is_over = true;
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong_count == 0);
    CHECK(answer_count > 100);
}

TEST_CASE("the last view of a destroyed world may be released by any thread") {
    for (int round = 0; round < 50; ++round) {
        std::vector<std::thread> threads;
        std::atomic<int> found_count = 0;
        {
            World world;
            (void)world.add({.box = {{0, 0, 0}, {1, 1, 1}}});
            for (int i = 0; i < 3; ++i) {
                threads.emplace_back([view = world.view(), &found_count]() mutable {
                    const WorldView copy = view;
                    view.release();
                    found_count += copy->any_overlap(Vec3{0.5f, 0.5f, 0.5f}) ? 1 : 0;
                });
                (void)world.add({.box = {{2, 0, 0}, {3, 1, 1}}});
            }
        }
        for (std::thread& thread : threads) thread.join();
        CHECK(found_count == 3);
    }
}

TEST_CASE("the latest view is a complete state of the world, never older than the one before") {
    constexpr std::size_t kObjects = 100;
    World world;
    CHECK(world.latest().status() == Status::out_of_memory);
    std::vector<ObjectHandle> handles(kObjects);
    std::vector<Aabb> boxes(kObjects);
    // All objects are at the x of the state's number.
    const auto put_all = [&](float state) {
        for (Aabb& box : boxes) box = {{state, 0, 0}, {state, 1, 1}};
        return BoxAosView{boxes.data(), sizeof(Aabb), 0, sizeof(Vec3), kObjects};
    };
    for (ObjectHandle& handle : handles) handle = world.add(ObjectDescription{});
    REQUIRE(world.set_boxes(handles, put_all(0)).status == Status::ok);
    REQUIRE(world.publish() == Status::ok);
    std::atomic<bool> is_over = false;
    std::atomic<std::uint32_t> wrong_count = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
        threads.emplace_back([&] {
            float known = 0;
            while (!is_over) {
                const WorldView view = world.latest();
                const float state = view->bounds().min.x;
                std::size_t count = 0;
                const Aabb here = {{state, 0, 0}, {state, 0, 0}};
                const Status status =
                    view->visit_overlaps(here, {}, [&](ObjectHandle) { return ++count != 0; });
                const bool is_whole = status == Status::ok && count == kObjects && state >= known;
                wrong_count += is_whole ? 0u : 1u;
                known = state;
            }
        });
    }
    for (int state = 1; state < 500; ++state) {
        CHECK(world.set_boxes(handles, put_all(static_cast<float>(state))).status == Status::ok);
        if (state % 3 == 0) CHECK(world.update().status == Status::ok);
        if (state % 2 == 0) CHECK(world.publish() == Status::ok);
    }
    is_over = true;
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong_count == 0);
    CHECK(world.latest()->bounds().min.x == 498);
}

TEST_CASE("boxes set by several threads at once equal boxes set by one thread") {
    constexpr std::uint32_t kObjects = 1000;
    constexpr std::uint32_t kThreads = 4;
    Random random(7);
    World world;
    World same;
    std::vector<ObjectHandle> handles;
    for (std::uint32_t i = 0; i < kObjects; ++i) {
        ObjectDescription description = any_object(random);
        if (i % 7 == 0) description.margin = 0.25f;
        handles.push_back(world.add(description));
        REQUIRE(same.add(description) == handles.back());
    }
    for (int round = 0; round < 30; ++round) {
        // Sometimes query trees exist, which must be told of the changes.
        if (round % 3 == 0) REQUIRE(world.queries().status() == Status::ok);
        std::vector<Aabb> boxes;
        for (std::uint32_t i = 0; i < kObjects; ++i) boxes.push_back(any_box(random));
        std::vector<std::thread> threads;
        for (std::uint32_t first = 0; first < kThreads; ++first) {
            threads.emplace_back([&, first] {
                // Neighbours in every word are set by different threads.
                for (std::uint32_t i = first; i < kObjects; i += kThreads) {
                    if (i % 5 == static_cast<std::uint32_t>(round) % 5) continue;
                    CHECK(world.set_box_shared(handles[i], boxes[i]) == Status::ok);
                }
            });
        }
        for (std::thread& thread : threads) thread.join();
        for (std::uint32_t i = 0; i < kObjects; ++i) {
            if (i % 5 != static_cast<std::uint32_t>(round) % 5)
                REQUIRE(same.set_box(handles[i], boxes[i]) == Status::ok);
        }
        const UpdateResult result = world.update();
        const UpdateResult expected = same.update();
        REQUIRE(result.changed_count == expected.changed_count);
        REQUIRE(result.begun_count == expected.begun_count);
        REQUIRE(world.pairs_hash() == same.pairs_hash());
        REQUIRE(world.is_consistent());
        REQUIRE(world.bounds() == same.bounds());
        REQUIRE(world.queries().bounds() == same.queries().bounds());
    }
    CHECK(world.set_box_shared(ObjectHandle{}, Aabb{}) == Status::invalid_argument);
}
