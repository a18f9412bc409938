// The frame loop: one stage on the chosen ISA, timed, and one on scalar, compared.
#include "extras/demo/demo_run.hpp"

#include "extras/demo/demo_film.hpp"

#include <broadside/tbb_task_runner.hpp>

#include <algorithm>

namespace broadside::demo {

std::size_t RunReport::same_frame_count() const {
    return static_cast<std::size_t>(std::count_if(
        frames.begin(), frames.end(), [](const FrameRecord& frame) { return frame.is_same_as_scalar; }));
}

RunReport run_scene(Scene& scene, const RunOptions& options, viewer::Film* out_film,
                    const std::function<void(std::size_t)>& report_progress) {
    RunReport report;
    TbbTaskRunner threads(options.thread_count);
    StageSettings settings;
    settings.runner = options.thread_count > 1 ? threads.runner() : nullptr;
    CollisionStage stage;
    CollisionStage scalar_stage;
    Frame frame;
    for (std::size_t index = 0; index < options.frame_count; ++index) {
        scene.fill(index % scene.frame_count(), frame);
        const StageInput input = scene.input(frame);
        settings.movers = frame.mover_settings;
        // Both are supported: the caller has made its own the active one before.
        (void)set_active_isa(options.isa);
        report.result = stage.step(input, settings);
        FrameRecord record;
        record.times = stage.times();
        record.pair_count = stage.candidate_pairs().size();
        record.impact_count = stage.impacts().size();
        record.ray_hit_count = stage.ray_hits().size();
        record.contact_count = stage.triangle_impacts().size();
        record.mesh_hit_count = stage.mesh_hits().size();
        record.mesh_impact_count = stage.mesh_impacts().size();
        for (const MoverResult& mover : stage.mover_results()) {
            record.grounded_count += mover.is_grounded ? 1u : 0u;
            record.stepped_count += mover.has_stepped ? 1u : 0u;
            record.walled_count += length_sq(mover.wall_normal) > 0 ? 1u : 0u;
        }
        record.hash = stage.result_hash();
        (void)set_active_isa(Isa::scalar);
        StageSettings scalar_settings;
        scalar_settings.movers = frame.mover_settings;
        const StageResult scalar_result = scalar_stage.step(input, scalar_settings);
        (void)set_active_isa(options.isa);
        for (const Status status : {report.result.status, scalar_result.status}) {
            if (status == Status::ok) continue;
            report.error = "frame " + std::to_string(index) + ": " + status_name(status);
            return report;
        }
        record.is_same_as_scalar = record.hash == scalar_stage.result_hash();
        report.frames.push_back(record);
        report.body_count = input.boxes.count;
        report.ray_count = input.rays.size();
        report.obb_count = input.obbs.size();
        report.triangle_count = input.triangles.count;
        report.mover_count = input.movers.size();
        if (out_film != nullptr) {
            if (index == 0) out_film->set_mesh(input.triangles);
            out_film->add_frame(film_frame(frame, input, stage));
        }
        scene.advance(stage.mover_results());
        report_progress(index + 1);
    }
    return report;
}

}  // namespace broadside::demo
