// One box, point or vector of Python as numbers, for single queries: without NumPy, whose arrays take longer to make
// than a query takes.
#pragma once

#include "arrays.hpp"

#include <algorithm>
#include <array>
#include <span>

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

/// One corner or both, in one row or, both, as a tuple of two.
template <class Number>
bool corners_of(py::handle object, std::size_t axis_count, std::size_t corner_count,
                std::array<Number, kMaxRow>& out) {
    if (corner_count == 2 && PyTuple_CheckExact(object.ptr()) != 0 && PyTuple_GET_SIZE(object.ptr()) == 2) {
        std::array<Number, kMaxRow> max;
        const auto count = static_cast<int>(axis_count);
        if (row_of(PyTuple_GET_ITEM(object.ptr(), 0), out) != count ||
            row_of(PyTuple_GET_ITEM(object.ptr(), 1), max) != count)
            return false;
        std::copy_n(max.begin(), axis_count, out.begin() + axis_count);
        return true;
    }
    return row_of(object, out) == static_cast<int>(corner_count * axis_count);
}

/// What a row of numbers for a tree of `Number` is read as.
template <class Number>
using RowNumber = std::conditional_t<std::is_floating_point_v<Number>, double, std::int64_t>;

/// A box as a query of boxes of `Number`: its min corner rounded up and its max corner down to that type, which overlaps what
/// it overlaps itself; or, as a world rounds its own, both to nearest. One corner is a point. False for what is no such box, and where a box
/// between two numbers would come out inverted.
template <class Number, bool kIsNearest = false>
bool box_row_of(py::handle object, std::size_t axis_count, std::array<Number, kMaxRow>& out,
                std::size_t corner_count = 2) {
    constexpr bool kIsFloat = std::is_floating_point_v<Number>;
    constexpr Number kInfinity = kIsFloat ? std::numeric_limits<Number>::infinity() : Number{};
    std::array<RowNumber<Number>, kMaxRow> row;
    if (!corners_of(object, axis_count, corner_count, row)) return false;
    if (corner_count == 1) std::copy_n(row.begin(), axis_count, row.begin() + axis_count);
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

/// A float or int of Python that is no NaN and not negative; false for anything else. What is beyond the floats is infinite.
inline bool reach_of(py::handle object, double& out) {
    if (PyFloat_Check(object.ptr()) != 0) {
        out = PyFloat_AS_DOUBLE(object.ptr());
    } else if (PyLong_CheckExact(object.ptr()) != 0) {
        out = PyLong_AsDouble(object.ptr());
        if (out == -1.0) PyErr_Clear();
    } else {
        return false;
    }
    return out >= 0.0;
}
inline float float_of(double reach) {
    constexpr double kMax = std::numeric_limits<float>::max();
    return reach > kMax ? std::numeric_limits<float>::infinity() : static_cast<float>(reach);
}
/// A ray of finite floats that reaches so far.
inline bool ray_of(py::handle origin, py::handle direction, py::handle reach, std::size_t axis_count,
                   Ray& out) {
    double t_max = 0;
    if (!reach_of(reach, t_max) || !vector_of(origin, axis_count, out.origin) ||
        !vector_of(direction, axis_count, out.direction))
        return false;
    out.t_max = float_of(t_max);
    return true;
}

/// The most that a single query finds with the GIL; with more it runs as many do, without.
inline constexpr std::size_t kFew = 512;

/// Whether it may be a row of numbers; else it may be one of the classes of broadside/_queries.py.
inline bool is_row(py::handle object) {
    return PyList_CheckExact(object.ptr()) != 0 || PyTuple_CheckExact(object.ptr()) != 0 ||
           Py_TYPE(object.ptr()) == py::detail::npy_api::get().PyArray_Type_;
}

/// The numbers of an object of broadside/_queries.py that is one query.
class QueryRow {
public:
    /// Names of attributes, made once: KIND of shapes, or that of rays and casts.
    struct Names {
        PyObject* shape = PyUnicode_InternFromString("KIND");
        PyObject* hit = PyUnicode_InternFromString("_hit_kind");
        PyObject* is_single = PyUnicode_InternFromString("is_single");
        PyObject* axis_count = PyUnicode_InternFromString("axis_count");
        PyObject* rule = PyUnicode_InternFromString("rule");
        PyObject* numbers = PyUnicode_InternFromString("_numbers");
    };
    static const Names& names() {
        static const Names all;
        return all;
    }

    /// False for anything else; `kind_name` is the attribute that has the kind.
    bool read(py::handle object, PyObject* kind_name, std::size_t axis_count) {
        if (is_row(object)) return false;
        const auto field = [&](PyObject* name) {
            return py::reinterpret_steal<py::object>(PyObject_GetAttr(object.ptr(), name));
        };
        const auto whole = [&](PyObject* name) {
            const py::object value = field(name);
            return value ? PyLong_AsLong(value.ptr()) : -1;
        };
        kind = static_cast<int>(whole(kind_name));
        const bool is_ours = kind >= 0 && whole(names().is_single) == 1 &&
                             whole(names().axis_count) == static_cast<long>(axis_count);
        rule = is_ours ? static_cast<int>(whole(names().rule)) : -1;
        array_ = rule >= 0 ? field(names().numbers) : py::object();
        if (PyErr_Occurred() != nullptr) PyErr_Clear();
        if (!array_ || Py_TYPE(array_.ptr()) != py::detail::npy_api::get().PyArray_Type_) return false;
        const auto* const array = py::detail::array_proxy(array_.ptr());
        const auto* const type = py::detail::array_descriptor_proxy(array->descr);
        if (array->nd != 2 || array->dimensions[0] != 1 ||
            type->type_num != py::detail::npy_api::NPY_DOUBLE_ || type->byteorder == '>' ||
            (array->flags & py::detail::npy_api::NPY_ARRAY_C_CONTIGUOUS_) == 0)
            return false;
        numbers = {static_cast<const double*>(static_cast<const void*>(array->data)),
                   static_cast<std::size_t>(array->dimensions[1])};
        return true;
    }
    /// Calls `call` with one of the items, of floats, by the number of its kind, of which the first is `first`; false for
    /// another kind or number of floats.
    template <class... Item, class Call>
    bool visit(int first, const Call& call) const {
        int number = first;
        bool is_done = false;
        const auto visit_item = [&]<class One>(const One*) {
            if (number++ != kind || sizeof(One) != numbers.size() * sizeof(float)) return;
            std::array<float, sizeof(One) / sizeof(float)> floats;
            std::transform(numbers.begin(), numbers.end(), floats.begin(),
                           [](double each) { return static_cast<float>(each); });
            One item;
            std::memcpy(static_cast<void*>(&item), floats.data(), sizeof item);
            is_done = call(item);
        };
        (visit_item(static_cast<const Item*>(nullptr)), ...);
        return is_done;
    }

    int kind = -1;
    int rule = -1;
    /// Of the array, which lives as long as this.
    std::span<const double> numbers;

private:
    py::object array_;
};

/// The number of axes of a finite point or vector, 3 or 2; 0 for anything else.
inline std::size_t axes_of(py::handle object, std::array<double, 3>& out) {
    return point_of(object, 3, out) ? 3 : point_of(object, 2, out) ? 2 : 0;
}
/// One sphere, capsule or ray: its vectors and a number that is not negative, and the number of its axes; None for anything
/// out of the ordinary.
inline py::object query_row(py::handle a, py::handle b, py::handle number, double most) {
    std::array<double, 3> first, second;
    double last = 0;
    const std::size_t axis_count = axes_of(a, first);
    const bool has_b = !b.is_none();
    if (axis_count == 0 || (has_b && !point_of(b, axis_count, second)) || !reach_of(number, last) ||
        last > most)
        return py::none();
    auto [array, out] = new_array<double>(1, has_b ? 7 : 4);
    double* next = std::copy(first.begin(), first.end(), out);
    if (has_b) next = std::copy(second.begin(), second.end(), next);
    *next = last;
    return py::make_tuple(std::move(array), axis_count);
}

/// The numbers of `Spheres` and of `Obbs` in broadside/_queries.py; that of `Capsules` is between them.
inline constexpr int kSphereKind = 2;
inline constexpr int kObbKind = 4;
/// One shape that moves, as `query_row`, and the number of its kind, which is 1 for boxes.
inline py::object cast_row(py::handle shape, py::handle displacement, py::handle reach) {
    std::array<double, 3> way;
    std::array<double, kMaxRow> box = {};
    QueryRow row;
    double last = 0;
    const std::size_t axis_count = axes_of(displacement, way);
    const bool is_box = is_row(shape);
    if (axis_count == 0 || !reach_of(reach, last) ||
        !(is_box ? box_row_of<double>(shape, axis_count, box)
                 : row.read(shape, QueryRow::names().shape, axis_count) && row.kind >= kSphereKind &&
                       row.kind <= kObbKind))
        return py::none();
    if (axis_count == 2) box = {box[0], box[1], 0.0, box[2], box[3], 0.0};
    const std::span<const double> own = is_box ? box : row.numbers;
    auto [array, out] = new_array<double>(1, own.size() + 4);
    *std::copy(way.begin(), way.end(), std::copy(own.begin(), own.end(), out)) = last;
    return py::make_tuple(std::move(array), axis_count, is_box ? 1 : row.kind);
}

/// The most nearest boxes, and the most hits of a ray, of a single query.
inline constexpr std::uint64_t kMostNearest = 64;
inline constexpr std::size_t kMostHits = 64;

/// Distances and names of the nearest: numbers for one, else arrays.
template <class Distance, class Name, class Item, class Row>
py::tuple nearest_result(std::span<const Item> nearest, const Row& row) {
    if (nearest.size() == 1) {
        const std::tuple<Distance, Name> one = row(nearest[0]);
        return py::make_tuple(std::get<0>(one), std::get<1>(one));
    }
    return columns_of<Distance, Name>(nearest, row);
}

/// The points where one ray hits, as many zeros, which name the ray, and what it hits; `row` makes a t and names of a hit, of
/// which the last one counts.
template <class Name, class List, class Row>
py::tuple located(const std::array<double, 3>& origin, const std::array<double, 3>& direction,
                  std::size_t axis_count, const List& hits, const Row& row) {
    auto [points, point] = new_array<double>(hits.size(), axis_count);
    auto [rays, ray] = new_array<std::int64_t>(hits.size());
    auto [names, name] = new_array<Name>(hits.size());
    for (std::size_t i = 0; i < hits.size(); ++i) {
        const auto [t, found] = row(hits[i]);
        for (std::size_t axis = 0; axis < axis_count; ++axis)
            point[i * axis_count + axis] = origin[axis] + double{t} * direction[axis];
        ray[i] = 0;
        name[i] = found;
    }
    return py::make_tuple(std::move(points), std::move(rays), std::move(names));
}

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
        return unsorted_array();
    }
    py::array unsorted_array() const {
        auto [array, out] = new_array<Item>(count_);
        std::copy_n(items_, count_, out);
        return std::move(array);
    }

private:
    std::size_t count_ = 0;
    Item items_[kFew];
};

}  // namespace broadside::python
