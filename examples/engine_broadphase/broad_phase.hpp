// A physics engine's broad phase on a World: the page docs/physics_engine.md. An engine that uses it is in
// engine.hpp.
#pragma once

#include <broadside/prepared_objects.hpp>
#include <broadside/world_view.hpp>

#include <cstdint>
#include <span>
#include <utility>

namespace engine_example {

using broadside::ObjectDescription;
using broadside::PreparedObjects;
using broadside::Status;
/// The broad phase's name of a body. The engine's own name is the user data: an index, or a pointer.
using Proxy = broadside::ObjectHandle;

/// The engine's receiver of pairs; BroadPhase::update calls it.
class PairListener {
public:
    /// Returns the pair's contact, an index or a pointer; it is kept for as long as the pair lives.
    virtual std::uint64_t pair_begins(std::uint64_t body_a, std::uint64_t body_b) noexcept = 0;
    virtual void pair_ends(std::uint64_t body_a, std::uint64_t body_b, std::uint64_t contact) noexcept = 0;

protected:
    ~PairListener() = default;
};

/// The bodies after an update, valid while the view is held.
class BroadPhaseView {
public:
    explicit BroadPhaseView(broadside::WorldView view) noexcept : view_(std::move(view)) {}

    /// Casts a Ray, SphereCast, BoxCast or CapsuleCast through the bodies of these layers (bits), mostly near
    /// before far. `visit(body, t)` returns the largest t that still matters: t, or broadside::kVisitAll or
    /// kVisitNoMore.
    template <class Visit>
    Status cast(const broadside::HitQuery& query, std::uint64_t layers, Visit&& visit) const noexcept {
        return view_->visit_hits(query, {.layers = layers}, [&](const broadside::WorldHit& hit) {
            return visit(view_.user_data(hit.target), hit.t);
        });
    }
    /// An Aabb, Vec3, Sphere, Obb, Capsule or ConvexVolume. `visit(body)` returns whether to go on.
    template <class Visit>
    Status overlap(const broadside::OverlapQuery& shape, std::uint64_t layers, Visit&& visit) const noexcept {
        return view_->visit_overlaps(shape, {.layers = layers},
                                     [&](Proxy proxy) { return visit(view_.user_data(proxy)); });
    }

private:
    broadside::WorldView view_;
};

/// No call throws. A call that fails returns why, and has changed nothing unless it says so.
class BroadPhase {
public:
    /// The engine's job threads, or null, and its memory.
    explicit BroadPhase(const broadside::TaskRunner* runner,
                        const broadside::Allocator& allocator = broadside::default_allocator()) noexcept
        : runner_(runner), world_({}, allocator) {}

    // One thread at a time, and none of the next group's calls meanwhile.

    Status set_layers_collide(std::uint32_t layer_a, std::uint32_t layer_b, bool may_collide) noexcept;
    /// `bodies` come from `prepare`. They pair from the next update on.
    Status add(const PreparedObjects& bodies, std::span<Proxy> out_proxies) noexcept;
    /// Their pairs end in the next update.
    Status remove(std::span<const Proxy> proxies) noexcept;
    /// Bodies that fall asleep or wake up.
    Status set_active(std::span<const Proxy> proxies, bool is_active) noexcept;
    /// Updates the pairs, reports to the listener the pairs that ended and began, and makes views show the
    /// current bodies. The order of reports is the same for any number of threads. A pair that did not fit
    /// into memory is reported by the next update.
    Status update(PairListener& listener) noexcept;
    /// After a level is loaded: new trees for rays, with no more memory than they need.
    Status optimize() noexcept;

    // Many jobs at once, but only one of the two kinds at a time: moves, or queries of pairs.

    /// Each body by one job. A proxy without a body gives invalid_argument; the others are set.
    Status notify_moved(std::span<const Proxy> proxies, std::span<const broadside::Aabb> boxes) noexcept;
    /// Pairs of the last update.
    std::span<const Proxy> pairs_of(Proxy proxy) const noexcept { return world_.pairs_of(proxy); }
    std::uint64_t body_of(Proxy proxy) const noexcept { return world_.user_data(proxy); }
    /// The value that pair_begins returned; zero if they are not a pair.
    std::uint64_t contact_of(Proxy a, Proxy b) const noexcept;

    // Any thread at any time, parallel to all of the above.

    /// `user_data` of a description is the engine's name for the body.
    static Status prepare(std::span<const ObjectDescription> bodies, PreparedObjects& out_prepared) noexcept {
        return out_prepared.prepare(bodies).status;
    }
    BroadPhaseView view() const noexcept { return BroadPhaseView(world_.latest()); }

    const broadside::World& world() const noexcept { return world_; }

private:
    Status tell(PairListener& listener) noexcept;

    const broadside::TaskRunner* runner_;
    broadside::World world_;
    // Whether the listener knows the pairs of the last update.
    bool is_told_ = true;
};

}  // namespace engine_example
