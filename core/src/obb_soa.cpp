// ObbSoa over its fifteen arrays.
#include "core/src/argument.hpp"

#include <broadside/obb_soa.hpp>

namespace broadside {

Status ObbSoa::resize(std::size_t count) noexcept {
    const std::size_t old_count = arrays_.count();
    if (const Status status = arrays_.resize(count); status != Status::ok) return status;
    for (std::size_t index = old_count; index < count; ++index) set(index, Obb{});
    return Status::ok;
}

Status ObbSoa::assign(std::span<const Obb> obbs) noexcept {
    if (!check_readable(obbs)) return Status::invalid_argument;
    if (const Status status = arrays_.resize(obbs.size()); status != Status::ok) return status;
    for (std::size_t index = 0; index < obbs.size(); ++index) set(index, obbs[index]);
    return Status::ok;
}

void ObbSoa::set(std::size_t index, const Obb& obb) noexcept {
    BROADSIDE_ASSERT(index < arrays_.count(), "index: at or past the count");
    std::size_t array = 0;
    for (const Vec3& vector : {obb.center, obb.axis_x, obb.axis_y, obb.axis_z, obb.half_extent}) {
        arrays_.array(array++)[index] = vector.x;
        arrays_.array(array++)[index] = vector.y;
        arrays_.array(array++)[index] = vector.z;
    }
}

ObbSoaView ObbSoa::view() const noexcept {
    if (arrays_.count() == 0) return {};
    const auto vectors = [this](std::size_t first) -> Vec3SoaView {
        return {arrays_.array(first), arrays_.array(first + 1), arrays_.array(first + 2), arrays_.count()};
    };
    return {vectors(0), vectors(3), vectors(6), vectors(9), vectors(12)};
}

}  // namespace broadside
