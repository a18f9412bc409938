// World: objects in batches by arrays of handles, and the lists of an update.
#include "arrays.hpp"
#include "runner.hpp"

namespace broadside::python {
namespace {

using Handles = py::array_t<std::uint64_t, py::array::c_style>;

std::span<const ObjectHandle> handles_of(const Handles& handles) {
    static_assert(sizeof(ObjectHandle) == sizeof(std::uint64_t));
    return {reinterpret_cast<const ObjectHandle*>(handles.data()),
            static_cast<std::size_t>(handles.shape(0))};
}

// The handle that is to blame is named by its place; without one the status says enough.
void check_batch(const BatchResult& result) {
    if (result.status == Status::invalid_argument && result.bad_index != kNoIndex)
        throw py::index_error(std::to_string(result.bad_index));
    check(result.status);
}

template <class Pair>
py::array handle_pairs(std::span<const Pair> pairs) {
    py::array_t<std::uint64_t> array({static_cast<py::ssize_t>(pairs.size()), py::ssize_t{2}});
    std::uint64_t* out = array.mutable_data();
    for (const Pair& pair : pairs) {
        *out++ = pair.a.value;
        *out++ = pair.b.value;
    }
    return array;
}

class PyWorld {
public:
    explicit PyWorld(bool do_fixed_objects_pair)
        : world_(WorldSettings{.fixed_objects_pair = do_fixed_objects_pair}) {}

    Handles add(const py::array& min, const py::array& max, int kind, std::uint64_t category,
                std::uint64_t mask, std::int32_t group, float margin) {
        const FloatBoxes boxes(min, max);
        ObjectDescription common;
        common.kind = static_cast<ObjectKind>(kind);
        common.filter.category = category;
        common.filter.mask = mask;
        common.filter.group = group;
        common.margin = margin;
        Handles handles(static_cast<py::ssize_t>(boxes.view().count));
        auto* const out = reinterpret_cast<ObjectHandle*>(handles.mutable_data());
        check_batch(world_.add(boxes.view(), common, {out, boxes.view().count}));
        return handles;
    }
    void remove(const Handles& handles) { check_batch(world_.remove(handles_of(handles))); }
    void set_boxes(const Handles& handles, const py::array& min, const py::array& max) {
        const FloatBoxes boxes(min, max);
        check_batch(world_.set_boxes(handles_of(handles), boxes.view()));
    }
    void set_margin(const Handles& handles, float margin) {
        check_batch(world_.set_margin(handles_of(handles), margin));
    }
    void set_kind(const Handles& handles, int kind) {
        check_batch(world_.set_kind(handles_of(handles), static_cast<ObjectKind>(kind)));
    }
    void update(std::uint32_t workers) {
        const CallRunner runner(workers);
        const py::gil_scoped_release without_gil;
        check(world_.update(runner.get()).status);
    }
    py::array begun() const { return handle_pairs(world_.begun()); }
    py::array ended() const { return handle_pairs(world_.ended()); }
    py::array pairs() { return handle_pairs(std::span<const WorldPair>(world_.pairs())); }
    std::size_t object_count() const { return world_.object_count(); }
    std::size_t pair_count() const { return world_.pair_count(); }
    py::array are_alive(const Handles& handles) const {
        py::array_t<bool> alive(handles.shape(0));
        bool* out = alive.mutable_data();
        for (const ObjectHandle handle : handles_of(handles)) *out++ = world_.is_alive(handle);
        return alive;
    }

    py::tuple find_overlaps(const py::array& min, const py::array& max, std::uint32_t workers) {
        const FloatBoxes boxes(min, max);
        AlignedArray<WorldOverlap> overlaps;
        const CallRunner runner(workers);
        {
            const py::gil_scoped_release without_gil;
            std::vector<Aabb> queries(boxes.view().count);
            for (std::size_t i = 0; i < queries.size(); ++i) queries[i] = boxes.view()[i];
            WorldQueryScratch scratch;
            check(world_.queries(runner.get())
                      .find_overlaps(queries, {.runner = runner.get()}, scratch, overlaps)
                      .status);
        }
        std::vector<std::int64_t> rows;
        std::vector<std::uint64_t> handles;
        for (const WorldOverlap& overlap : overlaps) {
            rows.push_back(overlap.query);
            handles.push_back(overlap.object.value);
        }
        return py::make_tuple(shown(std::move(rows)), shown(std::move(handles)));
    }
    py::tuple closest_hits(const py::array_t<float>& origins, const py::array_t<float>& directions,
                           const py::array_t<float>& reaches, std::uint32_t workers) {
        const std::vector<Ray> rays = rays_of(origins, directions, reaches);
        std::vector<ClosestObjectHit> hits(rays.size());
        const CallRunner runner(workers);
        {
            const py::gil_scoped_release without_gil;
            check(world_.queries(runner.get()).closest_hits(rays, {.runner = runner.get()}, hits).status);
        }
        std::vector<float> times;
        std::vector<std::uint64_t> handles;
        for (const ClosestObjectHit& hit : hits) {
            times.push_back(hit.object.is_null() ? std::numeric_limits<float>::infinity() : hit.t);
            handles.push_back(hit.object.value);
        }
        return py::make_tuple(shown(std::move(handles)), shown(std::move(times)));
    }
    py::bytes save() const {
        std::string bytes(world_.snapshot_bytes(), '\0');
        check(world_.save({reinterpret_cast<std::byte*>(bytes.data()), bytes.size()}));
        return bytes;
    }
    void restore(const std::string& bytes) {
        check(world_.restore({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()}));
    }

private:
    World world_;
};

}  // namespace

void bind_world(py::module_& module) {
    py::class_<PyWorld>(module, "World")
        .def(py::init<bool>())
        .def("add", &PyWorld::add)
        .def("remove", &PyWorld::remove)
        .def("set_boxes", &PyWorld::set_boxes)
        .def("set_margin", &PyWorld::set_margin)
        .def("set_kind", &PyWorld::set_kind)
        .def("update", &PyWorld::update)
        .def("begun", &PyWorld::begun)
        .def("ended", &PyWorld::ended)
        .def("pairs", &PyWorld::pairs)
        .def("object_count", &PyWorld::object_count)
        .def("pair_count", &PyWorld::pair_count)
        .def("are_alive", &PyWorld::are_alive)
        .def("find_overlaps", &PyWorld::find_overlaps)
        .def("closest_hits", &PyWorld::closest_hits)
        .def("save", &PyWorld::save)
        .def("restore", &PyWorld::restore);
}

}  // namespace broadside::python
