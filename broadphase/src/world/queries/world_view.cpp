// Views: references to a copy of a world's trees, and queries of it without a walk.
#include <broadside/world_view.hpp>

#include "broadphase/src/world/queries/trees.hpp"

#include <broadside/float_environment.hpp>

namespace broadside {

Aabb WorldQueries::bounds() const noexcept {
    const FloatEnvironment environment;
    Aabb bounds = Aabb::empty();
    if (status_ != Status::ok) return bounds;
    for (std::uint32_t kind = 0; kind < broadphase::kKindCount; ++kind)
        bounds = include(bounds, data_->tree(kind).bounds());
    return FloatEnvironment::result(bounds);
}

WorldView::WorldView(const WorldQueries& queries) noexcept
    : queries_(queries.status() == Status::ok ? queries : WorldQueries(nullptr, queries.status())) {
    if (queries_.data() != nullptr) queries_.data()->refer();
}

WorldView::WorldView(const WorldView& other) noexcept : WorldView(other.queries_) {}

WorldView::~WorldView() {
    if (queries_.data() != nullptr) queries_.data()->release();
}

bool WorldView::is_alive(ObjectHandle handle) const noexcept {
    return queries_.data() != nullptr && queries_.data()->is_alive(handle);
}

Aabb WorldView::box(ObjectHandle handle) const noexcept {
    return is_alive(handle) ? queries_.data()->boxes()[handle.slot()] : Aabb::empty();
}

std::uint64_t WorldView::user_data(ObjectHandle handle) const noexcept {
    return is_alive(handle) ? queries_.data()->user_data_at(handle.slot()) : 0;
}

}  // namespace broadside
