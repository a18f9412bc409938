// Random programs of worlds, played beside an oracle: a fixed set, then those of the day while time lasts. A
// failing one is shortened, printed and written as a C++ program.
#include "tests/broadphase/world/life_generator.hpp"
#include "tests/broadphase/world/life_player.hpp"
#include "tests/broadphase/world/life_shrinker.hpp"
#include "tests/support/folders.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/test_scale.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <ctime>
#include <fstream>
#include <set>

using namespace broadside;
using namespace broadside::test;

namespace {

using Clock = std::chrono::steady_clock;

// To shorten a failing program.
constexpr double kShrinkSeconds = 60;
// The first seeds always run: the same every day.
constexpr std::uint64_t kFixedSeedCount = 64;
// Further seeds of small programs.
constexpr std::uint64_t kSmallSeedCount = 600;

// A number from the environment, or the default.
std::uint64_t number_of_environment(const char* name, std::uint64_t usual) {
    const char* const text = std::getenv(name);
    return text == nullptr ? usual : std::strtoull(text, nullptr, 10);
}

class Lives {
public:
    Lives() = default;
    // In a process of its own a program may end the process, and is shortened all the same.
    explicit Lives(bool are_apart) : are_apart_(are_apart) {}

    // Fails with a program that reproduces the failure.
    void live(std::uint64_t seed) { live(seed, draw_life(seed)); }
    void live(std::uint64_t seed, const LifeProgram& program) {
        const std::span<const Isa> isas = supported_isas();
        // One in four on any instruction set, the others on the widest.
        const Isa isa =
            seed / 32 % 4 != 0 ? isas.back() : isas[static_cast<std::size_t>(seed / 128 % isas.size())];
        const ScopedIsa scoped_isa(isa);
        // Printed for one that ends the process, too.
        INFO("BROADSIDE_LIFE_SEED=", seed, " on ", std::string(isa_name(isa)));
        for (const LifeOperation& operation : program.operations) actions_.insert(operation.action);
        const LifeResult result = are_apart_ ? play_apart(program) : play(program);
        ++count_;
        updates_ += result.update_count;
        for (int path = 0; path < 3; ++path) paths_[path] += result.path_counts[path];
        refusals_ += result.refusal_count;
        capped_ += result.capped_count;
        if (!result.has_failed()) return;
        const LifeProgram shrunk = shrink_life(program, kShrinkSeconds);
        const auto file = std::filesystem::temp_directory_path() / ("life_" + std::to_string(seed) + ".cpp");
        std::ofstream(file) << source_of(shrunk, source_folder());
        FAIL("fails at operation ", result.operation_count, " of ", program.operations.size(), ": ",
             result.failure, ". Shorter, and with all it needs in ", file.string(), ":\n", main_of(shrunk));
    }
    const std::set<LifeAction>& actions() const { return actions_; }
    std::size_t refusal_count() const { return refusals_; }
    std::size_t capped_count() const { return capped_; }
    void tell() const {
        MESSAGE("lives: ", count_, ", updates: ", updates_, ", of them without changes: ", paths_[0],
                ", of few: ", paths_[1], ", of all: ", paths_[2], ", refused allocations: ", refusals_,
                ", too many pairs: ", capped_);
    }

private:
    bool are_apart_ = false;
    std::set<LifeAction> actions_;
    std::size_t count_ = 0;
    std::size_t updates_ = 0;
    std::size_t paths_[3] = {};
    std::size_t refusals_ = 0;
    std::size_t capped_ = 0;
};

}  // namespace

TEST_CASE("worlds match the oracle in fixed random programs, in which every operation occurs") {
    Lives lives;
    for (std::uint64_t seed = 0; seed < kFixedSeedCount; ++seed) lives.live(seed);
    lives.tell();
    for (int action = 0; action <= static_cast<int>(LifeAction::refuse_memory); ++action) {
        INFO("action ", action);
        REQUIRE(lives.actions().count(static_cast<LifeAction>(action)) == 1);
    }
    REQUIRE(lives.refusal_count() != 0);
    REQUIRE(lives.capped_count() != 0);
}

TEST_CASE("worlds of 20 to 100 objects match the oracle in fixed random programs" * kModel) {
    Lives lives;
    for (std::uint64_t seed = 0; seed < kSmallSeedCount * static_cast<std::uint64_t>(test_scale()); ++seed)
        lives.live(seed, draw_life(seed, kSmallLife));
    lives.tell();
}

TEST_CASE("worlds match the oracle in the random programs of the day") {
    const std::uint64_t day = static_cast<std::uint64_t>(std::time(nullptr)) / 86'400;
    const std::uint64_t first = number_of_environment("BROADSIDE_LIFE_SEED", day * 100'000);
    const std::uint64_t seconds =
        number_of_environment("BROADSIDE_LIFE_SECONDS", 8 * static_cast<std::uint64_t>(test_scale()));
    MESSAGE("from BROADSIDE_LIFE_SEED=", first, " on, BROADSIDE_LIFE_SECONDS=", seconds);
    const Clock::time_point end = Clock::now() + std::chrono::seconds(seconds);
    Lives lives(std::getenv("BROADSIDE_LIFE_SEED") != nullptr);
    for (std::uint64_t seed = first; seed == first || Clock::now() < end; ++seed) lives.live(seed);
    lives.tell();
}

TEST_CASE("a failing program is reduced to the operations and the object that it needs") {
    // Fails at the next update after object 37 was added and a margin above one was set.
    const PlayLife play_life = [](const LifeProgram& program) {
        LifeResult result;
        bool has_object = false;
        bool has_margin = false;
        for (const LifeOperation& operation : program.operations) {
            ++result.operation_count;
            const bool has_37 = operation.first <= 37 && 37 < operation.first + operation.count;
            has_object |= operation.action == LifeAction::add && operation.one_in == 1 && has_37;
            has_margin |= has_object && operation.action == LifeAction::set_margin && operation.size > 1;
            if (!has_margin || operation.action != LifeAction::update) continue;
            result.failure = "as it must";
            break;
        }
        return result;
    };
    LifeProgram program = draw_life(3, kMediumLife);
    LifeOperation margin;
    margin.action = LifeAction::set_margin;
    margin.size = 2.71828f;
    margin.workers = 3;
    program.operations.insert(program.operations.begin() + 70, margin);
    REQUIRE(play_life(program).has_failed());
    const LifeProgram shrunk = shrink_life(program, 10, play_life);
    REQUIRE(shrunk.operations.size() == 3);
    REQUIRE(shrunk.operations[0].action == LifeAction::add);
    REQUIRE(shrunk.operations[0].first == 37);
    REQUIRE(shrunk.operations[0].count == 1);
    REQUIRE(shrunk.operations[1].size == 3.0f);
    REQUIRE(shrunk.operations[1].workers == 0);
    REQUIRE(shrunk.operations[2] == LifeOperation{});
    REQUIRE(shrunk.thresholds_seed == 0);
    const std::string main = main_of(shrunk);
    REQUIRE(main.find(".action = set_margin, .size = 3}") != std::string::npos);
    const std::string source = source_of(shrunk, source_folder());
    REQUIRE(source.find("#include \"tests/") == std::string::npos);
    REQUIRE(source.find("LifeResult LifePlayer::play() {") != std::string::npos);
    REQUIRE(source.ends_with(main));
}
