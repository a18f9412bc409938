// One way of finding the pairs of a scene frame by frame: what is compared.
#pragma once

#include <broadside/find_pairs.hpp>
#include <broadside/isa.hpp>

#include <string>

namespace broadside::tune {

/// What is kept from frame to frame.
enum class Method : std::uint8_t {
    /// Nothing: a call of find_pairs.
    plain,
    /// RestingBoxes over what is static.
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
    /// A World's and a cache's lists are canonical, whatever this says.
    PairOrder order = PairOrder::canonical;
    /// Cache only.
    float margin = 0;
    Isa isa = Isa::scalar;
    std::uint32_t thread_count = 1;
};

bool is_same(const Candidate& a, const Candidate& b);

/// What a caller gets who sets nothing, on the best ISA of this machine.
Candidate default_candidate();

/// How much of it has to be said: settings that differ from the default, something kept from frame to frame
/// counting as two. Among equals in time the smaller one is to be preferred.
int setting_count(const Candidate& candidate);

/// "cells 20 x 20 x 8", "PairCache, margin 0.05": the method and its settings without order, ISA and threads.
std::string method_text(const Candidate& candidate);

const char* order_name(PairOrder order);

}  // namespace broadside::tune
