// libFuzzer target of World: any sequence of operations, with save and restore between them, beside a model
// that tests every pair anew at every update.
#include "tests/broadphase/world/model.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/support/drawn_thresholds.hpp"

#include <broadside/ray_box.hpp>
#include <broadside/world_query.hpp>

using namespace broadside;
using namespace broadside::test;

namespace {

std::vector<WorldPair> copy_of(std::span<const WorldPair> pairs) { return {pairs.begin(), pairs.end()}; }
std::vector<WorldPair> copy_of(std::span<const EndedPair> pairs) {
    std::vector<WorldPair> copy;
    for (const EndedPair& pair : pairs) copy.push_back({pair.a, pair.b});
    return copy;
}

class Life {
public:
    explicit Life(FuzzInput& state_input)
        : input_(state_input), settings_(taken_settings(state_input)), world_(settings_), model_(settings_) {}

    void live() {
        for (int step = 0; step < 300 && !input_.is_empty(); ++step) do_one();
        update();
    }

private:
    static WorldSettings taken_settings(FuzzInput& state_input) {
        WorldSettings settings;
        settings.order = state_input.flag() ? WorldOrder::slot : WorldOrder::user_data;
        settings.fixed_objects_pair = state_input.flag();
        return settings;
    }
    ObjectDescription any_description() {
        ObjectDescription description;
        description.box = input_.box();
        description.kind = static_cast<ObjectKind>(input_.below(3));
        if (input_.flag()) {
            description.filter.category = input_.take<std::uint8_t>();
            description.filter.mask = input_.take<std::uint8_t>();
            description.filter.group = static_cast<std::int32_t>(input_.below(5)) - 2;
            description.filter.layer = static_cast<std::uint16_t>(input_.below(4));
        }
        description.user_data = input_.below(7);
        if (input_.flag()) description.margin = input_.number();
        if (input_.flag()) description.displacement = input_.vector();
        return description;
    }
    ObjectHandle any_object() {
        if (model_.objects().empty()) return {};
        auto object = model_.objects().begin();
        std::advance(object, input_.below(static_cast<std::uint32_t>(model_.objects().size())));
        return object->first;
    }
    // Changes one object in both, if the world accepts it.
    template <class Call, class Change>
    void change(Call&& call, Change&& change_description) {
        const ObjectHandle handle = any_object();
        if (handle.is_null()) return;
        ObjectDescription description = model_.at(handle);
        change_description(description);
        const Status status = call(std::span(&handle, 1)).status;
        require(status == Status::ok || status == Status::invalid_argument, "a change is taken or refused");
        if (status == Status::ok) model_.set(handle, description);
    }

    void do_one() {
        switch (input_.below(14)) {
            case 0:
            case 1:
            case 2: {
                const ObjectDescription description = any_description();
                ObjectHandle handle;
                const Status status = world_.add(std::span(&description, 1), std::span(&handle, 1)).status;
                require(status == Status::ok || status == Status::invalid_argument, "add");
                if (status == Status::ok)
                    require(model_.add(handle, description), "a handle is never given twice");
                break;
            }
            case 3: {
                const ObjectHandle handle = any_object();
                if (handle.is_null()) break;
                require(world_.remove(handle) == Status::ok, "remove");
                require(world_.remove(handle) == Status::invalid_argument, "remove twice");
                model_.remove(handle);
                break;
            }
            case 4:
            case 5: {
                const Aabb box = input_.box();
                const BoxSoaView view = {&box.min.x, &box.min.y, &box.min.z, &box.max.x,
                                         &box.max.y, &box.max.z, 1};
                change([&](auto handles) { return world_.set_boxes(handles, view); },
                       [&](ObjectDescription& description) { description.box = box; });
                break;
            }
            case 6: {
                const Vec3 step = input_.vector();
                change(
                    [&](auto handles) {
                        return world_.set_displacements(handles, {&step.x, &step.y, &step.z, 1});
                    },
                    [&](ObjectDescription& description) { description.displacement = step; });
                break;
            }
            case 7: {
                const float margin = input_.number();
                change([&](auto handles) { return world_.set_margin(handles, margin); },
                       [&](ObjectDescription& description) { description.margin = margin; });
                break;
            }
            case 8: {
                const auto kind = static_cast<ObjectKind>(input_.below(3));
                change([&](auto handles) { return world_.set_kind(handles, kind); },
                       [&](ObjectDescription& description) { description.kind = kind; });
                break;
            }
            case 9: {
                const ObjectFilter filter = any_description().filter;
                change([&](auto handles) { return world_.set_filter(handles, filter); },
                       [&](ObjectDescription& description) { description.filter = filter; });
                break;
            }
            case 10: {
                const std::uint32_t a = input_.below(4);
                const std::uint32_t b = input_.below(4);
                const bool may_pair = input_.flag();
                require(world_.set_layers_pair(a, b, may_pair) == Status::ok, "set_layers_pair");
                model_.set_layers_pair(a, b, may_pair);
                break;
            }
            case 11:
                save_and_restore();
                break;
            case 12:
                choose_isa(input_);
                ask();
                break;
            default:
                update();
                break;
        }
    }
    void update() {
        const UpdateResult result = world_.update();
        require(result.status == Status::ok, "update");
        require(result.changed_count == model_.changed_count(), "changed_count");
        require(model_.update(), "the model");
        require(copy_of(world_.begun()) == model_.lists().begun, "pairs that begin");
        require(copy_of(world_.ended()) == model_.lists().ended, "pairs that end");
        require(copy_of(world_.persisting()) == model_.lists().persisting, "pairs that persist");
        require(copy_of(world_.pairs()) == model_.lists().all, "all pairs");
        require(world_.is_consistent(), "is_consistent");
    }
    void save_and_restore() {
        std::vector<std::byte> bytes(world_.snapshot_bytes());
        require(world_.save(bytes) == Status::ok, "save");
        World restored;
        require(restored.restore(bytes) == Status::ok, "restore");
        std::vector<std::byte> again(restored.snapshot_bytes());
        require(restored.save(again) == Status::ok && again == bytes, "the same bytes again");
        require(restored.is_consistent(), "is_consistent after restore");
        world_ = std::move(restored);
        model_.forget_events();
    }
    // Overlaps of a box, by loops.
    void ask() {
        const Aabb box = input_.box();
        const WorldQueries queries = world_.queries();
        BoxScratch scratch;
        AlignedArray<Listed<ObjectHandle>> found;
        require(queries.find_overlaps(std::span(&box, 1), {}, scratch, found).status == Status::ok,
                "overlaps");
        std::set<ObjectHandle> expected;
        for (const auto& [handle, description] : model_.objects()) {
            if (overlap(box, description.box)) expected.insert(handle);
        }
        std::set<ObjectHandle> seen;
        for (const Listed<ObjectHandle>& item : found) seen.insert(item.found);
        require(seen == expected && found.size() == expected.size(), "overlaps of a box");
        const Ray ray = {input_.vector(), input_.vector(), input_.number()};
        const WorldHit hit = queries.closest_hit(ray);
        WorldHit best;
        for (const auto& [handle, description] : model_.objects()) {
            const RaySolidHit of_box = ray_box(ray, description.box);
            const bool is_better = best.target.is_null() || of_box.t_enter < best.t ||
                                   (of_box.t_enter == best.t && handle.slot() < best.target.slot());
            if (of_box.has_hit && is_better) best = {handle, of_box.t_enter, of_box.face};
        }
        require(hit == best, "the closest object on a ray");
    }

    FuzzInput& input_;
    WorldSettings settings_;
    World world_;
    WorldModel model_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    verify_all_calls();
    FuzzInput input(data, size);
    choose_isa(input);
    const DrawnThresholds drawn(input.take<std::uint16_t>());
    Life(input).live();
    return 0;
}
