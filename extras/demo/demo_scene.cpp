// Scenes of the demo: the bodies of a file, and the rays and oriented boxes that the demo adds.
#include "extras/demo/demo_scene.hpp"

#include "extras/demo/ruins.hpp"

#include <broadside/scene_io/recording_motion.hpp>
#include <broadside/scene_io/scene.hpp>
#include <broadside/scenes/scene_random.hpp>
#include <broadside/scenes/street_scene.hpp>

#include <cmath>
#include <cstdlib>
#include <stdexcept>

namespace broadside::demo {
namespace {

// Objects that a file lacks: enough to exercise the kernels, few enough to read the picture.
constexpr std::size_t kProbeRayCount = 1000;
constexpr std::size_t kProbeObbCount = 500;
constexpr std::uint64_t kProbeSeed = 20;

void require(Status status) {
    if (status != Status::ok) throw std::runtime_error(status_name(status));
}

Aabb bounds_of(const std::vector<Aabb>& boxes) {
    Aabb all = Aabb::empty();
    for (const Aabb& box : boxes) all = include(all, box);
    return all;
}

Vec3 random_point(scenes::SceneRandom& random, const Aabb& within) {
    const float x = random.between(within.min.x, within.max.x);
    const float y = random.between(within.min.y, within.max.y);
    const float z = random.between(within.min.z, within.max.z);
    return {x, y, z};
}

float largest_side(const Aabb& box) {
    const Vec3 sides = size(box);
    return max_keep(max_keep(sides.x, sides.y), sides.z);
}

// Rays from anywhere in the world, in all directions, up to a quarter of it long.
std::vector<Ray> probe_rays(const Aabb& world) {
    scenes::SceneRandom random(kProbeSeed);
    std::vector<Ray> rays;
    for (std::size_t i = 0; i < kProbeRayCount; ++i) {
        const Vec3 origin = random_point(random, world);
        const Vec3 direction = random.in_cube(0.25f * largest_side(world));
        rays.push_back({origin, direction, 1.0f});
    }
    return rays;
}

// A rotation from a random quaternion; any four numbers that are not all zero will do.
Obb random_obb(scenes::SceneRandom& random, Vec3 center_in_world, Vec3 half_extent) {
    const float i = random.bell();
    const float j = random.bell();
    const float k = random.bell();
    const float r = random.bell() + 8.0f;
    const float s = 2.0f / (r * r + i * i + j * j + k * k);
    return {center_in_world,
            {1 - s * (j * j + k * k), s * (i * j + k * r), s * (i * k - j * r)},
            {s * (i * j - k * r), 1 - s * (i * i + k * k), s * (j * k + i * r)},
            {s * (i * k + j * r), s * (j * k - i * r), 1 - s * (i * i + j * j)},
            half_extent};
}

// Oriented boxes scattered over a mesh, each moving by about its own size.
void add_probe_obbs(const Aabb& world, Frame& state_frame) {
    scenes::SceneRandom random(kProbeSeed + 1);
    const float unit = 0.006f * largest_side(world);
    state_frame.obbs.clear();
    state_frame.obb_displacements.clear();
    for (std::size_t i = 0; i < kProbeObbCount; ++i) {
        const Vec3 center_in_world = random_point(random, expanded(world, unit));
        const float x = random.between(0.5f * unit, 2 * unit);
        const float y = random.between(0.5f * unit, 2 * unit);
        const float z = random.between(0.5f * unit, 2 * unit);
        state_frame.obbs.push_back(random_obb(random, center_in_world, {x, y, z}));
        state_frame.obb_displacements.push_back(random.in_cube(2 * unit));
    }
}

// Boxes without motion: a static world, or the swept boxes of a mesh pair.
class StillScene final : public Scene {
public:
    StillScene(std::string title, std::vector<Aabb> boxes)
        : title_(std::move(title)), boxes_(std::move(boxes)), rays_(probe_rays(bounds_of(boxes_))) {}
    std::string title() const override { return title_; }
    std::size_t frame_count() const override { return 1; }
    void fill(std::size_t, Frame& out_frame) override {
        out_frame.set_bodies(boxes_, {});
        out_frame.rays = rays_;
    }

private:
    std::string title_;
    std::vector<Aabb> boxes_;
    std::vector<Ray> rays_;
};

// A mesh alone: rays, oriented boxes and walkers meet its triangles.
class MeshFileScene final : public Scene {
public:
    MeshFileScene(std::string title, const scene_io::TriangleMesh& mesh)
        : title_(std::move(title)), bounds_(bounds_of(scene_io::triangle_boxes(mesh))) {
        // Small beside the mesh, so that it is a ground for them.
        set_mesh(mesh, 0.03f * largest_side(bounds_));
        rays_ = probe_rays(bounds_);
    }
    std::string title() const override { return title_; }
    std::size_t frame_count() const override { return static_cast<std::size_t>(-1); }
    void fill(std::size_t, Frame& out_frame) override {
        out_frame.set_bodies({}, {});
        out_frame.rays = rays_;
        add_probe_obbs(bounds_, out_frame);
        add_walkers(out_frame);
    }

private:
    std::string title_;
    Aabb bounds_;
    std::vector<Ray> rays_;
};

// A recording; a body's displacement is the motion of its center to the next frame.
class RecordingScene final : public Scene {
public:
    RecordingScene(std::string title, scene_io::Recording recording)
        : title_(std::move(title)), recording_(std::move(recording)) {}
    std::string title() const override { return title_; }
    std::size_t frame_count() const override { return recording_.frames.size(); }
    void fill(std::size_t index, Frame& out_frame) override {
        const std::vector<scene_io::BoxRecord>& now = recording_.frames[index];
        const std::vector<scene_io::BoxRecord>& next =
            index + 1 < recording_.frames.size() ? recording_.frames[index + 1] : now;
        std::vector<Aabb> boxes;
        out_frame.ids.clear();
        out_frame.kinds.clear();
        for (const scene_io::BoxRecord& record : now) {
            boxes.push_back(record.box);
            out_frame.ids.push_back(record.id);
            out_frame.kinds.push_back(record.kind);
        }
        out_frame.set_bodies(boxes, scene_io::displacements_to(next, now));
        out_frame.rays = boxes.empty() ? std::vector<Ray>{} : probe_rays(bounds_of(boxes));
    }

private:
    std::string title_;
    scene_io::Recording recording_;
};

// The town of bench/scenes with its terrain, and ruins on it; endless.
class TownScene final : public Scene {
public:
    TownScene() {
        scene_io::TriangleMesh ground = street_.terrain_mesh();
        append_ruins(kProbeSeed + 2, ground);
        set_mesh(ground, 4.0f);
    }
    std::string title() const override { return "street scene with traffic"; }
    std::size_t frame_count() const override { return static_cast<std::size_t>(-1); }
    void fill(std::size_t index, Frame& out_frame) override {
        street_.frame(index, now_);
        out_frame.set_bodies(now_.boxes, now_.box_displacements);
        out_frame.rays = now_.rays;
        out_frame.obbs = now_.obbs;
        out_frame.obb_displacements = now_.obb_displacements;
        add_walkers(out_frame);
    }

private:
    scenes::StreetScene street_;
    scenes::StreetFrame now_;
};

std::unique_ptr<Scene> make_scene(const std::string& title, scene_io::BoxList&& list) {
    return std::make_unique<StillScene>(title, std::move(list.boxes));
}
std::unique_ptr<Scene> make_scene(const std::string& title, scene_io::Recording&& recording) {
    return std::make_unique<RecordingScene>(title, std::move(recording));
}
std::unique_ptr<Scene> make_scene(const std::string& title, scene_io::TriangleMesh&& mesh) {
    return std::make_unique<MeshFileScene>(title, mesh);
}

}  // namespace

void Frame::set_bodies(const std::vector<Aabb>& new_boxes, const std::vector<Vec3>& displacements) {
    require(boxes.resize(new_boxes.size()));
    for (std::size_t i = 0; i < new_boxes.size(); ++i) boxes.set(i, new_boxes[i]);
    displacement_x.clear();
    displacement_y.clear();
    displacement_z.clear();
    for (const Vec3& displacement : displacements) {
        displacement_x.push_back(displacement.x);
        displacement_y.push_back(displacement.y);
        displacement_z.push_back(displacement.z);
    }
}

StageInput Scene::input(const Frame& frame) const {
    StageInput input;
    input.boxes = frame.boxes;
    input.displacements = {frame.displacement_x.data(), frame.displacement_y.data(),
                           frame.displacement_z.data(), frame.displacement_x.size()};
    input.rays = frame.rays;
    input.obbs = frame.obbs;
    input.obb_displacements = frame.obb_displacements;
    input.triangles = triangles_;
    input.triangle_bounds = triangle_bounds_;
    input.movers = frame.movers;
    if (walkers_ != nullptr) input.meshes = {&mesh_pointer_, 1};
    return input;
}

void Scene::set_mesh(const scene_io::TriangleMesh& mesh, float walker_height) {
    const std::span<const std::array<std::uint32_t, 3>> rows = mesh.triangles;
    const std::span<const std::uint32_t> indices = {rows.empty() ? nullptr : rows.data()->data(),
                                                    3 * rows.size()};
    require(triangles_.assign(mesh.positions, indices).status);
    require(triangle_bounds(triangles_, triangle_bounds_));
    require(mesh_.build(mesh.positions, indices).status);
    WalkerSettings settings;
    settings.area = bounds_of(scene_io::triangle_boxes(mesh));
    settings.height = walker_height;
    settings.seed = kProbeSeed + 3;
    // As on the page: y, unless another axis is clearly the short one.
    const Vec3 sides = size(settings.area);
    if (sides.x < 0.5f * sides.y) settings.up_axis = 0;
    if (sides.z < 0.5f * (settings.up_axis == 0 ? sides.x : sides.y)) settings.up_axis = 2;
    walkers_ = std::make_unique<Walkers>(settings, mesh_);
}

void Scene::add_walkers(Frame& state_frame) const {
    state_frame.mover_ray_begin = state_frame.rays.size();
    state_frame.mover_settings = walkers_->mover_settings();
    walkers_->fill(state_frame.movers, state_frame.rays);
}

std::unique_ptr<Scene> make_street_scene() { return std::make_unique<TownScene>(); }

SceneOrError open_scene(const std::vector<std::string>& paths) {
    if (paths.size() == 2) {
        scene_io::Result<scene_io::MeshPair> pair = scene_io::load_mesh_pair(paths[0], paths[1]);
        if (!pair) return {nullptr, pair.error().message};
        std::vector<Aabb> boxes = scene_io::swept_boxes(scene_io::triangle_boxes(pair->at_start),
                                                        scene_io::triangle_boxes(pair->at_end));
        return {std::make_unique<StillScene>(paths[0] + " to " + paths[1], std::move(boxes)), {}};
    }
    scene_io::Result<scene_io::Scene> scene = scene_io::load_scene(paths[0]);
    if (!scene) return {nullptr, scene.error().message};
    return {std::visit([&](auto&& held) { return make_scene(paths[0], std::move(held)); },
                       std::move(scene).value()),
            {}};
}

}  // namespace broadside::demo
