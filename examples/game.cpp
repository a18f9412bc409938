// A 2-D game seen from above: a trigger that the player walks through, and bullets too fast to be tested where they are.
// The code of docs/recipes.md.
#include <broadside/moving_aabb.hpp>
#include <broadside/world.hpp>

#include <cstdio>

using namespace broadside;

namespace {

enum Layer : std::uint16_t { kPlayer, kEnemy, kBullet, kZone };
constexpr std::uint32_t kLayers = 4;

// Two axes: z is 0.
Aabb flat(float x, float y, float half) { return {{x - half, y - half, 0}, {x + half, y + half, 0}}; }

bool run() {
    World world;
    // Zones meet the player, bullets meet enemies, and nothing else meets.
    for (std::uint32_t a = 0; a < kLayers; ++a) {
        for (std::uint32_t b = a; b < kLayers; ++b) {
            const bool may_meet = (a == kPlayer && b == kZone) || (a == kEnemy && b == kBullet);
            if (world.set_layers_pair(a, b, may_meet) != Status::ok) return false;
        }
    }
    const ObjectHandle player = world.add({.box = flat(0, 0, 0.5f), .filter = {.layer = kPlayer}});
    const ObjectHandle enemy = world.add({.box = flat(12, 0, 0.25f),
                                          .kind = ObjectKind::resting,
                                          .filter = {.layer = kEnemy},
                                          .user_data = kEnemy});
    const ObjectHandle zone = world.add(
        {.box = flat(3, 0, 1), .kind = ObjectKind::fixed, .filter = {.layer = kZone}, .user_data = kZone});

    // A bullet moves 6 a frame and is 0.25 wide: without its displacement it would jump over the enemy.
    ObjectDescription shot = {.box = flat(1, 0, 0.125f), .filter = {.layer = kBullet}, .user_data = kBullet};
    shot.displacement = {6, 0, 0};
    const ObjectHandle bullet = world.add(shot);
    if (player.is_null() || enemy.is_null() || zone.is_null() || bullet.is_null()) return false;

    for (int frame = 0; frame < 5; ++frame) {
        const float x = static_cast<float>(frame);
        shot.box = flat(1 + 6 * x, 0, 0.125f);
        if (world.set(bullet, shot) != Status::ok) return false;
        if (world.set_box(player, flat(1.5f * x, 0, 0.5f)) != Status::ok) return false;
        if (world.update().status != Status::ok) return false;

        for (const WorldPair& pair : world.begun()) {
            if (world.user_data(pair.b) == kZone) {
                std::printf("frame %d: the player enters the zone\n", frame);
            } else {
                // The swept box meets the enemy; the narrowphase says when the bullet itself does.
                const Aabb target = world.description(enemy).box;
                const float toi = time_of_impact(target, shot.box, shot.displacement);
                if (toi != kNoIntersection)
                    std::printf("frame %d: a hit at %.2f of it\n", frame, static_cast<double>(toi));
            }
        }
        for (const PairUserData& objects : world.ended_user_data()) {
            if (objects.b == kZone) std::printf("frame %d: the player leaves the zone\n", frame);
        }
    }
    return true;
}

}  // namespace

int main() { return run() ? 0 : 1; }
