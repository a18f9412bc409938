// BoxTree and World::queries on real input: recordings frame by frame, and the triangles of meshes.
#include "tests/broadphase/tree/box_tree_oracle.hpp"
#include "tests/support/folders.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/suites.hpp"

#include <broadside/scene_io/boxrec.hpp>
#include <broadside/scene_io/obj.hpp>
#include <broadside/scene_io/ply.hpp>
#include <broadside/scene_io/triangle_mesh.hpp>
#include <broadside/world_query.hpp>

#include <filesystem>
#include <map>

using namespace broadside;
using namespace broadside::test;

namespace {

bool has_data() {
    if (std::filesystem::is_directory(data_folder())) return true;
    MESSAGE("skipped: there is no folder " << data_folder().string());
    return false;
}

std::filesystem::path data_file(const std::string& name) { return data_folder() / name; }

std::vector<IndexPair> listed(const PairBuffer& pairs) { return {pairs.begin(), pairs.end()}; }

}  // namespace

TEST_CASE("recordings: a tree updated frame by frame has the pairs of find_pairs and the results of loops" *
          kLong) {
    if (!has_data()) return;
    for (const std::string name : {"rain.boxrec.gz", "many_pyramids.boxrec.gz"}) {
        const auto recording = scene_io::read_boxrec(data_file(name));
        REQUIRE(recording);
        BoxTree tree;
        BoxScratch scratch;
        PairBuffer pairs;
        PairBuffer expected;
        ShuffledRunner runner(2, 4);
        const auto& frames = recording->frames;
        for (std::size_t i = 0; i < frames.size(); i += frames.size() / 12 + 1) {
            std::vector<Aabb> boxes;
            for (const scene_io::BoxRecord& record : frames[i]) boxes.push_back(record.box);
            const BoxSoa soa = soa_of(boxes);
            INFO(name << ", frame " << i << ", " << boxes.size() << " boxes");
            REQUIRE(tree.update(soa, i % 2 == 0 ? runner.runner() : nullptr) == Status::ok);
            REQUIRE(find_pairs(soa, expected).status == Status::ok);
            REQUIRE(tree.find_pairs({}, scratch, pairs).status == Status::ok);
            CHECK((listed(pairs) == listed(expected)));
            const TreeQuestions questions = make_questions(boxes, 20, i);
            const TreeAnswers oracle = oracle_answers(boxes, questions, Inside::zero, Touch::closed);
            for_each_isa([&](Isa) {
                CHECK((TreeAsker(tree, questions, {}).ask(Inside::zero, Touch::closed) == oracle));
            });
        }
    }
}

TEST_CASE("recordings: a world that follows one returns the same as a tree over the frame") {
    if (!has_data()) return;
    const auto recording = scene_io::read_boxrec(data_file("rain.boxrec.gz"));
    REQUIRE(recording);
    World world({.order = WorldOrder::user_data});
    std::map<std::uint32_t, ObjectHandle> handles;
    BoxScratch scratch;
    const auto& frames = recording->frames;
    for (std::size_t i = 0; i < frames.size(); i += 10) {
        std::vector<Aabb> boxes;
        std::map<std::uint32_t, ObjectHandle> alive;
        for (const scene_io::BoxRecord& record : frames[i]) {
            boxes.push_back(record.box);
            const auto known = handles.find(record.id);
            if (known != handles.end()) {
                REQUIRE(world.set_box(known->second, record.box) == Status::ok);
                alive.insert(*known);
                continue;
            }
            ObjectDescription object;
            object.box = record.box;
            object.user_data = record.id;
            object.kind =
                record.kind == scene_io::BoxKind::static_object ? ObjectKind::fixed : ObjectKind::moving;
            alive.emplace(record.id, world.add(object));
        }
        for (const auto& [id, handle] : handles) {
            if (!alive.contains(id)) REQUIRE(world.remove(handle) == Status::ok);
        }
        handles = std::move(alive);
        if (i % 20 == 0) REQUIRE(world.update().status == Status::ok);

        const WorldQueries queries = world.queries();
        REQUIRE(queries.status() == Status::ok);
        BoxTree tree;
        REQUIRE(tree.build(soa_of(boxes)) == Status::ok);
        const TreeQuestions questions = make_questions(boxes, 60, i);
        // Ids ascend in a frame, so an order by id is one by index.
        BoxScratch tree_scratch;
        AlignedArray<Listed<TreeHit>> expected;
        AlignedArray<Listed<WorldHit>> hits;
        REQUIRE(tree.find_hits(questions.rays, {}, tree_scratch, expected).status == Status::ok);
        REQUIRE(queries.find_hits(questions.rays, {}, scratch, hits).status == Status::ok);
        INFO("frame " << i);
        REQUIRE(hits.size() == expected.size());
        for (std::size_t k = 0; k < hits.size(); ++k) {
            const ObjectHandle object = handles.at(frames[i][expected[k].found.target].id);
            CHECK((hits[k] == Listed<WorldHit>{expected[k].query,
                                               {object, expected[k].found.t, expected[k].found.face}}));
        }
        for (const SphereCast& cast : questions.sphere_casts) {
            CHECK(queries.closest_hit(cast).t == tree.closest_hit(cast).t);
        }
    }
}

TEST_CASE("meshes: a tree over the boxes of triangles returns the same as loops over them") {
    if (!has_data()) return;
    for (const std::string name :
         {"building.obj", "stairs.obj", "test_map01.obj", "bunny.ply", "height-field.ply"}) {
        const auto mesh = name.ends_with(".obj") ? scene_io::read_obj(data_file(name))
                                                 : scene_io::read_ply(data_file(name));
        REQUIRE(mesh);
        const std::vector<Aabb> boxes = scene_io::triangle_boxes(*mesh);
        REQUIRE(!boxes.empty());
        BoxTree tree;
        REQUIRE(tree.build(soa_of(boxes)) == Status::ok);
        const TreeQuestions questions = make_questions(boxes, 40, 3);
        const TreeAnswers oracle = oracle_answers(boxes, questions, Inside::zero, Touch::closed);
        for_each_isa([&](Isa) {
            INFO(name << ", " << boxes.size() << " triangles");
            CHECK((TreeAsker(tree, questions, {}).ask(Inside::zero, Touch::closed) == oracle));
        });
        BoxScratch scratch;
        PairBuffer pairs;
        PairBuffer expected;
        REQUIRE(find_pairs(soa_of(boxes), expected).status == Status::ok);
        REQUIRE(tree.find_pairs({}, scratch, pairs).status == Status::ok);
        CHECK((listed(pairs) == listed(expected)));
    }
}
