// A run as the viewer shows it: what was where in each frame, and what the library found there.
#pragma once

#include <broadside/box_soa.hpp>
#include <broadside/obb.hpp>
#include <broadside/pair_output.hpp>
#include <broadside/scene_io/boxrec.hpp>
#include <broadside/triangle_mesh.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace broadside::viewer {

/// What is known of two boxes in a frame.
enum class PairState : std::uint8_t {
    /// Candidates: near enough to be looked at, not in touch at the start of the frame.
    candidate,
    /// Their boxes overlap.
    overlapping,
};

struct FilmPair {
    std::uint32_t first;
    std::uint32_t second;
    PairState state;

    friend auto operator<=>(const FilmPair&, const FilmPair&) = default;
};

/// Two boxes that meet within the step of a frame, with the time as a fraction of the step.
struct FilmImpact {
    std::uint32_t first;
    std::uint32_t second;
    float toi;
};

/// A ray up to its hit.
struct FilmRay {
    Vec3 start;
    Vec3 end;
};

/// An oriented box, with the time of its impact on the mesh or kNoIntersection.
struct FilmObb {
    Obb obb;
    float toi;
};

/// What a mover has done in the step to its place.
enum class MoverState : std::uint8_t { on_ground, stepping, at_wall, in_the_air };

/// A box with rounded edges: a capsule or a sphere where `radius` is its smallest half, a plain box where it is zero.
struct FilmMover {
    Vec3 center;
    Vec3 half_extent;
    float radius;
    MoverState state;
};

/// How space is cut into cells of one size; what lies outside is in the cells of the border.
struct FilmGrid {
    /// Along x, y and z; zero: there is no grid.
    std::array<std::uint32_t, 3> cell_counts = {};
    Vec3 origin = {};
    Vec3 cell_size = {};
};

/// 0, 1, 2 for x, y, z.
inline constexpr std::uint8_t kNoSweepAxis = 255;

/// One frame. Pairs and impacts are by index into `boxes`.
struct FilmFrame {
    BoxSoaView boxes = {};
    /// What names each box from frame to frame, unique in the frame; empty: its index.
    std::span<const std::uint32_t> ids = {};
    /// Empty: boxes that move in this film are dynamic, the others static.
    std::span<const scene_io::BoxKind> kinds = {};
    std::vector<FilmPair> pairs;
    std::vector<FilmImpact> impacts;
    std::vector<FilmRay> rays;
    /// Rays up to their hits on the mesh, shown apart from the others.
    std::vector<FilmRay> mesh_rays;
    std::vector<FilmObb> obbs;
    /// The same ones in every frame, in the same order.
    std::vector<FilmMover> movers;
    /// Boxes of the nodes of a tree, level by level from the leaves, and how many each level has.
    std::vector<Aabb> nodes;
    std::vector<std::uint32_t> level_counts;
    /// Milliseconds of each phase, as many as the film has names of phases.
    std::vector<float> phase_ms;
    FilmGrid grid;
    std::uint8_t sweep_axis = kNoSweepAxis;
    /// What the library says about the frame, line by line.
    std::string remark;
};

/// What the page says about a run beside its frames.
struct FilmInfo {
    std::string title = {};
    std::string subtitle = {};
    std::vector<std::string> phases = {};
    std::vector<std::string> notes = {};
    /// What pairs of state `candidate` are, in the plural.
    std::string candidate_label = "Candidates";
    /// Of what the film has of each phase.
    std::string phase_unit = "ms";
    /// Frames that differ from those of the result beside this one.
    std::vector<std::uint32_t> differing_frames = {};
};

class Film {
public:
    explicit Film(FilmInfo info) : info_(std::move(info)) {}

    /// The frames of the films of a page fit into memory and into its file: what is beyond is not shown, and
    /// the page says so.
    void add_frame(const FilmFrame& frame);
    void set_mesh(const TriangleSoaView& triangles);
    void add_note(std::string note) { info_.notes.push_back(std::move(note)); }
    /// Ignored for frames that are not kept.
    void append_remark(std::size_t frame, const std::string& text) {
        if (frame < frames_.size()) frames_[frame].remark += text;
    }
    void set_differing_frames(std::vector<std::uint32_t> frames) {
        info_.differing_frames = std::move(frames);
    }
    void set_subtitle(std::string subtitle) { info_.subtitle = std::move(subtitle); }

    /// The bytes of docs/viewer.md, of the first `max_frame_count` frames.
    std::string encode(std::size_t max_frame_count) const;
    std::size_t frame_count() const { return frames_.size(); }

    // What `encode` reads.

    struct Change {
        std::uint32_t object;
        /// Aabb::empty() when the object is gone.
        Aabb box;
    };
    /// A pair for as long as its state stays: frames [begin, end).
    struct Interval {
        FilmPair pair;
        std::uint32_t begin;
        std::uint32_t end;
    };
    struct Frame {
        std::vector<Change> changes;
        std::vector<FilmImpact> impacts;
        std::vector<FilmRay> rays;
        std::vector<FilmRay> mesh_rays;
        std::vector<FilmObb> obbs;
        std::vector<FilmMover> movers;
        std::vector<Aabb> nodes;
        std::vector<std::uint32_t> level_counts;
        std::vector<float> phase_ms;
        FilmGrid grid;
        std::uint8_t sweep_axis;
        std::string remark;
    };

private:
    std::uint32_t object_of(std::uint32_t id);
    void add_changes(const FilmFrame& frame, std::span<const std::uint32_t> objects, Frame& out_frame);
    void add_pairs(std::vector<FilmPair> pairs);
    bool is_full() const;

    FilmInfo info_;
    std::vector<Frame> frames_;
    std::vector<Triangle> triangles_;
    std::size_t run_frame_count_ = 0;
    std::size_t stored_count_ = 0;
    // By object, in the order of their first frames.
    std::unordered_map<std::uint32_t, std::uint32_t> objects_;
    std::vector<std::uint32_t> ids_;
    std::vector<scene_io::BoxKind> kinds_;
    std::vector<Aabb> boxes_;
    std::vector<std::uint32_t> last_frames_;
    // Those of the frame before, and those that have ended.
    std::vector<Interval> open_;
    std::vector<Interval> ended_;
};

}  // namespace broadside::viewer
