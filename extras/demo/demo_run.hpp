// Runs a scene through the stage, frame by frame, and compares every frame with the scalar ISA.
#pragma once

#include "extras/demo/demo_scene.hpp"
#include "extras/viewer/film.hpp"

#include <broadside/isa.hpp>

#include <cstdint>
#include <functional>
#include <vector>

namespace broadside::demo {

struct RunOptions {
    Isa isa = Isa::scalar;
    std::size_t frame_count = 120;
    /// Threads, the caller's included.
    std::uint32_t thread_count = 1;
};

/// Times and counts of one frame.
struct FrameRecord {
    StageTimes times;
    std::size_t pair_count = 0;
    std::size_t impact_count = 0;
    std::size_t ray_hit_count = 0;
    std::size_t contact_count = 0;
    std::size_t mesh_hit_count = 0;
    std::size_t mesh_impact_count = 0;
    /// Counts of the movers.
    std::size_t grounded_count = 0;
    std::size_t stepped_count = 0;
    std::size_t walled_count = 0;
    std::uint64_t hash = 0;
    bool is_same_as_scalar = false;
};

struct RunReport {
    std::vector<FrameRecord> frames;
    std::size_t body_count = 0;
    std::size_t ray_count = 0;
    std::size_t obb_count = 0;
    std::size_t triangle_count = 0;
    std::size_t mover_count = 0;
    /// Results of the last frame.
    StageResult result;
    /// One line if the run could not continue; empty otherwise.
    std::string error;

    std::size_t same_frame_count() const;
};

/// Runs the scene; `out_film` may be null. `report_progress(done)` is called after every frame.
RunReport run_scene(Scene& scene, const RunOptions& options, viewer::Film* out_film,
                    const std::function<void(std::size_t)>& report_progress);

}  // namespace broadside::demo
