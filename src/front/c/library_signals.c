/* Signals to threads (POSIX pthread_kill, Linux signal(7)), in a program that sends some.
 *
 * Where no function of the program looks at signals, each has its default action, and one that ends the
 * process does so at some time from here on: another thread ends it. To the thread itself a signal comes at
 * once. A thread that has ended may not be there any more.
 */
void *__end_by_signal(void *unused) {
  _Exit(1);
  return unused;
}
int pthread_kill(unsigned long thread, int number) {
  if (number < 0 || number > 64) return 22;
  _Bool is_self = pthread_equal(thread, pthread_self());
  if (!is_self && __VERIFIER_nondet_bool()) return 3;
  /* SIGCHLD, SIGCONT, SIGURG, SIGWINCH */
  if (number == 0 || number == 17 || number == 18 || number == 23 || number == 28) return 0;
  /* SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU */
  if (__wmbmc_looks_at_signals() || (number >= 19 && number <= 22)) {
    __wmbmc_sends_signal();
    return 0;
  }
  if (is_self) _Exit(1);
  unsigned long other;
  pthread_create(&other, 0, __wmbmc___end_by_signal, 0);
  pthread_detach(other);
  return 0;
}
