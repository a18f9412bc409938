// A suite is one file: it defines a constant of type Suite, by which main.cpp knows it. A new suite is a new
// file and its line in CMakeLists.txt.
#pragma once

#include <string>
#include <vector>

namespace broadside::bench {

class Suite {
public:
    /// `register_rows` registers the suite's rows with Google Benchmark. `quick_rows` selects those for a run
    /// of a few minutes: Python's regular expressions of whole names, with "widest" for the widest ISA of the
    /// machine. They apply to this suite's rows only.
    Suite(std::string name, void (*register_rows)(), std::vector<std::string> quick_rows);

    const std::string& name() const { return name_; }
    void add_rows() const { register_rows_(); }
    const std::vector<std::string>& quick_rows() const { return quick_rows_; }

private:
    std::string name_;
    void (*register_rows_)();
    std::vector<std::string> quick_rows_;
};

/// All suites of the program by name.
std::vector<Suite> all_suites();

}  // namespace broadside::bench
