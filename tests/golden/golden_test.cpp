// The golden hashes of golden/hashes.txt: equal on every ISA, for 1 to 8 workers and for shuffled insertion,
// and so on every compiler and machine that runs the tests. A changed result is a change of behaviour, and
// shows here.
#include "tests/golden/results.hpp"
#include "tests/support/folders.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/thread_runner.hpp"

#include <cstdio>
#include <fstream>

using namespace broadside;
using namespace broadside::test;

namespace {

GoldenHashes read_hashes() {
    GoldenHashes hashes;
    std::ifstream file(source_folder() / "tests/golden/hashes.txt");
    std::string name;
    std::uint64_t hash;
    while (file >> name >> std::hex >> hash) hashes[name] = hash;
    REQUIRE(hashes.size() > 100);
    return hashes;
}

std::string text_of(std::uint64_t hash) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    return text;
}

void check(const GoldenHashes& found) {
    static const GoldenHashes known = read_hashes();
    for (const auto& [name, hash] : found) {
        INFO(name);
        const auto expected = known.find(name);
        CHECK(text_of(hash) == (expected == known.end() ? "not in the file" : text_of(expected->second)));
    }
}

}  // namespace

TEST_CASE("golden hashes are the same on every ISA") {
    for_each_isa([](Isa) {
        const GoldenHashes found = golden_results({});
        check(found);
        // All of the file except for recordings, which may be missing here.
        std::size_t known_count = 0;
        for (const auto& [name, hash] : read_hashes()) known_count += name.starts_with("recording/") ? 0 : 1;
        CHECK(found.size() == known_count);
    });
}

TEST_CASE("golden hashes are the same for 1 to 8 workers" * kLong) {
    for (std::uint32_t worker_count = 1; worker_count <= 8; ++worker_count) {
        INFO(worker_count << " workers");
        ShuffledRunner tasks(worker_count, worker_count);
        check(golden_results({.runner = tasks.runner()}));
    }
    Threads threads(4);
    check(golden_results({.runner = threads.runner()}));
}

TEST_CASE("golden hashes are the same for shuffled insertion" * kLong) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        INFO("seed " << seed);
        check(golden_results({.shuffle_seed = seed}));
    }
}

TEST_CASE("golden hashes of recordings are the same on every ISA, with workers, and for shuffled insertion") {
    for_each_isa([](Isa) { check(golden_recordings({})); });
    ShuffledRunner tasks(1, 5);
    check(golden_recordings({.runner = tasks.runner(), .shuffle_seed = 1}));
}

// broadside_tests -ns -tc='golden hashes as a file' >tests/golden/hashes.txt, without doctest's own lines.
TEST_CASE("golden hashes as a file" * doctest::skip()) {
    GoldenHashes all = golden_results({});
    all.merge(golden_recordings({}));
    for (const auto& [name, hash] : all) std::printf("%s %s\n", name.c_str(), text_of(hash).c_str());
}
