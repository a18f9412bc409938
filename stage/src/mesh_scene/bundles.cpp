// Bundles of rays on a MeshScene: one walk of the tree of instances, and one in each mesh for all rays that
// meet its box.
#include "stage/src/mesh_scene/bundles.hpp"

#include "broadphase/src/tree/queries.hpp"
#include "narrowphase/src/mesh_pairs/placement.hpp"

#include <bit>

namespace broadside::stage {
namespace {

constexpr std::uint32_t kWidth = kSceneBundleWidth;

// Fewer rays are faster alone, because a mesh makes all of a bundle ready.
constexpr int kFewestTogether = 6;

template <class Visit>
void for_each_bit(std::uint32_t bits, Visit&& visit) {
    for (; bits != 0; bits &= bits - 1) visit(static_cast<std::uint32_t>(std::countr_zero(bits)));
}

// Calls `ask(mesh, instance index, members, seen)` for the instances whose boxes some rays meet, with those rays
// as bits, and all of them as the mesh sees them; the others end where they begin.
template <class Ask>
struct BundleVisitor : broadphase::PacketVisitor {
    const MeshScene& scene;
    const Ray* rays;
    Ask& ask;

    BundleVisitor(const MeshScene& scene_in, const Ray* rays_in, Ask& ask_in)
        : PacketVisitor{{}, {}, &visit_box}, scene(scene_in), rays(rays_in), ask(ask_in) {}
    static void visit_box(PacketVisitor& self, std::uint32_t instance, std::uint32_t members) {
        auto& visitor = static_cast<BundleVisitor&>(self);
        const PlacedMesh& placed = visitor.scene.instance(instance);
        const narrowphase::MeshSpace space(placed.world_from_mesh);
        Ray seen[kWidth];
        for (std::uint32_t k = 0; k < kWidth; ++k) {
            seen[k] = space.ray(visitor.rays[k]);
            if ((members >> k & 1u) == 0) seen[k].t_max = 0.0f;
        }
        visitor.ask(visitor, *placed.mesh, instance, members, seen);
    }
};
template <class Ask>
bool visit_bundle(const MeshScene& scene, const Ray* rays, Ask&& ask) {
    BundleVisitor<Ask> visitor(scene, rays, ask);
    return broadphase::visit_packet(scene.tree(), std::span<const Ray, kWidth>(rays, kWidth), kConservative,
                                    visitor);
}

}  // namespace

bool closest_of_bundle(const MeshScene& scene, const Ray* rays, Sides sides, SceneHit* out_closest) {
    ClosestHit<SceneHit> closest[kWidth];
    const bool is_bundle = visit_bundle(
        scene, rays,
        [&](broadphase::PacketVisitor& visitor, const TriangleMesh& mesh, std::uint32_t instance,
            std::uint32_t members, Ray* seen) {
            for_each_bit(members,
                         [&](std::uint32_t k) { seen[k].t_max = closest[k].shortened(seen[k].t_max); });
            MeshHit hits[kWidth];
            if (std::popcount(members) >= kFewestTogether) {
                (void)mesh.closest_hits({std::span<const Ray>(seen, kWidth), sides}, {}, hits);
            } else {
                for_each_bit(members, [&](std::uint32_t k) { hits[k] = mesh.closest_hit({seen[k], sides}); });
            }
            for_each_bit(members, [&](std::uint32_t k) {
                const MeshHit& hit = hits[k];
                if (hit.target == kNoTriangle) return;
                closest[k].take(hit.t, instance, visitor.keys[k], [&] {
                    return SceneHit{hit.t, hit.u, hit.v, {instance, hit.target}};
                });
                visitor.limits[k] = min_keep(closest[k].limit(), visitor.limits[k]);
            });
        });
    for (std::uint32_t k = 0; is_bundle && k < kWidth; ++k) out_closest[k] = closest[k].result();
    return is_bundle;
}

bool any_of_bundle(const MeshScene& scene, const Ray* rays, Sides sides, std::uint64_t& out_bits) {
    std::uint64_t met = 0;
    const bool is_bundle =
        visit_bundle(scene, rays,
                     [&](broadphase::PacketVisitor& visitor, const TriangleMesh& mesh, std::uint32_t,
                         std::uint32_t members, Ray* seen) {
                         std::uint64_t bits = 0;
                         if (std::popcount(members) >= kFewestTogether) {
                             (void)mesh.any_hit({std::span<const Ray>(seen, kWidth), sides}, {}, {&bits, 1});
                         } else {
                             for_each_bit(members, [&](std::uint32_t k) {
                                 bits |= std::uint64_t{mesh.any_hit({seen[k], sides}) ? 1u : 0u} << k;
                             });
                         }
                         bits &= members;
                         met |= bits;
                         // Nothing is left to find for a ray that is met.
                         for_each_bit(static_cast<std::uint32_t>(bits),
                                      [&](std::uint32_t k) { visitor.limits[k] = -1.0f; });
                     });
    if (is_bundle) out_bits = met;
    return is_bundle;
}

}  // namespace broadside::stage
