// A world and its model under one random sequence of operations: all that a world offers, in any order.
#pragma once

#include "tests/broadphase/pair_scenes.hpp"
#include "tests/broadphase/world/model.hpp"
#include "tests/support/exact_squares.hpp"
#include "tests/support/guarded_boxes.hpp"

#include <broadside/prepared_objects.hpp>
#include <broadside/world_query.hpp>

#include <doctest/doctest.h>

#include <array>

namespace broadside::test {

/// A length that is legal as a margin, from the whole range of float and infinity.
inline float any_margin(Random& random) {
    constexpr float kTiny = std::numeric_limits<float>::denorm_min();
    static constexpr float kRare[] = {0,     -0.0f, kTiny, kDenormal, FLT_MIN, 1e-30f,   1e-9f,
                                      1e-3f, 1e9f,  1e19f, 1e38f,     FLT_MAX, kInfinity};
    return random.chance(3) ? kRare[random.below(std::size(kRare))] : random.uniform(0, 0.5f);
}

/// Finite, from the whole range of float; along one axis, two or all.
inline Vec3 any_displacement(Random& random) {
    const auto component = [&] {
        if (random.chance(3)) return random.chance(2) ? 0.0f : -0.0f;
        const float length = std::min(any_margin(random), FLT_MAX);
        return random.chance(2) ? 4 * std::min(length, FLT_MAX / 4) : -length;
    };
    if (random.chance(2)) return random_vec3(random, -2, 2);
    return {component(), component(), component()};
}

/// A refused length: negative, or not finite.
inline float bad_margin(Random& random) {
    static constexpr float kBad[] = {-kDenormal, -FLT_MIN, -1, -FLT_MAX, -kInfinity, kNaN, -kNaN};
    return kBad[random.below(std::size(kBad))];
}
inline Vec3 bad_displacement(Random& random) {
    static constexpr float kBad[] = {kInfinity, -kInfinity, kNaN, -kNaN};
    Vec3 displacement = any_displacement(random);
    float* const components[3] = {&displacement.x, &displacement.y, &displacement.z};
    *components[random.below(3)] = kBad[random.below(std::size(kBad))];
    return displacement;
}

class WorldLife {
public:
    WorldLife(const WorldSettings& settings, Random& random, std::size_t object_count)
        : world(settings), model(settings), random_(random), wanted_count_(object_count) {}

    World world;
    WorldModel model;
    std::size_t operation_count = 0;
    /// The boxes that the last operation put in the slot of others, and those others.
    std::vector<Aabb> touched_boxes;
    /// Dead handles.
    std::vector<ObjectHandle> dead;

    ObjectHandle any_object() {
        auto it = model.objects().begin();
        std::advance(it, random_.below(static_cast<std::uint32_t>(model.objects().size())));
        return it->first;
    }

    void operate() {
        ++operation_count;
        touched_boxes.clear();
        const bool is_small = model.objects().size() < wanted_count_;
        if (model.objects().empty() || (is_small && random_.chance(2))) return add();
        switch (random_.below(17)) {
            case 0:
                return remove();
            case 1:
                return replace();
            case 2:
            case 3:
                return step();
            case 4:
                return set_boxes();
            case 5:
                return set_kind();
            case 6:
                return set_filter();
            case 7:
                return set_displacements();
            case 8:
                return set_margin();
            case 9:
                return set_user_data();
            case 10:
                return ask_for_what_is_refused();
            case 11:
                return random_.chance(2) ? set_layers() : shift_origin();
            case 12:
                return shrink();
            case 13:
                return move_world();
            case 14:
                return spoil();
            case 15:
                return put_back();
            default:
                return random_.chance(3) ? restore() : set_kind();
        }
    }

private:
    Aabb any_box() {
        if (random_.chance(20)) return adversarial_box(random_);
        if (random_.chance(40)) return vast_box(random_);
        if (random_.chance(30)) return infinite_box(random_, 0, wanted_count_);
        if (random_.chance(20)) return unbounded_box(random_, 0, wanted_count_);
        if (random_.chance(4)) return lattice_box(random_, 0, 0);
        return uniform_box(random_, 0, wanted_count_);
    }
    // Some differ in one half only: an order that reads the other one takes them for equal.
    std::uint64_t any_user_data() {
        if (random_.chance(2)) return random_.below(1000);
        const std::uint64_t upper = random_.chance(2) ? random_.below(3) : random_.next() >> 32;
        return upper << 32 | random_.below(3);
    }
    ObjectKind any_kind() { return static_cast<ObjectKind>(random_.below(3)); }
    std::uint16_t any_layer() {
        static constexpr std::uint16_t kLayers[] = {0, 1, 63, 64, 1000, 65535};
        return kLayers[random_.below(std::size(kLayers))];
    }
    ObjectFilter any_filter() {
        if (random_.chance(2)) return {};
        const std::uint64_t category = std::uint64_t{1} << random_.below(3);
        const std::uint64_t mask = random_.below(8);
        const auto group = static_cast<std::int32_t>(random_.below(5)) - 2;
        return {category, mask, random_.chance(3) ? group : 0, any_layer()};
    }
    ObjectDescription any_description() {
        ObjectDescription description;
        description.box = any_box();
        description.kind = any_kind();
        description.filter = any_filter();
        description.user_data = any_user_data();
        if (random_.chance(4)) description.margin = any_margin(random_);
        if (random_.chance(4)) description.displacement = any_displacement(random_);
        return description;
    }
    // A few, sometimes one of them twice.
    std::vector<ObjectHandle> any_objects() {
        std::vector<ObjectHandle> handles;
        for (std::uint32_t i = 1 + (random_.chance(3) ? random_.below(4) : 0); i > 0; --i) {
            handles.push_back(any_object());
        }
        return handles;
    }
    void note(ObjectHandle handle, const ObjectDescription& description) {
        touched_boxes.push_back(model.at(handle).box);
        touched_boxes.push_back(description.box);
        model.set(handle, description);
    }
    template <class Change>
    void note_each(std::span<const ObjectHandle> handles, Change&& change) {
        for (std::size_t i = 0; i < handles.size(); ++i) {
            ObjectDescription description = model.at(handles[i]);
            change(description, i);
            note(handles[i], description);
        }
    }
    void note_added(ObjectHandle handle, const ObjectDescription& description) {
        touched_boxes.push_back(description.box);
        REQUIRE(model.add(handle, description));
    }
    void note_removed(ObjectHandle handle) {
        touched_boxes.push_back(model.at(handle).box);
        model.remove(handle);
        dead.push_back(handle);
    }

    void add() {
        std::vector<ObjectDescription> descriptions(1 + random_.below(5));
        for (ObjectDescription& description : descriptions) description = any_description();
        std::vector<ObjectHandle> handles(descriptions.size());
        if (random_.chance(4)) {
            REQUIRE(prepared_.prepare(descriptions).status == Status::ok);
            REQUIRE(world.add(prepared_, handles).status == Status::ok);
        } else if (random_.chance(4)) {
            std::vector<Aabb> boxes;
            for (ObjectDescription& description : descriptions) {
                boxes.push_back(description.box);
                description = descriptions[0];
                description.box = boxes.back();
            }
            const GuardedBoxes guarded(boxes);
            ObjectDescription common = descriptions[0];
            common.box = {{kNaN, kNaN, kNaN}, {0, 0, 0}};
            REQUIRE(world.add(guarded.view(), common, handles).status == Status::ok);
        } else {
            REQUIRE(world.add(descriptions, handles).status == Status::ok);
        }
        for (std::size_t i = 0; i < handles.size(); ++i) note_added(handles[i], descriptions[i]);
    }
    void remove() {
        std::vector<ObjectHandle> handles = any_objects();
        const auto first_again = [&] {
            for (std::size_t i = 1; i < handles.size(); ++i) {
                if (std::find(handles.begin(), handles.begin() + static_cast<std::ptrdiff_t>(i),
                              handles[i]) != handles.begin() + static_cast<std::ptrdiff_t>(i)) {
                    return i;
                }
            }
            return kNoIndex;
        };
        const BatchResult result = world.remove(handles);
        REQUIRE(result.bad_index == first_again());
        REQUIRE((result.status == Status::ok) == (result.bad_index == kNoIndex));
        if (result.status != Status::ok) return;
        for (const ObjectHandle handle : handles) note_removed(handle);
    }
    // Removed, and added again at once as it was or as another.
    void replace() {
        const ObjectHandle handle = any_object();
        const ObjectDescription again = random_.chance(2) ? model.at(handle) : any_description();
        REQUIRE(world.remove(handle) == Status::ok);
        note_removed(handle);
        note_added(world.add(again), again);
    }
    // A step as large as motion in a frame, or so small that a grown box does not show it.
    void step() {
        const ObjectHandle handle = any_object();
        const float length = random_.chance(2) ? 0.1f : random_.chance(2) ? 1e-7f : 0.0f;
        ObjectDescription known = model.at(handle);
        const Vec3 by = {length, 0, -length};
        known.box = {known.box.min + by, known.box.max + by};
        REQUIRE(world.set_box(handle, known.box) == Status::ok);
        note(handle, known);
    }
    void set_boxes() {
        const std::vector<ObjectHandle> handles = any_objects();
        std::vector<Aabb> boxes(handles.size());
        for (Aabb& box : boxes) box = any_box();
        set_boxes(handles, boxes);
    }
    // In columns, in structs or, if all are valid, as doubles, which are rounded to the same floats.
    void set_boxes(std::span<const ObjectHandle> handles, std::vector<Aabb> boxes) {
        const std::uint32_t form = random_.below(3);
        if (form == 0) {
            const GuardedBoxes guarded(boxes);
            REQUIRE(world.set_boxes(handles, guarded.view()).status == Status::ok);
        } else if (form == 1 || !std::all_of(boxes.begin(), boxes.end(), is_valid_box)) {
            const BoxAosView structs = {boxes.data(), sizeof(Aabb), 0, sizeof(Vec3), boxes.size()};
            REQUIRE(world.set_boxes(handles, structs).status == Status::ok);
        } else {
            std::vector<double> rows;
            for (const Aabb& box : boxes) {
                for (const Vec3 corner : {box.min, box.max})
                    rows.insert(rows.end(), {corner.x, corner.y, corner.z});
            }
            REQUIRE(
                world.set_boxes(handles, ExactBoxView<double>::rows(rows.data(), boxes.size(), 3)).status ==
                Status::ok);
        }
        note_each(handles, [&](ObjectDescription& known, std::size_t i) { known.box = boxes[i]; });
    }
    static bool is_valid_box(const Aabb& box) { return is_valid(box); }
    // Invalid boxes, of which some are put back exactly where they were, in this frame or a later one.
    void spoil() {
        const ObjectHandle handle = any_object();
        ObjectDescription known = model.at(handle);
        if (is_valid(known.box)) spoilt_.push_back({handle, known.box});
        set_boxes(std::span(&handle, 1), {random_.chance(2) ? Aabb::empty() : Aabb{{kNaN, 0, 0}, {1, 1, 1}}});
    }
    void put_back() {
        if (spoilt_.empty()) return spoil();
        const auto [handle, box] = spoilt_.back();
        spoilt_.pop_back();
        if (world.is_alive(handle)) set_boxes(std::span(&handle, 1), {box});
    }
    void move_world() {
        World other(std::move(world));
        REQUIRE(world.object_count() == 0);
        if (random_.chance(2)) REQUIRE(world.is_alive(world.add(any_description())));
        REQUIRE(world.update().status == Status::ok);
        world = std::move(other);
    }
    void set_kind() {
        const std::vector<ObjectHandle> handles = any_objects();
        const ObjectKind kind = any_kind();
        REQUIRE(world.set_kind(handles, kind).status == Status::ok);
        note_each(handles, [&](ObjectDescription& known, std::size_t) { known.kind = kind; });
    }
    void set_filter() {
        const std::vector<ObjectHandle> handles = any_objects();
        const ObjectFilter filter = any_filter();
        REQUIRE(world.set_filter(handles, filter).status == Status::ok);
        note_each(handles, [&](ObjectDescription& known, std::size_t) { known.filter = filter; });
    }
    BatchResult set_displacements(std::span<const ObjectHandle> handles,
                                  const std::vector<Vec3>& displacements) {
        std::vector<float> columns[3];
        for (const Vec3 displacement : displacements) {
            columns[0].push_back(displacement.x);
            columns[1].push_back(displacement.y);
            columns[2].push_back(displacement.z);
        }
        return world.set_displacements(
            handles, {columns[0].data(), columns[1].data(), columns[2].data(), displacements.size()});
    }
    void set_displacements() {
        const std::vector<ObjectHandle> handles = any_objects();
        std::vector<Vec3> displacements(handles.size());
        for (Vec3& displacement : displacements) {
            displacement = random_.chance(4) ? Vec3{} : any_displacement(random_);
        }
        REQUIRE(set_displacements(handles, displacements).status == Status::ok);
        note_each(handles,
                  [&](ObjectDescription& known, std::size_t i) { known.displacement = displacements[i]; });
    }
    void set_margin() {
        const std::vector<ObjectHandle> handles = any_objects();
        const float margin = random_.chance(4) ? 0 : any_margin(random_);
        REQUIRE(world.set_margin(handles, margin).status == Status::ok);
        note_each(handles, [&](ObjectDescription& known, std::size_t) { known.margin = margin; });
    }
    void set_user_data() {
        const std::vector<ObjectHandle> handles = any_objects();
        const std::uint64_t data = any_user_data();
        REQUIRE(world.set_user_data(handles, data).status == Status::ok);
        note_each(handles, [&](ObjectDescription& known, std::size_t) { known.user_data = data; });
    }
    void set_layers() {
        const std::uint32_t a = any_layer();
        const std::uint32_t b = any_layer();
        const bool may_pair = random_.chance(2);
        REQUIRE(world.set_layers_pair(a, b, may_pair) == Status::ok);
        model.set_layers_pair(a, b, may_pair);
    }
    void shift_origin() {
        const Vec3 offset = random_vec3(random_, -3, 3);
        REQUIRE(world.shift_origin(offset) == Status::ok);
        std::vector<ObjectHandle> all;
        for (const auto& [handle, known] : model.objects()) all.push_back(handle);
        note_each(all, [&](ObjectDescription& known, std::size_t) {
            known.box = {known.box.min - offset, known.box.max - offset};
        });
    }
    // No query sees a change.
    void shrink() {
        const std::size_t bytes = world.capacity_bytes();
        world.shrink();
        REQUIRE(world.capacity_bytes() <= bytes);
    }
    void restore() {
        std::vector<std::byte> bytes(world.snapshot_bytes());
        REQUIRE(world.save(bytes) == Status::ok);
        World other;
        if (random_.chance(2)) {
            // A world in use, which has changed and been asked since.
            other = std::move(world);
            (void)other.add(any_description());
            if (random_.chance(2)) (void)other.remove(any_object());
            if (random_.chance(2)) (void)other.update();
            if (random_.chance(2)) (void)other.queries();
            (void)other.add(any_description());
        }
        REQUIRE(other.restore(bytes) == Status::ok);
        std::vector<std::byte> again(other.snapshot_bytes());
        REQUIRE(other.save(again) == Status::ok);
        REQUIRE((bytes == again));
        world = std::move(other);
        model.forget_events();
    }

    // One item of a batch is at fault, and is named; the caller checks that nothing has changed.
    void ask_for_what_is_refused() {
        std::vector<ObjectHandle> handles = any_objects();
        const std::size_t bad = random_.below(static_cast<std::uint32_t>(handles.size()));
        const auto is_refused = [&](const BatchResult& result, std::size_t index) {
            REQUIRE(result.status == Status::invalid_argument);
            REQUIRE(result.bad_index == index);
        };
        const std::uint32_t what = random_.below(6);
        if (what == 0) {
            is_refused(world.set_margin(handles, bad_margin(random_)), kNoIndex);
        } else if (what == 1) {
            is_refused(world.set_kind(handles, static_cast<ObjectKind>(3)), kNoIndex);
        } else if (what == 2) {
            REQUIRE(world.set_layers_pair(kLayerCount, 0, false) == Status::invalid_argument);
        } else if (what == 3) {
            std::vector<Vec3> displacements(handles.size());
            displacements[bad] = bad_displacement(random_);
            is_refused(set_displacements(handles, displacements), bad);
        } else if (what == 4) {
            std::vector<ObjectDescription> descriptions(handles.size());
            for (ObjectDescription& description : descriptions) description = any_description();
            ObjectDescription& refused = descriptions[bad];
            const std::uint32_t reason = random_.below(3);
            if (reason == 0) refused.margin = bad_margin(random_);
            if (reason == 1) refused.displacement = bad_displacement(random_);
            if (reason == 2) refused.kind = static_cast<ObjectKind>(3);
            is_refused(world.add(descriptions, handles), bad);
        } else if (!dead.empty()) {
            handles[bad] = dead[random_.below(static_cast<std::uint32_t>(dead.size()))];
            const std::vector<Aabb> boxes(handles.size());
            const GuardedBoxes guarded(boxes);
            is_refused(world.set_boxes(handles, guarded.view()), bad);
            is_refused(world.set_margin(handles, 7), bad);
            is_refused(world.set_kind(handles, ObjectKind::fixed), bad);
            is_refused(set_displacements(handles, std::vector<Vec3>(handles.size(), {1, 2, 3})), bad);
        }
    }

    Random& random_;
    std::size_t wanted_count_;
    std::vector<std::pair<ObjectHandle, Aabb>> spoilt_;
    PreparedObjects prepared_;
};

}  // namespace broadside::test
