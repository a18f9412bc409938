// Writer of `.boxrec` and `.boxrec.gz`.
#include <broadside/scene_io/new_file.hpp>

#include "boxrec_format.hpp"
#include "little_endian.hpp"
#include "messages.hpp"

#include <unistd.h>
#include <zlib.h>

#include <bit>
#include <cerrno>
#include <limits>

namespace broadside::scene_io {
namespace {

struct GzipCloser {
    void operator()(gzFile file) const noexcept { gzclose(file); }
};

void append_float(float value, std::string& out_bytes) {
    append_little_endian(std::bit_cast<std::uint32_t>(value), out_bytes);
}

void append_vec3(Vec3 value, std::string& out_bytes) {
    append_float(value.x, out_bytes);
    append_float(value.y, out_bytes);
    append_float(value.z, out_bytes);
}

void append_record(const BoxRecord& record, std::string& out_bytes) {
    append_little_endian(record.id, out_bytes);
    append_little_endian(static_cast<std::uint32_t>(record.kind), out_bytes);
    append_vec3(record.box.min, out_bytes);
    append_vec3(record.box.max, out_bytes);
}

}  // namespace

struct BoxrecWriter::State {
    explicit State(NewFile new_file) : file(std::move(new_file)) {}

    std::optional<Error> write(const std::string& bytes) {
        // gzwrite counts in unsigned int.
        constexpr std::size_t kMaxStep = std::size_t{1} << 30;
        for (std::size_t begin = 0; begin < bytes.size(); begin += kMaxStep) {
            const std::size_t step = std::min(kMaxStep, bytes.size() - begin);
            errno = 0;
            if (gzwrite(stream.get(), bytes.data() + begin, static_cast<unsigned>(step)) <= 0) {
                return file.error_of_system("written", errno);
            }
        }
        return std::nullopt;
    }

    NewFile file;
    std::string name;
    // Open until `finish`.
    std::unique_ptr<gzFile_s, GzipCloser> stream;
    std::uint32_t frame_count = 0;
    std::uint32_t written_frame_count = 0;
    std::string buffer;
};

BoxrecWriter::BoxrecWriter(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
BoxrecWriter::BoxrecWriter(BoxrecWriter&&) noexcept = default;
BoxrecWriter& BoxrecWriter::operator=(BoxrecWriter&&) noexcept = default;
BoxrecWriter::~BoxrecWriter() = default;

Result<BoxrecWriter> BoxrecWriter::create(const std::filesystem::path& path, std::uint32_t frame_count) {
    Result<NewFile> file = NewFile::create(path);
    if (!file) return file.error();
    auto state = std::make_unique<State>(*std::move(file));
    state->name = path.string();
    state->frame_count = frame_count;
    const int descriptor = state->file.duplicate_descriptor();
    if (descriptor < 0) return state->file.error_of_system("created", errno);
    // T asks zlib to write the bytes as they are.
    state->stream.reset(gzdopen(descriptor, path.extension() == ".gz" ? "wb" : "wbT"));
    if (state->stream == nullptr) {
        close(descriptor);
        return state->file.error_of_system("created", ENOMEM);
    }
    std::string header(kBoxrecMagic);
    append_little_endian(frame_count, header);
    if (auto error = state->write(header)) return *std::move(error);
    return BoxrecWriter(std::move(state));
}

std::optional<Error> BoxrecWriter::write_frame(std::span<const BoxRecord> records) {
    State& state = *state_;
    const auto error_here = [&](const std::string& text) {
        return error_in_file(state.name, text_of("frame ", state.written_frame_count, ": ", text));
    };
    if (state.stream == nullptr) return error_here("expected no frame after finish");
    if (state.written_frame_count == state.frame_count) {
        return error_here(text_of("expected no more than ", counted(state.frame_count, "frame")));
    }
    if (records.size() > std::numeric_limits<std::uint32_t>::max()) {
        return error_here("expected at most 4294967295 boxes");
    }
    state.buffer.clear();
    append_little_endian(static_cast<std::uint32_t>(records.size()), state.buffer);
    for (std::size_t i = 0; i < records.size(); ++i) {
        const auto faults = find_record_faults(records[i], i == 0 ? nullptr : &records[i - 1].id);
        if (!faults.empty()) return error_here(text_of("box ", i, ": ", faults.front().text));
        append_record(records[i], state.buffer);
    }
    if (auto error = state.write(state.buffer)) return error;
    ++state.written_frame_count;
    return std::nullopt;
}

std::optional<Error> BoxrecWriter::finish() {
    State& state = *state_;
    if (state.stream == nullptr) return error_in_file(state.name, "expected one finish only");
    if (state.written_frame_count != state.frame_count) {
        return error_in_file(state.name, text_of("expected ", counted(state.frame_count, "frame"),
                                                 " before finish, found ", state.written_frame_count));
    }
    errno = 0;
    if (gzclose(state.stream.release()) != Z_OK) return state.file.error_of_system("written", errno);
    return state.file.commit();
}

std::optional<Error> write_boxrec(const std::filesystem::path& path, const Recording& recording) {
    if (recording.frames.size() > std::numeric_limits<std::uint32_t>::max()) {
        return error_in_file(path.string(), "expected at most 4294967295 frames");
    }
    Result<BoxrecWriter> writer =
        BoxrecWriter::create(path, static_cast<std::uint32_t>(recording.frames.size()));
    if (!writer) return writer.error();
    for (const std::vector<BoxRecord>& records : recording.frames) {
        if (auto error = writer->write_frame(records)) return error;
    }
    return writer->finish();
}

}  // namespace broadside::scene_io
