// A caller's function that takes the results of one query one by one.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace broadside {

/// Return values of a visitor of hits: the search goes on as far as before, or ends.
inline constexpr float kVisitAll = std::numeric_limits<float>::infinity();
inline constexpr float kVisitNoMore = -std::numeric_limits<float>::infinity();

/// Refers to a function object, which must live as long as the call that it is passed to. It is called with
/// one item after the other, on the caller's thread, within the library's FloatEnvironment, or in that of the
/// caller by in_caller_environment of float_environment.hpp. It may run any query, of the same tree too, and
/// must not change what the call reads. No exception may leave it, nor any other callback: std::terminate
/// ends the process. Catch it inside, end the walk by the return value, and throw it after the call ("Your
/// exceptions" in docs/embedding.md).
///
/// A visitor of hits returns (float) the largest t that is still of interest: `hit.t` for nothing behind the
/// hit, kVisitAll for as much as before, kVisitNoMore for no more hits. A limit never grows again, and NaN
/// ends the search too. A visitor of overlaps returns (bool) whether to go on.
template <class Item, class Answer>
class Visitor {
public:
    /// Converts implicitly from the function object.
    template <class Function>
    requires(!std::same_as<std::remove_cvref_t<Function>, Visitor> &&
             std::is_invocable_r_v<Answer, Function&, const Item&>)
        Visitor(Function&& function)  // NOLINT(bugprone-forwarding-reference-overload)
    noexcept
        // std::addressof is in <memory>, which takes longer to compile than all else here.
        : function_(const_cast<void*>(static_cast<const void*>(__builtin_addressof(function)))),
          call_([](void* called, const Item& item) noexcept -> Answer {
              return (*static_cast<std::remove_reference_t<Function>*>(called))(item);
          }) {}

    /// Calls the function.
    Answer operator()(const Item& item) const noexcept { return call_(function_, item); }

private:
    void* function_;
    Answer (*call_)(void* called, const Item& item) noexcept;
};

}  // namespace broadside
