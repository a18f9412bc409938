// Programs as C++.
#include "tests/broadphase/world/life_shrinker.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

namespace broadside::test {
namespace {

constexpr const char* kActions[] = {"add",
                                    "remove",
                                    "move",
                                    "set_kind",
                                    "set_filter",
                                    "set_layers",
                                    "set_margin",
                                    "set_displacements",
                                    "set_user_data",
                                    "shift_origin",
                                    "update",
                                    "ask_pairs",
                                    "ask_persisting",
                                    "ask_pairs_of",
                                    "ask_values",
                                    "ask_queries",
                                    "hold_view",
                                    "ask_views",
                                    "drop_views",
                                    "save",
                                    "keep_one",
                                    "move_world",
                                    "shrink",
                                    "misuse",
                                    "refuse_memory"};
constexpr const char* kWays[] = {"batch", "one_by_one", "prepared", "columns", "twice"};
constexpr const char* kPlaces[] = {"uniform",  "pile",  "wall",  "lattice", "mixed",
                                   "clusters", "floor", "point", "any"};
constexpr const char* kMotionWords[] = {"step",  "together", "jump",  "far",
                                        "spoil", "stretch",  "nudge", "none"};

template <class Enumerator>
std::size_t index_of(Enumerator value) {
    return static_cast<std::size_t>(value);
}

// The shortest text of the same number.
std::string text_of(float value) {
    std::string best;
    for (int digits = 1; digits <= 9; ++digits) {
        char text[32];
        std::snprintf(text, sizeof text, "%.*g", digits, static_cast<double>(value));
        best = text;
        if (std::strtof(text, nullptr) == value) break;
    }
    return best.find_first_of(".e") == std::string::npos ? best : best + "f";
}

// Fields that differ from the default.
std::string text_of(const LifeOperation& operation) {
    const LifeOperation usual;
    std::ostringstream text;
    text << "{.action = " << kActions[index_of(operation.action)];
    const auto put_number = [&](const char* name, std::uint32_t value, std::uint32_t usual_value) {
        if (value != usual_value) text << ", ." << name << " = " << value;
    };
    put_number("first", operation.first, usual.first);
    put_number("count", operation.count, usual.count);
    put_number("one_in", operation.one_in, usual.one_in);
    put_number("seed", operation.seed, usual.seed);
    if (operation.size != 0) text << ", .size = " << text_of(operation.size);
    put_number("number", operation.number, usual.number);
    if (operation.way != usual.way) text << ", .way = " << kWays[index_of(operation.way)];
    if (operation.place != usual.place) text << ", .place = " << kPlaces[index_of(operation.place)];
    if (operation.motion != usual.motion) text << ", .motion = " << kMotionWords[index_of(operation.motion)];
    put_number("traits", operation.traits, usual.traits);
    put_number("workers", operation.workers, usual.workers);
    text << "}";
    return text.str();
}

// Repeated operations, alone or in twos, once.
void put_operations(const std::vector<LifeOperation>& operations, std::ostream& text) {
    const auto times_of = [&](std::size_t begin, std::size_t length) {
        std::size_t end = begin + length;
        while (end < operations.size() && operations[end] == operations[end - length]) ++end;
        return (end - begin) / length;
    };
    for (std::size_t i = 0; i < operations.size();) {
        const bool is_two = i + 1 < operations.size() && times_of(i, 2) > 1 && times_of(i, 1) == 1;
        const std::size_t times = times_of(i, is_two ? 2 : 1);
        text << "    put(" << times << ", {" << text_of(operations[i]);
        if (is_two) text << ", " << text_of(operations[i + 1]);
        text << "});\n";
        i += times * (is_two ? 2 : 1);
    }
}

// A file of the tests, with its includes that are not written yet in their place.
void write_file(const std::filesystem::path& folder, const std::string& name, std::set<std::string>& written,
                std::ostream& text) {
    if (!written.insert(name).second) return;
    std::ifstream file(folder / name);
    for (std::string line; std::getline(file, line);) {
        const std::string include = "#include \"tests/";
        if (line.rfind(include, 0) == 0) {
            const std::size_t begin = include.size() - std::string("tests/").size();
            write_file(folder, line.substr(begin, line.rfind('"') - begin), written, text);
        } else if (line != "#pragma once") {
            text << line << '\n';
        }
    }
}

}  // namespace

std::string main_of(const LifeProgram& program) {
    std::ostringstream text;
    text << "int main() {\n    using namespace broadside::test;\n    using enum LifeAction;\n    using enum "
            "LifeWay;\n"
            "    using enum LifePlace;\n    using enum LifeMotion;\n    LifeProgram program;\n";
    if (program.order == WorldOrder::user_data)
        text << "    program.order = broadside::WorldOrder::user_data;\n";
    if (program.fixed_objects_pair) text << "    program.fixed_objects_pair = true;\n";
    if (program.max_pair_count != LifeProgram().max_pair_count)
        text << "    program.max_pair_count = " << program.max_pair_count << ";\n";
    if (program.thresholds_seed != 0)
        text << "    program.thresholds_seed = " << program.thresholds_seed << "u;\n";
    text << "    const auto put = [&](int times, std::vector<LifeOperation> operations) {\n"
            "        for (; times > 0; --times)\n"
            "            program.operations.insert(program.operations.end(), operations.begin(), "
            "operations.end());\n"
            "    };\n";
    put_operations(program.operations, text);
    const char* const call = program.thresholds_seed != 0 ? "play(program)" : "LifePlayer(program).play()";
    text << "    const LifeResult result = " << call
         << ";\n"
            "    std::printf(\"operation %zu of %zu: %s\\n\", result.operation_count, "
            "program.operations.size(),\n"
            "                result.has_failed() ? result.failure.c_str() : \"all is well\");\n"
            "    return result.has_failed() ? 1 : 0;\n}\n";
    return text.str();
}

std::string source_of(const LifeProgram& program, const std::filesystem::path& source_folder) {
    std::ostringstream text;
    text << "// A life of a World that fails, from main at the end; what stands before plays it beside an "
            "oracle.\n";
    std::set<std::string> written;
    for (const char* name : {"life_player.cpp", "life_changes.cpp", "life_questions.cpp", "life_oracle.cpp"})
        write_file(source_folder, std::string("tests/broadphase/world/") + name, written, text);
    if (program.thresholds_seed != 0) {
        write_file(source_folder, "tests/broadphase/world/life_play.cpp", written, text);
        write_file(source_folder, "tests/support/thresholds.cpp", written, text);
    }
    text << "\n#include <cstdio>\n\n" << main_of(program);
    return text.str();
}

}  // namespace broadside::test
