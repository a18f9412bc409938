// One method of finding the pairs of a scene frame by frame: the subject of the comparison.
#pragma once

#include <broadside/find_pairs.hpp>
#include <broadside/isa.hpp>

#include <string>

namespace broadside::tune {

/// Data kept from frame to frame.
enum class Method : std::uint8_t {
    /// Nothing: a call of find_pairs.
    plain,
    /// RestingBoxes over the static boxes.
    resting,
    /// A PairCache.
    cache,
    /// A World.
    world,
};

struct Candidate {
    Method method = Method::plain;
    /// Plain only; the other methods choose for themselves.
    PairAlgorithm algorithm = PairAlgorithm::automatic;
    SweepAxis sweep_axis = SweepAxis::automatic;
    CellCounts cell_counts = {};
    /// A World's and a cache's lists are always canonical.
    PairOrder order = PairOrder::canonical;
    /// Cache only.
    float margin = 0;
    Isa isa = Isa::scalar;
    std::uint32_t thread_count = 1;
};

bool is_same(const Candidate& a, const Candidate& b);

/// The defaults of a caller without settings, on the best ISA of this machine.
Candidate default_candidate();

/// The number of settings to write: those that differ from the default, with data kept from frame to frame
/// counting as two. Among equal times the smaller one is preferred.
int setting_count(const Candidate& candidate);

/// "cells 20 x 20 x 8", "PairCache, margin 0.05": the method and its settings without order, ISA and threads.
std::string method_text(const Candidate& candidate);

const char* order_name(PairOrder order);

}  // namespace broadside::tune
