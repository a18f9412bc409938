// The result of every call of the scene library that can fail: a value, or one line with the error.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace broadside::scene_io {

/// The error as one printable line that names the file, the position in it (line of a text, byte of a
/// binary), what was expected there and what was found. No line end.
struct Error {
    std::string message;
};

/// A value or an Error. Reading the part that is not there is a programming fault and throws
/// std::bad_variant_access.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    bool has_value() const noexcept { return state_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }

    T& value() & { return std::get<0>(state_); }
    const T& value() const& { return std::get<0>(state_); }
    T&& value() && { return std::get<0>(std::move(state_)); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    const Error& error() const { return std::get<1>(state_); }

private:
    std::variant<T, Error> state_;
};

}  // namespace broadside::scene_io
