// An engine's own structs, memory and errors: the page docs/embedding.md, as a program.
#include <broadside/box_soa.hpp>
#include <broadside/find_pairs.hpp>

#include <cstddef>
#include <cstdio>
#include <new>
#include <vector>

using namespace broadside;

// A stand-in for the engine's own struct, with a box somewhere in it.
struct Body {
    int id = 0;
    float mass = 1;
    float min[3] = {};
    float max[3] = {};
};

// The engine's memory, which it counts. It may return null: the call then returns out_of_memory.
struct Heap {
    std::size_t allocation_count = 0;
    std::size_t bytes_used = 0;
};
void* allocate(std::size_t bytes, std::size_t alignment, void* user) noexcept {
    Heap& heap = *static_cast<Heap*>(user);
    ++heap.allocation_count;
    heap.bytes_used += bytes;
    return ::operator new(bytes, std::align_val_t(alignment), std::nothrow);
}
void deallocate(void* memory, std::size_t bytes, std::size_t alignment, void* user) noexcept {
    static_cast<Heap*>(user)->bytes_used -= bytes;
    ::operator delete(memory, std::align_val_t(alignment));
}

// The target of pairs: the engine's own contact cache, a block at a time.
struct Contacts {
    std::size_t count = 0;
};
bool take_pairs(void* user, std::span<const IndexPair> pairs) noexcept {
    for (const IndexPair pair : pairs) {
        if (pair.first < pair.second) ++static_cast<Contacts*>(user)->count;
    }
    // True to go on; false would end the search.
    return true;
}

int main() {
    Heap heap;
    const Allocator allocator = {&allocate, &deallocate, &heap};
    BoxSoa boxes(allocator);
    BoxScratch scratch(allocator);
    Contacts contacts;
    const PairSink sink = {&take_pairs, &contacts};

    std::vector<Body> bodies(1000);
    std::size_t warm_count = 0;
    for (int frame = 0; frame < 10; ++frame) {
        for (int i = 0; i < 1000; ++i) {
            const float x = static_cast<float>(i) + 0.01f * static_cast<float>(frame);
            bodies[static_cast<std::size_t>(i)] = {.id = i, .min = {x, 0, 0}, .max = {x + 1.5f, 1, 1}};
        }
        // The boxes stay in the engine's structs: one pass copies them into arrays.
        const BoxAosView view = {.data = bodies.data(),
                                 .stride_bytes = sizeof(Body),
                                 .min_offset_bytes = offsetof(Body, min),
                                 .max_offset_bytes = offsetof(Body, max),
                                 .count = bodies.size()};
        if (boxes.assign(view) != Status::ok) return 1;

        contacts.count = 0;
        const FindPairsResult found = find_pairs(boxes, FindPairsSettings{}, scratch, sink);
        if (found.status != Status::ok) {
            std::fprintf(stderr, "find_pairs: %s\n", status_name(found.status));
            return 1;
        }
        // Frames 0 and 1 allocated memory; later frames allocate none.
        if (frame == 1) warm_count = heap.allocation_count;
    }
    std::printf("%zu pairs, %zu allocations in eight frames\n", contacts.count,
                heap.allocation_count - warm_count);

    // A full buffer returns the number that was needed, and holds as many pairs as fit.
    IndexPair few[10];
    const FindPairsResult cut = find_pairs(boxes, FindPairsSettings{}, scratch, std::span<IndexPair>(few));
    std::printf("%s: %zu of %zu\n", status_name(cut.status), cut.written, cut.required);
}
