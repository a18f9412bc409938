// PairCache::find_pairs, from the arguments to the result.
#include "broadphase/src/candidates/pair_cache_call.hpp"
#include "broadphase/src/find_pairs/arguments.hpp"

#include <broadside/float_environment.hpp>

namespace broadside {

FindPairsResult PairCache::find_pairs(const BoxSoaView& boxes, const FindPairsSettings& settings,
                                      BoxScratch& scratch, const PairOutput& out_pairs) noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("PairCache::find_pairs");
    FindPairsResult result;
    result.status = check_arguments({boxes}, settings, out_pairs);
    if (result.status != Status::ok) return result;
    const PairFilter filter(settings.filter, settings.filter);
    PairWriter writer(out_pairs, &filter);
    Call call(*this, boxes, settings, scratch);
    Status status = Status::ok;
    if (!call.begin(result, status)) {
        FindPairsSettings in_order = settings;
        in_order.order = PairOrder::canonical;
        return broadside::find_pairs(boxes, in_order, scratch, out_pairs);
    }
    if (status == Status::ok) status = call.finish(writer, result);
    writer.report(status, result);
    result.plan.memory_bytes = scratch.pairs.capacity_bytes();
    return result;
}

}  // namespace broadside
