// The frames for candidates, and the pairs that each must find in them.
#pragma once

#include "extras/recording/spread.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/pair_buffer.hpp>
#include <broadside/scene_io/boxrec.hpp>

#include <span>
#include <vector>

namespace broadside::tune {

/// The pairs to find.
enum class Question : std::uint8_t {
    /// All.
    all_pairs,
    /// All pairs except those between two static boxes.
    pairs_of_movers,
};

/// pairs_of_movers if some boxes are static and others are not.
Question usual_question(const scene_io::Recording& recording);

/// Frames of a recording that follow each other.
struct FrameRange {
    std::size_t first = 0;
    std::size_t count = 0;
};

/// The frames to choose by, and those after them that confirm the choice.
struct FrameSplit {
    FrameRange chosen_by = {};
    FrameRange held_out = {};
};

/// Splits at most `frame_count_max` frames from the middle of a recording of `frame_count` into the first
/// half and the second. A single frame leaves nothing to hold out.
FrameSplit split_frames(std::size_t frame_count, std::size_t frame_count_max);

struct TuneFrame {
    std::vector<scene_io::BoxRecord> records;
    BoxSoa boxes;
    /// A bit for each box that is not static.
    std::vector<std::uint64_t> mover_bits;
    /// Count and hash of the right pairs.
    std::size_t pair_count = 0;
    std::uint64_t pairs_hash = 0;
};

/// Hash of a set of pairs, independent of their order.
std::uint64_t hash_of(std::span<const IndexPair> pairs);

class TuneScene {
public:
    /// The expected pairs are the scalar ISA's, by brute force up to some thousand boxes; the tool itself
    /// filters static pairs. `recording` must have the frames, and at least one.
    TuneScene(const scene_io::Recording& recording, Question question, FrameRange frames);

    Question question() const { return question_; }
    bool has_movers() const { return question_ == Question::pairs_of_movers; }
    std::size_t frame_count() const { return frames_.size(); }
    const TuneFrame& frame(std::size_t index) const { return frames_[index]; }
    /// Index of the first frame in the recording.
    std::size_t first_index() const { return first_index_; }
    /// True if two neighbouring frames have the same objects, of the same kinds, at the same indices.
    bool has_same_objects(std::size_t index, std::size_t other_index) const;
    /// True if, besides, no static box has moved.
    bool has_same_static_boxes(std::size_t index, std::size_t other_index) const;
    /// The motion of moving boxes in a frame, and the size of boxes; both on the longest axis.
    const recording::Spread& motion() const { return motion_; }
    const recording::Spread& longest_side() const { return longest_side_; }

private:
    void measure();

    Question question_;
    std::size_t first_index_;
    std::vector<TuneFrame> frames_;
    // Between a frame and the one behind it.
    std::vector<bool> same_objects_;
    std::vector<bool> same_static_boxes_;
    recording::Spread motion_;
    recording::Spread longest_side_;
};

}  // namespace broadside::tune
