// Writes the README's table of numbers from a benchmark result in JSON, or checks that it is up to date.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Row {
    const char* label;
    /// Benchmark name without the ISA at its end.
    const char* benchmark;
    /// The counter: seconds per item.
    const char* counter;
    /// Other libraries with the same work: the ends of their benchmarks' names.
    std::vector<const char*> others = {};
};

// The end of a benchmark's name, and the library's usual name.
const std::map<std::string_view, const char*> kLibraries = {
    {"embree", "Embree"},      {"cgal", "CGAL"},     {"boost_rtree", "Boost R-tree"},
    {"bullet_dbvt", "Bullet"}, {"bullet", "Bullet"}, {"bullet_ray_aabb2", "Bullet"},
    {"fcl_tree", "FCL"},       {"fcl", "FCL"},
};

const std::vector<Row> kRows = {
    {"`find_pairs`, 10,000 uniform boxes, unordered: per box",
     "broadphase/find_pairs/uniform/10000",
     "per_box",
     {"embree", "cgal", "boost_rtree"}},
    {"`find_pairs`, 10,000 uniform boxes, canonical order: per box",
     "broadphase/find_pairs_canonical/uniform/10000", "per_box"},
    {"`find_pairs`, 100,000 uniform boxes, unordered: per box",
     "broadphase/find_pairs/uniform/100000",
     "per_box",
     {"embree", "cgal", "boost_rtree"}},
    {"`find_pairs`, 100,000 boxes in a dense pile, unordered: per box",
     "broadphase/find_pairs/pile/100000",
     "per_box",
     {"embree", "cgal"}},
    {"`World`, a frame of 10,000 boxes, all moving, events and all: per box",
     "broadphase/world/uniform_moving/10000",
     "per_box",
     {"embree", "bullet_dbvt"}},
    {"`World`, a frame of 10,000 boxes, one in ten moving: per box",
     "broadphase/world/static90/10000",
     "per_box",
     {"embree", "bullet_dbvt", "fcl_tree"}},
    {"`BoxTree`, closest of 10,000 boxes on a random ray: per ray",
     "broadphase/box_tree_ray_closest/uniform/10000",
     "per_query",
     {"embree"}},
    {"`BoxTree`, the 44 of 10,000 boxes that overlap a random one: per query",
     "broadphase/box_tree_overlaps/uniform/10000",
     "per_query",
     {"embree", "bullet", "boost_rtree"}},
    {"time of impact of a million pairs by index, rows prepared: per pair",
     "narrowphase/times_of_impact_of_row_pairs/toi/1000000", "per_pair"},
    {"one ray against a thousand boxes, entry t: per box",
     "narrowphase/ray_boxes/t/1024",
     "per_test",
     {"bullet_ray_aabb2"}},
    {"oriented box against a million triangles, static: per triangle",
     "narrowphase/obb_triangles/static/1000000",
     "per_triangle",
     {"bullet", "fcl"}},
    {"oriented box against a million triangles, time: per triangle",
     "narrowphase/obb_triangles/sweep/1000000", "per_triangle"},
    {"oriented box against a million oriented boxes: per box",
     "narrowphase/obb_obbs/static/1000000",
     "per_pair",
     {"fcl"}},
    {"the whole stage, street scene of the demo: per box", "stage/step/street/10000", "per_box"},
};
constexpr std::array<const char*, 4> kIsas = {"scalar", "sse2", "avx2", "avx512"};

/// Follows the ISA in names of benchmarks that read their own clock.
constexpr std::string_view kClock = "/manual_time";

constexpr const char* kBegin = "<!-- numbers:begin -->\n";
constexpr const char* kEnd = "<!-- numbers:end -->";

std::string read_file(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) throw std::runtime_error(path + ": cannot be read");
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

// With this many significant digits, and never with an exponent.
std::string rounded(double value, int digits) {
    char text[32];
    if (value < std::pow(10.0, digits)) {
        std::snprintf(text, sizeof text, "%.*g", digits, value);
    } else {
        std::snprintf(text, sizeof text, "%.0f", value);
    }
    return text;
}

std::string make_table(const nlohmann::json& results) {
    // Medians over the repetitions.
    std::map<std::string, const nlohmann::json*> medians;
    for (const nlohmann::json& run : results.at("benchmarks")) {
        if (run.value("aggregate_name", "") != "median") continue;
        std::string name = run.at("run_name");
        const std::size_t clock = name.rfind(kClock);
        if (clock != std::string::npos && clock + kClock.size() == name.size()) name.resize(clock);
        medians[name] = &run;
    }
    std::string table = "| nanoseconds, median |";
    for (const char* isa : kIsas) table += std::string(" ") + isa + " |";
    table += " others, times avx2 |\n|---|";
    for (std::size_t i = 0; i < kIsas.size(); ++i) table += "--:|";
    table += "---|\n";
    for (const Row& row : kRows) {
        table += std::string("| ") + row.label + " |";
        const auto seconds_of = [&](const char* end) {
            const std::string name = std::string(row.benchmark) + "/" + end;
            const auto found = medians.find(name);
            if (found == medians.end()) throw std::runtime_error("no median of " + name + " in the results");
            return found->second->at(row.counter).get<double>();
        };
        for (const char* isa : kIsas) {
            table += " " + rounded(1e9 * seconds_of(isa), 3) + " |";
        }
        const char* separator = " ";
        for (const char* other : row.others) {
            table += separator + std::string(kLibraries.at(other)) + " " +
                     rounded(seconds_of(other) / seconds_of("avx2"), 2);
            separator = ", ";
        }
        table += " |\n";
    }
    const nlohmann::json& context = results.at("context");
    const auto text = [&](const char* key) { return context.at(key).get<std::string>(); };
    return table + "\nOne thread, " + text("cpu") + ", " + text("compiler") + " " + text("flags") +
           ", commit " + text("commit") + ".\n";
}

// The medians alone, and the part of the context that a reader needs: nothing that names a machine or a path.
nlohmann::json reduce(const nlohmann::json& results) {
    nlohmann::json reduced;
    for (const char* key : {"date", "cpu", "compiler", "flags", "commit", "broadside", "num_cpus"}) {
        reduced["context"][key] = results.at("context").at(key);
    }
    reduced["benchmarks"] = nlohmann::json::array();
    for (const nlohmann::json& run : results.at("benchmarks")) {
        if (run.value("aggregate_name", "") == "median") reduced["benchmarks"].push_back(run);
    }
    return reduced;
}

int save(const std::string& results_path, const std::string& reduced_path) {
    // The variation of a counter that is always zero, which Google Benchmark writes as invalid JSON.
    const std::string text = std::regex_replace(read_file(results_path), std::regex(": -?NaN"), ": null");
    const nlohmann::json results = nlohmann::json::parse(text);
    make_table(results);  // throws if a row is missing, before the last measured values are lost
    std::ofstream(reduced_path) << reduce(results).dump(1) << "\n";
    return 0;
}

// The filter of the benches for the rows of the table and no others.
std::string make_filter() {
    std::string filter = "^(";
    for (const Row& row : kRows) {
        std::string ends;
        for (const char* isa : kIsas) ends += std::string(isa) + "|";
        for (const char* other : row.others) ends += std::string(other) + "|";
        ends.pop_back();
        filter += std::string(row.benchmark) + "/(" + ends + ")|";
    }
    filter.pop_back();
    return filter + ")(" + std::string(kClock) + ")?$";
}

int run(const std::string& results_path, const std::string& readme_path, bool is_check) {
    const std::string table = make_table(nlohmann::json::parse(read_file(results_path)));
    const std::string readme = read_file(readme_path);
    const std::size_t begin = readme.find(kBegin);
    const std::size_t end = readme.find(kEnd);
    if (begin == std::string::npos || end == std::string::npos)
        throw std::runtime_error(readme_path + ": no markers");
    const std::size_t table_begin = begin + std::string(kBegin).size();
    const std::string updated = readme.substr(0, table_begin) + table + readme.substr(end);
    if (is_check) {
        if (updated == readme) return 0;
        std::fprintf(stderr, "%s: the table of numbers differs from %s; run this tool without --check\n",
                     readme_path.c_str(), results_path.c_str());
        return 1;
    }
    std::ofstream(readme_path, std::ios::binary) << updated;
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    std::string results_path;
    std::string readme_path;
    bool is_check = false;
    bool is_save = false;
    bool is_filter = false;
    CLI::App app("Writes the README's table of numbers from a benchmark result.");
    app.add_option("results", results_path, "JSON of the benches, with repetitions");
    app.add_option("readme", readme_path, "README.md to update between its markers, or where --save writes");
    app.add_flag("--save", is_save, "Write the medians and the context to the second file instead");
    app.add_flag("--check", is_check, "Change nothing; fail when the table would change");
    app.add_flag("--filter", is_filter, "Only print the filter that runs the rows of the table");
    CLI11_PARSE(app, argc, argv);
    if (is_filter) {
        std::puts(make_filter().c_str());
        return 0;
    }
    if (readme_path.empty()) return app.exit(CLI::RequiredError("results and readme"));
    try {
        return is_save ? save(results_path, readme_path) : run(results_path, readme_path, is_check);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "broadside-readme-table: %s\n", error.what());
        return 1;
    }
}
