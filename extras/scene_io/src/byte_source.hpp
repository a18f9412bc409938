// A stream of bytes from a file or from memory, unpacked if it is gzip. Private to the scene library.
#pragma once

#include "file_bytes.hpp"

#include <zlib.h>

#include <cstdint>
#include <memory>
#include <string>

namespace broadside::scene_io {

/// The first two bytes decide whether the input is gzip. Several gzip members in a row are one stream, as for
/// gzip itself. Memory: one chunk of input.
class ByteSource {
public:
    static Result<ByteSource> open(const std::filesystem::path& path);
    static ByteSource from_bytes(std::string bytes);

    /// Fills `out_bytes` with the next `count` bytes; fewer only at the end of the stream or at a fault.
    std::size_t read(std::size_t count, char* out_bytes);

    /// Bytes delivered so far, of the uncompressed stream.
    std::uint64_t offset() const noexcept { return offset_; }
    /// The reason why the stream stopped early ("corrupt gzip data (...)"), or empty.
    const std::string& fault() const noexcept { return fault_; }

private:
    struct InflateEnd {
        void operator()(z_stream* stream) const noexcept;
    };

    ByteSource() = default;
    /// Refills the input chunk; false at its end or at a fault.
    bool refill();
    /// Looks at the first bytes and sets up for gzip if they say so.
    void begin();
    std::size_t read_plain(std::size_t count, char* out_bytes);
    std::size_t read_gzip(std::size_t count, char* out_bytes);
    /// After the end of a gzip member: true if another follows.
    bool begin_next_member();
    void stop(std::string fault);
    /// "at byte N of the compressed file": the position in the input.
    std::string input_place() const;

    FileHandle file_;
    std::string chunk_;
    std::size_t chunk_begin_ = 0;
    /// Bytes of the input before the chunk.
    std::uint64_t chunk_offset_ = 0;
    /// On the heap because zlib keeps its address.
    std::unique_ptr<z_stream, InflateEnd> inflate_;
    std::uint64_t offset_ = 0;
    std::string fault_;
    bool has_begun_ = false;
    bool has_ended_ = false;
};

}  // namespace broadside::scene_io
