// Simulates a pile, and prints the broad phase's share of a step.
#include "examples/engine_broadphase/pile.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <future>

namespace {

using namespace engine_example;

struct Settings {
    std::uint32_t body_count = 4000;
    std::uint32_t step_count = 300;
    EngineSettings engine;
};

// The processor time of the thread, if the system measures it: other load on the machine does not count.
std::uint64_t cpu_nanoseconds() noexcept {
#ifdef CLOCK_THREAD_CPUTIME_ID
    std::timespec now = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
#else
    return steady_nanoseconds();
#endif
}

void stop_unless_ok(Status status) {
    if (status == Status::ok) return;
    std::fprintf(stderr, "%s\n", broadside::status_name(status));
    std::exit(1);
}

double mean(const std::vector<StepTimes>& steps, double (*part)(const StepTimes&)) {
    double sum = 0;
    for (const StepTimes& times : steps) sum += part(times);
    return sum / static_cast<double>(steps.size());
}

// Mean, median, 99th percentile and maximum.
void print_times(const char* name, const std::vector<StepTimes>& steps, double (*part)(const StepTimes&)) {
    std::vector<double> sorted;
    for (const StepTimes& times : steps) sorted.push_back(part(times));
    std::sort(sorted.begin(), sorted.end());
    std::printf("  %-12s %8.0f %8.0f %8.0f %8.0f\n", name, mean(steps, part), sorted[sorted.size() / 2],
                sorted[sorted.size() * 99 / 100], sorted.back());
}

void print_steps(const char* name, const Engine& engine, const std::vector<StepTimes>& steps) {
    if (steps.empty()) return;
    const auto step = [](const StepTimes& times) { return times.step; };
    const auto broad_phase = [](const StepTimes& times) { return times.broad_phase(); };
    std::printf(
        "%s: %zu steps; at the end %zu awake, %zu pairs, %zu contacts with %zu points in %zu colours\n", name,
        steps.size(), engine.awake_count(), engine.contact_count(), engine.solver().constraint_count(),
        engine.solver().point_count(), engine.solver().colour_count());
    std::printf("  %-12s %8s %8s %8s %8s\n", "microseconds", "mean", "median", "p99", "max");
    print_times("step", steps, step);
    print_times("broad phase", steps, broad_phase);
    print_times("  change", steps, [](const StepTimes& times) { return times.change; });
    print_times("  update", steps, [](const StepTimes& times) { return times.update; });
    print_times("  notify", steps, [](const StepTimes& times) { return times.notify; });
    print_times("  sleep", steps, [](const StepTimes& times) { return times.sleep; });
    print_times("narrow phase", steps, [](const StepTimes& times) { return times.narrow_phase; });
    print_times("solver", steps, [](const StepTimes& times) { return times.solve; });
    print_times("moves", steps, [](const StepTimes& times) { return times.move; });
    std::printf("  the broad phase is %.1f %% of a step\n",
                100 * mean(steps, broad_phase) / mean(steps, step));
    std::fflush(stdout);
}

// Adds the bin, and the bodies in the air over it.
std::vector<std::uint32_t> fill(Engine& engine, std::uint32_t body_count) {
    stop_unless_ok(engine.add_bodies(engine.prepare_bodies(make_bin(body_count))));
    const Engine::Batch batch = engine.prepare_bodies(make_rain(body_count, 0, body_count));
    stop_unless_ok(engine.add_bodies(batch));
    std::vector<std::uint32_t> bodies(body_count);
    for (std::uint32_t i = 0; i < body_count; ++i) bodies[i] = batch.first_body + i;
    return bodies;
}

std::vector<StepTimes> play(Engine& engine, std::uint32_t step_count) {
    std::vector<StepTimes> steps;
    while (steps.size() < step_count) {
        stop_unless_ok(engine.step());
        steps.push_back(engine.times());
    }
    return steps;
}

// Casts rays down into the bin, from a thread of its own, on the newest view.
class Asker {
public:
    explicit Asker(const Engine& engine) : thread_([this, &engine] { ask(engine); }) {}
    Asker(const Asker&) = delete;
    Asker& operator=(const Asker&) = delete;
    ~Asker() {
        is_over_ = true;
        thread_.join();
    }
    void wait_for_rays() const {
        while (ray_count_ == 0) std::this_thread::yield();
    }
    std::uint64_t ray_count() const { return ray_count_; }
    std::uint64_t hit_count() const { return hit_count_; }

private:
    void ask(const Engine& engine) {
        for (std::uint32_t i = 0; !is_over_; ++i) {
            const BroadPhaseView view = engine.view();
            for (int k = 0; k < 32; ++k) {
                const float x = 0.25f * static_cast<float>(i % 32) - 4;
                const broadside::Ray ray = {{x, 30, 0.25f * static_cast<float>(k) - 4}, {0.1f, -1, 0.1f}};
                float nearest = broadside::kNoIntersection;
                stop_unless_ok(view.cast(ray, ~std::uint64_t{0}, [&](std::uint64_t, float t) {
                    return nearest = std::min(nearest, t);
                }));
                ++ray_count_;
                hit_count_ += nearest != broadside::kNoIntersection ? 1u : 0u;
            }
        }
    }

    std::atomic<std::uint64_t> ray_count_{0};
    std::atomic<std::uint64_t> hit_count_{0};
    std::atomic<bool> is_over_{false};
    std::thread thread_;
};

void play_pile(const Settings& settings) {
    EngineSettings engine_settings = settings.engine;
    engine_settings.bodies_sleep = false;
    Engine engine(engine_settings);
    fill(engine, settings.body_count);
    print_steps("falling", engine, play(engine, 60));
    print_steps("landing", engine, play(engine, 120));
    print_steps("pile", engine, play(engine, settings.step_count));
    std::printf("state %016llx\n", static_cast<unsigned long long>(engine.state_hash()));
}

// In each step the oldest body is removed, and another thread prepares a new one that falls from above.
void play_fed_pile(const Settings& settings) {
    constexpr std::uint32_t kFedCount = 1;
    Engine engine(settings.engine);
    std::vector<std::uint32_t> bodies = fill(engine, settings.body_count);
    play(engine, 300);
    const Asker asker(engine);
    std::vector<StepTimes> steps;
    for (std::uint32_t step = 0; step < settings.step_count; ++step) {
        const std::uint32_t made_count = settings.body_count + step * kFedCount;
        std::future<Engine::Batch> next = std::async(std::launch::async, [&] {
            return engine.prepare_bodies(make_rain(settings.body_count, made_count, kFedCount));
        });
        stop_unless_ok(engine.step());
        steps.push_back(engine.times());
        stop_unless_ok(engine.remove_bodies(std::span(bodies).subspan(step * kFedCount, kFedCount)));
        const Engine::Batch batch = next.get();
        stop_unless_ok(engine.add_bodies(batch));
        for (std::uint32_t i = 0; i < kFedCount; ++i) bodies.push_back(batch.first_body + i);
    }
    asker.wait_for_rays();
    print_steps("fed pile, bodies sleep, a thread asks", engine, steps);
    std::printf("state %016llx; %llu rays meanwhile, %llu of them hit\n",
                static_cast<unsigned long long>(engine.state_hash()),
                static_cast<unsigned long long>(asker.ray_count()),
                static_cast<unsigned long long>(asker.hit_count()));
}

bool read_arguments(int argument_count, char** arguments, Settings& out_settings) {
    for (int i = 1; i + 1 < argument_count; i += 2) {
        const auto number = static_cast<std::uint32_t>(std::strtoul(arguments[i + 1], nullptr, 10));
        if (std::strcmp(arguments[i], "--bodies") == 0)
            out_settings.body_count = number;
        else if (std::strcmp(arguments[i], "--steps") == 0)
            out_settings.step_count = number;
        else if (std::strcmp(arguments[i], "--threads") == 0)
            out_settings.engine.worker_count = number;
        else if (std::strcmp(arguments[i], "--margin") == 0)
            out_settings.engine.box_margin = std::strtof(arguments[i + 1], nullptr);
        else if (std::strcmp(arguments[i], "--clock") == 0 && std::strcmp(arguments[i + 1], "cpu") == 0)
            out_settings.engine.now_nanoseconds = &cpu_nanoseconds;
        else
            return false;
    }
    return argument_count % 2 == 1 && out_settings.body_count > 0 && out_settings.step_count > 0 &&
           out_settings.engine.worker_count > 0;
}

}  // namespace

int main(int argument_count, char** arguments) {
    Settings settings;
    if (!read_arguments(argument_count, arguments, settings)) {
        std::fprintf(stderr,
                     "usage: %s [--bodies N] [--steps N] [--threads N] [--margin METRES] [--clock cpu]\n",
                     arguments[0]);
        return 2;
    }
    std::printf("%u bodies, %u threads, boxes larger by %g m\n", settings.body_count,
                settings.engine.worker_count, static_cast<double>(settings.engine.box_margin));
    play_pile(settings);
    play_fed_pile(settings);
}
