// ObbTree: from the top down, splitting boxes across their longest axis.
#include <broadside/float_environment.hpp>
#include <broadside/obb_tree.hpp>

#include "core/src/argument.hpp"
#include "core/src/geometry/vec3_double.hpp"
#include "core/src/zones.hpp"
#include "narrowphase/src/mesh/layout.hpp"
#include "narrowphase/src/obb_tree/fit.hpp"

#include <utility>

namespace broadside {

using narrowphase::kNodeWidth;
using narrowphase::MeshLeaf;

namespace {

constexpr std::uint32_t kMaxDepth = 64;

class Builder {
public:
    Builder(const Triangle* triangles, std::uint32_t* indices, const ObbTreeSettings& settings,
            AlignedArray<ObbTreeNode>& out_nodes, AlignedArray<std::byte>& out_clusters)
        : triangles_(triangles),
          indices_(indices),
          settings_(settings),
          nodes_(out_nodes),
          clusters_(out_clusters) {}

    // Builds a node and everything below it, the nearer part first. Returns false without memory.
    bool build(std::uint32_t begin, std::uint32_t end, std::uint32_t depth) {
        const auto index = static_cast<std::uint32_t>(nodes_.size());
        ObbTreeNode node;
        node.box = narrowphase::fit_spread({triangles_, indices_ + begin, end - begin});
        node.triangle_count = end - begin;
        node.depth = depth;
        const std::uint32_t middle =
            node.triangle_count <= settings_.leaf_triangle_count || depth == settings_.max_depth
                ? begin
                : split(node.box, begin, end);
        if (middle == begin) {
            node.first_cluster = static_cast<std::uint32_t>(clusters_.size() / sizeof(MeshLeaf));
            return nodes_.push_back(node) && add_clusters(begin, end);
        }
        if (!nodes_.push_back(node)) return false;
        nodes_.data()[index].first_child = static_cast<std::uint32_t>(nodes_.size());
        if (!build(begin, middle, depth + 1)) return false;
        nodes_.data()[index].second_child = static_cast<std::uint32_t>(nodes_.size());
        return build(middle, end, depth + 1);
    }

private:
    static double middle_of(const Triangle& t, const Vec3Double& axis) {
        return dot(axis, widened(t.a)) + dot(axis, widened(t.b)) + dot(axis, widened(t.c));
    }

    // The beginning of the second part; `begin` if there are no two parts.
    std::uint32_t split(const Obb& box, std::uint32_t begin, std::uint32_t end) {
        struct Choice {
            float half;
            Vec3 axis;
        } choices[3] = {{box.half_extent.x, box.axis_x},
                        {box.half_extent.y, box.axis_y},
                        {box.half_extent.z, box.axis_z}};
        // The longest axis first; among equals the first.
        if (choices[1].half > choices[0].half) std::swap(choices[0], choices[1]);
        if (choices[2].half > choices[1].half) std::swap(choices[1], choices[2]);
        if (choices[1].half > choices[0].half) std::swap(choices[0], choices[1]);
        for (const Choice& choice : choices) {
            const std::uint32_t middle = split_across(widened(choice.axis), begin, end);
            if (middle != begin && middle != end) return middle;
        }
        return begin;
    }
    std::uint32_t split_across(const Vec3Double& axis, std::uint32_t begin, std::uint32_t end) {
        double sum = 0;
        for (std::uint32_t i = begin; i < end; ++i) sum += middle_of(triangles_[indices_[i]], axis);
        const double mean = sum / (end - begin);
        std::uint32_t middle = begin;
        for (std::uint32_t i = begin; i < end; ++i) {
            if (!(middle_of(triangles_[indices_[i]], axis) < mean)) continue;
            std::swap(indices_[i], indices_[middle]);
            ++middle;
        }
        return middle;
    }

    bool add_clusters(std::uint32_t begin, std::uint32_t end) {
        for (std::uint32_t first = begin; first < end; first += kNodeWidth) {
            const std::size_t place = clusters_.size();
            if (!clusters_.append(sizeof(MeshLeaf))) return false;
            auto& cluster = *reinterpret_cast<MeshLeaf*>(clusters_.data() + place);
            for (std::uint32_t lane = 0; lane < kNodeWidth; ++lane) {
                const std::uint32_t index = indices_[first + lane < end ? first + lane : end - 1];
                const Triangle& t = triangles_[index];
                const float numbers[9] = {t.a.x, t.a.y, t.a.z, t.b.x, t.b.y, t.b.z, t.c.x, t.c.y, t.c.z};
                for (std::uint32_t row = 0; row < 9; ++row) cluster.corners[row][lane] = numbers[row];
                cluster.triangles[lane] = index;
            }
        }
        return true;
    }

    const Triangle* triangles_;
    std::uint32_t* indices_;
    const ObbTreeSettings& settings_;
    AlignedArray<ObbTreeNode>& nodes_;
    AlignedArray<std::byte>& clusters_;
};

}  // namespace

ObbTree::ObbTree(const Allocator& allocator) noexcept : nodes_(allocator), clusters_(allocator) {}

Status ObbTree::build(const TriangleMesh& mesh, const ObbTreeSettings& settings) noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("ObbTree::build");
    if (!BROADSIDE_ARGUMENT(settings.max_depth <= kMaxDepth, "max_depth: more than 64"))
        return Status::invalid_argument;
    if (!BROADSIDE_ARGUMENT(settings.leaf_triangle_count > 0, "leaf_triangle_count: zero"))
        return Status::invalid_argument;
    const auto count = static_cast<std::uint32_t>(mesh.triangle_count());
    AlignedArray<ObbTreeNode> nodes = nodes_.make_empty();
    AlignedArray<std::byte> clusters = clusters_.make_empty();
    AlignedArray<std::byte> memory = clusters_.make_empty();
    if (!memory.resize(std::size_t{count} * (sizeof(Triangle) + sizeof(std::uint32_t))))
        return Status::out_of_memory;
    auto* const triangles = reinterpret_cast<Triangle*>(memory.data());
    auto* const indices = reinterpret_cast<std::uint32_t*>(triangles + count);
    for (std::uint32_t i = 0; i < count; ++i) {
        triangles[i] = mesh.triangle(i);
        indices[i] = i;
    }
    if (count != 0 && !Builder(triangles, indices, settings, nodes, clusters).build(0, count, 0))
        return Status::out_of_memory;
    nodes_ = std::move(nodes);
    clusters_ = std::move(clusters);
    shape_.triangle_count = count;
    return Status::ok;
}

void ObbTree::clear() noexcept {
    nodes_.clear();
    clusters_.clear();
    static_cast<Shape&>(shape_) = {};
}

const ObbTreeNode& ObbTree::node(std::uint32_t node_index) const noexcept {
    BROADSIDE_ASSERT(node_index < nodes_.size(), "node_index: at or past the count");
    return nodes_.data()[node_index];
}

std::uint32_t ObbTree::leaf_triangle(const ObbTreeNode& leaf, std::uint32_t i) const noexcept {
    BROADSIDE_ASSERT(leaf.is_leaf() && i < leaf.triangle_count, "i: at or past the count of the leaf");
    return clusters()[leaf.first_cluster + i / kNodeWidth].triangles[i % kNodeWidth];
}

std::size_t ObbTree::capacity_bytes() const noexcept {
    return nodes_.capacity_bytes() + clusters_.capacity_bytes();
}

const MeshLeaf* ObbTree::clusters() const noexcept {
    return reinterpret_cast<const MeshLeaf*>(clusters_.data());
}

}  // namespace broadside
