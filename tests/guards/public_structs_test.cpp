// Guards over the structs of the public headers: a field left out of a designated initialiser has a known
// value, and an ignored result is warned about.
#include "tests/guards/source_tree.hpp"
#include "tests/guards/struct_fields.hpp"

#include <doctest/doctest.h>

#include <regex>
#include <set>

using namespace broadside::test;

namespace {

// Structs that the library writes in large numbers, or whose fields together are the value: no caller fills
// one in part.
const std::set<std::string> kRecords = {
    "IndexPair", "Listed", "ObjectPair", "EndedPair", "StageTriangleImpact",
};

// Structs that the library makes, and callers read or pass back.
const std::set<std::string> kMadeByTheLibrary = {
    "InvalidBoxes", "PairCosts",  "FindPairsPlan", "ObjectHandle", "AssertInfo",     "PreparedRay",
    "Ray4",         "StageTimes", "ShadowFinding", "ObbTreeNode",  "SphereTreeNode", "PairSearchCounts",
    "RelatedPair",
};

struct Field {
    std::string text;
    bool has_initialiser = false;
};

struct PublicStruct {
    std::string name;
    std::string place;
    bool is_nodiscard = false;
    // Then it is no aggregate, and its constructors set its fields.
    bool has_constructor = false;
    std::vector<Field> fields;

    bool has_status() const {
        for (const Field& field : fields) {
            if (field.text.rfind("Status ", 0) == 0) return true;
        }
        return false;
    }
};

std::vector<PublicStruct> public_structs() {
    static const std::regex head(R"(\nstruct ((?:\[\[nodiscard\]\] |alignas\(\d+\) )*)(\w+) \{)");
    std::vector<PublicStruct> structs;
    for (const SourceFile& file : source_files({"core", "simd", "broadphase", "narrowphase", "stage"})) {
        if (!file.is_public_header()) continue;
        const std::string text = without_comments(file.text);
        for (std::sregex_iterator match(text.begin(), text.end(), head), end; match != end; ++match) {
            const std::size_t begin = static_cast<std::size_t>(match->position() + match->length());
            PublicStruct found = {
                (*match)[2], file.path, (*match)[1].str().find("nodiscard") != std::string::npos, false, {}};
            for (const std::string& statement :
                 statements_of(text.substr(begin, text.find("\n};", begin) - begin))) {
                const std::regex constructor("^(explicit |constexpr )*" + found.name + "\\(");
                found.has_constructor |= std::regex_search(statement, constructor);
                if (is_field(statement)) {
                    found.fields.push_back({statement, statement.find('=') != std::string::npos});
                }
            }
            structs.push_back(std::move(found));
        }
    }
    return structs;
}

std::string text_of(const std::string& path) {
    for (const SourceFile& file : source_files({"tests"})) {
        if (file.path == path) return file.text;
    }
    return {};
}

}  // namespace

TEST_CASE("every field of a public struct has an initialiser, except in records") {
    std::size_t field_count = 0;
    std::set<std::string> records;
    for (const PublicStruct& each : public_structs()) {
        INFO(each.place << ": " << each.name);
        CHECK_FALSE(each.fields.empty());
        if (kRecords.contains(each.name)) {
            records.insert(each.name);
            continue;
        }
        if (each.has_constructor) continue;
        for (const Field& field : each.fields) {
            INFO(field.text);
            CHECK(field.has_initialiser);
            ++field_count;
        }
    }
    CHECK(records == kRecords);
    CHECK(field_count > 200);
}

TEST_CASE("a struct that callers fill has designated initialisers in a test that compiles without warnings") {
    const std::string test = text_of("tests/core/designated_initialisers_test.cpp");
    for (const PublicStruct& each : public_structs()) {
        if (kRecords.contains(each.name) || kMadeByTheLibrary.contains(each.name) || each.is_nodiscard ||
            each.has_constructor)
            continue;
        INFO(each.place << ": " << each.name);
        CHECK(std::regex_search(test, std::regex("\\b" + each.name + "(<\\w+>)?\\{\\.")));
    }
}

TEST_CASE("Status and every struct that holds one are nodiscard") {
    std::size_t count = 0;
    for (const PublicStruct& each : public_structs()) {
        INFO(each.place << ": " << each.name);
        if (each.has_status()) CHECK(each.is_nodiscard);
        count += each.has_status();
    }
    CHECK(count >= 7);
    bool has_status = false;
    for (const SourceFile& file : source_files({"core"})) {
        if (file.path.find("include/broadside/status.hpp") == std::string::npos) continue;
        has_status = file.text.find("enum class [[nodiscard]] Status") != std::string::npos;
    }
    CHECK(has_status);
}
