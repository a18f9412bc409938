// For a processor with none of our instruction sets. The scalar units parse the lanes and call none of them:
// names suffice, and a call of one would not link.
#pragma once

#include "simd/src/native/operations.hpp"

// xsimd declares no batches for a processor that it does not know. A compiler looks up these names where it
// first parses the lanes.
namespace xsimd {

template <class To, class Value>
void batch_bool_cast(Value);
template <class To, class Value>
void batch_cast(Value);
template <class Value>
void reduce_add(Value);
template <class Value>
void reduce_min(Value);
template <class Value>
void reduce_max(Value);

}  // namespace xsimd

namespace broadside::simd::native {

// Lanes of 32 bits, and doubles.

template <class Register>
Register divide(Register a, Register b);
template <class Register>
Register square_root(Register a);
template <class Register>
Register min_keep(Register a, Register b);
template <class Register>
Register max_keep(Register a, Register b);
template <class Register>
Register select_by_sign(Register sign, Register if_set, Register if_clear);
template <class Register>
void stream(float* target, Register value);
void finish_streaming();
template <class Register>
Register load_first(const float* source, std::uint32_t count, Register fill);
template <class Register>
void store_first(float* target, std::uint32_t count, Register value);
template <class Register>
Register compress(Register value, std::uint32_t bits);
template <class Register>
void compress_store_interleaved(std::int32_t* target, Register first, Register second, std::uint32_t bits);
template <class Register>
Register load_widened(const float* source, Register);
template <class Register>
void store_narrowed(float* target, Register value);
template <class Register>
Register round_to_float(Register value);

// Bytes.

template <class Bytes, class Value>
void load(Bytes& out, const Value* source);
template <class Bytes, class Value>
void broadcast(Bytes& out, Value value);
template <class Bytes>
std::uint32_t at_most_bits(const Bytes& a, const Bytes& b);
template <class Quads>
std::uint32_t all_at_most_bits(const Quads& a, const Quads& b);
template <class Quads>
void partner(Quads& quads);
bool corners_at_most(const float* a, const float* b, const float* c, const float* d);
bool corners_touch(const float* a, const float* b, const float* c, const float* d);

// Rows and columns.

template <class Arch>
Row8<Arch> load_row(const float* source);
template <class Arch>
Row8<Arch> load_row_halves(const float* low, const float* high);
template <class Row>
Row subtract(const Row& a, const Row& b);
template <class Row>
Row multiply(const Row& a, const Row& b);
template <class Arch, class RowAt, unsigned kCount>
void turn_rows(RowAt&& row_at, Columns<Arch, kCount>& out);
template <class Arch, class RowAt>
void turn_vectors(RowAt&& row_at, Columns<Arch, 3>& out);
template <class RowAt, class Register>
void store_rows(RowAt&& row_at, Register (&low)[4], Register (&high)[4]);
template <class Register>
void load_columns4(const float* const* rows, Register (&columns)[4]);
template <class Register>
void load_columns4_widened(const float* const* rows, Register (&columns)[4]);
template <std::size_t kCount, class RowOf, class Register>
void load_columns(RowOf row_of, std::size_t offset, Register (&columns)[4]);

}  // namespace broadside::simd::native
