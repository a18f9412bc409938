// A stream of bytes from a file or from memory, unpacked if it is gzip.
#include "byte_source.hpp"

#include "messages.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <system_error>

namespace broadside::scene_io {
namespace {

constexpr std::size_t kChunkBytes = 65536;
constexpr char kGzipMagic[2] = {'\x1f', '\x8b'};

}  // namespace

void ByteSource::InflateEnd::operator()(z_stream* stream) const noexcept {
    inflateEnd(stream);
    delete stream;
}

Result<ByteSource> ByteSource::open(const std::filesystem::path& path) {
    Result<FileHandle> file = open_to_read(path);
    if (!file) return file.error();
    ByteSource source;
    source.file_ = *std::move(file);
    return source;
}

ByteSource ByteSource::from_bytes(std::string bytes) {
    ByteSource source;
    source.chunk_ = std::move(bytes);
    return source;
}

std::size_t ByteSource::read(std::size_t count, char* out_bytes) {
    if (!has_begun_) begin();
    if (has_ended_) return 0;
    const std::size_t delivered = inflate_ ? read_gzip(count, out_bytes) : read_plain(count, out_bytes);
    offset_ += delivered;
    return delivered;
}

void ByteSource::stop(std::string fault) {
    has_ended_ = true;
    fault_ = std::move(fault);
}

std::string ByteSource::input_place() const {
    return text_of("at byte ", chunk_offset_ + chunk_begin_, " of the compressed file");
}

bool ByteSource::refill() {
    if (file_ == nullptr) return false;
    chunk_offset_ += chunk_.size();
    chunk_.resize(kChunkBytes);
    chunk_begin_ = 0;
    const std::size_t count = std::fread(chunk_.data(), 1, kChunkBytes, file_.get());
    chunk_.resize(count);
    if (count == 0 && std::ferror(file_.get()) != 0) {
        stop(text_of("the file cannot be read (", std::generic_category().message(errno), ")"));
    }
    return count > 0;
}

void ByteSource::begin() {
    has_begun_ = true;
    if (chunk_.empty()) refill();
    if (chunk_.size() < 2 || std::memcmp(chunk_.data(), kGzipMagic, 2) != 0) return;
    inflate_.reset(new z_stream{});
    // 16 on top of the largest window asks zlib for the gzip wrapper and its checksum.
    if (inflateInit2(inflate_.get(), MAX_WBITS + 16) != Z_OK) stop("zlib cannot be set up");
}

std::size_t ByteSource::read_plain(std::size_t count, char* out_bytes) {
    std::size_t delivered = 0;
    while (delivered < count) {
        if (chunk_begin_ == chunk_.size() && !refill()) break;
        const std::size_t step = std::min(count - delivered, chunk_.size() - chunk_begin_);
        std::memcpy(out_bytes + delivered, chunk_.data() + chunk_begin_, step);
        chunk_begin_ += step;
        delivered += step;
    }
    return delivered;
}

std::size_t ByteSource::read_gzip(std::size_t count, char* out_bytes) {
    z_stream& stream = *inflate_;
    std::size_t delivered = 0;
    while (delivered < count && !has_ended_) {
        if (chunk_begin_ == chunk_.size() && !refill()) {
            if (!has_ended_) stop(text_of("the gzip data end early ", input_place()));
            break;
        }
        // zlib counts in unsigned int, which a chunk in memory may exceed.
        constexpr std::size_t kMaxStep = std::numeric_limits<uInt>::max();
        const std::size_t in_count = std::min(chunk_.size() - chunk_begin_, kMaxStep);
        const std::size_t out_count = std::min(count - delivered, kMaxStep);
        stream.next_in = reinterpret_cast<Bytef*>(chunk_.data() + chunk_begin_);
        stream.avail_in = static_cast<uInt>(in_count);
        stream.next_out = reinterpret_cast<Bytef*>(out_bytes + delivered);
        stream.avail_out = static_cast<uInt>(out_count);
        const int answer = inflate(&stream, Z_NO_FLUSH);
        chunk_begin_ += in_count - stream.avail_in;
        delivered += out_count - stream.avail_out;
        if (answer == Z_STREAM_END) {
            if (!begin_next_member()) break;
        } else if (answer != Z_OK && answer != Z_BUF_ERROR) {
            stop(text_of("corrupt gzip data (", (stream.msg != nullptr ? stream.msg : "unknown fault"), ") ",
                         input_place()));
        }
    }
    return delivered;
}

bool ByteSource::begin_next_member() {
    if (chunk_begin_ == chunk_.size() && !refill()) {
        has_ended_ = true;
        return false;
    }
    // zlib itself refuses any following bytes that are no member; its message would not name the position.
    if (chunk_[chunk_begin_] != kGzipMagic[0] || inflateReset(inflate_.get()) != Z_OK) {
        stop(text_of("bytes follow the end of the gzip data ", input_place()));
        return false;
    }
    return true;
}

}  // namespace broadside::scene_io
