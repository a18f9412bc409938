// The candidates that take part.
#pragma once

#include "extras/tune/race.hpp"

namespace broadside::tune {

struct FieldSettings {
    /// The default's first, and the other ISAs and numbers of threads to try leaders on.
    std::vector<Isa> isas;
    std::vector<std::uint32_t> thread_counts;
};

/// All methods of finding the pairs, in both orders, on one ISA and one thread; the default first.
std::vector<Entry> first_field(const TuneScene& scene, Isa isa);

/// The leaders of a race, the best of every method and order among them, on every ISA with one thread and on
/// the first ISA with every number of threads; the default first.
std::vector<Entry> final_field(const std::vector<Entry>& raced, const FieldSettings& settings);

}  // namespace broadside::tune
