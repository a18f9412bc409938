// What kernels unroll loops by: lists of numbers as types, of which no code remains.
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
