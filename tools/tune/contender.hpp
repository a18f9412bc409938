// A candidate at work: shown frame after frame, timed, and asked for its pairs.
#pragma once

#include "tools/tune/candidate.hpp"
#include "tools/tune/tune_scene.hpp"

#include <memory>

namespace broadside::tune {

class Contender {
public:
    virtual ~Contender() = default;

    /// Finds the pairs of a frame that is the one before or behind the last one, or the same. Returns the
    /// seconds that an engine would wait for them.
    virtual double show(std::size_t frame_index) = 0;
    /// Whether it found everything anew in the last frame, of what it keeps from frame to frame.
    virtual bool has_refilled() const { return false; }
    /// The pairs of the last frame by index, in the order in which they were found.
    virtual std::vector<IndexPair> pairs() = 0;
};

/// On the active ISA. Both arguments must outlive it; `runner` may be null.
std::unique_ptr<Contender> make_contender(const Candidate& candidate, const TuneScene& scene,
                                          const TaskRunner* runner);

/// Step `step` of an endless walk through the frames, to and fro, so that each is a neighbour of the last
/// one.
std::size_t frame_of_step(std::size_t step, std::size_t frame_count);

/// Whether a contender finds the right pairs in every frame, there and back, and, where `is_canonical`, in
/// canonical order.
bool is_right(Contender& contender, const TuneScene& scene, bool is_canonical);

}  // namespace broadside::tune
