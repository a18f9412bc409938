// Figures in pages of docs/ that need no clock, read from the page and compared with measured values.
#include "tests/guards/source_tree.hpp"
#include "tests/support/counting_allocator.hpp"
#include "tests/support/suites.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/pair_cache.hpp>
#include <broadside/scenes/box_scene.hpp>
#include <broadside/world.hpp>

#include <doctest/doctest.h>

using namespace broadside;
using namespace broadside::test;

namespace {

constexpr std::size_t kCount = 10'000;

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

// The numbers in the first text of a file that matches `words`, where each "#" stands for one: "# bytes a
// box".
std::vector<double> figures(const std::string& path, const std::string& words) {
    std::string page = file_text(path);
    // A line break counts as a blank, and thousands are written 1,000.
    std::replace(page.begin(), page.end(), '\n', ' ');
    for (std::size_t i = 1; i + 1 < page.size(); ++i) {
        if (page[i] == ',' && is_digit(page[i - 1]) && is_digit(page[i + 1])) page.erase(i, 1);
    }
    for (std::size_t begin = 0; begin < page.size(); ++begin) {
        if (begin > 0 && is_digit(page[begin]) && is_digit(page[begin - 1])) continue;
        std::vector<double> found;
        std::size_t at = begin;
        std::size_t i = 0;
        for (; i < words.size() && at < page.size(); ++i) {
            if (words[i] != '#') {
                if (page[at++] != words[i]) break;
                continue;
            }
            std::string digits;
            while (at < page.size() && is_digit(page[at])) digits += page[at++];
            if (digits.empty()) break;
            found.push_back(std::stod(digits));
        }
        if (i == words.size()) return found;
    }
    FAIL(path << " does not say '" << words << "'");
    return {};
}

std::vector<double> choosing(const std::string& words) { return figures("docs/choosing.md", words); }

// Pages round their figures.
bool is_about(double measured, double stated) { return measured > 0.9 * stated && measured < 1.1 * stated; }

class Frames {
public:
    explicit Frames(const char* name) : scene_(scenes::find_scene(name).value(), kCount) {}

    const BoxSoa& at(std::size_t index) {
        scene_.frame(index, frame_);
        const BoxAosView view = {.data = frame_.boxes.data(), .stride_bytes = sizeof(Aabb), .count = kCount};
        REQUIRE(boxes_.assign(view) == Status::ok);
        return boxes_;
    }

private:
    scenes::BoxScene scene_;
    scenes::BoxFrame frame_;
    BoxSoa boxes_;
};

}  // namespace

TEST_CASE("docs/choosing.md states the memory of find_pairs") {
    const std::vector<double> scratch_bytes = choosing("the scratch, # to # bytes a box");
    const double pair_bytes = choosing("up to # bytes a pair in canonical order").at(0);
    for (const char* name : {"sticks", "city", "uniform", "mixed", "clumps", "pile"}) {
        INFO("scene " << std::string(name));
        Frames frames(name);
        CountingAllocator allocator;
        BoxScratch scratch(allocator.hook());
        PairBuffer pairs;
        FindPairsSettings settings;
        settings.order = PairOrder::by_algorithm;
        REQUIRE(find_pairs(frames.at(0), settings, scratch, pairs).status == Status::ok);
        const auto bytes = static_cast<double>(allocator.live_bytes);
        CHECK(bytes > 0.9 * scratch_bytes.at(0) * kCount);
        CHECK(bytes < 1.1 * scratch_bytes.at(1) * kCount);
        REQUIRE(find_pairs(frames.at(0), {}, scratch, pairs).status == Status::ok);
        CHECK(static_cast<double>(allocator.live_bytes) - bytes <
              1.1 * pair_bytes * static_cast<double>(pairs.size()));
    }
}

TEST_CASE("docs/choosing.md states the memory of RestingBoxes and of a PairCache") {
    const std::vector<double> resting_bytes = choosing("# to # bytes a resting box");
    const std::vector<double> cache_bytes = choosing("# bytes a box, # bytes a kept pair, a `RestingBoxes`");
    for (const char* name : {"uniform_moving", "city_moving", "pile_moving"}) {
        INFO("scene " << std::string(name));
        Frames frames(name);
        RestingBoxes resting;
        REQUIRE(resting.build(frames.at(0), {}) == Status::ok);
        const auto bytes = static_cast<double>(resting.capacity_bytes());
        CHECK(bytes > 0.9 * resting_bytes.at(0) * kCount);
        CHECK(bytes < 1.1 * resting_bytes.at(1) * kCount);

        PairCache cache(0.1f);
        BoxScratch scratch;
        PairBuffer pairs;
        double kept_count = 0;
        for (std::size_t frame = 0; frame < 20; ++frame) {
            const FindPairsResult result = cache.find_pairs(frames.at(frame), {}, scratch, pairs);
            REQUIRE(result.status == Status::ok);
            kept_count = std::max(kept_count, static_cast<double>(result.plan.tested_count));
        }
        const auto taken = static_cast<double>(cache.capacity_bytes());
        const double stated = cache_bytes.at(0) * kCount + cache_bytes.at(1) * kept_count;
        CHECK(taken > 0.9 * stated);
        CHECK(taken < 1.1 * (stated + bytes));
    }
}

TEST_CASE("docs/choosing.md states the memory of a World in motion, and of one that is shrunk" * kLong) {
    const std::vector<double> bytes = choosing("about # bytes an object with one pair each, # with twelve");
    const std::vector<double> shrunk =
        choosing("after `shrink` # a slot, or # if one has a margin or a displacement, and # a pair");
    for (const bool is_pile : {false, true}) {
        for (const bool has_margin : {false, true}) {
            INFO("pile " << is_pile << ", margin " << has_margin);
            Frames frames(is_pile ? "pile_moving" : "uniform_moving");
            CountingAllocator allocator;
            World world({}, allocator.hook());
            std::vector<ObjectHandle> handles(kCount);
            REQUIRE(world.add(frames.at(0), {}, handles).status == Status::ok);
            if (has_margin) REQUIRE(world.set_margin({handles.data(), 1}, 0.001f).status == Status::ok);
            for (std::size_t frame = 0; frame < 60; ++frame) {
                REQUIRE(world.set_boxes(handles, frames.at(frame)).status == Status::ok);
                REQUIRE(world.update().status == Status::ok);
            }
            const auto pair_count = static_cast<double>(world.pair_count());
            CHECK(is_about(pair_count / kCount, is_pile ? 12 : 0.9));
            if (!has_margin) {
                CHECK(
                    is_about(static_cast<double>(allocator.live_bytes) / kCount, bytes.at(is_pile ? 1 : 0)));
            }
            world.shrink();
            const double slot_bytes = static_cast<double>(allocator.live_bytes) - shrunk.at(2) * pair_count;
            CHECK(is_about(slot_bytes / kCount, shrunk.at(has_margin ? 1 : 0)));
        }
    }
}

TEST_CASE("docs/meshes.md states the number of rays in flight at once") {
    const std::vector<double> stated =
        figures("docs/meshes.md", "A batch keeps # rays in flight, # for `any_hit`");
    const std::string kernel = "narrowphase/src/mesh/ray_kernel.hpp";
    CHECK(stated.at(0) == figures(kernel, "kRayWalkCount = #;").at(0));
    CHECK(stated.at(1) == figures(kernel, "kRayWalkCountOfRuns = #;").at(0));
}
