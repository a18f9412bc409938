// NumPy arrays as the library takes them and gives them. Python checks arguments, where they have
// names; here a wrong one is a mistake of the package.
#pragma once

#include <broadside/broadside.hpp>
#include <broadside/config_string.hpp>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace broadside::python {

namespace py = pybind11;

/// A limit of the caller's, such as max_objects, which Python knows as MemoryError.
struct CapacityExceeded : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Raises what Python knows for it: MemoryError, ValueError or RuntimeError.
inline void check(Status status) {
    if (status == Status::ok) return;
    if (status == Status::capacity_exceeded) throw CapacityExceeded(status_name(status));
    if (status == Status::out_of_memory) throw std::bad_alloc();
    if (status == Status::unsupported_isa) throw std::runtime_error(isa_error());
    throw std::invalid_argument(status_name(status));
}

/// A wrong row is named in an IndexError; without one the status says enough.
inline void check_batch(const BatchResult& result) {
    if (result.status == Status::invalid_argument && result.bad_index != kNoIndex)
        throw py::index_error(std::to_string(result.bad_index));
    check(result.status);
}

/// An array of rows of `width` numbers, or of numbers where that is 0; and its memory.
template <class Item>
std::pair<py::array_t<Item>, Item*> new_array(std::size_t count, std::size_t width = 0) {
    // By NumPy's own function: the constructor of pybind11 takes longer.
    const auto& api = py::detail::npy_api::get();
    const py::ssize_t shape[] = {static_cast<py::ssize_t>(count), static_cast<py::ssize_t>(width)};
    auto array = py::reinterpret_steal<py::array_t<Item>>(
        api.PyArray_NewFromDescr_(api.PyArray_Type_, py::dtype::of<Item>().release().ptr(),
                                  width == 0 ? 1 : 2, shape, nullptr, nullptr, 0, nullptr));
    if (!array) throw py::error_already_set();
    Item* const memory = array.mutable_data();
    return {std::move(array), memory};
}

/// Lets other threads run while more items are worked on than are done in the time that this takes.
class Release {
public:
    explicit Release(std::size_t count) {
        if (count > 4096) release_.emplace();
    }

private:
    std::optional<py::gil_scoped_release> release_;
};

/// An array of each type, of the tuples that `row` makes of the items.
template <class... Item, class List, class Row>
py::tuple columns_of(const List& items, Row&& row) {
    const std::size_t count = items.size();
    std::tuple<std::pair<py::array_t<Item>, Item*>...> columns = {new_array<Item>(count)...};
    std::apply(
        [&](auto&... column) {
            const Release release(count);
            for (std::size_t i = 0; i < count; ++i) std::tie(column.second[i]...) = row(items[i]);
        },
        columns);
    return std::apply([](auto&... column) { return py::make_tuple(std::move(column.first)...); }, columns);
}
/// An array of rows of two, of the pairs that `row` makes of the items.
template <class Item, class List, class Row>
py::array pairs_array(const List& items, Row&& row) {
    auto [array, out] = new_array<Item>(items.size(), 2);
    const Release release(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) std::tie(out[2 * i], out[2 * i + 1]) = row(items[i]);
    return std::move(array);
}
inline py::array pairs_array(const PairBuffer& pairs) {
    return pairs_array<std::int64_t>(pairs, [](IndexPair pair) {
        return std::tuple(std::int64_t{pair.first}, std::int64_t{pair.second});
    });
}

/// An index where there is one, else -1.
inline std::int64_t index_or_none(std::uint32_t index) { return index == kNoBox ? -1 : std::int64_t{index}; }
/// A t where there is one, else infinity.
inline float t_or_infinity(float t) {
    return t == kNoIntersection ? std::numeric_limits<float>::infinity() : t;
}

/// The boxes of two arrays, of (n, 3) or (n, 2) min corners and as many max corners, as the library reads them in
/// place. Both have one type and one step from row to row, a whole number of numbers.
template <class Number>
ExactBoxView<Number> boxes_of(const py::array& min, const py::array& max) {
    ExactBoxView<Number> view;
    view.count = static_cast<std::size_t>(min.shape(0));
    view.axis_count = static_cast<std::uint32_t>(min.shape(1));
    const auto side = [](const py::array& corners, py::ssize_t axis) {
        const auto* const bytes = static_cast<const std::byte*>(corners.data());
        return reinterpret_cast<const Number*>(bytes + axis * corners.strides(1));
    };
    view.min_x = side(min, 0);
    view.min_y = side(min, 1);
    view.max_x = side(max, 0);
    view.max_y = side(max, 1);
    if (view.axis_count == 3) {
        view.min_z = side(min, 2);
        view.max_z = side(max, 2);
    }
    view.stride = view.count < 2 ? 1 : static_cast<std::size_t>(min.strides(0)) / sizeof(Number);
    return view;
}

/// Calls `call` with a value of the arrays' number type.
template <class Call>
decltype(auto) with_number(const py::array& array, Call&& call) {
    if (py::isinstance<py::array_t<float>>(array)) return call(float{});
    if (py::isinstance<py::array_t<double>>(array)) return call(double{});
    if (py::isinstance<py::array_t<std::int32_t>>(array)) return call(std::int32_t{});
    if (py::isinstance<py::array_t<std::int64_t>>(array)) return call(std::int64_t{});
    throw py::type_error("neither float32, float64, int32 nor int64");
}

/// Whether Python code may run while the calling thread waits without the GIL: it may then write to arrays that a call
/// reads, and the library reads some numbers more than once and relies on them. Call it with the GIL; where there
/// is no other thread now, none begins before it is given back.
inline bool has_other_threads() {
    return PyThreadState_Next(PyInterpreterState_ThreadHead(PyInterpreterState_Get())) != nullptr;
}

/// Boxes for as long as a call: in place, or, where others may write to them, a copy in the same order, columns or rows.
template <class Number>
class CallBoxes {
public:
    CallBoxes(const py::array& min, const py::array& max) : view_(boxes_of<Number>(min, max)) {
        if (!has_other_threads()) return;
        const ExactBoxView<Number> given = view_;
        const std::size_t count = given.count;
        const bool are_columns = given.stride == 1;
        numbers_.resize(2 * given.axis_count * count);
        view_.stride = are_columns ? 1 : std::size_t{2} * given.axis_count;
        Number* next = numbers_.data();
        for (const auto side :
             {&ExactBoxView<Number>::min_x, &ExactBoxView<Number>::min_y, &ExactBoxView<Number>::min_z,
              &ExactBoxView<Number>::max_x, &ExactBoxView<Number>::max_y, &ExactBoxView<Number>::max_z}) {
            if (given.*side == nullptr) continue;
            for (std::size_t i = 0; i < count; ++i) next[i * view_.stride] = (given.*side)[i * given.stride];
            view_.*side = next;
            next += are_columns ? count : 1;
        }
    }
    CallBoxes(const CallBoxes&) = delete;
    CallBoxes& operator=(const CallBoxes&) = delete;
    const ExactBoxView<Number>& view() const noexcept { return view_; }

private:
    std::vector<Number> numbers_;
    ExactBoxView<Number> view_;
};

/// The nearest float; what is finite stays finite.
template <class Number>
float nearest_float(Number number) {
    constexpr auto kMax = std::numeric_limits<float>::max();
    if constexpr (std::is_same_v<Number, double>) {
        if (std::isfinite(number))
            return static_cast<float>(std::min(std::max(number, -double{kMax}), double{kMax}));
    }
    return static_cast<float>(number);
}

/// Boxes as columns of float32: in place where they are that, of three axes, and nobody can write to them; else copied,
/// z being 0 where there is none, and other numbers rounded to nearest, which keeps their order. Made without the GIL.
class FloatBoxes {
public:
    template <class Number>
    FloatBoxes(const ExactBoxView<Number>& boxes, bool is_shared) {
        if constexpr (std::is_same_v<Number, float>) {
            if (boxes.axis_count == 3 && boxes.stride == 1 && !is_shared) {
                view_ = {boxes.min_x, boxes.min_y, boxes.min_z, boxes.max_x,
                         boxes.max_y, boxes.max_z, boxes.count};
                return;
            }
        }
        check(copies_.resize(boxes.count));
        for (std::size_t i = 0; i < boxes.count; ++i) {
            const auto corner = [&](const Number* x, const Number* y, const Number* z) {
                const std::size_t at = i * boxes.stride;
                return Vec3{nearest_float(x[at]), nearest_float(y[at]),
                            boxes.axis_count == 3 ? nearest_float(z[at]) : 0.0f};
            };
            copies_.set(i, {corner(boxes.min_x, boxes.min_y, boxes.min_z),
                            corner(boxes.max_x, boxes.max_y, boxes.max_z)});
        }
        view_ = copies_.view();
    }
    const BoxSoaView& view() const noexcept { return view_; }
    std::vector<Aabb> rows() const {
        std::vector<Aabb> rows(view_.count);
        for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = view_[i];
        return rows;
    }

private:
    BoxSoa copies_;
    BoxSoaView view_;
};
/// Calls `call` with the boxes of two arrays as FloatBoxes, without the GIL.
template <class Call>
decltype(auto) with_float_boxes(const py::array& min, const py::array& max, Call&& call) {
    const bool is_shared = has_other_threads();
    return with_number(min, [&](auto number) {
        const auto boxes = boxes_of<decltype(number)>(min, max);
        const py::gil_scoped_release without_gil;
        return call(FloatBoxes(boxes, is_shared));
    });
}

/// The first row that is no box, -1 without one: min above max, NaN, or all of it at infinity.
template <class Number>
std::int64_t first_invalid_row(const ExactBoxView<Number>& boxes) {
    constexpr bool kIsFloat = std::is_floating_point_v<Number>;
    const auto is_interval = [](Number min, Number max) {
        constexpr Number kInfinity = kIsFloat ? std::numeric_limits<Number>::infinity() : Number{};
        return min <= max && (!kIsFloat || (min != kInfinity && max != -kInfinity));
    };
    for (std::size_t i = 0; i < boxes.count; ++i) {
        const std::size_t at = i * boxes.stride;
        if (!is_interval(boxes.min_x[at], boxes.max_x[at]) ||
            !is_interval(boxes.min_y[at], boxes.max_y[at]) ||
            (boxes.axis_count == 3 && !is_interval(boxes.min_z[at], boxes.max_z[at])))
            return static_cast<std::int64_t>(i);
    }
    return -1;
}

/// Rows of floats, one behind the other.
using FloatRows = py::array_t<float, py::array::c_style>;
/// The items that rows of so many floats are. A copy: what the library has checked must not change before it is used, as
/// the caller's array may.
template <class Item, class Number>
std::vector<Item> items_of(const py::array_t<Number, py::array::c_style>& rows) {
    static_assert(std::is_trivially_copyable_v<Item> && sizeof(Item) % sizeof(Number) == 0);
    std::vector<Item> items(static_cast<std::size_t>(rows.shape(0)));
    if (!items.empty()) std::memcpy(items.data(), rows.data(), items.size() * sizeof(Item));
    return items;
}
/// Calls `call` with the items of the type of that number.
template <class... Item, class Call>
auto with_items(int number, const FloatRows& rows, Call&& call) {
    using Result = std::common_type_t<std::invoke_result_t<Call, const std::vector<Item>&>...>;
    std::optional<Result> result;
    int next = 0;
    const auto call_if = [&]<class One>(One*) {
        if (next++ == number) result = call(items_of<One>(rows));
    };
    (call_if(static_cast<Item*>(nullptr)), ...);
    if (!result) throw py::type_error("no such kind of row");
    return *result;
}
/// The first `count` bits as bool.
inline py::array bools_of(const std::vector<std::uint64_t>& bits, std::size_t count) {
    py::array_t<bool> bools(static_cast<py::ssize_t>(count));
    bool* const out = bools.mutable_data();
    for (std::size_t i = 0; i < count; ++i) out[i] = (bits[i / 64] >> (i % 64) & 1) != 0;
    return bools;
}

void bind_pairs(py::module_& module);
void bind_tree(py::module_& module);
void bind_world(py::module_& module);
void bind_kernels(py::module_& module);
void bind_mesh(py::module_& module);
void bind_scene(py::module_& module);
void bind_movers(py::module_& module);
void bind_stage(py::module_& module);

}  // namespace broadside::python
