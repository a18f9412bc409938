// replay and compare: one hash a frame, and the first frame in which two replays differ.
#include "extras/record/commands.hpp"
#include "extras/recording/replay_file.hpp"
#include "extras/support/choose_isa.hpp"
#include "extras/support/named_values.hpp"
#include "extras/support/progress_bar.hpp"

#include <broadside/config_string.hpp>
#include <broadside/scene_io/new_file.hpp>
#include <broadside/tbb_task_runner.hpp>

#include <cstdio>
#include <memory>

namespace broadside::record {
namespace {

using recording::ReplayPath;
using recording::ReplayReport;

const std::map<std::string, ReplayPath> kPaths = {
    {"find_pairs", ReplayPath::find_pairs}, {"world", ReplayPath::world}, {"stage", ReplayPath::stage}};

std::map<std::string, PairAlgorithm> algorithms() {
    std::map<std::string, PairAlgorithm> names;
    for (const PairAlgorithm algorithm : {PairAlgorithm::automatic, PairAlgorithm::brute_force,
                                          PairAlgorithm::sweep_and_prune, PairAlgorithm::cells}) {
        names.emplace(pair_algorithm_name(algorithm), algorithm);
    }
    return names;
}

struct ReplayArguments {
    InputArguments input;
    std::string output;
    std::string isa;
    std::uint32_t thread_count = 1;
    std::vector<ReplayPath> paths;
    recording::ReplaySettings settings;
};

void run_replay(const ReplayArguments& arguments) {
    ReplayReport report;
    report.isa = isa_name(extras::choose_isa(arguments.isa));
    report.config = config_string();
    report.thread_count = arguments.thread_count;
    report.settings = arguments.settings;
    if (!arguments.paths.empty()) report.settings.is_run = {};
    for (const ReplayPath path : arguments.paths) {
        report.settings.is_run[static_cast<std::size_t>(path)] = true;
    }
    const TbbTaskRunner threads(arguments.thread_count);
    if (arguments.thread_count > 1) report.settings.runner = threads.runner();
    const scene_io::Recording recording = load(arguments.input);
    const extras::ProgressBar bar(recording.frames.size(), "frames");
    report.frames = recording::replay(recording, report.settings, [&](std::size_t done) { bar.show(done); });
    const std::string json = recording::make_replay_json(report);
    if (arguments.output.empty()) {
        std::fputs(json.c_str(), stdout);
        return;
    }
    if (const auto error = scene_io::write_file(arguments.output, json))
        throw std::runtime_error(error->message);
    std::printf("%s: frames %zu, ISA %s, threads %u\n", arguments.output.c_str(), report.frames.size(),
                report.isa.c_str(), report.thread_count);
}

std::string described(const std::string& path, const ReplayReport& report) {
    return path + ": " + report.config + "; ran on " + report.isa +
           ", threads: " + std::to_string(report.thread_count) + "\n";
}

}  // namespace

void add_replay_command(CLI::App& app) {
    auto arguments = std::make_shared<ReplayArguments>();
    CLI::App* command = app.add_subcommand(
        "replay", "Runs through find_pairs, World and CollisionStage, with a hash of every frame's result");
    add_input_options(*command, arguments->input);
    command->add_option("-o,--output", arguments->output, "The JSON file to write; default: standard output");
    command
        ->add_option("--isa", arguments->isa,
                     "ISA by name; default: BROADSIDE_ISA, else the best that this machine has")
        ->check(extras::isa_names());
    command->add_option("--threads", arguments->thread_count, "Threads")
        ->capture_default_str()
        ->check(CLI::Range(1, 256));
    command->add_option("--paths", arguments->paths, "Some of find_pairs, world, stage; default: all")
        ->delimiter(',')
        ->transform(extras::one_of(kPaths));
    command->add_option("--algorithm", arguments->settings.algorithm, "Algorithm of find_pairs and the stage")
        ->transform(extras::one_of(algorithms()));
    command->add_flag("--static-pairs", arguments->settings.fixed_objects_pair,
                      "The World pairs static boxes with each other, too");
    command->callback([arguments] { run_replay(*arguments); });
}

void add_compare_command(CLI::App& app, int& out_exit_code) {
    auto paths = std::make_shared<std::vector<std::string>>();
    CLI::App* command =
        app.add_subcommand("compare", "Two replays: the paths that differ, and from which frame on");
    command->add_option("replays", *paths, "Two files of the replay command")
        ->type_name("FILE")
        ->required()
        ->expected(2);
    command->callback([paths, &out_exit_code] {
        const ReplayReport a = value_or_throw(recording::read_replay(paths->at(0)));
        const ReplayReport b = value_or_throw(recording::read_replay(paths->at(1)));
        const recording::ReplayComparison comparison = recording::compare(a, b);
        if (comparison.paths.empty()) throw std::runtime_error("the replays have no path in common");
        std::printf("%s%s", described(paths->at(0), a).c_str(), described(paths->at(1), b).c_str());
        for (const std::string& line : comparison.differences) std::printf("%s\n", line.c_str());
        std::string names;
        for (const ReplayPath path : comparison.paths) {
            names += std::string(" ") + recording::replay_path_name(path);
        }
        std::printf("%s: frames %zu, paths%s\n", comparison.differences.empty() ? "equal" : "compared",
                    comparison.frame_count, names.c_str());
        if (!comparison.differences.empty()) out_exit_code = 1;
    });
}

}  // namespace broadside::record
