// Rules of the `.boxrec` format that reader, checker and writer share.
#include "boxrec_format.hpp"

#include "little_endian.hpp"
#include "messages.hpp"

#include <bit>

namespace broadside::scene_io {
namespace {

float float_at(const char* bytes) noexcept {
    return std::bit_cast<float>(little_endian<std::uint32_t>(bytes));
}

std::string text_of_float(float value) { return number_text(static_cast<double>(value)); }

void append_box_faults(const Aabb& box, std::vector<RecordFault>& out_faults) {
    const std::array<float, 6> values = {box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z};
    constexpr std::array<const char*, 6> kNames = {"min x", "min y", "min z", "max x", "max y", "max z"};
    for (std::size_t i = 0; i < 6; ++i) {
        const std::size_t offset = kBoxrecBoxOffset + 4 * i;
        if (!is_finite(values[i])) {
            out_faults.push_back({offset, text_of("expected a finite number as ", kNames[i], ", found ",
                                                  text_of_float(values[i]))});
        } else if (i >= 3 && is_finite(values[i - 3]) && values[i - 3] > values[i]) {
            out_faults.push_back(
                {offset, text_of("expected ", kNames[i - 3], " <= ", kNames[i], ", found ",
                                 text_of_float(values[i - 3]), " and ", text_of_float(values[i]))});
        }
    }
}

}  // namespace

std::vector<RecordFault> find_record_faults(const BoxRecord& record, const std::uint32_t* previous_id) {
    std::vector<RecordFault> faults;
    if (previous_id != nullptr && record.id <= *previous_id) {
        faults.push_back({0, text_of("expected an id above ", *previous_id, ", found ", record.id)});
    }
    const auto kind = static_cast<std::uint32_t>(record.kind);
    if (kind > static_cast<std::uint32_t>(BoxKind::dynamic_object)) {
        faults.push_back({kBoxrecKindOffset, text_of("expected a kind of 0, 1 or 2, found ", kind)});
    }
    append_box_faults(record.box, faults);
    return faults;
}

BoxRecord decoded_record(const char* bytes) noexcept {
    BoxRecord record;
    record.id = little_endian<std::uint32_t>(bytes);
    record.kind = static_cast<BoxKind>(little_endian<std::uint32_t>(bytes + kBoxrecKindOffset));
    const char* box = bytes + kBoxrecBoxOffset;
    record.box.min = {float_at(box), float_at(box + 4), float_at(box + 8)};
    record.box.max = {float_at(box + 12), float_at(box + 16), float_at(box + 20)};
    return record;
}

}  // namespace broadside::scene_io
