// Doubles on native registers: what xsimd has no form of with the exact semantics that the kernels need.
#pragma once

#include <broadside/force_inline.hpp>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

// load_widened reads as many floats as the register has doubles, each exactly; store_narrowed rounds to
// nearest. divide and square_root are the IEEE results; min_keep and max_keep are "a < b ? a : b" and "a > b
// ? a : b". The register type of the loads is chosen by a tag of that type, whose value is not used.
namespace broadside::simd::native {

#if defined(__x86_64__)
BROADSIDE_FORCE_INLINE __m128d load_widened(const float* source, __m128d) {
    return _mm_cvtps_pd(_mm_castpd_ps(_mm_load_sd(reinterpret_cast<const double*>(source))));
}
BROADSIDE_FORCE_INLINE void store_narrowed(float* target, __m128d value) {
    _mm_storel_pi(reinterpret_cast<__m64*>(target), _mm_cvtpd_ps(value));
}
BROADSIDE_FORCE_INLINE __m128d round_to_float(__m128d value) { return _mm_cvtps_pd(_mm_cvtpd_ps(value)); }
BROADSIDE_FORCE_INLINE __m128d divide(__m128d a, __m128d b) { return _mm_div_pd(a, b); }
BROADSIDE_FORCE_INLINE __m128d square_root(__m128d a) { return _mm_sqrt_pd(a); }
BROADSIDE_FORCE_INLINE __m128d min_keep(__m128d a, __m128d b) { return _mm_min_pd(a, b); }
BROADSIDE_FORCE_INLINE __m128d max_keep(__m128d a, __m128d b) { return _mm_max_pd(a, b); }
#endif

#if defined(__AVX2__)
BROADSIDE_FORCE_INLINE __m256d load_widened(const float* source, __m256d) {
    return _mm256_cvtps_pd(_mm_loadu_ps(source));
}
BROADSIDE_FORCE_INLINE void store_narrowed(float* target, __m256d value) {
    _mm_storeu_ps(target, _mm256_cvtpd_ps(value));
}
BROADSIDE_FORCE_INLINE __m256d round_to_float(__m256d value) {
    return _mm256_cvtps_pd(_mm256_cvtpd_ps(value));
}
BROADSIDE_FORCE_INLINE __m256d divide(__m256d a, __m256d b) { return _mm256_div_pd(a, b); }
BROADSIDE_FORCE_INLINE __m256d square_root(__m256d a) { return _mm256_sqrt_pd(a); }
BROADSIDE_FORCE_INLINE __m256d min_keep(__m256d a, __m256d b) { return _mm256_min_pd(a, b); }
BROADSIDE_FORCE_INLINE __m256d max_keep(__m256d a, __m256d b) { return _mm256_max_pd(a, b); }
#endif

#if defined(__AVX512F__)
BROADSIDE_FORCE_INLINE __m512d load_widened(const float* source, __m512d) {
    return _mm512_cvtps_pd(_mm256_loadu_ps(source));
}
BROADSIDE_FORCE_INLINE void store_narrowed(float* target, __m512d value) {
    _mm256_storeu_ps(target, _mm512_cvtpd_ps(value));
}
BROADSIDE_FORCE_INLINE __m512d round_to_float(__m512d value) {
    return _mm512_cvtps_pd(_mm512_cvtpd_ps(value));
}
BROADSIDE_FORCE_INLINE __m512d divide(__m512d a, __m512d b) { return _mm512_div_pd(a, b); }
BROADSIDE_FORCE_INLINE __m512d square_root(__m512d a) { return _mm512_sqrt_pd(a); }
BROADSIDE_FORCE_INLINE __m512d min_keep(__m512d a, __m512d b) { return _mm512_min_pd(a, b); }
BROADSIDE_FORCE_INLINE __m512d max_keep(__m512d a, __m512d b) { return _mm512_max_pd(a, b); }
#endif

#if defined(__aarch64__)
BROADSIDE_FORCE_INLINE float64x2_t load_widened(const float* source, float64x2_t) {
    return vcvt_f64_f32(vld1_f32(source));
}
BROADSIDE_FORCE_INLINE void store_narrowed(float* target, float64x2_t value) {
    vst1_f32(target, vcvt_f32_f64(value));
}
BROADSIDE_FORCE_INLINE float64x2_t round_to_float(float64x2_t value) {
    return vcvt_f64_f32(vcvt_f32_f64(value));
}
BROADSIDE_FORCE_INLINE float64x2_t divide(float64x2_t a, float64x2_t b) { return vdivq_f64(a, b); }
BROADSIDE_FORCE_INLINE float64x2_t square_root(float64x2_t a) { return vsqrtq_f64(a); }
BROADSIDE_FORCE_INLINE float64x2_t min_keep(float64x2_t a, float64x2_t b) {
    return vbslq_f64(vcltq_f64(a, b), a, b);
}
BROADSIDE_FORCE_INLINE float64x2_t max_keep(float64x2_t a, float64x2_t b) {
    return vbslq_f64(vcgtq_f64(a, b), a, b);
}
#endif

}  // namespace broadside::simd::native
