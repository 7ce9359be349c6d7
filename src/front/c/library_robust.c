/* Robust mutexes, in a program that asks for them: those that a thread holds, until it ends. The first
 * word of one whose owner has ended is 0x40000000 (`builtin/mutex.rs` has the states). */
void __robust_taken(int *mutex) {
  int n = *__wmbmc_robust_count();
  if (n >= 8) __wmbmc_robust_full();
  __wmbmc_robust_held()[n] = mutex;
  *__wmbmc_robust_count() = n + 1;
}
void __robust_given(int *mutex) {
  int n = *__wmbmc_robust_count() - 1;
  for (int i = 0; i < 8; i++)
    if (i < n && __wmbmc_robust_held()[i] == mutex) __wmbmc_robust_held()[i] = __wmbmc_robust_held()[n];
  *__wmbmc_robust_count() = n;
}
void __robust_end(void) {
  for (int i = 0; i < 8; i++)
    if (i < *__wmbmc_robust_count()) __wmbmc_robust_died(__wmbmc_robust_held()[i]);
}
