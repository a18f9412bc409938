// Clashes: the relations of all pairs one by one, on every ISA and for any number of workers.
#include "tests/narrowphase/mesh_pairs/placed_meshes.hpp"
#include "tests/support/counting_allocator.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/suites.hpp"

#include <broadside/clash.hpp>

#include <doctest/doctest.h>

using namespace broadside;
using namespace broadside::test;

namespace {

// Parts of a building site: some are apart, some touch, some are inside others, some are there twice.
struct Site {
    TriangleMesh meshes[4] = {built(cube()), built(sphere(1)), built(fine_cube(1)), built({})};
    ObbTree trees[4];
    std::vector<PlacedMesh> placed;

    Site(Random& random, int count) {
        for (int i = 0; i < 4; ++i) REQUIRE(trees[i].build(meshes[i]) == Status::ok);
        for (int i = 0; i < count; ++i) {
            const std::uint32_t kind = random.chance(20) ? 3 : random.below(3);
            Transform place = any_placement(random, random.chance(3) ? 0.3f : 1.0f, 6.0f);
            if (random.chance(3)) place = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, grid_vector(random, 4)};
            placed.push_back({&meshes[kind], place, &trees[kind]});
            if (random.chance(10)) placed.push_back(placed.back());
        }
    }
};

std::vector<Clash> one_by_one(std::span<const PlacedMesh> a, std::span<const PlacedMesh> b, bool is_one_set,
                              const MeshRelationSettings& settings) {
    std::vector<Clash> clashes;
    for (std::uint32_t i = 0; i < a.size(); ++i) {
        for (std::uint32_t k = is_one_set ? i + 1 : 0; k < b.size(); ++k) {
            const MeshRelationResult answer = mesh_relation(a[i], b[k], settings);
            REQUIRE(answer.status == Status::ok);
            if (answer.found != MeshRelation::apart) clashes.push_back({i, k, answer.found});
        }
    }
    return clashes;
}

bool append(void* user, std::span<const Clash> clashes) noexcept {
    auto& list = *static_cast<std::vector<Clash>*>(user);
    list.insert(list.end(), clashes.begin(), clashes.end());
    return true;
}

}  // namespace

TEST_CASE("clashes are the relations of all pairs, one by one" * kLong) {
    Random random(1691);
    std::size_t counts[7] = {};
    for (const float clearance : {0.0f, 0.75f}) {
        Site site(random, 150);
        const std::span<const PlacedMesh> a = std::span<const PlacedMesh>(site.placed).first(60);
        const std::span<const PlacedMesh> b = std::span<const PlacedMesh>(site.placed).subspan(50);
        for (const bool has_obbs : {true, false}) {
            if (!has_obbs) {
                for (PlacedMesh& placed : site.placed) placed.obb_tree = nullptr;
            }
            const std::vector<Clash> expected = one_by_one(a, b, false, {clearance});
            const std::vector<Clash> of_one_set = one_by_one(site.placed, site.placed, true, {clearance});
            for (const Clash& clash : of_one_set) ++counts[static_cast<std::size_t>(clash.relation)];
            for_each_isa([&](Isa) {
                ShuffledRunner shuffled(3, 4);
                for (const TaskRunner* runner :
                     {static_cast<const TaskRunner*>(nullptr), shuffled.runner()}) {
                    MeshRelationSettings settings = {clearance};
                    settings.runner = runner;
                    BoxScratch scratch;
                    std::vector<Clash> clashes(expected.size());
                    ClashResult result = find_clashes(a, b, settings, scratch, std::span(clashes));
                    CHECK(result.status == Status::ok);
                    CHECK(result.required == expected.size());
                    CHECK(result.candidate_count >= expected.size());
                    CHECK(clashes == expected);
                    std::vector<Clash> emitted;
                    result = find_clashes(site.placed, settings, scratch, ClashSink{&append, &emitted});
                    CHECK(result.status == Status::ok);
                    CHECK(result.written == of_one_set.size());
                    CHECK(emitted == of_one_set);
                    if (!of_one_set.empty()) {
                        const auto stop = [](void*, std::span<const Clash>) noexcept { return false; };
                        result = find_clashes(site.placed, settings, scratch, ClashSink{stop});
                        CHECK(result.status == Status::stopped);
                    }
                    result = find_clashes(a, b, settings, scratch, std::span(clashes).first(3));
                    CHECK(result.status == Status::capacity_exceeded);
                    CHECK(result.written == 3);
                    CHECK(result.required == expected.size());
                }
            });
        }
    }
    // Every relation except apart is among them.
    for (std::size_t relation = 1; relation < 7; ++relation) {
        INFO(relation);
        CHECK(counts[relation] > 0);
    }
}

TEST_CASE("a warm search of clashes does not allocate") {
    Random random(1692);
    const Site site(random, 200);
    CountingAllocator counting;
    BoxScratch scratch(counting.hook());
    std::vector<Clash> clashes(4000);
    const ClashResult first = find_clashes(site.placed, {}, scratch, std::span(clashes));
    REQUIRE(first.status == Status::ok);
    REQUIRE(first.required > 20);
    const std::size_t before = counting.allocation_count;
    for (int i = 0; i < 3; ++i)
        CHECK(find_clashes(site.placed, {}, scratch, std::span(clashes)).required == first.required);
    CHECK(counting.allocation_count == before);
}

TEST_CASE("clashes refuse and name objects that can have no relation") {
    const TriangleMesh mesh = built(cube());
    std::vector<PlacedMesh> good(3, PlacedMesh{&mesh});
    std::vector<PlacedMesh> null = good, skewed = good, far = good, other = good;
    ObbTree other_tree;
    REQUIRE(other_tree.build(built(sphere(1))) == Status::ok);
    other[1].obb_tree = &other_tree;
    null[1].mesh = nullptr;
    skewed[2].world_from_mesh.row_x.y = 0.5f;
    far[0].world_from_mesh.translation.x = FLT_MAX;
    BoxScratch scratch;
    std::vector<Clash> clashes(10);
    const std::span<Clash> out(clashes);
    const TaskRunner none = {nullptr, nullptr, 2};
    MeshRelationSettings bad_runner;
    bad_runner.runner = &none;
    const auto status = [&](const std::vector<PlacedMesh>& meshes,
                            const MeshRelationSettings& settings = {}) {
        return find_clashes(meshes, settings, scratch, out).status;
    };
    check_refused({
        {"meshes: one has no mesh", [&] { return status(null); }},
        {"meshes: a world_from_mesh is no rotation times a scale", [&] { return status(skewed); }},
        {"meshes: one is out of the range of floats once placed", [&] { return status(far); }},
        {"meshes: an obb_tree is none of the triangles of its mesh", [&] { return status(other); }},
        {"clearance: negative or not finite", [&] { return status(good, {-1.0f}); }},
        {"clearance: negative or not finite", [&] { return status(good, {kNaN}); }},
        {"output: the sink has no function",
         [&] { return find_clashes(good, {}, scratch, ClashSink{}).status; }},
        {"runner: parallel_for is null", [&] { return status(good, bad_runner); }},
    });
    // Each alone is in the float range, but not in the frame of the other: the status of that pair is the
    // call's.
    MadeMesh made_vast = cube();
    for (Vec3& vertex : made_vast.vertices) vertex = vertex * 0x1p100f;
    const TriangleMesh vast = built(made_vast);
    std::vector<PlacedMesh> far_scales = good;
    Transform& tiny = far_scales[1].world_from_mesh;
    tiny.row_x.x = tiny.row_y.y = tiny.row_z.z = 0x1p-40f;
    far_scales[2].mesh = &vast;
    check_refused({
        {"world_from_mesh: out of the range of floats", [&] { return status(far_scales); }},
        {"world_from_mesh: out of the range of floats",
         [&] {
             return find_clashes(std::span(far_scales).first(2), std::span(far_scales).last(1), {}, scratch,
                                 out)
                 .status;
         }},
    });
    // Either works without the other.
    for (const std::size_t left_out : {std::size_t{1}, std::size_t{2}}) {
        std::vector<PlacedMesh> others = far_scales;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(left_out));
        CHECK(status(others) == Status::ok);
    }
    CHECK(find_clashes(null, {}, scratch, out).bad_a == 1);
    CHECK(find_clashes(good, skewed, {}, scratch, out).bad_b == 2);
    CHECK(find_clashes(good, skewed, {}, scratch, out).bad_a == kNoIndex);
    CHECK(find_clashes({}, {}, scratch, out).status == Status::ok);
}
