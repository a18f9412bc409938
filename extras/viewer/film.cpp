// Takes frames in: objects by their ids, changes of boxes, pairs as intervals of frames.
#include "extras/viewer/film.hpp"

#include <algorithm>
#include <cstring>

namespace broadside::viewer {
namespace {

// Of boxes, rays, oriented boxes and nodes together: about 500 MB here, and the page holds all boxes of all
// frames, 12 bytes each.
constexpr std::size_t kStoredLimit = 16'000'000;
// A mesh of more triangles than this is shown thinned out.
constexpr std::size_t kTriangleLimit = 100'000;

bool is_same(const Aabb& a, const Aabb& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

}  // namespace

std::uint32_t Film::object_of(std::uint32_t id) {
    const auto [found, is_new] = objects_.try_emplace(id, static_cast<std::uint32_t>(ids_.size()));
    if (is_new) {
        ids_.push_back(id);
        kinds_.push_back(scene_io::BoxKind::static_object);
        boxes_.push_back(Aabb::empty());
        last_frames_.push_back(0);
    }
    return found->second;
}

bool Film::is_full() const {
    return stored_count_ > kStoredLimit || frames_.size() * ids_.size() > kStoredLimit;
}

void Film::add_frame(const FilmFrame& frame) {
    ++run_frame_count_;
    if (is_full()) return;
    std::vector<std::uint32_t> objects(frame.boxes.count);
    for (std::size_t i = 0; i < objects.size(); ++i) {
        objects[i] = object_of(frame.ids.empty() ? static_cast<std::uint32_t>(i) : frame.ids[i]);
    }
    Frame kept;
    add_changes(frame, objects, kept);
    kept.impacts = frame.impacts;
    for (FilmImpact& impact : kept.impacts) {
        impact.first = objects[impact.first];
        impact.second = objects[impact.second];
    }
    std::vector<FilmPair> pairs = frame.pairs;
    for (FilmPair& pair : pairs) {
        const std::uint32_t first = objects[pair.first];
        const std::uint32_t second = objects[pair.second];
        pair = {std::min(first, second), std::max(first, second), pair.state};
    }
    add_pairs(std::move(pairs));
    kept.rays = frame.rays;
    kept.mesh_rays = frame.mesh_rays;
    kept.obbs = frame.obbs;
    kept.movers = frame.movers;
    kept.nodes = frame.nodes;
    kept.level_counts = frame.level_counts;
    kept.phase_ms = frame.phase_ms;
    kept.grid = frame.grid;
    kept.sweep_axis = frame.sweep_axis;
    kept.remark = frame.remark;
    stored_count_ += kept.changes.size() + kept.rays.size() + kept.mesh_rays.size() + kept.obbs.size() +
                     kept.movers.size() + kept.nodes.size();
    frames_.push_back(std::move(kept));
}

void Film::add_changes(const FilmFrame& frame, std::span<const std::uint32_t> objects, Frame& out_frame) {
    // From 1, so that no object seems to have been in a frame before the first one.
    const auto now = static_cast<std::uint32_t>(frames_.size() + 1);
    for (std::size_t i = 0; i < objects.size(); ++i) {
        const std::uint32_t object = objects[i];
        const Aabb box = is_valid(frame.boxes[i]) ? frame.boxes[i] : Aabb::empty();
        const bool was_there = last_frames_[object] + 1 == now && last_frames_[object] != 0;
        last_frames_[object] = now;
        if (!frame.kinds.empty()) kinds_[object] = std::max(kinds_[object], frame.kinds[i]);
        if (is_same(box, boxes_[object])) continue;
        if (was_there && frame.kinds.empty()) kinds_[object] = scene_io::BoxKind::dynamic_object;
        out_frame.changes.push_back({object, box});
        boxes_[object] = box;
    }
    for (std::uint32_t object = 0; object < ids_.size(); ++object) {
        if (last_frames_[object] == now || is_same(boxes_[object], Aabb::empty())) continue;
        out_frame.changes.push_back({object, Aabb::empty()});
        boxes_[object] = Aabb::empty();
    }
    std::sort(out_frame.changes.begin(), out_frame.changes.end(),
              [](const Change& a, const Change& b) { return a.object < b.object; });
}

void Film::add_pairs(std::vector<FilmPair> pairs) {
    std::sort(pairs.begin(), pairs.end());
    const auto now = static_cast<std::uint32_t>(frames_.size());
    std::vector<Interval> still_open;
    auto old = open_.begin();
    const auto end_old = [&] {
        ended_.push_back({old->pair, old->begin, now});
        ++old;
    };
    for (const FilmPair& pair : pairs) {
        while (old != open_.end() && old->pair < pair) end_old();
        const bool lasts = old != open_.end() && old->pair == pair;
        still_open.push_back({pair, lasts ? old->begin : now, 0});
        if (lasts) ++old;
    }
    while (old != open_.end()) end_old();
    open_ = std::move(still_open);
    stored_count_ += pairs.size() / 16;
}

void Film::set_mesh(const TriangleSoaView& triangles) {
    const std::size_t step = (triangles.count + kTriangleLimit - 1) / kTriangleLimit;
    triangles_.clear();
    for (std::size_t i = 0; i < triangles.count; i += step) triangles_.push_back(triangles[i]);
    if (step > 1)
        info_.notes.push_back("One in " + std::to_string(step) + " triangles of the mesh is drawn.");
}

}  // namespace broadside::viewer
