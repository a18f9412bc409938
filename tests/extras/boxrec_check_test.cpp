// Tests of the checker of recordings, which reports every fault with its byte, and of files that appear only
// when complete.
#include <broadside/scene_io/boxrec_check.hpp>
#include <broadside/scene_io/new_file.hpp>

#include "tests/extras/boxrec_bytes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

using namespace broadside;
using namespace broadside::scene_io;
using namespace broadside::test;

namespace {

// "BYTE: TEXT" of every fault that is listed.
std::vector<std::string> faults_of(const std::string& bytes, std::size_t max_listed_count = 100) {
    std::vector<std::string> lines;
    for (const BoxrecFault& fault : check_boxrec_bytes(bytes, max_listed_count).faults) {
        lines.push_back(std::to_string(fault.byte) + ": " + fault.text);
    }
    return lines;
}

using Lines = std::vector<std::string>;

constexpr std::uint32_t kNanBits = 0x7fc00000;
constexpr std::uint32_t kInfinityBits = 0x7f800000;

std::size_t file_count(const std::filesystem::path& folder) {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()));
}

// An empty folder of its own, which is removed with its contents.
struct TemporaryFolder {
    explicit TemporaryFolder(const char* name) : path(std::filesystem::temp_directory_path() / name) {
        std::filesystem::remove_all(path);
        std::filesystem::create_directory(path);
    }
    ~TemporaryFolder() { std::filesystem::remove_all(path); }
    std::filesystem::path path;
};

}  // namespace

TEST_CASE("a legal recording has no fault, and its size is reported") {
    const BoxrecCheck check = check_boxrec_bytes(small_boxrec_bytes());
    CHECK(check.fault_count == 0);
    CHECK(check.frame_count == 2);
    CHECK(check.read_frame_count == 2);
    CHECK(check.box_count == 3);
    CHECK(check.byte_count == 116);
}

TEST_CASE("all faults of a recording are reported with their bytes, not only the first") {
    std::string bytes = small_boxrec_bytes();
    bytes = with_word(bytes, 20, 7);               // kind of box 0
    bytes = with_word(bytes, 24, kNanBits);        // its min x
    bytes = with_word(bytes, 40, 0xc0200000);      // its max y: -2.5, below min y
    bytes = with_word(bytes, 48, 3);               // id of box 1
    bytes = with_word(bytes, 112, kInfinityBits);  // max z of the box of frame 1
    bytes += "tail";
    CHECK(faults_of(bytes) ==
          Lines{"20: expected a kind of 0, 1 or 2, found 7 (box 0 of 2 in frame 0)",
                "24: expected a finite number as min x, found nan (box 0 of 2 in frame 0)",
                "40: expected min y <= max y, found -2 and -2.5 (box 0 of 2 in frame 0)",
                "48: expected an id above 3, found 3 (box 1 of 2 in frame 0)",
                "112: expected a finite number as max z, found inf (box 0 of 1 in frame 1)",
                "116: expected the end of the file after 2 frames, found more bytes"});
}

TEST_CASE(
    "each number of a box that is not finite is a fault of its own, without an inverted box beside it") {
    std::string bytes = small_boxrec_bytes();
    for (std::size_t offset = 24; offset < 48; offset += 4) bytes = with_word(bytes, offset, kInfinityBits);
    const Lines faults = faults_of(bytes);
    REQUIRE(faults.size() == 6);
    constexpr const char* kNames[6] = {"min x", "min y", "min z", "max x", "max y", "max z"};
    for (std::size_t i = 0; i < 6; ++i) {
        CHECK(faults[i] == std::to_string(24 + 4 * i) + ": expected a finite number as " + kNames[i] +
                               ", found inf (box 0 of 2 in frame 0)");
    }
}

TEST_CASE("one id out of order is one fault") {
    for (const std::uint32_t id : {0u, 1000u}) {
        std::string bytes = "BOXREC01";
        append(bytes, std::uint32_t{1});
        append(bytes, std::uint32_t{9});
        for (std::uint32_t i = 0; i < 9; ++i) append_record(bytes, i == 4 ? id : 10 + i, 2, kSmallBox);
        const Lines faults = faults_of(bytes);
        REQUIRE(faults.size() == 1);
        CHECK(faults[0].starts_with(id == 0 ? "144: expected an id above 13, found 0"
                                            : "176: expected an id above 1000, found 15"));
    }
}

TEST_CASE("a recording that is cut, claims too much, or is none at all ends the check there") {
    const std::string bytes = small_boxrec_bytes();
    CHECK(faults_of("") == Lines{"0: expected 'BOXREC01', found an empty file"});
    CHECK(faults_of("BOXREC02" + bytes.substr(8)) == Lines{"0: expected 'BOXREC01', found 'BOXREC02'"});
    CHECK(faults_of(bytes.substr(0, 10)) ==
          Lines{"8: expected the frame count (4 bytes), found the end of the file after 2"});
    // A fault before the cut is kept.
    CHECK(faults_of(with_word(bytes, 52, 3).substr(0, 100)) ==
          Lines{"52: expected a kind of 0, 1 or 2, found 3 (box 1 of 2 in frame 0)",
                "84: expected box 0 of 1 in frame 1 (32 bytes), found the end of the file after 16"});
    CHECK(faults_of(with_word(bytes, 8, 3)) ==
          Lines{"116: expected the box count of frame 2 of 3 (4 bytes), found the end of the file after 0"});
    CHECK(faults_of(with_word(bytes, 8, 1)) ==
          Lines{"80: expected the end of the file after 1 frame, found more bytes"});
    CHECK(faults_of(with_word(bytes, 80, 0xffffffff)) ==
          Lines{"80: expected at most 67108864 boxes in frame 1, found 4294967295"});
}

TEST_CASE("a recording cut at any byte is a fault, and the first fault is the reader's error") {
    const std::string bytes = small_boxrec_bytes();
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        CAPTURE(size);
        const Lines faults = faults_of(bytes.substr(0, size));
        const Result<Recording> read = parse_boxrec(bytes.substr(0, size), "R");
        REQUIRE_FALSE(read);
        REQUIRE(faults.size() == 1);
        CHECK(read.error().message == "R: byte " + faults[0]);
    }
}

TEST_CASE("the first of many faults are listed and all are counted") {
    std::string bytes = "BOXREC01";
    append(bytes, std::uint32_t{1});
    append(bytes, std::uint32_t{5000});
    for (std::uint32_t i = 0; i < 5000; ++i) append_record(bytes, i, 9, kSmallBox);
    const BoxrecCheck check = check_boxrec_bytes(bytes, 7);
    CHECK(check.faults.size() == 7);
    CHECK(check.fault_count == 5000);
    CHECK(check.faults[6].byte == 16 + 6 * 32 + 4);
}

TEST_CASE("damage to compressed data is reported with its byte in both streams") {
    const TemporaryFile file("broadside_check.boxrec.gz");
    Recording recording;
    recording.frames.resize(2);
    for (std::uint32_t i = 0; i < 4000; ++i) {
        const float x = static_cast<float>(i * 7919 % 1000) * 0.37f;
        recording.frames[i % 2].push_back({i, BoxKind::dynamic_object, {{x, 0, 0}, {x + 1, 1, 1}}});
    }
    REQUIRE_FALSE(write_boxrec(file.path, recording));
    const std::string bytes = bytes_of_file(file.path);
    CHECK(faults_of(bytes).empty());

    const Lines cut = faults_of(bytes.substr(0, bytes.size() / 2));
    REQUIRE(cut.size() == 1);
    CHECK(cut[0].ends_with("found the gzip data end early at byte " + std::to_string(bytes.size() / 2) +
                           " of the compressed file"));
    std::string wrong_sum = bytes;
    wrong_sum[bytes.size() - 6] = static_cast<char>(wrong_sum[bytes.size() - 6] ^ 1);
    const Lines sum = faults_of(wrong_sum);
    REQUIRE(sum.size() == 1);
    CHECK(sum[0].find("found corrupt gzip data (incorrect data check) at byte ") != std::string::npos);
    CHECK(faults_of(bytes + "x")
              .back()
              .ends_with("found bytes follow the end of the gzip data at byte " +
                         std::to_string(bytes.size()) + " of the compressed file"));
    // Many offsets; only the time stamp and flags of the gzip header are outside its checksum.
    for (std::size_t i = 10; i < bytes.size(); i += 501) {
        std::string flipped = bytes;
        flipped[i] = static_cast<char>(flipped[i] ^ 0x55);
        CHECK(check_boxrec_bytes(flipped).fault_count > 0);
    }
}

TEST_CASE("a file that cannot be opened is an error and no fault") {
    const Result<BoxrecCheck> check = check_boxrec("no_such_folder/a.boxrec");
    REQUIRE_FALSE(check);
    CHECK(check.error().message == "no_such_folder/a.boxrec: cannot be opened (No such file or directory)");
}

TEST_CASE("a new file appears when it is committed, and an abandoned one leaves everything as it was") {
    const TemporaryFolder folder("broadside_new_file");
    const std::filesystem::path path = folder.path / "a.txt";
    {
        Result<NewFile> file = NewFile::create(path);
        REQUIRE(file);
        REQUIRE_FALSE(file->write("one"));
        CHECK_FALSE(std::filesystem::exists(path));
        REQUIRE_FALSE(file->commit());
    }
    CHECK(bytes_of_file(path) == "one");
    {
        Result<NewFile> file = NewFile::create(path);
        REQUIRE(file);
        REQUIRE_FALSE(file->write("two"));
        CHECK(bytes_of_file(path) == "one");
    }
    CHECK(bytes_of_file(path) == "one");
    CHECK(file_count(folder.path) == 1);
    // The permissions of the replaced file stay, and a link stays a link.
    std::filesystem::permissions(path,
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    std::filesystem::create_symlink(path, folder.path / "link.txt");
    REQUIRE_FALSE(write_file(folder.path / "link.txt", "three"));
    CHECK(bytes_of_file(path) == "three");
    CHECK(std::filesystem::is_symlink(folder.path / "link.txt"));
    CHECK(std::filesystem::status(path).permissions() ==
          (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
    CHECK(file_count(folder.path) == 2);
}

TEST_CASE("an unfinished recording does not replace the previous one, plain or compressed") {
    const TemporaryFolder folder("broadside_unfinished");
    for (const char* name : {"a.boxrec", "a.boxrec.gz"}) {
        const std::filesystem::path path = folder.path / name;
        const Result<Recording> small = parse_boxrec(small_boxrec_bytes(), "R");
        REQUIRE_FALSE(write_boxrec(path, *small));
        const std::string before = bytes_of_file(path);
        const std::size_t count_before = file_count(folder.path);
        {
            Result<BoxrecWriter> writer = BoxrecWriter::create(path, 3);
            REQUIRE(writer);
            REQUIRE_FALSE(writer->write_frame(small->frames[0]));
            CHECK(bytes_of_file(path) == before);
            CHECK(writer->finish());
        }
        CHECK(bytes_of_file(path) == before);
        CHECK(file_count(folder.path) == count_before);
    }
}

TEST_CASE("a full disk is an error, and a device is written in place") {
    if (!std::filesystem::exists("/dev/full")) return;
    const std::optional<Error> text = write_file("/dev/full", "text");
    REQUIRE(text);
    CHECK(text->message == "/dev/full: cannot be written (No space left on device)");
    const std::optional<Error> recording =
        write_boxrec("/dev/full", *parse_boxrec(small_boxrec_bytes(), "R"));
    REQUIRE(recording);
    CHECK(recording->message.starts_with("/dev/full: cannot be written ("));
    CHECK_FALSE(write_file("/dev/null", "text"));
    CHECK(std::filesystem::is_character_file("/dev/null"));
}
