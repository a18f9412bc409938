// The floating-point environment in which results are defined, as a scope. Only this file names the
// processor's control register.
#pragma once

#include <broadside/compiler.hpp>

#include <cstdint>
#include <type_traits>

namespace broadside {

/// A scope in which the thread rounds to nearest, keeps denormal numbers and traps nothing. Its end restores
/// the control word.
///
/// Every function of the library that computes opens one, and so does every task that it gives to a
/// TaskRunner. A thread that flushes denormals or rounds in another direction thus gets the same bits as any
/// other, and a thread that traps on floating-point exceptions is not trapped in the library. Callbacks (a
/// filter, a sink, an allocator, a runner) run inside the scope. Inline functions of the headers, such as
/// `overlap` of two boxes or `swept`, run in the caller's environment. A caller that has changed its
/// environment and wants the same bits from them opens a scope too.
///
/// The control word belongs to the thread, so a scope must begin and end on the same thread. The exception
/// flags after a call are unspecified. Costs one read of the control word if nothing is to change, as on most
/// threads, else two writes as well. Works on x86, AArch64, RISC-V and s390x; does nothing on other
/// processors.
class FloatEnvironment {
public:
    /// `state_numbers` are the floating-point numbers that came by value and that the scope computes with.
    /// Compilers do not model the control word: they keep memory accesses inside the scope, but could compute
    /// on a register before the scope begins.
    template <class... Numbers>
    [[nodiscard]] BROADSIDE_FORCE_INLINE explicit FloatEnvironment(Numbers&... state_numbers) noexcept
        : caller_word_(control_word()) {
        if (is_other(caller_word_)) set_control_word((caller_word_ & ~kDecidingBits) | kDefaultBits);
        (pin(state_numbers), ...);
        keep_memory_in_place();
    }
    /// Restores the caller's environment.
    BROADSIDE_FORCE_INLINE ~FloatEnvironment() {
        keep_memory_in_place();
        if (is_other(caller_word_)) set_control_word(caller_word_);
    }
    FloatEnvironment(const FloatEnvironment&) = delete;
    FloatEnvironment& operator=(const FloatEnvironment&) = delete;

    /// The value to return from within the scope, computed before the scope ends. A compiler may otherwise
    /// delay a value that only a register holds until after the scope, and clang does.
    template <class Result>
    [[nodiscard]] BROADSIDE_FORCE_INLINE static Result result(Result value) noexcept {
        pin(value);
        return value;
    }

private:
    template <class Function>
    friend auto in_caller_environment(Function function) noexcept;
    friend class DirectedRounding;

#if BROADSIDE_X86
    // MXCSR: flush to zero, rounding, the six exception masks, denormals are zero. The flags are kept on the
    // way in and restored on the way out; restoring a flag traps nothing.
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
    // FPCR: default NaN (25), flush to zero (24), rounding (23:22), the trap enables (15, 12:8), and with
    // FEAT_AFP which elements (2), alternate handling (1) and flushed inputs (0). The flags are in another
    // register.
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
    // frm: the rounding direction, which is all that can be set.
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
    // FPC: the trap enables and the rounding direction. The flags are kept on the way in.
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
    // Pins a value that is computed on one side of the barrier and used on the other.
    template <class Number>
    BROADSIDE_FORCE_INLINE static void pin(Number& state_number) noexcept {
#if BROADSIDE_IS_MSVC
        // A value whose address is stored is in memory at the barrier.
        volatile void* volatile const stored_address = &state_number;
        (void)stored_address;
        _ReadWriteBarrier();
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

    // The reverse: a scope in another environment, which restores the library's at its end.
    struct CallerScope {
        explicit CallerScope(Word caller_word) noexcept
            : library_word(control_word()), is_changed(is_other(caller_word)) {
            if (is_changed) set_control_word(caller_word);
            keep_memory_in_place();
        }
        ~CallerScope() {
            keep_memory_in_place();
            if (is_changed) set_control_word(library_word);
        }
        CallerScope(const CallerScope&) = delete;
        CallerScope& operator=(const CallerScope&) = delete;

        Word library_word;
        bool is_changed;
    };

    Word caller_word_;
};

/// The function, made to run in the floating-point environment that this thread has now. A caller that flushes
/// denormals still does so in the visitor of `tree.visit_hits(ray, settings, in_caller_environment(visit))`.
/// Each call costs one read of the control word if nothing is to change, else two writes as well.
template <class Function>
auto in_caller_environment(Function function) noexcept {
    return [function = static_cast<Function&&>(function),
            word = FloatEnvironment::control_word()](auto&&... arguments) mutable noexcept {
        const FloatEnvironment::CallerScope scope(word);
        return FloatEnvironment::result(function(static_cast<decltype(arguments)>(arguments)...));
    };
}

}  // namespace broadside
