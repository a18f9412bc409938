// The operands of a kernel's call by name and role: inputs, outputs, and their items. They serve
// to run the call on other memory, to cut it down, and to write it as a test.
#pragma once

#include <broadside/aligned_array.hpp>
#include <broadside/bits.hpp>
#include <broadside/isa.hpp>
#include <broadside/obb_soa.hpp>
#include <broadside/pair_buffer.hpp>
#include <broadside/ray_hit.hpp>
#include <broadside/sphere_view.hpp>
#include <broadside/triangle_mesh.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

// Items that a kernel processes one by one are `each`; operands that all items share are `in` or `all`.
namespace broadside::simd::shadow {

/// "broadside::Aabb" of Aabb, on every compiler.
template <class T>
std::string_view type_name() {
    if constexpr (std::is_same_v<T, std::uint64_t>) return "std::uint64_t";
    if constexpr (std::is_same_v<T, std::uint32_t>) return "std::uint32_t";
#if BROADSIDE_IS_MSVC
    // "... type_name<struct broadside::Aabb>(void)"
    const std::string_view text = __FUNCSIG__;
    const std::size_t name = text.rfind("type_name<") + 10;
    const std::size_t end = text.rfind('>');
    const std::size_t space = text.find(' ', name);
    const std::size_t begin = space < end ? space + 1 : name;
    return text.substr(begin, end - begin);
#else
    const std::string_view text = __PRETTY_FUNCTION__;
    const std::size_t begin = text.find("T = ") + 4;
    return text.substr(begin, text.find_first_of(";]", begin) - begin);
#endif
}

/// Number of leading bytes that hold a value; the rest is padding.
template <class T>
inline constexpr std::size_t kValueBytes = sizeof(T);
template <>
inline constexpr std::size_t kValueBytes<TreeHit> = offsetof(TreeHit, face) + sizeof(Face);

/// An array that a call writes, in separate memory.
struct ShadowOutput {
    std::string name;
    /// The caller's memory for it.
    const std::byte* original;
    AlignedArray<std::byte> memory;
    std::size_t item_bytes;
    std::size_t value_bytes;
    std::size_t item_count;
    bool is_bits;
};

class ShadowOperands {
public:
    enum class Mode {
        /// Outputs go to separate memory, filled with garbage.
        redirect,
        /// The call gets a few of the items that it processes one by one.
        cut,
        /// Writes the operands as text.
        print,
    };
    static ShadowOperands redirect() { return ShadowOperands(Mode::redirect); }
    static ShadowOperands cut(std::size_t begin, std::size_t count) {
        ShadowOperands operands(Mode::cut);
        operands.begin_ = begin;
        operands.count_ = count;
        return operands;
    }
    static ShadowOperands print() { return ShadowOperands(Mode::print); }

    std::vector<ShadowOutput>& outputs() { return outputs_; }
    /// Number of items that the call processes one by one.
    std::size_t item_count() const { return item_count_; }
    void set_item_count(std::size_t item_count) { item_count_ = item_count; }
    /// The declarations, and the list of arguments that names the declared variables.
    const std::string& declarations() const { return declarations_; }
    std::string arguments() const { return joined(0); }

    /// A plain value.
    template <class T>
    void in(const std::string& name, const T& value) {
        if (mode_ != Mode::print) return;
        declare(name, "value", type_name<T>(), &value, sizeof value);
        arguments_.push_back(name);
    }
    /// A count, or a number that follows from one.
    void count(std::size_t number) {
        if (mode_ == Mode::print) arguments_.push_back(std::to_string(number));
    }
    /// An array that all items share, or null.
    template <class T>
    void all(const std::string& name, const T* items, std::size_t item_count) {
        if (mode_ != Mode::print) return;
        if (items == nullptr) return arguments_.push_back("nullptr");
        declare(name, "items", type_name<T>(), items, item_count * sizeof(T));
        arguments_.push_back(name + ".data()");
    }
    template <class View>
    void all(const std::string& name, const View& view) {
        if (mode_ == Mode::print) arguments_.push_back(text_of(name, view));
    }
    /// Items processed one by one.
    template <class T>
    void each(const std::string& name, const T*& items) {
        if (mode_ == Mode::cut && items != nullptr) items += begin_;
        all(name, static_cast<const T*>(items), item_count_);
    }
    template <class View>
    void each(const std::string& name, View& view) {
        if (mode_ == Mode::cut) view = part(view);
        all(name, view);
    }
    /// The same, followed by their count as an argument.
    template <class T>
    void each_counted(const std::string& name, const T*& items, std::size_t& item_count) {
        if (mode_ == Mode::cut) item_count = count_;
        each(name, items);
        count(item_count);
    }

    /// An output of `item_count` elements, or null if not wanted. A kernel may write up to `room` of them.
    template <class T>
    void out(const std::string& name, T*& items, std::size_t item_count, std::size_t room = 0) {
        take_output(name, items, item_count, room < item_count ? item_count : room, false);
    }
    /// An output of one bit per item.
    void out_bits(const std::string& name, std::uint64_t*& words, std::size_t bit_count) {
        take_output(name, words, bit_word_count(bit_count), bit_word_count(bit_count), true);
    }

    /// An output that is not an array. The caller of the description compares it.
    template <class T>
    void state(const std::string& name, const T&) {
        if (mode_ != Mode::print) return;
        declarations_ += "    " + std::string(type_name<T>()) + ' ' + name + " = {};\n";
        arguments_.push_back(name);
    }

    /// The fields of a struct come between these two.
    void begin_fields() {
        if (mode_ == Mode::print) field_begins_.push_back(arguments_.size());
    }
    void end_fields() {
        if (mode_ != Mode::print) return;
        const std::size_t begin = field_begins_.back();
        field_begins_.pop_back();
        const std::string fields = '{' + joined(begin) + '}';
        arguments_.resize(begin);
        arguments_.push_back(fields);
    }

private:
    static constexpr int kGarbage = 0xA5;

    explicit ShadowOperands(Mode mode) : mode_(mode) {}

    template <class T>
    void take_output(const std::string& name, T*& items, std::size_t item_count, std::size_t room,
                     bool is_bits) {
        if (mode_ == Mode::print) {
            if (items == nullptr) return arguments_.push_back("nullptr");
            declarations_ += "    std::vector<" + std::string(type_name<T>()) + "> " + name + '(' +
                             std::to_string(room) + ");\n";
            arguments_.push_back(name + ".data()");
        }
        if (mode_ != Mode::redirect || items == nullptr) return;
        const auto* const original = reinterpret_cast<const std::byte*>(items);
        AlignedArray<std::byte> memory;
        if (!memory.resize(room * sizeof(T) + 1)) __builtin_trap();
        std::memset(memory.data(), kGarbage, room * sizeof(T) + 1);
        items = reinterpret_cast<T*>(memory.data());
        outputs_.push_back(
            {name, original, std::move(memory), sizeof(T), kValueBytes<T>, item_count, is_bits});
    }

    template <class View>
    View part(const View& view) const {
        return view.part(begin_, count_);
    }
    // Displacements are optional.
    Vec3SoaView part(const Vec3SoaView& view) const {
        if (view.count == 0) return view;
        return {view.x + begin_, view.y + begin_, view.z + begin_, count_};
    }
    ObbSoaView part(const ObbSoaView& view) const {
        return {part(view.center), part(view.axis_x), part(view.axis_y), part(view.axis_z),
                part(view.half_extent)};
    }

    /// Declares `name` by a function of tests/support/shadow_case.hpp, from the bits of a value.
    void declare(std::string_view name, std::string_view function, std::string_view type, const void* data,
                 std::size_t bytes);
    /// Declares columns of floats, and returns the initialiser of a view of them.
    std::string text_of_columns(const std::string& name, const char* type, std::vector<const float*> columns,
                                std::size_t item_count, const std::string& more = {});
    std::string text_of(const std::string& name, const BoxSoaView& view);
    std::string text_of(const std::string& name, const Vec3SoaView& view);
    std::string text_of(const std::string& name, const SphereSoaView& view);
    std::string text_of(const std::string& name, const TriangleSoaView& view);
    std::string text_of(const std::string& name, const ObbSoaView& view);
    std::string joined(std::size_t begin) const;

    Mode mode_;
    std::size_t begin_ = 0;
    std::size_t count_ = 0;
    std::size_t item_count_ = 0;
    std::vector<ShadowOutput> outputs_;
    std::string declarations_;
    std::vector<std::string> arguments_;
    std::vector<std::size_t> field_begins_;
};

/// The 32-bit words of a value, such as "0x3f800000, 0x00000000"; the last one is padded with zeros.
std::string words_of(const void* data, std::size_t bytes);

/// A test file with one case, whose last statement checks `check`.
std::string case_of(const std::string& name, const std::string& declarations, const std::string& check);

/// A difference between a kernel and its specification.
struct ShadowDifference {
    std::string call;
    Isa isa;
    std::string output;
    std::size_t index;
    std::string expected;
    std::string found;
    /// The statements of the test except the last, which checks `agreement` with these arguments.
    std::string declarations;
    std::string arguments;
    bool is_reproduced;
};
/// The complete report of a difference.
std::string text_of(const ShadowDifference& difference);

}  // namespace broadside::simd::shadow
