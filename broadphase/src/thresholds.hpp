// Sizes at which mechanisms begin, how large their parts are, and over how many updates work is spread. They
// are data so that tests can reach every mechanism with few objects: test programs define the function below
// themselves. Its values are drawn at random before a world is made, and restored when it is gone.
#pragma once

#include <cstddef>
#include <cstdint>

namespace broadside::broadphase {

/// Costs are in nanoseconds of one thread (bench rows `world_frames`, `world_lives` and `world_movers_*`).
struct Thresholds {
    struct Updates {
        /// All objects are compared if more than one in this many has changed: a mover costs about three
        /// times its share of a complete call (rows `resting_10_percent` and `find_pairs`), sorting resting
        /// objects one or two calls.
        std::size_t objects_per_mover = 8;
        /// Resting objects that woke, and others that came to rest, until resting objects are sorted anew:
        /// one in this many, and a few.
        std::size_t objects_per_rest_drift = 16;
        std::size_t rest_drift_min = 64;
        /// Updates for which sorted resting objects must stay good to pay (row `resting_build`).
        std::size_t rest_use_count_min = 3;
        /// Changed rules are looked up object by object up to one slot in this many.
        std::size_t slots_per_reruled = 32;
        /// Spare entries of the pairs by object: one for this many, and a few.
        std::size_t entries_per_spare = 4;
        std::size_t spare_entry_min = 256;
        /// Requested lists of pairs by object follow the events of an update up to one event for this many
        /// pairs; if more happened, all are built anew.
        std::size_t pairs_per_followed_event = 8;
    } updates;

    struct SetBoxes {
        /// Consecutive slots from which on boxes are copied as columns.
        std::size_t worthwhile_run = 16;
        /// Slots that are this far apart are prefetched.
        std::uint32_t far_slots = 1024;
        /// Boxes in other forms are made columns this many at a time, at most 256.
        std::size_t boxes_at_once = 256;
    } set_boxes;

    /// Updates by objects: a tree tells what each changed object meets.
    struct ByObjects {
        /// Cost for each changed object, and for each pair that it has on average.
        std::uint64_t changed_object_cost = 400;
        std::uint64_t compared_pair_cost = 15;
        /// Cost of the other way: for each pair that it copies, each slot that it reads, and in all.
        std::uint64_t listed_pair_cost = 3;
        std::uint64_t slot_cost = 1;
        std::uint64_t list_update_cost = 10'000;
        /// Cost to begin: a tree of all boxes, and the pairs stored by object.
        std::uint64_t tree_slot_cost = 100;
        std::uint64_t moved_pair_cost = 15;
        /// Least cost of a search of all pairs, per slot.
        std::uint64_t searched_slot_cost = 60;
        /// Updates in which the tree is made.
        std::int64_t tree_updates = 8;
        /// Updates by objects go on up to this many times the number of changes at which they begin.
        std::uint64_t stay_factor = 2;
        /// Never for more than one change in this many objects.
        std::size_t objects_per_change = 8;
        /// Updates that make up for the beginning; and updates without a new attempt after fewer.
        std::uint32_t use_count_min = 4;
        std::uint32_t bypass_count_max = 32;
    } by_objects;

    /// Trees of the queries.
    struct QueryTrees {
        /// From one changed box in this many on, a pass over all costs less than one over the changed ones; and
        /// a build less than changing those one by one that have leapt.
        std::size_t objects_per_change = 16;
        /// Below this count a whole tree costs next to nothing.
        std::size_t few_changes = 4;
    } query_trees;

    /// Candidates: pairs of grown boxes.
    struct Candidates {
        /// Updates that a grown box lasts, a power of two each; and that of boxes known to stay in theirs.
        std::uint32_t life_max = 64;
        std::uint32_t life_min = 4;
        std::uint32_t slow_life = 96;
        std::size_t boxes_per_region_min = 128;
        /// If few have changed, candidates go on up to this many times the cost of a search.
        std::uint64_t few_factor = 2;
        /// If many move, candidates begin when they cost less than this many fifths of a search, assuming
        /// that one box in boxes_per_usual_leaver leaves its grown box in an update.
        std::uint64_t worthwhile_fifths = 4;
        std::size_t boxes_per_usual_leaver = 200;
        /// Costs are averaged over this many updates.
        std::uint64_t cost_updates = 8;
        /// Few have changed: at most one in this many. Nothing is renewed for fewer than one in the second.
        std::size_t boxes_per_change = 4;
        std::size_t boxes_per_calm_change = 64;
        /// Boxes that leave their grown box in an update: with more than one in this many candidates end;
        /// while they are made, with more than one in the second.
        std::size_t boxes_per_leaver = 16;
        std::size_t boxes_per_early_leaver = 32;
        /// Updates that make up for the beginning; and most updates without a new attempt after fewer.
        std::uint32_t use_count_min = 32;
        std::uint32_t leave_count_max = 64;
        /// Updates in which the first boxes are grown; before them, in which their regions are found; and
        /// before these, in which memory is touched.
        std::uint32_t first_updates = 32;
        /// Updates for which a sample is grown before that, if the last attempt has failed.
        std::uint32_t trial_updates = 16;
        std::size_t place_updates = 2;
        std::size_t touch_updates = 6;
        /// Room for candidates, per box of a region.
        std::size_t candidates_per_box = 6;
        /// Members of a region for each that has moved, from which on the moved ones are looked up alone.
        std::size_t members_per_stale = 5;
    } candidates;

    /// Costs of updates by candidates, and of the alternatives.
    struct CandidateCosts {
        /// Costs of an update: for a box that is examined, one that is renewed, a candidate that is tested,
        /// one that is found anew, and a box that is looked up.
        std::uint64_t box_cost = 4;
        std::uint64_t renewed_box_cost = 30;
        std::uint64_t tested_candidate_cost = 3;
        std::uint64_t renewed_candidate_cost = 35;
        std::uint64_t escaped_cost = 1000;
        /// Costs of a search for everything and its comparison: for a box, and for a pair.
        std::uint64_t searched_box_cost = 30;
        std::uint64_t searched_pair_cost = 10;
        /// Costs if few have changed: for a changed box; and, in a search among cells of resting boxes, for a
        /// changed box and for a pair.
        std::uint64_t changed_box_cost = 40;
        std::uint64_t searched_mover_cost = 150;
        std::uint64_t merged_pair_cost = 6;
    } candidate_costs;

    /// How updates are cut into tasks.
    struct Tasks {
        /// Least objects, boxes or candidates of a task that does something with each.
        std::size_t items_per_task = 256;
        /// Pairs of a task that compares or drops some.
        std::size_t pairs_per_task = 4096;
        /// Rows of one task; a multiple of 64.
        std::size_t rows_per_task = 2048;
        /// From twice this many on, boxes are looked up in tasks, with room for this many candidates a box.
        std::size_t look_ups_per_task = 8;
        std::size_t room_per_look_up = 24;
        /// Boxes of doubles and whole numbers that a task rounds, and those that it asks for.
        std::size_t exact_boxes_per_task = 16384;
        std::size_t exact_queries_per_task = 4096;
        /// Least boxes of a task that grows.
        std::size_t boxes_per_regrow_task = 8;
        /// Rows up to here are in a near cache, in which prefetching only costs.
        std::size_t near_rows_max = 32768;
        /// Fewer objects, changed ones or candidates, or events, are done before tasks would have started
        /// (broadside-speedup, 1,000 boxes: 0.72 to 0.94 of one thread by two).
        std::size_t shared_object_count_min = 4096;
        std::size_t shared_item_count_min = 2048;
        std::size_t shared_event_count_min = 512;
    } tasks;

    /// One search, and nested grids of cells.
    struct Cells {
        /// Tests per box up to which brute force is chosen without examining the boxes: 77 boxes among
        /// themselves, or 38 against any number.
        std::uint64_t brute_force_tests = 38;
        /// The cost of a cell apart from its records; the records that make a cell worthwhile, whatever the
        /// model says; and the boxes per cell, including empty cells among crowds, which take memory too.
        double cell_cost = 250;
        /// Extra cost of a record whose cell is one of very many, because the lines of their lists, and the
        /// pages, have left one cache after the other; and the number of cells with a quarter of that.
        double far_record_cost = 5;
        double far_cells = 1000;
        /// With more cells, the next line of a list has left the first cache before its record comes, and is
        /// prefetched this many rows ahead.
        std::uint32_t near_cells_max = 256;
        std::uint32_t far_rows_ahead = 8;
        std::uint32_t records_per_cell_min = 64;
        std::uint32_t boxes_per_cell_min = 8;
        /// Records from which on the work for another grid is small beside a scan of a cell.
        std::uint64_t overfull_records_min = 4096;
        /// Pairs per record that share their bin on the sweep axis, up to which a cell is not examined; and
        /// the waste per record of its scan before another grid is cheaper, which costs about as much.
        std::uint32_t ties_per_record_min = 32;
        double wasted_cost_max = 25;
        /// Candidates a diagonal of a block of 32 records, of which those of the next block are compared over lanes.
        std::uint32_t dense_lanes_min = 12;
        /// Fewer sampled boxes tell nothing of crowds; at least two.
        std::size_t surveyed_boxes_min = 16;
        /// Tests per box up to which boxes in crowds are tested by brute force: 291 boxes among themselves, or
        /// 145 against any number.
        std::uint64_t crowds_brute_force_tests = 145;
        /// Sampled boxes that crowds are located with, at least.
        std::size_t fitted_boxes_min = 128;
        /// With crowds, this few boxes are swept, and this few if one meets so few others on an axis: to locate
        /// the crowds costs as much (rows `islands` and `strays`, and `distances`).
        std::size_t crowds_sweep_max = 800;
        std::size_t narrow_sweep_max = 2560;
        double narrow_window_max = 24;
        /// Expected nanoseconds a box from which on it is examined whether parts of the boxes, which are long on
        /// different axes, take less than this many times of that; and the boxes of which one is a part.
        double parted_cost_min = 100;
        double parted_cost_share = 1;
        std::size_t boxes_per_parted = 16;
        /// Boxes of a part: fewer are not worth the start of a task, nor a list for each cell.
        std::size_t boxes_per_part_min = 2048;
        /// Cells whose records one task counts.
        std::size_t cells_per_task = 64;
        /// Fewer records are scanned before tasks would have started.
        std::uint64_t shared_records_min = 2048;
    } cells;

    /// Sweeps and brute force.
    struct Scans {
        /// Rows of a task; one of a sweep is tens of tests, one of plain tests as many as there are boxes.
        std::size_t sweep_rows_per_task = 256;
        std::size_t test_rows_per_task = 32;
        /// Pairs in the block of a task, at least 16; later blocks grow if tasks that have filled theirs wait.
        std::size_t pairs_per_block = 4096;
        std::size_t pairs_per_block_max = 65536;
    } scans;

    /// The reach of a subset of the boxes is found first if the set has this many boxes, of which at most one
    /// in so many is in the subset, and if it marks no more words per box (bench_find_pairs_filters).
    struct SubsetReach {
        std::size_t boxes_min = 1024;
        std::size_t boxes_per_member = 24;
        std::size_t marks_per_box = 2;
    } subset_reach;

    /// Pairs of boxes that were grown by a margin.
    struct Cache {
        /// Boxes per escaped box below which everything is found anew.
        std::size_t boxes_per_escaped = 32;
        /// Boxes per escaped box of the first to leave; with fewer, many others are about to leave.
        std::size_t boxes_per_first_escaped = 1024;
        /// Kept pairs per box from which on finding them costs more than sorting the boxes.
        std::size_t many_pairs_per_box = 6;
        /// Uses that a kept list needs to be worth the longer search, and most calls skipped after fewer.
        std::uint32_t use_count_min = 4;
        std::uint32_t bypass_count_max = 32;
        /// Items of one task; a multiple of 64 boxes.
        std::size_t boxes_per_task = 16384;
        std::size_t pairs_per_task = 32768;
    } cache;

    /// Regions of grown boxes.
    struct Regions {
        /// Boxes of a leaf: a query reads whole leaves. Further positions of a leaf, if there is room.
        std::size_t boxes_per_leaf = 8;
        std::size_t leaf_spare_max = 3;
        /// Room for boxes that come: one for this many, and a few.
        std::uint32_t boxes_per_spare = 3;
        std::uint32_t spare_min = 32;
        /// Positions for each box that was moved behind the leaves, above which a region is packed again.
        std::uint32_t positions_per_moved = 8;
    } regions;

    /// Sorting of lists of pairs.
    struct Order {
        std::size_t shared_pair_count_min = 8192;
        std::size_t bucketed_pairs_max = 32768;
    } order;

    /// Trees that are made or renewed a little in each call.
    struct Trees {
        /// A tree is renewed when this share of its boxes, and a few, have joined since it was built.
        double worn_share = 0.65;
        double worn_min = 64;
        /// Or when leaves have this many lanes for a box, and a few.
        float lanes_per_box_max = 1.75f;
        float spare_lanes = 256;
        /// Work of one call, in looks at a record: a share of what is owed, and at least this much.
        std::int64_t calls_that_share = 32;
        std::int64_t units_of_call_min = 64;
        /// A refit follows boxes that have joined or left if they are no more than one in this many.
        std::size_t boxes_per_followed = 64;
        /// If one box in this many is set one by one after a refit, no further refit is waited for.
        std::size_t boxes_per_set_between = 8;
        /// Boxes from which on a tree is ordered in tasks.
        std::size_t tasked_count_min = 4096;
        /// Families of nodes and of leaves of a task. Tasks share no parent.
        std::size_t families_per_task = 64;
        std::size_t leaf_families_per_task = 32;
        /// When the closest pair overlaps, this many boxes are searched in their order for the first that
        /// does, before all pairs are: if many overlap, one of these does; if none does, few pairs are left.
        std::uint32_t boxes_asked_in_order = 128;
        /// Boxes around consecutive states of a body, up to which they are copied out of the tree. At most 64.
        std::uint32_t boxes_around_max = 64;
        /// Most spare families beyond a fourth of the built ones.
        std::size_t spare_families_max = 16;
        /// Levels that no tree has; a tree with nearly as many is rebuilt in one call.
        std::uint32_t levels_max = 12;
    } trees;
};

/// The shipped values are the defaults of the fields.
const Thresholds& thresholds() noexcept;

}  // namespace broadside::broadphase
