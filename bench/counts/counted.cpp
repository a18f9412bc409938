// The program that runs under callgrind: every workload on one ISA, each with a dump of its own. Instructions
// are counted only while a workload runs.
#include "bench/counts/workloads.hpp"

#include <broadside/isa.hpp>

#include <valgrind/callgrind.h>

#include <cstdio>

namespace {

// Runs before the first counted one: memory has grown, and objects have adapted to earlier calls.
constexpr int kWarmUpCount = 5;

}  // namespace

int main(int argc, char** argv) {
    const std::optional<broadside::Isa> isa = broadside::find_isa(argc == 2 ? argv[1] : "");
    if (!isa) {
        std::fprintf(stderr, "usage: broadside_counted <isa>\n");
        return 2;
    }
    // Printed to stdout: under valgrind a processor has only the extensions that valgrind knows.
    if (broadside::set_active_isa(*isa) != broadside::Status::ok) {
        std::printf("unsupported isa\n");
        return 0;
    }
    for (const broadside::counts::Workload& workload : broadside::counts::make_workloads()) {
        for (int i = 0; i < kWarmUpCount; ++i) {
            workload.prepare();
            workload.run();
        }
        for (int i = 0; i < workload.run_count; ++i) {
            workload.prepare();
            CALLGRIND_START_INSTRUMENTATION;
            workload.run();
            CALLGRIND_STOP_INSTRUMENTATION;
        }
        CALLGRIND_DUMP_STATS_AT(workload.name.c_str());
    }
    return 0;
}
