// What a mesh is built from, and a grid of cells over it, each with some triangles.
#pragma once

#include "core/src/zones.hpp"
#include "narrowphase/src/mesh_build/splits.hpp"

#include <broadside/aligned_array.hpp>
#include <broadside/run_tasks.hpp>

#include <span>

namespace broadside::narrowphase {

inline constexpr std::uint32_t kTrianglesOfCell = 8;
/// Below this a grid is not worth it.
inline constexpr std::uint32_t kLeastOfGrid = 1024;
/// Triangles of a task that sorts them into cells.
inline constexpr std::uint32_t kTrianglesOfTask = 16384;
/// Slabs of cells that are sorted each for itself.
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

/// A grid over all centers: the longest edges of its cells were halved until there were enough.
struct CellGrid {
    float begin[3] = {};
    float factor[3] = {};
    std::uint32_t counts[3] = {1, 1, 1};
    std::uint32_t cell_count = 1;

    CellGrid(const Aabb& box, std::uint32_t wanted_count) {
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

/// The triangles of a mesh, cell by cell.
///
/// Each of the tasks looks at a run of triangles or at a slab of cells, whose triangles it finds together: they are
/// sorted by slabs first. A cell has its triangles in the order of their indices, whoever sorts them.
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
    /// A cell is named by the first of its triangles in here.
    const std::uint32_t* by_cell() const { return by_cell_.data(); }

    /// All cells that hold triangles. Both arrays have room for a number for each triangle, and are free again
    /// afterwards. False when there is no memory.
    bool make(const TaskRunner* runner, std::uint32_t* cell_of, std::uint32_t* by_slab,
              PieceExtent& out_extent) {
        const std::uint32_t count = input_.triangle_count();
        Aabb box = Aabb::empty();
        for (const Vec3& vertex : input_.vertices) box = include(box, vertex);
        const CellGrid grid(box, count < kLeastOfGrid ? 1 : count / kTrianglesOfCell);
        // As many cells each.
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
        /// Of its triangles.
        std::uint32_t begin;
        std::uint32_t piece_count;
        PieceExtent extent;
    };
    struct SlabRange {
        /// Of triangles, and of cells.
        std::uint32_t begin;
        std::uint32_t end;
        std::uint32_t first_cell;
        std::uint32_t last_cell;
    };

    Slab* slabs() { return reinterpret_cast<Slab*>(slab_bytes_.data()); }
    // `take(counts, begin, end)` for each run, the counts being a number for each slab.
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
        // Counts become places.
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
    // The boxes of cells, and how many triangles each has.
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
    // What is left stands at the first cells of the slab.
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
    // Of each cell, where its triangles end in there.
    AlignedArray<std::uint32_t> ends_;
    // Of each run, its triangles in each slab.
    AlignedArray<std::uint32_t> counts_;
};

}  // namespace broadside::narrowphase
