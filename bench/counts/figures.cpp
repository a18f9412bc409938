// Comparing and updating, with the messages of a failed test.
#include "bench/counts/figures.hpp"

#include <cmath>
#include <cstdio>

namespace broadside::counts {
namespace {

double ratio_of(std::uint64_t counted, std::uint64_t kept) {
    return static_cast<double>(counted) / static_cast<double>(kept);
}

bool is_of(const std::string& name, const std::string& isa) {
    const std::string suffix = "/" + isa;
    return name.size() > suffix.size() &&
           name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0;
}

bool is_kept(const Figure& figure, std::uint64_t counted) {
    const auto kept = static_cast<double>(figure.instruction_count);
    return std::abs(static_cast<double>(counted) - kept) <= kTolerance * kept;
}

std::string difference(const std::string& name, std::uint64_t kept, std::uint64_t counted) {
    const double ratio = ratio_of(counted, kept);
    char text[160];
    std::snprintf(text, sizeof text, ": %llu instructions, were %llu, ratio %.4f: %.1f %% %s",
                  static_cast<unsigned long long>(counted), static_cast<unsigned long long>(kept), ratio,
                  100 * std::abs(ratio - 1), ratio > 1 ? "MORE" : "fewer, a gain to be kept");
    return name + text;
}

}  // namespace

std::vector<std::string> compare(const Figures& kept, const Counts& counted, const std::string& isa) {
    std::vector<std::string> findings;
    for (const auto& [name, count] : counted) {
        const auto figure = kept.find(name);
        if (figure == kept.end()) {
            findings.push_back(name + ": " + std::to_string(count) + " instructions, no figure is kept");
        } else if (!is_kept(figure->second, count)) {
            findings.push_back(difference(name, figure->second.instruction_count, count));
        }
    }
    for (const auto& [name, figure] : kept) {
        if (is_of(name, isa) && counted.count(name) == 0)
            findings.push_back(name + ": no workload has this name");
    }
    return findings;
}

std::vector<std::string> find_cliffs(const Counts& counted) {
    const std::string kind = "broadphase/world_";
    std::vector<std::string> findings;
    for (const auto& [name, count] : counted) {
        if (!name.starts_with(kind)) continue;
        const auto plain = counted.find(kind + "frames" + name.substr(name.find('/', kind.size())));
        if (plain == counted.end() || ratio_of(count, plain->second) <= kCliff) continue;
        char text[80];
        std::snprintf(text, sizeof text, ": %.3f times the plain batch, at most %.2f",
                      ratio_of(count, plain->second), kCliff);
        findings.push_back(name + text);
    }
    return findings;
}

void update(const Counts& counted, const std::string& isa, const std::string& reason,
            Figures& state_figures) {
    std::erase_if(state_figures, [&](const auto& entry) {
        return is_of(entry.first, isa) && counted.count(entry.first) == 0;
    });
    for (const auto& [name, count] : counted) {
        const auto figure = state_figures.find(name);
        if (figure == state_figures.end() || !is_kept(figure->second, count)) {
            state_figures.insert_or_assign(name, Figure{count, reason});
        }
    }
}

}  // namespace broadside::counts
