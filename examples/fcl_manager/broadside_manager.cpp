#include "examples/fcl_manager/broadside_manager.hpp"

#include "examples/fcl_manager/outward.hpp"

#include <broadside/float_environment.hpp>

#include <exception>
#include <new>
#include <stdexcept>
#include <typeinfo>

namespace fcl_example {

using namespace broadside;

namespace {

void require(Status status) {
    if (status == Status::out_of_memory) throw std::bad_alloc();
    if (status != Status::ok) throw std::runtime_error(status_name(status));
}

// Calls back from within the library, through which no exception may pass: an exception ends the walk and is
// rethrown after it.
class Caller {
public:
    // Whether to go on; `is_done()` calls back.
    template <class IsDone>
    bool goes_on(IsDone&& is_done) noexcept {
        try {
            return !is_done();
        } catch (...) {
            thrown_ = std::current_exception();
            return false;
        }
    }
    void end(Status status) const {
        if (thrown_) std::rethrow_exception(thrown_);
        require(status);
    }

private:
    std::exception_ptr thrown_;
};

// No class derives from this one, so this replaces a dynamic_cast, in a tenth of the time.
bool is_ours(const BroadsideManager::Manager& manager) { return typeid(manager) == typeid(BroadsideManager); }

}  // namespace

// Resizes to this many indices, the new ones without an object, with room for all their data. After
// std::bad_alloc nothing has changed.
void BroadsideManager::resize(std::size_t count) {
    const std::size_t old_count = objects_.size();
    indices_.reserve(count);
    objects_.resize(count);
    try {
        boxes_.resize(count);
        free_.reserve(objects_.capacity());
        pending_.reserve(objects_.capacity());
    } catch (...) {
        objects_.resize(old_count);
        boxes_.resize(old_count);
        throw;
    }
}

// Rounds boxes of doubles to boxes of floats around them, one or all. A free index has FCL's empty box, which
// is inverted and so becomes the empty one of floats.
void BroadsideManager::round(std::uint32_t index) const {
    const FloatEnvironment environment;
    rounded_.set(index, box_around(boxes_[index]));
}
void BroadsideManager::round_all() const {
    static_assert(sizeof(Box) == 6 * sizeof(double), "boxes are rows of six numbers");
    const double* const numbers = boxes_.empty() ? nullptr : boxes_[0].min_.data();
    require(rounded_.assign_outwards(ExactBoxView<double>::rows(numbers, boxes_.size(), 3)));
    // Some boxes that are invalid to the library may belong to objects, too.
    std::size_t index = find_invalid_box(rounded_);
    for (; index < boxes_.size(); index = find_invalid_box(rounded_, index + 1)) {
        if (objects_[index] != nullptr) round(static_cast<std::uint32_t>(index));
    }
}

void BroadsideManager::add(Object* const* objects, std::size_t count) {
    const std::size_t old_count = objects_.size();
    const std::size_t reused_count = std::min(count, free_.size());
    if (count > reused_count) resize(old_count + count - reused_count);
    for (std::size_t i = 0; i < count; ++i) {
        auto index = static_cast<std::uint32_t>(old_count + i - reused_count);
        if (i < reused_count) {
            index = free_.back();
            free_.pop_back();
        }
        objects_[index] = objects[i];
        indices_.insert(objects[i], index);
        boxes_[index] = objects[i]->getAABB();
        pending_.push_back(index);
    }
    is_ready_ = pending_.empty();
}

void BroadsideManager::registerObjects(const Objects& objects) { add(objects.data(), objects.size()); }
void BroadsideManager::registerObject(Object* object) { add(&object, 1); }

void BroadsideManager::unregisterObject(Object* object) {
    get_ready();
    const auto index_of = [&] {
        std::uint32_t found = kNoBox;
        indices_.for_each(object, [&](std::uint32_t index) { found = index; });
        return found;
    };
    for (std::uint32_t index = index_of(); index != kNoBox; index = index_of()) {
        require(tree_.remove_box(index));
        indices_.erase(object, index);
        objects_[index] = nullptr;
        boxes_[index] = Box();
        rounded_.set(index, Aabb::empty());
        free_.push_back(index);
    }
}

// Another thread with a query at the same time may have set the boxes of the tree.
void BroadsideManager::get_ready() const {
    if (is_ready_.load(std::memory_order_acquire)) return;
    const std::lock_guard lock(mutex_);
    if (!is_ready_.load(std::memory_order_relaxed)) add_pending();
    is_ready_.store(true, std::memory_order_release);
}

// Many boxes make a new tree, at a seventh of the cost of adding each to the old one; a few join the existing
// one.
void BroadsideManager::add_pending() const {
    constexpr std::size_t kManyPart = 7;
    if (pending_.size() > size() / kManyPart) {
        round_all();
        require(tree_.build(rounded_));
        pending_.clear();
    }
    require(rounded_.resize(boxes_.size()));
    for (; !pending_.empty(); pending_.pop_back()) {
        round(pending_.back());
        require(tree_.set_box(pending_.back(), rounded_[pending_.back()]));
    }
}

// Call after `rounded_` has changed. Builds a new tree if boxes have moved so far that queries get slower:
// every thirtieth time with steps of a quarter of a box.
void BroadsideManager::refit() {
    constexpr float kGrowthMost = 1.3f;
    require(tree_.refit(rounded_));
    if (tree_.growth() > kGrowthMost) require(tree_.build(rounded_));
}

void BroadsideManager::update() {
    get_ready();
    const std::size_t count = objects_.size();
    for (std::size_t index = 0; index < count; ++index) {
        if (objects_[index] != nullptr) boxes_[index] = objects_[index]->getAABB();
    }
    round_all();
    refit();
}

void BroadsideManager::update(Object* object) {
    get_ready();
    indices_.for_each(object, [&](std::uint32_t index) {
        boxes_[index] = object->getAABB();
        round(index);
        require(tree_.set_box(index, rounded_[index]));
    });
}

// To refit all costs as much as to set about a fortieth of the boxes one by one, and to round all as much as
// a fourth.
void BroadsideManager::update(const Objects& objects) {
    get_ready();
    constexpr std::size_t kManyPart = 40;
    constexpr std::size_t kRoundedPart = 4;
    if (objects.size() <= size() / kManyPart) {
        for (Object* object : objects) update(object);
        return;
    }
    const bool is_rounded_whole = objects.size() > size() / kRoundedPart;
    for (Object* object : objects) {
        indices_.for_each(object, [&](std::uint32_t index) {
            boxes_[index] = object->getAABB();
            if (!is_rounded_whole) round(index);
        });
    }
    if (is_rounded_whole) round_all();
    refit();
}

void BroadsideManager::clear() {
    objects_.clear();
    boxes_.clear();
    free_.clear();
    indices_.clear();
    rounded_.clear();
    tree_.clear();
    pending_.clear();
    is_ready_ = true;
}

void BroadsideManager::getObjects(Objects& out_objects) const {
    out_objects.clear();
    for (Object* object : objects_) {
        if (object != nullptr) out_objects.push_back(object);
    }
}

void BroadsideManager::collide(Object* object, void* user, CollisionCallBack callback) const {
    get_ready();
    const FloatEnvironment environment;
    const Box box = object->getAABB();
    Caller caller;
    const auto visit = [&](std::uint32_t index) {
        if (!overlap(boxes_[index], box)) return true;
        return caller.goes_on([&] { return callback(objects_[index], object, user); });
    };
    caller.end(tree_.visit_overlaps(box_around(box), {}, visit));
}

void BroadsideManager::collide(void* user, CollisionCallBack callback) const {
    collide_pairs(*this, user, callback);
}

void BroadsideManager::collide(Manager* other, void* user, CollisionCallBack callback) const {
    collide_pairs(is_ours(*other) ? static_cast<const BroadsideManager&>(*other) : *copy_of(*other), user,
                  callback);
}

void BroadsideManager::collide_pairs(const BroadsideManager& other, void* user,
                                     CollisionCallBack callback) const {
    const FloatEnvironment environment;
    get_ready();
    other.get_ready();
    Witness& witness = &other == this ? own_witness_ : other_witness_;
    const IndexPair last = witness.pair();
    Caller caller;
    // By value, which saves one memory access per pair.
    const auto meet = [boxes_a = boxes_.data(), boxes_b = other.boxes_.data()](const IndexPair& pair) {
        return overlap(boxes_a[pair.first], boxes_b[pair.second]);
    };
    const auto decide = [meet, a = objects_.data(), b = other.objects_.data(), user, callback, &caller,
                         &witness](const IndexPair& pair) {
        if (!meet(pair)) return true;
        if (caller.goes_on([&] { return callback(a[pair.first], b[pair.second], user); })) return true;
        witness.note(pair);
        return false;
    };
    const auto walk = [&](PairVisitor visit) {
        return &other == this ? tree_.visit_pairs({}, visit) : tree_.visit_pairs(other.tree_, {}, visit);
    };
    if (!has_pair(last, other) || !meet(last)) return caller.end(walk(decide));
    if (!decide(last)) return caller.end(Status::ok);
    caller.end(walk([&](const IndexPair& pair) { return pair == last || decide(pair); }));
}

// Decides on the pairs of a walk by their boxes of doubles, and shortens its reach to the callback's
// distance.
class BroadsideManager::Distances {
public:
    Distances(void* user, DistanceCallBack callback) : user_(user), callback_(callback) {}

    float visit(const Box& box_a, const Box& box_b, Object* a, Object* b) noexcept {
        constexpr float kNoMore = -1;
        if (box_a.distance(box_b) < distance_ &&
            !caller_.goes_on([&] { return callback_(a, b, user_, distance_); })) {
            return kNoMore;
        }
        return distance_ > 0 ? distance_around(distance_) : kNoMore;
    }
    void end(Status status) const { caller_.end(status); }
    double distance() const { return distance_; }

private:
    void* user_;
    DistanceCallBack callback_;
    double distance_ = std::numeric_limits<double>::max();
    Caller caller_;
};

void BroadsideManager::distance(Object* object, void* user, DistanceCallBack callback) const {
    get_ready();
    const FloatEnvironment environment;
    const Box box = object->getAABB();
    Distances distances(user, callback);
    const auto visit = [&](const ClosePair& near) {
        const std::uint32_t index = near.target.second;
        return distances.visit(boxes_[index], box, objects_[index], object);
    };
    distances.end(tree_.visit_close_boxes(box_around(box), {}, {}, visit));
}

void BroadsideManager::distance(void* user, DistanceCallBack callback) const {
    distance_pairs(*this, user, callback);
}

void BroadsideManager::distance(Manager* other, void* user, DistanceCallBack callback) const {
    distance_pairs(is_ours(*other) ? static_cast<const BroadsideManager&>(*other) : *copy_of(*other), user,
                   callback);
}

void BroadsideManager::distance_pairs(const BroadsideManager& other, void* user,
                                      DistanceCallBack callback) const {
    const FloatEnvironment environment;
    get_ready();
    other.get_ready();
    Witness& witness = &other == this ? own_witness_ : other_witness_;
    const IndexPair last = witness.pair();
    Distances distances(user, callback);
    const auto decide = [&](const IndexPair& pair) {
        const double before = distances.distance();
        const float reach = distances.visit(boxes_[pair.first], other.boxes_[pair.second],
                                            objects_[pair.first], other.objects_[pair.second]);
        if (distances.distance() < before) witness.note(pair);
        return reach;
    };
    const float reach = has_pair(last, other) ? decide(last) : kVisitAll;
    if (!(reach >= 0)) return distances.end(Status::ok);
    const auto visit = [&](const ClosePair& near) {
        return near.target == last ? kVisitAll : decide(near.target);
    };
    distances.end(&other == this ? tree_.visit_close_pairs(reach, {}, visit)
                                 : tree_.visit_close_pairs(other.tree_, reach, {}, visit));
}

bool BroadsideManager::has_pair(const IndexPair& pair, const BroadsideManager& other) const {
    return pair.first < objects_.size() && objects_[pair.first] != nullptr &&
           pair.second < other.objects_.size() && other.objects_[pair.second] != nullptr;
}

// FCL's own managers take every other manager for one of their type.
std::unique_ptr<BroadsideManager> BroadsideManager::copy_of(const Manager& other) {
    Objects objects;
    other.getObjects(objects);
    auto copy = std::make_unique<BroadsideManager>();
    copy->registerObjects(objects);
    return copy;
}

}  // namespace fcl_example
