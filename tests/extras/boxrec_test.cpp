// Tests of the `.boxrec` reader and writer: round trips, every malformed form, every truncation.
#include <broadside/scene_io/boxrec.hpp>

#include "tests/extras/boxrec_bytes.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <limits>

using namespace broadside;
using namespace broadside::test;
using namespace broadside::scene_io;

namespace {

// The small recording with one 32-bit word replaced.
std::string patched_bytes(std::size_t offset, std::uint32_t word) {
    return with_word(small_boxrec_bytes(), offset, word);
}

std::string message_of(const std::string& bytes, const BoxrecLimits& limits = {}) {
    const Result<Recording> recording = parse_boxrec(bytes, "R", limits);
    if (recording) return "(no error)";
    CHECK(recording.error().message.find('\n') == std::string::npos);
    return recording.error().message;
}

Recording wavy_recording() {
    Recording recording;
    for (std::uint32_t frame = 0; frame < 5; ++frame) {
        std::vector<BoxRecord> records;
        for (std::uint32_t i = 0; i < frame * 1100; ++i) {
            const float x = static_cast<float>(i * 37 % 101) + static_cast<float>(frame) * 0.125f;
            const float y = -static_cast<float>(i);
            records.push_back(
                {2 * i + frame, static_cast<BoxKind>(i % 3), {{x, y, -0.0f}, {x + 1.5f, y, 1e30f}}});
        }
        recording.frames.push_back(records);
    }
    return recording;
}

}  // namespace

TEST_CASE("a recording laid out by hand is read back field by field") {
    const Result<Recording> recording = parse_boxrec(small_boxrec_bytes(), "R");
    REQUIRE(recording);
    REQUIRE(recording->frames.size() == 2);
    REQUIRE(recording->frames[0].size() == 2);
    REQUIRE(recording->frames[1].size() == 1);
    CHECK(recording->frames[0][0] == BoxRecord{3, BoxKind::static_object, kSmallBox});
    CHECK(recording->frames[0][1].kind == BoxKind::dynamic_object);
    CHECK(recording->frames[1][0] == BoxRecord{7, BoxKind::kinematic_object, kSmallBox});
}

TEST_CASE("a written recording reads back equal, plain and compressed") {
    for (const char* name : {"broadside_round_trip.boxrec", "broadside_round_trip.boxrec.gz"}) {
        CAPTURE(name);
        const TemporaryFile file(name);
        const Recording written = wavy_recording();
        REQUIRE_FALSE(write_boxrec(file.path, written));
        const Result<Recording> read = read_boxrec(file.path);
        REQUIRE(read);
        CHECK(read->frames == written.frames);
        const bool is_gzip = bytes_of_file(file.path).starts_with("\x1f\x8b");
        CHECK(is_gzip == (file.path.extension() == ".gz"));
    }
}

TEST_CASE("the writer's plain bytes are the documented layout") {
    const TemporaryFile file("broadside_layout.boxrec");
    const Result<Recording> recording = parse_boxrec(small_boxrec_bytes(), "R");
    REQUIRE(recording);
    REQUIRE_FALSE(write_boxrec(file.path, *recording));
    CHECK(bytes_of_file(file.path) == small_boxrec_bytes());
}

TEST_CASE("a recording without frames and a frame without boxes are legal") {
    std::string bytes = "BOXREC01";
    append(bytes, std::uint32_t{0});
    const Result<Recording> no_frames = parse_boxrec(bytes, "R");
    REQUIRE(no_frames);
    CHECK(no_frames->frames.empty());
    bytes[8] = 1;
    append(bytes, std::uint32_t{0});
    const Result<Recording> empty_frame = parse_boxrec(bytes, "R");
    REQUIRE(empty_frame);
    CHECK(empty_frame->frames.size() == 1);
}

TEST_CASE("a plain recording cut at any byte is an error that names where the missing item begins") {
    const std::string bytes = small_boxrec_bytes();
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        CAPTURE(size);
        const std::string message = message_of(bytes.substr(0, size));
        std::size_t item = 0;
        for (const std::size_t begin : {8u, 12u, 16u, 48u, 80u, 84u}) {
            if (begin <= size) item = begin;
        }
        CHECK(message.starts_with("R: byte " + std::to_string(item) + ": expected "));
    }
    CHECK(message_of(bytes) == "(no error)");
}

TEST_CASE(
    "a compressed recording cut at any byte is an error, and one that names gzip after the first bytes") {
    const TemporaryFile file("broadside_cut.boxrec.gz");
    Recording recording = wavy_recording();
    recording.frames.resize(3);
    REQUIRE_FALSE(write_boxrec(file.path, recording));
    const std::string bytes = bytes_of_file(file.path);
    for (std::size_t size = 0; size < bytes.size();
         size += size < 100 || size + 100 > bytes.size() ? 1u : 97u) {
        CAPTURE(size);
        const std::string message = message_of(bytes.substr(0, size));
        CHECK(message.starts_with("R: byte "));
        const bool names_gzip = message.find("the gzip data end early") != std::string::npos;
        CHECK(names_gzip == (size >= 2));
    }
    CHECK(message_of(bytes) == "(no error)");
}

TEST_CASE("a flipped byte of a compressed recording is an error or changes nothing") {
    const TemporaryFile file("broadside_flip.boxrec.gz");
    Recording recording = wavy_recording();
    recording.frames.resize(2);
    REQUIRE_FALSE(write_boxrec(file.path, recording));
    const std::string bytes = bytes_of_file(file.path);
    std::size_t error_count = 0;
    for (std::size_t i = 0; i < bytes.size(); i += i < 64 || i + 64 > bytes.size() ? 1u : 53u) {
        std::string flipped = bytes;
        flipped[i] = static_cast<char>(flipped[i] ^ 0x10);
        const Result<Recording> read = parse_boxrec(flipped, "R");
        // Only the time stamp and flags of the gzip header are outside its checksum.
        if (read) CHECK(read->frames == recording.frames);
        if (!read) ++error_count;
    }
    CHECK(error_count > 64);
}

TEST_CASE("bytes after the last frame are an error, plain and compressed") {
    CHECK(message_of(small_boxrec_bytes() + "x") ==
          "R: byte 116: expected the end of the file after 2 frames, found more bytes");
    const TemporaryFile file("broadside_trailing.boxrec.gz");
    REQUIRE_FALSE(write_boxrec(file.path, wavy_recording()));
    const std::string bytes = bytes_of_file(file.path);
    CHECK(message_of(bytes + "x")
              .ends_with("found bytes follow the end of the gzip data at byte " +
                         std::to_string(bytes.size()) + " of the compressed file"));
    CHECK(
        message_of(bytes + bytes).ends_with("expected the end of the file after 5 frames, found more bytes"));
}

TEST_CASE("several gzip members in a row are one stream") {
    // gzip itself packs a file like this when it appends; one member a half of the recording.
    const TemporaryFile file("broadside_members.boxrec.gz");
    Recording recording = wavy_recording();
    REQUIRE_FALSE(write_boxrec(file.path, recording));
    const std::string whole = bytes_of_file(file.path);
    // An empty member: header, one stored block of no bytes, checksum and size of nothing.
    const std::string empty_member(
        "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00", 20);
    const Result<Recording> read = parse_boxrec(empty_member + whole + empty_member, "R");
    REQUIRE(read);
    CHECK(read->frames == recording.frames);
}

TEST_CASE("every malformed field is reported with its byte") {
    constexpr std::uint32_t kNan = 0x7fc00000;
    constexpr std::uint32_t kInfinity = 0x7f800000;
    CHECK(message_of("") == "R: byte 0: expected 'BOXREC01', found an empty file");
    CHECK(message_of("BOXREC02....") == "R: byte 0: expected 'BOXREC01', found 'BOXREC02'");
    CHECK(message_of(patched_bytes(16, 7)) ==
          "R: byte 48: expected an id above 7, found 7 (box 1 of 2 in frame 0)");
    CHECK(message_of(patched_bytes(52, 3)) ==
          "R: byte 52: expected a kind of 0, 1 or 2, found 3 (box 1 of 2 in frame 0)");
    CHECK(message_of(patched_bytes(24, kNan)) ==
          "R: byte 24: expected a finite number as min x, found nan (box 0 of 2 in frame 0)");
    CHECK(message_of(patched_bytes(112, kInfinity)) ==
          "R: byte 112: expected a finite number as max z, found inf (box 0 of 1 in frame 1)");
    CHECK(message_of(patched_bytes(40, std::bit_cast<std::uint32_t>(-2.5f))) ==
          "R: byte 40: expected min y <= max y, found -2 and -2.5 (box 0 of 2 in frame 0)");
}

TEST_CASE("huge counts are an error and cost no memory") {
    CHECK(message_of(patched_bytes(8, 0xffffffff)) ==
          "R: byte 8: expected at most 59652323 frames (4294967296 bytes), found 4294967295");
    CHECK(message_of(patched_bytes(8, 1000000)) ==
          "R: byte 116: expected the box count of frame 2 of 1000000 (4 bytes), found the end of the file "
          "after 0");
    CHECK(message_of(patched_bytes(80, 0xffffffff)) ==
          "R: byte 80: expected at most 67108864 boxes in frame 1, found 4294967295");
    // 2 GiB of records, of which 32 bytes exist: the largest count for one frame, and too large beside
    // another.
    CHECK(message_of(patched_bytes(80, std::uint32_t{1} << 26)) ==
          "R: byte 80: expected frames that need at most 4294967296 bytes of memory in all, found more in "
          "frame 1");
    const BoxrecLimits more = {.max_total_bytes = std::uint64_t{1} << 33};
    CHECK(message_of(patched_bytes(80, std::uint32_t{1} << 26), more) ==
          "R: byte 116: expected box 1 of 67108864 in frame 1 (32 bytes), found the end of the file after 0");
    // Two boxes and one, two frames, and the last frame's box once more.
    CHECK(message_of(small_boxrec_bytes(), {.max_total_bytes = 3 * 32 + 2 * 72 + 32}) == "(no error)");
    CHECK(message_of(small_boxrec_bytes(), {.max_total_bytes = 3 * 32 + 2 * 72 + 31}) ==
          "R: byte 80: expected frames that need at most 271 bytes of memory in all, found more in frame 1");
}

TEST_CASE("the frame-by-frame reader gives the frames of the whole, then the end, repeatedly") {
    const TemporaryFile file("broadside_stream.boxrec.gz");
    const Recording recording = wavy_recording();
    REQUIRE_FALSE(write_boxrec(file.path, recording));
    Result<BoxrecReader> reader = BoxrecReader::open(file.path);
    REQUIRE(reader);
    CHECK(reader->frame_count() == 5);
    std::vector<BoxRecord> records;
    for (std::uint32_t frame = 0; frame < 5; ++frame) {
        const Result<FrameRead> read = reader->next_frame(records);
        REQUIRE(read);
        REQUIRE(*read == FrameRead::frame);
        CHECK(records == recording.frames[frame]);
        CHECK(reader->read_frame_count() == frame + 1);
    }
    for (int repeat = 0; repeat < 2; ++repeat) {
        const Result<FrameRead> read = reader->next_frame(records);
        REQUIRE(read);
        CHECK(*read == FrameRead::end);
        CHECK(records.empty());
    }
}

TEST_CASE("the frame-by-frame reader repeats its error") {
    Result<BoxrecReader> reader = BoxrecReader::from_bytes(small_boxrec_bytes().substr(0, 100), "R");
    REQUIRE(reader);
    std::vector<BoxRecord> records;
    REQUIRE(reader->next_frame(records));
    const Result<FrameRead> first = reader->next_frame(records);
    REQUIRE_FALSE(first);
    CHECK(records.empty());
    const Result<FrameRead> second = reader->next_frame(records);
    REQUIRE_FALSE(second);
    CHECK(first.error().message == second.error().message);
}

TEST_CASE("the writer refuses what the reader would refuse") {
    const TemporaryFile file("broadside_refused.boxrec");
    Result<BoxrecWriter> writer = BoxrecWriter::create(file.path, 1);
    REQUIRE(writer);
    const auto message = [&](std::vector<BoxRecord> records) {
        const std::optional<Error> error = writer->write_frame(records);
        return error ? error->message.substr(file.path.string().size()) : std::string("(no error)");
    };
    const float nan = std::numeric_limits<float>::quiet_NaN();
    CHECK(message({{1, BoxKind::static_object, kSmallBox}, {1, BoxKind::static_object, kSmallBox}}) ==
          ": frame 0: box 1: expected an id above 1, found 1");
    CHECK(message({{1, static_cast<BoxKind>(9), kSmallBox}}) ==
          ": frame 0: box 0: expected a kind of 0, 1 or 2, found 9");
    CHECK(message({{1, BoxKind::static_object, {{0.0f, nan, 0.0f}, {1.0f, 1.0f, 1.0f}}}})
              .ends_with("found nan"));
    CHECK(message({{1, BoxKind::static_object, {{2.0f, 0.0f, 0.0f}, {1.0f, 1.0f, 1.0f}}}}) ==
          ": frame 0: box 0: expected min x <= max x, found 2 and 1");
    const std::optional<Error> early = writer->finish();
    REQUIRE(early);
    CHECK(early->message.ends_with("expected 1 frame before finish, found 0"));
    CHECK(message({}) == "(no error)");
    CHECK(message({}) == ": frame 1: expected no more than 1 frame");
    CHECK_FALSE(writer->finish());
    CHECK(read_boxrec(file.path));
}

TEST_CASE("a path that cannot be written or read is one line with the reason") {
    const std::filesystem::path missing = "no_such_folder/scene.boxrec";
    for (const char* name : {"no_such_folder/a.boxrec", "no_such_folder/a.boxrec.gz"}) {
        const std::optional<Error> error = write_boxrec(name, {});
        REQUIRE(error);
        CHECK(error->message == std::string(name) + ": cannot be created (No such file or directory)");
    }
    const Result<Recording> recording = read_boxrec(missing);
    REQUIRE_FALSE(recording);
    CHECK(recording.error().message ==
          "no_such_folder/scene.boxrec: cannot be opened (No such file or directory)");
}
