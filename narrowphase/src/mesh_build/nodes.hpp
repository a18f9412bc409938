// Makes nodes: the costliest part is split until a node has all its children.
#pragma once

#include "narrowphase/src/mesh/layout.hpp"
#include "narrowphase/src/mesh_build/cells.hpp"

namespace broadside::narrowphase {

/// A range of pieces whose triangles go to one child.
struct PieceRange {
    enum class Place : std::uint8_t { cells, opened_above, opened };

    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t triangle_count = 0;
    Place place = Place::cells;
    PieceExtent extent;

    bool is_open() const { return place != Place::cells; }
    std::uint32_t piece_count() const { return end - begin; }
};

/// Makes nodes from ranges.
class NodeMaker {
public:
    /// `above` is the maker whose opened triangles are used; null for the maker at the top.
    void begin(const MeshInput& input, MeshCells& cells, const AlignedArray<std::byte>& memory,
               NodeMaker* above) {
        input_ = &input;
        cells_ = &cells;
        above_ = above;
        nodes_ = memory.make_empty();
        opened_ = memory.make_empty();
    }
    /// Reserves memory for any range of this many triangles. A node has 16 children, or children that are all
    /// leaves and more than 16 triangles: it takes 15 of them out of the count.
    bool reserve(std::uint32_t triangle_count) {
        return nodes_.reserve(triangle_count / 15 * sizeof(MeshNode)) &&
               opened_.reserve(triangle_count * sizeof(Piece));
    }
    void clear() {
        nodes_.clear();
        opened_.clear();
    }
    std::uint32_t node_count() const { return static_cast<std::uint32_t>(nodes_.size() / sizeof(MeshNode)); }
    const MeshNode* nodes() const { return reinterpret_cast<const MeshNode*>(nodes_.data()); }

    /// Returns the code of the child that is made from the range; kNoChild without memory. `end(range,
    /// level)` returns the code of a range of at most `end_count` triangles.
    template <class End>
    std::uint32_t make(const PieceRange& range, std::uint32_t level, std::uint32_t end_count, End&& end) {
        if (range.triangle_count <= end_count) return end(range, level);
        const std::size_t opened_size = opened_.size();
        PieceRange children[kNodeWidth] = {range};
        const std::uint32_t child_count = split_into_children(children, level < kBestLevelCount);
        const std::size_t node = nodes_.size();
        if (child_count == 0 || !append(nodes_, sizeof(MeshNode))) return kNoChild;
        std::uint32_t names[kNodeWidth];
        for (std::uint32_t i = 0; i < kNodeWidth; ++i) {
            // Splits by codes leave it out.
            if (input_->is_fast() && !children[i].is_open()) children[i].extent = extent_of(children[i]);
            names[i] = i < child_count ? make(children[i], level + 1, end_count, end) : kNoChild;
            if (i < child_count && names[i] == kNoChild) return kNoChild;
        }
        // Triangles opened at the top are kept for the subtrees.
        if (above_ != nullptr) (void)opened_.resize(opened_size);
        auto& made = *reinterpret_cast<MeshNode*>(nodes_.data() + node);
        for (std::uint32_t i = 0; i < kNodeWidth; ++i) {
            nodes::set_lane_box(made.planes, i,
                                i < child_count ? children[i].extent.box.box() : Aabb::empty());
            made.children[i] = names[i];
        }
        return static_cast<std::uint32_t>(node / sizeof(MeshNode));
    }

    Piece* pieces(const PieceRange& range) {
        if (!range.is_open()) return cells_->pieces() + range.begin;
        AlignedArray<std::byte>& opened =
            range.place == PieceRange::Place::opened_above ? above_->opened_ : opened_;
        return reinterpret_cast<Piece*>(opened.data()) + range.begin;
    }

private:
    static bool append(AlignedArray<std::byte>& state_bytes, std::size_t count) {
        return state_bytes.reserve_to_append(count) && state_bytes.resize(state_bytes.size() + count);
    }

    // Replaces cells by their triangles.
    bool open(PieceRange& state_range) {
        const std::size_t first = opened_.size();
        if (!append(opened_, std::size_t{state_range.triangle_count} * sizeof(Piece))) return false;
        auto* to = reinterpret_cast<Piece*>(opened_.data() + first);
        PieceExtent extent;
        for (std::uint32_t i = 0; i < state_range.piece_count(); ++i) {
            const Piece& cell = pieces(state_range)[i];
            for (std::uint32_t k = 0; k < cell.triangle_count(); ++k, ++to) {
                const std::uint32_t name = cells_->by_code()[cell.name() + k];
                *to = piece_of(input_->triangle(name), name);
                extent.add(*to);
            }
        }
        const auto begin = static_cast<std::uint32_t>(first / sizeof(Piece));
        state_range = {begin, begin + state_range.triangle_count, state_range.triangle_count,
                       PieceRange::Place::opened, extent};
        return true;
    }

    PieceExtent extent_of(const PieceRange& range) {
        PieceExtent extent;
        for (std::uint32_t i = 0; i < range.piece_count(); ++i) extent.add(pieces(range)[i]);
        return extent;
    }

    // Splits the costliest child again and again. Returns the number of children, 0 without memory.
    std::uint32_t split_into_children(PieceRange* state_children, bool is_best) {
        const auto cost_of = [&](const PieceRange& child) {
            if (child.triangle_count <= kNodeWidth) return -1.0f;
            // Halved nodes are ordered by number, so that they stay within their depth.
            const auto size = static_cast<float>(child.triangle_count);
            return is_best && !input_->is_fast() ? min_keep(child.extent.box.area() * size, FLT_MAX) : size;
        };
        float costs[kNodeWidth] = {cost_of(state_children[0])};
        std::uint32_t count = 1;
        while (count < kNodeWidth) {
            std::uint32_t costliest = 0;
            for (std::uint32_t i = 1; i < count; ++i) {
                if (costs[i] > costs[costliest]) costliest = i;
            }
            if (costs[costliest] < 0.0f) break;
            PieceRange& child = state_children[costliest];
            if (!split(child, is_best, state_children[count])) return 0;
            costs[costliest] = cost_of(child);
            costs[count] = cost_of(state_children[count]);
            ++count;
        }
        return count;
    }

    // The range becomes the part before the split.
    bool split(PieceRange& state_range, bool is_best, PieceRange& out_behind) {
        if (is_best && input_->is_fast() && !state_range.is_open() && state_range.piece_count() > 1) {
            split_by_codes(state_range, out_behind);
            return true;
        }
        const bool is_small = state_range.triangle_count <= input_->sizes.opened_triangles_max ||
                              state_range.piece_count() == 1;
        if (!state_range.is_open() && (is_small || !is_best) && !open(state_range)) return false;
        Split place;
        if (is_best) place = find_split(pieces(state_range), state_range.piece_count(), state_range.extent);
        if (place.axis == Split::kNone) {
            if (!state_range.is_open() && !open(state_range)) return false;
            halve(state_range, out_behind);
            return true;
        }
        const PieceRange whole = state_range;
        const Parts parts = part(pieces(whole), whole.piece_count(), whole.extent, place);
        const std::uint32_t middle = whole.begin + parts.piece_count;
        state_range = {whole.begin, middle, parts.triangle_count, whole.place, parts.before};
        out_behind = {middle, whole.end, whole.triangle_count - parts.triangle_count, whole.place,
                      parts.behind};
        return true;
    }
    // Splits cells by their codes. Their extents follow when the node is made.
    void split_by_codes(PieceRange& state_range, PieceRange& out_behind) {
        const PieceRange whole = state_range;
        const std::uint32_t first_behind = first_behind_split(cells_->codes(), whole.begin, whole.end);
        const std::uint32_t triangle_count =
            cells_->pieces()[first_behind].name() - cells_->pieces()[whole.begin].name();
        state_range = {whole.begin, first_behind, triangle_count, whole.place, {}};
        out_behind = {first_behind, whole.end, whole.triangle_count - triangle_count, whole.place, {}};
    }
    // Halves triangles by number.
    void halve(PieceRange& state_range, PieceRange& out_behind) {
        const PieceRange whole = state_range;
        const std::uint32_t middle = whole.begin + whole.piece_count() / 2;
        state_range = {whole.begin, middle, middle - whole.begin, whole.place, {}};
        out_behind = {middle, whole.end, whole.end - middle, whole.place, {}};
        state_range.extent = extent_of(state_range);
        out_behind.extent = extent_of(out_behind);
    }

    const MeshInput* input_ = nullptr;
    MeshCells* cells_ = nullptr;
    NodeMaker* above_ = nullptr;
    AlignedArray<std::byte> nodes_;
    // Of Piece. The triangles of a node are opened behind those of the nodes above it.
    AlignedArray<std::byte> opened_;
};

}  // namespace broadside::narrowphase
