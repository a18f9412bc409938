// Everything on the street that does not move: buildings, parked cars, pedestrians, lamp posts.
#include "street_statics.hpp"

#include <algorithm>

namespace broadside::scenes {
namespace {

// The numbers 0 to count - 1 in a fixed random order.
std::vector<std::uint32_t> shuffled_numbers(std::size_t count, SceneRandom& state_random) {
    std::vector<std::uint32_t> numbers(count);
    for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<std::uint32_t>(i);
    for (std::size_t i = count; i > 1; --i) std::swap(numbers[i - 1], numbers[state_random.below(i)]);
    return numbers;
}

// A stretch of road between two crossings, seen from one of its sides.
struct Kerb {
    bool is_along_x;
    // Distance of the crossing where it begins from the corner of the town.
    Units start_along;
    Units road_across;
    // -1 or 1: which side of the road.
    Units side;
};

std::size_t kerb_count(const StreetGrid& grid) { return grid.block_count() * 4; }

Kerb kerb_of(const StreetGrid& grid, std::size_t number) {
    const std::size_t blocks = grid.block_count_per_side;
    const auto segment = static_cast<Units>(number / 4 % blocks);
    const auto road = static_cast<Units>(number / 4 / blocks);
    return {number % 2 == 0, segment * kBlockPitch, road * kBlockPitch, number / 2 % 2 == 0 ? -1 : 1};
}

// A box whose middle is `along` metres from the crossing and `across` metres from the middle of the road.
Aabb box_at_kerb(const StreetGrid& grid, const Kerb& kerb, Units along, Units across, Units half_length,
                 Units height, Units half_width) {
    const Units place_along = grid.from_corner(kerb.start_along + along);
    const Units place_across = grid.from_corner(kerb.road_across + kerb.side * across);
    return kerb.is_along_x ? standing_box(place_along, place_across, half_length, height, half_width)
                           : standing_box(place_across, place_along, half_width, height, half_length);
}

// Middle of one of `place_count` equal parking spaces between the clear ends of a kerb.
Units kerb_place(std::size_t place, std::size_t place_count) {
    const Units length = (kKerbMax - kKerbMin) / static_cast<Units>(place_count);
    return kKerbMin + static_cast<Units>(place) * length + length / 2;
}

}  // namespace

StreetGrid grid_for(std::size_t box_count) noexcept {
    constexpr std::size_t kBlockBoxCount = 25;
    StreetGrid grid;
    while (grid.block_count() * kBlockBoxCount < box_count) ++grid.block_count_per_side;
    return grid;
}

void append_buildings(const StreetGrid& grid, std::size_t count, SceneRandom& state_random,
                      std::vector<Aabb>& out_boxes) {
    constexpr Units kLotSize = (kBlockPitch - 2 * kLotMin) / 2;
    const std::vector<std::uint32_t> lots = shuffled_numbers(grid.block_count() * 4, state_random);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t lot = lots[i % lots.size()];
        const std::size_t block = lot / 4;
        const auto block_x = static_cast<Units>(block % grid.block_count_per_side);
        const auto block_z = static_cast<Units>(block / grid.block_count_per_side);
        const auto lot_x = static_cast<Units>(lot % 2);
        const auto lot_z = static_cast<Units>(lot / 2 % 2);
        const Units x = grid.from_corner(block_x * kBlockPitch + kLotMin + lot_x * kLotSize + kLotSize / 2);
        const Units z = grid.from_corner(block_z * kBlockPitch + kLotMin + lot_z * kLotSize + kLotSize / 2);
        const Units half_extent_x = between(state_random, units(7.0), units(13.0));
        const Units half_extent_z = between(state_random, units(7.0), units(13.0));
        const bool is_tower = state_random.below(12) == 0;
        const Units house_height = between(state_random, units(6.0), units(24.0));
        const Units tower_height = between(state_random, units(40.0), units(90.0));
        out_boxes.push_back(
            standing_box(x, z, half_extent_x, is_tower ? tower_height : house_height, half_extent_z));
    }
}

void append_parked_cars(const StreetGrid& grid, std::size_t count, SceneRandom& state_random,
                        std::vector<Aabb>& out_boxes) {
    constexpr std::size_t kPlaceCount = 7;
    const std::vector<std::uint32_t> places = shuffled_numbers(kerb_count(grid) * kPlaceCount, state_random);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t place = places[i % places.size()];
        const Units along =
            kerb_place(place % kPlaceCount, kPlaceCount) + between(state_random, -units(0.5), units(0.5));
        const Units half_length = between(state_random, units(1.9), units(2.5));
        const Units height = between(state_random, units(1.4), units(1.8));
        const Units half_width = between(state_random, units(0.8), units(0.95));
        out_boxes.push_back(box_at_kerb(grid, kerb_of(grid, place / kPlaceCount), along, kParkingLane,
                                        half_length, height, half_width));
    }
}

void append_pedestrians(const StreetGrid& grid, std::size_t count, SceneRandom& state_random,
                        std::vector<Aabb>& out_boxes) {
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t kerb = state_random.below(kerb_count(grid));
        const Units along = between(state_random, kKerbMin, kKerbMax);
        const Units across = between(state_random, kPavementMin, kPavementMax);
        const Units half_width = between(state_random, units(0.2), units(0.35));
        const Units height = between(state_random, units(1.2), units(1.95));
        out_boxes.push_back(
            box_at_kerb(grid, kerb_of(grid, kerb), along, across, half_width, height, half_width));
    }
}

void append_lamp_posts(const StreetGrid& grid, std::size_t count, SceneRandom& state_random,
                       std::vector<Aabb>& out_boxes) {
    constexpr std::size_t kPlaceCount = 3;
    const std::vector<std::uint32_t> places = shuffled_numbers(kerb_count(grid) * kPlaceCount, state_random);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t place = places[i % places.size()];
        out_boxes.push_back(box_at_kerb(grid, kerb_of(grid, place / kPlaceCount),
                                        kerb_place(place % kPlaceCount, kPlaceCount), kLampLine, units(0.125),
                                        units(6.5), units(0.125)));
    }
}

}  // namespace broadside::scenes
