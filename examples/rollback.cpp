// Two peers that know each other's inputs three frames late: each guesses, and rolls back where it guessed wrong. The
// code of docs/recipes.md.
#include <broadside/world.hpp>

#include <array>
#include <cstdio>
#include <vector>

using namespace broadside;

namespace {

constexpr int kFrameCount = 60;
constexpr int kDelay = 3;

// The input of a player in a frame: its step along x. On another machine it comes over the network.
float input(int player, int frame) { return (frame / 5 + player) % 3 == 0 ? 0.25f : -0.125f; }

struct Peer {
    explicit Peer(int own_player) : own(own_player) {
        for (std::uint32_t i = 0; i < 2; ++i) {
            handles[i] = world.add({.box = box(x[i]), .user_data = i});
        }
    }

    static Aabb box(float x) { return {{x, 0, 0}, {x + 1, 1, 1}}; }

    // One frame: the state is the world, `x` and how often the players bumped. The state before it is kept.
    bool step(int frame) {
        const auto at = static_cast<std::size_t>(frame);
        snapshots[at].resize(world.snapshot_bytes());
        if (world.save(snapshots[at]) != Status::ok) return false;
        x_before[at] = x;
        bumps_before[at] = bump_count;
        for (std::size_t i = 0; i < 2; ++i) {
            x[i] += inputs[at][i];
            if (world.set_box(handles[i], box(x[i])) != Status::ok) return false;
        }
        if (world.update().status != Status::ok) return false;
        bump_count += world.begun().size();
        return true;
    }

    // The other player's input of a frame that was played with a guess.
    bool receive(int frame, float value, int next_frame) {
        const auto other = static_cast<std::size_t>(1 - own);
        if (inputs[static_cast<std::size_t>(frame)][other] == value) return true;
        ++rollback_count;
        // The guess for the frames since is the input known last.
        for (int i = frame; i < next_frame; ++i) inputs[static_cast<std::size_t>(i)][other] = value;
        if (world.restore(snapshots[static_cast<std::size_t>(frame)]) != Status::ok) return false;
        x = x_before[static_cast<std::size_t>(frame)];
        bump_count = bumps_before[static_cast<std::size_t>(frame)];
        for (int i = frame; i < next_frame; ++i) {
            if (!step(i)) return false;
        }
        return true;
    }

    int own;
    // User data as the order: peers may add objects in any order.
    World world{{.order = WorldOrder::user_data}};
    std::array<ObjectHandle, 2> handles;
    std::array<float, 2> x = {0, 1.5f};
    std::array<std::array<float, 2>, kFrameCount> inputs = {};
    std::array<std::array<float, 2>, kFrameCount> x_before = {};
    std::array<std::vector<std::byte>, kFrameCount> snapshots;
    std::array<std::size_t, kFrameCount> bumps_before = {};
    std::size_t bump_count = 0;
    int rollback_count = 0;
};

bool run() {
    Peer peers[] = {Peer(0), Peer(1)};
    for (int frame = 0; frame < kFrameCount; ++frame) {
        for (Peer& peer : peers) {
            const auto own = static_cast<std::size_t>(peer.own);
            const auto at = static_cast<std::size_t>(frame);
            peer.inputs[at][own] = input(peer.own, frame);
            if (frame > 0) peer.inputs[at][1 - own] = peer.inputs[at - 1][1 - own];
            if (!peer.step(frame)) return false;
            if (frame >= kDelay &&
                !peer.receive(frame - kDelay, input(1 - peer.own, frame - kDelay), frame + 1))
                return false;
        }
    }
    for (Peer& peer : peers) {
        for (int frame = kFrameCount - kDelay; frame < kFrameCount; ++frame) {
            if (!peer.receive(frame, input(1 - peer.own, frame), kFrameCount)) return false;
        }
    }
    // A peer that knows all inputs at once and never guesses.
    Peer informed(0);
    for (int frame = 0; frame < kFrameCount; ++frame) {
        informed.inputs[static_cast<std::size_t>(frame)] = {input(0, frame), input(1, frame)};
        if (!informed.step(frame)) return false;
    }
    bool is_same = true;
    for (const Peer& peer : peers) {
        is_same &= peer.world.pairs_hash() == informed.world.pairs_hash() && peer.x == informed.x &&
                   peer.bump_count == informed.bump_count;
    }
    std::printf("%d and %d rollbacks, %d bumps, %s\n", peers[0].rollback_count, peers[1].rollback_count,
                static_cast<int>(informed.bump_count), is_same ? "one world" : "several worlds");
    return is_same;
}

}  // namespace

int main() { return run() ? 0 : 1; }
