#pragma once
#include <bits/wmbmc_features.h>
typedef float float_t;
typedef double double_t;
#define __WMBMC_1(name) double name(double x); float name##f(float x); long double name##l(long double x);
#define __WMBMC_2(name) double name(double x, double y); float name##f(float x, float y); long double name##l(long double x, long double y);
__WMBMC_1(acos) __WMBMC_1(acosh) __WMBMC_1(asin) __WMBMC_1(asinh) __WMBMC_1(atan) __WMBMC_1(atanh)
__WMBMC_1(cbrt) __WMBMC_1(ceil) __WMBMC_1(cos) __WMBMC_1(cosh) __WMBMC_1(erf) __WMBMC_1(erfc)
__WMBMC_1(exp) __WMBMC_1(exp2) __WMBMC_1(expm1) __WMBMC_1(fabs) __WMBMC_1(floor) __WMBMC_1(lgamma)
__WMBMC_1(log) __WMBMC_1(log10) __WMBMC_1(log1p) __WMBMC_1(log2) __WMBMC_1(logb) __WMBMC_1(nearbyint)
__WMBMC_1(rint) __WMBMC_1(round) __WMBMC_1(roundeven) __WMBMC_1(sin) __WMBMC_1(sinh) __WMBMC_1(sqrt)
__WMBMC_1(tan) __WMBMC_1(tanh) __WMBMC_1(tgamma) __WMBMC_1(trunc)
__WMBMC_2(atan2) __WMBMC_2(copysign) __WMBMC_2(fdim) __WMBMC_2(fmax) __WMBMC_2(fmin) __WMBMC_2(fmod)
__WMBMC_2(hypot) __WMBMC_2(nextafter) __WMBMC_2(pow) __WMBMC_2(remainder)
#undef __WMBMC_1
#undef __WMBMC_2
double fma(double x, double y, double z);
float fmaf(float x, float y, float z);
double frexp(double x, int *exponent);
double ldexp(double x, int exponent);
double modf(double x, double *whole);
double scalbn(double x, int exponent);
double nan(const char *tag);
float nanf(const char *tag);
long lround(double x);
long lroundf(float x);
long lrint(double x);
long lrintf(float x);
long long llround(double x);
long long llroundf(float x);
long long llrint(double x);
long long llrintf(float x);
#define NAN (__builtin_nanf(""))
#define INFINITY (__builtin_inff())
#define HUGE_VAL (__builtin_huge_val())
#define HUGE_VALF (__builtin_huge_valf())
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf_sign(x)
#define isfinite(x) __builtin_isfinite(x)
#define isnormal(x) __builtin_isnormal(x)
#define signbit(x) __builtin_signbit(x)
#define isgreater(x, y) __builtin_isgreater(x, y)
#define isgreaterequal(x, y) __builtin_isgreaterequal(x, y)
#define isless(x, y) __builtin_isless(x, y)
#define islessequal(x, y) __builtin_islessequal(x, y)
#define islessgreater(x, y) __builtin_islessgreater(x, y)
#define isunordered(x, y) __builtin_isunordered(x, y)
#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4
#define fpclassify(x) (isnan(x) ? FP_NAN : isinf(x) ? FP_INFINITE : (x) == 0 ? FP_ZERO : isnormal(x) ? FP_NORMAL : FP_SUBNORMAL)
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
