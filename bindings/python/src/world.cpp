// World: objects in batches by arrays of handles, the lists of an update, and what queries find. Threads share a world
// by its lock.
#include "lock.hpp"
#include "queries.hpp"

#include <broadside/world_view.hpp>

#include <shared_mutex>
#include <type_traits>

namespace broadside::python {
namespace {

using Handles = py::array_t<std::uint64_t, py::array::c_style>;

std::vector<ObjectHandle> handles_of(const Handles& handles) { return items_of<ObjectHandle>(handles); }
std::uint64_t number(ObjectHandle handle) { return handle.value; }

/// One number for all objects, or one for each.
template <class Number>
class Column {
public:
    explicit Column(const py::handle& array)
        : numbers_(items_of<Number>(py::cast<py::array_t<Number, py::array::c_style>>(array))) {}
    bool is_common() const { return numbers_.size() == 1; }
    Number operator[](std::size_t i) const { return numbers_[is_common() ? 0 : i]; }

private:
    std::vector<Number> numbers_;
};

/// What broadside/_world.py has for all objects of a batch or for each, in the order of its table FIELDS.
struct Fields {
    explicit Fields(const py::tuple& fields)
        : kind(fields[0]),
          category(fields[1]),
          mask(fields[2]),
          group(fields[3]),
          layer(fields[4]),
          margin(fields[5]),
          user_data(fields[6]) {
        if (!fields[7].is_none()) displacements = items_of<Vec3>(py::cast<FloatRows>(fields[7]));
    }
    bool are_common() const {
        return kind.is_common() && category.is_common() && mask.is_common() && group.is_common() &&
               layer.is_common() && margin.is_common() && user_data.is_common() && displacements.empty();
    }
    ObjectDescription operator[](std::size_t i) const {
        ObjectDescription one;
        one.kind = static_cast<ObjectKind>(kind[i]);
        one.filter = {category[i], mask[i], group[i], layer[i]};
        one.margin = margin[i];
        one.user_data = user_data[i];
        if (!displacements.empty()) one.displacement = displacements[i];
        return one;
    }

    Column<std::uint8_t> kind;
    Column<std::uint64_t> category;
    Column<std::uint64_t> mask;
    Column<std::int32_t> group;
    Column<std::uint16_t> layer;
    Column<float> margin;
    Column<std::uint64_t> user_data;
    std::vector<Vec3> displacements;
};

/// A row of `objects`.
struct ObjectRow {
    float box[6];
    std::uint8_t kind;
    std::uint64_t category;
    std::uint64_t mask;
    std::int32_t group;
    std::uint16_t layer;
    float margin;
    std::uint64_t user_data;
    float displacement[3];
};

/// A kind by its word.
bool kind_of(py::handle word, ObjectKind& out) {
    if (PyUnicode_CheckExact(word.ptr()) == 0) return false;
    constexpr std::pair<const char*, ObjectKind> kWords[] = {
        {"moving", ObjectKind::moving}, {"resting", ObjectKind::resting}, {"fixed", ObjectKind::fixed}};
    for (const auto& [known, kind] : kWords) {
        if (PyUnicode_CompareWithASCIIString(word.ptr(), known) != 0) continue;
        out = kind;
        return true;
    }
    return false;
}

/// Sets what is given of a filter: whole numbers, and a group that Python has as an int. None leaves a part as it is; false for
/// anything else.
bool filter_of(py::handle category, py::handle mask, py::handle group, py::handle layer, ObjectFilter& out) {
    if (!layer.is_none()) {
        std::uint64_t whole = 0;
        if (!whole_of(layer, whole) || whole > std::numeric_limits<std::uint16_t>::max()) return false;
        out.layer = static_cast<std::uint16_t>(whole);
    }
    if (!group.is_none()) {
        if (PyLong_CheckExact(group.ptr()) == 0) return false;
        int is_beyond = 0;
        const long long whole = PyLong_AsLongLongAndOverflow(group.ptr(), &is_beyond);
        out.group = static_cast<std::int32_t>(whole);
        if (is_beyond != 0 || out.group != whole) return false;
    }
    return (category.is_none() || whole_of(category, out.category)) &&
           (mask.is_none() || whole_of(mask, out.mask));
}
/// A margin of floats.
bool margin_of(py::handle number, float& out) {
    double reach = 0;
    if (!reach_of(number, reach)) return false;
    out = float_of(reach);
    return std::isfinite(out);
}

/// The queries of a world or view, while nothing changes it.
struct HeldQueries {
    std::shared_lock<std::shared_mutex> lock;
    /// Null if the query must be made as a batch.
    const WorldQueries* queries;
    /// Whether the order of results is that of the slots for certain.
    bool is_by_slot;
};

/// Layers as a `Where` has them: the bits of a number or, if that has not enough, of bytes, which are kept. False for
/// anything else.
struct WhereLayers {
    bool read(py::handle given, WorldQuerySettings& out) {
        if (PyBytes_CheckExact(given.ptr()) == 0) return whole_of(given, out.layers);
        table = py::reinterpret_borrow<py::object>(given);
        out.user = PyBytes_AS_STRING(table.ptr());
        out.accepts_layer = [](void* bytes, std::uint32_t layer) noexcept {
            return (static_cast<const unsigned char*>(bytes)[layer / 8] >> layer % 8 & 1) != 0;
        };
        return PyBytes_GET_SIZE(table.ptr()) == kLayerCount / 8;
    }
    py::object table;
};

/// The objects that one query may find.
struct OneSettings : WorldQuerySettings {
    std::uint64_t mask = 0;
    WhereLayers where_layers;
};
/// The same of None or of a `Where` without masks or with one; false for anything else.
bool settings_of(py::handle where, OneSettings& out) {
    if (where.is_none()) return true;
    const auto field = [&](const char* name) {
        return py::reinterpret_steal<py::object>(PyObject_GetAttrString(where.ptr(), name));
    };
    std::uint64_t kinds = 0;
    const py::object named_kinds = field("kinds");
    const py::object layers = named_kinds ? field("layers") : py::object();
    const py::object masks = layers ? field("masks") : py::object();
    if (!masks) PyErr_Clear();
    if (!masks || !whole_of(named_kinds, kinds) || !out.where_layers.read(layers, out)) return false;
    if (!masks.is_none()) {
        if (!whole_of(masks, out.mask)) return false;
        out.masks = std::span(&out.mask, 1);
    }
    out.kinds = static_cast<std::uint32_t>(kinds);
    return true;
}

Aabb object_box(const World& world, ObjectHandle object) { return world.description(object).box; }
Aabb object_box(const WorldView& view, ObjectHandle object) { return view.box(object); }

/// One query, which broadside/_world.py tries first; `hold` of `Self` gives HeldQueries, `read_one` what is known of one object.
/// None for what is out of the ordinary.
template <class Self>
class OneQueries {
public:
    py::object query_one(py::handle shape, py::handle where) {
        OneSettings settings;
        Few<std::uint64_t> few;
        bool has_seen_all = true;
        const auto visitor = [&](ObjectHandle object) { return has_seen_all = few.put(object.value); };
        if (!settings_of(where, settings) || !with_shape(shape, [&](const OverlapQuery& one) {
                const HeldQueries held = self().hold();
                return held.queries && held.is_by_slot &&
                       held.queries->visit_overlaps(one, settings, visitor) == Status::ok && has_seen_all;
            }))
            return py::none();
        return few.array([](std::uint64_t a, std::uint64_t b) {
            return static_cast<std::uint32_t>(a) < static_cast<std::uint32_t>(b);
        });
    }
    py::object any_one(py::handle shape, py::handle where) {
        OneSettings settings;
        bool has_one = false;
        if (!settings_of(where, settings) || !with_shape(shape, [&](const OverlapQuery& one) {
                const HeldQueries held = self().hold();
                if (held.queries) has_one = held.queries->any_overlap(one, settings);
                return held.queries != nullptr;
            }))
            return py::none();
        return py::bool_(has_one);
    }
    /// Time, object and face of one of `Rays` or `Casts`.
    py::object closest_hit_one(py::handle query, py::handle where) {
        OneSettings settings;
        WorldHit hit;
        if (!settings_of(where, settings) || !with_hit_query(query, 3, [&](const HitQuery& one) {
                const HeldQueries held = self().hold();
                if (held.queries) hit = held.queries->closest_hit(one, settings);
                return held.queries != nullptr;
            }))
            return py::none();
        return py::make_tuple(t_or_infinity(hit.t), hit.target.value, static_cast<int>(hit.face));
    }
    /// All hits of the same.
    py::object find_hits_one(py::handle query, py::handle where) {
        OneSettings settings;
        FewHits<WorldWords> few;
        if (!settings_of(where, settings) || !with_hit_query(query, 3, [&](const HitQuery& one) {
                const HeldQueries held = self().hold();
                return held.queries && held.is_by_slot && few.find(*held.queries, one, settings);
            }))
            return py::none();
        return hit_columns<WorldWords>(few.list());
    }
    py::object nearest_one(py::handle point, py::handle count, py::handle max_distance, py::handle where) {
        Vec3 from;
        std::uint64_t most = 0;
        double reach = 0;
        OneSettings settings;
        if (!whole_of(count, most) || most == 0 || most > kMostNearest || !reach_of(max_distance, reach) ||
            !vector_of(point, 3, from) || !settings_of(where, settings))
            return py::none();
        HeldQueries held = self().hold();
        if (!held.queries) return py::none();
        ClosestObject nearest[kMostNearest];
        const ClosestBoxSettings near = {.count = static_cast<std::uint32_t>(most),
                                         .max_distance = float_of(reach)};
        const Status status =
            held.queries->closest_objects(from, near, settings, std::span(nearest, most)).status;
        held.lock = {};
        if (status != Status::ok) return py::none();
        return nearest_result<float, std::uint64_t>(
            std::span<const ClosestObject>(nearest, most), [](const ClosestObject& object) {
                return std::tuple(std::sqrt(t_or_infinity(object.distance_sq)), object.target.value);
            });
    }
    py::object ray_one(py::handle origin, py::handle direction, py::handle reach) {
        Ray ray;
        if (!ray_of(origin, direction, reach, 3, ray)) return py::none();
        HeldQueries held = self().hold();
        if (!held.queries) return py::none();
        const WorldHit hit = held.queries->closest_hit(ray);
        held.lock = {};
        return py::make_tuple(t_or_infinity(hit.t), hit.target.value);
    }
    /// Points, rays and objects of all hits, or of the first.
    py::object locations_one(py::handle origin, py::handle direction, py::handle reach, bool has_all) {
        Ray ray;
        std::array<double, 3> from;
        std::array<double, 3> along;
        if (!ray_of(origin, direction, reach, 3, ray) || !point_of(origin, 3, from) ||
            !point_of(direction, 3, along))
            return py::none();
        HeldQueries held = self().hold();
        if (!held.queries || !held.is_by_slot) return py::none();
        return locations_of_one<WorldWords>(*held.queries, from, along, 3, ray, has_all,
                                            [&] { held.lock = {}; });
    }

    py::object is_alive_one(py::handle handle) {
        ObjectHandle object;
        if (!whole_of(handle, object.value)) return py::none();
        const std::optional<bool> is_alive = self().is_alive_now(object);
        return is_alive ? py::object(py::bool_(*is_alive)) : py::none();
    }
    py::object user_data_one(py::handle handle) {
        const auto data = self().read_one(
            handle, [](const auto& objects, ObjectHandle object) { return objects.user_data(object); });
        return data ? py::object(py::int_(*data)) : py::none();
    }
    py::object box_one(py::handle handle) {
        const auto box = self().read_one(
            handle, [](const auto& objects, ObjectHandle object) { return object_box(objects, object); });
        if (!box) return py::none();
        auto [array, out] = new_array<float>(6);
        std::memcpy(out, &*box, sizeof *box);
        return std::move(array);
    }

    template <class Class>
    static void bind(Class& bound) {
        bound.def("query_one", &Self::query_one)
            .def("any_one", &Self::any_one)
            .def("nearest_one", &Self::nearest_one)
            .def("ray_one", &Self::ray_one)
            .def("closest_hit_one", &Self::closest_hit_one)
            .def("find_hits_one", &Self::find_hits_one)
            .def("locations_one", &Self::locations_one)
            .def("is_alive_one", &Self::is_alive_one)
            .def("user_data_one", &Self::user_data_one)
            .def("box_one", &Self::box_one);
    }

private:
    Self& self() { return static_cast<Self&>(*this); }
    /// Calls `call` with a box or one of `Spheres`, `Capsules` or `Obbs`; false for anything else.
    template <class Call>
    static bool with_shape(py::handle shape, const Call& call) {
        if (is_row(shape)) {
            std::array<float, kMaxRow> row;
            return box_row_of<float, true>(shape, 3, row) && call(box_of(row, 3));
        }
        QueryRow row;
        return row.read(shape, QueryRow::names().shape, 3) &&
               row.visit<Sphere, Capsule, Obb>(kSphereKind, call);
    }
};

/// The objects that a query may find, kept during a call: kinds and layers, and a mask for each query.
struct WhereMasks {
    explicit WhereMasks(const py::tuple& where) {
        if (!layers.read(where[1], given)) throw py::value_error("where.layers: neither 64 bits nor 65,536");
        given.kinds = py::cast<std::uint32_t>(where[0]);
        if (!where[2].is_none()) masks = items_of<std::uint64_t>(py::cast<Handles>(where[2]));
    }
    WorldQuerySettings settings() const {
        WorldQuerySettings with = given;
        with.masks = masks;
        return with;
    }

    WorldQuerySettings given;
    WhereLayers layers;
    std::vector<std::uint64_t> masks;
};

/// Fills `out` by `call` of each object; the row of the first handle that names none.
template <class Item, class Objects, class Call>
BatchResult fill_each(const Objects& objects, const std::vector<ObjectHandle>& named, Item* out,
                      const Call& call) {
    for (std::size_t i = 0; i < named.size(); ++i) {
        if (!objects.is_alive(named[i])) return {Status::invalid_argument, i};
    }
    for (std::size_t i = 0; i < named.size(); ++i) out[i] = call(named[i]);
    return {};
}

/// A world as it was; nothing changes it, so that it needs no lock.
class PyWorldView : public BatchQueries<PyWorldView, WorldWords>, public OneQueries<PyWorldView> {
public:
    PyWorldView(WorldView view, bool is_by_slot) : view_(std::move(view)), is_by_slot_(is_by_slot) {}

    HeldQueries hold() { return {{}, &view_.queries(), is_by_slot_}; }
    std::optional<bool> is_alive_now(ObjectHandle object) const { return view_.is_alive(object); }
    /// What `call` says of an object; none for anything else.
    template <class Call>
    std::optional<std::invoke_result_t<Call, const WorldView&, ObjectHandle>> read_one(
        py::handle handle, const Call& call) const {
        ObjectHandle object;
        if (!whole_of(handle, object.value) || !view_.is_alive(object)) return std::nullopt;
        return call(view_, object);
    }
    py::array are_alive(const Handles& handles) {
        const std::vector<ObjectHandle> named = handles_of(handles);
        auto [array, out] = new_array<bool>(named.size());
        std::transform(named.begin(), named.end(), out,
                       [&](ObjectHandle handle) { return view_.is_alive(handle); });
        return std::move(array);
    }
    py::array boxes(const Handles& handles) {
        const std::vector<ObjectHandle> named = handles_of(handles);
        auto [array, out] = new_array<float>(named.size(), 6);
        static_assert(sizeof(Aabb) == 6 * sizeof(float));
        check_batch(fill_each(view_, named, reinterpret_cast<Aabb*>(out),
                              [&](ObjectHandle handle) { return view_.box(handle); }));
        return std::move(array);
    }
    py::array user_data(const Handles& handles) {
        const std::vector<ObjectHandle> named = handles_of(handles);
        auto [array, out] = new_array<std::uint64_t>(named.size());
        check_batch(
            fill_each(view_, named, out, [&](ObjectHandle handle) { return view_.user_data(handle); }));
        return std::move(array);
    }

private:
    friend class BatchQueries<PyWorldView, WorldWords>;
    using Masks = WhereMasks;

    template <class Call>
    Status with_queried(const WorldQuerySettings&, const Call& call) {
        return call(view_.queries());
    }

    WorldView view_;
    bool is_by_slot_;
};

class PyWorld : public BatchQueries<PyWorld, WorldWords>, public OneQueries<PyWorld> {
public:
    PyWorld(bool by_user_data, bool do_fixed_objects_pair, std::size_t max_objects, std::size_t max_pairs)
        : world_(WorldSettings{.order = by_user_data ? WorldOrder::user_data : WorldOrder::slot,
                               .fixed_objects_pair = do_fixed_objects_pair,
                               .max_object_count = max_objects,
                               .max_pair_count = max_pairs}),
          is_by_slot_(!by_user_data) {}

    // Objects.

    py::array add(const py::array& min, const py::array& max, const py::tuple& columns) {
        const Fields fields(columns);
        auto [array, out] = new_array<std::uint64_t>(static_cast<std::size_t>(min.shape(0)));
        static_assert(sizeof(ObjectHandle) == sizeof(std::uint64_t));
        const std::span handles(reinterpret_cast<ObjectHandle*>(out), static_cast<std::size_t>(min.shape(0)));
        check_batch(with_float_boxes(min, max, [&, handles = handles](const FloatBoxes& boxes) {
            if (fields.are_common())
                return change_([&] { return world_.add(boxes.view(), fields[0], handles); });
            std::vector<ObjectDescription> descriptions(handles.size());
            for (std::size_t i = 0; i < descriptions.size(); ++i) {
                descriptions[i] = fields[i];
                descriptions[i].box = boxes.view()[i];
            }
            return change_([&] { return world_.add(descriptions, handles); });
        }));
        return std::move(array);
    }
    void remove(const Handles& handles) {
        change(handles, [&](const auto& named) { return world_.remove(named); });
    }
    void set_boxes(const Handles& handles, const py::array& min, const py::array& max,
                   std::uint32_t workers) {
        const std::vector<ObjectHandle> named = handles_of(handles);
        const CallRunner runner(workers);
        check_batch(with_float_boxes(min, max, [&](const FloatBoxes& boxes) {
            return change_([&] { return world_.set_boxes(named, boxes.view(), runner.get()); }, named.size());
        }));
    }
    /// One box with the GIL, unless something is out of the ordinary.
    bool set_box_one(py::handle handle, py::handle box) {
        std::array<float, kMaxRow> row;
        return box_row_of<float, true>(box, 3, row) && change_one(handle, [&](ObjectHandle object) {
                   return world_.set_box(object, box_of(row, 3));
               });
    }
    /// One object with the GIL, of numbers; its handle, or None if something is out of the ordinary.
    py::object add_one(py::handle box, py::handle kind, py::handle category, py::handle mask,
                       py::handle group, py::handle layer, py::handle margin, py::handle user_data) {
        std::array<float, kMaxRow> row;
        ObjectDescription one;
        const bool has_filter =
            !category.is_none() && !mask.is_none() && !group.is_none() && !layer.is_none();
        if (!has_filter || !filter_of(category, mask, group, layer, one.filter) ||
            !box_row_of<float, true>(box, 3, row) || !kind_of(kind, one.kind) ||
            !margin_of(margin, one.margin) || !whole_of(user_data, one.user_data))
            return py::none();
        one.box = box_of(row, 3);
        auto lock = lock_.try_write();
        if (!lock) return py::none();
        forget_queries(1);
        const ObjectHandle handle = world_.add(one);
        lock.unlock();
        return handle == ObjectHandle() ? py::object(py::none()) : py::int_(handle.value);
    }
    bool remove_one(py::handle handle) {
        return change_one(handle, [&](ObjectHandle object) { return world_.remove(object); });
    }
    bool set_displacement_one(py::handle handle, py::handle displacement) {
        Vec3 way;
        return vector_of(displacement, 3, way) && change_one(handle, [&](ObjectHandle object) {
                   return world_.set_displacements(std::span(&object, 1), {&way.x, &way.y, &way.z, 1}).status;
               });
    }
    bool set_margin_one(py::handle handle, py::handle margin) {
        float width = 0;
        return margin_of(margin, width) &&
               change_one(handle, [&](ObjectHandle object) { return world_.set_margin(object, width); });
    }
    bool set_kind_one(py::handle handle, py::handle word) {
        ObjectKind kind;
        return kind_of(word, kind) &&
               change_one(handle, [&](ObjectHandle object) { return world_.set_kind(object, kind); });
    }
    bool set_user_data_one(py::handle handle, py::handle user_data) {
        std::uint64_t data = 0;
        return whole_of(user_data, data) &&
               change_one(handle, [&](ObjectHandle object) { return world_.set_user_data(object, data); });
    }
    bool set_filter_one(py::handle handle, py::handle category, py::handle mask, py::handle group,
                        py::handle layer) {
        ObjectFilter given;
        return filter_of(category, mask, group, layer, given) && change_one(handle, [&](ObjectHandle object) {
                   ObjectFilter filter = world_.description(object).filter;
                   if (!category.is_none()) filter.category = given.category;
                   if (!mask.is_none()) filter.mask = given.mask;
                   if (!group.is_none()) filter.group = given.group;
                   if (!layer.is_none()) filter.layer = given.layer;
                   return world_.set_filter(object, filter);
               });
    }
    py::object pairs_of_one(py::handle handle) {
        ObjectHandle object;
        Few<std::uint64_t> few;
        bool has_seen_all = true;
        if (!whole_of(handle, object.value)) return py::none();
        auto lock = lock_.try_write();
        if (!lock) return py::none();
        for (const ObjectHandle other : world_.pairs_of(object))
            has_seen_all = has_seen_all && few.put(other.value);
        lock.unlock();
        return has_seen_all ? py::object(few.unsorted_array()) : py::none();
    }
    void set_displacements(const Handles& handles, const FloatRows& displacements) {
        const auto rows = items_of<Vec3>(displacements);
        std::vector<float> x, y, z;
        for (const Vec3& row : rows) {
            x.push_back(row.x);
            y.push_back(row.y);
            z.push_back(row.z);
        }
        const Vec3SoaView view = {x.data(), y.data(), z.data(), x.size()};
        change(handles, [&](const auto& named) { return world_.set_displacements(named, view); });
    }
    void set_margin(const Handles& handles, const py::array& margins) {
        set_each(handles, Column<float>(margins), [&](std::span<const ObjectHandle> named, float margin) {
            return world_.set_margin(named, margin);
        });
    }
    void set_kind(const Handles& handles, const py::array& kinds) {
        set_each(handles, Column<std::uint8_t>(kinds),
                 [&](std::span<const ObjectHandle> named, std::uint8_t kind) {
                     return world_.set_kind(named, static_cast<ObjectKind>(kind));
                 });
    }
    void set_user_data(const Handles& handles, const py::array& user_data) {
        set_each(handles, Column<std::uint64_t>(user_data),
                 [&](std::span<const ObjectHandle> named, std::uint64_t data) {
                     return world_.set_user_data(named, data);
                 });
    }
    /// None leaves a part of the filters as it is.
    void set_filter(const Handles& handles, const py::object& category, const py::object& mask,
                    const py::object& group, const py::object& layer) {
        const auto column = []<class Number>(const py::object& array, Number) {
            return array.is_none() ? std::nullopt : std::optional<Column<Number>>(array);
        };
        const auto categories = column(category, std::uint64_t{});
        const auto masks = column(mask, std::uint64_t{});
        const auto groups = column(group, std::int32_t{});
        const auto layers = column(layer, std::uint16_t{});
        change(handles, [&](const std::vector<ObjectHandle>& named) {
            const BatchResult first = first_dead(named);
            if (first.status != Status::ok) return first;
            for (std::size_t i = 0; i < named.size(); ++i) {
                ObjectFilter filter = world_.description(named[i]).filter;
                if (categories) filter.category = (*categories)[i];
                if (masks) filter.mask = (*masks)[i];
                if (groups) filter.group = (*groups)[i];
                if (layers) filter.layer = (*layers)[i];
                if (const Status status = world_.set_filter(named[i], filter); status != Status::ok)
                    return BatchResult{status, i};
            }
            return BatchResult{};
        });
    }
    py::array objects(const Handles& handles) {
        return of_each<ObjectRow>(handles, [&](ObjectHandle handle) {
            const ObjectDescription one = world_.description(handle);
            return ObjectRow{
                {one.box.min.x, one.box.min.y, one.box.min.z, one.box.max.x, one.box.max.y, one.box.max.z},
                static_cast<std::uint8_t>(one.kind),
                one.filter.category,
                one.filter.mask,
                one.filter.group,
                one.filter.layer,
                one.margin,
                one.user_data,
                {one.displacement.x, one.displacement.y, one.displacement.z}};
        });
    }
    py::array user_data(const Handles& handles) {
        return of_each<std::uint64_t>(handles, [&](ObjectHandle handle) { return world_.user_data(handle); });
    }
    py::array are_alive(const Handles& handles) {
        const std::vector<ObjectHandle> named = handles_of(handles);
        auto [array, out] = new_array<bool>(named.size());
        read([&, out = out] {
            for (std::size_t i = 0; i < named.size(); ++i) out[i] = world_.is_alive(named[i]);
        });
        return std::move(array);
    }
    py::array quarantined() {
        return numbers_array(read([&] {
            std::vector<ObjectHandle> handles(world_.quarantined_objects({}));
            handles.resize(std::min(world_.quarantined_objects(handles), handles.size()));
            return handles;
        }));
    }
    std::size_t object_count() {
        return read([&] { return world_.object_count(); });
    }
    py::array bounds() {
        const Aabb box = read([&] { return world_.bounds(); });
        auto [array, out] = new_array<float>(6);
        std::copy_n(
            std::initializer_list<float>{box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z}
                .begin(),
            6, out);
        return std::move(array);
    }
    void shift_origin(float x, float y, float z) {
        change({}, [&](const auto&) { return BatchResult{world_.shift_origin({x, y, z})}; });
    }
    void set_layers_pair(std::uint32_t a, std::uint32_t b, bool may_pair) {
        change({}, [&](const auto&) { return BatchResult{world_.set_layers_pair(a, b, may_pair)}; });
    }
    bool layers_pair(std::uint32_t a, std::uint32_t b) {
        return read([&] { return world_.layers_pair(a, b); });
    }

    // Pairs.

    /// What has begun and what has ended, of this update and no other one.
    py::tuple update(std::uint32_t workers) {
        const CallRunner runner(workers);
        std::vector<WorldPair> begun;
        std::vector<EndedPair> ended;
        std::vector<PairUserData> ended_user_data;
        UpdateResult result;
        const auto update_world = [&] {
            result = world_.update(runner.get());
            if (result.status == Status::ok) {
                begun.assign(world_.begun().begin(), world_.begun().end());
                ended.assign(world_.ended().begin(), world_.ended().end());
                ended_user_data.assign(world_.ended_user_data().begin(), world_.ended_user_data().end());
            }
            return BatchResult{result.status};
        };
        {
            const py::gil_scoped_release without_gil;
            // Moves no box.
            static_cast<void>(change_(update_world, 0));
        }
        check(result.status);
        return py::make_tuple(
            handle_pairs(begun), handle_pairs(ended),
            columns_of<std::uint64_t>(ended, [](const EndedPair& pair) { return std::tuple(pair.value); })[0],
            pairs_array<std::uint64_t>(ended_user_data,
                                       [](const PairUserData& data) { return std::tuple(data.a, data.b); }),
            static_cast<int>(result.path), result.changed_count);
    }
    py::array pairs() {
        return handle_pairs(alone([&] { return std::vector(world_.pairs().begin(), world_.pairs().end()); }));
    }
    py::array persisting() {
        return handle_pairs(
            alone([&] { return std::vector(world_.persisting().begin(), world_.persisting().end()); }));
    }
    std::size_t pair_count() {
        return read([&] { return world_.pair_count(); });
    }
    std::uint64_t pairs_hash() {
        return read([&] { return world_.pairs_hash(); });
    }
    /// The rows of the handles, and what they pair with.
    py::tuple pairs_of(const Handles& handles) {
        const std::vector<ObjectHandle> named = handles_of(handles);
        const auto rows = alone([&] {
            std::vector<std::pair<std::size_t, ObjectHandle>> found;
            for (std::size_t i = 0; i < named.size(); ++i) {
                for (const ObjectHandle other : world_.pairs_of(named[i])) found.emplace_back(i, other);
            }
            return found;
        });
        return columns_of<std::int64_t, std::uint64_t>(rows, [](const auto& row) {
            return std::tuple(static_cast<std::int64_t>(row.first), row.second.value);
        });
    }
    /// The values of pairs, which become others where some are given; the values that they had.
    py::array pair_values(const Handles& pairs, const py::object& values) {
        const auto named = items_of<WorldPair>(pairs);
        std::optional<Column<std::uint64_t>> column;
        if (!values.is_none()) column.emplace(values);
        auto [array, out] = new_array<std::uint64_t>(named.size());
        check_batch(alone([&, out = out] {
            for (std::size_t i = 0; i < named.size(); ++i) {
                const std::uint64_t* const value = world_.pair_value(named[i].a, named[i].b);
                if (value == nullptr) return BatchResult{Status::invalid_argument, i};
                out[i] = *value;
            }
            for (std::size_t i = 0; column && i < named.size(); ++i)
                *world_.pair_value(named[i].a, named[i].b) = (*column)[i];
            return BatchResult{};
        }));
        return std::move(array);
    }
    py::array boxes_overlap(const Handles& pairs) {
        const auto named = items_of<WorldPair>(pairs);
        auto [array, out] = new_array<bool>(named.size());
        check_batch(read([&, out = out] {
            for (std::size_t i = 0; i < named.size(); ++i) {
                if (!world_.is_alive(named[i].a) || !world_.is_alive(named[i].b))
                    return BatchResult{Status::invalid_argument, i};
                out[i] = world_.boxes_overlap(named[i].a, named[i].b);
            }
            return BatchResult{};
        }));
        return std::move(array);
    }

    /// The world as it is, for queries that later changes do not touch.
    PyWorldView view(std::uint32_t workers) {
        const CallRunner runner(workers);
        const py::gil_scoped_release without_gil;
        WorldView view = lock_.write([&] { return world_.view(runner.get()); });
        check(view.status());
        return {std::move(view), is_by_slot_};
    }

    // For OneQueries; none if many objects have changed since the last query, because their trees take a while.
    HeldQueries hold() {
        auto lock = lock_.try_read();
        if (lock && !queries_ && changed_count_ <= kFewChanges) {
            lock.unlock();
            if (const auto alone = lock_.try_write()) static_cast<void>(prepare_queries(nullptr));
            lock = lock_.try_read();
        }
        const bool has_queries = lock && queries_;
        return {std::move(lock), has_queries ? &*queries_ : nullptr, is_by_slot_};
    }

    std::optional<bool> is_alive_now(ObjectHandle object) {
        const auto lock = lock_.try_read();
        return lock ? std::optional(world_.is_alive(object)) : std::nullopt;
    }
    /// What `call` says of an object, with the GIL; none for anything else.
    template <class Call>
    std::optional<std::invoke_result_t<Call, const World&, ObjectHandle>> read_one(py::handle handle,
                                                                                   const Call& call) {
        ObjectHandle object;
        if (!whole_of(handle, object.value)) return std::nullopt;
        const auto lock = lock_.try_read();
        if (!lock || !world_.is_alive(object)) return std::nullopt;
        return call(std::as_const(world_), object);
    }

    // The world as bytes.

    py::bytes save() {
        while (true) {
            const std::size_t count = read([&] { return world_.snapshot_bytes(); });
            auto bytes = py::reinterpret_steal<py::bytes>(
                PyBytes_FromStringAndSize(nullptr, static_cast<py::ssize_t>(count)));
            if (!bytes) throw std::bad_alloc();
            auto* const data = reinterpret_cast<std::byte*>(PyBytes_AS_STRING(bytes.ptr()));
            // Another thread may have changed the world meanwhile: then the bytes are others in number.
            const Status status = read([&] {
                return world_.snapshot_bytes() == count ? world_.save({data, count})
                                                        : Status::capacity_exceeded;
            });
            if (status == Status::capacity_exceeded) continue;
            check(status);
            return bytes;
        }
    }
    void restore(const py::bytes& bytes) {
        const auto* const data = reinterpret_cast<const std::byte*>(PyBytes_AS_STRING(bytes.ptr()));
        const auto count = static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr()));
        change({}, [&](const auto&) {
            is_by_slot_ = false;
            return BatchResult{world_.restore({data, count})};
        });
    }

private:
    friend class BatchQueries<PyWorld, WorldWords>;

    using Masks = WhereMasks;
    // A single query waits for the trees of so few with the GIL: about a microsecond each.
    static constexpr std::size_t kFewChanges = 64;
    static constexpr std::size_t kManyChanges = std::numeric_limits<std::size_t>::max();

    static py::array numbers_array(const std::vector<ObjectHandle>& handles) {
        auto [array, out] = new_array<std::uint64_t>(handles.size());
        std::transform(handles.begin(), handles.end(), out, number);
        return std::move(array);
    }
    template <class Pair>
    static py::array handle_pairs(const std::vector<Pair>& pairs) {
        return pairs_array<std::uint64_t>(
            pairs, [](const Pair& pair) { return std::tuple(pair.a.value, pair.b.value); });
    }
    BatchResult first_dead(const std::vector<ObjectHandle>& named) const {
        for (std::size_t i = 0; i < named.size(); ++i) {
            if (!world_.is_alive(named[i])) return {Status::invalid_argument, i};
        }
        return {};
    }
    /// What `call` says of each object.
    template <class Item, class Call>
    py::array of_each(const Handles& handles, const Call& call) {
        const std::vector<ObjectHandle> named = handles_of(handles);
        auto [array, out] = new_array<Item>(named.size());
        check_batch(read([&, out = out] { return fill_each(world_, named, out, call); }));
        return std::move(array);
    }
    /// Sets one value for all, or one for each.
    template <class Number, class Call>
    void set_each(const Handles& handles, const Column<Number>& values, const Call& call) {
        change(handles, [&](const std::vector<ObjectHandle>& named) {
            if (values.is_common()) return call(named, values[0]);
            BatchResult result = first_dead(named);
            for (std::size_t i = 0; i < named.size() && result.status == Status::ok; ++i)
                result = call(std::span(named).subspan(i, 1), values[i]);
            return result;
        });
    }

    // All calls wait for the lock without the GIL; what they return must be no Python object.

    template <class Call>
    std::invoke_result_t<Call> read(const Call& call) {
        const py::gil_scoped_release without_gil;
        return lock_.read(call);
    }
    // Calls that change nothing that a query sees, and yet must be alone.
    template <class Call>
    std::invoke_result_t<Call> alone(const Call& call) {
        const py::gil_scoped_release without_gil;
        return lock_.write(call);
    }
    // A change of so many objects' boxes, or of anything, without the GIL.
    template <class Call>
    BatchResult change_(const Call& call, std::size_t count = kManyChanges) {
        return lock_.write([&] {
            forget_queries(count);
            return call();
        });
    }
    /// Changes one object with the GIL, unless something is out of the ordinary.
    template <class Call>
    bool change_one(py::handle handle, const Call& call) {
        ObjectHandle object;
        if (!whole_of(handle, object.value)) return false;
        const auto lock = lock_.try_write();
        if (!lock || !world_.is_alive(object)) return false;
        forget_queries(1);
        return call(object) == Status::ok;
    }
    void forget_queries(std::size_t changed_count) {
        queries_.reset();
        changed_count_ =
            changed_count < kManyChanges - changed_count_ ? changed_count_ + changed_count : kManyChanges;
    }
    Status prepare_queries(const TaskRunner* runner) {
        if (queries_) return Status::ok;
        const WorldQueries queries = world_.queries(runner);
        if (queries.status() != Status::ok) return queries.status();
        queries_ = queries;
        changed_count_ = 0;
        return Status::ok;
    }
    template <class Call>
    void change(const Handles& handles, const Call& call) {
        const std::vector<ObjectHandle> named = handles_of(handles);
        BatchResult result;
        {
            const py::gil_scoped_release without_gil;
            result = change_([&] { return call(named); });
        }
        check_batch(result);
    }
    // Queries run at once; the first one after a change is alone, since it brings the trees up to date.
    template <class Call>
    Status with_queried(const WorldQuerySettings& settings, const Call& call) {
        const std::optional<Status> done =
            lock_.read([&] { return queries_ ? std::optional(call(*queries_)) : std::nullopt; });
        return done ? *done : lock_.write([&] {
            const Status status = prepare_queries(settings.runner);
            return status == Status::ok ? call(*queries_) : status;
        });
    }

    ReadWriteLock lock_;
    World world_;
    // None from a change to the next query.
    std::optional<WorldQueries> queries_;
    // Objects that have changed since there were queries last; kManyChanges for any other change.
    std::size_t changed_count_ = kManyChanges;
    // Whether the order of results is that of the slots for certain.
    bool is_by_slot_;
};

}  // namespace

void bind_world(py::module_& module) {
    PYBIND11_NUMPY_DTYPE(ObjectRow, box, kind, category, mask, group, layer, margin, user_data, displacement);
    py::class_<PyWorld> world(module, "World");
    world.def(py::init<bool, bool, std::size_t, std::size_t>())
        .def("add", &PyWorld::add)
        .def("add_one", &PyWorld::add_one)
        .def("remove", &PyWorld::remove)
        .def("remove_one", &PyWorld::remove_one)
        .def("set_boxes", &PyWorld::set_boxes)
        .def("set_box_one", &PyWorld::set_box_one)
        .def("set_displacements", &PyWorld::set_displacements)
        .def("set_displacement_one", &PyWorld::set_displacement_one)
        .def("set_margin", &PyWorld::set_margin)
        .def("set_margin_one", &PyWorld::set_margin_one)
        .def("set_kind", &PyWorld::set_kind)
        .def("set_kind_one", &PyWorld::set_kind_one)
        .def("set_user_data", &PyWorld::set_user_data)
        .def("set_user_data_one", &PyWorld::set_user_data_one)
        .def("set_filter", &PyWorld::set_filter)
        .def("set_filter_one", &PyWorld::set_filter_one)
        .def("objects", &PyWorld::objects)
        .def("user_data", &PyWorld::user_data)
        .def("are_alive", &PyWorld::are_alive)
        .def("quarantined", &PyWorld::quarantined)
        .def("object_count", &PyWorld::object_count)
        .def("bounds", &PyWorld::bounds)
        .def("shift_origin", &PyWorld::shift_origin)
        .def("set_layers_pair", &PyWorld::set_layers_pair)
        .def("layers_pair", &PyWorld::layers_pair)
        .def("update", &PyWorld::update)
        .def("pairs", &PyWorld::pairs)
        .def("persisting", &PyWorld::persisting)
        .def("pair_count", &PyWorld::pair_count)
        .def("pairs_hash", &PyWorld::pairs_hash)
        .def("pairs_of", &PyWorld::pairs_of)
        .def("pairs_of_one", &PyWorld::pairs_of_one)
        .def("pair_values", &PyWorld::pair_values)
        .def("boxes_overlap", &PyWorld::boxes_overlap)
        .def("view", &PyWorld::view)
        .def("save", &PyWorld::save)
        .def("restore", &PyWorld::restore);
    BatchQueries<PyWorld, WorldWords>::bind(world);
    OneQueries<PyWorld>::bind(world);
    py::class_<PyWorldView> view(module, "WorldView");
    view.def("are_alive", &PyWorldView::are_alive)
        .def("boxes", &PyWorldView::boxes)
        .def("user_data", &PyWorldView::user_data);
    BatchQueries<PyWorldView, WorldWords>::bind(view);
    OneQueries<PyWorldView>::bind(view);
}

}  // namespace broadside::python
