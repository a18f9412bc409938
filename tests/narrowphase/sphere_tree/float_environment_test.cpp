// Results of trees of spheres, in any floating-point environment of the build and of the queries.
#include "tests/support/environment_shapes.hpp"
#include "tests/support/foreign_environment.hpp"

#include <broadside/sphere_tree.hpp>

using namespace broadside;
using namespace broadside::test;

TEST_CASE("trees of spheres return the same bits in every floating-point environment") {
    const EnvironmentShapes s(63);
    std::vector<Sphere> parts;
    for (const Sphere& sphere : s.spheres) {
        if (is_valid(sphere)) parts.push_back(sphere);
    }
    SphereTree tree;
    REQUIRE(tree.build(parts).status == Status::ok);
    const Transform aside = {{0.6f, 0.8f, 0}, {-0.8f, 0.6f, 0}, {0, 0, 1}, {0.1f, 0.3f, 0.7f}};
    const std::vector<EnvironmentCall> calls = {
        {"SphereTree::build",
         [&](const TaskRunner*, ResultBytes& answers) {
             SphereTree built_tree;
             answers.add(built_tree.build(parts).status);
             for (std::uint32_t i = 0; i < built_tree.node_count(); ++i) {
                 answers.add(built_tree.node(i).sphere.center);
                 answers.add(built_tree.node(i).sphere.radius);
             }
         }},
        {"find_part_pairs and any_part_pair",
         [&](const TaskRunner*, ResultBytes& answers) {
             MeshScratch scratch;
             std::vector<IndexPair> pairs(5000);
             const PairSearchResult result = find_part_pairs({&tree}, {&tree, aside}, scratch, pairs);
             answers.add(result.required);
             answers.add(result.counts.node_tests);
             answers.add_all(pairs);
             answers.add(any_part_pair({&tree}, {&tree, aside}).has_pair);
         }},
        {"placed",
         [&](const TaskRunner*, ResultBytes& answers) {
             for (const Sphere& part : parts) {
                 const Sphere there = placed(aside, part);
                 answers.add(there.center);
                 answers.add(there.radius);
             }
         }},
    };
    check_in_every_environment(calls, all_environments());
}
