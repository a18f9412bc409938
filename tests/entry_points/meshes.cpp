// The entry points of meshes, of pairs of them, and of scenes.
#include "tests/entry_points/entry_points.hpp"

#include <broadside/clash.hpp>
#include <broadside/mesh_distance.hpp>
#include <broadside/mesh_pairs.hpp>
#include <broadside/mesh_scene.hpp>
#include <broadside/obb_tree.hpp>
#include <broadside/ray_triangle.hpp>
#include <broadside/shape_triangle.hpp>
#include <broadside/sphere_tree.hpp>

#include <doctest/doctest.h>

#include <numeric>

namespace broadside::test {
namespace {

constexpr Transform kAside = {{0.6f, 0.8f, 0}, {-0.8f, 0.6f, 0}, {0, 0, 1}, {0.1f, 0.3f, 0.7f}};

// Queries that meshes and scenes have under the same names.
template <class Scratch, class Hit, class Impact, class Overlap, class Point, class Asked>
void add_queries(const Material& m, EntryPoints& list, const std::string& of, const Asked& asked) {
    const EnvironmentShapes& q = m.queries;
    const std::size_t count = q.rays.size();
    const std::span<std::uint64_t> bits = list.room<std::uint64_t>(bit_word_count(count));
    const std::span<Listed<Hit>> hits = list.room<Listed<Hit>>(4000);
    const std::span<Listed<Impact>> impacts = list.room<Listed<Impact>>(4000);
    const std::span<Overlap> overlaps = list.room<Overlap>(8000);
    const auto any_hit = [&](Call& call, auto queries, auto out) {
        return asked.any_hit(queries, call.runner(), out);
    };
    const auto closest_hits = [&](Call& call, auto queries, auto out) {
        return asked.closest_hits(queries, call.runner(), out);
    };
    const auto find_hits = [&](Call& call, auto queries, auto out) {
        Scratch scratch;
        return asked.find_hits(queries, call.runner(), scratch, out);
    };
    const std::span<const Ray> rays = q.rays;
    list.add(of + "::closest_hits", closest_hits, rays, list.room<Hit>(count));
    list.add(of + "::any_hit", any_hit, rays, bits);
    list.add(of + "::find_hits", find_hits, rays, hits);
    // Each alone.
    const auto each = [&](const std::string& name, const auto& listed, auto ask) {
        list.add(of + name, [&asked, ask, items = Material::some(listed)](Call& call) {
            for (const auto& item : items) call.add(ask(asked, item));
        });
    };
    const auto add_alone = [&](const auto& queries, const std::string& more) {
        each("::closest_hit" + more, queries,
             [](const Asked& a, const auto& query) { return a.closest_hit(query); });
        each("::any_hit (alone)" + more, queries,
             [](const Asked& a, const auto& query) { return a.any_hit(query); });
        list.add(of + "::visit_hits" + more, [&asked, some = Material::some(queries)](Call& call) {
            for (const auto& query : some) {
                call.add(asked.visit_hits(query, [&](const auto& hit) {
                    call.add(hit);
                    return hit.t;
                }));
            }
        });
    };
    add_alone(q.rays, "");
    std::string more;
    const auto add_casts = [&](const auto& casts) {
        const std::span queries(casts);
        list.add(of + "::closest_hits" + more, closest_hits, queries, list.room<Impact>(count));
        list.add(of + "::find_hits" + more, find_hits, queries, impacts);
        list.add(of + "::any_hit, of casts" + more, any_hit, queries, bits);
        add_alone(casts, more);
        more = ", more casts";
    };
    add_casts(m.obb_casts);
    add_casts(m.sphere_casts);
    // Long, and so the dearest: few in the large list.
    add_casts(m.count() > 1000 ? m.some(m.capsule_casts, 64) : std::span(m.capsule_casts));
    more.clear();
    const auto add_shapes = [&](const auto& shapes) {
        const std::span queries(shapes);
        list.add(
            of + "::find_overlaps" + more,
            [&](Call& call, auto listed, auto out) {
                Scratch scratch;
                return asked.find_overlaps(listed, call.runner(), scratch, out);
            },
            queries, overlaps);
        list.add(
            of + "::any_overlap" + more,
            [&](Call& call, auto listed, auto out) { return asked.any_overlap(listed, call.runner(), out); },
            queries, bits);
        each("::any_overlap (alone)" + more, shapes,
             [](const Asked& a, const auto& shape) { return a.any_overlap(shape); });
        if constexpr (requires { asked.first_overlaps(queries, 2, nullptr, std::span<std::uint32_t>()); }) {
            list.add(
                of + "::first_overlaps" + more,
                [&](Call& call, auto listed, auto out) {
                    return asked.first_overlaps(listed, 2, call.runner(), out);
                },
                m.some(queries), list.room<std::uint32_t>(m.some(queries).size() / 8));
        }
        more = ", more shapes";
    };
    add_shapes(q.spheres);
    add_shapes(q.obbs);
    add_shapes(q.boxes);
    add_shapes(m.capsules);
    const std::span<const Vec3> points = q.points;
    list.add(
        of + "::closest_points",
        [&](Call& call, auto listed, auto out) { return asked.closest_points(listed, call.runner(), out); },
        points, list.room<Point>(count));
    list.add(
        of + "::contain",
        [&](Call& call, auto listed, auto out) { return asked.contain(listed, call.runner(), out); }, points,
        bits);
    list.add(
        of + "::signed_distances",
        [&](Call& call, auto listed, auto out) { return asked.signed_distances(listed, call.runner(), out); },
        points, list.room<float>(count));
    each("::closest_point", q.points, [](const Asked& a, Vec3 point) { return a.closest_point(point); });
    each("::contains", q.points, [](const Asked& a, Vec3 point) { return a.contains(point); });
    each("::signed_distance", q.points, [](const Asked& a, Vec3 point) { return a.signed_distance(point); });
}

void add_mesh(const Material& m, EntryPoints& list) {
    const std::span<const Vec3> vertices = m.vertices;
    const std::span<const std::uint32_t> indices = m.indices;
    list.add(
        "TriangleMesh::build",
        [](Call& call, auto... spans) {
            TriangleMesh mesh;
            const auto result = mesh.build(spans..., call.runner());
            call.add(mesh.bounds(), mesh.degenerate_count());
            std::vector<std::byte> bytes(mesh.snapshot_bytes());
            call.add(mesh.save(bytes));
            call.add_all(bytes);
            return result;
        },
        vertices, indices);
    const std::span<std::byte> bytes = list.room<std::byte>(m.mesh.snapshot_bytes());
    list.add(
        "TriangleMesh::save", [&](Call&, auto out) { return m.mesh.save(out); }, bytes);
    std::vector<std::byte> saved(bytes.size());
    REQUIRE(m.mesh.save(saved) == Status::ok);
    list.add(
        "TriangleMesh::restore",
        [](Call& call, auto from) {
            TriangleMesh mesh;
            const Status status = mesh.restore(from);
            call.add(mesh.bounds(), mesh.triangle_count());
            return status;
        },
        list.keep(saved));
    list.add("TriangleMesh::crossing_count", [&](Call& call) {
        for (const Ray& ray : m.some(m.queries.rays))
            call.add(m.mesh.crossing_count(ray.origin, ray.direction));
    });
    add_queries<MeshScratch, MeshHit, MeshImpact, IndexPair, MeshClosestPoint>(m, list, "TriangleMesh",
                                                                               m.mesh);
}

void add_triangles_alone(EntryPoints& list) {
    static const EnvironmentShapes s(63);
    static const std::vector<Capsule> capsules = [] {
        std::vector<Capsule> made;
        for (std::size_t i = 0; i + 1 < s.spheres.size(); ++i)
            made.push_back({s.spheres[i].center, s.spheres[i + 1].center, s.spheres[i].radius});
        return made;
    }();
    const auto each = [&](const char* name, const auto& shapes, auto ask) {
        list.add(name, [&shapes, ask](Call& call) {
            for (std::size_t i = 0; i < shapes.size(); ++i) {
                for (const Triangle& triangle : s.triangles) call.add(ask(shapes[i], s.points[i], triangle));
            }
        });
    };
    const auto overlaps = [](const auto& shape, Vec3, const Triangle& of) { return overlap(shape, of); };
    const auto impact = [](const auto& shape, Vec3 way, const Triangle& of) {
        return first_impact(shape, way, of);
    };
    each("ray_triangle", s.rays,
         [](const Ray& ray, Vec3, const Triangle& of) { return ray_triangle(ray, of); });
    each("overlap (box, triangle)", s.boxes, overlaps);
    each("overlap (capsule, triangle)", capsules, overlaps);
    each("first_impact (sphere, triangle)", s.spheres, impact);
    each("first_impact (capsule, triangle)", capsules, impact);
    each("triangle_pair", s.triangles,
         [](const Triangle& a, Vec3, const Triangle& b) { return triangle_pair(a, b); });
    each("closest_points (triangles)", s.triangles,
         [](const Triangle& a, Vec3, const Triangle& b) { return closest_points(a, b); });
    const auto seen = [&](const char* name, const auto& items, auto ask) {
        list.add(name, [&items, ask](Call& call) {
            for (const auto& item : items) call.add(ask(item));
        });
    };
    seen("placed (point)", s.points, [](const Vec3& of) { return placed(kAside, of); });
    seen("placed (triangle)", s.triangles, [](const Triangle& of) { return placed(kAside, of).b; });
    seen("placed (sphere)", s.spheres, [](const Sphere& of) { return placed(kAside, of); });
    seen("seen_from_mesh (point)", s.points, [](const Vec3& of) { return seen_from_mesh(kAside, of); });
    seen("seen_from_mesh (ray)", s.rays, [](const Ray& of) { return seen_from_mesh(kAside, of).direction; });
    seen("seen_from_mesh (sphere)", s.spheres, [](const Sphere& of) { return seen_from_mesh(kAside, of); });
    seen("seen_from_mesh (capsule)", capsules, [](const Capsule& of) { return seen_from_mesh(kAside, of); });
    seen("seen_from_mesh (oriented box)", s.obbs, [](const Obb& of) { return seen_from_mesh(kAside, of); });
    seen("seen_from_mesh (box)", s.boxes, [](const Aabb& of) { return seen_from_mesh(kAside, of); });
    seen("way_seen_from_mesh", s.points, [](const Vec3& of) { return way_seen_from_mesh(kAside, of); });
    list.add("is_placement", [](Call& call) { call.add(is_placement(kAside)); });
}

// Within reach of each other, and such that placed coordinates are floats.
struct Heap {
    TriangleMesh mesh;
    ObbTree tree;
    std::vector<Sphere> parts;
    SphereTree part_tree;
    PlacedMesh a = {&mesh, {}, &tree};
    PlacedMesh b = {&mesh, kAside, &tree};

    Heap() {
        const EnvironmentShapes s(63);
        std::vector<Vec3> vertices;
        for (const Triangle& triangle : s.triangles) {
            for (const Vec3 corner : {triangle.a, triangle.b, triangle.c}) {
                const Vec3 size = absolute(corner);
                if (!is_finite(corner) || !(max_keep(max_keep(size.x, size.y), size.z) <= 1e6f)) break;
                vertices.push_back(corner);
            }
            while (vertices.size() % 3 != 0) vertices.pop_back();
        }
        std::vector<std::uint32_t> indices(vertices.size());
        std::iota(indices.begin(), indices.end(), 0u);
        REQUIRE(indices.size() > 30);
        REQUIRE(mesh.build(vertices, indices).status == Status::ok);
        REQUIRE(tree.build(mesh) == Status::ok);
        for (const Sphere& sphere : s.spheres) {
            if (is_valid(sphere)) parts.push_back(sphere);
        }
        REQUIRE(part_tree.build(parts).status == Status::ok);
    }
};

void add_pairs_of_meshes(EntryPoints& list) {
    static const Heap h;
    const auto relate = [&](const std::string& name, auto ask) {
        for (const ObbTree* const of_b : {&h.tree, static_cast<const ObbTree*>(nullptr)})
            list.add(name + (of_b == nullptr ? ", without a tree" : ""), [of_b, ask](Call& call) {
                return ask(call, PlacedMesh{&h.mesh, kAside, of_b});
            });
    };
    list.add("placed_bounds", [](Call& call) { call.add(placed_bounds(h.b)); });
    list.add("ObbTree::build", [](Call& call) {
        ObbTree built;
        const Status status = built.build(h.mesh);
        for (std::uint32_t i = 0; i < built.node_count(); ++i) call.add(built.node(i).box);
        return status;
    });
    const std::span<TrianglePair> pairs = list.room<TrianglePair>(4000);
    list.add(
        "find_triangle_pairs",
        [](Call& call, auto out) {
            MeshScratch scratch;
            PairSearchCounts counts;
            const WriteResult result = find_triangle_pairs(h.a, h.b, scratch, out, &counts);
            call.add(counts);
            return result;
        },
        pairs);
    list.add(
        "find_triangle_pairs, without a tree",
        [](Call& call, auto out) {
            MeshScratch scratch;
            PairSearchCounts counts;
            const WriteResult result = find_triangle_pairs(h.a, {&h.mesh, kAside}, scratch, out, &counts);
            call.add(counts);
            return result;
        },
        pairs);
    relate("any_triangle_pair", [](Call& call, const PlacedMesh& b) {
        const AnyPairResult result = any_triangle_pair(h.a, b);
        call.add(result.found);
        return result;
    });
    relate("first_impact (meshes)", [](Call& call, const PlacedMesh& b) {
        const MeshPairImpact impact = first_impact(h.a, {0.1f, 0, 0}, b, {0.3f, 0.2f, 0.1f});
        call.add(impact);
        return impact;
    });
    list.add("closest_triangle_pair", [](Call& call) {
        Transform far = kAside;
        far.translation.x = 3e6f;
        for (const Transform& place : {kAside, far}) call.add(closest_triangle_pair(h.a, {&h.mesh, place}));
    });
    list.add("mesh_relation", [](Call& call) {
        MeshRelationSettings settings = call.settings<MeshRelationSettings>();
        MeshRelationResult result = mesh_relation(h.a, h.b, settings);
        if (result.status != Status::ok) return result;
        call.add(result.found);
        settings.clearance = 0.3f;
        result = mesh_relation(h.a, h.b, settings);
        call.add(result.found);
        return result;
    });
    list.add(
        "SphereTree::build",
        [](Call& call, auto parts) {
            SphereTree built;
            const auto result = built.build(parts);
            for (std::uint32_t i = 0; i < built.node_count(); ++i) call.add(built.node(i).sphere);
            return result;
        },
        std::span<const Sphere>(h.parts));
    list.add("SphereTree::build (of a mesh)", [](Call& call) {
        SphereTree built;
        const auto result = built.build(h.mesh);
        for (std::uint32_t i = 0; i < built.node_count(); ++i) call.add(built.node(i).sphere);
        return result;
    });
    list.add(
        "find_part_pairs",
        [](Call& call, auto out) {
            MeshScratch scratch;
            PairSearchCounts counts;
            const WriteResult result =
                find_part_pairs(h.part_tree, {}, h.part_tree, kAside, scratch, out, &counts);
            call.add(counts);
            return result;
        },
        list.room<IndexPair>(5000));
    list.add("any_part_pair", [](Call& call) {
        const auto result = any_part_pair(h.part_tree, {}, h.part_tree, kAside);
        call.add(result.found);
        return result;
    });
}

// A heap of cubes askew, or of the mesh of the material.
std::vector<PlacedMesh> many_meshes(const Material& m) {
    static const TriangleMesh corner = [] {
        const std::vector<Vec3> vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        const std::vector<std::uint32_t> indices = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
        TriangleMesh made;
        REQUIRE(made.build(vertices, indices).status == Status::ok);
        return made;
    }();
    const bool is_large = m.count() > 1000;
    std::vector<PlacedMesh> made;
    for (int i = 0; i < (is_large ? 12 : 70); ++i) {
        const auto place = static_cast<float>(i);
        const Vec3 at =
            is_large ? Vec3{place, 0.25f * place, 0} : Vec3{place * 0.1f, place * place * 0.01f, 0.3f};
        made.push_back({is_large ? &m.mesh : &corner, {{0.6f, 0.8f, 0}, {-0.8f, 0.6f, 0}, {0, 0, 1}, at}});
    }
    return made;
}

void add_scenes(const Material& m, EntryPoints& list) {
    const std::span<const PlacedMesh> placed = list.keep(many_meshes(m));
    const MeshScene& scene = *[&] {
        MeshScene* const made = list.list<MeshScene>();
        REQUIRE(made->build(placed).status == Status::ok);
        return made;
    }();
    const auto add_all = [](Call& call, const MeshScene& built) {
        for (std::uint32_t i = 0; i < built.instance_count(); ++i) call.add(built.bounds(i));
    };
    list.add(
        "MeshScene::build",
        [=](Call& call, auto instances) {
            MeshScene built;
            const auto result = built.build(instances, call.runner());
            add_all(call, built);
            return result;
        },
        placed);
    list.add(
        "MeshScene::update",
        [=](Call& call, auto places) {
            MeshScene built;
            REQUIRE(built.build(placed).status == Status::ok);
            const auto result = built.update(places, call.runner());
            add_all(call, built);
            return result;
        },
        list.keep(std::vector<Transform>(placed.size())));
    add_queries<MeshScratch, SceneHit, SceneImpact, Listed<SceneTriangle>, SceneClosestPoint>(
        m, list, "MeshScene", scene);
    const std::span<Clash> clashes = list.room<Clash>(6000);
    const auto find = [](Call& call, auto... of) {
        BoxScratch scratch;
        return find_clashes(of..., call.settings(MeshRelationSettings{.clearance = 0.1f}), scratch,
                            std::span<Clash>());
    };
    list.add("find_clashes (one set)", find, placed);
    list.add("find_clashes (two sets)", find, placed, placed.first(9));
    list.add(
        "ClashOutput::ClashOutput",
        [=](Call& call, auto out) {
            BoxScratch scratch;
            return find_clashes(placed, call.settings(MeshRelationSettings{.clearance = 0.1f}), scratch, out);
        },
        clashes);
}

}  // namespace

void add_meshes(const Material& m, EntryPoints& list) {
    add_mesh(m, list);
    add_scenes(m, list);
}

void add_meshes_alone(EntryPoints& list) {
    add_triangles_alone(list);
    add_pairs_of_meshes(list);
}

}  // namespace broadside::test
