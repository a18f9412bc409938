// Guards over the include lines: dependencies run one way, SIMD stays in simd/, public headers stay public.
#include "tests/guards/source_tree.hpp"

#include <doctest/doctest.h>

#include <map>
#include <regex>
#include <set>

using namespace broadside::test;

namespace {

const std::vector<std::string> kFolders = {"core", "simd", "broadphase", "narrowphase", "stage"};

// Folders that a folder may include besides itself: core <- simd <- {broadphase, narrowphase} <- stage.
const std::map<std::string, std::set<std::string>> kMayInclude = {
    {"core", {}},
    {"simd", {"core"}},
    {"broadphase", {"core", "simd"}},
    {"narrowphase", {"core", "simd"}},
    {"stage", {"core", "simd", "broadphase", "narrowphase"}},
};

// Subfolders that a subfolder may include besides itself and the files beside them. A subfolder not listed
// here may include none.
const std::map<std::string, std::set<std::string>> kRoomMayInclude = {
    {"broadphase/sweep", {"lists"}},
    {"broadphase/cells", {"lists", "sweep"}},
    {"broadphase/find_pairs", {"lists", "sweep", "cells"}},
    {"broadphase/candidates", {"lists", "cells", "find_pairs"}},
    {"broadphase/tree", {"lists", "order"}},
    {"broadphase/tree/kernels", {"lists", "tree"}},
    {"broadphase/exact", {"lists", "find_pairs", "tree"}},
    {"broadphase/world", {"world/finders", "world/objects", "world/pairs", "world/queries"}},
    {"broadphase/world/finders", {"tree", "world", "world/objects", "world/pairs", "world/queries"}},
    {"broadphase/world/objects", {"lists"}},
    {"broadphase/world/pairs", {"lists", "candidates", "world/objects"}},
    {"broadphase/world/queries", {"lists", "tree", "world/objects"}},
    {"broadphase/shadow", {"lists", "sweep", "cells", "exact", "candidates", "tree"}},
    {"narrowphase/overlap", {"batch"}},
    {"narrowphase/mesh", {"batch", "exact", "obb", "sphere"}},
    {"narrowphase/mesh_build", {"mesh"}},
    {"narrowphase/mesh_pairs", {"batch", "exact", "mesh", "sphere"}},
    {"narrowphase/obb_tree", {"mesh"}},
    {"narrowphase/sphere_tree", {"mesh_pairs"}},
    {"narrowphase/moving_box", {"batch"}},
    {"narrowphase/obb", {"batch"}},
    {"narrowphase/sphere", {"batch"}},
    {"narrowphase/ray", {"batch", "sphere"}},
    {"narrowphase/bounds", {"batch"}},
    {"narrowphase/shadow",
     {"batch", "overlap", "moving_box", "obb", "sphere", "ray", "bounds", "mesh", "mesh_pairs", "reach"}},
};

// The folder and the subfolder of `<folder>/src/<subfolder>/<file>`, which may be nested; empty for a file
// beside the subfolders.
std::string room_of(const std::string& path) {
    static const std::regex in_room(R"(^(\w+)/src/(\w+(?:/\w+)?)/[^/]+$)");
    std::smatch match;
    return std::regex_match(path, match, in_room) ? match[1].str() + "/" + match[2].str() : std::string();
}

std::vector<std::string> includes_of(const std::string& text) {
    static const std::regex line(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"])", std::regex::multiline);
    std::vector<std::string> includes;
    for (std::sregex_iterator match(text.begin(), text.end(), line), end; match != end; ++match) {
        includes.push_back((*match)[1]);
    }
    return includes;
}

// The folder that owns an included file of ours, or nothing for the standard library and others.
std::string owner_of(const std::string& include, const std::map<std::string, std::string>& public_headers) {
    if (const auto found = public_headers.find(include); found != public_headers.end()) return found->second;
    for (const std::string& folder : kFolders) {
        if (include.rfind(folder + "/", 0) == 0) return folder;
    }
    return {};
}

}  // namespace

TEST_CASE("dependencies run one way: core, simd, then broadphase and narrowphase apart, then stage") {
    const std::vector<SourceFile> files = source_files(kFolders);
    REQUIRE(files.size() > 40);
    std::map<std::string, std::string> public_headers;
    for (const SourceFile& file : files) {
        if (!file.is_public_header()) continue;
        public_headers["broadside/" + file.path.substr(file.path.find("/include/broadside/") + 19)] =
            file.folder();
    }
    for (const SourceFile& file : files) {
        for (const std::string& include : includes_of(file.text)) {
            INFO(file.path << " includes " << include);
            const std::string owner = owner_of(include, public_headers);
            if (owner.empty() || owner == file.folder()) continue;
            CHECK(kMayInclude.at(file.folder()).count(owner) == 1);
            // The stage is the worked example of the public API; it has no part in zones, the reports of
            // refused arguments and the writer behind outputs. Movers and scenes of meshes are subfolders of their
            // own, over the geometry and the kernels.
            if (file.folder() == "stage" && !file.path.starts_with("stage/src/mover/") &&
                !file.path.starts_with("stage/src/mesh_scene/") && include != "core/src/zones.hpp" &&
                include != "core/src/argument.hpp" && include != "core/src/list_writer.hpp") {
                CHECK(public_headers.count(include) == 1);
            }
        }
    }
}

// A build with shadow verification does not link without them.
TEST_CASE("every table of kernels has its form under shadow verification") {
    const std::vector<SourceFile> files = source_files({"broadphase", "narrowphase"});
    std::string tables;
    for (const SourceFile& file : files) {
        if (file.path.ends_with("/src/shadow/tables.cpp")) tables += file.text;
    }
    std::size_t count = 0;
    static const std::regex table("\\nstruct (\\w+Kernels) \\{");
    for (const SourceFile& file : files) {
        for (std::sregex_iterator it(file.text.begin(), file.text.end(), table), end; it != end;
             ++it, ++count) {
            INFO((*it)[1].str() << " of " << file.path);
            CHECK(tables.find("::" + (*it)[1].str() + "* verified_kernels(Isa)") != std::string::npos);
        }
    }
    CHECK(count > 20);
}

TEST_CASE("the subfolders of a folder include each other one way") {
    std::size_t checked_count = 0;
    for (const SourceFile& file : source_files({"broadphase", "narrowphase", "core"})) {
        const std::string room = room_of(file.path);
        if (room.empty()) continue;
        for (const std::string& include : includes_of(file.text)) {
            const std::string included = room_of(include);
            if (included.empty() || included == room) continue;
            const std::string folder = room.substr(0, room.find('/') + 1);
            if (included.rfind(folder, 0) != 0) continue;
            INFO(file.path << " includes " << include);
            const auto allowed = kRoomMayInclude.find(room);
            CHECK((allowed != kRoomMayInclude.end() &&
                   allowed->second.count(included.substr(folder.size())) == 1));
            ++checked_count;
        }
    }
    CHECK(checked_count > 40);
}

TEST_CASE("in a phase, a name of a file or of a type is one idea") {
    // Each room has its structs of function pointers, and its ISA unit.
    static const std::set<std::string> of_every_room = {"kernels", "unit"};
    static const std::regex type(
        R"(\n(?:template <[^\n]*>\n)?(?:class|struct|enum class) (?:\[\[nodiscard\]\] |alignas\([\w:]+\) )*(\w+)(?![\w:<])[^;{}()]*\{)");
    std::map<std::string, std::set<std::string>> files_of_name;
    for (const SourceFile& file : source_files(kFolders)) {
        if (file.path.find("/src/") == std::string::npos) continue;
        // A header and its source are one.
        const std::string path = file.path.substr(0, file.path.rfind('.'));
        const std::string name = path.substr(path.rfind('/') + 1);
        if (!of_every_room.contains(name))
            files_of_name["file " + name + " of " + file.folder()].insert(path);
        if (file.folder() != "broadphase" && file.folder() != "narrowphase") continue;
        for (std::sregex_iterator match(file.text.begin(), file.text.end(), type), end; match != end; ++match)
            files_of_name["type " + (*match)[1].str() + " of " + file.folder()].insert(file.path);
    }
    CHECK(files_of_name.size() > 500);
    for (const auto& [name, files] : files_of_name) {
        std::string list;
        for (const std::string& file : files) list += " " + file;
        INFO(name << ":" << list);
        CHECK(files.size() == 1);
    }
}

TEST_CASE("only ISA units include xsimd or an intrinsic, directly or through others") {
    std::map<std::string, std::vector<std::string>> includes;
    for (const SourceFile& file : source_files(kFolders)) {
        std::string name = file.path;
        if (file.is_public_header()) name = "broadside/" + name.substr(name.find("/include/broadside/") + 19);
        includes[name] = includes_of(file.text);
    }
    static const std::regex is_simd(R"(xsimd/.*|\w*intrin\.h|arm_neon\.h)");
    static const std::regex is_unit(R"(.*/(\w+_)?unit\.cpp)");
    std::size_t source_count = 0;
    std::size_t unit_count = 0;
    for (const auto& [source, of_source] : includes) {
        if (source.find(".cpp") == std::string::npos) continue;
        std::string found;
        std::set<std::string> seen = {source};
        std::vector<std::string> left = {source};
        while (!left.empty()) {
            const std::string file = left.back();
            left.pop_back();
            for (const std::string& include : includes[file]) {
                if (std::regex_match(include, is_simd)) found = include + " through " + file;
                if (includes.count(include) == 1 && seen.insert(include).second) left.push_back(include);
            }
        }
        INFO(source << " includes " << found);
        const bool is_expected = std::regex_match(source, is_unit);
        CHECK(found.empty() != is_expected);
        ++(is_expected ? unit_count : source_count);
    }
    CHECK(source_count > 50);
    CHECK(unit_count >= 10);
}

TEST_CASE("xsimd and intrinsics appear in simd/ only") {
    static const std::regex forbidden(
        R"(xsimd|immintrin\.h|arm_neon\.h|\b_mm(256|512)?_|\bv(ld|st|add|mul|bsl|cgt|clt)q_)");
    for (const SourceFile& file : source_files(
             {"core", "broadphase", "narrowphase", "stage", "tools", "extras", "examples", "bench"})) {
        INFO(file.path);
        CHECK_FALSE(std::regex_search(file.text, forbidden));
    }
}

TEST_CASE(
    "public headers include public headers and the standard library only, and know no instruction set") {
    static const std::regex instruction_set(R"(__AVX|__SSE|__ARM_NEON|xsimd)");
    for (const SourceFile& file : source_files(kFolders)) {
        if (!file.is_public_header()) continue;
        INFO(file.path);
        CHECK_FALSE(std::regex_search(file.text, instruction_set));
        for (const std::string& include : includes_of(file.text)) {
            INFO("includes " << include);
            const bool is_ours = include.rfind("broadside/", 0) == 0;
            const bool is_standard =
                include.find('/') == std::string::npos && include.find('.') == std::string::npos;
            // The adapter is the one header that its user includes on purpose, together with oneTBB.
            const bool is_adapter =
                file.path == "core/include/broadside/tbb_task_runner.hpp" && include.rfind("tbb/", 0) == 0;
            CHECK((is_ours || is_standard || is_adapter));
        }
    }
}

TEST_CASE("kernels call no function of the standard library and do not query the instruction set") {
    static const std::regex forbidden(R"(\bstd::(?!size_t|u?int\d+_t)|__AVX|__SSE)");
    std::size_t kernel_count = 0;
    for (const SourceFile& file : source_files({"broadphase", "narrowphase"})) {
        if (file.path.find("_kernel.hpp") == std::string::npos) continue;
        ++kernel_count;
        INFO(file.path);
        std::smatch found;
        const bool is_found = std::regex_search(file.text, found, forbidden);
        INFO("near: " << (is_found ? found.str() + found.suffix().str().substr(0, 40) : std::string()));
        CHECK_FALSE(is_found);
    }
    CHECK(kernel_count >= 4);
}
