/* Every file is a table of small programs: what follows `#pragma case NAME: FUNCTIONS` is a program
 * that covers these functions, a function NAME and what it needs; what precedes the first one
 * belongs to all. A line has one check at most: a wrong variant has the check of one line negated.
 * `never()` must not be reached. */
#ifdef __WMBMC__
#define check(condition) __wmbmc_assert(!(condition) == (__LINE__ == WRONG_LINE), #condition)
#define never() __wmbmc_assert(0, "never")
#else
extern int wrong_line;
void failed(void);
#define never() failed()
#define check(condition) \
  do { \
    if (!(condition) != (__LINE__ == wrong_line)) failed(); \
  } while (0)
#endif
