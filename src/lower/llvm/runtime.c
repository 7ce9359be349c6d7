// What modules of C++ call in their runtime (libstdc++, and the C++ ABI for Itanium), in C.
#include <pthread.h>
#include <stdlib.h>

// --- Program start and end (Itanium C++ ABI, 3.3.5 and 3.3.6).

char __dso_handle;

struct __llvm_exit {
  void (*function)(void *);
  void *argument;
  struct __llvm_exit *next;
};
static struct __llvm_exit *__llvm_exits;
static pthread_mutex_t __llvm_exits_lock = PTHREAD_MUTEX_INITIALIZER;
static void __llvm_at_exit(void) {
  while (__llvm_exits) {
    struct __llvm_exit *first = __llvm_exits;
    __llvm_exits = first->next;
    first->function(first->argument);
    free(first);
  }
}
int __cxa_atexit(void *function, void *argument, void *handle) {
  struct __llvm_exit *new = malloc(sizeof *new);
  new->function = (void (*)(void *))function;
  new->argument = argument;
  pthread_mutex_lock(&__llvm_exits_lock);
  if (!__llvm_exits)
    atexit(__llvm_at_exit);
  new->next = __llvm_exits;
  __llvm_exits = new;
  pthread_mutex_unlock(&__llvm_exits_lock);
  return 0;
}

// Guards of variables that are initialised when they are reached: one thread does it, others wait.
static pthread_mutex_t __llvm_guards = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t __llvm_guarded = PTHREAD_COND_INITIALIZER;
int __cxa_guard_acquire(void *guard) {
  char *state = guard;
  pthread_mutex_lock(&__llvm_guards);
  while (state[1])
    pthread_cond_wait(&__llvm_guarded, &__llvm_guards);
  int first = !state[0];
  if (first)
    state[1] = 1;
  pthread_mutex_unlock(&__llvm_guards);
  return first;
}
void __cxa_guard_release(void *guard) {
  char *state = guard;
  pthread_mutex_lock(&__llvm_guards);
  state[1] = 0;
  __atomic_store_n(&state[0], 1, __ATOMIC_RELEASE);
  pthread_cond_broadcast(&__llvm_guarded);
  pthread_mutex_unlock(&__llvm_guards);
}

// `std::call_once` hands what is called to `__once_proxy` in variables of the thread.
_Thread_local void *_ZSt15__once_callable;
_Thread_local void *_ZSt11__once_call;
void __once_proxy(void) { ((void (*)(void))_ZSt11__once_call)(); }

// --- What ends the program. Exceptions are not followed: what is thrown is a violated assertion in a program that
// catches nothing, and not known in one that may catch it.

extern void __llvm_exception_that_may_be_caught(void);
#ifdef __LLVM_CATCHES
char __llvm_catches = 1;
#else
char __llvm_catches;
#endif
#define __LLVM_THROWN(what) if (__llvm_catches) __llvm_exception_that_may_be_caught(); __assert_fail(what, "", 0, ""); abort()

void __cxa_pure_virtual(void) { __assert_fail("no pure virtual function is called", "", 0, ""); }
void _ZSt9terminatev(void) { __assert_fail("std::terminate is not called", "", 0, ""); abort(); }
void _ZSt20__throw_system_errori(int error) { __LLVM_THROWN("no std::system_error is thrown"); }
void _ZSt20__throw_length_errorPKc(void *what) { __LLVM_THROWN("no std::length_error is thrown"); }
void _ZSt17__throw_bad_allocv(void) { __LLVM_THROWN("no std::bad_alloc is thrown"); }
void _ZSt28__throw_bad_array_new_lengthv(void) { __LLVM_THROWN("no std::bad_array_new_length is thrown"); }
void _ZSt25__throw_bad_function_callv(void) { __LLVM_THROWN("no std::bad_function_call is thrown"); }
void _ZSt19__throw_logic_errorPKc(void *what) { __LLVM_THROWN("no std::logic_error is thrown"); }
void _ZSt24__throw_out_of_range_fmtPKcz(void *what, ...) { __LLVM_THROWN("no std::out_of_range is thrown"); }
void _ZSt20__throw_out_of_rangePKc(void *what) { __LLVM_THROWN("no std::out_of_range is thrown"); }
void _ZSt16__throw_bad_castv(void) { __LLVM_THROWN("no std::bad_cast is thrown"); }
void _ZSt20__throw_future_errori(int error) { __LLVM_THROWN("no std::future_error is thrown"); }
void _ZSt21__glibcxx_assert_failPKciS0_S0_(void *file, int line, void *function, void *condition) { __assert_fail("the precondition of a function of the library holds", "", 0, ""); abort(); }

// --- Streams that are written to: what is printed is no part of an execution. Arguments are evaluated, and the stream
// is returned.

void _ZNSt8ios_base4InitC1Ev(void *init) {}
void _ZNSt8ios_base4InitD1Ev(void *init) {}
void *_ZNSolsEi(void *stream, int value) { return stream; }
void *_ZNSolsEj(void *stream, unsigned value) { return stream; }
void *_ZNSolsEs(void *stream, short value) { return stream; }
void *_ZNSolsEt(void *stream, unsigned short value) { return stream; }
void *_ZNSolsEl(void *stream, long value) { return stream; }
void *_ZNSolsEm(void *stream, unsigned long value) { return stream; }
void *_ZNSolsEx(void *stream, long value) { return stream; }
void *_ZNSolsEy(void *stream, unsigned long value) { return stream; }
void *_ZNSolsEb(void *stream, int value) { return stream; }
void *_ZNSolsEf(void *stream, float value) { return stream; }
void *_ZNSolsEd(void *stream, double value) { return stream; }
void *_ZNSolsEPKv(void *stream, void *value) { return stream; }
void *_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c(void *stream, char value) { return stream; }
void *_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc(void *stream, void *value) { return stream; }
void *_ZNSo3putEc(void *stream, char value) { return stream; }
void *_ZNSo5flushEv(void *stream) { return stream; }
void *_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_(void *stream) { return stream; }
void *_ZNSolsEPFRSoS_E(void *stream, void *manipulator) { return ((void *(*)(void *))manipulator)(stream); }
void *_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l(void *stream, void *text, long length) { return stream; }

// --- Threads (libstdc++, src/c++11/thread.cc). A state is an object with a virtual destructor and `_M_run`.

typedef void (*__llvm_method)(void *);
static void *__llvm_run_thread(void *argument) {
  void *state = argument;
  (*(__llvm_method **)state)[2](state);
  (*(__llvm_method **)state)[1](state);
  return 0;
}
void _ZNSt6thread6_StateD2Ev(void *state) {}
void _ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(void *thread, void *pointer, void *depends) {
  void **owner = pointer;
  pthread_t *id = thread;
  void *state = *owner;
  *owner = 0;
  pthread_create(id, 0, __llvm_run_thread, state);
}
void _ZNSt6thread4joinEv(void *thread) {
  pthread_t *id = thread;
  if (!*id) {
    __LLVM_THROWN("the thread that is joined is joinable");
  }
  pthread_join(*id, 0);
  *id = 0;
}
void _ZNSt6thread6detachEv(void *thread) {
  pthread_t *id = thread;
  if (!*id) {
    __LLVM_THROWN("the thread that is detached is joinable");
  }
  pthread_detach(*id);
  *id = 0;
}
unsigned _ZNSt6thread20hardware_concurrencyEv(void) { return 0; }

// The value of a hash is not specified, but that equal bytes have the same one (FNV-1a).
unsigned long _ZSt11_Hash_bytesPKvmm(void *bytes, unsigned long length, unsigned long seed) {
  unsigned long hash = 14695981039346656037u ^ seed;
  for (unsigned long i = 0; i < length; i++)
    hash = (hash ^ ((unsigned char *)bytes)[i]) * 1099511628211u;
  return hash;
}

// The program may have one thread alone or many: it asks whether it needs atomic operations.
char __libc_single_threaded;

// --- Futures (libstdc++, src/c++11/future.cc and futex.cc). A result is a pointer to its virtual functions, which the
// constructors of derived classes set, and one to an exception, which there never is.

void _ZNSt13__future_base12_Result_baseC2Ev(void *result) {
  void **words = result;
  words[1] = 0;
}
void _ZNSt13__future_base12_Result_baseD2Ev(void *result) {}

// A wait until a word has changed, which ends at any time if it is limited.
extern int __VERIFIER_nondet_int(void);
int _ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE(void *base, void *word, unsigned value, int limited, long seconds, long nanoseconds) {
  unsigned *watched = word;
  if (limited && __VERIFIER_nondet_int())
    return 0;
  while (__atomic_load_n(watched, __ATOMIC_RELAXED) == value)
    ;
  return 1;
}
void _ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj(void *word) {}

// --- Pointers to exceptions, which are null.

void _ZNSt15__exception_ptr13exception_ptrC1EPv(void *pointer, void *object) {
  void **words = pointer;
  words[0] = object;
}
void _ZNSt15__exception_ptr13exception_ptr9_M_addrefEv(void *pointer) {}
void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void *pointer) {}
void _ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE(void *pointer) { __LLVM_THROWN("no exception is thrown again"); }
void *__cxa_allocate_exception(unsigned long size) { __LLVM_THROWN("no exception is made"); return 0; }
void *__cxa_init_primary_exception(void *object, void *type, void *destructor) { return object; }

// --- Condition variables: a `pthread_cond_t`, and the mutex of the lock that is given.

void _ZNSt18condition_variableC1Ev(void *condition) { pthread_cond_init(condition, 0); }
void _ZNSt18condition_variableD1Ev(void *condition) { pthread_cond_destroy(condition); }
void _ZNSt18condition_variable10notify_oneEv(void *condition) { pthread_cond_signal(condition); }
void _ZNSt18condition_variable10notify_allEv(void *condition) { pthread_cond_broadcast(condition); }
void _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(void *condition, void *lock) {
  pthread_mutex_t **mutex = lock;
  pthread_cond_wait(condition, *mutex);
}
