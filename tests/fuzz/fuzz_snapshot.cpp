// libFuzzer target of World::restore: snapshots with any bytes, and a valid checksum. Refused bytes have
// changed nothing; an accepted one is a consistent world that continues to work.
#include "tests/broadphase/world/snapshot_editor.hpp"
#include "tests/fuzz/fuzz_input.hpp"

#include <broadside/world.hpp>

#include <cstring>

using namespace broadside;
using namespace broadside::test;

namespace {

std::vector<std::byte> saved(const World& world) {
    std::vector<std::byte> bytes(world.snapshot_bytes());
    require(world.save(bytes) == Status::ok, "save");
    return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::vector<std::byte> bytes(size);
    if (size != 0) std::memcpy(bytes.data(), data, size);
    if (size >= SnapshotEditor::kHeaderBytes) {
        SnapshotEditor editor(bytes);
        editor.write(SnapshotEditor::kVersionOffset,
                     editor.read<std::uint32_t>(SnapshotEditor::kVersionOffset));
    }
    World world;
    require(!world.add(ObjectDescription{}).is_null(), "add");
    const std::vector<std::byte> before = saved(world);
    const Status status = world.restore(bytes);
    if (status != Status::ok) {
        require(status == Status::invalid_argument, "damage is an invalid argument");
        require(saved(world) == before, "what is refused changes nothing");
        return 0;
    }
    // Bytes not written by `save` may lack pairs of objects that have not changed.
    const bool has_all_pairs = world.is_consistent();
    require(saved(world) == bytes, "a snapshot that is taken is saved again as it was");
    require(world.pairs().size() == world.pair_count(), "pairs");
    const UpdateResult result = world.update();
    require(result.status == Status::ok || result.status == Status::capacity_exceeded, "update");
    require(!has_all_pairs || world.is_consistent(), "is_consistent after an update");
    return 0;
}
