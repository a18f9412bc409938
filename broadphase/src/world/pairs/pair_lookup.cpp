// The pairs of an object, which follow the events of updates, and lists of all pairs by handle.
#include "broadphase/src/world/pairs/pair_lookup.hpp"

#include "broadphase/src/lists/reserve_amply.hpp"
#include "broadphase/src/thresholds.hpp"
#include "core/src/zones.hpp"

#include <algorithm>

namespace broadside::broadphase {

PairLookup::PairLookup(const ObjectTable& objects, const PairStore& pairs,
                       const Allocator& allocator) noexcept
    : objects_(objects),
      pairs_(pairs),
      rows_(allocator),
      named_{AlignedArray<WorldPair>(allocator)},
      persisting_{AlignedArray<WorldPair>(allocator)},
      begun_data_(allocator),
      told_(allocator),
      sort_memory_(allocator) {}

// A thread that reads the store's version here reads a complete list, which stays until the next update.
template <class Make>
bool PairLookup::bring_up_to_date(std::atomic<std::uint64_t>& state_version, Make&& make) noexcept {
    const std::uint64_t version = pairs_.version();
    if (state_version.load(std::memory_order_acquire) == version) return true;
    const std::lock_guard lock(mutex_);
    const std::uint64_t made = state_version.load(std::memory_order_relaxed);
    if (made == version) return true;
    state_version.store(0, std::memory_order_relaxed);
    if (!make(made)) return false;
    state_version.store(version, std::memory_order_release);
    return true;
}

std::span<const ObjectHandle> PairLookup::pairs_of(ObjectHandle handle) noexcept {
    if (!objects_.is_known(handle)) return {};
    const ObjectPairs* const stored = pairs_.by_object();
    if (stored != nullptr && objects_.settings.order == WorldOrder::slot) return stored->of(handle.slot());
    return bring_up_to_date(rows_version_, [&](std::uint64_t made) { return bring_rows(made); })
               ? rows_.of(handle.slot())
               : std::span<const ObjectHandle>();
}

bool PairLookup::bring_rows(std::uint64_t made) noexcept {
    BROADSIDE_ZONE("world/pairs of objects");
    const std::size_t event_count = pairs_.begun_pairs().size() + pairs_.ended().size();
    const bool are_few = event_count <= pairs_.count() / thresholds().updates.pairs_per_followed_event;
    return made != 0 && made + 1 == pairs_.version() && are_few ? follow_events() : build_rows();
}

bool PairLookup::follow_events() noexcept {
    const std::span<const IndexPair> begun = pairs_.begun_pairs();
    if (!rows_.grow(objects_.slot_count()) || !rows_.reserve(begun)) return build_rows();
    const std::span<const EndedPair> ended = pairs_.ended();
    for (auto pair = ended.rbegin(); pair != ended.rend(); ++pair)
        rows_.remove({std::min(pair->a.slot(), pair->b.slot()), std::max(pair->a.slot(), pair->b.slot())});
    for (const IndexPair& pair : begun)
        rows_.insert(pair, objects_.known_handle(pair.first), objects_.known_handle(pair.second));
    return true;
}

bool PairLookup::build_rows() noexcept {
    const bool by_slot = objects_.settings.order == WorldOrder::slot;
    rows_.set_order(by_slot ? nullptr : &objects_.known_user_data);
    const std::optional<std::span<const IndexPair>> all = pairs_.all(told_, sort_memory_);
    return all &&
           rows_.build({objects_.known_generations.data(), objects_.slot_count()}, *all, false, nullptr);
}

std::span<const WorldPair> PairLookup::list(bool with_begun) noexcept {
    NamedList& state_list = with_begun ? named_ : persisting_;
    if (!bring_up_to_date(state_list.version, [&](std::uint64_t) { return write_names(with_begun); }))
        return {};
    return {state_list.pairs.data(), state_list.pairs.size()};
}

std::span<const PairUserData> PairLookup::begun_user_data() noexcept {
    const auto write = [&](std::uint64_t) {
        const std::span<const WorldPair> begun = pairs_.begun();
        // An object that was removed since the update has it nowhere else.
        const auto data_of = [&](ObjectHandle object) {
            return (objects_.is_alive(object) ? objects_.user_data : objects_.known_user_data)[object.slot()];
        };
        if (!resize_amply(begun_data_, begun.size())) return false;
        std::transform(begun.begin(), begun.end(), begun_data_.begin(), [&](const WorldPair& pair) {
            return PairUserData{data_of(pair.a), data_of(pair.b)};
        });
        return true;
    };
    if (!bring_up_to_date(begun_version_, write)) return {};
    return {begun_data_.data(), begun_data_.size()};
}

bool PairLookup::write_names(bool with_begun) noexcept {
    BROADSIDE_ZONE("world/names of pairs");
    AlignedArray<WorldPair>& names = (with_begun ? named_ : persisting_).pairs;
    const std::span<const IndexPair> begun = pairs_.begun_pairs();
    const std::optional<std::span<const IndexPair>> all = pairs_.all(told_, sort_memory_);
    if (!all || !resize_amply(names, all->size() - (with_begun ? 0 : begun.size()))) return false;
    std::size_t next = 0;
    std::size_t written = 0;
    for (const IndexPair& pair : *all) {
        const bool is_begun = next < begun.size() && begun[next] == pair;
        next += is_begun ? 1u : 0u;
        if (!is_begun || with_begun) names.data()[written++] = pairs_.known_pair(pair);
    }
    pairs_.sort(names, objects_.known_user_data.data());
    return true;
}

std::size_t PairLookup::capacity_bytes() noexcept {
    const std::lock_guard lock(mutex_);
    return rows_.capacity_bytes() + named_.pairs.capacity_bytes() + persisting_.pairs.capacity_bytes() +
           begun_data_.capacity_bytes() + told_.capacity_bytes() + sort_memory_.capacity_bytes();
}

void PairLookup::release() noexcept {
    rows_.release();
    const auto release = [](auto&... arrays) { (arrays.release(), ...); };
    release(named_.pairs, persisting_.pairs, begun_data_, told_, sort_memory_);
    for (std::atomic<std::uint64_t>* version :
         {&rows_version_, &named_.version, &persisting_.version, &begun_version_})
        version->store(0, std::memory_order_relaxed);
}

}  // namespace broadside::broadphase
