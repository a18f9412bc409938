// Asks the library about each frame, and looks at how it works: its plan, the grid of the plan, its tree.
#include "extras/view/scene_film.hpp"

#include "broadphase/src/cells/plan.hpp"
#include "broadphase/src/tree/tree_data.hpp"
#include "extras/support/hash.hpp"

#include <broadside/box_tree.hpp>
#include <broadside/scene_io/recording_motion.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace broadside::view {
namespace {

// More lines than this hide what they connect.
constexpr std::size_t kPairLimit = 200'000;

void require(Status status, const char* what) {
    if (status != Status::ok) throw std::runtime_error(std::string(what) + ": " + status_name(status));
}

template <class Call>
float milliseconds_of(Call&& call) {
    const auto start = std::chrono::steady_clock::now();
    call();
    return std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Of the boxes that move from frame to frame, on the axis on which they move most.
float median_motion(const scene_io::Recording& recording) {
    std::vector<float> motions;
    for (std::size_t i = 0; i + 1 < recording.frames.size() && i < 100; ++i) {
        for (const Vec3& way : scene_io::displacements_to(recording.frames[i + 1], recording.frames[i])) {
            const float most = std::max({std::abs(way.x), std::abs(way.y), std::abs(way.z)});
            if (most > 0) motions.push_back(most);
        }
    }
    if (motions.empty()) return 0;
    const auto middle = motions.begin() + static_cast<std::ptrdiff_t>(motions.size() / 2);
    std::nth_element(motions.begin(), middle, motions.end());
    return *middle;
}

// The records of a frame as the library takes them.
class Frame {
public:
    void take(const std::vector<scene_io::BoxRecord>& records) {
        require(boxes_.resize(records.size()), "boxes");
        ids_.clear();
        kinds_.clear();
        for (std::size_t i = 0; i < records.size(); ++i) {
            boxes_.set(i, records[i].box);
            ids_.push_back(records[i].id);
            kinds_.push_back(records[i].kind);
        }
    }
    BoxSoaView boxes() const { return boxes_; }
    const std::vector<std::uint32_t>& ids() const { return ids_; }
    const std::vector<scene_io::BoxKind>& kinds() const { return kinds_; }

private:
    BoxSoa boxes_;
    std::vector<std::uint32_t> ids_;
    std::vector<scene_io::BoxKind> kinds_;
};

void grow(const BoxSoaView& boxes, float margin, BoxSoa& out_grown) {
    require(out_grown.resize(boxes.count), "boxes");
    for (std::size_t i = 0; i < boxes.count; ++i) out_grown.set(i, expanded(boxes[i], margin));
}

viewer::FilmGrid grid_of(const BoxSoaView& boxes, const FindPairsSettings& settings) {
    const broadphase::CellPlan plan = broadphase::plan_cells({boxes}, settings);
    viewer::FilmGrid grid;
    float origin[3];
    float size[3];
    for (int i = 0; i < 3; ++i) {
        const auto axis = static_cast<std::size_t>(plan.axes[i]);
        // Cells of one length only: where boxes are in crowds the axis is shown uncut.
        const bool is_even = plan.grid.ramp_counts[i] == 1;
        const broadphase::AxisRamp& first = plan.grid.ramps[i][0];
        const broadphase::AxisRamp& last = plan.grid.ramps[i][plan.grid.ramp_counts[i] - 1];
        grid.cell_counts[axis] = is_even ? static_cast<std::uint32_t>(plan.grid.cells[i]) : 1;
        origin[axis] = first.origin;
        size[axis] = is_even ? static_cast<float>(broadphase::kBinsPerCell) / first.scale
                             : last.origin + last.bins / last.scale - first.origin;
    }
    grid.origin = {origin[0], origin[1], origin[2]};
    grid.cell_size = {size[0], size[1], size[2]};
    return grid;
}

// The nodes level by level, leaves first, the root last.
void add_tree(const BoxTree& tree, viewer::FilmFrame& out_frame) {
    const broadphase::TreeView view = broadphase::view_of(tree);
    if (view.is_empty()) return;
    std::vector<std::vector<Aabb>> levels;
    std::vector<std::uint32_t> nodes = {view.root};
    while (!nodes.empty()) {
        std::vector<Aabb>& level = levels.emplace_back();
        std::vector<std::uint32_t> children;
        for (const std::uint32_t node : nodes) {
            Aabb all = Aabb::empty();
            for (std::uint32_t lane = 0; lane < broadphase::kNodeWidth; ++lane) {
                const Aabb box = broadphase::lane_box(view.node(node), lane);
                if (!is_valid(box)) continue;
                all = include(all, box);
                if (!broadphase::is_leaf(node)) children.push_back(view.child_of(node) + lane);
            }
            level.push_back(all);
        }
        nodes = std::move(children);
    }
    for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
        out_frame.nodes.insert(out_frame.nodes.end(), level->begin(), level->end());
        out_frame.level_counts.push_back(static_cast<std::uint32_t>(level->size()));
    }
}

std::uint64_t hash_of_boxes(const std::vector<scene_io::BoxRecord>& records) {
    extras::Hash hash;
    for (const scene_io::BoxRecord& record : records) {
        hash.add(record.id);
        hash.add(static_cast<std::uint32_t>(record.kind));
        for (const Vec3& corner : {record.box.min, record.box.max}) {
            for (const float value : {corner.x, corner.y, corner.z})
                hash.add(std::bit_cast<std::uint32_t>(value));
        }
    }
    return hash.value();
}

// The end of a sentence on the margin.
std::string motions_text(float count) {
    char text[64];
    if (count == 1) return ", the median motion.";
    std::snprintf(text, sizeof text, ", %g times the median motion.", double{count});
    return text;
}

/// A margin that suits the scene, and how many times the median motion it is.
struct SuitedMargin {
    float margin;
    float motion_count;
};

// Four times the median motion, which a PairCache keeps for some frames; halved as long as more than two
// candidates come on a box in the middle of the recording.
SuitedMargin suited_margin(const scene_io::Recording& recording, const FindPairsSettings& settings) {
    constexpr float kLargest = 4;
    constexpr float kSmallest = 0.25F;
    const float motion = median_motion(recording);
    if (!(motion > 0)) return {0, 0};
    Frame frame;
    frame.take(recording.frames[recording.frames.size() / 2]);
    BoxScratch scratch;
    PairBuffer pairs;
    BoxSoa grown;
    const auto count_pairs = [&](float margin) {
        grow(frame.boxes(), margin, grown);
        require(find_pairs(grown, settings, scratch, pairs).status, "find_pairs");
        return pairs.size();
    };
    const std::size_t most = count_pairs(0) + 2 * frame.boxes().count;
    float motion_count = kLargest;
    while (motion_count > kSmallest && count_pairs(motion_count * motion) > most) motion_count /= 2;
    return {motion_count * motion, motion_count};
}

class FilmMaker {
public:
    FilmMaker(const FindPairsSettings& settings, float margin) : settings_(settings), margin_(margin) {}

    viewer::FilmFrame make(const std::vector<scene_io::BoxRecord>& records, std::uint64_t& out_pair_hash) {
        frame_.take(records);
        viewer::FilmFrame film;
        film.boxes = frame_.boxes();
        film.ids = frame_.ids();
        film.kinds = frame_.kinds();
        FindPairsResult found;
        film.phase_ms.push_back(
            milliseconds_of([&] { found = find_pairs(frame_.boxes(), settings_, scratch_, pairs_); }));
        require(found.status, "find_pairs");
        film.phase_ms.push_back(milliseconds_of([&] { require(tree_.update(frame_.boxes()), "BoxTree"); }));
        const FindPairsPlan plan = found.plan;
        film.remark = explain(plan).c_str();
        if (plan.algorithm == PairAlgorithm::cells) film.grid = grid_of(frame_.boxes(), settings_);
        if (plan.sweep_axis != SweepAxis::automatic) {
            film.sweep_axis =
                static_cast<std::uint8_t>(static_cast<int>(plan.sweep_axis) - static_cast<int>(SweepAxis::x));
        }
        add_tree(tree_, film);
        add_pairs(film);
        extras::Hash hash;
        for (const IndexPair& pair : pairs_) {
            hash.add(frame_.ids()[pair.first]);
            hash.add(frame_.ids()[pair.second]);
        }
        out_pair_hash = hash.value();
        return film;
    }

    bool has_left_out() const { return has_left_out_; }

private:
    void add_pairs(viewer::FilmFrame& out_film) {
        for (const IndexPair& pair : pairs_) {
            if (out_film.pairs.size() == kPairLimit) break;
            out_film.pairs.push_back({pair.first, pair.second, viewer::PairState::overlapping});
        }
        has_left_out_ |= pairs_.size() > kPairLimit;
        if (!(margin_ > 0) || pairs_.size() > kPairLimit) return;
        grow(frame_.boxes(), margin_, grown_);
        require(find_pairs(grown_, settings_, scratch_, candidates_).status, "find_pairs");
        // Both lists are in canonical order, and the second holds the first.
        std::size_t next = 0;
        for (const IndexPair& pair : candidates_) {
            if (next < pairs_.size() && pairs_[next] == pair) {
                ++next;
                continue;
            }
            if (out_film.pairs.size() >= kPairLimit) {
                has_left_out_ = true;
                break;
            }
            out_film.pairs.push_back({pair.first, pair.second, viewer::PairState::candidate});
        }
    }

    FindPairsSettings settings_;
    float margin_;
    Frame frame_;
    BoxSoa grown_;
    BoxScratch scratch_;
    PairBuffer pairs_;
    PairBuffer candidates_;
    BoxTree tree_;
    bool has_left_out_ = false;
};

}  // namespace

SceneFilm make_scene_film(const std::string& title, const scene_io::Recording& recording,
                          const ViewSettings& settings,
                          const std::function<void(std::size_t)>& report_progress) {
    FindPairsSettings find_settings;
    find_settings.algorithm = settings.algorithm;
    const bool is_margin_given = settings.margin >= 0;
    const SuitedMargin suited = is_margin_given ? SuitedMargin{static_cast<float>(settings.margin), 0}
                                                : suited_margin(recording, find_settings);
    const float margin = suited.margin;
    SceneFilm made{
        viewer::Film(
            {.title = title, .phases = {"find_pairs", "BoxTree::update"}, .candidate_label = "Candidates"}),
        {},
        {}};
    FilmMaker maker(find_settings, margin);
    const std::size_t count = std::min(recording.frames.size(), settings.max_frame_count);
    std::size_t most = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::vector<scene_io::BoxRecord>& records = recording.frames[i];
        most = std::max(most, records.size());
        made.box_hashes.push_back(hash_of_boxes(records));
        made.film.add_frame(maker.make(records, made.pair_hashes.emplace_back()));
        if (report_progress) report_progress(i + 1);
    }
    made.film.set_subtitle("up to " + std::to_string(most) + " boxes, " + std::to_string(count) +
                           (count == 1 ? " frame · " : " frames · ") + isa_name(settings.isa));
    if (margin > 0) {
        char text[128];
        std::snprintf(text, sizeof text, "Candidates are pairs of boxes grown by %.3g", double{margin});
        made.film.add_note(text + (is_margin_given ? std::string(".") : motions_text(suited.motion_count)));
    }
    if (maker.has_left_out()) {
        made.film.add_note("Of a frame's pairs " + std::to_string(kPairLimit) + " are drawn at most.");
    }
    return made;
}

std::string compare(SceneFilm& a, SceneFilm& b) {
    const std::size_t count = std::max(a.box_hashes.size(), b.box_hashes.size());
    std::vector<std::uint32_t> differing;
    std::string first;
    for (std::size_t i = 0; i < count; ++i) {
        const bool is_in_both = i < a.box_hashes.size() && i < b.box_hashes.size();
        const bool are_boxes_equal = is_in_both && a.box_hashes[i] == b.box_hashes[i];
        const bool are_pairs_equal = is_in_both && a.pair_hashes[i] == b.pair_hashes[i];
        if (are_boxes_equal && are_pairs_equal) continue;
        if (differing.empty()) {
            first = "A and B differ first in frame " + std::to_string(i) + ": " +
                    (!is_in_both        ? "one of them has ended"
                     : !are_pairs_equal ? are_boxes_equal ? "the pairs" : "the boxes and the pairs"
                                        : "the boxes");
        }
        differing.push_back(static_cast<std::uint32_t>(i));
    }
    if (!first.empty())
        first += "; " + std::to_string(differing.size()) + " of " + std::to_string(count) + " frames differ.";
    a.film.set_differing_frames(differing);
    b.film.set_differing_frames(std::move(differing));
    return first;
}

}  // namespace broadside::view
