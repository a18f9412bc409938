// libFuzzer target of the scene readers: the first byte of the input picks the format, the rest is the file.
// A scene read without an error must keep the promises of the headers, and every error must be one line.
#include <broadside/scene_io/bounds_text.hpp>
#include <broadside/scene_io/boxrec.hpp>
#include <broadside/scene_io/obj.hpp>
#include <broadside/scene_io/ply.hpp>
#include <broadside/scene_io/stl.hpp>

#include <cstdlib>
#include <string>

using namespace broadside;
using namespace broadside::scene_io;

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

void check(const Error& error) {
    require(error.message.starts_with("NAME: "));
    for (const char character : error.message) require(character >= ' ' && character < 0x7f);
}

void check(const Aabb& box) { require(is_finite(box.min) && is_finite(box.max) && !is_empty(box)); }

void check(const Result<TriangleMesh>& mesh) {
    if (!mesh) return check(mesh.error());
    for (const Vec3 position : mesh->positions) require(is_finite(position));
    require(!mesh->triangles.empty());
    for (const auto& triangle : mesh->triangles) {
        for (const std::uint32_t index : triangle) require(index < mesh->positions.size());
    }
}

void check(const Result<BoxList>& list) {
    if (!list) return check(list.error());
    for (const Aabb& box : list->boxes) check(box);
}

void check(const Result<Recording>& recording) {
    if (!recording) return check(recording.error());
    for (const auto& records : recording->frames) {
        for (std::size_t i = 0; i < records.size(); ++i) {
            check(records[i].box);
            require(i == 0 || records[i - 1].id < records[i].id);
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string bytes(reinterpret_cast<const char*>(data + 1), size - 1);
    // Small limits, so that a few bytes that unpack to many are refused at once.
    constexpr BoxrecLimits kLimits = {.max_frame_box_count = 1 << 16, .max_total_bytes = 1 << 24};
    switch (data[0] % 5) {
        case 0:
            check(parse_bounds_text(bytes, "NAME"));
            break;
        case 1:
            check(parse_boxrec(bytes, "NAME", kLimits));
            break;
        case 2:
            check(parse_ply(bytes, "NAME"));
            break;
        case 3:
            check(parse_obj(bytes, "NAME"));
            break;
        default:
            check(parse_stl(bytes, "NAME"));
            break;
    }
    return 0;
}
