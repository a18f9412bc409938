// Bundles of rays on a MeshScene: one walk of the tree of instances, and one in each mesh for all rays that
// meet its box.
#include "stage/src/mesh_scene/bundles.hpp"

#include "broadphase/src/tree/queries.hpp"
#include "narrowphase/src/mesh_pairs/placement.hpp"

#include <bit>

namespace broadside::stage {
namespace {

constexpr std::uint32_t kWidth = kSceneBundleWidth;
static_assert(kWidth == broadphase::kPacketSize);

// Fewer rays are faster alone, because a mesh makes all of a bundle ready.
constexpr int kFewestTogether = 6;

template <class Visit>
void for_each_bit(std::uint32_t bits, Visit&& visit) {
    for (; bits != 0; bits &= bits - 1) visit(static_cast<std::uint32_t>(std::countr_zero(bits)));
}

// Calls `ask(instance index, members)` for the instances whose boxes some rays meet, with those rays as bits.
template <class Ask>
struct BundleVisitor : broadphase::PacketVisitor {
    Ask& ask;

    explicit BundleVisitor(Ask& ask_in) : PacketVisitor{{}, {}, &visit_box}, ask(ask_in) {}
    static void visit_box(PacketVisitor& self, std::uint32_t instance, std::uint32_t members) {
        auto& visitor = static_cast<BundleVisitor&>(self);
        visitor.ask(visitor, instance, members);
    }
};
template <class Ask>
bool visit_bundle(const MeshScene& scene, const Ray* rays, Ask&& ask) {
    BundleVisitor<Ask> visitor(ask);
    return broadphase::visit_packet(scene.tree(), std::span<const Ray, kWidth>(rays, kWidth), kConservative,
                                    visitor);
}

}  // namespace

bool closest_of_bundle(const MeshScene& scene, const Ray* rays, Sides sides, SceneHit* out_closest) {
    ClosestHit<SceneHit> closest[kWidth];
    Ray seen[kWidth];
    MeshHit hits[kWidth];
    const bool is_bundle = visit_bundle(
        scene, rays, [&](broadphase::PacketVisitor& visitor, std::uint32_t instance, std::uint32_t members) {
            const PlacedMesh& placed = scene.instance(instance);
            const narrowphase::MeshSpace mesh(placed.world_from_mesh);
            for (std::uint32_t k = 0; k < kWidth; ++k) {
                seen[k] = mesh.ray(rays[k]);
                // The others end where they begin.
                seen[k].t_max = (members >> k & 1u) != 0 ? closest[k].shortened(seen[k].t_max) : 0.0f;
            }
            if (std::popcount(members) >= kFewestTogether) {
                (void)placed.mesh->closest_hits({std::span<const Ray>(seen), sides}, {}, hits);
            } else {
                for_each_bit(members, [&](std::uint32_t k) {
                    hits[k] = placed.mesh->closest_hit({seen[k], sides});
                });
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
    Ray seen[kWidth];
    const bool is_bundle = visit_bundle(
        scene, rays, [&](broadphase::PacketVisitor& visitor, std::uint32_t instance, std::uint32_t members) {
            const PlacedMesh& placed = scene.instance(instance);
            const narrowphase::MeshSpace mesh(placed.world_from_mesh);
            for (std::uint32_t k = 0; k < kWidth; ++k) {
                seen[k] = mesh.ray(rays[k]);
                if ((members >> k & 1u) == 0) seen[k].t_max = 0.0f;
            }
            std::uint64_t bits = 0;
            if (std::popcount(members) >= kFewestTogether) {
                (void)placed.mesh->any_hit({std::span<const Ray>(seen), sides}, {}, {&bits, 1});
            } else {
                for_each_bit(members, [&](std::uint32_t k) {
                    bits |= std::uint64_t{placed.mesh->any_hit({seen[k], sides}) ? 1u : 0u} << k;
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
