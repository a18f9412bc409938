// The stages of a step, and the bodies that they work on.
#include "examples/engine_broadphase/engine.hpp"

#include "examples/engine_broadphase/narrow_phase.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <utility>

namespace engine_example {
namespace {

using broadside::IndexPair;
using broadside::ObbAxis;

constexpr std::size_t kPartCount = 64;
constexpr Vec3 kGravity = {0, -9.81f, 0};
// A body sleeps when it and all that it meets have been slower than this for this long.
constexpr float kSlowSpeed = 0.1f;
constexpr float kSlowSpin = 0.2f;
constexpr float kSleepSeconds = 0.5f;
// It wakes when a body at this speed touches it.
constexpr float kWakeSpeed = 0.3f;

class Stopwatch {
public:
    explicit Stopwatch(const EngineSettings& settings) : now_(settings.now_nanoseconds), start_(now_()) {}
    std::uint64_t nanoseconds() const { return now_() - start_; }
    double microseconds() const { return 1e-3 * static_cast<double>(nanoseconds()); }

private:
    std::uint64_t (*now_)() noexcept;
    std::uint64_t start_;
};

Status first_error(Status a, Status b) { return a == Status::ok ? b : a; }

Obb grown(Obb box, float margin) {
    box.half_extent = box.half_extent + Vec3{margin, margin, margin};
    return box;
}

}  // namespace

std::uint64_t steady_nanoseconds() noexcept {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

Engine::Engine(const EngineSettings& settings)
    : settings_(settings), jobs_(settings.worker_count), broad_phase_(jobs_.runner()) {}

Engine::Batch Engine::prepare_bodies(std::vector<BodySettings> bodies) {
    Batch batch;
    batch.first_body = next_body_.fetch_add(static_cast<std::uint32_t>(bodies.size()));
    std::vector<ObjectDescription> descriptions;
    for (const BodySettings& settings : bodies) {
        ObjectDescription description;
        description.box = first_box(settings);
        description.kind = settings.mass == 0 ? broadside::ObjectKind::fixed : broadside::ObjectKind::moving;
        description.filter.layer = settings.layer;
        description.user_data = batch.first_body + descriptions.size();
        descriptions.push_back(description);
    }
    batch.status = BroadPhase::prepare(descriptions, batch.prepared);
    batch.bodies = std::move(bodies);
    return batch;
}

Status Engine::add_bodies(const Batch& batch) {
    if (batch.status != Status::ok) return batch.status;
    const Stopwatch watch(settings_);
    std::vector<Proxy> proxies(batch.bodies.size());
    const Status status = broad_phase_.add(batch.prepared, proxies);
    if (status != Status::ok) return status;
    const std::size_t size = std::max(bodies_.size(), batch.first_body + batch.bodies.size());
    bodies_.resize(size);
    motions_.resize(size);
    reach_.resize(size);
    marks_.resize(size);
    if (contacts_.capacity() < 10 * size) contacts_.reserve(20 * size);
    for (std::uint32_t i = 0; i < proxies.size(); ++i)
        add_body(batch.first_body + i, batch.bodies[i], proxies[i]);
    change_microseconds_ += watch.microseconds();
    return Status::ok;
}

Aabb Engine::first_box(const BodySettings& settings) const {
    const Aabb box = {settings.position - settings.half_extent, settings.position + settings.half_extent};
    return expanded(box, settings_.box_margin + 0.5f * kContactDistance);
}

void Engine::add_body(std::uint32_t index, const BodySettings& settings, Proxy proxy) {
    Body& body = bodies_[index];
    body.pose.center = settings.position;
    body.pose.half_extent = settings.half_extent;
    body.shape = settings.shape;
    body.proxy = proxy;
    body.is_alive = true;
    body.known_box = first_box(settings);
    if (settings.mass != 0) {
        const Vec3& h = settings.half_extent;
        const bool is_sphere = settings.shape == ShapeKind::sphere;
        const float scale = settings.mass * (is_sphere ? 0.2f : 1.0f / 3);
        body.is_awake = true;
        body.inv_mass = 1 / settings.mass;
        body.inv_inertia = {1 / (scale * (h.y * h.y + h.z * h.z)), 1 / (scale * (h.x * h.x + h.z * h.z)),
                            1 / (scale * (h.x * h.x + h.y * h.y))};
        motions_[index].velocity = settings.velocity;
        motions_[index].inv_mass = body.inv_mass;
    }
    place(index);
}

Status Engine::remove_bodies(std::span<const std::uint32_t> bodies) {
    const Stopwatch watch(settings_);
    std::vector<Proxy> proxies;
    for (const std::uint32_t index : bodies) {
        Body& body = bodies_[index];
        proxies.push_back(body.proxy);
        for (const Proxy other : broad_phase_.pairs_of(body.proxy)) marks_[index_of(other)] = 1;
        body.is_alive = false;
        body.is_awake = false;
        motions_[index].inv_mass = 0;
    }
    const Status woken = wake_marked();
    const Status status = first_error(broad_phase_.remove(proxies), woken);
    change_microseconds_ += watch.microseconds();
    return status;
}

std::uint64_t Engine::pair_begins(std::uint64_t body_a, std::uint64_t body_b) noexcept {
    auto a = static_cast<std::uint32_t>(body_a);
    auto b = static_cast<std::uint32_t>(body_b);
    // The narrow phase takes the sphere first.
    if (bodies_[b].shape == ShapeKind::sphere) std::swap(a, b);
    if (free_contacts_.empty()) {
        free_contacts_.push_back(static_cast<std::uint32_t>(contacts_.size()));
        contacts_.emplace_back();
    }
    const std::uint32_t index = free_contacts_.back();
    free_contacts_.pop_back();
    contacts_[index].a = a;
    contacts_[index].b = b;
    contacts_[index].point_count = 0;
    return index + 1;
}

void Engine::pair_ends(std::uint64_t, std::uint64_t, std::uint64_t contact) noexcept {
    const auto index = static_cast<std::uint32_t>(contact - 1);
    contacts_[index].a = Contact::kNone;
    free_contacts_.push_back(index);
}

Status Engine::step() {
    const Stopwatch step_watch(settings_);
    times_.change = std::exchange(change_microseconds_, 0);
    notify_nanoseconds_ = 0;
    Status status = broad_phase_.update(*this);
    times_.update = step_watch.microseconds();
    const Stopwatch narrow_watch(settings_);
    collide();
    times_.narrow_phase = narrow_watch.microseconds();
    const Stopwatch wake_watch(settings_);
    status = first_error(status, wake_marked());
    times_.sleep = wake_watch.microseconds();
    const Stopwatch solve_watch(settings_);
    solve();
    times_.solve = solve_watch.microseconds();
    const Stopwatch move_watch(settings_);
    status = first_error(status, move());
    times_.notify = 1e-3 * static_cast<double>(notify_nanoseconds_.load()) / jobs_.worker_count();
    times_.move = move_watch.microseconds() - times_.notify;
    const Stopwatch sleep_watch(settings_);
    if (settings_.bodies_sleep) status = first_error(status, let_sleep());
    times_.sleep += sleep_watch.microseconds();
    times_.step = times_.change + step_watch.microseconds();
    return status;
}

void Engine::collide() {
    jobs_.for_parts(contacts_.size(), kPartCount,
                    [&](std::size_t begin, std::size_t end) { collide_part(begin, end); });
}

void Engine::collide_part(std::size_t begin, std::size_t end) {
    IndexPair pairs[kPartCount];
    Contact* box_contacts[kPartCount];
    std::size_t count = 0;
    for (std::size_t i = begin; i < end; ++i) {
        Contact& contact = contacts_[i];
        if (contact.a == Contact::kNone || !(bodies_[contact.a].is_awake || bodies_[contact.b].is_awake))
            continue;
        if (bodies_[contact.a].shape == ShapeKind::sphere) {
            collide_sphere(bodies_[contact.a], bodies_[contact.b], contact);
            note_touch(contact);
            continue;
        }
        pairs[count] = {contact.a, contact.b};
        box_contacts[count++] = &contact;
    }
    float depths[kPartCount];
    ObbAxis axes[kPartCount] = {};
    const broadside::BatchResult found = obb_contacts(reach_, reach_, std::span(pairs, count),
                                                      std::span(depths, count), std::span(axes, count));
    if (found.status != Status::ok) std::fill_n(axes, count, ObbAxis::none);
    for (std::size_t i = 0; i < count; ++i) {
        Contact& contact = *box_contacts[i];
        collide_boxes(bodies_[contact.a], bodies_[contact.b], axes[i], depths[i], contact);
        note_touch(contact);
    }
}

// A sleeping body wakes when another one hits it.
void Engine::note_touch(const Contact& contact) {
    if (contact.point_count == 0 || bodies_[contact.a].is_awake == bodies_[contact.b].is_awake) return;
    const std::uint32_t sleeper = bodies_[contact.a].is_awake ? contact.b : contact.a;
    const Motion& a = motions_[contact.a];
    const Motion& b = motions_[contact.b];
    const float speed = dot(a.velocity - b.velocity, contact.normal);
    if (bodies_[sleeper].inv_mass != 0 && speed > kWakeSpeed)
        std::atomic_ref(marks_[sleeper]).store(1, std::memory_order_relaxed);
}

void Engine::solve() {
    jobs_.for_parts(motions_.size(), kPartCount, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            if (bodies_[i].is_awake) motions_[i].velocity = motions_[i].velocity + kGravity * kStepSeconds;
        }
    });
    solver_.prepare(jobs_, settings_.solver, contacts_, motions_);
    solver_.solve(jobs_, motions_);
    solver_.store_impulses(jobs_, contacts_);
}

Status Engine::move() {
    std::atomic<Status> status = Status::ok;
    jobs_.for_parts(bodies_.size(), kPartCount, [&](std::size_t begin, std::size_t end) {
        const Status part_status = move_part(begin, end);
        if (part_status != Status::ok) status.store(part_status);
    });
    return status;
}

// A job moves some bodies, and passes those that have left their boxes to the broad phase.
Status Engine::move_part(std::size_t begin, std::size_t end) {
    Proxy proxies[kPartCount];
    Aabb boxes[kPartCount];
    std::size_t count = 0;
    for (std::size_t i = begin; i < end; ++i) {
        Body& body = bodies_[i];
        if (!body.is_awake) continue;
        move_body(static_cast<std::uint32_t>(i));
        const Aabb box = box_of(body);
        if (contains(body.known_box, box)) continue;
        body.known_box = expanded(box, settings_.box_margin);
        proxies[count] = body.proxy;
        boxes[count++] = body.known_box;
    }
    const Stopwatch watch(settings_);
    const Status status = broad_phase_.notify_moved(std::span(proxies, count), std::span(boxes, count));
    notify_nanoseconds_ += watch.nanoseconds();
    return status;
}

void Engine::move_body(std::uint32_t index) {
    Body& body = bodies_[index];
    const Motion& motion = motions_[index];
    body.pose.center = body.pose.center + motion.velocity * kStepSeconds;
    // q + dt/2 * spin * q, normalised again.
    float* const q = body.rotation;
    const Vec3 w = motion.spin * (0.5f * kStepSeconds);
    const float turned_by[4] = {w.x * q[3] + w.y * q[2] - w.z * q[1], w.y * q[3] + w.z * q[0] - w.x * q[2],
                                w.z * q[3] + w.x * q[1] - w.y * q[0], -w.x * q[0] - w.y * q[1] - w.z * q[2]};
    float size = 0;
    for (int i = 0; i < 4; ++i) {
        q[i] += turned_by[i];
        size += q[i] * q[i];
    }
    size = 1 / std::sqrt(size);
    for (int i = 0; i < 4; ++i) q[i] *= size;
    const bool is_slow = length_sq(motion.velocity) < kSlowSpeed * kSlowSpeed &&
                         length_sq(motion.spin) < kSlowSpin * kSlowSpin;
    body.slow_seconds = is_slow ? body.slow_seconds + kStepSeconds : 0;
    place(index);
}

// The values that follow from position and rotation.
void Engine::place(std::uint32_t index) {
    Body& body = bodies_[index];
    const float* const q = body.rotation;
    Obb& pose = body.pose;
    pose.axis_x = {1 - 2 * (q[1] * q[1] + q[2] * q[2]), 2 * (q[0] * q[1] + q[3] * q[2]),
                   2 * (q[0] * q[2] - q[3] * q[1])};
    pose.axis_y = {2 * (q[0] * q[1] - q[3] * q[2]), 1 - 2 * (q[0] * q[0] + q[2] * q[2]),
                   2 * (q[1] * q[2] + q[3] * q[0])};
    pose.axis_z = cross(pose.axis_x, pose.axis_y);
    Motion& motion = motions_[index];
    const Vec3& i = body.inv_inertia;
    const Vec3 x = pose.axis_x;
    const Vec3 y = pose.axis_y;
    const Vec3 z = pose.axis_z;
    motion.inv_inertia = {i.x * x.x * x.x + i.y * y.x * y.x + i.z * z.x * z.x,
                          i.x * x.y * x.y + i.y * y.y * y.y + i.z * z.y * z.y,
                          i.x * x.z * x.z + i.y * y.z * y.z + i.z * z.z * z.z};
    motion.inv_inertia_sides = {i.x * x.x * x.y + i.y * y.x * y.y + i.z * z.x * z.y,
                                i.x * x.x * x.z + i.y * y.x * y.z + i.z * z.x * z.z,
                                i.x * x.y * x.z + i.y * y.y * y.z + i.z * z.y * z.z};
    reach_[index] = grown(pose, 0.5f * kContactDistance);
}

Aabb Engine::box_of(const Body& body) const {
    const Aabb box = body.shape == ShapeKind::box
                         ? bounds(body.pose)
                         : bounds(broadside::Sphere{body.pose.center, body.pose.half_extent.x});
    return expanded(box, 0.5f * kContactDistance);
}

// Clears the marks.
Status Engine::wake_marked() {
    marked_.clear();
    for (std::uint32_t i = 0; i < marks_.size(); ++i) {
        if (std::exchange(marks_[i], std::uint8_t{0}) != 0 && bodies_[i].is_alive && !bodies_[i].is_awake &&
            bodies_[i].inv_mass != 0)
            marked_.push_back(i);
    }
    return set_awake(marked_, true);
}

bool Engine::may_sleep(std::uint32_t index) const {
    const auto is_slow = [](const Body& body) {
        return !body.is_awake || body.slow_seconds >= kSleepSeconds;
    };
    const Body& body = bodies_[index];
    if (!body.is_awake || !is_slow(body)) return false;
    const std::span<const Proxy> others = broad_phase_.pairs_of(body.proxy);
    return std::all_of(others.begin(), others.end(),
                       [&](Proxy other) { return is_slow(bodies_[index_of(other)]); });
}

Status Engine::let_sleep() {
    jobs_.for_parts(bodies_.size(), kPartCount, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            marks_[i] = may_sleep(static_cast<std::uint32_t>(i)) ? std::uint8_t{1} : std::uint8_t{0};
    });
    marked_.clear();
    for (std::uint32_t i = 0; i < marks_.size(); ++i) {
        if (std::exchange(marks_[i], std::uint8_t{0}) != 0) marked_.push_back(i);
    }
    return set_awake(marked_, false);
}

Status Engine::set_awake(std::span<const std::uint32_t> bodies, bool is_awake) {
    std::vector<Proxy> proxies;
    for (const std::uint32_t index : bodies) {
        bodies_[index].is_awake = is_awake;
        bodies_[index].slow_seconds = 0;
        motions_[index].velocity = {};
        motions_[index].spin = {};
        motions_[index].inv_mass = is_awake ? bodies_[index].inv_mass : 0;
        proxies.push_back(bodies_[index].proxy);
    }
    return proxies.empty() ? Status::ok : broad_phase_.set_active(proxies, is_awake);
}

std::size_t Engine::awake_count() const {
    return static_cast<std::size_t>(
        std::count_if(bodies_.begin(), bodies_.end(), [](const Body& body) { return body.is_awake; }));
}

float Engine::deepest_overlap() const {
    float deepest = 0;
    for (const Contact& contact : contacts_) {
        if (contact.a == Contact::kNone) continue;
        for (std::uint32_t i = 0; i < contact.point_count; ++i)
            deepest = std::max(deepest, -contact.points[i].distance);
    }
    return deepest;
}

std::uint64_t Engine::state_hash() const {
    std::uint64_t hash = 0xCBF29CE484222325u;
    const auto add = [&](std::initializer_list<float> numbers) {
        for (const float number : numbers)
            hash = (hash ^ std::bit_cast<std::uint32_t>(number)) * 0x100000001B3u;
    };
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
        const Vec3& p = bodies_[i].pose.center;
        const float* const q = bodies_[i].rotation;
        const Vec3& v = motions_[i].velocity;
        const Vec3& w = motions_[i].spin;
        add({p.x, p.y, p.z, q[0], q[1], q[2], q[3], v.x, v.y, v.z, w.x, w.y, w.z});
    }
    return hash;
}

}  // namespace engine_example
