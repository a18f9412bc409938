// find_pairs, with memory that is kept from call to call.
#include "row.hpp"
#include "runner.hpp"

#include <mutex>
#include <optional>

namespace broadside::python {
namespace {

// Scratches that no call is using. As many calls as there are threads may run at once.
class ScratchPool {
public:
    std::unique_ptr<BoxScratch> take() {
        const std::lock_guard lock(mutex_);
        if (free_.empty()) return std::make_unique<BoxScratch>();
        auto scratch = std::move(free_.back());
        free_.pop_back();
        return scratch;
    }
    void put(std::unique_ptr<BoxScratch> scratch) {
        const std::lock_guard lock(mutex_);
        free_.push_back(std::move(scratch));
    }
    void release() {
        const std::lock_guard lock(mutex_);
        free_.clear();
    }

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<BoxScratch>> free_;
};
ScratchPool& scratch_pool() {
    static ScratchPool& pool = *new ScratchPool;  // Threads may still run when statics are destroyed.
    return pool;
}

template <class Number>
FindPairsResult search(const ExactBoxView<Number>& a, const ExactBoxView<Number>* b,
                       const FindPairsSettings& settings, BoxScratch& scratch, PairBuffer& out_pairs) {
    if constexpr (std::is_same_v<Number, float>) {
        const auto is_plain = [](const ExactBoxView<float>& boxes) {
            return boxes.axis_count == 3 && boxes.stride == 1;
        };
        const auto plain = [](const ExactBoxView<float>& boxes) {
            return BoxSoaView{boxes.min_x, boxes.min_y, boxes.min_z, boxes.max_x,
                              boxes.max_y, boxes.max_z, boxes.count};
        };
        if (is_plain(a) && (b == nullptr || is_plain(*b))) {
            if (b == nullptr) return find_pairs(plain(a), settings, scratch, out_pairs);
            return find_pairs(plain(a), plain(*b), settings, scratch, out_pairs);
        }
    }
    if (b == nullptr) return find_pairs(a, settings, scratch, out_pairs);
    return find_pairs(a, *b, settings, scratch, out_pairs);
}

/// A BoxFilter's arrays for as long as a call. The fields of broadside/_pairs.py: categories, masks, groups, the subset
/// as words of bits, ids and how many a box has; None leaves one out.
class FilterArrays {
public:
    explicit FilterArrays(const py::object& fields) {
        if (fields.is_none()) return;
        const auto of = py::cast<py::tuple>(fields);
        read(of[0], categories_);
        read(of[1], masks_);
        read(of[2], groups_);
        read(of[3], subset_bits_);
        read(of[4], ids_);
        filter_ = {.categories = categories_,
                   .masks = masks_,
                   .groups = groups_,
                   .subset_bits = subset_bits_,
                   .ids = ids_,
                   .ids_per_box = py::cast<std::uint32_t>(of[5])};
    }
    FilterArrays(const FilterArrays&) = delete;
    FilterArrays& operator=(const FilterArrays&) = delete;
    const BoxFilter& filter() const noexcept { return filter_; }

private:
    template <class Number>
    static void read(const py::handle& array, std::vector<Number>& out) {
        if (!array.is_none())
            out = items_of<Number>(py::cast<py::array_t<Number, py::array::c_style>>(array));
    }

    std::vector<std::uint64_t> categories_, masks_, subset_bits_;
    std::vector<std::uint32_t> groups_, ids_;
    BoxFilter filter_;
};

std::int64_t row_or_none(const InvalidBoxes& invalid) {
    return invalid.count == 0 ? -1 : static_cast<std::int64_t>(invalid.first_index);
}

py::tuple find(const py::array& a_min, const py::array& a_max, const py::object& b_min,
               const py::object& b_max, const py::object& filter_a, const py::object& filter_b,
               std::uint32_t workers, bool is_sorted, int algorithm) {
    const bool has_b = !b_min.is_none();
    FindPairsSettings settings;
    settings.order = is_sorted ? PairOrder::canonical : PairOrder::by_algorithm;
    settings.algorithm = static_cast<PairAlgorithm>(algorithm);
    const CallRunner runner(workers);
    settings.runner = runner.get();
    const FilterArrays filter(filter_a), filter_of_b(filter_b);
    settings.filter = filter.filter();
    settings.filter_b = filter_of_b.filter();
    PairBuffer pairs;
    auto scratch = scratch_pool().take();
    const FindPairsResult result = with_number(a_min, [&](auto number) {
        using Number = decltype(number);
        const CallBoxes<Number> a(a_min, a_max);
        std::optional<CallBoxes<Number>> b;
        if (has_b) b.emplace(py::cast<py::array>(b_min), py::cast<py::array>(b_max));
        const py::gil_scoped_release without_gil;
        return search(a.view(), has_b ? &b->view() : nullptr, settings, *scratch, pairs);
    });
    scratch_pool().put(std::move(scratch));
    check(result.status);
    return py::make_tuple(pairs_array(pairs), row_or_none(result.invalid), row_or_none(result.invalid_b));
}

/// The pairs of one box, or of two boxes, compared as doubles or whole numbers; None for anything out of
/// the ordinary.
py::object find_one(py::handle a, py::handle b) {
    const auto pairs_of = [&]<class Number>(Number, std::size_t axis_count) {
        std::array<Number, kMaxRow> one, other;
        if (!box_row_of(a, axis_count, one) || !box_row_of(b.is_none() ? a : b, axis_count, other)) return -1;
        int count = b.is_none() ? 0 : 1;
        for (std::size_t axis = 0; axis < axis_count; ++axis) {
            if (!(one[axis] <= other[axis_count + axis]) || !(other[axis] <= one[axis_count + axis]))
                count = 0;
        }
        return count;
    };
    for (const std::size_t axis_count : {std::size_t{3}, std::size_t{2}}) {
        int count = pairs_of(double{}, axis_count);
        if (count < 0) count = pairs_of(std::int64_t{}, axis_count);
        if (count >= 0)
            return pairs_array<std::int64_t>(std::vector<int>(static_cast<std::size_t>(count)),
                                             [](int) { return std::pair(0, 0); });
    }
    return py::none();
}

}  // namespace

void bind_pairs(py::module_& module) {
    module.def("find_pairs", &find);
    module.def("find_pairs_of_one", &find_one);
    module.def("release_memory", [] { scratch_pool().release(); });
}

}  // namespace broadside::python
