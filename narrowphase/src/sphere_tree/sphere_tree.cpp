// SphereTree: halves the parts, and puts a sphere around each half.
#include <broadside/fit.hpp>
#include <broadside/float_environment.hpp>
#include <broadside/sphere_tree.hpp>

#include "core/src/argument.hpp"
#include "core/src/geometry/vec3_double.hpp"
#include "core/src/zones.hpp"

#include <algorithm>
#include <utility>

namespace broadside {
namespace {

// A part on its way to a leaf.
struct Part {
    Sphere sphere;
    std::uint32_t index;
};

float coordinate(const Part& part, int axis) {
    const Vec3 center = part.sphere.center;
    return axis == 0 ? center.x : axis == 1 ? center.y : center.z;
}

// A radius about a center that contains all parts; infinity if no float does.
float radius_about(Vec3 center, std::span<const Part> parts) {
    double radius = 0.0;
    for (const Part& part : parts) {
        const Vec3Double gap = widened(part.sphere.center) - widened(center);
        radius = max_keep(radius, __builtin_sqrt(dot(gap, gap)) + static_cast<double>(part.sphere.radius));
    }
    // The sum above is below the true one by a few roundings of doubles, far less than one of floats.
    return radius == 0.0 ? 0.0f : next_up(static_cast<float>(radius));
}

class SphereTreeBuilder {
public:
    // Columns have room for three coordinates per part.
    SphereTreeBuilder(std::span<Part> parts, float* columns, SphereTreeNode* out_nodes)
        : parts_(parts), columns_(columns), nodes_(out_nodes) {}

    // Builds the node at `index` over some parts, and the nodes below.
    Status build(std::uint32_t index, std::size_t begin, std::size_t count) {
        SphereTreeNode& node = nodes_[index];
        node = {};
        if (count == 1) {
            node.sphere = parts_[begin].sphere;
            node.part = parts_[begin].index;
            return Status::ok;
        }
        const std::span<Part> of_node = parts_.subspan(begin, count);
        if (const Status status = enclose(of_node, node.sphere); status != Status::ok) return status;
        node.first_child = next_;
        next_ += 2;
        const std::size_t half = count / 2;
        const int axis = longest_axis(of_node);
        std::nth_element(of_node.begin(), of_node.begin() + static_cast<std::ptrdiff_t>(half), of_node.end(),
                         [axis](const Part& a, const Part& b) {
                             const float of_a = coordinate(a, axis), of_b = coordinate(b, axis);
                             return of_a != of_b ? of_a < of_b : a.index < b.index;
                         });
        const std::uint32_t first_child = node.first_child;
        if (const Status status = build(first_child, begin, half); status != Status::ok) return status;
        return build(first_child + 1, begin + half, count - half);
    }

private:
    static int longest_axis(std::span<const Part> parts) {
        Vec3 min = parts[0].sphere.center, max = min;
        for (const Part& part : parts) {
            min = min_keep(part.sphere.center, min);
            max = max_keep(part.sphere.center, max);
        }
        // Halves, which do not overflow.
        const Vec3 size = max * 0.5f - min * 0.5f;
        return size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    }

    Status enclose(std::span<const Part> parts, Sphere& out_sphere) {
        const std::size_t count = parts.size();
        float* const x = columns_;
        float* const y = x + count;
        float* const z = y + count;
        Vec3Double min = {0, 0, 0}, max = {0, 0, 0};
        for (std::size_t i = 0; i < count; ++i) {
            const Vec3 center = parts[i].sphere.center;
            x[i] = center.x;
            y[i] = center.y;
            z[i] = center.z;
            const auto radius = static_cast<double>(parts[i].sphere.radius);
            const Vec3Double reach = {radius, radius, radius};
            const Vec3Double low = widened(center) - reach;
            const Vec3Double high = widened(center) + reach;
            min = i == 0 ? low
                         : Vec3Double{min_keep(low.x, min.x), min_keep(low.y, min.y), min_keep(low.z, min.z)};
            max = i == 0
                      ? high
                      : Vec3Double{max_keep(high.x, max.x), max_keep(high.y, max.y), max_keep(high.z, max.z)};
        }
        const Vec3 middle = narrowed((min + max) * 0.5);
        out_sphere = {middle, radius_about(middle, parts)};
        const Fitted<Sphere> fitted = fit_sphere({x, y, z, count});
        if (fitted.status == Status::unsupported_isa) return fitted.status;
        if (fitted.status == Status::ok) {
            const float radius = radius_about(fitted.shape.center, parts);
            if (radius < out_sphere.radius) out_sphere = {fitted.shape.center, radius};
        }
        return Status::ok;
    }

    std::span<Part> parts_;
    float* columns_;
    SphereTreeNode* nodes_;
    std::uint32_t next_ = 1;
};

// Builds the tree of `count` parts, made by `part(i)`.
template <class MakePart>
Status build_nodes(std::size_t count, AlignedArray<SphereTreeNode>& state_nodes, MakePart&& make_part) {
    AlignedArray<SphereTreeNode> nodes = state_nodes.make_empty();
    AlignedArray<SphereTreeNode> memory = state_nodes.make_empty();
    static_assert(sizeof(SphereTreeNode) >= sizeof(Part));
    // Parts, then columns: 20 and 12 bytes each.
    if (!nodes.resize(count == 0 ? 0 : 2 * count - 1) || !memory.resize(2 * count))
        return Status::out_of_memory;
    if (count != 0) {
        auto* const parts = reinterpret_cast<Part*>(memory.data());
        auto* const columns = reinterpret_cast<float*>(parts + count);
        for (std::size_t i = 0; i < count; ++i) {
            Fitted<Sphere> fitted = make_part(i);
            if (fitted.status != Status::ok) return fitted.status;
            parts[i] = {fitted.shape, static_cast<std::uint32_t>(i)};
        }
        SphereTreeBuilder builder({parts, count}, columns, nodes.data());
        if (const Status status = builder.build(0, 0, count); status != Status::ok) return status;
    }
    state_nodes = std::move(nodes);
    return Status::ok;
}

}  // namespace

BatchResult SphereTree::build(std::span<const Sphere> parts) noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("SphereTree::build");
    if (!check_readable(parts) ||
        !BROADSIDE_ARGUMENT(parts.size() <= kMaxTriangleCount, "parts: too many, 2^30 at most"))
        return {Status::invalid_argument};
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (!BROADSIDE_ARGUMENT(is_valid(parts[i]), "parts: one is no valid sphere"))
            return {Status::invalid_argument, i};
    }
    return {build_nodes(parts.size(), nodes_, [&](std::size_t i) {
        return Fitted<Sphere>{Status::ok, kNoIndex, parts[i]};
    })};
}

BatchResult SphereTree::build(const TriangleMesh& mesh) noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("SphereTree::build");
    return {build_nodes(mesh.triangle_count(), nodes_, [&](std::size_t i) {
        const Triangle t = mesh.triangle(static_cast<std::uint32_t>(i));
        const float x[3] = {t.a.x, t.b.x, t.c.x};
        const float y[3] = {t.a.y, t.b.y, t.c.y};
        const float z[3] = {t.a.z, t.b.z, t.c.z};
        return fit_sphere({x, y, z, 3});
    })};
}

const SphereTreeNode& SphereTree::node(std::uint32_t node_index) const noexcept {
    BROADSIDE_ASSERT(node_index < nodes_.size(), "node_index: at or past the count");
    return nodes_.data()[node_index];
}

}  // namespace broadside
