/* Functions that run when the program ends, the last one first (C11 7.22.4.2). */
void (*__wmbmc_at_exit[32])(void);
int __wmbmc_at_exit_count;
int atexit(void (*function)(void)) {
  int n = __atomic_fetch_add(&__wmbmc_at_exit_count, 1, 4);
  if (n >= 32) __wmbmc_at_exit_full();
  __atomic_store_n(&__wmbmc_at_exit[n], function, 3);
  return 0;
}
void __run_at_exit(void) {
  for (;;) {
    int n = __atomic_load_n(&__wmbmc_at_exit_count, 2) - 1;
    if (n < 0) return;
    __atomic_store_n(&__wmbmc_at_exit_count, n, 3);
    void (*function)(void) = __atomic_load_n(&__wmbmc_at_exit[n], 2);
    if (function) function();
  }
}
