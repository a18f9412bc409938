// A world as bytes, and what must hold between its arrays.
#include "broadphase/src/world/data.hpp"
#include "core/src/checksum.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace broadside::broadphase {
namespace {

constexpr char kMagic[8] = {'B', 'S', 'W', 'O', 'R', 'L', 'D', '\0'};
// 2: layers of 16 bits.
constexpr std::uint32_t kVersion = 2;

struct SnapshotHeader {
    char magic[8];
    std::uint32_t version;
    /// 1. From a time before the format was little-endian on all machines; others wrote it in their order.
    std::uint32_t byte_order;
    std::uint64_t byte_count;
    std::uint64_t checksum;
    std::uint64_t slot_count;
    std::uint64_t padded_count;
    std::uint64_t pair_count;
    std::uint64_t object_count;
    std::uint64_t max_object_count;
    std::uint64_t max_pair_count;
    std::uint32_t first_free;
    std::uint8_t order;
    std::uint8_t fixed_objects_pair;
    std::uint8_t unused[2];
    std::uint64_t layer_rule_count;
};

// Bytes of each number of a record, as copy_little_endian takes them.
constexpr std::uint8_t kWorldHeaderNumbers[] = {1, 1, 1, 1, 1, 1, 1, 1, 4, 4, 8, 8,
                                                8, 8, 8, 8, 8, 8, 4, 1, 1, 1, 1, 8};
static_assert(std::accumulate(std::begin(kWorldHeaderNumbers), std::end(kWorldHeaderNumbers), 0u) ==
              sizeof(SnapshotHeader));
constexpr std::uint8_t kRulesNumbers[] = {8, 8, 4, 2, 1, 1};
static_assert(std::accumulate(std::begin(kRulesNumbers), std::end(kRulesNumbers), 0u) == sizeof(PairRules));
static_assert(sizeof(WorldBody) == 10 * sizeof(float) && sizeof(IndexPair) == 2 * sizeof(std::uint32_t));

template <class Record>
std::span<const std::uint8_t> numbers_of(const Record*) {
    return kNumberBytes<Record>;
}
std::span<const std::uint8_t> numbers_of(const PairRules*) { return kRulesNumbers; }
std::span<const std::uint8_t> numbers_of(const WorldBody*) { return kNumberBytes<float>; }
std::span<const std::uint8_t> numbers_of(const IndexPair*) { return kNumberBytes<std::uint32_t>; }

// Calls `visit(data, count)` for every array, in the order of the format; `visit_bodies()` at the bodies; and
// `visit_pairs()` at the pairs and then their values.
template <class Objects, class Visit, class VisitBodies, class VisitPairs>
void for_each_array(Objects& objects, Visit&& visit, VisitBodies&& visit_bodies, VisitPairs&& visit_pairs) {
    const auto array = [&](auto&& values) { visit(values.data(), values.size()); };
    array(objects.generations);
    array(objects.next_free);
    visit_bodies();
    for (std::size_t column = 0; column < 6; ++column) array(objects.object_boxes.column(column));
    array(objects.rules);
    array(objects.user_data);
    array(objects.known_generations);
    array(objects.known_user_data);
    if constexpr (std::is_const_v<Objects>) {
        array(objects.changes.bits());
    } else {
        array(objects.changes.bits_to_fill());
    }
    visit_pairs();
    visit(objects.layer_rules.data(), objects.layer_rules.keys().size());
}

// Bytes of a pair and its value.
constexpr std::size_t kPairBytes = sizeof(IndexPair) + sizeof(std::uint64_t);
constexpr std::size_t kChecksumEnd = offsetof(SnapshotHeader, checksum) + sizeof(std::uint64_t);

// A limit beyond what this machine can count means none, and is written alike on every machine.
std::size_t limit_of(std::uint64_t count) {
    return static_cast<std::size_t>(std::min<std::uint64_t>(count, ~std::size_t{0}));
}
std::uint64_t written_limit(std::size_t limit) { return limit < ~std::size_t{0} ? limit : ~std::uint64_t{0}; }

}  // namespace

std::size_t WorldData::snapshot_bytes() const noexcept {
    std::size_t count =
        sizeof(SnapshotHeader) + pairs.count() * kPairBytes + objects.slot_count() * sizeof(WorldBody);
    for_each_array(
        objects,
        [&](const auto* records, std::size_t array_count) { count += array_count * sizeof *records; }, [] {},
        [] {});
    return count;
}

Status WorldData::save(std::span<std::byte> out_bytes) const noexcept {
    // Pairs are written first: without memory to list them nothing else is written. They and their values
    // precede the rules.
    const std::size_t rule_bytes = objects.layer_rules.keys().size() * sizeof(std::uint32_t);
    std::byte* next_pair = out_bytes.data() + snapshot_bytes() - rule_bytes - pairs.count() * kPairBytes;
    std::byte* next_value = next_pair + pairs.count() * sizeof(IndexPair);
    const bool has_memory = pairs.for_each([&](const IndexPair& pair, std::uint64_t value) {
        copy_little_endian(next_pair, &pair, sizeof pair, numbers_of(&pair));
        copy_little_endian(next_value, &value, sizeof value, numbers_of(&value));
        next_pair += sizeof pair;
        next_value += sizeof value;
    });
    if (!has_memory) return Status::out_of_memory;
    SnapshotHeader header = {};
    std::memcpy(header.magic, kMagic, sizeof kMagic);
    header.version = kVersion;
    header.byte_order = 1;
    header.byte_count = snapshot_bytes();
    header.slot_count = objects.slot_count();
    header.padded_count = objects.object_boxes.size();
    header.pair_count = pairs.count();
    header.object_count = objects.object_count;
    header.max_object_count = written_limit(objects.settings.max_object_count);
    header.max_pair_count = written_limit(objects.settings.max_pair_count);
    header.first_free = objects.first_free;
    header.order = static_cast<std::uint8_t>(objects.settings.order);
    header.fixed_objects_pair = objects.settings.fixed_objects_pair ? 1 : 0;
    header.layer_rule_count = objects.layer_rules.keys().size();
    std::byte* next = out_bytes.data() + sizeof header;
    const auto write = [&](const auto* records, std::size_t record_count) {
        copy_little_endian(next, records, record_count * sizeof *records, numbers_of(records));
        next += record_count * sizeof *records;
    };
    const auto write_bodies = [&] {
        for (std::uint32_t slot = 0; slot < objects.slot_count(); ++slot) {
            const WorldBody body = objects.body_at(slot);
            write(&body, 1);
        }
    };
    for_each_array(objects, write, write_bodies, [&] { next += pairs.count() * kPairBytes; });
    copy_little_endian(out_bytes.data(), &header, sizeof header, kWorldHeaderNumbers);
    header.checksum = checksum_of(out_bytes.data() + kChecksumEnd, snapshot_bytes() - kChecksumEnd);
    copy_little_endian(out_bytes.data(), &header, sizeof header, kWorldHeaderNumbers);
    return Status::ok;
}

// Bytes come from files and from other machines. Damaged bytes are no mistake of the caller, so nothing here
// reaches the assert handler.
Status WorldData::restore(std::span<const std::byte> bytes) noexcept {
    SnapshotHeader header;
    if (bytes.size() < sizeof header) return Status::invalid_argument;
    copy_little_endian(&header, bytes.data(), sizeof header, kWorldHeaderNumbers);
    if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0 || header.version != kVersion ||
        header.byte_order != 1 || header.byte_count != bytes.size() ||
        header.checksum != checksum_of(bytes.data() + kChecksumEnd, bytes.size() - kChecksumEnd) ||
        header.slot_count > kMaxBoxCount || header.object_count > header.slot_count ||
        header.pair_count > bytes.size() / sizeof(IndexPair) ||
        header.layer_rule_count > bytes.size() / sizeof(std::uint32_t) ||
        header.padded_count != ObjectTable::padded_count_of(static_cast<std::size_t>(header.slot_count)) ||
        header.order > static_cast<std::uint8_t>(WorldOrder::user_data) || header.fixed_objects_pair > 1 ||
        header.unused[0] != 0 || header.unused[1] != 0) {
        return Status::invalid_argument;
    }
    // The size limits how much memory the counts may claim before any is allocated.
    const std::size_t per_slot =
        3 * sizeof(std::uint32_t) + sizeof(WorldBody) + sizeof(PairRules) + 2 * sizeof(std::uint64_t);
    const std::uint64_t expected = sizeof header + header.slot_count * per_slot + header.padded_count / 8 +
                                   header.padded_count * 6 * sizeof(float) + header.pair_count * kPairBytes +
                                   header.layer_rule_count * sizeof(std::uint32_t);
    if (expected != bytes.size()) return Status::invalid_argument;
    objects.settings = {static_cast<WorldOrder>(header.order), header.fixed_objects_pair != 0,
                        limit_of(header.max_object_count), limit_of(header.max_pair_count)};
    // No more than the given bytes.
    const auto slot_count = static_cast<std::size_t>(header.slot_count);
    const auto padded_count = static_cast<std::size_t>(header.padded_count);
    const auto pair_count = static_cast<std::size_t>(header.pair_count);
    if (!objects.resize(slot_count, padded_count) || !pairs.resize(pair_count) ||
        !objects.layer_rules.resize(static_cast<std::size_t>(header.layer_rule_count))) {
        return Status::out_of_memory;
    }
    const std::byte* next = bytes.data() + sizeof header;
    const auto read = [&](auto* records, std::size_t count) {
        copy_little_endian(records, next, count * sizeof *records, numbers_of(records));
        next += count * sizeof *records;
    };
    const std::byte* bodies = nullptr;
    const auto skip_bodies = [&] { bodies = std::exchange(next, next + slot_count * sizeof(WorldBody)); };
    for_each_array(objects, read, skip_bodies, [&] {
        read(pairs.pairs_to_fill(), pair_count);
        read(pairs.values_to_fill(), pair_count);
    });
    if (const Status status = restore_bodies(bodies); status != Status::ok) return status;
    objects.first_free = header.first_free;
    objects.object_count = static_cast<std::size_t>(header.object_count);
    // The data that the rest is made from must name slots, whatever wrote it.
    if (!pairs.note_filled() || !objects.layer_rules.check_filled()) return Status::invalid_argument;
    objects.rebuild();
    pairs.rehash();
    return objects.is_sound() && pairs.is_sound() ? Status::ok : Status::invalid_argument;
}

// Restores the bodies of a snapshot; those without a shape must equal the columns.
Status WorldData::restore_bodies(const std::byte* bodies) noexcept {
    for (std::uint32_t slot = 0; slot < objects.slot_count(); ++slot) {
        WorldBody body;
        copy_little_endian(&body, bodies + slot * sizeof body, sizeof body, numbers_of(&body));
        if (!objects.restore_body(slot, body)) return Status::out_of_memory;
        const WorldBody restored = objects.body_at(slot);
        // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): the bits are compared, those of zeros too.
        if (std::memcmp(&restored, &body, sizeof body) != 0) return Status::invalid_argument;
    }
    return Status::ok;
}

}  // namespace broadside::broadphase
