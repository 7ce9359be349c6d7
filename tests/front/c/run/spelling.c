/* Other alphabets, other signs, wide strings, and what gcc has beside C11. */
%:include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

int größe = 3;
static int Øre(int ñ) { return ñ + 1; }
struct µ { int α, β; };

int digraphs<:3:> = <% 1, 2, 3 %>;

struct header { int n; long items[]; };

static int chosen(int which) {
  int i = 0;
  long l = 0;
  __builtin_choose_expr(1, i, l) = 4;
  __builtin_choose_expr(0, i, l) = 5;
  assert(sizeof(__builtin_choose_expr(0, i, l)) == sizeof(long));
  assert(__builtin_choose_expr(sizeof(long) == 8, 1, nosuch()) == 1);
  return which ? i : (int)l;
}

static int labels(int k) {
  switch (k) {
    case 0:
      return 7;
    case 1: int x = 2;
      return x;
    default: size_t y = 3;
      return y;
  }
}

int main(void) {
  int å = größe;
  struct µ pair = {1, 2};
  assert(å == 3 && gr\u00f6\u00dfe == 3 && Øre(å) == 4);
  assert(pair.α + pair.β == 3);
  assert(digraphs<:2:> == 3);
  assert(strlen("\u00e4") == 2 && (unsigned char)"\u00e4"[0] == 0xc3 && "\\u00e4"[1] == 'u');

  wchar_t *wide = L"ab\u00e4", copy[] = L"xyz", short_one[2] = L"xyz";
  assert(wide[0] == L'a' && wide[2] == 0xe4 && wide[3] == 0);
  assert(sizeof copy == 16 && copy[3] == 0 && short_one[1] == L'y');
  assert(sizeof(u"a") == 4 && sizeof(U"a") == 8 && sizeof(u8"a") == 2);
  assert(u"\U00010000"[0] == 0xd800 && u"\U00010000"[1] == 0xdc00 && U"\U00010000"[0] == 0x10000);
  assert(L"a" "b"[1] == L'b' && L'\xff' == 255 && u'\xffff' == 65535);

  assert(__builtin_types_compatible_p(int, const int) && !__builtin_types_compatible_p(int, long));
  assert(!__builtin_types_compatible_p(int[], int *) && __builtin_types_compatible_p(int[5], int[]));
  assert(__builtin_types_compatible_p(__typeof__(å), int));
  assert(chosen(1) == 4 && chosen(0) == 5);
  assert(labels(0) == 7 && labels(1) == 2 && labels(5) == 3);

  int k = digraphs[1];
  assert(offsetof(struct header, items[k]) == 8 + 8 * k);
  assert(offsetof(struct header, items[k++ + 1]) == 32 && k == 3);
  return 0;
}
