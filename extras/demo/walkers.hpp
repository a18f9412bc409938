// A hundred movers that walk over a mesh, and the rays by which they look at the ground before them.
#pragma once

#include <broadside/mesh.hpp>
#include <broadside/mover.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace broadside::demo {

inline constexpr std::size_t kWalkerCount = 100;
inline constexpr std::size_t kRaysAWalker = 4;

struct WalkerSettings {
    /// The area in which they start and stay.
    Aabb area = {};
    /// 0, 1, 2 for x, y, z.
    int up_axis = 1;
    /// Height of a walker; all other sizes are in proportion.
    float height = 4.0f;
    std::uint64_t seed = 0;
};

/// Capsules that go straight on, fall without ground, and turn when they are stopped.
class Walkers {
public:
    /// They start at the first hit of a ray straight down.
    Walkers(const WalkerSettings& settings, const TriangleMesh& ground);

    MoverSettings mover_settings() const;
    /// Replaces `out_movers`, one a walker; appends kRaysAWalker rays a walker.
    void fill(std::vector<Mover>& out_movers, std::vector<Ray>& out_rays) const;
    /// From the results of a step for the movers of the last `fill` to the next frame.
    void advance(std::span<const MoverResult> results);

private:
    struct Walker {
        Vec3 start;
        Vec3 position;
        double heading_turns;
        float fall;
    };
    Vec3 direction_of(double turns) const;
    Vec3 wish_of(const Walker& walker) const;
    bool is_leaving(const Walker& walker) const;

    WalkerSettings settings_;
    Vec3 up_ = {};
    Vec3 along_ = {};
    Vec3 across_ = {};
    std::vector<Walker> walkers_;
};

}  // namespace broadside::demo
