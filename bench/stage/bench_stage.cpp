// The whole stage on the street scene: ten frames in turn, so that inputs vary as in a game.
#include "bench/suites.hpp"
#include "bench/support.hpp"
#include "bench/thread_pair.hpp"

#include <broadside/collision_stage.hpp>
#include <broadside/scenes/street_scene.hpp>

#include <array>
#include <memory>
#include <vector>

namespace broadside::bench {
namespace {

constexpr std::size_t kFrameCount = 10;

// One frame in the stage's layout.
struct Frame {
    BoxSoa boxes;
    std::array<std::vector<float>, 3> displacements;
    scenes::StreetFrame street;
};

// The frames and the mesh, made once for all ISAs.
class Street {
public:
    Street() {
        const scenes::StreetScene scene;
        const scene_io::TriangleMesh& mesh = scene.terrain_mesh();
        const std::span<const std::array<std::uint32_t, 3>> indices = mesh.triangles;
        if (triangles_.assign(mesh.positions, {indices.data()->data(), 3 * indices.size()}).status !=
            Status::ok) {
            std::abort();
        }
        if (triangle_bounds(triangles_, triangle_bounds_) != Status::ok) std::abort();
        for (std::size_t index = 0; index < kFrameCount; ++index) {
            Frame& frame = frames_[index];
            scene.frame(index, frame.street);
            if (frame.boxes.resize(frame.street.boxes.size()) != Status::ok) std::abort();
            for (std::size_t i = 0; i < frame.street.boxes.size(); ++i) {
                frame.boxes.set(i, frame.street.boxes[i]);
                const Vec3 displacement = frame.street.box_displacements[i];
                frame.displacements[0].push_back(displacement.x);
                frame.displacements[1].push_back(displacement.y);
                frame.displacements[2].push_back(displacement.z);
            }
        }
    }

    StageInput input(std::size_t index) const {
        const Frame& frame = frames_[index % kFrameCount];
        StageInput input;
        input.boxes = frame.boxes;
        input.displacements = {frame.displacements[0].data(), frame.displacements[1].data(),
                               frame.displacements[2].data(), frame.boxes.count()};
        input.rays = frame.street.rays;
        input.obbs = frame.street.obbs;
        input.obb_displacements = frame.street.obb_displacements;
        input.triangles = triangles_;
        input.triangle_bounds = triangle_bounds_;
        return input;
    }

private:
    TriangleSoa triangles_;
    BoxSoa triangle_bounds_;
    std::array<Frame, kFrameCount> frames_;
};

void register_rows() {
    const auto street = std::make_shared<Street>();
    const std::size_t box_count = street->input(0).boxes.count;
    use_isa(Isa::scalar);
    CollisionStage reference;
    (void)reference.step(street->input(0));
    const std::uint64_t expected = reference.result_hash();
    for (const bool on_two_threads : {false, true}) {
        for (const Isa isa : supported_isas()) {
            const std::string name = benchmark_name(on_two_threads ? "stage/step_two_threads" : "stage/step",
                                                    "street", box_count, isa);
            auto* const row = benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
                static ThreadPair threads;
                StageSettings settings;
                settings.runner = on_two_threads ? threads.runner() : nullptr;
                use_isa(isa);
                CollisionStage stage;
                (void)stage.step(street->input(0), settings);
                require_same(stage.result_hash() == expected, name);
                std::size_t frame = 0;
                for (auto _ : state) (void)stage.step(street->input(frame++), settings);
                count_items(state, "box", box_count);
            });
            row->Unit(benchmark::kMillisecond);
            if (on_two_threads) row->UseRealTime();
        }
    }
}

const Suite suite("stage", &register_rows, {"stage/step(_two_threads)?/street/10000/.*"});

}  // namespace

}  // namespace broadside::bench
