// Golden hashes of the library's results for boxes that any language can generate: tests/golden/boxes.txt.
// The npm package is tested with the same file (bindings/javascript/tests).
#include "tests/support/folders.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/suites.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/box_tree.hpp>
#include <broadside/find_pairs.hpp>
#include <broadside/moving_aabb.hpp>
#include <broadside/world.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using namespace broadside;
using namespace broadside::test;

namespace {

// xorshift32, and numbers from 0 to 1 of its upper 24 bits.
class Generator {
public:
    explicit Generator(std::uint32_t seed) : state_(seed) {}
    float next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 17;
        state_ ^= state_ << 5;
        return static_cast<float>(state_ >> 8) / 16777216.0f;
    }

private:
    std::uint32_t state_;
};

// Boxes in a cube of the given side. One in five is awkward: NaN, inverted, infinite, a point, touching the one
// before, or with a zero of either sign.
std::vector<Aabb> golden_boxes(std::uint32_t seed, std::size_t count, float side) {
    Generator generator(seed);
    std::vector<Aabb> boxes(count);
    for (std::size_t i = 0; i < count; ++i) {
        float min[3];
        float max[3];
        for (int k = 0; k < 3; ++k) {
            min[k] = generator.next() * side;
            max[k] = min[k] + generator.next() * 2.0f;
        }
        // In double precision, which every language computes without intermediate rounding.
        const int kind = static_cast<int>(static_cast<double>(generator.next()) * 20.0);
        if (kind == 0) min[1] = std::numeric_limits<float>::quiet_NaN();
        if (kind == 1) max[0] = min[0] - 1.0f;
        if (kind == 2) max[2] = std::numeric_limits<float>::infinity();
        if (kind == 3) min[0] = -std::numeric_limits<float>::infinity();
        if (kind == 4) std::copy(min, min + 3, max);
        if (kind == 5 && i > 0) {
            const Vec3 touched = boxes[i - 1].max;
            min[0] = touched.x;
            min[1] = touched.y;
            min[2] = touched.z;
        }
        if (kind == 6) min[2] = -0.0f;
        boxes[i] = {{min[0], min[1], min[2]}, {max[0], max[1], max[2]}};
    }
    return boxes;
}

// FNV-1a over 32-bit words, lowest byte first.
class Hash {
public:
    void add(std::uint32_t word) {
        for (int k = 0; k < 4; ++k) value_ = (value_ ^ (word >> (8 * k) & 0xFFu)) * 0x100000001B3u;
    }
    void add(float number) { add(__builtin_bit_cast(std::uint32_t, number)); }
    void add(std::span<const IndexPair> pairs) {
        for (const IndexPair& pair : pairs) {
            add(pair.first);
            add(pair.second);
        }
    }
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0xCBF29CE484222325u;
};

BoxSoa soa_of(const std::vector<Aabb>& list) {
    BoxSoa boxes;
    const BoxAosView view = {.data = list.data(), .stride_bytes = sizeof(Aabb), .count = list.size()};
    REQUIRE(boxes.assign(view) == Status::ok);
    return boxes;
}

struct Answers {
    std::uint64_t canonical;
    std::uint64_t as_found;
    std::uint64_t between;
    std::uint64_t world;
    std::uint64_t hits;
    std::uint64_t nearest;
    std::uint64_t impacts;

    friend bool operator==(const Answers&, const Answers&) = default;
};

std::uint64_t pairs_hash(const BoxSoaView& a, const BoxSoaView* b, PairOrder order) {
    BoxScratch scratch;
    PairBuffer pairs;
    FindPairsSettings settings;
    settings.order = order;
    const FindPairsResult result =
        b == nullptr ? find_pairs(a, settings, scratch, pairs) : find_pairs(a, *b, settings, scratch, pairs);
    REQUIRE(result.status == Status::ok);
    Hash hash;
    hash.add(std::span<const IndexPair>(pairs.data(), pairs.size()));
    hash.add(static_cast<std::uint32_t>(result.invalid.count));
    return hash.value();
}

// Three frames, in which every other object moves a quarter along x.
std::uint64_t world_hash(std::vector<Aabb> list) {
    World world;
    std::vector<ObjectHandle> handles(list.size());
    REQUIRE(world.add(soa_of(list).view(), {}, handles).status == Status::ok);
    for (int frame = 0; frame < 3; ++frame) {
        REQUIRE(world.update().status == Status::ok);
        for (std::size_t i = 0; i < list.size(); i += 2) {
            list[i].min.x += 0.25f;
            list[i].max.x += 0.25f;
        }
        REQUIRE(world.set_boxes(handles, soa_of(list).view()).status == Status::ok);
    }
    REQUIRE(world.update().status == Status::ok);
    return world.pairs_hash();
}

Answers answers_of(std::uint32_t seed, std::size_t count, float side) {
    const std::vector<Aabb> list = golden_boxes(seed, count, side);
    const std::vector<Aabb> others = golden_boxes(seed + 1, 200, side);
    const BoxSoa boxes = soa_of(list);
    const BoxSoa other_boxes = soa_of(others);
    const BoxSoaView other_view = other_boxes.view();

    BoxTree tree;
    REQUIRE(tree.build(boxes.view()) == Status::ok);
    BoxScratch scratch;
    // Rays go from the min corner of a box towards its max corner, and nearest boxes are searched from there.
    std::vector<Ray> rays;
    std::vector<Vec3> points;
    std::vector<Vec3> moves;
    for (const Aabb& box : others) {
        const Vec3 way = {box.max.x - box.min.x, box.max.y - box.min.y, box.max.z - box.min.z};
        rays.push_back({box.min, way, std::numeric_limits<float>::infinity()});
        points.push_back(box.min);
        moves.push_back(way);
    }
    AlignedArray<Listed<TreeHit>> hits;
    REQUIRE(tree.find_hits(rays, {}, scratch, hits).status == Status::ok);
    Hash hit_hash;
    for (const Listed<TreeHit>& hit : hits) {
        hit_hash.add(hit.query);
        hit_hash.add(hit.found.target);
        hit_hash.add(hit.found.t);
        hit_hash.add(static_cast<std::uint32_t>(hit.found.face));
    }
    std::vector<ClosestBox> nearest(3 * points.size());
    REQUIRE(tree.closest_boxes(points, {.count = 3}, {}, nearest).status == Status::ok);
    Hash nearest_hash;
    for (const ClosestBox& box : nearest) {
        nearest_hash.add(box.distance_sq);
        nearest_hash.add(box.target);
    }
    // The second set, moving along those displacements, against the resting boxes of the first.
    const std::vector<float> still(points.size(), 0.0f);
    std::vector<float> ways[3];
    for (const Vec3& move : moves) {
        ways[0].push_back(move.x);
        ways[1].push_back(move.y);
        ways[2].push_back(move.z);
    }
    const MovingBoxes movers = {other_view, {ways[0].data(), ways[1].data(), ways[2].data(), moves.size()}};
    const MovingBoxes resting = {boxes.view().part(0, moves.size()),
                                 {still.data(), still.data(), still.data(), moves.size()}};
    std::vector<float> times(moves.size());
    REQUIRE(times_of_impact(movers, resting, Touch::closed, times).status == Status::ok);
    Hash impact_hash;
    for (const float time : times) impact_hash.add(time);

    return {pairs_hash(boxes.view(), nullptr, PairOrder::canonical),
            pairs_hash(boxes.view(), nullptr, PairOrder::by_algorithm),
            pairs_hash(boxes.view(), &other_view, PairOrder::canonical),
            world_hash(list),
            hit_hash.value(),
            nearest_hash.value(),
            impact_hash.value()};
}

}  // namespace

TEST_CASE("boxes that any language can generate have their golden hashes on every ISA" * kLong) {
    std::ifstream file(source_folder() / "tests/golden/boxes.txt");
    REQUIRE(file.is_open());
    std::size_t scene_count = 0;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream fields(line);
        std::uint32_t seed = 0;
        std::size_t count = 0;
        float side = 0;
        Answers golden;
        fields >> seed >> count >> side >> std::hex >> golden.canonical >> golden.as_found >>
            golden.between >> golden.world >> golden.hits >> golden.nearest >> golden.impacts;
        REQUIRE_FALSE(fields.fail());
        ++scene_count;
        for_each_isa([&](Isa) {
            const Answers answers = answers_of(seed, count, side);
            std::ostringstream found;
            found << seed << ' ' << count << ' ' << side << std::hex;
            for (const std::uint64_t hash : {answers.canonical, answers.as_found, answers.between,
                                             answers.world, answers.hits, answers.nearest, answers.impacts}) {
                found << ' ' << hash;
            }
            INFO("found: " << found.str());
            CHECK(answers == golden);
        });
    }
    CHECK(scene_count == 4);
}
