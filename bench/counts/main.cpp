// Counts the instructions of the workloads under callgrind, and compares them with the figures of this
// compiler or writes new ones.
#include "bench/counts/callgrind_output.hpp"
#include "bench/counts/figures.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

using namespace broadside::counts;

namespace {

// The exit code that ctest takes for "skipped".
constexpr int kSkipped = 77;

const std::vector<std::string> kIsas = {"scalar", "sse2", "avx2"};

std::string read_file(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

// A folder for callgrind's files, removed with the object.
class WorkFolder {
public:
    WorkFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "broadside-counts-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for temporary files");
        path_ = name;
    }
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;
    ~WorkFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

std::string quoted(const std::string& text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

// Empty if the ISA cannot run under valgrind on this processor.
std::optional<Counts> count_instructions(const std::string& isa) {
    const WorkFolder folder;
    const std::string log = (folder.path() / "log").string();
    // Paths and names in full: otherwise lines refer to earlier lines.
    const std::string command =
        quoted(BROADSIDE_COUNTS_VALGRIND) +
        " --tool=callgrind --instr-atstart=no --compress-strings=no --compress-pos=no --callgrind-out-file=" +
        quoted((folder.path() / "dump").string()) + " " + quoted(BROADSIDE_COUNTS_PROGRAM) + " " + isa +
        " >" + quoted(log) + " 2>&1";
    const int result = std::system(command.c_str());
    const std::string output = read_file(log);
    if (result != 0) throw std::runtime_error("valgrind failed:\n" + output);
    if (output.find("unsupported isa") != std::string::npos) return std::nullopt;
    Counts counts;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
        std::ifstream stream(entry.path());
        const CallgrindDump dump = read_callgrind_dump(stream, BROADSIDE_COUNTS_PROGRAM);
        if (!dump.name.empty()) counts[dump.name + "/" + isa] = dump.instruction_count;
    }
    if (counts.empty()) throw std::runtime_error("callgrind has written no dump:\n" + output);
    return counts;
}

// The figures of one build, named by the compiler, flags and headers that affect the instructions.
struct FigureFile {
    std::string build;
    Figures figures;
};

FigureFile read_figures(const std::string& path) {
    const nlohmann::json json = nlohmann::json::parse(read_file(path));
    FigureFile file = {json.at("build").get<std::string>(), {}};
    for (const auto& [name, figure] : json.at("figures").items()) {
        file.figures[name] = {figure.at("instructions").get<std::uint64_t>(),
                              figure.at("reason").get<std::string>()};
    }
    return file;
}

void write_figures(const std::string& path, const FigureFile& file) {
    nlohmann::json figures = nlohmann::json::object();
    for (const auto& [name, figure] : file.figures) {
        figures[name] = {{"instructions", figure.instruction_count}, {"reason", figure.reason}};
    }
    std::ofstream stream(path, std::ios::binary);
    stream << nlohmann::json{{"build", file.build}, {"figures", figures}}.dump(2) << "\n";
    if (!stream.flush()) throw std::runtime_error(path + ": cannot be written");
}

// The reason why the figures do not apply to this build, or empty.
std::string mismatch(const std::string& path, const FigureFile& file) {
    if (file.build.empty()) return "no figures are kept for this compiler (" + path + ")";
    if (file.build == BROADSIDE_COUNTS_BUILD) return {};
    return "the figures are of another build.\n  kept: " + file.build + "\n  this: " + BROADSIDE_COUNTS_BUILD;
}

int check(const std::string& path, const std::vector<std::string>& isas, const FigureFile& file,
          const std::string& write_command) {
    bool has_skipped = false;
    bool has_failed = false;
    for (const std::string& isa : isas) {
        const std::optional<Counts> counted = count_instructions(isa);
        if (!counted) {
            std::printf("skipped: valgrind runs no %s on this processor, or it is not built\n", isa.c_str());
            has_skipped = true;
            continue;
        }
        std::vector<std::string> findings = compare(file.figures, *counted, isa);
        const std::vector<std::string> cliffs = find_cliffs(*counted);
        findings.insert(findings.end(), cliffs.begin(), cliffs.end());
        for (const std::string& finding : findings) std::printf("%s\n", finding.c_str());
        if (findings.empty()) {
            std::printf("%zu counts of %s are within %.0f %% of their figures\n", counted->size(),
                        isa.c_str(), 100 * kTolerance);
        }
        has_failed |= !findings.empty();
    }
    if (has_failed) {
        std::printf(
            "\nUnless this is a mistake, keep the new figures with the reason why they are worth it:\n"
            "  %s --reason '...'\nand commit %s with the change.\n",
            write_command.c_str(), path.c_str());
        return 1;
    }
    return has_skipped ? kSkipped : 0;
}

int write(const std::string& path, const std::string& reason, FigureFile file) {
    // Figures of another build are not comparable, so all of them are new.
    if (file.build != BROADSIDE_COUNTS_BUILD) file = {BROADSIDE_COUNTS_BUILD, {}};
    for (const std::string& isa : kIsas) {
        const std::optional<Counts> counted = count_instructions(isa);
        if (!counted) {
            std::printf("%s cannot be counted here; its figures stay as they are\n", isa.c_str());
            continue;
        }
        for (const std::string& finding : compare(file.figures, *counted, isa))
            std::printf("%s\n", finding.c_str());
        update(*counted, isa, reason, file.figures);
    }
    write_figures(path, file);
    std::printf("written: %s\n", path.c_str());
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app(
        "Counts instructions of fixed workloads under callgrind and compares them with the kept figures.");
    std::vector<std::string> isas = kIsas;
    std::string path = std::string(BROADSIDE_COUNTS_FOLDER) + "/" + BROADSIDE_COUNTS_FILE;
    std::string reason;
    bool is_writing = false;
    app.add_option("--isa", isas, "Instruction sets to compare (default: all that callgrind knows)")
        ->check(CLI::IsMember(kIsas));
    app.add_option("--figures", path, "The file of the figures (default: that of this compiler)");
    CLI::Option* const write_option =
        app.add_flag("--write", is_writing, "Keep the counts that left the tolerance as the new figures");
    CLI::Option* const reason_option =
        app.add_option("--reason", reason, "Why the new figures are what they are; kept with them");
    write_option->needs(reason_option);
    reason_option->needs(write_option);
    CLI11_PARSE(app, argc, argv);
    try {
        if (const std::string why = BROADSIDE_COUNTS_NOT; !why.empty()) {
            std::printf("skipped: %s\n", why.c_str());
            return kSkipped;
        }
        const bool is_there = std::filesystem::exists(path);
        const FigureFile file = is_there ? read_figures(path) : FigureFile{};
        if (is_writing) return write(path, reason, file);
        const std::string write_command = std::string(argv[0]) + " --write";
        if (const std::string why = mismatch(path, file); !why.empty()) {
            std::printf("skipped: %s\nTo begin figures of this build: %s --reason '...'\n", why.c_str(),
                        write_command.c_str());
            return kSkipped;
        }
        return check(path, isas, file, write_command);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "broadside-counts: %s\n", error.what());
        return 1;
    }
}
