// Recordings for the tests of the extras.
#pragma once

#include "tests/support/generators.hpp"

#include <broadside/scene_io/boxrec.hpp>

#include <algorithm>

namespace broadside::test {

/// Objects of all kinds in a cube of 8, which move, change their kind, appear and vanish; each has a size of
/// its own. `box_count` a frame.
inline scene_io::Recording random_recording(std::uint64_t seed, std::size_t frame_count,
                                            std::uint32_t box_count) {
    Random random(seed);
    scene_io::Recording recording;
    std::vector<scene_io::BoxRecord> alive;
    std::uint32_t next_id = 3;
    const auto add = [&] {
        next_id += 1 + random.below(3);
        // Multiples of 1/64, so that sizes are exact at any position.
        const float side = 1.0f + static_cast<float>(next_id) / 64;
        const Vec3 min = {random.grid(-4, 4), random.grid(-4, 4), random.grid(-4, 4)};
        alive.push_back({next_id,
                         static_cast<scene_io::BoxKind>(random.below(3)),
                         {min, min + Vec3{side, 1.0f, 0.5f + side}}});
    };
    for (std::size_t frame = 0; frame < frame_count; ++frame) {
        while (alive.size() < box_count) add();
        recording.frames.push_back(alive);
        for (scene_io::BoxRecord& record : alive) {
            if (random.chance(30)) record.kind = static_cast<scene_io::BoxKind>(random.below(3));
            if (record.kind == scene_io::BoxKind::static_object) continue;
            const Vec3 step = {random.grid(-2, 2) / 4, random.grid(-2, 2) / 4, random.grid(-2, 2) / 4};
            record.box = {record.box.min + step, record.box.max + step};
        }
        std::erase_if(alive, [&](const scene_io::BoxRecord&) { return random.chance(20); });
    }
    return recording;
}

}  // namespace broadside::test
