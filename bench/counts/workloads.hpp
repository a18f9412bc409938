// The workloads whose instructions are counted.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace broadside::counts {

/// A few calls of the library, short enough to be counted in a moment and long enough to be all kernel.
struct Workload {
    /// "folder/algorithm/scene/count", as benches are named.
    std::string name;
    /// The counted calls.
    std::function<void()> run;
    /// Called before every `run`, uncounted.
    std::function<void()> prepare = [] {};
    /// Number of runs counted together: frames differ, calls do not.
    int run_count = 1;
};

/// All of them, in a fixed order, with inputs that are the same on every machine. Call after the ISA has been
/// set.
std::vector<Workload> make_workloads();

}  // namespace broadside::counts
