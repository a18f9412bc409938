// Disguises recordings, and checks that the pairs are the same.
#include "extras/recording/anonymise.hpp"

#include "extras/recording/recording_boxes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>
#include <unordered_map>

namespace broadside::recording {
namespace {

using scene_io::BoxRecord;
using scene_io::Error;
using IdMap = std::unordered_map<std::uint32_t, std::uint32_t>;

IdMap new_ids(const scene_io::Recording& recording, const Disguise& disguise) {
    const std::vector<std::uint32_t> ids = ids_of(recording);
    std::vector<std::uint32_t> numbers(ids.size());
    std::iota(numbers.begin(), numbers.end(), 0u);
    if (disguise.shuffles_ids) {
        std::mt19937_64 random(disguise.seed);
        std::shuffle(numbers.begin(), numbers.end(), random);
    }
    IdMap map;
    for (std::size_t i = 0; i < ids.size(); ++i) map.emplace(ids[i], numbers[i]);
    return map;
}

// Nothing if a coordinate would lose a digit or leave the range of float.
std::optional<Aabb> disguised(const Aabb& box, const Disguise& disguise) {
    const std::array<float, 3> old_min = {box.min.x, box.min.y, box.min.z};
    const std::array<float, 3> old_max = {box.max.x, box.max.y, box.max.z};
    const std::array<float, 3> shift = {disguise.shift.x, disguise.shift.y, disguise.shift.z};
    std::array<float, 3> min{};
    std::array<float, 3> max{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        float low = old_min[disguise.axes[axis]];
        float high = old_max[disguise.axes[axis]];
        if (disguise.is_mirrored[axis]) low = -std::exchange(high, -low);
        for (const float value : {low, high}) {
            const float scaled = std::ldexp(value, disguise.scale_exponent);
            if (!is_finite(scaled) || std::ldexp(scaled, -disguise.scale_exponent) != value)
                return std::nullopt;
        }
        min[axis] = std::ldexp(low, disguise.scale_exponent) + shift[axis];
        max[axis] = std::ldexp(high, disguise.scale_exponent) + shift[axis];
        if (!is_finite(min[axis]) || !is_finite(max[axis])) return std::nullopt;
    }
    return Aabb{{min[0], min[1], min[2]}, {max[0], max[1], max[2]}};
}

using IdPairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

template <class NewId>
IdPairs id_pairs(const std::vector<BoxRecord>& frame, NewId new_id) {
    IdPairs pairs;
    for (const IndexPair& pair : pairs_of(frame)) {
        const std::uint32_t a = new_id(frame[pair.first].id);
        const std::uint32_t b = new_id(frame[pair.second].id);
        pairs.emplace_back(std::min(a, b), std::max(a, b));
    }
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

// The number of pairs that only one of the frames has.
std::size_t changed_pair_count(const std::vector<BoxRecord>& frame, const std::vector<BoxRecord>& new_frame,
                               const IdMap& map) {
    const IdPairs before = id_pairs(frame, [&](std::uint32_t id) { return map.at(id); });
    const IdPairs after = id_pairs(new_frame, [](std::uint32_t id) { return id; });
    IdPairs changed;
    std::set_symmetric_difference(before.begin(), before.end(), after.begin(), after.end(),
                                  std::back_inserter(changed));
    return changed.size();
}

Error error_in_frame(std::size_t frame_index, const std::string& text) {
    return {"frame " + std::to_string(frame_index) + ": " + text};
}

}  // namespace

Disguise random_disguise(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Disguise disguise;
    std::shuffle(disguise.axes.begin(), disguise.axes.end(), random);
    for (bool& is_mirrored : disguise.is_mirrored) is_mirrored = random() % 2 != 0;
    disguise.scale_exponent = static_cast<int>(random() % 7) - 3;
    disguise.seed = random();
    return disguise;
}

scene_io::Result<scene_io::Recording> anonymise(const scene_io::Recording& recording,
                                                const Disguise& disguise) {
    const IdMap map = new_ids(recording, disguise);
    scene_io::Recording answer;
    for (std::size_t index = 0; index < recording.frames.size(); ++index) {
        std::vector<BoxRecord>& frame = answer.frames.emplace_back();
        for (const BoxRecord& record : recording.frames[index]) {
            const std::optional<Aabb> box = disguised(record.box, disguise);
            if (!box) {
                return error_in_frame(index, "the box of id " + std::to_string(record.id) +
                                                 " does not fit into float after scale and shift");
            }
            frame.push_back({map.at(record.id), record.kind, *box});
        }
        std::sort(frame.begin(), frame.end(),
                  [](const BoxRecord& a, const BoxRecord& b) { return a.id < b.id; });
        const std::size_t changed_count = changed_pair_count(recording.frames[index], frame, map);
        if (changed_count != 0) {
            return error_in_frame(
                index, std::to_string(changed_count) + " pairs changed; take a smaller shift, or none");
        }
    }
    return answer;
}

}  // namespace broadside::recording
