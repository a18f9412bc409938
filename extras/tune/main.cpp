// broadside-tune: the best algorithm and settings for a scene on this machine.
#include "extras/recording/input_options.hpp"
#include "extras/support/choose_isa.hpp"
#include "extras/support/progress_bar.hpp"
#include "extras/tune/field.hpp"
#include "extras/tune/tune_report.hpp"

#include <cstdio>
#include <thread>

namespace {

using namespace broadside;
using namespace broadside::tune;

struct Arguments {
    recording::InputArguments input;
    std::optional<Question> question;
    std::vector<std::string> isas;
    std::vector<std::uint32_t> thread_counts;
    double seconds = 20;
    std::size_t frame_count_max = 200;
    bool json = false;
    bool has_all = false;
};

// All methods are tried on the first ISA: the best of the requested ones.
std::vector<Isa> isas_of(const std::vector<std::string>& names) {
    std::vector<Isa> isas;
    for (const std::string& name : names) isas.push_back(extras::choose_isa(name));
    if (isas.empty()) {
        const Isa active = extras::choose_isa({});
        isas.assign(supported_isas().begin(), supported_isas().end());
        // BROADSIDE_ISA is a request, too.
        if (active != isas.back()) isas = {active};
    }
    std::sort(isas.begin(), isas.end(), std::greater());
    return isas;
}

// 1, 2, 4 ... and as many as the machine runs at once.
std::vector<std::uint32_t> usual_thread_counts() {
    const std::uint32_t most = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::uint32_t> counts;
    for (std::uint32_t count = 1; count < most; count *= 2) counts.push_back(count);
    counts.push_back(most);
    return counts;
}

int run(const Arguments& arguments) {
    const std::vector<Isa> isas = isas_of(arguments.isas);
    const scene_io::Recording recording = recording::load(arguments.input);
    if (recording.frames.empty()) throw std::runtime_error("the recording has no frame");
    const Question question = arguments.question.value_or(usual_question(recording));
    const FrameSplit frames = split_frames(recording.frames.size(), arguments.frame_count_max);
    const TuneScene scene(recording, question, frames.chosen_by);
    const extras::ProgressBar bar(100, "% of the time");
    const auto progress_between = [&](double begin, double end) {
        return [&bar, begin, end](double share) {
            bar.show(static_cast<std::size_t>(100 * (begin + (end - begin) * share)));
        };
    };
    Threads threads;
    TuneReport report;
    report.title = arguments.input.title();
    report.first_race = first_field(scene, isas.front());
    race(report.first_race, scene, threads,
         {.seconds = 0.3 * arguments.seconds, .seed = 1, .report_progress = progress_between(0, 0.3)});
    const std::vector<std::uint32_t> thread_counts =
        arguments.thread_counts.empty() ? usual_thread_counts() : arguments.thread_counts;
    report.final_race = final_field(report.first_race, {isas, thread_counts});
    race(report.final_race, scene, threads,
         {.seconds = 0.4 * arguments.seconds, .seed = 2, .report_progress = progress_between(0.3, 0.7)});
    if (report.final_race.empty() || report.final_race.front().is_wrong) {
        throw std::runtime_error("the default settings do not find the reference's pairs");
    }
    const std::vector<Proposal> proposals = propose(report.final_race);
    report.held_out = frames.held_out;
    if (frames.held_out.count != 0) {
        const TuneScene held_out(recording, question, frames.held_out);
        report.confirming_race = confirming_field(report.final_race, proposals);
        race(report.confirming_race, held_out, threads,
             {.seconds = 0.3 * arguments.seconds, .seed = 3, .report_progress = progress_between(0.7, 1)});
    }
    report.verdict = judge(report.final_race, proposals, report.confirming_race);
    std::fputs(
        (arguments.json ? make_tune_json(report, scene) : make_tune_table(report, scene, arguments.has_all))
            .c_str(),
        stdout);
    return report.wrong_count() == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    Arguments arguments;
    CLI::App app(
        "Compares the methods of finding the pairs of a scene on this machine, each checked against the "
        "scalar reference, and prints the best settings as C++.",
        "broadside-tune");
    app.footer("Exit code: 0 success, 1 a candidate found wrong pairs, 2 failure.");
    recording::add_input_options(app, arguments.input);
    const std::map<std::string, Question> questions = {{"all", Question::all_pairs},
                                                       {"movers", Question::pairs_of_movers}};
    app.add_option("--pairs", arguments.question,
                   "All pairs, or movers: those that are not between two static boxes; default: movers if "
                   "some boxes are static and others are not")
        ->transform(extras::one_of(questions));
    app.add_option("--isa", arguments.isas,
                   "Only these, such as sse2,avx2; default: all that this machine has")
        ->delimiter(',')
        ->check(extras::isa_names());
    app.add_option("--threads", arguments.thread_counts,
                   "Numbers of threads to try; default: 1, 2, 4 ... up to the machine's")
        ->delimiter(',')
        ->check(CLI::Range(1, 256));
    app.add_option("--seconds", arguments.seconds, "Time to measure; a large scene takes at least six rounds")
        ->capture_default_str()
        ->check(CLI::Range(0.0, 3600.0));
    app.add_option("--frames", arguments.frame_count_max,
                   "Most frames to use, from the middle of the recording; the second half confirms")
        ->capture_default_str()
        ->check(CLI::Range(1, 1000000));
    app.add_flag("--json", arguments.json, "Print JSON instead of the tables");
    app.add_flag("--all", arguments.has_all, "Show the rows that are far behind, too");
    try {
        app.parse(argc, argv);
        return run(arguments);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "broadside-tune: %s\n", error.what());
        return 2;
    }
}
