// A character in a y-up engine that walks up a step: the code of docs/movers.md.
#include <broadside/box_soa.hpp>
#include <broadside/mover.hpp>

#include <cstdio>

int main() {
    using namespace broadside;
    BoxSoa boxes;
    if (boxes.push_back({{-10, -1, -10}, {10, 0, 10}}) != Status::ok) return 1;   // the floor
    if (boxes.push_back({{1, 0, -10}, {10, 0.25f, 10}}) != Status::ok) return 1;  // a step of 0.25
    BoxTree tree;
    if (tree.build(boxes) != Status::ok) return 1;

    MoverSettings settings;
    settings.up = {0, 1, 0};         // the default is +z: here the capsule would lie on its side
    settings.step_height = 0.3f;     // the default is 0: no step is climbed
    settings.stick_distance = 0.3f;  // the default is 0: walking down a step is a fall

    const float dt = 1.0f / 60;
    Mover character;
    character.shape = {.form = MoverForm::capsule, .radius = 0.3f, .half_length = 0.6f};
    character.position = {0, 0.92f, 0};  // the center: radius and half length above the floor, and a little
    float fall_speed = 0;
    for (int frame = 0; frame < 60; ++frame) {
        fall_speed += 9.81f * dt;  // gravity is part of the displacement
        character.displacement = {2 * dt, -fall_speed * dt, 0};
        const MoverResult moved = step_mover(character, {.boxes = &tree}, settings);
        character.position = moved.position;
        if (moved.is_grounded) fall_speed = 0;
        if (moved.has_stepped) std::printf("frame %d: up the step\n", frame);
    }
    const Vec3 feet = character.position - Vec3{0, 0.9f, 0};
    std::printf("at x = %.1f, feet at y = %.2f\n", static_cast<double>(feet.x), static_cast<double>(feet.y));
}
