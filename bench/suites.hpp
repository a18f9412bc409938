// The suites: one function a file, called by main.cpp. A new suite is a new file and a line here and there.
#pragma once

namespace broadside::bench {

void register_overlap_benchmarks();
void register_moving_aabb_benchmarks();
void register_ray_box_benchmarks();
void register_obb_obb_benchmarks();
void register_obb_triangle_benchmarks();
void register_sphere_benchmarks();
void register_fit_benchmarks();
void register_find_pairs_benchmarks();
void register_find_pairs_choice_benchmarks();
void register_find_pairs_filter_benchmarks();
void register_find_pairs_phase_benchmarks();
void register_box_tree_benchmarks();
void register_world_benchmarks();
void register_stage_benchmarks();
void register_peer_benchmarks();

}  // namespace broadside::bench
