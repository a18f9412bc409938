// Plays a program with its own thresholds, which needs more than the public interface.
#include "tests/broadphase/world/life_player.hpp"
#include "tests/support/drawn_thresholds.hpp"

#include <optional>

namespace broadside::test {

LifeResult play(const LifeProgram& program) {
    std::optional<DrawnThresholds> drawn;
    if (program.thresholds_seed != 0) drawn.emplace(program.thresholds_seed);
    return LifePlayer(program).play();
}

}  // namespace broadside::test
