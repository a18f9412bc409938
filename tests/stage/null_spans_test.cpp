// Every public call with a span or a list of queries refuses one that is null with a count, and one that is
// longer than any array. The calls are read from the public headers.
#include "tests/guards/source_tree.hpp"
#include "tests/support/refusals.hpp"

#include <broadside/broadside.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <regex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace broadside;
using namespace broadside::test;

namespace {

template <class Result>
Status status_of(const Result& result) {
    if constexpr (std::is_same_v<Result, Status>)
        return result;
    else
        return result.status;
}

// Outside the templates below, which have one instance for each span: these tests would take the longest to
// compile.
void check_good(Status status) {
    CHECK(status != Status::invalid_argument);
    CHECK(take_refusals().count == 0);
}

void check_null(Status status) {
    CHECK(status == Status::invalid_argument);
    const Refusals told = take_refusals();
    CHECK(told.count == (library_asserts() ? 1 : 0));
    if (told.count != 0) CHECK(std::string(told.last.message) == "span: null though the count is not 0");
}

// If the output is too small for so many, the call may report that first.
void check_endless(Status status) {
    CHECK((status == Status::invalid_argument || status == Status::capacity_exceeded));
    CHECK(take_refusals().count <= 1);
}

// Calls with good spans, then with each of them null, and each without end; counts the spans by the name of the call.
class SpanCalls {
public:
    template <class Call, class... Span>
    void operator()(const std::string& name, const Call& call, const Span&... spans) {
        counts_[name] += sizeof...(Span);
        INFO(name);
        take_refusals();
        check_good(status_of(call(spans...)));
        replace_each(call, std::tuple<Span...>(spans...), std::index_sequence_for<Span...>());
    }
    const std::map<std::string, std::size_t>& counts() const { return counts_; }

private:
    template <class Call, class Spans, std::size_t... kIndex>
    static void replace_each(const Call& call, const Spans& spans, std::index_sequence<kIndex...>) {
        (replace<kIndex>(call, spans), ...);
    }
    template <std::size_t kIndex, class Call, class Spans>
    static void replace(const Call& call, Spans spans) {
        CAPTURE(kIndex);
        auto& span = std::get<kIndex>(spans);
        using Span = std::remove_reference_t<decltype(span)>;
        const Span good = span;
        REQUIRE_FALSE(good.empty());
        span = Span(static_cast<typename Span::pointer>(nullptr), good.size());
        check_null(status_of(std::apply(call, spans)));
        span = Span(good.data(), SIZE_MAX);
        check_endless(status_of(std::apply(call, spans)));
    }

    std::map<std::string, std::size_t> counts_;
};

// The spans that public headers name, by call or field. Parameters of types that hold one span count at the
// type's constructor.
std::map<std::string, std::size_t> declared_spans() {
    static const std::regex comment("//[^\n]*");
    static const std::regex type(R"(^(?:class|struct) (?:\[\[\w+\]\] )?(?:BROADSIDE_API )?(\w+)[^;]*$)");
    static const std::regex call(R"((\w+)\(([^;{}]*)\))");
    static const std::regex span(
        R"(std::span<|\bQueryList<|\b(?:Overlap|Hit|Near)Queries&|\bMesh(?:Shapes|Rays|Casts|HitQueries)&)");
    static const std::regex field(R"(std::span<.*> (\w*[^\W_]);)");
    std::map<std::string, std::size_t> counts;
    for (const SourceFile& file : source_files({"core", "broadphase", "narrowphase", "stage"}, {".hpp"})) {
        if (!file.is_public_header()) continue;
        std::istringstream lines(std::regex_replace(file.text, comment, ""));
        std::string owner;
        std::string statement;
        for (std::string line; std::getline(lines, line);) {
            std::smatch match;
            if (std::regex_match(line, match, type)) owner = std::string(match[1]) + "::";
            if (line.rfind("};", 0) == 0) owner.clear();
            line = std::regex_replace(line, std::regex(" = \\{\\}"), "");
            statement += line;
            if (line.empty() || std::string(";{}:").find(line.back()) == std::string::npos) continue;
            const std::string whole = std::exchange(statement, {});
            for (std::sregex_iterator each(whole.begin(), whole.end(), call), end; each != end; ++each) {
                const std::string arguments = (*each)[2];
                const auto count = std::distance(
                    std::sregex_iterator(arguments.begin(), arguments.end(), span), std::sregex_iterator());
                if (count != 0) counts[owner + std::string((*each)[1])] += static_cast<std::size_t>(count);
            }
            if (std::regex_search(whole, match, field) && whole.find('(') == std::string::npos)
                ++counts[owner + std::string(match[1])];
        }
    }
    return counts;
}

struct Exception {
    const char* name;
    const char* reason;
};
const Exception kExceptions[] = {
    {"QueryList::visit", "hands a span out"},
    {"HitQueries::HitQueries", "makes a list"},
    {"SidedQueries::SidedQueries", "makes a list"},
    {"WorldView::WorldView", "private"},
    {"RestingBoxes::build_in", "private"},
    {"ConvexVolume::planes", "part of a shape, which is invalid then; see below"},
    {"RestingBoxes::find_moved_box", "answers without a status; see below"},
    {"RestingBoxes::count_drift", "answers without a status; see below"},
};

// Two or more of every input, and room for every output.
struct Things {
    BoxSoa boxes;
    ObbSoa obb_soa;
    TriangleSoa triangle_soa;
    float zeros[8] = {};
    Vec3SoaView vectors = {zeros, zeros, zeros, 2};
    SphereSoaView spheres_soa = {zeros, zeros, zeros, zeros, 2};
    std::uint64_t words[8] = {};
    std::uint32_t groups[2] = {};
    Aabb box_list[2] = {{{0, 0, 0}, {1, 1, 1}}, {{0, 0, 0}, {1, 1, 1}}};
    Obb obb_list[2] = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}},
                       {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}};
    Sphere sphere_list[2] = {{{0, 0, 0}, 1}, {{0, 0, 0}, 1}};
    Capsule capsule_list[2] = {{{0, 0, 0}, {1, 0, 0}, 1}, {{0, 0, 0}, {1, 0, 0}, 1}};
    Triangle triangle_list[2] = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
    Ray ray_list[2] = {{{0, 0, -1}, {0, 0, 1}, 9}, {{0, 0, -1}, {0, 0, 1}, 9}};
    Vec3 vector_list[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    std::uint32_t corner_list[3] = {0, 1, 2};
    std::uint32_t index_list[2] = {0, 1};
    IndexPair pair_list[2] = {{0, 1}, {1, 0}};
    TriangleMesh mesh;
    MeshScene scene;
    PlacedMesh placed_list[2];
    Transform transform_list[2];

    std::span<const std::uint64_t> bits = {words, 1};
    std::span<const Aabb> aabbs = box_list;
    std::span<const Obb> obbs = obb_list;
    std::span<const Sphere> spheres = sphere_list;
    std::span<const Capsule> capsules = capsule_list;
    std::span<const Triangle> triangles = triangle_list;
    std::span<const Ray> rays = ray_list;
    std::span<const Vec3> points = {vector_list, 2};
    std::span<const Vec3> corners = vector_list;
    std::span<const std::uint32_t> corner_indices = corner_list;
    std::span<const std::uint32_t> indices = index_list;
    std::span<const IndexPair> pairs = pair_list;
    std::span<const PlacedMesh> placed = placed_list;
    std::span<const Transform> transforms = transform_list;

    IndexPair out_pair_list[64];
    std::uint64_t out_word_list[8] = {};
    float out_number_list[64] = {};
    std::span<IndexPair> out_pairs = out_pair_list;
    std::span<std::uint64_t> out_bits = out_word_list;
    std::span<float> out_numbers = out_number_list;

    Things() {
        REQUIRE(boxes.push_back(box_list[0]) == Status::ok);
        REQUIRE(boxes.push_back(box_list[1]) == Status::ok);
        REQUIRE(obb_soa.assign(obbs) == Status::ok);
        REQUIRE(triangle_soa.assign(corners, corner_indices).status == Status::ok);
        REQUIRE(mesh.build(corners, corner_indices).status == Status::ok);
        placed_list[0].mesh = &mesh;
        placed_list[1].mesh = &mesh;
        REQUIRE(scene.build(placed).status == Status::ok);
    }
    template <class Item>
    static std::span<Item> room() {
        static Item items[64];
        return items;
    }
};

}  // namespace

TEST_CASE("a null span with a count is refused by every public call, and so is one without end") {
    Things t;
    SpanCalls calls;
    // Core.
    ObbSoa obb_soa;
    TriangleSoa triangle_soa;
    calls(
        "ObbSoa::assign", [&](auto obbs) { return obb_soa.assign(obbs); }, t.obbs);
    calls(
        "TriangleSoa::assign", [&](auto... spans) { return triangle_soa.assign(spans...); }, t.corners,
        t.corner_indices);

    // Lists of pairs, filters and settings.
    FindPairsScratch scratch;
    PairBuffer found;
    const auto with_filter = [&](const BoxFilter& filter) {
        FindPairsSettings settings;
        settings.filter = filter;
        return find_pairs(t.boxes, settings, scratch, found);
    };
    const std::span<const std::uint64_t> two_words = {t.words, 2};
    const std::span<const std::uint32_t> two_groups = t.groups;
    calls(
        "BoxFilter::categories", [&](auto span) { return with_filter({.categories = span}); }, two_words);
    calls(
        "BoxFilter::masks", [&](auto span) { return with_filter({.masks = span}); }, two_words);
    calls(
        "BoxFilter::groups", [&](auto span) { return with_filter({.groups = span}); }, two_groups);
    calls(
        "BoxFilter::subset_bits", [&](auto span) { return with_filter({.subset_bits = span}); }, t.bits);
    calls(
        "BoxFilter::ids", [&](auto span) { return with_filter({.ids = span}); }, two_groups);
    calls(
        "PairOutput::PairOutput", [&](auto span) { return find_pairs(t.boxes, {}, scratch, span); },
        t.out_pairs);

    // Trees.
    BoxTree tree;
    QueryScratch tree_scratch;
    calls(
        "BoxTree::build_subset", [&](auto bits) { return tree.build_subset(t.boxes, bits); }, t.bits);
    REQUIRE(tree.build(t.boxes) == Status::ok);
    const auto with_tree_filter = [&](const TreeFilter& filter) {
        return tree.find_overlaps(t.aabbs, {.filter = filter}, tree_scratch, found);
    };
    calls(
        "TreeFilter::categories", [&](auto span) { return with_tree_filter({.categories = span}); },
        two_words);
    calls(
        "TreeFilter::masks", [&](auto span) { return with_tree_filter({.masks = span}); }, two_words);
    calls(
        "BoxTree::find_overlaps",
        [&](auto boxes) { return tree.find_overlaps(boxes, {}, tree_scratch, found); }, t.aabbs);
    calls(
        "BoxTree::any_overlap", [&](auto boxes, auto out) { return tree.any_overlap(boxes, {}, out); },
        t.aabbs, t.out_bits);
    calls(
        "BoxTree::first_overlaps",
        [&](auto boxes, auto out) { return tree.first_overlaps(boxes, 1, {}, out); }, t.aabbs,
        t.room<std::uint32_t>().first(1));
    calls(
        "BoxTree::closest_hits", [&](auto rays, auto out) { return tree.closest_hits(rays, {}, out); },
        t.rays, t.room<TreeHit>());
    AlignedArray<Listed<TreeHit>> hits;
    calls(
        "BoxTree::find_hits", [&](auto rays) { return tree.find_hits(rays, {}, tree_scratch, hits); },
        t.rays);
    calls(
        "ListOutput::ListOutput", [&](auto out) { return tree.find_hits(t.rays, {}, tree_scratch, out); },
        t.room<Listed<TreeHit>>());
    calls(
        "BoxTree::any_hit", [&](auto rays, auto out) { return tree.any_hit(rays, {}, out); }, t.rays,
        t.out_bits);
    calls(
        "BoxTree::closest_boxes",
        [&](auto points, auto out) { return tree.closest_boxes(points, {}, {}, out); }, t.points,
        t.room<ClosestBox>());
    ExactBoxTree<double> exact_tree;
    QueryScratch exact_scratch;
    const double rows[6] = {0, 0, 0, 1, 1, 1};
    const auto exact_boxes = ExactBoxView<double>::rows(rows, 1, 3);
    REQUIRE(exact_tree.build(exact_boxes) == Status::ok);
    calls(
        "ExactBoxTree::any_overlap",
        [&](auto out) { return exact_tree.any_overlap(exact_boxes, {}, exact_scratch, out); }, t.out_bits);

    RestingBoxes resting;
    calls(
        "RestingBoxes::build", [&](auto bits) { return resting.build(t.boxes, bits); }, t.bits);
    FindPairsScratch resting_scratch;
    calls(
        "RestingBoxes::build",
        [&](auto bits) { return resting.build(t.boxes, bits, nullptr, resting_scratch); }, t.bits);
    REQUIRE(resting.build(t.boxes, {}) == Status::ok);
    calls(
        "RestingBoxes::remove", [&](auto bits) { return resting.remove(bits); }, t.bits);
    const std::span<const std::uint64_t> null_bits(static_cast<const std::uint64_t*>(nullptr), 1);
    CHECK(resting.count_drift(null_bits) == 0);
    CHECK(resting.find_moved_box(t.boxes, null_bits) == kNoIndex);

    // Worlds.
    World world;
    const std::vector<ObjectDescription> description_list(2);
    const std::span<const ObjectDescription> descriptions = description_list;
    std::vector<ObjectHandle> handle_list(2);
    const std::span<ObjectHandle> out_handles = handle_list;
    calls(
        "World::add", [&](auto... spans) { return world.add(spans...); }, descriptions, out_handles);
    calls(
        "World::add", [&](auto out) { return world.add(t.boxes, {}, out); }, out_handles);
    PreparedObjects prepared;
    calls(
        "PreparedObjects::prepare", [&](auto list) { return prepared.prepare(list); }, descriptions);
    REQUIRE(prepared.prepare(descriptions).status == Status::ok);
    calls(
        "World::add", [&](auto out) { return world.add(prepared, out); }, out_handles);
    const std::span<const ObjectHandle> handles = handle_list;
    const double two_rows[12] = {};
    const auto two_exact = ExactBoxView<double>::rows(two_rows, 2, 3);
    const BoxAosView box_structs = {t.aabbs.data(), sizeof(Aabb), 0, sizeof(Vec3), t.aabbs.size()};
    calls(
        "World::set_boxes", [&](auto list) { return world.set_boxes(list, t.boxes); }, handles);
    calls(
        "World::set_boxes", [&](auto list) { return world.set_boxes(list, box_structs); }, handles);
    calls(
        "World::set_boxes", [&](auto list) { return world.set_boxes(list, two_exact); }, handles);
    calls(
        "World::set", [&](auto list, auto described) { return world.set(list, described); }, handles,
        descriptions);
    calls(
        "World::set_displacements", [&](auto list) { return world.set_displacements(list, t.vectors); },
        handles);
    calls(
        "World::set_margin", [&](auto list) { return world.set_margin(list, 1); }, handles);
    calls(
        "World::set_kind", [&](auto list) { return world.set_kind(list, ObjectKind::fixed); }, handles);
    calls(
        "World::set_filter", [&](auto list) { return world.set_filter(list, {}); }, handles);
    calls(
        "World::set_user_data", [&](auto list) { return world.set_user_data(list, 1); }, handles);
    // No status: items without room are not written.
    calls(
        "World::quarantined_objects",
        [&](auto out) {
            REQUIRE(world.set_box(handles[0], Aabb::empty()) == Status::ok);
            CHECK(world.quarantined_objects(out) == 1);
            return out.data() == nullptr || out.size() == SIZE_MAX ? Status::invalid_argument : Status::ok;
        },
        t.room<ObjectHandle>());
    std::vector<std::byte> snapshot(world.snapshot_bytes());
    calls(
        "World::save", [&](auto out) { return world.save(out); }, std::span<std::byte>(snapshot));
    calls(
        "World::restore", [&](auto bytes) { return world.restore(bytes); },
        std::span<const std::byte>(snapshot));
    QueryScratch world_scratch;
    AlignedArray<Listed<ObjectHandle>> overlap_list;
    AlignedArray<Listed<WorldHit>> hit_list;
    const WorldQueries queries = world.queries();
    calls(
        "WorldQuerySettings::masks",
        [&](auto span) {
            return queries.find_overlaps(t.aabbs, {.masks = span}, world_scratch, overlap_list);
        },
        two_words);
    calls(
        "WorldQueries::find_overlaps",
        [&](auto boxes) { return queries.find_overlaps(boxes, {}, world_scratch, overlap_list); }, t.aabbs);
    // The outputs that are lists of other items than a tree's.
    calls(
        "ListOutput::ListOutput",
        [&](auto out) { return queries.find_overlaps(t.aabbs, {}, world_scratch, out); },
        t.room<Listed<ObjectHandle>>());
    calls(
        "ListOutput::ListOutput", [&](auto out) { return queries.find_hits(t.rays, {}, world_scratch, out); },
        t.room<Listed<WorldHit>>());
    calls(
        "WorldQueries::any_overlap",
        [&](auto boxes, auto out) { return queries.any_overlap(boxes, {}, out); }, t.aabbs, t.out_bits);
    calls(
        "WorldQueries::first_overlaps",
        [&](auto boxes, auto out) { return queries.first_overlaps(boxes, 1, {}, out); }, t.aabbs,
        t.room<std::uint32_t>().first(1));
    calls(
        "WorldQueries::closest_hits",
        [&](auto rays, auto out) { return queries.closest_hits(rays, {}, out); }, t.rays, t.room<WorldHit>());
    calls(
        "WorldQueries::find_hits",
        [&](auto rays) { return queries.find_hits(rays, {}, world_scratch, hit_list); }, t.rays);
    calls(
        "WorldQueries::any_hit", [&](auto rays, auto out) { return queries.any_hit(rays, {}, out); }, t.rays,
        t.out_bits);
    calls(
        "WorldQueries::closest_objects",
        [&](auto points, auto out) { return queries.closest_objects(points, {}, {}, out); }, t.points,
        t.room<ClosestObject>());
    calls(
        "World::remove",
        [&](auto list) {
            return list.data() == handles.data() && list.size() == 2 ? Status::ok : world.remove(list).status;
        },
        handles);

    // Batches of overlaps.
    const Aabb box = t.box_list[0];
    const Obb obb = t.obb_list[0];
    const Sphere sphere = t.sphere_list[0];
    const Triangle triangle = t.triangle_list[0];
    const Ray ray = t.ray_list[0];
    const BoxSoaView boxes = t.boxes;
    const ObbSoaView obbs = t.obb_soa;
    const TriangleSoaView triangles = t.triangle_soa;
    const std::span<const std::uint32_t> first_index = {t.index_list, 1};
    const IndexPair first_pair_list[1] = {{0, 0}};
    const std::span<const IndexPair> first_pair = first_pair_list;
    calls(
        "overlaps", [&](auto out) { return overlaps(box, boxes, out); }, t.out_bits);
    calls(
        "overlaps", [&](auto... spans) { return overlaps(boxes, boxes, spans...); }, t.pairs, t.out_bits);
    calls(
        "overlaps", [&](auto out) { return overlaps(t.capsule_list[0], boxes, out); }, t.out_bits);
    calls(
        "overlaps", [&](auto out) { return overlaps(sphere, t.spheres_soa, out); }, t.out_bits);
    calls(
        "overlaps", [&](auto out) { return overlaps(sphere, boxes, out); }, t.out_bits);
    calls(
        "overlaps", [&](auto... spans) { return overlaps(sphere, spans...); }, t.obbs, t.out_bits);
    calls(
        "overlaps", [&](auto out) { return overlaps(sphere, triangles, out); }, t.out_bits);
    calls(
        "overlaps", [&](auto out) { return overlaps(box, t.spheres_soa, out); }, t.out_bits);
    calls(
        "overlaps", [&](auto out) { return overlaps(obb, t.spheres_soa, out); }, t.out_bits);
    calls(
        "overlaps", [&](auto out) { return overlaps(triangle, t.spheres_soa, out); }, t.out_bits);
    calls(
        "overlaps", [&](auto out) { return overlaps(obb, obbs, out); }, t.out_bits);
    calls(
        "overlaps", [&](auto... spans) { return overlaps(spans...); }, t.obbs, t.obbs, t.pairs, t.out_bits);
    calls(
        "overlaps", [&](auto out) { return overlaps(obb, triangles, out); }, t.out_bits);
    calls(
        "overlaps", [&](auto out) { return overlaps(obbs, triangle, out); }, t.out_bits);
    calls(
        "overlaps", [&](auto... spans) { return overlaps(obb, spans...); }, t.triangles, t.indices,
        t.out_bits);
    calls(
        "overlaps", [&](auto... spans) { return overlaps(obb, triangles, spans...); }, first_index,
        t.out_bits);
    calls(
        "overlaps", [&](auto... spans) { return overlaps(spans...); }, t.obbs, t.triangles, t.pairs,
        t.out_bits);
    calls(
        "overlaps", [&](auto list, auto... spans) { return overlaps(list, triangles, spans...); }, t.obbs,
        first_pair, t.out_bits);
    calls(
        "swept_overlaps", [&](auto out) { return swept_overlaps(obb, {}, triangles, {}, out); }, t.out_bits);

    // Times of impact and contacts.
    const MovingBoxes moving_boxes = {boxes, t.vectors};
    const MovingSpheres moving_spheres = {t.spheres_soa, t.vectors};
    const std::span<Face> faces = t.room<Face>();
    const std::span<ContactAxis> axes = t.room<ContactAxis>();
    const std::span<ObbAxis> obb_axes = t.room<ObbAxis>();
    const auto touch = Touch::closed;
    RestingBoxRows resting_rows;
    MovingBoxRows mover_rows;
    BodyBoxRows body_rows;
    REQUIRE(resting_rows.prepare(boxes) == Status::ok);
    REQUIRE(mover_rows.prepare(moving_boxes, touch) == Status::ok);
    REQUIRE(body_rows.prepare(moving_boxes) == Status::ok);
    const char* const times = "times_of_impact";
    calls(
        times, [&](auto... out) { return times_of_impact(moving_boxes, moving_boxes, touch, out...); },
        t.out_numbers, faces);
    calls(
        times, [&](auto... out) { return times_of_impact(box, Vec3{}, boxes, touch, out...); }, t.out_numbers,
        faces);
    calls(
        times,
        [&](auto pairs, auto... out) {
            return times_of_impact(moving_boxes, moving_boxes, pairs, touch, out...);
        },
        t.pairs, t.out_numbers, faces);
    calls(
        times, [&](auto... spans) { return times_of_impact(resting_rows, mover_rows, spans...); }, t.pairs,
        t.out_numbers, faces);
    calls(
        times,
        [&](auto pairs, auto... out) { return times_of_impact(body_rows, body_rows, pairs, touch, out...); },
        t.pairs, t.out_numbers, faces);
    calls(
        times, [&](auto out) { return times_of_impact(sphere, Vec3{}, moving_spheres, out); }, t.out_numbers);
    calls(
        times, [&](auto out) { return times_of_impact(moving_spheres, moving_spheres, out); }, t.out_numbers);
    calls(
        times, [&](auto... spans) { return times_of_impact(moving_spheres, moving_spheres, spans...); },
        t.pairs, t.out_numbers);
    calls(
        times, [&](auto... out) { return times_of_impact(obb, Vec3{}, obbs, t.vectors, out...); },
        t.out_numbers, obb_axes);
    calls(
        times, [&](auto... spans) { return times_of_impact(spans...); }, t.obbs, t.points, t.obbs, t.points,
        t.pairs, t.out_numbers, obb_axes);
    calls(
        times, [&](auto... out) { return times_of_impact(obb, Vec3{}, triangles, Vec3{}, out...); },
        t.out_numbers, axes);
    calls(
        times, [&](auto... out) { return times_of_impact(obbs, t.vectors, triangle, Vec3{}, out...); },
        t.out_numbers, axes);
    calls(
        times, [&](auto list, auto... spans) { return times_of_impact(obb, Vec3{}, list, Vec3{}, spans...); },
        t.triangles, t.indices, t.out_numbers, axes);
    calls(
        times, [&](auto... spans) { return times_of_impact(obb, Vec3{}, triangles, Vec3{}, spans...); },
        first_index, t.out_numbers, axes);
    calls(
        times,
        [&](auto list, auto moves, auto structs, auto... spans) {
            return times_of_impact(list, moves, structs, Vec3{}, spans...);
        },
        t.obbs, t.points, t.triangles, t.pairs, t.out_numbers, axes);
    calls(
        times,
        [&](auto list, auto moves, auto... spans) {
            return times_of_impact(list, moves, triangles, Vec3{}, spans...);
        },
        t.obbs, t.points, first_pair, t.out_numbers, axes);
    calls(
        "obb_contacts", [&](auto... out) { return obb_contacts(obb, obbs, out...); }, t.out_numbers,
        obb_axes);
    calls(
        "obb_contacts", [&](auto... spans) { return obb_contacts(spans...); }, t.obbs, t.obbs, t.pairs,
        t.out_numbers, obb_axes);

    // Rays.
    const auto ray_into = [&](const RayOutputs& out) { return ray_boxes(ray, boxes, {}, out); };
    calls(
        "RayOutputs::t_enter", [&](auto out) { return ray_into({.t_enter = out}); }, t.out_numbers);
    calls(
        "RayOutputs::t_exit", [&](auto out) { return ray_into({.t_exit = out}); }, t.out_numbers);
    calls(
        "RayOutputs::face", [&](auto out) { return ray_into({.face = out}); }, faces);
    calls(
        "RayOutputs::hit_bits", [&](auto out) { return ray_into({.hit_bits = out}); }, t.out_bits);
    calls(
        "ray_boxes", [&](auto rays, auto out) { return ray_boxes(rays, boxes, {}, out); }, t.rays,
        t.out_bits);
    calls(
        "ray_boxes",
        [&](auto rays, auto pairs) {
            return ray_boxes(rays, boxes, pairs, {}, RayOutputs{.t_enter = t.out_numbers});
        },
        t.rays, t.pairs);
    calls(
        "closest_hits", [&](auto rays, auto out) { return closest_hits(rays, boxes, {}, out); }, t.rays,
        t.room<TreeHit>());
    const PreparedRay prepared_ray = prepare_ray(ray);
    const Ray4 ray4 = prepare_ray4(t.rays);
    calls(
        "ray_boxes", [&](auto... spans) { return ray_boxes(prepared_ray, spans...); },
        std::span<const Box4>(t.room<Box4>().first(2)), t.room<Mask4>(), t.out_numbers);
    calls(
        "ray_boxes", [&](auto... out) { return ray_boxes(ray4, boxes, out...); }, t.room<Mask4>(),
        t.out_numbers);
    // No status: the result of no ray.
    calls(
        "prepare_ray4",
        [&](auto rays) {
            const Ray4 packet = prepare_ray4(rays);
            return packet.t_max[0] == ray4.t_max[0] ? Status::ok : Status::invalid_argument;
        },
        t.rays);
    const auto sphere_ray_into = [&](const RayOutputs& out) {
        return ray_spheres(ray, t.spheres_soa, {}, out);
    };
    calls(
        "RayOutputs::t_enter", [&](auto out) { return sphere_ray_into({.t_enter = out}); }, t.out_numbers);
    calls(
        "RayOutputs::t_exit", [&](auto out) { return sphere_ray_into({.t_exit = out}); }, t.out_numbers);
    calls(
        "RayOutputs::face", [&](auto out) { return sphere_ray_into({.face = out}); }, faces);
    calls(
        "RayOutputs::hit_bits", [&](auto out) { return sphere_ray_into({.hit_bits = out}); }, t.out_bits);
    calls(
        "closest_hits", [&](auto rays, auto out) { return closest_hits(rays, t.spheres_soa, {}, out); },
        t.rays, t.room<TreeHit>());

    // Points and bounds.
    const auto points_into = [&](const ClosestPointOutputs& out) { return closest_points(boxes, {}, out); };
    calls(
        "ClosestPointOutputs::x", [&](auto out) { return points_into({.x = out}); }, t.out_numbers);
    calls(
        "ClosestPointOutputs::y", [&](auto out) { return points_into({.y = out}); }, t.out_numbers);
    calls(
        "ClosestPointOutputs::z", [&](auto out) { return points_into({.z = out}); }, t.out_numbers);
    calls(
        "ClosestPointOutputs::distance_sq", [&](auto out) { return points_into({.distance_sq = out}); },
        t.out_numbers);
    calls(
        "closest_points", [&](auto list) { return closest_points(list, {}, {.x = t.out_numbers}); }, t.obbs);
    float* const column = t.out_number_list;
    const BoxSoaSpan out_boxes = {column, column, column, column, column, column, 8};
    calls(
        "bounds", [&](auto list) { return bounds(list, Rounding::nearest, out_boxes); }, t.obbs);
    calls(
        "transformed_bounds",
        [&](auto list) { return transformed_bounds(list, boxes, Rounding::nearest, out_boxes); },
        t.transforms);

    // Meshes, and scenes of them, which have the same queries.
    TriangleMesh built;
    calls(
        "TriangleMesh::build", [&](auto... spans) { return built.build(spans...); }, t.corners,
        t.corner_indices);
    std::vector<std::byte> mesh_bytes(t.mesh.snapshot_bytes());
    calls(
        "TriangleMesh::save", [&](auto out) { return t.mesh.save(out); }, std::span<std::byte>(mesh_bytes));
    calls(
        "TriangleMesh::restore", [&](auto bytes) { return built.restore(bytes); },
        std::span<const std::byte>(mesh_bytes));
    calls(
        "TriangleMesh::first_overlaps",
        [&](auto shapes, auto out) { return t.mesh.first_overlaps(shapes, 1, {}, out); }, t.spheres,
        t.room<std::uint32_t>().first(1));
    const auto ask = [&]<class Hit, class RayHit, class Overlap, class Impact, class Point>(
                         const std::string& of, const auto& asked, auto& state_scratch, const Hit&,
                         const RayHit&, const Overlap&, const Impact&, const Point&) {
        calls(
            of + "::closest_hits", [&](auto rays, auto out) { return asked.closest_hits(rays, {}, out); },
            t.rays, t.room<Hit>());
        calls(
            of + "::any_hit", [&](auto rays, auto out) { return asked.any_hit(rays, {}, out); }, t.rays,
            t.out_bits);
        calls(
            of + "::find_hits",
            [&](auto rays, auto out) { return asked.find_hits(rays, {}, state_scratch, out); }, t.rays,
            t.room<RayHit>());
        const auto ask_shapes = [&](auto shapes) {
            calls(
                of + "::find_overlaps",
                [&](auto list, auto out) { return asked.find_overlaps(list, {}, state_scratch, out); },
                shapes, t.room<Overlap>());
            calls(
                of + "::any_overlap", [&](auto list, auto out) { return asked.any_overlap(list, {}, out); },
                shapes, t.out_bits);
        };
        ask_shapes(t.spheres);
        ask_shapes(t.obbs);
        ask_shapes(t.aabbs);
        ask_shapes(t.capsules);
        const auto ask_casts = [&]<class Shape>(std::span<const Shape>) {
            const std::vector<Cast<Shape>> casts(2);
            const std::span<const Cast<Shape>> list = casts;
            calls(
                of + "::closest_hits",
                [&](auto asked_casts, auto out) { return asked.closest_hits(asked_casts, {}, out); }, list,
                t.room<Impact>());
            calls(
                of + "::find_hits",
                [&](auto asked_casts, auto out) {
                    return asked.find_hits(asked_casts, {}, state_scratch, out);
                },
                list, t.room<Listed<Impact>>());
            calls(
                of + "::any_hit",
                [&](auto asked_casts, auto out) { return asked.any_hit(asked_casts, {}, out); }, list,
                t.out_bits);
        };
        ask_casts(t.obbs);
        ask_casts(t.spheres);
        ask_casts(t.capsules);
        calls(
            of + "::closest_points",
            [&](auto points, auto out) { return asked.closest_points(points, {}, out); }, t.points,
            t.room<Point>());
        calls(
            of + "::contain", [&](auto points, auto out) { return asked.contain(points, {}, out); }, t.points,
            t.out_bits);
        calls(
            of + "::signed_distances",
            [&](auto points, auto out) { return asked.signed_distances(points, {}, out); }, t.points,
            t.out_numbers);
    };
    MeshScratch mesh_scratch;
    SceneScratch scene_scratch;
    ask("TriangleMesh", t.mesh, mesh_scratch, MeshHit{}, Listed<MeshHit>{}, IndexPair{}, MeshImpact{},
        MeshClosestPoint{});
    ask("MeshScene", t.scene, scene_scratch, SceneHit{}, Listed<SceneHit>{}, Listed<SceneTriangle>{},
        SceneImpact{}, SceneClosestPoint{});
    MeshScene scene;
    calls(
        "MeshScene::build", [&](auto placed) { return scene.build(placed); }, t.placed);
    calls(
        "MeshScene::update", [&](auto places) { return scene.update(places); }, t.transforms);
    MeshScratch pair_scratch;
    calls(
        "find_triangle_pairs",
        [&](auto out) { return find_triangle_pairs(t.placed[0], t.placed[1], pair_scratch, out); },
        t.room<TrianglePair>());
    SphereTree sphere_tree;
    calls(
        "SphereTree::build", [&](auto parts) { return sphere_tree.build(parts); }, t.spheres);
    const PlacedSphereTree placed_tree = {&sphere_tree, {}};
    calls(
        "find_part_pairs",
        [&](auto out) { return find_part_pairs(placed_tree, placed_tree, pair_scratch, out); }, t.out_pairs);
    ClashScratch clash_scratch;
    calls(
        "find_clashes",
        [&](auto a, auto b) { return find_clashes(a, b, {}, clash_scratch, t.room<Clash>()); }, t.placed,
        t.placed);
    calls(
        "find_clashes", [&](auto placed) { return find_clashes(placed, {}, clash_scratch, t.room<Clash>()); },
        t.placed);
    calls(
        "ClashOutput::ClashOutput", [&](auto out) { return find_clashes(t.placed, {}, clash_scratch, out); },
        t.room<Clash>());

    // Movers and the stage.
    const std::vector<Mover> mover_list(2);
    const std::span<const Mover> movers = mover_list;
    const TriangleMesh* const mesh_list[2] = {&t.mesh, &t.mesh};
    const std::span<const TriangleMesh* const> meshes = mesh_list;
    calls(
        "step_movers", [&](auto list, auto out) { return step_movers(list, {}, {}, out); }, movers,
        t.room<MoverResult>());
    calls(
        "MoverObstacles::meshes",
        [&](auto list) { return step_movers(movers, {.meshes = list}, {}, t.room<MoverResult>()); }, meshes);
    CollisionStage stage;
    const std::vector<BoxCast> box_casts(2);
    const auto step = [&](const StageInput& input) { return stage.step(input); };
    calls(
        "StageInput::rays", [&](auto list) { return step({.rays = list}); }, t.rays);
    const std::vector<HitQueries> cast_lists(2, box_casts);
    const std::vector<OverlapQueries> overlap_lists(2, t.aabbs);
    calls(
        "StageInput::casts", [&](auto list) { return step({.casts = list}); },
        std::span<const HitQueries>(cast_lists));
    calls(
        "StageInput::overlaps", [&](auto list) { return step({.overlaps = list}); },
        std::span<const OverlapQueries>(overlap_lists));
    calls(
        "StageInput::obbs", [&](auto list) { return step({.obbs = list}); }, t.obbs);
    calls(
        "StageInput::obb_displacements",
        [&](auto list) { return step({.obbs = t.obbs, .obb_displacements = list}); }, t.points);
    calls(
        "StageInput::meshes", [&](auto list) { return step({.meshes = list}); }, meshes);
    calls(
        "StageInput::movers", [&](auto list) { return step({.movers = list}); }, movers);

    std::map<std::string, std::size_t> declared = declared_spans();
    for (const Exception& exception : kExceptions) declared.erase(exception.name);
    // Three kinds of list are given here, by one constructor.
    declared["ListOutput::ListOutput"] += 2;
    // By rays against boxes and against spheres.
    for (const std::string field : {"t_enter", "t_exit", "face", "hit_bits"})
        declared["RayOutputs::" + field] *= 2;
    // Four kinds of shape or query are given here, as one list, and three of cast.
    for (const std::string of : {"TriangleMesh", "MeshScene"}) {
        declared[of + "::find_overlaps"] *= 4;
        declared[of + "::any_overlap"] *= 4;
        declared[of + "::any_hit"] *= 4;
        declared[of + "::closest_hits"] *= 2;
        declared[of + "::find_hits"] *= 2;
    }
    for (const auto& [name, count] : declared) {
        INFO(name);
        const auto called = calls.counts().find(name);
        REQUIRE(called != calls.counts().end());
        CHECK(called->second == count);
    }
    CHECK(declared.size() > 90);
}

TEST_CASE("a volume with null planes and a count is no valid shape, and finds nothing") {
    const ConvexVolume volume = {std::span<const Plane>(static_cast<const Plane*>(nullptr), 4)};
    CHECK_FALSE(is_valid(volume));
    CHECK(is_valid(ConvexVolume{}));
    BoxSoa boxes;
    REQUIRE(boxes.push_back({{0, 0, 0}, {1, 1, 1}}) == Status::ok);
    BoxTree tree;
    REQUIRE(tree.build(boxes) == Status::ok);
    CHECK_FALSE(tree.any_overlap(volume));
    CHECK(tree.any_overlap(ConvexVolume{}));
    CHECK_FALSE(overlap(volume, boxes[0]));
}

TEST_CASE("the word count of a bit count never falls as the bit count rises") {
    CHECK(bit_word_count(0) == 0);
    CHECK(bit_word_count(1) == 1);
    CHECK(bit_word_count(64) == 1);
    CHECK(bit_word_count(65) == 2);
    CHECK(bit_word_count(SIZE_MAX) == SIZE_MAX / 64 + 1);
}
