// A program is drawn in phases, each with a kind of motion and a rate of other operations.
#include "tests/broadphase/world/life_generator.hpp"

#include "tests/broadphase/world/life_writer.hpp"

#include <cfloat>
#include <cmath>

namespace broadside::test {
namespace {

enum class Motion : std::uint8_t {
    drift,
    share_drifts,
    few_drift,
    others_drift,
    half_halts,
    clusters,
    projectiles,
    leaps,
    rest,
    growth,
    decline,
    exchange,
    stretch,
    all_jump,
};
// Motions that a world remembers more of are listed more often.
constexpr Motion kMotions[] = {
    Motion::drift,    Motion::drift,       Motion::share_drifts, Motion::share_drifts, Motion::share_drifts,
    Motion::clusters, Motion::half_halts,  Motion::few_drift,    Motion::others_drift, Motion::leaps,
    Motion::rest,     Motion::projectiles, Motion::growth,       Motion::decline,      Motion::exchange,
    Motion::stretch,  Motion::all_jump,
};
// The first ones may last for whole programs.
constexpr std::uint32_t kSteadyMotionCount = 8;
constexpr std::uint32_t kInterruptionCount = 27;

class Generator : LifeWriter {
public:
    Generator(std::uint64_t seed, const LifeSize& size) : LifeWriter(seed), size_(size) {}

    LifeProgram draw() {
        choose();
        add_all();
        for (std::uint32_t update = 0; update < size_.update_count;) {
            const std::uint32_t length = 1 + below(random_.chance(2) ? 10 : 40);
            if (update == 0 || changes_motion_) choose_motion();
            for (std::uint32_t frame = 0; frame < length && update < size_.update_count; ++frame, ++update)
                live();
        }
        return std::move(program_);
    }

private:
    void choose() {
        const double ratio = static_cast<double>(size_.object_count_max) / size_.object_count_min;
        count_ = static_cast<std::uint32_t>(size_.object_count_min *
                                            std::pow(ratio, static_cast<double>(random_.unit())));
        number_end_ = count_;
        static constexpr float kEdges[] = {1, 1.3f, 1.3f, 1.3f, 2, 4};
        room_ = std::cbrt(static_cast<float>(count_)) * kEdges[below(std::size(kEdges))];
        if (random_.chance(4)) program_.order = WorldOrder::user_data;
        program_.fixed_objects_pair = random_.chance(4);
        if (random_.chance(8)) program_.max_pair_count = count_ * (1 + below(4));
        // Mostly in small programs, which otherwise enter few mechanisms.
        const bool is_drawn = is_small() ? !random_.chance(6) : random_.chance(4);
        if (is_drawn) program_.thresholds_seed = 1 + random_.below(1'000'000);
        static constexpr LifePlace kPlaces[] = {LifePlace::uniform, LifePlace::uniform,  LifePlace::pile,
                                                LifePlace::wall,    LifePlace::lattice,  LifePlace::mixed,
                                                LifePlace::mixed,   LifePlace::clusters, LifePlace::floor};
        place_ = kPlaces[below(std::size(kPlaces))];
        has_any_place_ = random_.chance(6);
        is_plain_ = random_.chance(2);
        traits_ = random_.chance(is_plain_ ? 5 : 2) ? below(32) : 0;
        workers_ = random_.chance(2) ? 0 : 1 + below(8);
        if (is_plain_) {
            static constexpr std::uint32_t kRates[] = {2, 3, 5, 8, 12, 20};
            interruption_rate_ = kRates[below(std::size(kRates))];
            for (std::uint32_t k = 1 + below(2); k > 0; --k) habits_.push_back(below(kInterruptionCount));
        } else {
            static constexpr std::uint32_t kRates[] = {0, 40, 12, 5, 5, 3};
            interruption_rate_ = kRates[below(std::size(kRates))];
            for (std::uint32_t k = below(4); k > 0; --k) habits_.push_back(below(kInterruptionCount));
        }
        is_rough_ = random_.chance(3);
        changes_motion_ = random_.chance(is_plain_ ? 6 : 2);
        is_poor_ = random_.chance(6);
        asks_queries_ = random_.chance(6);
        asks_values_ = random_.chance(6);
        asks_pairs_of_ = random_.chance(6);
    }
    bool is_small() const { return size_.object_count_max <= kSmallLife.object_count_max; }
    // Sometimes a tiny or a vast length instead, which in a large program would make a pair of any two objects.
    float or_extreme(float length) {
        static constexpr float kLengths[] = {FLT_MIN / 8, 1e-30f, 1e19f, 1.5e38f};
        return is_small() && random_.chance(4) ? kLengths[below(std::size(kLengths))] : length;
    }
    void choose_motion() {
        motion_ =
            kMotions[below(is_plain_ ? kSteadyMotionCount : static_cast<std::uint32_t>(std::size(kMotions)))];
        phase_seed_ = any_seed();
        speed_ = std::exp2(random_.uniform(-10, random_.chance(6) ? -2.0f : -4.5f));
        one_in_ = any_share();
    }
    LifePlace any_place() {
        if (has_any_place_ && random_.chance(3)) return LifePlace::any;
        return random_.chance(4) ? static_cast<LifePlace>(below(7)) : place_;
    }
    std::uint32_t any_workers() { return random_.chance(5) ? below(9) : workers_; }

    void add_all() {
        const std::uint32_t parts = 1 + below(3);
        for (std::uint32_t part = 0; part < parts; ++part) {
            LifeOperation& operation = put(LifeAction::add);
            operation.first = count_ * part / parts;
            operation.count = count_ * (part + 1) / parts - operation.first;
            operation.traits = traits_;
            describe_added(operation);
        }
        put(LifeAction::update).workers = any_workers();
    }
    void describe_added(LifeOperation& operation) {
        static constexpr LifeWay kWays[] = {LifeWay::batch, LifeWay::prepared, LifeWay::columns,
                                            LifeWay::one_by_one};
        operation.way = kWays[below(std::size(kWays))];
        operation.place = any_place();
        operation.size = room_;
        if (random_.chance(3)) operation.traits |= traits_;
    }

    void live() {
        if (is_poor_ && random_.chance(8)) refuse_memory();
        move();
        if (interruption_rate_ != 0 && random_.chance(interruption_rate_)) {
            for (std::uint32_t k = 1 + (is_plain_ ? 0 : below(3)); k > 0; --k) interrupt();
        }
        // An earlier query updates the world's trees with changes that the update then finds.
        if (asks_queries_ && random_.chance(2)) put(LifeAction::ask_queries);
        if (is_poor_ && random_.chance(2)) refuse_memory();
        put(LifeAction::update).workers = any_workers();
        if (asks_queries_ && random_.chance(2)) put(LifeAction::ask_queries);
        if (asks_values_) ask_values();
        if (asks_pairs_of_) put_for_some(LifeAction::ask_pairs_of);
    }
    LifeOperation& put_step(std::uint32_t share) {
        LifeOperation& operation = put_for_all(LifeAction::move);
        operation.seed = phase_seed_;
        operation.size = speed_;
        operation.one_in = share;
        operation.workers = any_workers();
        if (random_.chance(8)) operation.way = LifeWay::one_by_one;
        return operation;
    }
    void move() {
        switch (motion_) {
            case Motion::drift:
                put_step(1);
                break;
            case Motion::share_drifts:
                put_step(one_in_);
                break;
            case Motion::few_drift:
            case Motion::others_drift: {
                LifeOperation& operation = put_step(1);
                if (motion_ == Motion::others_drift) operation.seed = any_seed();
                operation.first = operation.seed % number_end_;
                operation.count = 1 + operation.seed % 4;
                break;
            }
            case Motion::half_halts:
                put_step(2);
                if (random_.chance(10)) phase_seed_ = any_seed();
                break;
            case Motion::clusters:
                put_step(1).motion = LifeMotion::together;
                break;
            case Motion::projectiles:
                put_step(one_in_ * 4).size = 3;
                break;
            case Motion::leaps: {
                LifeOperation& operation = put_step(100);
                operation.seed = any_seed();
                jump(operation);
                break;
            }
            default:
                change_all();
        }
    }
    void jump(LifeOperation& state_operation) {
        state_operation.motion = LifeMotion::jump;
        state_operation.place = any_place();
        state_operation.size = room_;
    }
    void change_all() {
        switch (motion_) {
            case Motion::growth:
                put_step(1);
                grow();
                break;
            case Motion::decline:
                put_step(one_in_);
                put_for_some(LifeAction::remove);
                break;
            case Motion::exchange:
                put_step(random_.chance(2) ? 1 : one_in_);
                exchange();
                break;
            case Motion::stretch:
                put_step(random_.chance(2) ? 1 : one_in_).motion = LifeMotion::stretch;
                break;
            case Motion::all_jump:
                if (random_.chance(4)) jump(put_for_all(LifeAction::move));
                break;
            default:
                break;
        }
    }
    // New objects, and some removed ones again; sometimes more than fit into all slots and their padding.
    void grow() {
        const bool is_much = random_.chance(6);
        LifeOperation& operation = put(LifeAction::add);
        operation.count = is_much ? 1 + below(100) : 1 + below(1 + count_ / 30);
        operation.first = is_much ? number_end_ : below(number_end_ + operation.count);
        describe_added(operation);
        if (number_end_ < 2 * count_) number_end_ = std::max(number_end_, operation.first + operation.count);
    }
    // Their slots are reused at once, mostly by as many objects, anywhere.
    void exchange() {
        const LifeOperation removed = put_for_some(LifeAction::remove);
        if (random_.chance(3)) return random_.chance(2) ? grow() : void();
        LifeOperation& operation = put(LifeAction::add);
        operation.first = removed.first;
        operation.count = removed.count;
        describe_added(operation);
    }
    // A warm world requests little, so the first request is the likeliest to exist.
    void refuse_memory() {
        LifeOperation& operation = put(LifeAction::refuse_memory);
        operation.number = random_.chance(2) ? 0 : below(random_.chance(2) ? 3 : 12);
        operation.count = 1 + below(random_.chance(4) ? 30 : 3);
    }
    void ask_values() { put(LifeAction::ask_values).one_in = any_share(); }

    // One operation beside the motion of the phase: mostly the usual ones of this program.
    void interrupt() {
        const bool is_usual = !habits_.empty() && !random_.chance(is_plain_ ? 40 : 4);
        const std::uint32_t what =
            is_usual ? habits_[below(static_cast<std::uint32_t>(habits_.size()))] : below(kInterruptionCount);
        switch (what) {
            case 0:
            case 1:
            case 2:
            case 24:
            case 25:
                return exchange();
            case 3:
                return grow();
            case 4:
                put_for_some(LifeAction::remove);
                return;
            case 5:
            case 6:
            case 26:
                return jump(put_for_some(LifeAction::move));
            case 7:
                return put_odd_move();
            case 8:
            case 9:
                put_for_some(LifeAction::set_kind).number = below(3);
                return;
            case 10:
                put_for_some(LifeAction::set_filter).number = below(3);
                return;
            case 11:
                put(LifeAction::set_layers).number = below(2);
                return;
            case 12:
                return put_margin();
            case 13:
                put_for_some(LifeAction::set_displacements).size =
                    random_.chance(3) ? 0 : or_extreme(random_.uniform(0, 1));
                return;
            case 14:
                put_for_some(LifeAction::set_user_data).number = below(4) * 10;
                return;
            case 15:
                put(LifeAction::update).workers = any_workers();
                return;
            default:
                return is_rough_ ? put_rough() : put_question();
        }
    }
    void put_odd_move() {
        static constexpr LifeMotion kOddMotions[] = {LifeMotion::far, LifeMotion::spoil, LifeMotion::nudge,
                                                     LifeMotion::none, LifeMotion::stretch};
        LifeOperation& operation = put_for_some(LifeAction::move);
        operation.motion = kOddMotions[below(std::size(kOddMotions))];
        operation.size = operation.motion == LifeMotion::far ? random_.chance(3) ? 1e30f : 50 * room_ : 0.5f;
        if (random_.chance(6)) operation.way = LifeWay::twice;
        const LifeOperation moved = operation;
        if (random_.chance(2)) return;
        // And back, before or after an update.
        if (random_.chance(2)) put(LifeAction::update);
        LifeOperation& back = put_for_some(LifeAction::move);
        back.first = moved.first;
        back.count = moved.count;
        back.one_in = moved.one_in;
        back.seed = moved.seed;
        jump(back);
    }
    void put_margin() {
        static constexpr float kMargins[] = {0, 0, 0.01f, 0.1f, 1e-9f, 3};
        LifeOperation& operation = put_for_some(LifeAction::set_margin);
        if (random_.chance(5)) operation.one_in = 1;
        operation.size = or_extreme(kMargins[below(std::size(kMargins))]);
    }
    void put_question() {
        switch (below(8)) {
            case 0:
                put(LifeAction::ask_pairs);
                return;
            case 1:
                put(LifeAction::ask_persisting);
                return;
            case 2:
                put_for_some(LifeAction::ask_pairs_of);
                return;
            case 3:
                return ask_values();
            case 4:
                put(LifeAction::hold_view);
                return;
            case 5:
                put(random_.chance(4) ? LifeAction::drop_views : LifeAction::ask_views);
                return;
            default:
                put(LifeAction::ask_queries).count = 1 + below(3);
                return;
        }
    }
    void put_rough() {
        switch (below(11)) {
            case 9:
                put(LifeAction::misuse);
                return;
            case 0:
            case 1:
                put(LifeAction::save).number = below(2);
                return;
            case 2:
                put(LifeAction::keep_one).number = below(2);
                return;
            case 3:
                put(LifeAction::shrink);
                return;
            case 4:
                put(LifeAction::move_world);
                return;
            case 5:
                put(LifeAction::shift_origin).size = 3;
                return;
            case 6:
            case 7:
            case 8:
                refuse_memory();
                // Mostly of the next update.
                if (random_.chance(3)) interrupt();
                return;
            default:
                return put_question();
        }
    }

    LifeSize size_;
    std::uint32_t count_ = 0;
    float room_ = 0;
    LifePlace place_ = LifePlace::uniform;
    bool has_any_place_ = false;
    std::uint32_t traits_ = 0;
    std::uint32_t workers_ = 0;
    // Once in this many updates; zero means never.
    std::uint32_t interruption_rate_ = 0;
    // One motion, and one or two other operations.
    bool is_plain_ = false;
    std::vector<std::uint32_t> habits_;
    bool changes_motion_ = false;
    bool is_rough_ = false;
    // Sometimes without memory.
    bool is_poor_ = false;
    bool asks_queries_ = false;
    bool asks_values_ = false;
    bool asks_pairs_of_ = false;
    Motion motion_ = Motion::rest;
    std::uint32_t phase_seed_ = 0;
    float speed_ = 0;
    std::uint32_t one_in_ = 1;
};

}  // namespace

LifeProgram draw_life(std::uint64_t seed, const LifeSize& size) { return Generator(seed, size).draw(); }

LifeProgram draw_life(std::uint64_t seed) {
    const std::uint64_t turn = seed % 32;
    return draw_life(seed, turn == 31 ? kLargeLife : turn % 6 == 5 ? kMediumLife : kSmallLife);
}

}  // namespace broadside::test
