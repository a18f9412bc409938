// Plain values that an object keeps beside memory, such as counts, so that its moves can be defaulted.
#pragma once

#include <type_traits>
#include <utility>

namespace broadside {

/// `Values` that a move takes along, leaving `Values{}` behind, as a move of an AlignedArray leaves an empty
/// one. A class that consists of arrays, of other owners of arrays and of these has correct default moves
/// (see Allocator for what every class promises). Settings, which both objects keep, are ordinary members.
template <class Values>
class ResetOnMove : public Values {
    static_assert(std::is_aggregate_v<Values> && std::is_trivially_copyable_v<Values>);

public:
    constexpr ResetOnMove() noexcept : Values{} {}
    constexpr ResetOnMove(ResetOnMove&& other) noexcept : Values(std::exchange(other.values(), Values{})) {}
    constexpr ResetOnMove& operator=(ResetOnMove&& other) noexcept {
        values() = std::exchange(other.values(), Values{});
        return *this;
    }

private:
    constexpr Values& values() noexcept { return *this; }
};

}  // namespace broadside
