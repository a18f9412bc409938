// An array that ends where an unreadable page begins: one byte read or written past it crashes the test.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <span>
#include <type_traits>

namespace broadside::test {

template <class T>
class GuardedArray {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    explicit GuardedArray(std::size_t count) : count_(count) {
        const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        data_bytes_ = (count * sizeof(T) + page - 1) / page * page;
        map_bytes_ = data_bytes_ + page;
        map_ = mmap(nullptr, map_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (map_ == MAP_FAILED) std::abort();
        if (mprotect(static_cast<char*>(map_) + data_bytes_, page, PROT_NONE) != 0) std::abort();
    }
    template <class Range>
    requires requires(const Range& range) { std::data(range); }
    explicit GuardedArray(const Range& values) : GuardedArray(std::size(values)) {
        if (count_ != 0) std::memcpy(data(), std::data(values), count_ * sizeof(T));
    }
    GuardedArray(const GuardedArray&) = delete;
    GuardedArray& operator=(const GuardedArray&) = delete;
    ~GuardedArray() { munmap(map_, map_bytes_); }

    T* data() { return reinterpret_cast<T*>(static_cast<char*>(map_) + data_bytes_) - count_; }
    const T* data() const { return const_cast<GuardedArray*>(this)->data(); }
    std::size_t size() const { return count_; }
    std::span<T> span() { return {data(), count_}; }
    T& operator[](std::size_t index) { return data()[index]; }

private:
    std::size_t count_ = 0;
    std::size_t data_bytes_ = 0;
    std::size_t map_bytes_ = 0;
    void* map_ = nullptr;
};

}  // namespace broadside::test
