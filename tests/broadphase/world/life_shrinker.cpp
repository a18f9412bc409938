// Delta debugging of programs (Zeller, Hildebrandt 2002): ranges of operations are left out, then objects,
// then the rest is made simpler, until nothing more can go.
#include "tests/broadphase/world/life_shrinker.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace broadside::test {
namespace {

using Clock = std::chrono::steady_clock;

// Up to this many objects are tried one by one.
constexpr std::uint32_t kFewObjects = 64;

class Shrinker {
public:
    Shrinker(const LifeProgram& program, double seconds, const PlayLife& play_life)
        : program_(program),
          end_(Clock::now() +
               std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))),
          play_(play_life) {}

    LifeProgram shrink() {
        (void)fails(program_);
        simplify_all();
        bool is_smaller = true;
        while (is_smaller && !is_late()) {
            is_smaller = drop_operations();
            is_smaller |= drop_objects();
            is_smaller |= simplify_each();
        }
        return program_;
    }

private:
    bool is_late() const { return Clock::now() >= end_; }
    // A failing candidate becomes the program to shrink, without the operations after the failure.
    bool fails(LifeProgram candidate) {
        if (is_late()) return false;
        const LifeResult result = play_(candidate);
        if (!result.has_failed()) return false;
        candidate.operations.resize(std::min(candidate.operations.size(), result.operation_count));
        program_ = std::move(candidate);
        return true;
    }
    std::size_t count() const { return program_.operations.size(); }

    bool drop_operations() {
        const std::size_t before = count();
        for (std::size_t length = std::max<std::size_t>(1, before / 2);; length /= 2) {
            // From the end: late operations are least likely to matter for earlier ones.
            for (std::size_t end = count(); end > 0 && !is_late();) {
                const std::size_t begin = end - std::min(end, length);
                LifeProgram candidate = program_;
                const auto first = candidate.operations.begin();
                candidate.operations.erase(first + static_cast<std::ptrdiff_t>(begin),
                                           first + static_cast<std::ptrdiff_t>(end));
                (void)fails(std::move(candidate));
                end = std::min(begin, count());
            }
            if (length <= 1) break;
        }
        return count() < before;
    }

    // Changes all operations equal to it, so that those of a phase stay equal.
    template <class Change>
    bool fails_with(std::size_t index, Change&& change) {
        if (index >= count()) return false;
        const LifeOperation before = program_.operations[index];
        LifeOperation after = before;
        change(after);
        if (after == before) return false;
        LifeProgram candidate = program_;
        std::replace(candidate.operations.begin(), candidate.operations.end(), before, after);
        return fails(std::move(candidate));
    }

    // Fewer objects at one end of an operation's range, then one in twice as many.
    bool drop_objects() {
        bool is_smaller = false;
        for (std::size_t index = 0; index < count(); ++index) {
            if (program_.operations[index].action != LifeAction::add) continue;
            is_smaller |= narrow(index);
            is_smaller |= fails_with(index, [](LifeOperation& operation) { operation.one_in *= 2; });
            if (program_.operations[index].count <= kFewObjects) is_smaller |= drop_each_object(index);
        }
        return is_smaller;
    }
    bool narrow(std::size_t index) {
        bool is_smaller = false;
        for (std::uint32_t part = 2; part <= 64 && index < count(); part *= 2) {
            const std::uint32_t length = program_.operations[index].count / part;
            if (length == 0) break;
            while (fails_with(index, [&](LifeOperation& operation) {
                operation.count -= std::min(operation.count - 1, length);
            })) {
                is_smaller = true;
            }
            while (fails_with(index, [&](LifeOperation& operation) {
                const std::uint32_t left_out = std::min(operation.count - 1, length);
                operation.first += left_out;
                operation.count -= left_out;
            })) {
                is_smaller = true;
            }
        }
        return is_smaller;
    }
    // The operation becomes two around the object that is left out.
    bool drop_each_object(std::size_t index) {
        const LifeOperation whole = program_.operations[index];
        for (std::uint32_t k = whole.count; k-- > 1 && k + 1 < whole.count;) {
            LifeProgram candidate = program_;
            LifeOperation& before = candidate.operations[index];
            LifeOperation after = before;
            if (k >= before.count) continue;
            after.first += k + 1;
            after.count -= k + 1;
            before.count = k;
            if (after.count != 0) {
                candidate.operations.insert(
                    candidate.operations.begin() + static_cast<std::ptrdiff_t>(index) + 1, after);
            }
            (void)fails(std::move(candidate));
        }
        return program_.operations[index] != whole;
    }

    template <class Change>
    bool simplify_program(Change&& change) {
        LifeProgram candidate = program_;
        change(candidate);
        return fails(std::move(candidate));
    }
    template <class Change>
    void simplify_operations(Change&& change) {
        (void)simplify_program([&](LifeProgram& program) {
            for (LifeOperation& operation : program.operations) change(operation);
        });
    }
    // In all operations at once.
    void simplify_all() {
        (void)simplify_program([](LifeProgram& program) { program.thresholds_seed = 0; });
        (void)simplify_program([](LifeProgram& program) { program.order = WorldOrder::slot; });
        (void)simplify_program([](LifeProgram& program) { program.fixed_objects_pair = false; });
        (void)simplify_program([](LifeProgram& program) { program.max_pair_count = ~std::size_t{0}; });
        simplify_operations([](LifeOperation& operation) { operation.workers = 0; });
        simplify_operations([](LifeOperation& operation) { operation.traits = 0; });
        simplify_operations([](LifeOperation& operation) { operation.way = LifeWay::batch; });
        simplify_operations([](LifeOperation& operation) { operation.place = LifePlace::uniform; });
        simplify_operations(
            [](LifeOperation& operation) { operation.size = round_number(operation.size, 1); });
    }
    static float round_number(float value, int digits) {
        if (value == 0 || !std::isfinite(value)) return value;
        const double unit = std::pow(10.0, std::floor(std::log10(std::fabs(double{value}))) - digits + 1);
        return static_cast<float>(std::round(double{value} / unit) * unit);
    }

    bool simplify_each() {
        bool is_simpler = false;
        for (std::size_t index = 0; index < count() && !is_late(); ++index) {
            const auto begin = program_.operations.begin();
            const auto end = begin + static_cast<std::ptrdiff_t>(index);
            if (std::find(begin, end, program_.operations[index]) != end) continue;
            const auto attempt = [&](auto&& change) { is_simpler |= fails_with(index, change); };
            attempt([](LifeOperation& operation) { operation.workers = 0; });
            attempt([](LifeOperation& operation) { operation.traits = 0; });
            attempt([](LifeOperation& operation) { operation.way = LifeWay::batch; });
            attempt([](LifeOperation& operation) { operation.place = LifePlace::uniform; });
            attempt([](LifeOperation& operation) { operation.number = 0; });
            attempt([](LifeOperation& operation) { operation.number /= 2; });
            attempt([](LifeOperation& operation) { operation.size = round_number(operation.size, 1); });
            attempt([](LifeOperation& operation) { operation.size = round_number(operation.size, 2); });
            if (index < count() && program_.operations[index].action == LifeAction::update)
                attempt([](LifeOperation& operation) { operation = {}; });
            if (index < count() && program_.operations[index].action != LifeAction::add)
                is_simpler |= narrow(index);
        }
        return is_simpler;
    }

    LifeProgram program_;
    Clock::time_point end_;
    PlayLife play_;
};

}  // namespace

LifeProgram shrink_life(const LifeProgram& program, double seconds, const PlayLife& play_life) {
    return Shrinker(program, seconds, play_life).shrink();
}

}  // namespace broadside::test
