// The entry points of the broadphase: queries, and worlds.
#include "tests/broadphase/exact/exact_scenes.hpp"
#include "tests/entry_points/entry_points.hpp"

#include <broadside/bits.hpp>
#include <broadside/exact_box_tree.hpp>
#include <broadside/pair_cache.hpp>
#include <broadside/prepared_objects.hpp>
#include <broadside/resting_boxes.hpp>
#include <broadside/world_query.hpp>
#include <broadside/world_view.hpp>

#include <doctest/doctest.h>

namespace broadside::test {
namespace {

// Queries that trees and worlds have under the same names.
template <class Settings, class Hit, class Overlaps, class GetAsked>
void add_queries(const Material& m, EntryPoints& list, const std::string& of, GetAsked get) {
    const EnvironmentShapes& q = m.queries;
    AlignedArray<Listed<Hit>>* const hits = list.list<AlignedArray<Listed<Hit>>>();
    Overlaps* const overlaps = list.list<Overlaps>();
    std::string more;
    const auto add_shapes = [&](const auto& shapes) {
        const std::span queries(shapes);
        const std::span<std::uint64_t> bits = list.room<std::uint64_t>(bit_word_count(queries.size()));
        list.add(
            of + "::find_overlaps" + more,
            [=](Call& call, auto listed, auto out) {
                BoxScratch scratch;
                return get(call).find_overlaps(listed, call.settings<Settings>(), scratch, *out);
            },
            queries, overlaps);
        list.add(
            of + "::any_overlap" + more,
            [=](Call& call, auto listed, auto out) {
                return get(call).any_overlap(listed, call.settings<Settings>(), out);
            },
            queries, bits);
        list.add(
            of + "::first_overlaps" + more,
            [=](Call& call, auto listed, auto out) {
                return get(call).first_overlaps(listed, 2, call.settings<Settings>(), out);
            },
            m.some(queries), list.room<std::uint32_t>(m.some(queries).size() / 8));
        list.add(of + "::visit_overlaps" + more, [=](Call& call) {
            const auto add_item = [&](const auto& item) {
                call.add(item);
                return true;
            };
            Status status = Status::ok;
            for (std::size_t i = 0; i < 20 && status == Status::ok; ++i) {
                status = get(call).visit_overlaps(queries[i], call.settings<Settings>(), add_item);
            }
            return status;
        });
        list.add(of + "::any_overlap (alone)" + more, [=](Call& call) {
            for (std::size_t i = 0; i < 20; ++i)
                call.add(get(call).any_overlap(queries[i], call.settings<Settings>()));
        });
        more = ", more shapes";
    };
    add_shapes(q.boxes);
    add_shapes(q.points);
    add_shapes(q.spheres);
    add_shapes(q.obbs);
    add_shapes(m.capsules);
    add_shapes(m.volumes);
    more.clear();
    const auto add_hits = [&](const auto& asked, auto rule) {
        const std::span queries(asked);
        const std::span<std::uint64_t> bits = list.room<std::uint64_t>(bit_word_count(queries.size()));
        list.add(
            of + "::closest_hits" + more,
            [=](Call& call, auto listed, auto with, auto out) {
                return get(call).closest_hits(with_rule(listed, with), call.settings<Settings>(), out);
            },
            queries, rule, list.room<Hit>(queries.size()));
        list.add(
            of + "::find_hits" + more,
            [=](Call& call, auto listed, auto with, auto out) {
                BoxScratch scratch;
                return get(call).find_hits(with_rule(listed, with), call.settings<Settings>(), scratch, *out);
            },
            queries, rule, hits);
        list.add(
            of + "::any_hit" + more,
            [=](Call& call, auto listed, auto with, auto out) {
                return get(call).any_hit(with_rule(listed, with), call.settings<Settings>(), out);
            },
            queries, rule, bits);
        list.add(of + "::visit_hits" + more, [=](Call& call) {
            const auto add_hit = [&](const Hit& hit) {
                call.add(hit);
                return hit.t;
            };
            Status status = Status::ok;
            for (std::size_t i = 0; i < 20 && status == Status::ok; ++i) {
                status = get(call).visit_hits(queries[i], call.settings<Settings>(), add_hit);
            }
            return status;
        });
        list.add(of + "::any_hit (alone)" + more, [=](Call& call) {
            for (std::size_t i = 0; i < 20; ++i)
                call.add(get(call).any_hit(queries[i], call.settings<Settings>()));
        });
        list.add(of + "::closest_hit" + more, [=](Call& call) {
            for (std::size_t i = 0; i < 20; ++i)
                call.add(get(call).closest_hit(queries[i], call.settings<Settings>()));
        });
        more = ", more queries";
    };
    add_hits(q.rays, RaySettings{});
    add_hits(m.box_casts, Touch::closed);
    add_hits(m.sphere_casts, NoRule{});
    add_hits(m.capsule_casts, NoRule{});
}

// Boxes or objects near points and boxes, whose functions trees and worlds name differently.
template <class Settings, class Found, class GetAsked, class Closest, class Visit>
void add_near(const Material& m, EntryPoints& list, const std::string& closest_name,
              const std::string& visit_name, GetAsked get, Closest closest, Visit visit) {
    std::string more;
    for (const float distance : {FLT_MAX, 0.5f, 1e-42f}) {
        const ClosestBoxSettings near = {.count = 3, .max_distance = distance};
        const auto add = [&](const auto& near_queries) {
            const std::span queries(near_queries);
            list.add(
                closest_name + more,
                [=](Call& call, auto listed, auto out) {
                    return closest(get(call), listed, near, call.settings<Settings>(), out);
                },
                queries, list.room<Found>(3 * queries.size()));
            list.add(visit_name + more, [=](Call& call) {
                const auto add_item = [&](const auto& item) {
                    call.add(item);
                    return item.distance;
                };
                Status status = Status::ok;
                for (std::size_t i = 0; i < 20 && status == Status::ok; ++i)
                    status = visit(get(call), queries[i], near, call.settings<Settings>(), add_item);
                return status;
            });
            more = ", more queries";
        };
        add(m.queries.points);
        add(m.queries.boxes);
    }
}

void add_trees(const Material& m, EntryPoints& list) {
    const auto get = [&](Call&) -> const BoxTree& { return m.tree; };
    list.add("BoxTree::invalid_boxes", [&](Call& call) {
        const InvalidBoxes invalid = m.tree.invalid_boxes();
        call.add(invalid.count, invalid.first_index);
    });
    add_queries<TreeQuerySettings, TreeHit, PairBuffer>(m, list, "BoxTree", get);
    add_near<TreeQuerySettings, ClosestBox>(
        m, list, "BoxTree::closest_boxes", "BoxTree::visit_close_boxes", get,
        [](const BoxTree& tree, const auto&... of) { return tree.closest_boxes(of...); },
        [](const BoxTree& tree, const auto&... of) { return tree.visit_close_boxes(of...); });
    list.add(
        "ListOutput::ListOutput",
        [&](Call& call, auto out) {
            BoxScratch scratch;
            return m.tree.find_hits(m.queries.rays, call.settings<TreeQuerySettings>(), scratch, out);
        },
        list.room<Listed<TreeHit>>(200000));
    const auto with_filter = [&](const char* name, auto make, std::size_t count) {
        list.add(
            name,
            [=, &m](Call& call, auto span) {
                BoxScratch scratch;
                PairBuffer found;
                const auto settings = call.settings(make(span));
                const auto result = m.tree.find_overlaps(m.queries.boxes, settings, scratch, found);
                call.add_all(found);
                return result;
            },
            list.keep(std::vector<std::uint64_t>(count, 5)));
    };
    with_filter(
        "TreeQuerySettings::categories", [](auto span) { return TreeQuerySettings{.categories = span}; },
        m.count());
    with_filter(
        "TreeQuerySettings::masks", [](auto span) { return TreeQuerySettings{.masks = span}; },
        m.queries.boxes.size());
    const EnvironmentShapes& q = m.queries;
    for (const bool is_capsule : {false, true}) {
        list.add(is_capsule ? "contact_normal (capsule cast)" : "contact_normal (sphere cast)",
                 [=, &m, &q](Call& call) {
                     for (std::size_t i = 0; i < 144; ++i) {
                         for (const float time : {0.0f, 0.1f, 0.7f}) {
                             call.add(is_capsule ? contact_normal(m.capsule_casts[i], q.boxes[i], time)
                                                 : contact_normal(m.sphere_casts[i], q.boxes[i], time));
                         }
                     }
                 });
    }
}

struct LivingWorld {
    World world;
    std::vector<ObjectHandle> handles;

    explicit LivingWorld(const Material& m) : handles(m.count()) {
        REQUIRE(world.add(m.boxes, {}, handles).status == Status::ok);
        REQUIRE(world.update().status == Status::ok);
    }
};
std::vector<std::byte> snapshot_of(const World& world) {
    std::vector<std::byte> bytes(world.snapshot_bytes());
    REQUIRE(world.save(bytes) == Status::ok);
    return bytes;
}

void add_pairs(Call& call, World& world, const TaskRunner* runner = nullptr) {
    const UpdateResult result = world.update(runner);
    call.add(result.status, result.path, result.changed_count, world.pairs_hash());
    if (world.object_count() < 1000) call.add(world.is_consistent());
    for (const WorldPair& pair : world.pairs()) call.add(pair);
    for (const WorldPair& pair : world.begun()) call.add(pair);
    for (const EndedPair& pair : world.ended()) call.add(pair);
}
// Everything that can be read from a world.
void add_objects(Call& call, World& world, std::span<const ObjectHandle> handles) {
    for (const ObjectHandle handle : handles) {
        if (!world.is_alive(handle)) continue;
        const ObjectDescription description = world.description(handle);
        call.add(description.box, description.kind, description.margin, description.displacement);
    }
    std::vector<ObjectHandle> quarantined(handles.size());
    call.add(world.quarantined_objects(quarantined), world.bounds());
    call.add_all(quarantined);
    for (std::size_t i = 0; i + 3 < handles.size(); ++i) {
        if (world.is_alive(handles[i]) && world.is_alive(handles[i + 3]))
            call.add(world.boxes_overlap(handles[i], handles[i + 3]));
    }
    call.add_all(snapshot_of(world));
}

// A sequence with every function that changes a world, except the shift of the origin, after which no box is
// denormal.
void live(const Material& m, World& world, std::vector<ObjectHandle>& handles, Call& call) {
    const EnvironmentShapes& s = m.queries;
    handles.resize(m.count());
    call.add(world.add(m.boxes, {}, handles).status);
    add_pairs(call, world, call.runner());
    const std::span<const ObjectHandle> all(handles);
    call.add(world.set_kind(all.subspan(20, 50), ObjectKind::fixed).status);
    call.add(world.set_kind(all.subspan(70, 30), ObjectKind::resting).status);
    call.add(world.set_filter(all.subspan(3, 1), {.group = -1}).status);
    call.add(world.set_boxes(all, m.later, call.runner()).status);
    add_pairs(call, world, call.runner());
    call.add(world.set_margin(all.subspan(1, 20), 1e-42f).status);
    call.add(world.set_margin(all.subspan(30, 9), 0.1f).status);
    const Vec3SoaView moves = s.displacement_view();
    call.add(world.set_displacements(all.first(60), {moves.x, moves.y, moves.z, 60}).status);
    call.add(world.set_box(handles[9], m.box_list[12]));
    call.add(world.remove(all.subspan(40, 3)).status);
    call.add(world.add(ObjectDescription{.box = m.box_list[0], .margin = 1e-41f}));
    const ObjectDescription described = {
        .box = m.box_list[1], .margin = 0.3f, .displacement = s.displacements[1]};
    ObjectHandle added;
    call.add(world.add(std::span(&described, 1), std::span(&added, 1)).status, added);
    PreparedObjects prepared;
    call.add(prepared.prepare(std::span(&described, 1)).status);
    call.add(world.add(prepared, std::span(&added, 1)).status, added);
    call.add(prepared.prepare(m.boxes.view().part(5, 1), described).status);
    call.add(world.add(prepared, std::span(&added, 1)).status, added);
    const WorldView view = world.view(call.runner());
    call.add(world.publish(call.runner()), world.latest()->bounds());
    call.add(view.box(added), view->closest_object(s.displacements[0]).distance_sq);
    add_pairs(call, world, call.runner());
}

void add_world_changes(const Material& m, EntryPoints& list) {
    // `change(call, world, args...)` of a world of the boxes. A refused one leaves it as it was.
    const auto add = [&](const char* name, auto change, auto... args) {
        list.add(
            name,
            [&m, change](Call& call, auto... given) {
                LivingWorld living(m);
                const std::vector<std::byte> before = snapshot_of(living.world);
                const auto result = change(call, living.world, given...);
                Status status = Status::ok;
                if constexpr (requires { result.status; })
                    status = result.status;
                else
                    status = result;
                if (status == Status::invalid_argument) CHECK((snapshot_of(living.world) == before));
                add_pairs(call, living.world);
                return result;
            },
            args...);
    };
    const std::span<const ObjectHandle> handles = list.keep(LivingWorld(m).handles);
    const std::span<const ObjectHandle> some = handles.subspan(20, 40);
    const Named boxes = {"boxes", m.later.view()};
    std::vector<ObjectDescription> description_list;
    for (std::size_t i = 0; i < some.size(); ++i)
        description_list.push_back({.box = m.later_list[i], .margin = i % 2 == 0 ? 1e-42f : 0.1f});
    const std::span<const ObjectDescription> descriptions = list.keep(description_list);
    const std::span<ObjectHandle> out = list.room<ObjectHandle>(m.count());
    static const auto exact = exact_scenes<double>(40, 4)[0];

    add(
        "World::add", [](Call&, World& world, auto... of) { return world.add(of...); }, descriptions,
        out.first(descriptions.size()));
    add(
        "World::add", [](Call&, World& world, auto from, auto to) { return world.add(from, {}, to); }, boxes,
        out);
    add(
        "World::add",
        [=](Call&, World& world, auto to) {
            PreparedObjects prepared;
            REQUIRE(prepared.prepare(descriptions).status == Status::ok);
            return world.add(prepared, to);
        },
        out.first(descriptions.size()));
    add("World::add (one)", [=](Call& call, World& world) {
        call.add(world.add(descriptions[1]));
        return Status::ok;
    });
    add(
        "World::remove", [](Call&, World& world, auto of) { return world.remove(of); }, some);
    const auto set_boxes = [](Call& call, World& world, auto of, auto from) {
        return world.set_boxes(of, from, call.runner());
    };
    add("World::set_boxes", set_boxes, handles, boxes);
    add("World::set_boxes", set_boxes, handles,
        BoxAosView{.data = m.later_list.data(), .stride_bytes = sizeof(Aabb), .count = m.count()});
    add("World::set_boxes", set_boxes, some, exact.view());
    add(
        "World::set", [](Call&, World& world, auto... of) { return world.set(of...); }, some, descriptions);
    const Vec3SoaView moves = m.queries.displacement_view();
    add(
        "World::set_displacements",
        [](Call&, World& world, auto... of) { return world.set_displacements(of...); }, some,
        Named("displacements", Vec3SoaView{moves.x, moves.y, moves.z, some.size()}));
    add(
        "World::set_margin", [](Call&, World& world, auto of) { return world.set_margin(of, 0.3f); }, some);
    add(
        "World::set_kind", [](Call&, World& world, auto of) { return world.set_kind(of, ObjectKind::fixed); },
        some);
    add(
        "World::set_filter", [](Call&, World& world, auto of) { return world.set_filter(of, {.group = -1}); },
        some);
    add(
        "World::set_user_data", [](Call&, World& world, auto of) { return world.set_user_data(of, 9); },
        some);
    add("World::set_box", [=, &m](Call&, World& world) { return world.set_box(some[1], m.box_list[3]); });
    add("World::set_box_shared",
        [=, &m](Call&, World& world) { return world.set_box_shared(some[1], m.box_list[3]); });
    add("World::description", [=](Call& call, World& world) {
        for (const ObjectHandle handle : handles) call.add(world.description(handle).box);
        return Status::ok;
    });
    add("World::bounds", [](Call& call, World& world) {
        call.add(world.bounds());
        return Status::ok;
    });
    add("World::boxes_overlap", [=](Call& call, World& world) {
        for (const ObjectHandle handle : some) call.add(world.boxes_overlap(handles[0], handle));
        return Status::ok;
    });
    add("World::is_consistent", [=](Call& call, World& world) {
        if (world.object_count() < 1000) call.add(world.is_consistent());
        return Status::ok;
    });
    add("World::shift_origin", [=](Call& call, World& world) {
        const Status status = world.shift_origin({0.1f, 1e-42f, 0.3f});
        add_objects(call, world, some);
        return status;
    });
    // All new, then some and all moved, often enough that mechanisms for each begin.
    for (const std::size_t one_in : {0u, 40u, 1u}) {
        const char* const name = one_in == 0 ? "World::update" : "World::update, of moved objects";
        list.add(name, [=, &m](Call& call) {
            World world;
            std::vector<ObjectHandle> added(m.count());
            REQUIRE(world.add(m.boxes, {}, added).status == Status::ok);
            for (int frame = 0; frame < (one_in == 0 ? 1 : 6); ++frame) {
                if (one_in != 0) REQUIRE(world.update().status == Status::ok);
                const std::vector<Aabb>& at = frame % 2 == 0 ? m.later_list : m.box_list;
                for (std::size_t i = 0; one_in != 0 && i < m.count(); i += one_in)
                    REQUIRE(world.set_box(added[i], at[i]) == Status::ok);
                const std::vector<std::byte> before = snapshot_of(world);
                const Status status = world.update(call.runner()).status;
                if (status == Status::invalid_argument) CHECK((snapshot_of(world) == before));
                if (status != Status::ok) return status;
                call.add(world.pairs_hash(), world.pair_count(), world.begun().size(), world.ended().size());
            }
            return Status::ok;
        });
    }
    add("World::queries", [](Call& call, World& world) { return world.queries(call.runner()).status(); });
    add("World::view", [](Call& call, World& world) {
        const WorldView view = world.view(call.runner());
        if (view.status() == Status::ok) call.add(view->bounds());
        return view.status();
    });
    add("World::publish", [](Call& call, World& world) {
        const Status status = world.publish(call.runner());
        if (status == Status::ok) call.add(world.latest()->bounds());
        return status;
    });
    // No status: items without room are not written.
    add(
        "World::quarantined_objects",
        [=](Call&, World& world, auto to) {
            const bool is_good = to.data() != nullptr && to.size() == 1;
            if (is_good) REQUIRE(world.set_box(handles[0], Aabb::empty()) == Status::ok);
            (void)world.quarantined_objects(to);
            return is_good ? Status::ok : Status::invalid_argument;
        },
        out.first(1));
    const std::span<std::byte> bytes = list.room<std::byte>(snapshot_of(LivingWorld(m).world).size());
    add(
        "World::save", [](Call&, World& world, auto to) { return world.save(to); }, bytes);
    add(
        "World::restore", [](Call&, World& world, auto from) { return world.restore(from); },
        list.keep(snapshot_of(LivingWorld(m).world)));
    const auto prepare = [](Call& call, auto... of) {
        PreparedObjects prepared;
        const auto result = prepared.prepare(of...);
        const BoxSoaView grown = prepared.grown_boxes();
        for (std::size_t i = 0; i < prepared.count(); ++i) call.add(grown[i]);
        return result;
    };
    list.add("PreparedObjects::prepare", prepare, descriptions);
    list.add(
        "PreparedObjects::prepare",
        [=](Call& call, auto from) { return prepare(call, from, ObjectDescription{.margin = 0.3f}); }, boxes);
    list.add("World::update, of a life", [&m](Call& call) {
        World world;
        std::vector<ObjectHandle> handles_of_life;
        live(m, world, handles_of_life, call);
        add_objects(call, world, handles_of_life);
        REQUIRE(world.shift_origin({0.1f, 1e-42f, 0.3f}) == Status::ok);
        add_pairs(call, world, call.runner());
        add_objects(call, world, handles_of_life);
    });
}

void add_world_queries(const Material& m, EntryPoints& list) {
    // The world after its life, in the default environment.
    World& world = *list.list<World>();
    std::vector<ObjectHandle> handles;
    Call unused;
    live(m, world, handles, unused);
    const auto get = [&world](Call&) { return world.queries(); };
    add_queries<WorldQuerySettings, WorldHit, AlignedArray<Listed<ObjectHandle>>>(m, list, "WorldQueries",
                                                                                  get);
    add_near<WorldQuerySettings, ClosestObject>(
        m, list, "WorldQueries::closest_objects", "WorldQueries::visit_close_objects", get,
        [](const WorldQueries& asked, const auto&... of) { return asked.closest_objects(of...); },
        [](const WorldQueries& asked, const auto&... of) { return asked.visit_close_objects(of...); });
    list.add("WorldQueries::bounds", [get](Call& call) { call.add(get(call).bounds()); });
    list.add(
        "WorldQuerySettings::masks",
        [&, get](Call& call, auto span) {
            const auto settings = call.settings(WorldQuerySettings{.masks = span});
            AlignedArray<Listed<ObjectHandle>> found;
            BoxScratch scratch;
            return get(call).find_overlaps(m.queries.boxes, settings, scratch, found);
        },
        list.keep(std::vector<std::uint64_t>(m.queries.boxes.size(), 5)));
    list.add(
        "ListOutput::ListOutput",
        [&, get](Call& call, auto out) {
            BoxScratch scratch;
            return get(call).find_overlaps(m.queries.boxes, call.settings<WorldQuerySettings>(), scratch,
                                           out);
        },
        list.room<Listed<ObjectHandle>>(1000000));
    list.add(
        "ListOutput::ListOutput",
        [&, get](Call& call, auto out) {
            BoxScratch scratch;
            return get(call).find_hits(m.queries.rays, call.settings<WorldQuerySettings>(), scratch, out);
        },
        list.room<Listed<WorldHit>>(200000));
}

}  // namespace

void add_trees_and_worlds(const Material& m, EntryPoints& list) {
    add_trees(m, list);
    add_world_changes(m, list);
    add_world_queries(m, list);
}

}  // namespace broadside::test
