// Scenes with clusters far from each other, and mixtures of them: the pairs, and that the work is not
// quadratic.
#include "tests/broadphase/pair_scenes.hpp"
#include "tests/support/drawn_thresholds.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/test_scale.hpp"

#include <broadside/find_pairs.hpp>

#include <algorithm>
#include <optional>

namespace broadside::test {
namespace {

using Boxes = std::vector<Aabb>;

float log_uniform(Random& random, float min, float max) {
    return std::exp(random.uniform(std::log(min), std::log(max)));
}
Vec3 any_direction(Random& random) { return random_vec3(random, -1, 1); }

// A part of a scene: boxes around the origin, about one pair for each unless stated otherwise.
using MakePart = void (*)(Random& random, std::size_t count, Boxes& state_boxes);

void add_even(Random& random, std::size_t count, Boxes& state_boxes) {
    for (std::size_t i = 0; i < count; ++i) state_boxes.push_back(uniform_box(random, i, count));
}
void add_places(Random& random, std::size_t count, Boxes& state_boxes) {
    const std::size_t place_count =
        1 + random.below(1 + static_cast<std::uint32_t>(std::min<std::size_t>(count, 150)));
    const float reach = log_uniform(random, 100, 1e6f);
    for (std::size_t place = 0; place < place_count; ++place) {
        const Vec3 center = any_direction(random) * reach;
        const std::size_t end = count * (place + 1) / place_count;
        for (std::size_t i = count * place / place_count; i < end; ++i) {
            const Aabb box = uniform_box(random, i, count / place_count + 1);
            state_boxes.push_back({box.min + center, box.max + center});
        }
    }
}
void add_strays(Random& random, std::size_t count, Boxes& state_boxes) {
    const std::uint32_t boxes_per_stray = 2 + random.below(30);
    const float reach = log_uniform(random, 1e3f, 1e30f);
    for (std::size_t i = 0; i < count; ++i) {
        const Aabb box = uniform_box(random, i, count);
        const Vec3 way = random.chance(boxes_per_stray) ? any_direction(random) * reach : Vec3{};
        state_boxes.push_back({box.min + way, box.max + way});
    }
}
void add_distances(Random& random, std::size_t count, Boxes& state_boxes) {
    const float far = log_uniform(random, 1e3f, 1e30f);
    for (std::size_t i = 0; i < count; ++i) {
        state_boxes.push_back(box_of_size(any_direction(random) * log_uniform(random, 3, far), {1, 1, 1}));
    }
}
void add_sizes(Random& random, std::size_t count, Boxes& state_boxes) {
    for (std::size_t i = 0; i < count; ++i) state_boxes.push_back(log_normal_box(random, i, count));
}
// Many pairs, so few boxes.
void add_one_place(Random& random, std::size_t count, Boxes& state_boxes) {
    for (std::size_t i = 0; i < count / 8 + 1; ++i) {
        state_boxes.push_back(box_of_size(random_vec3(random, 0, 0.1f), random_vec3(random, 0.5f, 1.5f)));
    }
}
void add_plane(Random& random, std::size_t count, Boxes& state_boxes) {
    const float edge = 2 * std::sqrt(static_cast<float>(count));
    const Vec3 slope = {0, 0, random.chance(2) ? 0.0f : 1.0f};
    for (std::size_t i = 0; i < count; ++i) {
        const Vec3 min = {random.uniform(0, edge), random.uniform(0, edge), 0};
        state_boxes.push_back(box_of_size(min + slope * (min.x + min.y), random_vec3(random, 0.5f, 1.5f)));
    }
}
void add_line(Random& random, std::size_t count, Boxes& state_boxes) {
    const Vec3 direction = random.chance(2) ? Vec3{0, 1, 0} : Vec3{1, 1, 1};
    for (std::size_t i = 0; i < count; ++i) {
        state_boxes.push_back(
            box_of_size(direction * random.uniform(0, 2 * static_cast<float>(count)), {1, 1, 1}));
    }
}
// Long on one axis each, through most of the others.
void add_sticks(Random& random, std::size_t count, Boxes& state_boxes) {
    const float edge = std::sqrt(static_cast<float>(count)) * log_uniform(random, 1, 8);
    for (std::size_t i = 0; i < count; ++i) {
        const float length = edge * random.uniform(0.2f, 1);
        Vec3 size = random_vec3(random, 0.5f, 1.5f);
        (&size.x)[random.below(3)] = length;
        state_boxes.push_back(box_of_size(random_vec3(random, 0, edge), size));
    }
}

struct UnevenScene {
    Boxes boxes;
    std::string name;
};

// One part, or several, each with its own scale and position.
UnevenScene uneven_scene(Random& random, std::size_t count_max) {
    static const std::pair<const char*, MakePart> kParts[] = {
        {"even", &add_even},           {"places", &add_places}, {"strays", &add_strays},
        {"distances", &add_distances}, {"sizes", &add_sizes},   {"one place", &add_one_place},
        {"plane", &add_plane},         {"line", &add_line},     {"sticks", &add_sticks}};
    UnevenScene scene;
    const std::uint32_t part_count = 1 + random.below(4);
    for (std::uint32_t part = 0; part < part_count; ++part) {
        const auto& [name, make] = kParts[random.below(std::size(kParts))];
        const std::size_t begin = scene.boxes.size();
        make(random, 1 + random.below(static_cast<std::uint32_t>(count_max / part_count)), scene.boxes);
        scene.name += std::string(name) + " ";
        if (part == 0 && random.chance(2)) continue;
        const float scale = log_uniform(random, 1e-3f, 1e3f);
        const Vec3 way =
            any_direction(random) * (random.chance(2) ? 0.0f : log_uniform(random, 1, 1e5f) * scale);
        for (std::size_t i = begin; i < scene.boxes.size(); ++i) {
            Aabb& box = scene.boxes[i];
            box = {box.min * scale + way, box.max * scale + way};
        }
    }
    for (std::size_t i = scene.boxes.size(); i > 1; --i) {
        std::swap(scene.boxes[i - 1], scene.boxes[random.below(static_cast<std::uint32_t>(i))]);
    }
    scene.name += std::to_string(scene.boxes.size());
    return scene;
}

BoxSoa columns_of(const Boxes& boxes) {
    BoxSoa columns;
    REQUIRE(columns.resize(boxes.size()) == Status::ok);
    for (std::size_t i = 0; i < boxes.size(); ++i) columns.set(i, boxes[i]);
    return columns;
}

// Comparisons for each box and pair; a sweep does sixteen at once.
void check_work(const FindPairsResult& result, std::size_t box_count) {
    const auto allowed = static_cast<double>(box_count + result.required);
    const double per_comparison = result.plan.algorithm == PairAlgorithm::cells ? 1 : 1.0 / 16;
    CHECK(static_cast<double>(result.plan.tested_count) * per_comparison <= 64 * allowed);
}

}  // namespace

TEST_CASE("uneven scenes have the pairs of brute force, in one order and with the same work on every ISA" *
          broadside::test::kLong) {
    for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(600 * test_scale()); ++seed) {
        Random random(seed);
        // Mostly small scenes, with even smaller sizes at which grids are cut and runs are swept.
        std::optional<DrawnThresholds> drawn;
        if (seed % 10 != 0) drawn.emplace(seed);
        const UnevenScene scene = uneven_scene(random, drawn ? 100 : 1500);
        INFO(seed << ": " << scene.name);
        const BoxSoa columns = columns_of(scene.boxes);
        PairBuffer expected;
        REQUIRE(find_pairs(columns, {.algorithm = PairAlgorithm::brute_force}, expected).status ==
                Status::ok);
        CellCounts counts;
        if (drawn && random.chance(2))
            counts = {1 + random.below(4), 1 + random.below(4), 1 + random.below(4)};
        for (const PairAlgorithm algorithm : {PairAlgorithm::automatic, PairAlgorithm::cells}) {
            FindPairsSettings settings = {.algorithm = algorithm, .order = PairOrder::by_algorithm};
            if (algorithm == PairAlgorithm::cells) settings.cell_counts = counts;
            std::vector<IndexPair> first;
            std::uint64_t first_tested_count = 0;
            for_each_isa([&](Isa isa) {
                PairBuffer pairs;
                const FindPairsResult result = find_pairs(columns, settings, pairs);
                REQUIRE(result.status == Status::ok);
                const std::vector<IndexPair> list(pairs.begin(), pairs.end());
                if (isa == Isa::scalar) {
                    first = list;
                    first_tested_count = result.plan.tested_count;
                    std::vector<IndexPair> sorted = list;
                    std::sort(sorted.begin(), sorted.end());
                    CHECK(std::equal(sorted.begin(), sorted.end(), expected.begin(), expected.end()));
                }
                CHECK(list == first);
                CHECK(result.plan.tested_count == first_tested_count);
            });
            // The second part of the boxes against the first.
            const std::size_t half = columns.count() / 2;
            std::vector<IndexPair> between_halves;
            for_each_isa([&](Isa isa) {
                PairBuffer pairs;
                REQUIRE(find_pairs(columns.view().part(0, half),
                                   columns.view().part(half, columns.count() - half), settings, pairs)
                            .status == Status::ok);
                const std::vector<IndexPair> list(pairs.begin(), pairs.end());
                if (isa == Isa::scalar) {
                    between_halves = list;
                    const auto is_between = [&](const IndexPair& pair) {
                        return pair.first < half && pair.second >= half;
                    };
                    CHECK(static_cast<std::ptrdiff_t>(list.size()) ==
                          std::count_if(expected.begin(), expected.end(), is_between));
                }
                CHECK(list == between_halves);
            });
        }
    }
}

TEST_CASE("the work for uneven scenes of any size grows with boxes and pairs, not with their square" *
          broadside::test::kLong) {
    for (std::uint64_t seed = 1000; seed < 1000 + static_cast<std::uint64_t>(60 * test_scale()); ++seed) {
        Random random(seed);
        const std::size_t count_max = random.chance(4) ? 60000 : random.chance(2) ? 12000 : 3000;
        const UnevenScene scene = uneven_scene(random, count_max);
        INFO(seed << ": " << scene.name);
        const BoxSoa columns = columns_of(scene.boxes);
        PairBuffer pairs;
        for (const PairAlgorithm algorithm : {PairAlgorithm::automatic, PairAlgorithm::cells}) {
            const FindPairsResult result =
                find_pairs(columns, {.algorithm = algorithm, .order = PairOrder::by_algorithm}, pairs);
            REQUIRE(result.status == Status::ok);
            INFO(std::string(explain(result.plan).c_str()));
            if (scene.boxes.size() > 200) check_work(result, scene.boxes.size());
        }
    }
}

// The range of such heights once was -0, by which positions in it were divided.
TEST_CASE("crowds on a floor at 0 and -0, and some boxes above it, have the pairs of brute force") {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        Random random(seed);
        const std::size_t count = 300 + random.below(3000);
        BoxSoa boxes;
        Vec3 crowds[12];
        for (Vec3& crowd : crowds) crowd = random_vec3(random, -1e5f, 1e5f);
        for (std::size_t i = 0; i < count; ++i) {
            Vec3 min = crowds[random.below(12)] + random_vec3(random, 0, 30);
            min.z = random.chance(20) ? random.uniform(0, 5) : random.chance(2) ? 0.0f : -0.0f;
            REQUIRE(boxes.push_back(box_of_size(min, {1, 1, 1})) == Status::ok);
        }
        PairBuffer expected;
        REQUIRE(find_pairs(boxes, {.algorithm = PairAlgorithm::brute_force}, expected).status == Status::ok);
        for (const PairAlgorithm algorithm : {PairAlgorithm::automatic, PairAlgorithm::cells}) {
            PairBuffer pairs;
            REQUIRE(find_pairs(boxes, {.algorithm = algorithm}, pairs).status == Status::ok);
            CHECK(std::equal(pairs.begin(), pairs.end(), expected.begin(), expected.end()));
        }
    }
}

}  // namespace broadside::test
