// Arithmetic without meaning, which is looked for on demand.
//
// run: --check overflow -DE=a+b
// expect: all=UNSAFE
//
// run: --check overflow -DE=a-b
// expect: all=UNSAFE
//
// run: --check overflow -DE=a*b
// expect: all=UNSAFE
//
// run: --check overflow -DE=-a
// expect: all=UNSAFE
//
// run: --check overflow,divzero -DE=(b==0)?0:a/b
// expect: all=UNSAFE
//
// run: --check overflow,divzero -DE=(b>0)?a/b:0
// expect: all=SAFE
//
// run: --check divzero -DE=a%b
// expect: all=UNSAFE
//
// run: --check divzero -DE=(b!=0&&a/b>1)
// expect: all=SAFE
//
// run: --check overflow -DE=a<<b
// expect: all=UNSAFE
//
// run: --check overflow -DE=1<<(b&31)
// expect: all=SAFE
//
// run: --check overflow -DE=(int)((unsigned)a+(unsigned)b)
// expect: all=SAFE
//
// run: --check overflow -DE=((a&1023)*(b&1023)+(a&7))
// expect: all=SAFE
//
// run: --check overflow -DE=(int)((long)a*(b&255)-a+b)
// expect: all=SAFE
//
// run: --check overflow -DE=(int)((long)a*b*b)
// expect: all=UNSAFE
//
// run: -DE=a+b/(b-b)
// expect: all=SAFE

int __VERIFIER_nondet_int(void);

int main(void) {
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
  int c = E;
  return c;
}
