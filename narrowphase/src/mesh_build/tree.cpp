// Builds a tree from the top to its leaves.
//
// In the upper levels of a large mesh, single triangles are not touched: triangles are sorted by Morton codes,
// cells of neighbours are split, and if few triangles are left, they replace their cells. A fast build ends
// with the cells.
//
// The caller's thread makes the nodes at the top, tasks make the subtrees below them. Codes of nodes and
// leaves count from the first of their subtree until all are made. Then they become the positions in one walk
// down the whole tree, so the bytes are the same for any number of workers.
#include "narrowphase/src/mesh_build/tree.hpp"

#include "narrowphase/src/mesh/ray_triangle_scalar.hpp"
#include "narrowphase/src/mesh_build/nodes.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

namespace broadside::narrowphase {
namespace {

// Most subtrees that are made at once; each needs memory.
constexpr std::uint32_t kMaxStrandCount = 64;

// A range that one task turns into a tree, and the result.
struct Subtree {
    PieceRange range;
    std::uint32_t level;
    /// The first of its triangles, in the order of leaves.
    std::uint32_t first_triangle;
    /// The code of its root, kNoChild before it is made. Like all codes in the subtree, it counts from the
    /// first node and leaf of the subtree. Their positions in the mesh are known once all subtrees are made.
    std::uint32_t root;
    std::uint32_t node_count;
    std::uint32_t leaf_count;
    std::uint32_t first_node;
    std::uint32_t first_leaf;
    /// The first of its nodes in made_nodes_.
    std::uint32_t first_made_node;
    std::uint32_t degenerate_count;
};

class TreeBuilder {
public:
    TreeBuilder(const MeshInput& input, const MeshParts& parts, const TaskRunner* runner)
        : input_(input),
          parts_(parts),
          runner_(runner),
          cells_(input, parts.nodes, parts.slots),
          made_nodes_(parts.nodes.make_empty()),
          leaf_sizes_(parts.nodes.make_empty()),
          by_leaf_(parts.slots.make_empty()),
          subtree_bytes_(parts.nodes.make_empty()) {}

    Status run(MeshComponents& state_components, MeshFacts& out_facts) {
        const std::uint32_t count = input_.triangle_count();
        PieceRange all;
        if (!parts_.slots.resize(count) || !by_leaf_.resize(count) || !leaf_sizes_.resize(count) ||
            !cells_.make(runner_, parts_.slots.data(), by_leaf_.data(), all.extent))
            return Status::out_of_memory;
        all.end = cells_.piece_count();
        all.triangle_count = count;
        out_facts.bounds = all.extent.box.box();

        NodeMaker top;
        top.begin(input_, cells_, parts_.nodes, nullptr);
        const std::uint32_t root = top.make(
            all, 0, input_.sizes.triangles_of_subtree, [&](const PieceRange& range, std::uint32_t level) {
                return add_subtree(range, level) ? kMeshLeafBit | (subtree_count() - 1) : kNoChild;
            });
        if (root == kNoChild || !make_subtrees(top, state_components)) return Status::out_of_memory;
        if (!place_all(top, root, out_facts) || !state_components.reserve_for_places())
            return Status::out_of_memory;
        run_tasks(runner_, subtree_count() + 1, [&](std::uint32_t task) {
            BROADSIDE_ZONE("mesh/build task");
            if (task == 0)
                state_components.join_places();
            else
                place_subtree(subtree(task - 1));
        });
        for (std::uint32_t i = 0; i < subtree_count(); ++i)
            out_facts.degenerate_count += subtree(i).degenerate_count;
        return Status::ok;
    }

private:
    std::uint32_t subtree_count() const {
        return static_cast<std::uint32_t>(subtree_bytes_.size() / sizeof(Subtree));
    }
    Subtree& subtree(std::uint32_t index) { return reinterpret_cast<Subtree*>(subtree_bytes_.data())[index]; }
    bool add_subtree(const PieceRange& range, std::uint32_t level) {
        const std::uint32_t index = subtree_count();
        if (!subtree_bytes_.append(sizeof(Subtree))) return false;
        Subtree& made = subtree(index);
        made = {range, level, 0, kNoChild, 0, 0, 0, 0, 0, 0};
        if (range.is_open()) made.range.place = PieceRange::Place::opened_above;
        if (index != 0) {
            const Subtree& before = subtree(index - 1);
            made.first_triangle = before.first_triangle + before.range.triangle_count;
        }
        return true;
    }

    // Each task makes a subtree in the memory of a free strand and hands it over. If there is no room for it,
    // the strand keeps it and the other subtrees wait until the caller's thread has made room. Only that
    // thread allocates memory.
    bool make_subtrees(NodeMaker& top, MeshComponents& state_components) {
        std::uint32_t largest = 0;
        for (std::uint32_t i = 0; i < subtree_count(); ++i)
            largest = std::max(largest, subtree(i).range.triangle_count);
        Strands strands(std::min({worker_count(runner_), kMaxStrandCount, subtree_count() / 4 + 1}));
        for (std::uint32_t i = 0; i < strands.count; ++i) {
            strands.makers[i].begin(input_, cells_, parts_.nodes, &top);
            if (!strands.makers[i].reserve(largest)) return false;
        }
        // A node has mostly 190 triangles.
        std::size_t room = input_.triangle_count() / 160 + 8;
        for (bool is_first = true;; is_first = false) {
            if (!made_nodes_.resize(room * sizeof(MeshNode))) return false;
            for (std::uint32_t i = 0; i < strands.count; ++i) {
                if (strands.kept[i] != kNoChild) (void)hand_over(strands.makers[i], subtree(strands.kept[i]));
            }
            strands.free_all();
            run_tasks(runner_, subtree_count() + 1, [&](std::uint32_t task) {
                BROADSIDE_ZONE("mesh/build task");
                if (task != 0)
                    make_in_strand(strands, task - 1);
                else if (is_first)
                    state_components.join_indices();
            });
            // Subtrees that have been handed over lie without gaps before the space of the others.
            std::size_t made_count = 0, kept_count = 0;
            bool is_all = true;
            for (std::uint32_t i = 0; i < subtree_count(); ++i) {
                made_count += subtree(i).node_count;
                is_all = is_all && subtree(i).root != kNoChild;
            }
            for (std::uint32_t i = 0; i < strands.count; ++i)
                kept_count += strands.kept[i] != kNoChild ? subtree(strands.kept[i]).node_count : 0u;
            if (is_all && kept_count == 0) return true;
            made_count_.store(made_count - kept_count, std::memory_order_relaxed);
            room = made_count + made_count / 2;
        }
    }

    // Memory for subtrees that are made at the same time.
    struct Strands {
        std::uint32_t count;
        NodeMaker makers[kMaxStrandCount];
        // The subtree that there was no room for.
        std::uint32_t kept[kMaxStrandCount];
        std::atomic<std::uint64_t> free{0};
        std::atomic<bool> is_full{false};

        explicit Strands(std::uint32_t strand_count) : count(strand_count) { free_all(); }
        void free_all() {
            std::fill_n(kept, kMaxStrandCount, kNoChild);
            free.store(~std::uint64_t{0} >> (64 - count), std::memory_order_relaxed);
            is_full.store(false, std::memory_order_relaxed);
        }
        // Returns kNoChild if the rest must wait. Spins if a runner runs more tasks at once than it said.
        std::uint32_t claim() {
            std::uint64_t bits = free.load(std::memory_order_relaxed);
            while (!is_full.load(std::memory_order_relaxed)) {
                if (bits == 0)
                    bits = free.load(std::memory_order_relaxed);
                else if (free.compare_exchange_weak(bits, bits & (bits - 1), std::memory_order_acquire,
                                                    std::memory_order_relaxed))
                    return static_cast<std::uint32_t>(std::countr_zero(bits));
            }
            return kNoChild;
        }
        void release(std::uint32_t strand) {
            free.fetch_or(std::uint64_t{1} << strand, std::memory_order_release);
        }
        static_assert(kMaxStrandCount == 64);
    };
    void make_in_strand(Strands& state_strands, std::uint32_t index) {
        if (subtree(index).root != kNoChild) return;
        const std::uint32_t strand = state_strands.claim();
        if (strand == kNoChild) return;
        make_subtree(state_strands.makers[strand], subtree(index));
        if (hand_over(state_strands.makers[strand], subtree(index))) {
            state_strands.release(strand);
        } else {
            state_strands.kept[strand] = index;
            state_strands.is_full.store(true, std::memory_order_relaxed);
        }
    }

    void make_subtree(NodeMaker& maker, Subtree& out_subtree) {
        maker.clear();
        Subtree& made = out_subtree;
        std::uint32_t triangle = made.first_triangle;
        std::uint32_t leaf_count = 0;
        made.root =
            maker.make(made.range, made.level, kNodeWidth, [&](const PieceRange& range, std::uint32_t) {
                for (std::uint32_t i = 0; i < range.piece_count(); ++i) {
                    const Piece& piece = maker.pieces(range)[i];
                    if (range.is_open()) {
                        by_leaf_[triangle++] = piece.name();
                        continue;
                    }
                    for (std::uint32_t k = 0; k < piece.triangle_count(); ++k)
                        by_leaf_[triangle++] = cells_.by_code()[piece.name() + k];
                }
                leaf_sizes_[made.first_triangle + leaf_count] = static_cast<std::byte>(range.triangle_count);
                return mesh_leaf(leaf_count++, range.triangle_count);
            });
        made.node_count = maker.node_count();
        made.leaf_count = leaf_count;
    }
    // Returns false if there is no room for the nodes.
    bool hand_over(const NodeMaker& maker, Subtree& state_subtree) {
        const std::size_t first = made_count_.fetch_add(state_subtree.node_count, std::memory_order_relaxed);
        if ((first + state_subtree.node_count) * sizeof(MeshNode) > made_nodes_.size()) return false;
        state_subtree.first_made_node = static_cast<std::uint32_t>(first);
        // A single leaf has no nodes, and then there may be no memory either.
        if (state_subtree.node_count == 0) return true;
        std::memcpy(made_nodes_.data() + first * sizeof(MeshNode), maker.nodes(),
                    state_subtree.node_count * sizeof(MeshNode));
        return true;
    }

    // Makes room for all nodes and leaves, and gives each subtree its positions. Writes the nodes at the top.
    bool place_all(const NodeMaker& top, std::uint32_t root, MeshFacts& out_facts) {
        std::size_t node_count = top.node_count();
        std::size_t leaf_count = 0;
        for (std::uint32_t i = 0; i < subtree_count(); ++i) {
            node_count += subtree(i).node_count;
            leaf_count += subtree(i).leaf_count;
        }
        if (!parts_.nodes.resize(node_count * sizeof(MeshNode)) ||
            !parts_.leaves.resize(leaf_count * sizeof(MeshLeaf)))
            return false;
        Places next;
        out_facts.root = place(top, root, next);
        return true;
    }
    struct Places {
        std::uint32_t node = 0;
        std::uint32_t leaf = 0;
    };
    // The code in the mesh of the top's `child`.
    std::uint32_t place(const NodeMaker& top, std::uint32_t child, Places& state_next) {
        if (is_mesh_leaf(child)) {
            Subtree& placed = subtree(child & ~kMeshLeafBit);
            placed.first_node = state_next.node;
            placed.first_leaf = state_next.leaf;
            state_next.node += placed.node_count;
            state_next.leaf += placed.leaf_count;
            return name_in_mesh(placed, placed.root);
        }
        const std::uint32_t index = state_next.node++;
        const MeshNode& node = top.nodes()[child];
        auto& out_node = reinterpret_cast<MeshNode*>(parts_.nodes.data())[index];
        std::memcpy(out_node.planes, node.planes, sizeof(node.planes));
        for (std::uint32_t i = 0; i < kNodeWidth; ++i) {
            const std::uint32_t name = node.children[i];
            out_node.children[i] = name == kNoChild ? kNoChild : place(top, name, state_next);
        }
        return index;
    }
    static std::uint32_t name_in_mesh(const Subtree& placed, std::uint32_t child) {
        if (child == kNoChild) return kNoChild;
        return is_mesh_leaf(child) ? child + (placed.first_leaf << 4) : child + placed.first_node;
    }

    void place_subtree(Subtree& state_subtree) {
        const Subtree& placed = state_subtree;
        const auto* const made =
            reinterpret_cast<const MeshNode*>(made_nodes_.data()) + placed.first_made_node;
        auto* const nodes = reinterpret_cast<MeshNode*>(parts_.nodes.data()) + placed.first_node;
        for (std::uint32_t i = 0; i < placed.node_count; ++i) {
            std::memcpy(nodes[i].planes, made[i].planes, sizeof(made[i].planes));
            for (std::uint32_t k = 0; k < kNodeWidth; ++k)
                nodes[i].children[k] = name_in_mesh(placed, made[i].children[k]);
        }
        auto* const leaves = reinterpret_cast<MeshLeaf*>(parts_.leaves.data());
        const std::uint32_t* names = by_leaf_.data() + placed.first_triangle;
        std::uint32_t degenerate_count = 0;
        for (std::uint32_t i = 0; i < placed.leaf_count; ++i) {
            const auto size = static_cast<std::uint32_t>(leaf_sizes_[placed.first_triangle + i]);
            const std::uint32_t index = placed.first_leaf + i;
            degenerate_count += fill_leaf(index, {names, size}, leaves[index]);
            names += size;
        }
        state_subtree.degenerate_count = degenerate_count;
    }
    // Returns the number of degenerate triangles.
    std::uint32_t fill_leaf(std::uint32_t index, std::span<const std::uint32_t> names, MeshLeaf& out_leaf) {
        std::uint32_t degenerate_count = 0;
        for (std::uint32_t lane = 0; lane < kNodeWidth; ++lane) {
            const std::uint32_t name = names[lane < names.size() ? lane : names.size() - 1];
            const Triangle corners = input_.triangle(name);
            const float numbers[9] = {corners.a.x, corners.a.y, corners.a.z, corners.b.x, corners.b.y,
                                      corners.b.z, corners.c.x, corners.c.y, corners.c.z};
            // -0 would be another bit pattern of the same coordinate.
            for (std::uint32_t row = 0; row < 9; ++row) out_leaf.corners[row][lane] = numbers[row] + 0.0f;
            out_leaf.triangles[lane] = name;
            if (lane >= names.size()) continue;
            parts_.slots[name] = index * kNodeWidth + lane;
            degenerate_count += is_degenerate(corners) ? 1u : 0u;
        }
        return degenerate_count;
    }

    const MeshInput& input_;
    const MeshParts& parts_;
    const TaskRunner* runner_;
    MeshCells cells_;
    // The nodes of the subtrees that have been handed over, in that order.
    AlignedArray<std::byte> made_nodes_;
    std::atomic<std::size_t> made_count_{0};
    // The sizes of the leaves of a subtree, from its first triangle on.
    AlignedArray<std::byte> leaf_sizes_;
    // Triangles, leaf by leaf.
    AlignedArray<std::uint32_t> by_leaf_;
    AlignedArray<std::byte> subtree_bytes_;
};

}  // namespace

Status build_tree(std::span<const Vec3> vertices, std::span<const std::uint32_t> indices,
                  MeshBuildQuality quality, const TaskRunner* runner, MeshComponents& state_components,
                  MeshFacts& out_facts, const MeshParts& out_parts) noexcept {
    out_facts = {};
    if (indices.empty()) return Status::ok;
    const MeshInput input = {vertices, indices, quality, mesh_build_sizes()};
    return TreeBuilder(input, out_parts, runner).run(state_components, out_facts);
}

}  // namespace broadside::narrowphase
