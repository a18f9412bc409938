// A world by brute force: every object in a map, every pair tested anew at every update.
#pragma once

#include <broadside/world.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace broadside::test {

class WorldModel {
public:
    explicit WorldModel(const WorldSettings& settings) : settings_(settings) {}

    struct Object {
        ObjectDescription description;
    };
    using Key = std::pair<ObjectHandle, ObjectHandle>;

    std::map<ObjectHandle, ObjectDescription> objects;
    /// Bits of forbidden layers.
    std::set<std::pair<std::uint32_t, std::uint32_t>> forbidden_layers;

    struct Lists {
        std::vector<WorldPair> begun;
        std::vector<WorldPair> ended;
        std::vector<WorldPair> persisting;
        std::vector<WorldPair> all;
    };

    Lists update() {
        std::set<Key> now;
        for (auto a = objects.begin(); a != objects.end(); ++a) {
            for (auto b = std::next(a); b != objects.end(); ++b) {
                if (!may_pair(a->second, b->second)) continue;
                if (overlap(grown(a->second), grown(b->second))) now.insert(key(a->first, b->first));
            }
        }
        Lists lists;
        for (const Key& pair : now) {
            (alive_.count(pair) != 0 ? lists.persisting : lists.begun)
                .push_back(in_order(pair, data_of_objects()));
            lists.all.push_back(in_order(pair, data_of_objects()));
        }
        for (const Key& pair : alive_) {
            if (now.count(pair) == 0) lists.ended.push_back(in_order(pair, known_data_));
        }
        sort(lists.ended, known_data_);
        known_data_ = data_of_objects();
        for (auto* list : {&lists.begun, &lists.persisting, &lists.all}) sort(*list, known_data_);
        alive_ = std::move(now);
        return lists;
    }

private:
    using Data = std::map<ObjectHandle, std::uint64_t>;

    static Key key(ObjectHandle a, ObjectHandle b) { return a.place() < b.place() ? Key{a, b} : Key{b, a}; }
    Data data_of_objects() const {
        Data data;
        for (const auto& [handle, description] : objects) data[handle] = description.user_data;
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
            return std::pair(by_data ? data.at(handle) : 0, handle.place());
        };
        std::sort(list.begin(), list.end(), [&](const WorldPair& x, const WorldPair& y) {
            return std::pair(rank(x.a), rank(x.b)) < std::pair(rank(y.a), rank(y.b));
        });
    }
    bool may_pair(const ObjectDescription& a, const ObjectDescription& b) const {
        if (a.kind == ObjectKind::fixed && b.kind == ObjectKind::fixed && !settings_.fixed_objects_pair)
            return false;
        const std::uint32_t low = std::min(a.filter.layer, b.filter.layer);
        const std::uint32_t high = std::max(a.filter.layer, b.filter.layer);
        if (forbidden_layers.count({low, high}) != 0) return false;
        if (a.filter.group == b.filter.group && a.filter.group != 0) return a.filter.group > 0;
        return (a.filter.category & b.filter.mask) != 0 && (b.filter.category & a.filter.mask) != 0;
    }
    static Aabb grown(const ObjectDescription& object) {
        const Vec3 d = object.displacement;
        if (!is_valid(object.box) || !std::isfinite(d.x + d.y + d.z) || !std::isfinite(object.margin)) {
            return Aabb::empty();
        }
        const auto axis = [&](float min, float max, float step) {
            return std::pair((step < 0 ? min + step : min) - object.margin,
                             (step > 0 ? max + step : max) + object.margin);
        };
        const auto [min_x, max_x] = axis(object.box.min.x, object.box.max.x, d.x);
        const auto [min_y, max_y] = axis(object.box.min.y, object.box.max.y, d.y);
        const auto [min_z, max_z] = axis(object.box.min.z, object.box.max.z, d.z);
        return {{min_x, min_y, min_z}, {max_x, max_y, max_z}};
    }

    WorldSettings settings_;
    std::set<Key> alive_;
    Data known_data_;
};

}  // namespace broadside::test
