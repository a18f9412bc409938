// libFuzzer target of TriangleMesh::restore: saved meshes with any bytes, and a valid checksum. Refused bytes
// have changed nothing; an accepted mesh is saved again unchanged, and its queries end and read no other
// memory.
#include "core/src/checksum.hpp"
#include "tests/fuzz/fuzz_input.hpp"

#include <broadside/mesh.hpp>

#include <cstring>

using namespace broadside;
using namespace broadside::test;

namespace {

std::vector<std::byte> saved(const TriangleMesh& mesh) {
    std::vector<std::byte> bytes(mesh.snapshot_bytes());
    require(mesh.save(bytes) == Status::ok, "save");
    return bytes;
}

void sign(std::vector<std::byte>& state_bytes) {
    constexpr std::size_t kChecksum = 24;
    constexpr std::size_t kSigned = kChecksum + sizeof(std::uint64_t);
    if (state_bytes.size() < kSigned) return;
    const std::uint64_t checksum = checksum_of(state_bytes.data() + kSigned, state_bytes.size() - kSigned);
    copy_little_endian(state_bytes.data() + kChecksum, &checksum, sizeof checksum,
                       kNumberBytes<std::uint64_t>);
}

void ask(const TriangleMesh& mesh) {
    const Ray rays[] = {
        {{0.25f, 0.125f, 100}, {0, 0, -1}}, {{100, 90, 80}, {-1, -0.9f, -0.8f}}, {{0, 0, 0}, {1, 0, 0}}};
    MeshScratch scratch;
    std::vector<Listed<MeshHit>> hits(64);
    for (const Ray& ray : rays) {
        const MeshHit closest = mesh.closest_hit(ray);
        require(mesh.any_hit(ray) == (closest.target != kNoTriangle), "any_hit and closest_hit agree");
        (void)mesh.crossing_count(ray.origin, ray.direction);
    }
    require(mesh.find_hits(rays, {}, scratch, hits).status != Status::invalid_argument, "find_hits");
    const Sphere sphere = {{0.5f, 0.5f, 0.5f}, 2};
    const Obb obb = {.center = {0.5f, 0, 0}, .half_extent = {1, 1, 1}};
    const Vec3 displacement = {3, -2, 1};
    std::vector<IndexPair> pairs(64);
    (void)mesh.find_overlaps(std::span(&sphere, 1), {}, scratch, pairs);
    (void)mesh.find_overlaps(std::span(&obb, 1), {}, scratch, pairs);
    (void)mesh.closest_hit(SphereCast{sphere, displacement});
    MeshImpact impact;
    (void)mesh.closest_hits(ObbCast{obb, displacement}, {}, std::span(&impact, 1));
    MeshClosestPoint closest;
    (void)mesh.closest_points(std::span(&displacement, 1), {}, std::span(&closest, 1));
    for (std::uint32_t i = 0; i < mesh.triangle_count(); ++i) (void)mesh.triangle(i);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    FuzzInput input(data, 1);
    choose_isa(input);
    std::vector<std::byte> bytes(size - 1);
    if (!bytes.empty()) std::memcpy(bytes.data(), data + 1, bytes.size());
    sign(bytes);
    static constexpr Vec3 kVertices[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static constexpr std::uint32_t kIndices[] = {0, 1, 2};
    TriangleMesh mesh;
    require(mesh.build(kVertices, kIndices).status == Status::ok, "build");
    const std::vector<std::byte> before = saved(mesh);
    const Status status = mesh.restore(bytes);
    if (status != Status::ok) {
        require(status == Status::invalid_argument, "damage is an invalid argument");
        require(saved(mesh) == before, "what is refused changes nothing");
        return 0;
    }
    require(saved(mesh) == bytes, "a mesh that is taken is saved again as it was");
    ask(mesh);
    return 0;
}
