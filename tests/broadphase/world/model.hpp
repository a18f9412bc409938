// A world by brute force: every object in a map, every pair tested anew at every update.
#pragma once

#include <broadside/world.hpp>

#include <algorithm>
#include <cfenv>
#include <cstring>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace broadside::test {

/// Bit for bit, so that a NaN box equals itself.
inline bool is_same_box(const Aabb& a, const Aabb& b) { return std::memcmp(&a, &b, sizeof a) == 0; }
inline bool is_same_object(const ObjectDescription& a, const ObjectDescription& b) {
    return is_same_box(a.box, b.box) && a.kind == b.kind && a.filter == b.filter &&
           a.user_data == b.user_data && std::memcmp(&a.margin, &b.margin, sizeof a.margin) == 0 &&
           std::memcmp(&a.displacement, &b.displacement, sizeof a.displacement) == 0;
}

class WorldModel {
public:
    explicit WorldModel(const WorldSettings& settings) : settings_(settings) {}

    struct Lists {
        std::vector<WorldPair> begun;
        std::vector<WorldPair> ended;
        std::vector<WorldPair> persisting;
        std::vector<WorldPair> all;
    };

    const std::map<ObjectHandle, ObjectDescription>& objects() const { return objects_; }
    const ObjectDescription& at(ObjectHandle handle) const { return objects_.at(handle); }
    /// Lists of the last update.
    const Lists& lists() const { return lists_; }
    /// The expected UpdateResult::changed_count.
    std::size_t changed_count() const { return changed_slots_.size(); }
    std::size_t slot_count() const { return slot_count_; }

    /// False if the handle was ever returned before.
    bool add(ObjectHandle handle, const ObjectDescription& description) {
        slot_count_ = std::max<std::size_t>(slot_count_, handle.slot() + std::size_t{1});
        changed_slots_.insert(handle.slot());
        return ever_.insert(handle).second && objects_.emplace(handle, description).second;
    }
    void remove(ObjectHandle handle) {
        changed_slots_.insert(handle.slot());
        objects_.erase(handle);
    }
    /// User data is no change of an object.
    void set(ObjectHandle handle, const ObjectDescription& description) {
        ObjectDescription& known = objects_.at(handle);
        ObjectDescription same_data = description;
        same_data.user_data = known.user_data;
        if (!is_same_object(known, same_data)) changed_slots_.insert(handle.slot());
        known = description;
    }
    bool layers_pair(std::uint32_t a, std::uint32_t b) const {
        return forbidden_layers_.count({std::min(a, b), std::max(a, b)}) == 0;
    }
    void set_layers_pair(std::uint32_t a, std::uint32_t b, bool may_pair) {
        if (layers_pair(a, b) == may_pair) return;
        if (may_pair) {
            forbidden_layers_.erase({std::min(a, b), std::max(a, b)});
        } else {
            forbidden_layers_.insert({std::min(a, b), std::max(a, b)});
        }
        for (const auto& [handle, known] : objects_) {
            if (known.filter.layer == a || known.filter.layer == b) changed_slots_.insert(handle.slot());
        }
    }
    Aabb bounds() const {
        Aabb bounds = Aabb::empty();
        for (const auto& [handle, known] : objects_) {
            if (is_valid(known.box)) bounds = include(bounds, known.box);
        }
        return bounds;
    }
    /// Objects in quarantine, by slot.
    std::vector<ObjectHandle> quarantined() const {
        std::vector<ObjectHandle> list;
        for (const auto& [handle, known] : objects_) {
            if (!is_valid(known.box)) list.push_back(handle);
        }
        std::sort(list.begin(), list.end(),
                  [](ObjectHandle a, ObjectHandle b) { return a.slot() < b.slot(); });
        return list;
    }
    /// The state that a saved and restored world forgets.
    void forget_events() {
        lists_.begun.clear();
        lists_.ended.clear();
        lists_.persisting = lists_.all;
    }

    /// False, without a change, if there would be more pairs than the settings allow.
    bool update() {
        std::set<Key> now;
        for (auto a = objects_.begin(); a != objects_.end(); ++a) {
            for (auto b = std::next(a); b != objects_.end(); ++b) {
                if (!may_pair(a->second, b->second)) continue;
                if (overlap(grown(a->second), grown(b->second))) now.insert(key(a->first, b->first));
            }
        }
        if (now.size() > settings_.max_pair_count) return false;
        Data data = data_of_objects();
        lists_ = {};
        for (const Key& pair : now) {
            (alive_.count(pair) != 0 ? lists_.persisting : lists_.begun).push_back(in_order(pair, data));
            lists_.all.push_back(in_order(pair, data));
        }
        for (const Key& pair : alive_) {
            if (now.count(pair) == 0) lists_.ended.push_back(in_order(pair, known_data_));
        }
        sort(lists_.ended, known_data_);
        known_data_ = std::move(data);
        for (auto* list : {&lists_.begun, &lists_.persisting, &lists_.all}) sort(*list, known_data_);
        alive_ = std::move(now);
        changed_slots_.clear();
        return true;
    }

private:
    using Key = std::pair<ObjectHandle, ObjectHandle>;
    using Data = std::map<ObjectHandle, std::uint64_t>;

    static Key key(ObjectHandle a, ObjectHandle b) { return a.slot() < b.slot() ? Key{a, b} : Key{b, a}; }
    // If it is the order.
    Data data_of_objects() const {
        Data data;
        if (settings_.order != WorldOrder::user_data) return data;
        for (const auto& [handle, description] : objects_) data[handle] = description.user_data;
        return data;
    }
    WorldPair in_order(const Key& pair, const Data& data) const {
        const bool is_swapped =
            settings_.order == WorldOrder::user_data && data.at(pair.second) < data.at(pair.first);
        return is_swapped ? WorldPair{pair.second, pair.first} : WorldPair{pair.first, pair.second};
    }
    void sort(std::vector<WorldPair>& list, const Data& data) const {
        const bool by_data = settings_.order == WorldOrder::user_data;
        const auto rank = [&](ObjectHandle handle) {
            return std::pair(by_data ? data.at(handle) : 0, handle.slot());
        };
        std::sort(list.begin(), list.end(), [&](const WorldPair& x, const WorldPair& y) {
            return std::pair(rank(x.a), rank(x.b)) < std::pair(rank(y.a), rank(y.b));
        });
    }
    bool may_pair(const ObjectDescription& a, const ObjectDescription& b) const {
        if (a.kind == ObjectKind::fixed && b.kind == ObjectKind::fixed && !settings_.fixed_objects_pair)
            return false;
        if (!layers_pair(a.filter.layer, b.filter.layer)) return false;
        if (a.filter.group == b.filter.group && a.filter.group != 0) return a.filter.group > 0;
        return (a.filter.category & b.filter.mask) != 0 && (b.filter.category & a.filter.mask) != 0;
    }
    static Aabb grown(const ObjectDescription& object) {
        if (!is_valid(object.box)) return Aabb::empty();
        // With the processor's own rounding.
        const auto sum = [](float a, float b, int rounding) {
            const volatile float x = a;
            const volatile float y = b;
            const int before = std::fegetround();
            std::fesetround(rounding);
            const volatile float result = x + y;
            std::fesetround(before);
            return result;
        };
        const auto axis = [&](float min, float max, float step) {
            return std::pair(sum(step < 0 ? sum(min, step, FE_DOWNWARD) : min, -object.margin, FE_DOWNWARD),
                             sum(step > 0 ? sum(max, step, FE_UPWARD) : max, object.margin, FE_UPWARD));
        };
        const Vec3 d = object.displacement;
        const auto [min_x, max_x] = axis(object.box.min.x, object.box.max.x, d.x);
        const auto [min_y, max_y] = axis(object.box.min.y, object.box.max.y, d.y);
        const auto [min_z, max_z] = axis(object.box.min.z, object.box.max.z, d.z);
        return {{min_x, min_y, min_z}, {max_x, max_y, max_z}};
    }

    WorldSettings settings_;
    std::map<ObjectHandle, ObjectDescription> objects_;
    std::set<ObjectHandle> ever_;
    std::set<std::pair<std::uint32_t, std::uint32_t>> forbidden_layers_;
    std::set<std::uint32_t> changed_slots_;
    std::size_t slot_count_ = 0;
    Lists lists_;
    std::set<Key> alive_;
    Data known_data_;
};

}  // namespace broadside::test
