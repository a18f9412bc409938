// convert, cut and anonymise: a scene in, a recording out.
#include "extras/record/commands.hpp"
#include "extras/recording/anonymise.hpp"
#include "extras/recording/cut.hpp"
#include "extras/support/named_values.hpp"

#include <cstdio>
#include <memory>
#include <optional>
#include <random>

namespace broadside::record {
namespace {

using scene_io::BoxKind;

const std::map<std::string, BoxKind> kKinds = {{"static", BoxKind::static_object},
                                               {"kinematic", BoxKind::kinematic_object},
                                               {"dynamic", BoxKind::dynamic_object}};

void add_output_option(CLI::App& command, std::string& out_path) {
    command
        .add_option("-o,--output", out_path,
                    "The recording to write, compressed if it ends in .gz; it appears when it is complete")
        ->required();
}

void save(const std::string& path, const scene_io::Recording& recording) {
    if (const auto error = scene_io::write_boxrec(path, recording)) throw std::runtime_error(error->message);
    std::size_t box_count = 0;
    for (const auto& frame : recording.frames) box_count += frame.size();
    std::printf("%s: frames %zu, boxes in all %zu\n", path.c_str(), recording.frames.size(), box_count);
}

// "7" or "7-9".
recording::IdRange id_range(const std::string& text) {
    unsigned long first = 0;
    unsigned long last = 0;
    char rest = 0;
    const int count = std::sscanf(text.c_str(), "%10lu-%10lu%c", &first, &last, &rest);
    const bool is_single = count == 1 && text.find('-') == std::string::npos;
    if (is_single) last = first;
    if ((!is_single && count != 2) || last > 0xffffffffu || first > last) {
        throw std::runtime_error("--ids: expected an id or a range such as 7-9, found '" + text + "'");
    }
    return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last)};
}

Aabb region_of(const std::vector<float>& numbers) {
    const Aabb region = {{numbers[0], numbers[1], numbers[2]}, {numbers[3], numbers[4], numbers[5]}};
    if (!is_valid(region)) throw std::runtime_error("--region: expected min <= max on every axis");
    return region;
}

}  // namespace

void add_convert_command(CLI::App& app) {
    struct Arguments {
        InputArguments input;
        std::string output;
        std::optional<BoxKind> kind;
    };
    auto arguments = std::make_shared<Arguments>();
    CLI::App* command = app.add_subcommand("convert", "Any scene file as a recording");
    add_input_options(*command, arguments->input);
    add_output_option(*command, arguments->output);
    command
        ->add_option("--kind", arguments->kind,
                     "Kind of all boxes; default: that of the recording, static for worlds and meshes, "
                     "dynamic for two "
                     "meshes")
        ->transform(extras::one_of(kKinds));
    command->callback([arguments] {
        scene_io::Recording recording = load(arguments->input);
        for (auto& frame : recording.frames) {
            for (scene_io::BoxRecord& record : frame) record.kind = arguments->kind.value_or(record.kind);
        }
        save(arguments->output, recording);
    });
}

void add_cut_command(CLI::App& app) {
    struct Arguments {
        InputArguments input;
        std::string output;
        recording::CutSettings settings;
        std::vector<std::string> ids;
        std::vector<float> region;
    };
    auto arguments = std::make_shared<Arguments>();
    CLI::App* command = app.add_subcommand("cut", "Frames, objects, kinds or a region of a recording");
    add_input_options(*command, arguments->input);
    add_output_option(*command, arguments->output);
    recording::CutSettings& settings = arguments->settings;
    command->add_option("--first-frame", settings.first_frame, "Frames from this one on, from 0")
        ->check(extras::whole_number());
    command
        ->add_option("--frame-count", settings.frame_count,
                     "Number of frames; default, and at most: to the end")
        ->check(extras::whole_number(1));
    command->add_option("--ids", arguments->ids, "Objects of these ids, such as 3,7-9")->delimiter(',');
    command->add_option("--kinds", settings.kinds, "Boxes of these kinds: static, kinematic, dynamic")
        ->delimiter(',')
        ->transform(extras::one_of(kKinds));
    command
        ->add_option("--region", arguments->region,
                     "Boxes that overlap minx,miny,minz,maxx,maxy,maxz; an object that leaves it is removed")
        ->delimiter(',')
        ->expected(6);
    command->add_flag("--whole-lives", settings.keeps_whole_lives,
                      "An object that is in the region in one of the frames stays in all of them");
    command->callback([arguments] {
        for (const std::string& text : arguments->ids) arguments->settings.ids.push_back(id_range(text));
        if (!arguments->region.empty()) arguments->settings.region = region_of(arguments->region);
        const scene_io::Recording whole = load(arguments->input);
        const std::size_t first_frame = arguments->settings.first_frame;
        if (first_frame != 0 && first_frame >= whole.frames.size()) {
            throw std::runtime_error("--first-frame: expected one of the " +
                                     std::to_string(whole.frames.size()) + " frames, from 0, found " +
                                     std::to_string(first_frame));
        }
        save(arguments->output, recording::cut(whole, arguments->settings));
    });
}

void add_anonymise_command(CLI::App& app) {
    struct Arguments {
        InputArguments input;
        std::string output;
        std::optional<std::uint64_t> seed;
        std::vector<float> shift;
        bool shuffles_ids = false;
    };
    auto arguments = std::make_shared<Arguments>();
    CLI::App* command =
        app.add_subcommand("anonymise",
                           "New ids; axes exchanged and mirrored, and a scale, at random. "
                           "Apart from that, keeps frames, kinds, lifetimes, sizes, motion and all overlaps, "
                           "which it checks. Does not hide the shape of the scene");
    add_input_options(*command, arguments->input);
    add_output_option(*command, arguments->output);
    command
        ->add_option(
            "--seed", arguments->seed,
            "Repeats a disguise; anyone who knows it can undo it. Default: the system's random numbers")
        ->check(extras::whole_number());
    command
        ->add_option("--shift", arguments->shift,
                     "Adds x,y,z, the only step that rounds: refused if it would change a pair")
        ->delimiter(',')
        ->expected(3);
    command->add_flag(
        "--shuffle-ids", arguments->shuffles_ids,
        "Assign ids at random; otherwise boxes keep their order, and pairs by index stay the same");
    command->callback([arguments] {
        const std::uint64_t seed =
            arguments->seed.value_or(std::uint64_t{std::random_device()()} << 32 | std::random_device()());
        recording::Disguise disguise = recording::random_disguise(seed);
        disguise.shuffles_ids = arguments->shuffles_ids;
        const std::vector<float>& shift = arguments->shift;
        if (!shift.empty()) disguise.shift = {shift[0], shift[1], shift[2]};
        save(arguments->output, value_or_throw(recording::anonymise(load(arguments->input), disguise)));
    });
}

}  // namespace broadside::record
