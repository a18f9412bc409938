// Plays a program: its operations on a World, and on the one restored from it, beside the oracle.
#pragma once

#include "tests/broadphase/world/life_oracle.hpp"
#include "tests/broadphase/world/life_program.hpp"
#include "tests/support/faulty_allocator.hpp"
#include "tests/support/shuffled_runner.hpp"

#include <broadside/prepared_objects.hpp>
#include <broadside/world_view.hpp>

#include <deque>
#include <memory>
#include <span>

namespace broadside::test {

/// With the thresholds of the program's seed.
LifeResult play(const LifeProgram& program);

/// The same in a process of its own, whose end counts as a failure. Only the operations are counted.
LifeResult play_apart(const LifeProgram& program);

/// Needs only the library's public interface.
class LifePlayer {
public:
    explicit LifePlayer(const LifeProgram& program);

    /// Stops at the first failure.
    LifeResult play();

private:
    // A world with its allocator. After a restore it knows no events.
    struct Copy {
        explicit Copy(const WorldSettings& settings) : world(settings, allocator.hook()) {}
        FaultyAllocator allocator;
        World world;
        bool is_restored = false;
    };
    struct Object {
        ObjectHandle handle;
        ObjectDescription description;
        bool is_alive = false;
    };
    // The expected results of a view.
    struct HeldView {
        WorldView view;
        std::vector<ObjectHandle> handles;
        std::vector<Aabb> boxes;
        std::vector<std::uint64_t> user_data;
    };
    using Operation = LifeOperation;

    void do_one(const Operation& operation);
    void change(const Operation& operation);
    void ask(const Operation& operation);
    bool expect(bool condition, const char* what);
    /// Calls a copy, or each; one without memory, after refused requests, is called again.
    template <class Call>
    void call_one(Copy& copy, Call&& call);
    template <class Call>
    void call_each(Call&& call);
    template <class Call>
    Status call_with_faults(Copy& copy, Call&& call);

    // life_changes.cpp
    /// The numbers of living objects, or of the others.
    std::vector<std::uint32_t> picked(const Operation& operation, bool are_alive);
    std::vector<ObjectHandle> handles_of(const std::vector<std::uint32_t>& numbers) const;
    template <class Change>
    void note(const std::vector<std::uint32_t>& numbers, Change&& change);
    void add(const Operation& operation);
    BatchResult add_to(World& world, const Operation& operation,
                       const std::vector<ObjectDescription>& descriptions,
                       std::span<ObjectHandle> out_handles);
    BatchResult add_prepared(World& world, const BatchResult& prepared, std::span<ObjectHandle> out_handles);
    void remove(const Operation& operation);
    void move(const Operation& operation);
    void move_to(const Operation& operation, const std::vector<std::uint32_t>& numbers,
                 const std::vector<Aabb>& boxes);
    template <class Call>
    void set_each(const Operation& operation, std::span<const ObjectHandle> handles, Call&& call);
    template <class Change>
    bool set_described(const Operation& operation, const std::vector<std::uint32_t>& numbers,
                       Change&& change);
    void set_rules(const Operation& operation);
    void set_shapes(const Operation& operation);
    void set_user_data(const Operation& operation);
    void set_layers(const Operation& operation);
    void shift_origin(const Operation& operation);

    // life_questions.cpp
    void update(const Operation& operation);
    void check_update(Copy& copy, const UpdateResult& result);
    bool update_copy(Copy& copy, bool fits, const TaskRunner* runner);
    void check_objects(Copy& copy);
    void check_state(Copy& copy);
    void ask_lists(const Operation& operation);
    void ask_pairs_of(const Operation& operation);
    void ask_values(const Operation& operation);
    void ask_queries(const Operation& operation);
    void hold_view(const Operation& operation);
    void ask_views(const Operation& operation);
    void check_queries(const WorldQueries& queries, std::span<const ObjectHandle> handles,
                       std::span<const Aabb> boxes, const Operation& operation);
    void collect_boxes(std::vector<ObjectHandle>& out_handles, std::vector<Aabb>& out_boxes) const;
    void save(const Operation& operation);
    void leave(std::size_t index);
    void keep_one(const Operation& operation);
    void move_world(const Operation& operation);
    void shrink();
    void misuse();
    void finish();

    LifeProgram program_;
    WorldSettings settings_;
    LifeOracle oracle_;
    LifeResult result_;
    std::vector<Object> objects_;
    /// The first one is the original, until it is dropped.
    std::vector<std::unique_ptr<Copy>> copies_;
    /// Copies whose worlds have ended: views may still hold their memory.
    std::vector<std::unique_ptr<Copy>> left_copies_;
    std::deque<HeldView> views_;
    bool had_views_ = false;
    PreparedObjects prepared_;
    /// Requests of the next operation before the first refused one, and the number of refused ones.
    std::size_t refuse_after_ = ~std::size_t{0};
    std::size_t refuse_count_ = 0;
    bool is_refusing_ = false;
};

template <class Call>
Status LifePlayer::call_with_faults(Copy& copy, Call&& call) {
    const std::size_t refused_before = copy.allocator.refused_count;
    const bool is_faulty = is_refusing_ && &copy == copies_.front().get();
    if (is_faulty) {
        copy.allocator.fail_first = copy.allocator.request_count + refuse_after_;
        copy.allocator.fail_count = refuse_count_;
    }
    const Status status = call(copy);
    copy.allocator.fail_first = ~std::size_t{0};
    const std::size_t refused = copy.allocator.refused_count - refused_before;
    result_.refusal_count += refused;
    expect(status != Status::out_of_memory || refused != 0, "out of memory though none was refused");
    return status;
}

template <class Call>
void LifePlayer::call_one(Copy& copy, Call&& call) {
    Status status = call_with_faults(copy, call);
    if (status == Status::out_of_memory) status = call(copy);
    expect(status == Status::ok, "a call is answered with ok");
}

template <class Call>
void LifePlayer::call_each(Call&& call) {
    for (const std::unique_ptr<Copy>& copy : copies_) call_one(*copy, call);
}

}  // namespace broadside::test
