// Movers as columns, and what their step returned.
#pragma once

#include "mesh_queries.hpp"

#include <cstring>

namespace broadside::python {

/// Positions, displacements, half extents, radii and half lengths as rows of floats, in this order; forms; and boxes that are
/// passed through, -1 for none.
inline std::vector<Mover> movers_of(const FloatRows& rows,
                                    const py::array_t<std::uint8_t, py::array::c_style>& forms,
                                    const py::array_t<std::int64_t, py::array::c_style>& ignored) {
    struct Row {
        Vec3 position;
        Vec3 displacement;
        Vec3 half_extent;
        float radius;
        float half_length;
    };
    const auto numbers = items_of<Row>(rows);
    const auto form = items_of<std::uint8_t>(forms);
    const auto box = items_of<std::int64_t>(ignored);
    std::vector<Mover> movers(numbers.size());
    for (std::size_t i = 0; i < movers.size(); ++i) {
        const Row& row = numbers[i];
        movers[i] = {{static_cast<MoverForm>(form[i]), row.half_extent, row.radius, row.half_length},
                     row.position,
                     row.displacement,
                     box[i] < 0 ? kNoBox : static_cast<std::uint32_t>(box[i])};
    }
    return movers;
}
/// In the order of the fields of broadside/_movers.py.
inline MoverSettings mover_settings_of(const py::tuple& fields) {
    const auto number = [&](int i) { return py::cast<float>(fields[i]); };
    return {.up = {number(0), number(1), number(2)},
            .min_ground_cosine = number(3),
            .step_height = number(4),
            .stick_distance = number(5),
            .contact_offset = number(6),
            .max_iterations = py::cast<std::uint32_t>(fields[7])};
}
/// Positions, statuses, whether grounded, whether stepped, deflections, normals of ground and of walls.
template <class List>
py::tuple mover_columns(const List& results) {
    const auto vectors = [&](Vec3 MoverResult::*member) {
        auto [array, out] = new_array<float>(results.size(), 3);
        for (std::size_t i = 0; i < results.size(); ++i)
            std::memcpy(out + 3 * i, &(results[i].*member), sizeof(Vec3));
        return array;
    };
    const py::tuple columns =
        columns_of<std::uint8_t, bool, bool, std::int64_t>(results, [](const MoverResult& one) {
            return std::tuple(static_cast<std::uint8_t>(one.status), one.is_grounded, one.has_stepped,
                              std::int64_t{one.iteration_count});
        });
    return py::make_tuple(vectors(&MoverResult::position), columns[0], columns[1], columns[2], columns[3],
                          vectors(&MoverResult::ground_normal), vectors(&MoverResult::wall_normal));
}

/// Meshes of a list, which keeps them alive for the call.
inline std::vector<const TriangleMesh*> meshes_of(
    const py::list& meshes, std::vector<std::shared_ptr<const TriangleMesh>>& out_owners) {
    std::vector<const TriangleMesh*> pointers;
    for (const py::handle mesh : meshes) {
        out_owners.push_back(triangles_of(mesh));
        pointers.push_back(out_owners.back().get());
    }
    return pointers;
}

}  // namespace broadside::python
