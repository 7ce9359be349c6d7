#include <math.h>
#include "check.h"

static int is_negative(double x) { return __builtin_signbit(x) != 0; }

#pragma case fmod_rests: fmod fmodf
static void fmod_rests(void) {
  check(fmod(5.5, 2) == 1.5);
  check(fmod(-7, 3) == -1);
  check(fmod(7, -3) == 1);
  check(fmod(1, 3) == 1);
  check(fmod(6, 3) == 0 && !is_negative(fmod(6, 3)));
  check(is_negative(fmod(-6, 3)));
  check(isnan(fmod(1, 0)) && isnan(fmod(INFINITY, 1)));
  check(fmod(2, INFINITY) == 2);
  check(fmod(0.3, 0.1) == 0x1.9999999999998p-4);
  check(fmodf(5.5f, 2) == 1.5f);
  check(fmodf(-1e3f, 7) == -6);
}
#pragma case remainder_nearest: remainder
static void remainder_nearest(void) {
  check(remainder(5.5, 2) == -0.5);
  check(remainder(5, 2) == 1);
  check(remainder(7, 2) == -1);
  check(remainder(-5, 2) == -1);
  check(remainder(3, 2) == -1);
  check(remainder(1, 2) == 1);
  check(is_negative(remainder(-4, 2)) && remainder(-4, 2) == 0);
  check(isnan(remainder(1, 0)));
  check(remainder(3, INFINITY) == 3);
}
#pragma case ldexp_scales: ldexp scalbn
static void ldexp_scales(void) {
  check(ldexp(1.5, 4) == 24);
  check(ldexp(1, -1074) == 0x1p-1074);
  check(ldexp(1, 1024) == INFINITY);
  check(ldexp(0x1p-1074, 2000) == 0x1p926);
  check(ldexp(0x1p1000, -2074) == 0x1p-1074);
  check(ldexp(11, -1077) == 0x1p-1074);
  check(ldexp(-3, -5000) == 0 && is_negative(ldexp(-3, -5000)));
  check(scalbn(3, -1) == 1.5);
}
#pragma case frexp_parts: frexp
static void frexp_parts(void) {
  int exponent = 7;
  check(frexp(12, &exponent) == 0.75 && exponent == 4);
  check(frexp(-0.25, &exponent) == -0.5 && exponent == -1);
  check(frexp(0, &exponent) == 0 && exponent == 0);
  check(frexp(0x1p-1074, &exponent) == 0.5 && exponent == -1073);
}
#pragma case modf_parts: modf
static void modf_parts(void) {
  double whole;
  check(modf(3.25, &whole) == 0.25 && whole == 3);
  check(modf(-1.5, &whole) == -0.5 && whole == -1);
  check(is_negative(modf(-2, &whole)) && whole == -2);
  check(modf(INFINITY, &whole) == 0 && whole == INFINITY);
}
#pragma case pow_properties: pow
static void pow_properties(void) {
  check(pow(3, 0) == 1 && pow(1, 5) == 1 && pow(7, 1) == 7);
  check(pow(2, 10) >= 1);
  check(pow(0.5, 3) <= 1 && pow(0.5, 3) >= 0);
  check(isnan(pow(NAN, 2)));
}
