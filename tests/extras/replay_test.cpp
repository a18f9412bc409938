// Tests of replays: one hash a frame for any method, and the differences between two replays.
#include "extras/recording/load_recording.hpp"
#include "extras/recording/recording_boxes.hpp"
#include "extras/recording/replay_file.hpp"
#include "extras/recording/world_follower.hpp"
#include "tests/support/folders.hpp"

#include "tests/extras/boxrec_bytes.hpp"
#include "tests/extras/recordings.hpp"
#include "tests/support/for_each_isa.hpp"

#include <broadside/tbb_task_runner.hpp>

#include <doctest/doctest.h>

using namespace broadside;
using namespace broadside::recording;
using namespace broadside::scene_io;
using namespace broadside::test;

namespace {

ReplayReport report_of(const Recording& recording, const ReplaySettings& settings = {}) {
    ReplayReport report;
    report.config = "a build";
    report.isa = "scalar";
    report.settings = settings;
    report.frames = replay(recording, settings);
    return report;
}

Recording data_recording(const char* name, std::size_t frame_count) {
    const std::string path = (data_folder() / name).string();
    if (!std::filesystem::exists(path)) {
        MESSAGE("skipped: there is no file " << path);
        return {};
    }
    Result<Recording> recording = load_recording({path});
    if (!recording) FAIL(recording.error().message);
    recording->frames.resize(std::min(frame_count, recording->frames.size()));
    return *std::move(recording);
}

// Every ISA, worker count and algorithm has the hashes of one scalar thread.
void check_every_way(const Recording& recording) {
    ReplayReport expected;
    for_each_isa([&](Isa isa) {
        if (isa == Isa::scalar) expected = report_of(recording);
        for (const std::uint32_t workers : {1u, 2u, 8u}) {
            const TbbTaskRunner threads(workers);
            ReplaySettings settings;
            if (workers > 1) settings.runner = threads.runner();
            const ReplayComparison comparison = compare(expected, report_of(recording, settings));
            CHECK(comparison.frame_count == recording.frames.size());
            CHECK(comparison.paths.size() == 3);
            CHECK(comparison.differences == std::vector<std::string>{});
        }
    });
    for (const PairAlgorithm algorithm : {PairAlgorithm::sweep_and_prune, PairAlgorithm::cells}) {
        ReplaySettings settings;
        settings.algorithm = algorithm;
        CHECK(compare(expected, report_of(recording, settings)).differences.empty());
    }
}

// The pairs of find_pairs, without those of two static boxes or with them, frame by frame.
void check_follower(bool fixed_objects_pair) {
    const Recording recording = random_recording(11, 30, 120);
    WorldFollower follower({.order = WorldOrder::user_data, .fixed_objects_pair = fixed_objects_pair});
    for (const auto& frame : recording.frames) {
        follower.prepare(frame);
        CHECK(follower.step(nullptr).status == Status::ok);
        CHECK(follower.world().object_count() == frame.size());
        CHECK(follower.world().is_consistent());
        const auto ids = follower.ids();
        std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
        for (const WorldPair& pair : follower.world().pairs()) {
            found.emplace_back(ids.at(pair.a.value), ids.at(pair.b.value));
        }
        std::vector<std::pair<std::uint32_t, std::uint32_t>> expected;
        for (const IndexPair& pair : pairs_of(frame)) {
            if (!fixed_objects_pair && is_static(frame[pair.first]) && is_static(frame[pair.second]))
                continue;
            expected.emplace_back(frame[pair.first].id, frame[pair.second].id);
        }
        CHECK(found == expected);
    }
}

}  // namespace

TEST_CASE("a replay has the same hashes on every ISA, for every worker count and algorithm") {
    check_every_way(random_recording(7, 20, 300));
}

TEST_CASE("data: replays of recordings have one set of hashes, and the known pairs") {
    const Recording rain = data_recording("rain.boxrec.gz", 120);
    if (rain.frames.empty()) return;
    Recording part = rain;
    part.frames.erase(part.frames.begin() + 40, part.frames.end());
    check_every_way(part);
    const ReplayReport report = report_of(rain);
    CHECK(report.frames.front().answers[0].pair_count == 3245);
    CHECK(report.frames.front().answers[1].pair_count == 2803);
    CHECK(report.frames.back().answers[0].pair_count == 7166);
    CHECK(report.frames.back().answers[1].pair_count == 6724);
    ReplaySettings with_static_pairs;
    with_static_pairs.fixed_objects_pair = true;
    CHECK(report_of(rain, with_static_pairs).frames.back().answers[1].pair_count == 7166);
    const ReplayReport pyramids = report_of(data_recording("many_pyramids.boxrec.gz", 2));
    CHECK(pyramids.frames.front().answers[0].pair_count == 28420);
}

TEST_CASE("a world that follows a recording has the pairs of find_pairs in every frame") {
    check_follower(true);
    check_follower(false);
}

TEST_CASE("a replay that is written and read again is the same") {
    const Recording recording = random_recording(3, 5, 50);
    ReplaySettings settings;
    settings.is_run = {true, false, true};
    settings.fixed_objects_pair = true;
    const ReplayReport report = report_of(recording, settings);
    const TemporaryFile file("broadside_replay.json", make_replay_json(report));
    const Result<ReplayReport> read = read_replay(file.path.string());
    if (!read) FAIL(read.error().message);
    CHECK(read->config == report.config);
    CHECK(read->settings.is_run == settings.is_run);
    CHECK(read->settings.fixed_objects_pair);
    CHECK(compare(*read, report).differences.empty());
    CHECK(compare(*read, report).paths == std::vector<ReplayPath>{ReplayPath::find_pairs, ReplayPath::stage});
    CHECK(make_replay_json(*read) == make_replay_json(report));
}

TEST_CASE("one changed frame is found and named, in the input and in each path") {
    const Recording recording = random_recording(5, 10, 60);
    const ReplayReport before = report_of(recording);

    // One box, a little: the input of frame 6 differs, and all results that depend on it.
    Recording moved = recording;
    moved.frames[6][4].box.max.x += 0.25f;
    const ReplayComparison input = compare(before, report_of(moved));
    REQUIRE_FALSE(input.differences.empty());
    CHECK(input.differences[0].starts_with(
        "input: frame 6 is the first of 1 that differ, of 10: 60 boxes with hash "));

    // One result: as if another build had lost a pair in frame 3.
    for (std::size_t path = 0; path < kReplayPathCount; ++path) {
        ReplayReport changed = before;
        changed.frames[3].answers[path].hash ^= 1;
        changed.frames[8].answers[path].pair_count += 1;
        const ReplayComparison comparison = compare(before, changed);
        REQUIRE(comparison.differences.size() == 1);
        CHECK(comparison.differences[0].starts_with(
            std::string(replay_path_name(static_cast<ReplayPath>(path))) +
            ": frame 3 is the first of 2 that differ, of 10: "));
    }

    ReplayReport shorter = before;
    shorter.frames.pop_back();
    CHECK(compare(before, shorter).differences == std::vector<std::string>{"input: 10 frames against 9"});
    // The World of other settings has other results.
    ReplaySettings with_static_pairs;
    with_static_pairs.fixed_objects_pair = true;
    const ReplayComparison other = compare(before, report_of(recording, with_static_pairs));
    CHECK(other.differences.empty());
    CHECK(other.paths == std::vector<ReplayPath>{ReplayPath::find_pairs, ReplayPath::stage});
}

TEST_CASE("a changed pair or event changes the hash of the path that reports it") {
    Recording recording = random_recording(9, 4, 40);
    const std::vector<ReplayFrame> before = replay(recording, {});
    // Two objects exchange their ids from frame 2 on: as many pairs, but others.
    for (std::size_t i = 2; i < 4; ++i) std::swap(recording.frames[i][1].box, recording.frames[i][30].box);
    const std::vector<ReplayFrame> after = replay(recording, {});
    CHECK(after[0].answers[0] == before[0].answers[0]);
    CHECK(after[1].answers[1] == before[1].answers[1]);
    for (std::size_t path = 0; path < kReplayPathCount; ++path) {
        CHECK(after[2].answers[path].hash != before[2].answers[path].hash);
    }
}

TEST_CASE("pairs that differ only in one id have different hashes") {
    const Aabb far_away = {{50, 0, 0}, {51, 1, 1}};
    const auto answers = [&](const Aabb& second, const Aabb& third) {
        const Recording recording = {{{{1, BoxKind::dynamic_object, kSmallBox},
                                       {2, BoxKind::dynamic_object, second},
                                       {3, BoxKind::dynamic_object, third}}}};
        return replay(recording, {})[0].answers;
    };
    const auto with_second = answers(kSmallBox, far_away);
    const auto with_third = answers(far_away, kSmallBox);
    for (std::size_t path = 0; path < kReplayPathCount; ++path) {
        CHECK(with_second[path].pair_count == 1);
        CHECK(with_third[path].pair_count == 1);
        CHECK(with_second[path].hash != with_third[path].hash);
    }
}

TEST_CASE("a file that is no replay is refused in one line with its name") {
    const auto message = [](const std::string& text) {
        const TemporaryFile file("broadside_no_replay.json", text);
        const Result<ReplayReport> read = read_replay(file.path.string());
        REQUIRE_FALSE(read);
        CHECK(read.error().message.starts_with(file.path.string() + ": is not a replay ("));
        CHECK(read.error().message.find('\n') == std::string::npos);
        return read.error().message;
    };
    message("");
    message("{}");
    message("[1, 2");
    message("{\"format\": \"broadside-replay 0\"}");
    std::string json = make_replay_json(report_of(random_recording(1, 1, 5)));
    const std::size_t hash = json.find("\"hash\": \"") + 9;
    message(json.replace(hash, 2, "xy"));
    CHECK(read_replay("no_such_file.json").error().message == "no_such_file.json: cannot be opened");
}
