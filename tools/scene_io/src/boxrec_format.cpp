// Rules of the `.boxrec` format that reader and writer share.
#include "boxrec_format.hpp"

#include "messages.hpp"

namespace broadside::scene_io {

std::optional<RecordFault> find_record_fault(const BoxRecord& record, const std::uint32_t* previous_id) {
    if (previous_id != nullptr && record.id <= *previous_id) {
        return RecordFault{0, text_of("expected an id above ", *previous_id, ", found ", record.id)};
    }
    const auto kind = static_cast<std::uint32_t>(record.kind);
    if (kind > static_cast<std::uint32_t>(BoxKind::dynamic_object)) {
        return RecordFault{kBoxrecKindOffset, text_of("expected a kind of 0, 1 or 2, found ", kind)};
    }
    const Aabb& box = record.box;
    const std::array<float, 6> values = {box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z};
    constexpr std::array<const char*, 6> kNames = {"min x", "min y", "min z", "max x", "max y", "max z"};
    for (std::size_t i = 0; i < 6; ++i) {
        if (!is_finite(values[i])) {
            return RecordFault{kBoxrecBoxOffset + 4 * i,
                               text_of("expected a finite number as ", kNames[i], ", found ",
                                       number_text(static_cast<double>(values[i])))};
        }
    }
    for (std::size_t i = 0; i < 3; ++i) {
        if (values[i] > values[i + 3]) {
            return RecordFault{kBoxrecBoxOffset + 4 * (i + 3),
                               text_of("expected ", kNames[i], " <= ", kNames[i + 3], ", found ",
                                       number_text(static_cast<double>(values[i])), " and ",
                                       number_text(static_cast<double>(values[i + 3])))};
        }
    }
    return std::nullopt;
}

}  // namespace broadside::scene_io
