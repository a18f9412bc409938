// BoxTree: building, refitting, and all pairs of boxes. Its queries are in bench_questions.
#include "bench/query_scene.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"
#include "bench/thread_pair.hpp"

#include <broadside/scenes/scene_random.hpp>

#include <cmath>
#include <memory>

namespace broadside::bench {
namespace {

struct Subject {
    BoxSoa boxes;
    BoxTree tree;
};

std::shared_ptr<Subject> make_subject(const std::string& scene, std::size_t count) {
    auto subject = std::make_shared<Subject>();
    subject->boxes = soa_of(make_frames(scene, count)[0]);
    return subject;
}

void register_making(const std::string& scene, std::size_t count) {
    using Make = Status (*)(BoxTree&, const BoxSoaView&, const TaskRunner*);
    constexpr std::pair<const char*, Make> kWays[] = {
        {"build", [](BoxTree& tree, const BoxSoaView& boxes,
                     const TaskRunner* runner) { return tree.build(boxes, runner); }},
        {"refit", [](BoxTree& tree, const BoxSoaView& boxes,
                     const TaskRunner* runner) { return tree.refit(boxes, runner); }},
        {"update", [](BoxTree& tree, const BoxSoaView& boxes,
                      const TaskRunner* runner) { return tree.update(boxes, runner); }},
    };
    for (const auto& [way, make] : kWays) {
        for (const bool on_two_threads : {false, true}) {
            for (const Isa isa : supported_isas()) {
                const std::string name = benchmark_name(
                    std::string("broadphase/box_tree_") + way + (on_two_threads ? "_two_threads" : ""), scene,
                    count, isa);
                auto* const row =
                    benchmark::RegisterBenchmark(name.c_str(), [=, make = make](benchmark::State& state) {
                        static ThreadPair threads;
                        const TaskRunner* const runner = on_two_threads ? threads.runner() : nullptr;
                        const auto subject = make_subject(scene, count);
                        use_isa(isa);
                        if (subject->tree.build(subject->boxes) != Status::ok) std::abort();
                        for (auto _ : state) {
                            require_same(make(subject->tree, subject->boxes, runner) == Status::ok, name);
                        }
                        count_items(state, "box", count);
                    });
                row->Unit(benchmark::kMicrosecond);
                if (on_two_threads) row->UseRealTime();
            }
        }
    }
}

// The memory traffic of a refit alone: the six arrays copied in order, and in an order without locality, as
// for the leaves of a tree.
void register_copies(std::size_t count) {
    for (const bool is_in_order : {true, false}) {
        const std::string algorithm =
            std::string("broadphase/box_tree_copy_") + (is_in_order ? "in_order" : "at_random");
        const std::string name = benchmark_name(algorithm, "uniform", count, Isa::scalar);
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            const auto subject = make_subject("uniform", count);
            const BoxSoaView boxes = subject->boxes.view();
            const float* const columns[6] = {boxes.min_x, boxes.min_y, boxes.min_z,
                                             boxes.max_x, boxes.max_y, boxes.max_z};
            std::vector<std::uint32_t> order(count);
            for (std::size_t i = 0; i < count; ++i) order[i] = static_cast<std::uint32_t>(i);
            scenes::SceneRandom random(3);
            for (std::size_t i = count; !is_in_order && i > 1; --i) {
                const float place = random.between(0, static_cast<float>(i));
                std::swap(order[i - 1], order[std::min<std::size_t>(i - 1, static_cast<std::size_t>(place))]);
            }
            std::vector<float> out(6 * count);
            for (auto _ : state) {
                for (std::size_t column = 0; column < 6; ++column) {
                    float* const target = out.data() + column * count;
                    for (std::size_t i = 0; i < count; ++i) target[i] = columns[column][order[i]];
                }
                benchmark::ClobberMemory();
            }
            count_items(state, "box", count);
        })->Unit(benchmark::kMicrosecond);
    }
}

// All pairs: the tree built for the call, the tree refitted for it, and find_pairs. `is_bipartite`: the boxes
// against a tenth as many others, whose tree is built for the call.
enum class PairWay { build, refit, find_pairs };

void register_pairs(const std::string& scene, std::size_t count, bool is_bipartite, PairWay way) {
    const char* const what[] = {"box_tree_all_pairs", "box_tree_all_pairs_refit", "box_tree_all_pairs_sweep"};
    for (const Isa isa : supported_isas()) {
        const std::string algorithm =
            std::string("broadphase/") + what[static_cast<int>(way)] + (is_bipartite ? "_bipartite" : "");
        const std::string name = benchmark_name(algorithm, scene, count, isa);
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            const auto subject = make_subject(scene, count);
            const auto other = make_subject(scene, count / 10);
            use_isa(isa);
            BoxScratch scratch;
            PairBuffer expected;
            const auto sweep = [&](PairBuffer& out_pairs) {
                return (is_bipartite ? find_pairs(other->boxes, subject->boxes, {}, scratch, out_pairs)
                                     : find_pairs(subject->boxes, {}, scratch, out_pairs))
                           .status == Status::ok;
            };
            if (!sweep(expected) || subject->tree.build(subject->boxes) != Status::ok) std::abort();
            BoxScratch tree_scratch;
            PairBuffer pairs;
            const auto call = [&] {
                if (way == PairWay::find_pairs) return sweep(pairs);
                const Status status = way == PairWay::build ? subject->tree.build(subject->boxes)
                                                            : subject->tree.refit(subject->boxes);
                if (!is_bipartite) {
                    return status == Status::ok &&
                           subject->tree.find_pairs({}, tree_scratch, pairs).status == Status::ok;
                }
                return status == Status::ok && other->tree.build(other->boxes) == Status::ok &&
                       other->tree.find_pairs(subject->tree, {}, tree_scratch, pairs).status == Status::ok;
            };
            require_same(call() && std::equal(pairs.begin(), pairs.end(), expected.begin(), expected.end()),
                         name);
            for (auto _ : state) call();
            count_items(state, "box", count);
        })->Unit(benchmark::kMicrosecond);
    }
}

// Every second position of a lattice; sets of different parity have no pair, although they are interleaved
// everywhere.
BoxSoa lattice(std::size_t count, int parity) {
    BoxSoa boxes;
    const int edge = static_cast<int>(std::ceil(std::cbrt(2.0 * static_cast<double>(count))));
    for (int i = 0; i < edge * edge * edge && boxes.count() < count; ++i) {
        const int x = i % edge;
        const int y = i / edge % edge;
        const int z = i / edge / edge;
        if ((x + y + z) % 2 != parity) continue;
        const Vec3 corner = {static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)};
        if (boxes.push_back({corner, corner + Vec3{0.9f, 0.9f, 0.9f}}) != Status::ok) std::abort();
    }
    return boxes;
}

// A box somewhere in each cell of a grid, none of which overlap; set 1 lies beside set 0.
BoxSoa scattered(std::size_t count, int set) {
    BoxSoa boxes;
    scenes::SceneRandom random(7u + static_cast<unsigned>(set));
    const auto unit_vector = [&] {
        const float x = random.unit();
        const float y = random.unit();
        const float z = random.unit();
        return Vec3{x, y, z};
    };
    const int edge = static_cast<int>(std::ceil(std::cbrt(static_cast<double>(count))));
    for (int i = 0; boxes.count() < count; ++i) {
        const Vec3 cell = {static_cast<float>(i % edge + set * (edge + 1)),
                           static_cast<float>(i / edge % edge), static_cast<float>(i / edge / edge)};
        const Vec3 size = unit_vector() * 0.4f + Vec3{0.1f, 0.1f, 0.1f};
        const Vec3 min = cell + unit_vector() * 0.5f;
        if (boxes.push_back({min, min + size}) != Status::ok) std::abort();
    }
    return boxes;
}

// Whether there is a pair, within a tree and between two: for boxes with many pairs, and with none.
void register_any_pair(std::size_t count, bool has_pairs, bool is_bipartite) {
    for (const Isa isa : supported_isas()) {
        const std::string algorithm =
            std::string("broadphase/box_tree_any_pair") + (is_bipartite ? "_bipartite" : "");
        const std::string name = benchmark_name(algorithm, has_pairs ? "uniform" : "lattice", count, isa);
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            BoxTree trees[2];
            for (int k = 0; k < 2; ++k) {
                const BoxSoa boxes = has_pairs ? soa_of(make_frames("uniform", count)[0]) : lattice(count, k);
                if (trees[k].build(boxes) != Status::ok) std::abort();
            }
            use_isa(isa);
            const auto call = [&] {
                return is_bipartite ? trees[0].any_pair(trees[1]) : trees[0].any_pair();
            };
            require_same(call() == has_pairs, name);
            for (auto _ : state) benchmark::DoNotOptimize(call());
            count_items(state, "box", count);
        })->Unit(benchmark::kMicrosecond);
    }
}

// The closest pair, within a tree and between two: of boxes of which many overlap, of a lattice, in which all
// are equally near, and of boxes that are apart, whose trees lie side by side.
void register_closest_pair(const std::string& scene, std::size_t count, bool is_bipartite) {
    for (const Isa isa : supported_isas()) {
        const std::string algorithm =
            std::string("broadphase/box_tree_closest_pair") + (is_bipartite ? "_bipartite" : "");
        const std::string name = benchmark_name(algorithm, scene, count, isa);
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            BoxTree trees[2];
            for (int k = 0; k < 2; ++k) {
                const BoxSoa boxes = scene == "uniform"   ? soa_of(make_frames("uniform", count)[0])
                                     : scene == "lattice" ? lattice(count, k)
                                                          : scattered(count, k);
                if (trees[k].build(boxes) != Status::ok) std::abort();
            }
            const auto call = [&] {
                return is_bipartite ? trees[0].closest_pair(trees[1]) : trees[0].closest_pair();
            };
            use_isa(Isa::scalar);
            const ClosePair expected = call();
            use_isa(isa);
            require_same(call() == expected && expected.target.first != kNoBox, name);
            for (auto _ : state) benchmark::DoNotOptimize(call());
            count_items(state, "box", count);
        })->Unit(benchmark::kMicrosecond);
    }
}

void register_rows() {
    for (const std::size_t count : {std::size_t{1000}, std::size_t{10000}, std::size_t{100000}}) {
        for (const std::string scene : kTreeScenes) {
            register_making(scene, count);
        }
        register_copies(count);
        for (const bool has_pairs : {false, true}) {
            for (const bool is_bipartite : {false, true}) register_any_pair(count, has_pairs, is_bipartite);
        }
        for (const std::string scene : {"uniform", "lattice", "scattered"}) {
            for (const bool is_bipartite : {false, true}) register_closest_pair(scene, count, is_bipartite);
        }
        for (const std::string scene : {"uniform", "pile", "city", "sticks"}) {
            for (const bool is_bipartite : {false, true}) {
                for (const PairWay way : {PairWay::build, PairWay::refit, PairWay::find_pairs}) {
                    register_pairs(scene, count, is_bipartite, way);
                }
            }
        }
    }
    register_making("uniform", 1'000'000);
    for (const FileScene& file : file_scenes()) {
        register_making(file.name, file.box_count());
    }
}

const Suite suite("box_tree", &register_rows,
                  {"broadphase/box_tree_(build|refit)/uniform/(10000|100000)/widest"});

}  // namespace

}  // namespace broadside::bench
