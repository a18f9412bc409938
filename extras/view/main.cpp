// broadside-view: scenes and replays as a page for any browser.
#include "extras/recording/load_recording.hpp"
#include "extras/support/choose_isa.hpp"
#include "extras/support/named_values.hpp"
#include "extras/support/progress_bar.hpp"
#include "extras/view/replay_film.hpp"
#include "extras/view/scene_film.hpp"
#include "extras/viewer/page.hpp"

#include <broadside/config_string.hpp>
#include <broadside/scene_io/new_file.hpp>
#include <broadside/scene_io/scene.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <stdexcept>

namespace {

using namespace broadside;
using namespace broadside::view;

struct Arguments {
    std::vector<std::string> paths;
    std::string page_path = "view.html";
    std::string isa;
    ViewSettings settings;
};

std::map<std::string, PairAlgorithm> algorithms() {
    std::map<std::string, PairAlgorithm> names;
    for (const PairAlgorithm algorithm : {PairAlgorithm::automatic, PairAlgorithm::brute_force,
                                          PairAlgorithm::sweep_and_prune, PairAlgorithm::cells}) {
        names.emplace(pair_algorithm_name(algorithm), algorithm);
    }
    return names;
}

template <class T>
T value_or_throw(scene_io::Result<T>&& result) {
    if (!result) throw std::runtime_error(result.error().message);
    return std::move(result).value();
}

// The name of the file, which a page has room for; the whole path where two files have the same name.
std::string title_of(const std::string& path, const std::vector<std::string>& all) {
    const auto name_of = [](const std::string& one) { return std::filesystem::path(one).filename(); };
    const auto is_alike = [&](const std::string& one) { return name_of(one) == name_of(path); };
    return std::count_if(all.begin(), all.end(), is_alike) > 1 ? path : name_of(path).string();
}

// The page shows the triangles of a mesh beside their boxes.
void add_mesh(const std::string& path, viewer::Film& out_film) {
    const scene_io::Result<scene_io::Scene> scene = scene_io::load_scene(path);
    if (!scene) return;
    const auto* mesh = std::get_if<scene_io::TriangleMesh>(&*scene);
    if (mesh == nullptr) return;
    TriangleSoa triangles;
    const std::span<const std::array<std::uint32_t, 3>> indices = mesh->triangles;
    if (triangles.assign(mesh->positions, {indices.data()->data(), 3 * indices.size()}).status ==
        Status::ok) {
        out_film.set_mesh(triangles);
    }
}

// What goes beside a replay that comes alone: the same scene through the library as it is here.
recording::ReplayReport replay_here(const scene_io::Recording& recording,
                                    const recording::ReplayReport& other, Isa isa) {
    recording::ReplayReport here;
    here.config = config_string();
    here.isa = isa_name(isa);
    here.settings = other.settings;
    here.frames = recording::replay(recording, here.settings);
    return here;
}

int run(Arguments arguments) {
    if (!viewer::has_page()) throw std::runtime_error(viewer::no_page_text());
    arguments.settings.isa = extras::choose_isa(arguments.isa);
    std::vector<std::string> scene_paths;
    std::vector<recording::ReplayReport> replays;
    std::vector<std::string> replay_paths;
    for (const std::string& path : arguments.paths) {
        if (!path.ends_with(".json")) {
            scene_paths.push_back(path);
            continue;
        }
        replays.push_back(value_or_throw(recording::read_replay(path)));
        replay_paths.push_back(path);
    }
    if (scene_paths.size() > 2 || replays.size() > 2)
        throw std::runtime_error("two scenes and two replays at most");

    std::deque<viewer::Film> films;
    std::vector<SceneFilm> scenes;
    std::vector<scene_io::Recording> recordings;
    for (const std::string& path : scene_paths) {
        recordings.push_back(value_or_throw(recording::load_recording({path})));
        const extras::ProgressBar bar(recordings.back().frames.size(), "frames");
        scenes.push_back(make_scene_film(title_of(path, scene_paths), recordings.back(), arguments.settings,
                                         [&](std::size_t done) { bar.show(done); }));
        add_mesh(path, scenes.back().film);
    }
    std::string difference;
    if (scenes.size() == 2) {
        difference = compare(scenes[0], scenes[1]);
        scenes[0].film.add_note(difference.empty() ? "A and B are equal." : difference);
    }
    for (SceneFilm& scene : scenes) films.push_back(std::move(scene.film));
    if (films.empty()) films.push_back(make_replay_film(title_of(replay_paths[0], replay_paths), replays[0]));
    if (replays.size() == 1 && !recordings.empty())
        replays.push_back(replay_here(recordings[0], replays[0], arguments.settings.isa));
    if (replays.size() == 2) (void)show_differences(replays[0], replays[1], films[0]);

    std::vector<const viewer::Film*> shown;
    for (const viewer::Film& film : films) shown.push_back(&film);
    if (const auto error = scene_io::write_file(arguments.page_path, viewer::make_page(shown))) {
        throw std::runtime_error(error->message);
    }
    if (!difference.empty()) std::printf("%s\n", difference.c_str());
    std::printf("for any browser: %s\n", arguments.page_path.c_str());
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    Arguments arguments;
    CLI::App app(
        "Scenes as a page for any browser: their boxes, pairs and events, and how the library finds them.",
        "broadside-view");
    app.add_option(
           "files", arguments.paths,
           "A bounds*.txt world, a .boxrec or .boxrec.gz recording, a .ply, .obj or .stl mesh; a second "
           "scene "
           "stands beside the first, with what differs. Replays of broadside-record (.json), one or two: "
           "the frames that differ from each other, or from what is found here")
        ->required()
        ->type_name("FILE [FILE [FILE [FILE]]]")
        ->expected(1, 4);
    app.add_option("-o,--page", arguments.page_path, "Where the page goes")
        ->capture_default_str()
        // ./run view names a file in build/, and its caller may name another one.
        ->take_last();
    app.add_option("--isa", arguments.isa,
                   "ISA by name; default: BROADSIDE_ISA, else the best that this machine has")
        ->check(extras::isa_names());
    app.add_option("--algorithm", arguments.settings.algorithm, "Of find_pairs; default: automatic")
        ->transform(extras::one_of(algorithms()));
    app.add_option("--margin", arguments.settings.margin,
                   "By how much boxes are grown for the candidates; default: four times the median motion, "
                   "less where many boxes lie so near");
    app.add_option("--frames", arguments.settings.max_frame_count, "Frames to show, from the first")
        ->capture_default_str()
        ->check(CLI::Range(1, 1000000));
    CLI11_PARSE(app, argc, argv);
    try {
        return run(arguments);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "broadside-view: %s\n", error.what());
        return 1;
    }
}
