// A public function, a call of it with sound arguments, and the same call with each argument that it refuses.
#pragma once

#include "tests/support/result_bytes.hpp"

#include <broadside/bounds.hpp>
#include <broadside/box_view.hpp>
#include <broadside/moving_aabb.hpp>
#include <broadside/moving_sphere.hpp>
#include <broadside/obb_soa.hpp>
#include <broadside/ray_hit.hpp>
#include <broadside/task_runner.hpp>
#include <broadside/triangle_mesh.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <typeindex>
#include <utility>
#include <vector>

namespace broadside::test {

/// Settings with one mistake, and the report of it.
struct BadSettings {
    std::type_index type;
    std::string message;
    /// Receives settings of that type.
    std::function<void(void*)> change;
};

template <class Settings, class Change>
BadSettings bad_settings(std::string message, Change change) {
    return {typeid(Settings), std::move(message),
            [change](void* settings) { change(*static_cast<Settings*>(settings)); }};
}

/// How a function is called, and what it returns beside its outputs.
class Call {
public:
    explicit Call(const TaskRunner* runner = nullptr, const BadSettings* bad = nullptr)
        : runner_(runner), bad_(bad) {}

    /// The settings to call with.
    template <class Settings>
    Settings settings(Settings given = {}) {
        if (!uses(typeid(Settings))) types_.push_back(typeid(Settings));
        if constexpr (requires { given.runner; }) given.runner = runner();
        if (bad_ != nullptr && bad_->type == typeid(Settings)) bad_->change(&given);
        return given;
    }
    const TaskRunner* runner() {
        has_runner_ = true;
        return runner_;
    }
    /// 0, then 1 and 2 in further calls: an item of each kind of shape.
    std::size_t item() {
        has_items_ = true;
        return item_;
    }
    template <class... Items>
    void add(const Items&... items) {
        values_.add(items...);
    }
    template <class List>
    void add_all(const List& list) {
        values_.add_all(list);
    }

    bool uses(std::type_index settings) const {
        return std::find(types_.begin(), types_.end(), settings) != types_.end();
    }
    bool has_runner() const { return has_runner_; }
    const ResultBytes& values() const { return values_; }
    /// True if there is one.
    bool take_next_item() { return has_items_ && ++item_ < 3; }

private:
    const TaskRunner* runner_;
    const BadSettings* bad_;
    std::vector<std::type_index> types_;
    std::size_t item_ = 0;
    bool has_runner_ = false;
    bool has_items_ = false;
    ResultBytes values_;
};

struct Outcome {
    Status status;
    /// All outputs, filled with a pattern before the call.
    ResultBytes outputs;
    /// Of a refused call: the outputs are as they were.
    bool is_untouched = true;
};
using RunCall = std::function<Outcome(Call&)>;

/// The call may instead report that so much does not fit.
inline constexpr const char* kEndless = "a span without end";
/// A null span without items is as good as any other empty one.
inline constexpr const char* kEmpty = "an empty span";
/// A call with one bad argument.
struct BadCall {
    /// Begins the report, or is one of those below.
    std::string message;
    RunCall run;
};

struct EntryPoint {
    /// That of the function or field. Overloads are told apart in parentheses; after a comma, it is one more call of a
    /// function that has an entry.
    std::string name;
    std::size_t span_count = 0;
    /// False if it cannot tell that an argument was refused.
    bool has_status = true;
    RunCall run;
    std::vector<BadCall> bad;

    std::string function() const { return name.substr(0, name.find_first_of(" ,")); }
    bool is_repeated() const {
        const std::size_t end = name.find(')');
        return name.find(',', end == std::string::npos ? 0 : end) != std::string::npos;
    }
};

// Arguments that the lists of entries vary. Others are passed as they are.

/// A view, and the name that reports give it.
template <class View>
struct Named {
    const char* name;
    View view;
};
template <class View>
Named(const char*, View) -> Named<View>;

/// Outputs that other entries vary.
template <class... Item>
struct Unvaried {
    std::tuple<std::span<Item>...> spans;

    template <class Made>
    Made make() const {
        return std::apply([](const auto&... each) { return Made{each...}; }, spans);
    }
};
template <class... Item>
Unvaried<Item...> unvaried(const std::span<Item>&... spans) {
    return {{spans...}};
}

template <class Arg>
struct BadArg {
    std::string message;
    Arg arg;
};

template <class Arg>
std::vector<BadArg<Arg>> bad_versions(const Arg&) {
    return {};
}
template <class Item>
std::vector<BadArg<std::span<Item>>> bad_versions(const std::span<Item>& good) {
    std::vector<BadArg<std::span<Item>>> bad = {
        {"span: null though the count is not 0", {static_cast<Item*>(nullptr), good.size()}},
        {kEndless, {good.data(), SIZE_MAX}},
        {kEmpty, {}},
    };
    // The last one past the end.
    if constexpr (std::is_same_v<Item, const IndexPair>) {
        static std::vector<std::vector<IndexPair>> kept;
        kept.emplace_back(good.begin(), good.end()).back().first = kNoBox;
        bad.push_back({"pairs: ", kept.back()});
    }
    return bad;
}
inline std::vector<BadArg<Touch>> bad_versions(const Touch&) {
    return {{"touch: no enumerator", static_cast<Touch>(200)}};
}
inline std::vector<BadArg<RaySettings>> bad_versions(const RaySettings&) {
    return {{"inside: no enumerator", {.inside = static_cast<Inside>(200)}}};
}
template <class View>
std::vector<BadArg<Named<View>>> bad_versions(const Named<View>& good) {
    const std::string name = good.name;
    const std::string null_column = name + ": a column is null though the count is not 0";
    std::vector<BadArg<Named<View>>> bad;
    const auto add = [&](const std::string& message, auto&& change) {
        Named<View> changed = good;
        change(changed.view);
        bad.push_back({message, changed});
    };
    if constexpr (std::is_same_v<View, BoxSoaView> || std::is_same_v<View, BoxSoaSpan>) {
        add(null_column, [](View& view) { view.max_z = nullptr; });
    } else if constexpr (std::is_same_v<View, Vec3SoaView>) {
        add(null_column, [](View& view) { view.y = nullptr; });
    } else if constexpr (std::is_same_v<View, SphereSoaView>) {
        add(null_column, [](View& view) { view.radius = nullptr; });
    } else if constexpr (std::is_same_v<View, ObbSoaView>) {
        add(name + ": counts differ, or a column is null though",
            [](View& view) { view.center.z = nullptr; });
    } else if constexpr (std::is_same_v<View, TriangleSoaView>) {
        add(null_column, [](View& view) { view.c_z = nullptr; });
        add(name + ": a column of group_bounds is null though their count is not 0",
            [](View& view) { view.group_bounds = {.count = 1}; });
        add(name + ": group_bounds are neither none nor one per group", [](View& view) {
            view.group_bounds = {view.a_x, view.a_x, view.a_x, view.a_x, view.a_x, view.a_x, view.count};
        });
    } else {
        add("shapes" + null_column.substr(name.size()), [](View& view) {
            if constexpr (std::is_same_v<View, MovingBoxes>)
                view.shapes.max_z = nullptr;
            else
                view.shapes.radius = nullptr;
        });
        add("displacements: a column is null though the count is not 0",
            [](View& view) { view.displacements.y = nullptr; });
        add("displacements: neither none nor one per", [](View& view) { view.displacements.count -= 1; });
    }
    return bad;
}

// The argument as a call gets it, and the outputs that it leaves.
template <class Arg>
const Arg& plain(const Arg& arg) {
    return arg;
}
template <class View>
const View& plain(const Named<View>& arg) {
    return arg.view;
}

template <class Arg>
void fill_output(const Arg&) {}
template <class Item>
void fill_output(const std::span<Item>& out) {
    if constexpr (std::is_const_v<Item>)
        return;
    else if constexpr (std::is_arithmetic_v<Item>)
        std::fill(out.begin(), out.end(), Item(7));
    else
        std::fill(out.begin(), out.end(), Item{});
}
template <class... Item>
void fill_output(const Unvaried<Item...>& out) {
    std::apply([](const auto&... each) { (fill_output(each), ...); }, out.spans);
}
inline void fill_output(const Named<BoxSoaSpan>& out) {
    for (float* const column :
         {out.view.min_x, out.view.min_y, out.view.min_z, out.view.max_x, out.view.max_y, out.view.max_z})
        std::fill(column, column + out.view.count, 7.0f);
}
template <class Item>
void fill_output(AlignedArray<Item>* const& out) {
    out->clear();
}
inline void fill_output(PairBuffer* const& out) { out->clear(); }

template <class Arg>
void add_output(ResultBytes&, const Arg&) {}
template <class Item>
void add_output(ResultBytes& bytes, const std::span<Item>& out) {
    if constexpr (!std::is_const_v<Item>) bytes.add_all(out);
}
template <class... Item>
void add_output(ResultBytes& bytes, const Unvaried<Item...>& out) {
    std::apply([&](const auto&... each) { (add_output(bytes, each), ...); }, out.spans);
}
inline void add_output(ResultBytes& bytes, const Named<BoxSoaSpan>& out) {
    for (float* const column :
         {out.view.min_x, out.view.min_y, out.view.min_z, out.view.max_x, out.view.max_y, out.view.max_z})
        bytes.add_all(std::span(column, out.view.count));
}
template <class Item>
void add_output(ResultBytes& bytes, AlignedArray<Item>* const& out) {
    bytes.add_all(*out);
}
inline void add_output(ResultBytes& bytes, PairBuffer* const& out) { bytes.add_all(*out); }

template <class Arg>
inline constexpr bool kIsSpan = false;
template <class Item>
inline constexpr bool kIsSpan<std::span<Item>> = true;

/// A list of entry points, and the memory of their outputs.
class EntryPoints {
public:
    /// `ask(call, args...)` returns a Status or a result with one, or nothing. Arguments of kinds above are replaced
    /// by bad ones in turn.
    template <class Ask, class... Arg>
    void add(std::string name, Ask ask, Arg... args) {
        const std::tuple<Arg...> good(args...);
        EntryPoint& entry = entries_.emplace_back();
        entry.name = std::move(name);
        entry.span_count = (std::size_t{0} + ... + (kIsSpan<Arg> ? 1 : 0));
        using Given = std::invoke_result_t<Ask, Call&, decltype(plain(std::declval<const Arg&>()))...>;
        entry.has_status = !std::is_void_v<Given>;
        entry.run = run_with(ask, good, good);
        add_bad(entry, ask, good, std::index_sequence_for<Arg...>());
    }
    /// One more bad argument of the entry added last.
    template <class Ask>
    void bad(std::string message, Ask ask) {
        entries_.back().bad.push_back({std::move(message), run_with(ask, std::tuple<>(), std::tuple<>())});
    }
    template <class Item>
    std::span<Item> room(std::size_t count) {
        const auto items = std::make_shared<std::vector<Item>>(count);
        kept_.push_back(items);
        return *items;
    }
    template <class Item>
    std::span<const Item> keep(std::vector<Item> items) {
        const auto kept = std::make_shared<std::vector<Item>>(std::move(items));
        kept_.push_back(kept);
        return *kept;
    }
    template <class List>
    List* list() {
        const auto made = std::make_shared<List>();
        kept_.push_back(made);
        return made.get();
    }
    const std::vector<EntryPoint>& entries() const { return entries_; }

private:
    template <class Ask, class Args>
    static RunCall run_with(const Ask& ask, const Args& good, const Args& given) {
        return [ask, good, given](Call& call) {
            Outcome outcome = {Status::ok, {}};
            const auto fill = [&] { std::apply([](const auto&... arg) { (fill_output(arg), ...); }, good); };
            const auto add_to = [&](ResultBytes& bytes) {
                std::apply([&](const auto&... arg) { (add_output(bytes, arg), ...); }, good);
            };
            do {
                fill();
                const auto ask_given = [&](const auto&... arg) { return ask(call, plain(arg)...); };
                if constexpr (std::is_void_v<decltype(std::apply(ask_given, given))>) {
                    std::apply(ask_given, given);
                } else {
                    outcome.status = take(call, std::apply(ask_given, given));
                }
                add_to(outcome.outputs);
            } while (outcome.status != Status::invalid_argument && call.take_next_item());
            if (outcome.status == Status::invalid_argument) {
                ResultBytes untouched;
                fill();
                add_to(untouched);
                outcome.is_untouched = outcome.outputs == untouched;
            }
            return outcome;
        };
    }
    static Status take(Call& call, Status status) {
        call.add(status);
        return status;
    }
    template <class Result>
    static Status take(Call& call, const Result& result) {
        if constexpr (requires { result.required; }) call.add(result.required);
        return take(call, result.status);
    }
    template <class Ask, class... Arg, std::size_t... kIndex>
    static void add_bad(EntryPoint& entry, const Ask& ask, const std::tuple<Arg...>& good,
                        std::index_sequence<kIndex...>) {
        [[maybe_unused]] const auto replace = [&]<std::size_t kAt>(std::integral_constant<std::size_t, kAt>) {
            for (const auto& version : bad_versions(std::get<kAt>(good))) {
                std::tuple<Arg...> given = good;
                std::get<kAt>(given) = version.arg;
                entry.bad.push_back({version.message, run_with(ask, good, given)});
            }
        };
        (replace(std::integral_constant<std::size_t, kIndex>()), ...);
    }

    std::vector<EntryPoint> entries_;
    std::vector<std::shared_ptr<void>> kept_;
};

}  // namespace broadside::test
