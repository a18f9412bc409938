// Reader of `bounds*.txt`: the boxes of a static world, one a line.
#pragma once

#include <broadside/aabb.hpp>
#include <broadside/scene_io/result.hpp>

#include <filesystem>
#include <string_view>
#include <vector>

namespace broadside::scene_io {

/// The boxes of a static world, in the order of the file.
struct BoxList {
    /// Finite, min <= max on every axis, world space.
    std::vector<Aabb> boxes;
};

/// Reads `minx miny minz maxx maxy maxz` lines. Empty lines are allowed at the end only; a missing, trailing,
/// non-finite or unreadable field, an inverted box, and a file without a box are errors with their line.
/// Numbers are rounded to nearest and read without regard to the locale. Linear in the size of the file.
Result<BoxList> read_bounds_text(const std::filesystem::path& path);

/// The same from memory; `name` replaces the file in error messages. `bytes` is not kept.
Result<BoxList> parse_bounds_text(std::string_view bytes, std::string_view name);

}  // namespace broadside::scene_io
