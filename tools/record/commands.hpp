// The commands of broadside-record. Each adds itself to the command line, and when it is the one, runs and sets the exit
// code: 0 for well, 1 for faults or differences found. What keeps it from its work it throws as std::runtime_error.
#pragma once

#include "tools/recording/load_recording.hpp"

#include <CLI/CLI.hpp>

#include <stdexcept>
#include <string>
#include <vector>

namespace broadside::record {

void add_convert_command(CLI::App& app);
void add_cut_command(CLI::App& app);
void add_anonymise_command(CLI::App& app);
void add_check_command(CLI::App& app, int& out_exit_code);
void add_stats_command(CLI::App& app);
void add_replay_command(CLI::App& app);
void add_compare_command(CLI::App& app, int& out_exit_code);

/// The files of a scene, and which parts of a mesh are meant.
struct InputArguments {
    std::vector<std::string> paths;
    recording::LoadSettings settings;
};
void add_input_options(CLI::App& command, InputArguments& out_arguments);

/// The scene as a recording.
scene_io::Recording load(const InputArguments& arguments);

/// The value, or its error thrown.
template <class T>
T value_or_throw(scene_io::Result<T> result) {
    if (!result) throw std::runtime_error(result.error().message);
    return *std::move(result);
}

}  // namespace broadside::record
