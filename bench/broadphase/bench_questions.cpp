// The queries of a BoxTree, a World and its view, in batches, one at a time and by visitors: one source for
// all three. Each time is of 10,000 queries.
#include "bench/broadphase/asked.hpp"
#include "bench/broadphase/shape_queries.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"
#include "bench/thread_pair.hpp"

#include <functional>
#include <memory>
#include <tuple>

namespace broadside::bench {
namespace {

// The structure, made by the first row that needs it.
struct Subject {
    Subject(const std::string& scene_name, std::size_t count, scenes::QueryOrder order)
        : Subject(make_query_scene(scene_name, count, order)) {}
    explicit Subject(QueryScene scene) : boxes(soa_of(scene.boxes)), queries(std::move(scene.queries)) {}

    template <class Asked>
    Asked& get() {
        auto& asked = std::get<std::unique_ptr<Asked>>(asked_);
        if (asked == nullptr) asked = std::make_unique<Asked>(boxes);
        return *asked;
    }

    BoxSoa boxes;
    ShapeQueries queries;

private:
    std::tuple<std::unique_ptr<AskedTree>, std::unique_ptr<AskedWorld>, std::unique_ptr<AskedView>> asked_;
};

struct Layout {
    std::string scene;
    std::size_t count;
    scenes::QueryOrder order = scenes::QueryOrder::incoherent;
    bool has_worlds = false;

    std::string name() const { return scene + (order == scenes::QueryOrder::coherent ? "_coherent" : ""); }
};

// Runs a query, with the results in `out`.
template <class Asked>
using Ask = std::function<void(Asked&, const ShapeQueries&, Answers<Asked>& out)>;

// Kept for later rows.
Subject& subject_of(const Layout& layout) {
    static LastUsed<Subject> last;
    return last.get(layout.name() + "/" + std::to_string(layout.count),
                    [&] { return Subject(layout.scene, layout.count, layout.order); });
}
const PlainAnswers& expected_of(const std::string& question, const Layout& layout,
                                const Ask<AskedTree>& ask) {
    static LastUsed<PlainAnswers> last;
    return last.get(question + "/" + layout.name() + "/" + std::to_string(layout.count), [&] {
        Answers<AskedTree> answers;
        Subject& subject = subject_of(layout);
        ask(subject.get<AskedTree>(), subject.queries, answers);
        return PlainAnswers(answers);
    });
}

// `ask_tree` runs the same query on a tree.
template <class Asked>
void register_row(const std::string& question, const Layout& layout, const TaskRunner* runner,
                  const Ask<Asked>& ask, const Ask<AskedTree>& ask_tree) {
    for (const Isa isa : supported_isas()) {
        const std::string name = benchmark_name(std::string("broadphase/") + Asked::kName + "_" + question,
                                                layout.name(), layout.count, isa);
        auto* const row = benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            // The queries are the same on every ISA, and so are the scalar tree's results.
            use_isa(Isa::scalar);
            const PlainAnswers& expected = expected_of(question, layout, ask_tree);
            Subject& subject = subject_of(layout);
            Asked& asked = subject.get<Asked>();
            Answers<Asked> answers(runner);
            use_isa(isa);
            ask(asked, subject.queries, answers);
            require_same(PlainAnswers(answers) == expected, name);
            for (auto _ : state) {
                ask(asked, subject.queries, answers);
                benchmark::ClobberMemory();
            }
            count_items(state, "query", kQueryCount);
            state.counters["answers"] = expected.count();
        });
        row->Unit(benchmark::kMicrosecond);
        if (runner != nullptr) row->UseRealTime();
    }
}
// `ask(asked, queries, out)` is written once for all three.
template <class AskAny>
void register_question(const std::string& question, const Layout& layout, const AskAny& ask,
                       const TaskRunner* runner = nullptr) {
    register_row<AskedTree>(question, layout, runner, ask, ask);
    if (!layout.has_worlds) return;
    register_row<AskedWorld>(question, layout, runner, ask, ask);
    register_row<AskedView>(question, layout, runner, ask, ask);
}

// Boxes that a shape overlaps. `shapes_of(queries)`: a shape a query. Rows of boxes have names without a
// shape.
template <class ShapesOf>
void register_overlaps(const std::string& shape, const Layout& layout, const ShapesOf& shapes_of) {
    const std::string all = shape.empty() ? "overlaps" : shape + "_overlaps";
    const std::string any = shape.empty() ? "any_overlap" : shape + "_any";
    register_question(all, layout, [=](auto& asked, const ShapeQueries& queries, auto& out) {
        (void)asked.queries().find_overlaps(shapes_of(queries), out.settings, out.scratch, out.overlaps);
    });
    register_question(any, layout, [=](auto& asked, const ShapeQueries& queries, auto& out) {
        (void)asked.queries().any_overlap(shapes_of(queries), out.settings, out.bits);
    });
    register_question(all + "_alone", layout, [=](auto& asked, const ShapeQueries& queries, auto& out) {
        out.met_count = 0;
        for (const auto& query : shapes_of(queries)) {
            (void)asked.queries().find_overlaps(query, {}, out.scratch, out.overlaps);
            out.met_count += out.overlaps.size();
        }
    });
    register_question(any + "_alone", layout, [=](auto& asked, const ShapeQueries& queries, auto& out) {
        out.clear_bits();
        std::size_t index = 0;
        for (const auto& query : shapes_of(queries)) out.set_bit(index++, asked.queries().any_overlap(query));
    });
    register_question(all + "_visited_alone", layout,
                      [=](auto& asked, const ShapeQueries& queries, auto& out) {
                          out.met_count = 0;
                          const auto visit = [&](const auto&) {
                              ++out.met_count;
                              return true;
                          };
                          for (const auto& query : shapes_of(queries))
                              (void)asked.queries().visit_overlaps(query, {}, visit);
                      });
}

// Boxes that are hit, also within a quarter of the path, as in `lines_within_of`.
template <class LinesOf, class LinesWithinOf>
void register_hits(const std::string& line, const Layout& layout, const LinesOf& lines_of,
                   const LinesWithinOf& lines_within_of) {
    const auto register_closest = [&](const std::string& closest, const auto& some_of) {
        register_question(closest, layout, [=](auto& asked, const ShapeQueries& queries, auto& out) {
            (void)asked.queries().closest_hits(some_of(queries), out.settings, out.closest);
        });
        register_question(closest + "_alone", layout,
                          [=](auto& asked, const ShapeQueries& queries, auto& out) {
                              std::size_t index = 0;
                              for (const auto& query : some_of(queries))
                                  out.closest[index++] = asked.queries().closest_hit(query);
                          });
    };
    register_closest(line + "_closest", lines_of);
    register_closest(line + "_closest_within", lines_within_of);
    register_question(line + "_all", layout, [=](auto& asked, const ShapeQueries& queries, auto& out) {
        (void)asked.queries().find_hits(lines_of(queries), out.settings, out.scratch, out.hits);
    });
    register_question(line + "_any", layout, [=](auto& asked, const ShapeQueries& queries, auto& out) {
        (void)asked.queries().any_hit(lines_of(queries), out.settings, out.bits);
    });
    register_question(line + "_all_alone", layout, [=](auto& asked, const ShapeQueries& queries, auto& out) {
        out.met_count = 0;
        for (const auto& query : lines_of(queries)) {
            (void)asked.queries().find_hits(query, {}, out.scratch, out.hits);
            out.met_count += out.hits.size();
        }
    });
    register_question(line + "_any_alone", layout, [=](auto& asked, const ShapeQueries& queries, auto& out) {
        out.clear_bits();
        std::size_t index = 0;
        for (const auto& query : lines_of(queries)) out.set_bit(index++, asked.queries().any_hit(query));
    });
    for (const PairOrder order : {PairOrder::canonical, PairOrder::by_algorithm}) {
        const std::string suffix = order == PairOrder::canonical ? "" : "_by_algorithm";
        register_question(line + "_all_visited" + suffix + "_alone", layout,
                          [=](auto& asked, const ShapeQueries& queries, auto& out) {
                              out.met_count = 0;
                              const auto visit = [&](const auto&) {
                                  ++out.met_count;
                                  return kVisitAll;
                              };
                              for (const auto& query : lines_of(queries))
                                  (void)asked.queries().visit_hits(query, {.order = order}, visit);
                          });
    }
    // A visitor that clips at each hit, so that nothing behind it is visited.
    register_question(line + "_closest_visited_alone", layout,
                      [=](auto& asked, const ShapeQueries& queries, auto& out) {
                          std::size_t index = 0;
                          for (const auto& query : lines_of(queries)) {
                              auto& closest = out.closest[index++];
                              closest = {};
                              const auto visit = [&](const auto& hit) {
                                  if (asked.is_before(hit, closest)) closest = hit;
                                  return hit.t;
                              };
                              (void)asked.queries().visit_hits(query, {}, visit);
                          }
                      });
}

void register_nearest(const Layout& layout) {
    for (const std::uint32_t count : {1u, 8u}) {
        const std::string nearest = count == 1 ? "nearest" : "nearest_" + std::to_string(count);
        register_question(nearest, layout, [=](auto& asked, const ShapeQueries& queries, auto& out) {
            out.near.resize(kQueryCount * count);
            (void)asked.closest(asked.queries(), queries.points, {.count = count}, out.settings, out.near);
        });
        register_question(nearest + "_alone", layout,
                          [=](auto& asked, const ShapeQueries& queries, auto& out) {
                              out.near.resize(kQueryCount * count);
                              const std::span near(out.near);
                              for (std::size_t i = 0; i < kQueryCount; ++i)
                                  (void)asked.closest(asked.queries(), queries.points[i], {.count = count},
                                                      out.settings, near.subspan(i * count, count));
                          });
    }
}

void register_questions(const Layout& layout) {
    const auto boxes_of = [](const ShapeQueries& q) -> const auto& { return q.overlaps; };
    const auto rays_of = [](const ShapeQueries& q) -> const auto& { return q.rays; };
    register_overlaps("", layout, boxes_of);
    register_overlaps(
        "point", layout, [](const ShapeQueries& q) -> const auto& { return q.points; });
    register_overlaps(
        "sphere", layout, [](const ShapeQueries& q) -> const auto& { return q.spheres; });
    register_overlaps(
        "obb", layout, [](const ShapeQueries& q) -> const auto& { return q.obbs; });
    register_overlaps(
        "capsule", layout, [](const ShapeQueries& q) -> const auto& { return q.capsules; });
    register_overlaps(
        "volume", layout, [](const ShapeQueries& q) -> const auto& { return q.volumes; });
    register_overlaps(
        "frustum", layout, [](const ShapeQueries& q) -> const auto& { return q.frustums; });
    register_hits(
        "ray", layout, rays_of, [](const ShapeQueries& q) -> const auto& { return q.rays_within; });
    register_hits(
        "cast", layout, [](const ShapeQueries& q) -> const auto& { return q.casts; },
        [](const ShapeQueries& q) -> const auto& { return q.casts_within; });
    register_hits(
        "sphere_cast", layout, [](const ShapeQueries& q) -> const auto& { return q.sphere_casts; },
        [](const ShapeQueries& q) -> const auto& { return q.sphere_casts_within; });
    register_hits(
        "capsule_cast", layout, [](const ShapeQueries& q) -> const auto& { return q.capsule_casts; },
        [](const ShapeQueries& q) -> const auto& { return q.capsule_casts_within; });
    register_nearest(layout);
    static ThreadPair threads;
    register_question(
        "overlaps_two_threads", layout,
        [=](auto& asked, const ShapeQueries& queries, auto& out) {
            (void)asked.queries().find_overlaps(boxes_of(queries), out.settings, out.scratch, out.overlaps);
        },
        threads.runner());
    register_question(
        "ray_closest_two_threads", layout,
        [=](auto& asked, const ShapeQueries& queries, auto& out) {
            (void)asked.queries().closest_hits(rays_of(queries), out.settings, out.closest);
        },
        threads.runner());
}

// An order without a setting in World. Results are compared with those of the same order.
void register_order_of_tree(const Layout& layout) {
    const Ask<AskedTree> ask = [](AskedTree& asked, const ShapeQueries& queries, Answers<AskedTree>& out) {
        out.settings.order = PairOrder::by_algorithm;
        (void)asked.queries().find_overlaps(queries.overlaps, out.settings, out.scratch, out.overlaps);
    };
    register_row<AskedTree>("overlaps_by_algorithm", layout, nullptr, ask, ask);
}

void register_rows() {
    using scenes::QueryOrder;
    const auto add = [](const Layout& layout) {
        register_questions(layout);
        register_order_of_tree(layout);
    };
    for (const std::size_t count : {std::size_t{1000}, std::size_t{10000}, std::size_t{100000}}) {
        for (const std::string scene : kTreeScenes) {
            const bool has_worlds =
                count >= 10000 && (scene == "uniform" || scene == "city" || scene == "pile");
            add({scene, count, QueryOrder::incoherent, has_worlds});
        }
        add({"uniform", count, QueryOrder::coherent});
    }
    add({"uniform", 1'000'000});
    for (const FileScene& file : file_scenes()) add({file.name, file.box_count()});
}

const Suite suite("questions", &register_rows,
                  {"broadphase/box_tree_(overlaps|ray_closest|cast_closest|nearest)/uniform/"
                   "(10000|100000)/widest",
                   "broadphase/(box_tree|world)_(ray_closest|any_overlap|overlaps)_alone/(uniform|pile)/"
                   "(10000|100000)/widest",
                   "broadphase/box_tree_ray_(closest|any)/(uniform|city|pile)/(10000|100000)/widest",
                   "broadphase/world_(overlaps|ray_closest|cast_closest|nearest)/uniform/10000/widest",
                   "broadphase/box_tree_(overlaps|ray_closest)/uniform/10000/.*"});

}  // namespace
}  // namespace broadside::bench
