// Box scenes by layout and name, and their motion.
#include <broadside/scenes/box_scene.hpp>

#include "course.hpp"
#include "layouts.hpp"

#include <array>

namespace broadside::scenes {
namespace {

constexpr std::array<NamedScene, 37> kScenes = {{
    {"uniform", Layout::uniform, Motion::none},
    {"clustered", Layout::clustered, Motion::none},
    {"mixed", Layout::mixed, Motion::none},
    {"city", Layout::city, Motion::none},
    {"pile", Layout::pile, Motion::none},
    {"wall", Layout::wall, Motion::none},
    {"sticks", Layout::sticks, Motion::none},
    {"line", Layout::line, Motion::none},
    {"one_place", Layout::one_place, Motion::none},
    {"clumps", Layout::clumps, Motion::none},
    {"sizes", Layout::sizes, Motion::none},
    {"giants", Layout::giants, Motion::none},
    {"static90", Layout::uniform, Motion::a_tenth},
    {"clustered90", Layout::clustered, Motion::a_tenth},
    {"mixed90", Layout::mixed, Motion::a_tenth},
    {"city90", Layout::city, Motion::a_tenth},
    {"pile90", Layout::pile, Motion::a_tenth},
    {"uniform_moving", Layout::uniform, Motion::all},
    {"clustered_moving", Layout::clustered, Motion::all},
    {"mixed_moving", Layout::mixed, Motion::all},
    {"city_moving", Layout::city, Motion::all},
    {"pile_moving", Layout::pile, Motion::all},
    {"wall_moving", Layout::wall, Motion::all},
    {"sticks_moving", Layout::sticks, Motion::all},
    {"line_moving", Layout::line, Motion::all},
    {"one_place_moving", Layout::one_place, Motion::all},
    {"clumps_moving", Layout::clumps, Motion::all},
    {"sizes_moving", Layout::sizes, Motion::all},
    {"giants_moving", Layout::giants, Motion::all},
    {"islands", Layout::islands, Motion::none},
    {"strays", Layout::strays, Motion::none},
    {"distances", Layout::distances, Motion::none},
    {"islands_moving", Layout::islands, Motion::all},
    {"strays_moving", Layout::strays, Motion::all},
    {"distances_moving", Layout::distances, Motion::all},
    {"mixture", Layout::mixture, Motion::none},
    {"mixture_moving", Layout::mixture, Motion::all},
}};

// Largest displacement of a step along each axis. An object of edge 1 (a metre, say) at 60 steps a second
// does 3 m/s with 0.05; a pile only jitters; every box stays on its ground, its wall or its line.
Vec3 max_displacement_per_step(Layout layout) {
    switch (layout) {
        case Layout::city:
            return {0.05f, 0.0f, 0.05f};
        case Layout::pile:
            return {0.002f, 0.002f, 0.002f};
        case Layout::wall:
            return {0.0f, 0.05f, 0.05f};
        case Layout::line:
            return {0.05f, 0.0f, 0.0f};
        default:
            return {0.05f, 0.05f, 0.05f};
    }
}

// Half a course at full displacement is 6 of the usual edges, or less if that would scatter the layout.
std::uint32_t max_half_period_steps(Layout layout) {
    switch (layout) {
        case Layout::pile:
            return 8;
        case Layout::clustered:
        case Layout::clumps:
        case Layout::one_place:
            return 24;
        default:
            return 128;
    }
}

}  // namespace

std::span<const NamedScene> named_scenes() noexcept { return kScenes; }

std::optional<NamedScene> find_scene(std::string_view name) noexcept {
    for (const NamedScene& scene : kScenes) {
        if (scene.name == name) return scene;
    }
    return std::nullopt;
}

std::vector<Aabb> make_boxes(Layout layout, std::size_t box_count, std::uint64_t seed) {
    const SceneRandom random(seed * 256 + static_cast<std::uint64_t>(layout));
    switch (layout) {
        case Layout::uniform:
            return uniform_boxes(box_count, random);
        case Layout::clustered:
            return clustered_boxes(box_count, random);
        case Layout::mixed:
            return mixed_boxes(box_count, random);
        case Layout::city:
            return city_boxes(box_count, random);
        case Layout::pile:
            return pile_boxes(box_count, random);
        case Layout::wall:
            return wall_boxes(box_count, random);
        case Layout::sticks:
            return stick_boxes(box_count, random);
        case Layout::line:
            return line_boxes(box_count, random);
        case Layout::one_place:
            return one_place_boxes(box_count);
        case Layout::clumps:
            return clumps_boxes(box_count, random);
        case Layout::sizes:
            return sizes_boxes(box_count, random);
        case Layout::giants:
            return giants_boxes(box_count, random);
        case Layout::islands:
            return islands_boxes(box_count, random);
        case Layout::strays:
            return strays_boxes(box_count, random);
        case Layout::distances:
            return distances_boxes(box_count, random);
        case Layout::mixture:
            return mixture_boxes(box_count, random);
    }
    return {};
}

BoxScene::BoxScene(Layout layout, Motion motion, std::size_t box_count, std::uint64_t seed)
    : resting_boxes_(make_boxes(layout, box_count, seed)) {
    if (motion == Motion::none) return;
    SceneRandom random(seed * 256 + 128 + static_cast<std::uint64_t>(layout));
    const Vec3 max_displacement = max_displacement_per_step(layout);
    courses_.resize(box_count);
    for (std::size_t i = 0; i < box_count; ++i) {
        const Vec3 direction = random.in_cube(1.0f);
        const std::uint32_t max_half_period = max_half_period_steps(layout);
        Course& course = courses_[i];
        course.half_period_steps = max_half_period / 2 + random.below(max_half_period / 2);
        course.phase_steps = random.below(2 * std::uint64_t{course.half_period_steps});
        const bool is_moving = motion == Motion::all || i % 10 == 0;
        if (!is_moving) continue;
        course.displacement_per_step = {direction.x * max_displacement.x, direction.y * max_displacement.y,
                                        direction.z * max_displacement.z};
    }
}

void BoxScene::frame(std::uint64_t frame_index, BoxFrame& out_frame) const {
    out_frame.boxes = resting_boxes_;
    out_frame.displacements.assign(resting_boxes_.size(), Vec3{});
    for (std::size_t i = 0; i < courses_.size(); ++i) {
        const Course& course = courses_[i];
        const std::int64_t at_rest = to_and_fro(course.phase_steps, course.half_period_steps);
        const std::int64_t now = to_and_fro(frame_index + course.phase_steps, course.half_period_steps);
        const std::int64_t next = to_and_fro(frame_index + 1 + course.phase_steps, course.half_period_steps);
        const Vec3 offset = course.displacement_per_step * static_cast<float>(now - at_rest);
        out_frame.boxes[i].min = out_frame.boxes[i].min + offset;
        out_frame.boxes[i].max = out_frame.boxes[i].max + offset;
        out_frame.displacements[i] = course.displacement_per_step * static_cast<float>(next - now);
    }
}

}  // namespace broadside::scenes
