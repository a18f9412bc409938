// The demo: the whole collision stage on a street scene or on a file, timed, compared with scalar, and shown.
#include "extras/demo/demo_film.hpp"
#include "extras/demo/demo_report.hpp"
#include "extras/demo/demo_run.hpp"
#include "extras/demo/demo_scene.hpp"
#include "extras/support/choose_isa.hpp"
#include "extras/support/named_values.hpp"
#include "extras/support/progress_bar.hpp"
#include "extras/viewer/page.hpp"

#include <broadside/config_string.hpp>
#include <broadside/scene_io/new_file.hpp>

#include <CLI/CLI.hpp>

#include <cstdio>

namespace {

using namespace broadside;
using namespace broadside::demo;

int fail(const std::string& message) {
    std::fprintf(stderr, "broadside-demo: %s\n", message.c_str());
    return 1;
}

struct Arguments {
    std::vector<std::string> scene_paths;
    std::string isa;
    std::size_t frame_count = 120;
    std::uint32_t thread_count = 1;
    bool json = false;
    std::string page_path = "demo.html";
};

int run(const Arguments& arguments) {
    RunOptions options;
    options.frame_count = arguments.frame_count;
    options.thread_count = arguments.thread_count;
    options.isa = extras::choose_isa(arguments.isa);
    SceneOrError opened;
    if (arguments.scene_paths.empty())
        opened.scene = make_street_scene();
    else
        opened = open_scene(arguments.scene_paths);
    if (opened.scene == nullptr) return fail(opened.error);

    if (!arguments.json) std::printf("%s\n\n", config_string().c_str());
    const extras::ProgressBar bar(options.frame_count, "frames");
    viewer::Film film(
        {.title = opened.scene->title(), .phases = film_phases(), .candidate_label = "Swept pairs"});
    const bool has_page = !arguments.page_path.empty() && viewer::has_page();
    const RunReport report = run_scene(*opened.scene, options, has_page ? &film : nullptr,
                                       [&](std::size_t done) { bar.show(done); });
    if (!report.error.empty()) return fail(report.error);
    std::fputs((arguments.json ? make_json : make_table)(report, options, opened.scene->title()).c_str(),
               stdout);

    if (has_page) {
        film.set_subtitle(make_subtitle(report, options));
        if (const std::size_t stride = ray_stride(report.ray_count); stride > 1) {
            film.add_note("One ray in " + std::to_string(stride) + " is drawn.");
        }
        const viewer::Film* const films[] = {&film};
        if (const auto error = scene_io::write_file(arguments.page_path, viewer::make_page(films))) {
            return fail(error->message);
        }
        if (!arguments.json) std::printf("the run, for any browser: %s\n", arguments.page_path.c_str());
    } else if (!arguments.page_path.empty()) {
        std::fprintf(stderr, "broadside-demo: %s\n", viewer::no_page_text());
    }
    return report.same_frame_count() == report.frames.size()
               ? 0
               : fail("the results differ from the scalar ISA's");
}

}  // namespace

int main(int argc, char** argv) {
    Arguments arguments;
    CLI::App app("The whole collision stage on a town and a terrain, or on a file.", "broadside-demo");
    app.add_option(
           "--scene", arguments.scene_paths,
           "A bounds*.txt world, a .boxrec or .boxrec.gz recording, a .ply, .obj or .stl mesh to walk "
           "on, or two meshes of the same topology (start and end of the step)")
        ->type_name("FILE [FILE]")
        ->expected(1, 2);
    app.add_option("--isa", arguments.isa,
                   "ISA by name; default: BROADSIDE_ISA, else the best that this machine has")
        ->check(extras::isa_names());
    app.add_option("--frames", arguments.frame_count, "Frames to run")
        ->capture_default_str()
        ->check(CLI::Range(1, 1000000));
    app.add_option("--threads", arguments.thread_count, "Threads")
        ->capture_default_str()
        ->check(CLI::Range(1, 256));
    app.add_flag("--json", arguments.json, "Print JSON instead of the table");
    app.add_option("--page", arguments.page_path,
                   "The page to write, which shows the run in any browser; empty for none")
        ->capture_default_str()
        // ./run demo names a file in build/, and its caller may name another one.
        ->take_last();
    CLI11_PARSE(app, argc, argv);
    try {
        return run(arguments);
    } catch (const std::exception& error) {
        return fail(error.what());
    }
}
