// The commands of broadside-record. Each adds itself to the command line, and, if chosen, runs and sets the
// exit code: 0 for success, 1 if it found faults or differences. It throws errors as std::runtime_error.
#pragma once

#include "extras/recording/input_options.hpp"

namespace broadside::record {

using recording::add_input_options;
using recording::InputArguments;
using recording::load;
using recording::value_or_throw;

void add_convert_command(CLI::App& app);
void add_cut_command(CLI::App& app);
void add_anonymise_command(CLI::App& app);
void add_check_command(CLI::App& app, int& out_exit_code);
void add_stats_command(CLI::App& app);
void add_replay_command(CLI::App& app);
void add_compare_command(CLI::App& app, int& out_exit_code);

}  // namespace broadside::record
