// Objects for FCL's managers, as its own tests make them, and the managers.
#pragma once

#include <fcl/broadphase/broadphase_collision_manager.h>
#include <fcl/narrowphase/collision_object.h>

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

namespace fcl_example {

using Object = fcl::CollisionObject<double>;
using Manager = fcl::BroadPhaseCollisionManager<double>;

enum class ManagerKind : std::uint8_t { naive, tree, tree_array, ssap, sap, interval_tree, hash, broadside };
inline constexpr ManagerKind kManagerKinds[] = {
    ManagerKind::broadside, ManagerKind::tree,          ManagerKind::tree_array, ManagerKind::ssap,
    ManagerKind::sap,       ManagerKind::interval_tree, ManagerKind::hash,       ManagerKind::naive};
const char* manager_name(ManagerKind kind);
/// A manager; the hash is set up as in FCL's tests: objects are within `extent` of the origin, and boxes have
/// edges of about `edge`.
std::unique_ptr<Manager> make_manager(ManagerKind kind, double extent, double edge);

/// The positions of objects in the cube.
enum class Layout : std::uint8_t {
    /// Anywhere.
    random,
    /// In every other cell of a grid, in which no two boxes overlap, not even those of the other layout.
    even_cells,
    odd_cells,
};

/// Boxes, spheres and cylinders in random poses in a cube around the origin.
class Scene {
public:
    /// `neighbours` is the mean number of other boxes that a box overlaps in a random layout. Two scenes of
    /// the same seed are the same.
    Scene(std::size_t count, double neighbours, std::uint64_t seed, Layout layout = Layout::random);

    const std::vector<Object*>& objects() const { return pointers_; }
    double extent() const { return extent_; }
    /// The mean edge of a box.
    double edge() const { return edge_; }

    /// Moves an object near its home, by at most a quarter of an edge or within its cell. Rotates it if it is
    /// in no cell.
    void move(std::size_t index);
    void move_all();

private:
    void place_randomly(double neighbours);
    void place_in_cells();
    void turn(Object& object);
    fcl::Vector3<double> random_vector(double most);

    std::mt19937_64 random_;
    std::vector<std::unique_ptr<Object>> objects_;
    std::vector<Object*> pointers_;
    Layout layout_;
    // By index; `reach_` is how far objects move from there.
    std::vector<fcl::Vector3<double>> homes_;
    double reach_ = 0;
    double extent_ = 0;
    double edge_ = 0;
};

}  // namespace fcl_example
