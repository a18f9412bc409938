// MeshScene: placed meshes, queried as one; and the clashes of its instances, or of two scenes. Threads share a scene by its
// lock.
#include "lock.hpp"
#include "mesh_queries.hpp"

#include <cstring>

namespace broadside::python {
namespace {

class Scene : public MeshQueries<Scene, SceneWords> {
public:
    Scene(const py::list& meshes, const FloatRows& places, std::uint32_t workers) {
        const auto transforms = transforms_of(places);
        std::vector<PlacedMesh> instances(transforms.size());
        for (std::size_t i = 0; i < instances.size(); ++i) {
            meshes_.push_back(triangles_of(meshes[i]));
            instances[i] = {meshes_.back().get(), transforms[i]};
        }
        const CallRunner runner(workers);
        BatchResult result;
        {
            const py::gil_scoped_release without_gil;
            result = scene_.build(instances, runner.get());
        }
        check_batch(result);
    }
    void update(const FloatRows& places, std::uint32_t workers) {
        const auto transforms = transforms_of(places);
        const CallRunner runner(workers);
        BatchResult result;
        {
            const py::gil_scoped_release without_gil;
            result = lock_.write([&] { return scene_.update(transforms, runner.get()); });
        }
        check_batch(result);
    }

    std::size_t size() const { return meshes_.size(); }
    /// Of the instances, as they were placed last.
    py::array transforms() const {
        auto [array, out] = new_array<float>(size(), 12);
        const py::gil_scoped_release without_gil;
        lock_.read([&, out = out] {
            for (std::size_t i = 0; i < size(); ++i)
                std::memcpy(out + 12 * i, &scene_.instance(static_cast<std::uint32_t>(i)).world_from_mesh,
                            sizeof(Transform));
        });
        return std::move(array);
    }
    py::array boxes() const {
        auto [array, out] = new_array<float>(size(), 6);
        const py::gil_scoped_release without_gil;
        lock_.read([&, out = out] {
            for (std::size_t i = 0; i < size(); ++i) {
                const Aabb box = scene_.bounds(static_cast<std::uint32_t>(i));
                std::memcpy(out + 6 * i, &box, sizeof box);
            }
        });
        return std::move(array);
    }

    template <class Call>
    Status read(const Call& call) const {
        return lock_.read([&] { return call(scene_); });
    }
    template <class Call>
    bool try_call(const Call& call) const {
        const auto lock = lock_.try_read();
        if (lock) call(scene_);
        return lock.owns_lock();
    }
    /// As it is placed now: the lock is not held while they are searched, so that no two are held at once.
    std::vector<PlacedMesh> instances() const {
        return lock_.read([&] {
            std::vector<PlacedMesh> instances(size());
            for (std::size_t i = 0; i < instances.size(); ++i)
                instances[i] = scene_.instance(static_cast<std::uint32_t>(i));
            return instances;
        });
    }

private:
    mutable ReadWriteLock lock_;
    std::vector<std::shared_ptr<const TriangleMesh>> meshes_;
    MeshScene scene_;
};

/// Pairs of instances, how they lie, how many pairs of boxes met, and the first instance of each that is refused; of one
/// scene where there is no other.
py::tuple clashes(const Scene& a, const Scene* b, float clearance, bool find_contained,
                  std::uint32_t workers) {
    const CallRunner runner(workers);
    const MeshRelationSettings settings = {
        .clearance = clearance, .find_contained = find_contained, .runner = runner.get()};
    AlignedArray<Clash> found;
    ClashResult result;
    {
        const py::gil_scoped_release without_gil;
        BoxScratch scratch;
        const std::vector<PlacedMesh> of_a = a.instances();
        result = b == nullptr ? find_clashes(of_a, settings, scratch, found)
                              : find_clashes(of_a, b->instances(), settings, scratch, found);
    }
    const auto row_or_none = [](std::size_t row) {
        return row == kNoIndex ? -1 : static_cast<std::int64_t>(row);
    };
    if (row_or_none(result.bad_a) < 0 && row_or_none(result.bad_b) < 0) check(result.status);
    return py::make_tuple(
        pairs_array<std::int64_t>(
            found, [](const Clash& one) { return std::tuple(std::int64_t{one.a}, std::int64_t{one.b}); }),
        columns_of<std::uint8_t>(
            found, [](const Clash& one) { return std::tuple(static_cast<std::uint8_t>(one.relation)); })[0],
        result.candidate_count, row_or_none(result.bad_a), row_or_none(result.bad_b));
}

}  // namespace

ReadScene read_scene(py::handle scene) {
    if (scene.is_none()) return [](const auto& call) { call(nullptr); };
    return [&read = py::cast<const Scene&>(scene)](const auto& call) {
        check(read.read([&](const MeshScene& one) {
            call(&one);
            return Status::ok;
        }));
    };
}

void bind_scene(py::module_& module) {
    py::class_<Scene> scene(module, "Scene");
    scene.def(py::init<const py::list&, const FloatRows&, std::uint32_t>())
        .def("update", &Scene::update)
        .def("size", &Scene::size)
        .def("transforms", &Scene::transforms)
        .def("boxes", &Scene::boxes);
    MeshQueries<Scene, SceneWords>::bind(scene);
    module.def("find_clashes", &clashes, py::arg("a"), py::arg("b").none(true), py::arg("clearance"),
               py::arg("find_contained"), py::arg("workers"));
}

}  // namespace broadside::python
