// The oracle of programs.
#include "tests/broadphase/world/life_oracle.hpp"

#include <algorithm>
#include <cfenv>
#include <cstring>
#include <tuple>

namespace broadside::test {
namespace {

// Brute force up to this count.
constexpr std::size_t kSmallCount = 300;

// With the processor's own rounding.
float rounded_sum(float a, float b, int rounding) {
    const volatile float x = a;
    const volatile float y = b;
    const int before = std::fegetround();
    std::fesetround(rounding);
    const volatile float sum = x + y;
    std::fesetround(before);
    return sum;
}

// Swept, then grown.
Aabb grown_box(const ObjectDescription& object) {
    const auto min_side = [&](float side, float step) {
        const float swept = step < 0 ? rounded_sum(side, step, FE_DOWNWARD) : side;
        return object.margin == 0 ? swept : rounded_sum(swept, -object.margin, FE_DOWNWARD);
    };
    const auto max_side = [&](float side, float step) {
        const float swept = step > 0 ? rounded_sum(side, step, FE_UPWARD) : side;
        return object.margin == 0 ? swept : rounded_sum(swept, object.margin, FE_UPWARD);
    };
    const Aabb& box = object.box;
    if (!is_valid(box)) return Aabb::empty();
    const Vec3 by = object.displacement;
    return {{min_side(box.min.x, by.x), min_side(box.min.y, by.y), min_side(box.min.z, by.z)},
            {max_side(box.max.x, by.x), max_side(box.max.y, by.y), max_side(box.max.z, by.z)}};
}

template <class T>
bool is_same_memory(const T& a, const T& b) {
    return std::memcmp(&a, &b, sizeof a) == 0;
}

}  // namespace

bool is_same_body(const ObjectDescription& a, const ObjectDescription& b) {
    return is_same_memory(a.box, b.box) && is_same_memory(a.margin, b.margin) &&
           is_same_memory(a.displacement, b.displacement) && a.kind == b.kind && a.filter == b.filter;
}

bool LifeOracle::add(ObjectHandle handle, const ObjectDescription& description) {
    const std::uint32_t slot = handle.slot();
    if (slot > handles_.size()) return false;
    if (slot == handles_.size()) {
        for (auto* handles : {&handles_, &last_handles_, &known_handles_}) handles->emplace_back();
        objects_.emplace_back();
        for (std::vector<float>& column : columns_) column.emplace_back();
        is_changed_.push_back(false);
        known_data_.push_back(0);
    }
    const bool is_new = handle.generation() % 2 == 1 && handle > last_handles_[slot];
    if (!handles_[slot].is_null() || !is_new) return false;
    handles_[slot] = last_handles_[slot] = handle;
    objects_[slot] = description;
    set_grown_box(slot, grown_box(description));
    mark(slot);
    ++object_count_;
    return true;
}

void LifeOracle::remove(ObjectHandle handle) {
    handles_[handle.slot()] = {};
    set_grown_box(handle.slot(), Aabb::empty());
    mark(handle.slot());
    --object_count_;
}

void LifeOracle::set(ObjectHandle handle, const ObjectDescription& description) {
    const std::uint32_t slot = handle.slot();
    // User data is no change of an object, and if the order ignores it, it sorts nothing.
    if (settings_.order == WorldOrder::slot && known_handles_[slot] == handle)
        known_data_[slot] = description.user_data;
    const bool is_same = is_same_body(objects_[slot], description);
    objects_[slot] = description;
    if (is_same) return;
    set_grown_box(slot, grown_box(description));
    mark(slot);
}

void LifeOracle::set_layers_pair(std::uint32_t a, std::uint32_t b, bool may_pair) {
    const std::pair layers(std::min(a, b), std::max(a, b));
    const bool is_change =
        may_pair ? forbidden_layers_.erase(layers) != 0 : forbidden_layers_.insert(layers).second;
    for (std::uint32_t slot = 0; is_change && slot < handles_.size(); ++slot) {
        const std::uint32_t layer = objects_[slot].filter.layer;
        if (!handles_[slot].is_null() && (layer == a || layer == b)) mark(slot);
    }
}

void LifeOracle::mark(std::uint32_t slot) {
    if (!is_changed_[slot]) ++changed_count_;
    is_changed_[slot] = true;
}

void LifeOracle::set_grown_box(std::uint32_t slot, const Aabb& box) {
    const float sides[6] = {box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z};
    for (int side = 0; side < 6; ++side) columns_[side][slot] = sides[side];
}

bool LifeOracle::may_pair(std::uint32_t a, std::uint32_t b) const {
    const ObjectDescription& object_a = objects_[a];
    const ObjectDescription& object_b = objects_[b];
    const bool are_fixed = object_a.kind == ObjectKind::fixed && object_b.kind == ObjectKind::fixed;
    if (are_fixed && !settings_.fixed_objects_pair) return false;
    const ObjectFilter& filter_a = object_a.filter;
    const ObjectFilter& filter_b = object_b.filter;
    const auto layers = std::minmax(filter_a.layer, filter_b.layer);
    if (!forbidden_layers_.empty() && forbidden_layers_.count({layers.first, layers.second}) != 0)
        return false;
    if (filter_a.group == filter_b.group && filter_a.group != 0) return filter_a.group > 0;
    return (filter_a.category & filter_b.mask) != 0 && (filter_b.category & filter_a.mask) != 0;
}

void LifeOracle::search() {
    const BoxSoaView boxes = {columns_[0].data(), columns_[1].data(), columns_[2].data(), columns_[3].data(),
                              columns_[4].data(), columns_[5].data(), handles_.size()};
    FindPairsSettings settings;
    settings.algorithm = handles_.size() <= kSmallCount ? PairAlgorithm::brute_force : PairAlgorithm::cells;
    (void)find_pairs(boxes, settings, scratch_, found_);
    next_pairs_.clear();
    for (const IndexPair& pair : found_)
        if (may_pair(pair.first, pair.second)) next_pairs_.push_back(pair);
}

WorldPair LifeOracle::named(const IndexPair& pair, const Handles& handles, const Data& data) const {
    const bool is_swapped = settings_.order == WorldOrder::user_data && data[pair.second] < data[pair.first];
    return is_swapped ? WorldPair{handles[pair.second], handles[pair.first]}
                      : WorldPair{handles[pair.first], handles[pair.second]};
}

template <class Pair>
void LifeOracle::sort(std::vector<Pair>& list, const Data& data) const {
    if (settings_.order == WorldOrder::slot) return;
    const auto key = [&](const Pair& pair) {
        const std::uint32_t a = pair.a.slot();
        const std::uint32_t b = pair.b.slot();
        return std::tuple(data[a], a, data[b], b);
    };
    std::sort(list.begin(), list.end(), [&](const Pair& x, const Pair& y) { return key(x) < key(y); });
}

void LifeOracle::list_ended(const IndexPair& pair, std::uint64_t value) {
    const WorldPair end = named(pair, known_handles_, known_data_);
    next_events_.ended.push_back({end.a, end.b, value});
}

bool LifeOracle::find_next() {
    search();
    if (next_pairs_.size() > settings_.max_pair_count) return false;
    Events& events = next_events_;
    events.begun_pairs.clear();
    events.begun.clear();
    events.ended.clear();
    events.ended_user_data.clear();
    next_values_.assign(next_pairs_.size(), 0);
    std::size_t before = 0;
    for (std::size_t i = 0; i < next_pairs_.size(); ++i) {
        const IndexPair pair = next_pairs_[i];
        for (; before < pairs_.size() && pairs_[before] < pair; ++before)
            list_ended(pairs_[before], values_[before]);
        const bool was_there = before < pairs_.size() && pairs_[before] == pair;
        const bool persists = was_there && !is_newcomer(pair.first) && !is_newcomer(pair.second);
        if (persists) next_values_[i] = values_[before];
        if (was_there && !persists) list_ended(pair, values_[before]);
        if (!persists) events.begun_pairs.push_back(pair);
        before += was_there ? 1u : 0u;
    }
    for (; before < pairs_.size(); ++before) list_ended(pairs_[before], values_[before]);
    Data data(objects_.size());
    for (std::uint32_t slot = 0; slot < objects_.size(); ++slot) data[slot] = objects_[slot].user_data;
    for (const IndexPair& pair : events.begun_pairs) events.begun.push_back(named(pair, handles_, data));
    sort(events.begun, data);
    sort(events.ended, known_data_);
    for (const EndedPair& pair : events.ended)
        events.ended_user_data.push_back({known_data_[pair.a.slot()], known_data_[pair.b.slot()]});
    return true;
}

void LifeOracle::commit() {
    std::swap(pairs_, next_pairs_);
    std::swap(values_, next_values_);
    std::swap(events_, next_events_);
    known_handles_ = handles_;
    for (std::uint32_t slot = 0; slot < objects_.size(); ++slot) known_data_[slot] = objects_[slot].user_data;
    is_changed_.assign(is_changed_.size(), false);
    changed_count_ = 0;
}

std::vector<WorldPair> LifeOracle::listed_pairs(bool with_begun) const {
    std::vector<WorldPair> list;
    std::size_t next = 0;
    for (const IndexPair& pair : pairs_) {
        const bool is_begun = next < events_.begun_pairs.size() && events_.begun_pairs[next] == pair;
        next += is_begun ? 1u : 0u;
        if (with_begun || !is_begun) list.push_back(named(pair, known_handles_, known_data_));
    }
    sort(list, known_data_);
    return list;
}

std::vector<ObjectHandle> LifeOracle::pairs_of(ObjectHandle handle) const {
    std::vector<ObjectHandle> others;
    const std::uint32_t slot = handle.slot();
    if (slot >= known_handles_.size() || handle.is_null() || known_handles_[slot] != handle) return others;
    for (const IndexPair& pair : pairs_) {
        if (pair.first == slot) others.push_back(known_handles_[pair.second]);
        if (pair.second == slot) others.push_back(known_handles_[pair.first]);
    }
    const bool is_by_data = settings_.order == WorldOrder::user_data;
    std::sort(others.begin(), others.end(), [&](ObjectHandle a, ObjectHandle b) {
        const std::uint64_t data_a = is_by_data ? known_data_[a.slot()] : 0;
        const std::uint64_t data_b = is_by_data ? known_data_[b.slot()] : 0;
        return std::pair(data_a, a.slot()) < std::pair(data_b, b.slot());
    });
    return others;
}

}  // namespace broadside::test
