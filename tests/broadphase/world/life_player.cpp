// Plays the operations of a program one after the other; they are in life_changes.cpp and life_questions.cpp.
#include "tests/broadphase/world/life_player.hpp"

#include <algorithm>

namespace broadside::test {
namespace {

WorldSettings settings_of(const LifeProgram& program) {
    WorldSettings settings;
    settings.order = program.order;
    settings.fixed_objects_pair = program.fixed_objects_pair;
    settings.max_pair_count = program.max_pair_count;
    return settings;
}

}  // namespace

LifePlayer::LifePlayer(const LifeProgram& program)
    : program_(program), settings_(settings_of(program)), oracle_(settings_) {
    copies_.push_back(std::make_unique<Copy>(settings_));
}

LifeResult LifePlayer::play() {
    for (const Operation& operation : program_.operations) {
        ++result_.operation_count;
        do_one(operation);
        if (result_.has_failed()) break;
        result_.object_count_max = std::max(result_.object_count_max, oracle_.object_count());
        result_.pair_count_max = std::max(result_.pair_count_max, oracle_.pair_count());
    }
    if (!result_.has_failed()) finish();
    return result_;
}

bool LifePlayer::expect(bool condition, const char* what) {
    if (!condition && !result_.has_failed()) result_.failure = what;
    return condition;
}

void LifePlayer::do_one(const Operation& operation) {
    const bool is_refusing = is_refusing_;
    if (operation.action == LifeAction::refuse_memory) {
        is_refusing_ = true;
        refuse_after_ = operation.number;
        refuse_count_ = operation.count;
        return;
    }
    if (operation.action < LifeAction::update) {
        change(operation);
    } else {
        ask(operation);
    }
    for (const std::unique_ptr<Copy>& copy : copies_) check_state(*copy);
    if (is_refusing) is_refusing_ = false;
}

void LifePlayer::change(const Operation& operation) {
    switch (operation.action) {
        case LifeAction::add:
            return add(operation);
        case LifeAction::remove:
            return remove(operation);
        case LifeAction::move:
            return move(operation);
        case LifeAction::set_kind:
        case LifeAction::set_filter:
            return set_rules(operation);
        case LifeAction::set_layers:
            return set_layers(operation);
        case LifeAction::set_margin:
        case LifeAction::set_displacements:
            return set_shapes(operation);
        case LifeAction::set_user_data:
            return set_user_data(operation);
        default:
            return shift_origin(operation);
    }
}

void LifePlayer::ask(const Operation& operation) {
    switch (operation.action) {
        case LifeAction::update:
            return update(operation);
        case LifeAction::ask_pairs:
        case LifeAction::ask_persisting:
            return ask_lists(operation);
        case LifeAction::ask_pairs_of:
            return ask_pairs_of(operation);
        case LifeAction::ask_values:
            return ask_values(operation);
        case LifeAction::ask_queries:
            return ask_queries(operation);
        case LifeAction::hold_view:
            return hold_view(operation);
        case LifeAction::ask_views:
            return ask_views(operation);
        case LifeAction::drop_views:
            return views_.clear();
        case LifeAction::save:
            return save(operation);
        case LifeAction::keep_one:
            return keep_one(operation);
        case LifeAction::move_world:
            return move_world(operation);
        case LifeAction::misuse:
            return misuse();
        default:
            return shrink();
    }
}

// The worlds end before their views, and free all memory.
void LifePlayer::finish() {
    while (!copies_.empty()) leave(0);
    ask_views({});
    views_.clear();
    for (const std::unique_ptr<Copy>& copy : left_copies_)
        expect(copy->allocator.live_bytes == 0, "a world that has ended holds memory");
}

}  // namespace broadside::test
