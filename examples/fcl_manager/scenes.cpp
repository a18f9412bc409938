#include "examples/fcl_manager/scenes.hpp"

#include "examples/fcl_manager/broadside_manager.hpp"

#include <fcl/broadphase/broadphase_SSaP.h>
#include <fcl/broadphase/broadphase_SaP.h>
#include <fcl/broadphase/broadphase_bruteforce.h>
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/broadphase/broadphase_dynamic_AABB_tree_array.h>
#include <fcl/broadphase/broadphase_interval_tree.h>
#include <fcl/broadphase/broadphase_spatialhash.h>
#include <fcl/broadphase/detail/sparse_hash_table.h>
#include <fcl/broadphase/detail/spatial_hash.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/sphere.h>

#include <algorithm>
#include <cmath>

namespace fcl_example {

const char* manager_name(ManagerKind kind) {
    switch (kind) {
        case ManagerKind::naive:
            return "Naive";
        case ManagerKind::tree:
            return "DynamicAABBTree";
        case ManagerKind::tree_array:
            return "DynamicAABBTree_Array";
        case ManagerKind::ssap:
            return "SSaP";
        case ManagerKind::sap:
            return "SaP";
        case ManagerKind::interval_tree:
            return "IntervalTree";
        case ManagerKind::hash:
            return "SpatialHashing";
        case ManagerKind::broadside:
            return "broadside";
    }
    return "";
}

std::unique_ptr<Manager> make_manager(ManagerKind kind, double extent, double edge) {
    switch (kind) {
        case ManagerKind::naive:
            return std::make_unique<fcl::NaiveCollisionManager<double>>();
        case ManagerKind::tree:
            return std::make_unique<fcl::DynamicAABBTreeCollisionManager<double>>();
        case ManagerKind::tree_array:
            return std::make_unique<fcl::DynamicAABBTreeCollisionManager_Array<double>>();
        case ManagerKind::ssap:
            return std::make_unique<fcl::SSaPCollisionManager<double>>();
        case ManagerKind::sap:
            return std::make_unique<fcl::SaPCollisionManager<double>>();
        case ManagerKind::interval_tree:
            return std::make_unique<fcl::IntervalTreeCollisionManager<double>>();
        case ManagerKind::hash: {
            using Table =
                fcl::detail::SparseHashTable<fcl::AABB<double>, Object*, fcl::detail::SpatialHash<double>>;
            const fcl::Vector3<double> corner = fcl::Vector3<double>::Constant(extent);
            return std::make_unique<fcl::SpatialHashingCollisionManager<double, Table>>(edge, -corner,
                                                                                        corner);
        }
        case ManagerKind::broadside:
            return std::make_unique<BroadsideManager>();
    }
    return nullptr;
}

Scene::Scene(std::size_t count, double neighbours, std::uint64_t seed, Layout layout)
    : random_(seed), layout_(layout) {
    const std::shared_ptr<fcl::CollisionGeometry<double>> shapes[] = {
        std::make_shared<fcl::Box<double>>(5, 10, 20), std::make_shared<fcl::Sphere<double>>(30),
        std::make_shared<fcl::Cylinder<double>>(10, 40)};
    for (std::size_t i = 0; i < count; ++i) {
        objects_.push_back(std::make_unique<Object>(shapes[i % std::size(shapes)]));
        pointers_.push_back(objects_.back().get());
        turn(*pointers_[i]);
        edge_ += pointers_[i]->getAABB().width() / static_cast<double>(count);
    }
    if (layout == Layout::random) {
        place_randomly(neighbours);
    } else {
        place_in_cells();
    }
    move_all();
}

void Scene::place_randomly(double neighbours) {
    const double volume = 8 * edge_ * edge_ * edge_ * static_cast<double>(pointers_.size()) / neighbours;
    extent_ = std::cbrt(volume) / 2;
    reach_ = edge_ / 8;
    for (std::size_t i = 0; i < pointers_.size(); ++i) homes_.push_back(random_vector(extent_));
}
void Scene::place_in_cells() {
    // Neighbours in space are not neighbours in memory.
    std::shuffle(pointers_.begin(), pointers_.end(), random_);
    double cell = 0;
    for (const Object* object : pointers_) cell = std::max(cell, 1.25 * object->getAABB().width());
    const auto row =
        static_cast<std::size_t>(std::ceil(std::cbrt(2 * static_cast<double>(pointers_.size()))));
    extent_ = cell * static_cast<double>(row) / 2;
    reach_ = cell / 11;
    for (std::size_t index = 0; homes_.size() < pointers_.size(); ++index) {
        const std::size_t x = index % row, y = index / row % row, z = index / row / row;
        if ((x + y + z) % 2 != (layout_ == Layout::even_cells ? 0 : 1)) continue;
        const fcl::Vector3<double> corner(static_cast<double>(x), static_cast<double>(y),
                                          static_cast<double>(z));
        const fcl::Vector3<double> centre = (corner + fcl::Vector3<double>::Constant(0.5)) * cell;
        homes_.push_back(centre - fcl::Vector3<double>::Constant(extent_));
    }
}

fcl::Vector3<double> Scene::random_vector(double most) {
    std::uniform_real_distribution<double> number(-most, most);
    const double x = number(random_);
    const double y = number(random_);
    return {x, y, number(random_)};
}

void Scene::turn(Object& object) {
    const fcl::Vector3<double> axis = random_vector(1) + fcl::Vector3<double>(0, 0, 1e-3);
    object.setRotation(fcl::AngleAxis<double>(axis.x() * 3, axis.normalized()).toRotationMatrix() *
                       object.getRotation());
    object.computeAABB();
}
void Scene::move(std::size_t index) {
    Object& object = *pointers_[index];
    if (layout_ == Layout::random) turn(object);
    object.setTranslation(homes_[index] + random_vector(reach_));
    object.computeAABB();
}
void Scene::move_all() {
    for (std::size_t i = 0; i < pointers_.size(); ++i) move(i);
}

}  // namespace fcl_example
