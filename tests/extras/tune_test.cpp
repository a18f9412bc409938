// Tests of broadside-tune except its clock: contenders find the right pairs, ratios have their bounds, and
// the recommendations.
#include "extras/recording/load_recording.hpp"
#include "extras/tune/contender.hpp"
#include "extras/tune/cpp_settings.hpp"
#include "extras/tune/field.hpp"
#include "extras/tune/tune_report.hpp"
#include "tests/support/folders.hpp"

#include "tests/extras/boxrec_bytes.hpp"
#include "tests/extras/recordings.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/suites.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

using namespace broadside;
using namespace broadside::test;
using namespace broadside::tune;

namespace {

// `count` rounds around a time; their noise of up to four hundredths is the same for equal `seed`s.
std::vector<double> rounds(double seconds, std::size_t count, std::uint64_t seed) {
    Random random(seed);
    std::vector<double> times;
    for (std::size_t i = 0; i < count; ++i) {
        times.push_back(seconds * (1.0 + 0.04 * static_cast<double>(random.unit())));
    }
    return times;
}

Candidate with_algorithm(PairAlgorithm algorithm, PairOrder order = PairOrder::canonical) {
    Candidate candidate = default_candidate();
    candidate.algorithm = algorithm;
    candidate.order = order;
    return candidate;
}

// `seconds` beside a default that takes one second.
Entry entry(Candidate candidate, std::vector<double> seconds) {
    const std::size_t count = seconds.size();
    return {candidate, true, false, std::move(seconds), rounds(1.0, count, count)};
}

// The default, then others: the result of a final race.
std::vector<Entry> race_of(const std::vector<Entry>& others) {
    std::vector<Entry> entries = {entry(default_candidate(), rounds(1.0, 20, 1))};
    entries.insert(entries.end(), others.begin(), others.end());
    return entries;
}

// All frames of a recording.
TuneScene scene_of(const scene_io::Recording& recording, Question question) {
    return {recording, question, {0, recording.frames.size()}};
}

// The recommendation for canonical order on one thread, if the proposals perform as in `held_out`; entries
// that are not proposed are ignored.
Recommendation first_recommendation(const std::vector<Entry>& raced, const std::vector<Entry>& held_out) {
    return judge(raced, propose(raced), held_out).recommendations.at(0);
}

// Returns its preset result.
class ToldContender final : public Contender {
public:
    ToldContender(Contender& right, std::size_t wrong_step) : right_(right), wrong_step_(wrong_step) {}
    double show(std::size_t frame_index) override {
        ++step_;
        return right_.show(frame_index);
    }
    std::vector<IndexPair> pairs() override {
        std::vector<IndexPair> pairs = right_.pairs();
        if (step_ == wrong_step_) std::swap(pairs[0], pairs[1]);
        return pairs;
    }

private:
    Contender& right_;
    std::size_t wrong_step_;
    std::size_t step_ = 0;
};

}  // namespace

TEST_CASE("the bounds of a median of ratios are the order statistics of the tables") {
    const auto bounds = [](std::size_t count) {
        std::vector<double> values;
        for (std::size_t i = 1; i <= count; ++i) values.push_back(static_cast<double>(i));
        const std::vector<double> ones(count, 1.0);
        return ratio_of(values, ones);
    };
    // Sample size, and the ranks that bound the median with 95 %.
    for (const auto& [count, low, high] :
         {std::array{6, 1, 6}, std::array{8, 1, 8}, std::array{9, 2, 8}, std::array{12, 3, 10},
          std::array{20, 6, 15}, std::array{61, 23, 39}}) {
        CAPTURE(count);
        const MeasuredRatio ratio = bounds(static_cast<std::size_t>(count));
        CHECK(ratio.low == low);
        CHECK(ratio.high == high);
        CHECK(ratio.median == (count + 1) / 2.0);
    }
    CHECK(bounds(5).low == 0);
    CHECK(std::isinf(bounds(5).high));
    CHECK(median_of(std::vector<double>{4, 1, 3}) == 3);
    CHECK(median_of(std::vector<double>{4, 1, 3, 2}) == 2.5);
}

TEST_CASE("a disturbance of a round affects both times of a ratio, and cancels") {
    const std::vector<double> a = {1, 9, 1, 4, 1, 1, 7, 1};
    std::vector<double> b;
    for (const double time : a) b.push_back(2 * time);
    const MeasuredRatio ratio = ratio_of(b, a);
    CHECK(ratio.median == 2);
    CHECK(ratio.low == 2);
    CHECK(ratio.high == 2);
}

TEST_CASE("a ratio is within the noise if its bounds come as close to 1 as those of equal contenders") {
    const MeasuredRatio twins = {1.0, 0.97, 1.04};
    CHECK(MeasuredRatio{1.05, 1.03, 1.06}.is_within_noise(twins));
    CHECK(MeasuredRatio{0.96, 0.95, 0.97}.is_within_noise(twins));
    // Equal candidates that seem to differ do so by chance, to either side.
    CHECK(MeasuredRatio{1.02, 1.01, 1.03}.is_within_noise({0.98, 0.97, 0.99}));
    CHECK(MeasuredRatio{9, 8, 10}.is_within_noise(ratio_of(std::vector{1.0}, std::vector{1.0})));
    CHECK_FALSE(MeasuredRatio{1.06, 1.05, 1.08}.is_within_noise(twins));
    CHECK_FALSE(MeasuredRatio{0.9, 0.88, 0.96}.is_within_noise(twins));
}

TEST_CASE("the walk through the frames goes back and forth, and each step is to a neighbour") {
    std::vector<std::size_t> walk;
    for (std::size_t step = 0; step < 8; ++step) walk.push_back(frame_of_step(step, 4));
    CHECK(walk == std::vector<std::size_t>{0, 1, 2, 3, 2, 1, 0, 1});
    CHECK(frame_of_step(17, 1) == 0);
    CHECK(frame_of_step(17, 2) == 1);
}

TEST_CASE("every candidate finds the right pairs in every frame, on every ISA, with any number of threads" *
          kLong) {
    for (const Question question : {Question::all_pairs, Question::pairs_of_movers}) {
        const TuneScene scene = scene_of(random_recording(21, 9, 150), question);
        for_each_isa([&](Isa isa) {
            std::set<Method> methods;
            std::set<PairAlgorithm> algorithms;
            Threads threads;
            for (const Entry& each : first_field(scene, isa)) {
                const Candidate& candidate = each.candidate;
                methods.insert(candidate.method);
                algorithms.insert(candidate.algorithm);
                for (const std::uint32_t thread_count : {1u, 2u, 5u}) {
                    INFO(method_text(candidate)
                         << " " << std::string(order_name(candidate.order)) << " " << thread_count);
                    const auto contender = make_contender(candidate, scene, threads.runner(thread_count));
                    CHECK(is_right(
                        *contender, scene,
                        candidate.order == PairOrder::canonical && candidate.method != Method::world));
                }
            }
            CHECK(methods.size() == (question == Question::all_pairs ? 3 : 4));
            CHECK(algorithms.size() == 4);
        });
    }
}

TEST_CASE("a contender that is wrong in one frame, or out of order if order is promised, is detected") {
    const TuneScene scene = scene_of(random_recording(4, 5, 80), Question::all_pairs);
    const auto right = make_contender(default_candidate(), scene, nullptr);
    REQUIRE(is_right(*right, scene, true));
    for (const std::size_t wrong_step : {1u, 4u, 10u}) {
        ToldContender told(*right, wrong_step);
        CHECK_FALSE(is_right(told, scene, true));
        ToldContender unordered(*right, wrong_step);
        CHECK(is_right(unordered, scene, false));
    }
    // The results of another query.
    const TuneScene other = scene_of(random_recording(4, 5, 80), Question::pairs_of_movers);
    CHECK_FALSE(is_right(*right, other, false));
}

TEST_CASE("the default query skips static pairs only if some boxes are static and others are not") {
    scene_io::Recording recording = random_recording(1, 2, 20);
    CHECK(usual_question(recording) == Question::pairs_of_movers);
    for (auto& frame : recording.frames) {
        for (auto& record : frame) record.kind = scene_io::BoxKind::static_object;
    }
    CHECK(usual_question(recording) == Question::all_pairs);
}

TEST_CASE("the middle frames are used, the first half to choose by and the second to confirm") {
    // Frames of the recording, the most to use; first and number of those to choose by, and of those held
    // out.
    for (const auto& [count, max, first, chosen, held_first, held] :
         {std::array<std::size_t, 6>{100, 200, 0, 50, 50, 50},
          std::array<std::size_t, 6>{100, 20, 40, 10, 50, 10}, std::array<std::size_t, 6>{7, 200, 0, 4, 4, 3},
          std::array<std::size_t, 6>{2, 200, 0, 1, 1, 1}, std::array<std::size_t, 6>{1, 200, 0, 1, 1, 0},
          std::array<std::size_t, 6>{9, 1, 4, 1, 5, 0}, std::array<std::size_t, 6>{9, 0, 4, 1, 5, 0}}) {
        CAPTURE(count);
        CAPTURE(max);
        const FrameSplit split = split_frames(count, max);
        CHECK(split.chosen_by.first == first);
        CHECK(split.chosen_by.count == chosen);
        CHECK(split.held_out.first == held_first);
        CHECK(split.held_out.count == held);
    }
}

TEST_CASE("data: the rain scene has its known pairs") {
    const std::string path = (data_folder() / "rain.boxrec.gz").string();
    if (!std::filesystem::exists(path)) {
        MESSAGE("skipped: there is no file " << path);
        return;
    }
    const auto recording = recording::load_recording({path});
    REQUIRE(recording);
    CHECK(usual_question(*recording) == Question::pairs_of_movers);
    const TuneScene movers = scene_of(*recording, Question::pairs_of_movers);
    CHECK(movers.frame(0).pair_count == 2803);
    CHECK(movers.frame(119).pair_count == 6724);
    const TuneScene all = scene_of(*recording, Question::all_pairs);
    CHECK(all.frame(0).pair_count == 3245);
    CHECK(all.frame(119).pair_count == 7166);
    const TuneScene middle(*recording, Question::all_pairs, {50, 20});
    CHECK(middle.frame_count() == 20);
    CHECK(middle.first_index() == 50);
    CHECK(middle.frame(0).pairs_hash == all.frame(50).pairs_hash);
}

TEST_CASE("a race times every correct candidate, in as many rounds as the default if it stays") {
    const TuneScene scene = scene_of(random_recording(8, 6, 100), Question::pairs_of_movers);
    const std::optional<Isa> before = active_isa();
    std::vector<Entry> entries = first_field(scene, Isa::scalar);
    REQUIRE(is_same(entries.front().candidate, with_algorithm(PairAlgorithm::automatic)) ==
            (default_candidate().isa == Isa::scalar));
    Threads threads;
    double progress = 0;
    // Less time than the minimum number of rounds takes, so that a fast machine makes no more of them.
    race(entries, scene, threads,
         {.seconds = 1e-3, .seed = 3, .report_progress = [&](double share) { progress = share; }});
    CHECK(progress == 1);
    CHECK(active_isa() == before);
    // The number that fits into the time depends on the machine.
    const std::size_t round_count = entries.front().seconds.size();
    CHECK(round_count >= 6);
    for (const Entry& each : entries) {
        CHECK_FALSE(each.is_wrong);
        REQUIRE_FALSE(each.seconds.empty());
        CHECK(each.seconds.size() <= round_count);
        CHECK(*std::min_element(each.seconds.begin(), each.seconds.end()) > 0);
        if (each.is_anchor) CHECK(each.seconds.size() == round_count);
    }

    // Objects appear and vanish, so every cache is refilled.
    for (const Entry& each : entries) {
        if (each.candidate.method == Method::cache && each.seconds.size() > 1) CHECK(each.refill_count > 0);
        if (each.candidate.method != Method::cache) CHECK(each.refill_count == 0);
    }

    const std::vector<Isa> isas(supported_isas().rbegin(), supported_isas().rend());
    const std::vector<Entry> finals = final_field(entries, {isas, {1, 2, 3}});
    CHECK(is_same(finals.front().candidate, entries.front().candidate));
    std::set<std::pair<Isa, std::uint32_t>> ways;
    std::set<Method> methods;
    for (const Entry& each : finals) {
        ways.emplace(each.candidate.isa, each.candidate.thread_count);
        methods.insert(each.candidate.method);
    }
    CHECK(methods.size() == 4);
    for (const Isa isa : isas) CHECK(ways.contains({isa, 1u}));
    for (const std::uint32_t thread_count : {1u, 2u, 3u}) CHECK(ways.contains({isas.front(), thread_count}));
}

TEST_CASE("a cache's turn is long enough for a refill, and a cache that is never refilled is detected") {
    // A hundred boxes that drift by an eighth a frame, back and forth with the walk through the frames.
    scene_io::Recording recording = random_recording(6, 1, 100);
    for (std::size_t i = 1; i < 41; ++i) {
        recording.frames.push_back(recording.frames.back());
        for (auto& record : recording.frames.back()) {
            record.kind = scene_io::BoxKind::dynamic_object;
            record.box.min.x += 0.125f;
            record.box.max.x += 0.125f;
        }
    }
    for (auto& record : recording.frames.front()) record.kind = scene_io::BoxKind::dynamic_object;
    const TuneScene scene = scene_of(recording, Question::all_pairs);
    const auto with_margin = [](float margin) {
        Candidate cache;
        cache.method = Method::cache;
        cache.margin = margin;
        return Entry{.candidate = cache, .is_anchor = true};
    };
    // Boxes leave the smaller margin once in sixteen frames, which is twice the shortest turn, the larger
    // never.
    std::vector<Entry> entries = {
        {.candidate = Candidate{}, .is_anchor = true}, with_margin(2.0f), with_margin(50.0f)};
    Threads threads;
    race(entries, scene, threads, {.seconds = 0});
    CHECK(entries[1].refill_count > 0);
    CHECK(entries[2].refill_count == 0);
    CHECK(entries[0].has_whole_cost());
    CHECK(entries[1].has_whole_cost());
    CHECK_FALSE(entries[2].has_whole_cost());
}

TEST_CASE(
    "the fastest beyond the noise is proposed; within the noise, the one with the fewest settings comes "
    "first") {
    Candidate forced_grid = with_algorithm(PairAlgorithm::cells);
    forced_grid.cell_counts = {4, 4, 4};
    {
        // Twice as fast by two settings, hardly slower by one.
        const auto entries =
            race_of({entry(forced_grid, rounds(0.5, 20, 3)),
                     entry(with_algorithm(PairAlgorithm::cells), rounds(0.501, 20, 4)),
                     entry(with_algorithm(PairAlgorithm::sweep_and_prune), rounds(0.9, 20, 5))});
        const std::vector<Proposal> proposals = propose(entries);
        REQUIRE(proposals.size() == 4);
        CHECK(std::string(proposals[0].wish.text) == "canonical order, one thread");
        CHECK(proposals[0].indices == std::vector<std::size_t>{2, 1, 3});
        CHECK(proposals[0].fastest_index == 1);
    }
    {
        // A little faster, but the default differs from itself by more.
        const auto entries = race_of({entry(forced_grid, rounds(0.997, 20, 6))});
        CHECK(propose(entries)[0].indices.empty());
    }
    {
        // Faster in the few rounds before it dropped out: no reason to choose it.
        const auto entries = race_of({entry(forced_grid, rounds(0.5, 20, 3)),
                                      entry(with_algorithm(PairAlgorithm::cells), rounds(0.4, 3, 4))});
        CHECK(propose(entries)[0].indices == std::vector<std::size_t>{1});
    }
    {
        // A wrong one is not chosen, however fast.
        auto entries = race_of({entry(forced_grid, {})});
        entries[1].is_wrong = true;
        CHECK(propose(entries)[0].indices.empty());
    }
    {
        // A cache that was never refilled while the clock ran: its times do not include that cost.
        Candidate cache = default_candidate();
        cache.method = Method::cache;
        auto entries = race_of({entry(cache, rounds(0.5, 20, 3))});
        CHECK(propose(entries)[0].indices.empty());
        entries[1].refill_count = 1;
        CHECK(propose(entries)[0].indices == std::vector<std::size_t>{1});
    }
}

TEST_CASE("a proposal is recommended if it gains more than the noise on frames that it was not chosen by") {
    Candidate grid = with_algorithm(PairAlgorithm::cells);
    grid.cell_counts = {4, 4, 4};
    const Candidate sweep = with_algorithm(PairAlgorithm::sweep_and_prune);
    // The grid is the fastest by far in the frames to choose by, the sweep comes second.
    const auto raced = race_of({entry(grid, rounds(0.5, 20, 3)), entry(sweep, rounds(0.8, 20, 4))});
    REQUIRE(propose(raced)[0].indices == std::vector<std::size_t>{1, 2});
    {
        const auto field = confirming_field(raced, propose(raced));
        REQUIRE(field.size() == 3);
        CHECK(is_same(field[0].candidate, raced[0].candidate));
        CHECK(is_same(field[1].candidate, grid));
        CHECK(is_same(field[2].candidate, sweep));
        CHECK(field[2].is_anchor);
        CHECK(field[2].seconds.empty());
    }
    {
        const auto answer = first_recommendation(
            raced, race_of({entry(grid, rounds(0.6, 20, 5)), entry(sweep, rounds(0.8, 20, 6))}));
        CHECK(answer.ground == Ground::confirmed);
        CHECK(answer.index == 1);
        CHECK(answer.gain.median == doctest::Approx(1 / 0.6).epsilon(0.04));
        CHECK(answer.gain_where_chosen.median == doctest::Approx(2.0).epsilon(0.04));
        CHECK_FALSE(answer.refused_index);
    }
    // Slower there, or as fast within the noise, or wrong, or dropped out: the next one.
    auto wrong = entry(grid, rounds(0.5, 20, 5));
    wrong.is_wrong = true;
    for (const Entry& held_out : {entry(grid, rounds(1.5, 20, 5)), entry(grid, rounds(0.998, 20, 5)),
                                  entry(grid, rounds(0.5, 3, 5)), wrong}) {
        const auto answer =
            first_recommendation(raced, race_of({held_out, entry(sweep, rounds(0.8, 20, 6))}));
        CHECK(answer.ground == Ground::confirmed);
        CHECK(answer.index == 2);
        CHECK(answer.refused_index == 1);
    }
    {
        // Nothing is confirmed: the default, and the report names the apparently better one.
        const auto answer = first_recommendation(
            raced, race_of({entry(grid, rounds(1.5, 20, 5)), entry(sweep, rounds(1.1, 20, 6))}));
        CHECK(answer.ground == Ground::not_confirmed);
        CHECK(answer.index == 0);
        CHECK(answer.refused_index == 1);
        CHECK(answer.fastest_index == 1);
    }
    {
        const auto answer = first_recommendation(raced, {});
        CHECK(answer.ground == Ground::no_frames);
        CHECK(answer.index == 0);
    }
    {
        const auto none = race_of({entry(grid, rounds(1.2, 20, 3))});
        CHECK(first_recommendation(none, race_of({})).ground == Ground::nothing_is_faster);
    }
}

TEST_CASE("a cache is recommended if it was refilled in the frames held out") {
    Candidate cache = default_candidate();
    cache.method = Method::cache;
    cache.margin = 0.5f;
    auto raced = race_of({entry(cache, rounds(0.5, 20, 3))});
    raced[1].refill_count = 7;
    auto held_out = race_of({entry(cache, rounds(0.5, 20, 5))});
    CHECK(first_recommendation(raced, held_out).ground == Ground::not_confirmed);
    held_out[1].refill_count = 1;
    CHECK(first_recommendation(raced, held_out).ground == Ground::confirmed);
}

TEST_CASE("orders and threads are separate wishes, and threads that gain nothing are not recommended") {
    Candidate two_threads = default_candidate();
    two_threads.thread_count = 2;
    const Candidate as_found = with_algorithm(PairAlgorithm::automatic, PairOrder::by_algorithm);
    {
        const auto entries =
            race_of({entry(as_found, rounds(0.8, 20, 3)), entry(two_threads, rounds(0.6, 20, 4))});
        const Verdict verdict = judge(entries, propose(entries), entries);
        REQUIRE(verdict.recommendations.size() == 4);
        CHECK(verdict.recommendations[0].index == 0);
        CHECK(verdict.recommendations[1].index == 2);
        CHECK(verdict.recommendations[2].index == 1);
        CHECK(verdict.recommendations[3].index == 2);
    }
    {
        const auto entries =
            race_of({entry(as_found, rounds(0.8, 20, 3)), entry(two_threads, rounds(1.0, 20, 4))});
        const Verdict verdict = judge(entries, propose(entries), entries);
        REQUIRE(verdict.recommendations.size() == 2);
        CHECK(verdict.recommendations[0].index == 0);
        CHECK(verdict.recommendations[1].index == 1);
    }
}

TEST_CASE("the report has times, noise, gains and settings, as a table and as JSON") {
    const TuneScene scene = scene_of(random_recording(2, 3, 30), Question::pairs_of_movers);
    TuneReport report;
    report.title = "a scene";
    report.final_race = race_of({entry(with_algorithm(PairAlgorithm::cells), rounds(0.5, 20, 3))});
    report.first_race = report.final_race;
    report.confirming_race = report.final_race;
    report.held_out = {3, 2};
    report.verdict = judge(report.final_race, propose(report.final_race), report.confirming_race);
    const std::string table = make_tune_table(report, scene, true);
    CHECK(table.find("canonical order, one thread: cells") != std::string::npos);
    CHECK(table.find("on frames 3 to 4, which were not used to choose") != std::string::npos);
    CHECK(table.find("times as fast as the default on frames that it was not chosen by") !=
          std::string::npos);
    CHECK(table.find("settings.algorithm = broadside::PairAlgorithm::cells;") != std::string::npos);
    CHECK(table.find("WRONG") == std::string::npos);
    const auto json = nlohmann::json::parse(make_tune_json(report, scene));
    CHECK(json["recommendations"][0]["method"] == "cells");
    CHECK(json["recommendations"][0]["is_default"] == false);
    CHECK(json["recommendations"][0]["ground"] == "confirmed");
    CHECK(json["held_out_frame_count"] == 2);
    CHECK(json["confirming_race"].size() == 2);
    CHECK(json["final_race"][1]["times_as_fast_as_default"]["median"].get<double>() ==
          doctest::Approx(2.0).epsilon(0.04));
    CHECK(json["final_race"].size() == 2);
    report.final_race[1].is_wrong = true;
    CHECK(report.wrong_count() == 1);
    CHECK(make_tune_table(report, scene, false).find("WRONG: its pairs differ") != std::string::npos);
    report.final_race[1].is_wrong = false;

    report.confirming_race = race_of({entry(with_algorithm(PairAlgorithm::cells), rounds(1.5, 20, 3))});
    report.verdict = judge(report.final_race, propose(report.final_race), report.confirming_race);
    const std::string refused = make_tune_table(report, scene, true);
    CHECK(refused.find("canonical order, one thread: automatic") != std::string::npos);
    CHECK(refused.find("not cells (canonical, ") != std::string::npos);
    const auto refused_json = nlohmann::json::parse(make_tune_json(report, scene));
    CHECK(refused_json["recommendations"][0]["is_default"] == true);
    CHECK(refused_json["recommendations"][0]["ground"] == "not_confirmed");
    CHECK(refused_json["recommendations"][0]["refused"]["method"] == "cells");
}

#ifdef BROADSIDE_CXX
TEST_CASE("settings offered for pasting compile" * kLong) {
    std::string program =
        "#include <broadside/isa.hpp>\n#include <broadside/pair_cache.hpp>\n"
        "#include <broadside/tbb_task_runner.hpp>\n#include <broadside/world.hpp>\n";
    std::size_t count = 0;
    for (const bool has_movers : {false, true}) {
        for (const Method method : {Method::plain, Method::resting, Method::cache, Method::world}) {
            Candidate candidate;
            candidate.method = method;
            candidate.margin = count % 2 == 0 ? 0.05f : 2.0f;
            candidate.thread_count = has_movers ? 1 : 4;
            candidate.isa = has_movers ? default_candidate().isa : Isa::scalar;
            if (method == Method::plain) {
                candidate.algorithm = PairAlgorithm::cells;
                candidate.cell_counts = {4, 5, 6};
                candidate.sweep_axis = SweepAxis::z;
                candidate.order = PairOrder::by_algorithm;
            }
            program += "void use_" + std::to_string(count++) +
                       "([[maybe_unused]] const broadside::BoxSoaView& boxes,\n"
                       "    [[maybe_unused]] std::span<const std::uint64_t> mover_bits) {\n" +
                       cpp_settings(candidate, has_movers || method == Method::resting) +
                       "static_cast<void>(pairs);\n}\n";
        }
    }
    const TemporaryFile file("broadside_settings.cpp", program);
    const std::string root = source_folder().string();
    std::string command = BROADSIDE_CXX " -std=c++20 -Wall -Wextra -Werror -fsyntax-only";
    for (const char* folder : {"core", "simd", "broadphase", "narrowphase", "stage"}) {
        command += " -I" + root + "/" + folder + "/include";
    }
    INFO(program);
    CHECK(std::system((command + " " + file.path.string()).c_str()) == 0);
}
#endif
