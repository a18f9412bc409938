// The smallest calls, one query each: the overhead of a call. Each also on a thread that rounds upwards,
// whose floating-point environment the call must change and restore.
#include "bench/sequence.hpp"
#include "bench/soa_of.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <broadside/box_tree.hpp>
#include <broadside/moving_aabb.hpp>
#include <broadside/obb_obb.hpp>
#include <broadside/overlap.hpp>
#include <broadside/ray_box.hpp>

#include <cfenv>
#include <functional>
#include <memory>

namespace broadside::bench {
namespace {

constexpr std::size_t kBoxCount = 10000;
// Queries used in turn; a power of two.
constexpr std::size_t kQuestionCount = 256;

struct Subject {
    std::vector<Aabb> boxes;
    BoxSoa soa;
    BoxTree tree;
    std::vector<Obb> obbs;
    std::vector<Ray> rays;
    std::vector<Vec3> displacements;

    Subject() {
        Sequence sequence;
        for (std::size_t i = 0; i < kBoxCount; ++i) {
            const Vec3 min = sequence.vector(20);
            boxes.push_back({min, min + Vec3{1, 1, 1}});
        }
        for (std::size_t i = 0; i < kQuestionCount; ++i) {
            const Vec3 center = sequence.vector(2);
            obbs.push_back({center, {0.6f, 0.8f, 0}, {-0.8f, 0.6f, 0}, {0, 0, 1}, {1, 1, 1}});
            const Vec3 origin = sequence.vector(20);
            rays.push_back({origin, sequence.vector(1)});
            displacements.push_back(sequence.vector(20));
        }
        soa = soa_of(boxes);
        if (tree.build(soa) != Status::ok) std::abort();
    }
    std::size_t other(std::size_t question) const { return (question * 7 + 3) % kQuestionCount; }
};

using Ask = std::function<float(const Subject&, std::size_t question)>;

std::vector<float> all_answers(const Subject& subject, const Ask& ask) {
    std::vector<float> answers;
    for (std::size_t question = 0; question < kQuestionCount; ++question)
        answers.push_back(ask(subject, question));
    return answers;
}

template <class AskOne>
void register_call(const std::string& call, AskOne ask) {
    const Isa isa = supported_isas().back();
    for (const bool is_default : {true, false}) {
        const std::string environment = is_default ? "default_environment" : "rounding_up";
        const std::string name = benchmark_name(call, environment, 1, isa);
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            const auto subject = std::make_shared<Subject>();
            use_isa(Isa::scalar);
            const std::vector<float> expected = all_answers(*subject, ask);
            use_isa(isa);
            std::fesetround(is_default ? FE_TONEAREST : FE_UPWARD);
            require_same(all_answers(*subject, ask) == expected, name);
            std::size_t question = 0;
            for (auto _ : state) {
                benchmark::DoNotOptimize(ask(*subject, question));
                question = (question + 1) % kQuestionCount;
            }
            std::fesetround(FE_TONEAREST);
        });
    }
}

void register_rows() {
    register_call("narrowphase/time_of_impact", [](const Subject& s, std::size_t i) {
        return time_of_impact(s.boxes[i], s.boxes[s.other(i)], s.displacements[i]);
    });
    register_call("narrowphase/ray_box", [](const Subject& s, std::size_t i) {
        return ray_box(s.rays[i], s.boxes[s.other(i)]).t_enter;
    });
    register_call("narrowphase/obb_contact", [](const Subject& s, std::size_t i) {
        return obb_contact(s.obbs[i], s.obbs[s.other(i)]).depth;
    });
    register_call("narrowphase/overlap_boxes", [](const Subject& s, std::size_t i) {
        std::uint64_t bits = 0;
        (void)overlaps(s.boxes[i], s.soa.view().part(s.other(i), 1), {&bits, 1});
        return static_cast<float>(bits);
    });
    register_call("broadphase/box_tree_closest_hit_cast", [](const Subject& s, std::size_t i) {
        return s.tree.closest_hit(BoxCast{s.boxes[i], s.displacements[i]}).t;
    });
    register_call("broadphase/box_tree_visit_hits", [](const Subject& s, std::size_t i) {
        float first = 0;
        (void)s.tree.visit_hits(s.rays[i], {}, [&](const TreeHit& hit) {
            first = hit.t;
            return kVisitNoMore;
        });
        return first;
    });
    register_call("broadphase/box_tree_closest_hit",
                  [](const Subject& s, std::size_t i) { return s.tree.closest_hit(s.rays[i]).t; });
    register_call("broadphase/box_tree_closest_box", [](const Subject& s, std::size_t i) {
        return s.tree.closest_box(s.displacements[i]).distance_sq;
    });
    register_call("broadphase/box_tree_is_any_overlapped", [](const Subject& s, std::size_t i) {
        return s.tree.any_overlap(s.boxes[i]) ? 1.0f : 0.0f;
    });
}

const Suite suite("single_calls", &register_rows,
                  {"narrowphase/time_of_impact/.*/1/widest", "broadphase/box_tree_closest_hit/.*/1/widest"});

}  // namespace

}  // namespace broadside::bench
