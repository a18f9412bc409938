// Checks descriptions and grows their boxes, without a world.
#include <broadside/prepared_objects.hpp>

#include "broadphase/src/world/objects/object_checks.hpp"
#include "broadphase/src/world/objects/object_table.hpp"

#include <broadside/float_environment.hpp>

namespace broadside {

PreparedObjects::PreparedObjects(const Allocator& allocator) noexcept
    : descriptions_(allocator), columns_{AlignedArray<float>(allocator), AlignedArray<float>(allocator),
                                         AlignedArray<float>(allocator), AlignedArray<float>(allocator),
                                         AlignedArray<float>(allocator), AlignedArray<float>(allocator)} {}

void PreparedObjects::clear() noexcept {
    descriptions_.clear();
    for (AlignedArray<float>& column : columns_) column.clear();
}

template <class Describe>
BatchResult PreparedObjects::prepare_each(std::size_t count, const Describe& describe) noexcept {
    bool has_memory = descriptions_.reserve(count);
    for (AlignedArray<float>& column : columns_) has_memory = has_memory && column.reserve(count);
    if (!has_memory) return {Status::out_of_memory, kNoIndex};
    for (std::size_t item = 0; item < count; ++item) {
        if (!broadphase::check_description(describe(item))) return {Status::invalid_argument, item};
    }
    // Within the reserved room.
    (void)descriptions_.resize(count);
    for (AlignedArray<float>& column : columns_) (void)column.resize(count);
    for (std::size_t item = 0; item < count; ++item) {
        const ObjectDescription description = describe(item);
        descriptions_[item] = description;
        const Aabb box = broadphase::grown_box(broadphase::body_of(description));
        const float corners[6] = {box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z};
        for (int column = 0; column < 6; ++column) columns_[column][item] = corners[column];
    }
    return {};
}

BatchResult PreparedObjects::prepare(std::span<const ObjectDescription> descriptions) noexcept {
    const FloatEnvironment environment;
    clear();
    if (!check_readable(descriptions)) return {Status::invalid_argument, kNoIndex};
    return prepare_each(descriptions.size(), [&](std::size_t item) { return descriptions[item]; });
}

BatchResult PreparedObjects::prepare(const BoxSoaView& boxes, const ObjectDescription& common) noexcept {
    const FloatEnvironment environment;
    clear();
    if (!check_readable(boxes) || !broadphase::check_description(common))
        return {Status::invalid_argument, kNoIndex};
    return prepare_each(boxes.count, [&](std::size_t item) {
        ObjectDescription description = common;
        description.box = boxes[item];
        return description;
    });
}

BoxSoaView PreparedObjects::grown_boxes() const noexcept {
    return {columns_[0].data(),
            columns_[1].data(),
            columns_[2].data(),
            columns_[3].data(),
            columns_[4].data(),
            columns_[5].data(),
            count()};
}

std::size_t PreparedObjects::capacity_bytes() const noexcept {
    std::size_t bytes = descriptions_.capacity_bytes();
    for (const AlignedArray<float>& column : columns_) bytes += column.capacity_bytes();
    return bytes;
}

}  // namespace broadside
