// Queries of a World: those of its trees, with handles as results.
#include "broadphase/src/tree/queries.hpp"
#include "broadphase/src/world/queries/trees.hpp"
#include "core/src/argument.hpp"
#include "core/src/list_writer.hpp"
#include "core/src/motions.hpp"
#include "core/src/zones.hpp"

#include <broadside/float_environment.hpp>
#include <broadside/world_query.hpp>

#include <algorithm>
#include <atomic>
#include <optional>

namespace broadside {
namespace broadphase {
namespace {

constexpr std::uint64_t kAllLayers = ~std::uint64_t{0};
constexpr std::uint32_t kLayersWithBit = 64;
// Results that a sink gets at once.
constexpr std::size_t kNamedAtOnce = 256;

// Results of `accepts_layer`. Of layers with the same remainder it has the last one. Threads may share it.
class LayerAnswers {
public:
    bool accepts(const WorldQuerySettings& settings, std::uint32_t layer) {
        std::atomic<std::uint32_t>& answer = answers_[layer % std::size(answers_)];
        // The layer and the bit of its result, inverted, so that zero is the result of no layer.
        std::uint32_t known = ~answer.load(std::memory_order_relaxed);
        if (known >> 1 != layer) {
            known = layer << 1 | (settings.accepts_layer(settings.user, layer) ? 1u : 0u);
            answer.store(~known, std::memory_order_relaxed);
        }
        return (known & 1) != 0;
    }

private:
    std::atomic<std::uint32_t> answers_[64] = {};
};

// The trees of the wanted kinds, as one.
class ObjectTrees {
public:
    ObjectTrees(const WorldTrees& world, const WorldQuerySettings& settings)
        : world_(world),
          settings_(settings),
          views_(settings.kinds == kAllKinds ? world.all_views()
                                             : some_views_.emplace(world.views(settings.kinds))) {
        tree_settings_.masks = settings.masks;
        tree_settings_.runner = settings.runner;
        tree_settings_.order = settings.order;
        if (!settings.masks.empty()) tree_settings_.categories = world.categories();
        if (settings.accepts_layer != nullptr) layer_answers_.emplace();
        if (settings.accepts != nullptr || settings.accepts_layer != nullptr ||
            settings.layers != kAllLayers) {
            tree_settings_.accepts = &accepts;
            tree_settings_.user = this;
        }
    }
    ObjectTrees(const ObjectTrees&) = delete;
    ObjectTrees& operator=(const ObjectTrees&) = delete;

    operator const TreeQueries&() const { return queries_; }

private:
    static bool accepts(void* user, std::uint32_t query_index, std::uint32_t slot) noexcept {
        auto& self = *static_cast<ObjectTrees*>(user);
        const WorldQuerySettings& settings = self.settings_;
        const std::uint32_t layer = self.world_.layer_at(slot);
        if (settings.layers != kAllLayers && (layer >= kLayersWithBit || (settings.layers >> layer & 1) == 0))
            return false;
        if (self.layer_answers_ && !self.layer_answers_->accepts(settings, layer)) return false;
        return settings.accepts == nullptr ||
               settings.accepts(settings.user, query_index, self.world_.handle_at(slot));
    }

    const WorldTrees& world_;
    const WorldQuerySettings& settings_;
    TreeQuerySettings tree_settings_;
    std::optional<LayerAnswers> layer_answers_;
    std::optional<KindViews> some_views_;
    const KindViews& views_;
    TreeQueries queries_ = {views_.trees,     views_.count,
                            views_.leaf_edge, *simd::active_kernels<TreeKernels>(),
                            tree_settings_,   &world_.boxes()};
};

// Checks the arguments that all queries have. Returns ok or the error.
template <class... Query>
Status check(const WorldQueries& queries, const QueryList<Query...>& asked,
             const WorldQuerySettings& settings) {
    if (queries.status() != Status::ok) return queries.status();
    const bool is_valid = BROADSIDE_ARGUMENT(settings.kinds <= kAllKinds, "kinds: a bit that is no kind's") &&
                          check_queries(asked) && check_masks(settings.masks, asked.size()) &&
                          check_runner(settings.runner) && check_order(settings.order);
    return is_valid ? Status::ok : Status::invalid_argument;
}
Status check_lines(const WorldQueries& queries, const HitQueries& lines, const WorldQuerySettings& settings) {
    return check_rules(lines) ? check(queries, lines, settings) : Status::invalid_argument;
}

Listed<ObjectHandle> answer_of(const WorldTrees& world, const IndexPair& pair) {
    return {pair.first, world.handle_at(pair.second)};
}
WorldHit answer_of(const WorldTrees& world, const TreeHit& hit) {
    if (hit.target == kNoBox) return {};
    return {world.handle_at(hit.target), hit.t, hit.face};
}
Listed<WorldHit> answer_of(const WorldTrees& world, const Listed<TreeHit>& hit) {
    return {hit.query, answer_of(world, hit.found)};
}
ClosestObject answer_of(const WorldTrees& world, const ClosestBox& box) {
    if (box.target == kNoBox) return {};
    return {box.distance_sq, world.handle_at(box.target)};
}

std::uint32_t found_query(const IndexPair& pair) { return pair.first; }
std::uint32_t found_query(const Listed<TreeHit>& hit) { return hit.query; }
std::uint32_t found_slot(const IndexPair& pair) { return pair.second; }
std::uint32_t found_slot(const Listed<TreeHit>& hit) { return hit.found.target; }

// Sorts results by query and slot into the world's order.
template <class Item>
void put_in_order(const WorldTrees& world, PairOrder order, AlignedArray<Item>& state_found) {
    if (world.order() == WorldOrder::slot || order != PairOrder::canonical) return;
    std::sort(state_found.begin(), state_found.end(), [&](const Item& a, const Item& b) {
        if (found_query(a) != found_query(b)) return found_query(a) < found_query(b);
        const std::uint64_t data_a = world.user_data_at(found_slot(a));
        const std::uint64_t data_b = world.user_data_at(found_slot(b));
        return data_a != data_b ? data_a < data_b : found_slot(a) < found_slot(b);
    });
}

// Writes the results with handles, as far as there is room.
template <class Item, class Answer>
WriteResult write_found(const WorldTrees& world, const AlignedArray<Item>& found,
                        ListWriter<Answer>& state_writer) {
    const auto name = [&](const Item& item) { return answer_of(world, item); };
    if (!state_writer.is_sink()) {
        std::span<Answer> room;
        const Status status = state_writer.claim(found.size(), room);
        std::transform(found.begin(), found.begin() + room.size(), room.begin(), name);
        return state_writer.result(status);
    }
    Answer block[kNamedAtOnce];
    Status status = Status::ok;
    for (std::size_t begin = 0; begin < found.size() && status == Status::ok; begin += kNamedAtOnce) {
        const std::size_t count = std::min(found.size() - begin, kNamedAtOnce);
        std::transform(found.begin() + begin, found.begin() + begin + count, block, name);
        status = state_writer.write({block, count});
    }
    return state_writer.result(status);
}

// A list of the world's results; `find(trees, out_found)` queries the trees.
template <class Item, class Answer, class Find>
WriteResult find_all(const WorldQueries& queries, Status checked, const WorldQuerySettings& settings,
                     AlignedArray<Item>& state_found, const ListOutput<Answer>& output, const Find& find) {
    if (checked != Status::ok && queries.status() != Status::out_of_memory) return {checked};
    ListWriter<Answer> writer(output);
    if (checked != Status::ok) return {checked};
    const ObjectTrees trees(*queries.data(), settings);
    const Status status = find(trees, state_found).status;
    if (status != Status::ok) return {status};
    put_in_order(*queries.data(), settings.order, state_found);
    return write_found(*queries.data(), state_found, writer);
}

}  // namespace
}  // namespace broadphase

using namespace broadphase;

WriteResult WorldQueries::find_overlaps(const OverlapQueries& shapes, const WorldQuerySettings& settings,
                                        BoxScratch& scratch,
                                        const WorldOverlapOutput& out_overlaps) const noexcept {
    const FloatEnvironment environment;
    const Status checked =
        check_output(out_overlaps) ? check(*this, shapes, settings) : Status::invalid_argument;
    return find_all(*this, checked, settings, scratch.listed_pairs, out_overlaps,
                    [&](const TreeQueries& trees, PairBuffer& out_found) {
                        return broadphase::find_overlaps(trees, shapes, scratch, out_found);
                    });
}
WriteResult WorldQueries::find_hits(const HitQueries& queries, const WorldQuerySettings& settings,
                                    BoxScratch& scratch, const WorldHitOutput& out_hits) const noexcept {
    const FloatEnvironment environment;
    const Status checked =
        check_output(out_hits) ? check_lines(*this, queries, settings) : Status::invalid_argument;
    return find_all(*this, checked, settings, scratch.listed_hits, out_hits,
                    [&](const TreeQueries& trees, AlignedArray<Listed<TreeHit>>& out_found) {
                        return broadphase::find_hits(trees, queries, scratch, out_found);
                    });
}

BatchResult WorldQueries::any_overlap(const OverlapQueries& shapes, const WorldQuerySettings& settings,
                                      std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    if (const Status status = check(*this, shapes, settings); status != Status::ok) return {status};
    if (!check_readable(out_bits)) return {Status::invalid_argument};
    if (out_bits.size() < bit_word_count(shapes.size())) return {Status::capacity_exceeded};
    broadphase::any_overlap(ObjectTrees(*data_, settings), shapes, out_bits);
    return {};
}
BatchResult WorldQueries::first_overlaps(const OverlapQueries& shapes, std::uint32_t shapes_per_state,
                                         const WorldQuerySettings& settings,
                                         std::span<std::uint32_t> out_first) const noexcept {
    const FloatEnvironment environment;
    if (const Status status = check(*this, shapes, settings); status != Status::ok) return {status};
    if (!check_motions(shapes.size(), shapes_per_state, out_first)) return {Status::invalid_argument};
    broadphase::first_overlaps(ObjectTrees(*data_, settings), shapes, shapes_per_state, out_first);
    return {};
}
BatchResult WorldQueries::any_hit(const HitQueries& queries, const WorldQuerySettings& settings,
                                  std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    if (const Status status = check_lines(*this, queries, settings); status != Status::ok) return {status};
    if (!check_readable(out_bits)) return {Status::invalid_argument};
    if (out_bits.size() < bit_word_count(queries.size())) return {Status::capacity_exceeded};
    broadphase::any_hit(ObjectTrees(*data_, settings), queries, out_bits);
    return {};
}
bool WorldQueries::any_overlap(const OverlapQuery& shape, const WorldQuerySettings& settings) const noexcept {
    const FloatEnvironment environment;
    if (check(*this, shape, settings) != Status::ok) return false;
    return FloatEnvironment::result(broadphase::any_overlap(ObjectTrees(*data_, settings), shape));
}
bool WorldQueries::any_hit(const HitQuery& query, const WorldQuerySettings& settings) const noexcept {
    const FloatEnvironment environment;
    if (check_lines(*this, query, settings) != Status::ok) return false;
    return FloatEnvironment::result(broadphase::any_hit(ObjectTrees(*data_, settings), query));
}

BatchResult WorldQueries::closest_hits(const HitQueries& queries, const WorldQuerySettings& settings,
                                       std::span<WorldHit> out_closest) const noexcept {
    const FloatEnvironment environment;
    if (const Status status = check_lines(*this, queries, settings); status != Status::ok) return {status};
    if (!check_readable(out_closest)) return {Status::invalid_argument};
    if (out_closest.size() < queries.size()) return {Status::capacity_exceeded};
    const ObjectTrees trees(*data_, settings);
    run_chunks(settings.runner, queries.size(), kHitRun, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("world/query task");
        TreeHit closest[kHitRun];
        broadphase::closest_hits(trees, queries, begin, end - begin, closest);
        for (std::size_t i = begin; i < end; ++i) out_closest[i] = answer_of(*data_, closest[i - begin]);
    });
    return {};
}
WorldHit WorldQueries::closest_hit(const HitQuery& query, const WorldQuerySettings& settings) const noexcept {
    const FloatEnvironment environment;
    if (check_lines(*this, query, settings) != Status::ok) return {};
    return FloatEnvironment::result(
        answer_of(*data_, broadphase::closest_hit(ObjectTrees(*data_, settings), query)));
}

BatchResult WorldQueries::closest_objects(const NearQueries& queries, const ClosestBoxSettings& box_settings,
                                          const WorldQuerySettings& settings,
                                          std::span<ClosestObject> out_closest) const noexcept {
    const FloatEnvironment environment;
    if (const Status status = check(*this, queries, settings); status != Status::ok) return {status};
    if (!check_readable(out_closest)) return {Status::invalid_argument};
    const std::size_t count = box_settings.count;
    if (!BROADSIDE_ARGUMENT(count <= kClosestObjectsMax,
                            "box_settings: count is more than kClosestObjectsMax"))
        return {Status::invalid_argument};
    if (queries.size() * count > out_closest.size()) return {Status::capacity_exceeded};
    const ObjectTrees trees(*data_, settings);
    queries.visit([&](auto list) {
        run_chunks(settings.runner, list.size(), 64, [&](std::size_t begin, std::size_t end) {
            BROADSIDE_ZONE("world/query task");
            for (std::size_t i = begin; i < end; ++i) {
                ClosestBox near[kClosestObjectsMax];
                broadphase::closest_boxes(trees, list[i], static_cast<std::uint32_t>(i),
                                          box_settings.max_distance, {near, count});
                for (std::size_t k = 0; k < count; ++k)
                    out_closest[i * count + k] = answer_of(*data_, near[k]);
            }
        });
    });
    return {};
}

Status WorldQueries::visit_overlaps(const OverlapQuery& shape, const WorldQuerySettings& settings,
                                    ObjectVisitor visit) const noexcept {
    const FloatEnvironment environment;
    if (const Status status = check(*this, shape, settings); status != Status::ok) return status;
    const auto visit_slot = [&](std::uint32_t slot) { return visit(data_->handle_at(slot)); };
    broadphase::visit_overlaps(ObjectTrees(*data_, settings), shape, visit_slot);
    return Status::ok;
}
Status WorldQueries::visit_hits(const HitQuery& query, const WorldQuerySettings& settings,
                                ObjectHitVisitor visit) const noexcept {
    const FloatEnvironment environment;
    if (const Status status = check_lines(*this, query, settings); status != Status::ok) return status;
    const auto visit_slot = [&](const TreeHit& hit) { return visit(answer_of(*data_, hit)); };
    broadphase::visit_hits(ObjectTrees(*data_, settings), query, visit_slot);
    return Status::ok;
}
Status WorldQueries::visit_close_objects(const NearQuery& query, const ClosestBoxSettings& box_settings,
                                         const WorldQuerySettings& settings,
                                         CloseObjectVisitor visit) const noexcept {
    const FloatEnvironment environment;
    if (const Status status = check(*this, query, settings); status != Status::ok) return status;
    const auto visit_slot = [&](const ClosePair& near) {
        return visit({near.distance, data_->handle_at(near.target.second)});
    };
    const ObjectTrees trees(*data_, settings);
    query.visit([&](auto list) {
        broadphase::visit_close_boxes(trees, list[0], box_settings.max_distance, visit_slot);
    });
    return Status::ok;
}

}  // namespace broadside
