// Real input through World: recordings replayed frame by frame, static worlds of a game.
#include "tests/broadphase/world/support.hpp"
#include "tests/support/folders.hpp"
#include "tests/support/for_each_isa.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/find_pairs.hpp>
#include <broadside/scene_io/bounds_text.hpp>
#include <broadside/scene_io/boxrec.hpp>

#include <filesystem>
#include <map>
#include <optional>

using namespace broadside;
using namespace broadside::test;

namespace {

// The path of a file in the data folder, or nothing, with a message, if the folder is missing.
std::optional<std::filesystem::path> data_file(const char* name) {
    const std::filesystem::path& folder = data_folder();
    if (!std::filesystem::is_directory(folder)) {
        MESSAGE("skipped: there is no folder " << folder.string());
        return std::nullopt;
    }
    return folder / name;
}

scene_io::Recording read_recording(const std::filesystem::path& path) {
    scene_io::Result<scene_io::Recording> recording = scene_io::read_boxrec(path);
    if (!recording) FAIL(recording.error().message);
    return std::move(*recording);
}

ObjectKind kind_of(const scene_io::BoxRecord& record) {
    return record.kind == scene_io::BoxKind::static_object ? ObjectKind::fixed : ObjectKind::moving;
}

// Follows a recording: new objects are added, vanished ones removed, moved ones set. User data is the id, and
// the order of the results, so that the lists do not depend on the free slots.
class Replay {
public:
    explicit Replay(bool fixed_objects_pair) : world(make_settings(fixed_objects_pair)) {}

    World world;

    GoodUpdate show(const std::vector<scene_io::BoxRecord>& frame) {
        std::map<std::uint32_t, ObjectHandle> alive;
        for (const scene_io::BoxRecord& record : frame) {
            const auto known = handles_.find(record.id);
            ObjectHandle handle;
            if (known == handles_.end()) {
                ObjectDescription description = described(record.box, kind_of(record));
                description.user_data = record.id;
                handle = world.add(description);
            } else {
                handle = known->second;
                REQUIRE(world.set_box(handle, record.box) == Status::ok);
                handles_.erase(known);
            }
            alive.emplace(record.id, handle);
        }
        for (const auto& [id, handle] : handles_) REQUIRE(world.remove(handle) == Status::ok);
        handles_ = std::move(alive);
        REQUIRE(world.object_count() == frame.size());
        return update(world);
    }

private:
    static WorldSettings make_settings(bool fixed_objects_pair) {
        WorldSettings settings;
        settings.order = WorldOrder::user_data;
        settings.fixed_objects_pair = fixed_objects_pair;
        return settings;
    }

    std::map<std::uint32_t, ObjectHandle> handles_;
};

std::vector<std::pair<std::uint32_t, std::uint32_t>> ids_of(World& world) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ids;
    for (const WorldPair& pair : world.pairs()) {
        ids.emplace_back(static_cast<std::uint32_t>(world.description(pair.a).user_data),
                         static_cast<std::uint32_t>(world.description(pair.b).user_data));
    }
    return ids;
}

// Ids ascend within a frame, so the canonical order of indices is that of ids.
std::vector<std::pair<std::uint32_t, std::uint32_t>> expected_ids(
    const std::vector<scene_io::BoxRecord>& frame, bool fixed_objects_pair) {
    BoxSoa boxes;
    for (const scene_io::BoxRecord& record : frame) REQUIRE(boxes.push_back(record.box) == Status::ok);
    PairBuffer pairs;
    REQUIRE(find_pairs(boxes, {.algorithm = PairAlgorithm::sweep_and_prune}, pairs).status == Status::ok);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ids;
    for (const IndexPair& pair : pairs) {
        const bool are_fixed = kind_of(frame[pair.first]) == ObjectKind::fixed &&
                               kind_of(frame[pair.second]) == ObjectKind::fixed;
        if (!are_fixed || fixed_objects_pair) ids.emplace_back(frame[pair.first].id, frame[pair.second].id);
    }
    return ids;
}

// The pairs of the first and the last frame; each frame between has those of find_pairs.
std::pair<std::size_t, std::size_t> replay(const scene_io::Recording& recording, bool fixed_objects_pair) {
    Replay shown(fixed_objects_pair);
    std::pair<std::size_t, std::size_t> counts;
    for (const std::vector<scene_io::BoxRecord>& frame : recording.frames) {
        const UpdateResult result = shown.show(frame);
        if (&frame == &recording.frames.front()) counts.first = result.pair_count;
        counts.second = result.pair_count;
        REQUIRE(ids_of(shown.world) == expected_ids(frame, fixed_objects_pair));
    }
    return counts;
}

}  // namespace

TEST_CASE("a recorded world of pyramids has its known pairs, in every frame those of find_pairs") {
    const auto path = data_file("many_pyramids.boxrec.gz");
    if (!path) return;
    const scene_io::Recording recording = read_recording(*path);
    for (const bool fixed_objects_pair : {false, true}) {
        const auto [first, last] = replay(recording, fixed_objects_pair);
        CHECK(first == 28420);
        CHECK(last == 28420);
    }
}

TEST_CASE("recorded rain, with bodies added as it runs, has its known pairs, with and without fixed ones") {
    const auto path = data_file("rain.boxrec.gz");
    if (!path) return;
    const scene_io::Recording recording = read_recording(*path);
    const auto [first, last] = replay(recording, false);
    CHECK(first == 2803);
    CHECK(last == 6724);
    const auto [first_all, last_all] = replay(recording, true);
    CHECK(first_all == 3245);
    CHECK(last_all == 7166);
    // Backwards, bodies vanish.
    scene_io::Recording backwards = recording;
    std::reverse(backwards.frames.begin(), backwards.frames.end());
    const auto [start, end] = replay(backwards, false);
    CHECK(start == 6724);
    CHECK(end == 2803);
}

TEST_CASE("the recorded rain has one hash after every frame, on every ISA") {
    const auto path = data_file("rain.boxrec.gz");
    if (!path) return;
    const scene_io::Recording recording = read_recording(*path);
    std::vector<std::uint64_t> on_scalar;
    for_each_isa([&](Isa isa) {
        Replay shown(false);
        std::vector<std::uint64_t> hashes;
        for (const auto& frame : recording.frames) {
            shown.show(frame);
            hashes.push_back(shown.world.pairs_hash());
        }
        if (isa == Isa::scalar) on_scalar = hashes;
        REQUIRE(hashes == on_scalar);
    });
}

TEST_CASE(
    "static worlds of a game pair within themselves only if the settings say so, and with anything that "
    "passes through") {
    struct Known {
        const char* file;
        std::size_t pair_count;
    };
    for (const Known& known :
         {Known{"bounds01.txt", 650}, Known{"bounds02.txt", 14969}, Known{"bounds03.txt", 7155}}) {
        const auto path = data_file(known.file);
        if (!path) return;
        const auto list = scene_io::read_bounds_text(*path);
        REQUIRE(list);
        for (const bool fixed_objects_pair : {false, true}) {
            WorldSettings settings;
            settings.fixed_objects_pair = fixed_objects_pair;
            World world(settings);
            const std::vector<ObjectHandle> handles = add_boxes(world, list->boxes, ObjectKind::fixed);
            const std::size_t own = fixed_objects_pair ? known.pair_count : 0;
            CHECK(update(world).begun_count == own);
            // A walker as large as one box of the world at a time, at that box.
            const ObjectHandle walker = add_box(world, list->boxes[0]);
            for (std::size_t i = 0; i < list->boxes.size(); i += 17) {
                REQUIRE(world.set_box(walker, list->boxes[i]) == Status::ok);
                update(world);
                std::size_t met = 0;
                for (const Aabb& box : list->boxes) met += overlap(box, list->boxes[i]) ? 1u : 0u;
                REQUIRE(world.pair_count() == own + met);
                REQUIRE(world.pair_value(handles[i], walker) != nullptr);
            }
        }
    }
}
