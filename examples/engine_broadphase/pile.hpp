// The pile that the example simulates: boxes and spheres that fall into a bin.
#pragma once

#include "examples/engine_broadphase/engine.hpp"

namespace engine_example {

/// Ground and walls for a pile of this many bodies.
std::vector<BodySettings> make_bin(std::uint32_t body_count);

/// Bodies `first` to `first + count` of an endless rain into the bin of a pile of `pile_count`; every third
/// one is a sphere. The first `pile_count` hang in layers over each other, the later ones in the layers above
/// these.
std::vector<BodySettings> make_rain(std::uint32_t pile_count, std::uint32_t first, std::uint32_t count);

}  // namespace engine_example
