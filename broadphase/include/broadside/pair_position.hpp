// A place in a list of pairs at which a later call goes on.
#pragma once

#include <cstdint>

namespace broadside {

/// As a call returned it; a value that may be stored, and that says nothing about who holds what memory. A
/// default one is the beginning of any list.
struct PairPosition {
    static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};

    /// Pairs before it.
    std::uint64_t pair_count = 0;
    /// Pairs in the complete list; kUnknown when memory ran out before they were counted.
    std::uint64_t list_length = kUnknown;
    /// What the call was asked for: its counts of boxes and its settings. Opaque.
    std::uint64_t call_key = 0;
    /// Names the list in the scratch that holds it, zero when none does. Opaque.
    std::uint64_t kept_list = 0;
};

}  // namespace broadside
