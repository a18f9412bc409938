// Makes a life that fails a short one that fails, and prints it as a program.
#pragma once

#include "tests/broadphase/world/life_player.hpp"

#include <filesystem>
#include <functional>

namespace broadside::test {

/// Plays a program.
using PlayLife = std::function<LifeResult(const LifeProgram&)>;

/// A program that fails as long as `program` does, of fewer operations on fewer objects, with simpler numbers. Any
/// failure will do. Stops after so many seconds.
LifeProgram shrink_life(const LifeProgram& program, double seconds, const PlayLife& play_life = play_apart);

/// Its main function, which plays it and says what fails.
std::string main_of(const LifeProgram& program);

/// The same with all that it needs of the tests: a source that stands alone beside the library and oneTBB, and, where
/// thresholds are drawn, the library's sources.
std::string source_of(const LifeProgram& program, const std::filesystem::path& source_folder);

}  // namespace broadside::test
