// The input of a mesh build, and a grid of cells over it that hold some triangles each.
#pragma once

#include "core/src/zones.hpp"
#include "narrowphase/src/mesh_build/splits.hpp"

#include <broadside/aligned_array.hpp>
#include <broadside/run_tasks.hpp>

#include <span>

namespace broadside::narrowphase {

inline constexpr std::uint32_t kTrianglesOfCell = 8;
/// With fewer triangles a grid is not worth it.
inline constexpr std::uint32_t kLeastOfGrid = 1024;
/// Number of triangles per task that sorts them into cells.
inline constexpr std::uint32_t kTrianglesOfTask = 16384;
/// Most slabs of cells; each slab is sorted separately.
inline constexpr std::uint32_t kMaxSlabCount = 256;

struct MeshInput {
    std::span<const Vec3> vertices;
    std::span<const std::uint32_t> indices;

    std::uint32_t triangle_count() const { return static_cast<std::uint32_t>(indices.size() / 3); }
    Triangle triangle(std::uint32_t name) const {
        const std::uint32_t* const corners = indices.data() + 3 * std::size_t{name};
        return {vertices[corners[0]], vertices[corners[1]], vertices[corners[2]]};
    }
};

/// A grid over all centers. The longest edges of its cells were halved until there were enough cells.
struct CellGrid {
    float begin[3] = {};
    float factor[3] = {};
    std::uint32_t counts[3] = {1, 1, 1};
    std::uint32_t cell_count = 1;

    CellGrid(const Aabb& box, std::uint32_t wanted_count) {
        // Halved, as centers are.
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

/// The triangles of a mesh, cell by cell.
///
/// A task handles a run of triangles or a slab of cells. Triangles are sorted by slabs first, so that those
/// of a slab are contiguous. A cell holds its triangles in the order of their indices, with any number of
/// workers.
class MeshCells {
public:
    MeshCells(const MeshInput& input, const AlignedArray<std::byte>& memory,
              const AlignedArray<std::uint32_t>& number_memory)
        : input_(input),
          pieces_(memory.make_empty()),
          slab_bytes_(memory.make_empty()),
          by_cell_(number_memory.make_empty()),
          ends_(number_memory.make_empty()),
          counts_(number_memory.make_empty()) {}

    Piece* pieces() { return reinterpret_cast<Piece*>(pieces_.data()); }
    std::uint32_t piece_count() const { return static_cast<std::uint32_t>(pieces_.size() / sizeof(Piece)); }
    /// A cell is named by the index of its first triangle in this array.
    const std::uint32_t* by_cell() const { return by_cell_.data(); }

    /// Makes all cells that hold triangles. Both arrays have room for one number per triangle, and are free
    /// again afterwards. Returns false without memory.
    bool make(const TaskRunner* runner, std::uint32_t* cell_of, std::uint32_t* by_slab,
              PieceExtent& out_extent) {
        const std::uint32_t count = input_.triangle_count();
        Aabb box = Aabb::empty();
        for (const Vec3& vertex : input_.vertices) box = include(box, vertex);
        const CellGrid grid(box, count < kLeastOfGrid ? 1 : count / kTrianglesOfCell);
        // All slabs have the same number of cells.
        const std::uint32_t wanted = count / kTrianglesOfTask + 1;
        while (grid.cell_count >> slab_shift_ > (wanted < kMaxSlabCount ? wanted : kMaxSlabCount))
            ++slab_shift_;
        slab_count_ = grid.cell_count >> slab_shift_;
        run_count_ = (count + kTrianglesOfTask - 1) / kTrianglesOfTask;
        if (!by_cell_.resize(count) || !ends_.resize(grid.cell_count) ||
            !counts_.resize(std::size_t{run_count_} * slab_count_) ||
            !slab_bytes_.resize((slab_count_ + 1) * sizeof(Slab)))
            return false;
        sort_by_slabs(runner, grid, cell_of, by_slab);
        if (!pieces_.resize(std::size_t{grid.cell_count} * sizeof(Piece))) return false;
        for_slabs(runner, [&](Slab& state_slab, const SlabRange& range) {
            fill_cells(range, cell_of, by_slab);
            sort_by_cells(range, cell_of, by_slab);
            remove_empty_cells(state_slab, range);
        });
        out_extent = {};
        std::size_t piece_count = 0;
        for (std::uint32_t i = 0; i < slab_count_; ++i) {
            std::memmove(pieces() + piece_count, pieces() + (std::size_t{i} << slab_shift_),
                         slabs()[i].piece_count * sizeof(Piece));
            piece_count += slabs()[i].piece_count;
            out_extent.add(slabs()[i].extent);
        }
        return pieces_.resize(piece_count * sizeof(Piece));
    }

private:
    struct Slab {
        /// The first of its triangles.
        std::uint32_t begin;
        std::uint32_t piece_count;
        PieceExtent extent;
    };
    struct SlabRange {
        /// Triangles, then cells.
        std::uint32_t begin;
        std::uint32_t end;
        std::uint32_t first_cell;
        std::uint32_t last_cell;
    };

    Slab* slabs() { return reinterpret_cast<Slab*>(slab_bytes_.data()); }
    // Calls `take(counts, begin, end)` for each run; `counts` has one number per slab.
    template <class Take>
    void for_runs(const TaskRunner* runner, Take&& take) {
        const std::uint32_t count = input_.triangle_count();
        run_tasks(runner, run_count_, [&](std::uint32_t run) {
            BROADSIDE_ZONE("mesh/build task");
            const std::uint32_t begin = run * kTrianglesOfTask;
            const std::uint32_t end = count - begin < kTrianglesOfTask ? count : begin + kTrianglesOfTask;
            take(counts_.data() + std::size_t{run} * slab_count_, begin, end);
        });
    }
    template <class Take>
    void for_slabs(const TaskRunner* runner, Take&& take) {
        run_tasks(runner, slab_count_, [&](std::uint32_t i) {
            BROADSIDE_ZONE("mesh/build task");
            Slab& slab = slabs()[i];
            take(slab, SlabRange{slab.begin, slabs()[i + 1].begin, i << slab_shift_, (i + 1) << slab_shift_});
        });
    }

    void sort_by_slabs(const TaskRunner* runner, const CellGrid& grid, std::uint32_t* out_cell_of,
                       std::uint32_t* out_by_slab) {
        for_runs(runner, [&](std::uint32_t* out_counts, std::uint32_t begin, std::uint32_t end) {
            for (std::uint32_t i = 0; i < slab_count_; ++i) out_counts[i] = 0;
            for (std::uint32_t i = begin; i < end; ++i) {
                out_cell_of[i] = grid.cell(piece_of(input_.triangle(i), i).half_center());
                ++out_counts[out_cell_of[i] >> slab_shift_];
            }
        });
        // Counts become positions.
        std::uint32_t place = 0;
        for (std::uint32_t i = 0; i < slab_count_; ++i) {
            slabs()[i].begin = place;
            for (std::uint32_t run = 0; run < run_count_; ++run) {
                std::uint32_t& count = counts_[std::size_t{run} * slab_count_ + i];
                const std::uint32_t begin = place;
                place += count;
                count = begin;
            }
        }
        slabs()[slab_count_].begin = place;
        for_runs(runner, [&](std::uint32_t* state_places, std::uint32_t begin, std::uint32_t end) {
            for (std::uint32_t i = begin; i < end; ++i)
                out_by_slab[state_places[out_cell_of[i] >> slab_shift_]++] = i;
        });
    }
    // The boxes and the triangle counts of cells.
    void fill_cells(const SlabRange& range, const std::uint32_t* cell_of, const std::uint32_t* by_slab) {
        for (std::uint32_t cell = range.first_cell; cell < range.last_cell; ++cell) {
            pieces()[cell].box = JoinedBox::empty();
            ends_[cell] = 0;
        }
        for (std::uint32_t i = range.begin; i < range.end; ++i) {
            const std::uint32_t name = by_slab[i];
            const std::uint32_t cell = cell_of[name];
            pieces()[cell].box.join(piece_of(input_.triangle(name), name).box);
            ++ends_[cell];
        }
    }
    void sort_by_cells(const SlabRange& range, const std::uint32_t* cell_of, const std::uint32_t* by_slab) {
        std::uint32_t begin = range.begin;
        for (std::uint32_t cell = range.first_cell; cell < range.last_cell; ++cell) {
            const std::uint32_t triangle_count = ends_[cell];
            ends_[cell] = begin;
            begin += triangle_count;
        }
        for (std::uint32_t i = range.begin; i < range.end; ++i)
            by_cell_[ends_[cell_of[by_slab[i]]]++] = by_slab[i];
    }
    // The remaining cells are moved to the front of the slab.
    void remove_empty_cells(Slab& state_slab, const SlabRange& range) {
        PieceExtent extent;
        Piece* const first = pieces() + range.first_cell;
        Piece* to = first;
        std::uint32_t begin = range.begin;
        for (std::uint32_t cell = range.first_cell; cell < range.last_cell; ++cell) {
            const std::uint32_t end = ends_[cell];
            if (begin == end) continue;
            Piece piece = pieces()[cell];
            piece.set(begin, end - begin);
            *to++ = piece;
            extent.add(piece);
            begin = end;
        }
        state_slab.piece_count = static_cast<std::uint32_t>(to - first);
        state_slab.extent = extent;
    }

    const MeshInput& input_;
    std::uint32_t slab_shift_ = 0;
    std::uint32_t slab_count_ = 0;
    std::uint32_t run_count_ = 0;
    AlignedArray<std::byte> pieces_;
    AlignedArray<std::byte> slab_bytes_;
    AlignedArray<std::uint32_t> by_cell_;
    // The end of each cell's triangles in by_cell_.
    AlignedArray<std::uint32_t> ends_;
    // For each run, the number of its triangles in each slab.
    AlignedArray<std::uint32_t> counts_;
};

}  // namespace broadside::narrowphase
