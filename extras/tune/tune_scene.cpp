// The frames for candidates, and the pairs that each must find in them.
#include "extras/tune/tune_scene.hpp"

#include "extras/recording/recording_boxes.hpp"

#include <broadside/bits.hpp>
#include <broadside/find_pairs.hpp>
#include <broadside/isa.hpp>
#include <broadside/scene_io/recording_motion.hpp>
#include <broadside/scenes/scene_random.hpp>

#include <algorithm>
#include <cmath>

namespace broadside::tune {
namespace {

using recording::is_static;
using scene_io::BoxRecord;

// Some 8 million tests a frame on the scalar ISA.
constexpr std::size_t kMaxBruteForceCount = 4000;

double longest_axis(Vec3 v) {
    return static_cast<double>(std::max({std::fabs(v.x), std::fabs(v.y), std::fabs(v.z)}));
}

// On the scalar ISA, whichever is active.
std::vector<IndexPair> right_answer(const TuneFrame& frame, Question question) {
    const std::optional<Isa> before = active_isa();
    recording::require_ok(set_active_isa(Isa::scalar));
    FindPairsSettings settings;
    if (frame.records.size() <= kMaxBruteForceCount) settings.algorithm = PairAlgorithm::brute_force;
    PairBuffer found;
    recording::require_ok(find_pairs(frame.boxes, settings, found).status);
    if (before) recording::require_ok(set_active_isa(*before));
    std::vector<IndexPair> pairs(found.begin(), found.end());
    if (question == Question::pairs_of_movers) {
        std::erase_if(pairs, [&](const IndexPair& pair) {
            return is_static(frame.records[pair.first]) && is_static(frame.records[pair.second]);
        });
    }
    return pairs;
}

}  // namespace

std::uint64_t hash_of(std::span<const IndexPair> pairs) {
    // A sum, so that millions of pairs need no sorting; of well mixed numbers, so that no two wrong pairs
    // cancel.
    std::uint64_t sum = 0;
    for (const IndexPair& pair : pairs) {
        sum += scenes::SceneRandom(std::uint64_t{pair.first} << 32 | pair.second).next_bits();
    }
    return sum;
}

Question usual_question(const scene_io::Recording& recording) {
    bool has_static = false;
    bool has_moving = false;
    for (const auto& frame : recording.frames) {
        for (const BoxRecord& record : frame) (is_static(record) ? has_static : has_moving) = true;
    }
    return has_static && has_moving ? Question::pairs_of_movers : Question::all_pairs;
}

FrameSplit split_frames(std::size_t frame_count, std::size_t frame_count_max) {
    const std::size_t count = std::min(frame_count, std::max<std::size_t>(frame_count_max, 1));
    const std::size_t first = (frame_count - count) / 2;
    const std::size_t held_out_count = count / 2;
    return {{first, count - held_out_count}, {first + count - held_out_count, held_out_count}};
}

TuneScene::TuneScene(const scene_io::Recording& recording, Question question, FrameRange frames)
    : question_(question), first_index_(frames.first) {
    for (std::size_t index = frames.first; index < frames.first + frames.count; ++index) {
        TuneFrame& frame = frames_.emplace_back();
        frame.records = recording.frames[index];
        frame.boxes = recording::boxes_of(frame.records);
        frame.mover_bits.resize(bit_word_count(frame.records.size()));
        for (std::size_t i = 0; i < frame.records.size(); ++i) {
            if (!is_static(frame.records[i])) frame.mover_bits[i / 64] |= std::uint64_t{1} << i % 64;
        }
        const std::vector<IndexPair> pairs = right_answer(frame, question);
        frame.pair_count = pairs.size();
        frame.pairs_hash = hash_of(pairs);
    }
    measure();
}

void TuneScene::measure() {
    std::vector<double> motions;
    std::vector<double> sides;
    for (std::size_t index = 0; index < frames_.size(); ++index) {
        const std::vector<BoxRecord>& now = frames_[index].records;
        for (const BoxRecord& record : now) sides.push_back(longest_axis(size(record.box)));
        if (index + 1 == frames_.size()) break;
        const std::vector<BoxRecord>& next = frames_[index + 1].records;
        const auto has_same_object = [](const BoxRecord& a, const BoxRecord& b) {
            return a.id == b.id && a.kind == b.kind;
        };
        same_objects_.push_back(
            std::equal(now.begin(), now.end(), next.begin(), next.end(), has_same_object));
        const auto rests = [](const BoxRecord& a, const BoxRecord& b) {
            return !is_static(a) || a.box == b.box;
        };
        same_static_boxes_.push_back(same_objects_.back() &&
                                     std::equal(now.begin(), now.end(), next.begin(), next.end(), rests));
        for (const Vec3 displacement : scene_io::displacements_to(next, now)) {
            if (!(displacement == Vec3{})) motions.push_back(longest_axis(displacement));
        }
    }
    motion_ = recording::spread_of(std::move(motions));
    longest_side_ = recording::spread_of(std::move(sides));
}

bool TuneScene::has_same_objects(std::size_t index, std::size_t other_index) const {
    return index == other_index || same_objects_[std::min(index, other_index)];
}

bool TuneScene::has_same_static_boxes(std::size_t index, std::size_t other_index) const {
    return index == other_index || same_static_boxes_[std::min(index, other_index)];
}

}  // namespace broadside::tune
