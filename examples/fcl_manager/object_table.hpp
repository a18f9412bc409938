// Maps an object to its indices.
#pragma once

#include <fcl/narrowphase/collision_object.h>

#include <cstdint>
#include <vector>

namespace fcl_example {

/// A hash table with open addressing. An object may be in it with several indices.
class ObjectTable {
public:
    using Object = fcl::CollisionObject<double>;

    /// Makes room for this many entries, so that `insert` throws nothing.
    void reserve(std::size_t count) {
        if (2 * count <= entries_.size()) return;
        std::size_t size = 16;
        while (size < 2 * count) size *= 2;
        std::vector<Entry> old(size);
        old.swap(entries_);
        for (const Entry& entry : old) {
            if (entry.object != nullptr) put(entry);
        }
    }
    /// The object is not null; there must be room.
    void insert(const Object* object, std::uint32_t index) { put({object, index}); }
    void erase(const Object* object, std::uint32_t index) {
        std::size_t hole = home_of(object);
        while (entries_[hole].object != object || entries_[hole].index != index) hole = after(hole);
        // Entries behind it move nearer to their homes, so that no search ends at the hole before them.
        for (std::size_t k = after(hole); entries_[k].object != nullptr; k = after(k)) {
            const std::size_t way = (k - home_of(entries_[k].object)) & mask();
            if (way < ((k - hole) & mask())) continue;
            entries_[hole] = entries_[k];
            hole = k;
        }
        entries_[hole] = {};
    }
    void clear() { entries_.assign(entries_.size(), {}); }

    /// Calls `visit(index)` for each index of the object.
    template <class Visit>
    void for_each(const Object* object, Visit&& visit) const {
        if (entries_.empty() || object == nullptr) return;
        for (std::size_t k = home_of(object); entries_[k].object != nullptr; k = after(k)) {
            if (entries_[k].object == object) visit(entries_[k].index);
        }
    }

private:
    struct Entry {
        const Object* object = nullptr;
        std::uint32_t index = 0;
    };

    std::size_t mask() const { return entries_.size() - 1; }
    std::size_t after(std::size_t k) const { return (k + 1) & mask(); }
    std::size_t home_of(const Object* object) const {
        // Fibonacci hashing; the upper half of the product, because the lower bits of pointers are alike.
        return (reinterpret_cast<std::uintptr_t>(object) * 0x9E3779B97F4A7C15u >> 32) & mask();
    }
    void put(const Entry& entry) {
        std::size_t k = home_of(entry.object);
        while (entries_[k].object != nullptr) k = after(k);
        entries_[k] = entry;
    }

    // A power of two, at most half of them in use.
    std::vector<Entry> entries_;
};

}  // namespace fcl_example
