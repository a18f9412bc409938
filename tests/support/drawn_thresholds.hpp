// Random thresholds of mechanisms for the lifetime of an object of this type: some tens of objects then enter
// every mechanism, every switch between two, and every state of work that is spread over calls.
#pragma once

#include "broadphase/src/thresholds.hpp"
#include "narrowphase/src/mesh_build/build_sizes.hpp"
#include "tests/support/generators.hpp"

#include <algorithm>

namespace broadside::test {

/// The thresholds that the library of a test program uses.
broadphase::Thresholds& tested_thresholds();

/// The sizes in which the library of a test program builds meshes.
narrowphase::MeshBuildSizes& tested_mesh_build_sizes();

/// Builds within the lifetime of an object of this type use these sizes. Not for two threads.
class UsedMeshBuildSizes {
public:
    explicit UsedMeshBuildSizes(const narrowphase::MeshBuildSizes& sizes)
        : before_(tested_mesh_build_sizes()) {
        tested_mesh_build_sizes() = sizes;
    }
    UsedMeshBuildSizes(const UsedMeshBuildSizes&) = delete;
    UsedMeshBuildSizes& operator=(const UsedMeshBuildSizes&) = delete;
    ~UsedMeshBuildSizes() { tested_mesh_build_sizes() = before_; }

private:
    const narrowphase::MeshBuildSizes before_;
};

/// Sizes with which twenty triangles have cells, slabs, rows and subtrees.
inline narrowphase::MeshBuildSizes drawn_mesh_build_sizes(Random& random) {
    narrowphase::MeshBuildSizes sizes;
    if (random.chance(4)) return sizes;
    sizes.triangles_of_cell = 1 + random.below(8);
    sizes.triangles_of_row = random.chance(2) ? 1 : sizes.triangles_of_row;
    sizes.opened_triangles_max = random.below(24);
    sizes.triangles_of_task = 1 + random.below(16);
    sizes.triangles_of_subtree = 16 + random.below(24);
    return sizes;
}

/// Created before the worlds and trees that use it, and destroyed after them. Not for two threads.
class DrawnThresholds {
public:
    explicit DrawnThresholds(std::uint64_t seed) : shipped_(tested_thresholds()), random_(seed) { draw(); }
    DrawnThresholds(const DrawnThresholds&) = delete;
    DrawnThresholds& operator=(const DrawnThresholds&) = delete;
    ~DrawnThresholds() { tested_thresholds() = shipped_; }

private:
    void draw() {
        broadphase::Thresholds& t = tested_thresholds();
        draw_sizes(t.updates.objects_per_mover, t.updates.objects_per_rest_drift, t.updates.rest_drift_min,
                   t.updates.rest_use_count_min, t.updates.slots_per_reruled, t.updates.entries_per_spare,
                   t.updates.spare_entry_min, t.updates.pairs_per_followed_event);
        draw_sizes(t.set_boxes.worthwhile_run, t.set_boxes.far_slots, t.set_boxes.boxes_at_once);
        broadphase::Thresholds::ByObjects& by_objects = t.by_objects;
        draw_costs(by_objects.changed_object_cost, by_objects.compared_pair_cost, by_objects.listed_pair_cost,
                   by_objects.slot_cost, by_objects.list_update_cost, by_objects.tree_slot_cost,
                   by_objects.moved_pair_cost, by_objects.searched_slot_cost);
        draw_sizes(by_objects.tree_updates, by_objects.stay_factor, by_objects.objects_per_change,
                   by_objects.use_count_min, by_objects.bypass_count_max);
        draw_sizes(t.query_trees.objects_per_change, t.query_trees.few_changes);
        draw_candidates(t);
        draw_sizes(t.cache.boxes_per_escaped, t.cache.boxes_per_first_escaped, t.cache.many_pairs_per_box,
                   t.cache.use_count_min, t.cache.bypass_count_max, t.cache.pairs_per_task);
        if (random_.chance(2)) t.cache.boxes_per_task = 64;
        draw_sizes(t.regions.boxes_per_leaf, t.regions.leaf_spare_max, t.regions.boxes_per_spare,
                   t.regions.spare_min, t.regions.positions_per_moved);
        draw_sizes(t.order.shared_pair_count_min, t.order.bucketed_pairs_max, t.trees.calls_that_share,
                   t.trees.units_of_call_min, t.trees.boxes_per_followed, t.trees.boxes_per_set_between,
                   t.trees.tasked_count_min, t.trees.boxes_asked_in_order, t.trees.boxes_around_max,
                   t.trees.spare_families_max, t.trees.families_per_task, t.trees.leaf_families_per_task);
        if (random_.chance(2)) t.trees.worn_share = 0.05;
        if (random_.chance(2)) t.trees.worn_min = 1;
        if (random_.chance(2)) t.trees.lanes_per_box_max = 1;
        if (random_.chance(2)) t.trees.spare_lanes = 0;
        draw_sizes(t.cells.brute_force_tests, t.cells.records_per_cell_min, t.cells.boxes_per_cell_min,
                   t.cells.overfull_records_min, t.cells.ties_per_record_min, t.cells.crowds_sweep_max,
                   t.cells.narrow_sweep_max, t.cells.crowds_brute_force_tests, t.cells.fitted_boxes_min,
                   t.cells.near_cells_max, t.cells.far_rows_ahead, t.cells.boxes_per_parted,
                   t.cells.boxes_per_part_min, t.cells.cells_per_task, t.cells.shared_records_min);
        draw_sizes(t.scans.sweep_rows_per_task, t.scans.test_rows_per_task, t.subset_reach.boxes_min,
                   t.subset_reach.boxes_per_member, t.tasks.exact_boxes_per_task,
                   t.tasks.exact_queries_per_task);
        // A block has room for a register of pairs.
        if (random_.chance(2)) t.scans.pairs_per_block = 16 + random_.below(32);
        if (random_.chance(2)) t.subset_reach.marks_per_box = 4096;
        if (random_.chance(2)) t.cells.parted_cost_min = 0;
        if (random_.chance(2)) t.cells.parted_cost_share = 1000;
        if (random_.chance(2)) t.cells.cell_cost = 1;
        if (random_.chance(2)) t.cells.wasted_cost_max = 0;
        if (random_.chance(2)) t.cells.far_cells = 1;
        if (random_.chance(2)) t.cells.dense_lanes_min = random_.below(4);
        if (random_.chance(2)) t.cells.narrow_window_max = random_.below(8);
        // Means are of two boxes at least.
        if (random_.chance(2)) t.cells.surveyed_boxes_min = 2 + random_.below(6);
    }

    void draw_candidates(broadphase::Thresholds& out_thresholds) {
        broadphase::Thresholds::Candidates& t = out_thresholds.candidates;
        broadphase::Thresholds::CandidateCosts& costs = out_thresholds.candidate_costs;
        broadphase::Thresholds::Tasks& tasks = out_thresholds.tasks;
        // Powers of two.
        t.life_min = 1u << random_.below(3);
        t.life_max = t.life_min << random_.below(5);
        t.slow_life = t.life_max + t.life_max / 2;
        // Mostly such that candidates pay.
        draw_costs(costs.box_cost, costs.renewed_box_cost, costs.tested_candidate_cost,
                   costs.renewed_candidate_cost, costs.escaped_cost, costs.changed_box_cost,
                   costs.merged_pair_cost);
        if (!random_.chance(4))
            costs.searched_box_cost = costs.searched_pair_cost = costs.searched_mover_cost = 1000;
        draw_sizes(t.few_factor, t.worthwhile_fifths, t.boxes_per_usual_leaver, t.cost_updates,
                   t.boxes_per_change, t.boxes_per_calm_change, t.boxes_per_leaver, t.boxes_per_early_leaver,
                   t.use_count_min, t.leave_count_max, t.first_updates, t.trial_updates, t.place_updates,
                   t.touch_updates, t.candidates_per_box, t.members_per_stale, tasks.look_ups_per_task,
                   tasks.room_per_look_up, tasks.boxes_per_regrow_task, tasks.pairs_per_task,
                   tasks.items_per_task, tasks.near_rows_max, tasks.shared_object_count_min,
                   tasks.shared_item_count_min, tasks.shared_event_count_min);
        t.boxes_per_region_min = 1 + random_.below(8);
        if (random_.chance(2)) tasks.rows_per_task = 64;
    }

    // From 1 to the default, small ones as often as large ones.
    template <class... Number>
    void draw_sizes(Number&... out_numbers) {
        const auto draw_one = [&](auto& out_number) {
            using Type = std::remove_reference_t<decltype(out_number)>;
            switch (random_.below(4)) {
                case 0:
                    return;
                case 1:
                    out_number = 1 + static_cast<Type>(random_.below(2));
                    return;
                default:
                    const auto most = static_cast<std::uint32_t>(std::min<Type>(out_number, 64));
                    out_number = 1 + static_cast<Type>(random_.below(most));
            }
        };
        (draw_one(out_numbers), ...);
    }

    // Any relation of one to another.
    template <class... Number>
    void draw_costs(Number&... out_numbers) {
        ((out_numbers = random_.chance(3) ? out_numbers / 16 : out_numbers * (1 + random_.below(4))), ...);
    }

    const broadphase::Thresholds shipped_;
    Random random_;
};

}  // namespace broadside::test
