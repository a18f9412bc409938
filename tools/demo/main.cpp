// The demo: the whole collision stage on a street scene or on a file, timed, compared with scalar, and drawn.
#include "tools/demo/demo_report.hpp"
#include "tools/demo/demo_run.hpp"
#include "tools/demo/demo_scene.hpp"

#include <broadside/config_string.hpp>

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <cstdio>
#include <fstream>

namespace {

using namespace broadside;
using namespace broadside::demo;

int fail(const std::string& message) {
    std::fprintf(stderr, "broadside-demo: %s\n", message.c_str());
    return 1;
}

// A bar on a terminal, nothing elsewhere: logs and pipes get the table only. Debian has no C++ library for one.
class ProgressBar {
public:
    explicit ProgressBar(std::size_t total) : total_(total), is_shown_(isatty(STDERR_FILENO) != 0) {}
    void show(std::size_t done) const {
        if (!is_shown_ || total_ == 0) return;
        constexpr std::size_t kWidth = 40;
        const std::size_t filled = kWidth * done / total_;
        std::fprintf(stderr, "\r[%s%s] %zu/%zu frames%s", std::string(filled, '#').c_str(),
                     std::string(kWidth - filled, '.').c_str(), done, total_, done == total_ ? "\n" : "");
    }

private:
    std::size_t total_;
    bool is_shown_;
};

struct Arguments {
    std::vector<std::string> scene_paths;
    std::string isa;
    std::size_t frame_count = 120;
    std::uint32_t thread_count = 1;
    bool json = false;
    std::string picture_path = "demo.svg";
};

// The ISA to run on, or an error line.
std::string choose_isa(const std::string& name, Isa& out_isa) {
    if (name.empty()) {
        if (const std::optional<Isa> active = active_isa()) {
            out_isa = *active;
            return {};
        }
        return isa_error();
    }
    const std::optional<Isa> isa = find_isa(name);
    if (isa && set_active_isa(*isa) == Status::ok) {
        out_isa = *isa;
        return {};
    }
    std::string supported;
    for (const Isa each : supported_isas()) supported += std::string(" ") + isa_name(each);
    return "--isa " + name + (isa ? " cannot run here" : " is not the name of an ISA") +
           "; supported:" + supported;
}

int run(const Arguments& arguments) {
    RunOptions options;
    options.frame_count = arguments.frame_count;
    options.thread_count = arguments.thread_count;
    if (const std::string error = choose_isa(arguments.isa, options.isa); !error.empty()) return fail(error);
    SceneOrError opened;
    if (arguments.scene_paths.empty())
        opened.scene = make_street_scene();
    else
        opened = open_scene(arguments.scene_paths);
    if (opened.scene == nullptr) return fail(opened.error);

    if (!arguments.json) std::printf("%s\n\n", config_string().c_str());
    const ProgressBar bar(options.frame_count);
    const RunReport report = run_scene(*opened.scene, options, [&](std::size_t done) { bar.show(done); });
    if (!report.error.empty()) return fail(report.error);
    std::fputs((arguments.json ? make_json : make_table)(report, options, opened.scene->title()).c_str(),
               stdout);

    if (!arguments.picture_path.empty()) {
        std::ofstream file(arguments.picture_path, std::ios::binary);
        file << report.picture;
        file.close();
        if (!file) return fail("cannot write the picture to " + arguments.picture_path);
        if (!arguments.json) std::printf("picture of the last frame: %s\n", arguments.picture_path.c_str());
    }
    return report.same_frame_count() == report.frames.size()
               ? 0
               : fail("the results differ from the scalar ISA's");
}

}  // namespace

int main(int argc, char** argv) {
    Arguments arguments;
    CLI::App app("The whole collision stage on a street scene with traffic, or on a file.");
    app.add_option("--scene", arguments.scene_paths,
                   "A bounds*.txt world, a .boxrec or .boxrec.gz recording, a .ply or .obj mesh, or two "
                   "meshes of the "
                   "same topology (start and end of the step)")
        ->expected(1, 2);
    app.add_option("--isa", arguments.isa,
                   "ISA by name; default: BROADSIDE_ISA, else the best that this machine has");
    app.add_option("--frames", arguments.frame_count, "Frames to run")
        ->capture_default_str()
        ->check(CLI::Range(1, 1000000));
    app.add_option("--threads", arguments.thread_count, "Threads")
        ->capture_default_str()
        ->check(CLI::Range(1, 256));
    app.add_flag("--json", arguments.json, "Print JSON instead of the table");
    app.add_option("--picture", arguments.picture_path,
                   "Where the SVG of the last frame goes; empty for none")
        ->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    try {
        return run(arguments);
    } catch (const std::exception& error) {
        return fail(error.what());
    }
}
