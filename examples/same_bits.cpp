// A game that ends the same everywhere: the page docs/determinism.md, as a program.
#include <broadside/isa.hpp>
#include <broadside/world.hpp>

#include <cstdio>
#include <vector>

using namespace broadside;

// One run of a world: objects are known by numbers that all machines of a match share. The result depends on
// the input alone.
std::uint64_t play(Isa isa, bool is_reversed, std::vector<std::byte>* out_snapshot) {
    if (set_active_isa(isa) != Status::ok) return 0;
    World world({.order = WorldOrder::user_data});
    std::vector<ObjectHandle> handles(64);
    for (std::uint32_t i = 0; i < 64; ++i) {
        const std::uint32_t id = is_reversed ? 63 - i : i;
        const float x = 0.75f * static_cast<float>(id);
        handles[id] = world.add({.box = {{x, 0, 0}, {x + 1, 1, 1}}, .user_data = id});
    }
    std::uint64_t hash = 0;
    for (int frame = 0; frame < 20; ++frame) {
        for (std::uint32_t id = 0; id < 64; id += 3) {
            const float x = 0.75f * static_cast<float>(id) + 0.03125f * static_cast<float>(frame);
            if (world.set_box(handles[id], {{x, 0, 0}, {x + 1, 1, 1}}) != Status::ok) return 0;
        }
        if (world.update().status != Status::ok) return 0;
        // Two machines compare this after each frame; the first that differs is where they diverged.
        hash = hash * 31 + world.pairs_hash();
    }
    if (out_snapshot != nullptr) {
        out_snapshot->resize(world.snapshot_bytes());
        if (world.save(*out_snapshot) != Status::ok) return 0;
    }
    return hash;
}

int main() {
    std::vector<std::byte> snapshot;
    const std::uint64_t expected = play(Isa::scalar, false, &snapshot);
    for (const Isa isa : supported_isas()) {
        // Another order of insertion, another instruction set: the same pairs in the same order.
        if (play(isa, true, nullptr) != expected) return 1;
    }

    // A late joiner continues from the bytes.
    World joined;
    if (joined.restore(snapshot) != Status::ok) return 1;
    if (joined.update().status != Status::ok) return 1;
    std::printf("the same hash on every instruction set; %zu pairs restored\n", joined.pair_count());
}
