// From the active ISA to a folder's kernel table: one look-up per batch call.
#pragma once

#include <broadside/isa.hpp>

namespace broadside::simd {

/// One pointer per ISA, null where the ISA is not built. Constant-initialised by the folder that owns the
/// kernels.
template <class Table>
struct TableSet {
    const Table* by_isa[kIsaCount];
};

/// The table of the active ISA, or null when none is active (the call answers Status::unsupported_isa).
template <class Table>
const Table* active_table(const TableSet<Table>& tables) noexcept {
    const std::optional<Isa> isa = active_isa();
    return isa ? tables.by_isa[static_cast<std::size_t>(*isa)] : nullptr;
}

}  // namespace broadside::simd

// `address` where the build compiles that ISA's units (it then defines BROADSIDE_BUILT_<ISA>), else null.
#if defined(BROADSIDE_BUILT_SSE2)
#define BROADSIDE_TABLE_SSE2(address) address
#else
#define BROADSIDE_TABLE_SSE2(address) nullptr
#endif
#if defined(BROADSIDE_BUILT_AVX2)
#define BROADSIDE_TABLE_AVX2(address) address
#else
#define BROADSIDE_TABLE_AVX2(address) nullptr
#endif
#if defined(BROADSIDE_BUILT_AVX512)
#define BROADSIDE_TABLE_AVX512(address) address
#else
#define BROADSIDE_TABLE_AVX512(address) nullptr
#endif
#if defined(BROADSIDE_BUILT_NEON64)
#define BROADSIDE_TABLE_NEON64(address) address
#else
#define BROADSIDE_TABLE_NEON64(address) nullptr
#endif
