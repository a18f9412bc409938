// Oriented box against oriented boxes: one against many in arrays, and pairs by index; static, depth and
// moving; and the code of the book.
#include "bench/narrowphase/book_obb.hpp"
#include "bench/narrowphase/obb_scenes.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <broadside/obb_obb.hpp>

#include <cstring>
#include <memory>
#include <vector>

namespace broadside::bench {
namespace {

struct Scene {
    Obb box;
    std::vector<Obb> obbs;
    ObbSoa soa;
    std::vector<Vec3> displacements;
    std::vector<float> displacement_x;
    std::vector<float> displacement_y;
    std::vector<float> displacement_z;
    std::vector<IndexPair> pairs;

    Vec3SoaView displacement_view() const {
        return {displacement_x.data(), displacement_y.data(), displacement_z.data(), displacement_x.size()};
    }
};

// Boxes of 0.4 to 1.4 across, in a space around `box` in which one in ten (`reach` 1.6) or one in two (1.0)
// overlaps it. Pairs: box i / 4 of the array against one up to 64 positions on, as from a broadphase in
// spatial order.
std::shared_ptr<Scene> make_scene(std::size_t count, float reach) {
    auto scene = std::make_shared<Scene>();
    Sequence sequence;
    scene->box = random_box(sequence, {});
    for (std::size_t i = 0; i < count; ++i) {
        scene->obbs.push_back(random_box(sequence, sequence.vector(reach)));
        const Vec3 displacement = sequence.vector(0.8f);
        scene->displacements.push_back(displacement);
        scene->displacement_x.push_back(displacement.x);
        scene->displacement_y.push_back(displacement.y);
        scene->displacement_z.push_back(displacement.z);
    }
    if (scene->soa.assign(scene->obbs) != Status::ok) std::abort();
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t first = i / 4;
        const std::size_t second = (first + 1 + sequence.below(64)) % count;
        scene->pairs.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(second)});
    }
    return scene;
}

struct Outputs {
    explicit Outputs(std::size_t count) : bits(bit_word_count(count)), values(count), axes(count) {}
    friend bool operator==(const Outputs& a, const Outputs& b) {
        return a.bits == b.bits && a.axes == b.axes &&
               std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(float)) == 0;
    }
    std::vector<std::uint64_t> bits;
    std::vector<float> values;
    std::vector<ObbAxis> axes;
};

template <class Call>
void register_on_every_isa(const std::string& algorithm, const std::string& scene_name,
                           const std::shared_ptr<Scene>& scene, Call call) {
    const std::size_t count = scene->obbs.size();
    for (const Isa isa : supported_isas()) {
        const std::string name = benchmark_name(algorithm, scene_name, count, isa);
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            Outputs expected(count);
            Outputs out(count);
            use_isa(Isa::scalar);
            call(*scene, expected);
            use_isa(isa);
            call(*scene, out);
            require_same(out == expected, name);
            for (auto _ : state) {
                call(*scene, out);
                benchmark::DoNotOptimize(out.bits.data());
                benchmark::DoNotOptimize(out.values.data());
                benchmark::ClobberMemory();
            }
            count_items(state, "pair", count);
        });
    }
}

void static_many(const Scene& scene, Outputs& out) { (void)overlaps(scene.box, scene.soa, out.bits); }
void contact_many(const Scene& scene, Outputs& out) {
    (void)obb_contacts(scene.box, scene.soa, out.values, out.axes);
}
void sweep_many(const Scene& scene, Outputs& out) {
    (void)times_of_impact(scene.box, {0.5f, -0.3f, 0.2f}, scene.soa, scene.displacement_view(), out.values);
}
void static_pairs(const Scene& scene, Outputs& out) {
    (void)overlaps(scene.obbs, scene.obbs, scene.pairs, out.bits);
}
void contact_pairs(const Scene& scene, Outputs& out) {
    (void)obb_contacts(scene.obbs, scene.obbs, scene.pairs, out.values, out.axes);
}
void sweep_pairs(const Scene& scene, Outputs& out) {
    (void)times_of_impact(scene.obbs, scene.displacements, scene.obbs, scene.displacements, scene.pairs,
                          out.values);
}

// The book's result may differ if its epsilon decides: it may only accept pairs that we reject.
template <class OverlapAt>
void register_book(const std::string& algorithm, const std::string& scene_name,
                   const std::shared_ptr<Scene>& scene, OverlapAt overlap_at) {
    const std::size_t count = scene->obbs.size();
    const std::string name = algorithm + "/" + scene_name + "/" + std::to_string(count) + "/book";
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
        std::vector<std::uint8_t> out(count);
        std::size_t differing_count = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const auto [is_hit, expected] = overlap_at(*scene, i, true);
            differing_count += is_hit != expected ? 1 : 0;
        }
        require_same(differing_count <= count / 10000 + 1, name);
        for (auto _ : state) {
            for (std::size_t i = 0; i < count; ++i) out[i] = overlap_at(*scene, i, false).first ? 1 : 0;
            benchmark::DoNotOptimize(out.data());
            benchmark::ClobberMemory();
        }
        count_items(state, "pair", count);
    });
}

void register_rows() {
    // 512 boxes of 60 bytes fit into the first cache, a million into none.
    for (const std::size_t count : {std::size_t{512}, std::size_t{1000000}}) {
        for (const bool is_dense : {false, true}) {
            const auto scene = make_scene(count, is_dense ? 0.9f : 1.6f);
            const std::string hits = is_dense ? "dense_" : "";
            register_on_every_isa("narrowphase/obb_obbs", hits + "static", scene, static_many);
            register_on_every_isa("narrowphase/obb_obbs", hits + "contact", scene, contact_many);
            register_on_every_isa("narrowphase/obb_obbs", hits + "sweep", scene, sweep_many);
            register_on_every_isa("narrowphase/obb_obb_pairs", hits + "static", scene, static_pairs);
            register_on_every_isa("narrowphase/obb_obb_pairs", hits + "contact", scene, contact_pairs);
            register_on_every_isa("narrowphase/obb_obb_pairs", hits + "sweep", scene, sweep_pairs);
            register_book("narrowphase/obb_obbs", hits + "static", scene,
                          [](const Scene& s, std::size_t i, bool has_expected) {
                              const bool is_hit = book_overlap(s.box, s.obbs[i]);
                              return std::pair(is_hit, has_expected && overlap(s.box, s.obbs[i]));
                          });
            register_book("narrowphase/obb_obb_pairs", hits + "static", scene,
                          [](const Scene& s, std::size_t i, bool has_expected) {
                              const Obb& a = s.obbs[s.pairs[i].first];
                              const Obb& b = s.obbs[s.pairs[i].second];
                              return std::pair(book_overlap(a, b), has_expected && overlap(a, b));
                          });
        }
    }
}

const Suite suite("obb_obb", &register_rows,
                  {"narrowphase/obb_obbs/static/1000000/.*",
                   "narrowphase/obb_obb_pairs/(contact|sweep)/512/widest"});

}  // namespace

}  // namespace broadside::bench
