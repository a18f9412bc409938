// The rays of the street in any frame: sensors on cars, and probes from above.
#include "street_rays.hpp"

#include <broadside/scenes/exact_math.hpp>

namespace broadside::scenes {
namespace {

constexpr std::size_t kBeamCount = 9;
constexpr float kSensorReach = 40.0f;
// Height above the roof, and the fall of a beam in a metre: it clears its own roof and is at bumper height at
// its end.
constexpr Units kSensorAboveRoof = units(0.125);
constexpr double kSensorSink = 0.025;
// One turn in two seconds.
constexpr std::uint64_t kStepsPerTurn = 120;

// Above the highest tower; reaches the ground.
constexpr float kProbeHeight = 100.0f;

std::int64_t wrapped(std::int64_t value, std::int64_t size) {
    const std::int64_t remainder = value % size;
    return remainder < 0 ? remainder + size : remainder;
}

}  // namespace

std::vector<Probe> make_probes(const StreetGrid& grid, std::size_t count, SceneRandom& state_random) {
    constexpr Units kMaxSpeed = units(0.5);
    std::vector<Probe> probes(count);
    for (Probe& probe : probes) {
        probe.start_x = between(state_random, 0, grid.size() - 1);
        probe.start_z = between(state_random, 0, grid.size() - 1);
        probe.speed_x = between(state_random, -kMaxSpeed, kMaxSpeed);
        probe.speed_z = between(state_random, -kMaxSpeed, kMaxSpeed);
    }
    return probes;
}

void append_sensor_rays(const StreetGrid& grid, std::span<const Vehicle> vehicles, std::size_t count,
                        std::uint64_t frame_index, std::vector<Ray>& out_rays) {
    for (std::size_t i = 0; i < count; ++i) {
        const Vehicle& vehicle = vehicles[i / kBeamCount % vehicles.size()];
        const VehiclePlace place = place_of(vehicle, grid, frame_index);
        // Beams are spread over the turn and each vehicle's sensor has its own start.
        const auto beam = static_cast<double>(i % kBeamCount) / static_cast<double>(kBeamCount);
        const auto swept =
            static_cast<double>((frame_index + i) % kStepsPerTurn) / static_cast<double>(kStepsPerTurn);
        const double cosine = cosine_of_turns(beam + swept);
        const double sine = sine_of_turns(beam + swept);
        Ray ray;
        ray.origin = {metres(place.x), metres(vehicle.height + kSensorAboveRoof), metres(place.z)};
        ray.direction = {static_cast<float>(cosine), static_cast<float>(-kSensorSink),
                         static_cast<float>(sine)};
        ray.t_max = kSensorReach;
        out_rays.push_back(ray);
    }
}

void append_probe_rays(const StreetGrid& grid, std::span<const Probe> probes, std::uint64_t frame_index,
                       std::vector<Ray>& out_rays) {
    const std::int64_t size = grid.size();
    const auto frame = static_cast<std::int64_t>(frame_index % static_cast<std::uint64_t>(size));
    for (const Probe& probe : probes) {
        const auto x = static_cast<Units>(wrapped(probe.start_x + probe.speed_x * frame, size));
        const auto z = static_cast<Units>(wrapped(probe.start_z + probe.speed_z * frame, size));
        out_rays.push_back({{metres(grid.from_corner(x)), kProbeHeight, metres(grid.from_corner(z))},
                            {0.0f, -1.0f, 0.0f},
                            kProbeHeight});
    }
}

}  // namespace broadside::scenes
