// The example's broad phase for the IPC Toolkit beside plain loops over doubles.
#include "examples/ipc_broadphase/ipc_broadphase.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <stdexcept>

using namespace ipc;
using ipc_example::BroadsideBroadPhase;

namespace {

using Ids = std::pair<std::size_t, std::size_t>;

struct Mesh {
    std::vector<Point> at_t0, at_t1;
    std::vector<Edge> edges;
    std::vector<Face> faces;
};

// The edges of all faces, each once.
void add_edges(Mesh& mesh) {
    std::set<Edge> edges;
    for (const Face& face : mesh.faces) {
        for (std::size_t k = 0; k < 3; ++k) {
            const std::int32_t a = face[k], b = face[(k + 1) % 3];
            edges.insert({std::min(a, b), std::max(a, b)});
        }
    }
    mesh.edges.assign(edges.begin(), edges.end());
}

// A cloth of side x side vertices, folded onto itself, which moves by up to `motion`.
Mesh folded_cloth(std::mt19937_64& random, std::int32_t side, double offset, double motion) {
    std::uniform_real_distribution<double> unit(-1, 1);
    Mesh mesh;
    for (std::int32_t i = 0; i < side; ++i) {
        for (std::int32_t j = 0; j < side; ++j) {
            const double folded = std::abs(static_cast<double>(i) - side / 2.0);
            Point point = {offset + 0.1 * folded, offset + 0.1 * j, offset + 0.02 * unit(random)};
            mesh.at_t0.push_back(point);
            for (double& x : point) x += motion * unit(random);
            mesh.at_t1.push_back(point);
        }
    }
    for (std::int32_t i = 0; i + 1 < side; ++i) {
        for (std::int32_t j = 0; j + 1 < side; ++j) {
            const std::int32_t corner = i * side + j;
            mesh.faces.push_back({corner, corner + side, corner + 1});
            mesh.faces.push_back({corner + 1, corner + side, corner + side + 1});
        }
    }
    add_edges(mesh);
    return mesh;
}

// Random triangles, some of them on a grid with a step of 0.1, so that their boxes touch.
Mesh soup(std::mt19937_64& random, std::int32_t face_count, double offset) {
    std::uniform_real_distribution<double> unit(-1, 1);
    Mesh mesh;
    for (std::int32_t f = 0; f < face_count; ++f) {
        const Point middle = {1.5 * unit(random), 1.5 * unit(random), 1.5 * unit(random)};
        for (int k = 0; k < 3; ++k) {
            Point point;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                point[axis] = middle[axis] + 0.5 * unit(random);
                if (f % 2 == 0) point[axis] = 0.1 * std::round(10 * point[axis]);
                point[axis] += offset;
            }
            mesh.at_t0.push_back(point);
            mesh.at_t1.push_back(point);
        }
        mesh.faces.push_back({3 * f, 3 * f + 1, 3 * f + 2});
    }
    add_edges(mesh);
    return mesh;
}

using Vertices = std::vector<std::int32_t>;
using Elements = std::vector<Vertices>;

template <class List>
Elements elements_of(const List& list) {
    Elements elements;
    for (const auto& element : list) elements.emplace_back(element.begin(), element.end());
    return elements;
}
Elements vertices_of(const Mesh& mesh) {
    Elements elements;
    for (std::size_t i = 0; i < mesh.at_t0.size(); ++i) elements.push_back({static_cast<std::int32_t>(i)});
    return elements;
}

// The gap of two elements on the axis on which they are furthest apart, over the whole path, with more
// digits.
long double gap(const Mesh& mesh, const Vertices& a, const Vertices& b) {
    long double most = -std::numeric_limits<long double>::infinity();
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto bounds = [&](const Vertices& element) {
            std::pair<long double, long double> range = {std::numeric_limits<long double>::infinity(),
                                                         -std::numeric_limits<long double>::infinity()};
            for (const std::int32_t vertex : element) {
                for (const auto* points : {&mesh.at_t0, &mesh.at_t1}) {
                    const long double x = (*points)[static_cast<std::size_t>(vertex)][axis];
                    range = {std::min(range.first, x), std::max(range.second, x)};
                }
            }
            return range;
        };
        const auto range_a = bounds(a), range_b = bounds(b);
        most = std::max({most, range_a.first - range_b.second, range_b.first - range_a.second});
    }
    return most;
}

bool can_collide(const BroadsideBroadPhase& broad_phase, const Vertices& a, const Vertices& b) {
    bool can_any = false;
    for (const std::int32_t vertex_a : a) {
        for (const std::int32_t vertex_b : b) {
            if (vertex_a == vertex_b) return false;
            if (broad_phase.can_vertices_collide(static_cast<std::size_t>(vertex_a),
                                                 static_cast<std::size_t>(vertex_b)))
                can_any = true;
        }
    }
    return can_any;
}

struct Expected {
    const Mesh& mesh;
    const BroadsideBroadPhase& broad_phase;
    double radius;
    std::size_t& count;

    // All pairs within twice the radius, and no others except by the rounding of the boxes.
    void check(const Elements& a, const Elements& b, bool is_one_list, const std::vector<Ids>& found) const {
        std::set<Ids> left(found.begin(), found.end());
        CHECK(left.size() == found.size());
        double scale = 1;
        for (const Point& point : mesh.at_t0) scale = std::max(scale, std::abs(point[0]) + 10);
        for (std::size_t i = 0; i < a.size(); ++i) {
            for (std::size_t j = is_one_list ? i + 1 : 0; j < b.size(); ++j) {
                const long double excess = gap(mesh, a[i], b[j]) - 2 * static_cast<long double>(radius);
                const bool is_found = left.erase({i, j}) != 0;
                const bool can = can_collide(broad_phase, a[i], b[j]);
                INFO(i << " and " << j << ", apart by " << static_cast<double>(excess)
                       << " more than the radii");
                if (excess <= 0 || !can) CHECK(is_found == (excess <= 0 && can));
                if (excess > 1e-15 * scale) CHECK_FALSE(is_found);
                count += std::size_t{is_found};
            }
        }
        CHECK(left.empty());
    }
};

template <class Candidate, class First, class Second>
std::vector<Ids> ids_of(const std::vector<Candidate>& candidates, First first, Second second) {
    std::vector<Ids> ids;
    for (const Candidate& candidate : candidates) ids.push_back({candidate.*first, candidate.*second});
    return ids;
}

// All five kinds; returns the number of candidates.
std::size_t check_all(BroadsideBroadPhase& broad_phase, const Mesh& mesh, double radius) {
    broad_phase.build(mesh.at_t0, mesh.at_t1, mesh.edges, mesh.faces, radius);
    std::vector<VertexVertexCandidate> vertex_vertex;
    std::vector<EdgeVertexCandidate> edge_vertex;
    std::vector<EdgeEdgeCandidate> edge_edge;
    std::vector<FaceVertexCandidate> face_vertex;
    std::vector<EdgeFaceCandidate> edge_face;
    broad_phase.detect_vertex_vertex_candidates(vertex_vertex);
    broad_phase.detect_edge_vertex_candidates(edge_vertex);
    broad_phase.detect_edge_edge_candidates(edge_edge);
    broad_phase.detect_face_vertex_candidates(face_vertex);
    broad_phase.detect_edge_face_candidates(edge_face);
    const Elements vertices = vertices_of(mesh), edges = elements_of(mesh.edges),
                   faces = elements_of(mesh.faces);
    std::size_t count = 0;
    const Expected expected = {mesh, broad_phase, radius, count};
    using VV = VertexVertexCandidate;
    expected.check(vertices, vertices, true, ids_of(vertex_vertex, &VV::vertex0_id, &VV::vertex1_id));
    using EV = EdgeVertexCandidate;
    expected.check(edges, vertices, false, ids_of(edge_vertex, &EV::edge_id, &EV::vertex_id));
    using EE = EdgeEdgeCandidate;
    expected.check(edges, edges, true, ids_of(edge_edge, &EE::edge0_id, &EE::edge1_id));
    using FV = FaceVertexCandidate;
    expected.check(faces, vertices, false, ids_of(face_vertex, &FV::face_id, &FV::vertex_id));
    using EF = EdgeFaceCandidate;
    expected.check(edges, faces, false, ids_of(edge_face, &EF::edge_id, &EF::face_id));
    return count;
}

}  // namespace

TEST_CASE("IPC Toolkit broad phase: all candidates of moving cloths and soups, and no others") {
    std::mt19937_64 random(1);
    BroadsideBroadPhase broad_phase;
    for (const double offset : {0.0, 1e3, -1e9}) {
        for (const double radius : {0.0, 1e-3, 0.05}) {
            INFO("at " << offset << " with the radius " << radius);
            CHECK(check_all(broad_phase, folded_cloth(random, 8, offset, 0), radius) > 100);
            CHECK(check_all(broad_phase, folded_cloth(random, 8, offset, 0.05), radius) > 100);
            CHECK(check_all(broad_phase, soup(random, 60, offset), radius) > 100);
        }
    }
}

TEST_CASE("IPC Toolkit broad phase: vertices that cannot collide make no candidate") {
    std::mt19937_64 random(2);
    const Mesh mesh = folded_cloth(random, 8, 0, 0.1);
    BroadsideBroadPhase broad_phase;
    broad_phase.can_vertices_collide = [](std::size_t a, std::size_t b) { return a % 7 == 0 && b % 5 == 0; };
    const std::size_t some_count = check_all(broad_phase, mesh, 0.05);
    broad_phase.can_vertices_collide = [](std::size_t, std::size_t) { return false; };
    CHECK(check_all(broad_phase, mesh, 0.05) == 0);
    broad_phase.can_vertices_collide = [](std::size_t, std::size_t) { return true; };
    CHECK(check_all(broad_phase, mesh, 0.05) > some_count);
    CHECK(some_count > 0);
}

TEST_CASE("IPC Toolkit broad phase: boxes are rounded outwards, on both sides") {
    std::mt19937_64 random(3);
    BroadsideBroadPhase broad_phase;
    for (int round = 0; round < 300; ++round) {
        // Twice the radius and one ulp apart: too far, if nothing were rounded.
        const double x = 1 + static_cast<double>(random() % 1000) * 0x1p-52;
        const double radius = static_cast<double>(random() % 1000) * 0x1p-53;
        const std::vector<Point> points = {{x, 0, 0}, {x + 2 * radius + 0x1p-52, 0, 0}};
        broad_phase.build(points, points, {}, {}, radius);
        std::vector<VertexVertexCandidate> candidates;
        broad_phase.detect_vertex_vertex_candidates(candidates);
        CHECK(candidates.size() == 1);
    }
}

TEST_CASE("IPC Toolkit broad phase: meshes without faces, without edges or empty, and a filter that throws") {
    BroadsideBroadPhase broad_phase;
    CHECK(check_all(broad_phase, {}, 0) == 0);
    Mesh points;
    points.at_t0 = points.at_t1 = {{0, 0, 0}, {0.5, 0, 0}, {2, 0, 0}};
    CHECK(check_all(broad_phase, points, 0.25) == 1);
    points.edges = {{0, 1}};
    CHECK(check_all(broad_phase, points, 0.25) == 1);
    CHECK(check_all(broad_phase, points, 1) > 1);
    broad_phase.can_vertices_collide = [](std::size_t, std::size_t) -> bool {
        throw std::runtime_error("no");
    };
    std::vector<VertexVertexCandidate> candidates;
    CHECK_THROWS_AS(broad_phase.detect_vertex_vertex_candidates(candidates), std::runtime_error);
    broad_phase.clear();
    CHECK_NOTHROW(broad_phase.detect_vertex_vertex_candidates(candidates));
    CHECK(candidates.empty());
}
