// The version of the library, as constants and as text.
#pragma once

#include <broadside/export.hpp>

namespace BROADSIDE_API broadside {

/// The version of the headers.
inline constexpr int kVersionMajor = 0;
inline constexpr int kVersionMinor = 1;
inline constexpr int kVersionPatch = 0;

/// "major.minor.patch" of the compiled library, which is the one that counts when headers and binary differ.
const char* version_string() noexcept;

}  // namespace broadside
