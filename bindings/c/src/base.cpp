// Version, instruction sets, names, the assert handler, and owners of boxes.
#include "bindings/c/src/convert.hpp"
#include "bindings/c/src/handles.hpp"

#include <broadside/assert.hpp>
#include <broadside/config_string.hpp>
#include <broadside/isa.hpp>
#include <broadside/version.hpp>

#include <atomic>
#include <string>

using namespace broadside;
using namespace broadside::c;

namespace {

std::atomic<broadside_assert_handler> c_assert_handler{nullptr};

void call_c_handler(const AssertInfo& info) {
    const broadside_assert_handler handler = c_assert_handler.load();
    if (handler == nullptr) return;
    const broadside_assert_info c_info = {.size = sizeof(broadside_assert_info),
                                          .is_refused_argument = info.is_refused_argument ? 1u : 0u,
                                          .condition = info.condition,
                                          .message = info.message,
                                          .file = info.file,
                                          .line = info.line};
    handler(&c_info);
}

// Strings are std::string, whose exceptions must not get out.
template <class Make>
std::size_t write_text(const Make& make, char* out_text, std::size_t capacity) noexcept {
    const std::string text = make();
    if (out_text != nullptr && capacity != 0) {
        const std::size_t length = text.size() < capacity ? text.size() : capacity - 1;
        text.copy(out_text, length);
        out_text[length] = '\0';
    }
    return text.size();
}

broadside_isa c_isa(Isa isa) { return static_cast<broadside_isa>(isa); }

static_assert(static_cast<int>(Isa::wasm128) == BROADSIDE_ISA_WASM128 &&
              kIsaCount == BROADSIDE_ISA_WASM128 + 1);
static_assert(kVersionMajor == BROADSIDE_VERSION_MAJOR && kVersionMinor == BROADSIDE_VERSION_MINOR &&
              kVersionPatch == BROADSIDE_VERSION_PATCH);

}  // namespace

const char* broadside_status_name(broadside_status status) {
    return is_enumerator(status, BROADSIDE_STOPPED) ? status_name(enum_of<Status>(status)) : "unknown status";
}
const char* broadside_version(void) { return version_string(); }
uint32_t broadside_c_abi(void) { return BROADSIDE_C_ABI; }
size_t broadside_config_text(char* out_text, size_t capacity) {
    return write_text([] { return config_string(); }, out_text, capacity);
}

const char* broadside_isa_name(broadside_isa isa) {
    return is_enumerator(isa, BROADSIDE_ISA_WASM128) ? isa_name(enum_of<Isa>(isa)) : nullptr;
}
size_t broadside_supported_isa_count(void) { return supported_isas().size(); }
broadside_isa broadside_supported_isa(size_t index) {
    const std::span<const Isa> isas = supported_isas();
    return index < isas.size() ? c_isa(isas[index]) : BROADSIDE_ISA_NONE;
}
broadside_isa broadside_active_isa(void) {
    const std::optional<Isa> isa = active_isa();
    return isa ? c_isa(*isa) : BROADSIDE_ISA_NONE;
}
broadside_status broadside_set_active_isa(broadside_isa isa) {
    if (!is_enumerator(isa, BROADSIDE_ISA_WASM128)) return BROADSIDE_UNSUPPORTED_ISA;
    return c_status(set_active_isa(enum_of<Isa>(isa)));
}
size_t broadside_isa_error(char* out_text, size_t capacity) {
    return write_text([] { return isa_error(); }, out_text, capacity);
}

broadside_assert_handler broadside_set_assert_handler(broadside_assert_handler handler) {
    const broadside_assert_handler before = c_assert_handler.exchange(handler);
    set_assert_handler(handler == nullptr ? nullptr : &call_c_handler);
    return before;
}

broadside_status broadside_box_array_create(const broadside_allocator* allocator,
                                            broadside_box_array** out_array) {
    return create(allocator, out_array);
}
void broadside_box_array_destroy(broadside_box_array* array) { destroy(array); }
broadside_status broadside_box_array_assign(broadside_box_array* array, const void* structs, size_t count,
                                            size_t stride_bytes, size_t min_offset_bytes,
                                            size_t max_offset_bytes) {
    if (array == nullptr || !is_readable(structs, count)) return BROADSIDE_INVALID_ARGUMENT;
    return c_status(array->boxes.assign(BoxAosView{.data = structs,
                                                   .stride_bytes = stride_bytes,
                                                   .min_offset_bytes = min_offset_bytes,
                                                   .max_offset_bytes = max_offset_bytes,
                                                   .count = count}));
}
broadside_boxes broadside_box_array_view(const broadside_box_array* array) {
    if (array == nullptr) return {};
    const BoxSoaView view = array->boxes;
    return {view.min_x, view.min_y, view.min_z, view.max_x, view.max_y, view.max_z, view.count};
}
size_t broadside_find_invalid_box(const broadside_boxes* boxes, size_t begin) {
    if (boxes == nullptr || !view_of(*boxes).is_readable() || !is_readable(boxes->min_x, boxes->count))
        return BROADSIDE_NO_INDEX;
    return find_invalid_box(view_of(*boxes), begin);
}

broadside_status broadside_query_lists_create(const broadside_allocator* allocator,
                                              broadside_query_lists** out_lists) {
    return create(allocator, out_lists);
}
void broadside_query_lists_destroy(broadside_query_lists* lists) { destroy(lists); }
