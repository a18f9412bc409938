// Batches of the narrowphase over pairs of indices.
#include "arrays.hpp"

namespace broadside::python {
namespace {

using Pairs = py::array_t<std::uint32_t, py::array::c_style>;

// Displacements in columns, for as long as the call.
struct Displacements {
    explicit Displacements(const py::object& rows) {
        if (rows.is_none()) return;
        for (const Vec3& each : vectors_of(py::cast<py::array_t<float>>(rows))) {
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
    const FloatBoxes a(a_min, a_max);
    const FloatBoxes b(b_min, b_max);
    const std::vector<IndexPair> asked = pairs_of(pairs);
    std::vector<std::uint64_t> bits(bit_word_count(asked.size()));
    {
        const py::gil_scoped_release without_gil;
        check(overlaps(a.view(), b.view(), asked, bits).status);
    }
    return bools_of(bits, asked.size());
}

py::tuple toi(const py::array& a_min, const py::array& a_max, const py::object& a_by, const py::array& b_min,
              const py::array& b_max, const py::object& b_by, const Pairs& pairs, bool is_open) {
    const FloatBoxes a(a_min, a_max);
    const FloatBoxes b(b_min, b_max);
    const Displacements of_a(a_by);
    const Displacements of_b(b_by);
    const std::vector<IndexPair> asked = pairs_of(pairs);
    std::vector<float> times(asked.size());
    std::vector<Face> faces(asked.size());
    {
        const py::gil_scoped_release without_gil;
        const MovingBoxes moving_a = {a.view(), of_a.view()};
        const MovingBoxes moving_b = {b.view(), of_b.view()};
        check(times_of_impact(moving_a, moving_b, asked, is_open ? Touch::open : Touch::closed, times, faces)
                  .status);
    }
    std::vector<std::uint8_t> face_numbers;
    for (const Face face : faces) face_numbers.push_back(static_cast<std::uint8_t>(face));
    for (float& time : times) {
        if (time == kNoIntersection) time = std::numeric_limits<float>::infinity();
    }
    return py::make_tuple(shown(std::move(times)), shown(std::move(face_numbers)));
}

py::tuple rays_against(const py::array_t<float>& origins, const py::array_t<float>& directions,
                       const py::array_t<float>& reaches, const py::array& min, const py::array& max,
                       const Pairs& pairs) {
    const FloatBoxes boxes(min, max);
    const std::vector<Ray> rays = rays_of(origins, directions, reaches);
    const std::vector<IndexPair> asked = pairs_of(pairs);
    std::vector<float> enter(asked.size());
    std::vector<float> exit(asked.size());
    std::vector<std::uint64_t> bits(bit_word_count(asked.size()));
    {
        const py::gil_scoped_release without_gil;
        check(ray_boxes(rays, boxes.view(), asked, {}, {.t_enter = enter, .t_exit = exit, .hit_bits = bits})
                  .status);
    }
    for (std::size_t i = 0; i < asked.size(); ++i) {
        if ((bits[i / 64] >> (i % 64) & 1) != 0) continue;
        enter[i] = exit[i] = std::numeric_limits<float>::infinity();
    }
    return py::make_tuple(shown(std::move(enter)), shown(std::move(exit)));
}

}  // namespace

void bind_kernels(py::module_& module) {
    module.def("overlap", &overlap);
    module.def("time_of_impact", &toi);
    module.def("ray_boxes", &rays_against);
}

}  // namespace broadside::python
