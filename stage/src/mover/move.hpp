// One step of one mover.
#pragma once

#include "stage/src/mover/planes.hpp"
#include "stage/src/mover/surroundings.hpp"

namespace broadside::stage {

/// Four steps of floats, as a share of numbers of their size.
inline constexpr double kOffsetShare = 0x1p-21;

/// A normal that leans further than this supports nothing.
inline constexpr double kSupportCosine = 0x1p-4;

/// An order of vectors, independent of the order of obstacles.
inline bool comes_before(const Vec3Double& a, const Vec3Double& b) {
    if (a.x != b.x) return a.x < b.x;
    return a.y != b.y ? a.y < b.y : a.z < b.z;
}

/// Settings as a move uses them.
struct MoveRules {
    Vec3Double up;
    double min_ground_cosine;
    double step_height;
    double stick_distance;
    double contact_offset;
    std::uint32_t max_iterations;
};

class Move {
public:
    Move(const Mover& mover, const MoveRules& rules, Surroundings& surroundings);
    MoverResult run();

private:
    /// The hit of a cast.
    struct Hit {
        /// The share of the displacement that it went, also without a hit.
        double t = 1.0;
        /// The clearance to keep there.
        double offset = 0.0;
        Gap gap = {};
        Obstacle obstacle = {};
        /// The index among the obstacles fetched when it was met.
        std::uint32_t index = 0;
        std::uint32_t fetch = 0;
        bool has_hit = false;
        /// The normal is of a side that is not the nearest one at the stop.
        bool is_turned = false;
        /// There were too many obstacles from there on.
        bool is_crowded = false;
    };
    enum class Kind : std::uint8_t { ground, steep, other };
    struct Contact {
        Obstacle obstacle;
        Vec3Double normal;
        Kind kind;
        /// Its index, valid while `fetch` is the present one.
        std::uint32_t index;
        std::uint32_t fetch;
    };

    void know(const Vec3Double& at);
    const ObstacleBits& around(const Vec3Double& at, double margin);
    const Gap& gap_at(const Vec3Double& at, std::uint32_t index);
    ObstacleBits near(const Vec3Double& from, const Vec3Double& way, const Aabb& box, double limit) const;
    Aabb swept(const Vec3Double& from, const Vec3Double& way, double margin) const;
    double size_at(const Vec3Double& at) const;
    void go(const Vec3Double& to, const Hit& hit);
    double cover_around(const Vec3Double& at);
    bool recover();
    Hit cast(const Vec3Double& from, const Vec3Double& way);
    Hit cast_far(const Vec3Double& from, const Vec3Double& way, double longest);
    Hit cast_piece(const Vec3Double& from, const Vec3Double& way, const Aabb& box, double offset);
    bool stop_time(const Obstacle& obstacle, const Gap& at_start, const Vec3Double& from,
                   const Vec3Double& way, double clearance, double limit, Hit& out_hit) const;
    static bool is_before(const Hit& a, const Hit& b);
    Kind kind_of(const Hit& hit, const Vec3Double& at) const;
    bool has_low_face(const Hit& hit, const Vec3Double& at) const;
    bool is_supported();
    void keep_contact(const Hit& hit, Kind kind);
    void refresh_contacts();
    Vec3Double next_way() const;
    bool try_step(Vec3Double& state_wish);
    void stick();
    void slide();
    bool find_ground(const Vec3Double& at, double margin, double least_gap, Hit& out_ground);
    bool is_joined(const Vec3Double& from, const Vec3Double& at, double apart, double margin);
    bool settle(const Vec3Double& from, Vec3 rounded, double least_gap);
    MoverResult finish();

    Vec3Double level(const Vec3Double& a) const { return a - rules_.up * dot(a, rules_.up); }

    static constexpr std::uint32_t kContactCount = 8;

    const Mover& mover_;
    const MoveRules& rules_;
    Surroundings& near_;
    MoverBody body_ = {};
    Vec3Double start_ = {};
    Vec3Double at_ = {};
    Vec3Double wish_ = {};
    /// At least four steps of the floats at every position so far.
    double offset_ = 0.0;
    Contact contacts_[kContactCount];
    std::uint32_t contact_count_ = 0;
    /// The wish is not upwards: the mover may stick to the ground and step up.
    bool is_walking_ = false;
    bool was_on_ground_ = false;
    MoverResult result_ = {};
    /// Cache for one position: the gaps of obstacles whose bit is set, and `around` if its margin is not
    /// negative.
    Vec3Double known_at_ = {__builtin_nan(""), 0.0, 0.0};
    std::uint32_t known_fetch_ = 0;
    ObstacleBits is_known_ = {};
    ObstacleBits known_around_ = {};
    double known_margin_ = -1.0;
    Gap known_gaps_[kMoverNeighbourCount];
};

/// The body for a valid shape and rules.
MoverBody body_of(const MoverShape& shape, const Vec3Double& up);

}  // namespace broadside::stage
