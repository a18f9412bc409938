// The operations of a program that change no object: updates, queries, copies, memory.
#include "tests/broadphase/world/life_places.hpp"
#include "tests/broadphase/world/life_player.hpp"

#include <broadside/ray_box.hpp>

#include <algorithm>

namespace broadside::test {
namespace {

// Views held at a time.
constexpr std::size_t kViewMax = 2;
// Objects whose pairs one operation queries.
constexpr std::size_t kPairsOfMax = 8;

template <class T>
bool is_same_list(std::span<const T> a, const std::vector<T>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
}
bool is_same_ended(std::span<const EndedPair> a, const std::vector<EndedPair>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const EndedPair& x, const EndedPair& y) {
        return x.a == y.a && x.b == y.b && x.value == y.value;
    });
}

}  // namespace

void LifePlayer::update(const Operation& operation) {
    ++result_.update_count;
    ShuffledRunner runner(operation.seed, operation.workers);
    const TaskRunner* const tasks = operation.workers != 0 ? runner.runner() : nullptr;
    const bool fits = oracle_.find_next();
    if (!fits) ++result_.capped_count;
    for (const std::unique_ptr<Copy>& copy : copies_)
        if (!update_copy(*copy, fits, tasks)) return;
    if (!fits) return;
    oracle_.commit();
    for (const std::unique_ptr<Copy>& copy : copies_) check_objects(*copy);
    expect(copies_.front()->world.pairs_hash() == copies_.back()->world.pairs_hash(),
           "equal worlds have equal hashes");
}

// False if memory ran out and the next update must do it, or if something is wrong.
bool LifePlayer::update_copy(Copy& copy, bool fits, const TaskRunner* runner) {
    World& world = copy.world;
    const std::uint64_t hash = world.pairs_hash();
    const std::vector<WorldPair> begun(world.begun().begin(), world.begun().end());
    const std::vector<EndedPair> ended(world.ended().begin(), world.ended().end());
    UpdateResult result;
    const auto call = [&](Copy& called) {
        result = called.world.update(runner);
        return result.status;
    };
    const auto has_changed_nothing = [&] {
        return result.begun_count + result.ended_count == 0 && result.pair_count == oracle_.pair_count() &&
               world.pairs_hash() == hash && is_same_list(world.begun(), begun) &&
               is_same_ended(world.ended(), ended);
    };
    if (call_with_faults(copy, call) == Status::out_of_memory) {
        if (!expect(has_changed_nothing(), "an update without memory changes nothing")) return false;
        if (!expect(world.is_consistent(), "is_consistent after an update without memory")) return false;
        if (copies_.size() == 1) return false;
        (void)call(copy);
    }
    if (!fits) {
        expect(result.status == Status::capacity_exceeded,
               "too many pairs are answered with capacity_exceeded");
        expect(has_changed_nothing(), "an update of too many pairs changes nothing");
    } else {
        check_update(copy, result);
    }
    return !result_.has_failed();
}

void LifePlayer::check_update(Copy& copy, const UpdateResult& result) {
    World& world = copy.world;
    const LifeOracle::Events& events = oracle_.next_events();
    if (!expect(result.status == Status::ok, "an update is ok")) return;
    ++result_.path_counts[static_cast<std::size_t>(result.path)];
    copy.is_restored = false;
    expect(result.changed_count == oracle_.changed_count(), "changed_count");
    expect((result.path == UpdatePath::nothing) == (oracle_.changed_count() == 0), "the path of an update");
    expect(result.begun_count == world.begun().size(), "begun_count");
    expect(result.ended_count == world.ended().size(), "ended_count");
    expect(result.pair_count == world.pair_count(), "the pair_count of an update");
    expect(is_same_list(world.begun(), events.begun), "pairs that begin");
    expect(is_same_ended(world.ended(), events.ended), "pairs that end, and their values");
    expect(is_same_list(world.ended_user_data(), events.ended_user_data), "user data of pairs that end");
    const auto data_of = [&](ObjectHandle object) { return world.user_data(object); };
    const std::span<const PairUserData> begun_data = world.begun_user_data();
    expect(begun_data.size() == events.begun.size(), "user data of as many pairs as begin");
    for (std::size_t i = 0; i < begun_data.size(); ++i) {
        const PairUserData expected = {data_of(events.begun[i].a), data_of(events.begun[i].b)};
        if (begun_data[i] != expected) expect(false, "user data of pairs that begin");
    }
    expect(world.pair_count() == oracle_.next_pair_count(), "pair_count");
    expect(world.is_consistent(), "is_consistent");
}

// At any time.
void LifePlayer::check_state(Copy& copy) {
    World& world = copy.world;
    expect(world.object_count() == oracle_.object_count(), "object_count");
    expect(world.slot_count() == oracle_.handles().size(), "slot_count");
    expect(world.pair_count() == oracle_.pair_count(), "pair_count between updates");
}

void LifePlayer::check_objects(Copy& copy) {
    World& world = copy.world;
    Aabb bounds = Aabb::empty();
    std::size_t quarantined_count = 0;
    for (const Object& object : objects_) {
        const bool is_right = world.is_alive(object.handle) == object.is_alive;
        if (!is_right) expect(is_right, "is_alive");
        if (!object.is_alive) continue;
        const ObjectDescription known = world.description(object.handle);
        const bool is_same =
            is_same_body(known, object.description) && known.user_data == object.description.user_data;
        if (!is_same) expect(is_same, "description");
        const bool is_good = is_valid(object.description.box);
        if (is_good) bounds = include(bounds, object.description.box);
        quarantined_count += is_good ? 0u : 1u;
    }
    expect(world.bounds() == bounds, "bounds");
    expect(world.quarantined_objects({}) == quarantined_count, "quarantined_objects");
}

void LifePlayer::ask_lists(const Operation& operation) {
    const bool is_all = operation.action == LifeAction::ask_pairs;
    call_each([&](Copy& copy) {
        const std::vector<WorldPair> expected = oracle_.listed_pairs(is_all || copy.is_restored);
        const std::span<const WorldPair> listed = is_all ? copy.world.pairs() : copy.world.persisting();
        if (listed.empty() && !expected.empty()) return Status::out_of_memory;
        expect(is_same_list(listed, expected), is_all ? "pairs" : "persisting");
        return Status::ok;
    });
}

void LifePlayer::ask_pairs_of(const Operation& operation) {
    std::size_t asked = 0;
    for (std::uint32_t i = 0; i < operation.count && asked < kPairsOfMax; ++i) {
        const std::uint32_t number = operation.first + i;
        if (number >= objects_.size() || !is_picked(operation, number)) continue;
        ++asked;
        const ObjectHandle handle = objects_[number].handle;
        const std::vector<ObjectHandle> expected = oracle_.pairs_of(handle);
        call_each([&](Copy& copy) {
            const std::span<const ObjectHandle> others = copy.world.pairs_of(handle);
            if (others.empty() && !expected.empty()) return Status::out_of_memory;
            expect(is_same_list(others, expected), "pairs_of");
            return Status::ok;
        });
    }
}

void LifePlayer::ask_values(const Operation& operation) {
    std::vector<std::uint32_t> asked;
    for (std::uint32_t i = 0; i < oracle_.pair_count(); ++i)
        if (is_picked(operation, i)) asked.push_back(i);
    const auto next_value = [&](std::uint32_t i) { return random_of(operation.seed, i).next() % 1000; };
    call_each([&](Copy& copy) {
        std::vector<std::uint64_t*> values;
        for (const std::uint32_t i : asked) {
            const WorldPair pair = oracle_.pair(i);
            values.push_back(copy.world.pair_value(pair.b, pair.a));
            if (values.back() == nullptr) return Status::out_of_memory;
            if (!expect(*values.back() == oracle_.values()[i], "the value of a pair")) break;
            const bool is_same = std::as_const(copy.world).pair_value(pair.a, pair.b) == values.back();
            if (!expect(is_same, "the value of a pair to those who read")) break;
        }
        for (std::size_t k = 0; k < values.size(); ++k) *values[k] = next_value(asked[k]);
        // Objects without a pair have no values.
        const ObjectHandle nobody;
        expect(copy.world.pairs_of(nobody).empty(), "nobody has a pair");
        // A shortened program may have no object.
        if (objects_.empty()) return Status::ok;
        const ObjectHandle a = objects_[operation.seed % objects_.size()].handle;
        const ObjectHandle b = objects_[operation.seed / 64 % objects_.size()].handle;
        const std::vector<ObjectHandle> others = oracle_.pairs_of(a);
        const bool is_pair = std::find(others.begin(), others.end(), b) != others.end();
        expect(is_pair || copy.world.pair_value(a, b) == nullptr, "no value without a pair");
        expect(is_pair || std::as_const(copy.world).pair_value(a, b) == nullptr, "no value without a pair");
        expect(copy.world.pair_value(a, nobody) == nullptr, "nobody has a value");
        return Status::ok;
    });
    for (const std::uint32_t i : asked) oracle_.values()[i] = next_value(i);
}

void LifePlayer::collect_boxes(std::vector<ObjectHandle>& out_handles, std::vector<Aabb>& out_boxes) const {
    for (const Object& object : objects_) {
        if (!object.is_alive) continue;
        out_handles.push_back(object.handle);
        out_boxes.push_back(object.description.box);
    }
}

void LifePlayer::ask_queries(const Operation& operation) {
    std::vector<ObjectHandle> handles;
    std::vector<Aabb> boxes;
    collect_boxes(handles, boxes);
    ShuffledRunner runner(operation.seed, operation.workers);
    call_each([&](Copy& copy) {
        const WorldQueries queries = copy.world.queries(operation.workers != 0 ? runner.runner() : nullptr);
        if (queries.status() == Status::ok) check_queries(queries, handles, boxes, operation);
        return queries.status();
    });
}

// Overlaps of boxes around some of them, and the first object on rays from there, by loops.
void LifePlayer::check_queries(const WorldQueries& queries, std::span<const ObjectHandle> handles,
                               std::span<const Aabb> boxes, const Operation& operation) {
    BoxScratch scratch;
    AlignedArray<Listed<ObjectHandle>> found;
    for (std::uint32_t query = 0; query < operation.count; ++query) {
        Random random = random_of(operation.seed, query);
        Aabb shape = {{0, 0, 0}, {1, 1, 1}};
        if (!boxes.empty())
            shape = expanded(boxes[random.below(static_cast<std::uint32_t>(boxes.size()))], 0.5f);
        const Ray ray = {shape.min, random_point(random, -1, 1), 100};
        std::vector<ObjectHandle> expected;
        WorldHit closest;
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            if (overlap(shape, boxes[i])) expected.push_back(handles[i]);
            const RaySolidHit hit = ray_box(ray, boxes[i]);
            const bool is_better = closest.target.is_null() || hit.t_enter < closest.t ||
                                   (hit.t_enter == closest.t && handles[i].slot() < closest.target.slot());
            if (hit.has_hit && is_better) closest = {handles[i], hit.t_enter, hit.face};
        }
        const WriteResult result = queries.find_overlaps(std::span(&shape, 1), {}, scratch, found);
        std::vector<ObjectHandle> met;
        for (const Listed<ObjectHandle>& item : found) met.push_back(item.found);
        std::sort(met.begin(), met.end());
        std::sort(expected.begin(), expected.end());
        expect(result.status == Status::ok && met == expected, "the overlaps of a box");
        expect(queries.closest_hit(ray) == closest, "the first object on a ray");
    }
}

void LifePlayer::hold_view(const Operation& operation) {
    Copy& copy = *copies_.front();
    ShuffledRunner runner(operation.seed, operation.workers);
    HeldView held;
    const Status status = call_with_faults(copy, [&](Copy& called) {
        const TaskRunner* const tasks = operation.workers != 0 ? runner.runner() : nullptr;
        if (operation.seed % 2 == 0) {
            held.view = called.world.view(tasks);
            return held.view.status();
        }
        const Status published = called.world.publish(tasks);
        if (published == Status::ok) held.view = called.world.latest();
        return published;
    });
    if (status != Status::ok) return;
    had_views_ = true;
    collect_boxes(held.handles, held.boxes);
    for (const Object& object : objects_)
        if (object.is_alive) held.user_data.push_back(object.description.user_data);
    views_.push_back(std::move(held));
    if (views_.size() > kViewMax) views_.pop_front();
}

void LifePlayer::ask_views(const Operation& operation) {
    for (const HeldView& held : views_) {
        check_queries(held.view.queries(), held.handles, held.boxes, operation);
        const WorldView copy = held.view;
        Random random(operation.seed);
        for (int k = 0; k < 8 && !held.handles.empty(); ++k) {
            const std::size_t i = random.below(static_cast<std::uint32_t>(held.handles.size()));
            const Aabb box = held.view.box(held.handles[i]);
            expect(is_same_body({.box = box}, {.box = held.boxes[i]}), "a box of a view");
            expect(copy.user_data(held.handles[i]) == held.user_data[i], "user data of a view");
        }
    }
}

// A second copy becomes the first one, or leaves for a new one.
void LifePlayer::save(const Operation& operation) {
    if (copies_.size() == 2 && operation.number != 0) leave(1);
    if (copies_.size() == 1) copies_.push_back(std::make_unique<Copy>(settings_));
    Copy& first = *copies_.front();
    Copy& copy = *copies_.back();
    std::vector<std::byte> bytes(first.world.snapshot_bytes());
    call_one(first, [&](Copy& saved) { return saved.world.save(bytes); });
    const std::size_t refused_before = copy.allocator.refused_count;
    if (is_refusing_) {
        copy.allocator.fail_first = copy.allocator.request_count + refuse_after_;
        copy.allocator.fail_count = refuse_count_;
    }
    Status status = copy.world.restore(bytes);
    copy.allocator.fail_first = ~std::size_t{0};
    if (copy.allocator.refused_count != refused_before && status == Status::out_of_memory)
        status = copy.world.restore(bytes);
    copy.is_restored = true;
    std::vector<std::byte> again(copy.world.snapshot_bytes());
    if (!expect(status == Status::ok, "a saved world is restored")) return;
    expect(copy.world.save(again) == Status::ok && again == bytes, "a restored world saves the same bytes");
    expect(copy.world.pairs_hash() == first.world.pairs_hash(), "the hash of a restored world");
    expect(copy.world.begun().empty() && copy.world.ended().empty(), "a restored world knows no events");
}

void LifePlayer::leave(std::size_t index) {
    copies_[index]->world = World();
    left_copies_.push_back(std::move(copies_[index]));
    copies_.erase(copies_.begin() + static_cast<std::ptrdiff_t>(index));
}

void LifePlayer::keep_one(const Operation& operation) {
    if (copies_.size() == 2) leave(operation.number != 0 ? 0 : 1);
}

void LifePlayer::move_world(const Operation&) {
    for (const std::unique_ptr<Copy>& copy : copies_) {
        World other(std::move(copy->world));
        copy->world = std::move(other);
    }
}

void LifePlayer::shrink() {
    call_each([&](Copy& copy) {
        const std::size_t bytes = copy.world.capacity_bytes();
        copy.world.shrink();
        expect(copy.world.capacity_bytes() <= bytes, "shrink gives memory back");
        // Views and their memory are counted elsewhere.
        expect(had_views_ || copy.world.capacity_bytes() == copy.allocator.live_bytes, "capacity_bytes");
        return Status::ok;
    });
}

// Later checks show that nothing has changed.
void LifePlayer::misuse() {
    const ObjectHandle nobody;
    const TaskRunner no_runner = {};
    const ObjectDescription illegal = {.margin = -1};
    const ObjectDescription* const no_description = nullptr;
    const ObjectHandle* const no_handle = nullptr;
    ClosestObject* const no_answer = nullptr;
    const std::vector<std::byte> no_snapshot(1000);
    for (const std::unique_ptr<Copy>& copy : copies_) {
        World& world = copy->world;
        const WorldQueries queries = world.queries();
        const Status statuses[] = {world.set_boxes({&nobody, 1}, BoxSoaView{}).status,
                                   world.set_margin({&nobody, 1}, 1).status,
                                   world.remove({no_handle, 1}).status,
                                   world.queries(&no_runner).status(),
                                   world.update(&no_runner).status,
                                   world.restore(no_snapshot),
                                   prepared_.prepare({&illegal, 1}).status,
                                   prepared_.prepare(BoxSoaView{.count = 1}, {}).status,
                                   prepared_.prepare({no_description, 1}).status,
                                   queries.closest_objects(Vec3(), {}, {}, {no_answer, 1}).status,
                                   queries.closest_objects(Vec3(), {.count = ~0u}, {}, {}).status};
        for (const Status status : statuses)
            expect(status == Status::invalid_argument, "a wrong argument is refused");
    }
}

}  // namespace broadside::test
