// Makes a failing program short, and prints it as a C++ program.
#pragma once

#include "tests/broadphase/world/life_player.hpp"

#include <filesystem>
#include <functional>

namespace broadside::test {

/// Plays a program.
using PlayLife = std::function<LifeResult(const LifeProgram&)>;

/// A program that still fails, with fewer operations on fewer objects and simpler numbers. Any failure will
/// do. Stops after this many seconds.
LifeProgram shrink_life(const LifeProgram& program, double seconds, const PlayLife& play_life = play_apart);

/// Its main function, which plays it and reports the failure.
std::string main_of(const LifeProgram& program);

/// The same with everything that it needs of the tests: a source that needs only the library and oneTBB, and,
/// if thresholds are drawn, the library's sources.
std::string source_of(const LifeProgram& program, const std::filesystem::path& source_folder);

}  // namespace broadside::test
