/* The layout of every struct of the C API on a 64-bit machine, to which callers are compiled. A struct with a
   size field may grow at its end; any other failure here breaks callers, and needs another BROADSIDE_C_ABI. */
#include <broadside.h>

#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), "the size of " #type " has changed")
#define FIELD(type, field, at) _Static_assert(offsetof(type, field) == (at), #type "." #field " has moved")
#define VALUE(enumerator, value) _Static_assert((int)(enumerator) == (value), #enumerator " has changed")

#if UINTPTR_MAX == UINT64_MAX

SIZE(broadside_result, 32);
FIELD(broadside_result, size, 0);
FIELD(broadside_result, status, 4);
FIELD(broadside_result, bad_index, 8);
FIELD(broadside_result, written, 16);
FIELD(broadside_result, required, 24);

SIZE(broadside_allocator, 32);
FIELD(broadside_allocator, size, 0);
FIELD(broadside_allocator, reserved, 4);
FIELD(broadside_allocator, allocate, 8);
FIELD(broadside_allocator, deallocate, 16);
FIELD(broadside_allocator, user, 24);

SIZE(broadside_task_runner, 24);
FIELD(broadside_task_runner, size, 0);
FIELD(broadside_task_runner, worker_count, 4);
FIELD(broadside_task_runner, parallel_for, 8);
FIELD(broadside_task_runner, user, 16);

SIZE(broadside_assert_info, 40);
FIELD(broadside_assert_info, size, 0);
FIELD(broadside_assert_info, is_refused_argument, 4);
FIELD(broadside_assert_info, condition, 8);
FIELD(broadside_assert_info, message, 16);
FIELD(broadside_assert_info, file, 24);
FIELD(broadside_assert_info, line, 32);

SIZE(broadside_vec3, 12);
FIELD(broadside_vec3, x, 0);
FIELD(broadside_vec3, y, 4);
FIELD(broadside_vec3, z, 8);

SIZE(broadside_aabb, 24);
FIELD(broadside_aabb, min, 0);
FIELD(broadside_aabb, max, 12);

SIZE(broadside_sphere, 16);
FIELD(broadside_sphere, center, 0);
FIELD(broadside_sphere, radius, 12);

SIZE(broadside_capsule, 28);
FIELD(broadside_capsule, a, 0);
FIELD(broadside_capsule, b, 12);
FIELD(broadside_capsule, radius, 24);

SIZE(broadside_obb, 60);
FIELD(broadside_obb, center, 0);
FIELD(broadside_obb, axis_x, 12);
FIELD(broadside_obb, axis_y, 24);
FIELD(broadside_obb, axis_z, 36);
FIELD(broadside_obb, half_extent, 48);

SIZE(broadside_triangle, 36);
FIELD(broadside_triangle, a, 0);
FIELD(broadside_triangle, b, 12);
FIELD(broadside_triangle, c, 24);

SIZE(broadside_ray, 28);
FIELD(broadside_ray, origin, 0);
FIELD(broadside_ray, direction, 12);
FIELD(broadside_ray, t_max, 24);

SIZE(broadside_plane, 16);
FIELD(broadside_plane, normal, 0);
FIELD(broadside_plane, offset, 12);

SIZE(broadside_volume, 16);
FIELD(broadside_volume, planes, 0);
FIELD(broadside_volume, plane_count, 8);

SIZE(broadside_obb_cast, 76);
FIELD(broadside_obb_cast, obb, 0);
FIELD(broadside_obb_cast, displacement, 60);
FIELD(broadside_obb_cast, t_max, 72);

SIZE(broadside_box_cast, 40);
FIELD(broadside_box_cast, box, 0);
FIELD(broadside_box_cast, displacement, 24);
FIELD(broadside_box_cast, t_max, 36);

SIZE(broadside_sphere_cast, 32);
FIELD(broadside_sphere_cast, sphere, 0);
FIELD(broadside_sphere_cast, displacement, 16);
FIELD(broadside_sphere_cast, t_max, 28);

SIZE(broadside_capsule_cast, 44);
FIELD(broadside_capsule_cast, capsule, 0);
FIELD(broadside_capsule_cast, displacement, 28);
FIELD(broadside_capsule_cast, t_max, 40);

SIZE(broadside_pair, 8);
FIELD(broadside_pair, first, 0);
FIELD(broadside_pair, second, 4);

SIZE(broadside_boxes, 56);
FIELD(broadside_boxes, min_x, 0);
FIELD(broadside_boxes, min_y, 8);
FIELD(broadside_boxes, min_z, 16);
FIELD(broadside_boxes, max_x, 24);
FIELD(broadside_boxes, max_y, 32);
FIELD(broadside_boxes, max_z, 40);
FIELD(broadside_boxes, count, 48);

SIZE(broadside_vec3s, 32);
FIELD(broadside_vec3s, x, 0);
FIELD(broadside_vec3s, y, 8);
FIELD(broadside_vec3s, z, 16);
FIELD(broadside_vec3s, count, 24);

SIZE(broadside_triangles, 136);
FIELD(broadside_triangles, a_x, 0);
FIELD(broadside_triangles, a_y, 8);
FIELD(broadside_triangles, a_z, 16);
FIELD(broadside_triangles, b_x, 24);
FIELD(broadside_triangles, b_y, 32);
FIELD(broadside_triangles, b_z, 40);
FIELD(broadside_triangles, c_x, 48);
FIELD(broadside_triangles, c_y, 56);
FIELD(broadside_triangles, c_z, 64);
FIELD(broadside_triangles, count, 72);
FIELD(broadside_triangles, group_bounds, 80);

SIZE(broadside_box_filter, 48);
FIELD(broadside_box_filter, categories, 0);
FIELD(broadside_box_filter, masks, 8);
FIELD(broadside_box_filter, groups, 16);
FIELD(broadside_box_filter, subset_bits, 24);
FIELD(broadside_box_filter, ids, 32);
FIELD(broadside_box_filter, ids_per_box, 40);
FIELD(broadside_box_filter, reserved, 44);

SIZE(broadside_find_pairs_settings, 144);
FIELD(broadside_find_pairs_settings, size, 0);
FIELD(broadside_find_pairs_settings, order, 4);
FIELD(broadside_find_pairs_settings, algorithm, 8);
FIELD(broadside_find_pairs_settings, sweep_axis, 12);
FIELD(broadside_find_pairs_settings, cell_counts, 16);
FIELD(broadside_find_pairs_settings, reserved, 28);
FIELD(broadside_find_pairs_settings, runner, 32);
FIELD(broadside_find_pairs_settings, filter, 40);
FIELD(broadside_find_pairs_settings, filter_b, 88);
FIELD(broadside_find_pairs_settings, max_pair_count, 136);

SIZE(broadside_find_pairs_result, 80);
FIELD(broadside_find_pairs_result, size, 0);
FIELD(broadside_find_pairs_result, status, 4);
FIELD(broadside_find_pairs_result, written, 8);
FIELD(broadside_find_pairs_result, required, 16);
FIELD(broadside_find_pairs_result, invalid_count, 24);
FIELD(broadside_find_pairs_result, first_invalid, 32);
FIELD(broadside_find_pairs_result, invalid_b_count, 40);
FIELD(broadside_find_pairs_result, first_invalid_b, 48);
FIELD(broadside_find_pairs_result, algorithm, 56);
FIELD(broadside_find_pairs_result, reserved, 60);
FIELD(broadside_find_pairs_result, tested_count, 64);
FIELD(broadside_find_pairs_result, memory_bytes, 72);

SIZE(broadside_exact_boxes, 72);
FIELD(broadside_exact_boxes, min_x, 0);
FIELD(broadside_exact_boxes, min_y, 8);
FIELD(broadside_exact_boxes, min_z, 16);
FIELD(broadside_exact_boxes, max_x, 24);
FIELD(broadside_exact_boxes, max_y, 32);
FIELD(broadside_exact_boxes, max_z, 40);
FIELD(broadside_exact_boxes, count, 48);
FIELD(broadside_exact_boxes, stride, 56);
FIELD(broadside_exact_boxes, number, 64);
FIELD(broadside_exact_boxes, axis_count, 68);

SIZE(broadside_shapes, 24);
FIELD(broadside_shapes, items, 0);
FIELD(broadside_shapes, count, 8);
FIELD(broadside_shapes, kind, 16);
FIELD(broadside_shapes, reserved, 20);

SIZE(broadside_casts, 24);
FIELD(broadside_casts, items, 0);
FIELD(broadside_casts, count, 8);
FIELD(broadside_casts, kind, 16);
FIELD(broadside_casts, reserved, 20);

SIZE(broadside_hit, 16);
FIELD(broadside_hit, query, 0);
FIELD(broadside_hit, box, 4);
FIELD(broadside_hit, t, 8);
FIELD(broadside_hit, face, 12);
FIELD(broadside_hit, unused, 13);

SIZE(broadside_closest_hit, 12);
FIELD(broadside_closest_hit, box, 0);
FIELD(broadside_closest_hit, t, 4);
FIELD(broadside_closest_hit, face, 8);
FIELD(broadside_closest_hit, unused, 9);

SIZE(broadside_closest_box, 8);
FIELD(broadside_closest_box, distance_sq, 0);
FIELD(broadside_closest_box, box, 4);
SIZE(broadside_close_pair, 12);
FIELD(broadside_close_pair, distance, 0);
FIELD(broadside_close_pair, pair, 4);

SIZE(broadside_query_settings, 64);
FIELD(broadside_query_settings, size, 0);
FIELD(broadside_query_settings, order, 4);
FIELD(broadside_query_settings, inside, 8);
FIELD(broadside_query_settings, is_conservative, 12);
FIELD(broadside_query_settings, touch, 16);
FIELD(broadside_query_settings, reserved, 20);
FIELD(broadside_query_settings, runner, 24);
FIELD(broadside_query_settings, categories, 32);
FIELD(broadside_query_settings, masks, 40);
FIELD(broadside_query_settings, accepts, 48);
FIELD(broadside_query_settings, user, 56);

SIZE(broadside_world_settings, 32);
FIELD(broadside_world_settings, size, 0);
FIELD(broadside_world_settings, order, 4);
FIELD(broadside_world_settings, do_fixed_objects_pair, 8);
FIELD(broadside_world_settings, reserved, 12);
FIELD(broadside_world_settings, max_object_count, 16);
FIELD(broadside_world_settings, max_pair_count, 24);

SIZE(broadside_object_settings, 56);
FIELD(broadside_object_settings, size, 0);
FIELD(broadside_object_settings, kind, 4);
FIELD(broadside_object_settings, category, 8);
FIELD(broadside_object_settings, mask, 16);
FIELD(broadside_object_settings, group, 24);
FIELD(broadside_object_settings, layer, 28);
FIELD(broadside_object_settings, user_data, 32);
FIELD(broadside_object_settings, displacement, 40);
FIELD(broadside_object_settings, margin, 52);

SIZE(broadside_world_pair, 16);
FIELD(broadside_world_pair, a, 0);
FIELD(broadside_world_pair, b, 8);

SIZE(broadside_pair_user_data, 16);
FIELD(broadside_pair_user_data, a, 0);
FIELD(broadside_pair_user_data, b, 8);

SIZE(broadside_ended_pair, 24);
FIELD(broadside_ended_pair, a, 0);
FIELD(broadside_ended_pair, b, 8);
FIELD(broadside_ended_pair, value, 16);

SIZE(broadside_update_result, 40);
FIELD(broadside_update_result, size, 0);
FIELD(broadside_update_result, status, 4);
FIELD(broadside_update_result, begun_count, 8);
FIELD(broadside_update_result, ended_count, 16);
FIELD(broadside_update_result, pair_count, 24);
FIELD(broadside_update_result, changed_count, 32);

SIZE(broadside_world_query_settings, 72);
FIELD(broadside_world_query_settings, size, 0);
FIELD(broadside_world_query_settings, kinds, 4);
FIELD(broadside_world_query_settings, layers, 8);
FIELD(broadside_world_query_settings, masks, 16);
FIELD(broadside_world_query_settings, inside, 24);
FIELD(broadside_world_query_settings, is_conservative, 28);
FIELD(broadside_world_query_settings, touch, 32);
FIELD(broadside_world_query_settings, reserved, 36);
FIELD(broadside_world_query_settings, runner, 40);
FIELD(broadside_world_query_settings, accepts, 48);
FIELD(broadside_world_query_settings, user, 56);
FIELD(broadside_world_query_settings, accepts_layer, 64);

SIZE(broadside_world_overlap, 16);
FIELD(broadside_world_overlap, query, 0);
FIELD(broadside_world_overlap, unused, 4);
FIELD(broadside_world_overlap, object, 8);

SIZE(broadside_world_hit, 24);
FIELD(broadside_world_hit, query, 0);
FIELD(broadside_world_hit, unused, 4);
FIELD(broadside_world_hit, object, 8);
FIELD(broadside_world_hit, t, 16);
FIELD(broadside_world_hit, face, 20);
FIELD(broadside_world_hit, unused_too, 21);

SIZE(broadside_closest_object_hit, 16);
FIELD(broadside_closest_object_hit, object, 0);
FIELD(broadside_closest_object_hit, t, 8);
FIELD(broadside_closest_object_hit, face, 12);
FIELD(broadside_closest_object_hit, unused, 13);

SIZE(broadside_closest_object, 16);
FIELD(broadside_closest_object, distance_sq, 0);
FIELD(broadside_closest_object, unused, 4);
FIELD(broadside_closest_object, object, 8);

SIZE(broadside_mesh_hit, 16);
FIELD(broadside_mesh_hit, t, 0);
FIELD(broadside_mesh_hit, u, 4);
FIELD(broadside_mesh_hit, v, 8);
FIELD(broadside_mesh_hit, triangle, 12);

SIZE(broadside_mesh_ray_hit, 20);
FIELD(broadside_mesh_ray_hit, ray, 0);
FIELD(broadside_mesh_ray_hit, hit, 4);

SIZE(broadside_mesh_closest_point, 20);
FIELD(broadside_mesh_closest_point, point, 0);
FIELD(broadside_mesh_closest_point, distance_sq, 12);
FIELD(broadside_mesh_closest_point, triangle, 16);

SIZE(broadside_mesh_impact, 36);
FIELD(broadside_mesh_impact, toi, 0);
FIELD(broadside_mesh_impact, triangle, 4);
FIELD(broadside_mesh_impact, point, 8);
FIELD(broadside_mesh_impact, normal, 20);
FIELD(broadside_mesh_impact, axis, 32);
FIELD(broadside_mesh_impact, unused, 33);

SIZE(broadside_mesh_cast_impact, 40);
FIELD(broadside_mesh_cast_impact, cast, 0);
FIELD(broadside_mesh_cast_impact, impact, 4);

SIZE(broadside_mesh_settings, 16);
FIELD(broadside_mesh_settings, size, 0);
FIELD(broadside_mesh_settings, do_cull_back_sides, 4);
FIELD(broadside_mesh_settings, runner, 8);

SIZE(broadside_stage_input, 448);
FIELD(broadside_stage_input, size, 0);
FIELD(broadside_stage_input, reserved, 4);
FIELD(broadside_stage_input, boxes, 8);
FIELD(broadside_stage_input, displacements, 64);
FIELD(broadside_stage_input, rays, 96);
FIELD(broadside_stage_input, ray_count, 104);
FIELD(broadside_stage_input, casts, 112);
FIELD(broadside_stage_input, cast_count, 120);
FIELD(broadside_stage_input, sphere_casts, 128);
FIELD(broadside_stage_input, sphere_cast_count, 136);
FIELD(broadside_stage_input, overlap_boxes, 144);
FIELD(broadside_stage_input, overlap_box_count, 152);
FIELD(broadside_stage_input, overlap_spheres, 160);
FIELD(broadside_stage_input, overlap_sphere_count, 168);
FIELD(broadside_stage_input, overlap_obbs, 176);
FIELD(broadside_stage_input, overlap_obb_count, 184);
FIELD(broadside_stage_input, obbs, 192);
FIELD(broadside_stage_input, obb_count, 200);
FIELD(broadside_stage_input, obb_displacements, 208);
FIELD(broadside_stage_input, triangles, 216);
FIELD(broadside_stage_input, triangle_bounds, 352);
FIELD(broadside_stage_input, meshes, 408);
FIELD(broadside_stage_input, mesh_count, 416);
FIELD(broadside_stage_input, scene, 424);
FIELD(broadside_stage_input, movers, 432);
FIELD(broadside_stage_input, mover_count, 440);

SIZE(broadside_stage_settings, 88);
FIELD(broadside_stage_settings, size, 0);
FIELD(broadside_stage_settings, touch, 4);
FIELD(broadside_stage_settings, inside, 8);
FIELD(broadside_stage_settings, do_report_all_ray_hits, 12);
FIELD(broadside_stage_settings, do_report_all_cast_hits, 16);
FIELD(broadside_stage_settings, algorithm, 20);
FIELD(broadside_stage_settings, runner, 24);
FIELD(broadside_stage_settings, filter, 32);
FIELD(broadside_stage_settings, movers, 80);

SIZE(broadside_stage_impact, 16);
FIELD(broadside_stage_impact, first, 0);
FIELD(broadside_stage_impact, second, 4);
FIELD(broadside_stage_impact, toi, 8);
FIELD(broadside_stage_impact, face, 12);
FIELD(broadside_stage_impact, unused, 13);

SIZE(broadside_stage_triangle_impact, 16);
FIELD(broadside_stage_triangle_impact, obb, 0);
FIELD(broadside_stage_triangle_impact, triangle, 4);
FIELD(broadside_stage_triangle_impact, toi, 8);
FIELD(broadside_stage_triangle_impact, axis, 12);
FIELD(broadside_stage_triangle_impact, unused, 13);

SIZE(broadside_stage_mesh_impact, 44);
FIELD(broadside_stage_mesh_impact, obb, 0);
FIELD(broadside_stage_mesh_impact, toi, 4);
FIELD(broadside_stage_mesh_impact, instance, 8);
FIELD(broadside_stage_mesh_impact, triangle, 12);
FIELD(broadside_stage_mesh_impact, point, 16);
FIELD(broadside_stage_mesh_impact, normal, 28);
FIELD(broadside_stage_mesh_impact, axis, 40);
FIELD(broadside_stage_mesh_impact, unused, 41);

SIZE(broadside_stage_result, 344);
FIELD(broadside_stage_result, size, 0);
FIELD(broadside_stage_result, status, 4);
FIELD(broadside_stage_result, candidate_pairs, 8);
FIELD(broadside_stage_result, candidate_pair_count, 16);
FIELD(broadside_stage_result, impacts, 24);
FIELD(broadside_stage_result, impact_count, 32);
FIELD(broadside_stage_result, ray_hits, 40);
FIELD(broadside_stage_result, ray_hit_count, 48);
FIELD(broadside_stage_result, cast_hits, 56);
FIELD(broadside_stage_result, cast_hit_count, 64);
FIELD(broadside_stage_result, sphere_cast_hits, 72);
FIELD(broadside_stage_result, sphere_cast_hit_count, 80);
FIELD(broadside_stage_result, box_overlaps, 88);
FIELD(broadside_stage_result, box_overlap_count, 96);
FIELD(broadside_stage_result, sphere_overlaps, 104);
FIELD(broadside_stage_result, sphere_overlap_count, 112);
FIELD(broadside_stage_result, obb_overlaps, 120);
FIELD(broadside_stage_result, obb_overlap_count, 128);
FIELD(broadside_stage_result, triangle_impacts, 136);
FIELD(broadside_stage_result, triangle_impact_count, 144);
FIELD(broadside_stage_result, invalid_box_count, 152);
FIELD(broadside_stage_result, first_invalid_box, 160);
FIELD(broadside_stage_result, invalid_displacement_count, 168);
FIELD(broadside_stage_result, first_invalid_displacement, 176);
FIELD(broadside_stage_result, invalid_ray_count, 184);
FIELD(broadside_stage_result, first_invalid_ray, 192);
FIELD(broadside_stage_result, invalid_query_count, 200);
FIELD(broadside_stage_result, first_invalid_query, 208);
FIELD(broadside_stage_result, invalid_obb_count, 216);
FIELD(broadside_stage_result, first_invalid_obb, 224);
FIELD(broadside_stage_result, hash, 232);
FIELD(broadside_stage_result, total_seconds, 240);
FIELD(broadside_stage_result, mesh_hits, 248);
FIELD(broadside_stage_result, mesh_hit_count, 256);
FIELD(broadside_stage_result, mesh_impacts, 264);
FIELD(broadside_stage_result, mesh_impact_count, 272);
FIELD(broadside_stage_result, scene_hits, 280);
FIELD(broadside_stage_result, scene_hit_count, 288);
FIELD(broadside_stage_result, scene_impacts, 296);
FIELD(broadside_stage_result, scene_impact_count, 304);
FIELD(broadside_stage_result, mover_results, 312);
FIELD(broadside_stage_result, mover_result_count, 320);
FIELD(broadside_stage_result, invalid_mover_count, 328);
FIELD(broadside_stage_result, first_invalid_mover, 336);

SIZE(broadside_moving_boxes, 88);
FIELD(broadside_moving_boxes, boxes, 0);
FIELD(broadside_moving_boxes, displacements, 56);

SIZE(broadside_ray_settings, 16);
FIELD(broadside_ray_settings, size, 0);
FIELD(broadside_ray_settings, inside, 4);
FIELD(broadside_ray_settings, is_conservative, 8);
FIELD(broadside_ray_settings, reserved, 12);

SIZE(broadside_ray_box_hit, 16);
FIELD(broadside_ray_box_hit, t_enter, 0);
FIELD(broadside_ray_box_hit, t_exit, 4);
FIELD(broadside_ray_box_hit, has_hit, 8);
FIELD(broadside_ray_box_hit, face, 12);

SIZE(broadside_transform, 48);
FIELD(broadside_transform, row_x, 0);
FIELD(broadside_transform, row_y, 12);
FIELD(broadside_transform, row_z, 24);
FIELD(broadside_transform, translation, 36);

SIZE(broadside_placed_mesh, 56);
FIELD(broadside_placed_mesh, mesh, 0);
FIELD(broadside_placed_mesh, world_from_mesh, 8);

SIZE(broadside_clash_settings, 24);
FIELD(broadside_clash_settings, size, 0);
FIELD(broadside_clash_settings, clearance, 4);
FIELD(broadside_clash_settings, do_ignore_contained, 8);
FIELD(broadside_clash_settings, reserved, 12);
FIELD(broadside_clash_settings, runner, 16);

SIZE(broadside_clash, 12);
FIELD(broadside_clash, a, 0);
FIELD(broadside_clash, b, 4);
FIELD(broadside_clash, relation, 8);

SIZE(broadside_triangle_pair, 12);
FIELD(broadside_triangle_pair, a, 0);
FIELD(broadside_triangle_pair, b, 4);
FIELD(broadside_triangle_pair, kind, 8);

SIZE(broadside_triangle_impact, 12);
FIELD(broadside_triangle_impact, toi, 0);
FIELD(broadside_triangle_impact, a, 4);
FIELD(broadside_triangle_impact, b, 8);

SIZE(broadside_scene_hit, 20);
FIELD(broadside_scene_hit, t, 0);
FIELD(broadside_scene_hit, u, 4);
FIELD(broadside_scene_hit, v, 8);
FIELD(broadside_scene_hit, instance, 12);
FIELD(broadside_scene_hit, triangle, 16);

SIZE(broadside_scene_ray_hit, 24);
FIELD(broadside_scene_ray_hit, ray, 0);
FIELD(broadside_scene_ray_hit, hit, 4);

SIZE(broadside_scene_overlap, 12);
FIELD(broadside_scene_overlap, shape, 0);
FIELD(broadside_scene_overlap, instance, 4);
FIELD(broadside_scene_overlap, triangle, 8);

SIZE(broadside_scene_closest_point, 24);
FIELD(broadside_scene_closest_point, point, 0);
FIELD(broadside_scene_closest_point, distance_sq, 12);
FIELD(broadside_scene_closest_point, instance, 16);
FIELD(broadside_scene_closest_point, triangle, 20);

SIZE(broadside_scene_impact, 40);
FIELD(broadside_scene_impact, toi, 0);
FIELD(broadside_scene_impact, instance, 4);
FIELD(broadside_scene_impact, triangle, 8);
FIELD(broadside_scene_impact, point, 12);
FIELD(broadside_scene_impact, normal, 24);
FIELD(broadside_scene_impact, axis, 36);
FIELD(broadside_scene_impact, unused, 37);

SIZE(broadside_scene_cast_impact, 44);
FIELD(broadside_scene_cast_impact, cast, 0);
FIELD(broadside_scene_cast_impact, impact, 4);

SIZE(broadside_mover, 52);
FIELD(broadside_mover, form, 0);
FIELD(broadside_mover, half_extent, 4);
FIELD(broadside_mover, radius, 16);
FIELD(broadside_mover, half_length, 20);
FIELD(broadside_mover, position, 24);
FIELD(broadside_mover, displacement, 36);
FIELD(broadside_mover, ignored_box, 48);

SIZE(broadside_mover_obstacles, 32);
FIELD(broadside_mover_obstacles, boxes, 0);
FIELD(broadside_mover_obstacles, meshes, 8);
FIELD(broadside_mover_obstacles, mesh_count, 16);
FIELD(broadside_mover_obstacles, scene, 24);

SIZE(broadside_mover_settings, 48);
FIELD(broadside_mover_settings, size, 0);
FIELD(broadside_mover_settings, up, 4);
FIELD(broadside_mover_settings, min_ground_cosine, 16);
FIELD(broadside_mover_settings, step_height, 20);
FIELD(broadside_mover_settings, stick_distance, 24);
FIELD(broadside_mover_settings, contact_offset, 28);
FIELD(broadside_mover_settings, max_iterations, 32);
FIELD(broadside_mover_settings, reserved, 36);
FIELD(broadside_mover_settings, runner, 40);

SIZE(broadside_mover_result, 44);
FIELD(broadside_mover_result, position, 0);
FIELD(broadside_mover_result, status, 12);
FIELD(broadside_mover_result, is_grounded, 13);
FIELD(broadside_mover_result, has_stepped, 14);
FIELD(broadside_mover_result, iteration_count, 16);
FIELD(broadside_mover_result, ground_normal, 20);
FIELD(broadside_mover_result, wall_normal, 32);

#endif

/* Values of enumerators. */
VALUE(BROADSIDE_OK, 0);
VALUE(BROADSIDE_CAPACITY_EXCEEDED, 1);
VALUE(BROADSIDE_OUT_OF_MEMORY, 2);
VALUE(BROADSIDE_INVALID_ARGUMENT, 3);
VALUE(BROADSIDE_UNSUPPORTED_ISA, 4);

VALUE(BROADSIDE_ISA_SCALAR, 0);
VALUE(BROADSIDE_ISA_SSE2, 1);
VALUE(BROADSIDE_ISA_AVX2, 2);
VALUE(BROADSIDE_ISA_AVX512, 3);
VALUE(BROADSIDE_ISA_NEON64, 4);
VALUE(BROADSIDE_ISA_WASM128, 5);
VALUE(BROADSIDE_ISA_NONE, 255);

VALUE(BROADSIDE_FACE_MIN_X, 0);
VALUE(BROADSIDE_FACE_MAX_X, 1);
VALUE(BROADSIDE_FACE_MIN_Y, 2);
VALUE(BROADSIDE_FACE_MAX_Y, 3);
VALUE(BROADSIDE_FACE_MIN_Z, 4);
VALUE(BROADSIDE_FACE_MAX_Z, 5);
VALUE(BROADSIDE_FACE_NONE, 6);

VALUE(BROADSIDE_TOUCH_CLOSED, 0);
VALUE(BROADSIDE_TOUCH_OPEN, 1);

VALUE(BROADSIDE_INSIDE_ZERO, 0);
VALUE(BROADSIDE_INSIDE_MISS, 1);
VALUE(BROADSIDE_INSIDE_NEGATIVE_T, 2);

VALUE(BROADSIDE_ORDER_CANONICAL, 0);
VALUE(BROADSIDE_ORDER_BY_ALGORITHM, 1);

VALUE(BROADSIDE_ALGORITHM_AUTOMATIC, 0);
VALUE(BROADSIDE_ALGORITHM_BRUTE_FORCE, 1);
VALUE(BROADSIDE_ALGORITHM_SWEEP_AND_PRUNE, 2);
VALUE(BROADSIDE_ALGORITHM_CELLS, 3);

VALUE(BROADSIDE_NUMBER_FLOAT, 0);
VALUE(BROADSIDE_NUMBER_DOUBLE, 1);
VALUE(BROADSIDE_NUMBER_INT32, 2);
VALUE(BROADSIDE_NUMBER_INT64, 3);

VALUE(BROADSIDE_SHAPE_BOX, 0);
VALUE(BROADSIDE_SHAPE_POINT, 1);
VALUE(BROADSIDE_SHAPE_SPHERE, 2);
VALUE(BROADSIDE_SHAPE_OBB, 3);
VALUE(BROADSIDE_SHAPE_VOLUME, 4);
VALUE(BROADSIDE_SHAPE_CAPSULE, 5);

VALUE(BROADSIDE_CAST_RAY, 0);
VALUE(BROADSIDE_CAST_BOX, 1);
VALUE(BROADSIDE_CAST_SPHERE, 2);
VALUE(BROADSIDE_CAST_CAPSULE, 3);
VALUE(BROADSIDE_CAST_OBB, 4);

VALUE(BROADSIDE_OBJECT_MOVING, 0);
VALUE(BROADSIDE_OBJECT_RESTING, 1);
VALUE(BROADSIDE_OBJECT_FIXED, 2);

VALUE(BROADSIDE_WORLD_ORDER_SLOT, 0);
VALUE(BROADSIDE_WORLD_ORDER_USER_DATA, 1);

VALUE(BROADSIDE_MESH_FAULT_NONE, 0);
VALUE(BROADSIDE_MESH_FAULT_INCOMPLETE_TRIANGLE, 1);
VALUE(BROADSIDE_MESH_FAULT_TOO_MANY_TRIANGLES, 2);
VALUE(BROADSIDE_MESH_FAULT_INDEX_OUT_OF_RANGE, 3);
VALUE(BROADSIDE_MESH_FAULT_VERTEX_NOT_FINITE, 4);

VALUE(BROADSIDE_AXIS_BOX_X, 0);
VALUE(BROADSIDE_AXIS_BOX_Y, 1);
VALUE(BROADSIDE_AXIS_BOX_Z, 2);
VALUE(BROADSIDE_AXIS_TRIANGLE_NORMAL, 3);
VALUE(BROADSIDE_AXIS_X_AB, 4);
VALUE(BROADSIDE_AXIS_Z_CA, 12);
VALUE(BROADSIDE_AXIS_INITIAL, 13);
VALUE(BROADSIDE_AXIS_NONE, 14);

VALUE(BROADSIDE_MESHES_APART, 0);
VALUE(BROADSIDE_MESHES_NEAR, 1);
VALUE(BROADSIDE_MESHES_A_IN_B, 2);
VALUE(BROADSIDE_MESHES_B_IN_A, 3);
VALUE(BROADSIDE_MESHES_TOUCHING, 4);
VALUE(BROADSIDE_MESHES_INTERSECTING, 5);
VALUE(BROADSIDE_MESHES_DUPLICATE, 6);

VALUE(BROADSIDE_TRIANGLES_DISJOINT, 0);
VALUE(BROADSIDE_TRIANGLES_TOUCHING, 1);
VALUE(BROADSIDE_TRIANGLES_INTERSECTING, 2);
VALUE(BROADSIDE_TRIANGLES_COPLANAR, 3);

VALUE(BROADSIDE_MOVER_BOX, 0);
VALUE(BROADSIDE_MOVER_SPHERE, 1);
VALUE(BROADSIDE_MOVER_CAPSULE, 2);

VALUE(BROADSIDE_MOVER_FINISHED, 0);
VALUE(BROADSIDE_MOVER_ITERATIONS_USED_UP, 1);
VALUE(BROADSIDE_MOVER_STARTED_INSIDE, 2);
VALUE(BROADSIDE_MOVER_CROWDED, 3);
VALUE(BROADSIDE_MOVER_INVALID, 4);

/* Fields of 32 bits hold them. */
_Static_assert(sizeof(broadside_status) == 4 && sizeof(broadside_pair_order) == 4,
               "an enumeration is not 32 bits");
_Static_assert(sizeof(broadside_shape_kind) == 4 && sizeof(broadside_face) == 4,
               "an enumeration is not 32 bits");
