// A small physics engine, a stand-in for the reader's: bodies that fall, touch, rest and sleep, in stages
// that job threads share. It uses the broad phase through broad_phase.hpp alone.
#pragma once

#include "examples/engine_broadphase/solver.hpp"

namespace engine_example {

/// Nanoseconds of std::chrono::steady_clock.
std::uint64_t steady_nanoseconds() noexcept;

struct EngineSettings {
    /// The threads of a step, the caller's among them.
    std::uint32_t worker_count = 1;
    /// The margin of boxes in the broad phase. A body within its box is not reported.
    float box_margin = 0.1f;
    bool bodies_sleep = true;
    SolverSettings solver;
    /// The clock of StepTimes. Job threads read it, too.
    std::uint64_t (*now_nanoseconds)() noexcept = &steady_nanoseconds;
};

/// Microseconds of a step. Work of parallel jobs is the sum over all jobs, divided by their number.
struct StepTimes {
    double step = 0;
    /// The broad phase's share: bodies added and removed since the step before, its update with the contacts
    /// made and ended, boxes, and bodies that wake or fall asleep with the queries of their pairs.
    double change = 0;
    double update = 0;
    double notify = 0;
    double sleep = 0;
    double narrow_phase = 0;
    double solve = 0;
    double move = 0;

    double broad_phase() const { return change + update + notify + sleep; }
};

class Engine final : PairListener {
public:
    explicit Engine(const EngineSettings& settings);
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    /// Bodies that are ready to be added.
    struct Batch {
        std::vector<BodySettings> bodies;
        /// The number of the first one; the others follow.
        std::uint32_t first_body = 0;
        PreparedObjects prepared;
        Status status = Status::ok;
    };
    /// Callable on any thread, at any time.
    Batch prepare_bodies(std::vector<BodySettings> bodies);
    /// The source of queries, at any time and from any thread.
    BroadPhaseView view() const { return broad_phase_.view(); }

    // Between two steps.

    Status add_bodies(const Batch& batch);
    /// Bodies that rested on them wake up.
    Status remove_bodies(std::span<const std::uint32_t> bodies);
    Status optimize() { return broad_phase_.optimize(); }

    Status step();

    const StepTimes& times() const { return times_; }
    std::span<const Body> bodies() const { return bodies_; }
    std::span<const Motion> motions() const { return motions_; }
    const BroadPhase& broad_phase() const { return broad_phase_; }
    const Solver& solver() const { return solver_; }
    std::size_t contact_count() const { return contacts_.size() - free_contacts_.size(); }
    std::size_t awake_count() const;
    /// The deepest overlap of two bodies.
    float deepest_overlap() const;
    /// Hash of the positions and velocities of all bodies, bit for bit.
    std::uint64_t state_hash() const;

private:
    std::uint64_t pair_begins(std::uint64_t body_a, std::uint64_t body_b) noexcept override;
    void pair_ends(std::uint64_t body_a, std::uint64_t body_b, std::uint64_t contact) noexcept override;
    void add_body(std::uint32_t index, const BodySettings& settings, Proxy proxy);
    Aabb first_box(const BodySettings& settings) const;
    Aabb box_of(const Body& body) const;
    std::uint32_t index_of(Proxy proxy) const {
        return static_cast<std::uint32_t>(broad_phase_.body_of(proxy));
    }
    void place(std::uint32_t index);
    void collide();
    void collide_part(std::size_t begin, std::size_t end);
    void note_touch(const Contact& contact);
    void solve();
    Status move();
    Status move_part(std::size_t begin, std::size_t end);
    void move_body(std::uint32_t index);
    Status wake_marked();
    Status let_sleep();
    Status set_awake(std::span<const std::uint32_t> bodies, bool is_awake);
    bool may_sleep(std::uint32_t index) const;

    EngineSettings settings_;
    Jobs jobs_;
    BroadPhase broad_phase_;
    Solver solver_;
    std::vector<Body> bodies_;
    std::vector<Motion> motions_;
    /// The shapes, larger by half of kContactDistance, with which the narrow phase finds axes.
    std::vector<Obb> reach_;
    std::vector<Contact> contacts_;
    std::vector<std::uint32_t> free_contacts_;
    // Bodies that will wake up, or fall asleep: jobs mark, one thread reads.
    std::vector<std::uint8_t> marks_;
    std::vector<std::uint32_t> marked_;
    std::atomic<std::uint32_t> next_body_{0};
    std::atomic<std::uint64_t> notify_nanoseconds_{0};
    StepTimes times_;
    double change_microseconds_ = 0;
};

}  // namespace engine_example
