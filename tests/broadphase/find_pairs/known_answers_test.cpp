// find_pairs on real input with known results: static worlds of a game, recordings, a deforming mesh.
#include <broadside/find_pairs.hpp>

#include "tests/broadphase/pair_scenes.hpp"
#include "tests/support/folders.hpp"
#include "tests/support/for_each_isa.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/scene_io/bounds_text.hpp>
#include <broadside/scene_io/boxrec.hpp>
#include <broadside/scene_io/scene.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

using namespace broadside;
using namespace broadside::test;

namespace {

// The path of a file in the data folder, or nothing, with a message, if the folder is missing.
std::optional<std::filesystem::path> data_file(const std::string& name) {
    const std::filesystem::path& folder = data_folder();
    if (!std::filesystem::is_directory(folder)) {
        MESSAGE("skipped: there is no folder " << folder.string());
        return std::nullopt;
    }
    return folder / name;
}

template <class T>
T require_value(scene_io::Result<T> result) {
    if (!result) FAIL(result.error().message);
    return std::move(*result);
}

// The pairs, after a check that every ISA and every algorithm except brute force finds the same.
PairBuffer pairs_of(const BoxSoaView& a, const BoxSoaView* b = nullptr) {
    BoxScratch scratch;
    PairBuffer on_scalar;
    for_each_isa([&](Isa isa) {
        PairBuffer pairs;
        const FindPairsSettings settings;
        const FindPairsResult result = b == nullptr ? find_pairs(a, settings, scratch, pairs)
                                                    : find_pairs(a, *b, settings, scratch, pairs);
        REQUIRE(result.status == Status::ok);
        REQUIRE(result.invalid.count == 0);
        REQUIRE(std::is_sorted(pairs.begin(), pairs.end()));
        REQUIRE(std::adjacent_find(pairs.begin(), pairs.end()) == pairs.end());
        if (isa == Isa::scalar) {
            on_scalar = std::move(pairs);
        } else {
            REQUIRE(std::equal(pairs.begin(), pairs.end(), on_scalar.begin(), on_scalar.end()));
        }
    });
    for (const PairAlgorithm algorithm : {PairAlgorithm::sweep_and_prune, PairAlgorithm::cells}) {
        PairBuffer pairs;
        const FindPairsSettings settings = {.algorithm = algorithm};
        const FindPairsResult result = b == nullptr ? find_pairs(a, settings, scratch, pairs)
                                                    : find_pairs(a, *b, settings, scratch, pairs);
        REQUIRE(result.status == Status::ok);
        REQUIRE(std::equal(pairs.begin(), pairs.end(), on_scalar.begin(), on_scalar.end()));
    }
    return on_scalar;
}

// True if the boxes share a face, an edge or a corner and nothing more.
bool only_touch(const Aabb& a, const Aabb& b) {
    const Aabb common = {max_keep(a.min, b.min), min_keep(a.max, b.max)};
    return common.min.x == common.max.x || common.min.y == common.max.y || common.min.z == common.max.z;
}

std::vector<Aabb> boxes_of(const std::vector<scene_io::BoxRecord>& records) {
    std::vector<Aabb> boxes;
    for (const scene_io::BoxRecord& record : records) boxes.push_back(record.box);
    return boxes;
}

std::size_t pair_count_of(const std::vector<scene_io::BoxRecord>& records) {
    return pairs_of(soa_of(boxes_of(records))).size();
}

std::size_t pair_count_without_static_static(const std::vector<scene_io::BoxRecord>& records) {
    const PairBuffer pairs = pairs_of(soa_of(boxes_of(records)));
    return static_cast<std::size_t>(std::count_if(pairs.begin(), pairs.end(), [&](const IndexPair& pair) {
        return records[pair.first].kind != scene_io::BoxKind::static_object ||
               records[pair.second].kind != scene_io::BoxKind::static_object;
    }));
}

}  // namespace

TEST_CASE("static worlds of a game have their known pairs") {
    struct Known {
        const char* file;
        std::size_t box_count;
        std::size_t pair_count;
        std::size_t touching_count;
    };
    for (const Known& known : {Known{"bounds01.txt", 288, 650, 0}, Known{"bounds02.txt", 4221, 14969, 10},
                               Known{"bounds03.txt", 268, 7155, 7}}) {
        const auto path = data_file(known.file);
        if (!path) return;
        INFO(path->string());
        const std::vector<Aabb> boxes = require_value(scene_io::read_bounds_text(*path)).boxes;
        REQUIRE(boxes.size() == known.box_count);
        const PairBuffer pairs = pairs_of(soa_of(boxes));
        CHECK(pairs.size() == known.pair_count);
        const auto touching = std::count_if(pairs.begin(), pairs.end(), [&](const IndexPair& pair) {
            return only_touch(boxes[pair.first], boxes[pair.second]);
        });
        CHECK(static_cast<std::size_t>(touching) == known.touching_count);
    }
}

TEST_CASE("recordings have the known pairs of their first and last frames") {
    const auto pyramids_path = data_file("many_pyramids.boxrec.gz");
    const auto rain_path = data_file("rain.boxrec.gz");
    if (!pyramids_path || !rain_path) return;
    const scene_io::Recording pyramids = require_value(scene_io::read_boxrec(*pyramids_path));
    REQUIRE(pyramids.frames.size() == 24);
    CHECK(pair_count_of(pyramids.frames.front()) == 28420);
    CHECK(pair_count_of(pyramids.frames.back()) == 28420);
    const scene_io::Recording rain = require_value(scene_io::read_boxrec(*rain_path));
    REQUIRE(rain.frames.size() == 120);
    CHECK(pair_count_of(rain.frames.front()) == 3245);
    CHECK(pair_count_without_static_static(rain.frames.front()) == 2803);
    CHECK(pair_count_of(rain.frames.back()) == 7166);
    CHECK(pair_count_without_static_static(rain.frames.back()) == 6724);
}

TEST_CASE("a deforming mesh has its known pairs of faces, edges and vertices") {
    const auto start_path = data_file("armadillo-rollers/326.ply");
    const auto end_path = data_file("armadillo-rollers/327.ply");
    if (!start_path || !end_path) return;
    const scene_io::MeshPair meshes = require_value(scene_io::load_mesh_pair(*start_path, *end_path));
    const std::vector<scene_io::Edge> edges = scene_io::unique_edges(meshes.at_start);
    const BoxSoa faces = soa_of(scene_io::swept_boxes(scene_io::triangle_boxes(meshes.at_start),
                                                      scene_io::triangle_boxes(meshes.at_end)));
    const BoxSoa edge_boxes = soa_of(scene_io::swept_boxes(scene_io::edge_boxes(meshes.at_start, edges),
                                                           scene_io::edge_boxes(meshes.at_end, edges)));
    const BoxSoa vertices = soa_of(scene_io::swept_boxes(scene_io::vertex_boxes(meshes.at_start),
                                                         scene_io::vertex_boxes(meshes.at_end)));
    REQUIRE(faces.count() == 24242);
    REQUIRE(edges.size() == 36363);
    REQUIRE(vertices.count() == 12135);

    const std::vector<std::array<std::uint32_t, 3>>& triangles = meshes.at_start.triangles;
    const auto share_vertex = [](const auto& a, const auto& b) {
        return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
    };
    const auto count_apart = [](const PairBuffer& pairs, auto&& is_connected) {
        return pairs.size() -
               static_cast<std::size_t>(std::count_if(pairs.begin(), pairs.end(), is_connected));
    };

    const PairBuffer face_pairs = pairs_of(faces);
    CHECK(face_pairs.size() == 2877204);
    CHECK(count_apart(face_pairs, [&](const IndexPair& pair) {
              return share_vertex(triangles[pair.first], triangles[pair.second]);
          }) == 2719484);

    const PairBuffer edge_pairs = pairs_of(edge_boxes);
    CHECK(edge_pairs.size() == 5262435);
    CHECK(count_apart(edge_pairs, [&](const IndexPair& pair) {
              return share_vertex(edges[pair.first], edges[pair.second]);
          }) == 5068352);

    const BoxSoaView face_view = faces;
    const PairBuffer vertex_face_pairs = pairs_of(vertices, &face_view);
    CHECK(vertex_face_pairs.size() == 2104730);
    CHECK(count_apart(vertex_face_pairs, [&](const IndexPair& pair) {
              const auto& triangle = triangles[pair.second];
              return std::find(triangle.begin(), triangle.end(), pair.first) != triangle.end();
          }) == 2032004);
}
