// Oriented box against oriented box by 15 separating axes.
#include <broadside/obb_obb.hpp>

// In the frame of a, box b is the parallelepiped of the columns x, y, z of R = Aᵀ·B. The usual form takes the half
// width of b along i × j from single elements of R, which is right for an exactly orthonormal R only: for two nearly
// parallel edges both the axis and those elements are rounding noise, but different noise, and boxes that overlap
// come out apart. The usual remedy adds an epsilon to |R|, which makes boxes touch that do not. Here b is projected on
// the axis as it is, by the products |axis·x| and so on. Then an axis is legal whatever its rounding, noise in it can
// only fail to separate, and where it is noise the face normals, all but parallel too, separate in its place.
// Accept form: NaN, which an overflow brings, says no. Source: S. Gottschalk, M. Lin, D. Manocha, "OBBTree", 1996.
namespace broadside {
namespace {

// Box b in the frame of box a.
struct Columns {
    Vec3 x;
    Vec3 y;
    Vec3 z;
};

// Do they meet along `axis`? `center` is b's.
bool meets(Vec3 axis, Vec3 half_extent_a, Vec3 center, const Columns& b, Vec3 half_extent_b) {
    const float radius_a = dot(absolute(axis), half_extent_a);
    const float radius_b = dot(absolute(Vec3{dot(axis, b.x), dot(axis, b.y), dot(axis, b.z)}), half_extent_b);
    return absolute(dot(axis, center)) <= radius_a + radius_b;
}

// The three axes of a × one edge of b.
bool meets_along_edges(Vec3 edge, Vec3 half_extent_a, Vec3 center, const Columns& b, Vec3 half_extent_b) {
    return meets({0.0f, -edge.z, edge.y}, half_extent_a, center, b, half_extent_b) &&
           meets({edge.z, 0.0f, -edge.x}, half_extent_a, center, b, half_extent_b) &&
           meets({-edge.y, edge.x, 0.0f}, half_extent_a, center, b, half_extent_b);
}

}  // namespace

bool overlap(const Obb& a, const Obb& b) noexcept {
    if (!is_valid(a) || !is_valid(b)) return false;
    const Vec3 center = vector_in_box(a, b.center - a.center);
    const Columns columns = {vector_in_box(a, b.axis_x), vector_in_box(a, b.axis_y),
                             vector_in_box(a, b.axis_z)};
    const Vec3 h_a = a.half_extent;
    const Vec3 h_b = b.half_extent;
    return is_finite(center) &&                                     //
           meets({1.0f, 0.0f, 0.0f}, h_a, center, columns, h_b) &&  //
           meets({0.0f, 1.0f, 0.0f}, h_a, center, columns, h_b) &&  //
           meets({0.0f, 0.0f, 1.0f}, h_a, center, columns, h_b) &&  //
           meets(columns.x, h_a, center, columns, h_b) &&           //
           meets(columns.y, h_a, center, columns, h_b) &&           //
           meets(columns.z, h_a, center, columns, h_b) &&           //
           meets_along_edges(columns.x, h_a, center, columns, h_b) &&
           meets_along_edges(columns.y, h_a, center, columns, h_b) &&
           meets_along_edges(columns.z, h_a, center, columns, h_b);
}

}  // namespace broadside
