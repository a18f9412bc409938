// broadside-speedup: the gain of more cores, on a machine that has few.
#include "extras/speedup/measuring_runner.hpp"
#include "extras/support/choose_isa.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/find_pairs.hpp>
#include <broadside/scenes/box_scene.hpp>
#include <broadside/world.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using namespace broadside;
using speedup::clock_seconds;
using speedup::MeasuringRunner;

namespace {

constexpr std::uint32_t kWorkerCounts[] = {2, 4, 8, 16, 32, 64};
// Tasks are cut for this many to show the serial share.
constexpr std::uint32_t kShareWorkerCount = 8;

struct Arguments {
    std::vector<std::string> scenes = {"uniform_moving", "static90",    "city90",
                                       "pile_moving",    "wall_moving", "mixed_moving"};
    std::vector<std::string> subjects = {"found", "canonical", "world"};
    std::size_t count = 100'000;
    // A world searches completely while it collects its candidates, for some forty frames.
    std::uint32_t warm_up_frame_count = 64;
    std::uint32_t frame_count = 24;
    std::uint32_t run_count = 3;
    double dispatch_microseconds = 2;
    std::string isa;
};

/// Frames of a scene as an engine passes them.
struct Frame {
    std::vector<std::uint32_t> moved;
    BoxSoa moved_boxes;
    BoxSoa boxes;
};

void fill(BoxSoa& out_boxes, std::size_t count, auto&& box_of) {
    if (out_boxes.resize(count) != Status::ok) throw std::runtime_error("no memory");
    for (std::size_t i = 0; i < count; ++i) out_boxes.set(i, box_of(i));
}

std::vector<Frame> make_frames(const scenes::BoxScene& scene, std::uint32_t frame_count) {
    std::vector<Frame> frames(frame_count);
    scenes::BoxFrame made;
    scene.frame(0, made);
    std::vector<Aabb> before = made.boxes;
    for (std::uint32_t index = 0; index < frame_count; ++index) {
        scene.frame(index, made);
        Frame& frame = frames[index];
        for (std::size_t i = 0; i < before.size(); ++i) {
            if (!(made.boxes[i] == before[i])) frame.moved.push_back(static_cast<std::uint32_t>(i));
        }
        fill(frame.boxes, before.size(), [&](std::size_t i) { return made.boxes[i]; });
        fill(frame.moved_boxes, frame.moved.size(),
             [&](std::size_t k) { return made.boxes[frame.moved[k]]; });
        before = made.boxes;
    }
    return frames;
}

/// Times of one frame; the least of several equal runs, because disturbances only add.
struct FrameTimes {
    double serial = 1e9;
    double tasks = 1e9;
    double makespan = 1e9;
    double total() const { return serial + tasks; }
};

/// The measured work: frame after frame of a scene, and a number on which all runs must agree.
class Subject {
public:
    Subject() = default;
    Subject(const Subject&) = delete;
    Subject& operator=(const Subject&) = delete;
    virtual ~Subject() = default;
    /// Data that a caller has at hand; not measured.
    virtual void prepare(const Frame&) {}
    virtual std::uint64_t step(const Frame& frame, const TaskRunner* runner) = 0;
};

class PairsSubject : public Subject {
public:
    explicit PairsSubject(PairOrder order) { settings_.order = order; }
    std::uint64_t step(const Frame& frame, const TaskRunner* runner) override {
        settings_.runner = runner;
        const FindPairsResult result = find_pairs(frame.boxes, settings_, scratch_, pairs_);
        if (result.status != Status::ok) throw std::runtime_error("find_pairs failed");
        return result.required;
    }

private:
    FindPairsSettings settings_;
    BoxScratch scratch_;
    PairBuffer pairs_;
};

class WorldSubject : public Subject {
public:
    WorldSubject(const Frame& first, bool is_mostly_fixed) {
        const BoxSoaView boxes = first.boxes;
        std::vector<ObjectDescription> descriptions(boxes.count);
        for (std::size_t i = 0; i < boxes.count; ++i) {
            descriptions[i].box = boxes[i];
            if (is_mostly_fixed && i % 10 != 0) descriptions[i].kind = ObjectKind::fixed;
        }
        handles_.resize(boxes.count);
        if (world_.add(descriptions, handles_).status != Status::ok) throw std::runtime_error("no memory");
    }
    void prepare(const Frame& frame) override {
        moved_.resize(frame.moved.size());
        for (std::size_t k = 0; k < moved_.size(); ++k) moved_[k] = handles_[frame.moved[k]];
    }
    std::uint64_t step(const Frame& frame, const TaskRunner* runner) override {
        if (world_.set_boxes(moved_, frame.moved_boxes, runner).status != Status::ok ||
            world_.update(runner).status != Status::ok) {
            throw std::runtime_error("World failed");
        }
        return world_.pairs_hash();
    }

private:
    World world_;
    std::vector<ObjectHandle> handles_;
    std::vector<ObjectHandle> moved_;
};

struct Sums {
    double serial = 0;
    double tasks = 0;
    double makespan = 0;
};

// One run of all frames, cut for this many workers, or by one thread for 0.
void run_frames(Subject& state_subject, const std::vector<Frame>& frames, const Arguments& arguments,
                std::uint32_t worker_count, std::vector<std::uint64_t>& state_answers,
                std::vector<FrameTimes>& state_times) {
    MeasuringRunner runner(worker_count);
    for (std::size_t index = 0; index < frames.size(); ++index) {
        state_subject.prepare(frames[index]);
        (void)runner.take();
        const double begin = clock_seconds();
        const std::uint64_t answer =
            state_subject.step(frames[index], worker_count == 0 ? nullptr : runner.runner());
        const double seconds = clock_seconds() - begin;
        const MeasuringRunner::Times taken = runner.take();
        if (state_answers.size() <= index) state_answers.push_back(answer);
        if (state_answers[index] != answer) throw std::runtime_error("workers change the result");
        FrameTimes& least = state_times[index];
        least.serial = std::min(least.serial, seconds - taken.task_seconds - taken.own_seconds);
        least.tasks = std::min(least.tasks, taken.task_seconds);
        least.makespan =
            std::min(least.makespan,
                     taken.makespan_seconds + taken.dispatch_count * arguments.dispatch_microseconds * 1e-6);
    }
}

// The frames after those that warm up.
Sums sum(const std::vector<FrameTimes>& times, const Arguments& arguments) {
    Sums sums;
    for (std::size_t index = arguments.warm_up_frame_count; index < times.size(); ++index) {
        sums.serial += times[index].serial;
        sums.tasks += times[index].tasks;
        sums.makespan += times[index].makespan;
    }
    return sums;
}

template <class Make>
void report(const std::string& name, const std::vector<Frame>& frames, const Arguments& arguments,
            const Make& make) {
    std::vector<std::uint64_t> answers;
    // One thread, and this many workers, in turns, so that a slow minute of the machine affects all of them.
    std::vector<FrameTimes> times[1 + std::size(kWorkerCounts)];
    for (std::vector<FrameTimes>& each : times) each.resize(frames.size());
    for (std::uint32_t run = 0; run < arguments.run_count; ++run) {
        for (std::size_t k = 0; k < std::size(times); ++k) {
            run_frames(*make(), frames, arguments, k == 0 ? 0 : kWorkerCounts[k - 1], answers, times[k]);
        }
    }
    const Sums alone = sum(times[0], arguments);
    double share = 0;
    double work = 0;
    std::string speedups;
    for (std::size_t k = 0; k < std::size(kWorkerCounts); ++k) {
        const Sums sums = sum(times[k + 1], arguments);
        if (kWorkerCounts[k] == kShareWorkerCount) {
            share = sums.serial / (sums.serial + sums.tasks);
            work = (sums.serial + sums.tasks) / alone.serial;
        }
        char text[16];
        std::snprintf(text, sizeof text, " %6.2f", alone.serial / (sums.serial + sums.makespan));
        speedups += text;
    }
    std::printf("%-32s %9.3f %7.1f%% %6.2f%s\n", name.c_str(), alone.serial / arguments.frame_count * 1e3,
                share * 100, work, speedups.c_str());
    std::fflush(stdout);
}

void run(const Arguments& arguments) {
    std::printf("%zu boxes, ISA %s; %.1f us for each start of tasks\n", arguments.count,
                isa_name(extras::choose_isa(arguments.isa)), arguments.dispatch_microseconds);
    std::printf("%-32s %9s %8s %6s", "", "ms alone", "serial", "work");
    for (const std::uint32_t worker_count : kWorkerCounts) std::printf(" %5ux ", worker_count);
    std::printf("\n");
    for (const std::string& name : arguments.scenes) {
        const auto scene = scenes::find_scene(name);
        if (!scene) throw std::runtime_error("no scene is called " + name);
        const std::vector<Frame> frames = make_frames(scenes::BoxScene(*scene, arguments.count),
                                                      arguments.warm_up_frame_count + arguments.frame_count);
        const bool is_mostly_fixed = scene->motion == scenes::Motion::a_tenth;
        for (const std::string& subject : arguments.subjects) {
            if (subject == "found") {
                report(name + " find_pairs unordered", frames, arguments,
                       [] { return std::make_unique<PairsSubject>(PairOrder::by_algorithm); });
            } else if (subject == "canonical") {
                report(name + " find_pairs", frames, arguments,
                       [] { return std::make_unique<PairsSubject>(PairOrder::canonical); });
            } else {
                report(name + " World", frames, arguments,
                       [&] { return std::make_unique<WorldSubject>(frames[0], is_mostly_fixed); });
            }
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    Arguments arguments;
    CLI::App app(
        "Runs the tasks of find_pairs and of World one by one and takes their times. Prints the share of a "
        "call that one thread must do (serial, as cut for 8 workers), all of its work relative to a call on "
        "one thread (work), and the speed-up over one thread for each number of workers, if memory were no "
        "limit.",
        "broadside-speedup");
    app.add_option("--scene", arguments.scenes, "Scenes of the benches")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--subject", arguments.subjects, "find_pairs unordered, in canonical order, and World")
        ->delimiter(',')
        ->capture_default_str()
        ->check(CLI::IsMember({"found", "canonical", "world"}));
    app.add_option("--count", arguments.count, "Boxes")
        ->capture_default_str()
        ->check(CLI::Range(1, 10'000'000));
    app.add_option("--warm-up", arguments.warm_up_frame_count,
                   "Frames before those that count; 3 to see how a world starts")
        ->capture_default_str()
        ->check(CLI::Range(0, 10'000));
    app.add_option("--frames", arguments.frame_count, "Frames of each that count")
        ->capture_default_str()
        ->check(CLI::Range(1, 10'000));
    app.add_option("--runs", arguments.run_count, "Runs, of which the least time of a frame counts")
        ->capture_default_str()
        ->check(CLI::Range(1, 100));
    app.add_option("--dispatch-us", arguments.dispatch_microseconds, "What each start of tasks costs")
        ->capture_default_str()
        ->check(CLI::Range(0.0, 1000.0));
    app.add_option("--isa", arguments.isa, "Instruction set; default: the best that this machine has");
    try {
        app.parse(argc, argv);
        run(arguments);
        return 0;
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "broadside-speedup: %s\n", error.what());
        return 2;
    }
}
