// An array that ends where an unreadable page begins: one byte read or written past it crashes the test.
#pragma once

#if defined(_WIN32)
// Declared here, not by windows.h, whose macros take names away.
extern "C" {
__declspec(dllimport) void* __stdcall VirtualAlloc(void*, unsigned long long, unsigned long, unsigned long);
__declspec(dllimport) int __stdcall VirtualProtect(void*, unsigned long long, unsigned long, unsigned long*);
__declspec(dllimport) int __stdcall VirtualFree(void*, unsigned long long, unsigned long);
}
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace broadside::test {

/// Memory of whole pages, the last of which is unreadable.
class GuardedPages {
public:
    explicit GuardedPages(std::size_t byte_count) {
#if defined(_WIN32)
        constexpr std::size_t kPage = 4096;
        constexpr unsigned long kReserveAndCommit = 0x3000, kReadWrite = 0x04, kNoAccess = 0x01;
        data_bytes_ = (byte_count + kPage - 1) / kPage * kPage;
        map_ = VirtualAlloc(nullptr, data_bytes_ + kPage, kReserveAndCommit, kReadWrite);
        unsigned long before = 0;
        if (map_ == nullptr || VirtualProtect(end(), kPage, kNoAccess, &before) == 0) std::abort();
#else
        static const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        data_bytes_ = (byte_count + page - 1) / page * page;
        map_bytes_ = data_bytes_ + page;
        const std::size_t page_count = data_bytes_ / page;
        if (page_count < kPooledPages && !pool().maps[page_count].empty()) {
            map_ = pool().maps[page_count].back();
            pool().maps[page_count].pop_back();
            std::memset(map_, 0, data_bytes_);
            return;
        }
        map_ = mmap(nullptr, map_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (map_ == MAP_FAILED || mprotect(end(), page, PROT_NONE) != 0) std::abort();
#endif
    }
    GuardedPages(const GuardedPages&) = delete;
    GuardedPages& operator=(const GuardedPages&) = delete;
    ~GuardedPages() {
#if defined(_WIN32)
        constexpr unsigned long kRelease = 0x8000;
        (void)VirtualFree(map_, 0, kRelease);
#else
        // Read after this, it is NaN.
        const std::size_t page_count = data_bytes_ / (map_bytes_ - data_bytes_);
        if (page_count < kPooledPages && pool().maps[page_count].size() < kPooledMaps) {
            std::memset(map_, 0xFF, data_bytes_);
            pool().maps[page_count].push_back(map_);
            return;
        }
        munmap(map_, map_bytes_);
#endif
    }

    /// The beginning of the unreadable page.
    void* end() const { return static_cast<char*>(map_) + data_bytes_; }

private:
#if !defined(_WIN32)
    // Small maps of each size are kept: to ask the system for each and to give it back was 19 parts in 20 of the
    // time of tests with many small arrays.
    static constexpr std::size_t kPooledPages = 17;
    static constexpr std::size_t kPooledMaps = 64;
    struct Pool {
        std::vector<void*> maps[kPooledPages];
        ~Pool() {
            const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
            for (std::size_t page_count = 0; page_count < kPooledPages; ++page_count)
                for (void* const map : maps[page_count]) munmap(map, (page_count + 1) * page);
        }
    };
    static Pool& pool() {
        thread_local Pool pool;
        return pool;
    }
#endif

    std::size_t data_bytes_ = 0;
    std::size_t map_bytes_ = 0;
    void* map_ = nullptr;
};

template <class T>
class GuardedArray {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    explicit GuardedArray(std::size_t count) : count_(count), pages_(count * sizeof(T)) {}
    template <class Range>
    requires requires(const Range& range) { std::data(range); }
    explicit GuardedArray(const Range& values) : GuardedArray(std::size(values)) {
        if (count_ != 0) std::memcpy(data(), std::data(values), count_ * sizeof(T));
    }

    T* data() { return static_cast<T*>(pages_.end()) - count_; }
    const T* data() const { return const_cast<GuardedArray*>(this)->data(); }
    std::size_t size() const { return count_; }
    std::span<T> span() { return {data(), count_}; }
    T& operator[](std::size_t index) { return data()[index]; }

private:
    std::size_t count_ = 0;
    GuardedPages pages_;
};

}  // namespace broadside::test
