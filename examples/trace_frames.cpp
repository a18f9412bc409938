// Zones in a file for Perfetto: the page docs/profiling.md, as a function. Links if the library has zones.
#include <broadside/collision_stage.hpp>
#include <broadside/zone_trace.hpp>

#include <cstdio>

void trace_frames(broadside::CollisionStage& stage, const broadside::StageInput& input,
                  const broadside::StageSettings& settings) {
    broadside::ZoneTrace trace;
    if (trace.start() != broadside::Status::ok) return;  // all memory is allocated and touched here
    for (int frame = 0; frame < 100; ++frame) {
        const broadside::Zone zone("my frame");  // your own zones go to the same file
        if (stage.step(input, settings).status != broadside::Status::ok) break;
    }
    trace.stop();
    if (std::FILE* file = std::fopen("trace.json", "w")) {
        trace.write_json(file);
        std::fclose(file);
    }
}
