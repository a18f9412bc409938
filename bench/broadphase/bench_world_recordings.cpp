// World along recordings from files: objects that appear are added, those that vanish removed, boxes that
// changed set.
#include "bench/broadphase/world_frames.hpp"
#include "bench/file_scenes.hpp"
#include "bench/frames.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <broadside/world.hpp>

#include <map>

namespace broadside::bench {
namespace {

using Records = std::vector<scene_io::BoxRecord>;

bool is_fixed(const scene_io::BoxRecord& record) { return record.kind == scene_io::BoxKind::static_object; }

// What happens from one frame to the next, in positions of the frame's records.
struct Step {
    std::vector<std::uint32_t> added;
    std::vector<std::uint32_t> moved;
    BoxSoa moved_boxes;
    std::vector<std::uint32_t> removed_ids;
};

std::vector<Step> make_steps(const FileScene& file) {
    std::vector<Step> steps;
    std::map<std::uint32_t, Aabb> known;
    for (const Records& records : file.frames) {
        Step& step = steps.emplace_back();
        std::map<std::uint32_t, Aabb> alive;
        for (std::uint32_t i = 0; i < records.size(); ++i) {
            const auto before = known.find(records[i].id);
            if (before == known.end()) step.added.push_back(i);
            if (before != known.end() && !(before->second == records[i].box)) {
                step.moved.push_back(i);
                if (step.moved_boxes.push_back(records[i].box) != Status::ok) std::abort();
            }
            alive.emplace(records[i].id, records[i].box);
        }
        for (const auto& [id, box] : known) {
            if (alive.count(id) == 0) step.removed_ids.push_back(id);
        }
        known = std::move(alive);
    }
    return steps;
}

// A world and what it calls the objects of a recording.
class Replay {
public:
    Replay(const FileScene& file, const std::vector<Step>& steps)
        : file_(file), steps_(steps), world_(settings()) {
        std::uint32_t max_id = 0;
        for (const Records& records : file.frames) {
            for (const scene_io::BoxRecord& record : records) max_id = std::max(max_id, record.id);
        }
        handles_.resize(std::size_t{max_id} + 1);
    }

    bool has_next() const { return next_ < steps_.size(); }
    // Seconds of the next frame. Looking up handles is no part of them: an engine keeps them beside its
    // objects.
    double show_next() {
        const Records& records = file_.frames[next_];
        const Step& step = steps_[next_++];
        named_.clear();
        removed_.clear();
        for (const std::uint32_t i : step.moved) named_.push_back(handles_[records[i].id]);
        for (const std::uint32_t id : step.removed_ids) removed_.push_back(handles_[id]);
        return seconds_of([&] {
            bool is_ok = world_.remove(removed_).status == Status::ok &&
                         world_.set_boxes(named_, step.moved_boxes).status == Status::ok;
            for (const std::uint32_t i : step.added) {
                ObjectDescription description;
                description.box = records[i].box;
                description.kind = is_fixed(records[i]) ? ObjectKind::fixed : ObjectKind::moving;
                description.user_data = records[i].id;
                handles_[records[i].id] = world_.add(description);
            }
            is_ok = is_ok && world_.update().status == Status::ok;
            if (!is_ok) std::abort();
        });
    }
    // Ids ascend in a frame, so the order of its indices is that of the ids, by which this world sorts.
    bool is_right() {
        const Records& records = file_.frames[next_ - 1];
        std::vector<Aabb> boxes;
        for (const scene_io::BoxRecord& record : records) boxes.push_back(record.box);
        PairBuffer expected;
        if (find_pairs(soa_of(boxes), expected).status != Status::ok) std::abort();
        std::size_t slot = 0;
        const std::span<const WorldPair> pairs = world_.pairs();
        for (const IndexPair& pair : expected) {
            const scene_io::BoxRecord& a = records[pair.first];
            const scene_io::BoxRecord& b = records[pair.second];
            if (is_fixed(a) && is_fixed(b)) continue;
            if (slot == pairs.size() || world_.description(pairs[slot].a).user_data != a.id ||
                world_.description(pairs[slot].b).user_data != b.id) {
                return false;
            }
            ++slot;
        }
        return slot == pairs.size();
    }
    std::size_t pair_count() const { return world_.pair_count(); }

private:
    static WorldSettings settings() {
        WorldSettings settings;
        settings.order = WorldOrder::user_data;
        return settings;
    }

    const FileScene& file_;
    const std::vector<Step>& steps_;
    std::size_t next_ = 0;
    World world_;
    std::vector<ObjectHandle> handles_;
    std::vector<ObjectHandle> named_;
    std::vector<ObjectHandle> removed_;
};

void measure(benchmark::State& state, const FileScene& file, const std::string& name, Isa isa) {
    static LastUsed<std::vector<Step>> last;
    const std::vector<Step>& steps = last.get(file.name, [&] { return make_steps(file); });
    auto replay = std::make_unique<Replay>(file, steps);
    while (replay->has_next()) {
        use_isa(isa);
        replay->show_next();
        use_isa(Isa::scalar);
        require_same(replay->is_right(), name);
    }
    const std::size_t pair_count = replay->pair_count();
    use_isa(isa);
    // The first frame fills the world and is no frame of a game.
    const auto begin_anew = [&] {
        replay = std::make_unique<Replay>(file, steps);
        replay->show_next();
    };
    begin_anew();
    for (auto _ : state) {
        if (!replay->has_next()) begin_anew();
        state.SetIterationTime(replay->show_next());
    }
    count_items(state, "box", file.box_count());
    state.counters["pairs"] = static_cast<double>(pair_count);
}

void register_rows() {
    for (const FileScene& file : file_scenes()) {
        if (file.frames.size() < 2) continue;
        for (const Isa isa : supported_isas()) {
            const std::string name =
                benchmark_name("broadphase/world_recording", file.name, file.box_count(), isa);
            benchmark::RegisterBenchmark(
                name.c_str(), [=, &file](benchmark::State& state) { measure(state, file, name, isa); })
                ->Unit(benchmark::kMicrosecond)
                ->UseManualTime();
        }
    }
}

const Suite suite("world_recordings", &register_rows, {"broadphase/world_recording/.*/widest"});

}  // namespace
}  // namespace broadside::bench
