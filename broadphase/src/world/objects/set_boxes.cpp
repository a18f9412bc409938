// Boxes, displacements and margins of many objects at once.
#include "broadphase/src/lists/task_cut.hpp"
#include "broadphase/src/thresholds.hpp"
#include "broadphase/src/world/objects/object_table.hpp"
#include "core/src/round_columns.hpp"
#include "core/src/zones.hpp"

#include <broadside/float_environment.hpp>
#include <broadside/run_tasks.hpp>

#include <algorithm>
#include <type_traits>

namespace broadside::broadphase {
namespace {

// Columns are prefetched this many items ahead if slots go back or jump far, as those of reused slots do;
// some items are tested for all.
constexpr std::size_t kSetAhead = 16;
constexpr std::size_t kSetSamples = 8;
// Most boxes that are converted to columns at once: four words of slots.
constexpr std::size_t kBoxesAtOnce = 256;

// Converts boxes of any form to columns, some at a time.
struct Columns {
    float sides[6][kBoxesAtOnce];

    BoxSoaView view(std::size_t count) const {
        return {sides[0], sides[1], sides[2], sides[3], sides[4], sides[5], count};
    }
};
inline BoxSoaView columns_of(const BoxSoaView& boxes, std::size_t begin, std::size_t count, Columns&) {
    return boxes.part(begin, count);
}
inline BoxSoaView columns_of(const BoxAosView& boxes, std::size_t begin, std::size_t count,
                             Columns& out_columns) {
    for (std::size_t k = 0; k < count; ++k) {
        const Aabb box = boxes[begin + k];
        const float corners[6] = {box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z};
        for (std::size_t side = 0; side < 6; ++side) out_columns.sides[side][k] = corners[side];
    }
    return out_columns.view(count);
}
inline BoxSoaView columns_of(const ExactBoxView<double>& boxes, std::size_t begin, std::size_t count,
                             Columns& out_columns) {
    auto& sides = out_columns.sides;
    float* const columns[6] = {sides[0], sides[1], sides[2], sides[3], sides[4], sides[5]};
    round_columns(boxes, begin, count, columns);
    return out_columns.view(count);
}

// Number of objects from the first on that have consecutive slots, all of one word of bits.
inline std::size_t run_of(const ObjectHandle* handles, std::size_t count) {
    const std::uint32_t first = handles[0].slot();
    const std::size_t most = std::min<std::size_t>(kSlotsPerWord - first % kSlotsPerWord, count);
    std::size_t run = 1;
    while (run < most && handles[run].slot() == first + run) ++run;
    return run;
}

// Whether the slots of items are far from those of the items before, judged by a few of them.
inline bool are_scattered(const ObjectHandle* handles, std::size_t count) {
    if (count < kSetSamples * kSetAhead) return false;
    std::size_t far_count = 0;
    for (std::size_t sample = 0; sample < kSetSamples; ++sample) {
        const ObjectHandle* const item = handles + part_begin(count - kSetAhead, sample, kSetSamples);
        far_count += item[kSetAhead].slot() - item->slot() >= thresholds().set_boxes.far_slots ? 1u : 0u;
    }
    return far_count > kSetSamples / 2;
}

}  // namespace

// `mark(word, bits)` gets the slots of a word that have changed, once or several times for each word.
template <class Mark>
void ObjectTable::replace_boxes(const ObjectHandle* handles, const BoxSoaView& new_boxes,
                                Mark&& mark) noexcept {
    const std::size_t ahead_end = are_scattered(handles, new_boxes.count) ? new_boxes.count - kSetAhead : 0;
    const std::size_t worthwhile_run = thresholds().set_boxes.worthwhile_run;
    for (std::size_t item = 0; item < new_boxes.count;) {
        const std::uint32_t first = handles[item].slot();
        std::size_t run = run_of(handles + item, new_boxes.count - item);
        std::uint64_t bits = 0;
        if (run < worthwhile_run) {
            // With all that follow in the same word, because a word is marked once.
            const std::size_t begin = item;
            std::uint32_t slot = first;
            do {
                if (item < ahead_end) object_boxes.prefetch(handles[item + kSetAhead].slot());
                const bool is_changed = object_boxes.replace_box(slot, new_boxes[item]);
                bits |= std::uint64_t{is_changed ? 1u : 0u} << slot % kSlotsPerWord;
                ++item;
                slot = item < new_boxes.count ? handles[item].slot() : kNoObjectSlot;
            } while (slot / kSlotsPerWord == first / kSlotsPerWord);
            run = item - begin;
            item = begin;
        } else {
            bits = object_boxes.replace_boxes(first, new_boxes.part(item, run));
        }
        mark(first / kSlotsPerWord, bits);
        item += run;
    }
}

template <class Boxes, class Mark>
void ObjectTable::replace_boxes(const ObjectHandle* handles, const Boxes& new_boxes, std::size_t begin,
                                std::size_t count, Mark&& mark) noexcept {
    Columns columns;
    const std::size_t at_once = std::is_same_v<Boxes, BoxSoaView>
                                    ? count
                                    : std::min(thresholds().set_boxes.boxes_at_once, kBoxesAtOnce);
    for (const std::size_t end = begin + count; begin < end; begin += at_once) {
        const std::size_t some = std::min(end - begin, at_once);
        replace_boxes(handles + begin, columns_of(new_boxes, begin, some, columns), mark);
    }
}

Status ObjectTable::set_grown_box(std::uint32_t slot, const Aabb& box, bool is_shared) noexcept {
    const FloatEnvironment environment;
    if (object_boxes.replace_shaped_box(slot, box))
        is_shared ? mark_changed_shared(slot) : mark_changed(slot);
    return Status::ok;
}

template <class Boxes>
std::size_t ObjectTable::set_boxes(std::span<const ObjectHandle> handles, const Boxes& new_boxes,
                                   const TaskRunner* runner) noexcept {
    if (check_in_tasks(handles, runner)) {
        set_in_tasks(handles, new_boxes, runner);
        return kNoIndex;
    }
    const std::size_t dead = find_dead(handles);
    if (dead != kNoIndex) return dead;
    replace_boxes(handles.data(), new_boxes, 0, new_boxes.count,
                  [&](std::size_t word, std::uint64_t bits) { mark_word(word, bits); });
    return kNoIndex;
}
template std::size_t ObjectTable::set_boxes(std::span<const ObjectHandle>, const BoxSoaView&,
                                            const TaskRunner*) noexcept;
template std::size_t ObjectTable::set_boxes(std::span<const ObjectHandle>, const BoxAosView&,
                                            const TaskRunner*) noexcept;
template std::size_t ObjectTable::set_boxes(std::span<const ObjectHandle>, const ExactBoxView<double>&,
                                            const TaskRunner*) noexcept;

bool ObjectTable::set_displacements(std::span<const ObjectHandle> handles,
                                    const Vec3SoaView& displacements) noexcept {
    if (!reserve_shapes()) return false;
    for (std::size_t item = 0; item < handles.size();) {
        const std::size_t run = run_of(handles.data() + item, handles.size() - item);
        const std::uint32_t first = handles[item].slot();
        mark_word(first / kSlotsPerWord,
                  object_boxes.replace_displacements(
                      first, {displacements.x + item, displacements.y + item, displacements.z + item, run}));
        item += run;
    }
    return true;
}

bool ObjectTable::set_margin(std::span<const ObjectHandle> handles, float margin) noexcept {
    if (__builtin_bit_cast(std::uint32_t, margin) != 0 && !reserve_shapes()) return false;
    for (std::size_t item = 0; item < handles.size();) {
        const std::size_t run = run_of(handles.data() + item, handles.size() - item);
        const std::uint32_t first = handles[item].slot();
        mark_word(first / kSlotsPerWord, object_boxes.replace_margin(first, run, margin));
        item += run;
    }
    return true;
}

// Whether tasks can set them: all are alive, and their slots ascend, so that no two tasks share a word.
// Reserves the memory, too.
bool ObjectTable::check_in_tasks(std::span<const ObjectHandle> handles, const TaskRunner* runner) noexcept {
    if (worker_count(runner) < 2 || handles.size() < thresholds().tasks.shared_object_count_min ||
        handles.size() > generations.size()) {
        return false;
    }
    const std::size_t chunk = chunk_for(runner, handles.size(), thresholds().tasks.items_per_task);
    if (!set_parts_.resize((handles.size() + chunk - 1) / chunk)) return false;
    run_chunks(runner, handles.size(), chunk, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("world/check handles task");
        const std::uint32_t* const known = generations.data();
        const std::size_t slot_count = generations.size();
        std::uint32_t bad = 0;
        std::uint64_t next = 0;
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint32_t slot = handles[i].slot();
            const std::uint32_t generation = handles[i].generation();
            const bool is_slot = (slot < slot_count) & (slot >= next);
            bad |= (known[is_slot ? slot : 0] ^ generation) | (~generation & 1) | (is_slot ? 0u : 1u);
            next = std::uint64_t{slot} + 1;
        }
        set_parts_[begin / chunk] = {handles[begin].slot(), handles[end - 1].slot(), bad == 0};
    });
    bool is_good = set_parts_[0].is_good;
    for (std::size_t part = 1; part < set_parts_.size(); ++part) {
        is_good &= set_parts_[part].is_good;
        is_good &= set_parts_[part - 1].last_slot < set_parts_[part].first_slot;
    }
    return is_good;
}

template <class Boxes>
void ObjectTable::set_in_tasks(std::span<const ObjectHandle> handles, const Boxes& new_boxes,
                               const TaskRunner* runner) noexcept {
    // The first item from there on whose word contains no earlier item.
    const auto cut_at = [&](std::size_t item) {
        if (item == 0) return item;
        const std::uint32_t word = handles[item - 1].slot() / kSlotsPerWord;
        while (item < handles.size() && handles[item].slot() / kSlotsPerWord == word) ++item;
        return item;
    };
    const std::size_t chunk = chunk_for(runner, handles.size(), thresholds().tasks.items_per_task);
    run_chunks(runner, handles.size(), chunk, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("world/set boxes task");
        const std::size_t first = cut_at(begin);
        const std::size_t count = cut_at(end) - first;
        replace_boxes(handles.data(), new_boxes, first, count,
                      [&](std::size_t word, std::uint64_t bits) { mark_in_task(word, bits); });
    });
    const std::size_t first_word = handles.front().slot() / kSlotsPerWord;
    const std::size_t end_word = handles.back().slot() / kSlotsPerWord + 1;
    changes.note_marked(first_word, end_word);
    unasked.note_marked(first_word, end_word);
}

}  // namespace broadside::broadphase
