//! What is known of the functions of the library, a row each: what it returns, what becomes of `errno`,
//! what its caller has to see to, and which text says so.
//!
//! The lowering of functions without another effect is this table alone ([`Row::only`]). Of the others
//! it says what their lowering keeps to, and where each is declared; a test compares it with the headers,
//! and with what the lowering knows. Families of functions that are made from operations and types (atomic
//! operations, floating-point numbers, `__builtin_` and the kernel's) are not listed: they have tables of their own.

use Errno::{Kept, May, Set};
use Returns::*;

/// What a function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    /// It has no result.
    Nothing,
    /// It does not come back.
    Never,
    /// 0: for reasons that are not modelled it does not fail.
    Zero,
    /// 0, or the number of an error.
    Error,
    /// 0, or -1 where it fails.
    Failure,
    /// `thrd_success`, or what C11 says of a failure.
    Status,
    /// 0, or any other number for true.
    Truth,
    /// A number of which the sign alone says something.
    Sign,
    /// What its arguments and memory determine.
    Exact,
    /// A number that is not below this one.
    From(i64),
    /// A number between these.
    Within(i64, i64),
    /// Any value of its type.
    Any,
}

/// What becomes of `errno`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errno {
    /// Nothing.
    Kept,
    /// The error with which the function fails.
    Set,
    /// Any error, or nothing: it may fail for reasons that are not modelled.
    May,
}

/// A function.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// What it returns.
    pub returns: Returns,
    /// What becomes of `errno`.
    pub errno: Errno,
    /// The text that says so: a section of C11, or the page of POSIX or of a platform with its name.
    pub source: &'static str,
    /// What has to be so, in words; empty where any arguments will do.
    pub requires: &'static str,
    /// It does nothing else.
    pub only: bool,
}

const fn row(
    name: &'static str,
    returns: Returns,
    errno: Errno,
    source: &'static str,
    requires: &'static str,
) -> Row {
    Row {
        name,
        returns,
        errno,
        source,
        requires,
        only: false,
    }
}

impl Row {
    const fn only(mut self) -> Row {
        self.only = true;
        self
    }
}

const NONE: &str = "";
const CHARACTER: &str = "the argument is EOF or a value of unsigned char";
const STRING: &str = "the arguments are strings";
const ROOM: &str = "the objects are as large as the sizes say";
const APART: &str = "there is room, and the objects do not overlap";
const FORMAT: &str = "the arguments are those of the format, and there is room";
const IN_RANGE: &str = "the result has a value in its type";
const NOT_LEAST: &str = "the argument is not the least number";
const DIVISOR: &str = "the divisor is not 0, and the quotient has a value in its type";
const ALLOCATED: &str = "the argument is null, or what an allocation gave and nothing has freed";
const THREAD: &str = "there is such a thread, which nothing has joined or detached";
const KEY: &str = "there is such a key";
const NEW: &str = "the object is not initialised already";
const INITIALISED: &str = "the object is initialised, and not destroyed";
const HELD: &str = "the object is initialised, and this thread holds it";
const NOT_HELD: &str = "the object is initialised, and no thread holds it";
const NO_THREAD_WAITS: &str = "the object is initialised, and no thread waits for it";
const MUTEX_HELD: &str = "both objects are initialised, and this thread holds the mutex";

/// A header and its functions.
type Header = (&'static str, &'static [Row]);

#[rustfmt::skip]
const HEADERS: &[Header] = &[
    ("ctype.h", &[
        row("isalnum", Truth, Kept, "C11 7.4.1.1", CHARACTER),
        row("isalpha", Truth, Kept, "C11 7.4.1.2", CHARACTER),
        row("isdigit", Truth, Kept, "C11 7.4.1.5", CHARACTER),
        row("islower", Truth, Kept, "C11 7.4.1.7", CHARACTER),
        row("isspace", Truth, Kept, "C11 7.4.1.10", CHARACTER),
        row("isupper", Truth, Kept, "C11 7.4.1.11", CHARACTER),
        row("isxdigit", Truth, Kept, "C11 7.4.1.12", CHARACTER),
        row("tolower", Exact, Kept, "C11 7.4.2.1", CHARACTER),
        row("toupper", Exact, Kept, "C11 7.4.2.2", CHARACTER),
    ]),
    ("fcntl.h", &[
        row("creat", From(-1), May, "POSIX", STRING).only(),
        row("open", From(-1), May, "POSIX", STRING).only(),
        row("openat", From(-1), May, "POSIX", STRING).only(),
    ]),
    ("fenv.h", &[
        row("fegetround", Exact, Kept, "C11 7.6.3.1", NONE),
        row("fesetround", Exact, Kept, "C11 7.6.3.2", NONE),
    ]),
    ("malloc.h", &[
        row("memalign", Exact, Kept, "glibc", NONE),
    ]),
    ("math.h", &[
        row("llrint", Exact, Kept, "C11 7.12.9.5", IN_RANGE),
        row("llround", Exact, Kept, "C11 7.12.9.7", IN_RANGE),
        row("lrint", Exact, Kept, "C11 7.12.9.5", IN_RANGE),
        row("lround", Exact, Kept, "C11 7.12.9.7", IN_RANGE),
        row("nan", Exact, Kept, "C11 7.12.11.2", NONE),
    ]),
    ("pthread.h", &[
        row("pthread_attr_init", Zero, Kept, "POSIX", NONE),
        row("pthread_attr_setdetachstate", Zero, Kept, "POSIX", NONE),
        row("pthread_barrier_destroy", Zero, Kept, "POSIX", NO_THREAD_WAITS),
        row("pthread_barrier_init", Error, Kept, "POSIX", NEW),
        row("pthread_barrier_wait", Exact, Kept, "POSIX", INITIALISED),
        row("pthread_cancel", Error, Kept, "POSIX", THREAD),
        row("pthread_cond_broadcast", Zero, Kept, "POSIX", INITIALISED),
        row("pthread_cond_clockwait", Error, Kept, "POSIX", MUTEX_HELD),
        row("pthread_cond_destroy", Zero, Kept, "POSIX", NO_THREAD_WAITS),
        row("pthread_cond_init", Zero, Kept, "POSIX", NEW),
        row("pthread_cond_signal", Zero, Kept, "POSIX", INITIALISED),
        row("pthread_cond_timedwait", Error, Kept, "POSIX", MUTEX_HELD),
        row("pthread_cond_wait", Error, Kept, "POSIX", MUTEX_HELD),
        row("pthread_create", Zero, Kept, "POSIX", NONE),
        row("pthread_detach", Zero, Kept, "POSIX", THREAD),
        row("pthread_equal", Truth, Kept, "POSIX", NONE),
        row("pthread_exit", Never, Kept, "POSIX", NONE),
        row("pthread_getaffinity_np", Any, May, "glibc", NONE),
        row("pthread_getspecific", Exact, Kept, "POSIX", KEY),
        row("pthread_join", Zero, Kept, "POSIX", THREAD),
        row("pthread_key_create", Zero, Kept, "POSIX", NONE),
        row("pthread_key_delete", Zero, Kept, "POSIX", KEY),
        row("pthread_mutex_clocklock", Error, Kept, "POSIX", INITIALISED),
        row("pthread_mutex_consistent", Error, Kept, "POSIX", INITIALISED),
        row("pthread_mutex_destroy", Zero, Kept, "POSIX", NOT_HELD),
        row("pthread_mutex_init", Zero, Kept, "POSIX", NEW),
        row("pthread_mutex_lock", Error, Kept, "POSIX", INITIALISED),
        row("pthread_mutex_timedlock", Error, Kept, "POSIX", INITIALISED),
        row("pthread_mutex_trylock", Error, Kept, "POSIX", INITIALISED),
        row("pthread_mutex_unlock", Error, Kept, "POSIX", HELD),
        row("pthread_mutexattr_getrobust", Zero, Kept, "POSIX", NONE),
        row("pthread_mutexattr_gettype", Zero, Kept, "POSIX", NONE),
        row("pthread_mutexattr_init", Zero, Kept, "POSIX", NONE),
        row("pthread_mutexattr_setprotocol", Error, Kept, "POSIX", NONE),
        row("pthread_mutexattr_setrobust", Error, Kept, "POSIX", NONE),
        row("pthread_mutexattr_settype", Zero, Kept, "POSIX", NONE),
        row("pthread_once", Zero, Kept, "POSIX", INITIALISED),
        row("pthread_rwlock_clockrdlock", Error, Kept, "POSIX", INITIALISED),
        row("pthread_rwlock_clockwrlock", Error, Kept, "POSIX", INITIALISED),
        row("pthread_rwlock_destroy", Zero, Kept, "POSIX", NOT_HELD),
        row("pthread_rwlock_init", Zero, Kept, "POSIX", NEW),
        row("pthread_rwlock_rdlock", Zero, Kept, "POSIX", INITIALISED),
        row("pthread_rwlock_timedrdlock", Error, Kept, "POSIX", INITIALISED),
        row("pthread_rwlock_timedwrlock", Error, Kept, "POSIX", INITIALISED),
        row("pthread_rwlock_tryrdlock", Error, Kept, "POSIX", INITIALISED),
        row("pthread_rwlock_trywrlock", Error, Kept, "POSIX", INITIALISED),
        row("pthread_rwlock_unlock", Zero, Kept, "POSIX", HELD),
        row("pthread_rwlock_wrlock", Zero, Kept, "POSIX", INITIALISED),
        row("pthread_rwlockattr_getkind_np", Zero, Kept, "glibc", NONE),
        row("pthread_rwlockattr_init", Zero, Kept, "POSIX", NONE),
        row("pthread_rwlockattr_setkind_np", Error, Kept, "glibc", NONE),
        row("pthread_self", Exact, Kept, "POSIX", NONE),
        row("pthread_setaffinity_np", Any, May, "glibc", NONE),
        row("pthread_setcancelstate", Zero, Kept, "POSIX", NONE),
        row("pthread_setcanceltype", Zero, Kept, "POSIX", NONE),
        row("pthread_setconcurrency", Zero, Kept, "POSIX", NONE),
        row("pthread_setname_np", Zero, Kept, "glibc", NONE),
        row("pthread_setschedparam", Any, May, "glibc", NONE),
        row("pthread_setspecific", Exact, Kept, "POSIX", KEY),
        row("pthread_spin_destroy", Zero, Kept, "POSIX", NOT_HELD),
        row("pthread_spin_init", Zero, Kept, "POSIX", NEW),
        row("pthread_spin_lock", Zero, Kept, "POSIX", INITIALISED),
        row("pthread_spin_trylock", Error, Kept, "POSIX", INITIALISED),
        row("pthread_spin_unlock", Zero, Kept, "POSIX", HELD),
        row("pthread_testcancel", Nothing, Kept, "POSIX", NONE),
        row("pthread_yield", Zero, Kept, "glibc", NONE),
    ]),
    ("sched.h", &[
        row("sched_get_priority_max", Any, May, "POSIX", NONE),
        row("sched_get_priority_min", Any, May, "POSIX", NONE),
        row("sched_getaffinity", Any, May, "glibc", NONE),
        row("sched_getcpu", Any, May, "glibc", NONE),
        row("sched_setaffinity", Any, May, "glibc", NONE),
        row("sched_setscheduler", Any, May, "POSIX", NONE),
        row("sched_yield", Zero, Kept, "POSIX", NONE),
    ]),
    ("semaphore.h", &[
        row("sem_clockwait", Failure, Set, "POSIX", INITIALISED),
        row("sem_destroy", Zero, Kept, "POSIX", INITIALISED),
        row("sem_getvalue", Zero, Kept, "POSIX", INITIALISED),
        row("sem_init", Failure, Set, "POSIX", NEW),
        row("sem_post", Zero, Kept, "POSIX", INITIALISED),
        row("sem_timedwait", Failure, Set, "POSIX", INITIALISED),
        row("sem_trywait", Failure, Set, "POSIX", INITIALISED),
        row("sem_wait", Failure, Set, "POSIX", INITIALISED),
    ]),
    ("signal.h", &[
        row("pthread_sigmask", Any, May, "POSIX", NONE),
        row("sigaction", Any, May, "POSIX", NONE),
        row("sigaddset", Failure, May, "POSIX", NONE),
        row("sigdelset", Failure, May, "POSIX", NONE),
        row("sigemptyset", Failure, May, "POSIX", NONE),
        row("sigfillset", Failure, May, "POSIX", NONE),
        row("signal", Any, May, "C11 7.14.1.1", NONE).only(),
        row("sigprocmask", Any, May, "POSIX", NONE),
    ]),
    ("stdio.h", &[
        row("clearerr", Nothing, May, "C11 7.21.10.1", NONE).only(),
        row("fclose", Any, May, "C11 7.21.5.1", NONE).only(),
        row("fdopen", Any, May, "POSIX", NONE).only(),
        row("feof", Any, May, "C11 7.21.10.2", NONE).only(),
        row("ferror", Any, May, "C11 7.21.10.3", NONE).only(),
        row("fflush", Any, May, "C11 7.21.5.2", NONE),
        row("fgetc", Within(-1, 255), May, "C11 7.21.7.1", NONE).only(),
        row("fgets", Any, May, "C11 7.21.7.2", ROOM),
        row("fileno", From(-1), May, "POSIX", NONE).only(),
        row("fopen", Any, May, "C11 7.21.5.3", NONE).only(),
        row("fprintf", Any, May, "C11 7.21.6.1", FORMAT),
        row("fputc", Any, May, "C11 7.21.7.3", NONE),
        row("fputs", Any, May, "C11 7.21.7.4", NONE),
        row("fread", Any, May, "C11 7.21.8.1", ROOM),
        row("fseek", Failure, May, "C11 7.21.9.2", NONE).only(),
        row("ftell", From(-1), May, "C11 7.21.9.4", NONE).only(),
        row("fwrite", Any, May, "C11 7.21.8.2", ROOM),
        row("getc", Within(-1, 255), May, "C11 7.21.7.5", NONE).only(),
        row("getchar", Within(-1, 255), May, "C11 7.21.7.6", NONE).only(),
        row("perror", Nothing, Kept, "C11 7.21.10.4", NONE),
        row("printf", Any, May, "C11 7.21.6.3", FORMAT),
        row("putc", Any, May, "C11 7.21.7.7", NONE),
        row("putchar", Any, May, "C11 7.21.7.8", NONE),
        row("puts", Any, May, "C11 7.21.7.9", NONE),
        row("remove", Failure, May, "C11 7.21.4.1", NONE).only(),
        row("rename", Failure, May, "C11 7.21.4.2", NONE).only(),
        row("rewind", Nothing, May, "C11 7.21.9.5", NONE).only(),
        row("scanf", Any, May, "C11 7.21.6.4", FORMAT),
        row("setbuf", Nothing, May, "C11 7.21.5.5", NONE).only(),
        row("setvbuf", Any, May, "C11 7.21.5.6", NONE).only(),
        row("snprintf", Exact, May, "C11 7.21.6.5", FORMAT),
        row("sprintf", Exact, May, "C11 7.21.6.6", FORMAT),
        row("ungetc", Any, May, "C11 7.21.7.10", NONE).only(),
        row("vfprintf", Any, May, "C11 7.21.6.8", FORMAT),
        row("vprintf", Any, May, "C11 7.21.6.10", FORMAT),
        row("vsnprintf", Exact, May, "C11 7.21.6.12", FORMAT),
        row("vsprintf", Exact, May, "C11 7.21.6.13", FORMAT),
    ]),
    ("stdlib.h", &[
        row("_Exit", Never, Kept, "C11 7.22.4.5", NONE),
        row("abort", Never, Kept, "C11 7.22.4.1", NONE),
        row("abs", Exact, Kept, "C11 7.22.6.1", NOT_LEAST),
        row("aligned_alloc", Exact, Kept, "C11 7.22.3.1", NONE),
        row("atexit", Any, Kept, "C11 7.22.4.2", NONE),
        row("atoi", Exact, Kept, "C11 7.22.1.2", STRING),
        row("atol", Exact, Kept, "C11 7.22.1.2", STRING),
        row("atoll", Exact, Kept, "C11 7.22.1.2", STRING),
        row("bsearch", Exact, Kept, "C11 7.22.5.1", ROOM),
        row("calloc", Exact, Kept, "C11 7.22.3.2", NONE),
        row("div", Exact, Kept, "C11 7.22.6.2", DIVISOR),
        row("drand48", Any, Kept, "POSIX", NONE),
        row("drand48_r", Zero, Kept, "glibc", NONE),
        row("exit", Never, Kept, "C11 7.22.4.4", NONE),
        row("free", Nothing, Kept, "C11 7.22.3.3", ALLOCATED),
        row("getenv", Any, Kept, "C11 7.22.4.6", NONE),
        row("labs", Exact, Kept, "C11 7.22.6.1", NOT_LEAST),
        row("ldiv", Exact, Kept, "C11 7.22.6.2", DIVISOR),
        row("llabs", Exact, Kept, "C11 7.22.6.1", NOT_LEAST),
        row("lldiv", Exact, Kept, "C11 7.22.6.2", DIVISOR),
        row("lrand48", Within(0, 0x7fff_ffff), Kept, "POSIX", NONE).only(),
        row("lrand48_r", Zero, Kept, "glibc", NONE),
        row("malloc", Exact, Kept, "C11 7.22.3.4", NONE),
        row("posix_memalign", Error, Kept, "POSIX", NONE),
        row("qsort", Nothing, Kept, "C11 7.22.5.2", ROOM),
        row("quick_exit", Never, Kept, "C11 7.22.4.7", NONE),
        row("rand", Within(0, 0x7fff_ffff), Kept, "C11 7.22.2.1", NONE),
        row("rand_r", Within(0, 0x7fff_ffff), Kept, "POSIX", NONE),
        row("random", Within(0, 0x7fff_ffff), Kept, "POSIX", NONE),
        row("realloc", Exact, Kept, "C11 7.22.3.5", ALLOCATED),
        row("reallocarray", Exact, Kept, "glibc", ALLOCATED),
        row("setenv", Failure, May, "POSIX", STRING).only(),
        row("srand", Nothing, Kept, "C11 7.22.2.2", NONE),
        row("srand48", Nothing, Kept, "POSIX", NONE),
        row("srand48_r", Zero, Kept, "glibc", NONE),
        row("srandom", Nothing, Kept, "POSIX", NONE),
        row("strtol", Exact, Set, "C11 7.22.1.4", STRING),
        row("strtoll", Exact, Set, "C11 7.22.1.4", STRING),
        row("strtoul", Exact, Set, "C11 7.22.1.4", STRING),
        row("strtoull", Exact, Set, "C11 7.22.1.4", STRING),
        row("unsetenv", Failure, May, "POSIX", STRING).only(),
        row("valloc", Exact, Kept, "glibc", NONE),
    ]),
    ("string.h", &[
        row("memchr", Exact, Kept, "C11 7.24.5.1", ROOM),
        row("memcmp", Sign, Kept, "C11 7.24.4.1", ROOM),
        row("memcpy", Exact, Kept, "C11 7.24.2.1", APART),
        row("memmove", Exact, Kept, "C11 7.24.2.2", ROOM),
        row("memset", Exact, Kept, "C11 7.24.6.1", ROOM),
        row("stpcpy", Exact, Kept, "POSIX", APART),
        row("strcat", Exact, Kept, "C11 7.24.3.1", APART),
        row("strchr", Exact, Kept, "C11 7.24.5.2", STRING),
        row("strcmp", Sign, Kept, "C11 7.24.4.2", STRING),
        row("strcpy", Exact, Kept, "C11 7.24.2.3", APART),
        row("strcspn", Exact, Kept, "C11 7.24.5.3", STRING),
        row("strdup", Exact, Kept, "POSIX", STRING),
        row("strlen", Exact, Kept, "C11 7.24.6.3", STRING),
        row("strncat", Exact, Kept, "C11 7.24.3.2", APART),
        row("strncmp", Sign, Kept, "C11 7.24.4.4", STRING),
        row("strncpy", Exact, Kept, "C11 7.24.2.4", APART),
        row("strnlen", Exact, Kept, "POSIX", STRING),
        row("strrchr", Exact, Kept, "C11 7.24.5.5", STRING),
        row("strspn", Exact, Kept, "C11 7.24.5.6", STRING),
        row("strstr", Exact, Kept, "C11 7.24.5.7", STRING),
    ]),
    ("strings.h", &[
        row("bcmp", Truth, Kept, "POSIX 2001", ROOM),
        row("bzero", Nothing, Kept, "POSIX 2001", ROOM),
        row("ffs", Exact, Kept, "POSIX", NONE),
    ]),
    ("sys/mman.h", &[
        row("mlockall", Failure, May, "POSIX", NONE).only(),
        row("munlockall", Failure, May, "POSIX", NONE).only(),
    ]),
    ("sys/stat.h", &[
        row("fstat", Any, May, "POSIX", ROOM),
        row("lstat", Any, May, "POSIX", ROOM),
        row("mkdir", Failure, May, "POSIX", STRING).only(),
        row("stat", Any, May, "POSIX", ROOM),
    ]),
    ("sys/time.h", &[
        row("gettimeofday", Zero, Kept, "POSIX", NONE),
    ]),
    ("threads.h", &[
        row("call_once", Nothing, Kept, "C11 7.26.2.1", INITIALISED),
        row("cnd_broadcast", Status, Kept, "C11 7.26.3.1", INITIALISED),
        row("cnd_destroy", Nothing, Kept, "C11 7.26.3.2", NO_THREAD_WAITS),
        row("cnd_init", Status, Kept, "C11 7.26.3.3", NEW),
        row("cnd_signal", Status, Kept, "C11 7.26.3.4", INITIALISED),
        row("cnd_timedwait", Status, Kept, "C11 7.26.3.5", MUTEX_HELD),
        row("cnd_wait", Status, Kept, "C11 7.26.3.6", MUTEX_HELD),
        row("mtx_destroy", Nothing, Kept, "C11 7.26.4.1", NOT_HELD),
        row("mtx_init", Status, Kept, "C11 7.26.4.2", NEW),
        row("mtx_lock", Status, Kept, "C11 7.26.4.3", INITIALISED),
        row("mtx_timedlock", Status, Kept, "C11 7.26.4.4", INITIALISED),
        row("mtx_trylock", Status, Kept, "C11 7.26.4.5", INITIALISED),
        row("mtx_unlock", Status, Kept, "C11 7.26.4.6", HELD),
        row("thrd_create", Status, Kept, "C11 7.26.5.1", NONE),
        row("thrd_current", Exact, Kept, "C11 7.26.5.2", NONE),
        row("thrd_detach", Status, Kept, "C11 7.26.5.3", THREAD),
        row("thrd_equal", Truth, Kept, "C11 7.26.5.4", NONE),
        row("thrd_exit", Never, Kept, "C11 7.26.5.5", NONE),
        row("thrd_join", Status, Kept, "C11 7.26.5.6", THREAD),
        row("thrd_sleep", Exact, Kept, "C11 7.26.5.7", NONE),
        row("thrd_yield", Nothing, Kept, "C11 7.26.5.8", NONE),
        row("tss_create", Status, Kept, "C11 7.26.6.1", NONE),
        row("tss_delete", Nothing, Kept, "C11 7.26.6.2", KEY),
        row("tss_get", Exact, Kept, "C11 7.26.6.3", KEY),
        row("tss_set", Status, Kept, "C11 7.26.6.4", KEY),
    ]),
    ("time.h", &[
        row("clock", Any, Kept, "C11 7.27.2.1", NONE),
        row("clock_getres", Any, May, "POSIX", NONE),
        row("clock_gettime", Failure, Set, "POSIX", NONE),
        row("clock_nanosleep", Error, Kept, "POSIX", NONE),
        row("difftime", Exact, Kept, "C11 7.27.2.2", NONE),
        row("nanosleep", Failure, Set, "POSIX", NONE),
        row("time", Any, Kept, "C11 7.27.2.4", NONE),
        row("timespec_get", Exact, Kept, "C11 7.27.2.5", NONE),
    ]),
    ("unistd.h", &[
        row("_exit", Never, Kept, "POSIX", NONE),
        row("access", Failure, May, "POSIX", STRING).only(),
        row("alarm", Any, Kept, "POSIX", NONE).only(),
        row("chdir", Failure, May, "POSIX", STRING).only(),
        row("close", Failure, May, "POSIX", NONE).only(),
        row("dup", From(-1), May, "POSIX", NONE).only(),
        row("dup2", From(-1), May, "POSIX", NONE).only(),
        row("fdatasync", Failure, May, "POSIX", NONE).only(),
        row("fork", Any, May, "POSIX", NONE),
        row("fsync", Failure, May, "POSIX", NONE).only(),
        row("ftruncate", Failure, May, "POSIX", NONE).only(),
        row("getegid", Any, Kept, "POSIX", NONE).only(),
        row("geteuid", Any, Kept, "POSIX", NONE).only(),
        row("getgid", Any, Kept, "POSIX", NONE).only(),
        row("getpagesize", From(1), Kept, "Linux", NONE).only(),
        row("getpid", Any, Kept, "POSIX", NONE),
        row("getppid", From(1), Kept, "POSIX", NONE).only(),
        row("gettid", From(1), Kept, "Linux", NONE).only(),
        row("getuid", Any, Kept, "POSIX", NONE).only(),
        row("isatty", Within(0, 1), May, "POSIX", NONE).only(),
        row("lseek", From(-1), May, "POSIX", NONE).only(),
        row("pread", From(-1), May, "POSIX", ROOM),
        row("pwrite", From(-1), May, "POSIX", ROOM),
        row("read", From(-1), May, "POSIX", ROOM),
        row("rmdir", Failure, May, "POSIX", STRING).only(),
        row("sleep", Zero, Kept, "POSIX", NONE),
        row("syscall", Any, Set, "Linux futex(2)", NONE),
        row("sysconf", From(-1), May, "POSIX", NONE).only(),
        row("unlink", Failure, May, "POSIX", STRING).only(),
        row("usleep", Zero, Kept, "POSIX 2001", NONE),
        row("vfork", Any, May, "POSIX", NONE),
        row("write", From(-1), May, "POSIX", ROOM),
    ]),
];

/// All rows, each with its header.
pub fn rows() -> impl Iterator<Item = (&'static str, &'static Row)> {
    let of_header = |(header, rows): &'static Header| rows.iter().map(|row| (*header, row));
    HEADERS.iter().flat_map(of_header)
}

/// The header and the row of a function.
pub fn find(name: &str) -> Option<(&'static str, &'static Row)> {
    rows().find(|(_, row)| row.name == name)
}
