// Entry point of the benches: registers every suite on every ISA of this machine.
#include "bench/suites.hpp"

#include <broadside/config_string.hpp>
#include <broadside/isa.hpp>

#include <benchmark/benchmark.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace {

// The processor's name as the system reports it; results without it say little.
std::string cpu_name() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        if (line.rfind("model name", 0) != 0) continue;
        const std::size_t colon = line.find(": ");
        if (colon != std::string::npos) return line.substr(colon + 2);
    }
    return "unknown processor";
}

}  // namespace

int main(int argc, char** argv) {
    if (const std::string error = broadside::isa_error(); !error.empty()) {
        std::fprintf(stderr, "%s\n", error.c_str());
        return 1;
    }
    benchmark::AddCustomContext("broadside", broadside::config_string());
    benchmark::AddCustomContext("cpu", cpu_name());
    benchmark::AddCustomContext("compiler", BROADSIDE_BENCH_COMPILER);
    benchmark::AddCustomContext("flags", BROADSIDE_BENCH_FLAGS);
    benchmark::AddCustomContext("commit", BROADSIDE_BENCH_COMMIT);
    broadside::bench::register_overlap_benchmarks();
    broadside::bench::register_moving_aabb_benchmarks();
    broadside::bench::register_ray_box_benchmarks();
    broadside::bench::register_obb_obb_benchmarks();
    broadside::bench::register_obb_triangle_benchmarks();
    broadside::bench::register_sphere_benchmarks();
    broadside::bench::register_fit_benchmarks();
    broadside::bench::register_find_pairs_benchmarks();
    broadside::bench::register_find_pairs_choice_benchmarks();
    broadside::bench::register_find_pairs_filter_benchmarks();
#if defined(BROADSIDE_BENCH_INTERNALS)
    broadside::bench::register_find_pairs_phase_benchmarks();
#endif
    broadside::bench::register_box_tree_benchmarks();
    broadside::bench::register_world_benchmarks();
    broadside::bench::register_stage_benchmarks();
    broadside::bench::register_peer_benchmarks();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
