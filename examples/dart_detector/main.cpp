// Runs DART on its native collision detector with and without broadside, step by step in turns, and compares
// results and costs.
#include "examples/dart_detector/scenes.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using namespace dart_example;

double median(std::vector<StepTimes>& steps, double StepTimes::*part) {
    const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
    std::nth_element(steps.begin(), middle, steps.end(),
                     [&](const StepTimes& a, const StepTimes& b) { return a.*part < b.*part; });
    return (*middle).*part;
}

void compare(Scene scene, int shape_count, int step_count) {
    ScenePlay plays[] = {ScenePlay({scene, false, shape_count}), ScenePlay({scene, true, shape_count})};
    std::vector<StepTimes> times[2];
    bool is_same = true;
    for (int step = 0; step < step_count; ++step) {
        for (int i = 0; i < 2; ++i) times[i].push_back(plays[i].step(true));
        is_same = is_same && plays[0].state_hash() == plays[1].state_hash() &&
                  plays[0].contact_hash() == plays[1].contact_hash();
    }
    std::printf("| %s, %d |", scene_name(scene), shape_count);
    for (const auto part : {&StepTimes::detection, &StepTimes::check, &StepTimes::step}) {
        const double native = median(times[0], part);
        const double ours = median(times[1], part);
        std::printf(" %.1f | %.1f | %.1f |", native, ours, native / ours);
    }
    std::printf(" %zu | %s |\n", plays[1].contact_count(), is_same ? "yes" : "no");
    std::fflush(stdout);
}

}  // namespace

int main(int argument_count, char** arguments) {
    int step_count = 20;
    std::vector<int> shape_counts = {10, 100, 1000, 3000};
    const char* only = "";
    for (int i = 1; i < argument_count; ++i) {
        const bool has_value = i + 1 < argument_count;
        if (std::strcmp(arguments[i], "--steps") == 0 && has_value) {
            step_count = std::atoi(arguments[++i]);
        } else if (std::strcmp(arguments[i], "--shapes") == 0 && has_value) {
            shape_counts = {std::atoi(arguments[++i])};
        } else if (std::strcmp(arguments[i], "--scene") == 0 && has_value) {
            only = arguments[++i];
        } else {
            std::fprintf(stderr, "usage: %s [--steps N] [--shapes N] [--scene NAME]\n", arguments[0]);
            return 2;
        }
    }
    if (step_count < 1) return 2;
    std::printf(
        "%d steps; microseconds, medians\n"
        "| scene, shapes | detection: DART | broadside | ratio | check: DART | broadside | ratio | step: "
        "DART | "
        "broadside | ratio | contacts | same |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        step_count);
    for (const int shape_count : shape_counts) {
        for (const Scene scene : kScenes) {
            if (*only == 0 || std::strcmp(only, scene_name(scene)) == 0)
                compare(scene, shape_count, step_count);
        }
    }
}
