// Tests of broadside-record's operations on recordings: load, count, cut, disguise.
#include "extras/recording/anonymise.hpp"
#include "extras/recording/cut.hpp"
#include "extras/recording/load_recording.hpp"
#include "extras/recording/recording_boxes.hpp"
#include "extras/recording/stats_report.hpp"
#include "tests/support/folders.hpp"

#include "tests/extras/boxrec_bytes.hpp"
#include "tests/extras/recordings.hpp"
#include "tests/support/generators.hpp"

#include <broadside/scene_io/recording_motion.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

using namespace broadside;
using namespace broadside::recording;
using namespace broadside::scene_io;
using namespace broadside::test;

namespace {

using IdPairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;

// Brute force with the scalar test: independent of find_pairs.
IdPairs id_pairs(const std::vector<BoxRecord>& frame) {
    IdPairs pairs;
    for (std::size_t i = 0; i < frame.size(); ++i) {
        for (std::size_t k = i + 1; k < frame.size(); ++k) {
            if (overlap(frame[i].box, frame[k].box)) pairs.emplace(frame[i].id, frame[k].id);
        }
    }
    return pairs;
}

}  // namespace

TEST_CASE(
    "load_recording makes one frame of a world, of a mesh's faces, edges and vertices, and of a mesh's "
    "sweep") {
    const TemporaryFile world("broadside_load.txt", "0 0 0 1 1 1\n2 2 2 3 3 3\n");
    const TemporaryFile mesh("broadside_load_1.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    const TemporaryFile moved("broadside_load_2.obj", "v 0 0 5\nv 1 0 5\nv 0 1 5\nf 1 2 3\n");
    const auto frame_of = [](const std::vector<std::string>& paths, MeshItems items = MeshItems::faces) {
        const Result<Recording> recording = load_recording(paths, {items});
        if (!recording) FAIL(recording.error().message);
        REQUIRE(recording->frames.size() == 1);
        return recording->frames[0];
    };
    const std::string mesh_path = mesh.path.string();
    CHECK(frame_of({world.path.string()}) ==
          std::vector<BoxRecord>{{0, BoxKind::static_object, {{0, 0, 0}, {1, 1, 1}}},
                                 {1, BoxKind::static_object, {{2, 2, 2}, {3, 3, 3}}}});
    CHECK(frame_of({mesh_path}) ==
          std::vector<BoxRecord>{{0, BoxKind::static_object, {{0, 0, 0}, {1, 1, 0}}}});
    CHECK(frame_of({mesh_path}, MeshItems::edges).size() == 3);
    CHECK(frame_of({mesh_path}, MeshItems::vertices)[1] ==
          BoxRecord{1, BoxKind::static_object, {{1, 0, 0}, {1, 0, 0}}});
    CHECK(frame_of({mesh_path, moved.path.string()}) ==
          std::vector<BoxRecord>{{0, BoxKind::dynamic_object, {{0, 0, 0}, {1, 1, 5}}}});
    const Result<Recording> wrong = load_recording({mesh_path, world.path.string()});
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().message.ends_with("expected a mesh (.ply, .obj or .stl)"));
}

TEST_CASE("changes between frames are found by id") {
    const std::vector<BoxRecord> now = {{2, {}, kSmallBox}, {5, {}, kSmallBox}, {9, {}, kSmallBox}};
    const Aabb moved = {kSmallBox.min + Vec3{1, 0, -2}, kSmallBox.max + Vec3{1, 0, -2}};
    const std::vector<BoxRecord> next = {{1, {}, kSmallBox}, {5, {}, moved}, {10, {}, moved}};
    const FrameChanges changes = find_changes(now, next);
    REQUIRE(changes.survivors.size() == 1);
    CHECK(changes.survivors[0].now_index == 1);
    CHECK(changes.survivors[0].next_index == 1);
    CHECK(changes.added == std::vector<std::uint32_t>{0, 2});
    CHECK(changes.removed == std::vector<std::uint32_t>{0, 2});
    CHECK(displacements_to(next, now) == std::vector<Vec3>{{0, 0, 0}, {1, 0, -2}, {0, 0, 0}});
}

TEST_CASE("the stats of a hand-made recording match the hand count") {
    Recording recording;
    const auto box = [](float x) { return Aabb{{x, 0, 0}, {x + 2, 1, 1}}; };
    recording.frames = {{{1, BoxKind::static_object, box(0)},
                         {2, BoxKind::static_object, box(1)},
                         {3, BoxKind::dynamic_object, box(2)},
                         {4, BoxKind::dynamic_object, box(9)}},
                        {{1, BoxKind::static_object, box(0)},
                         {2, BoxKind::static_object, box(1)},
                         {3, BoxKind::kinematic_object, box(6)},
                         {7, BoxKind::dynamic_object, box(20)}}};
    const RecordingStats stats = stats_of(recording);
    REQUIRE(stats.frames.size() == 2);
    CHECK(stats.object_count == 5);
    CHECK(stats.frames[0].pair_count == 3);
    CHECK(stats.frames[0].pair_count_without_static == 2);
    CHECK(stats.frames[1].pair_count == 1);
    CHECK(stats.frames[1].pair_count_without_static == 0);
    CHECK(stats.frames[1].added_count == 1);
    CHECK(stats.frames[1].removed_count == 1);
    CHECK(stats.frames[1].moved_count == 1);
    CHECK(stats.frames[1].kind_change_count == 1);
    CHECK(stats.frames[1].kind_counts == std::array<std::size_t, 3>{2, 1, 1});
    CHECK(stats.motion.max == 4);
    CHECK(stats.relative_motion.max == 2);
    CHECK(stats.longest_side.median == 2);
    CHECK(stats.bounds == Aabb{{0, 0, 0}, {22, 1, 1}});
    const auto json = nlohmann::json::parse(make_stats_json(stats, "R"));
    CHECK(json["frames"][0]["pairs"] == 3);
    CHECK(json["frames"][1]["kind_changed"] == 1);
    CHECK(json["motion"]["max"] == 4);
    const std::string table = make_stats_table(stats, "R", true);
    CHECK(table.find("frames 2, objects 5") != std::string::npos);
    CHECK(make_stats_table(stats_of({}), "R", true).find("frames 0, objects 0") != std::string::npos);
}

TEST_CASE("spreads are by nearest rank") {
    std::vector<double> values;
    for (int i = 100; i > 0; --i) values.push_back(i);
    const Spread spread = spread_of(values);
    CHECK(spread.min == 1);
    CHECK(spread.median == 50);
    CHECK(spread.p90 == 90);
    CHECK(spread.p99 == 99);
    CHECK(spread.max == 100);
    CHECK(spread_of({7}).median == 7);
    CHECK(spread_of({}).count == 0);
}

TEST_CASE("data: recordings, worlds and a sweep have their known pairs in the stats") {
    const auto stats_of_data = [](const std::vector<std::string>& names, MeshItems items) {
        std::vector<std::string> paths;
        for (const std::string& name : names) paths.push_back((data_folder() / name).string());
        const Result<Recording> recording = load_recording(paths, {items});
        if (!recording) FAIL(recording.error().message);
        return stats_of(*recording);
    };
    if (!std::filesystem::is_directory(data_folder())) {
        MESSAGE("skipped: there is no folder " << data_folder().string());
        return;
    }
    const auto frames_of = [&](const char* name) { return stats_of_data({name}, MeshItems::faces).frames; };
    CHECK(frames_of("bounds01.txt")[0].pair_count == 650);
    CHECK(frames_of("bounds02.txt")[0].pair_count == 14969);
    CHECK(frames_of("bounds03.txt")[0].pair_count == 7155);
    const std::vector<FrameStats> pyramids = frames_of("many_pyramids.boxrec.gz");
    CHECK(pyramids.size() == 24);
    CHECK(pyramids.front().pair_count == 28420);
    CHECK(pyramids.back().pair_count == 28420);
    CHECK(pyramids.front().kind_counts == std::array<std::size_t, 3>{1, 0, 10780});
    const std::vector<FrameStats> rain = frames_of("rain.boxrec.gz");
    CHECK(rain.size() == 120);
    CHECK(rain.front().pair_count == 3245);
    CHECK(rain.front().pair_count_without_static == 2803);
    CHECK(rain.back().pair_count == 7166);
    CHECK(rain.back().pair_count_without_static == 6724);
    std::size_t added_count = 0;
    for (const FrameStats& frame : rain) added_count += frame.added_count;
    CHECK(added_count == 3560 - 1880);
    const std::vector<std::string> rollers = {"armadillo-rollers/326.ply", "armadillo-rollers/327.ply"};
    CHECK(stats_of_data(rollers, MeshItems::faces).frames[0].pair_count == 2877204);
    CHECK(stats_of_data(rollers, MeshItems::edges).frames[0].pair_count == 5262435);
}

TEST_CASE("a cut keeps the selected frames, ids, kinds and positions, and nothing else") {
    const Recording whole = random_recording(1, 12, 60);
    const auto kept = [&](const CutSettings& settings, auto&& keeps) {
        const Recording part = cut(whole, settings);
        REQUIRE(part.frames.size() == std::min(settings.frame_count, 12 - settings.first_frame));
        for (std::size_t i = 0; i < part.frames.size(); ++i) {
            std::vector<BoxRecord> expected;
            for (const BoxRecord& record : whole.frames[settings.first_frame + i]) {
                if (keeps(record)) expected.push_back(record);
            }
            REQUIRE(part.frames[i] == expected);
        }
    };
    kept({}, [](const BoxRecord&) { return true; });
    kept({.first_frame = 3, .frame_count = 4}, [](const BoxRecord&) { return true; });
    kept({.first_frame = 10, .frame_count = 1}, [](const BoxRecord&) { return true; });
    kept({.ids = {{5, 9}, {20, 20}}},
         [](const BoxRecord& r) { return (r.id >= 5 && r.id <= 9) || r.id == 20; });
    kept({.kinds = {BoxKind::kinematic_object, BoxKind::dynamic_object}},
         [](const BoxRecord& r) { return r.kind != BoxKind::static_object; });
    const Aabb region = {{0, 0, 0}, {3, 3, 3}};
    kept({.region = region}, [&](const BoxRecord& r) { return overlap(r.box, region); });
    std::set<std::uint32_t> inside;
    for (const auto& frame : whole.frames) {
        for (const BoxRecord& record : frame) {
            if (overlap(record.box, region)) inside.insert(record.id);
        }
    }
    REQUIRE(inside.size() > 3);
    kept({.region = region, .keeps_whole_lives = true},
         [&](const BoxRecord& r) { return inside.contains(r.id); });
    CHECK(cut(whole, {.first_frame = 50}).frames.empty());
}

TEST_CASE(
    "a disguised recording has the overlap graph of the original in every frame, and no id or position of "
    "it") {
    for (const std::uint64_t seed : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u}) {
        CAPTURE(seed);
        const Recording original = random_recording(seed, 6, 80);
        Disguise disguise = random_disguise(seed);
        disguise.shuffles_ids = seed % 2 == 0;
        const Result<Recording> answer = anonymise(original, disguise);
        if (!answer) FAIL(answer.error().message);
        REQUIRE(answer->frames.size() == original.frames.size());
        // The map of ids is that of kinds and lifetimes, found by the boxes' volumes, which only the scale
        // changes.
        std::map<std::uint32_t, std::uint32_t> new_ids;
        for (std::size_t i = 0; i < original.frames.size(); ++i) {
            const std::vector<BoxRecord>& before = original.frames[i];
            const std::vector<BoxRecord>& after = answer->frames[i];
            REQUIRE(after.size() == before.size());
            const float scale = std::ldexp(1.0f, disguise.scale_exponent);
            for (const BoxRecord& record : before) {
                const auto sides = [](const Aabb& box) {
                    std::array<float, 3> s = {size(box).x, size(box).y, size(box).z};
                    std::sort(s.begin(), s.end());
                    return s;
                };
                std::array<float, 3> wanted = sides(record.box);
                for (float& side : wanted) side *= scale;
                const auto found = std::find_if(after.begin(), after.end(), [&](const BoxRecord& other) {
                    return other.kind == record.kind && sides(other.box) == wanted;
                });
                REQUIRE(found != after.end());
                const auto [entry, is_new] = new_ids.emplace(record.id, found->id);
                REQUIRE(entry->second == found->id);
            }
            IdPairs expected;
            for (const auto& [a, b] : id_pairs(before)) {
                expected.insert(std::minmax(new_ids.at(a), new_ids.at(b)));
            }
            REQUIRE(expected.size() > 10);
            REQUIRE(id_pairs(after) == expected);
        }
        std::set<std::uint32_t> used;
        for (const auto& [id, new_id] : new_ids) used.insert(new_id);
        CHECK(used.size() == new_ids.size());
        CHECK(*used.rbegin() == used.size() - 1);
        const bool keeps_order = std::is_sorted(
            new_ids.begin(), new_ids.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
        CHECK(keeps_order == !disguise.shuffles_ids);
        // A file of it is legal.
        const TemporaryFile file("broadside_disguised.boxrec");
        CHECK_FALSE(write_boxrec(file.path, *answer));
        CHECK(read_boxrec(file.path));
    }
}

TEST_CASE("disguises are of every kind, and the same for the same seed") {
    std::set<std::string> seen;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        const Disguise disguise = random_disguise(seed);
        CHECK(disguise.scale_exponent >= -3);
        CHECK(disguise.scale_exponent <= 3);
        std::string key;
        for (const std::uint8_t axis : disguise.axes) key += static_cast<char>('0' + axis);
        for (const bool is_mirrored : disguise.is_mirrored) key += is_mirrored ? '-' : '+';
        seen.insert(key);
        CHECK(random_disguise(seed).axes == disguise.axes);
    }
    CHECK(seen.size() == 6 * 8);
}

TEST_CASE("a disguise that would change a pair or a digit is refused with its frame") {
    Recording recording;
    // A gap that a shift by a million closes.
    recording.frames = {{}, {{1, {}, {{0, 0, 0}, {1, 1, 1}}}, {2, {}, {{1.0001f, 0, 0}, {2, 1, 1}}}}};
    Disguise disguise;
    disguise.shift = {64, 0, 0};
    CHECK(anonymise(recording, disguise));
    disguise.shift = {1e6f, 0, 0};
    const Result<Recording> shifted = anonymise(recording, disguise);
    REQUIRE_FALSE(shifted);
    CHECK(shifted.error().message == "frame 1: 1 pairs changed; take a smaller shift, or none");
    recording.frames = {{{9, {}, {{-3e38f, 0, 0}, {1, 1, 1}}}}};
    disguise.shift = {0, 0, 0};
    disguise.scale_exponent = 1;
    const Result<Recording> scaled = anonymise(recording, disguise);
    REQUIRE_FALSE(scaled);
    CHECK(scaled.error().message == "frame 0: the box of id 9 does not fit into float after scale and shift");
    recording.frames = {{{9, {}, {{0, 0, 0}, {1e-45f, 1, 1}}}}};
    disguise.scale_exponent = -1;
    CHECK_FALSE(anonymise(recording, disguise));
}
