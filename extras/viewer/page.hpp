// Films as a page that any browser opens, without a network.
#pragma once

#include "extras/viewer/film.hpp"

namespace broadside::viewer {

/// Whether the build found the libraries that draw.
bool has_page() noexcept;

/// What a page without those says.
const char* no_page_text() noexcept;

/// One HTML file of at most 12 MB with the films side by side, which share their clock and their camera.
/// Frames that do not fit are left out at the end, and the page says so. Empty without has_page().
std::string make_page(std::span<const Film* const> films);

}  // namespace broadside::viewer
