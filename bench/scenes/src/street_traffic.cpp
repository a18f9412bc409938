// The vehicles of the street in any frame.
#include "street_traffic.hpp"

namespace broadside::scenes {
namespace {

// Metres a second at 60 steps a second.
constexpr Units speed_units(double metres_per_second) { return units(metres_per_second / 60.0); }

struct VehicleModel {
    Units min_half_length, max_half_length;
    Units min_half_width, max_half_width;
    Units min_height, max_height;
};

constexpr VehicleModel kCar = {units(1.9), units(2.5), units(0.8), units(0.95), units(1.4), units(1.8)};
constexpr VehicleModel kBus = {units(5.5), units(6.5), units(1.2), units(1.3), units(3.0), units(3.4)};
constexpr VehicleModel kBike = {units(0.8), units(0.95), units(0.25), units(0.35), units(1.5), units(1.9)};

Vehicle make_vehicle(const StreetGrid& grid, StreetKind kind, SceneRandom& state_random) {
    const VehicleModel& model = kind == StreetKind::bus ? kBus : kind == StreetKind::bike ? kBike : kCar;
    Vehicle vehicle;
    vehicle.kind = kind;
    vehicle.is_along_x = state_random.below(2) == 0;
    const auto road = static_cast<Units>(state_random.below(grid.block_count_per_side));
    const Units direction = state_random.below(2) == 0 ? -1 : 1;
    const bool is_on_inner_lane = kind == StreetKind::car && state_random.below(2) == 0;
    const Units lane = kind == StreetKind::bike ? kBikeLane : is_on_inner_lane ? kInnerLane : kOuterLane;
    vehicle.lane_across = grid.from_corner(road * kBlockPitch) + direction * lane;
    vehicle.start_along = between(state_random, 0, grid.size() - 1);
    // Each lane has its speed; a tenth more or less makes some catch up with others.
    const Units lane_speed = kind == StreetKind::bike ? speed_units(5.0)
                             : is_on_inner_lane       ? speed_units(14.0)
                                                      : speed_units(9.0);
    vehicle.speed = direction * between(state_random, lane_speed * 9 / 10, lane_speed * 11 / 10);
    vehicle.half_length = between(state_random, model.min_half_length, model.max_half_length);
    vehicle.half_width = between(state_random, model.min_half_width, model.max_half_width);
    vehicle.height = between(state_random, model.min_height, model.max_height);
    return vehicle;
}

}  // namespace

std::vector<Vehicle> make_traffic(const StreetGrid& grid, std::size_t car_count, std::size_t bus_count,
                                  std::size_t bike_count, SceneRandom& state_random) {
    std::vector<Vehicle> vehicles;
    vehicles.reserve(car_count + bus_count + bike_count);
    for (std::size_t i = 0; i < car_count; ++i)
        vehicles.push_back(make_vehicle(grid, StreetKind::car, state_random));
    for (std::size_t i = 0; i < bus_count; ++i)
        vehicles.push_back(make_vehicle(grid, StreetKind::bus, state_random));
    for (std::size_t i = 0; i < bike_count; ++i)
        vehicles.push_back(make_vehicle(grid, StreetKind::bike, state_random));
    return vehicles;
}

VehiclePlace place_of(const Vehicle& vehicle, const StreetGrid& grid, std::uint64_t frame_index) noexcept {
    const std::int64_t size = grid.size();
    // The course repeats after `size` frames at the latest, which keeps the product small for any frame.
    const auto frame = static_cast<std::int64_t>(frame_index % static_cast<std::uint64_t>(size));
    std::int64_t along = (vehicle.start_along + vehicle.speed * frame) % size;
    if (along < 0) along += size;
    const Units place = grid.from_corner(static_cast<Units>(along));
    return vehicle.is_along_x ? VehiclePlace{place, vehicle.lane_across}
                              : VehiclePlace{vehicle.lane_across, place};
}

Aabb box_of(const Vehicle& vehicle, const StreetGrid& grid, std::uint64_t frame_index) noexcept {
    const VehiclePlace place = place_of(vehicle, grid, frame_index);
    return vehicle.is_along_x
               ? standing_box(place.x, place.z, vehicle.half_length, vehicle.height, vehicle.half_width)
               : standing_box(place.x, place.z, vehicle.half_width, vehicle.height, vehicle.half_length);
}

Vec3 displacement_of(const Vehicle& vehicle) noexcept {
    const float speed = metres(vehicle.speed);
    return vehicle.is_along_x ? Vec3{speed, 0.0f, 0.0f} : Vec3{0.0f, 0.0f, speed};
}

}  // namespace broadside::scenes
