// Views: references to a copy of a world's trees.
#include <broadside/world_view.hpp>

#include "broadphase/src/world/trees.hpp"

namespace broadside {

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
