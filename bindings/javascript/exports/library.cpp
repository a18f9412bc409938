// Memory, results, version and instruction sets.
#include "bindings/javascript/exports/exports.hpp"

#include <cstdlib>

using namespace broadside;
using namespace broadside::javascript;

BROADSIDE_EXPORT(allocate) void* allocate(std::size_t bytes) { return std::malloc(bytes); }
BROADSIDE_EXPORT(release) void release(void* memory) { std::free(memory); }
BROADSIDE_EXPORT(result_address) std::uint32_t* result_address() { return result_words; }
BROADSIDE_EXPORT(query_address) Query* query_address() { return &query; }
BROADSIDE_EXPORT(status_text) const char* status_text(std::uint32_t status) {
    return status_name(static_cast<Status>(status));
}
BROADSIDE_EXPORT(version_text) const char* version_text() { return version_string(); }
/// The name of the built ISA number `index`, or null.
BROADSIDE_EXPORT(isa_text) const char* isa_text(std::size_t index) {
    const std::span<const Isa> isas = supported_isas();
    return index < isas.size() ? isa_name(isas[index]) : nullptr;
}
BROADSIDE_EXPORT(active_isa_text) const char* active_isa_text() {
    const std::optional<Isa> isa = active_isa();
    return isa ? isa_name(*isa) : nullptr;
}
BROADSIDE_EXPORT(set_isa) std::uint32_t set_isa(std::size_t index) {
    const std::span<const Isa> isas = supported_isas();
    return code(index < isas.size() ? set_active_isa(isas[index]) : Status::unsupported_isa);
}
