// Walkers: their starts, their wishes, and their reaction to the results.
#include "extras/demo/walkers.hpp"

#include <broadside/scenes/exact_math.hpp>
#include <broadside/scenes/scene_random.hpp>

#include <stdexcept>

namespace broadside::demo {
namespace {

// In heights of a walker, with a step of a 60th of a second and a walker of 4 m: 9 m/s, and gravity.
constexpr float kSpeed = 0.0375f;
constexpr float kFall = 0.0007f;
constexpr float kRadius = 0.22f;
constexpr float kContactOffset = 0.01f;
constexpr float kStepHeight = 0.2f;
constexpr float kStickDistance = 0.2f;
constexpr float kRayLength = 5.0f;
// A walker that makes less than this part of its wish turns, by this part of a full turn.
constexpr float kBlockedShare = 0.25f;
constexpr double kTurn = 0.31;
// Positions that may have ground to start on.
constexpr std::size_t kTriesAWalker = 4;

Vec3 unit_of(int axis) { return {axis == 0 ? 1.0f : 0.0f, axis == 1 ? 1.0f : 0.0f, axis == 2 ? 1.0f : 0.0f}; }

}  // namespace

Walkers::Walkers(const WalkerSettings& settings, const TriangleMesh& ground)
    : settings_(settings),
      up_(unit_of(settings.up_axis)),
      along_(unit_of((settings.up_axis + 1) % 3)),
      across_(unit_of((settings.up_axis + 2) % 3)) {
    scenes::SceneRandom random(settings.seed);
    const Vec3 low = settings.area.min;
    const Vec3 sides = size(settings.area);
    const float top = dot(settings.area.max, up_);
    std::vector<Ray> rays;
    std::vector<double> headings;
    for (std::size_t i = 0; i < kTriesAWalker * kWalkerCount; ++i) {
        const float along = dot(low, along_) + dot(sides, along_) * random.between(0.04f, 0.96f);
        const float across = dot(low, across_) + dot(sides, across_) * random.between(0.04f, 0.96f);
        rays.push_back({along_ * along + across_ * across + up_ * (top + settings.height), up_ * -1.0f});
        headings.push_back(static_cast<double>(random.unit()));
    }
    std::vector<MeshHit> hits(rays.size());
    if (ground.closest_hits(rays, {}, hits).status != Status::ok)
        throw std::runtime_error("walkers: no rays");
    const auto add = [&](std::size_t i, float drop) {
        if (walkers_.size() == kWalkerCount) return;
        const Vec3 start = rays[i].origin - up_ * drop;
        walkers_.push_back({start, start, headings[i], 0.0f});
    };
    // A little above the ground, so that slopes leave room for a round shape. Without ground they fall.
    for (std::size_t i = 0; i < rays.size(); ++i) {
        if (hits[i].target != kNoTriangle) add(i, hits[i].t - 0.75f * settings.height);
    }
    for (std::size_t i = 0; i < rays.size(); ++i) {
        if (hits[i].target == kNoTriangle) add(i, 0.0f);
    }
}

MoverSettings Walkers::mover_settings() const {
    MoverSettings settings;
    settings.up = up_;
    settings.step_height = kStepHeight * settings_.height;
    settings.stick_distance = kStickDistance * settings_.height;
    settings.contact_offset = kContactOffset * settings_.height;
    return settings;
}

Vec3 Walkers::direction_of(double turns) const {
    return along_ * static_cast<float>(scenes::cosine_of_turns(turns)) +
           across_ * static_cast<float>(scenes::sine_of_turns(turns));
}

Vec3 Walkers::wish_of(const Walker& walker) const {
    return direction_of(walker.heading_turns) * (kSpeed * settings_.height) - up_ * walker.fall;
}

void Walkers::fill(std::vector<Mover>& out_movers, std::vector<Ray>& out_rays) const {
    out_movers.clear();
    for (const Walker& walker : walkers_) {
        Mover mover;
        mover.shape = {
            MoverForm::capsule, {}, kRadius * settings_.height, (0.5f - kRadius) * settings_.height};
        mover.position = walker.position;
        mover.displacement = wish_of(walker);
        out_movers.push_back(mover);
        const Vec3 head = walker.position + up_ * (0.4f * settings_.height);
        for (std::size_t i = 0; i < kRaysAWalker; ++i) {
            const double aside = 0.05 * (static_cast<double>(i) - 0.5 * (kRaysAWalker - 1));
            const Vec3 ahead = direction_of(walker.heading_turns + aside) - up_ * 0.4f;
            out_rays.push_back({head, ahead * (kRayLength * settings_.height), 1.0f});
        }
    }
}

// Near the border, and on the way out.
bool Walkers::is_leaving(const Walker& walker) const {
    const Vec3 center = (settings_.area.min + settings_.area.max) * 0.5f;
    const Vec3 half = size(settings_.area) * 0.5f;
    const Vec3 away = walker.position - center;
    const Vec3 way = wish_of(walker);
    for (const Vec3& axis : {along_, across_}) {
        const float at = dot(away, axis);
        const float border = 0.96f * dot(half, axis);
        if ((at > border && dot(way, axis) > 0.0f) || (at < -border && dot(way, axis) < 0.0f)) return true;
    }
    return false;
}

void Walkers::advance(std::span<const MoverResult> results) {
    for (std::size_t i = 0; i < walkers_.size() && i < results.size(); ++i) {
        Walker& walker = walkers_[i];
        const MoverResult& result = results[i];
        const Vec3 way = result.position - walker.position;
        walker.position = result.position;
        walker.fall = result.is_grounded ? 0.0f : walker.fall + kFall * settings_.height;
        const Vec3 heading = direction_of(walker.heading_turns);
        const bool is_blocked = dot(way, heading) < kBlockedShare * kSpeed * settings_.height;
        if (is_blocked || is_leaving(walker)) walker.heading_turns += kTurn;
        // A walker that fell off the mesh starts again.
        if (dot(walker.position - settings_.area.min, up_) < -settings_.height) {
            walker.position = walker.start;
            walker.fall = 0.0f;
        }
    }
}

}  // namespace broadside::demo
