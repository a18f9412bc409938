// The text of a report of shadow verification, and the test that it contains.
#include "simd/src/shadow_operands.hpp"

#include <cstdio>

namespace broadside::simd::shadow {

std::string words_of(const void* data, std::size_t bytes) {
    std::string text;
    for (std::size_t begin = 0; begin < bytes; begin += sizeof(std::uint32_t)) {
        std::uint32_t word = 0;
        const std::size_t left = bytes - begin;
        std::memcpy(&word, static_cast<const char*>(data) + begin, left < sizeof word ? left : sizeof word);
        char digits[16];
        std::snprintf(digits, sizeof digits, "0x%08x", static_cast<unsigned>(word));
        text += (text.empty() ? "" : begin % 32 == 0 ? ",\n         " : ", ");
        text += digits;
    }
    return text;
}

void ShadowOperands::declare(std::string_view name, std::string_view function, std::string_view type,
                             const void* data, std::size_t bytes) {
    declarations_ += "    const auto ";
    declarations_ += name;
    declarations_ += " = ";
    declarations_ += function;
    declarations_ += '<';
    declarations_ += type;
    declarations_ += ">(\n        {" + words_of(data, bytes) + "});\n";
}

std::string ShadowOperands::text_of_columns(const std::string& name, const char* type,
                                            std::vector<const float*> columns, std::size_t item_count,
                                            const std::string& more) {
    if (item_count == 0) return std::string(type) + "{}";
    std::string view = std::string(type) + '{';
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::string column = name + '_' + std::to_string(i);
        declare(column, "items", "float", columns[i], item_count * sizeof(float));
        view += column + ".data(), ";
    }
    return view + std::to_string(item_count) + more + '}';
}

std::string ShadowOperands::text_of(const std::string& name, const BoxSoaView& view) {
    return text_of_columns(name, "BoxSoaView",
                           {view.min_x, view.min_y, view.min_z, view.max_x, view.max_y, view.max_z},
                           view.count);
}
std::string ShadowOperands::text_of(const std::string& name, const Vec3SoaView& view) {
    return text_of_columns(name, "Vec3SoaView", {view.x, view.y, view.z}, view.count);
}
std::string ShadowOperands::text_of(const std::string& name, const SphereSoaView& view) {
    return text_of_columns(name, "SphereSoaView", {view.center_x, view.center_y, view.center_z, view.radius},
                           view.count);
}
std::string ShadowOperands::text_of(const std::string& name, const TriangleSoaView& view) {
    const std::string bounds = text_of(name + "_bounds", view.group_bounds);
    return text_of_columns(
        name, "TriangleSoaView",
        {view.a_x, view.a_y, view.a_z, view.b_x, view.b_y, view.b_z, view.c_x, view.c_y, view.c_z},
        view.count, ", " + bounds);
}
std::string ShadowOperands::text_of(const std::string& name, const ObbSoaView& view) {
    std::string text = "ObbSoaView{";
    int part_index = 0;
    for (const Vec3SoaView* part :
         {&view.center, &view.axis_x, &view.axis_y, &view.axis_z, &view.half_extent}) {
        if (part_index != 0) text += ", ";
        text += text_of(name + '_' + std::to_string(part_index++), *part);
    }
    return text + '}';
}

std::string ShadowOperands::joined(std::size_t begin) const {
    std::string text;
    for (std::size_t i = begin; i < arguments_.size(); ++i) text += (i == begin ? "" : ", ") + arguments_[i];
    return text;
}

std::string case_of(const std::string& name, const std::string& declarations, const std::string& check) {
    return "// Handed over by shadow verification. clang-format off\n"
           "#include \"tests/support/shadow_case.hpp\"\n\n"
           "using namespace broadside;\nusing namespace broadside::test;\n\n"
           "TEST_CASE(\"" +
           name + "\") {\n" + declarations + "    CHECK(" + check + ");\n}\n";
}

std::string text_of(const ShadowDifference& difference) {
    const std::string& call = difference.call;
    std::string text = "broadside: " + call + " on " + isa_name(difference.isa) + ": " + difference.output +
                       '[' + std::to_string(difference.index) + "] is " + difference.found +
                       ", by the scalar specification " + difference.expected + '\n';
    if (!difference.is_reproduced) {
        text +=
            "broadside: the operands below are those after the call, and do not show it again; the call may "
            "have written over its inputs\n";
    }
    return text + case_of(call + " returns the same as its specification", difference.declarations,
                          "agree<&" + call + ">(" + difference.arguments + ')');
}

}  // namespace broadside::simd::shadow
