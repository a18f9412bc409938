// broadside as an engine of the conformance kit, by batches on the active ISA (BROADSIDE_ISA).
#include "tests/conformance/engines/engine.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/find_pairs.hpp>
#include <broadside/moving_aabb.hpp>
#include <broadside/ray_box.hpp>

namespace {

broadside::Aabb aabb_of(const conformance::Box& box) {
    return {{box.min[0], box.min[1], box.min[2]}, {box.max[0], box.max[1], box.max[2]}};
}
broadside::BoxSoaView view_of(const conformance::Box& box) {
    return {&box.min[0], &box.min[1], &box.min[2], &box.max[0], &box.max[1], &box.max[2], 1};
}

conformance::Pairs pairs(const std::vector<conformance::Box>& boxes) {
    broadside::BoxSoa soa;
    broadside::PairBuffer found;
    for (const conformance::Box& box : boxes) {
        if (soa.push_back(aabb_of(box)) != broadside::Status::ok) std::abort();
    }
    if (broadside::find_pairs(soa, found).status != broadside::Status::ok) std::abort();
    conformance::Pairs list;
    for (const broadside::IndexPair& pair : found) list.push_back({pair.first, pair.second});
    return list;
}

void impact(const conformance::Box& resting, const conformance::Box& mover, const float* displacement) {
    const broadside::Vec3 step = {displacement[0], displacement[1], displacement[2]};
    float time = 0;
    const broadside::BatchResult result = broadside::times_of_impact(
        aabb_of(mover), step, view_of(resting), broadside::Touch::closed, std::span(&time, 1));
    if (result.status != broadside::Status::ok) std::abort();
    conformance::print_time(time != broadside::kNoIntersection, time);
}

void ray(const float* origin, const float* direction, float t_max, const conformance::Box& box) {
    const broadside::Ray question = {
        {origin[0], origin[1], origin[2]}, {direction[0], direction[1], direction[2]}, t_max};
    float time = 0;
    std::uint64_t bits = 0;
    const broadside::BatchResult result = broadside::ray_boxes(
        question, view_of(box), {}, {.t_enter = std::span(&time, 1), .hit_bits = std::span(&bits, 1)});
    if (result.status != broadside::Status::ok) std::abort();
    conformance::print_time(bits != 0, time);
}

}  // namespace

int main(int argc, char** argv) { return conformance::run(argc, argv, &pairs, &impact, &ray); }
