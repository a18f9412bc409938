// The World of docs/choosing.md, word for word: a test compares the two.
#include <broadside/world.hpp>

#include <cstdio>

int main() {
    using namespace broadside;
    World world;
    const ObjectHandle ground = world.add({.box = {{-50, -1, -50}, {50, 0, 50}}, .kind = ObjectKind::fixed});
    const ObjectHandle sphere = world.add({.box = {{0, 2.5f, 0}, {1, 3.5f, 1}}, .user_data = 7});

    for (int frame = 0; frame < 4; ++frame) {
        const float height = 1.5f - static_cast<float>(frame);
        if (world.set_box(sphere, {{0, height, 0}, {1, height + 1, 1}}) != Status::ok) return 1;
        if (frame == 3 && world.remove(ground) != Status::ok) return 1;
        if (world.update().status != Status::ok) return 1;
        for (const WorldPair& pair : world.begun()) {
            std::printf("frame %d: a pair of slot %u begins\n", frame, pair.b.slot());
            *world.pair_value(pair.a, pair.b) = 42;  // yours, while the pair lives
        }
        for (const EndedPair& pair : world.ended()) {
            std::printf("frame %d: the pair with the value %d ends\n", frame, static_cast<int>(pair.value));
        }
    }
}
