// Writes a program, operation after operation.
#pragma once

#include "tests/broadphase/world/life_program.hpp"
#include "tests/support/generators.hpp"

#include <iterator>

namespace broadside::test {

class LifeWriter {
protected:
    explicit LifeWriter(std::uint64_t seed) : random_(seed) {}

    std::uint32_t below(std::uint32_t count) { return random_.below(count); }
    std::uint32_t any_seed() { return static_cast<std::uint32_t>(random_.next() >> 40); }
    // Seeds of objects in continuous motion, and of single operations.
    std::uint32_t any_share() {
        static constexpr std::uint32_t kShares[] = {2, 4, 6, 8, 10, 10, 15, 20, 40, 60, 200};
        return kShares[below(std::size(kShares))];
    }
    std::uint32_t any_small_share() {
        static constexpr std::uint32_t kShares[] = {2, 10, 20, 40, 60, 100, 200, 500};
        return kShares[below(std::size(kShares))];
    }
    LifeOperation& put(LifeAction action) {
        LifeOperation operation;
        operation.action = action;
        operation.seed = any_seed();
        program_.operations.push_back(operation);
        return program_.operations.back();
    }
    // About all objects, or some.
    LifeOperation& put_for_all(LifeAction action) {
        LifeOperation& operation = put(action);
        operation.count = number_end_;
        return operation;
    }
    LifeOperation& put_for_some(LifeAction action) {
        LifeOperation& operation = put_for_all(action);
        if (random_.chance(3)) {
            operation.first = below(number_end_);
            operation.count = 1 + below(random_.chance(2) ? 3 : 40);
        } else {
            operation.one_in = any_small_share();
        }
        if (random_.chance(3)) operation.way = LifeWay::one_by_one;
        return operation;
    }

    Random random_;
    LifeProgram program_;
    // Numbers given to objects so far.
    std::uint32_t number_end_ = 0;
};

}  // namespace broadside::test
