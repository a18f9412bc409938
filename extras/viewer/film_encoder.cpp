// A film as bytes: docs/viewer.md has the format, page/film.js reads it.
#include "extras/viewer/film.hpp"
#include "extras/viewer/quantizer.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace broadside::viewer {
namespace {

using Json = nlohmann::ordered_json;

// The largest of a byte or of 16 bits stands for "none".
constexpr std::uint16_t kNoTime = 65535;

// Arrays one behind the other, each with a row in the header.
class Arrays {
public:
    template <class T>
    void add(const char* name, const std::vector<T>& values) {
        bytes_.resize((bytes_.size() + 3) / 4 * 4, '\0');
        rows_[name] = {{"type", type_name<T>()}, {"offset", bytes_.size()}, {"count", values.size()}};
        // Little-endian on any machine, as the page reads them.
        for (const T value : values) {
            auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(value);
            if constexpr (std::endian::native == std::endian::big) std::reverse(bytes.begin(), bytes.end());
            bytes_.append(bytes.data(), bytes.size());
        }
    }
    const Json& rows() const { return rows_; }
    const std::string& bytes() const { return bytes_; }

private:
    template <class T>
    static const char* type_name() {
        if constexpr (std::is_same_v<T, std::uint8_t>) return "u8";
        if constexpr (std::is_same_v<T, std::uint16_t>) return "u16";
        if constexpr (std::is_same_v<T, std::int16_t>) return "i16";
        if constexpr (std::is_same_v<T, std::uint32_t>) return "u32";
        if constexpr (std::is_same_v<T, float>) return "f32";
    }
    Json rows_ = Json::object();
    std::string bytes_;
};

// Rows of 16-bit numbers, written column by column: neighbours are then alike, and pack well.
class Columns {
public:
    explicit Columns(std::size_t width) : columns_(width) {}
    // As the difference to `before`, which takes the row's values over.
    template <std::size_t Width>
    void add_difference(const std::array<std::uint16_t, Width>& row,
                        std::array<std::uint16_t, Width>& before) {
        for (std::size_t i = 0; i < Width; ++i) {
            columns_[i].push_back(static_cast<std::uint16_t>(row[i] - before[i]));
        }
        before = row;
    }
    std::vector<std::uint16_t> take() const {
        std::vector<std::uint16_t> all;
        for (const auto& column : columns_) all.insert(all.end(), column.begin(), column.end());
        return all;
    }

private:
    std::vector<std::vector<std::uint16_t>> columns_;
};

constexpr std::array<std::uint16_t, 6> kAbsent = {65535, 65535, 65535, 0, 0, 0};

std::uint16_t time_of(float toi) {
    if (!(toi <= 1.0f)) return kNoTime;
    return static_cast<std::uint16_t>(std::lround(std::max(toi, 0.0f) * 65534.0f));
}

// A rotation as a quaternion (x, y, z, w), from its matrix (Shoemake, "Animating rotation with quaternion
// curves", 1985); axes that are not orthonormal give something near.
std::array<double, 4> quaternion_of(const Obb& obb) {
    const Vec3 x = obb.axis_x;
    const Vec3 y = obb.axis_y;
    const Vec3 z = obb.axis_z;
    std::array<double, 4> q{};
    const double trace = double{x.x} + y.y + z.z;
    if (trace > 0) {
        q = {double{y.z} - z.y, double{z.x} - x.z, double{x.y} - y.x, 1 + trace};
    } else if (x.x >= y.y && x.x >= z.z) {
        q = {1 + double{x.x} - y.y - z.z, double{x.y} + y.x, double{z.x} + x.z, double{y.z} - z.y};
    } else if (y.y >= z.z) {
        q = {double{x.y} + y.x, 1 + double{y.y} - x.x - z.z, double{y.z} + z.y, double{z.x} - x.z};
    } else {
        q = {double{z.x} + x.z, double{y.z} + z.y, 1 + double{z.z} - x.x - y.y, double{x.y} - y.x};
    }
    const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (double& value : q) value /= length > 0 ? length : 1;
    return q;
}

class Encoder {
public:
    Encoder(std::span<const Film::Frame> frames, const std::vector<Triangle>& triangles,
            std::size_t object_count)
        : frames_(frames), triangles_(triangles), quantizer_(corners()), object_count_(object_count) {}

    void add_boxes() {
        std::vector<std::uint32_t> counts;
        std::vector<std::uint32_t> steps;
        Columns columns(6);
        std::vector<std::array<std::uint16_t, 6>> before(object_count_, kAbsent);
        for (const Film::Frame& frame : frames_) {
            std::uint32_t last = 0;
            std::uint32_t count = 0;
            for (const Film::Change& change : frame.changes) {
                const std::array<std::uint16_t, 6> box = quantizer_.box(change.box);
                if (box == before[change.object]) continue;
                steps.push_back(change.object - last);
                last = change.object;
                columns.add_difference(box, before[change.object]);
                ++count;
            }
            counts.push_back(count);
        }
        arrays_.add("change_counts", counts);
        arrays_.add("change_steps", steps);
        arrays_.add("change_boxes", columns.take());
    }

    void add_pairs(std::vector<Film::Interval> intervals) {
        std::sort(intervals.begin(), intervals.end(), [](const Film::Interval& a, const Film::Interval& b) {
            return a.begin != b.begin ? a.begin < b.begin : a.pair < b.pair;
        });
        std::vector<std::uint32_t> first, second, begin, end;
        std::vector<std::uint8_t> state;
        for (const Film::Interval& interval : intervals) {
            first.push_back(interval.pair.first);
            second.push_back(interval.pair.second);
            state.push_back(static_cast<std::uint8_t>(interval.pair.state));
            begin.push_back(interval.begin);
            end.push_back(interval.end);
        }
        arrays_.add("pair_first", first);
        arrays_.add("pair_second", second);
        arrays_.add("pair_state", state);
        arrays_.add("pair_begin", begin);
        arrays_.add("pair_end", end);
    }

    void add_impacts() {
        std::vector<std::uint32_t> counts, first, second;
        std::vector<std::uint16_t> toi;
        for (const Film::Frame& frame : frames_) {
            counts.push_back(static_cast<std::uint32_t>(frame.impacts.size()));
            for (const FilmImpact& impact : frame.impacts) {
                first.push_back(impact.first);
                second.push_back(impact.second);
                toi.push_back(time_of(impact.toi));
            }
        }
        arrays_.add("impact_counts", counts);
        arrays_.add("impact_first", first);
        arrays_.add("impact_second", second);
        arrays_.add("impact_toi", toi);
    }

    void add_rays(const std::string& name, std::vector<FilmRay> Film::Frame::*rays_of_frame) {
        std::size_t most = 0;
        for (const Film::Frame& frame : frames_) most = std::max(most, (frame.*rays_of_frame).size());
        std::vector<std::uint32_t> counts;
        Columns columns(6);
        std::vector<std::array<std::uint16_t, 6>> before(most);
        for (const Film::Frame& frame : frames_) {
            std::size_t row = 0;
            for (const FilmRay& ray : frame.*rays_of_frame) {
                const auto part = static_cast<float>(quantizer_.shown_part(ray.start, ray.end));
                const std::array<std::uint16_t, 3> start = quantizer_.point(ray.start);
                const std::array<std::uint16_t, 3> end =
                    quantizer_.point(ray.start + (ray.end - ray.start) * part);
                columns.add_difference({start[0], start[1], start[2], end[0], end[1], end[2]}, before[row]);
                ++row;
            }
            counts.push_back(static_cast<std::uint32_t>(row));
        }
        arrays_.add((name + "_counts").c_str(), counts);
        arrays_.add((name + "_points").c_str(), columns.take());
    }

    // Of half sizes.
    double half_unit() const {
        double largest = 0;
        const auto look_at = [&](Vec3 half) {
            if (is_finite(half)) largest = std::max<double>({largest, half.x, half.y, half.z});
        };
        for (const Film::Frame& frame : frames_) {
            for (const FilmObb& obb : frame.obbs) look_at(obb.obb.half_extent);
            for (const FilmMover& mover : frame.movers) look_at(mover.half_extent);
        }
        return std::max(largest, 1e-30) / Quantizer::kLargest;
    }

    void add_movers(double unit) {
        std::size_t most = 0;
        for (const Film::Frame& frame : frames_) most = std::max(most, frame.movers.size());
        std::vector<std::uint32_t> counts;
        Columns columns(8);
        std::vector<std::array<std::uint16_t, 8>> before(most);
        for (const Film::Frame& frame : frames_) {
            std::size_t count = 0;
            for (const FilmMover& mover : frame.movers) {
                const std::array<std::uint16_t, 3> center = quantizer_.point(mover.center);
                const Vec3 half = mover.half_extent;
                columns.add_difference({center[0], center[1], center[2], half_of(half.x, unit),
                                        half_of(half.y, unit), half_of(half.z, unit),
                                        half_of(mover.radius, unit), static_cast<std::uint16_t>(mover.state)},
                                       before[count]);
                ++count;
            }
            counts.push_back(static_cast<std::uint32_t>(count));
        }
        arrays_.add("mover_counts", counts);
        arrays_.add("mover_rows", columns.take());
    }

    void add_obbs(double unit) {
        std::size_t most = 0;
        for (const Film::Frame& frame : frames_) most = std::max(most, frame.obbs.size());
        std::vector<std::uint32_t> counts;
        Columns columns(11);
        std::vector<std::array<std::uint16_t, 11>> before(most);
        for (const Film::Frame& frame : frames_) {
            std::size_t count = 0;
            for (const FilmObb& shape : frame.obbs) {
                const std::array<std::uint16_t, 3> center = quantizer_.point(shape.obb.center);
                const Vec3 half = shape.obb.half_extent;
                std::array<std::uint16_t, 11> row = {center[0],
                                                     center[1],
                                                     center[2],
                                                     half_of(half.x, unit),
                                                     half_of(half.y, unit),
                                                     half_of(half.z, unit)};
                const std::array<double, 4> rotation = quaternion_of(shape.obb);
                for (std::size_t i = 0; i < 4; ++i) {
                    const auto value = static_cast<std::int16_t>(std::lround(32767 * rotation[i]));
                    row[6 + i] = static_cast<std::uint16_t>(value);
                }
                row[10] = time_of(shape.toi);
                columns.add_difference(row, before[count]);
                ++count;
            }
            counts.push_back(static_cast<std::uint32_t>(count));
        }
        arrays_.add("obb_counts", counts);
        arrays_.add("obb_rows", columns.take());
    }

    void add_mesh() {
        Columns columns(9);
        std::array<std::uint16_t, 9> before{};
        for (const Triangle& triangle : triangles_) {
            const auto a = quantizer_.point(triangle.a);
            const auto b = quantizer_.point(triangle.b);
            const auto c = quantizer_.point(triangle.c);
            columns.add_difference({a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]}, before);
        }
        arrays_.add("mesh", columns.take());
    }

    void add_nodes() {
        std::vector<std::uint32_t> level_counts, counts;
        Columns columns(6);
        std::size_t most = 0;
        for (const Film::Frame& frame : frames_) most = std::max(most, frame.nodes.size());
        std::vector<std::array<std::uint16_t, 6>> before(most, kAbsent);
        for (const Film::Frame& frame : frames_) {
            level_counts.push_back(static_cast<std::uint32_t>(frame.level_counts.size()));
            counts.insert(counts.end(), frame.level_counts.begin(), frame.level_counts.end());
            for (std::size_t i = 0; i < frame.nodes.size(); ++i) {
                columns.add_difference(quantizer_.box(frame.nodes[i]), before[i]);
            }
        }
        arrays_.add("level_counts", level_counts);
        arrays_.add("level_node_counts", counts);
        arrays_.add("nodes", columns.take());
    }

    void add_times() {
        std::vector<float> times;
        std::vector<std::uint32_t> cells;
        std::vector<float> grids;
        std::vector<std::uint8_t> axes;
        for (const Film::Frame& frame : frames_) {
            times.insert(times.end(), frame.phase_ms.begin(), frame.phase_ms.end());
            const FilmGrid& grid = frame.grid;
            cells.insert(cells.end(), grid.cell_counts.begin(), grid.cell_counts.end());
            for (const Vec3& part : {grid.origin, grid.cell_size}) {
                grids.insert(grids.end(), {part.x, part.y, part.z});
            }
            axes.push_back(frame.sweep_axis);
        }
        arrays_.add("phase_ms", times);
        arrays_.add("cell_counts", cells);
        arrays_.add("cell_grids", grids);
        arrays_.add("sweep_axis", axes);
    }

    template <class T>
    void add(const char* name, const std::vector<T>& values) {
        arrays_.add(name, values);
    }
    const Quantizer& quantizer() const { return quantizer_; }
    const Arrays& arrays() const { return arrays_; }

private:
    static std::uint16_t half_of(float value, double unit) {
        return static_cast<std::uint16_t>(std::isfinite(value) ? std::min(std::lround(value / unit), 65535L)
                                                               : 0);
    }

    std::vector<Vec3> corners() const {
        std::vector<Vec3> points;
        for (const Film::Frame& frame : frames_) {
            for (const Film::Change& change : frame.changes) {
                if (!is_valid(change.box)) continue;
                points.push_back(change.box.min);
                points.push_back(change.box.max);
            }
        }
        for (const Triangle& triangle : triangles_) {
            points.insert(points.end(), {triangle.a, triangle.b, triangle.c});
        }
        // Rays, oriented boxes and movers are many and near the rest: those of the first frame stand for all.
        if (!frames_.empty()) {
            for (const FilmObb& shape : frames_[0].obbs) {
                const float reach = std::sqrt(length_sq(shape.obb.half_extent));
                points.push_back(shape.obb.center - Vec3{reach, reach, reach});
                points.push_back(shape.obb.center + Vec3{reach, reach, reach});
            }
            for (const FilmRay& ray : frames_[0].rays) points.push_back(ray.start);
            for (const FilmMover& mover : frames_[0].movers) {
                points.push_back(mover.center - mover.half_extent);
                points.push_back(mover.center + mover.half_extent);
            }
        }
        return points;
    }

    std::span<const Film::Frame> frames_;
    const std::vector<Triangle>& triangles_;
    Quantizer quantizer_;
    std::size_t object_count_;
    Arrays arrays_;
};

}  // namespace

std::string Film::encode(std::size_t max_frame_count) const {
    const std::size_t count = std::min(max_frame_count, frames_.size());
    Encoder encoder({frames_.data(), count}, triangles_, ids_.size());
    encoder.add("ids", ids_);
    std::vector<std::uint8_t> kinds;
    for (const scene_io::BoxKind kind : kinds_) kinds.push_back(static_cast<std::uint8_t>(kind));
    encoder.add("kinds", kinds);
    encoder.add_boxes();
    std::vector<Interval> intervals = ended_;
    for (Interval interval : open_) {
        interval.end = static_cast<std::uint32_t>(frames_.size());
        intervals.push_back(interval);
    }
    std::erase_if(intervals, [&](const Interval& interval) { return interval.begin >= count; });
    for (Interval& interval : intervals) {
        interval.end = std::min(interval.end, static_cast<std::uint32_t>(count));
    }
    encoder.add_pairs(std::move(intervals));
    encoder.add_impacts();
    encoder.add_rays("ray", &Film::Frame::rays);
    encoder.add_rays("mesh_ray", &Film::Frame::mesh_rays);
    const double half_unit = encoder.half_unit();
    encoder.add_obbs(half_unit);
    encoder.add_movers(half_unit);
    encoder.add_mesh();
    encoder.add_nodes();
    encoder.add_times();

    Json header;
    header["title"] = info_.title;
    header["subtitle"] = info_.subtitle;
    header["notes"] = info_.notes;
    header["frame_count"] = count;
    header["run_frame_count"] = run_frame_count_;
    header["origin"] = encoder.quantizer().origin();
    header["step"] = encoder.quantizer().step();
    header["phases"] = info_.phases;
    header["phase_unit"] = info_.phase_unit;
    header["differing_frames"] = info_.differing_frames;
    header["candidate_label"] = info_.candidate_label;
    header["half_unit"] = half_unit;
    header["remarks"] = Json::array();
    for (std::size_t i = 0; i < count; ++i) header["remarks"].push_back(frames_[i].remark);
    header["arrays"] = encoder.arrays().rows();
    std::string text = header.dump();
    text.resize((text.size() + 3) / 4 * 4, ' ');
    const auto size = static_cast<std::uint32_t>(text.size());
    std::string bytes = "BOXFILM1";
    for (unsigned shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(size >> shift & 255));
    return bytes + text + encoder.arrays().bytes();
}

}  // namespace broadside::viewer
