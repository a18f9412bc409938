// Oriented box against oriented box, static and single.
#pragma once

#include <broadside/obb.hpp>

namespace broadside {

/// Do two oriented boxes share a point? Closed: touching counts. Separating axes: 3 + 3 face normals and 9 cross
/// products of edges (rules.md B34). No epsilon: nearly parallel edges need none in the form that obb_obb.cpp explains.
/// Right to a few units in the last place of the larger of extents and center distance while those lie between about
/// 1e-25 and 1e35; an invalid box, or a center distance that overflows, answers no. Pure and thread-safe.
bool overlap(const Obb& a, const Obb& b) noexcept;

}  // namespace broadside
