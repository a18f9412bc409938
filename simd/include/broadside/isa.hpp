// The instruction set that the kernels run on: list all, query the active one, force one.
#pragma once

#include <broadside/export.hpp>
#include <broadside/status.hpp>

#include <optional>
#include <span>

namespace BROADSIDE_API broadside {

/// The instruction sets that kernels are built for. All return the same bits; they differ in speed only.
enum class Isa : std::uint8_t {
    /// The specification itself, one item at a time. Built everywhere.
    scalar,
    /// The x86-64 baseline, four lanes.
    sse2,
    /// AVX2 with FMA and BMI (Haswell, Zen and newer), eight lanes.
    avx2,
    /// AVX-512 F, CD, DQ, BW, VL, IFMA, VBMI and VBMI2 (Ice Lake, Zen 4 and newer), sixteen lanes. Older
    /// AVX-512 machines take avx2.
    avx512,
    /// AArch64 Advanced SIMD, four lanes.
    neon64,
    /// WebAssembly SIMD, four lanes. A module with it needs an engine with SIMD; one built with `scalar`
    /// alone runs everywhere.
    wasm128,
};

/// Number of enumerators, for arrays indexed by Isa.
inline constexpr std::size_t kIsaCount = 6;

/// The names that `BROADSIDE_ISA` and `find_isa` take: "scalar", "sse2", "avx2", "avx512", "neon64",
/// "wasm128".
const char* isa_name(Isa isa) noexcept;

/// The ISA with exactly this name, or nothing; nothing for null.
std::optional<Isa> find_isa(const char* name) noexcept;

/// The ISAs compiled into this library, in the order of the enum.
std::span<const Isa> built_isas() noexcept;

/// The built ISAs that this machine and its operating system can run, in the order of the enum. Never empty.
std::span<const Isa> supported_isas() noexcept;

/// The ISA that batch calls run on. Chosen at the first use: the one that the environment variable
/// `BROADSIDE_ISA` names, else the last of `supported_isas()`. Nothing if the variable names an unknown or
/// unsupported ISA: every batch call then returns Status::unsupported_isa until `set_active_isa` is called,
/// and `isa_error` of config_string.hpp says why. There is no silent fallback. Thread-safe.
std::optional<Isa> active_isa() noexcept;

/// Makes `isa` the active one for all threads, from their next batch call on. Returns unsupported_isa and
/// changes nothing if it is not among `supported_isas()`. This and the assert handler are the only global
/// state.
Status set_active_isa(Isa isa) noexcept;

}  // namespace broadside
