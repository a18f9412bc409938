// The common part of an engine's program: it reads a case, computes the result, and prints it. See
// ../README.md.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace conformance {

struct Box {
    float min[3];
    float max[3];
};
using Pairs = std::vector<std::pair<unsigned, unsigned>>;

/// The numbers of every line of the standard input, `count` a line.
inline std::vector<std::vector<float>> read_rows(std::size_t count) {
    std::vector<std::vector<float>> rows;
    std::vector<float> row;
    char word[128];
    while (std::scanf("%127s", word) == 1) {
        row.push_back(std::strtof(word, nullptr));
        if (row.size() < count) continue;
        rows.push_back(row);
        row.clear();
    }
    return rows;
}
inline Box box_of(const float* numbers) {
    Box box;
    std::memcpy(box.min, numbers, sizeof box.min);
    std::memcpy(box.max, numbers + 3, sizeof box.max);
    return box;
}

inline void print_pairs(const Pairs& pairs) {
    for (const auto& [first, second] : pairs)
        std::printf("%u %u\n", first < second ? first : second, first < second ? second : first);
}
inline void print_time(bool has_one, float time) {
    if (has_one)
        std::printf("%a\n", static_cast<double>(time));
    else
        std::printf("none\n");
}

/// The main program of an engine. Each of the three functions gets rows of its kind; null if the engine has
/// no such query.
inline int run(int argc, char** argv, Pairs (*pairs)(const std::vector<Box>& boxes),
               void (*impact)(const Box& resting, const Box& mover, const float* displacement),
               void (*ray)(const float* origin, const float* direction, float t_max, const Box& box)) {
    const std::string kind = argc == 2 ? argv[1] : "";
    if (kind == "pairs" && pairs != nullptr) {
        std::vector<Box> boxes;
        for (const auto& row : read_rows(6)) boxes.push_back(box_of(row.data()));
        print_pairs(pairs(boxes));
    } else if (kind == "impacts" && impact != nullptr) {
        for (const auto& row : read_rows(15))
            impact(box_of(row.data()), box_of(row.data() + 6), row.data() + 12);
    } else if (kind == "rays" && ray != nullptr) {
        for (const auto& row : read_rows(13)) ray(row.data(), row.data() + 3, row[6], box_of(row.data() + 7));
    } else {
        std::printf("unsupported\n");
    }
    return 0;
}

}  // namespace conformance
