// Ray directions below FLT_MIN count as zero in every ray query.
#include "tests/support/for_each_isa.hpp"
#include "tests/support/generators.hpp"
#include "tests/support/suites.hpp"

#include <broadside/bits.hpp>
#include <broadside/box_tree.hpp>
#include <broadside/mesh_scene.hpp>
#include <broadside/ray_box.hpp>
#include <broadside/ray_box4.hpp>
#include <broadside/ray_sphere.hpp>
#include <broadside/ray_triangle.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>

using namespace broadside;
using namespace broadside::test;

namespace {

// A box, a sphere and a triangle, in every structure that rays can query.
class RayTargets {
public:
    RayTargets(const Aabb& box, const Sphere& sphere, const Triangle& triangle, float scale)
        : box_(box), sphere_(sphere), triangle_(triangle) {
        REQUIRE(boxes_.push_back(box) == Status::ok);
        REQUIRE(tree_.build(boxes_) == Status::ok);
        const Vec3 corners[3] = {triangle.a, triangle.b, triangle.c};
        const std::uint32_t indices[3] = {0, 1, 2};
        REQUIRE(mesh_.build(corners, indices).status == Status::ok);
        // The same triangle, placed, of a mesh of another size.
        const Vec3 others[3] = {corners[0] * (1 / scale), corners[1] * (1 / scale), corners[2] * (1 / scale)};
        REQUIRE(other_.build(others, indices).status == Status::ok);
        PlacedMesh placed = {&other_, {}};
        placed.world_from_mesh.row_x.x = placed.world_from_mesh.row_y.y = placed.world_from_mesh.row_z.z =
            scale;
        REQUIRE(scene_.build({&placed, 1}).status == Status::ok);
    }

    /// All results for a ray, as numbers.
    std::vector<float> answers(const Ray& ray) const {
        std::vector<float> all;
        const auto add = [&](auto... numbers) { (all.push_back(static_cast<float>(numbers)), ...); };
        // Enough of them for rays to be prepared in lanes.
        const std::vector<Ray> rays(33, ray);
        const std::size_t last = rays.size() - 1;
        std::vector<std::uint64_t> bits(bit_word_count(rays.size()));
        const auto add_bits = [&] { add(bits[0] >> last & 1); };

        const RaySolidHit of_box = ray_box(ray, box_);
        add(of_box.has_hit, of_box.t_enter, of_box.t_exit, of_box.face);
        float t_enter = 0, t_exit = 0;
        Face face = Face::none;
        REQUIRE(ray_boxes(ray, boxes_, {}, {{&t_enter, 1}, {&t_exit, 1}, {&face, 1}, bits}).status ==
                Status::ok);
        add(t_enter, t_exit, face, bits[0]);
        const IndexPair pair = {static_cast<std::uint32_t>(last), 0};
        REQUIRE(ray_boxes(rays, boxes_, {&pair, 1}, {}, {{&t_enter, 1}, {&t_exit, 1}, {}, bits}).status ==
                Status::ok);
        add(t_enter, t_exit, bits[0]);
        std::vector<std::uint64_t> rows(rays.size());
        REQUIRE(ray_boxes(rays, boxes_, RaySettings{}, std::span(rows)).status == Status::ok);
        add(rows[last]);
        std::vector<TreeHit> closest(rays.size());
        REQUIRE(closest_hits(rays, boxes_, RaySettings{}, closest).status == Status::ok);
        add(closest[last].t, closest[last].target);
        add(ray_box(prepare_ray4(rays), box_).t_enter[3]);

        add(tree_.closest_hit(ray).t, tree_.any_hit(ray));
        REQUIRE(tree_.closest_hits(std::span<const Ray>(rays), {}, closest).status == Status::ok);
        add(closest[last].t, closest[last].target);
        REQUIRE(tree_.any_hit(std::span<const Ray>(rays), {}, bits).status == Status::ok);
        add_bits();

        const RaySolidHit of_sphere = ray_sphere(ray, sphere_);
        add(of_sphere.has_hit, of_sphere.t_enter, of_sphere.t_exit);
        const SphereSoaView spheres = {&sphere_.center.x, &sphere_.center.y, &sphere_.center.z,
                                       &sphere_.radius, 1};
        REQUIRE(ray_spheres(ray, spheres, {}, {{&t_enter, 1}, {&t_exit, 1}, {}, bits}).status == Status::ok);
        add(t_enter, t_exit, bits[0]);
        std::vector<TreeHit> closest_spheres(rays.size());
        REQUIRE(closest_hits(rays, spheres, RaySettings{}, closest_spheres).status == Status::ok);
        add(closest_spheres[last].t);

        const RayTriangleHit of_triangle = ray_triangle(ray, triangle_);
        add(of_triangle.has_hit, of_triangle.t, of_triangle.u, of_triangle.v);
        const auto add_hit = [&](const MeshHit& hit) { add(hit.t, hit.u, hit.v, hit.target); };
        const auto add_scene_hit = [&](const SceneHit& hit) {
            add_hit({hit.t, hit.u, hit.v, hit.target.triangle_index});
        };
        add_hit(mesh_.closest_hit(ray));
        add(mesh_.any_hit(ray), mesh_.crossing_count(ray.origin, ray.direction));
        std::vector<MeshHit> hits(rays.size());
        REQUIRE(mesh_.closest_hits(rays, {}, hits).status == Status::ok);
        add_hit(hits[last]);
        REQUIRE(mesh_.any_hit(rays, {}, bits).status == Status::ok);
        add_bits();
        MeshScratch scratch;
        std::vector<Listed<MeshHit>> ray_hits(rays.size());
        add(mesh_.find_hits(rays, {}, scratch, ray_hits).required);
        add_hit(ray_hits[last].found);

        add_scene_hit(scene_.closest_hit(ray));
        add(scene_.any_hit(ray));
        std::vector<SceneHit> scene_hits(rays.size());
        REQUIRE(scene_.closest_hits(rays, {}, scene_hits).status == Status::ok);
        add_scene_hit(scene_hits[last]);
        REQUIRE(scene_.any_hit(rays, {}, bits).status == Status::ok);
        add_bits();
        MeshScratch scene_scratch;
        std::vector<Listed<SceneHit>> scene_ray_hits(rays.size());
        add(scene_.find_hits(rays, {}, scene_scratch, scene_ray_hits).required);
        add_scene_hit(scene_ray_hits[last].found);
        return all;
    }

    bool is_hit(const Ray& ray) const {
        return ray_box(ray, box_).has_hit && ray_sphere(ray, sphere_).has_hit && mesh_.any_hit(ray) &&
               scene_.any_hit(ray);
    }

private:
    Aabb box_;
    Sphere sphere_;
    Triangle triangle_;
    BoxSoa boxes_;
    BoxTree tree_;
    TriangleMesh mesh_, other_;
    MeshScene scene_;
};

// Denormal, of any size and sign.
float any_denormal(Random& random) {
    const float size = std::ldexp(1.0f + random.unit(), -127 - static_cast<int>(random.below(23)));
    return random.chance(2) ? size : -size;
}

}  // namespace

TEST_CASE("a component of a ray's direction below FLT_MIN is zero, in every ray query" * kLong) {
    // Next to the origin, so that such a direction reaches the shape within t_max; and so far away that it
    // would lead aside by as much as the shapes are wide.
    const RayTargets near({{-1, -1, 0x1p-135f}, {1, 1, 1}}, {{0, 0, 2}, 2 - 0x1p-20f},
                          {{-1, -1, 0x1p-135f}, {1, -1, 0x1p-135f}, {0, 1, 0x1p-135f}}, 0x1p-20f);
    const RayTargets far({{0x1p120f, 0, -9}, {0x1p121f, 9, 9}}, {{0x1p120f, 9, 0}, 9},
                         {{0x1p120f, 0, -9}, {0x1p120f, 0, 9}, {0x1p120f, 9, 0}}, 0x1p10f);
    Random random(2801);
    for_each_isa([&](Isa) {
        int hit_count = 0;
        for (int i = 0; i < 400; ++i) {
            const bool is_near = random.chance(2);
            Ray ray = {{}, {}, FLT_MAX}, zero = ray;
            if (is_near) {
                ray.direction = {0, 0, absolute(any_denormal(random))};
                if (random.chance(2))
                    ray.direction = {any_denormal(random), any_denormal(random), ray.direction.z};
                if (random.chance(3)) ray.origin.z = zero.origin.z = 0.5f * random.grid(0, 2);
            } else {
                ray.origin.y = zero.origin.y = random.chance(2) ? -0x1p-8f : 0x1p-8f;
                ray.direction = {1, any_denormal(random), random.chance(2) ? any_denormal(random) : 0};
                zero.direction.x = 1;
            }
            const RayTargets& things = is_near ? near : far;
            INFO("ray " << i << " by " << ray.direction.x << " " << ray.direction.y << " "
                        << ray.direction.z);
            const std::vector<float> answers = things.answers(ray);
            const std::vector<float> expected = things.answers(zero);
            REQUIRE(answers.size() == expected.size());
            for (std::size_t k = 0; k < answers.size(); ++k) {
                INFO("answer " << k);
                REQUIRE(same_bits(answers[k], expected[k]));
            }
            // Far away each ray hits the shape that is level with it, and nothing else.
            hit_count += !is_near && things.is_hit(ray) ? 1 : 0;
        }
        CHECK(hit_count > 50);
    });
}
