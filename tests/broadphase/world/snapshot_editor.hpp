// Changes bytes of a saved World as a fuzzer or a forger would, and corrects the checksum afterwards.
#pragma once

#include "core/src/checksum.hpp"

#include <broadside/aabb.hpp>

#include <span>
#include <vector>

namespace broadside::test {

/// Reads version 2 of the format: a header, then the arrays by slot, the generations first.
class SnapshotEditor {
public:
    static constexpr std::size_t kVersionOffset = 8;
    static constexpr std::size_t kByteCountOffset = 16;
    static constexpr std::size_t kChecksumOffset = 24;
    static constexpr std::size_t kSlotCountOffset = 32;
    static constexpr std::size_t kPaddedCountOffset = 40;
    static constexpr std::size_t kPairCountOffset = 48;
    static constexpr std::size_t kObjectCountOffset = 56;
    static constexpr std::size_t kMaxObjectCountOffset = 64;
    static constexpr std::size_t kMaxPairCountOffset = 72;
    static constexpr std::size_t kFirstFreeOffset = 80;
    static constexpr std::size_t kHeaderBytes = 96;

    explicit SnapshotEditor(std::span<std::byte> bytes) : bytes_(bytes) {}

    template <class T>
    T read(std::size_t offset) const {
        T value;
        copy_little_endian(&value, bytes_.data() + offset, sizeof value, kNumberBytes<T>);
        return value;
    }
    template <class T>
    void write(std::size_t offset, T value) {
        copy_little_endian(bytes_.data() + offset, &value, sizeof value, kNumberBytes<T>);
        sign();
    }
    /// The slot's generation known from the last update changes with it.
    void set_generation(std::uint32_t slot, std::uint32_t generation) {
        write(kHeaderBytes + slot * sizeof(std::uint32_t), generation);
        write(known_generations_offset() + slot * sizeof(std::uint32_t), generation);
    }
    std::uint32_t generation(std::uint32_t slot) const {
        return read<std::uint32_t>(kHeaderBytes + slot * sizeof(std::uint32_t));
    }
    std::size_t next_free_offset(std::uint32_t slot) const {
        return kHeaderBytes + (count_at(kSlotCountOffset) + slot) * sizeof(std::uint32_t);
    }
    /// Category, mask, group, layer, kind.
    std::size_t rules_offset(std::uint32_t slot) const {
        return columns_offset() + count_at(kPaddedCountOffset) * 6 * sizeof(float) + slot * std::size_t{24};
    }
    /// The box of a slot without margin and displacement, in its body and grown; or the box of the padding
    /// behind the slots.
    void set_box(std::uint32_t slot, const Aabb& box) {
        const float values[] = {box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z};
        for (std::size_t column = 0; column < 6; ++column) {
            write(columns_offset() + (column * count_at(kPaddedCountOffset) + slot) * sizeof(float),
                  values[column]);
            if (slot < count_at(kSlotCountOffset))
                write(body_offset(slot) + column * sizeof(float), values[column]);
        }
    }
    void mark_changed(std::uint32_t slot) {
        const std::size_t offset = pairs_offset() - count_at(kPaddedCountOffset) / 8 + slot / 8;
        write(offset, static_cast<std::uint8_t>(read<std::uint8_t>(offset) | 1u << slot % 8));
    }
    /// Six floats of the box, three of the displacement, the margin.
    std::size_t body_offset(std::uint32_t slot) const {
        return kHeaderBytes + count_at(kSlotCountOffset) * 8 + slot * std::size_t{40};
    }
    std::size_t displacement_offset(std::uint32_t slot) const { return body_offset(slot) + 24; }
    std::size_t margin_offset(std::uint32_t slot) const { return displacement_offset(slot) + 12; }
    std::size_t known_generations_offset() const {
        constexpr std::size_t kBytesOfSlotBefore = 4 + 4 + 40 + 24 + 8;
        return kHeaderBytes + count_at(kSlotCountOffset) * kBytesOfSlotBefore +
               count_at(kPaddedCountOffset) * 6 * sizeof(float);
    }
    std::size_t pairs_offset() const {
        constexpr std::size_t kBytesOfKnown = 4 + 8;
        return known_generations_offset() + count_at(kSlotCountOffset) * kBytesOfKnown +
               count_at(kPaddedCountOffset) / 8;
    }

    std::size_t columns_offset() const { return kHeaderBytes + count_at(kSlotCountOffset) * (4 + 4 + 40); }

private:
    std::size_t count_at(std::size_t offset) const {
        return static_cast<std::size_t>(read<std::uint64_t>(offset));
    }
    void sign() {
        constexpr std::size_t kBegin = kChecksumOffset + sizeof(std::uint64_t);
        const std::uint64_t sum = checksum_of(bytes_.data() + kBegin, bytes_.size() - kBegin);
        copy_little_endian(bytes_.data() + kChecksumOffset, &sum, sizeof sum, kNumberBytes<std::uint64_t>);
    }

    std::span<std::byte> bytes_;
};

/// The same snapshot with another number of padded slots: the last ones are left out, or empty ones follow.
inline std::vector<std::byte> repadded(const std::vector<std::byte>& bytes, std::size_t padded_count) {
    std::vector<std::byte> changed = bytes;
    const SnapshotEditor editor(changed);
    const auto count =
        static_cast<std::size_t>(editor.read<std::uint64_t>(SnapshotEditor::kPaddedCountOffset));
    const std::size_t columns = editor.columns_offset();
    const std::size_t bits_end = editor.pairs_offset();
    // From the end of the array on, so that those before stay where they are.
    const auto resize = [&](std::size_t end, std::size_t size, std::size_t new_size, float fill) {
        const auto at = changed.begin() + static_cast<std::ptrdiff_t>(end);
        if (new_size <= size) {
            changed.erase(at - static_cast<std::ptrdiff_t>(size - new_size), at);
            return;
        }
        std::vector<std::byte> more(new_size - size);
        for (std::size_t i = 0; i + sizeof fill <= more.size(); i += sizeof fill)
            copy_little_endian(more.data() + i, &fill, sizeof fill, kNumberBytes<float>);
        changed.insert(at, more.begin(), more.end());
    };
    resize(bits_end, count / 8, padded_count / 8, 0);
    for (std::size_t column = 6; column-- != 0;) {
        const float corner = column < 3 ? Aabb::empty().min.x : Aabb::empty().max.x;
        resize(columns + (column + 1) * count * sizeof(float), count * sizeof(float),
               padded_count * sizeof(float), corner);
    }
    SnapshotEditor(changed).write(SnapshotEditor::kByteCountOffset, std::uint64_t{changed.size()});
    SnapshotEditor(changed).write(SnapshotEditor::kPaddedCountOffset, std::uint64_t{padded_count});
    return changed;
}

}  // namespace broadside::test
