// BoxTree: building, refitting, and the questions that it answers. Each time is of a call with 10,000 queries.
#include "bench/box_tree_queries.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <broadside/box_soa.hpp>

#include <functional>
#include <memory>

namespace broadside::bench {
namespace {

struct Subject {
    TreeWorld world;
    BoxSoa boxes;
    BoxTree tree;
};

std::shared_ptr<Subject> make_subject(const std::string& scene, std::size_t count, bool is_coherent) {
    auto subject = std::make_shared<Subject>();
    subject->world = make_tree_world(scene, count, is_coherent);
    const std::vector<Aabb>& boxes = subject->world.boxes;
    const BoxAosView view = {.data = boxes.data(), .stride_bytes = sizeof(Aabb), .count = boxes.size()};
    if (subject->boxes.assign(view) != Status::ok) std::abort();
    return subject;
}

// What calls write, compared between ISAs.
struct Output {
    PairBuffer pairs;
    AlignedArray<TreeHit> hits;
    std::vector<ClosestBox> closest = std::vector<ClosestBox>(kQueryCount);
    std::vector<NearBox> near = std::vector<NearBox>(kQueryCount);
    std::vector<std::uint64_t> bits = std::vector<std::uint64_t>((kQueryCount + 63) / 64);
    TreeScratch scratch;

    bool is_same(const Output& other) const {
        return std::equal(pairs.begin(), pairs.end(), other.pairs.begin(), other.pairs.end()) &&
               std::equal(hits.begin(), hits.end(), other.hits.begin(), other.hits.end()) &&
               closest == other.closest && near == other.near && bits == other.bits;
    }
    double answer_count() const {
        const auto found = std::count_if(closest.begin(), closest.end(),
                                         [](const ClosestBox& box) { return box.box_index != kNoBox; });
        return static_cast<double>(pairs.size() + hits.size()) + static_cast<double>(found);
    }
};

using Ask = std::function<void(Subject&, Output&)>;

void register_question(const std::string& question, const std::string& scene, std::size_t count,
                       bool is_coherent, const Ask& ask) {
    const std::string layout = scene + (is_coherent ? "_coherent" : "");
    for (const Isa isa : supported_isas()) {
        const std::string name = benchmark_name("broadphase/box_tree_" + question, layout, count, isa);
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            const auto subject = make_subject(scene, count, is_coherent);
            Output expected;
            use_isa(Isa::scalar);
            if (subject->tree.build(subject->boxes) != Status::ok) std::abort();
            ask(*subject, expected);
            Output output;
            use_isa(isa);
            ask(*subject, output);
            require_same(output.is_same(expected), name);
            for (auto _ : state) {
                ask(*subject, output);
                benchmark::ClobberMemory();
            }
            count_items(state, "query", kQueryCount);
            state.counters["answers"] = output.answer_count();
        })->Unit(benchmark::kMicrosecond);
    }
}

void register_questions(const std::string& scene, std::size_t count, bool is_coherent) {
    const auto add = [&](const std::string& question, const Ask& ask) {
        register_question(question, scene, count, is_coherent, ask);
    };
    add("overlaps",
        [](Subject& s, Output& out) { s.tree.find_overlaps(s.world.overlaps, {}, out.scratch, out.pairs); });
    add("overlaps_by_algorithm", [](Subject& s, Output& out) {
        TreeQuerySettings settings;
        settings.order = PairOrder::by_algorithm;
        s.tree.find_overlaps(s.world.overlaps, settings, out.scratch, out.pairs);
    });
    add("any_overlap", [](Subject& s, Output& out) { s.tree.any_overlap(s.world.overlaps, {}, out.bits); });
    add("ray_closest",
        [](Subject& s, Output& out) { s.tree.closest_boxes(s.world.rays, {}, {}, out.closest); });
    add("ray_all",
        [](Subject& s, Output& out) { s.tree.find_hits(s.world.rays, {}, {}, out.scratch, out.hits); });
    add("ray_any", [](Subject& s, Output& out) { s.tree.any_hit(s.world.rays, {}, {}, out.bits); });
    add("cast_closest",
        [](Subject& s, Output& out) { s.tree.first_impacts(s.world.casts, Touch::closed, {}, out.closest); });
    add("nearest", [](Subject& s, Output& out) { s.tree.nearest_boxes(s.world.points, {}, {}, out.near); });
}

void register_making(const std::string& scene, std::size_t count) {
    for (const Isa isa : supported_isas()) {
        for (const bool is_refit : {false, true}) {
            const std::string algorithm =
                std::string("broadphase/box_tree_") + (is_refit ? "refit" : "build");
            const std::string name = benchmark_name(algorithm, scene, count, isa);
            benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
                const auto subject = make_subject(scene, count, false);
                use_isa(isa);
                if (subject->tree.build(subject->boxes) != Status::ok) std::abort();
                for (auto _ : state) {
                    const Status status =
                        is_refit ? subject->tree.refit(subject->boxes) : subject->tree.build(subject->boxes);
                    require_same(status == Status::ok, name);
                }
                count_items(state, "box", count);
            })->Unit(benchmark::kMicrosecond);
        }
    }
}

// The tree in place of find_pairs, built afresh for each call.
void register_all_pairs(const std::string& scene, std::size_t count) {
    for (const Isa isa : supported_isas()) {
        const std::string name = benchmark_name("broadphase/box_tree_all_pairs", scene, count, isa);
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            const auto subject = make_subject(scene, count, false);
            use_isa(isa);
            PairBuffer expected;
            if (find_pairs(subject->boxes, expected).status != Status::ok) std::abort();
            Output out;
            const auto call = [&] {
                return subject->tree.build(subject->boxes) == Status::ok &&
                       subject->tree.find_all_pairs({}, out.scratch, out.pairs).status == Status::ok;
            };
            require_same(
                call() && std::equal(out.pairs.begin(), out.pairs.end(), expected.begin(), expected.end()),
                name);
            for (auto _ : state) call();
            count_items(state, "box", count);
        })->Unit(benchmark::kMicrosecond);
    }
}

void register_rows() {
    for (const std::size_t count : {std::size_t{10000}, std::size_t{100000}}) {
        for (const std::string scene : {"uniform", "mixed", "city"}) {
            register_making(scene, count);
            register_questions(scene, count, false);
        }
        register_questions("uniform", count, true);
        for (const std::string scene : {"uniform", "pile"}) register_all_pairs(scene, count);
    }
}

const Suite suite("box_tree", &register_rows,
                  {"broadphase/box_tree_(build|refit|overlaps|ray_closest|cast_closest|nearest)/uniform/"
                   "(10000|100000)/widest",
                   "broadphase/box_tree_ray_closest/uniform/10000/.*"});

}  // namespace

}  // namespace broadside::bench
