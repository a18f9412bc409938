// Lookups between two updates, from any thread: the pairs of an object, and lists of all pairs by handle.
#pragma once

#include "broadphase/src/world/pairs/pair_store.hpp"

#include <atomic>
#include <mutex>

namespace broadside::broadphase {

/// The first call after an update makes each list, under a lock; others read it. A list that is never
/// requested is never made, and no update waits for one: the store's version says what is current.
class PairLookup {
public:
    PairLookup(const ObjectTable& objects, const PairStore& pairs, const Allocator& allocator) noexcept;
    PairLookup(const PairLookup&) = delete;
    PairLookup& operator=(const PairLookup&) = delete;

    /// In canonical order; none if the handle named nothing in the last update, or if out of memory.
    std::span<const ObjectHandle> pairs_of(ObjectHandle handle) noexcept;
    /// By handle, with or without the begun pairs; none if out of memory.
    std::span<const WorldPair> list(bool with_begun) noexcept;
    /// User data of each begun pair; none if out of memory.
    std::span<const PairUserData> begun_user_data() noexcept;

    std::size_t capacity_bytes() noexcept;
    void release() noexcept;

private:
    /// Version 0 means that nothing is made.
    struct NamedList {
        AlignedArray<WorldPair> pairs;
        std::atomic<std::uint64_t> version = 0;
    };

    template <class Make>
    bool bring_up_to_date(std::atomic<std::uint64_t>& state_version, Make&& make) noexcept;
    bool bring_rows(std::uint64_t made) noexcept;
    bool follow_events() noexcept;
    bool build_rows() noexcept;
    bool write_names(bool with_begun) noexcept;

    const ObjectTable& objects_;
    const PairStore& pairs_;
    std::mutex mutex_;
    // Used if the store's own are not suitable.
    ObjectPairs rows_;
    std::atomic<std::uint64_t> rows_version_ = 0;
    NamedList named_;
    NamedList persisting_;
    AlignedArray<PairUserData> begun_data_;
    std::atomic<std::uint64_t> begun_version_ = 0;
    // Working memory.
    PairBuffer told_;
    AlignedArray<std::byte> sort_memory_;
};

}  // namespace broadside::broadphase
