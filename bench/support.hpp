// Common to every suite: names, the ISA of a run, and the counter per item.
#pragma once

#include <broadside/isa.hpp>

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

namespace broadside::bench {

/// "folder/algorithm/scene/count/isa".
inline std::string benchmark_name(const std::string& algorithm, const std::string& scene, std::size_t count,
                                  Isa isa) {
    return algorithm + "/" + scene + "/" + std::to_string(count) + "/" + isa_name(isa);
}

/// Memory that begins a cache line, so that rows of two ISAs do not differ by the alignment of an array.
template <class T>
struct CacheLineAllocator {
    using value_type = T;
    CacheLineAllocator() = default;
    template <class U>
    CacheLineAllocator(const CacheLineAllocator<U>&) {}
    T* allocate(std::size_t count) {
        return static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{64}));
    }
    void deallocate(T* memory, std::size_t) { ::operator delete (memory, std::align_val_t{64}); }
    friend bool operator==(const CacheLineAllocator&, const CacheLineAllocator&) { return true; }
};
template <class T>
using LineVector = std::vector<T, CacheLineAllocator<T>>;

/// Makes `isa` active for the benchmark that runs.
inline void use_isa(Isa isa) {
    if (set_active_isa(isa) != Status::ok) std::abort();
}

/// Ends the program if a kernel's result is not the scalar one: the time of a wrong result is worthless.
inline void require_same(bool is_same, const std::string& name) {
    if (is_same) return;
    std::fprintf(stderr, "%s: the result differs from the scalar reference\n", name.c_str());
    std::exit(1);
}

/// For a peer whose result differs from ours in some of `count` tests: the row says in how many. Returns
/// false, with an error in the row, beyond one in a thousand.
inline bool report_differing(benchmark::State& state, std::size_t differing_count, std::size_t count) {
    const std::string text =
        std::to_string(differing_count) + " of " + std::to_string(count) + " answers differ";
    if (differing_count > count / 1000 + 1) {
        state.SkipWithError(text.c_str());
        return false;
    }
    state.counters["differing"] = static_cast<double>(differing_count);
    if (differing_count != 0) state.SetLabel(text);
    return true;
}

/// Adds the counter "per_<item>": the time for each of `count` items of an iteration, in seconds, which the
/// console shows as nanoseconds.
inline void count_items(benchmark::State& state, const char* item, std::size_t count) {
    state.counters[std::string("per_") + item] =
        benchmark::Counter(static_cast<double>(count),
                           benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

}  // namespace broadside::bench
