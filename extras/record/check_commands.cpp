// check and stats: the faults of a recording, and its contents.
#include "extras/record/commands.hpp"
#include "extras/recording/stats_report.hpp"

#include <broadside/scene_io/boxrec_check.hpp>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>

namespace broadside::record {
namespace {

using scene_io::BoxrecCheck;
using scene_io::BoxrecFault;

std::string check_text(const std::string& path, const BoxrecCheck& check) {
    std::string text;
    for (const BoxrecFault& fault : check.faults) {
        text += path + ": byte " + std::to_string(fault.byte) + ": " + fault.text + "\n";
    }
    if (check.fault_count > check.faults.size()) {
        text += path + ": and " + std::to_string(check.fault_count - check.faults.size()) + " more faults\n";
    }
    const std::string read = "frames " + std::to_string(check.read_frame_count) + " of " +
                             std::to_string(check.frame_count) + ", boxes " +
                             std::to_string(check.box_count) + ", uncompressed bytes " +
                             std::to_string(check.byte_count) + "\n";
    return text + path + (check.fault_count == 0 ? ": no fault; " : ": read ") + read;
}

nlohmann::ordered_json check_json(const std::string& path, const BoxrecCheck& check) {
    nlohmann::ordered_json json = {
        {"recording", path},
        {"fault_count", check.fault_count},
        {"frame_count", check.frame_count},
        {"read_frame_count", check.read_frame_count},
        {"box_count", check.box_count},
        {"byte_count", check.byte_count},
        {"faults", nlohmann::ordered_json::array()},
    };
    for (const BoxrecFault& fault : check.faults) {
        json["faults"].push_back({{"byte", fault.byte}, {"text", fault.text}});
    }
    return json;
}

}  // namespace

void add_check_command(CLI::App& app, int& out_exit_code) {
    struct Arguments {
        std::vector<std::string> paths;
        std::size_t max_listed_count = 100;
        bool json = false;
    };
    auto arguments = std::make_shared<Arguments>();
    CLI::App* command =
        app.add_subcommand("check", "Every fault of recordings, with its byte in the uncompressed stream");
    command->add_option("input", arguments->paths, ".boxrec or .boxrec.gz recordings")
        ->type_name("FILE")
        ->required();
    command
        ->add_option("--max-faults", arguments->max_listed_count, "Faults listed for each; all are counted")
        ->capture_default_str()
        ->check(extras::whole_number());
    command->add_flag("--json", arguments->json, "Print JSON");
    command->callback([arguments, &out_exit_code] {
        nlohmann::ordered_json all = nlohmann::ordered_json::array();
        for (const std::string& path : arguments->paths) {
            const BoxrecCheck check =
                value_or_throw(scene_io::check_boxrec(path, arguments->max_listed_count));
            if (check.fault_count != 0) out_exit_code = 1;
            if (arguments->json) {
                all.push_back(check_json(path, check));
            } else {
                std::fputs(check_text(path, check).c_str(), stdout);
            }
        }
        if (arguments->json) std::printf("%s\n", all.dump(1).c_str());
    });
}

void add_stats_command(CLI::App& app) {
    struct Arguments {
        InputArguments input;
        bool json = false;
        bool has_frames = false;
    };
    auto arguments = std::make_shared<Arguments>();
    CLI::App* command = app.add_subcommand("stats", "Frames, objects, sizes, motion and overlaps");
    add_input_options(*command, arguments->input);
    command->add_flag("--json", arguments->json, "Print JSON, frame by frame");
    command->add_flag("--per-frame", arguments->has_frames, "A line for each frame as well");
    command->callback([arguments] {
        const recording::RecordingStats stats = recording::stats_of(load(arguments->input));
        const std::string title = arguments->input.title();
        std::fputs((arguments->json ? recording::make_stats_json(stats, title)
                                    : recording::make_stats_table(stats, title, arguments->has_frames))
                       .c_str(),
                   stdout);
    });
}

}  // namespace broadside::record
