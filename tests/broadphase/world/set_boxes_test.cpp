// Boxes set by tasks equal those set by one thread, to the last bit of the world.
#include "tests/broadphase/pair_scenes.hpp"
#include "tests/broadphase/world/life.hpp"
#include "tests/broadphase/world/support.hpp"
#include "tests/support/guarded_boxes.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/suites.hpp"

#include <broadside/world_query.hpp>

using namespace broadside;
using namespace broadside::test;

namespace {

constexpr std::size_t kSetBoxesCount = 20'000;

// Every `stride`-th handle from `first` on.
std::vector<ObjectHandle> every(const std::vector<ObjectHandle>& handles, std::size_t first,
                                std::size_t stride) {
    std::vector<ObjectHandle> chosen;
    for (std::size_t i = first; i < handles.size(); i += stride) chosen.push_back(handles[i]);
    return chosen;
}

BatchResult set_in_form(World& world, const std::vector<ObjectHandle>& handles,
                        const std::vector<Aabb>& boxes, std::uint32_t form, const TaskRunner* runner) {
    if (form == 0) return world.set_boxes(handles, GuardedBoxes(boxes).view(), runner);
    if (form == 1) {
        return world.set_boxes(
            handles, BoxAosView{.data = boxes.data(), .stride_bytes = sizeof(Aabb), .count = boxes.size()},
            runner);
    }
    std::vector<double> rows;
    for (const Aabb& box : boxes)
        rows.insert(rows.end(), {box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z});
    return world.set_boxes(handles, ExactBoxView<double>::rows(rows.data(), boxes.size(), 3), runner);
}

}  // namespace

TEST_CASE("set_boxes with workers leaves the same world as without, for any objects" * kLong) {
    const std::vector<Aabb> first = make_scene(pair_scenes()[0], kSetBoxesCount, 1);
    const std::vector<Aabb> second = make_scene(pair_scenes()[0], kSetBoxesCount, 2);
    for (const std::uint32_t workers : {2u, 3u, 8u}) {
        const ShuffledRunner runner(workers, workers);
        World world;
        World same;
        const std::vector<ObjectHandle> handles = add_boxes(world, first);
        REQUIRE(add_boxes(same, first) == handles);
        for (World* each : {&world, &same}) {
            // Some margins, isolated and adjacent.
            const std::vector<ObjectHandle> grown = every(handles, 5000, 97);
            REQUIRE(each->set_margin(grown, 0.1f).status == Status::ok);
            REQUIRE(each->set_margin(std::span(handles).subspan(9000, 300), 0.2f).status == Status::ok);
            update(*each);
        }
        std::size_t shared_count = 0;
        // Each call in the next form, beginning with another one each time.
        std::uint32_t form = workers;
        const auto set = [&](const std::vector<ObjectHandle>& moved, const std::vector<Aabb>& boxes) {
            std::vector<Aabb> new_boxes;
            for (std::size_t k = 0; k < moved.size(); ++k)
                new_boxes.push_back(boxes[moved[k].slot() % kSetBoxesCount]);
            const GuardedBoxes guarded(new_boxes);
            const std::size_t before = runner.task_count();
            const BatchResult result = set_in_form(world, moved, new_boxes, form++ % 3, runner.runner());
            shared_count += runner.task_count() != before ? 1u : 0u;
            const BatchResult expected = same.set_boxes(moved, guarded.view());
            REQUIRE(result.status == expected.status);
            REQUIRE(result.bad_index == expected.bad_index);
            REQUIRE((bytes_of(world) == bytes_of(same)));
        };
        set(handles, second);
        set(handles, second);
        set(every(handles, 0, 2), first);
        set(every(handles, 3, 3), first);
        std::vector<ObjectHandle> others = handles;
        std::reverse(others.begin(), others.end());
        set(others, first);
        others = handles;
        others[10'001] = others[10'000];
        set(others, second);
        std::swap(others[4095], others[4096]);
        set(others, first);
        REQUIRE(shared_count >= 3);
        // Existing trees see the changes, too.
        REQUIRE(world.queries().status() == Status::ok);
        REQUIRE(same.queries().status() == Status::ok);
        set(handles, second);
        REQUIRE((world.bounds() == same.bounds()));
        // A dead handle is named, and nothing has changed.
        REQUIRE(world.remove(handles[7000]) == Status::ok);
        REQUIRE(same.remove(handles[7000]) == Status::ok);
        set(handles, first);
        others = handles;
        others[kSetBoxesCount - 1] = {handles[0].value | 0xFFFFFFu};
        set(others, first);
        // A stale handle of a reused slot is named, too, at any index of a task and as the only dead one:
        // after a call without a fault, in a shorter list.
        std::vector<ObjectHandle> living = handles;
        for (const std::size_t place : {7000u, 0u, 1u, 4095u, 4096u, 8191u, 8192u, 11'999u, 19'999u}) {
            const ObjectHandle stale = living[place];
            if (place != 7000) {
                REQUIRE(world.remove(stale) == Status::ok);
                REQUIRE(same.remove(stale) == Status::ok);
            }
            living[place] = add_box(world, first[place]);
            REQUIRE(add_box(same, first[place]) == living[place]);
            REQUIRE(living[place].slot() == stale.slot());
            set(living, second);
            others = living;
            others[place] = stale;
            if (place < 12'000) others.resize(12'000);
            set(others, first);
            const std::vector<Aabb> boxes(others.size(), first[0]);
            const BatchResult result = set_in_form(world, others, boxes, form++ % 3, runner.runner());
            REQUIRE(result.status == Status::invalid_argument);
            REQUIRE(result.bad_index == place);
        }
        (void)update(world);
        (void)update(same);
        REQUIRE(world.pairs_hash() == same.pairs_hash());
        REQUIRE(world.is_consistent());
    }
}

TEST_CASE(
    "at the first index of a task, too, a handle is compared whole, and the last box of a repeated object "
    "counts") {
    const std::vector<Aabb> first = make_scene(pair_scenes()[0], kSetBoxesCount, 1);
    const std::vector<Aabb> second = make_scene(pair_scenes()[0], kSetBoxesCount, 2);
    World world;
    const std::vector<ObjectHandle> oldest = add_boxes(world, first);
    REQUIRE(world.remove(oldest).status == Status::ok);
    std::vector<ObjectHandle> handles(kSetBoxesCount);
    for (const ObjectHandle handle : add_boxes(world, first)) handles[handle.slot()] = handle;
    const GuardedBoxes guarded(second);
    for (std::uint32_t seed = 1; seed < 9; ++seed) {
        const ShuffledRunner runner(4, seed);
        std::vector<ObjectHandle> others = handles;
        others[0] = oldest[0];
        // The handle behind the last would do as well.
        constexpr std::size_t kSetCount = kSetBoxesCount - 1;
        const BatchResult result = world.set_boxes(std::span(others).first(kSetCount),
                                                   guarded.view().part(0, kSetCount), runner.runner());
        REQUIRE(result.status == Status::invalid_argument);
        REQUIRE(result.bad_index == 0);
        REQUIRE(world.set_boxes(handles, guarded.view(), runner.runner()).status == Status::ok);
        others = handles;
        others[4096] = others[100];
        REQUIRE(world.set_boxes(others, guarded.view(), runner.runner()).status == Status::ok);
        REQUIRE(world.description(handles[100]).box == second[4096]);
    }
}

TEST_CASE("batched boxes, margins and displacements equal single ones, wherever words of slots end" * kLong) {
    constexpr std::uint32_t kObjects = 300;
    Random random(77);
    World world;
    World same;
    const std::vector<Aabb> first = make_scene(pair_scenes()[0], kObjects, 1);
    const std::vector<ObjectHandle> handles = add_boxes(world, first);
    REQUIRE(add_boxes(same, first) == handles);
    for (int round = 0; round < 600; ++round) {
        const std::uint32_t begin = random.below(kObjects);
        const std::uint32_t count = 1 + random.below(std::min(kObjects - begin, 140u));
        const std::span<const ObjectHandle> chosen = std::span(handles).subspan(begin, count);
        const bool is_none = random.chance(3);
        switch (random.below(4)) {
            case 0: {
                const float margin = is_none ? 0.0f : any_margin(random);
                REQUIRE(world.set_margin(chosen, margin).status == Status::ok);
                for (const ObjectHandle handle : chosen)
                    REQUIRE(same.set_margin(handle, margin) == Status::ok);
                break;
            }
            case 1: {
                std::vector<float> x, y, z;
                for (std::uint32_t k = 0; k < count; ++k) {
                    const Vec3 step = is_none || random.chance(3) ? Vec3{0, 0, 0} : any_displacement(random);
                    x.push_back(step.x), y.push_back(step.y), z.push_back(step.z);
                }
                REQUIRE(world.set_displacements(chosen, {x.data(), y.data(), z.data(), count}).status ==
                        Status::ok);
                for (std::uint32_t k = 0; k < count; ++k) {
                    REQUIRE(same.set_displacements(chosen.subspan(k, 1), {&x[k], &y[k], &z[k], 1}).status ==
                            Status::ok);
                }
                break;
            }
            default: {
                std::vector<Aabb> boxes;
                for (std::uint32_t k = 0; k < count; ++k) {
                    boxes.push_back(random.chance(8) ? adversarial_box(random)
                                                     : first[random.below(kObjects)]);
                }
                const GuardedBoxes guarded(boxes);
                REQUIRE(world.set_boxes(chosen, guarded.view()).status == Status::ok);
                for (std::uint32_t k = 0; k < count; ++k)
                    REQUIRE(same.set_box(chosen[k], boxes[k]) == Status::ok);
            }
        }
        REQUIRE((bytes_of(world) == bytes_of(same)));
        REQUIRE(world.is_consistent());
        if (!random.chance(5)) continue;
        REQUIRE(update(world).begun_count == update(same).begun_count);
        REQUIRE(world.pairs_hash() == same.pairs_hash());
    }
    // Without shapes boxes are stored once.
    REQUIRE(world.set_margin(handles, 0).status == Status::ok);
    const std::vector<float> zeros(kObjects, 0.0f);
    REQUIRE(world.set_displacements(handles, {zeros.data(), zeros.data(), zeros.data(), kObjects}).status ==
            Status::ok);
    World plain;
    std::vector<Aabb> boxes;
    for (const ObjectHandle handle : handles) boxes.push_back(world.description(handle).box);
    add_boxes(plain, boxes);
    world.shrink();
    plain.shrink();
    CHECK(world.capacity_bytes() <= plain.capacity_bytes() +
                                        24 * (world.begun().size() + world.ended().size()) +
                                        16 * world.pair_count());
}

TEST_CASE("boxes set in any order of slots equal boxes set one by one") {
    const std::vector<Aabb> first = make_scene(pair_scenes()[0], kSetBoxesCount, 3);
    const std::vector<Aabb> second = make_scene(pair_scenes()[0], kSetBoxesCount, 4);
    World world;
    World same;
    std::vector<ObjectHandle> handles = add_boxes(world, first);
    REQUIRE(add_boxes(same, first) == handles);
    Random random(71);
    for (std::size_t i = kSetBoxesCount; i > 1; --i)
        std::swap(handles[i - 1], handles[random.below(static_cast<std::uint32_t>(i))]);
    // About as many as are prefetched, some more, and all.
    for (const std::size_t count : {std::size_t{15}, std::size_t{16}, std::size_t{17}, std::size_t{127},
                                    std::size_t{128}, std::size_t{129}, kSetBoxesCount}) {
        CAPTURE(count);
        const std::span<const ObjectHandle> moved = std::span(handles).first(count);
        std::vector<Aabb> boxes;
        for (std::size_t k = 0; k < count; ++k) {
            boxes.push_back(second[(k + count) % kSetBoxesCount]);
            REQUIRE(same.set_box(moved[k], boxes[k]) == Status::ok);
        }
        const GuardedBoxes guarded(boxes);
        REQUIRE(world.set_boxes(moved, guarded.view()).status == Status::ok);
        REQUIRE((bytes_of(world) == bytes_of(same)));
    }
}
