#include "examples/bullet_broadphase/broadside_broadphase.hpp"

#include <broadside/compiler.hpp>

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace bullet_example {

using namespace broadside;

namespace {

// Boxes are passed on in batches of this size, while they are still in the nearest cache.
constexpr std::size_t kPendingMax = 1024;

Vec3 vec3_of(const btVector3& v) { return {v.x(), v.y(), v.z()}; }
btVector3 bullet_of(Vec3 v) { return {v.x, v.y, v.z}; }
Aabb box_of(const btVector3& box_min, const btVector3& box_max) {
    return {vec3_of(box_min), vec3_of(box_max)};
}

bool contains(const btVector3& outer_min, const btVector3& outer_max, const btVector3& box_min,
              const btVector3& box_max) {
    // Nearly always all comparisons hold, so branches cost less than combining their bits.
    return outer_min.x() <= box_min.x() && outer_min.y() <= box_min.y() && outer_min.z() <= box_min.z() &&
           outer_max.x() >= box_max.x() && outer_max.y() >= box_max.y() && outer_max.z() >= box_max.z();
}

std::uint64_t bits_of(int group_or_mask) { return static_cast<std::uint32_t>(group_or_mask); }

// Whether the groups are those that btDiscreteDynamicsWorld gives to moving or static objects.
bool is_plain(const btBroadphaseProxy& proxy) {
    constexpr int kStaticMask = btBroadphaseProxy::AllFilter ^ btBroadphaseProxy::StaticFilter;
    const int group = proxy.m_collisionFilterGroup;
    const int mask = proxy.m_collisionFilterMask;
    return (group == btBroadphaseProxy::DefaultFilter && mask == btBroadphaseProxy::AllFilter) ||
           (group == btBroadphaseProxy::StaticFilter && mask == kStaticMask);
}

// Objects of kind fixed do not pair with each other, as the masks of static objects say.
ObjectKind kind_of(const btBroadphaseProxy& proxy) {
    const bool is_static = proxy.m_collisionFilterGroup == btBroadphaseProxy::StaticFilter &&
                           (proxy.m_collisionFilterMask & btBroadphaseProxy::StaticFilter) == 0;
    return is_static ? ObjectKind::fixed : ObjectKind::moving;
}

// Stops on errors that Bullet's interface cannot report.
void require(Status status, const char* what) {
    if (status == Status::ok) return;
    std::fprintf(stderr, "BroadsideBroadphase: %s: %s\n", what, status_name(status));
    std::abort();
}

}  // namespace

struct BroadsideBroadphase::Proxy : btBroadphaseProxy {
    using btBroadphaseProxy::btBroadphaseProxy;

    // The box in the world. It stays as long as Bullet's box is within it.
    btVector3 outer_min;
    btVector3 outer_max;
    ObjectHandle handle;
    // The step in which it was last set.
    std::uint32_t step = 0;
    // Groups and masks are public members of Bullet; these are the values seen last.
    int known_group = 0;
    int known_mask = 0;
    bool is_masked = false;
};

BroadsideBroadphase::BroadsideBroadphase(btOverlappingPairCache* pair_cache, const TaskRunner* runner)
    : own_pair_cache_(pair_cache == nullptr ? new btHashedOverlappingPairCache : nullptr),
      pair_cache_(pair_cache == nullptr ? own_pair_cache_.get() : pair_cache),
      runner_(runner) {
    grow_pending(kPendingMax);
}

BroadsideBroadphase::~BroadsideBroadphase() {
    for (void* block : pool_) btAlignedFree(block);
}

// Proxies lie in order, as every step visits them.
void BroadsideBroadphase::grow_pool() {
    constexpr std::size_t kBlockCount = 256;
    auto* const block = static_cast<std::byte*>(btAlignedAlloc(kBlockCount * sizeof(Proxy), 64));
    pool_.push_back(block);
    for (std::size_t i = kBlockCount; i-- > 0;) free_proxies_.push_back(block + i * sizeof(Proxy));
}

BroadsideBroadphase::Proxy* BroadsideBroadphase::proxy_of(ObjectHandle handle) const {
    Proxy* const proxy = handle.slot() < proxies_.size() ? proxies_[handle.slot()] : nullptr;
    return proxy != nullptr && proxy->handle == handle ? proxy : nullptr;
}

void BroadsideBroadphase::grow_pending(std::size_t size) {
    pending_.resize(size);
    for (std::vector<float>& column : pending_boxes_) column.resize(size);
}

// Many boxes are passed to the world at once, which costs a fraction of one call per box.
void BroadsideBroadphase::put_pending_boxes() {
    if (pending_count_ == 0 || is_asking_) return;
    const BoxSoaView boxes = {pending_boxes_[0].data(),
                              pending_boxes_[1].data(),
                              pending_boxes_[2].data(),
                              pending_boxes_[3].data(),
                              pending_boxes_[4].data(),
                              pending_boxes_[5].data(),
                              pending_count_};
    require(world_.set_boxes({pending_.data(), pending_count_}, boxes).status, "set_boxes");
    pending_count_ = 0;
}

// Tells the world the groups of an object.
void BroadsideBroadphase::set_rules(const Proxy& proxy) {
    ObjectFilter filter;
    if (rules_ == Rules::masks) {
        filter.category = bits_of(proxy.m_collisionFilterGroup);
        filter.mask = bits_of(proxy.m_collisionFilterMask);
    }
    const ObjectKind kind = rules_ == Rules::callback ? ObjectKind::moving : kind_of(proxy);
    require(world_.set_filter(proxy.handle, filter), "set_filter");
    require(world_.set_kind(proxy.handle, kind), "set_kind");
}

// Records groups that have changed.
void BroadsideBroadphase::look_at_groups(Proxy& proxy) {
    masked_count_ += std::size_t{!is_plain(proxy)} - std::size_t{proxy.is_masked};
    proxy.is_masked = !is_plain(proxy);
    proxy.known_group = proxy.m_collisionFilterGroup;
    proxy.known_mask = proxy.m_collisionFilterMask;
    set_rules(proxy);
}

btBroadphaseProxy* BroadsideBroadphase::createProxy(const btVector3& box_min, const btVector3& box_max, int,
                                                    void* client, int group, int mask, btDispatcher*) {
    if (free_proxies_.empty()) grow_pool();
    Proxy* const proxy = new (free_proxies_.back()) Proxy(box_min, box_max, client, group, mask);
    free_proxies_.pop_back();
    proxy->m_uniqueId = ++last_id_;
    proxy->step = step_;
    proxy->outer_min = box_min;
    proxy->outer_max = box_max;
    proxy->handle = world_.add({.box = box_of(box_min, box_max), .kind = kind_of(*proxy)});
    if (proxy->handle.is_null()) require(Status::out_of_memory, "add");
    if (proxies_.size() < world_.slot_count()) proxies_.resize(world_.slot_count());
    proxies_[proxy->handle.slot()] = proxy;
    ++proxy_count_;
    look_at_groups(*proxy);
    if ((group & immediate_groups) != 0) add_immediate_pairs(*proxy);
    return proxy;
}

void BroadsideBroadphase::destroyProxy(btBroadphaseProxy* bullet_proxy, btDispatcher* dispatcher) {
    auto* const proxy = static_cast<Proxy*>(bullet_proxy);
    put_pending_boxes();
    // At once: the world ends these pairs in the next update, when nobody has the handle any more.
    pair_cache_->removeOverlappingPairsContainingProxy(proxy, dispatcher);
    require(world_.remove(proxy->handle), "remove");
    proxies_[proxy->handle.slot()] = nullptr;
    --proxy_count_;
    masked_count_ -= std::size_t{proxy->is_masked};
    free_proxies_.push_back(proxy);
}

void BroadsideBroadphase::setAabb(btBroadphaseProxy* bullet_proxy, const btVector3& box_min,
                                  const btVector3& box_max, btDispatcher*) {
    auto* const proxy = static_cast<Proxy*>(bullet_proxy);
    const bool has_known_groups = (proxy->m_collisionFilterGroup == proxy->known_group) &
                                  (proxy->m_collisionFilterMask == proxy->known_mask);
    // A box with a NaN is never within another.
    if (has_known_groups && contains(proxy->outer_min, proxy->outer_max, box_min, box_max)) {
        proxy->m_aabbMin = box_min;
        proxy->m_aabbMax = box_max;
        return;
    }
    set_outer_box(*proxy, box_min, box_max);
}

// The rare case among objects that are set in every step.
BROADSIDE_NEVER_INLINE void BroadsideBroadphase::set_outer_box(Proxy& proxy, const btVector3& box_min,
                                                               const btVector3& box_max) {
    if (proxy.m_collisionFilterGroup != proxy.known_group ||
        proxy.m_collisionFilterMask != proxy.known_mask) {
        look_at_groups(proxy);
        proxy.step = step_;
    }
    const bool is_immediate = (proxy.m_collisionFilterGroup & immediate_groups) != 0;
    const float margin = is_immediate ? immediate_margin : calm_margin_of(box_min - proxy.m_aabbMin);
    proxy.m_aabbMin = box_min;
    proxy.m_aabbMax = box_max;
    if (contains(proxy.outer_min, proxy.outer_max, box_min, box_max)) return;
    proxy.outer_min = box_min - btVector3(margin, margin, margin);
    proxy.outer_max = box_max + btVector3(margin, margin, margin);
    proxy.step = step_;
    if (pending_count_ == pending_.size()) {
        put_pending_boxes();
        if (pending_count_ != 0) grow_pending(2 * pending_count_);
    }
    const std::size_t index = pending_count_++;
    pending_[index] = proxy.handle;
    for (int axis = 0; axis < 3; ++axis) {
        pending_boxes_[axis][index] = proxy.outer_min[axis];
        pending_boxes_[3 + axis][index] = proxy.outer_max[axis];
    }
    if (is_immediate) add_immediate_pairs(proxy);
}

// A margin of some steps for a body that moves little; none for a body that would leave it at once.
float BroadsideBroadphase::calm_margin_of(const btVector3& step) const {
    const btVector3 sizes = step.absolute();
    const float length = sizes[sizes.maxAxis()];
    return length <= calm_margin / 4 ? btMax(btMin(8 * length, calm_margin), calm_margin / 16) : 0;
}

void BroadsideBroadphase::getAabb(btBroadphaseProxy* proxy, btVector3& out_min, btVector3& out_max) const {
    out_min = proxy->m_aabbMin;
    out_max = proxy->m_aabbMax;
}

void BroadsideBroadphase::rayTest(const btVector3& from, const btVector3& to,
                                  btBroadphaseRayCallback& callback, const btVector3& box_min,
                                  const btVector3& box_max) {
    const Vec3 displacement = vec3_of(to - from);
    const Aabb box = box_of(from + box_min, from + box_max);
    // Bullet treats a ray of length zero the same way.
    if (displacement == Vec3{0, 0, 0}) return aabbTest(bullet_of(box.min), bullet_of(box.max), callback);
    const auto visit = [&](const WorldHit& hit) {
        (void)callback.process(proxies_[hit.target.slot()]);
        return kVisitAll;
    };
    put_pending_boxes();
    const WorldQueries queries = world_.queries(runner_);
    const bool was_asking = std::exchange(is_asking_, true);
    if (box_min.isZero() && box_max.isZero()) {
        const Ray ray = {vec3_of(from), displacement, 1.0f};
        require(queries.visit_hits({ray, RaySettings{.is_conservative = true}}, {}, visit), "visit_hits");
    } else {
        require(queries.visit_hits({BoxCast{box, displacement}, Touch::closed}, {}, visit), "visit_impacts");
    }
    is_asking_ = was_asking;
}

void BroadsideBroadphase::aabbTest(const btVector3& box_min, const btVector3& box_max,
                                   btBroadphaseAabbCallback& callback) {
    put_pending_boxes();
    const WorldQueries queries = world_.queries(runner_);
    const bool was_asking = std::exchange(is_asking_, true);
    const auto visit = [&](ObjectHandle object) {
        (void)callback.process(proxies_[object.slot()]);
        return true;
    };
    require(queries.visit_overlaps(box_of(box_min, box_max), {}, visit), "visit_overlaps");
    is_asking_ = was_asking;
}

void BroadsideBroadphase::ask_rules() {
    Rules rules = masked_count_ == 0 ? Rules::kinds : Rules::masks;
    if (pair_cache_->getOverlapFilterCallback() != nullptr) rules = Rules::callback;
    if (rules == rules_) return;
    rules_ = rules;
    for (Proxy* proxy : proxies_) {
        if (proxy != nullptr) set_rules(*proxy);
    }
}

void BroadsideBroadphase::add_pair(const WorldPair& pair) {
    btBroadphasePair* const added = pair_cache_->addOverlappingPair(proxy_of(pair.a), proxy_of(pair.b));
    if (added == nullptr) rejected_.push_back(pair);
}

// Bullet's filters may decide differently once something has happened to an object.
void BroadsideBroadphase::ask_rejected_again() {
    std::size_t kept = 0;
    for (const WorldPair& pair : rejected_) {
        Proxy* const a = proxy_of(pair.a);
        Proxy* const b = proxy_of(pair.b);
        if (a == nullptr || b == nullptr) continue;
        if (a->step == step_ || b->step == step_) {
            if (world_.pair_value(pair.a, pair.b) == nullptr) continue;
            if (pair_cache_->addOverlappingPair(a, b) != nullptr) continue;
        }
        rejected_[kept++] = pair;
    }
    rejected_.resize(kept);
}

// Adds the pairs that the object has now. Some code reads them before calculateOverlappingPairs, which ends
// those that no longer overlap.
void BroadsideBroadphase::add_immediate_pairs(Proxy& proxy) {
    put_pending_boxes();
    // Within a query the world cannot be queried with the new box.
    if (is_asking_) return;
    const WorldQueries queries = world_.queries(runner_);
    const auto visit = [&](ObjectHandle object) {
        Proxy* const other = proxies_[object.slot()];
        if (other == &proxy) return true;
        const int count = pair_cache_->getNumOverlappingPairs();
        (void)pair_cache_->addOverlappingPair(&proxy, other);
        if (pair_cache_->getNumOverlappingPairs() != count) {
            immediate_.push_back({proxy.handle, other->handle});
        }
        return true;
    };
    require(queries.visit_overlaps(box_of(proxy.outer_min, proxy.outer_max), {}, visit), "visit_overlaps");
}

void BroadsideBroadphase::end_immediate_pairs(btDispatcher* dispatcher) {
    for (const WorldPair& pair : immediate_) {
        Proxy* const a = proxy_of(pair.a);
        Proxy* const b = proxy_of(pair.b);
        if (a == nullptr || b == nullptr || world_.pair_value(pair.a, pair.b) != nullptr) continue;
        pair_cache_->removeOverlappingPair(a, b, dispatcher);
    }
    immediate_.clear();
}

void BroadsideBroadphase::calculateOverlappingPairs(btDispatcher* dispatcher) {
    put_pending_boxes();
    ask_rules();
    require(world_.update(runner_).status, "update");
    // The cache has no pairs of removed objects any more.
    for (const EndedPair& pair : world_.ended()) {
        Proxy* const a = proxy_of(pair.a);
        Proxy* const b = proxy_of(pair.b);
        if (a != nullptr && b != nullptr) pair_cache_->removeOverlappingPair(a, b, dispatcher);
    }
    if (!rejected_.empty()) ask_rejected_again();
    for (const WorldPair& pair : world_.begun()) add_pair(pair);
    if (!immediate_.empty()) end_immediate_pairs(dispatcher);
    if (pair_cache_->hasDeferredRemoval()) remove_deferred(dispatcher);
    ++step_;
}

// As in Bullet's broadphases, if a cache leaves removal to them: duplicate pairs and pairs that have ended
// are emptied, sorted to the end and cut off.
void BroadsideBroadphase::remove_deferred(btDispatcher* dispatcher) {
    btBroadphasePairArray& pairs = pair_cache_->getOverlappingPairArray();
    pairs.quickSort(btBroadphasePairSortPredicate());
    int invalid_count = 0;
    btBroadphasePair previous;
    for (int i = 0; i < pairs.size(); ++i) {
        btBroadphasePair& pair = pairs[i];
        const bool is_double = pair == previous;
        previous = pair;
        const bool is_over = pair.m_pProxy0 == nullptr || is_double ||
                             !overlap(box_of(pair.m_pProxy0->m_aabbMin, pair.m_pProxy0->m_aabbMax),
                                      box_of(pair.m_pProxy1->m_aabbMin, pair.m_pProxy1->m_aabbMax));
        if (!is_over) continue;
        if (pair.m_pProxy0 != nullptr) pair_cache_->cleanOverlappingPair(pair, dispatcher);
        pair.m_pProxy0 = nullptr;
        pair.m_pProxy1 = nullptr;
        ++invalid_count;
    }
    pairs.quickSort(btBroadphasePairSortPredicate());
    pairs.resize(pairs.size() - invalid_count);
}

void BroadsideBroadphase::getBroadphaseAabb(btVector3& out_min, btVector3& out_max) const {
    Aabb bounds = Aabb::empty();
    for (const Proxy* proxy : proxies_) {
        if (proxy != nullptr) bounds = include(bounds, box_of(proxy->m_aabbMin, proxy->m_aabbMax));
    }
    if (proxy_count_ == 0) bounds = {};
    out_min = bullet_of(bounds.min);
    out_max = bullet_of(bounds.max);
}

// If nothing is left, the next objects get the identifiers and slots of the first ones.
void BroadsideBroadphase::resetPool(btDispatcher*) {
    if (proxy_count_ != 0) return;
    world_ = World();
    proxies_.clear();
    rejected_.clear();
    immediate_.clear();
    last_id_ = 0;
    step_ = 1;
    rules_ = Rules::kinds;
}

void BroadsideBroadphase::printStats() {
    std::printf("BroadsideBroadphase: %zu objects, %zu pairs, %d of them in the cache, %zu bytes\n",
                proxy_count_, world_.pair_count(), pair_cache_->getNumOverlappingPairs(),
                world_.capacity_bytes());
}

}  // namespace bullet_example
