// The forms in which pairs alive are stored, and their queries.
#include "broadphase/src/world/pairs/pair_store.hpp"

#include "broadphase/src/lists/reserve_amply.hpp"
#include "broadphase/src/lists/shrink_to_fit.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

namespace broadside::broadphase {

PairStore::PairStore(const ObjectTable& objects, BoxScratch& scratch, const Allocator& allocator) noexcept
    : objects_(objects),
      scratch_(scratch),
      allocator_(allocator),
      list_(allocator),
      values_(allocator),
      object_pairs_(allocator),
      candidates_(allocator),
      events_(allocator),
      ended_data_(allocator),
      next_list_(allocator),
      next_values_(allocator),
      next_events_(allocator),
      next_ended_pairs_(allocator),
      parts_(allocator) {}

bool PairStore::put_in_list() noexcept {
    if (form_ == Form::list) return true;
    bool has_memory = true;
    if (form_ == Form::candidates) {
        has_memory = candidates_.write_known(list_, scratch_.pairs.order);
    } else {
        // One more, because all entries are written, and those with the larger slot first are overwritten.
        has_memory = list_.resize(count() + 1) && values_.resize(has_values_ ? count() + 1 : 0);
        std::size_t written = 0;
        const auto write = [&](const IndexPair& pair, std::uint64_t value) {
            list_.data()[written] = pair;
            if (has_values_) values_.data()[written] = value;
            written += pair.first < pair.second ? 1 : 0;
        };
        if (has_memory) object_pairs_.for_each_entry(write);
        has_memory = has_memory && list_.resize(written) && values_.resize(has_values_ ? written : 0);
    }
    if (!has_memory) {
        list_.clear();
        values_.clear();
        return false;
    }
    object_pairs_.clear();
    form_ = Form::list;
    return true;
}

bool PairStore::put_by_object() noexcept {
    if (form_ == Form::by_object) return true;
    if (!put_in_list()) return false;
    candidates_.clear();
    if (!object_pairs_.build({objects_.known_generations.data(), objects_.slot_count()},
                             {list_.data(), list_.size()}, has_values_, values_.data())) {
        return false;
    }
    list_.clear();
    values_.clear();
    form_ = Form::by_object;
    return true;
}

std::uint64_t* PairStore::value_of(ObjectHandle a, ObjectHandle b) noexcept {
    if (a.slot() > b.slot()) std::swap(a, b);
    if (!has_values_) {
        if (!objects_.is_known(a) || !objects_.is_known(b)) return nullptr;
        if (form_ != Form::by_object && !put_in_list()) return nullptr;
        if (!holds({a.slot(), b.slot()}) || !keep_values()) return nullptr;
    }
    return const_cast<std::uint64_t*>(std::as_const(*this).value_of(a, b));
}

const std::uint64_t* PairStore::value_of(ObjectHandle a, ObjectHandle b) const noexcept {
    if (!has_values_ || !objects_.is_known(a) || !objects_.is_known(b)) return nullptr;
    const IndexPair wanted = {std::min(a.slot(), b.slot()), std::max(a.slot(), b.slot())};
    if (form_ == Form::by_object) return object_pairs_.value(wanted);
    const IndexPair* const found = std::lower_bound(list_.begin(), list_.end(), wanted);
    return found != list_.end() && *found == wanted ? values_.data() + (found - list_.begin()) : nullptr;
}

bool PairStore::holds(const IndexPair& pair) const noexcept {
    return form_ == Form::by_object ? object_pairs_.holds(pair)
                                    : std::binary_search(list_.begin(), list_.end(), pair);
}

bool PairStore::keep_values() noexcept {
    if (has_values_) return true;
    if (form_ == Form::by_object) {
        has_values_ = object_pairs_.keep_values();
    } else if (values_.resize(list_.size())) {
        std::fill(values_.begin(), values_.end(), 0);
        has_values_ = true;
    }
    return has_values_;
}

std::optional<std::span<const IndexPair>> PairStore::all(
    PairBuffer& out_told, AlignedArray<std::byte>& sort_memory) const noexcept {
    if (form_ == Form::list) return std::span(list_.data(), list_.size());
    if (form_ == Form::candidates ? !candidates_.write_known(out_told, sort_memory)
                                  : !resize_amply(out_told, count())) {
        return std::nullopt;
    }
    IndexPair* out = out_told.data();
    if (form_ == Form::by_object)
        object_pairs_.for_each([&](const IndexPair& pair, std::uint64_t) { *out++ = pair; });
    return std::span<const IndexPair>(out_told.data(), out_told.size());
}

void PairStore::rehash() noexcept {
    // Two steps on: no order follows from the one before.
    ++version_;
    hash_ = 0;
    const std::uint64_t* const data = objects_.known_user_data.data();
    const bool is_done =
        for_each([&](const IndexPair& pair, std::uint64_t) { hash_ += hash_of(known_pair(pair), data); });
    BROADSIDE_ASSERT(is_done, "rehash: pairs are bits of candidates");
    (void)is_done;
}

bool PairStore::note_filled() noexcept {
    const std::size_t slot_count = objects_.slot_count();
    for (const IndexPair& pair : list_) {
        if (pair.first >= slot_count || pair.second >= slot_count) return false;
    }
    has_values_ = std::any_of(values_.begin(), values_.end(), [](std::uint64_t value) { return value != 0; });
    if (!has_values_) values_.release();
    return true;
}

bool PairStore::is_sound() const noexcept {
    if (count() > count_max()) return false;
    if (form_ == Form::candidates && (has_values_ || !candidates_.are_known())) return false;
    if (form_ != Form::list && !list_.is_empty()) return false;
    if (form_ == Form::by_object ? !object_pairs_.is_consistent() : object_pairs_.pair_count() != 0)
        return false;
    bool is_good = true;
    std::size_t counted = 0;
    IndexPair before = {0, 0};
    const Changes& changes = objects_.changes;
    const bool is_told = for_each([&](const IndexPair& pair, std::uint64_t) {
        ++counted;
        // No pair begins with two equal slots, so the first one is above the initial {0, 0}.
        const bool is_pair = pair.first < pair.second && pair.second < objects_.slot_count() && before < pair;
        before = pair;
        is_good = is_good && is_pair;
        if (!is_good) return;
        is_good = objects_.known_generations[pair.first] % 2 == 1 &&
                  objects_.known_generations[pair.second] % 2 == 1;
        const bool is_settled = !changes.holds(pair.first) && !changes.holds(pair.second);
        const BoxSoaView boxes = objects_.boxes(false);
        if (is_settled && (!overlap(boxes[pair.first], boxes[pair.second]) ||
                           !objects_.may_pair(pair.first, pair.second))) {
            is_good = false;
        }
    });
    // Without memory for a list the pairs are trusted.
    return is_good && (!is_told || counted == count());
}

bool PairStore::are_complete() const noexcept {
    BoxScratch scratch(allocator_);
    PairBuffer found(allocator_);
    PairBuffer alive(allocator_);
    // Without memory or an ISA the pairs are trusted.
    if (find_pairs(objects_.boxes(true), {}, scratch, found).status != Status::ok || !alive.reserve(count()))
        return true;
    const auto is_settled = [&](const IndexPair& pair) {
        return !objects_.changes.holds(pair.first) && !objects_.changes.holds(pair.second);
    };
    const bool is_told = for_each([&](const IndexPair& pair, std::uint64_t) {
        if (is_settled(pair)) (void)alive.push_back(pair);
    });
    if (!is_told) return true;
    const IndexPair* next = alive.begin();
    for (const IndexPair& pair : found) {
        if (!is_settled(pair) || !objects_.may_pair(pair.first, pair.second)) continue;
        if (next == alive.end() || *next++ != pair) return false;
    }
    return next == alive.end();
}

std::size_t PairStore::capacity_bytes() const noexcept {
    std::size_t bytes = 0;
    const auto add = [&](const auto&... parts) { bytes += (parts.capacity_bytes() + ...); };
    add(list_, values_, object_pairs_, candidates_, events_, ended_data_, next_list_, next_values_,
        next_events_, next_ended_pairs_, parts_);
    return bytes;
}

void PairStore::release_lists() noexcept {
    const auto release = [](auto&... arrays) { (arrays.release(), ...); };
    release(next_list_, next_events_.begun_pairs, next_events_.begun, next_events_.ended);
    if (form_ == Form::candidates) list_.release();
    const auto fit = [](auto&... arrays) { (shrink_to_fit(arrays), ...); };
    fit(list_, values_, events_.begun_pairs, events_.begun, events_.ended, ended_data_);
}

// Data that the next update or query rebuilds is dropped; the rest moves to memory of its size.
void PairStore::shrink() noexcept {
    if (put_in_list()) {
        object_pairs_.release();
        std::destroy_at(&candidates_);
        new (&candidates_) StaggeredPairs(allocator_);
    }
    const auto release = [](auto&... arrays) { (arrays.release(), ...); };
    release(next_values_, next_ended_pairs_, parts_);
    release_lists();
}

}  // namespace broadside::broadphase
