/* Functions of <math.h> whose results IEEE 754 determines, and those of which C says a few properties. */
double fmod(double x, double y) {
  double rest = x < 0 ? -x : x, step = y < 0 ? -y : y;
  if (!(step > 0) || !(rest < __builtin_inf())) return __builtin_nan("");
  if (step == __builtin_inf()) return x;
  /* Each difference is exact, as the larger number is at most twice the smaller one. */
  while (rest >= step) {
    double part = step;
    while (part <= rest / 2) part *= 2;
    rest -= part;
  }
  return __builtin_copysign(rest, x);
}
float fmodf(float x, float y) {
  float rest = x < 0 ? -x : x, step = y < 0 ? -y : y;
  if (!(step > 0) || !(rest < __builtin_inff())) return __builtin_nanf("");
  if (step == __builtin_inff()) return x;
  while (rest >= step) {
    float part = step;
    while (part <= rest / 2) part *= 2;
    rest -= part;
  }
  return __builtin_copysignf(rest, x);
}
double remainder(double x, double y) {
  double rest = x < 0 ? -x : x, step = y < 0 ? -y : y, sign = x;
  if (!(step > 0) || !(rest < __builtin_inf())) return __builtin_nan("");
  if (step == __builtin_inf()) return x;
  _Bool odd = 0;
  while (rest >= step) {
    double part = step;
    while (part <= rest / 2) part *= 2;
    rest -= part;
    if (part == step) odd = !odd;
  }
  /* The nearest multiple, and of two the even one. */
  double other = step - rest;
  _Bool up = rest > other || (rest == other && odd);
  if (up) rest = -other;
  if (rest == 0) return __builtin_copysign(rest, sign);
  return __builtin_signbit(sign) ? -rest : rest;
}
double ldexp(double x, int exponent) {
  union { unsigned long long bits; double value; } factor;
  double result = x;
  int left = exponent;
  /* Steps that keep all digits come first, so that the last one alone rounds. */
  if (left > 1023) {
    result *= 0x1p1023;
    left -= 1023;
    if (left > 1023) {
      result *= 0x1p1023;
      left = left - 1023 > 1023 ? 1023 : left - 1023;
    }
  } else if (left < -1022) {
    result *= 0x1p-969;
    left += 969;
    if (left < -1022) {
      result *= 0x1p-969;
      left = left + 969 < -1022 ? -1022 : left + 969;
    }
  }
  factor.bits = (unsigned long long)(left + 1023) << 52;
  return result * factor.value;
}
double scalbn(double x, int exponent) {
  return ldexp(x, exponent);
}
double frexp(double x, int *exponent) {
  union { double value; unsigned long long bits; } parts;
  parts.value = x;
  int biased = parts.bits >> 52 & 2047;
  if (biased == 2047 || x == 0) {
    *exponent = 0;
    return x;
  }
  int added = 0;
  if (biased == 0) {
    parts.value = x * 0x1p64;
    biased = parts.bits >> 52 & 2047;
    added = -64;
  }
  *exponent = biased - 1022 + added;
  parts.bits = (parts.bits & 0x800fffffffffffffull) | 1022ull << 52;
  return parts.value;
}
double modf(double x, double *whole) {
  double truncated = __builtin_trunc(x);
  *whole = truncated;
  double rest = x - x == 0 ? x - truncated : x != x ? x : 0;
  return __builtin_copysign(rest, x);
}
double pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (x != x || y != y) return __builtin_nan("");
  if (y == 1) return x;
  double result = __VERIFIER_nondet_double();
  if (x > 0) __VERIFIER_assume(result >= 0);
  if (x > 1 && y > 0) __VERIFIER_assume(result >= 1);
  if (x > 1 && y < 0) __VERIFIER_assume(result <= 1);
  if (x > 0 && x < 1 && y > 0) __VERIFIER_assume(result <= 1);
  if (x > 0 && x < 1 && y < 0) __VERIFIER_assume(result >= 1);
  return result;
}
