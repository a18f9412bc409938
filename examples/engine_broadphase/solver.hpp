// The contact solver: sequential impulses, one colour of contacts after the other.
#pragma once

#include "examples/engine_broadphase/bodies.hpp"
#include "examples/engine_broadphase/jobs.hpp"

namespace engine_example {

struct SolverSettings {
    int iteration_count = 10;
    float friction = 0.5f;
    /// The share of an overlap that a step removes.
    float correction = 0.2f;
    /// Overlap that is tolerated, and the highest speed at which an overlap is removed.
    float slop = 0.005f;
    float correction_speed = 2;
};

/// Contacts of a colour have no moving body in common, so jobs solve them at once. The result does not depend
/// on the number of jobs.
class Solver {
public:
    /// Prepares the contacts with points and a body that moves.
    void prepare(const Jobs& jobs, const SolverSettings& settings, std::span<const Contact> contacts,
                 std::span<const Motion> motions);
    /// Changes the velocities, by the impulses of the step before and then in iterations.
    void solve(const Jobs& jobs, std::span<Motion> state_motions);
    /// Copies the impulses to the contacts for the next step.
    void store_impulses(const Jobs& jobs, std::span<Contact> out_contacts) const;

    std::size_t constraint_count() const { return constraints_.size(); }
    std::size_t point_count() const;
    std::size_t colour_count() const;

private:
    static constexpr std::size_t kColourCount = 64;

    // One direction at one point: its levers, how much an impulse along it turns the bodies, and the impulse.
    struct Row {
        Vec3 lever_a;
        Vec3 lever_b;
        Vec3 turn_a;
        Vec3 turn_b;
        float mass;
        float impulse;
    };
    struct Point {
        float bias;
        // For the normal and the tangents.
        Row rows[3];
    };
    struct Constraint {
        std::uint32_t contact;
        std::uint32_t a;
        std::uint32_t b;
        std::uint32_t point_count;
        // The normal and two tangents.
        Vec3 axes[3];
        Point points[4];
    };

    void put_in_colours(std::span<const Contact> contacts, std::span<const Motion> motions);
    void prepare(const Contact& contact, std::span<const Motion> motions, Constraint& out_constraint) const;
    template <class Solve>
    void for_each_colour(const Jobs& jobs, Solve&& solve);
    static float approach(const Motion& a, const Motion& b, Vec3 axis, const Row& row);
    static void push(Motion& state_a, Motion& state_b, Vec3 axis, const Row& row, float impulse);
    static void warm_start(Constraint& state_constraint, std::span<Motion> state_motions);
    void solve(Constraint& state_constraint, std::span<Motion> state_motions) const;

    SolverSettings settings_;
    std::vector<Constraint> constraints_;
    // The colours of a body's contacts, as bits.
    std::vector<std::uint64_t> body_colours_;
    std::vector<std::uint8_t> contact_colours_;
    // The first constraint of each colour; the last colour is solved by one thread.
    std::vector<std::size_t> begins_ = {0};
};

}  // namespace engine_example
