// The list of all suites, filled by the constants of the suites' files before main begins.
#include "bench/suites.hpp"

#include <algorithm>
#include <utility>

namespace broadside::bench {
namespace {

// In a function, because the order in which constants of different files are made is unspecified.
std::vector<Suite>& registry() {
    static std::vector<Suite> suites;
    return suites;
}

}  // namespace

Suite::Suite(std::string name, void (*register_rows)(), std::vector<std::string> quick_rows)
    : name_(std::move(name)), register_rows_(register_rows), quick_rows_(std::move(quick_rows)) {
    registry().push_back(*this);
}

std::vector<Suite> all_suites() {
    std::vector<Suite> suites = registry();
    std::sort(suites.begin(), suites.end(),
              [](const Suite& a, const Suite& b) { return a.name() < b.name(); });
    return suites;
}

}  // namespace broadside::bench
