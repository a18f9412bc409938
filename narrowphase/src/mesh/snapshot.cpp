// A mesh as bytes, and the checks of such bytes.
#include <broadside/float_environment.hpp>
#include <broadside/mesh.hpp>

#include "core/src/argument.hpp"
#include "core/src/checksum.hpp"
#include "narrowphase/src/mesh/layout.hpp"
#include "narrowphase/src/mesh/ray_triangle_scalar.hpp"

#include <numeric>
#include <utility>

namespace broadside {

using narrowphase::kNodeWidth;
using narrowphase::MeshLeaf;
using narrowphase::MeshNode;
using narrowphase::MeshView;

namespace {

constexpr char kMeshMagic[8] = {'B', 'S', 'M', 'E', 'S', 'H', '\0', '\0'};
constexpr std::uint32_t kMeshVersion = 2;

struct MeshSnapshotHeader {
    char magic[8];
    std::uint32_t version;
    /// 1. Any other value means bytes in another byte order, which are refused.
    std::uint32_t byte_order;
    std::uint64_t byte_count;
    std::uint64_t checksum;
    std::uint64_t node_count;
    std::uint64_t leaf_count;
    std::uint64_t triangle_count;
    std::uint64_t degenerate_count;
    std::uint64_t component_count;
    float bounds[6];
    std::uint32_t root;
    std::uint32_t unused;
};
constexpr std::size_t kMeshChecksumEnd = offsetof(MeshSnapshotHeader, checksum) + sizeof(std::uint64_t);

// The sizes of the numbers of the header, as copy_little_endian takes them. Nodes, leaves and slots consist
// of numbers of four bytes.
constexpr std::uint8_t kMeshHeaderNumbers[] = {1, 1, 1, 1, 1, 1, 1, 1, 4, 4, 8, 8, 8,
                                               8, 8, 8, 8, 4, 4, 4, 4, 4, 4, 4, 4};
static_assert(std::accumulate(std::begin(kMeshHeaderNumbers), std::end(kMeshHeaderNumbers), 0u) ==
              sizeof(MeshSnapshotHeader));
constexpr auto& kArrayNumbers = kNumberBytes<std::uint32_t>;

// NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): the bits are compared, those of zeros too.
bool is_same(const Aabb& a, const Aabb& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// Checks everything that queries rely on. Codes of children lead to nodes and leaves that were not reached
// before and are not too deep. Boxes are those of everything below them. Every triangle is finite and in one
// slot. Also checks the values that are returned as stored: the box around all and the number of degenerate
// triangles.
class Check {
public:
    Check(const MeshView& mesh, std::uint64_t node_count, std::uint64_t leaf_count,
          std::span<const std::uint32_t> slots)
        : mesh_(mesh), node_count_(node_count), leaf_count_(leaf_count), slots_(slots) {}

    bool is_right(const Aabb& bounds, std::uint64_t degenerate_count) {
        if (mesh_.is_empty()) {
            return node_count_ == 0 && leaf_count_ == 0 && slots_.empty() && degenerate_count == 0 &&
                   is_same(bounds, Aabb::empty());
        }
        Aabb box;
        return look_at(mesh_.root, 0, box) && is_same(box, bounds) && next_node_ == node_count_ &&
               next_leaf_ == leaf_count_ && seen_count_ == slots_.size() &&
               degenerate_count_ == degenerate_count;
    }

private:
    // Nodes and leaves are in depth-first order, as they are built.
    bool look_at(std::uint32_t child, std::uint32_t level, Aabb& out_box) {
        if (narrowphase::is_mesh_leaf(child)) return look_at_leaf(child, out_box);
        if (child != next_node_ || child >= node_count_ || level == narrowphase::kMeshLevelCount)
            return false;
        ++next_node_;
        out_box = Aabb::empty();
        bool has_child = false;
        for (std::uint32_t lane = 0; lane < kNodeWidth; ++lane) {
            const Aabb stored = nodes::lane_box(mesh_.nodes[child].planes, lane);
            const std::uint32_t name = mesh_.nodes[child].children[lane];
            if (name == narrowphase::kNoChild) {
                if (!is_same(stored, Aabb::empty())) return false;
                continue;
            }
            Aabb box;
            if (!look_at(name, level + 1, box) || !is_same(box, stored)) return false;
            out_box = include(out_box, box);
            has_child = true;
        }
        return has_child;
    }
    bool look_at_leaf(std::uint32_t child, Aabb& out_box) {
        const std::uint32_t index = narrowphase::leaf_index(child);
        if (child == narrowphase::kNoChild || index != next_leaf_ || index >= leaf_count_) return false;
        ++next_leaf_;
        out_box = Aabb::empty();
        const MeshLeaf& leaf = mesh_.leaves[index];
        for (std::uint32_t lane = 0; lane < narrowphase::leaf_count(child); ++lane) {
            const Triangle triangle = leaf.triangle(lane);
            const std::uint32_t name = leaf.triangles[lane];
            if (!is_finite(triangle.a) || !is_finite(triangle.b) || !is_finite(triangle.c)) return false;
            if (name >= slots_.size() || slots_[name] != index * kNodeWidth + lane) return false;
            out_box = include(out_box, bounds(triangle));
            ++seen_count_;
            degenerate_count_ += narrowphase::is_degenerate(triangle) ? 1u : 0u;
        }
        return true;
    }

    const MeshView mesh_;
    const std::uint64_t node_count_;
    const std::uint64_t leaf_count_;
    const std::span<const std::uint32_t> slots_;
    std::uint64_t next_node_ = 0;
    std::uint64_t next_leaf_ = 0;
    std::size_t seen_count_ = 0;
    std::uint64_t degenerate_count_ = 0;
};

// Indices of triangles, ascending from the first one.
bool are_components(std::span<const std::uint32_t> first_triangles, std::size_t triangle_count) {
    if (first_triangles.empty() || first_triangles[0] != 0) return triangle_count == 0;
    for (std::size_t i = 1; i < first_triangles.size(); ++i) {
        if (first_triangles[i] <= first_triangles[i - 1]) return false;
    }
    return first_triangles.back() < triangle_count;
}

// Reads the header. False unless the bytes are complete and, as far as a checksum tells, undamaged.
bool read_header(std::span<const std::byte> bytes, MeshSnapshotHeader& out_header) {
    if (bytes.size() < sizeof out_header) return false;
    copy_little_endian(&out_header, bytes.data(), sizeof out_header, kMeshHeaderNumbers);
    const MeshSnapshotHeader& header = out_header;
    if (std::memcmp(header.magic, kMeshMagic, sizeof kMeshMagic) != 0 || header.version != kMeshVersion ||
        header.byte_order != 1 || header.unused != 0 || header.byte_count != bytes.size() ||
        header.checksum != checksum_of(bytes.data() + kMeshChecksumEnd, bytes.size() - kMeshChecksumEnd)) {
        return false;
    }
    // The size bounds the memory that the counts can claim, before any is requested.
    if (header.triangle_count >= kMaxTriangleCount || header.node_count >= kMaxTriangleCount ||
        header.leaf_count >= kMaxTriangleCount || header.component_count > header.triangle_count)
        return false;
    return sizeof header + header.node_count * sizeof(MeshNode) + header.leaf_count * sizeof(MeshLeaf) +
               (header.triangle_count + header.component_count) * sizeof(std::uint32_t) ==
           bytes.size();
}

}  // namespace

std::size_t TriangleMesh::snapshot_bytes() const noexcept {
    return sizeof(MeshSnapshotHeader) + nodes_.size() + leaves_.size() +
           (slots_.size() + component_triangles_.size()) * sizeof(std::uint32_t);
}

Status TriangleMesh::save(std::span<std::byte> out_bytes) const noexcept {
    if (!check_readable(out_bytes)) return Status::invalid_argument;
    const std::size_t count = snapshot_bytes();
    if (out_bytes.size() < count) return Status::capacity_exceeded;
    MeshSnapshotHeader header = {};
    std::memcpy(header.magic, kMeshMagic, sizeof kMeshMagic);
    header.version = kMeshVersion;
    header.byte_order = 1;
    header.byte_count = count;
    header.node_count = nodes_.size() / sizeof(MeshNode);
    header.leaf_count = leaves_.size() / sizeof(MeshLeaf);
    header.triangle_count = slots_.size();
    header.degenerate_count = shape_.degenerate_count;
    header.component_count = component_triangles_.size();
    std::memcpy(header.bounds, &shape_.bounds, sizeof header.bounds);
    header.root = shape_.root;
    copy_little_endian(out_bytes.data(), &header, sizeof header, kMeshHeaderNumbers);
    std::byte* next = out_bytes.data() + sizeof header;
    const auto write = [&](const void* data, std::size_t bytes) {
        copy_little_endian(next, data, bytes, kArrayNumbers);
        next += bytes;
    };
    write(nodes_.data(), nodes_.size());
    write(leaves_.data(), leaves_.size());
    write(slots_.data(), slots_.size() * sizeof(std::uint32_t));
    write(component_triangles_.data(), component_triangles_.size() * sizeof(std::uint32_t));
    header.checksum = checksum_of(out_bytes.data() + kMeshChecksumEnd, count - kMeshChecksumEnd);
    copy_little_endian(out_bytes.data(), &header, sizeof header, kMeshHeaderNumbers);
    return Status::ok;
}

// Bytes come from files and from other machines. Damage is not a misuse by the caller, so nothing here
// reaches the assert handler.
Status TriangleMesh::restore(std::span<const std::byte> bytes) noexcept {
    const FloatEnvironment environment;
    MeshSnapshotHeader header;
    if (!check_readable(bytes) || !read_header(bytes, header)) return Status::invalid_argument;
    AlignedArray<std::byte> nodes = nodes_.make_empty();
    AlignedArray<std::byte> leaves = leaves_.make_empty();
    AlignedArray<std::uint32_t> slots = slots_.make_empty();
    AlignedArray<std::uint32_t> component_triangles = component_triangles_.make_empty();
    // No more memory than the bytes that are present.
    if (!nodes.resize(static_cast<std::size_t>(header.node_count * sizeof(MeshNode))) ||
        !leaves.resize(static_cast<std::size_t>(header.leaf_count * sizeof(MeshLeaf))) ||
        !slots.resize(static_cast<std::size_t>(header.triangle_count)) ||
        !component_triangles.resize(static_cast<std::size_t>(header.component_count))) {
        return Status::out_of_memory;
    }
    const std::byte* next = bytes.data() + sizeof header;
    const auto read = [&](void* data, std::size_t count) {
        copy_little_endian(data, next, count, kArrayNumbers);
        next += count;
    };
    read(nodes.data(), nodes.size());
    read(leaves.data(), leaves.size());
    read(slots.data(), slots.size() * sizeof(std::uint32_t));
    read(component_triangles.data(), component_triangles.size() * sizeof(std::uint32_t));
    Shape shape;
    shape.degenerate_count = static_cast<std::size_t>(header.degenerate_count);
    shape.root = header.root;
    std::memcpy(&shape.bounds, header.bounds, sizeof header.bounds);
    const MeshView mesh = {reinterpret_cast<const MeshNode*>(nodes.data()),
                           reinterpret_cast<const MeshLeaf*>(leaves.data()), shape.root, shape.bounds};
    if (!Check(mesh, header.node_count, header.leaf_count, {slots.data(), slots.size()})
             .is_right(shape.bounds, header.degenerate_count) ||
        !are_components({component_triangles.data(), component_triangles.size()}, slots.size()))
        return Status::invalid_argument;
    nodes_ = std::move(nodes);
    leaves_ = std::move(leaves);
    slots_ = std::move(slots);
    component_triangles_ = std::move(component_triangles);
    static_cast<Shape&>(shape_) = shape;
    return Status::ok;
}

}  // namespace broadside
