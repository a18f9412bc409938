// Ray against box: one ray, many rays, pairs in runs, and the four-wide forms.
#include "bench/narrowphase/ray_box_scene.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <broadside/ray_box.hpp>
#include <broadside/ray_box4.hpp>

#include <memory>

namespace broadside::bench {
namespace {

// Outputs of a call, compared as bytes between ISAs.
struct Output {
    LineVector<float> t_enter = {};
    LineVector<Face> face = {};
    LineVector<std::uint64_t> hit_bits = {};
    LineVector<Mask4> masks = {};
    std::vector<std::uint32_t> closest = {};

    friend bool operator==(const Output&, const Output&) = default;
};

// `call(output, turn)` makes `test_count` tests; `turn` counts the calls.
template <class Call>
void register_on_every_isa(const std::string& algorithm, const std::string& scene, std::size_t test_count,
                           const Output& sized, Call call) {
    for (const Isa isa : supported_isas()) {
        const std::string name = benchmark_name("narrowphase/" + algorithm, scene, test_count, isa);
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            Output expected = sized;
            Output output = sized;
            use_isa(Isa::scalar);
            std::size_t turn = 0;
            call(expected, turn);
            use_isa(isa);
            call(output, turn);
            require_same(output == expected, name);
            for (auto _ : state) {
                call(output, turn++);
                benchmark::ClobberMemory();
            }
            count_items(state, "test", test_count);
        });
    }
}

void register_one_ray(const std::shared_ptr<RayBoxScene>& scene) {
    const std::size_t count = scene->boxes.count();
    const Output bits = {.hit_bits = LineVector<std::uint64_t>(bit_word_count(count))};
    const Output times = {.t_enter = LineVector<float>(count)};
    const Output faces = {.t_enter = LineVector<float>(count), .face = LineVector<Face>(count)};
    // Another ray each time, as for a caller.
    const auto call = [=](Output& out, std::size_t turn) {
        (void)ray_boxes(scene->rays[turn % kRayCount], scene->boxes, {},
                        {.t_enter = out.t_enter, .face = out.face, .hit_bits = out.hit_bits});
    };
    register_on_every_isa("ray_boxes", "hits", count, bits, call);
    register_on_every_isa("ray_boxes", "t", count, times, call);
    register_on_every_isa("ray_boxes", "t_and_face", count, faces, call);
}

void register_many_rays(const std::shared_ptr<RayBoxScene>& scene) {
    const std::size_t count = scene->boxes.count();
    const std::size_t test_count = count * kRayCount;
    const Output bits = {.hit_bits = LineVector<std::uint64_t>(kRayCount * bit_word_count(count))};
    register_on_every_isa("rays_boxes", "hits", test_count, bits, [=](Output& out, std::size_t) {
        (void)ray_boxes(scene->rays, scene->boxes, {}, out.hit_bits);
    });
    const Output indices = {.closest = std::vector<std::uint32_t>(kRayCount)};
    register_on_every_isa("closest_hits", "t_and_face", test_count, indices, [=](Output& out, std::size_t) {
        TreeHit closest[kRayCount];
        (void)closest_hits(scene->rays, scene->boxes, {}, closest);
        for (std::size_t r = 0; r < kRayCount; ++r) out.closest[r] = closest[r].target;
    });
}

void register_pairs(const std::shared_ptr<RayBoxScene>& scene, std::size_t pair_count,
                    std::size_t run_length) {
    std::vector<IndexPair> pairs;
    Sequence sequence;
    for (std::size_t i = 0; i < pair_count; ++i) {
        const auto box =
            static_cast<std::uint32_t>(sequence.next() * static_cast<float>(scene->boxes.count()));
        pairs.push_back({static_cast<std::uint32_t>(i / run_length % kRayCount), box});
    }
    const Output times = {.t_enter = LineVector<float>(pair_count), .face = LineVector<Face>(pair_count)};
    const std::string name = "runs_of_" + std::to_string(run_length);
    register_on_every_isa("ray_box_pairs", name, pair_count, times, [=](Output& out, std::size_t) {
        (void)ray_boxes(scene->rays, scene->boxes, pairs, {}, {.t_enter = out.t_enter, .face = out.face});
    });
}

void register_four_wide(const std::shared_ptr<RayBoxScene>& scene) {
    const std::size_t count = scene->boxes.count();
    const PreparedRay ray = prepare_ray(scene->rays[1]);
    const Output node_masks = {.masks = LineVector<Mask4>(scene->nodes.size())};
    register_on_every_isa("ray_box4s", "hits", scene->nodes.size() * 4, node_masks,
                          [=](Output& out, std::size_t) { (void)ray_boxes(ray, scene->nodes, out.masks); });
    const Ray4 packet = prepare_ray4(std::span(scene->rays).first(4));
    const Output box_masks = {.masks = LineVector<Mask4>(count)};
    register_on_every_isa("ray4_boxes", "hits", count * 4, box_masks, [=](Output& out, std::size_t) {
        (void)ray_boxes(packet, scene->boxes, out.masks);
    });
}

void register_rows() {
    for (const std::size_t count : {std::size_t{1024}, std::size_t{1000000}}) {
        register_one_ray(make_ray_box_scene(count));
    }
    const auto scene = make_ray_box_scene(1024);
    register_many_rays(scene);
    for (const std::size_t run_length : {1u, 8u, 64u}) register_pairs(scene, 16384, run_length);
    register_four_wide(scene);
}

const Suite suite("ray_box", &register_rows,
                  {"narrowphase/ray_boxes/t/1024/.*",
                   "narrowphase/(ray_box4s|ray4_boxes|rays_boxes)/hits/[0-9]+/widest"});

}  // namespace

}  // namespace broadside::bench
