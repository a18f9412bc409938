// Platforms and walls of oriented boxes, dug into the ground below them.
#include "extras/demo/ruins.hpp"

#include <broadside/scenes/exact_math.hpp>
#include <broadside/scenes/scene_random.hpp>

#include <algorithm>
#include <limits>
#include <vector>

namespace broadside::demo {
namespace {

constexpr int kPlatformCount = 14;
constexpr int kWallCount = 30;
// Walkers step up 0.8 m.
constexpr float kStepHeight = 0.7f;
constexpr float kStepDepth = 1.5f;
constexpr float kPlatformHeight = 2.8f;
constexpr float kWallHeight = 3.0f;
// Away from the border of the terrain.
constexpr float kBorder = 28.0f;
// Candidate positions for each of them.
constexpr int kTryCount = 12;

struct Place {
    Vec3 center;
    float cosine;
    float sine;
    float lowest;
    float highest;
};

class Site {
public:
    Site(std::uint64_t seed, scene_io::TriangleMesh& state_terrain)
        : random_(seed), ground_(state_terrain.positions), mesh_(state_terrain) {
        for (const Vec3& corner : ground_) all_ = include(all_, {corner, corner});
    }

    void add_platform() {
        const float half = random_.between(3.0f, 5.0f);
        const Place place = flattest_place(half, half);
        const float height = place.highest - place.lowest + kPlatformHeight;
        const int step_count = static_cast<int>(height / kStepHeight);
        for (int step = 0; step < step_count; ++step) {
            // From the top down: the lower a step, the wider.
            const float wide = half + kStepDepth * static_cast<float>(step);
            const float top = place.lowest + height - kStepHeight * static_cast<float>(step);
            add_box(place, wide, wide, place.lowest - kPlatformHeight, top);
        }
    }

    void add_wall() {
        const float half = random_.between(5.0f, 10.0f);
        const Place place = flattest_place(half, 1.0f);
        add_box(place, half, 0.6f, place.lowest - kWallHeight, place.highest + kWallHeight);
    }

private:
    Place flattest_place(float half_x, float half_z) {
        Place best = {};
        best.lowest = -std::numeric_limits<float>::infinity();
        best.highest = std::numeric_limits<float>::infinity();
        for (int i = 0; i < kTryCount; ++i) {
            Place place = {};
            const float x = random_.between(all_.min.x + kBorder, all_.max.x - kBorder);
            const float z = random_.between(all_.min.z + kBorder, all_.max.z - kBorder);
            const auto turns = static_cast<double>(random_.unit());
            place.center = {x, 0.0f, z};
            place.cosine = static_cast<float>(scenes::cosine_of_turns(turns));
            place.sine = static_cast<float>(scenes::sine_of_turns(turns));
            place.lowest = std::numeric_limits<float>::infinity();
            place.highest = -std::numeric_limits<float>::infinity();
            const float reach = max_keep(half_x, half_z) + 1.0f;
            for (const Vec3& corner : ground_) {
                const Vec3 away = corner - place.center;
                if (!(max_keep(away.x, -away.x) <= reach) || !(max_keep(away.z, -away.z) <= reach)) continue;
                place.lowest = min_keep(place.lowest, corner.y);
                place.highest = max_keep(place.highest, corner.y);
            }
            if (!(place.highest - place.lowest < best.highest - best.lowest)) continue;
            const bool is_taken = std::any_of(taken_.begin(), taken_.end(), [&](const Vec3& center) {
                const Vec3 away = center - place.center;
                return away.x * away.x + away.z * away.z < 20.0f * 20.0f;
            });
            if (!is_taken) best = place;
        }
        taken_.push_back(best.center);
        return best;
    }

    void add_box(const Place& place, float half_x, float half_z, float bottom, float top) {
        // No position was free.
        if (!(top > bottom) || !(top < std::numeric_limits<float>::infinity())) return;
        const auto first = static_cast<std::uint32_t>(mesh_.positions.size());
        for (int corner = 0; corner < 8; ++corner) {
            const float x = (corner & 1) != 0 ? half_x : -half_x;
            const float z = (corner & 2) != 0 ? half_z : -half_z;
            mesh_.positions.push_back({place.center.x + (x * place.cosine - z * place.sine),
                                       (corner & 4) != 0 ? top : bottom,
                                       place.center.z + (x * place.sine + z * place.cosine)});
        }
        constexpr std::uint32_t kFaces[6][4] = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1},
                                                {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};
        for (const auto& face : kFaces) {
            mesh_.triangles.push_back({first + face[0], first + face[1], first + face[2]});
            mesh_.triangles.push_back({first + face[0], first + face[2], first + face[3]});
        }
    }

    scenes::SceneRandom random_;
    const std::vector<Vec3> ground_;
    scene_io::TriangleMesh& mesh_;
    Aabb all_ = Aabb::empty();
    std::vector<Vec3> taken_;
};

}  // namespace

void append_ruins(std::uint64_t seed, scene_io::TriangleMesh& state_terrain) {
    Site site(seed, state_terrain);
    for (int i = 0; i < kPlatformCount; ++i) site.add_platform();
    for (int i = 0; i < kWallCount; ++i) site.add_wall();
}

}  // namespace broadside::demo
