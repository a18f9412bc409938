// The roles of a kernel's arguments under shadow verification, which follow from the types of its parameters.
#pragma once

#include "simd/src/shadow_operands.hpp"

#include <tuple>
#include <utility>

// - `const T*` and a count behind it: the list of the call's items, which are structs, pairs or indices.
//   Without a list, the items are those of the views.
// - A view, or `const T*` without a count: one element an item. If there is a list, all its items share it;
//   pairs index the first two parameters.
// - `T*`: an output of one element an item; if it is `std::uint64_t*`, of one bit an item, or of a row of bits
//   if the items are structs of a list and share a view.
// - `T&`: an output that is not an array.
// - A struct with kFields: several operands, each in its role.
// - Anything else: a plain value.
namespace broadside::simd::shadow {

/// The fields of a struct of several operands. Outputs are named after them; a call names its inputs itself.
template <class T>
inline constexpr std::string_view kFields = "";

/// Kernels write whole groups of so many elements; those behind the last item are meaningless.
template <class T>
inline constexpr std::size_t kOutputGroup = 1;

template <class T>
concept View = requires {
    &T::is_readable;
};
template <class T>
inline constexpr bool kIsInputArray = std::is_pointer_v<T>&& std::is_const_v<std::remove_pointer_t<T>>;
template <class T>
inline constexpr bool kIsOutputArray = std::is_pointer_v<T> && !kIsInputArray<T>;

constexpr std::size_t word_count(std::string_view text) {
    std::size_t count = text.empty() ? 0 : 1;
    for (const char c : text) count += c == ' ' ? 1 : 0;
    return count;
}
/// The first word of "pairs, out_bits)", which leaves "out_bits)".
inline std::string take_word(std::string_view& state_text) {
    constexpr const char* kSeparators = " ,()";
    const std::size_t length = state_text.find_first_of(kSeparators);
    std::string word(state_text.substr(0, length));
    const std::size_t next = state_text.find_first_not_of(kSeparators, length);
    state_text = next < state_text.size() ? state_text.substr(next) : std::string_view();
    return word;
}

template <class T>
constexpr auto fields_of(T& value) {
    constexpr std::size_t kCount = word_count(kFields<std::remove_const_t<T>>);
    if constexpr (kCount == 2) {
        auto& [a, b] = value;
        return std::tie(a, b);
    } else if constexpr (kCount == 3) {
        auto& [a, b, c] = value;
        return std::tie(a, b, c);
    } else if constexpr (kCount == 4) {
        auto& [a, b, c, d] = value;
        return std::tie(a, b, c, d);
    } else {
        auto& [a, b, c, d, e, f, g] = value;
        return std::tie(a, b, c, d, e, f, g);
    }
}
template <class T>
inline constexpr bool kIsStruct = !kFields<T>.empty();
template <class T>
inline constexpr bool kIsInputStruct = false;
template <class T>
requires kIsStruct<T>
inline constexpr bool kIsInputStruct<T> = !kIsOutputArray<
    std::remove_reference_t<std::tuple_element_t<0, decltype(fields_of(std::declval<T&>()))>>>;

/// The index of the list among parameters, or their number.
template <class... T>
consteval std::size_t list_index() {
    constexpr bool kIsArray[] = {kIsInputArray<T>...};
    constexpr bool kIsCount[] = {std::is_same_v<T, std::size_t>...};
    for (std::size_t i = 0; i + 1 < sizeof...(T); ++i) {
        if (kIsArray[i] && kIsCount[i + 1]) return i;
    }
    return sizeof...(T);
}

/// The arguments of one call of a kernel with these parameters.
template <class... Args>
class ShadowRoles {
public:
    // Copies, which can be pointed at other memory.
    using Values = std::tuple<std::remove_cvref_t<Args>...>;

    /// True if `text`, such as "pairs(a, b, pairs, out_bits)", has a name for every argument.
    static consteval bool are_named_by(std::string_view text) {
        const std::size_t name_count = (0 + ... + name_count_of<std::remove_cvref_t<Args>>());
        return word_count(text) + (kHasList ? 1 : 0) == name_count;
    }

    static void describe(std::string_view text, ShadowOperands& state_operands, Values& state_values) {
        take_word(text);
        ShadowRoles roles(text, state_operands, state_values);
        [&]<std::size_t... I>(std::index_sequence<I...>) { (roles.template argument<I>(), ...); }
        (std::index_sequence_for<Args...>());
    }

private:
    template <std::size_t I>
    using Arg = std::tuple_element_t<I, std::tuple<Args..., void>>;
    template <std::size_t I>
    using Value = std::remove_cvref_t<Arg<I>>;

    static constexpr std::size_t kList = list_index<std::remove_cvref_t<Args>...>();
    static constexpr bool kHasList = kList < sizeof...(Args);
    static constexpr bool kHasPairs = std::is_same_v<Value<kList>, const IndexPair*>;
    static constexpr bool kHasIndices = kHasPairs || std::is_same_v<Value<kList>, const std::uint32_t*>;
    static constexpr bool kHasView = (View<std::remove_cvref_t<Args>> || ...);

    template <class T>
    static consteval std::size_t name_count_of() {
        if constexpr (kIsInputStruct<T>) return word_count(kFields<T>);
        return 1;
    }

    ShadowRoles(std::string_view names, ShadowOperands& state_operands, Values& state_values)
        : names_(names), operands_(state_operands), values_(state_values) {
        std::apply([&](const auto&... value) { (count_items(value), ...); }, values_);
        if constexpr (kHasList)
            operands_.set_item_count(std::get<kList + 1>(values_));
        else
            operands_.set_item_count(view_count_);
    }

    template <class T>
    void count_items(const T& value) {
        std::size_t count = 0;
        if constexpr (kIsStruct<T>) {
            count_items(std::get<0>(fields_of(value)));
        } else if constexpr (requires { value.count(); }) {
            count = value.count();
        } else if constexpr (View<T>) {
            count = value.count;
        }
        if (count > view_count_) view_count_ = count;
    }

    template <std::size_t I>
    void argument() {
        auto& value = std::get<I>(values_);
        using T = Value<I>;
        if constexpr (I == kList) {
            operands_.each_counted(take_word(names_), value, std::get<I + 1>(values_));
        } else if constexpr (kHasList && I == kList + 1) {
            // Described with the list.
        } else if constexpr (std::is_same_v<Arg<I>, T&>) {
            operands_.state(take_word(names_), value);
        } else if constexpr (kIsStruct<T>) {
            std::string_view fields = kFields<T>;
            const std::string prefix = kIsInputStruct<T> ? std::string() : take_word(names_) + '_';
            const auto field_name = [&] { return prefix + take_word(kIsInputStruct<T> ? names_ : fields); };
            operands_.begin_fields();
            std::apply([&](auto&... field) { (operand<I>(field_name(), field), ...); }, fields_of(value));
            operands_.end_fields();
        } else {
            operand<I>(take_word(names_), value);
        }
    }

    // Argument I or a field of it.
    template <std::size_t I, class T>
    void operand(const std::string& name, T& state_value) {
        const std::size_t item_count = operands_.item_count();
        if constexpr (std::is_same_v<T, std::uint64_t*>) {
            if constexpr (kHasList && kHasView && !kHasIndices)
                operands_.out(name, state_value, item_count * bit_word_count(view_count_));
            else
                operands_.out_bits(name, state_value, item_count);
        } else if constexpr (kIsOutputArray<T>) {
            // "out_t_enter[4]" has four elements an item.
            const std::size_t end = name.find('[');
            const int each_count = end < name.size() ? name[end + 1] - '0' : 1;
            const std::size_t count = item_count * static_cast<std::size_t>(each_count);
            constexpr std::size_t kGroup = kOutputGroup<std::remove_pointer_t<T>>;
            operands_.out(name.substr(0, end), state_value, count, (count + kGroup - 1) / kGroup * kGroup);
        } else if constexpr (kHasList && kIsInputArray<T>) {
            operands_.all(name, state_value, extent(I));
        } else if constexpr (kHasList && View<T>) {
            operands_.all(name, state_value);
        } else if constexpr (kIsInputArray<T> || View<T>) {
            operands_.each(name, state_value);
        } else if constexpr (std::is_same_v<T, std::size_t> && kIsStruct<Value<I>>) {
            operands_.count(item_count);
        } else {
            operands_.in(name, state_value);
        }
    }

    // One past the largest index that the list has for an argument.
    std::size_t extent([[maybe_unused]] std::size_t argument_index) const {
        static_assert(kHasIndices, "an array beside a list of items that are no indices has no known size");
        const auto* const list = std::get<kList>(values_);
        std::size_t extent = 0;
        for (std::size_t i = 0; i < operands_.item_count(); ++i) {
            std::size_t index = 0;
            if constexpr (kHasPairs)
                index = argument_index == 0 ? list[i].first : list[i].second;
            else
                index = list[i];
            if (index >= extent) extent = index + 1;
        }
        return extent;
    }

    std::string_view names_;
    ShadowOperands& operands_;
    Values& values_;
    std::size_t view_count_ = 0;
};

}  // namespace broadside::simd::shadow
