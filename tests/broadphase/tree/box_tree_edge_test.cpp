// The rows of docs/edge_semantics.md on BoxTree.
#include "tests/broadphase/tree/box_tree_oracle.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_array.hpp"

using namespace broadside;
using namespace broadside::test;

namespace {

constexpr Aabb kUnit = {{0, 0, 0}, {1, 1, 1}};

// A tree of the boxes with enough others, far away, to have a level above the leaves.
BoxTree tree_with_far_boxes(std::vector<Aabb> boxes) {
    for (int i = 0; i < 40; ++i) {
        const float place = 1000.0f + 10.0f * static_cast<float>(i);
        boxes.push_back({{place, place, place}, {place + 1, place + 1, place + 1}});
    }
    BoxTree tree;
    REQUIRE(tree.build(soa_of(boxes)) == Status::ok);
    return tree;
}

template <class Shape>
std::vector<std::uint32_t> found(const BoxTree& tree, const Shape& shape) {
    BoxScratch scratch;
    PairBuffer pairs;
    REQUIRE(tree.find_overlaps(std::span<const Shape>(&shape, 1), {}, scratch, pairs).status == Status::ok);
    CHECK(tree.any_overlap(shape) == !pairs.is_empty());
    std::vector<std::uint32_t> boxes;
    for (const IndexPair& pair : pairs) boxes.push_back(pair.second);
    return boxes;
}

using Indices = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("edge box_tree/touching: shared faces, edges and corners count, and so does the largest distance") {
    for_each_isa([](Isa) {
        const BoxTree tree = tree_with_far_boxes({kUnit});
        CHECK(found(tree, Aabb{{1, 1, 1}, {2, 2, 2}}) == Indices{0});
        CHECK(found(tree, Aabb{{std::nextafterf(1, 2), 1, 1}, {2, 2, 2}}).empty());
        CHECK(found(tree, Vec3{1, 0, 1}) == Indices{0});
        CHECK(found(tree, Sphere{{3, 0.5f, 0.5f}, 2}) == Indices{0});
        CHECK(found(tree, Sphere{{3, 0.5f, 0.5f}, std::nextafterf(2, 0)}).empty());
        // Turned by an eighth, with its flat side on an edge of the box.
        Obb rod = {{2, 1, 0.5f}, {1, 1, 0}, {-1, 1, 0}, {0, 0, 1}, {0.5f, 7, 0.25f}};
        CHECK(found(tree, rod) == Indices{0});
        rod.center.x = std::nextafterf(2, 3);
        CHECK(found(tree, rod).empty());
        CHECK(tree.closest_hit(SphereCast{{{3, 0, 2}, 1}, {-3, 0, 0}}) == TreeHit{0, 2.0f / 3, Face::max_z});
        CHECK(tree.closest_hit(SphereCast{{{3, 0, 2}, std::nextafterf(1, 0)}, {-3, 0, 0}}) == TreeHit{});
        const Vec3 point = {3, 0.5f, 0.5f};
        ClosestBox near;
        CHECK(tree.closest_boxes(point, {1, 2.0f}, {}, {&near, 1}).status == Status::ok);
        CHECK(near == ClosestBox{4, 0});
        CHECK(tree.closest_boxes(point, {1, 1.999f}, {}, {&near, 1}).status == Status::ok);
        CHECK(near == ClosestBox{});
    });
}

TEST_CASE(
    "edge box_tree/inside: of the boxes that hold the start, the smallest index, under every policy that "
    "reports it") {
    for_each_isa([](Isa) {
        const Aabb larger = {{-1, -1, -1}, {2, 2, 2}};
        const BoxTree tree = tree_with_far_boxes({{{5, 0, 0}, {6, 1, 1}}, larger, kUnit});
        const Vec3 start = {0.5f, 0.5f, 0.5f};
        CHECK(tree.closest_box(start) == ClosestBox{0, 1});
        CHECK(tree.closest_hit(SphereCast{{start, 0.1f}, {9, 0, 0}}) == TreeHit{1, 0, Face::none});
        CHECK(found(tree, Obb{start, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0.1f, 0.1f, 0.1f}}) == Indices{1, 2});
        const Ray ray = {start, {1, 0, 0}};
        CHECK(tree.closest_hit({ray, RaySettings{Inside::zero}}) == TreeHit{1, 0, Face::none});
        CHECK(tree.closest_hit({ray, RaySettings{Inside::negative_t}}) == TreeHit{1, -1.5f, Face::min_x});
        CHECK(tree.closest_hit({ray, RaySettings{Inside::miss}}) == TreeHit{0, 4.5f, Face::min_x});
    });
}

TEST_CASE(
    "edge box_tree/parallel: a ray within a face hits, a plane along a face has the box on its inner side") {
    for_each_isa([](Isa) {
        const BoxTree tree = tree_with_far_boxes({kUnit});
        CHECK(tree.closest_hit(Ray{{-1, 1, 0}, {1, 0, -0.0f}}) == TreeHit{0, 1, Face::min_x});
        // Along a face at the distance of the radius, and along it in contact.
        CHECK(tree.closest_hit(SphereCast{{{-3, 2, 0.5f}, 1}, {6, 0, 0}}) == TreeHit{0, 0.5f, Face::max_y});
        CHECK(tree.closest_hit(SphereCast{{{-3, std::nextafterf(2, 3), 0.5f}, 1}, {6, 0, 0}}) == TreeHit{});
        const Plane along = {{1, 0, 0}, -1};
        const Plane beyond = {{-1, 0, 0}, 900};
        const Plane planes[] = {along, beyond};
        CHECK(found(tree, ConvexVolume{planes}) == Indices{0});
        const Plane outside[] = {{{1, 0, 0}, -1.0000001f}, beyond};
        CHECK(found(tree, ConvexVolume{outside}).empty());
    });
}

TEST_CASE("edge box_tree/zero length: rays and casts without motion find the boxes that they are in") {
    for_each_isa([](Isa) {
        const BoxTree tree = tree_with_far_boxes({kUnit, {{0.5f, 0, 0}, {3, 1, 1}}});
        CHECK(tree.closest_hit(Ray{{1, 1, 1}, {0, -0.0f, 0}}) == TreeHit{0, 0, Face::none});
        CHECK(tree.closest_hit(Ray{{-1, 1, 1}, {0, 0, 0}}) == TreeHit{});
        CHECK(tree.closest_hit(BoxCast{{{3, 0, 0}, {4, 1, 1}}, {}}) == TreeHit{1, 0, Face::none});
        CHECK(tree.closest_hit(SphereCast{{{4, 0, 0}, 1}, {}}) == TreeHit{1, 0, Face::none});
        CHECK(tree.closest_hit(SphereCast{{{4, 0, 0}, 0.9f}, {}}) == TreeHit{});
    });
}

TEST_CASE(
    "edge box_tree/zero size: points are found by the shapes that touch them, also many at one position") {
    for_each_isa([](Isa) {
        BoxTree tree;
        REQUIRE(tree.build(soa_of(std::vector<Aabb>(5000, Aabb{{1, 2, 3}, {1, 2, 3}}))) == Status::ok);
        CHECK(found(tree, Vec3{1, 2, 3}).size() == 5000);
        CHECK(found(tree, Vec3{1, 2, std::nextafterf(3, 4)}).empty());
        CHECK(found(tree, Sphere{{1, 2, 3}, 0}).size() == 5000);
        CHECK(tree.closest_hit(Ray{{0, 2, 3}, {2, 0, 0}}) == TreeHit{0, 0.5f, Face::min_x});
        CHECK(tree.closest_hit(BoxCast{{{0, 2, 3}, {0, 2, 3}}, {2, 0, 0}}) == TreeHit{0, 0.5f, Face::min_x});
        CHECK(tree.closest_hit(SphereCast{{{0, 2, 3}, 0}, {2, 0, 0}}) == TreeHit{0, 0.5f, Face::min_x});
        CHECK(found(tree, Obb{{1, 2, 3}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {}}).size() == 5000);
        CHECK(found(tree, Obb{{1, 2, 2}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 1}}).size() == 5000);
    });
}

TEST_CASE("edge box_tree/t = 0: hits at the start do not end the search for the smallest index") {
    for_each_isa([](Isa) {
        const BoxTree tree =
            tree_with_far_boxes({{{4, 0, 0}, {5, 1, 1}}, kUnit, kUnit, {{0, 0, 0}, {7, 7, 7}}});
        CHECK(tree.closest_hit(Ray{{0, 0.5f, 0.5f}, {1, 0, 0}}) == TreeHit{1, 0, Face::min_x});
        CHECK(tree.closest_hit(BoxCast{{{-1, 0, 0}, {0, 1, 1}}, {1, 0, 0}}) == TreeHit{1, 0, Face::min_x});
        CHECK(tree.closest_hit(SphereCast{{{-1, 0, 0}, 1}, {-1, 0, 0}}) == TreeHit{1, 0, Face::none});
    });
}

TEST_CASE("edge box_tree/t = 1: a hit at the very end of the step or exactly at t_max counts") {
    for_each_isa([](Isa) {
        const BoxTree tree = tree_with_far_boxes({kUnit});
        CHECK(tree.closest_hit(BoxCast{{{-3, 0, 0}, {-2, 1, 1}}, {2, 0, 0}}) == TreeHit{0, 1, Face::min_x});
        CHECK(tree.closest_hit(BoxCast{{{-3, 0, 0}, {-2, 1, 1}}, {1.999f, 0, 0}}) == TreeHit{});
        CHECK(tree.closest_hit(Ray{{-2, 0.5f, 0.5f}, {1, 0, 0}, 2.0f}) == TreeHit{0, 2, Face::min_x});
        CHECK(tree.closest_hit(Ray{{-2, 0.5f, 0.5f}, {1, 0, 0}, 1.999f}) == TreeHit{});
        CHECK(tree.closest_hit(SphereCast{{{-3, 0, 0}, 1}, {2, 0, 0}}) == TreeHit{0, 1, Face::min_x});
        CHECK(tree.closest_hit(SphereCast{{{-3, 0, 0}, 1}, {1.999f, 0, 0}}) == TreeHit{});
    });
}

TEST_CASE("edge box_tree/tie of normals: the smaller index wins, and the face of the first axis") {
    for_each_isa([](Isa) {
        const BoxTree tree =
            tree_with_far_boxes({{{1, 1, 1}, {9, 9, 9}}, {{1, 1, 1}, {2, 2, 2}}, {{1, 0, 0}, {2, 2, 2}}});
        CHECK(tree.closest_hit(Ray{{0, 0, 0}, {1, 1, 1}}) == TreeHit{0, 1, Face::min_x});
        CHECK(tree.closest_box({0, 1.5f, 1.5f}) == ClosestBox{1, 0});
        // A sphere at an edge or a corner names no face; of two boxes at once the smaller index wins.
        CHECK(tree.closest_hit(SphereCast{{{11, 11, 5}, 1}, {-2, -2, 0}}).face == Face::none);
        CHECK(tree.closest_hit(SphereCast{{{0, 1.5f, 1.5f}, 0.5f}, {2, 0, 0}}) ==
              TreeHit{0, 0.25f, Face::min_x});
    });
}

TEST_CASE("edge box_tree/NaN: a NaN in a box or query finds nothing and is not found") {
    for_each_isa([](Isa) {
        const BoxTree tree = tree_with_far_boxes({{{kNaN, 0, 0}, {1, 1, 1}}, kUnit});
        CHECK(tree.invalid_boxes().count == 1);
        CHECK(tree.invalid_boxes().first_index == 0);
        CHECK(found(tree, kUnit) == Indices{1});
        CHECK(found(tree, Aabb{{0, 0, 0}, {1, kNaN, 1}}).empty());
        CHECK(found(tree, Vec3{0, kNaN, 0}).empty());
        CHECK(found(tree, Sphere{{0, 0, 0}, kNaN}).empty());
        CHECK(found(tree, Obb{{0, 0, 0}, {1, 0, 0}, {0, kNaN, 0}, {0, 0, 1}, {1, 1, 1}}).empty());
        CHECK(tree.closest_hit(SphereCast{{{0, 0, 0}, 1}, {0, kNaN, 0}}) == TreeHit{});
        CHECK(tree.closest_hit(SphereCast{{{kNaN, 0, 0}, 1}, {0, 1, 0}}) == TreeHit{});
        const Plane plane = {{kNaN, 0, 0}, 0};
        CHECK(found(tree, ConvexVolume{{&plane, 1}}).empty());
        CHECK(tree.closest_hit(Ray{{0, 0, 0}, {1, 0, kNaN}}) == TreeHit{});
        CHECK(tree.closest_hit(BoxCast{kUnit, {0, 0, kNaN}}) == TreeHit{});
        CHECK(tree.closest_box({kNaN, 0, 0}) == ClosestBox{});
    });
}

TEST_CASE("edge box_tree/infinity: infinite boxes are ordinary, other shapes are finite") {
    for_each_isa([](Isa) {
        const Aabb below = {{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, 0}};
        const BoxTree tree = tree_with_far_boxes({kUnit, below});
        CHECK(found(tree, Vec3{1e30f, -1e30f, -5}) == Indices{1});
        CHECK(found(tree, Aabb{{-kInfinity, 0, 0}, {0, kInfinity, 0}}) == Indices{0, 1});
        CHECK(tree.closest_hit(Ray{{50, 50, 10}, {0, 0, -1}}) == TreeHit{1, 10, Face::max_z});
        CHECK(tree.closest_box({1e20f, 0, 3}) == ClosestBox{9, 1});
        CHECK(found(tree, Vec3{kInfinity, 0, -1}).empty());
        CHECK(found(tree, Sphere{{0, 0, 0}, kInfinity}).empty());
        CHECK(tree.closest_hit(Ray{{0, 0, 5}, {0, 0, -kInfinity}}) == TreeHit{});
        CHECK(found(tree, Obb{{1e20f, 0, 5}, {1, 1, 0}, {-1, 1, 0}, {0, 0, 1}, {1, 1, 5}}) == Indices{1});
        CHECK(tree.closest_hit(SphereCast{{{50, 1e10f, 10}, 2}, {0, 0, -16}}) ==
              TreeHit{1, 0.5f, Face::max_z});
        CHECK(found(tree, Obb{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {kInfinity, 1, 1}}).empty());
        CHECK(tree.closest_hit(SphereCast{{{0, 0, 5}, 1}, {0, 0, -kInfinity}}) == TreeHit{});
        // The whole space finds every box, and no unused slot of a node.
        constexpr Vec3 kEnd = {kInfinity, kInfinity, kInfinity};
        CHECK(found(tree, Aabb{-kEnd, kEnd}).size() == 42);
        CHECK(tree.closest_hit(BoxCast{{-kEnd, kEnd}, {1, 2, 3}}) == TreeHit{0, 0, Face::none});
        BoxScratch scratch;
        AlignedArray<Listed<TreeHit>> hits;
        PairBuffer pairs;
        for (const Vec3 way : {Vec3{}, Vec3{1, -2, 0}, Vec3{-1e38f, 0, 0}}) {
            const BoxCast cast = {{-kEnd, kEnd}, way};
            for (const Touch touch : {Touch::closed, Touch::open}) {
                REQUIRE(tree.find_hits({cast, touch}, {}, scratch, hits).status == Status::ok);
                CHECK(hits.size() == 42);
            }
        }
        BoxTree endless;
        REQUIRE(endless.build(soa_of(std::vector<Aabb>(17, Aabb{-kEnd, kEnd}))) == Status::ok);
        REQUIRE(endless.find_pairs({}, scratch, pairs).status == Status::ok);
        CHECK(pairs.size() == 17 * 16 / 2);
        REQUIRE(endless.find_pairs(tree, {}, scratch, pairs).status == Status::ok);
        CHECK(pairs.size() == 17 * 42);
    });
}

TEST_CASE("edge box_tree/inverted: inverted boxes and queries, negative radii and reaches find nothing") {
    for_each_isa([](Isa) {
        const BoxTree tree = tree_with_far_boxes({{{1, 0, 0}, {0, 1, 1}}, kUnit});
        CHECK(tree.invalid_boxes().count == 1);
        CHECK(found(tree, kUnit) == Indices{1});
        CHECK(found(tree, Aabb{{1, 0, 0}, {0, 1, 1}}).empty());
        CHECK(found(tree, Sphere{{0, 0, 0}, -1}).empty());
        CHECK(tree.closest_hit(Ray{{0, 0, 0}, {1, 0, 0}, -1}) == TreeHit{});
        CHECK(found(tree, Obb{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, -1, 1}}).empty());
        CHECK(tree.closest_hit(SphereCast{{{0, 0, 0}, -1}, {1, 0, 0}}) == TreeHit{});
        const Vec3 point = {0, 0, 0};
        ClosestBox near;
        CHECK(tree.closest_boxes(point, {1, -1.0f}, {}, {&near, 1}).status == Status::ok);
        CHECK(near == ClosestBox{});
    });
}

TEST_CASE("edge box_tree/denormal: denormal boxes are told apart, denormal motion counts as none, -0 is 0") {
    for_each_isa([](Isa) {
        const float tiny = std::numeric_limits<float>::denorm_min();
        const BoxTree tree =
            tree_with_far_boxes({{{tiny, 0, 0}, {1, 1, 1}}, {{-1, -1, -1}, {-0.0f, -0.0f, -0.0f}}});
        CHECK(found(tree, Vec3{0, 0, 0}) == Indices{1});
        CHECK(found(tree, Vec3{tiny, 0, 0}) == Indices{0});
        CHECK(tree.closest_hit(Ray{{-5, 0.5f, 0.5f}, {kDenormal, 0, 0}}) == TreeHit{});
        CHECK(tree.closest_hit(BoxCast{{{-3, 0, 0}, {-2, 1, 1}}, {kDenormal, 0, 0}}) == TreeHit{});
        CHECK(tree.closest_hit(SphereCast{{{-3, 0.5f, 0.5f}, 1}, {kDenormal, 0, 0}}) == TreeHit{});
        CHECK(found(tree, Obb{{-0.0f, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {}}) == Indices{1});
        CHECK(found(tree, Obb{{tiny, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {}}) == Indices{0});
        const TreeHit start = tree.closest_hit(Ray{{-0.0f, 0.5f, 0.5f}, {-1, 0, 0}});
        CHECK(start == TreeHit{});
        CHECK_FALSE(std::signbit(tree.closest_hit(Ray{{-0.0f, 0, 0}, {-1, 0, 0}}).t));
        // So fast that the time of a denormal path is zero.
        CHECK(tree.closest_hit(Ray{{2 * tiny, 0.5f, 0.5f}, {1e10f, 0, 0}}) == TreeHit{0, 0, Face::none});
        CHECK(tree.closest_hit(Ray{{0, 0.5f, 0.5f}, {1e10f, 0, 0}}) == TreeHit{0, 0, Face::min_x});
        CHECK(tree.closest_hit(Ray{{0, 0.5f, 0.5f}, {-1e10f, 0, 0}}) == TreeHit{});
        const Ray parting = {{0, 0.5f, 0.5f}, {-1e10f, 0, 0}};
        std::uint64_t word = 7;
        CHECK(tree.any_hit(parting, {}, {&word, 1}).status == Status::ok);
        CHECK(word == 0);
    });
}

TEST_CASE("batched box queries: inverted boxes find nothing, and nothing past the last is read") {
    for_each_isa([](Isa) {
        const BoxTree tree = tree_with_far_boxes({{{-9, -9, -9}, {9, 9, 9}}});
        constexpr Aabb kInverted = {{0.75f, 0, 0}, {0.25f, 1, 1}};
        for (const std::size_t count : {8u, 15u, 16u, 17u, 24u, 32u, 33u}) {
            for (std::size_t valid_step = 1; valid_step <= count; ++valid_step) {
                // Every `valid_step`-th box is valid; with the last step none is.
                std::vector<Aabb> list(count, kInverted);
                std::vector<IndexPair> expected;
                for (std::size_t i = valid_step; i < count; i += valid_step) {
                    list[i] = kUnit;
                    expected.push_back({static_cast<std::uint32_t>(i), 0});
                }
                const GuardedArray<Aabb> boxes(list);
                BoxScratch scratch;
                PairBuffer pairs;
                REQUIRE(tree.find_overlaps(std::span<const Aabb>(boxes.data(), count), {}, scratch, pairs)
                            .status == Status::ok);
                REQUIRE(std::vector<IndexPair>(pairs.begin(), pairs.end()) == expected);
            }
        }
    });
}

TEST_CASE("batched casts are read up to the last and no further") {
    for_each_isa([](Isa) {
        const BoxTree tree = tree_with_far_boxes({kUnit});
        for (std::size_t count = 1; count <= 130; ++count) {
            const GuardedArray<BoxCast> casts(
                std::vector<BoxCast>(count, BoxCast{{{-3, 0, 0}, {-2, 1, 1}}, {4, 0, 0}}));
            std::vector<TreeHit> closest(count);
            REQUIRE(tree.closest_hits(std::span<const BoxCast>(casts.data(), count), {}, closest).status ==
                    Status::ok);
            for (const TreeHit& hit : closest) REQUIRE(hit == TreeHit{0, 0.5f, Face::min_x});
        }
    });
}

TEST_CASE("a sphere overlaps the same boxes in a tree as alone, even if the last bit of its radius decides") {
    for_each_isa([](Isa) {
        const BoxTree tree = tree_with_far_boxes({kUnit});
        Random random(16);
        int overlap_count = 0;
        for (int round = 0; round < 20000; ++round) {
            const float reach = std::ldexp(1.0f, static_cast<int>(random.below(16)) - 8);
            const Vec3 gap = {random.uniform(0, reach), random.uniform(0, reach), random.uniform(0, reach)};
            Sphere sphere = {Vec3{1, 1, 1} + gap, 0};
            const double x = static_cast<double>(sphere.center.x) - 1.0;
            const double y = static_cast<double>(sphere.center.y) - 1.0;
            const double z = static_cast<double>(sphere.center.z) - 1.0;
            sphere.radius = static_cast<float>(std::sqrt(x * x + y * y + z * z));
            const bool is_met = overlap(sphere, kUnit);
            overlap_count += is_met ? 1 : 0;
            REQUIRE(tree.any_overlap(sphere) == is_met);
        }
        CHECK(overlap_count > 5000);
        CHECK(overlap_count < 15000);
    });
}
