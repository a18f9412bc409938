// Reads one scene file and prints the peak of allocated bytes; reading_costs_test.py calls it.
#include <broadside/scene_io/scene.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace {

// In front of each block, which stays aligned for every type.
constexpr std::size_t kSizeBytes = alignof(std::max_align_t);
std::size_t live_bytes = 0;
std::size_t peak_bytes = 0;

}  // namespace

void* operator new(std::size_t bytes) {
    void* const block = std::malloc(kSizeBytes + bytes);
    if (block == nullptr) throw std::bad_alloc();
    *static_cast<std::size_t*>(block) = bytes;
    live_bytes += bytes;
    peak_bytes = std::max(peak_bytes, live_bytes);
    return static_cast<char*>(block) + kSizeBytes;
}
void operator delete(void* memory) noexcept {
    if (memory == nullptr) return;
    void* const block = static_cast<char*>(memory) - kSizeBytes;
    live_bytes -= *static_cast<std::size_t*>(block);
    std::free(block);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

// read_scene FILE [BYTES]: with BYTES, a recording within that limit.
int main(int argc, char** argv) {
    using namespace broadside::scene_io;
    if (argc < 2) return 2;
    std::string error;
    if (argc > 2) {
        const auto recording = read_boxrec(argv[1], {.max_total_bytes = std::strtoull(argv[2], nullptr, 10)});
        if (!recording) error = recording.error().message;
    } else {
        const auto scene = load_scene(argv[1]);
        if (!scene) error = scene.error().message;
    }
    std::printf("%zu %s\n", peak_bytes, error.c_str());
    return error.empty() ? 0 : 1;
}
