// Measures the cost of a frame on each number of ranks: boxes in uniform motion, all or some, spread over a
// cube.
#include "examples/mpi_world/mpi_world.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

using namespace broadside;
using namespace mpi_example;

namespace {

// A number in [0, 1) for each id and key, the same on every rank.
float random_of(std::uint64_t id, std::uint64_t key) {
    std::uint64_t bits = (id * 8 + key + 1) * 0x9E3779B97F4A7C15u;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
    return static_cast<float>((bits ^ (bits >> 31)) >> 40) * 0x1p-24f;
}

double wall_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double median(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// On average one in each unit of the cube; a third of a unit to one and a quarter long: 1.7 pairs each.
Aabb first_box(std::uint64_t id, float side) {
    const Vec3 min = {side * random_of(id, 0), side * random_of(id, 1), side * random_of(id, 2)};
    const Vec3 size = {0.35f + 0.9f * random_of(id, 3), 0.35f + 0.9f * random_of(id, 4),
                       0.35f + 0.9f * random_of(id, 5)};
    return {min, min + size};
}

struct Options {
    std::uint64_t object_count = 100000;
    int frame_count = 60;
    // Per hundred objects.
    std::uint64_t moving_percent = 100;
};

// Over all ranks: the maximum, and the sum.
double most_of(double value) {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return value;
}
double sum_of(double value) {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return value;
}

void run(const Options& options) {
    int rank = 0, rank_count = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &rank_count);
    const float side = std::cbrt(static_cast<float>(options.object_count));
    MpiWorld world(MPI_COMM_WORLD);
    // Anywhere: the first update takes each object home.
    for (auto id = static_cast<std::uint64_t>(rank); id < options.object_count;
         id += static_cast<std::uint64_t>(rank_count)) {
        world.add(id, first_box(id, side));
    }
    std::vector<double> wall, processor, in_world;
    double own = 0, ghosts = 0, sent = 0, cuts = 0;
    for (int frame = 0; frame < options.frame_count; ++frame) {
        world.move([&](std::uint64_t id, const Aabb& box) -> std::optional<Aabb> {
            if (id % 100 >= options.moving_percent) return box;
            const float angle = 6.28f * random_of(id, 6);
            const Vec3 step = {0.03f * std::cos(angle), 0.03f * std::sin(angle), 0};
            return Aabb{box.min + step, box.max + step};
        });
        MPI_Barrier(MPI_COMM_WORLD);
        const double wall_start = wall_seconds(), processor_start = processor_seconds();
        const UpdateCounts counts = world.update();
        // A rank that waits for the others uses the processor, too: MPI polls for messages all the time.
        processor.push_back(sum_of(processor_seconds() - processor_start));
        wall.push_back(most_of(wall_seconds() - wall_start));
        in_world.push_back(sum_of(counts.world_seconds));
        own = sum_of(static_cast<double>(counts.own_count));
        ghosts = sum_of(static_cast<double>(counts.ghost_count));
        sent = sum_of(static_cast<double>(counts.sent_count));
        cuts += static_cast<double>(counts.is_cut_again);
    }
    const double pairs = sum_of(static_cast<double>(world.pairs().size()));
    if (rank != 0) return;
    std::printf("| %d | %.0f | %.0f | %.1f %% | %.0f | %.0f | %.2f | %.2f | %.2f |\n", rank_count, own, pairs,
                100 * ghosts / own, sent, cuts, 1e3 * median(wall), 1e3 * median(in_world),
                1e3 * median(processor));
}

}  // namespace

int main(int argument_count, char** arguments) {
    MPI_Init(&argument_count, &arguments);
    Options options;
    for (int i = 1; i + 1 < argument_count; i += 2) {
        const long long value = std::atoll(arguments[i + 1]);
        if (std::strcmp(arguments[i], "--objects") == 0)
            options.object_count = static_cast<std::uint64_t>(value);
        if (std::strcmp(arguments[i], "--frames") == 0) options.frame_count = static_cast<int>(value);
        if (std::strcmp(arguments[i], "--moving") == 0)
            options.moving_percent = static_cast<std::uint64_t>(value);
    }
    run(options);
    MPI_Finalize();
}
