// Entry point of the benches: the description of the machine, the choice of suites, and the list of all rows.
#include "bench/file_scenes.hpp"
#include "bench/suites.hpp"

#include <broadside/config_string.hpp>
#include <broadside/isa.hpp>

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace broadside::bench {
namespace {

// The processor's name as the system reports it; without it results say little.
std::string cpu_name() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        if (line.rfind("model name", 0) != 0) continue;
        const std::size_t colon = line.find(": ");
        if (colon != std::string::npos) return line.substr(colon + 2);
    }
    return "unknown processor";
}

// BROADSIDE_BENCH_SUITES names suites, separated by commas; the others are not even registered. Some make
// their scenes at registration, so a process that measures one row is much shorter this way.
bool is_wanted(const Suite& suite) {
    const char* wanted = std::getenv("BROADSIDE_BENCH_SUITES");
    if (wanted == nullptr || *wanted == '\0') return true;
    std::stringstream names(wanted);
    for (std::string name; std::getline(names, name, ',');) {
        if (name == suite.name()) return true;
    }
    return false;
}

void add_context() {
    benchmark::AddCustomContext("broadside", config_string());
    benchmark::AddCustomContext("cpu", cpu_name());
    benchmark::AddCustomContext("compiler", BROADSIDE_BENCH_COMPILER);
    benchmark::AddCustomContext("flags", BROADSIDE_BENCH_FLAGS);
    benchmark::AddCustomContext("commit", BROADSIDE_BENCH_COMMIT);
    std::string isas;
    for (const Isa isa : supported_isas()) isas.append(isas.empty() ? "" : " ").append(isa_name(isa));
    benchmark::AddCustomContext("isas", isas);
}

// For tools/bench: Google Benchmark's list of all rows, with lines "suite <name>" and "quick <regular
// expression>" between them. It lists registered names only, so these lines are rows that are never run.
void register_list() {
    const auto line = [](const std::string& text) {
        benchmark::RegisterBenchmark(text.c_str(),
                                     [](benchmark::State& state) { state.SkipWithError("a line"); });
    };
    line(std::string("widest ") + isa_name(supported_isas().back()));
    for (const Suite& suite : all_suites()) {
        line("suite " + suite.name());
        for (const std::string& row : suite.quick_rows()) line("quick " + row);
        suite.add_rows();
    }
}

}  // namespace
}  // namespace broadside::bench

int main(int argc, char** argv) {
    using namespace broadside::bench;
    if (const std::string error = broadside::isa_error(); !error.empty()) {
        std::fprintf(stderr, "%s\n", error.c_str());
        return 1;
    }
    add_context();
    std::string list_rows = "--benchmark_list_tests";
    std::vector<char*> arguments(argv, argv + argc);
    if (!take_scene_arguments(arguments)) return 1;
    argc = static_cast<int>(arguments.size());
    if (argc == 2 && std::strcmp(arguments[1], "--list_suites") == 0) {
        arguments[1] = list_rows.data();
        register_list();
    } else {
        for (const Suite& suite : all_suites()) {
            if (is_wanted(suite)) suite.add_rows();
        }
    }
    benchmark::Initialize(&argc, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(argc, arguments.data())) return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
