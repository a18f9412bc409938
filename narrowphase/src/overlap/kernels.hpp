// The kernels of box overlap as function pointers.
#pragma once

#include <broadside/box_view.hpp>
#include <broadside/pair_buffer.hpp>

namespace broadside::narrowphase {

struct OverlapKernels {
    void (*boxes)(const Aabb& box, const BoxSoaView& boxes, std::uint64_t* out_bits);
    void (*pairs)(const BoxSoaView& a, const BoxSoaView& b, const IndexPair* pairs, std::size_t pair_count,
                  std::uint64_t* out_bits);

    static const OverlapKernels scalar, sse2, avx2, avx512, neon64, wasm128;
};

}  // namespace broadside::narrowphase
