// Batches of the narrowphase over pairs of indices, and small checks that are made faster here than by NumPy.
#include "arrays.hpp"

namespace broadside::python {
namespace {

using Pairs = py::array_t<std::uint32_t, py::array::c_style>;

/// Calls `call` with both sets of boxes, without the GIL.
template <class Call>
void with_two(const py::array& a_min, const py::array& a_max, const py::array& b_min, const py::array& b_max,
              Call&& call) {
    const bool is_shared = has_other_threads();
    const auto a = boxes_of<float>(a_min, a_max);
    const auto b = boxes_of<float>(b_min, b_max);
    const py::gil_scoped_release without_gil;
    check(call(FloatBoxes(a, is_shared).view(), FloatBoxes(b, is_shared).view()).status);
}

/// Displacements in columns, for as long as the call.
struct Displacements {
    explicit Displacements(const py::object& rows) {
        if (rows.is_none()) return;
        for (const Vec3& each : items_of<Vec3>(py::cast<FloatRows>(rows))) {
            x.push_back(each.x);
            y.push_back(each.y);
            z.push_back(each.z);
        }
    }
    Vec3SoaView view() const { return {x.data(), y.data(), z.data(), x.size()}; }

    std::vector<float> x;
    std::vector<float> y;
    std::vector<float> z;
};

py::array overlap(const py::array& a_min, const py::array& a_max, const py::array& b_min,
                  const py::array& b_max, const Pairs& pairs) {
    const auto index_pairs = items_of<IndexPair>(pairs);
    std::vector<std::uint64_t> bits(bit_word_count(index_pairs.size()));
    with_two(a_min, a_max, b_min, b_max,
             [&](const BoxSoaView& a, const BoxSoaView& b) { return overlaps(a, b, index_pairs, bits); });
    return bools_of(bits, index_pairs.size());
}

py::tuple toi(const py::array& a_min, const py::array& a_max, const py::object& a_by, const py::array& b_min,
              const py::array& b_max, const py::object& b_by, const Pairs& pairs, bool is_open) {
    const Displacements of_a(a_by);
    const Displacements of_b(b_by);
    const auto index_pairs = items_of<IndexPair>(pairs);
    std::vector<float> times(index_pairs.size());
    std::vector<Face> faces(index_pairs.size());
    with_two(a_min, a_max, b_min, b_max, [&](const BoxSoaView& a, const BoxSoaView& b) {
        return times_of_impact(MovingBoxes{a, of_a.view()}, MovingBoxes{b, of_b.view()}, index_pairs,
                               is_open ? Touch::open : Touch::closed, times, faces);
    });
    std::size_t i = 0;
    return columns_of<float, std::uint8_t>(times, [&](float time) {
        return std::tuple(t_or_infinity(time), static_cast<std::uint8_t>(faces[i++]));
    });
}

py::tuple rays_against(const FloatRows& rays, const py::array& min, const py::array& max,
                       const Pairs& pairs) {
    const auto ray_rows = items_of<Ray>(rays);
    const auto index_pairs = items_of<IndexPair>(pairs);
    std::vector<float> enter(index_pairs.size());
    std::vector<float> exit(index_pairs.size());
    std::vector<std::uint64_t> bits(bit_word_count(index_pairs.size()));
    with_two(min, max, min, max, [&](const BoxSoaView& boxes, const BoxSoaView&) {
        return ray_boxes(ray_rows, boxes, index_pairs, {},
                         {.t_enter = enter, .t_exit = exit, .hit_bits = bits});
    });
    std::size_t i = 0;
    return columns_of<float, float>(enter, [&](float t) {
        const std::size_t at = i++;
        const bool has_hit = (bits[at / 64] >> (at % 64) & 1) != 0;
        constexpr float kInfinity = std::numeric_limits<float>::infinity();
        return has_hit ? std::tuple(t, exit[at]) : std::tuple(kInfinity, kInfinity);
    });
}

std::int64_t first_invalid(const py::array& min, const py::array& max) {
    return with_number(min, [&](auto number) {
        const auto boxes = boxes_of<decltype(number)>(min, max);
        const py::gil_scoped_release without_gil;
        return first_invalid_row(boxes);
    });
}

}  // namespace

void bind_kernels(py::module_& module) {
    module.def("overlap", &overlap);
    module.def("time_of_impact", &toi);
    module.def("ray_boxes", &rays_against);
    module.def("first_invalid", &first_invalid);
}

}  // namespace broadside::python
