#ifndef WMBMC_DAT3M_H
#define WMBMC_DAT3M_H

/* What programs for Dartagnan take from its header. */

int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
float __VERIFIER_nondet_float(void);
double __VERIFIER_nondet_double(void);
_Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_assume(int condition);
void __VERIFIER_assert(int condition);
unsigned __VERIFIER_tid(void);

/* A bound of a loop says nothing of the program. */
void __VERIFIER_loop_bound(int bound);

/* Marks of loops that wait. */
void __VERIFIER_loop_begin(void);
void __VERIFIER_spin_start(void);
void __VERIFIER_spin_end(int again);

#define await_while(condition) while (condition)

#endif
