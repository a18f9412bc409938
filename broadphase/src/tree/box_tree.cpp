// BoxTree: builds, refits, and the choice between the two.
#include <broadside/box_tree.hpp>
#include <broadside/float_environment.hpp>

#include "broadphase/src/lists/arena.hpp"
#include "broadphase/src/order/order.hpp"
#include "broadphase/src/tree/queries.hpp"
#include "core/src/zones.hpp"

#include <broadside/bits.hpp>
#include <broadside/run_tasks.hpp>

#include <algorithm>
#include <bit>
#include <new>
#include <type_traits>
#include <utility>

namespace broadside {
namespace broadphase {
namespace {

Status check_isa() {
    return simd::active_kernels<TreeKernels>() == nullptr ? Status::unsupported_isa : Status::ok;
}

}  // namespace

TreeView view_of(const BoxTree& tree) noexcept {
    const TreeData* const data = TreeData::of(tree);
    return data == nullptr ? TreeView{} : data->view();
}

}  // namespace broadphase

using namespace broadphase;

TreeData::TreeData(const Allocator& allocator) noexcept
    : nodes_(allocator),
      build_memory_(allocator),
      rebuilt_boxes_(allocator),
      next_(allocator),
      renewal_memory_(allocator) {}

TreeData* TreeData::made_of(BoxTree& tree) noexcept {
    if (tree.data_ == nullptr) {
        const Allocator& from = tree.allocator_;
        void* const memory = from.allocate(sizeof(TreeData), alignof(TreeData), from.user);
        if (memory != nullptr) tree.data_ = new (memory) TreeData(from);
    }
    return tree.data_;
}
void TreeData::destroy(BoxTree& tree) noexcept {
    TreeData* const data = std::exchange(tree.data_, nullptr);
    if (data == nullptr) return;
    data->~TreeData();
    tree.allocator_.deallocate(data, sizeof(TreeData), alignof(TreeData), tree.allocator_.user);
}

BoxTree::BoxTree(BoxTree&& other) noexcept
    : allocator_(other.allocator_), data_(std::exchange(other.data_, nullptr)) {}
BoxTree& BoxTree::operator=(BoxTree&& other) noexcept {
    BoxTree taken(std::move(other));
    std::swap(allocator_, taken.allocator_);
    std::swap(data_, taken.data_);
    return *this;
}
BoxTree::~BoxTree() { TreeData::destroy(*this); }

void TreeData::clear() noexcept {
    nodes_.shape_ = {};
    upkeep_ = {};
}
void BoxTree::clear() noexcept {
    if (data_ != nullptr) data_->clear();
}

Status BoxTree::build(const BoxSoaView& boxes, const TaskRunner* runner) noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("BoxTree::build");
    if (!check_boxes(boxes) || !check_runner(runner)) return Status::invalid_argument;
    if (data_ == nullptr && boxes.count == 0) return check_isa();
    TreeData* const data = TreeData::made_of(*this);
    if (data == nullptr) return Status::out_of_memory;
    return data->build_members(boxes, boxes.count, nullptr, true, runner);
}

Status BoxTree::build_subset(const BoxSoaView& boxes, std::span<const std::uint64_t> subset_bits,
                             const TaskRunner* runner) noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("BoxTree::build");
    if (!check_boxes(boxes) || !check_runner(runner) || !check_readable(subset_bits) ||
        !BROADSIDE_ARGUMENT(subset_bits.size() == bit_word_count(boxes.count),
                            "subset_bits: not bit_word_count words")) {
        return Status::invalid_argument;
    }
    // Ignores bits past the last box.
    const auto word_at = [&](std::size_t word) {
        const std::size_t rest = boxes.count - word * 64;
        return rest >= 64 ? subset_bits[word] : subset_bits[word] & ((std::uint64_t{1} << rest) - 1);
    };
    std::size_t member_count = 0;
    for (std::size_t word = 0; word < subset_bits.size(); ++word) {
        member_count += static_cast<std::size_t>(std::popcount(word_at(word)));
    }
    if (data_ == nullptr && boxes.count == 0) return check_isa();
    TreeData* const data = TreeData::made_of(*this);
    if (data == nullptr) return Status::out_of_memory;
    return data->build_members(
        boxes, member_count,
        [&](std::uint32_t* out_members) {
            for (std::size_t word = 0; word < subset_bits.size(); ++word) {
                for (std::uint64_t bits = word_at(word); bits != 0; bits &= bits - 1) {
                    *out_members++ = static_cast<std::uint32_t>(word * 64) +
                                     static_cast<std::uint32_t>(std::countr_zero(bits));
                }
            }
        },
        true, runner);
}

template <class List>
Status TreeData::build_members(const BoxSoaView& boxes, std::size_t member_count, const List& list,
                               bool is_sorted, const TaskRunner* runner) noexcept {
    if (const Status status = check_isa(); status != Status::ok) return status;
    if (member_count == 0) {
        clear();
        nodes_.shape_.box_count = boxes.count;
        return Status::ok;
    }
    constexpr bool kIsSubset = !std::is_null_pointer_v<List>;
    BoxRecord* records = nullptr;
    std::uint8_t* levels = nullptr;
    std::uint32_t* listed = nullptr;
    const bool has_memory = reserve_arrays(build_memory_, [&](Arena& arena) {
        records = arena.reserve<BoxRecord>(member_count);
        levels = arena.reserve<std::uint8_t>(member_count);
        if (kIsSubset) listed = arena.reserve<std::uint32_t>(member_count);
    });
    if (!has_memory || nodes_.reserve(boxes.count, member_count) != Status::ok) return Status::out_of_memory;

    if constexpr (kIsSubset) list(listed);
    if (is_sorted) {
        order_boxes(boxes, {listed, member_count}, runner, records, levels);
    } else {
        list_boxes({listed, member_count}, records, levels);
    }
    TreeLayout layout = {};
    for (std::size_t i = 0; i < member_count; ++i) {
        for (std::uint32_t level = 0; level < begun_count(levels[i]); ++level) ++layout.node_counts[level];
    }
    layout.level_count = begun_count(levels[0]);
    nodes_.begin_layout(boxes.count, member_count, layout);
    if (kIsSubset) std::fill_n(nodes_.slots_.data(), boxes.count, kNoSlot);
    for (std::size_t i = 0; i < member_count; ++i)
        (void)nodes_.lay_out(records[i].index(), levels[i], layout);
    nodes_.end_layout(layout);
    nodes_.fill(boxes, runner);
    const std::uint32_t leaf_family_count = layout.level_count > 1 ? layout.node_counts[1] : 1;
    for (std::uint32_t family = 0; family < leaf_family_count; ++family) {
        const auto count = static_cast<std::uint32_t>(std::popcount(nodes_.used_bits_.data()[family]));
        nodes_.note_built(family * kNodeWidth, count);
    }
    nodes_.note_leaf_edge(records[member_count / 2].index());
    nodes_.shape_.is_sorted = is_sorted;
    upkeep_ = {};
    return Status::ok;
}

Status BoxTree::refit(const BoxSoaView& boxes, const TaskRunner* runner) noexcept {
    const FloatEnvironment environment;
    if (!check_readable(boxes) || !check_runner(runner) ||
        !BROADSIDE_ARGUMENT(boxes.count == box_count(), "boxes: not as many as the tree has")) {
        return Status::invalid_argument;
    }
    return data_ == nullptr ? check_isa() : data_->refit(boxes, runner);
}

Status TreeData::refit(const BoxSoaView& boxes, const TaskRunner* runner) noexcept {
    BROADSIDE_ZONE("BoxTree::refit");
    if (const Status status = check_isa(); status != Status::ok) return status;
    if (member_count() == 0) return Status::ok;
    // A finished renewal takes over before the boxes are filled in, so that this is done once.
    take_renewed();
    nodes_.fill(boxes, runner);
    nodes_.measure_growth();
    note_all_changed();
    return Status::ok;
}

Status BoxTree::update(const BoxSoaView& boxes, const TaskRunner* runner) noexcept {
    const FloatEnvironment environment;
    if (boxes.count != box_count() || box_count() == 0) return build(boxes, runner);
    if (!check_readable(boxes) || !check_runner(runner)) return Status::invalid_argument;
    const Status status = data_->refit(boxes, runner);
    return status == Status::ok ? data_->keep_up(boxes, runner) : status;
}

Status TreeData::keep_up(const BoxSoaView& boxes, const TaskRunner* runner) noexcept {
    if (growth() > BoxTree::kMaxGrowth) {
        // Without memory for another tree this one stays, which has the boxes already.
        const Status status = build_again(boxes, runner);
        return status == Status::out_of_memory ? Status::ok : status;
    }
    renew_between_updates();
    return Status::ok;
}

Status TreeData::update_in_steps(const BoxSoaView& boxes, const TaskRunner* runner) noexcept {
    const bool is_other = boxes.count != box_count();
    const Status status =
        is_other ? build_members(boxes, boxes.count, nullptr, false, runner) : refit(boxes, runner);
    if (status != Status::ok) return status;
    if (is_made()) {
        renew_between_updates();
    } else {
        // The unfinished new tree does not know where boxes are now.
        drop_renewal();
    }
    return Status::ok;
}

// Builds with the present members.
Status TreeData::build_again(const BoxSoaView& boxes, const TaskRunner* runner) noexcept {
    if (member_count() == box_count()) return build_members(boxes, boxes.count, nullptr, true, runner);
    return build_members(
        boxes, member_count(),
        [&](std::uint32_t* out_members) {
            const std::uint32_t* const slots = nodes_.slots_.data();
            for (std::uint32_t index = 0; index < box_count(); ++index) {
                if (slots[index] != kNoSlot) *out_members++ = index;
            }
        },
        true, runner);
}

std::size_t BoxTree::box_count() const noexcept { return data_ == nullptr ? 0 : data_->shape().box_count; }
std::size_t BoxTree::member_count() const noexcept {
    return data_ == nullptr ? 0 : data_->shape().member_count;
}
float BoxTree::growth() const noexcept { return data_ == nullptr ? 1.0f : data_->shape().growth; }
Aabb BoxTree::bounds() const noexcept { return view_of(*this).bounds(); }

Aabb BoxTree::box(std::uint32_t box_index) const noexcept {
    if (!BROADSIDE_ARGUMENT(box_index < box_count(), "box_index: at or past box_count()"))
        return Aabb::empty();
    return data_->box(box_index);
}
Aabb TreeData::box(std::uint32_t box_index) const noexcept {
    const std::uint32_t slot = nodes_.slot_of_box(box_index);
    return slot == kNoSlot ? Aabb::empty() : slot_box(view(), slot);
}
std::size_t BoxTree::capacity_bytes() const noexcept {
    return data_ == nullptr ? 0 : data_->capacity_bytes();
}
std::size_t TreeData::capacity_bytes() const noexcept {
    return sizeof *this + nodes_.capacity_bytes() + next_.capacity_bytes() + build_memory_.capacity_bytes() +
           rebuilt_boxes_.capacity_bytes() + renewal_memory_.capacity_bytes();
}

}  // namespace broadside
