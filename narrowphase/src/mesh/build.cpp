// Splits where the surface area heuristic says (I. Wald, "On fast Construction of SAH-based Bounding Volume
// Hierarchies", 2007): places from a few bins along the longest axis. A node is made of the splits that cost
// most, until it has all its children.
#include "narrowphase/src/mesh/build.hpp"

namespace broadside::narrowphase {
namespace {

constexpr std::uint32_t kBinCount = 16;

// A triangle as the splits see it.
struct TriangleRecord {
    Vec3 min;
    std::uint32_t triangle;
    Vec3 max;
    std::uint32_t unused;

    // Halved first, it does not overflow.
    Vec3 center() const { return min * 0.5f + max * 0.5f; }
};

// Half the surface, of edges halved, so that only boxes of absurd size overflow; those count as one size.
float area(const Aabb& box) {
    const Vec3 half = box.max * 0.5f - box.min * 0.5f;
    return min_keep(half.x * half.y + half.y * half.z + half.z * half.x, FLT_MAX);
}

void grow(Aabb& state_box, Vec3 min, Vec3 max) {
    state_box = {min_keep(state_box.min, min), max_keep(state_box.max, max)};
}

struct MeshExtent {
    Aabb box = Aabb::empty();
    Aabb centers = Aabb::empty();

    void add(const TriangleRecord& record) {
        grow(box, record.min, record.max);
        const Vec3 center = record.center();
        grow(centers, center, center);
    }
};

// Records that are to be the triangles of one child.
struct Range {
    std::uint32_t begin;
    std::uint32_t end;
    MeshExtent extent;

    std::uint32_t count() const { return end - begin; }
};

// Which bin a center is in: the same number for it whenever it is asked. All axes but the longest have the weight 0,
// so that nothing branches on which it is.
struct BinScale {
    Vec3 weights;
    Vec3 begin;
    bool has_places;

    explicit BinScale(const Aabb& centers) {
        const Vec3 span = centers.max * 0.5f - centers.min * 0.5f;
        const int axis = span.x >= span.y && span.x >= span.z ? 0 : span.y >= span.z ? 1 : 2;
        const float length = axis == 0 ? span.x : axis == 1 ? span.y : span.z;
        has_places = length >= FLT_MIN;
        const float factor = has_places ? static_cast<float>(kBinCount) * 0.999f / length : 0.0f;
        weights = {axis == 0 ? factor : 0.0f, axis == 1 ? factor : 0.0f, axis == 2 ? factor : 0.0f};
        begin = centers.min * 0.5f;
    }
    std::uint32_t bin(const TriangleRecord& record) const {
        const float place = dot(record.center() * 0.5f - begin, weights);
        const auto index = static_cast<std::uint32_t>(max_keep(place, 0.0f));
        return index < kBinCount ? index : kBinCount - 1;
    }
};

class Builder {
public:
    Builder(std::span<const Vec3> vertices, std::span<const std::uint32_t> indices, TriangleRecord* records,
            const MeshParts& parts)
        : vertices_(vertices), indices_(indices), records_(records), parts_(parts) {}

    MeshExtent make_records() {
        MeshExtent extent;
        for (std::size_t i = 0; i < indices_.size() / 3; ++i) {
            const Aabb box = broadside::bounds(triangle(static_cast<std::uint32_t>(i)));
            records_[i] = {box.min, static_cast<std::uint32_t>(i), box.max, 0};
            extent.add(records_[i]);
        }
        return extent;
    }

    // The name of the child that is made of the range; kNoChild when there is no memory.
    std::uint32_t build(const Range& range, std::uint32_t level) {
        if (range.count() <= kNodeWidth) return make_leaf(range);
        Range children[kNodeWidth] = {range};
        const std::uint32_t child_count = split_into_children(children, level < kBestLevelCount);
        const std::size_t node = parts_.nodes.size();
        if (!append(parts_.nodes, sizeof(MeshNode))) return kNoChild;
        std::uint32_t names[kNodeWidth];
        for (std::uint32_t i = 0; i < kNodeWidth; ++i) {
            names[i] = i < child_count ? build(children[i], level + 1) : kNoChild;
            if (i < child_count && names[i] == kNoChild) return kNoChild;
        }
        auto& made = *reinterpret_cast<MeshNode*>(parts_.nodes.data() + node);
        for (std::uint32_t i = 0; i < kNodeWidth; ++i) {
            nodes::set_lane_box(made.planes, i, i < child_count ? children[i].extent.box : Aabb::empty());
            made.children[i] = names[i];
        }
        return static_cast<std::uint32_t>(node / sizeof(MeshNode));
    }

private:
    Triangle triangle(std::uint32_t index) const {
        return {vertices_[indices_[3 * std::size_t{index}]], vertices_[indices_[3 * std::size_t{index} + 1]],
                vertices_[indices_[3 * std::size_t{index} + 2]]};
    }
    static bool append(AlignedArray<std::byte>& state_bytes, std::size_t count) {
        return state_bytes.reserve_to_append(count) && state_bytes.resize(state_bytes.size() + count);
    }

    std::uint32_t make_leaf(const Range& range) {
        const std::size_t place = parts_.leaves.size();
        if (!append(parts_.leaves, sizeof(MeshLeaf))) return kNoChild;
        auto& leaf = *reinterpret_cast<MeshLeaf*>(parts_.leaves.data() + place);
        const auto index = static_cast<std::uint32_t>(place / sizeof(MeshLeaf));
        for (std::uint32_t lane = 0; lane < kNodeWidth; ++lane) {
            const std::uint32_t record = lane < range.count() ? range.begin + lane : range.end - 1;
            const std::uint32_t name = records_[record].triangle;
            const Triangle corners = triangle(name);
            const float numbers[9] = {corners.a.x, corners.a.y, corners.a.z, corners.b.x, corners.b.y,
                                      corners.b.z, corners.c.x, corners.c.y, corners.c.z};
            // -0 would be another bit pattern of the same place.
            for (std::uint32_t row = 0; row < 9; ++row) leaf.corners[row][lane] = numbers[row] + 0.0f;
            leaf.triangles[lane] = name;
            if (lane < range.count()) parts_.slots[name] = index * kNodeWidth + lane;
        }
        return mesh_leaf(index, range.count());
    }

    // Splits the costliest of the children again and again; returns how many there are.
    std::uint32_t split_into_children(Range* state_children, bool is_best) {
        std::uint32_t count = 1;
        while (count < kNodeWidth) {
            std::uint32_t costliest = count;
            float highest = -1.0f;
            for (std::uint32_t i = 0; i < count; ++i) {
                const Range& child = state_children[i];
                if (child.count() <= kNodeWidth) continue;
                // Halved nodes halve by number, so that they reach their depth.
                const auto size = static_cast<float>(child.count());
                const float cost = is_best ? min_keep(area(child.extent.box) * size, FLT_MAX) : size;
                if (cost > highest) {
                    highest = cost;
                    costliest = i;
                }
            }
            if (costliest == count) break;
            state_children[count] = split(state_children[costliest], is_best);
            ++count;
        }
        return count;
    }

    // The range becomes the part before the split, the answer is the one behind.
    Range split(Range& state_range, bool is_best) {
        const Range whole = state_range;
        const BinScale scale(whole.extent.centers);
        const std::uint32_t first_bin = is_best ? best_bin(whole, scale) : 0;
        std::uint32_t middle = whole.begin;
        MeshExtent before, behind;
        if (first_bin == 0) {
            middle = whole.begin + whole.count() / 2;
            for (std::uint32_t i = whole.begin; i < whole.end; ++i)
                (i < middle ? before : behind).add(records_[i]);
        } else {
            std::uint32_t end = whole.end;
            while (middle < end) {
                const TriangleRecord record = records_[middle];
                if (scale.bin(record) < first_bin) {
                    before.add(record);
                    ++middle;
                } else {
                    behind.add(record);
                    --end;
                    records_[middle] = records_[end];
                    records_[end] = record;
                }
            }
        }
        state_range = {whole.begin, middle, before};
        return {middle, whole.end, behind};
    }

    // The first bin of the second part of the cheapest split; 0 when no place has triangles on both sides.
    std::uint32_t best_bin(const Range& range, const BinScale& scale) const {
        if (!scale.has_places) return 0;
        Aabb boxes[kBinCount];
        for (Aabb& box : boxes) box = Aabb::empty();
        std::uint32_t counts[kBinCount] = {};
        for (std::uint32_t i = range.begin; i < range.end; ++i) {
            const std::uint32_t bin = scale.bin(records_[i]);
            grow(boxes[bin], records_[i].min, records_[i].max);
            ++counts[bin];
        }
        float costs_behind[kBinCount];
        Aabb box = Aabb::empty();
        std::uint32_t count = 0;
        for (std::uint32_t bin = kBinCount - 1; bin > 0; --bin) {
            grow(box, boxes[bin].min, boxes[bin].max);
            count += counts[bin];
            costs_behind[bin] = count == 0 ? -1.0f : area(box) * static_cast<float>(count);
        }
        box = Aabb::empty();
        count = 0;
        std::uint32_t best = 0;
        float lowest = __builtin_inff();
        for (std::uint32_t bin = 1; bin < kBinCount; ++bin) {
            grow(box, boxes[bin - 1].min, boxes[bin - 1].max);
            count += counts[bin - 1];
            if (count == 0 || costs_behind[bin] < 0.0f) continue;
            const float cost = min_keep(area(box) * static_cast<float>(count) + costs_behind[bin], FLT_MAX);
            if (cost < lowest) {
                lowest = cost;
                best = bin;
            }
        }
        return best;
    }

    std::span<const Vec3> vertices_;
    std::span<const std::uint32_t> indices_;
    TriangleRecord* records_;
    const MeshParts& parts_;
};

}  // namespace

Status build_tree(std::span<const Vec3> vertices, std::span<const std::uint32_t> indices,
                  std::uint32_t& out_root, const MeshParts& out_parts) noexcept {
    const auto count = static_cast<std::uint32_t>(indices.size() / 3);
    out_root = kNoChild;
    if (!out_parts.slots.resize(count)) return Status::out_of_memory;
    if (count == 0) return Status::ok;
    AlignedArray<std::byte> records = out_parts.nodes.make_empty();
    if (!records.resize(count * sizeof(TriangleRecord))) return Status::out_of_memory;
    Builder builder(vertices, indices, reinterpret_cast<TriangleRecord*>(records.data()), out_parts);
    const MeshExtent extent = builder.make_records();
    out_root = builder.build({0, count, extent}, 0);
    return out_root == kNoChild ? Status::out_of_memory : Status::ok;
}

}  // namespace broadside::narrowphase
