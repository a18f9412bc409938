// The obstacles near a mover, fetched once and looked at often.
#pragma once

#include "narrowphase/src/mesh/kernels.hpp"
#include "narrowphase/src/mesh_pairs/placement.hpp"
#include "stage/src/mover/gap.hpp"

#include <broadside/mesh_scene.hpp>

namespace broadside::stage {

class Surroundings {
public:
    Surroundings(const MoverObstacles& obstacles, const narrowphase::MeshKernels& kernels,
                 std::uint32_t ignored_box)
        : obstacles_(obstacles), kernels_(kernels), ignored_box_(ignored_box) {}

    /// Has all obstacles at hand whose boxes meet `reach`; false when they are too many.
    bool cover(const Aabb& reach) {
        if (is_covered_ && contains_box(covered_, reach)) return true;
        return fetch(reach);
    }

    std::uint32_t count() const { return count_; }
    /// Another one says that indices are others.
    std::uint32_t fetch_count() const { return fetch_count_; }
    const Obstacle& obstacle(std::uint32_t index) const { return items_[index].obstacle; }
    const Aabb& bounds(std::uint32_t index) const { return items_[index].bounds; }

private:
    // Not made before it is set: most of a full house is never used.
    struct Item {
        union {
            Obstacle obstacle;
        };
        union {
            Aabb bounds;
        };
        Item() {}
        void set(const Obstacle& obstacle_in) {
            obstacle = obstacle_in;
            bounds = obstacle_in.bounds();
        }
    };
    // Takes what a mesh finds.
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
                    to.add({triangle, false});
                else
                    to.add_near({narrowphase::placed_scalar(*placement, triangle), false});
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
    bool add(const Obstacle& obstacle) {
        is_full_ = is_full_ || count_ == kMoverNeighbourCount;
        if (is_full_) return false;
        items_[count_++].set(obstacle);
        return true;
    }
    // What a placed mesh finds is near, and some of it not near enough.
    void add_near(const Obstacle& obstacle) {
        const Aabb box = obstacle.bounds();
        const bool is_near = box.min.x <= covered_.max.x && covered_.min.x <= box.max.x &&
                             box.min.y <= covered_.max.y && covered_.min.y <= box.max.y &&
                             box.min.z <= covered_.max.z && covered_.min.z <= box.max.z;
        if (is_near) add(obstacle);
    }
    bool add_instance(const PlacedMesh& placed_mesh) {
        const narrowphase::MeshView view = placed_mesh.mesh->view();
        if (view.is_empty() || is_full_) return !is_full_;
        const narrowphase::Placement placement = narrowphase::widened(placed_mesh.world_from_mesh);
        Taker taker(*this, view, &placement);
        kernels_.box_slots(view, narrowphase::seen_box(narrowphase::mesh_from_world(placed_mesh), covered_),
                           taker);
        return taker.hand_on();
    }
    bool fetch(const Aabb& reach) {
        ++fetch_count_;
        count_ = 0;
        is_full_ = false;
        covered_ = reach;
        if (obstacles_.boxes != nullptr) {
            (void)obstacles_.boxes->visit_overlaps(reach, {}, [&](std::uint32_t index) {
                const Aabb box = obstacles_.boxes->box(index);
                return index == ignored_box_ || add({{box.min, box.max, {}}, true});
            });
        }
        for (const TriangleMesh* mesh : obstacles_.meshes) {
            const narrowphase::MeshView view = mesh->view();
            if (view.is_empty() || is_full_) continue;
            Taker taker(*this, view, nullptr);
            kernels_.box_slots(view, reach, taker);
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
    const narrowphase::MeshKernels& kernels_;
    std::uint32_t ignored_box_;
    std::uint32_t count_ = 0;
    std::uint32_t fetch_count_ = 0;
    bool is_full_ = false;
    bool is_covered_ = false;
    Aabb covered_ = Aabb::empty();
    Item items_[kMoverNeighbourCount];
};

}  // namespace broadside::stage
