// Guard: every function that the library exports opens a FloatEnvironment first, or is listed here as one
// without arithmetic; its result is computed before that scope ends; and each of them is tested in foreign
// environments.
#include "tests/entry_points/entry_points.hpp"
#include "tests/guards/source_tree.hpp"
#include "tests/support/suites.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

using namespace broadside::test;

namespace {

// A function defined in namespace broadside itself, so that a public header can declare it.
struct Definition {
    std::string name;
    std::string parameters;
    std::string first_statement;
    std::string result_type;
    // The position of its last return at the level of the body.
    std::string last_return;
};

std::string trimmed(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(" \n");
    return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \n") - begin + 1);
}

// Relies on the format of the sources: a namespace is not indented, and its end names it.
std::vector<Definition> exported_definitions(const std::string& text) {
    static const std::regex opening(R"(^namespace ?([\w:]*) ?\{$)");
    static const std::regex other(
        R"(^(using|template|struct|class|static_assert|constinit|constexpr|enum|extern|namespace)\b|^p\w+:$)");
    static const std::regex named(R"(([\w:]*operator[^\w\s]{1,2}|[\w:~]+)\()");
    std::vector<Definition> definitions;
    std::vector<std::string> namespaces;
    std::istringstream lines(text);
    std::string head;
    for (std::string line; std::getline(lines, line);) {
        std::smatch match;
        if (std::regex_match(line, match, opening)) {
            namespaces.push_back(match[1]);
            continue;
        }
        if (line.rfind("}  // namespace", 0) == 0) {
            if (!namespaces.empty()) namespaces.pop_back();
            continue;
        }
        const bool is_outer = namespaces == std::vector<std::string>{"broadside"};
        const bool begins =
            is_outer && !line.empty() && (std::isalpha(line[0]) != 0) && !std::regex_search(line, other);
        if (head.empty() && !begins) continue;
        if (!head.empty()) head += ' ';
        head += trimmed(line);
        const char last = line.empty() ? ' ' : line.back();
        if (last != '{' && last != '}' && last != ';') continue;
        if (last != ';' && std::regex_search(head, match, named)) {
            Definition definition;
            definition.name = match[1];
            definition.result_type = head.substr(0, head.find(' '));
            const std::string rest = match.suffix();
            const std::size_t body = rest.find('{');
            definition.parameters = rest.substr(0, body);
            definition.first_statement = trimmed(rest.substr(body + 1));
            if (last == '{' && std::getline(lines, line)) definition.first_statement = trimmed(line);
            while (last == '{' && !line.starts_with('}')) {
                if (line.starts_with("    return")) definition.last_return = trimmed(line);
                if (!std::getline(lines, line)) break;
            }
            definitions.push_back(definition);
        }
        head.clear();
    }
    return definitions;
}

// The statement that a definition must begin with. It names parameters passed by value.
std::string expected_statement(const Definition& definition) {
    static const std::regex number(
        R"(\b(?:float|double|Vec3|Aabb|Obb|Sphere|Triangle|Ray|Plane|Transform) (\w+)[,)])");
    std::string numbers;
    const std::string& text = definition.parameters;
    for (std::sregex_iterator match(text.begin(), text.end(), number), end; match != end; ++match) {
        numbers += numbers.empty() ? '(' : ',';
        if (numbers.size() > 1) numbers += ' ';
        numbers += (*match)[1];
    }
    if (!numbers.empty()) numbers += ')';
    return std::string("const FloatEnvironment environment").append(numbers).append(";");
}

// "BoxTree::build" of "BoxTree::build(…)"; functions of these names are exempt.
const std::set<std::string>& without_environment() {
    static const std::set<std::string> names = {
        // Memory, names, counts and handles.
        "default_allocator", "set_assert_handler", "report_assert_failure", "status_name", "version_string",
        "pair_algorithm_name", "isa_name", "find_isa", "built_isas", "supported_isas", "active_isa",
        "set_active_isa", "isa_error", "config_string", "start_shadow", "stop_shadow", "shadow_counts",
        "Zone::Zone", "Zone::~Zone", "ZoneTrace::ZoneTrace", "ZoneTrace::~ZoneTrace", "ZoneTrace::start",
        "ZoneTrace::stop", "ZoneTrace::is_recording", "ZoneTrace::next_record", "ZoneTrace::take_block",
        "ZoneTrace::zone_count", "ZoneTrace::write_json", "grow_array", "SoaArrays::reserve",
        "SoaArrays::resize", "SoaArrays::append", "::ExactBoxTree", "::capacity_bytes", "::clear",
        "BoxTree::BoxTree", "BoxTree::~BoxTree", "BoxTree::operator=", "BoxTree::clear",
        "BoxTree::capacity_bytes", "BoxTree::growth", "BoxTree::box_count", "BoxTree::member_count",
        "RestingBoxes::state", "RestingBoxes::box_count", "RestingBoxes::resting_count",
        "RestingBoxes::remove", "RestingBoxes::mover_bits", "RestingBoxes::count_drift", "World::World",
        "World::~World", "World::operator=", "World::data", "World::set_user_data", "World::is_alive",
        "World::object_count", "World::slot_count", "World::set_layers_pair", "World::layers_pair",
        "World::begun", "World::ended", "World::ended_user_data", "World::begun_user_data", "World::latest",
        "World::persisting", "World::pairs", "World::pairs_of", "World::user_data", "World::pair_count",
        "World::pair_value", "World::pairs_hash", "World::snapshot_bytes", "World::save",
        "World::capacity_bytes", "World::shrink", "WorldView::WorldView", "WorldView::~WorldView",
        "PreparedObjects::PreparedObjects", "PreparedObjects::clear", "PreparedObjects::capacity_bytes",
        "CollisionStage::CollisionStage", "CollisionStage::clear_results", "CollisionStage::result_hash",
        "TriangleMesh::TriangleMesh", "TriangleMesh::clear", "TriangleMesh::capacity_bytes",
        "TriangleMesh::view", "TriangleMesh::snapshot_bytes", "TriangleMesh::save",
        // Numbers are copied. If World::set_box must grow a box, the function that it calls opens one.
        "World::set_box", "World::set_box_shared", "BoxSoa::resize", "BoxSoa::assign", "BoxSoa::push_back",
        "BoxSoa::set", "BoxSoa::view", "ObbSoa::resize", "ObbSoa::assign", "ObbSoa::set", "ObbSoa::view",
        "TriangleSoa::resize", "TriangleSoa::set", "TriangleSoa::view", "TriangleSoa::clear",
        "BoxTree::bounds", "BoxTree::box", "WorldView::is_alive", "WorldView::box", "WorldView::user_data",
        "PreparedObjects::grown_boxes", "TriangleMesh::triangle",
        // Opens one for each task of a runner; a plain loop is in its caller's.
        "run_each_task",
        // Private, and called by functions that have one.
        "RestingBoxes::build_in", "PreparedObjects::prepare_each", "CollisionStage::find_impacts",
        "CollisionStage::keep_impacts", "CollisionStage::take_triangles",
        "CollisionStage::find_triangle_impacts", "CollisionStage::find_ray_hits",
        "CollisionStage::find_queries", "CollisionStage::ask_meshes", "CollisionStage::ask_scene",
        "CollisionStage::list_obb_casts", "CollisionStage::step_all_movers", "MeshScene::clear",
        "MeshScene::instance", "MeshScene::bounds", "ObbTree::ObbTree", "ObbTree::clear", "ObbTree::node",
        "ObbTree::leaf_triangle", "ObbTree::capacity_bytes", "ObbTree::clusters", "SphereTree::node"};
    return names;
}

// Results that are counts, addresses or outcomes, not the last computed number.
const std::set<std::string>& types_without_numbers() {
    static const std::set<std::string> types = {
        "Status",        "std::size_t",       "BatchResult", "WriteResult",       "FindPairsResult",
        "UpdateResult",  "StageResult",       "ClashResult", "InvalidBoxes",      "PlanText",
        "ObjectHandle",  "WorldQueries",      "WorldView",   "ObjectDescription", "MeshBuildResult",
        "AnyPairResult", "MeshRelationResult"};
    return types;
}

bool does_without(const std::string& name) {
    // Private classes, called by BoxTree.
    return without_environment().count(name) == 1 || name.starts_with("TreeNodes::") ||
           name.starts_with("TreeData::");
}

std::vector<std::pair<std::string, Definition>> library_definitions() {
    std::vector<std::pair<std::string, Definition>> all;
    for (const SourceFile& file : source_files({"core", "simd", "broadphase", "narrowphase", "stage"})) {
        if (!file.path.ends_with(".cpp")) continue;
        for (const Definition& definition : exported_definitions(file.text))
            all.emplace_back(file.path, definition);
    }
    return all;
}

}  // namespace

TEST_CASE("every exported function opens a FloatEnvironment first, unless it computes with no number") {
    std::size_t with_environment = 0;
    std::set<std::string> seen;
    for (const auto& [path, definition] : library_definitions()) {
        INFO(path << ": " << definition.name);
        seen.insert(definition.name);
        const bool has_none = does_without(definition.name);
        if (!has_none) CHECK(definition.first_statement == expected_statement(definition));
        if (has_none) CHECK(definition.first_statement.find("FloatEnvironment") == std::string::npos);
        with_environment += has_none ? 0 : 1;
    }
    CHECK(with_environment > 120);
    for (const std::string& name : without_environment()) {
        INFO(name);
        CHECK(seen.count(name) == 1);
    }
}

// clang computes a value that only a register holds after the scope in the caller's environment, unless it is
// told not to.
TEST_CASE("an exported function computes its result in its FloatEnvironment") {
    std::size_t count = 0;
    std::set<std::string> seen;
    for (const auto& [path, definition] : library_definitions()) {
        if (does_without(definition.name)) continue;
        INFO(path << ": " << definition.result_type << " " << definition.name);
        seen.insert(definition.result_type);
        if (types_without_numbers().count(definition.result_type) == 1) continue;
        CHECK(definition.last_return.starts_with("return FloatEnvironment::result("));
        ++count;
    }
    CHECK(count > 80);
    for (const std::string& type : types_without_numbers()) {
        INFO(type);
        CHECK(seen.count(type) == 1);
    }
}

TEST_CASE("every function that opens a FloatEnvironment is an entry point, each overload one of its own") {
    std::map<std::string, std::size_t> listed;
    for (const EntryPoint& entry : small_list().entries()) {
        if (!entry.is_repeated()) ++listed[entry.function()];
    }
    std::map<std::string, std::size_t> defined;
    for (const auto& [path, definition] : library_definitions()) {
        if (does_without(definition.name)) continue;
        const bool is_template = definition.name.starts_with("::");
        ++defined[is_template ? "ExactBoxTree" + definition.name : definition.name];
    }
    for (const auto& [name, count] : defined) {
        INFO(name << ": " << listed[name] << " of " << count);
        CHECK(listed[name] >= count);
    }
}

TEST_CASE("tasks reach a runner by one function, and one file touches the control word" * kLong) {
    static const std::regex handing_out(R"((->|\.)parallel_for\()");
    static const std::regex assembler(
        R"(\basm\b|__builtin_(ia32|aarch64)_|\bcfenv\b|\bfe(set|get|hold|update)\w+\()");
    for (const SourceFile& file : source_files({"core", "simd", "broadphase", "narrowphase", "stage"})) {
        INFO(file.path);
        CHECK(std::regex_search(file.text, handing_out) == file.path.ends_with("/src/run_tasks.cpp"));
        CHECK(std::regex_search(file.text, assembler) ==
              file.path.ends_with("/broadside/float_environment.hpp"));
    }
}

TEST_CASE("the guard of environments reads definitions, and finds one that opens none") {
    const std::string text = R"(namespace broadside {
namespace {

float hidden(float a) { return a; }

}  // namespace

using broadphase::Kernel;

bool overlap(const Obb& a, const Obb& b) noexcept { return overlap_scalar(a, b); }

float time(const Aabb& box, Vec3 by,
           double to) noexcept {
    const FloatEnvironment environment(by, to);
    if (to < 0) {
        return 1;
    }
    return box.min.x;
}
template <class T>
const T* World::item(std::size_t index) const noexcept {
    const FloatEnvironment environment;
    return items_ + index;
}
Transform operator*(const Transform& a, Transform b) noexcept {
    const FloatEnvironment environment;

}  // namespace broadside
)";
    const std::vector<Definition> found = exported_definitions(text);
    REQUIRE(found.size() == 4);
    CHECK(found[0].name == "overlap");
    CHECK(found[0].first_statement != expected_statement(found[0]));
    CHECK(found[1].name == "time");
    CHECK(found[1].first_statement == expected_statement(found[1]));
    CHECK(found[1].result_type == "float");
    CHECK(found[1].last_return == "return box.min.x;");
    CHECK(found[2].name == "World::item");
    CHECK(found[2].first_statement == expected_statement(found[2]));
    // A parameter passed by value that is not named.
    CHECK(found[3].name == "operator*");
    CHECK(found[3].first_statement != expected_statement(found[3]));
}
