// A candidate at work: it gets frame after frame, is timed, and returns its pairs.
#pragma once

#include "extras/tune/candidate.hpp"
#include "extras/tune/tune_scene.hpp"

#include <memory>

namespace broadside::tune {

class Contender {
public:
    virtual ~Contender() = default;

    /// Finds the pairs of a frame that is adjacent to the last one, or the same. Returns the seconds that an
    /// engine would wait for them.
    virtual double show(std::size_t frame_index) = 0;
    /// True if it found everything anew in the last frame, although it keeps data from frame to frame.
    virtual bool has_refilled() const { return false; }
    /// The pairs of the last frame by index, in the order of discovery.
    virtual std::vector<IndexPair> pairs() = 0;
};

/// On the active ISA. Both arguments must outlive it; `runner` may be null.
std::unique_ptr<Contender> make_contender(const Candidate& candidate, const TuneScene& scene,
                                          const TaskRunner* runner);

/// Step `step` of an endless walk through the frames, back and forth, so that each is a neighbour of the last
/// one.
std::size_t frame_of_step(std::size_t step, std::size_t frame_count);

/// True if a contender finds the right pairs in every frame, there and back, and, if `is_canonical`, in
/// canonical order.
bool is_right(Contender& contender, const TuneScene& scene, bool is_canonical);

}  // namespace broadside::tune
