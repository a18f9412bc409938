// The input of a mesh build, and cells that hold some neighbouring triangles each.
#pragma once

#include "core/src/zones.hpp"
#include "narrowphase/src/mesh_build/build_sizes.hpp"
#include "narrowphase/src/mesh_build/splits.hpp"

#include <broadside/aligned_array.hpp>
#include <broadside/mesh.hpp>
#include <broadside/run_tasks.hpp>

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

namespace broadside::narrowphase {

/// Bits of a code that say in which slab of space a triangle is, at most. Each slab is sorted separately.
inline constexpr std::uint32_t kMaxSlabBits = 8;

struct MeshInput {
    std::span<const Vec3> vertices;
    std::span<const std::uint32_t> indices;
    MeshBuildQuality quality;
    MeshBuildSizes sizes;

    std::uint32_t triangle_count() const { return static_cast<std::uint32_t>(indices.size() / 3); }
    bool is_fast() const { return quality == MeshBuildQuality::fast; }
    std::uint32_t triangles_of_cell() const { return is_fast() ? kNodeWidth : sizes.triangles_of_cell; }
    Triangle triangle(std::uint32_t name) const {
        const std::uint32_t* const corners = indices.data() + 3 * std::size_t{name};
        return {vertices[corners[0]], vertices[corners[1]], vertices[corners[2]]};
    }
};

/// Morton codes: the box of all centers is halved again and again, along its longest edge. Each halving is a bit
/// of a code, the first one the highest: centers with near codes are near each other, and a range of codes is
/// split by the highest bit in which they differ.
class MortonCodes {
public:
    static constexpr std::uint32_t kMaxBits = 30;
    static constexpr std::uint32_t kMaxBitsOfAxis = 11;

    /// All numbers are halved, as centers are.
    MortonCodes(const Aabb& box, std::uint32_t wanted_bits)
        : begin_{box.min.x * 0.5f, box.min.y * 0.5f, box.min.z * 0.5f} {
        const Vec3 half_size = box.max * 0.5f - box.min * 0.5f;
        const float sizes[3] = {half_size.x, half_size.y, half_size.z};
        float edges[3] = {half_size.x, half_size.y, half_size.z};
        std::uint32_t axes[kMaxBits] = {};
        std::uint32_t bits_of[3] = {};
        while (bits_ < wanted_bits) {
            const std::uint32_t larger = edges[1] > edges[0] ? 1 : 0;
            const std::uint32_t axis = edges[2] > edges[larger] ? 2 : larger;
            if (!(edges[axis] >= 0x1p-100f)) break;
            axes[bits_++] = axis;
            edges[axis] = ++bits_of[axis] < kMaxBitsOfAxis ? edges[axis] * 0.5f : 0.0f;
        }
        for (auto& codes : codes_) codes[0] = 0;
        // The last halving of an axis is the lowest bit of the index along it.
        for (std::uint32_t i = bits_; i-- > 0;) {
            const std::uint32_t axis = axes[i];
            for (std::uint32_t k = 0; k < counts_[axis]; ++k)
                codes_[axis][counts_[axis] + k] = codes_[axis][k] | std::uint32_t{1} << (bits_ - 1 - i);
            counts_[axis] *= 2;
        }
        for (int i = 0; i < 3; ++i)
            factor_[i] = counts_[i] > 1 ? static_cast<float>(counts_[i]) / sizes[i] : 0.0f;
    }
    std::uint32_t bits() const { return bits_; }
    BROADSIDE_FORCE_INLINE std::uint32_t code(const HalfCenter& center) const {
        std::uint32_t code = 0;
        for (int i = 0; i < 3; ++i) {
            const auto place = static_cast<std::int32_t>((center.numbers[i] - begin_[i]) * factor_[i]);
            const std::uint32_t index = place < 0 ? 0u : static_cast<std::uint32_t>(place);
            code |= codes_[i][index < counts_[i] ? index : counts_[i] - 1];
        }
        return code;
    }

private:
    float begin_[3];
    float factor_[3];
    std::uint32_t counts_[3] = {1, 1, 1};
    std::uint32_t bits_ = 0;
    // The bits of each axis by the index along it.
    std::uint32_t codes_[3][1 << kMaxBitsOfAxis];
};

/// The first of a range of ascending codes that has the highest bit in which the first and the last differ; the
/// middle if they are equal.
inline std::uint32_t first_behind_split(const std::uint32_t* codes, std::uint32_t begin, std::uint32_t end) {
    if (codes[begin] == codes[end - 1]) return begin + (end - begin) / 2;
    const std::uint32_t bit = std::bit_floor(codes[begin] ^ codes[end - 1]);
    const std::uint32_t* const first = std::partition_point(
        codes + begin, codes + end, [&](std::uint32_t code) { return (code & bit) == 0; });
    return static_cast<std::uint32_t>(first - codes);
}

/// The triangles of a mesh by Morton code, and cells of some that are neighbours.
///
/// A task handles a run of triangles or a slab of space. Triangles are sorted by slabs first, so that those of
/// a slab are contiguous. Triangles of one code are in the order of their indices, with any number of workers.
class MeshCells {
public:
    MeshCells(const MeshInput& input, const AlignedArray<std::byte>& memory,
              const AlignedArray<std::uint32_t>& number_memory)
        : input_(input),
          pieces_(memory.make_empty()),
          slab_bytes_(memory.make_empty()),
          codes_(number_memory.make_empty()),
          by_code_(number_memory.make_empty()),
          counts_(number_memory.make_empty()) {}

    Piece* pieces() { return reinterpret_cast<Piece*>(pieces_.data()); }
    std::uint32_t piece_count() const { return static_cast<std::uint32_t>(pieces_.size() / sizeof(Piece)); }
    /// By cell; ascending.
    const std::uint32_t* codes() const { return codes_.data(); }
    /// A cell is named by the index of its first triangle in this array.
    const std::uint32_t* by_code() const { return by_code_.data(); }

    /// Makes all cells. Both arrays have room for one number per triangle, and are free again afterwards.
    /// Returns false without memory.
    bool make(const TaskRunner* runner, std::uint32_t* code_of, std::uint32_t* by_slab,
              PieceExtent& out_extent) {
        const std::uint32_t count = input_.triangle_count();
        Aabb box = Aabb::empty();
        for (const Vec3& vertex : input_.vertices) box = include(box, vertex);
        // Fine enough to part crowded triangles, as those of a surface are.
        const MortonCodes codes(
            box, std::min(static_cast<std::uint32_t>(std::bit_width(count)) + 5, MortonCodes::kMaxBits));
        const auto task_bits =
            static_cast<std::uint32_t>(std::bit_width(count / input_.sizes.triangles_of_task));
        const std::uint32_t slab_bits = std::min({task_bits, kMaxSlabBits, codes.bits()});
        slab_shift_ = codes.bits() - slab_bits;
        slab_count_ = std::uint32_t{1} << slab_bits;
        run_count_ = (count + input_.sizes.triangles_of_task - 1) / input_.sizes.triangles_of_task;
        if (!by_code_.resize(count) || !counts_.resize(std::size_t{run_count_} * slab_count_) ||
            !slab_bytes_.resize((slab_count_ + 1) * sizeof(Slab)))
            return false;
        sort_by_slabs(runner, codes, code_of, by_slab);
        for_slabs(runner, [&](Slab& state_slab, const Slab& next) {
            sort_by_codes(state_slab.begin, next.begin, code_of, by_slab);
            state_slab.cell_count = mark_cells(by_slab, state_slab.begin, next.begin);
        });
        std::uint32_t cell_count = 0;
        for (std::uint32_t i = 0; i < slab_count_; ++i) {
            slabs()[i].first_cell = cell_count;
            cell_count += slabs()[i].cell_count;
        }
        if (!pieces_.resize(std::size_t{cell_count} * sizeof(Piece)) || !codes_.resize(cell_count))
            return false;
        for_slabs(runner,
                  [&](Slab& state_slab, const Slab& next) { fill_cells(state_slab, next.begin, by_slab); });
        out_extent = {};
        for (std::uint32_t i = 0; i < slab_count_; ++i) out_extent.add(slabs()[i].extent);
        return true;
    }

private:
    struct Slab {
        /// The first of its triangles, and of its cells.
        std::uint32_t begin;
        std::uint32_t first_cell;
        std::uint32_t cell_count;
        PieceExtent extent;
    };
    // A digit is half of a code within a slab, which has five bits more than a slab should have triangles, or what
    // the number of slabs leaves.
    static constexpr std::uint32_t kMaxDigitBits = 11;
    static_assert(2 * kMaxDigitBits >= MortonCodes::kMaxBits - kMaxSlabBits);
    // Marks the code of a cell's first triangle.
    static constexpr std::uint32_t kIsFirst = std::uint32_t{1} << 31;

    Slab* slabs() { return reinterpret_cast<Slab*>(slab_bytes_.data()); }
    // Calls `take(counts, begin, end)` for each run; `counts` has one number per slab.
    template <class Take>
    void for_runs(const TaskRunner* runner, Take&& take) {
        const std::uint32_t count = input_.triangle_count();
        const std::uint32_t most = input_.sizes.triangles_of_task;
        run_tasks(runner, run_count_, [&](std::uint32_t run) {
            BROADSIDE_ZONE("mesh/build task");
            const std::uint32_t begin = run * most;
            const std::uint32_t end = count - begin < most ? count : begin + most;
            take(counts_.data() + std::size_t{run} * slab_count_, begin, end);
        });
    }
    template <class Take>
    void for_slabs(const TaskRunner* runner, Take&& take) {
        run_tasks(runner, slab_count_, [&](std::uint32_t i) {
            BROADSIDE_ZONE("mesh/build task");
            take(slabs()[i], slabs()[i + 1]);
        });
    }

    void sort_by_slabs(const TaskRunner* runner, const MortonCodes& codes, std::uint32_t* out_code_of,
                       std::uint32_t* out_by_slab) {
        for_runs(runner, [&](std::uint32_t* out_counts, std::uint32_t begin, std::uint32_t end) {
            for (std::uint32_t i = 0; i < slab_count_; ++i) out_counts[i] = 0;
            for (std::uint32_t i = begin; i < end; ++i) {
                out_code_of[i] = codes.code(piece_of(input_.triangle(i), i).half_center());
                ++out_counts[out_code_of[i] >> slab_shift_];
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
                out_by_slab[state_places[out_code_of[i] >> slab_shift_]++] = i;
        });
    }
    // Sorts the triangles of a slab by two digits, the lower one first. by_slab becomes their codes.
    void sort_by_codes(std::uint32_t begin, std::uint32_t end, const std::uint32_t* code_of,
                       std::uint32_t* state_by_slab) {
        const std::uint32_t bits = (slab_shift_ + 1) / 2;
        const std::uint32_t mask = (std::uint32_t{1} << bits) - 1;
        const auto sort = [&](const std::uint32_t* from, std::uint32_t shift, std::uint32_t* to) {
            std::uint32_t begins[1 << kMaxDigitBits] = {};
            const auto digit = [&](std::uint32_t i) { return code_of[from[i]] >> shift & mask; };
            for (std::uint32_t i = begin; i < end; ++i) ++begins[digit(i)];
            std::uint32_t next = begin;
            for (std::uint32_t i = 0; i <= mask; ++i) next += std::exchange(begins[i], next);
            for (std::uint32_t i = begin; i < end; ++i) to[begins[digit(i)]++] = from[i];
        };
        sort(state_by_slab, 0, by_code_.data());
        sort(by_code_.data(), bits, state_by_slab);
        for (std::uint32_t i = begin; i < end; ++i) {
            by_code_[i] = state_by_slab[i];
            state_by_slab[i] = code_of[by_code_[i]];
        }
    }
    // Splits a range until its parts are cells; returns their number.
    std::uint32_t mark_cells(std::uint32_t* state_codes, std::uint32_t begin, std::uint32_t end) const {
        if (begin == end) return 0;
        const std::uint32_t most = input_.triangles_of_cell();
        if (end - begin <= most || state_codes[begin] == state_codes[end - 1]) {
            state_codes[begin] |= kIsFirst;
            return 1;
        }
        if (input_.is_fast() && end - begin <= input_.sizes.triangles_of_row) {
            for (std::uint32_t i = begin; i < end; i += most) state_codes[i] |= kIsFirst;
            return (end - begin + most - 1) / most;
        }
        const std::uint32_t middle = first_behind_split(state_codes, begin, end);
        // The part behind first, because a mark is a bit of a code.
        const std::uint32_t count_behind = mark_cells(state_codes, middle, end);
        return count_behind + mark_cells(state_codes, begin, middle);
    }
    void fill_cells(Slab& state_slab, std::uint32_t end, const std::uint32_t* codes) {
        std::uint32_t cell = state_slab.first_cell;
        PieceExtent extent;
        for (std::uint32_t begin = state_slab.begin; begin < end; ++cell) {
            Piece piece = {JoinedBox::empty()};
            std::uint32_t i = begin;
            do {
                piece.box.join(piece_of(input_.triangle(by_code_[i]), 0).box);
            } while (++i < end && (codes[i] & kIsFirst) == 0);
            piece.set(begin, i - begin);
            pieces()[cell] = piece;
            codes_[cell] = codes[begin] & ~kIsFirst;
            extent.add(piece);
            begin = i;
        }
        state_slab.extent = extent;
    }

    const MeshInput& input_;
    std::uint32_t slab_shift_ = 0;
    std::uint32_t slab_count_ = 0;
    std::uint32_t run_count_ = 0;
    AlignedArray<std::byte> pieces_;
    AlignedArray<std::byte> slab_bytes_;
    AlignedArray<std::uint32_t> codes_;
    AlignedArray<std::uint32_t> by_code_;
    // For each run, the number of its triangles in each slab.
    AlignedArray<std::uint32_t> counts_;
};

}  // namespace broadside::narrowphase
