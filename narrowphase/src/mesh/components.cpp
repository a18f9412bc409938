// Which triangles of a mesh hang together: by corners that they share, by index or by place.
#include "narrowphase/src/mesh/build.hpp"

#include <bit>

namespace broadside::narrowphase {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFu;

// Sets of vertices, each named by its lowest one.
class VertexSets {
public:
    explicit VertexSets(AlignedArray<std::uint32_t>& state_lower) : lower_(state_lower.data()) {
        for (std::uint32_t i = 0; i < state_lower.size(); ++i) lower_[i] = i;
    }
    std::uint32_t lowest(std::uint32_t vertex) {
        while (lower_[vertex] != vertex) {
            lower_[vertex] = lower_[lower_[vertex]];
            vertex = lower_[vertex];
        }
        return vertex;
    }
    void join(std::uint32_t a, std::uint32_t b) {
        // Neighbours mostly are of one set, and near its lowest.
        if (lower_[a] == lower_[b]) return;
        a = lowest(a);
        b = lowest(b);
        if (a < b)
            lower_[b] = a;
        else
            lower_[a] = b;
    }

private:
    std::uint32_t* lower_;
};

std::uint64_t hash_of(Vec3 place) {
    std::uint64_t hash = 0;
    for (const float value : {place.x, place.y, place.z}) {
        hash = (hash ^ std::bit_cast<std::uint32_t>(value)) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    return hash;
}

// Joins vertices at one place.
bool join_equal(std::span<const Vec3> vertices, AlignedArray<std::uint32_t>& state_table,
                VertexSets& state_sets) {
    const std::size_t size = std::bit_ceil(vertices.size() * 2);
    if (!state_table.resize(size)) return false;
    for (std::uint32_t& entry : state_table) entry = kNone;
    const Vec3 zero = {0.0f, 0.0f, 0.0f};
    for (std::uint32_t i = 0; i < vertices.size(); ++i) {
        // -0 is 0.
        const Vec3 place = vertices[i] + zero;
        std::size_t at = static_cast<std::size_t>(hash_of(place)) & (size - 1);
        while (state_table[at] != kNone && !(vertices[state_table[at]] == place)) at = (at + 1) & (size - 1);
        if (state_table[at] == kNone)
            state_table[at] = i;
        else
            state_sets.join(state_table[at], i);
    }
    return true;
}

}  // namespace

Status find_components(std::span<const Vec3> vertices, std::span<const std::uint32_t> indices,
                       AlignedArray<std::uint32_t>& out_first_triangles) noexcept {
    AlignedArray<std::uint32_t> lower = out_first_triangles.make_empty();
    AlignedArray<std::uint32_t> table = out_first_triangles.make_empty();
    if (!lower.resize(vertices.size())) return Status::out_of_memory;
    VertexSets sets(lower);
    for (std::size_t i = 0; i < indices.size(); i += 3) {
        sets.join(indices[i], indices[i + 1]);
        sets.join(indices[i], indices[i + 2]);
    }
    // Usually that is all. Else corners may be one place by two indices, as at the seam of a texture.
    const auto is_one = [&] {
        for (std::size_t i = 0; i < indices.size(); i += 3) {
            if (sets.lowest(indices[i]) != sets.lowest(indices[0])) return false;
        }
        return true;
    };
    if (is_one()) {
        if (!out_first_triangles.resize(indices.empty() ? 0 : 1)) return Status::out_of_memory;
        for (std::uint32_t& first_triangle : out_first_triangles) first_triangle = 0;
        return Status::ok;
    }
    if (!join_equal(vertices, table, sets)) return Status::out_of_memory;
    // The table serves for the first triangle of each set.
    if (!table.resize(vertices.size())) return Status::out_of_memory;
    for (std::uint32_t& first_triangle : table) first_triangle = kNone;
    const auto triangle_count = static_cast<std::uint32_t>(indices.size() / 3);
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < triangle_count; ++i) {
        std::uint32_t& first_triangle = table[sets.lowest(indices[std::size_t{3} * i])];
        if (first_triangle != kNone) continue;
        first_triangle = i;
        ++count;
    }
    if (!out_first_triangles.resize(count)) return Status::out_of_memory;
    for (std::uint32_t i = 0, written = 0; i < triangle_count; ++i) {
        if (table[sets.lowest(indices[std::size_t{3} * i])] == i) out_first_triangles[written++] = i;
    }
    return Status::ok;
}

}  // namespace broadside::narrowphase
