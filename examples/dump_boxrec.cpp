// Dumps an engine's boxes for broadside's tools: a .boxrec, with nothing but the C library.
#include <cstdint>
#include <cstdio>

// 32 bytes, little-endian, as in the file; kind: 0 static, 1 kinematic, 2 dynamic.
struct BoxRecord {
    std::uint32_t id, kind;
    float min[3], max[3];
};

// Call it once a frame with the boxes by ascending id. The file is complete after each call.
void dump_frame(std::FILE* file, std::uint32_t frame_index, const BoxRecord* boxes, std::uint32_t count) {
    const std::uint32_t frame_count = frame_index + 1;
    std::fseek(file, 0, SEEK_SET);
    std::fwrite("BOXREC01", 1, 8, file);
    std::fwrite(&frame_count, 4, 1, file);
    std::fseek(file, 0, SEEK_END);
    std::fwrite(&count, 4, 1, file);
    std::fwrite(boxes, sizeof(BoxRecord), count, file);
}

int main(int argc, char** argv) {
    std::FILE* file = std::fopen(argc > 1 ? argv[1] : "dump.boxrec", "wb");
    if (file == nullptr) return 1;
    for (std::uint32_t frame = 0; frame < 10; ++frame) {
        const float y = 5.0f - 0.5f * static_cast<float>(frame);
        const BoxRecord boxes[] = {{1, 0, {-10, -1, -10}, {10, 0, 10}},  // the ground
                                   {7, 2, {0, y, 0}, {1, y + 1, 1}}};    // a falling crate
        dump_frame(file, frame, boxes, 2);
    }
    return std::fclose(file) == 0 ? 0 : 1;
}
