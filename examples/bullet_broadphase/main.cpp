// Runs Bullet's dynamics on its own broadphases and on broadside's, side by side, and compares results and
// costs.
#include "examples/bullet_broadphase/scenes.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using namespace bullet_example;

double median(std::vector<FrameTimes>& frames, double FrameTimes::*phase) {
    const auto middle = frames.begin() + static_cast<std::ptrdiff_t>(frames.size() / 2);
    std::nth_element(frames.begin(), middle, frames.end(),
                     [&](const FrameTimes& a, const FrameTimes& b) { return a.*phase < b.*phase; });
    return (*middle).*phase;
}

void print_row(const char* name, std::vector<FrameTimes>& frames, const ScenePlay& play,
               std::uint64_t expected_state, std::uint64_t expected_rays) {
    const double set_boxes = median(frames, &FrameTimes::set_boxes);
    const double pairs = median(frames, &FrameTimes::pairs);
    const double step = median(frames, &FrameTimes::step);
    std::printf("| %s | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.1f %% | %d | %s | %s |\n", name,
                set_boxes, pairs, set_boxes + pairs, median(frames, &FrameTimes::rays_boxes),
                median(frames, &FrameTimes::rays), step, 100 * (set_boxes + pairs) / step,
                frames.back().pair_count, play.state_hash() == expected_state ? "yes" : "no",
                play.ray_hash() == expected_rays ? "yes" : "no");
}

void compare(Scene scene, int body_count, int frame_count, bool bodies_sleep) {
    constexpr std::size_t kCount = std::size(kBroadphaseKinds);
    std::unique_ptr<ScenePlay> plays[kCount];
    std::vector<FrameTimes> frames[kCount];
    for (std::size_t kind = 0; kind < kCount; ++kind) {
        plays[kind] = std::make_unique<ScenePlay>(
            SceneSettings{scene, kBroadphaseKinds[kind], body_count, 1000, bodies_sleep});
    }
    // Frame by frame in turns, so that other load on the machine affects all alike.
    for (int frame = 0; frame < frame_count; ++frame) {
        for (std::size_t kind = 0; kind < kCount; ++kind) frames[kind].push_back(plays[kind]->step());
    }
    std::printf("\n%s, %d bodies, %d frames%s; microseconds, medians\n", scene_name(scene), body_count,
                frame_count, bodies_sleep ? ", bodies sleep" : "");
    std::printf(
        "| | setAabb | pairs | both | rays: boxes | rays | step | share of step | pairs at the end | "
        "same state | same hits |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
    const std::uint64_t expected_state = plays[0]->state_hash();
    const std::uint64_t expected_rays = plays[0]->ray_hash();
    for (std::size_t kind = 0; kind < kCount; ++kind) {
        print_row(broadphase_name(kBroadphaseKinds[kind]), frames[kind], *plays[kind], expected_state,
                  expected_rays);
    }
    std::fflush(stdout);
}

}  // namespace

int main(int argument_count, char** arguments) {
    int frame_count = 100;
    std::vector<int> body_counts = {1000, 10000};
    bool bodies_sleep = false;
    const char* only = "";
    for (int i = 1; i < argument_count; ++i) {
        const bool has_value = i + 1 < argument_count;
        if (std::strcmp(arguments[i], "--frames") == 0 && has_value) {
            frame_count = std::atoi(arguments[++i]);
        } else if (std::strcmp(arguments[i], "--bodies") == 0 && has_value) {
            body_counts = {std::atoi(arguments[++i])};
        } else if (std::strcmp(arguments[i], "--scene") == 0 && has_value) {
            only = arguments[++i];
        } else if (std::strcmp(arguments[i], "--sleep") == 0) {
            bodies_sleep = true;
        } else {
            std::fprintf(stderr, "usage: %s [--frames N] [--bodies N] [--scene NAME] [--sleep]\n",
                         arguments[0]);
            return 2;
        }
    }
    if (frame_count < 1) return 2;
    for (const int body_count : body_counts) {
        for (const Scene scene : kScenes) {
            if (*only == 0 || std::strcmp(only, scene_name(scene)) == 0) {
                compare(scene, body_count, frame_count, bodies_sleep);
            }
        }
    }
}
