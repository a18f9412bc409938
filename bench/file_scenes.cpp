// Reading the scenes from files.
#include "bench/file_scenes.hpp"

#include <broadside/scene_io/scene.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <variant>

namespace broadside::bench {
namespace {

using Frames = std::vector<std::vector<scene_io::BoxRecord>>;

std::vector<FileScene>& user_scenes() {
    static std::vector<FileScene> scenes;
    return scenes;
}

// Without the endings, and with only those characters that a filter of rows can name.
std::string row_name(const std::filesystem::path& path) {
    std::filesystem::path file = path.filename();
    if (file.extension() == ".gz") file = file.stem();
    std::string name = file.stem().string();
    const auto is_plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    };
    for (char& c : name) c = is_plain(c) ? c : '_';
    return name;
}

Frames static_frame(const std::vector<Aabb>& boxes) {
    Frames frames(1);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        frames[0].push_back({static_cast<std::uint32_t>(i), scene_io::BoxKind::static_object, boxes[i]});
    }
    return frames;
}

struct ToFileScene {
    FileScene operator()(scene_io::BoxList&& list) const { return {name, static_frame(list.boxes), {}}; }
    FileScene operator()(scene_io::Recording&& recording) const {
        return {name, std::move(recording.frames), {}};
    }
    FileScene operator()(scene_io::TriangleMesh&& mesh) const {
        Frames frames = static_frame(scene_io::triangle_boxes(mesh));
        return {name, std::move(frames), std::move(mesh)};
    }
    std::string name;
};

std::optional<FileScene> read_scene(const std::filesystem::path& path) {
    scene_io::Result<scene_io::Scene> scene = scene_io::load_scene(path);
    if (!scene) {
        std::fprintf(stderr, "%s\n", scene.error().message.c_str());
        return std::nullopt;
    }
    FileScene read = std::visit(ToFileScene{row_name(path)}, std::move(*scene));
    if (read.frames.empty() || read.box_count() == 0) {
        std::fprintf(stderr, "%s: no box in its last frame\n", path.c_str());
        return std::nullopt;
    }
    return read;
}

// Faces of a deforming mesh over a step: long lists of pairs among boxes that all touch their neighbours.
std::optional<FileScene> read_armadillo(const std::filesystem::path& folder) {
    const auto meshes = scene_io::load_mesh_pair(folder / "326.ply", folder / "327.ply");
    if (!meshes) {
        std::fprintf(stderr, "%s\n", meshes.error().message.c_str());
        return std::nullopt;
    }
    const std::vector<Aabb> at_start = scene_io::triangle_boxes(meshes->at_start);
    const std::vector<Aabb> at_end = scene_io::triangle_boxes(meshes->at_end);
    return FileScene{"armadillo", static_frame(scene_io::swept_boxes(at_start, at_end)), meshes->at_start};
}

std::vector<FileScene> read_all() {
    std::vector<FileScene> scenes = std::move(user_scenes());
    const std::filesystem::path folder = BROADSIDE_DATA_DIR;
    for (const char* file : {"many_pyramids.boxrec.gz", "rain.boxrec.gz", "bounds01.txt", "bounds02.txt",
                             "bounds03.txt", "bunny.ply", "height-field.ply", "building.obj"}) {
        const auto has_its_name = [&](const FileScene& other) { return other.name == row_name(file); };
        const bool is_taken = std::any_of(scenes.begin(), scenes.end(), has_its_name);
        if (is_taken || !std::filesystem::exists(folder / file)) continue;
        if (auto scene = read_scene(folder / file)) scenes.push_back(std::move(*scene));
    }
    if (std::filesystem::exists(folder / "armadillo-rollers")) {
        if (auto scene = read_armadillo(folder / "armadillo-rollers")) scenes.push_back(std::move(*scene));
    }
    return scenes;
}

}  // namespace

bool take_scene_arguments(std::vector<char*>& state_arguments) {
    CLI::App options;
    options.set_help_flag();
    options.allow_extras();
    std::vector<std::string> paths;
    options.add_option("--scene", paths)->allow_extra_args(false);
    try {
        options.parse(static_cast<int>(state_arguments.size()), state_arguments.data());
    } catch (const CLI::ParseError& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return false;
    }
    // The rest belongs to Google Benchmark, unchanged, in memory that lives as long as the program.
    static std::vector<std::string> others;
    others = options.remaining();
    state_arguments.resize(1);
    for (std::string& argument : others) state_arguments.push_back(argument.data());

    const char* const from_environment = std::getenv("BROADSIDE_BENCH_SCENE");
    if (from_environment != nullptr && *from_environment != '\0') paths.emplace_back(from_environment);
    for (const std::string& path : paths) {
        auto scene = read_scene(path);
        if (!scene) return false;
        user_scenes().push_back(std::move(*scene));
    }
    return true;
}

const std::vector<FileScene>& file_scenes() {
    static const std::vector<FileScene> scenes = read_all();
    return scenes;
}

}  // namespace broadside::bench
