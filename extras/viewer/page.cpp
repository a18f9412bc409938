// The page around the films: each packed by gzip, as base64.
#include "extras/viewer/page.hpp"

#include <zlib.h>

#include <stdexcept>

namespace broadside::viewer {

// Made by make_page.cmake from page/ and the libraries; empty where those are missing.
extern const char* const kPage;

namespace {

constexpr std::size_t kPageLimit = 12'000'000;
constexpr const char* kDataMark = "{{films}}";

std::string gzip(const std::string& bytes) {
    z_stream stream{};
    // 15 bits of window; 16 more make a gzip header.
    if (deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
    std::string packed(deflateBound(&stream, bytes.size()), '\0');
    // zlib reads through a pointer to non-const.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    const int result = deflate(&stream, Z_FINISH);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    if (result != Z_STREAM_END) throw std::runtime_error("the picture is too large to be packed");
    return packed;
}

std::string base64(const std::string& bytes) {
    constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const auto byte = [&](std::size_t at) {
            return at < bytes.size() ? std::uint32_t{static_cast<unsigned char>(bytes[at])} : 0U;
        };
        const std::uint32_t three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
        for (unsigned digit = 0; digit < 4; ++digit) {
            const bool is_padding = i + digit > bytes.size();
            text.push_back(is_padding ? '=' : kDigits[three >> (18 - 6 * digit) & 63]);
        }
    }
    return text;
}

}  // namespace

bool has_page() noexcept { return kPage[0] != '\0'; }

const char* no_page_text() noexcept {
    return "no page: built without three.js and Chart.js (./run setup demo installs them)";
}

std::string make_page(std::span<const Film* const> films) {
    std::string page = kPage;
    const std::size_t mark = page.find(kDataMark);
    if (mark == std::string::npos) return {};
    std::size_t frame_count = 1;
    for (const Film* film : films) frame_count = std::max(frame_count, film->frame_count());
    std::string data;
    for (;;) {
        data.clear();
        for (const Film* film : films) {
            data += "<script type=\"application/gzip\" class=\"film\">";
            data += base64(gzip(film->encode(frame_count)));
            data += "</script>\n";
        }
        if (page.size() + data.size() <= kPageLimit || frame_count == 1) break;
        // What is packed grows about as the frames do; a little less, so that the second try fits.
        const double part = static_cast<double>(kPageLimit - page.size()) / static_cast<double>(data.size());
        frame_count = std::max<std::size_t>(
            1, std::min(frame_count - 1,
                        static_cast<std::size_t>(0.95 * part * static_cast<double>(frame_count))));
    }
    if (page.size() + data.size() > kPageLimit)
        throw std::runtime_error("a single frame fills more than 12 MB");
    return page.replace(mark, std::string(kDataMark).size(), data);
}

}  // namespace broadside::viewer
