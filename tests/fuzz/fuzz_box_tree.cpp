// libFuzzer target of BoxTree: boxes are added, moved and removed, trees are built, refitted and updated, and
// every query is compared with a loop over all boxes.
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/support/drawn_thresholds.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/box_tree.hpp>
#include <broadside/moving_aabb.hpp>
#include <broadside/ray_box.hpp>

#include <algorithm>
#include <map>

using namespace broadside;
using namespace broadside::test;

namespace {

class Life {
public:
    explicit Life(FuzzInput& state_input) : input_(state_input) {}

    void live() {
        for (int step = 0; step < 300 && !input_.is_empty(); ++step) do_one();
        ask();
    }

private:
    BoxSoa all_boxes(bool do_move) {
        BoxSoa boxes;
        require(boxes.resize(tree_.box_count()) == Status::ok, "memory");
        for (std::uint32_t i = 0; i < boxes.count(); ++i) {
            const auto known = boxes_.find(i);
            boxes.set(i, do_move && input_.below(4) == 0 ? input_.box()
                         : known != boxes_.end()         ? known->second
                                                         : Aabb::empty());
        }
        return boxes;
    }
    void know(const BoxSoa& boxes, bool members_only) {
        for (std::uint32_t i = 0; i < boxes.count(); ++i) {
            if (!members_only || boxes_.count(i) != 0) boxes_[i] = boxes[i];
        }
    }
    void do_one() {
        switch (input_.below(12)) {
            case 0:
            case 1:
            case 2:
            case 3:
            case 4: {
                const std::uint32_t index = input_.take<std::uint8_t>();
                const Aabb box = input_.box();
                require(tree_.set_box(index, box) == Status::ok, "set_box");
                boxes_[index] = box;
                break;
            }
            case 5:
            case 6: {
                const std::uint32_t index = input_.take<std::uint8_t>();
                const Status status = tree_.remove_box(index);
                require((status == Status::ok) == (boxes_.erase(index) == 1),
                        "remove_box says whether it was one");
                break;
            }
            case 7: {
                const BoxSoa boxes = all_boxes(true);
                if (boxes.count() != 0 && tree_.refit(boxes) == Status::ok) know(boxes, true);
                break;
            }
            case 8: {
                // A build includes all boxes of the view.
                const BoxSoa boxes = all_boxes(true);
                require(tree_.build(boxes) == Status::ok, "build");
                know(boxes, false);
                break;
            }
            case 9:
                choose_isa(input_);
                break;
            default:
                ask();
                break;
        }
    }
    void ask() {
        require(tree_.member_count() == boxes_.size(), "member_count");
        BoxScratch scratch;
        PairBuffer pairs;
        const Aabb box = input_.box();
        require(tree_.find_overlaps(std::span(&box, 1), {}, scratch, pairs).status == Status::ok,
                "find_overlaps");
        std::vector<IndexPair> expected;
        for (const auto& [index, known] : boxes_) {
            if (overlap(box, known)) expected.push_back({0, index});
        }
        require(std::equal(pairs.begin(), pairs.end(), expected.begin(), expected.end()),
                "overlaps of a box");
        require(tree_.any_overlap(box) == !expected.empty(), "any_overlap");

        const Ray ray = {input_.vector(), input_.vector(), input_.number()};
        const RaySettings ray_settings = {static_cast<Inside>(input_.below(3)), input_.flag()};
        TreeHit best;
        std::size_t hit_count = 0;
        for (const auto& [index, known] : boxes_) {
            const RaySolidHit hit = ray_box(ray, known, ray_settings);
            hit_count += hit.has_hit ? 1 : 0;
            if (hit.has_hit && (best.target == kNoBox || hit.t_enter < best.t))
                best = {index, hit.t_enter, hit.face};
        }
        require(tree_.closest_hit({ray, ray_settings}) == best, "closest_hit");
        AlignedArray<Listed<TreeHit>> hits;
        require(tree_.find_hits({std::span(&ray, 1), ray_settings}, {}, scratch, hits).written == hit_count,
                "find_hits");

        const BoxCast cast = {input_.box(), input_.vector()};
        const auto touch = static_cast<Touch>(input_.below(2));
        TreeHit first;
        for (const auto& [index, known] : boxes_) {
            const Impact impact = first_impact(known, cast.shape, cast.displacement, touch);
            if (impact.toi < first.t) first = {index, impact.toi, impact.face};
        }
        require(tree_.closest_hit({cast, touch}) == first, "closest_hit");

        require(tree_.find_pairs({}, scratch, pairs).status == Status::ok, "find_pairs");
        expected.clear();
        for (auto a = boxes_.begin(); a != boxes_.end(); ++a) {
            for (auto b = std::next(a); b != boxes_.end(); ++b) {
                if (overlap(a->second, b->second)) expected.push_back({a->first, b->first});
            }
        }
        require(std::equal(pairs.begin(), pairs.end(), expected.begin(), expected.end()), "all pairs");
    }

    FuzzInput& input_;
    BoxTree tree_;
    std::map<std::uint32_t, Aabb> boxes_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    verify_all_calls();
    FuzzInput input(data, size);
    choose_isa(input);
    const DrawnThresholds drawn(input.take<std::uint16_t>());
    Life(input).live();
    return 0;
}
