// The street: shares of each kind, and a frame put together from its parts.
#include <broadside/scenes/street_scene.hpp>

#include "debris.hpp"
#include "street_rays.hpp"
#include "street_statics.hpp"
#include "street_traffic.hpp"

#include <broadside/scenes/terrain.hpp>

namespace broadside::scenes {
namespace {

TerrainSettings ground_beside(const StreetGrid& grid, std::uint32_t quad_count_per_side) {
    constexpr float kGap = 40.0f;
    TerrainSettings ground;
    ground.quad_count_per_side = quad_count_per_side;
    const float side = static_cast<float>(quad_count_per_side) * ground.quad_size;
    ground.min_corner = {metres(grid.size()) * 0.5f + kGap, 0.0f, side * -0.5f};
    return ground;
}

}  // namespace

struct StreetScene::State {
    explicit State(const StreetSettings& settings)
        : grid(grid_for(settings.box_count)),
          ground(ground_beside(grid, settings.terrain_quad_count_per_side)),
          terrain(ground) {
        // One stream a part, so that more rays do not move the boxes.
        SceneRandom static_random(settings.seed * 16 + 1);
        SceneRandom traffic_random(settings.seed * 16 + 2);
        SceneRandom probe_random(settings.seed * 16 + 3);
        SceneRandom debris_random(settings.seed * 16 + 4);
        const std::size_t count = settings.box_count;
        add_statics(StreetKind::building, count * 12 / 100, append_buildings, static_random);
        add_statics(StreetKind::parked_car, count * 20 / 100, append_parked_cars, static_random);
        add_statics(StreetKind::pedestrian, count * 16 / 100, append_pedestrians, static_random);
        add_statics(StreetKind::lamp_post, count * 12 / 100, append_lamp_posts, static_random);
        const std::size_t bus_count = count * 2 / 100;
        const std::size_t bike_count = count * 10 / 100;
        const std::size_t car_count = count - static_boxes.size() - bus_count - bike_count;
        vehicles = make_traffic(grid, car_count, bus_count, bike_count, traffic_random);
        for (const Vehicle& vehicle : vehicles) kinds.push_back(vehicle.kind);
        // Without vehicles there is no roof for a sensor.
        sensor_count = vehicles.empty() ? 0 : settings.ray_count * 9 / 10;
        probes = make_probes(grid, settings.ray_count - sensor_count, probe_random);
        debris = make_debris(ground, settings.obb_count, debris_random);
    }

    template <class Append>
    void add_statics(StreetKind kind, std::size_t count, Append append, SceneRandom& state_random) {
        append(grid, count, state_random, static_boxes);
        kinds.resize(static_boxes.size(), kind);
    }

    StreetGrid grid;
    TerrainSettings ground;
    Terrain terrain;
    std::vector<Aabb> static_boxes;
    std::vector<StreetKind> kinds;
    std::vector<Vehicle> vehicles;
    std::size_t sensor_count = 0;
    std::vector<Probe> probes;
    std::vector<DebrisPiece> debris;
};

StreetScene::StreetScene(const StreetSettings& settings) : state_(std::make_unique<const State>(settings)) {}
StreetScene::StreetScene(StreetScene&&) noexcept = default;
StreetScene& StreetScene::operator=(StreetScene&&) noexcept = default;
StreetScene::~StreetScene() = default;

void StreetScene::frame(std::uint64_t frame_index, StreetFrame& out_frame) const {
    const State& state = *state_;
    out_frame.boxes = state.static_boxes;
    out_frame.box_displacements.assign(state.static_boxes.size(), Vec3{});
    for (const Vehicle& vehicle : state.vehicles) {
        out_frame.boxes.push_back(box_of(vehicle, state.grid, frame_index));
        out_frame.box_displacements.push_back(displacement_of(vehicle));
    }
    out_frame.rays.clear();
    append_sensor_rays(state.grid, state.vehicles, state.sensor_count, frame_index, out_frame.rays);
    append_probe_rays(state.grid, state.probes, frame_index, out_frame.rays);
    out_frame.obbs.clear();
    out_frame.obb_displacements.clear();
    for (const DebrisPiece& piece : state.debris) {
        const Obb obb = obb_of(piece, state.terrain, frame_index);
        const Vec3 next_center = center_of(piece, state.terrain, frame_index + 1);
        out_frame.obbs.push_back(obb);
        out_frame.obb_displacements.push_back(next_center - obb.center);
    }
}

std::span<const StreetKind> StreetScene::kinds() const noexcept { return state_->kinds; }
const scene_io::TriangleMesh& StreetScene::terrain_mesh() const noexcept { return state_->terrain.mesh(); }
float StreetScene::town_size() const noexcept { return metres(state_->grid.size()); }

}  // namespace broadside::scenes
