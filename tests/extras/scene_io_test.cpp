// Tests of the text and mesh readers, of `load_scene`, and of the known figures of the data files.
#include "tests/extras/boxrec_bytes.hpp"
#include "tests/support/folders.hpp"

#include <broadside/scene_io/bounds_text.hpp>
#include <broadside/scene_io/obj.hpp>
#include <broadside/scene_io/ply.hpp>
#include <broadside/scene_io/scene.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <fstream>

using namespace broadside;
using namespace broadside::scene_io;
using namespace broadside::test;

namespace {

template <class T>
std::string message_of(const Result<T>& result) {
    if (result) return "(no error)";
    CHECK(result.error().message.find('\n') == std::string::npos);
    return result.error().message;
}

std::string bounds_message(std::string_view text) { return message_of(parse_bounds_text(text, "B")); }
std::string ply_message(std::string_view text) { return message_of(parse_ply(text, "P")); }
std::string obj_message(std::string_view text) { return message_of(parse_obj(text, "O")); }

using Triangles = std::vector<std::array<std::uint32_t, 3>>;

void append_float(std::string& state_bytes, float value) {
    append(state_bytes, std::bit_cast<std::uint32_t>(value));
}
void append_double(std::string& state_bytes, double value) {
    append(state_bytes, std::bit_cast<std::uint64_t>(value));
}

constexpr const char* kAsciiHeader =
    "ply\nformat ascii 1.0\ncomment by hand\nelement vertex 4\nproperty float x\nproperty float y\n"
    "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";
constexpr const char* kAsciiVertices = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n";

std::string ascii_ply(const std::string& body) { return kAsciiHeader + body; }

// Vertices with a colour before and a list after the position, faces with a weight, and an element of edges
// between.
std::string binary_ply() {
    std::string bytes =
        "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty uchar red\nproperty float x\n"
        "property double y\nproperty float z\nproperty list uchar short tags\nelement edge 2\nproperty int "
        "a\n"
        "property double b\nelement face 1\nproperty float weight\nproperty list uint8 uint32 vertex_index\n"
        "end_header\n";
    for (int i = 0; i < 3; ++i) {
        append(bytes, std::uint8_t{200});
        append_float(bytes, static_cast<float>(i));
        append_double(bytes, 0.1 * i);
        append_float(bytes, -2.0f);
        append(bytes, static_cast<std::uint8_t>(i));
        for (int tag = 0; tag < i; ++tag) append(bytes, std::uint16_t{0x7fff});
    }
    for (int i = 0; i < 2; ++i) {
        append(bytes, std::uint32_t{9});
        append_double(bytes, 1.0);
    }
    append_float(bytes, 1.0f);
    append(bytes, std::uint8_t{3});
    for (const std::uint32_t corner : {0u, 1u, 2u}) append(bytes, corner);
    return bytes;
}

std::filesystem::path data_path(const char* name) { return data_folder() / name; }

bool has_data() {
    if (std::filesystem::exists(data_path("bounds01.txt"))) return true;
    MESSAGE("skipped: there is no folder " << data_folder().string());
    return false;
}

}  // namespace

TEST_CASE("bounds text: boxes in the order of the file, with any blanks and line ends") {
    const auto list = parse_bounds_text("0 0 0 1 1 1\r\n  -1\t-2 +3 -1e0 2.5 3.25 \n\n \n", "B");
    REQUIRE(list);
    REQUIRE(list->boxes.size() == 2);
    CHECK(list->boxes[0] == Aabb{{0.0f, 0.0f, 0.0f}, {1.0f, 1.0f, 1.0f}});
    CHECK(list->boxes[1] == Aabb{{-1.0f, -2.0f, 3.0f}, {-1.0f, 2.5f, 3.25f}});
    // Too small for a float is zero, not an error.
    const auto tiny = parse_bounds_text("1e-60 0 0 1 1 1", "B");
    REQUIRE(tiny);
    CHECK(tiny->boxes[0].min.x == 0.0f);
}

TEST_CASE("bounds text: every malformed line is reported") {
    const std::string good = "0 0 0 1 1 1\n";
    const std::string form = "expected 6 numbers (minx miny minz maxx maxy maxz), found ";
    CHECK(bounds_message("") == "B: line 1: " + form + "no box in the whole file");
    CHECK(bounds_message("\n\n") == "B: line 1: " + form + "no box in the whole file");
    CHECK(bounds_message(good + "0 0 0 1 1\n") == "B: line 2: " + form + "5");
    CHECK(bounds_message(good + "0 0 0 1 1 1 1") == "B: line 2: " + form + "7");
    CHECK(bounds_message(good + "\n" + good) == "B: line 2: " + form + "an empty line");
    CHECK(bounds_message(good + "0 0 0 1 inf 1") ==
          "B: line 2: expected a finite number as max y, found 'inf'");
    CHECK(bounds_message(good + "0 nan 0 1 1 1") ==
          "B: line 2: expected a finite number as min y, found 'nan'");
    CHECK(bounds_message("0 0 0 1 1 1x") == "B: line 1: expected a number as max z, found '1x'");
    CHECK(bounds_message("0x0 0 0 1 1 1") == "B: line 1: expected a number as min x, found '0x0'");
    CHECK(bounds_message("+-1 0 0 1 1 1") == "B: line 1: expected a number as min x, found '+-1'");
    CHECK(bounds_message("0 0 0 1 1 4e38") ==
          "B: line 1: expected a number within the range of float as max z, found '4e38'");
    CHECK(bounds_message("0 0 0 1 1 1e999") ==
          "B: line 1: expected a number within the range of float as max z, found '1e999'");
    CHECK(bounds_message("0 0 2 1 1 1") == "B: line 1: expected min z <= max z, found '2' and '1'");
    CHECK(bounds_message(std::string("0 0 \0\x1b 1 1 1", 12)) ==
          "B: line 1: expected a number as min z, found '\\x00\\x1b'");
    CHECK(bounds_message(std::string(50, '7') + "z 0 0 1 1 1") ==
          "B: line 1: expected a number as min x, found '" + std::string(40, '7') + "...'");
}

TEST_CASE("bounds text: a cut is an error unless it leaves six numbers on the last line") {
    const std::string text = "0 0 0 1 1 1\n2 2 2 4 4 44\n";
    for (std::size_t size = 0; size < text.size(); ++size) {
        CAPTURE(size);
        const bool leaves_whole_lines = size == 11 || size == 12 || size >= 23;
        CHECK((bounds_message(text.substr(0, size)) == "(no error)") == leaves_whole_lines);
    }
}

TEST_CASE("ply: ascii polygons become fans") {
    const std::string vertices = kAsciiVertices;
    const auto mesh = parse_ply(ascii_ply(vertices + "4 0 1 2 3\n\n"), "P");
    REQUIRE(mesh);
    CHECK(mesh->positions.size() == 4);
    CHECK(mesh->positions[2] == Vec3{1.0f, 1.0f, 0.0f});
    CHECK(mesh->triangles == Triangles{{0, 1, 2}, {0, 2, 3}});
}

TEST_CASE("ply: binary values of other properties and elements are skipped by type") {
    const auto mesh = parse_ply(binary_ply(), "P");
    REQUIRE(mesh);
    REQUIRE(mesh->positions.size() == 3);
    CHECK(mesh->positions[1] == Vec3{1.0f, 0.1f, -2.0f});
    CHECK(mesh->positions[2] == Vec3{2.0f, static_cast<float>(0.1 * 2), -2.0f});
    CHECK(mesh->triangles == Triangles{{0, 1, 2}});
}

TEST_CASE("ply: faces may come before the vertices") {
    const auto mesh = parse_ply(
        "ply\r\nformat ascii 1.0\r\nelement face 1\r\nproperty list uchar int vertex_indices\r\n"
        "element vertex 3\r\nproperty double x\r\nproperty double y\r\nproperty double z\r\nend_header\r\n"
        "3 2 1 0\r\n0 0 0\r\n1 0 0\r\n0 1 0\r\n",
        "P");
    REQUIRE(mesh);
    CHECK(mesh->triangles == Triangles{{2, 1, 0}});
}

TEST_CASE("ply: a binary file cut at any byte is an error with the line or the byte") {
    const std::string bytes = binary_ply();
    const std::size_t header_bytes = bytes.find("end_header\n") + 11;
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        CAPTURE(size);
        const std::string message = ply_message(bytes.substr(0, size));
        CHECK(message.starts_with(size < header_bytes ? "P: line " : "P: byte "));
        CHECK(message.find(": expected ") != std::string::npos);
    }
    CHECK(ply_message(bytes) == "(no error)");
    CHECK(ply_message(bytes + "xy") ==
          "P: byte " + std::to_string(bytes.size()) + ": expected the end of the file, found 2 more bytes");
}

TEST_CASE("ply: an ascii file cut at any byte is an error unless only blanks are lost") {
    // Begun here, because g++ 12 takes a string made in the call for one of 32 bytes on s390x.
    std::string body = kAsciiVertices;
    body += "4 0 1 2 3\n";
    const std::string bytes = ascii_ply(body);
    for (std::size_t size = 0; size + 1 < bytes.size(); ++size) {
        CAPTURE(size);
        CHECK(ply_message(bytes.substr(0, size)).starts_with("P: line "));
    }
    CHECK(ply_message(bytes.substr(0, bytes.size() - 1)) == "(no error)");
}

TEST_CASE("ply: every malformed header is reported with its line") {
    const auto header_message = [](const std::string& lines) {
        return ply_message("ply\nformat ascii 1.0\n" + lines);
    };
    const std::string xyz = "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n";
    const std::string face = "element face 1\nproperty list uchar int vertex_indices\n";
    CHECK(ply_message("plyx\n") == "P: line 1: expected 'ply', found 'plyx'");
    CHECK(ply_message("") == "P: line 1: expected 'ply', found ''");
    CHECK(ply_message("ply\nformat binary_big_endian 1.0\n") ==
          "P: line 2: expected 'format ascii 1.0' or 'format binary_little_endian 1.0', found 'format "
          "binary_big_endian 1.0'");
    CHECK(ply_message("ply\nformat ascii 1.1\n").starts_with("P: line 2: expected 'format"));
    CHECK(ply_message("ply\nformat ascii 1.0\n") ==
          "P: line 3: expected an element, property or end_header, found the end of the file");
    CHECK(header_message("elemental\n") ==
          "P: line 3: expected element, property, comment or end_header, found 'elemental'");
    CHECK(header_message("element vertex -3\n") ==
          "P: line 3: expected an element count, found 'element vertex -3'");
    CHECK(
        header_message("element vertex 4294967296\n").starts_with("P: line 3: expected at most 4294967295"));
    CHECK(header_message("element vertex\n").starts_with("P: line 3: expected 'element NAME COUNT'"));
    CHECK(header_message(xyz + xyz) == "P: line 7: expected each element once, found a second 'vertex'");
    CHECK(header_message("property float x\n")
              .starts_with("P: line 3: expected an element before its properties"));
    CHECK(header_message("element vertex 1\nproperty real x\n").starts_with("P: line 4: expected a type"));
    CHECK(header_message("element vertex 1\nproperty list float int x\n")
              .starts_with("P: line 4: expected an integer type for the length"));
    CHECK(header_message("element vertex 1\nproperty x\n")
              .starts_with("P: line 4: expected 'property TYPE NAME'"));
    CHECK(header_message("element vertex 1\nproperty float x\nproperty float x\n") ==
          "P: line 5: expected each property once, found a second 'x'");
    CHECK(header_message(face + "end_header\n") == "P: line 5: expected an element vertex above");
    CHECK(header_message(xyz + "end_header\n") == "P: line 7: expected an element face above");
    CHECK(header_message(xyz + "element face 0\nend_header\n") ==
          "P: line 8: expected at least one face, found 'element face 0'");
    CHECK(header_message(xyz + face + "element junk 5\nend_header\n") ==
          "P: line 10: expected properties in element 'junk', found none");
    CHECK(header_message("element vertex 1\nproperty float x\nproperty int y\nproperty float z\n" + face +
                         "end_header\n") ==
          "P: line 9: expected a property y of type float or double in element vertex");
    CHECK(header_message(xyz + "element face 1\nproperty list uchar float vertex_indices\nend_header\n") ==
          "P: line 9: expected a property list of integers vertex_indices in element face");
}

TEST_CASE("ply: every malformed ascii body is reported with its line") {
    const auto body_message = [](const std::string& body) { return ply_message(ascii_ply(body)); };
    const std::string vertices = kAsciiVertices;
    CHECK(body_message("0 0\n") == "P: line 11: expected a value of 'z', found the end of the line");
    CHECK(body_message("0 0 0 0\n") == "P: line 11: expected the end of the line, found '0'");
    CHECK(body_message("0 zero 0\n") == "P: line 11: expected a number for 'y', found 'zero'");
    CHECK(body_message("0 0 0\n0 -inf 0\n") == "P: line 12: expected a finite number for 'y', found '-inf'");
    CHECK(body_message(vertices) ==
          "P: line 15: expected an item of element 'face', found the end of the file");
    CHECK(body_message(vertices + "2 0 1\n") == "P: line 15: expected a face of at least 3 corners, found 2");
    CHECK(body_message(vertices + "3 0 1\n") ==
          "P: line 15: expected a value of 'vertex_indices', found the end of the line");
    CHECK(body_message(vertices + "3 0 1 4\n") == "P: line 15: expected a vertex index below 4, found 4");
    CHECK(body_message(vertices + "3 0 1 -1\n") == "P: line 15: expected a vertex index below 4, found -1");
    CHECK(body_message(vertices + "3 0 1 1.5\n") ==
          "P: line 15: expected an integer of type int for 'vertex_indices', found '1.5'");
    CHECK(body_message(vertices + "300 0 1 2\n") ==
          "P: line 15: expected an integer of type uchar for 'vertex_indices', found '300'");
    CHECK(body_message(vertices + "3 0 1 2\nmore\n") ==
          "P: line 16: expected the end of the file, found 'more'");
}

TEST_CASE("ply: non-finite and too large binary positions and invalid indices are reported with their byte") {
    const std::string header =
        "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty double x\nproperty double y\n"
        "property double z\nelement face 1\nproperty list char int vertex_indices\nend_header\n";
    const auto body_message = [&](double z, std::uint8_t count, std::uint32_t corner) {
        std::string bytes = header;
        append_double(bytes, 0.0);
        append_double(bytes, 0.0);
        append_double(bytes, z);
        append(bytes, count);
        for (int i = 0; i < 3; ++i) append(bytes, corner);
        return ply_message(bytes);
    };
    const auto at = [&](std::size_t offset) { return "P: byte " + std::to_string(header.size() + offset); };
    CHECK(body_message(1.0, 3, 0) == "(no error)");
    CHECK(body_message(3.4028235e38, 3, 0) == "(no error)");
    CHECK(body_message(3.5e38, 3, 0) ==
          at(16) + ": expected a number within the range of float for 'z', found 3.5e+38");
    CHECK(body_message(std::bit_cast<double>(0x7ff8000000000000), 3, 0) ==
          at(16) + ": expected a finite number for 'z', found nan");
    CHECK(body_message(1.0, 3, 1) == at(25) + ": expected a vertex index below 1, found 1");
    CHECK(body_message(1.0, 3, 0xffffffff) == at(25) + ": expected a vertex index below 1, found -1");
    CHECK(body_message(1.0, 0x80, 0) == at(24) + ": expected the length of 'vertex_indices', found -128");
    CHECK(body_message(1.0, 4, 0) ==
          at(37) + ": expected 4 bytes of 'vertex_indices', found the end of the file after 0");
}

TEST_CASE("ply: huge counts are an error and cost no memory") {
    std::string header = kAsciiHeader;
    header.replace(header.find("vertex 4"), 8, "vertex 4294967295");
    CHECK(ply_message(header + "0 0 0\n") ==
          "P: line 12: expected an item of element 'vertex', found the end of the file");
    header.replace(header.find("ascii"), 5, "binary_little_endian");
    header.replace(header.find("list uchar"), 10, "list uint");
    CHECK(ply_message(header + "0123456789ab").find(": expected 4 bytes of 'x'") != std::string::npos);
}

TEST_CASE("obj: corners of every form, negative indices, fans, continued lines and comments") {
    const auto mesh = parse_obj(
        "# C:\\models\\\nmtllib a.mtl\no thing\nv 0 0 0\nv 1 0 0 1.0\nv 1 1 0 0.5 0.5 0.5\nvt 0 0\nvn 0 0 1\n"
        "v 0 1 \\\n  0\nf 1 2/1 3//1 4/1/0\ns off\nf -4 -3 \\\r\n -2 # the same corner as 1 2 3\n  f 1 2 4 "
        "\n",
        "O");
    REQUIRE(mesh);
    REQUIRE(mesh->positions.size() == 4);
    CHECK(mesh->positions[3] == Vec3{0.0f, 1.0f, 0.0f});
    CHECK(mesh->triangles == Triangles{{0, 1, 2}, {0, 2, 3}, {0, 1, 2}, {0, 1, 3}});
}

TEST_CASE("obj: every malformed statement is reported with its line") {
    const std::string vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    const std::string corner_form =
        "O: line 4: expected a corner v, v/vt, v//vn or v/vt/vn of integers, found ";
    CHECK(obj_message("") == "O: line 1: expected a face, found the end of the file");
    CHECK(obj_message(vertices) == "O: line 4: expected a face, found the end of the file");
    CHECK(obj_message("v 0 0\n") == "O: line 1: expected 3 coordinates after 'v', found 2 numbers");
    CHECK(obj_message("v\n") == "O: line 1: expected 3 coordinates after 'v', found 0 numbers");
    CHECK(obj_message("v 1 2 3 4 5\n") == "O: line 1: expected 3 coordinates after 'v', found 5 numbers");
    CHECK(obj_message("v 0 0 a\n") == "O: line 1: expected a number after 'v', found 'a'");
    CHECK(obj_message("v 0 0 0\nv 0 \\\nNaN 0\n") ==
          "O: line 3: expected a finite number after 'v', found 'NaN'");
    CHECK(obj_message("v 0 0 0 inf\n") == "O: line 1: expected a finite number after 'v', found 'inf'");
    CHECK(obj_message("v 0 -1e39 0\n") ==
          "O: line 1: expected a number within the range of float after 'v', found '-1e39'");
    CHECK(obj_message("f 1 2 3\n") == "O: line 1: expected vertices above the first face, found '1'");
    CHECK(obj_message(vertices + "f 1 2\n") == "O: line 4: expected at least 3 corners after 'f', found 2");
    CHECK(obj_message(vertices + "f 1 2 4\n") ==
          "O: line 4: expected a vertex from 1 to 3 (or from -1 down), as many as stand above, found '4'");
    CHECK(obj_message(vertices + "f 1 0 2\n").starts_with("O: line 4: expected a vertex from 1 to 3"));
    CHECK(obj_message(vertices + "f 1 2 -4\n").starts_with("O: line 4: expected a vertex from 1 to 3"));
    CHECK(obj_message(vertices + "f 1 2 \\\n 3/x\n") ==
          "O: line 5: expected a corner v, v/vt, v//vn or v/vt/vn of integers, found '3/x'");
    for (const char* corner :
         {"3/", "/3", "3//", "3/1/", "3/1/1/1", "3.0", "three", "99999999999999999999"}) {
        CHECK(obj_message(vertices + "f 1 2 " + corner + "\n") == corner_form + "'" + corner + "'");
    }
}

TEST_CASE("obj: a file cut at any byte before its first face is an error") {
    const std::string text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    for (std::size_t size = 0; size + 1 < text.size(); ++size) {
        CAPTURE(size);
        CHECK(obj_message(text.substr(0, size)).starts_with("O: line "));
    }
}

TEST_CASE("mesh: unique edges, boxes and sweeps of two triangles with a common edge") {
    const TriangleMesh mesh = {
        {{0.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}, {1.0f, 1.0f, 2.0f}, {0.0f, 1.0f, 0.0f}},
        {{0, 1, 2}, {2, 3, 0}, {3, 3, 3}}};
    const std::vector<Edge> edges = unique_edges(mesh);
    CHECK(edges == std::vector<Edge>{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {2, 3}});
    CHECK(edge_boxes(mesh, edges)[3] == Aabb{{1.0f, 0.0f, 0.0f}, {1.0f, 1.0f, 2.0f}});
    CHECK(triangle_boxes(mesh)[1] == Aabb{{0.0f, 0.0f, 0.0f}, {1.0f, 1.0f, 2.0f}});
    CHECK(vertex_boxes(mesh)[2] == Aabb{{1.0f, 1.0f, 2.0f}, {1.0f, 1.0f, 2.0f}});
    TriangleMesh moved = mesh;
    for (Vec3& position : moved.positions) position = position + Vec3{0.0f, -3.0f, 0.5f};
    CHECK(has_same_topology(mesh, moved));
    CHECK(swept_boxes(vertex_boxes(mesh), vertex_boxes(moved))[2] ==
          Aabb{{1.0f, -2.0f, 2.0f}, {1.0f, 1.0f, 2.5f}});
    moved.triangles[0] = {0, 2, 1};
    CHECK_FALSE(has_same_topology(mesh, moved));
}

TEST_CASE("load_scene detects a format by contents first, then by extension") {
    const std::string mesh_text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    const TemporaryFile text("broadside_scene.TXT", "0 0 0 1 1 1\n");
    const TemporaryFile obj("broadside_scene.obj", mesh_text);
    const TemporaryFile misnamed("broadside_scene.dat", binary_ply());
    const TemporaryFile unknown("broadside_scene_unknown.dat", mesh_text);
    const TemporaryFile cut("broadside_scene.boxrec.gz", "BOXR");
    CHECK(std::holds_alternative<BoxList>(*load_scene(text.path)));
    CHECK(std::holds_alternative<TriangleMesh>(*load_scene(obj.path)));
    CHECK(std::holds_alternative<TriangleMesh>(*load_scene(misnamed.path)));
    CHECK(message_of(load_scene(unknown.path))
              .ends_with("expected a .txt, .boxrec, .boxrec.gz, .ply, .obj or .stl scene"));
    CHECK(message_of(load_scene(cut.path)).ends_with("byte 0: expected 'BOXREC01', found 'BOXR'"));
    CHECK(message_of(load_scene("missing.ply")) ==
          "missing.ply: cannot be opened (No such file or directory)");
    CHECK(message_of(load_scene("two\nlines.ply")).starts_with("two\\x0alines.ply: cannot be opened"));
    CHECK(message_of(load_scene(std::filesystem::temp_directory_path()))
              .ends_with("expected a file, found a folder"));
    CHECK(message_of(load_scene("/dev/null")) == "/dev/null: expected a file, found a device");
}

TEST_CASE("load_mesh_pair reports how two meshes differ") {
    const std::string vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    const TemporaryFile one("broadside_pair_1.obj", vertices + "f 1 2 3\n");
    const TemporaryFile two("broadside_pair_2.obj", vertices + "f 1 3 2\n");
    const TemporaryFile three("broadside_pair_3.obj", vertices + "v 0 0 0\nf 1 2 3\n");
    const TemporaryFile boxes("broadside_pair.txt", "0 0 0 1 1 1\n");
    CHECK(load_mesh_pair(one.path, one.path));
    CHECK(message_of(load_mesh_pair(one.path, two.path)).find("triangle 0: expected the corners") !=
          std::string::npos);
    CHECK(message_of(load_mesh_pair(one.path, three.path)).find("expected 3 vertex positions") !=
          std::string::npos);
    CHECK(message_of(load_mesh_pair(one.path, boxes.path)).ends_with("expected a mesh (.ply, .obj or .stl)"));
}

TEST_CASE("data: static worlds have their known counts") {
    if (!has_data()) return;
    const std::array<std::size_t, 3> counts = {288, 4221, 268};
    const std::array<const char*, 3> names = {"bounds01.txt", "bounds02.txt", "bounds03.txt"};
    for (std::size_t i = 0; i < 3; ++i) {
        const auto scene = load_scene(data_path(names[i]));
        REQUIRE(scene);
        CHECK(std::get<BoxList>(*scene).boxes.size() == counts[i]);
    }
}

TEST_CASE("data: recordings have their known counts") {
    if (!has_data()) return;
    const auto pyramids = load_scene(data_path("many_pyramids.boxrec.gz"));
    REQUIRE(pyramids);
    const auto& pyramid_frames = std::get<Recording>(*pyramids).frames;
    CHECK(pyramid_frames.size() == 24);
    CHECK(pyramid_frames.front().size() == 10781);
    CHECK(pyramid_frames.back().size() == 10781);
    const auto static_count = [](const std::vector<BoxRecord>& records) {
        return std::count_if(records.begin(), records.end(),
                             [](const BoxRecord& record) { return record.kind == BoxKind::static_object; });
    };
    CHECK(static_count(pyramid_frames.front()) == 1);
    const auto rain = load_scene(data_path("rain.boxrec.gz"));
    REQUIRE(rain);
    const auto& rain_frames = std::get<Recording>(*rain).frames;
    CHECK(rain_frames.size() == 120);
    CHECK(rain_frames.front().size() == 1880);
    CHECK(rain_frames.back().size() == 3560);
    CHECK(static_count(rain_frames.back()) == 200);
}

TEST_CASE("data: meshes have their known counts") {
    if (!has_data()) return;
    const auto pair =
        load_mesh_pair(data_path("armadillo-rollers/326.ply"), data_path("armadillo-rollers/327.ply"));
    REQUIRE(pair);
    CHECK(pair->at_start.positions.size() == 12135);
    CHECK(pair->at_start.triangles.size() == 24242);
    CHECK(unique_edges(pair->at_start).size() == 36363);
    const auto counts_of = [](const char* name) {
        const auto scene = load_scene(data_path(name));
        REQUIRE(scene);
        const auto& mesh = std::get<TriangleMesh>(*scene);
        return std::array<std::size_t, 2>{mesh.positions.size(), mesh.triangles.size()};
    };
    CHECK(counts_of("bunny.ply") == std::array<std::size_t, 2>{2503, 5002});
    CHECK(counts_of("height-field.ply") == std::array<std::size_t, 2>{2540, 4904});
    // Vertices and, by fans, triangles that a count of the corners of every `f` line gives them.
    CHECK(counts_of("test_map01.obj") == std::array<std::size_t, 2>{152, 276});
    CHECK(counts_of("building.obj") == std::array<std::size_t, 2>{2678, 4376});
    CHECK(counts_of("stairs.obj") == std::array<std::size_t, 2>{24, 44});
}
