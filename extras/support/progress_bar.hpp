// A bar on a terminal, nothing elsewhere: logs and pipes get the table only. Debian has no C++ library for
// one.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <string>

namespace broadside::extras {

/// Shows on stderr how many of `total` items are done.
class ProgressBar {
public:
    ProgressBar(std::size_t total, std::string noun)
        : total_(total), noun_(std::move(noun)), is_shown_(isatty(STDERR_FILENO) != 0) {}

    void show(std::size_t done) const {
        if (!is_shown_ || total_ == 0) return;
        constexpr std::size_t kWidth = 40;
        const std::size_t filled = kWidth * done / total_;
        std::fprintf(stderr, "\r[%s%s] %zu/%zu %s%s", std::string(filled, '#').c_str(),
                     std::string(kWidth - filled, '.').c_str(), done, total_, noun_.c_str(),
                     done == total_ ? "\n" : "");
    }

private:
    std::size_t total_;
    std::string noun_;
    bool is_shown_;
};

}  // namespace broadside::extras
