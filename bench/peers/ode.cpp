// ODE: sorted ends (SAP), hash and simple spaces. Its geoms return their boxes themselves, so these are ours
// bit for bit, in an ODE of floats or, like Debian's, of doubles; the rows' names have the precision.
#include "bench/peers/world_peer.hpp"
#include "bench/suites.hpp"

#include <ode/ode.h>

namespace broadside::bench {
namespace {

#if defined(dDOUBLE)
#define BROADSIDE_ODE_PRECISION "_double"
#else
#define BROADSIDE_ODE_PRECISION "_single"
#endif

// The data of our geom: the address of its box.
struct GeomData {
    const Aabb* box;
};

void get_box(dGeomID geom, dReal out_bounds[6]) {
    const Aabb& box = *static_cast<const GeomData*>(dGeomGetClassData(geom))->box;
    const float bounds[6] = {box.min.x, box.max.x, box.min.y, box.max.y, box.min.z, box.max.z};
    for (int k = 0; k < 6; ++k) out_bounds[k] = dReal{bounds[k]};
}

dColliderFn* no_collider(int) { return nullptr; }

// ODE as a whole, for as long as the program runs, and the class of our geoms.
int box_class() {
    static const int number = [] {
        dInitODE2(0);
        dGeomClass description = {};
        description.bytes = sizeof(GeomData);
        description.collider = &no_collider;
        description.aabb = &get_box;
        return dCreateGeomClass(&description);
    }();
    return number;
}

class OdeWorld {
public:
    OdeWorld(const WorldFrames& frames, dSpaceID space) : space_(space), boxes_(frames.first_boxes()) {
        constexpr unsigned long kMoving = 1;
        constexpr unsigned long kFixed = 2;
        for (std::size_t i = 0; i < boxes_.size(); ++i) {
            dGeomID geom = dCreateGeom(box_class());
            static_cast<GeomData*>(dGeomGetClassData(geom))->box = &boxes_[i];
            dGeomSetData(geom, &boxes_[i]);
            dGeomSetCategoryBits(geom, frames.is_fixed(i) ? kFixed : kMoving);
            dGeomSetCollideBits(geom, frames.is_fixed(i) ? kMoving : kMoving | kFixed);
            dSpaceAdd(space_, geom);
            geoms_.push_back(geom);
        }
    }
    OdeWorld(const OdeWorld&) = delete;
    OdeWorld& operator=(const OdeWorld&) = delete;
    // The geoms go with their space.
    ~OdeWorld() { dSpaceDestroy(space_); }

    void step(const WorldFrame& frame) {
        for (std::size_t k = 0; k < frame.moved.size(); ++k) {
            const std::uint32_t index = frame.moved[k];
            const Aabb box = frame.moved_boxes[k];
            boxes_[index] = box;
            // The position means nothing to our class; setting it tells the space that the geom has moved.
            dGeomSetPosition(geoms_[index], dReal{box.min.x}, dReal{box.min.y}, dReal{box.min.z});
        }
        pairs_.clear();
        dSpaceCollide(space_, this, &collect);
    }
    const std::vector<IndexPair>& pairs() const { return pairs_; }

private:
    static void collect(void* user, dGeomID a, dGeomID b) {
        auto& self = *static_cast<OdeWorld*>(user);
        const auto index_of = [&](dGeomID geom) {
            return static_cast<std::uint32_t>(static_cast<const Aabb*>(dGeomGetData(geom)) -
                                              self.boxes_.data());
        };
        self.pairs_.push_back(sorted_pair(index_of(a), index_of(b)));
    }

    dSpaceID space_;
    std::vector<Aabb> boxes_;
    std::vector<dGeomID> geoms_;
    std::vector<IndexPair> pairs_;
};

// Radix-sorted along x in each frame.
struct OdeSap {
    static constexpr const char* kName = "ode_sap" BROADSIDE_ODE_PRECISION;
    static constexpr std::size_t kCountMax = 100'000;
    static dSpaceID make() { return dSweepAndPruneSpaceCreate(nullptr, dSAP_AXES_XZY); }
};
struct OdeHash {
    static constexpr const char* kName = "ode_hash" BROADSIDE_ODE_PRECISION;
    static constexpr std::size_t kCountMax = 100'000;
    static dSpaceID make() { return dHashSpaceCreate(nullptr); }
};
// Everything against everything.
struct OdeSimple {
    static constexpr const char* kName = "ode_simple" BROADSIDE_ODE_PRECISION;
    static constexpr std::size_t kCountMax = 1000;
    static dSpaceID make() { return dSimpleSpaceCreate(nullptr); }
};

template <class Space>
class OdeSpaceWorld : public OdeWorld {
public:
    static constexpr const char* kName = Space::kName;
    static constexpr std::size_t kCountMax = Space::kCountMax;
    explicit OdeSpaceWorld(const WorldFrames& frames) : OdeWorld(frames, make()) {}

private:
    // ODE must be started before it makes a space.
    static dSpaceID make() {
        (void)box_class();
        return Space::make();
    }
};

const Suite suite(
    "ode", &register_world_peers<OdeSpaceWorld<OdeSap>, OdeSpaceWorld<OdeHash>, OdeSpaceWorld<OdeSimple>>,
    {"broadphase/world/(uniform_moving|static90)/(1000|10000)/ode_(sap|hash)_.*"});

}  // namespace
}  // namespace broadside::bench
