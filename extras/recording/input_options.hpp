// The input options of the programs. For command lines only: needs CLI11.
#pragma once

#include "extras/recording/load_recording.hpp"
#include "extras/support/named_values.hpp"

#include <CLI/CLI.hpp>

#include <stdexcept>

namespace broadside::recording {

/// The files of a scene, and the chosen parts of a mesh.
struct InputArguments {
    std::vector<std::string> paths;
    LoadSettings settings;

    std::string title() const { return paths.size() == 2 ? paths[0] + " to " + paths[1] : paths.at(0); }
};

/// `out_arguments` must live until the command line is parsed.
inline void add_input_options(CLI::App& command, InputArguments& out_arguments) {
    command
        .add_option("input", out_arguments.paths,
                    "A .boxrec or .boxrec.gz recording, a bounds*.txt world, a .ply, .obj or .stl mesh, or "
                    "two meshes of "
                    "the same topology (start and end of a step)")
        ->required()
        ->type_name("FILE [FILE]")
        ->expected(1, 2);
    const std::map<std::string, MeshItems> items = {
        {"faces", MeshItems::faces}, {"edges", MeshItems::edges}, {"vertices", MeshItems::vertices}};
    command.add_option("--items", out_arguments.settings.mesh_items, "Parts of a mesh that become boxes")
        ->transform(extras::one_of(items));
}

/// The value, or its error thrown as std::runtime_error.
template <class T>
T value_or_throw(scene_io::Result<T> result) {
    if (!result) throw std::runtime_error(result.error().message);
    return *std::move(result);
}

inline scene_io::Recording load(const InputArguments& arguments) {
    return value_or_throw(load_recording(arguments.paths, arguments.settings));
}

}  // namespace broadside::recording
