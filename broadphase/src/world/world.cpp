// The public face of WorldData: arguments checked, batches applied.
#include <broadside/float_environment.hpp>
#include <broadside/prepared_objects.hpp>
#include <broadside/world_view.hpp>

#include "broadphase/src/world/data.hpp"
#include "broadphase/src/world/objects/object_checks.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace broadside {

using broadphase::check_alive;
using broadphase::check_description;
using broadphase::check_displacement;
using broadphase::check_kind;
using broadphase::check_layer;
using broadphase::check_margin;
using broadphase::ObjectTable;
using broadphase::PairRules;
using broadphase::WorldBody;
using broadphase::WorldData;

namespace {

WorldData* make_data(const WorldSettings& settings, const Allocator& allocator) noexcept {
    void* const memory = allocator.allocate(sizeof(WorldData), alignof(WorldData), allocator.user);
    return memory == nullptr ? nullptr : new (memory) WorldData(settings, allocator);
}

void destroy_data(WorldData* data) noexcept {
    if (data == nullptr) return;
    const Allocator allocator = data->allocator;
    data->~WorldData();
    allocator.deallocate(data, sizeof(WorldData), alignof(WorldData), allocator.user);
}

const ObjectTable* objects_of(const WorldData* data) noexcept {
    return data == nullptr ? nullptr : &data->objects;
}

std::size_t find_illegal(const Vec3SoaView& displacements) {
    for (std::size_t item = 0; item < displacements.count; ++item) {
        if (!check_displacement(displacements[item])) return item;
    }
    return kNoIndex;
}

// Checks the handles of a batch and its other argument; `illegal_item` is the first bad item of that.
BatchResult check_batch(WorldData* data, std::span<const ObjectHandle> handles, bool is_argument_legal,
                        std::size_t illegal_item = kNoIndex) {
    if (data == nullptr) return {Status::out_of_memory, kNoIndex};
    if (!is_argument_legal || !check_readable(handles)) return {Status::invalid_argument, kNoIndex};
    const std::size_t dead = data->objects.find_dead(handles);
    if (dead != kNoIndex || illegal_item != kNoIndex)
        return {Status::invalid_argument, std::min(dead, illegal_item)};
    return {};
}

// The same, then calls `change(slot)` for each.
template <class Change>
BatchResult for_each_object(WorldData* data, std::span<const ObjectHandle> handles, bool is_argument_legal,
                            Change&& change) {
    const BatchResult result = check_batch(data, handles, is_argument_legal);
    if (result.status == Status::ok) {
        for (const ObjectHandle handle : handles) change(handle.slot());
    }
    return result;
}

template <class Boxes>
BatchResult set_any_boxes(WorldData* data, std::span<const ObjectHandle> handles, const Boxes& boxes,
                          const TaskRunner* runner) {
    if (data == nullptr) return {Status::out_of_memory, kNoIndex};
    if (!check_runner(runner) || !check_readable(handles) || !check_readable(boxes) ||
        !BROADSIDE_ARGUMENT(boxes.count == handles.size(), "boxes: not one per handle")) {
        return {Status::invalid_argument, kNoIndex};
    }
    const std::size_t dead = data->objects.set_boxes(handles, boxes, runner);
    if (dead != kNoIndex) return {Status::invalid_argument, dead};
    return {};
}

bool has_shape(const ObjectDescription& description) {
    return broadphase::is_shaped(broadphase::body_of(description));
}

// Adds `count` objects, each by `add(objects, item)`; out_handles must have room for all.
template <class Add>
BatchResult add_objects(WorldData* data, std::size_t count, bool are_shaped,
                        std::span<ObjectHandle> out_handles, Add&& add) {
    if (data == nullptr) return {Status::out_of_memory, kNoIndex};
    const Status status = data->objects.reserve_objects(count, are_shaped);
    if (status != Status::ok) return {status, kNoIndex};
    for (std::size_t item = 0; item < count; ++item) out_handles[item] = add(data->objects, item);
    return {};
}

}  // namespace

World::World(const WorldSettings& settings, const Allocator& allocator) noexcept
    : settings_(settings), allocator_(allocator), data_(make_data(settings, allocator)) {}

World::World(World&& other) noexcept
    : settings_(other.settings_), allocator_(other.allocator_), data_(std::exchange(other.data_, nullptr)) {}

World& World::operator=(World&& other) noexcept {
    if (this == &other) return *this;
    destroy_data(data_);
    settings_ = other.settings_;
    allocator_ = other.allocator_;
    data_ = std::exchange(other.data_, nullptr);
    return *this;
}

World::~World() { destroy_data(data_); }

WorldData* World::data() noexcept {
    if (data_ == nullptr) data_ = make_data(settings_, allocator_);
    return data_;
}

BatchResult World::add(std::span<const ObjectDescription> descriptions,
                       std::span<ObjectHandle> out_handles) noexcept {
    const FloatEnvironment environment;
    if (!check_readable(descriptions, out_handles)) return {Status::invalid_argument, kNoIndex};
    if (out_handles.size() < descriptions.size()) return {Status::capacity_exceeded, kNoIndex};
    bool are_shaped = false;
    for (std::size_t item = 0; item < descriptions.size(); ++item) {
        if (!check_description(descriptions[item])) return {Status::invalid_argument, item};
        are_shaped |= has_shape(descriptions[item]);
    }
    return add_objects(data(), descriptions.size(), are_shaped, out_handles,
                       [&](ObjectTable& table, std::size_t item) { return table.add(descriptions[item]); });
}

BatchResult World::add(const BoxSoaView& boxes, const ObjectDescription& common,
                       std::span<ObjectHandle> out_handles) noexcept {
    const FloatEnvironment environment;
    if (!check_readable(boxes) || !check_readable(out_handles)) return {Status::invalid_argument, kNoIndex};
    if (out_handles.size() < boxes.count) return {Status::capacity_exceeded, kNoIndex};
    if (!check_description(common)) return {Status::invalid_argument, kNoIndex};
    ObjectDescription description = common;
    return add_objects(data(), boxes.count, has_shape(common), out_handles,
                       [&](ObjectTable& table, std::size_t item) {
                           description.box = boxes[item];
                           return table.add(description);
                       });
}

BatchResult World::add(const PreparedObjects& objects, std::span<ObjectHandle> out_handles) noexcept {
    const FloatEnvironment environment;
    if (!check_readable(out_handles)) return {Status::invalid_argument, kNoIndex};
    if (out_handles.size() < objects.count()) return {Status::capacity_exceeded, kNoIndex};
    const std::span<const ObjectDescription> descriptions(objects.descriptions(), objects.count());
    const BoxSoaView grown = objects.grown_boxes();
    const bool are_shaped = std::any_of(descriptions.begin(), descriptions.end(), has_shape);
    return add_objects(
        data(), objects.count(), are_shaped, out_handles,
        [&](ObjectTable& table, std::size_t item) { return table.add(descriptions[item], grown[item]); });
}

ObjectHandle World::add(const ObjectDescription& description) noexcept {
    const FloatEnvironment environment;
    ObjectHandle handle;
    (void)add(std::span(&description, 1), std::span(&handle, 1));
    return handle;
}

BatchResult World::remove(std::span<const ObjectHandle> handles) noexcept {
    const FloatEnvironment environment;
    if (data() == nullptr) return {Status::out_of_memory, kNoIndex};
    if (!check_readable(handles)) return {Status::invalid_argument, kNoIndex};
    return data_->objects.remove(handles);
}

BatchResult World::set_boxes(std::span<const ObjectHandle> handles, const BoxSoaView& boxes,
                             const TaskRunner* runner) noexcept {
    const FloatEnvironment environment;
    return set_any_boxes(data(), handles, boxes, runner);
}
BatchResult World::set_boxes(std::span<const ObjectHandle> handles, const BoxAosView& boxes,
                             const TaskRunner* runner) noexcept {
    const FloatEnvironment environment;
    return set_any_boxes(data(), handles, boxes, runner);
}
BatchResult World::set_boxes(std::span<const ObjectHandle> handles, const ExactBoxView<double>& boxes,
                             const TaskRunner* runner) noexcept {
    const FloatEnvironment environment;
    return set_any_boxes(data(), handles, boxes, runner);
}

// Calls come last, so that nothing is kept on the stack meanwhile.
Status World::set_box(ObjectHandle handle, const Aabb& box) noexcept {
    // A world without objects returns what it returns for any handle.
    if (data_ == nullptr) return remove(handle);
    return check_alive(&data_->objects, handle) ? data_->objects.set_box(handle.slot(), box)
                                                : Status::invalid_argument;
}
Status World::set_box_shared(ObjectHandle handle, const Aabb& box) noexcept {
    return check_alive(objects_of(data_), handle) ? data_->objects.set_box_shared(handle.slot(), box)
                                                  : Status::invalid_argument;
}

BatchResult World::set(std::span<const ObjectHandle> handles,
                       std::span<const ObjectDescription> descriptions) noexcept {
    const FloatEnvironment environment;
    const bool is_legal =
        check_readable(descriptions) &&
        BROADSIDE_ARGUMENT(descriptions.size() == handles.size(), "descriptions: not one per handle");
    const std::span<const ObjectDescription> checked = is_legal ? descriptions : descriptions.first(0);
    const auto illegal = std::find_if_not(checked.begin(), checked.end(), check_description);
    const std::size_t illegal_item =
        illegal == checked.end() ? kNoIndex : static_cast<std::size_t>(illegal - checked.begin());
    const BatchResult result = check_batch(data(), handles, is_legal, illegal_item);
    if (result.status != Status::ok) return result;
    ObjectTable& table = data_->objects;
    if (std::any_of(checked.begin(), checked.end(), has_shape) && !table.reserve_shapes())
        return {Status::out_of_memory, kNoIndex};
    for (std::size_t item = 0; item < handles.size(); ++item)
        table.set(handles[item].slot(), descriptions[item]);
    return {};
}

BatchResult World::set_displacements(std::span<const ObjectHandle> handles,
                                     const Vec3SoaView& displacements) noexcept {
    const FloatEnvironment environment;
    const bool is_legal =
        check_readable(displacements) &&
        BROADSIDE_ARGUMENT(displacements.count == handles.size(), "displacements: not one per handle");
    const BatchResult result =
        check_batch(data(), handles, is_legal, is_legal ? find_illegal(displacements) : kNoIndex);
    if (result.status != Status::ok || data_->objects.set_displacements(handles, displacements))
        return result;
    return {Status::out_of_memory, kNoIndex};
}

BatchResult World::set_margin(std::span<const ObjectHandle> handles, float margin) noexcept {
    const FloatEnvironment environment(margin);
    const BatchResult result = check_batch(data(), handles, check_margin(margin));
    if (result.status != Status::ok || data_->objects.set_margin(handles, margin)) return result;
    return {Status::out_of_memory, kNoIndex};
}

BatchResult World::set_kind(std::span<const ObjectHandle> handles, ObjectKind kind) noexcept {
    const FloatEnvironment environment;
    return for_each_object(data(), handles, check_kind(kind), [&](std::uint32_t slot) {
        PairRules rule = data_->objects.rules[slot];
        rule.kind = kind;
        data_->objects.change_rules(slot, rule);
    });
}

BatchResult World::set_filter(std::span<const ObjectHandle> handles, const ObjectFilter& filter) noexcept {
    const FloatEnvironment environment;
    return for_each_object(data(), handles, true, [&](std::uint32_t slot) {
        const ObjectKind kind = data_->objects.rules[slot].kind;
        data_->objects.change_rules(slot,
                                    {filter.category, filter.mask, filter.group, filter.layer, kind, 0});
    });
}

BatchResult World::set_user_data(std::span<const ObjectHandle> handles, std::uint64_t user_data) noexcept {
    return for_each_object(data(), handles, true,
                           [&](std::uint32_t slot) { data_->objects.set_user_data(slot, user_data); });
}

WorldQueries World::queries(const TaskRunner* runner) noexcept {
    const FloatEnvironment environment;
    if (data() == nullptr) return {};
    if (!check_runner(runner)) return {nullptr, Status::invalid_argument};
    const Status status = data_->trees.make_current(data_->objects, runner);
    return {data_->trees.current(), status};
}

WorldView World::view(const TaskRunner* runner) noexcept {
    const FloatEnvironment environment;
    return WorldView(queries(runner));
}

Status World::publish(const TaskRunner* runner) noexcept {
    const FloatEnvironment environment;
    WorldView view = this->view(runner);
    const Status status = view.status();
    if (status == Status::ok) data_->published.set(std::move(view));
    return status;
}
WorldView World::latest() const noexcept { return data_ == nullptr ? WorldView() : data_->published.get(); }

bool World::is_alive(ObjectHandle handle) const noexcept {
    return data_ != nullptr && data_->objects.is_alive(handle);
}

ObjectDescription World::description(ObjectHandle handle) const noexcept {
    const FloatEnvironment environment;
    return check_alive(objects_of(data_), handle) ? data_->objects.describe(handle.slot())
                                                  : ObjectDescription{};
}

std::uint64_t World::user_data(ObjectHandle handle) const noexcept {
    return check_alive(objects_of(data_), handle) ? data_->objects.user_data[handle.slot()] : 0;
}

std::size_t World::object_count() const noexcept {
    return data_ == nullptr ? 0 : data_->objects.object_count;
}
std::size_t World::slot_count() const noexcept { return data_ == nullptr ? 0 : data_->objects.slot_count(); }

std::size_t World::quarantined_objects(std::span<ObjectHandle> out_handles) const noexcept {
    const FloatEnvironment environment;
    const std::size_t room = check_readable(out_handles) ? out_handles.size() : 0;
    std::size_t count = 0;
    for (std::uint32_t slot = 0; slot < slot_count(); ++slot) {
        if (!data_->objects.is_alive(slot) || is_valid(data_->objects.boxes(false)[slot])) continue;
        if (count < room) out_handles[count] = data_->objects.handle_at(slot);
        ++count;
    }
    return count;
}

Status World::set_layers_pair(std::uint32_t layer_a, std::uint32_t layer_b, bool may_pair) noexcept {
    if (data() == nullptr) return Status::out_of_memory;
    if (!check_layer(layer_a) || !check_layer(layer_b)) return Status::invalid_argument;
    return data_->objects.set_layers_pair(layer_a, layer_b, may_pair) ? Status::ok : Status::out_of_memory;
}

bool World::layers_pair(std::uint32_t layer_a, std::uint32_t layer_b) const noexcept {
    return check_layer(layer_a) && check_layer(layer_b) &&
           (data_ == nullptr || data_->objects.layer_rules.may_pair(layer_a, layer_b));
}

Aabb World::bounds() const noexcept {
    const FloatEnvironment environment;
    Aabb bounds = Aabb::empty();
    for (std::uint32_t slot = 0; slot < slot_count(); ++slot) {
        // A free slot has an empty box.
        const Aabb box = data_->objects.body_at(slot).box;
        if (is_valid(box)) bounds = include(bounds, box);
    }
    return FloatEnvironment::result(bounds);
}

Status World::shift_origin(Vec3 offset) noexcept {
    const FloatEnvironment environment(offset);
    if (data() == nullptr) return Status::out_of_memory;
    if (!BROADSIDE_ARGUMENT(is_finite(offset), "offset: not finite")) return Status::invalid_argument;
    for (std::uint32_t slot = 0; slot < slot_count(); ++slot) {
        if (!data_->objects.is_alive(slot)) continue;
        WorldBody body = data_->objects.body_at(slot);
        body.box = {body.box.min - offset, body.box.max - offset};
        data_->objects.set_body(slot, body);
    }
    return Status::ok;
}

UpdateResult World::update(const TaskRunner* runner) noexcept {
    const FloatEnvironment environment;
    const bool is_valid = check_runner(runner);
    if (is_valid && data() != nullptr) return data_->update(runner);
    UpdateResult result;
    result.status = is_valid ? Status::out_of_memory : Status::invalid_argument;
    result.pair_count = pair_count();
    return result;
}

std::span<const WorldPair> World::begun() const noexcept {
    return data_ == nullptr ? std::span<const WorldPair>() : data_->pairs.begun();
}
std::span<const EndedPair> World::ended() const noexcept {
    return data_ == nullptr ? std::span<const EndedPair>() : data_->pairs.ended();
}
std::span<const PairUserData> World::ended_user_data() const noexcept {
    return data_ == nullptr ? std::span<const PairUserData>() : data_->pairs.ended_user_data();
}
std::span<const PairUserData> World::begun_user_data() const noexcept {
    return data_ == nullptr ? std::span<const PairUserData>() : data_->lookup.begun_user_data();
}
std::span<const WorldPair> World::persisting() const noexcept {
    return data_ == nullptr ? std::span<const WorldPair>() : data_->lookup.list(false);
}
std::span<const WorldPair> World::pairs() const noexcept {
    return data_ == nullptr ? std::span<const WorldPair>() : data_->lookup.list(true);
}
std::size_t World::pair_count() const noexcept { return data_ == nullptr ? 0 : data_->pairs.count(); }

std::uint64_t* World::pair_value(ObjectHandle a, ObjectHandle b) noexcept {
    return data_ == nullptr ? nullptr : data_->pairs.value_of(a, b);
}
const std::uint64_t* World::pair_value(ObjectHandle a, ObjectHandle b) const noexcept {
    return data_ == nullptr ? nullptr : std::as_const(data_->pairs).value_of(a, b);
}

std::span<const ObjectHandle> World::pairs_of(ObjectHandle handle) const noexcept {
    return data_ == nullptr ? std::span<const ObjectHandle>() : data_->lookup.pairs_of(handle);
}

bool World::boxes_overlap(ObjectHandle a, ObjectHandle b) const noexcept {
    const FloatEnvironment environment;
    return FloatEnvironment::result(
        check_alive(objects_of(data_), a) && check_alive(objects_of(data_), b) &&
        overlap(data_->objects.body_at(a.slot()).box, data_->objects.body_at(b.slot()).box));
}

std::uint64_t World::pairs_hash() const noexcept { return data_ == nullptr ? 0 : data_->pairs.hash(); }

std::size_t World::snapshot_bytes() const noexcept {
    return data_ != nullptr ? data_->snapshot_bytes() : WorldData(settings_, allocator_).snapshot_bytes();
}

Status World::save(std::span<std::byte> out_bytes) const noexcept {
    if (!check_readable(out_bytes)) return Status::invalid_argument;
    if (out_bytes.size() < snapshot_bytes()) return Status::capacity_exceeded;
    // An empty world allocates nothing.
    return data_ != nullptr ? data_->save(out_bytes) : WorldData(settings_, allocator_).save(out_bytes);
}

Status World::restore(std::span<const std::byte> bytes) noexcept {
    const FloatEnvironment environment;
    if (!check_readable(bytes)) return Status::invalid_argument;
    WorldData* const restored = make_data({}, allocator_);
    if (restored == nullptr) return Status::out_of_memory;
    const Status status = restored->restore(bytes);
    destroy_data(status == Status::ok ? data_ : restored);
    if (status == Status::ok) {
        data_ = restored;
        settings_ = restored->objects.settings;
    }
    return status;
}

bool World::is_consistent() const noexcept {
    const FloatEnvironment environment;
    return FloatEnvironment::result(data_ == nullptr || data_->is_consistent());
}
void World::shrink() noexcept {
    if (data_ != nullptr) data_->shrink();
}
std::size_t World::capacity_bytes() const noexcept { return data_ == nullptr ? 0 : data_->capacity_bytes(); }

}  // namespace broadside
