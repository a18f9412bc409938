// Constraints of contacts, in colours, and their impulses.
#include "examples/engine_broadphase/solver.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace engine_example {
namespace {

constexpr std::uint8_t kNoColour = 255;
constexpr std::size_t kPartCount = 64;

// Several jobs may read a body that does not move at the same time; none writes it.
void store(Motion& motion, const Motion& next) {
    if (next.inv_mass == 0) return;
    motion.velocity = next.velocity;
    motion.spin = next.spin;
}

}  // namespace

void Solver::prepare(const Jobs& jobs, const SolverSettings& settings, std::span<const Contact> contacts,
                     std::span<const Motion> motions) {
    settings_ = settings;
    put_in_colours(contacts, motions);
    jobs.for_parts(constraints_.size(), kPartCount, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            prepare(contacts[constraints_[i].contact], motions, constraints_[i]);
    });
}

void Solver::put_in_colours(std::span<const Contact> contacts, std::span<const Motion> motions) {
    body_colours_.assign(motions.size(), 0);
    contact_colours_.assign(contacts.size(), kNoColour);
    std::size_t counts[kColourCount + 1] = {};
    for (std::size_t i = 0; i < contacts.size(); ++i) {
        const Contact& contact = contacts[i];
        if (contact.a == Contact::kNone || contact.point_count == 0) continue;
        const bool moves_a = motions[contact.a].inv_mass != 0;
        const bool moves_b = motions[contact.b].inv_mass != 0;
        if (!moves_a && !moves_b) continue;
        std::uint64_t taken = 0;
        if (moves_a) taken |= body_colours_[contact.a];
        if (moves_b) taken |= body_colours_[contact.b];
        // If no colour is free, the last one, whose contacts have bodies in common.
        const std::size_t colour =
            std::min<std::size_t>(static_cast<std::size_t>(std::countr_one(taken)), kColourCount - 1);
        if (moves_a) body_colours_[contact.a] |= std::uint64_t{1} << colour;
        if (moves_b) body_colours_[contact.b] |= std::uint64_t{1} << colour;
        contact_colours_[i] = static_cast<std::uint8_t>(colour);
        ++counts[colour + 1];
    }
    begins_.assign(1, 0);
    for (std::size_t colour = 0; colour < kColourCount; ++colour) {
        begins_.push_back(begins_.back() + counts[colour + 1]);
        counts[colour] = begins_[colour];
    }
    constraints_.resize(begins_.back());
    for (std::size_t i = 0; i < contacts.size(); ++i) {
        if (contact_colours_[i] != kNoColour)
            constraints_[counts[contact_colours_[i]]++].contact = static_cast<std::uint32_t>(i);
    }
}

void Solver::prepare(const Contact& contact, std::span<const Motion> motions,
                     Constraint& out_constraint) const {
    const Motion& a = motions[contact.a];
    const Motion& b = motions[contact.b];
    out_constraint.a = contact.a;
    out_constraint.b = contact.b;
    out_constraint.point_count = contact.point_count;
    Vec3 tangents[2];
    make_tangents(contact.normal, tangents);
    out_constraint.axes[0] = contact.normal;
    out_constraint.axes[1] = tangents[0];
    out_constraint.axes[2] = tangents[1];
    for (std::uint32_t i = 0; i < contact.point_count; ++i) {
        const ContactPoint& from = contact.points[i];
        Point& point = out_constraint.points[i];
        // If the bodies are apart, they may come together within the step. If they overlap, part of the
        // overlap is removed.
        const float overlap = std::max(-from.distance - settings_.slop, 0.0f);
        point.bias = from.distance > 0 ? from.distance / kStepSeconds
                                       : -std::min(settings_.correction * overlap / kStepSeconds,
                                                   settings_.correction_speed);
        for (int k = 0; k < 3; ++k) {
            Row& row = point.rows[k];
            row.lever_a = cross(from.from_a, out_constraint.axes[k]);
            row.lever_b = cross(from.from_b, out_constraint.axes[k]);
            row.turn_a = turned(a, row.lever_a);
            row.turn_b = turned(b, row.lever_b);
            row.mass =
                1 / (a.inv_mass + b.inv_mass + dot(row.lever_a, row.turn_a) + dot(row.lever_b, row.turn_b));
            row.impulse = from.impulse[k];
        }
    }
}

template <class Solve>
void Solver::for_each_colour(const Jobs& jobs, Solve&& solve) {
    for (std::size_t colour = 0; colour + 1 < begins_.size(); ++colour) {
        const std::size_t begin = begins_[colour];
        const std::size_t count = begins_[colour + 1] - begin;
        const auto solve_part = [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) solve(constraints_[begin + i]);
        };
        if (colour + 1 == kColourCount)
            solve_part(0, count);
        else
            jobs.for_parts(count, kPartCount, solve_part);
    }
}

void Solver::solve(const Jobs& jobs, std::span<Motion> state_motions) {
    for_each_colour(jobs, [&](Constraint& constraint) { warm_start(constraint, state_motions); });
    for (int i = 0; i < settings_.iteration_count; ++i)
        for_each_colour(jobs, [&](Constraint& constraint) { solve(constraint, state_motions); });
}

// The speed of b's point along the axis, relative to a's.
inline float Solver::approach(const Motion& a, const Motion& b, Vec3 axis, const Row& row) {
    return dot(axis, b.velocity - a.velocity) + (dot(row.lever_b, b.spin) - dot(row.lever_a, a.spin));
}

// Applies an impulse to b along the axis, and its opposite to a.
inline void Solver::push(Motion& state_a, Motion& state_b, Vec3 axis, const Row& row, float impulse) {
    state_a.velocity = state_a.velocity - axis * (impulse * state_a.inv_mass);
    state_a.spin = state_a.spin - row.turn_a * impulse;
    state_b.velocity = state_b.velocity + axis * (impulse * state_b.inv_mass);
    state_b.spin = state_b.spin + row.turn_b * impulse;
}

void Solver::warm_start(Constraint& state_constraint, std::span<Motion> state_motions) {
    Motion a = state_motions[state_constraint.a];
    Motion b = state_motions[state_constraint.b];
    for (std::uint32_t i = 0; i < state_constraint.point_count; ++i) {
        const Point& point = state_constraint.points[i];
        for (int k = 0; k < 3; ++k)
            push(a, b, state_constraint.axes[k], point.rows[k], point.rows[k].impulse);
    }
    store(state_motions[state_constraint.a], a);
    store(state_motions[state_constraint.b], b);
}

void Solver::solve(Constraint& state_constraint, std::span<Motion> state_motions) const {
    Motion a = state_motions[state_constraint.a];
    Motion b = state_motions[state_constraint.b];
    const Vec3* const axes = state_constraint.axes;
    for (std::uint32_t i = 0; i < state_constraint.point_count; ++i) {
        Point& point = state_constraint.points[i];
        const float friction = settings_.friction * point.rows[0].impulse;
        const auto solve_row = [&](int k, float bias, float least, float most) {
            Row& row = point.rows[k];
            const float wanted = row.impulse - row.mass * (approach(a, b, axes[k], row) + bias);
            const float impulse = std::clamp(wanted, least, most);
            push(a, b, axes[k], row, impulse - row.impulse);
            row.impulse = impulse;
        };
        // The normal comes last, so that its constraint holds.
        solve_row(1, 0, -friction, friction);
        solve_row(2, 0, -friction, friction);
        solve_row(0, point.bias, 0, std::numeric_limits<float>::max());
    }
    store(state_motions[state_constraint.a], a);
    store(state_motions[state_constraint.b], b);
}

void Solver::store_impulses(const Jobs& jobs, std::span<Contact> out_contacts) const {
    jobs.for_parts(constraints_.size(), kPartCount, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const Constraint& constraint = constraints_[i];
            for (std::uint32_t k = 0; k < constraint.point_count; ++k)
                for (int axis = 0; axis < 3; ++axis)
                    out_contacts[constraint.contact].points[k].impulse[axis] =
                        constraint.points[k].rows[axis].impulse;
        }
    });
}

std::size_t Solver::colour_count() const {
    std::size_t count = 0;
    for (std::size_t i = 1; i < begins_.size(); ++i) count += begins_[i] != begins_[i - 1] ? 1u : 0u;
    return count;
}

std::size_t Solver::point_count() const {
    std::size_t count = 0;
    for (const Constraint& constraint : constraints_) count += constraint.point_count;
    return count;
}

}  // namespace engine_example
