// World: objects in batches by arrays of handles, and the lists of an update. Threads share a world by its lock.
#include "arrays.hpp"
#include "lock.hpp"
#include "runner.hpp"

#include <optional>
#include <type_traits>

namespace broadside::python {
namespace {

using Handles = py::array_t<std::uint64_t, py::array::c_style>;

// A copy: what the library has checked must not change before it is used, as the caller's array may.
std::vector<ObjectHandle> handles_of(const Handles& handles) {
    std::vector<ObjectHandle> copies;
    for (py::ssize_t i = 0; i < handles.shape(0); ++i) copies.push_back({handles.data()[i]});
    return copies;
}

// The handle that is to blame is named by its place; without one the status says enough.
void check_batch(const BatchResult& result) {
    if (result.status == Status::invalid_argument && result.bad_index != kNoIndex)
        throw py::index_error(std::to_string(result.bad_index));
    check(result.status);
}

// A and b of pairs, one pair after the other.
template <class Pair>
std::vector<std::uint64_t> numbers_of(std::span<const Pair> pairs) {
    std::vector<std::uint64_t> numbers;
    numbers.reserve(2 * pairs.size());
    for (const Pair& pair : pairs) numbers.insert(numbers.end(), {pair.a.value, pair.b.value});
    return numbers;
}
py::array shown_pairs(std::vector<std::uint64_t> numbers) {
    auto list = std::make_unique<std::vector<std::uint64_t>>(std::move(numbers));
    const std::uint64_t* const data = list->data();
    const std::size_t count = list->size() / 2;
    return shown<std::uint64_t>(std::move(list), data, count, 2);
}

class PyWorld {
public:
    explicit PyWorld(bool do_fixed_objects_pair)
        : world_(WorldSettings{.fixed_objects_pair = do_fixed_objects_pair}) {}

    py::array add(const py::array& min, const py::array& max, int kind, std::uint64_t category,
                  std::uint64_t mask, std::int32_t group, float margin) {
        const FloatBoxes boxes(min, max);
        ObjectDescription common;
        common.kind = static_cast<ObjectKind>(kind);
        common.filter.category = category;
        common.filter.mask = mask;
        common.filter.group = group;
        common.margin = margin;
        std::vector<ObjectHandle> handles(boxes.view().count);
        change([&] { return world_.add(boxes.view(), common, handles); });
        std::vector<std::uint64_t> numbers;
        for (const ObjectHandle handle : handles) numbers.push_back(handle.value);
        return shown(std::move(numbers));
    }
    void remove(const Handles& handles) {
        const std::vector<ObjectHandle> named = handles_of(handles);
        change([&] { return world_.remove(named); });
    }
    void set_boxes(const Handles& handles, const py::array& min, const py::array& max) {
        const FloatBoxes boxes(min, max);
        const std::vector<ObjectHandle> named = handles_of(handles);
        change([&] { return world_.set_boxes(named, boxes.view()); });
    }
    void set_margin(const Handles& handles, float margin) {
        const std::vector<ObjectHandle> named = handles_of(handles);
        change([&] { return world_.set_margin(named, margin); });
    }
    void set_kind(const Handles& handles, int kind) {
        const std::vector<ObjectHandle> named = handles_of(handles);
        change([&] { return world_.set_kind(named, static_cast<ObjectKind>(kind)); });
    }
    // What has begun and what has ended, of this update and no other one.
    py::tuple update(std::uint32_t workers) {
        const CallRunner runner(workers);
        std::vector<std::uint64_t> begun;
        std::vector<std::uint64_t> ended;
        change([&] {
            const Status status = world_.update(runner.get()).status;
            if (status == Status::ok) {
                begun = numbers_of(world_.begun());
                ended = numbers_of(world_.ended());
            }
            return BatchResult{status};
        });
        return py::make_tuple(shown_pairs(std::move(begun)), shown_pairs(std::move(ended)));
    }
    py::array pairs() {
        return shown_pairs(alone([&] { return numbers_of(std::span<const WorldPair>(world_.pairs())); }));
    }
    std::size_t object_count() {
        return read([&] { return world_.object_count(); });
    }
    std::size_t pair_count() {
        return read([&] { return world_.pair_count(); });
    }
    py::array are_alive(const Handles& handles) {
        const std::vector<ObjectHandle> named = handles_of(handles);
        py::array_t<bool> alive(handles.shape(0));
        bool* const out = alive.mutable_data();
        read([&] {
            for (std::size_t i = 0; i < named.size(); ++i) out[i] = world_.is_alive(named[i]);
        });
        return alive;
    }

    py::tuple find_overlaps(const py::array& min, const py::array& max, std::uint32_t workers) {
        const FloatBoxes boxes(min, max);
        std::vector<Aabb> shapes(boxes.view().count);
        for (std::size_t i = 0; i < shapes.size(); ++i) shapes[i] = boxes.view()[i];
        const CallRunner runner(workers);
        AlignedArray<WorldOverlap> overlaps;
        WorldQueryScratch scratch;
        ask(runner, [&](const WorldQueries& queries) {
            return queries.find_overlaps(shapes, {.runner = runner.get()}, scratch, overlaps).status;
        });
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
        ask(runner, [&](const WorldQueries& queries) {
            return queries.closest_hits(rays, {.runner = runner.get()}, hits).status;
        });
        std::vector<float> times;
        std::vector<std::uint64_t> handles;
        for (const ClosestObjectHit& hit : hits) {
            times.push_back(hit.object.is_null() ? std::numeric_limits<float>::infinity() : hit.t);
            handles.push_back(hit.object.value);
        }
        return py::make_tuple(shown(std::move(handles)), shown(std::move(times)));
    }
    py::bytes save() {
        return read([&] {
            std::string bytes(world_.snapshot_bytes(), '\0');
            check(world_.save({reinterpret_cast<std::byte*>(bytes.data()), bytes.size()}));
            return bytes;
        });
    }
    void restore(const std::string& bytes) {
        change([&] {
            return BatchResult{
                world_.restore({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()})};
        });
    }

private:
    // All calls wait for the lock without the GIL; what they return must be no Python object.

    template <class Call>
    std::invoke_result_t<Call> read(const Call& call) {
        const py::gil_scoped_release without_gil;
        return lock_.read(call);
    }
    // What changes nothing that a question sees, and yet must be alone.
    template <class Call>
    std::invoke_result_t<Call> alone(const Call& call) {
        const py::gil_scoped_release without_gil;
        return lock_.write(call);
    }
    template <class Call>
    void change(const Call& call) {
        check_batch(alone([&] {
            queries_.reset();
            return call();
        }));
    }
    // Questions run at once; the first one after a change is alone, since it brings the trees up to date.
    template <class Call>
    void ask(const CallRunner& runner, const Call& call) {
        const py::gil_scoped_release without_gil;
        const std::optional<Status> asked =
            lock_.read([&] { return queries_ ? std::optional(call(*queries_)) : std::nullopt; });
        check(asked ? *asked : lock_.write([&] {
            if (!queries_) {
                const WorldQueries queries = world_.queries(runner.get());
                if (queries.status() != Status::ok) return queries.status();
                queries_ = queries;
            }
            return call(*queries_);
        }));
    }

    ReadWriteLock lock_;
    World world_;
    // None from a change to the next question.
    std::optional<WorldQueries> queries_;
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
