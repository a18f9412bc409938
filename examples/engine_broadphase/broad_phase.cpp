// Changes of the World, and reports of pairs to the engine.
#include "examples/engine_broadphase/broad_phase.hpp"

namespace engine_example {

Status BroadPhase::set_layers_collide(std::uint32_t layer_a, std::uint32_t layer_b,
                                      bool may_collide) noexcept {
    return world_.set_layers_pair(layer_a, layer_b, may_collide);
}

Status BroadPhase::add(const PreparedObjects& bodies, std::span<Proxy> out_proxies) noexcept {
    return world_.add(bodies, out_proxies).status;
}

Status BroadPhase::remove(std::span<const Proxy> proxies) noexcept { return world_.remove(proxies).status; }

Status BroadPhase::set_active(std::span<const Proxy> proxies, bool is_active) noexcept {
    using broadside::ObjectKind;
    return world_.set_kind(proxies, is_active ? ObjectKind::moving : ObjectKind::resting).status;
}

Status BroadPhase::notify_moved(std::span<const Proxy> proxies,
                                std::span<const broadside::Aabb> boxes) noexcept {
    if (proxies.size() != boxes.size()) return Status::invalid_argument;
    Status status = Status::ok;
    for (std::size_t i = 0; i < proxies.size(); ++i) {
        if (world_.set_box_shared(proxies[i], boxes[i]) != Status::ok) status = Status::invalid_argument;
    }
    return status;
}

Status BroadPhase::update(PairListener& listener) noexcept {
    if (const Status status = tell(listener); status != Status::ok) return status;
    if (const Status status = world_.update(runner_).status; status != Status::ok) return status;
    is_told_ = false;
    if (const Status status = tell(listener); status != Status::ok) return status;
    return world_.publish(runner_);
}

Status BroadPhase::tell(PairListener& listener) noexcept {
    if (is_told_) return Status::ok;
    const auto begun = world_.begun();
    const auto ended = world_.ended();
    const auto begun_bodies = world_.begun_user_data();
    const auto ended_bodies = world_.ended_user_data();
    // The first value of a pair allocates the values of all pairs.
    const bool has_values = begun.empty() || world_.pair_value(begun.front().a, begun.front().b) != nullptr;
    if (!has_values || begun_bodies.size() != begun.size()) return Status::out_of_memory;
    for (std::size_t i = 0; i < ended.size(); ++i)
        listener.pair_ends(ended_bodies[i].a, ended_bodies[i].b, ended[i].value);
    for (std::size_t i = 0; i < begun.size(); ++i)
        *world_.pair_value(begun[i].a, begun[i].b) =
            listener.pair_begins(begun_bodies[i].a, begun_bodies[i].b);
    is_told_ = true;
    return Status::ok;
}

Status BroadPhase::optimize() noexcept {
    world_.shrink();
    return world_.publish(runner_);
}

std::uint64_t BroadPhase::contact_of(Proxy a, Proxy b) const noexcept {
    const std::uint64_t* const contact = world_.pair_value(a, b);
    return contact == nullptr ? 0 : *contact;
}

}  // namespace engine_example
