// Moving-box time of impact: contiguous streams, one mover against many, pairs by index as from a broadphase,
// and beside them the text books' loop, compiled like this file.
#include "bench/sequence.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/moving_aabb_compat.hpp>
#include <broadside/moving_aabb_rows.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace broadside::bench {
namespace {

// Movers of edge 0.3 to 1 with displacements up to 1.2, every fifth without motion on one axis, and resting
// boxes near their paths: about one pair in five is an impact.
struct Scene {
    BoxSoa resting;
    BoxSoa movers;
    LineVector<float> displacement[3];
    LineVector<IndexPair> pairs;
    RestingBoxRows resting_rows;
    MovingBoxRows mover_rows;
    BodyBoxRows resting_bodies;
    BodyBoxRows moving_bodies;

    MovingBoxes moving() const {
        return {movers,
                {displacement[0].data(), displacement[1].data(), displacement[2].data(), movers.count()}};
    }
};

Scene make_scene(std::size_t box_count, std::size_t pair_count) {
    Scene scene;
    if (scene.resting.resize(box_count) != Status::ok || scene.movers.resize(box_count) != Status::ok)
        std::abort();
    for (LineVector<float>& axis : scene.displacement) axis.resize(box_count);
    Sequence sequence;
    for (std::size_t i = 0; i < box_count; ++i) {
        const Vec3 mover_min = sequence.vector(-100, 100);
        const Vec3 resting_min = mover_min + sequence.vector(-1.2f, 1.2f);
        scene.movers.set(i, {mover_min, mover_min + sequence.vector(0.3f, 1)});
        scene.resting.set(i, {resting_min, resting_min + sequence.vector(0.3f, 1)});
        for (LineVector<float>& axis : scene.displacement) axis[i] = sequence.next(-1.2f, 1.2f);
        if (i % 5 == 0) scene.displacement[i / 5 % 3][i] = 0;
    }
    // Sorted by mover, as from a broadphase; the other box is a few positions away in memory.
    for (std::size_t i = 0; i < pair_count; ++i) {
        const std::size_t mover = i * box_count / pair_count;
        const std::size_t away = static_cast<std::size_t>(sequence.next(0, 64));
        scene.pairs.push_back(
            {static_cast<std::uint32_t>((mover + away) % box_count), static_cast<std::uint32_t>(mover)});
    }
    return scene;
}

// Rows by the active ISA; every ISA makes the same.
void prepare_rows(Scene& scene) {
    const bool is_done = scene.resting_rows.prepare(scene.resting) == Status::ok &&
                         scene.mover_rows.prepare(scene.moving()) == Status::ok &&
                         scene.resting_bodies.prepare({scene.resting, {}}) == Status::ok &&
                         scene.moving_bodies.prepare(scene.moving()) == Status::ok;
    if (!is_done) std::abort();
}

// The source texts' loop body (source_rules.md A6-A11), in its usual form.
bool book_axis(float s_min, float s_max, float m_min, float m_max, float d, float& t_enter, float& t_leave) {
    if (d == 0.0f) return !(s_min >= m_max || s_max <= m_min);
    const float one_over_d = 1.0f / d;
    float axis_enter = (s_min - m_max) * one_over_d;
    float axis_leave = (s_max - m_min) * one_over_d;
    if (axis_enter > axis_leave) std::swap(axis_enter, axis_leave);
    if (axis_enter > t_enter) t_enter = axis_enter;
    if (axis_leave < t_leave) t_leave = axis_leave;
    return !(t_enter > t_leave);
}
float book_time_of_impact(const Aabb& s, const Aabb& m, Vec3 d) {
    float t_enter = 0.0f;
    float t_leave = 1.0f;
    if (!book_axis(s.min.x, s.max.x, m.min.x, m.max.x, d.x, t_enter, t_leave)) return kNoIntersection;
    if (!book_axis(s.min.y, s.max.y, m.min.y, m.max.y, d.y, t_enter, t_leave)) return kNoIntersection;
    if (!book_axis(s.min.z, s.max.z, m.min.z, m.max.z, d.z, t_enter, t_leave)) return kNoIntersection;
    return t_enter;
}

// The book's function on the same arrays.
void register_book(const std::string& algorithm, const std::shared_ptr<Scene>& scene,
                   LineVector<IndexPair> pairs) {
    const std::string name = "narrowphase/" + algorithm + "/toi/" + std::to_string(pairs.size()) + "/book";
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
        LineVector<float> expected_toi(pairs.size());
        LineVector<float> out_toi(pairs.size());
        const BoxSoaView resting = scene->resting;
        const MovingBoxes movers = scene->moving();
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const auto [first, second] = pairs[i];
            expected_toi[i] =
                time_of_impact_text_a(resting[first], movers.shapes[second], movers.displacements[second]);
        }
        const auto run = [&] {
            for (std::size_t i = 0; i < pairs.size(); ++i) {
                const auto [first, second] = pairs[i];
                out_toi[i] =
                    book_time_of_impact(resting[first], movers.shapes[second], movers.displacements[second]);
            }
        };
        run();
        require_same(out_toi == expected_toi, name);
        for (auto _ : state) {
            run();
            benchmark::DoNotOptimize(out_toi.data());
            benchmark::ClobberMemory();
        }
        count_items(state, "pair", pairs.size());
    });
}

// Runs `call(scene, out_toi, out_faces)` on every ISA, with faces or without.
template <class Call>
void register_on_every_isa(const std::string& algorithm, const std::shared_ptr<Scene>& scene,
                           std::size_t count, bool has_faces, Call call) {
    const auto run = [=](Isa isa, LineVector<float>& out_toi, LineVector<Face>& out_faces) {
        use_isa(isa);
        out_toi.assign(count, -1.0f);
        out_faces.assign(has_faces ? count : 0, Face::none);
        call(*scene, out_toi, out_faces);
    };
    for (const Isa isa : supported_isas()) {
        const std::string name = benchmark_name(algorithm, has_faces ? "toi_and_face" : "toi", count, isa);
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            LineVector<float> expected_toi;
            LineVector<float> out_toi;
            LineVector<Face> expected_faces;
            LineVector<Face> out_faces;
            run(Isa::scalar, expected_toi, expected_faces);
            run(isa, out_toi, out_faces);
            require_same(out_faces == expected_faces &&
                             std::memcmp(out_toi.data(), expected_toi.data(), count * sizeof(float)) == 0,
                         name);
            for (auto _ : state) {
                call(*scene, out_toi, out_faces);
                benchmark::DoNotOptimize(out_toi.data());
                benchmark::ClobberMemory();
            }
            count_items(state, "pair", count);
        });
    }
}

void register_rows() {
    const auto streams = [](const Scene& scene, LineVector<float>& out_toi, LineVector<Face>& out_faces) {
        (void)times_of_impact({scene.resting, {}}, scene.moving(), Touch::closed, out_toi, out_faces);
    };
    const auto pairs = [](const Scene& scene, LineVector<float>& out_toi, LineVector<Face>& out_faces) {
        (void)times_of_impact({scene.resting, {}}, scene.moving(), scene.pairs, Touch::closed, out_toi,
                              out_faces);
    };
    const auto row_pairs = [](const Scene& scene, LineVector<float>& out_toi, LineVector<Face>& out_faces) {
        (void)times_of_impact(scene.resting_rows, scene.mover_rows, scene.pairs, out_toi, out_faces);
    };
    const auto body_pairs = [](const Scene& scene, LineVector<float>& out_toi, LineVector<Face>& out_faces) {
        (void)times_of_impact(scene.resting_bodies, scene.moving_bodies, scene.pairs, Touch::closed, out_toi,
                              out_faces);
    };
    const auto mover = [](const Scene& scene, LineVector<float>& out_toi, LineVector<Face>& out_faces) {
        const std::size_t middle = scene.movers.count() / 2;
        (void)times_of_impact(scene.movers[middle], scene.moving().displacements[middle], scene.resting,
                              Touch::closed, out_toi, out_faces);
    };
    for (const std::size_t count : {std::size_t{256}, std::size_t{1024}, std::size_t{1000000}}) {
        const auto scene = std::make_shared<Scene>(make_scene(count, 0));
        LineVector<IndexPair> same_place;
        for (std::uint32_t i = 0; i < count; ++i) same_place.push_back({i, i});
        register_book("times_of_impact", scene, same_place);
        for (const bool has_faces : {false, true}) {
            register_on_every_isa("narrowphase/times_of_impact", scene, count, has_faces, streams);
            register_on_every_isa("narrowphase/times_of_impact_of_mover", scene, count, has_faces, mover);
        }
    }
    for (const std::size_t count : {std::size_t{1024}, std::size_t{1000000}}) {
        const auto scene = std::make_shared<Scene>(make_scene(count / 8, count));
        prepare_rows(*scene);
        register_book("times_of_impact_of_pairs", scene, scene->pairs);
        for (const bool has_faces : {false, true}) {
            register_on_every_isa("narrowphase/times_of_impact_of_pairs", scene, count, has_faces, pairs);
            register_on_every_isa("narrowphase/times_of_impact_of_row_pairs", scene, count, has_faces,
                                  row_pairs);
            register_on_every_isa("narrowphase/times_of_impact_of_body_pairs", scene, count, has_faces,
                                  body_pairs);
        }
    }
    const auto scene = std::make_shared<Scene>(make_scene(125000, 0));
    const auto prepare = [](Scene& rows, LineVector<float>&, LineVector<Face>&) { prepare_rows(rows); };
    register_on_every_isa("narrowphase/prepare_all_rows", scene, 125000, false, prepare);
}

const Suite suite("moving_aabb", &register_rows,
                  {"narrowphase/times_of_impact_of_row_pairs/toi/1000000/.*",
                   "narrowphase/times_of_impact(_of_mover)?/toi/1024/widest"});

}  // namespace

}  // namespace broadside::bench
