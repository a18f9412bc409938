// The .stl reader, for text and bytes: its results, and every fault with its position.
#include <broadside/scene_io/stl.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using namespace broadside;
using namespace broadside::scene_io;

namespace {

const std::string kText =
    "solid two\n"
    "  facet normal 0 0 1\n    outer loop\n"
    "      vertex 0 0 0\n      vertex 1 0 0\n      vertex 0 1 0\n"
    "    endloop\n  endfacet\n"
    "facet normal 0 0 0\r\nouter loop\r\nvertex 1 0 0\r\nvertex 1 1e0 -0\r\nvertex 0 1 0\r\nendloop\r\n"
    "endfacet\r\nendsolid two\n";

void append_number(std::uint32_t value, std::string& out_bytes) {
    for (unsigned i = 0; i < 4; ++i) out_bytes.push_back(static_cast<char>(value >> (8 * i) & 255u));
}
std::string bytes_of(const std::vector<float>& corners, std::uint32_t count, const char* header = "made") {
    std::string bytes = header;
    bytes.resize(80, ' ');
    append_number(count, bytes);
    for (std::size_t i = 0; i < corners.size(); i += 9) {
        for (int k = 0; k < 3; ++k) append_number(0x7FC00000u, bytes);
        for (std::size_t k = 0; k < 9; ++k)
            append_number(std::bit_cast<std::uint32_t>(corners[i + k]), bytes);
        bytes += "ab";
    }
    return bytes;
}
const std::vector<float> kCorners = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, -0.0f, 0, 1, 0};

std::string fault_of(const std::string& bytes) {
    const Result<TriangleMesh> mesh = parse_stl(bytes, "a.stl");
    REQUIRE_FALSE(mesh.has_value());
    return mesh.error().message;
}
std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("stl: text and bytes give the same mesh, whose neighbours share their corners") {
    for (const std::string& bytes : {kText, bytes_of(kCorners, 2), bytes_of(kCorners, 2, "solid or not")}) {
        const Result<TriangleMesh> mesh = parse_stl(bytes, "a.stl");
        REQUIRE(mesh.has_value());
        CHECK(mesh->positions == std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}});
        REQUIRE(mesh->triangles.size() == 2);
        CHECK(mesh->triangles[0] == std::array<std::uint32_t, 3>{0, 1, 2});
        CHECK(mesh->triangles[1] == std::array<std::uint32_t, 3>{1, 3, 2});
    }
    const Result<TriangleMesh> two_solids = parse_stl(kText + kText, "a.stl");
    REQUIRE(two_solids.has_value());
    CHECK(two_solids->triangles.size() == 4);
}

TEST_CASE("stl: every fault of a text is reported with its line") {
    CHECK(fault_of(replaced(kText, "vertex 1 0 0", "vertex 1 0")) ==
          "a.stl: line 5: expected 3 coordinates after 'vertex', found 2");
    CHECK(fault_of(replaced(kText, "vertex 1 0 0", "vertex 1 x 0")) ==
          "a.stl: line 5: expected a number after 'vertex', found 'x'");
    CHECK(fault_of(replaced(kText, "vertex 1 0 0", "vertex 1 nan 0")).find("a.stl: line 5: expected") == 0);
    CHECK(fault_of(replaced(kText, "outer loop", "outer lop")) ==
          "a.stl: line 3: expected 'loop', found 'lop'");
    CHECK(fault_of(replaced(kText, "facet normal", "facet")) ==
          "a.stl: line 2: expected 'normal', found '0'");
    CHECK(fault_of(replaced(kText, "    endloop\n", "")) ==
          "a.stl: line 7: expected 'endloop', found 'endfacet'");
    CHECK(fault_of(replaced(kText, "endfacet\n", "")) == "a.stl: line 8: expected 'endfacet', found 'facet'");
    CHECK(fault_of(replaced(kText, "endsolid two\n", "")) ==
          "a.stl: line 16: expected 'facet' or 'endsolid', found the end of the file");
    CHECK(fault_of(kText + "more\n") == "a.stl: line 17: expected 'solid', found 'more'");
    CHECK(fault_of("solid\nendsolid\n") == "a.stl: line 3: expected 'facet', found the end of the file");
    CHECK(fault_of("solid") == "a.stl: line 2: expected 'facet' or 'endsolid', found the end of the file");
}

TEST_CASE("stl: every fault of bytes is reported with its byte, and no prefix of a file is taken for one") {
    const std::string whole = bytes_of(kCorners, 2);
    CHECK(fault_of("") == "a.stl: byte 0: expected a header and a count of 84 bytes, found 0");
    CHECK(fault_of(whole.substr(0, 83)) ==
          "a.stl: byte 83: expected a header and a count of 84 bytes, found 83");
    CHECK(fault_of(bytes_of(kCorners, 3)) == "a.stl: byte 80: expected 234 bytes for 3 triangles, found 184");
    CHECK(fault_of(bytes_of({}, 0)) == "a.stl: byte 80: expected a triangle, found a count of 0");
    CHECK(fault_of(bytes_of({}, 0xFFFFFFFFu)).find("a.stl: byte 80: expected 214748364834 bytes") == 0);
    for (std::size_t size = 0; size < whole.size(); ++size) (void)fault_of(whole.substr(0, size));
    std::vector<float> corners = kCorners;
    corners[10] = std::numeric_limits<float>::infinity();
    CHECK(fault_of(bytes_of(corners, 2)) == "a.stl: byte 150: expected a finite coordinate");
}
