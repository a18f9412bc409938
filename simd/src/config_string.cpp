// The configuration of the library as text.
#include <broadside/config_string.hpp>
#include <broadside/isa.hpp>
#include <broadside/version.hpp>

#include <cstdlib>

namespace broadside {
namespace {

std::string names_of(std::span<const Isa> isas) {
    std::string names;
    for (const Isa isa : isas) {
        if (!names.empty()) names += ' ';
        names += isa_name(isa);
    }
    return names;
}

}  // namespace

std::string isa_error() {
    const char* name = std::getenv("BROADSIDE_ISA");
    if (active_isa() || name == nullptr) return {};
    const char* why = find_isa(name) ? "cannot run here" : "is not the name of an ISA";
    return std::string("BROADSIDE_ISA=") + name + " " + why + "; supported: " + names_of(supported_isas());
}

std::string config_string() {
#if defined(__clang__)
    const std::string compiler = "clang " + std::to_string(__clang_major__) + "." +
                                 std::to_string(__clang_minor__) + "." + std::to_string(__clang_patchlevel__);
#elif defined(__GNUC__)
    const std::string compiler = "gcc " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__) +
                                 "." + std::to_string(__GNUC_PATCHLEVEL__);
#else
    const std::string compiler = "unknown compiler";
#endif
#if defined(BROADSIDE_ENABLE_ASSERTS) && BROADSIDE_ENABLE_ASSERTS
    const char* asserts = "on";
#else
    const char* asserts = "off";
#endif
#if defined(BROADSIDE_ZONES_TRACE) && BROADSIDE_ZONES_TRACE
    const char* zones = ", zones: trace";
#elif defined(BROADSIDE_ZONES_TRACY) && BROADSIDE_ZONES_TRACY
    const char* zones = ", zones: tracy";
#else
    const char* zones = "";
#endif
    const std::optional<Isa> isa = active_isa();
    return std::string("broadside ") + version_string() + ", " + compiler +
           ", isas: " + names_of(built_isas()) + ", active: " + (isa ? isa_name(*isa) : "none") +
           ", asserts: " + asserts + zones;
}

}  // namespace broadside
