// find_pairs: scenes in motion by the automatic choice, in both orders, on two threads, and between two sets.
#include "bench/broadphase/find_pairs_run.hpp"
#include "bench/suites.hpp"
#include "bench/thread_pair.hpp"

namespace broadside::bench {
namespace {

void register_rows() {
    const FindPairsSettings as_found = {.order = PairOrder::by_algorithm};
    const FindPairsSettings canonical = {.order = PairOrder::canonical};
    FindPairsSettings on_two_threads = as_found;
    static ThreadPair threads;
    on_two_threads.runner = threads.runner();
    const auto register_all = [&](const std::string& scene, std::size_t count) {
        register_run({"find_pairs", scene, count, as_found});
        register_run({"find_pairs_canonical", scene, count, canonical});
        register_run({"find_pairs_two_threads", scene, count, on_two_threads});
        // Half of the boxes against the other half: to be compared with find_pairs on all.
        if (count >= 10000 && count <= 100000)
            register_run({"find_pairs_bipartite", scene, count, as_found, true});
    };
    for (const char* scene : kFindPairsScenes) {
        for (const std::size_t count : kFindPairsCounts) register_all(scene, count);
    }
    // Every pair overlaps: the cost of writing a list.
    register_all("one_place", 1000);
    for (const FileScene& file : file_scenes()) register_all(file.name, file.box_count());
}

const Suite suite("find_pairs", &register_rows,
                  {"broadphase/find_pairs/(uniform|city|pile)/(1000|10000|100000|1000000)/widest",
                   "broadphase/find_pairs/(uniform|pile)/(10000|100000)/.*",
                   "broadphase/find_pairs_canonical/(uniform|pile)/(1000|10000|100000)/widest",
                   "broadphase/find_pairs_canonical/uniform/10000/.*",
                   "broadphase/find_pairs_two_threads/uniform/100000/widest",
                   "broadphase/find_pairs_bipartite/uniform/10000/widest"});

}  // namespace

}  // namespace broadside::bench
