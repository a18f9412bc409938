// Sizes at which mechanisms begin, how large their parts are, and over how many updates work is
// spread. They are data so that tests enter every mechanism with few objects: test programs define the function below
// themselves, and what it returns is drawn before a world is made and put back when it is gone.
#pragma once

#include <cstddef>
#include <cstdint>

namespace broadside::broadphase {

/// Costs are in nanoseconds of one thread (rows `world_frames`, `world_lives` and `world_movers_*` of the benches).
struct Thresholds {
    struct Updates {
        /// All objects are looked at when more than one in so many has changed: a mover costs about three times its
        /// share of a complete call (rows `resting_10_percent` and `find_pairs`), sorting what rests one or two calls.
        std::size_t objects_per_mover = 8;
        /// Objects at rest that woke, and others that came to rest, until what rests is sorted anew: one in so many,
        /// and a few.
        std::size_t objects_per_rest_drift = 16;
        std::size_t rest_drift_min = 64;
        /// Updates for which what rests must stay good to be sorted (row `resting_build`).
        std::size_t rest_use_count_min = 3;
        /// Pairs of one task that drops forbidden ones, and ended pairs whose user data one task looks up.
        std::size_t pairs_per_drop_task = 8192;
        std::size_t ended_per_task = 256;
        /// Pairs of one part of a comparison.
        std::size_t pairs_per_part = 4096;
        std::size_t names_per_part = 128;
        /// Changed rules are looked up object by object up to one slot in so many.
        std::size_t slots_per_reruled = 32;
        /// Spare entries of the pairs beside objects: one for so many, and a few.
        std::size_t entries_per_spare = 4;
        std::size_t spare_entry_min = 256;
        /// The pairs of objects that were asked for follow the events of an update up to one event for so many pairs;
        /// where more happened, all are put beside their objects anew.
        std::size_t pairs_per_followed_event = 8;
    } updates;

    struct SetBoxes {
        /// Slots in a row from which on boxes are copied as columns.
        std::size_t worthwhile_run = 16;
        /// Slots that are so far apart are asked for ahead.
        std::uint32_t far_slots = 1024;
        std::size_t boxes_per_task = 512;
        std::size_t shared_count_min = 4096;
        /// Boxes in other forms are made columns of so many at once, at most 256.
        std::size_t boxes_at_once = 256;
    } set_boxes;

    /// Updates by objects: a tree says what each changed object meets.
    struct ByObjects {
        /// For each changed object, and for each pair that it has on average.
        std::uint64_t changed_object_cost = 400;
        std::uint64_t compared_pair_cost = 15;
        /// The other way: for each pair that it copies, each slot that it looks at, and in all.
        std::uint64_t listed_pair_cost = 3;
        std::uint64_t slot_cost = 1;
        std::uint64_t list_update_cost = 10'000;
        /// To begin: a tree of all boxes, and the pairs put to their objects.
        std::uint64_t tree_slot_cost = 100;
        std::uint64_t moved_pair_cost = 15;
        /// A search of all pairs, at least.
        std::uint64_t searched_slot_cost = 60;
        /// Updates in which the tree is made.
        std::int64_t tree_updates = 8;
        /// Updates by objects go on up to so many times the number of changes at which they begin.
        std::uint64_t stay_factor = 2;
        /// Never for more than one in so many.
        std::size_t objects_per_change = 8;
        /// Updates that make up for the beginning, and those without a new attempt after fewer.
        std::uint32_t use_count_min = 4;
        std::uint32_t bypass_count_max = 32;
    } by_objects;

    /// Trees of the queries.
    struct QueryTrees {
        /// A look at all boxes costs less than one at each changed object where more than one in so many has changed.
        std::size_t objects_per_change = 16;
        /// Below this count a whole tree costs next to nothing.
        std::size_t few_changes = 4;
    } query_trees;

    /// Candidates: pairs of grown boxes.
    struct Candidates {
        /// Updates that a grown box lasts, a power of two each; and of boxes that are known to stay in theirs.
        std::uint32_t life_max = 64;
        std::uint32_t life_min = 4;
        std::uint32_t slow_life = 96;
        std::size_t boxes_per_region_min = 128;
        /// Costs of an update: for a box that is looked at, one that is renewed, a candidate that is tested, one that is
        /// found anew, and a box that is looked up.
        std::uint64_t box_cost = 4;
        std::uint64_t renewed_box_cost = 30;
        std::uint64_t tested_candidate_cost = 3;
        std::uint64_t renewed_candidate_cost = 35;
        std::uint64_t escaped_cost = 1000;
        /// Costs of a search for everything and its comparison: for a box, and for a pair.
        std::uint64_t searched_box_cost = 30;
        std::uint64_t searched_pair_cost = 10;
        /// Costs where few have changed: for one of these, and of a search among cells of what rests for one of these
        /// and for a pair.
        std::uint64_t changed_box_cost = 40;
        std::uint64_t searched_mover_cost = 150;
        std::uint64_t merged_pair_cost = 6;
        /// Where few have changed candidates go on up to so many times the cost of a search.
        std::uint64_t few_factor = 2;
        /// Where many move candidates begin when they cost less than so many fifths of a search, with one box in so
        /// many that leaves its grown box in an update.
        std::uint64_t worthwhile_fifths = 4;
        std::size_t boxes_per_usual_leaver = 200;
        /// Costs are averaged over so many updates.
        std::uint64_t cost_updates = 8;
        /// Few have changed: one in so many, or fewer. Nothing is renewed for fewer than one in the second.
        std::size_t boxes_per_change = 4;
        std::size_t boxes_per_calm_change = 64;
        /// Boxes that leave their grown box in an update: with more than one in so many candidates end, and while they
        /// are made, with more than one in the second.
        std::size_t boxes_per_leaver = 16;
        std::size_t boxes_per_early_leaver = 32;
        /// Updates that make up for the beginning, and most of those without a new attempt after fewer.
        std::uint32_t use_count_min = 32;
        std::uint32_t leave_count_max = 64;
        /// Updates in which the first boxes are grown, and before them memory is touched.
        std::uint32_t first_updates = 22;
        std::size_t touch_updates = 6;
        /// Rows of one task; a multiple of 64.
        std::size_t rows_per_task = 2048;
        /// Room for candidates, for each box of a region.
        std::size_t candidates_per_box = 6;
        /// Members of a region for each that has moved, from which on those that have moved are looked up one by one.
        std::size_t members_per_stale = 5;
        /// Boxes are looked up in tasks from two such on, with room for so many candidates a box in each.
        std::size_t look_ups_per_task = 8;
        std::size_t room_per_look_up = 24;
        /// One task grows, lists, or does something with at least so many boxes, positions, and members or candidates.
        std::size_t boxes_per_regrow_task = 8;
        std::size_t positions_per_task = 512;
        std::size_t items_per_task = 256;
        /// Rows up to here are in a near cache, where asking for them ahead only costs.
        std::size_t near_rows_max = 32768;
        /// Fewer are done before tasks have started.
        std::size_t shared_box_count_min = 4096;
        std::size_t shared_change_count_min = 512;
        std::size_t shared_candidate_count_min = 2048;
    } candidates;

    /// One search, and grids of cells within each other.
    struct Cells {
        /// Tests a box up to which brute force is taken without a look at the boxes: 105 boxes among themselves, or 52
        /// against any number.
        std::uint64_t brute_force_tests = 52;
        /// The cost of a cell beside its records; the records that make a cell worth it, whatever the model says; and
        /// the boxes for each cell, empty ones among crowds included, each of which takes memory.
        double cell_cost = 250;
        std::uint32_t records_per_cell_min = 64;
        std::uint32_t boxes_per_cell_min = 8;
        /// Records from which on the work for another grid is small beside a scan of a cell.
        std::uint64_t overfull_records_min = 4096;
        /// Pairs for each record that share their bin on the sweep axis, up to which a cell is not looked at; and what
        /// its scan may waste for each record before another grid is cheaper, which costs about as much.
        std::uint32_t ties_per_record_min = 32;
        double wasted_cost_max = 25;
        /// Fewer sampled boxes say nothing of crowds; at least two.
        std::size_t surveyed_boxes_min = 16;
        /// So few boxes with crowds among them are swept: a grid that finds out where these are costs as much.
        std::size_t swept_boxes_max = 2048;
    } cells;

    /// Pairs of boxes that were grown by a margin.
    struct Cache {
        /// Boxes for one that has left, below which everything is found anew.
        std::size_t boxes_per_escaped = 32;
        /// Boxes for one that is the first to leave, above which many others are about to.
        std::size_t boxes_per_first_escaped = 1024;
        /// Kept pairs a box from which on finding them is dearer than sorting the boxes.
        std::size_t many_pairs_per_box = 6;
        /// Uses that a kept list must have seen to have been worth the longer search, and most calls that are passed by
        /// after fewer.
        std::uint32_t use_count_min = 4;
        std::uint32_t bypass_count_max = 32;
        /// Of one task; a multiple of 64 boxes.
        std::size_t boxes_per_task = 16384;
        std::size_t pairs_per_task = 32768;
    } cache;

    /// Regions of grown boxes.
    struct Regions {
        /// Boxes a leaf: a query looks at whole leaves. Positions that a leaf has besides, where there is room.
        std::size_t boxes_per_leaf = 8;
        std::size_t leaf_spare_max = 3;
        /// Room for boxes that come: one for so many, and a few.
        std::uint32_t boxes_per_spare = 3;
        std::uint32_t spare_min = 32;
        /// Positions for each box that was moved behind the leaves, above which a region is packed again.
        std::uint32_t positions_per_moved = 8;
        std::size_t boxes_per_put_task = 512;
    } regions;

    /// Lists of pairs put in order.
    struct Order {
        std::size_t shared_pair_count_min = 8192;
        std::size_t bucketed_pairs_max = 32768;
    } order;

    /// Trees that are made or renewed a little in each call.
    struct Trees {
        /// A tree is renewed when so large a share of its boxes, and a few, have joined since it was built.
        double worn_share = 0.65;
        double worn_min = 64;
        /// Or when leaves have so many lanes for a box, beside a few.
        float lanes_per_box_max = 1.75f;
        float spare_lanes = 256;
        /// Work of one call, in looks at a record: a share of what is owed, and as much at least.
        std::int64_t calls_that_share = 32;
        std::int64_t units_of_call_min = 64;
        /// A refit sets in the new tree what has joined or left if that is no more than one in so many boxes.
        std::size_t boxes_per_followed = 64;
        /// Where that many of the boxes, one in so many, are set one by one after a refit, no further one is waited for.
        std::size_t boxes_per_set_between = 8;
        /// Boxes from which on a tree is ordered in tasks.
        std::size_t tasked_count_min = 4096;
        /// When the closest pair overlaps, so many boxes are asked in their order for the first that does, before all pairs
        /// are looked at: where many overlap, one of these does, and where none does, few pairs are left.
        std::uint32_t boxes_asked_in_order = 128;
        /// Levels that no tree has; one that has nearly as many is built anew in one call.
        std::uint32_t levels_max = 12;
    } trees;
};

/// The shipped values are the defaults of the fields.
const Thresholds& thresholds() noexcept;

}  // namespace broadside::broadphase
