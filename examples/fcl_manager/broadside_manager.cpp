#include "examples/fcl_manager/broadside_manager.hpp"

#include "examples/fcl_manager/outward.hpp"

#include <broadside/float_environment.hpp>

#include <exception>
#include <new>
#include <stdexcept>

namespace fcl_example {

using namespace broadside;

namespace {

void require(Status status) {
    if (status == Status::out_of_memory) throw std::bad_alloc();
    if (status != Status::ok) throw std::runtime_error(status_name(status));
}

// Calls back from within the library, which lets no exception pass: what is thrown ends the walk, and goes on
// after it.
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

}  // namespace

// So many indices, the new ones without an object, and room for all that is noted of them. Under
// std::bad_alloc nothing has changed.
void BroadsideManager::resize(std::size_t count) {
    indices_.reserve(count);
    objects_.resize(count);
    try {
        boxes_.resize(count);
        free_.reserve(objects_.capacity());
        pending_.reserve(objects_.capacity());
        const bool is_one_more = count == rounded_.count() + 1;
        require(is_one_more ? rounded_.push_back(Aabb::empty()) : rounded_.resize(count));
    } catch (...) {
        objects_.resize(rounded_.count());
        boxes_.resize(rounded_.count());
        throw;
    }
}

// Copies the box of an object.
class BroadsideManager::Copying {
public:
    explicit Copying(BroadsideManager& manager)
        : objects_(manager.objects_.data()), boxes_(manager.boxes_.data()), rounded_(manager.rounded_) {}

    void copy(std::uint32_t index) const {
        const Box box = objects_[index]->getAABB();
        const Aabb around = box_around(box);
        boxes_[index] = box;
        rounded_.min_x[index] = around.min.x;
        rounded_.min_y[index] = around.min.y;
        rounded_.min_z[index] = around.min.z;
        rounded_.max_x[index] = around.max.x;
        rounded_.max_y[index] = around.max.y;
        rounded_.max_z[index] = around.max.z;
    }

private:
    struct Rows {
        float* min_x;
        float* min_y;
        float* min_z;
        float* max_x;
        float* max_y;
        float* max_z;
        explicit Rows(BoxSoa& boxes)
            : min_x(boxes.min_x()),
              min_y(boxes.min_y()),
              min_z(boxes.min_z()),
              max_x(boxes.max_x()),
              max_y(boxes.max_y()),
              max_z(boxes.max_z()) {}
    };

    // In registers, where the compiler need not fear that a box overwrites them.
    const FloatEnvironment environment_;
    Object* const* objects_;
    Box* boxes_;
    Rows rounded_;
};

void BroadsideManager::set_box(std::uint32_t index) {
    Copying(*this).copy(index);
    require(tree_.set_box(index, rounded_[index]));
}

void BroadsideManager::registerObjects(const Objects& objects) {
    const std::size_t free_count = free_.size();
    if (objects.size() > free_count) {
        const std::size_t count = objects_.size();
        resize(count + objects.size() - free_count);
        for (std::size_t index = objects_.size(); index > count; --index)
            free_.push_back(static_cast<std::uint32_t>(index - 1));
    }
    const Copying copying(*this);
    for (Object* object : objects) {
        const std::uint32_t index = free_.back();
        free_.pop_back();
        objects_[index] = object;
        indices_.insert(object, index);
        copying.copy(index);
        pending_.push_back(index);
    }
    is_ready_ = pending_.empty();
}

void BroadsideManager::registerObject(Object* object) { registerObjects({object}); }

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
        rounded_.set(index, Aabb::empty());
        free_.push_back(index);
    }
}

// Boxes of the tree may have been set by a thread that asked at the same time.
void BroadsideManager::get_ready() const {
    if (is_ready_.load(std::memory_order_acquire)) return;
    const std::lock_guard lock(mutex_);
    if (!is_ready_.load(std::memory_order_relaxed)) add_pending();
    is_ready_.store(true, std::memory_order_release);
}

// Many at once make a new tree, at a seventh of what it costs to let one join; a few join the one that there
// is.
void BroadsideManager::add_pending() const {
    constexpr std::size_t kManyPart = 7;
    if (pending_.size() > size() / kManyPart) {
        require(tree_.build(rounded_));
        pending_.clear();
    }
    for (; !pending_.empty(); pending_.pop_back()) {
        require(tree_.set_box(pending_.back(), rounded_[pending_.back()]));
    }
}

// After `rounded_` has changed. A new tree when boxes have moved so far that questions get slower: with steps
// of a quarter of a box every thirtieth time.
void BroadsideManager::refit() {
    constexpr float kGrowthMost = 1.3f;
    require(tree_.refit(rounded_));
    if (tree_.growth() > kGrowthMost) require(tree_.build(rounded_));
}

void BroadsideManager::update() {
    get_ready();
    const Copying copying(*this);
    const auto count = static_cast<std::uint32_t>(objects_.size());
    for (std::uint32_t index = 0; index < count; ++index) {
        if (objects_[index] != nullptr) copying.copy(index);
    }
    refit();
}

void BroadsideManager::update(Object* object) {
    get_ready();
    indices_.for_each(object, [&](std::uint32_t index) { set_box(index); });
}

// To refit all costs as much as to set some fortieth of the boxes one by one.
void BroadsideManager::update(const Objects& objects) {
    get_ready();
    constexpr std::size_t kManyPart = 40;
    if (objects.size() <= size() / kManyPart) {
        for (Object* object : objects) update(object);
        return;
    }
    const Copying copying(*this);
    for (Object* object : objects) {
        indices_.for_each(object, [&](std::uint32_t index) { copying.copy(index); });
    }
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
    get_ready();
    Caller caller;
    const auto visit = [&](const IndexPair& pair) {
        if (!overlap(boxes_[pair.first], boxes_[pair.second])) return true;
        return caller.goes_on([&] { return callback(objects_[pair.first], objects_[pair.second], user); });
    };
    caller.end(tree_.visit_pairs({}, visit));
}

void BroadsideManager::collide(Manager* other, void* user, CollisionCallBack callback) const {
    if (other == this) return collide(user, callback);
    const auto* const ours = dynamic_cast<const BroadsideManager*>(other);
    if (ours == nullptr) return collide(copy_of(*other).get(), user, callback);
    get_ready();
    ours->get_ready();
    Caller caller;
    const auto visit = [&](const IndexPair& pair) {
        if (!overlap(boxes_[pair.first], ours->boxes_[pair.second])) return true;
        return caller.goes_on(
            [&] { return callback(objects_[pair.first], ours->objects_[pair.second], user); });
    };
    caller.end(tree_.visit_pairs(ours->tree_, {}, visit));
}

namespace {

// A tree of one box, to ask another tree with. A thread keeps its last one, because the memory of a tree
// costs more than a question; a callback that asks in turn gets another one.
class LoneBox {
public:
    explicit LoneBox(const Aabb& box) : tree_(std::move(kept())) {
        if (!tree_) tree_ = std::make_unique<BoxTree>();
        const BoxSoaView view = {&box.min.x, &box.min.y, &box.min.z, &box.max.x, &box.max.y, &box.max.z, 1};
        require(tree_->box_count() == 0 ? tree_->build(view) : tree_->refit(view));
    }
    LoneBox(const LoneBox&) = delete;
    LoneBox& operator=(const LoneBox&) = delete;
    ~LoneBox() { kept() = std::move(tree_); }

    const BoxTree& tree() const { return *tree_; }

private:
    static std::unique_ptr<BoxTree>& kept() {
        thread_local std::unique_ptr<BoxTree> tree;
        return tree;
    }

    std::unique_ptr<BoxTree> tree_;
};

}  // namespace

// Decides on the pairs of a walk by their boxes of doubles, and shortens its reach to what the callback says.
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
    const LoneBox alone(box_around(box));
    Distances distances(user, callback);
    const auto visit = [&](const ClosePair& near) {
        const std::uint32_t index = near.pair.first;
        return distances.visit(boxes_[index], box, objects_[index], object);
    };
    distances.end(tree_.visit_close_pairs(alone.tree(), {}, visit));
}

void BroadsideManager::distance(void* user, DistanceCallBack callback) const {
    get_ready();
    Distances distances(user, callback);
    const auto visit = [&](const ClosePair& near) {
        const auto [a, b] = near.pair;
        return distances.visit(boxes_[a], boxes_[b], objects_[a], objects_[b]);
    };
    distances.end(tree_.visit_close_pairs({}, visit));
}

void BroadsideManager::distance(Manager* other, void* user, DistanceCallBack callback) const {
    if (other == this) return distance(user, callback);
    const auto* const ours = dynamic_cast<const BroadsideManager*>(other);
    if (ours == nullptr) return distance(copy_of(*other).get(), user, callback);
    get_ready();
    ours->get_ready();
    Distances distances(user, callback);
    const auto visit = [&](const ClosePair& near) {
        const auto [a, b] = near.pair;
        return distances.visit(boxes_[a], ours->boxes_[b], objects_[a], ours->objects_[b]);
    };
    distances.end(tree_.visit_close_pairs(ours->tree_, {}, visit));
}

// FCL's own managers take every other one for one of their type.
std::unique_ptr<BroadsideManager> BroadsideManager::copy_of(const Manager& other) {
    Objects objects;
    other.getObjects(objects);
    auto copy = std::make_unique<BroadsideManager>();
    copy->registerObjects(objects);
    return copy;
}

}  // namespace fcl_example
