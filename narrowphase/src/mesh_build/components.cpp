// See components.hpp.
#include "narrowphase/src/mesh_build/components.hpp"

#include <algorithm>
#include <bit>

namespace broadside::narrowphase {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFu;

// Sets of vertices, each named by its lowest one.
class VertexSets {
public:
    explicit VertexSets(std::uint32_t* state_lower) : lower_(state_lower) {}
    // Makes each vertex a set of its own.
    void part(std::size_t count) {
        for (std::uint32_t i = 0; i < count; ++i) lower_[i] = i;
    }
    std::uint32_t lowest(std::uint32_t vertex) {
        while (lower_[vertex] != vertex) {
            lower_[vertex] = lower_[lower_[vertex]];
            vertex = lower_[vertex];
        }
        return vertex;
    }
    void join(std::uint32_t a, std::uint32_t b) {
        // Neighbours are mostly in one set, and near its lowest vertex.
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
        hash = (hash ^ __builtin_bit_cast(std::uint32_t, value)) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    return hash;
}

// Joins vertices with equal coordinates, by a hash table of at least twice as many entries.
void join_equal(std::span<const Vec3> vertices, std::span<std::uint32_t> state_table,
                VertexSets& state_sets) {
    const std::size_t size = state_table.size();
    for (std::uint32_t& entry : state_table) entry = kNone;
    const Vec3 zero = {0.0f, 0.0f, 0.0f};
    for (std::uint32_t i = 0; i < vertices.size(); ++i) {
        // -0 becomes 0.
        const Vec3 place = vertices[i] + zero;
        std::size_t at = static_cast<std::size_t>(hash_of(place)) & (size - 1);
        while (state_table[at] != kNone && !(vertices[state_table[at]] == place)) at = (at + 1) & (size - 1);
        if (state_table[at] == kNone)
            state_table[at] = i;
        else
            state_sets.join(state_table[at], i);
    }
}

}  // namespace

MeshComponents::MeshComponents(std::span<const Vec3> vertices, std::span<const std::uint32_t> indices,
                               const AlignedArray<std::uint32_t>& memory) noexcept
    : vertices_(vertices), indices_(indices), lower_(memory.make_empty()), table_(memory.make_empty()) {}

bool MeshComponents::reserve_for_indices() noexcept { return lower_.resize(vertices_.size()); }

void MeshComponents::join_indices() noexcept {
    VertexSets sets(lower_.data());
    sets.part(vertices_.size());
    for (std::size_t i = 0; i < indices_.size(); i += 3) {
        sets.join(indices_[i], indices_[i + 1]);
        sets.join(indices_[i], indices_[i + 2]);
    }
    count_ = indices_.empty() ? 0 : 1;
    is_one_ = true;
    for (std::size_t i = 0; i < indices_.size() && is_one_; i += 3)
        is_one_ = sets.lowest(indices_[i]) == sets.lowest(indices_[0]);
}

bool MeshComponents::reserve_for_places() noexcept {
    return is_one_ || table_.resize(std::bit_ceil(vertices_.size() * 2));
}

void MeshComponents::join_places() noexcept {
    if (is_one_) return;
    VertexSets sets(lower_.data());
    // One point may have two indices, as at the seam of a texture.
    join_equal(vertices_, {table_.data(), table_.size()}, sets);
    // The table is reused for the first triangle of each set.
    for (std::size_t i = 0; i < vertices_.size(); ++i) table_[i] = kNone;
    count_ = 0;
    for (std::size_t i = 0; i < indices_.size(); i += 3) {
        std::uint32_t& first_triangle = table_[sets.lowest(indices_[i])];
        if (first_triangle != kNone) continue;
        first_triangle = static_cast<std::uint32_t>(i / 3);
        ++count_;
    }
}

bool MeshComponents::write(AlignedArray<std::uint32_t>& out_first_triangles) noexcept {
    if (!out_first_triangles.resize(count_)) return false;
    if (is_one_) {
        for (std::uint32_t& first_triangle : out_first_triangles) first_triangle = 0;
        return true;
    }
    std::uint32_t written = 0;
    for (std::size_t i = 0; i < vertices_.size(); ++i) {
        if (table_[i] != kNone) out_first_triangles[written++] = table_[i];
    }
    // Sorted by vertex so far.
    std::sort(out_first_triangles.begin(), out_first_triangles.end());
    return true;
}

}  // namespace broadside::narrowphase
