// NumPy arrays as the library takes them and gives them. What is wrong with an argument is found in Python, where
// it has a name; here a wrong one is a mistake of the package.
#pragma once

#include <broadside/broadside.hpp>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace broadside::python {

namespace py = pybind11;

/// Raises what Python knows for it: MemoryError, ValueError or RuntimeError.
inline void check(Status status) {
    if (status == Status::ok) return;
    if (status == Status::out_of_memory) throw std::bad_alloc();
    if (status == Status::unsupported_isa) throw std::runtime_error(isa_error());
    throw std::invalid_argument(status_name(status));
}

/// An array that owns `list`, whose `data` it shows as rows of `columns` items.
template <class Item, class List>
py::array shown(std::unique_ptr<List> list, const Item* data, std::size_t row_count, std::size_t columns) {
    List* const owned = list.release();
    const py::capsule owner(owned, [](void* memory) { delete static_cast<List*>(memory); });
    std::vector<py::ssize_t> shape = {static_cast<py::ssize_t>(row_count)};
    if (columns != 1) shape.push_back(static_cast<py::ssize_t>(columns));
    return py::array_t<Item>(shape, data, owner);
}

inline py::array shown(std::unique_ptr<PairBuffer> pairs) {
    static_assert(sizeof(IndexPair) == 2 * sizeof(std::uint32_t));
    const auto* const data = reinterpret_cast<const std::uint32_t*>(pairs->data());
    const std::size_t count = pairs->size();
    return shown<std::uint32_t>(std::move(pairs), data, count, 2);
}

template <class Item>
py::array shown(std::vector<Item> items) {
    auto list = std::make_unique<std::vector<Item>>(std::move(items));
    const Item* const data = list->data();
    const std::size_t count = list->size();
    return shown<Item>(std::move(list), data, count, 1);
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
/// reads, and the library reads some numbers more than once and relies on them. To be asked with the GIL; where there
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

/// Boxes of float32 as columns: in place where they are columns of three axes and nobody can write to them, else
/// copied, z being 0 where there is none.
class FloatBoxes {
public:
    FloatBoxes(const py::array& min, const py::array& max) {
        const ExactBoxView<float> boxes = boxes_of<float>(min, max);
        if (boxes.axis_count == 3 && boxes.stride == 1 && !has_other_threads()) {
            view_ = {boxes.min_x, boxes.min_y, boxes.min_z, boxes.max_x,
                     boxes.max_y, boxes.max_z, boxes.count};
            return;
        }
        check(copies_.resize(boxes.count));
        for (std::size_t i = 0; i < boxes.count; ++i) {
            const std::size_t at = i * boxes.stride;
            const bool has_z = boxes.axis_count == 3;
            copies_.set(i, {{boxes.min_x[at], boxes.min_y[at], has_z ? boxes.min_z[at] : 0.0f},
                            {boxes.max_x[at], boxes.max_y[at], has_z ? boxes.max_z[at] : 0.0f}});
        }
        view_ = copies_.view();
    }
    const BoxSoaView& view() const noexcept { return view_; }

private:
    BoxSoa copies_;
    BoxSoaView view_;
};

/// (n, 3) or (n, 2) floats in rows, one behind the other.
inline std::vector<Vec3> vectors_of(const py::array_t<float>& rows) {
    std::vector<Vec3> vectors(static_cast<std::size_t>(rows.shape(0)));
    const auto at = rows.unchecked<2>();
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        const auto row = static_cast<py::ssize_t>(i);
        vectors[i] = {at(row, 0), at(row, 1), at.shape(1) == 3 ? at(row, 2) : 0.0f};
    }
    return vectors;
}
inline std::vector<Ray> rays_of(const py::array_t<float>& origins, const py::array_t<float>& directions,
                                const py::array_t<float>& reaches) {
    const std::vector<Vec3> from = vectors_of(origins);
    const std::vector<Vec3> along = vectors_of(directions);
    std::vector<Ray> rays(from.size());
    const auto reach = reaches.unchecked<1>();
    for (std::size_t i = 0; i < rays.size(); ++i)
        rays[i] = {from[i], along[i], reach(static_cast<py::ssize_t>(i))};
    return rays;
}
/// The pairs of an (n, 2) array of uint32. A copy: what the library has checked must not change before it is used, as
/// the caller's array may.
inline std::vector<IndexPair> pairs_of(const py::array_t<std::uint32_t, py::array::c_style>& pairs) {
    const auto* const first = reinterpret_cast<const IndexPair*>(pairs.data());
    return {first, first + pairs.shape(0)};
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

}  // namespace broadside::python
