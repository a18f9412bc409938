// Grown boxes in regions: a query finds exactly the overlaps, after any insertions, moves and removals.
#include "broadphase/src/candidates/grown_regions.hpp"
#include "broadphase/src/candidates/kernels.hpp"
#include "simd/src/dispatch.hpp"
#include "tests/broadphase/pair_scenes.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/test_scale.hpp"

#include <broadside/box_soa.hpp>

#include <doctest/doctest.h>

#include <algorithm>

using namespace broadside;
using namespace broadside::broadphase;
using namespace broadside::test;

namespace {

bool corners_meet(const Aabb& a, const Aabb& b) {
    return a.min.x <= b.max.x && b.min.x <= a.max.x && a.min.y <= b.max.y && b.min.y <= a.max.y &&
           a.min.z <= b.max.z && b.min.z <= a.max.z;
}

// Regions, and their expected contents.
class Subject {
public:
    Subject(const std::vector<Aabb>& boxes, std::uint32_t region_count)
        : regions_(default_allocator()), boxes_(boxes), is_there_(boxes.size()) {
        BoxSoa columns;
        REQUIRE(columns.resize(boxes.size()) == Status::ok);
        for (std::size_t i = 0; i < boxes.size(); ++i) columns.set(i, boxes[i]);
        REQUIRE(regions_.resize(boxes.size()));
        regions_.start(region_count);
        while (!regions_.are_placed()) REQUIRE(regions_.place(columns, 100));
        for (std::size_t i = 0; i < boxes.size(); ++i) is_there_[i] = is_valid(boxes[i]);
        for (std::uint32_t r = 0; r < region_count; ++r) renew(r);
    }
    std::uint32_t region_count() const { return regions_.region_count(); }
    // Removes all boxes of a region and adds them again.
    void renew(std::uint32_t region) {
        std::vector<std::uint32_t> members(regions_.position_count(region));
        members.resize(regions_.list(region, 0, members.size(), members.data()));
        regions_.empty(region);
        std::vector<float> columns[6];
        Aabb bounds = Aabb::empty();
        for (const std::uint32_t box : members) {
            const Aabb& b = boxes_[box];
            bounds = {min_keep(b.min, bounds.min), max_keep(b.max, bounds.max)};
            const float corners[6] = {b.min.x, b.min.y, b.min.z, b.max.x, b.max.y, b.max.z};
            for (int column = 0; column < 6; ++column) columns[column].push_back(corners[column]);
        }
        GatheredBoxes gathered;
        for (int column = 0; column < 6; ++column) gathered.columns[column] = columns[column].data();
        gathered.ids = members.data();
        gathered.count = members.size();
        REQUIRE(regions_.put(region, gathered, bounds, nullptr));
        CHECK(!regions_.is_worn(region));
    }
    // False if a region is full; then nothing has changed.
    bool move(std::uint32_t box, const Aabb& to) {
        if (!regions_.move(box, to)) return false;
        boxes_[box] = to;
        is_there_[box] = true;
        return true;
    }
    void drop(std::uint32_t box) {
        regions_.drop(box);
        is_there_[box] = false;
        CHECK(regions_.region_of(box) == GrownRegions::kNone);
    }
    void check(const Aabb& question) const {
        std::vector<std::uint32_t> expected;
        for (std::uint32_t i = 0; i < boxes_.size(); ++i)
            if (is_there_[i] && corners_meet(boxes_[i], question)) expected.push_back(i);
        for (const Isa isa : supported_isas()) {
            std::vector<std::uint32_t> found;
            regions_.for_each_meeting(*simd::kernels_of<PairCacheKernels>(isa), question,
                                      [&](std::uint32_t position, std::uint32_t region) {
                                          const std::uint32_t box = regions_.box_at(position);
                                          found.push_back(box);
                                          REQUIRE(regions_.region_of(box) == region);
                                          REQUIRE(regions_.grown_at(position) == boxes_[box]);
                                      });
            std::sort(found.begin(), found.end());
            REQUIRE(found == expected);
        }
    }

private:
    GrownRegions regions_;
    std::vector<Aabb> boxes_;
    std::vector<bool> is_there_;
};

}  // namespace

TEST_CASE("a query of grown boxes in regions finds every overlap, after any insertions, moves and removals" *
          kLong) {
    std::size_t moved_count = 0;
    for (const PairScene& scene : pair_scenes()) {
        for (const std::size_t count : {1u, 40u, 600u}) {
            for (const std::uint32_t region_count : {1u, 4u, 64u}) {
                INFO(scene.name << ", " << count << " boxes, " << region_count << " regions");
                const std::vector<Aabb> others = make_scene(scene, count, 2);
                Random random(count + region_count);
                const auto any = [&] { return random.below(static_cast<std::uint32_t>(count)); };
                Subject subject(make_scene(scene, count), region_count);
                for (int step = 0; step < 300 * test_scale(); ++step) {
                    const Aabb& to = others[any()];
                    const std::uint32_t choice = random.below(40);
                    if (choice == 0) {
                        subject.renew(random.below(region_count));
                    } else if (choice == 1) {
                        subject.drop(any());
                    } else if (is_valid(to)) {
                        moved_count += subject.move(any(), to) ? 1 : 0;
                    }
                    if (is_valid(to)) subject.check(to);
                }
            }
        }
    }
    CHECK(moved_count > 10000);
}
