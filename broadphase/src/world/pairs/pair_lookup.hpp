// Answers between two updates, to any thread: the pairs of an object, and lists of all pairs by name.
#pragma once

#include "broadphase/src/world/pairs/pair_store.hpp"

#include <atomic>
#include <mutex>

namespace broadside::broadphase {

/// Each list is made by the first who asks after an update, under a lock; the others read what is there. Nothing is made
/// of what nobody asks for, and no update waits for it: the store's version tells what is current.
class PairLookup {
public:
    PairLookup(const ObjectTable& objects, const PairStore& pairs, const Allocator& allocator) noexcept;
    PairLookup(const PairLookup&) = delete;
    PairLookup& operator=(const PairLookup&) = delete;

    /// In canonical order; none when the handle named nothing in the last update, or there is no memory.
    std::span<const ObjectHandle> pairs_of(ObjectHandle handle) noexcept;
    /// By name, with or without those that begun; none when there is no memory.
    std::span<const WorldPair> list(bool with_begun) noexcept;
    /// Of the objects of each pair that begun; none when there is no memory.
    std::span<const PairUserData> begun_user_data() noexcept;

    std::size_t capacity_bytes() noexcept;
    void release() noexcept;

private:
    /// Version 0 says that nothing is made.
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
    // Where the store's own will not do.
    ObjectPairs rows_;
    std::atomic<std::uint64_t> rows_version_ = 0;
    NamedList named_;
    NamedList persisting_;
    AlignedArray<PairUserData> begun_data_;
    std::atomic<std::uint64_t> begun_version_ = 0;
    // For what makes them.
    PairBuffer told_;
    AlignedArray<std::byte> sort_memory_;
};

}  // namespace broadside::broadphase
