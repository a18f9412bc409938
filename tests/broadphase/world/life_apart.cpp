// Programs in processes of their own, so that one that ends its process fails like the others.
#include "tests/broadphase/world/life_player.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace broadside::test {

LifeResult play_apart(const LifeProgram& program) {
    int ends[2];
    if (pipe(ends) != 0) return play(program);
    const pid_t child = fork();
    if (child == 0) {
        const LifeResult result = play(program);
        const std::size_t counts[] = {result.operation_count, result.failure.size()};
        const bool is_written = write(ends[1], counts, sizeof counts) >= 0 &&
                                write(ends[1], result.failure.data(), result.failure.size()) >= 0;
        _exit(is_written ? 0 : 1);
    }
    (void)close(ends[1]);
    LifeResult result;
    std::size_t counts[2] = {};
    const bool is_read = read(ends[0], counts, sizeof counts) == sizeof counts;
    char failure[256];
    const ssize_t length = is_read ? read(ends[0], failure, sizeof failure) : 0;
    (void)close(ends[0]);
    int status = 0;
    (void)waitpid(child, &status, 0);
    if (!is_read) {
        // The operation is not known.
        result.operation_count = program.operations.size();
        result.failure =
            WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status)) : "the process ends";
        return result;
    }
    result.operation_count = counts[0];
    if (length > 0) result.failure.assign(failure, static_cast<std::size_t>(length));
    return result;
}

}  // namespace broadside::test
