// The obstacles near a mover, fetched once and used often.
#pragma once

#include "narrowphase/src/mesh/kernels.hpp"
#include "narrowphase/src/mesh_pairs/placement.hpp"
#include "narrowphase/src/reach/kernels.hpp"
#include "stage/src/mover/gap.hpp"

#include <broadside/mesh_scene.hpp>

namespace broadside::stage {

/// The kernels that a move calls.
struct MoverKernels {
    const narrowphase::MeshKernels& mesh;
    const narrowphase::ReachKernels& reach;
};

/// A set of obstacles as bits, by index in the fetched list.
struct ObstacleBits {
    std::uint64_t words[kMoverNeighbourCount / 64];

    bool has(std::uint32_t index) const { return (words[index / 64] >> index % 64 & 1) != 0; }
    void add(std::uint32_t index) { words[index / 64] |= std::uint64_t{1} << index % 64; }
    void clear() {
        for (std::uint64_t& word : words) word = 0;
    }
    /// Calls `visit(index)`, ascending, until it returns false.
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (std::uint32_t word = 0; word < kMoverNeighbourCount / 64; ++word) {
            for (std::uint64_t rest = words[word]; rest != 0; rest &= rest - 1) {
                if (!visit(word * 64 + static_cast<std::uint32_t>(__builtin_ctzll(rest)))) return;
            }
        }
    }
};

class Surroundings {
public:
    Surroundings(const MoverObstacles& obstacles, const MoverKernels& kernels, std::uint32_t ignored_box)
        : obstacles_(obstacles), kernels_(kernels), ignored_box_(ignored_box) {}

    /// Fetches all obstacles whose boxes meet `reach`; false if they are too many.
    bool cover(const Aabb& reach) {
        if (is_covered_ && contains_box(covered_, reach)) return true;
        return fetch(reach);
    }

    std::uint32_t count() const { return count_; }
    /// Changes with every fetch, which renumbers the obstacles.
    std::uint32_t fetch_count() const { return fetch_count_; }
    Obstacle obstacle(std::uint32_t index) const {
        const auto corner = [&](std::uint32_t row) {
            return Vec3{corners_[row][index], corners_[row + 1][index], corners_[row + 2][index]};
        };
        const bool is_box = is_box_.has(index);
        return {{corner(0), corner(3), is_box ? Vec3{} : corner(6)}, is_box};
    }
    /// The fetched obstacles that a query may come near to; a box of the world counts if it meets the query's
    /// box.
    ObstacleBits near(const narrowphase::ReachQuery& query) const {
        ObstacleBits bits;
        bits.clear();
        const auto& c = corners_;
        kernels_.reach.near_bits(query, {c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], count_, {}},
                                 bits.words);
        return bits;
    }

private:
    // Receives the triangles of a mesh.
    struct Taker : narrowphase::SlotSink {
        static constexpr std::uint32_t kBlock = 64;
        std::uint32_t block[kBlock];
        Surroundings& to;
        const narrowphase::MeshView mesh;
        // Null for a mesh of the world itself.
        const narrowphase::Placement* placement;

        Taker(Surroundings& to_in, const narrowphase::MeshView& mesh_in,
              const narrowphase::Placement* placement_in)
            : SlotSink{block, 0, kBlock, &hand_on_block}, to(to_in), mesh(mesh_in), placement(placement_in) {}
        bool hand_on() {
            for (std::uint32_t i = 0; i < count; ++i) {
                const Triangle triangle = mesh.triangle_at(block[i]);
                if (placement == nullptr)
                    to.add(triangle);
                else
                    to.add_near(narrowphase::placed_scalar(*placement, triangle));
            }
            count = 0;
            return !to.is_full_;
        }
        static bool hand_on_block(SlotSink& self) { return static_cast<Taker&>(self).hand_on(); }
    };

    static bool contains_box(const Aabb& outer, const Aabb& inner) {
        return outer.min.x <= inner.min.x && outer.min.y <= inner.min.y && outer.min.z <= inner.min.z &&
               outer.max.x >= inner.max.x && outer.max.y >= inner.max.y && outer.max.z >= inner.max.z;
    }
    bool add(const Triangle& triangle) {
        is_full_ = is_full_ || count_ == kMoverNeighbourCount;
        if (is_full_) return false;
        const Vec3 corners[3] = {triangle.a, triangle.b, triangle.c};
        for (std::size_t i = 0; i < 3; ++i) {
            corners_[3 * i][count_] = corners[i].x;
            corners_[3 * i + 1][count_] = corners[i].y;
            corners_[3 * i + 2][count_] = corners[i].z;
        }
        ++count_;
        return true;
    }
    // Stored as a triangle without a normal, so that its box alone decides.
    bool add(const Aabb& box) {
        if (!add({box.min, box.max, box.min})) return false;
        is_box_.add(count_ - 1);
        return true;
    }
    // Some triangles of a placed mesh are not near enough.
    void add_near(const Triangle& triangle) {
        const Aabb box = bounds(triangle);
        const bool is_near = box.min.x <= covered_.max.x && covered_.min.x <= box.max.x &&
                             box.min.y <= covered_.max.y && covered_.min.y <= box.max.y &&
                             box.min.z <= covered_.max.z && covered_.min.z <= box.max.z;
        if (is_near) add(triangle);
    }
    bool add_instance(const PlacedMesh& placed_mesh) {
        const narrowphase::MeshView view = placed_mesh.mesh->view();
        if (view.is_empty() || is_full_) return !is_full_;
        const narrowphase::Placement placement = narrowphase::widened(placed_mesh.world_from_mesh);
        Taker taker(*this, view, &placement);
        // A side beyond all floats would never be found.
        constexpr Vec3 kLast = {FLT_MAX, FLT_MAX, FLT_MAX};
        const Aabb box = {max_keep(covered_.min, kLast * -1.0f), min_keep(covered_.max, kLast)};
        kernels_.mesh.box_slots(view, narrowphase::seen_box(narrowphase::mesh_from_world(placed_mesh), box),
                                taker);
        return taker.hand_on();
    }
    bool fetch(const Aabb& reach) {
        ++fetch_count_;
        count_ = 0;
        is_box_.clear();
        is_full_ = false;
        covered_ = reach;
        if (obstacles_.boxes != nullptr) {
            (void)obstacles_.boxes->visit_overlaps(reach, {}, [&](std::uint32_t index) {
                return index == ignored_box_ || add(obstacles_.boxes->box(index));
            });
        }
        for (const TriangleMesh* mesh : obstacles_.meshes) {
            const narrowphase::MeshView view = mesh->view();
            if (view.is_empty() || is_full_) continue;
            Taker taker(*this, view, nullptr);
            kernels_.mesh.box_slots(view, reach, taker);
            (void)taker.hand_on();
        }
        if (obstacles_.scene != nullptr) {
            const MeshScene& scene = *obstacles_.scene;
            (void)scene.tree().visit_overlaps(
                reach, {}, [&](std::uint32_t index) { return add_instance(scene.instance(index)); });
        }
        is_covered_ = !is_full_;
        return is_covered_;
    }

    const MoverObstacles& obstacles_;
    const MoverKernels& kernels_;
    std::uint32_t ignored_box_;
    std::uint32_t count_ = 0;
    std::uint32_t fetch_count_ = 0;
    bool is_full_ = false;
    bool is_covered_ = false;
    Aabb covered_ = Aabb::empty();
    ObstacleBits is_box_ = {};
    // Corners in columns, for the kernel.
    float corners_[9][kMoverNeighbourCount];
};

}  // namespace broadside::stage
