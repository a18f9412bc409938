// The walk down two trees of oriented boxes: separating axes of the boxes, over time if they move.
#include "narrowphase/src/mesh_pairs/obb_walk.hpp"

namespace broadside::narrowphase {
namespace {

constexpr std::uint32_t kMaxDepth = 64;

// Whether padded boxes meet, and from which time on.
struct BoxMeeting {
    bool meets;
    double enter;
};

// The times at which |distance + speed·t| <= radius, intersected over the axes so far.
class MeetingTime {
public:
    explicit MeetingTime(double limit) : leave_(limit) {}
    double enter() const { return enter_; }
    bool clip(double distance, double speed, double radius) {
        if (speed == 0.0) return __builtin_fabs(distance) <= radius;
        const double middle = -distance / speed;
        const double half = radius / __builtin_fabs(speed);
        enter_ = max_keep(enter_, middle - half);
        leave_ = min_keep(leave_, middle + half);
        return enter_ <= leave_;
    }

private:
    double enter_ = 0.0;
    double leave_;
};

// The 15 axes of B34, after Gottschalk, Lin and Manocha, in the space of box a. Boxes are padded by far more
// than the roundings here, and nearly parallel edges get a little thickness, so no pair is lost.
BoxMeeting meeting_of(const BoxFrame& frame, const Vec3Double& motion, const Obb& a, const Obb& b,
                      double limit) {
    const Vec3Double axis_a[3] = {widened(a.axis_x), widened(a.axis_y), widened(a.axis_z)};
    const Placement& p = frame.space_from_other;
    const Vec3Double axis_b[3] = {turned(p, widened(b.axis_x)), turned(p, widened(b.axis_y)),
                                  turned(p, widened(b.axis_z))};
    const Vec3Double offset = (turned(p, widened(b.center)) + p.translation) - widened(a.center);
    const double half_a[3] = {static_cast<double>(a.half_extent.x) + frame.pad,
                              static_cast<double>(a.half_extent.y) + frame.pad,
                              static_cast<double>(a.half_extent.z) + frame.pad};
    const double half_b[3] = {static_cast<double>(b.half_extent.x), static_cast<double>(b.half_extent.y),
                              static_cast<double>(b.half_extent.z)};
    double t[3], v[3], m[3][3], size[3][3];
    MeetingTime time(limit);
    const double slack = 0x1p-26 * __builtin_sqrt(dot(axis_b[0], axis_b[0]));
    for (int i = 0; i < 3; ++i) {
        t[i] = dot(axis_a[i], offset);
        v[i] = dot(axis_a[i], motion);
        double radius = half_a[i];
        for (int k = 0; k < 3; ++k) {
            m[i][k] = dot(axis_a[i], axis_b[k]);
            size[i][k] = __builtin_fabs(m[i][k]) + slack;
            radius += size[i][k] * half_b[k];
        }
        if (!time.clip(t[i], v[i], radius)) return {false, 0.0};
    }
    // Along the axes of b: their length is b's scale, and they are as perpendicular as a placement's.
    for (int k = 0; k < 3; ++k) {
        double radius = half_a[0] * size[0][k] + half_a[1] * size[1][k] + half_a[2] * size[2][k];
        for (int j = 0; j < 3; ++j) radius += half_b[j] * __builtin_fabs(dot(axis_b[j], axis_b[k]));
        if (!time.clip(t[0] * m[0][k] + t[1] * m[1][k] + t[2] * m[2][k],
                       v[0] * m[0][k] + v[1] * m[1][k] + v[2] * m[2][k], radius))
            return {false, 0.0};
    }
    const Vec3Double normal_b[3] = {cross(axis_b[1], axis_b[2]), cross(axis_b[2], axis_b[0]),
                                    cross(axis_b[0], axis_b[1])};
    for (int i = 0; i < 3; ++i) {
        const int i1 = (i + 1) % 3;
        const int i2 = (i + 2) % 3;
        // axis_b[k1]·(axis_a[i] × axis_b[k]) is axis_a[i]·(axis_b[k] × axis_b[k1]).
        double of_edges[3];
        for (int k = 0; k < 3; ++k) of_edges[k] = __builtin_fabs(dot(axis_a[i], normal_b[k]));
        for (int k = 0; k < 3; ++k) {
            const int k1 = (k + 1) % 3;
            const int k2 = (k + 2) % 3;
            const double radius = half_a[i1] * size[i2][k] + half_a[i2] * size[i1][k] +
                                  half_b[k1] * of_edges[k2] + half_b[k2] * of_edges[k1];
            if (!time.clip(t[i2] * m[i1][k] - t[i1] * m[i2][k], v[i2] * m[i1][k] - v[i1] * m[i2][k], radius))
                return {false, 0.0};
        }
    }
    return {true, time.enter()};
}

double size_of(const Obb& obb) {
    return (static_cast<double>(obb.half_extent.x) + static_cast<double>(obb.half_extent.y)) +
           static_cast<double>(obb.half_extent.z);
}

void meet_leaves(const MeshPairKernels& kernels, const PlacedPair& pair, const ObbTree& tree_a,
                 const ObbTreeNode& a, const ObbTree& tree_b, const ObbTreeNode& b,
                 TrianglePairSink& state_sink) {
    const auto part = [](const ObbTree& tree, const ObbTreeNode& leaf, std::uint32_t first) {
        const std::uint32_t left = leaf.triangle_count - first;
        return LeafPart{tree.clusters() + leaf.first_cluster + first / kNodeWidth,
                        left < kNodeWidth ? left : kNodeWidth};
    };
    for (std::uint32_t first_a = 0; first_a < a.triangle_count; first_a += kNodeWidth) {
        for (std::uint32_t first_b = 0; first_b < b.triangle_count; first_b += kNodeWidth) {
            kernels.leaves(pair, part(tree_a, a, first_a), part(tree_b, b, first_b), state_sink);
            if (state_sink.has_ended) return;
        }
    }
}

}  // namespace

void walk_obb_trees(const MeshPairKernels& kernels, const PlacedPair& pair, const ObbTree& a,
                    const ObbTree& b, TrianglePairSink& state_sink) noexcept {
    struct Entry {
        std::uint32_t a;
        std::uint32_t b;
        double enter;
    };
    // Each step removes one entry and adds two, one level further down.
    Entry entries[2 * kMaxDepth + 2];
    std::size_t count = 0;
    const Vec3Double motion = widened(pair.a_from_b.displacement);
    const auto push = [&](std::uint32_t index_a, std::uint32_t index_b) {
        ++state_sink.box_tests;
        const BoxMeeting meeting = meeting_of(pair.a_from_b, motion, a.nodes()[index_a].box,
                                              b.nodes()[index_b].box, static_cast<double>(state_sink.limit));
        if (!meeting.meets) return;
        entries[count++] = {index_a, index_b, meeting.enter};
        // The nearer one comes first.
        if (count > 1 && entries[count - 2].enter < entries[count - 1].enter && pair.is_moving) {
            const Entry last = entries[count - 1];
            entries[count - 1] = entries[count - 2];
            entries[count - 2] = last;
        }
    };
    push(0, 0);
    while (count > 0) {
        const Entry entry = entries[--count];
        if (entry.enter > static_cast<double>(state_sink.limit)) continue;
        const ObbTreeNode& node_a = a.nodes()[entry.a];
        const ObbTreeNode& node_b = b.nodes()[entry.b];
        if (node_a.is_leaf() && node_b.is_leaf()) {
            meet_leaves(kernels, pair, a, node_a, b, node_b, state_sink);
            if (state_sink.has_ended) return;
            continue;
        }
        const bool is_a_split =
            node_b.is_leaf() ||
            (!node_a.is_leaf() &&
             size_of(node_a.box) >= size_of(node_b.box) * static_cast<double>(pair.scale_of_b));
        push(is_a_split ? node_a.first_child : entry.a, is_a_split ? entry.b : node_b.first_child);
        push(is_a_split ? node_a.second_child : entry.a, is_a_split ? entry.b : node_b.second_child);
    }
}

}  // namespace broadside::narrowphase
