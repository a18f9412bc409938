// Every argument that core refuses, and every promise of the caller that it asserts.
#include "tests/support/refusals.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/obb_soa.hpp>
#include <broadside/sphere_view.hpp>
#include <broadside/triangle_mesh.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

using namespace broadside;
using namespace broadside::test;

namespace {

std::vector<std::string> broken_promises;

void note(const AssertInfo& info) {
    broken_promises.push_back(info.is_refused_argument ? "refused" : info.message);
}

}  // namespace

TEST_CASE("core: every refused argument has its own message") {
    BoxSoa boxes;
    ObbSoa obbs;
    TriangleSoa mesh;
    const Obb obb = {};
    const Vec3 positions[3] = {};
    const std::uint32_t indices[3] = {0, 1, 3};
    const float zeros[1] = {};
    const TriangleSoaView one = {zeros, zeros, zeros, zeros, zeros, zeros, zeros, zeros, zeros, 1};
    const auto with_groups = [&](const BoxSoaView& groups) {
        TriangleSoaView triangles = one;
        triangles.group_bounds = groups;
        return triangles;
    };
    check_refused({
        {"boxes: a column is null though the count is not 0",
         [&] { return boxes.assign(BoxSoaView{.count = 1}); }},
        {"boxes: data is null though the count is not 0",
         [&] { return boxes.assign(BoxAosView{.count = 1}); }},
        {"span: null though the count is not 0",
         [&] {
             return obbs.assign({static_cast<const Obb*>(nullptr), 1});
         }},
        {"span: longer than any array",
         [&] {
             return obbs.assign({&obb, SIZE_MAX});
         }},
        {"indices: not three for each triangle",
         [&] {
             return mesh.assign(positions, {indices, 2}).status;
         }},
        {"indices: one is past the last position", [&] { return mesh.assign(positions, indices).status; }},
        {"triangles: a column is null though the count is not 0",
         [&] { return triangle_bounds({.count = 1}, boxes); }},
        {"triangles: a column of group_bounds is null though their count is not 0",
         [&] { return triangle_bounds(with_groups({.count = 1}), boxes); }},
        {"triangles: group_bounds are neither none nor one per group",
         [&] {
             return triangle_bounds(with_groups({zeros, zeros, zeros, zeros, zeros, zeros, 2}), boxes);
         }},
    });
}

// The arrays have room for sixteen, so that every access stays inside them.
TEST_CASE("core: an index past the end is reported as a broken promise" * doctest::skip(!kHasAsserts)) {
    BoxSoa boxes;
    ObbSoa obbs;
    TriangleSoa triangles;
    AlignedArray<int> numbers;
    REQUIRE(boxes.resize(1) == Status::ok);
    REQUIRE(obbs.resize(1) == Status::ok);
    REQUIRE(triangles.resize(1) == Status::ok);
    REQUIRE((numbers.resize(2) && numbers.resize(1)));
    const float zeros[4] = {};
    const SphereSoaView spheres = {zeros, zeros, zeros, zeros, 1};
    const Vec3SoaView vectors = {zeros, zeros, zeros, 1};
    const BoxAosView structs = {zeros, 0, 0, 0, 1};
    const std::function<void()> uses[] = {
        [&] { boxes.set(1, {}); }, [&] { obbs.set(1, {}); },  [&] { triangles.set(1, {}); },
        [&] { (void)boxes[1]; },   [&] { (void)obbs[1]; },    [&] { (void)triangles[1]; },
        [&] { (void)spheres[1]; }, [&] { (void)vectors[1]; }, [&] { (void)structs[1]; },
        [&] { numbers[1] = 1; },
    };
    const AssertHandler before = set_assert_handler(&note);
    for (const auto& use : uses) {
        broken_promises.clear();
        use();
        REQUIRE_FALSE(broken_promises.empty());
        for (const std::string& message : broken_promises) CHECK(message.rfind("index: at or past", 0) == 0);
    }
    set_assert_handler(before);
}
