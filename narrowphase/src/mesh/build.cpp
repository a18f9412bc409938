// A node is made of the splits that cost most, until it has all its children.
//
// Most of the way down, a large mesh is not looked at triangle by triangle: a grid is laid over it, of cells
// with some eight triangles, and what is split are cells. Where few triangles are left, they take their place.
#include "narrowphase/src/mesh/build.hpp"

#include "narrowphase/src/mesh/ray_triangle_scalar.hpp"
#include "narrowphase/src/mesh/splits.hpp"

namespace broadside::narrowphase {
namespace {

constexpr std::uint32_t kTrianglesOfCell = 8;
// Below this a grid is not worth it.
constexpr std::uint32_t kLeastOfGrid = 1024;
// Cells with so few triangles in all become these.
constexpr std::uint32_t kOpenCount = 128;

// A grid over all centers: the longest edges of its cells were halved until there were enough.
struct Grid {
    float begin[3] = {};
    float factor[3] = {};
    std::uint32_t counts[3] = {1, 1, 1};
    std::uint32_t cell_count = 1;

    Grid(const Aabb& box, std::uint32_t wanted_count) {
        // Halved as centers are.
        const Vec3 half_min = box.min * 0.5f;
        const Vec3 half_size = box.max * 0.5f - half_min;
        const float sizes[3] = {half_size.x, half_size.y, half_size.z};
        float edges[3] = {half_size.x, half_size.y, half_size.z};
        while (cell_count < wanted_count) {
            const int axis = edges[0] >= edges[1] && edges[0] >= edges[2] ? 0 : edges[1] >= edges[2] ? 1 : 2;
            if (!(edges[axis] >= 0x1p-100f)) break;
            edges[axis] *= 0.5f;
            counts[axis] *= 2;
            cell_count *= 2;
        }
        begin[0] = half_min.x;
        begin[1] = half_min.y;
        begin[2] = half_min.z;
        for (int i = 0; i < 3; ++i)
            factor[i] = counts[i] > 1 ? static_cast<float>(counts[i]) / sizes[i] : 0.0f;
    }
    BROADSIDE_FORCE_INLINE std::uint32_t cell(const HalfCenter& center) const {
        std::uint32_t cell = 0;
        for (int i = 0; i < 3; ++i) {
            const auto place = static_cast<std::int32_t>((center.numbers[i] - begin[i]) * factor[i]);
            const std::uint32_t index = place < 0 ? 0u : static_cast<std::uint32_t>(place);
            cell = cell * counts[i] + (index < counts[i] ? index : counts[i] - 1);
        }
        return cell;
    }
};

// Pieces that are to be the triangles of one child, in one of the two arrays.
struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t triangle_count = 0;
    bool is_open = false;
    PieceExtent extent;

    std::uint32_t piece_count() const { return end - begin; }
};

class Builder {
public:
    Builder(std::span<const Vec3> vertices, std::span<const std::uint32_t> indices, const MeshParts& parts)
        : vertices_(vertices),
          indices_(indices),
          parts_(parts),
          count_(static_cast<std::uint32_t>(indices.size() / 3)),
          cells_(parts.nodes.make_empty()),
          opened_(parts.nodes.make_empty()),
          by_cell_(parts.slots.make_empty()),
          by_leaf_(parts.slots.make_empty()),
          leaf_begins_(parts.slots.make_empty()) {}

    Status run(MeshFacts& out_facts) {
        Range all;
        if (!parts_.slots.resize(count_) || !by_cell_.resize(count_) || !by_leaf_.reserve(count_) ||
            !make_cells(all))
            return Status::out_of_memory;
        out_facts.bounds = all.extent.box.box();
        out_facts.root = build(all, 0);
        if (out_facts.root == kNoChild || !fill_leaves(out_facts)) return Status::out_of_memory;
        return Status::ok;
    }

private:
    Triangle triangle(std::uint32_t name) const {
        const std::uint32_t* const corners = indices_.data() + 3 * std::size_t{name};
        return {vertices_[corners[0]], vertices_[corners[1]], vertices_[corners[2]]};
    }
    Piece* pieces(const Range& range) {
        return reinterpret_cast<Piece*>(range.is_open ? opened_.data() : cells_.data()) + range.begin;
    }
    static bool append(AlignedArray<std::byte>& state_bytes, std::size_t count) {
        return state_bytes.reserve_to_append(count) && state_bytes.resize(state_bytes.size() + count);
    }

    // The cells that hold triangles, and `by_cell_`: the triangles of one after the other. A cell is named by
    // its first.
    bool make_cells(Range& out_all) {
        Aabb box = Aabb::empty();
        for (const Vec3& vertex : vertices_) box = include(box, vertex);
        const Grid grid(box, count_ < kLeastOfGrid ? 1 : count_ / kTrianglesOfCell);
        AlignedArray<std::uint32_t> places = by_cell_.make_empty();
        if (!cells_.resize(std::size_t{grid.cell_count} * sizeof(Piece)) || !places.resize(grid.cell_count))
            return false;
        auto* const cells = reinterpret_cast<Piece*>(cells_.data());
        for (std::uint32_t i = 0; i < grid.cell_count; ++i) {
            cells[i].box = JoinedBox::empty();
            places[i] = 0;
        }
        // Until leaves are filled, these are the cells of triangles.
        std::uint32_t* const cell_of = parts_.slots.data();
        for (std::uint32_t i = 0; i < count_; ++i) {
            const Piece piece = piece_of(triangle(i), i);
            cell_of[i] = grid.cell(piece.half_center());
            cells[cell_of[i]].box.join(piece.box);
            ++places[cell_of[i]];
        }
        out_all = {0, 0, count_, false, {}};
        std::uint32_t place = 0;
        for (std::uint32_t i = 0; i < grid.cell_count; ++i) {
            const std::uint32_t triangle_count = places[i];
            places[i] = place;
            if (triangle_count == 0) continue;
            Piece cell = cells[i];
            cell.set(place, triangle_count);
            cells[out_all.end++] = cell;
            out_all.extent.add(cell);
            place += triangle_count;
        }
        for (std::uint32_t i = 0; i < count_; ++i) by_cell_[places[cell_of[i]]++] = i;
        return true;
    }

    // Puts triangles in the place of cells.
    bool open(Range& state_range) {
        const std::size_t first = opened_.size();
        if (!append(opened_, std::size_t{state_range.triangle_count} * sizeof(Piece))) return false;
        auto* to = reinterpret_cast<Piece*>(opened_.data() + first);
        PieceExtent extent;
        for (std::uint32_t i = 0; i < state_range.piece_count(); ++i) {
            const Piece& cell = pieces(state_range)[i];
            for (std::uint32_t k = 0; k < cell.triangle_count(); ++k, ++to) {
                const std::uint32_t name = by_cell_[cell.name() + k];
                *to = piece_of(triangle(name), name);
                extent.add(*to);
            }
        }
        const auto begin = static_cast<std::uint32_t>(first / sizeof(Piece));
        state_range = {begin, begin + state_range.triangle_count, state_range.triangle_count, true, extent};
        return true;
    }

    // The name of the child that is made of the range; kNoChild when there is no memory.
    std::uint32_t build(const Range& range, std::uint32_t level) {
        if (range.triangle_count <= kNodeWidth) return make_leaf(range);
        const std::size_t opened_size = opened_.size();
        Range children[kNodeWidth] = {range};
        const std::uint32_t child_count = split_into_children(children, level < kBestLevelCount);
        const std::size_t node = parts_.nodes.size();
        if (child_count == 0 || !append(parts_.nodes, sizeof(MeshNode))) return kNoChild;
        std::uint32_t names[kNodeWidth];
        for (std::uint32_t i = 0; i < kNodeWidth; ++i) {
            names[i] = i < child_count ? build(children[i], level + 1) : kNoChild;
            if (i < child_count && names[i] == kNoChild) return kNoChild;
        }
        (void)opened_.resize(opened_size);
        auto& made = *reinterpret_cast<MeshNode*>(parts_.nodes.data() + node);
        for (std::uint32_t i = 0; i < kNodeWidth; ++i) {
            nodes::set_lane_box(made.planes, i,
                                i < child_count ? children[i].extent.box.box() : Aabb::empty());
            made.children[i] = names[i];
        }
        return static_cast<std::uint32_t>(node / sizeof(MeshNode));
    }

    // Leaves are counted first and filled when their number is known.
    std::uint32_t make_leaf(const Range& range) {
        const std::size_t index = leaf_begins_.size();
        if (!leaf_begins_.push_back(static_cast<std::uint32_t>(by_leaf_.size()))) return kNoChild;
        const auto add = [&](std::uint32_t name) { (void)by_leaf_.push_back(name); };
        for (std::uint32_t i = 0; i < range.piece_count(); ++i) {
            const Piece& piece = pieces(range)[i];
            if (range.is_open) {
                add(piece.name());
            } else {
                for (std::uint32_t k = 0; k < piece.triangle_count(); ++k) add(by_cell_[piece.name() + k]);
            }
        }
        return mesh_leaf(static_cast<std::uint32_t>(index), range.triangle_count);
    }

    // Splits the costliest of the children again and again; returns how many there are, 0 without memory.
    std::uint32_t split_into_children(Range* state_children, bool is_best) {
        const auto cost_of = [&](const Range& child) {
            if (child.triangle_count <= kNodeWidth) return -1.0f;
            // Halved nodes halve by number, so that they reach their depth.
            const auto size = static_cast<float>(child.triangle_count);
            return is_best ? min_keep(child.extent.box.area() * size, FLT_MAX) : size;
        };
        float costs[kNodeWidth] = {cost_of(state_children[0])};
        std::uint32_t count = 1;
        while (count < kNodeWidth) {
            std::uint32_t costliest = 0;
            for (std::uint32_t i = 1; i < count; ++i) {
                if (costs[i] > costs[costliest]) costliest = i;
            }
            if (costs[costliest] < 0.0f) break;
            Range& child = state_children[costliest];
            if (!split(child, is_best, state_children[count])) return 0;
            costs[costliest] = cost_of(child);
            costs[count] = cost_of(state_children[count]);
            ++count;
        }
        return count;
    }

    // The range becomes the part before the split.
    bool split(Range& state_range, bool is_best, Range& out_behind) {
        const bool is_small = state_range.triangle_count <= kOpenCount || state_range.piece_count() == 1;
        if (!state_range.is_open && (is_small || !is_best) && !open(state_range)) return false;
        Split place;
        if (is_best) place = find_split(pieces(state_range), state_range.piece_count(), state_range.extent);
        if (place.axis == Split::kNone) {
            if (!state_range.is_open && !open(state_range)) return false;
            halve(state_range, out_behind);
            return true;
        }
        const Range whole = state_range;
        const Parts parts = part(pieces(whole), whole.piece_count(), whole.extent, place);
        const std::uint32_t middle = whole.begin + parts.piece_count;
        state_range = {whole.begin, middle, parts.triangle_count, whole.is_open, parts.before};
        out_behind = {middle, whole.end, whole.triangle_count - parts.triangle_count, whole.is_open,
                      parts.behind};
        return true;
    }
    // Triangles, by their number.
    void halve(Range& state_range, Range& out_behind) {
        const Range whole = state_range;
        const std::uint32_t middle = whole.begin + whole.piece_count() / 2;
        const auto made = [&](std::uint32_t begin, std::uint32_t end) {
            Range half = {begin, end, end - begin, true, {}};
            for (std::uint32_t i = 0; i < half.piece_count(); ++i) half.extent.add(pieces(half)[i]);
            return half;
        };
        state_range = made(whole.begin, middle);
        out_behind = made(middle, whole.end);
    }

    bool fill_leaves(MeshFacts& state_facts) {
        if (!leaf_begins_.push_back(count_)) return false;
        const std::size_t leaf_count = leaf_begins_.size() - 1;
        if (!parts_.leaves.resize(leaf_count * sizeof(MeshLeaf))) return false;
        auto* const leaves = reinterpret_cast<MeshLeaf*>(parts_.leaves.data());
        for (std::size_t i = 0; i < leaf_count; ++i) {
            const std::uint32_t begin = leaf_begins_[i];
            fill_leaf(static_cast<std::uint32_t>(i), {by_leaf_.data() + begin, leaf_begins_[i + 1] - begin},
                      leaves[i], state_facts);
        }
        return true;
    }
    void fill_leaf(std::uint32_t index, std::span<const std::uint32_t> names, MeshLeaf& out_leaf,
                   MeshFacts& state_facts) {
        for (std::uint32_t lane = 0; lane < kNodeWidth; ++lane) {
            const std::uint32_t name = names[lane < names.size() ? lane : names.size() - 1];
            const Triangle corners = triangle(name);
            const float numbers[9] = {corners.a.x, corners.a.y, corners.a.z, corners.b.x, corners.b.y,
                                      corners.b.z, corners.c.x, corners.c.y, corners.c.z};
            // -0 would be another bit pattern of the same place.
            for (std::uint32_t row = 0; row < 9; ++row) out_leaf.corners[row][lane] = numbers[row] + 0.0f;
            out_leaf.triangles[lane] = name;
            if (lane >= names.size()) continue;
            parts_.slots[name] = index * kNodeWidth + lane;
            state_facts.degenerate_count += is_degenerate(corners) ? 1u : 0u;
        }
    }

    std::span<const Vec3> vertices_;
    std::span<const std::uint32_t> indices_;
    const MeshParts& parts_;
    std::uint32_t count_;
    // Both are of Piece. Triangles of a node are opened behind those of the nodes above it.
    AlignedArray<std::byte> cells_;
    AlignedArray<std::byte> opened_;
    // Triangles cell by cell, and leaf by leaf.
    AlignedArray<std::uint32_t> by_cell_;
    AlignedArray<std::uint32_t> by_leaf_;
    AlignedArray<std::uint32_t> leaf_begins_;
};

}  // namespace

Status build_tree(std::span<const Vec3> vertices, std::span<const std::uint32_t> indices,
                  MeshFacts& out_facts, const MeshParts& out_parts) noexcept {
    out_facts = {};
    if (indices.empty()) return Status::ok;
    return Builder(vertices, indices, out_parts).run(out_facts);
}

}  // namespace broadside::narrowphase
