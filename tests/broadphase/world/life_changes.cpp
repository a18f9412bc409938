// The operations of a program that change objects.
#include "tests/broadphase/world/life_places.hpp"
#include "tests/broadphase/world/life_player.hpp"

namespace broadside::test {
namespace {

// Boxes in the six arrays of a view.
class Columns {
public:
    explicit Columns(const std::vector<Aabb>& boxes) : count_(boxes.size()) {
        for (const Aabb& box : boxes) {
            const float sides[6] = {box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z};
            for (int side = 0; side < 6; ++side) {
                sides_[side].push_back(sides[side]);
                doubles_[side].push_back(double{sides[side]});
            }
        }
    }
    BoxSoaView view() const {
        return {sides_[0].data(),
                sides_[1].data(),
                sides_[2].data(),
                sides_[3].data(),
                sides_[4].data(),
                sides_[5].data(),
                count_};
    }

    ExactBoxView<double> view_of_doubles() const {
        return {doubles_[0].data(),
                doubles_[1].data(),
                doubles_[2].data(),
                doubles_[3].data(),
                doubles_[4].data(),
                doubles_[5].data(),
                count_};
    }

private:
    std::vector<float> sides_[6];
    std::vector<double> doubles_[6];
    std::size_t count_;
};

bool comes_as_doubles(const LifeOperation& operation) {
    return operation.way == LifeWay::batch && operation.seed / 16 % 3 == 0;
}
Aabb as_doubles(const Aabb& box) {
    const bool is_ordered = box.min.x <= box.max.x && box.min.y <= box.max.y && box.min.z <= box.max.z;
    return is_ordered ? box : Aabb::empty();
}

}  // namespace

std::vector<std::uint32_t> LifePlayer::picked(const Operation& operation, bool are_alive) {
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t i = 0; i < operation.count; ++i) {
        const std::uint32_t number = operation.first + i;
        const bool is_alive = number < objects_.size() && objects_[number].is_alive;
        if (is_alive == are_alive && is_picked(operation, number)) numbers.push_back(number);
    }
    return numbers;
}

std::vector<ObjectHandle> LifePlayer::handles_of(const std::vector<std::uint32_t>& numbers) const {
    std::vector<ObjectHandle> handles;
    for (const std::uint32_t number : numbers) handles.push_back(objects_[number].handle);
    return handles;
}

template <class Change>
void LifePlayer::note(const std::vector<std::uint32_t>& numbers, Change&& change) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        Object& object = objects_[numbers[i]];
        change(object.description, i);
        oracle_.set(object.handle, object.description);
    }
}

void LifePlayer::add(const Operation& operation) {
    const std::vector<std::uint32_t> numbers = picked(operation, false);
    std::vector<ObjectDescription> descriptions;
    for (const std::uint32_t number : numbers) descriptions.push_back(description_of(operation, number));
    if (numbers.empty()) return;
    if (operation.way == LifeWay::columns) {
        for (ObjectDescription& description : descriptions) {
            const Aabb box = description.box;
            description = descriptions.front();
            description.box = box;
        }
    }
    std::vector<ObjectHandle> handles;
    call_each([&](Copy& copy) {
        std::vector<ObjectHandle> added(numbers.size());
        const Status status = add_to(copy.world, operation, descriptions, added).status;
        if (status != Status::ok) return status;
        expect(handles.empty() || added == handles, "a restored world gives the same handles");
        handles = added;
        return status;
    });
    if (result_.has_failed()) return;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (numbers[i] >= objects_.size()) objects_.resize(numbers[i] + std::size_t{1});
        objects_[numbers[i]] = {handles[i], descriptions[i], true};
        if (!expect(oracle_.add(handles[i], descriptions[i]), "the handle of a new object")) return;
    }
}

BatchResult LifePlayer::add_to(World& world, const Operation& operation,
                               const std::vector<ObjectDescription>& descriptions,
                               std::span<ObjectHandle> out_handles) {
    if (operation.way == LifeWay::prepared) {
        return add_prepared(world, prepared_.prepare(descriptions), out_handles);
    }
    if (operation.way == LifeWay::columns) {
        std::vector<Aabb> boxes;
        for (const ObjectDescription& description : descriptions) boxes.push_back(description.box);
        const Columns columns(boxes);
        if (operation.seed % 2 == 0) return world.add(columns.view(), descriptions.front(), out_handles);
        return add_prepared(world, prepared_.prepare(columns.view(), descriptions.front()), out_handles);
    }
    if (operation.way == LifeWay::one_by_one) {
        for (std::size_t i = 0; i < descriptions.size(); ++i) {
            // One without memory tries again, at most as often as requests are refused.
            for (std::size_t tries = 0; out_handles[i].is_null() && tries <= refuse_count_; ++tries)
                out_handles[i] = world.add(descriptions[i]);
        }
        return {};
    }
    return world.add(descriptions, out_handles);
}

BatchResult LifePlayer::add_prepared(World& world, const BatchResult& prepared,
                                     std::span<ObjectHandle> out_handles) {
    if (prepared.status != Status::ok) return prepared;
    expect(prepared_.capacity_bytes() >= out_handles.size() * sizeof(ObjectDescription), "capacity_bytes");
    return world.add(prepared_, out_handles);
}

void LifePlayer::remove(const Operation& operation) {
    const std::vector<std::uint32_t> numbers = picked(operation, true);
    const std::vector<ObjectHandle> handles = handles_of(numbers);
    set_each(operation, handles,
             [](World& world, std::span<const ObjectHandle> some) { return world.remove(some).status; });
    for (const std::uint32_t number : numbers) {
        objects_[number].is_alive = false;
        oracle_.remove(objects_[number].handle);
    }
}

// In one call, or one for each object; again for all if some had no memory.
template <class Call>
void LifePlayer::set_each(const Operation& operation, std::span<const ObjectHandle> handles, Call&& call) {
    call_each([&](Copy& copy) {
        if (operation.way != LifeWay::one_by_one) return call(copy.world, handles);
        for (std::size_t i = 0; i < handles.size(); ++i) {
            const Status status = call(copy.world, handles.subspan(i, 1));
            if (status != Status::ok) return status;
        }
        return Status::ok;
    });
}

// One change in four is made by a call that sets all of an object, mostly to its present values.
template <class Change>
bool LifePlayer::set_described(const Operation& operation, const std::vector<std::uint32_t>& numbers,
                               Change&& change) {
    if (operation.seed / 8 % 4 != 0) return false;
    std::vector<ObjectDescription> descriptions;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        descriptions.push_back(objects_[numbers[i]].description);
        change(descriptions.back(), i);
    }
    const std::vector<ObjectHandle> handles = handles_of(numbers);
    call_each([&](Copy& copy) {
        if (operation.way != LifeWay::one_by_one) return copy.world.set(handles, descriptions).status;
        for (std::size_t i = 0; i < handles.size(); ++i) {
            const Status status = copy.world.set(handles[i], descriptions[i]);
            if (status != Status::ok) return status;
        }
        return Status::ok;
    });
    note(numbers, change);
    return true;
}

void LifePlayer::move(const Operation& operation) {
    const std::vector<std::uint32_t> numbers = picked(operation, true);
    std::vector<Aabb> boxes;
    for (const std::uint32_t number : numbers) {
        const Aabb box = moved_box(operation, number, objects_[number].description.box);
        // From doubles an invalid box becomes the empty one; any other stays as it is.
        boxes.push_back(comes_as_doubles(operation) ? as_doubles(box) : box);
    }
    if (operation.way == LifeWay::twice) {
        // Some are named twice, with another position in between.
        std::vector<std::uint32_t> all = numbers;
        all.insert(all.end(), numbers.begin(), numbers.end());
        std::vector<Aabb> both = boxes;
        for (Aabb& box : both) box = {box.min + Vec3{0.5f, 0, 0}, box.max + Vec3{0.5f, 0, 0}};
        both.insert(both.end(), boxes.begin(), boxes.end());
        return move_to(operation, all, both);
    }
    move_to(operation, numbers, boxes);
}

void LifePlayer::move_to(const Operation& operation, const std::vector<std::uint32_t>& numbers,
                         const std::vector<Aabb>& boxes) {
    const auto set_box = [&](ObjectDescription& object, std::size_t i) { object.box = boxes[i]; };
    // A box named twice does not match its description.
    if (operation.way != LifeWay::twice && set_described(operation, numbers, set_box)) return;
    const std::vector<ObjectHandle> handles = handles_of(numbers);
    const Columns columns(boxes);
    ShuffledRunner runner(operation.seed, operation.workers);
    call_each([&](Copy& copy) {
        if (operation.way != LifeWay::one_by_one) {
            const TaskRunner* const tasks = operation.workers != 0 ? runner.runner() : nullptr;
            const BoxAosView structs = {boxes.data(), sizeof(Aabb), 0, sizeof(Vec3), boxes.size()};
            if (comes_as_doubles(operation))
                return copy.world.set_boxes(handles, columns.view_of_doubles(), tasks).status;
            return operation.seed / 4 % 2 == 0 ? copy.world.set_boxes(handles, columns.view(), tasks).status
                                               : copy.world.set_boxes(handles, structs, tasks).status;
        }
        const bool are_shared = operation.seed / 4 % 2 != 0;
        for (std::size_t i = 0; i < handles.size(); ++i) {
            const Status status = are_shared ? copy.world.set_box_shared(handles[i], boxes[i])
                                             : copy.world.set_box(handles[i], boxes[i]);
            if (status != Status::ok) return status;
        }
        return Status::ok;
    });
    note(numbers, set_box);
}

void LifePlayer::set_rules(const Operation& operation) {
    const std::vector<std::uint32_t> numbers = picked(operation, true);
    const bool is_kind = operation.action == LifeAction::set_kind;
    const auto kind = static_cast<ObjectKind>(operation.number % 3);
    const ObjectFilter filter = operation.number == 0 ? ObjectFilter{} : filter_of(operation.seed);
    const auto set_rule = [&](ObjectDescription& object, std::size_t) {
        if (is_kind) {
            object.kind = kind;
        } else {
            object.filter = filter;
        }
    };
    if (set_described(operation, numbers, set_rule)) return;
    set_each(operation, handles_of(numbers), [&](World& world, std::span<const ObjectHandle> some) {
        return (is_kind ? world.set_kind(some, kind) : world.set_filter(some, filter)).status;
    });
    note(numbers, set_rule);
}

void LifePlayer::set_shapes(const Operation& operation) {
    const std::vector<std::uint32_t> numbers = picked(operation, true);
    const std::vector<ObjectHandle> handles = handles_of(numbers);
    if (operation.action == LifeAction::set_margin) {
        const auto set_margin = [&](ObjectDescription& object, std::size_t) {
            object.margin = operation.size;
        };
        if (set_described(operation, numbers, set_margin)) return;
        set_each(operation, handles, [&](World& world, std::span<const ObjectHandle> some) {
            return world.set_margin(some, operation.size).status;
        });
        note(numbers, set_margin);
        return;
    }
    std::vector<float> columns[3];
    for (const std::uint32_t number : numbers) {
        const Vec3 by = velocity_of(operation.seed, number, operation.size);
        columns[0].push_back(by.x);
        columns[1].push_back(by.y);
        columns[2].push_back(by.z);
    }
    const Vec3SoaView displacements = {columns[0].data(), columns[1].data(), columns[2].data(),
                                       numbers.size()};
    const auto set_displacement = [&](ObjectDescription& object, std::size_t i) {
        object.displacement = displacements[i];
    };
    if (set_described(operation, numbers, set_displacement)) return;
    call_each([&](Copy& copy) { return copy.world.set_displacements(handles, displacements).status; });
    note(numbers, set_displacement);
}

void LifePlayer::set_user_data(const Operation& operation) {
    for (const std::uint32_t number : picked(operation, true)) {
        Random random = random_of(operation.seed, number);
        // Few numbers, so that many are equal, or the object's, or any.
        const std::uint64_t data = operation.number == 0   ? number
                                   : operation.number < 30 ? random.below(operation.number)
                                                           : random.next();
        const ObjectHandle handle = objects_[number].handle;
        const auto set_data = [&](ObjectDescription& object, std::size_t) { object.user_data = data; };
        if (set_described(operation, {number}, set_data)) continue;
        call_each([&](Copy& copy) { return copy.world.set_user_data(handle, data); });
        note({number}, set_data);
    }
}

void LifePlayer::set_layers(const Operation& operation) {
    static constexpr std::uint32_t kLayers[] = {0, 1, 63, 64, 65535};
    Random random(operation.seed);
    const std::uint32_t a = kLayers[random.below(5)];
    const std::uint32_t b = kLayers[random.below(5)];
    const bool may_pair = operation.number != 0;
    call_each([&](Copy& copy) { return copy.world.set_layers_pair(a, b, may_pair); });
    oracle_.set_layers_pair(a, b, may_pair);
}

void LifePlayer::shift_origin(const Operation& operation) {
    const Vec3 offset = velocity_of(operation.seed, 0, operation.size);
    call_each([&](Copy& copy) { return copy.world.shift_origin(offset); });
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t number = 0; number < objects_.size(); ++number)
        if (objects_[number].is_alive) numbers.push_back(number);
    note(numbers, [&](ObjectDescription& object, std::size_t) {
        object.box = {object.box.min - offset, object.box.max - offset};
    });
}

}  // namespace broadside::test
