// The few functions that the scenes need beyond + - * / and sqrt, with the same bits on every platform and
// compiler.
#pragma once

namespace broadside::scenes {

/// Sine and cosine of an angle in turns (1 is the full circle). A fixed polynomial in double over a quarter
/// turn; off by less than 1e-15. The C library's own differ between platforms in the last bit.
double sine_of_turns(double turns) noexcept;
double cosine_of_turns(double turns) noexcept;

/// 2 to the power of `exponent`, for exponents from -1000 to 1000. Relative error below 1e-15.
double power_of_two(double exponent) noexcept;

/// Cube root of a value from 0 to 1e15 by a fixed number of Newton steps. Relative error below 1e-15; 0 gives
/// 0.
double cube_root(double value) noexcept;

}  // namespace broadside::scenes
