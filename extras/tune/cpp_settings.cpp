// A candidate as C++ to be pasted into an engine.
#include "extras/tune/cpp_settings.hpp"

#include "extras/support/text_builder.hpp"

namespace broadside::tune {
namespace {

// A call whose status must not be ignored.
void add_call(extras::TextBuilder& state_text, const std::string& call) {
    state_text.add("if (%s != broadside::Status::ok) return;\n", call.c_str());
}

void add_threads_and_isa(extras::TextBuilder& state_text, const Candidate& candidate) {
    if (candidate.isa != default_candidate().isa) {
        add_call(state_text,
                 std::string("broadside::set_active_isa(broadside::Isa::") + isa_name(candidate.isa) + ")");
    }
    if (candidate.thread_count > 1) {
        state_text.add(
            "broadside::TbbTaskRunner threads(%u);  // kept; or a TaskRunner over your own threads\n",
            candidate.thread_count);
    }
}

void add_kept_objects(extras::TextBuilder& state_text, const Candidate& candidate, bool has_movers) {
    state_text.add("// Kept from frame to frame:\n");
    if (has_movers)
        state_text.add(
            "// mover_bits: a bit for each box that is not static, in bit_word_count(boxes.count) words\n");
    state_text.add("broadside::BoxScratch scratch;\nbroadside::PairBuffer pairs;\n");
    if (candidate.method == Method::resting) {
        state_text.add(
            "broadside::RestingBoxes resting;  // built anew when boxes come, go or change their index or "
            "kind\n");
        add_call(state_text, "resting.build(boxes, mover_bits)");
    }
    if (candidate.method == Method::cache) {
        state_text.add(
            "broadside::PairCache cache(%#.4gf);  // cache.clear() when boxes change their indices\n",
            static_cast<double>(candidate.margin));
        if (has_movers) state_text.add("cache.set_stable_filter(true);\n");
    }
}

void add_find_pairs(extras::TextBuilder& state_text, const Candidate& candidate, bool has_movers) {
    add_kept_objects(state_text, candidate, has_movers);
    state_text.add("// In every frame:\nbroadside::FindPairsSettings settings;\n");
    if (candidate.algorithm != PairAlgorithm::automatic) {
        state_text.add("settings.algorithm = broadside::PairAlgorithm::%s;\n",
                       pair_algorithm_name(candidate.algorithm));
    }
    if (candidate.sweep_axis != SweepAxis::automatic) {
        state_text.add("settings.sweep_axis = broadside::SweepAxis::%c;\n",
                       "xyz"[static_cast<int>(candidate.sweep_axis) - 1]);
    }
    if (const CellCounts& cells = candidate.cell_counts; cells.x != 0) {
        state_text.add(
            "settings.cell_counts = {%u, %u, %u};  // for this scene only; the plan follows the boxes\n",
            cells.x, cells.y, cells.z);
    }
    if (candidate.order != PairOrder::canonical) {
        state_text.add("settings.order = broadside::PairOrder::by_algorithm;\n");
    }
    if (candidate.thread_count > 1) state_text.add("settings.runner = threads.runner();\n");
    if (has_movers) state_text.add("settings.filter.subset_bits = mover_bits;\n");
    const char* const searcher = candidate.method == Method::resting ? "resting."
                                 : candidate.method == Method::cache ? "cache."
                                                                     : "broadside::";
    add_call(state_text, searcher + std::string("find_pairs(boxes, settings, scratch, pairs).status"));
}

void add_world(extras::TextBuilder& state_text, const Candidate& candidate, bool has_movers) {
    state_text.add("// Kept from frame to frame:\nbroadside::WorldSettings settings;\n");
    if (!has_movers) state_text.add("settings.fixed_objects_pair = true;\n");
    state_text.add("broadside::World world(settings);\n");
    state_text.add(
        "// In every frame, after world.add, world.remove and world.set_boxes for what has changed:\n");
    add_call(state_text,
             candidate.thread_count > 1 ? "world.update(threads.runner()).status" : "world.update().status");
    state_text.add(
        "const std::span<const broadside::WorldPair> pairs = world.pairs();  // or begun() and ended()\n");
}

}  // namespace

std::string cpp_settings(const Candidate& candidate, bool has_movers) {
    extras::TextBuilder text;
    add_threads_and_isa(text, candidate);
    if (candidate.method == Method::world) {
        add_world(text, candidate, has_movers);
    } else {
        add_find_pairs(text, candidate, has_movers);
    }
    return text.take();
}

}  // namespace broadside::tune
