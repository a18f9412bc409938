// Golden results of searches for pairs, of worlds and of trees.
#include "tests/golden/golden_hash.hpp"

#include <broadside/bits.hpp>
#include <broadside/pair_cache.hpp>
#include <broadside/scene_io/boxrec.hpp>
#include <broadside/scenes/box_scene.hpp>
#include <broadside/world.hpp>

#include "tests/broadphase/tree/box_tree_oracle.hpp"
#include "tests/support/folders.hpp"

#include <filesystem>

namespace broadside::test {
namespace {

constexpr std::size_t kBoxCount = 500;

// Boxes in another order, and their original indices.
struct Shuffled {
    std::vector<Aabb> boxes;
    std::vector<std::uint32_t> original;
};
Shuffled shuffled(const std::vector<Aabb>& boxes, std::uint64_t seed) {
    Shuffled result;
    result.original = shuffled_indices(boxes.size(), seed);
    for (const std::uint32_t index : result.original) result.boxes.push_back(boxes[index]);
    return result;
}

// The pairs by the boxes' original indices, canonical.
std::uint64_t hash_of_pairs(std::span<const IndexPair> pairs, const std::vector<std::uint32_t>& original) {
    std::vector<IndexPair> own;
    for (const IndexPair& pair : pairs) {
        const std::uint32_t first = original[pair.first];
        const std::uint32_t second = original[pair.second];
        own.push_back({std::min(first, second), std::max(first, second)});
    }
    std::sort(own.begin(), own.end());
    GoldenHash hash;
    for (const IndexPair& pair : own) hash.add(pair.first, pair.second);
    return hash.value();
}

void add_pairs(const GoldenWay& way, const scenes::NamedScene& named, GoldenHashes& out_hashes) {
    const scenes::BoxScene scene(named, kBoxCount);
    scenes::BoxFrame frame;
    scene.frame(3, frame);
    const Shuffled boxes = shuffled(frame.boxes, way.shuffle_seed);
    const BoxSoa soa = soa_of(boxes.boxes);
    BoxScratch scratch;
    PairBuffer pairs;
    FindPairsSettings settings;
    settings.runner = way.runner;
    REQUIRE(find_pairs(soa, settings, scratch, pairs).status == Status::ok);
    const std::uint64_t hash = hash_of_pairs(pairs, boxes.original);
    out_hashes[golden_name("pairs", named.name)] = hash;
    // The other algorithms; for the golden list one suffices.
    if (way.runner != nullptr || way.shuffle_seed != 0) return;
    for (const PairAlgorithm algorithm :
         {PairAlgorithm::brute_force, PairAlgorithm::sweep_and_prune, PairAlgorithm::cells}) {
        settings.algorithm = algorithm;
        REQUIRE(find_pairs(soa, settings, scratch, pairs).status == Status::ok);
        CHECK(hash_of_pairs(pairs, boxes.original) == hash);
    }
    PairCache cache(0.1f);
    REQUIRE(cache.find_pairs(soa, settings, scratch, pairs).status == Status::ok);
    REQUIRE(cache.find_pairs(soa, settings, scratch, pairs).status == Status::ok);
    CHECK(hash_of_pairs(pairs, boxes.original) == hash);
}

// The events and pairs of a World after an update, by user data.
void add_events(World& world, GoldenHash& state_hash) {
    const auto add = [&](const auto& pairs) {
        state_hash.add(pairs.size());
        for (const auto& pair : pairs)
            state_hash.add(world.description(pair.a).user_data, world.description(pair.b).user_data);
    };
    add(world.begun());
    add(world.persisting());
    state_hash.add(world.ended().size());
    for (const EndedPair& pair : world.ended()) state_hash.add(pair.value);
    for (const WorldPair& pair : world.begun()) {
        // The value identifies a pair after its end.
        *world.pair_value(pair.a, pair.b) =
            (world.description(pair.a).user_data << 32) | world.description(pair.b).user_data;
    }
    state_hash.add(world.pairs_hash());
}

void add_world(const GoldenWay& way, const scenes::NamedScene& named, GoldenHashes& out_hashes) {
    const scenes::BoxScene scene(named, kBoxCount);
    WorldSettings settings;
    settings.order = WorldOrder::user_data;
    World world(settings);
    scenes::BoxFrame frame;
    scene.frame(0, frame);
    std::vector<ObjectHandle> handles(kBoxCount);
    for (const std::uint32_t index : shuffled_indices(kBoxCount, way.shuffle_seed)) {
        ObjectDescription description;
        description.box = frame.boxes[index];
        description.kind = index % 6 == 0 ? ObjectKind::fixed : ObjectKind::moving;
        description.user_data = index;
        handles[index] = world.add(description);
    }
    GoldenHash hash;
    for (std::uint64_t index = 0; index < 8; ++index) {
        scene.frame(5 * index, frame);
        REQUIRE(world.set_boxes(handles, soa_of(frame.boxes)).status == Status::ok);
        REQUIRE(world.update(way.runner).status == Status::ok);
        add_events(world, hash);
    }
    out_hashes[golden_name("world", named.name)] = hash.value();
}

void add_tree(const GoldenWay& way, const scenes::NamedScene& named, GoldenHashes& out_hashes) {
    const scenes::BoxScene scene(named, kBoxCount);
    scenes::BoxFrame frame;
    scene.frame(1, frame);
    const TreeQuestions questions = make_questions(frame.boxes, 60, 7);
    const Shuffled boxes = shuffled(frame.boxes, way.shuffle_seed);
    BoxTree tree;
    REQUIRE(tree.build(soa_of(boxes.boxes), way.runner) == Status::ok);
    TreeQuerySettings settings;
    settings.runner = way.runner;
    BoxScratch scratch;
    PairBuffer pairs;
    AlignedArray<Listed<TreeHit>> hits;

    GoldenHash overlaps;
    const auto add_overlaps = [&](const auto& shapes) {
        REQUIRE(tree.find_overlaps(std::span(shapes), settings, scratch, pairs).status == Status::ok);
        std::vector<IndexPair> own;
        for (const IndexPair& pair : pairs) own.push_back({pair.first, boxes.original[pair.second]});
        std::sort(own.begin(), own.end());
        for (const IndexPair& pair : own) overlaps.add(pair.first, pair.second);
    };
    add_overlaps(questions.boxes);
    add_overlaps(questions.points);
    add_overlaps(questions.spheres);
    add_overlaps(questions.obbs);
    add_overlaps(questions.volumes);
    out_hashes[golden_name("overlaps", named.name)] = overlaps.value();

    GoldenHash all_hits;
    const auto add_hits = [&](const WriteResult& result) {
        REQUIRE(result.status == Status::ok);
        for (Listed<TreeHit>& hit : hits) hit.found.target = boxes.original[hit.found.target];
        std::sort(hits.begin(), hits.end(), [](const Listed<TreeHit>& a, const Listed<TreeHit>& b) {
            return std::pair(a.query, a.found.target) < std::pair(b.query, b.found.target);
        });
        for (const Listed<TreeHit>& hit : hits)
            all_hits.add(hit.query, hit.found.target, hit.found.t, hit.found.face);
    };
    const std::span<const BoxCast> casts = questions.casts;
    const std::span<const SphereCast> sphere_casts = questions.sphere_casts;
    for (const Inside inside : {Inside::miss, Inside::negative_t, Inside::zero})
        add_hits(tree.find_hits({questions.rays, {.inside = inside}}, settings, scratch, hits));
    for (const Touch touch : {Touch::closed, Touch::open})
        add_hits(tree.find_hits({casts, touch}, settings, scratch, hits));
    add_hits(tree.find_hits(sphere_casts, settings, scratch, hits));
    out_hashes[golden_name("hits", named.name)] = all_hits.value();
    if (way.shuffle_seed != 0) return;

    GoldenHash closest;
    std::vector<TreeHit> first(questions.rays.size());
    const auto add_first = [&](const BatchResult& result) {
        REQUIRE(result.status == Status::ok);
        for (const TreeHit& hit : first) closest.add(hit.t, hit.target, hit.face);
    };
    add_first(tree.closest_hits(questions.rays, settings, first));
    add_first(tree.closest_hits({casts, Touch::closed}, settings, first));
    add_first(tree.closest_hits(sphere_casts, settings, first));
    std::vector<ClosestBox> near(4 * questions.points.size());
    REQUIRE(tree.closest_boxes(questions.points, {.count = 4}, settings, near).status == Status::ok);
    for (const ClosestBox& box : near) closest.add(box.distance_sq, box.target);
    out_hashes[golden_name("closest", named.name)] = closest.value();
}

struct Frames {
    const char* name;
    std::vector<std::vector<scene_io::BoxRecord>> frames;
};
// A tenth of a second of each: enough for added and removed objects.
const std::vector<Frames>& recordings() {
    static const std::vector<Frames> all = [] {
        std::vector<Frames> list;
        for (const char* name : {"rain", "many_pyramids"}) {
            const auto path = data_folder() / (std::string(name) + ".boxrec.gz");
            if (!std::filesystem::exists(path)) continue;
            auto reader = scene_io::BoxrecReader::open(path);
            REQUIRE(reader);
            list.push_back({name, {}});
            std::vector<scene_io::BoxRecord> records;
            while (list.back().frames.size() < 12) {
                const auto read = reader->next_frame(records);
                REQUIRE(read);
                if (*read == scene_io::FrameRead::end) break;
                list.back().frames.push_back(records);
            }
        }
        return list;
    }();
    return all;
}

}  // namespace

void add_broadphase_results(const GoldenWay& way, GoldenHashes& out_hashes) {
    for (const scenes::NamedScene& named : scenes::named_scenes()) {
        add_pairs(way, named, out_hashes);
        if (named.motion != scenes::Motion::none) add_world(way, named, out_hashes);
        if (named.motion == scenes::Motion::none) add_tree(way, named, out_hashes);
    }
}

GoldenHashes golden_recordings(const GoldenWay& way) {
    GoldenHashes hashes;
    for (const Frames& recording : recordings()) {
        WorldSettings settings;
        settings.order = WorldOrder::user_data;
        settings.fixed_objects_pair = true;
        World world(settings);
        std::map<std::uint32_t, ObjectHandle> alive;
        GoldenHash hash;
        for (const auto& frame : recording.frames) {
            std::map<std::uint32_t, ObjectHandle> next;
            for (const std::uint32_t index : shuffled_indices(frame.size(), way.shuffle_seed)) {
                const scene_io::BoxRecord& record = frame[index];
                const auto known = alive.find(record.id);
                ObjectHandle handle;
                if (known != alive.end()) {
                    handle = known->second;
                    REQUIRE(world.set_box(handle, record.box) == Status::ok);
                } else {
                    ObjectDescription description;
                    description.box = record.box;
                    description.user_data = record.id;
                    handle = world.add(description);
                }
                next[record.id] = handle;
            }
            for (const auto& [id, handle] : alive) {
                if (next.count(id) == 0) REQUIRE(world.remove(handle) == Status::ok);
            }
            alive = std::move(next);
            REQUIRE(world.update(way.runner).status == Status::ok);
            add_events(world, hash);
        }
        hashes[golden_name("recording", recording.name)] = hash.value();
    }
    return hashes;
}

}  // namespace broadside::test
