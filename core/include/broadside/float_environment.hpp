// The floating-point environment that results are defined in, as a scope. The only place that names the
// processor's control register.
#pragma once

#include <broadside/compiler.hpp>

#include <cstdint>
#include <type_traits>

namespace broadside {

/// While it lives, its thread rounds to nearest, keeps denormal numbers and traps nothing; afterwards the
/// control word is what it was.
///
/// Every function of the library that computes opens one, and so does every task that it gives to a
/// TaskRunner, so that a thread that flushes denormals or rounds in another direction gets the same bits as
/// any other, and a thread that traps on floating-point exceptions is not trapped in here. What a call calls
/// back (a filter, a sink, an allocator, a runner) runs inside it. Inline functions of the headers, such as
/// `overlap` of two boxes or `swept`, are the caller's code and run in the caller's environment: whoever has
/// changed it and wants the same bits of them opens one too.
///
/// The control word is that of the thread, which must be the same at both ends. Which exception flags are
/// raised after a call is not defined. Costs a look at the control word where nothing is to be changed, as on
/// most threads, else two writes of it. On x86, AArch64, RISC-V and s390x; on other processors it does nothing.
class FloatEnvironment {
public:
    /// `state_numbers` are floating-point numbers that came by value, all that are computed with in the
    /// scope. Compilers know nothing of the control word: they keep memory on its side of a scope's ends, but
    /// would compute with what is in a register before the scope begins.
    template <class... Numbers>
    [[nodiscard]] BROADSIDE_FORCE_INLINE explicit FloatEnvironment(Numbers&... state_numbers) noexcept
        : caller_word_(control_word()) {
        if (is_other(caller_word_)) set_control_word((caller_word_ & ~kDecidingBits) | kDefaultBits);
        (pin(state_numbers), ...);
        keep_memory_in_place();
    }
    /// Puts the caller's environment back.
    BROADSIDE_FORCE_INLINE ~FloatEnvironment() {
        keep_memory_in_place();
        if (is_other(caller_word_)) set_control_word(caller_word_);
    }
    FloatEnvironment(const FloatEnvironment&) = delete;
    FloatEnvironment& operator=(const FloatEnvironment&) = delete;

    /// What is returned by value from within the scope: computed before the scope ends. A compiler may leave
    /// what only a register is to hold to when the caller's environment is back, and clang does.
    template <class Result>
    [[nodiscard]] BROADSIDE_FORCE_INLINE static Result result(Result value) noexcept {
        pin(value);
        return value;
    }

private:
    template <class Function>
    friend class InCallerEnvironment;
    friend class DirectedRounding;

#if BROADSIDE_X86
    // MXCSR: flush to zero, rounding, the six exception masks, denormals are zero. Of the rest, the flags are
    // left alone on the way in and put back on the way out; a flag that is put back traps nothing.
    using Word = std::uint32_t;
    static constexpr Word kDecidingBits = 0xFFC0;
    static constexpr Word kDefaultBits = 0x1F80;
    static constexpr Word kDownBits = 0x3F80;
    static constexpr Word kUpBits = 0x5F80;
    BROADSIDE_FORCE_INLINE static Word control_word() noexcept {
#if BROADSIDE_IS_MSVC
        return msvc::control_word();
#else
        Word word;
        asm volatile("stmxcsr %0" : "=m"(word));
        return word;
#endif
    }
    BROADSIDE_FORCE_INLINE static void set_control_word(Word word) noexcept {
#if BROADSIDE_IS_MSVC
        msvc::set_control_word(word);
#else
        asm volatile("ldmxcsr %0" : : "m"(word) : "memory");
#endif
    }
#elif defined(__aarch64__)
    // FPCR: default NaN (25), flush to zero (24), rounding (23:22), the trap enables (15, 12:8), and of
    // FEAT_AFP which elements (2), alternate handling (1) and flushed inputs (0). The flags are elsewhere.
    using Word = std::uint64_t;
    static constexpr Word kDecidingBits = 0x03C09F07;
    static constexpr Word kDefaultBits = 0;
    static constexpr Word kDownBits = 0x00800000;
    static constexpr Word kUpBits = 0x00400000;
    BROADSIDE_FORCE_INLINE static Word control_word() noexcept {
        Word word;
        asm volatile("mrs %0, fpcr" : "=r"(word));
        return word;
    }
    BROADSIDE_FORCE_INLINE static void set_control_word(Word word) noexcept {
        asm volatile("msr fpcr, %0" : : "r"(word) : "memory");
    }
#elif defined(__riscv_flen)
    // frm: the direction of rounding is all there is.
    using Word = std::uint64_t;
    static constexpr Word kDecidingBits = 7;
    static constexpr Word kDefaultBits = 0;
    static constexpr Word kDownBits = 2;
    static constexpr Word kUpBits = 3;
    BROADSIDE_FORCE_INLINE static Word control_word() noexcept {
        Word word;
        asm volatile("frrm %0" : "=r"(word));
        return word;
    }
    BROADSIDE_FORCE_INLINE static void set_control_word(Word word) noexcept {
        asm volatile("fsrm %0" : : "r"(word) : "memory");
    }
#elif defined(__s390x__)
    // FPC: the trap enables and the direction of rounding; the flags are left alone on the way in.
    using Word = std::uint32_t;
    static constexpr Word kDecidingBits = 0xF8000007;
    static constexpr Word kDefaultBits = 0;
    static constexpr Word kDownBits = 3;
    static constexpr Word kUpBits = 2;
    BROADSIDE_FORCE_INLINE static Word control_word() noexcept {
        Word word;
        asm volatile("efpc %0" : "=d"(word));
        return word;
    }
    BROADSIDE_FORCE_INLINE static void set_control_word(Word word) noexcept {
        asm volatile("sfpc %0" : : "d"(word) : "memory");
    }
#else
    using Word = std::uint32_t;
    static constexpr Word kDecidingBits = 0;
    static constexpr Word kDefaultBits = 0;
    static constexpr Word kDownBits = 0;
    static constexpr Word kUpBits = 0;
    BROADSIDE_FORCE_INLINE static Word control_word() noexcept { return 0; }
    BROADSIDE_FORCE_INLINE static void set_control_word(Word) noexcept {}
#endif

    BROADSIDE_FORCE_INLINE static bool is_other(Word word) noexcept {
        return (word & kDecidingBits) != kDefaultBits;
    }
    // A value that is computed on this side of it and used on the other.
    template <class Number>
    BROADSIDE_FORCE_INLINE static void pin(Number& state_number) noexcept {
#if BROADSIDE_IS_MSVC
        volatile Number number = state_number;
        state_number = number;
#else
        if constexpr (std::is_integral_v<Number>)
            asm volatile("" : "+r"(state_number));
        else
            asm volatile("" : "+m"(state_number));
#endif
    }
    BROADSIDE_FORCE_INLINE static void keep_memory_in_place() noexcept {
#if BROADSIDE_IS_MSVC
        _ReadWriteBarrier();
#else
        asm volatile("" : : : "memory");
#endif
    }

    Word caller_word_;
};

/// A function that runs in the floating-point environment of the thread and the moment at which this was made, for what
/// the library calls back: `tree.visit_hits(ray, settings, in_caller_environment(visit))` lets a caller who flushes
/// denormals go on to do so in `visit`. Costs a look at the control word a call where nothing is to be changed, else two
/// writes of it.
template <class Function>
class InCallerEnvironment {
public:
    explicit InCallerEnvironment(Function function) noexcept  ///< Of the environment as it is now.
        : function_(static_cast<Function&&>(function)), word_(FloatEnvironment::control_word()) {}
    /// Calls it there.
    template <class... Arguments>
    auto operator()(Arguments&&... arguments) noexcept {
        const Scope scope(word_);
        return FloatEnvironment::result(function_(static_cast<Arguments&&>(arguments)...));
    }

private:
    // The reverse of FloatEnvironment: both ends see the library's word.
    struct Scope {
        explicit Scope(FloatEnvironment::Word caller_word) noexcept
            : library_word(FloatEnvironment::control_word()),
              is_other(FloatEnvironment::is_other(caller_word)) {
            if (is_other) FloatEnvironment::set_control_word(caller_word);
            FloatEnvironment::keep_memory_in_place();
        }
        ~Scope() {
            FloatEnvironment::keep_memory_in_place();
            if (is_other) FloatEnvironment::set_control_word(library_word);
        }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

        FloatEnvironment::Word library_word;
        bool is_other;
    };

    Function function_;
    FloatEnvironment::Word word_;
};
template <class Function>
InCallerEnvironment<Function> in_caller_environment(Function function) noexcept {  ///< Makes one.
    return InCallerEnvironment<Function>(static_cast<Function&&>(function));
}

}  // namespace broadside
