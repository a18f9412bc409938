// One box, point or vector of Python as numbers, for single queries: without NumPy, whose arrays take longer to make
// than a query takes.
#pragma once

#include "arrays.hpp"

#include <algorithm>
#include <array>

namespace broadside::python {

inline constexpr std::size_t kMaxRow = 6;

/// As many numbers of an array of one axis, a list or a tuple as fit; how many, or -1 for anything out of the ordinary,
/// which is left to the checks in Python. `Number` is double or int64, and holds each of them exactly.
template <class Number>
int row_of(py::handle object, std::array<Number, kMaxRow>& out) {
    const auto is_list = PyList_CheckExact(object.ptr()) != 0;
    if (is_list || PyTuple_CheckExact(object.ptr()) != 0) {
        const auto count = is_list ? PyList_GET_SIZE(object.ptr()) : PyTuple_GET_SIZE(object.ptr());
        if (count > static_cast<py::ssize_t>(kMaxRow)) return -1;
        for (py::ssize_t i = 0; i < count; ++i) {
            PyObject* const item =
                is_list ? PyList_GET_ITEM(object.ptr(), i) : PyTuple_GET_ITEM(object.ptr(), i);
            if (PyFloat_CheckExact(item) != 0 && std::is_same_v<Number, double>) {
                out[static_cast<std::size_t>(i)] = static_cast<Number>(PyFloat_AS_DOUBLE(item));
            } else if (PyLong_CheckExact(item) != 0) {
                int is_beyond = 0;
                const long long whole = PyLong_AsLongLongAndOverflow(item, &is_beyond);
                constexpr long long kWholeDoubles = 1LL << 53;
                const bool is_exact =
                    !std::is_same_v<Number, double> || (whole >= -kWholeDoubles && whole <= kWholeDoubles);
                if (is_beyond != 0 || !is_exact) return -1;
                out[static_cast<std::size_t>(i)] = static_cast<Number>(whole);
            } else {
                return -1;
            }
        }
        return static_cast<int>(count);
    }
    const auto& api = py::detail::npy_api::get();
    if (Py_TYPE(object.ptr()) != api.PyArray_Type_) return -1;
    const auto* const array = py::detail::array_proxy(object.ptr());
    const auto* const type = py::detail::array_descriptor_proxy(array->descr);
    if (array->nd != 1 || array->dimensions[0] > static_cast<py::ssize_t>(kMaxRow) ||
        type->byteorder == '>' || (array->flags & py::detail::npy_api::NPY_ARRAY_ALIGNED_) == 0)
        return -1;
    const py::ssize_t count = array->dimensions[0];
    const auto read = [&]<class Item>(Item) {
        for (py::ssize_t i = 0; i < count; ++i) {
            const auto* const item =
                static_cast<const char*>(static_cast<const void*>(array->data)) + i * array->strides[0];
            out[static_cast<std::size_t>(i)] = static_cast<Number>(*reinterpret_cast<const Item*>(item));
        }
        return static_cast<int>(count);
    };
    using Api = py::detail::npy_api;
    if (type->kind == 'f' && std::is_same_v<Number, double>) {
        if (type->type_num == Api::NPY_FLOAT_) return read(float{});
        if (type->type_num == Api::NPY_DOUBLE_) return read(double{});
    }
    // Named by C types, because the size is elsewhere in NumPy 2.
    const bool is_long = type->type_num == Api::NPY_LONG_;
    if (type->type_num == Api::NPY_INT_ || (is_long && sizeof(long) == 4)) return read(std::int32_t{});
    if (std::is_same_v<Number, std::int64_t> && (is_long || type->type_num == Api::NPY_LONGLONG_))
        return read(std::int64_t{});
    return -1;
}

/// What a row of numbers for a tree of `Number` is read as.
template <class Number>
using RowNumber = std::conditional_t<std::is_floating_point_v<Number>, double, std::int64_t>;

/// A box asked of boxes of `Number`: its min corner rounded up and its max corner down to that type, which overlaps what
/// it overlaps itself; or, as a world rounds its own, both to nearest. False for what is no such box, and where a box
/// between two numbers would come out inverted.
template <class Number, bool kIsNearest = false>
bool box_row_of(py::handle object, std::size_t axis_count, std::array<Number, kMaxRow>& out) {
    constexpr bool kIsFloat = std::is_floating_point_v<Number>;
    constexpr Number kInfinity = kIsFloat ? std::numeric_limits<Number>::infinity() : Number{};
    std::array<RowNumber<Number>, kMaxRow> row;
    if (row_of(object, row) != static_cast<int>(2 * axis_count)) return false;
    for (std::size_t i = 0; i < 2 * axis_count; ++i) {
        const bool is_min = i < axis_count;
        if constexpr (std::is_same_v<Number, float>) {
            out[i] = kIsNearest ? nearest_float(row[i]) : static_cast<float>(row[i]);
            if (!kIsNearest && is_min && out[i] < row[i]) out[i] = std::nextafter(out[i], kInfinity);
            if (!kIsNearest && !is_min && out[i] > row[i]) out[i] = std::nextafter(out[i], -kInfinity);
        } else {
            if constexpr (std::is_same_v<Number, std::int32_t>) {
                if (row[i] < std::numeric_limits<Number>::min() ||
                    row[i] > std::numeric_limits<Number>::max())
                    return false;
            }
            out[i] = static_cast<Number>(row[i]);
        }
        if (is_min) continue;
        const Number min = out[i - axis_count];
        if (!(min <= out[i]) || !(row[i - axis_count] <= row[i])) return false;
        if (kIsFloat && (min == kInfinity || out[i] == -kInfinity)) return false;
    }
    return true;
}
inline Aabb box_of(const std::array<float, kMaxRow>& row, std::size_t axis_count) {
    const bool has_z = axis_count == 3;
    return {{row[0], row[1], has_z ? row[2] : 0.0f},
            {row[axis_count], row[axis_count + 1], has_z ? row[axis_count + 2] : 0.0f}};
}

/// A box for a mesh, rounded to nearest; false also for one that reaches to the ends of the floats.
inline bool solid_box_of(py::handle object, Aabb& out) {
    std::array<float, kMaxRow> row;
    if (!box_row_of<float, true>(object, 3, row)) return false;
    for (const float number : row) {
        if (!(std::abs(number) < std::numeric_limits<float>::max())) return false;
    }
    out = box_of(row, 3);
    return true;
}

/// A whole number that is not negative, of Python or NumPy; false for anything else.
inline bool whole_of(py::handle object, std::uint64_t& out) {
    if (PyBool_Check(object.ptr()) != 0 || PyIndex_Check(object.ptr()) == 0) return false;
    const auto whole = py::reinterpret_steal<py::object>(PyNumber_Index(object.ptr()));
    if (whole) out = PyLong_AsUnsignedLongLong(whole.ptr());
    if (PyErr_Occurred() == nullptr) return true;
    PyErr_Clear();
    return false;
}

/// A point or vector of finite floats, z being 0 where there is none.
inline bool vector_of(py::handle object, std::size_t axis_count, Vec3& out) {
    std::array<double, kMaxRow> row = {};
    if (row_of(object, row) != static_cast<int>(axis_count)) return false;
    out = {static_cast<float>(row[0]), static_cast<float>(row[1]),
           axis_count == 3 ? static_cast<float>(row[2]) : 0.0f};
    return is_finite(out);
}

/// The same of finite doubles.
inline bool point_of(py::handle object, std::size_t axis_count, std::array<double, 3>& out) {
    std::array<double, kMaxRow> row = {};
    if (row_of(object, row) != static_cast<int>(axis_count)) return false;
    out = {row[0], row[1], axis_count == 3 ? row[2] : 0.0};
    return std::isfinite(out[0]) && std::isfinite(out[1]) && std::isfinite(out[2]);
}

/// The most that a single query finds with the GIL; with more it runs as many do, without.
inline constexpr std::size_t kFew = 512;

/// The results of a single query, ascending.
template <class Item>
class Few {
public:
    /// False when there is no more room.
    bool put(Item item) {
        if (count_ == kFew) return false;
        items_[count_++] = item;
        return true;
    }
    template <class Less = std::less<>>
    py::array array(Less less = {}) {
        std::sort(items_, items_ + count_, less);
        auto [array, out] = new_array<Item>(count_);
        std::copy_n(items_, count_, out);
        return std::move(array);
    }

private:
    std::size_t count_ = 0;
    Item items_[kFew];
};

}  // namespace broadside::python
