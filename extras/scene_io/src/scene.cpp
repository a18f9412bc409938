// Any supported scene file by its path.
#include <broadside/scene_io/scene.hpp>

#include <broadside/scene_io/obj.hpp>
#include <broadside/scene_io/ply.hpp>
#include <broadside/scene_io/stl.hpp>

#include "file_bytes.hpp"
#include "messages.hpp"

#include <array>
#include <new>
#include <string>

namespace broadside::scene_io {
namespace {

enum class SceneFormat { unknown, bounds_text, boxrec, ply, obj, stl };

std::string lower_case(std::string text) {
    for (char& character : text) {
        if (character >= 'A' && character <= 'Z') character = static_cast<char>(character - 'A' + 'a');
    }
    return text;
}

SceneFormat format_by_extension(const std::filesystem::path& path) {
    const std::string name = lower_case(path.filename().string());
    if (name.ends_with(".txt")) return SceneFormat::bounds_text;
    if (name.ends_with(".boxrec") || name.ends_with(".boxrec.gz")) return SceneFormat::boxrec;
    if (name.ends_with(".ply")) return SceneFormat::ply;
    if (name.ends_with(".obj")) return SceneFormat::obj;
    if (name.ends_with(".stl")) return SceneFormat::stl;
    return SceneFormat::unknown;
}

SceneFormat format_by_contents(std::string_view first_bytes) {
    if (first_bytes.starts_with("BOXREC01") || first_bytes.starts_with("\x1f\x8b"))
        return SceneFormat::boxrec;
    if (first_bytes.starts_with("ply\n") || first_bytes.starts_with("ply\r\n")) return SceneFormat::ply;
    return SceneFormat::unknown;
}

Result<SceneFormat> format_of(const std::filesystem::path& path) {
    const SceneFormat by_extension = format_by_extension(path);
    Result<FileHandle> file = open_to_read(path);
    if (!file) return file.error();
    // Bytes read from a pipe are gone, so there the name alone decides.
    if (!std::filesystem::is_regular_file(path)) return by_extension;
    std::array<char, 8> first_bytes;
    const std::size_t count = std::fread(first_bytes.data(), 1, first_bytes.size(), file->get());
    const SceneFormat by_contents = format_by_contents({first_bytes.data(), count});
    return by_contents != SceneFormat::unknown ? by_contents : by_extension;
}

template <class Part>
Result<Scene> scene_of(Result<Part> part) {
    if (!part) return part.error();
    return Scene(*std::move(part));
}

}  // namespace

Result<Scene> load_scene(const std::filesystem::path& path) {
    const Result<SceneFormat> format = format_of(path);
    if (!format) return format.error();
    try {
        switch (*format) {
            case SceneFormat::bounds_text:
                return scene_of(read_bounds_text(path));
            case SceneFormat::boxrec:
                return scene_of(read_boxrec(path));
            case SceneFormat::ply:
                return scene_of(read_ply(path));
            case SceneFormat::obj:
                return scene_of(read_obj(path));
            case SceneFormat::stl:
                return scene_of(read_stl(path));
            case SceneFormat::unknown:
                break;
        }
    } catch (const std::bad_alloc&) {
        return error_in_file(path.string(), "expected a scene that fits into memory");
    }
    return error_at_byte(path.string(), 0, "expected a .txt, .boxrec, .boxrec.gz, .ply, .obj or .stl scene");
}

Result<MeshPair> load_mesh_pair(const std::filesystem::path& path_at_start,
                                const std::filesystem::path& path_at_end) {
    MeshPair pair;
    const std::array<const std::filesystem::path*, 2> paths = {&path_at_start, &path_at_end};
    const std::array<TriangleMesh*, 2> meshes = {&pair.at_start, &pair.at_end};
    for (std::size_t i = 0; i < 2; ++i) {
        Result<Scene> scene = load_scene(*paths[i]);
        if (!scene) return scene.error();
        TriangleMesh* mesh = std::get_if<TriangleMesh>(&*scene);
        if (mesh == nullptr) return error_in_file(paths[i]->string(), "expected a mesh (.ply, .obj or .stl)");
        *meshes[i] = std::move(*mesh);
    }
    const auto differ = [&](std::string_view noun, std::size_t at_end, std::size_t at_start) {
        return error_in_file(path_at_end.string(), text_of("expected ", counted(at_start, noun), " as in ",
                                                           path_at_start.string(), ", found ", at_end));
    };
    if (pair.at_start.positions.size() != pair.at_end.positions.size()) {
        return differ("vertex position", pair.at_end.positions.size(), pair.at_start.positions.size());
    }
    if (pair.at_start.triangles.size() != pair.at_end.triangles.size()) {
        return differ("triangle", pair.at_end.triangles.size(), pair.at_start.triangles.size());
    }
    for (std::size_t i = 0; i < pair.at_start.triangles.size(); ++i) {
        if (pair.at_start.triangles[i] != pair.at_end.triangles[i]) {
            return error_in_file(
                path_at_end.string(),
                text_of("triangle ", i, ": expected the corners that it has in ", path_at_start.string()));
        }
    }
    return pair;
}

}  // namespace broadside::scene_io
