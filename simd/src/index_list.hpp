// Lists of numbers as types, which kernels unroll loops by; no code remains of them.
#pragma once

#include <cstddef>
#include <utility>

namespace broadside::simd {

template <std::size_t... kIndices>
using IndexList = std::index_sequence<kIndices...>;
/// 0 to kCount - 1.
template <std::size_t kCount>
using MakeIndexList = std::make_index_sequence<kCount>;

}  // namespace broadside::simd
