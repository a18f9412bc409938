// Reader and writer of `.boxrec` and `.boxrec.gz`: the boxes of a world, frame by frame.
//
// Little-endian: char[8] "BOXREC01", uint32 frame_count, then per frame uint32 box_count and box_count
// records of 32 bytes: uint32 id, uint32 kind, float min[3], float max[3]. Ids ascend strictly within a
// frame; an id that appears is an added object, one that is gone was removed.
#pragma once

#include <broadside/aabb.hpp>
#include <broadside/scene_io/result.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace broadside::scene_io {

/// The kind of motion of the object; the values are those of the file.
enum class BoxKind : std::uint32_t { static_object = 0, kinematic_object = 1, dynamic_object = 2 };

/// One box of one frame.
struct BoxRecord {
    /// Stable while the object lives.
    std::uint32_t id = 0;
    BoxKind kind = BoxKind::static_object;
    /// Finite, min <= max on every axis, world space.
    Aabb box;

    friend bool operator==(const BoxRecord&, const BoxRecord&) = default;
};

/// A whole recording in memory.
struct Recording {
    /// One list a frame, ids strictly ascending in each.
    std::vector<std::vector<BoxRecord>> frames;
};

/// Limits of a reader for a file; a compressed file can be a thousand times smaller than its contents.
struct BoxrecLimits {
    /// Boxes in one frame, of 32 bytes each; the default is 2 GiB of records. The list of a frame takes up to twice
    /// that while it grows.
    std::uint32_t max_frame_box_count = std::uint32_t{1} << 26;
    /// Bytes of memory that `read_boxrec` and `parse_boxrec` may need: 32 a box, 72 a frame (with or without
    /// boxes), and the largest frame once more, because its list grows. Other memory is less than 1 MiB, plus
    /// the input of `parse_boxrec`. The frame-by-frame reader has no such limit. The default is 4 GiB.
    std::uint64_t max_total_bytes = std::uint64_t{1} << 32;
};

/// The outcome of `BoxrecReader::next_frame`.
enum class FrameRead { frame, end };

/// Reads a recording one frame at a time, plain or gzip by its first bytes (not by its name). Memory is at
/// most twice that of one frame and grows with the bytes actually read, never with a count that the file
/// claims. Errors name the byte of the uncompressed stream. Movable; a moved-from reader can only be
/// destroyed or assigned to. One thread at a time.
class BoxrecReader {
public:
    /// Opens the file and checks its header.
    static Result<BoxrecReader> open(const std::filesystem::path& path, const BoxrecLimits& limits = {});
    /// Reads from memory; `name` replaces the file in error messages. Keeps the bytes.
    static Result<BoxrecReader> from_bytes(std::string bytes, std::string_view name,
                                           const BoxrecLimits& limits = {});

    BoxrecReader(BoxrecReader&&) noexcept;
    BoxrecReader& operator=(BoxrecReader&&) noexcept;
    ~BoxrecReader();

    /// Frames that the header announces; true only if `next_frame` reaches `end`.
    std::uint32_t frame_count() const noexcept;
    /// Frames read so far.
    std::uint32_t read_frame_count() const noexcept;

    /// Replaces `out_records` by the next frame and returns `frame`; after the last frame checks that nothing
    /// follows and returns `end`. After an error `out_records` is empty and every further call repeats the
    /// error.
    Result<FrameRead> next_frame(std::vector<BoxRecord>& out_records);

private:
    struct State;
    explicit BoxrecReader(std::unique_ptr<State> state) noexcept;
    static Result<BoxrecReader> start(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

/// All frames of a recording, or the first error in it.
Result<Recording> read_boxrec(const std::filesystem::path& path, const BoxrecLimits& limits = {});
/// The same from memory; `name` replaces the file in error messages.
Result<Recording> parse_boxrec(std::string bytes, std::string_view name, const BoxrecLimits& limits = {});

/// Writes a recording one frame at a time; compressed if the path ends in `.gz`. The file is complete only
/// when `finish` has returned without an error. The uncompressed stream depends on nothing but the records.
/// Movable; a moved-from writer can only be destroyed or assigned to. One thread at a time.
class BoxrecWriter {
public:
    /// Creates or replaces the file. `frame_count` frames must follow before `finish`.
    static Result<BoxrecWriter> create(const std::filesystem::path& path, std::uint32_t frame_count);

    BoxrecWriter(BoxrecWriter&&) noexcept;
    BoxrecWriter& operator=(BoxrecWriter&&) noexcept;
    ~BoxrecWriter();

    /// Appends a frame. Refuses a frame that the reader would refuse, and writes nothing of it.
    [[nodiscard]] std::optional<Error> write_frame(std::span<const BoxRecord> records);
    /// Flushes and closes. An error if frames are missing or the disk is full.
    [[nodiscard]] std::optional<Error> finish();

private:
    struct State;
    explicit BoxrecWriter(std::unique_ptr<State> state) noexcept;
    std::unique_ptr<State> state_;
};

/// Writes a whole recording; see BoxrecWriter.
[[nodiscard]] std::optional<Error> write_boxrec(const std::filesystem::path& path,
                                                const Recording& recording);

}  // namespace broadside::scene_io
