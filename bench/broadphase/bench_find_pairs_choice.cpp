// The algorithms of find_pairs beside the automatic choice: the data for the planner's cost model.
#include "bench/broadphase/find_pairs_run.hpp"
#include "bench/suites.hpp"

namespace broadside::bench {
namespace {

void register_rows() {
    constexpr std::pair<const char*, PairAlgorithm> kAlgorithms[] = {
        {"automatic", PairAlgorithm::automatic},
        {"brute_force", PairAlgorithm::brute_force},
        {"sweep_and_prune", PairAlgorithm::sweep_and_prune},
        {"cells", PairAlgorithm::cells},
    };
    for (const char* scene : kFindPairsScenes) {
        for (const std::size_t count : {64u, 128u, 256u, 512u, 1000u, 2000u, 4000u, 10000u, 100000u}) {
            for (const auto& [name, algorithm] : kAlgorithms) {
                if (algorithm == PairAlgorithm::brute_force && count > 1000) continue;
                register_run({std::string("choice_") + name,
                              scene,
                              count,
                              {.algorithm = algorithm, .order = PairOrder::by_algorithm}});
            }
        }
    }
}

const Suite suite(
    "find_pairs_choice", &register_rows,
    {"broadphase/choice_(automatic|sweep_and_prune|cells)/(clustered|line)/(1000|10000)/widest"});

}  // namespace

}  // namespace broadside::bench
