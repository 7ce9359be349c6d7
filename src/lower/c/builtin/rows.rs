//! The rows of the registry: the functions of the library by header, and by family those that compilers
//! and tools have, or that are made from operations and types.

use super::atomic::{Fetched, Given, Style};
use super::codes::{DEADLOCK, NOT_PERMITTED, THRD_ERROR, THRD_TIMED_OUT, TIMED_OUT};
use super::initialised::Object;
use super::math::Class;
use super::memory::Overlap;
use super::mutex::{KIND, ROBUST};
use super::numbers::ONE;
use super::objects::Patience;
use super::row::Effect::{Does, Gives, Perhaps};
use super::row::Errno::{self, Kept, May, Set};
use super::row::Returns::{self, *};
use super::row::{Effect, Header, PLAIN, Row, TEXT};
use crate::front::c::ast::{BinaryOp, IntKind};
use ir::program::{Atomicity, BinOp, Fence, FloatFunction, MemoryOrder, Op, RmwOp, Rule, Storage};
use std::cmp::Ordering;

const fn row(
    name: &'static str,
    returns: Returns,
    errno: Errno,
    source: &'static str,
    requires: &'static str,
    effect: Effect,
) -> Row {
    Row {
        name,
        returns,
        errno,
        source,
        requires,
        effect,
    }
}

/// A function of which the manual of its compiler or tool says the rest.
const fn other(name: &'static str, returns: Returns, effect: Effect) -> Row {
    row(name, returns, Kept, "", NONE, effect)
}

const NONE: &str = "";
const CHARACTER: &str = "the argument is EOF or a value of unsigned char";
const STRING: &str = "the arguments are strings";
const ROOM: &str = "the objects are as large as the sizes say";
const APART: &str = "there is room, and the objects do not overlap";
const FORMAT: &str = "the arguments are those of the format, and there is room";
const NOT_LEAST: &str = "the argument is not the least number";
const DIVISOR: &str = "the divisor is not 0, and the quotient has a value in its type";
const ALLOCATED: &str = "the argument is null, or what an allocation gave and nothing has freed";
const MAPPED: &str =
    "the arguments are those and the result of an `mmap`, and nothing has unmapped it";
const THREAD: &str = "there is such a thread, which nothing has joined or detached";
const KEY: &str = "there is such a key";
const NEW: &str = "the object is not initialised already";
const INITIALISED: &str = "the object is initialised, and not destroyed";
const HELD: &str = "the object is initialised, and this thread holds it";
const NOT_HELD: &str = "the object is initialised, and no thread holds it";
const NO_THREAD_WAITS: &str = "the object is initialised, and no thread waits for it";
const MUTEX_HELD: &str = "both objects are initialised, and this thread holds the mutex";

#[rustfmt::skip]
pub(super) const HEADERS: &[Header] = &[
    ("ctype.h", &[
        row("isalnum", Truth, Kept, "C11 7.4.1.1", CHARACTER, TEXT),
        row("isalpha", Truth, Kept, "C11 7.4.1.2", CHARACTER, TEXT),
        row("isascii", Truth, Kept, "POSIX 2008", NONE, TEXT),
        row("isblank", Truth, Kept, "C11 7.4.1.3", CHARACTER, TEXT),
        row("iscntrl", Truth, Kept, "C11 7.4.1.4", CHARACTER, TEXT),
        row("isgraph", Truth, Kept, "C11 7.4.1.6", CHARACTER, TEXT),
        row("isprint", Truth, Kept, "C11 7.4.1.8", CHARACTER, TEXT),
        row("ispunct", Truth, Kept, "C11 7.4.1.9", CHARACTER, TEXT),
        row("isdigit", Truth, Kept, "C11 7.4.1.5", CHARACTER, TEXT),
        row("islower", Truth, Kept, "C11 7.4.1.7", CHARACTER, TEXT),
        row("isspace", Truth, Kept, "C11 7.4.1.10", CHARACTER, TEXT),
        row("isupper", Truth, Kept, "C11 7.4.1.11", CHARACTER, TEXT),
        row("isxdigit", Truth, Kept, "C11 7.4.1.12", CHARACTER, TEXT),
        row("tolower", Exact, Kept, "C11 7.4.2.1", CHARACTER, TEXT),
        row("toupper", Exact, Kept, "C11 7.4.2.2", CHARACTER, TEXT),
    ]),
    ("fcntl.h", &[
        row("creat", From(-1), May, "POSIX", STRING, PLAIN),
        row("open", From(-1), May, "POSIX", STRING, PLAIN),
        row("openat", From(-1), May, "POSIX", STRING, PLAIN),
    ]),
    ("fenv.h", &[
        row("fegetround", Zero, Kept, "C11 7.6.3.1", NONE, PLAIN),
        row("fesetround", Zero, Kept, "C11 7.6.3.2", NONE, Does(|l, c| l.set_direction(c))),
    ]),
    ("malloc.h", &[
        row("memalign", Exact, Kept, "glibc", NONE, Gives(|l, c| l.allocate_aligned(c))),
    ]),
    ("poll.h", &[
        row("poll", Any, Set, "POSIX", ROOM, TEXT),
    ]),
    ("pthread.h", &[
        row("pthread_attr_init", Zero, Kept, "POSIX", NONE, Does(|l, c| l.initialise_attributes(c))),
        row("pthread_attr_setdetachstate", Zero, Kept, "POSIX", NONE, Does(|l, c| l.set_detach_state(c))),
        row("pthread_barrier_destroy", Zero, Kept, "POSIX", NO_THREAD_WAITS, Does(|l, c| l.destroy_barrier(c))),
        row("pthread_barrier_init", Error, Kept, "POSIX", NEW, Gives(|l, c| l.initialise_barrier(c))),
        row("pthread_barrier_wait", Exact, Kept, "POSIX", INITIALISED, Gives(|l, c| l.wait_at_barrier(c))),
        row("pthread_cancel", Error, Kept, "POSIX", THREAD, Gives(|l, c| l.refuse(c))),
        row("pthread_cond_broadcast", Zero, Kept, "POSIX", INITIALISED, Does(|l, c| l.broadcast(c))),
        row("pthread_cond_clockwait", Error, Kept, "POSIX", MUTEX_HELD, Gives(|l, c| l.timed_wait(c, TIMED_OUT))),
        row("pthread_cond_destroy", Zero, Kept, "POSIX", NO_THREAD_WAITS, Does(|l, c| l.destroy_condition(c))),
        row("pthread_cond_init", Zero, Kept, "POSIX", NEW, Does(|l, c| l.initialise_condition(c))),
        row("pthread_cond_signal", Zero, Kept, "POSIX", INITIALISED, Does(|l, c| l.signal(c))),
        row("pthread_cond_timedwait", Error, Kept, "POSIX", MUTEX_HELD, Gives(|l, c| l.timed_wait(c, TIMED_OUT))),
        row("pthread_cond_wait", Error, Kept, "POSIX", MUTEX_HELD, Gives(|l, c| l.untimed_wait(c))),
        row("pthread_create", Zero, Kept, "POSIX", NONE, Does(|l, c| l.create_thread(c, Some(c.arg(1)?), c.arg(2)?, c.arg(3)?))),
        row("pthread_detach", Zero, Kept, "POSIX", THREAD, Does(|l, c| l.detach_thread(c))),
        row("pthread_equal", Within(0, 1), Kept, "POSIX", NONE, Gives(|l, c| l.same_thread(c))),
        row("pthread_exit", Never, Kept, "POSIX", NONE, Does(|l, c| l.exit_posix_thread(c))),
        row("pthread_getaffinity_np", Error, May, "glibc", NONE, Does(|l, c| l.any_value_at(c, 2))),
        row("pthread_atfork", Zero, Kept, "POSIX", NONE, PLAIN),
        row("pthread_getname_np", Error, Kept, "glibc", ROOM, TEXT),
        row("pthread_getspecific", Exact, Kept, "POSIX", KEY, Gives(|l, c| l.get_specific(c))),
        row("pthread_join", Zero, Kept, "POSIX", THREAD, Does(|l, c| l.join_thread(c))),
        row("pthread_key_create", Zero, Kept, "POSIX", NONE, Does(|l, c| l.create_key(c))),
        row("pthread_key_delete", Zero, Kept, "POSIX", KEY, Does(|l, c| l.delete_key(c))),
        row("pthread_mutex_clocklock", Error, Kept, "POSIX", INITIALISED, Gives(|l, c| l.lock_mutex_in_time(c, TIMED_OUT, DEADLOCK))),
        row("pthread_mutex_consistent", Error, Kept, "POSIX", INITIALISED, Gives(|l, c| l.make_consistent(c))),
        row("pthread_mutex_destroy", Zero, Kept, "POSIX", NOT_HELD, Does(|l, c| l.destroy_mutex(c))),
        row("pthread_mutex_init", Zero, Kept, "POSIX", NEW, Does(|l, c| l.initialise_mutex(c))),
        row("pthread_mutex_lock", Error, Kept, "POSIX", INITIALISED, Gives(|l, c| l.lock_mutex(c, DEADLOCK))),
        row("pthread_mutex_timedlock", Error, Kept, "POSIX", INITIALISED, Gives(|l, c| l.lock_mutex_in_time(c, TIMED_OUT, DEADLOCK))),
        row("pthread_mutex_trylock", Error, Kept, "POSIX", INITIALISED, Gives(|l, c| l.try_mutex(c))),
        row("pthread_mutex_unlock", Error, Kept, "POSIX", HELD, Gives(|l, c| l.unlock_mutex(c, NOT_PERMITTED))),
        row("pthread_mutexattr_getrobust", Zero, Kept, "POSIX", NONE, Does(|l, c| l.get_mutex_attribute(c, ROBUST))),
        row("pthread_mutexattr_gettype", Zero, Kept, "POSIX", NONE, Does(|l, c| l.get_mutex_attribute(c, KIND))),
        row("pthread_mutexattr_init", Zero, Kept, "POSIX", NONE, Does(|l, c| l.initialise_mutex_attributes(c))),
        row("pthread_mutexattr_setprotocol", Error, Kept, "POSIX", NONE, Gives(|l, c| l.set_protocol(c))),
        row("pthread_mutexattr_setrobust", Error, Kept, "POSIX", NONE, Gives(|l, c| l.set_robust(c))),
        row("pthread_mutexattr_settype", Zero, Kept, "POSIX", NONE, Does(|l, c| l.set_mutex_kind(c))),
        row("pthread_once", Zero, Kept, "POSIX", INITIALISED, Does(|l, c| l.once(c))),
        row("pthread_rwlock_clockrdlock", Error, Kept, "POSIX", INITIALISED, Gives(|l, c| l.read_lock_in_time(c))),
        row("pthread_rwlock_clockwrlock", Error, Kept, "POSIX", INITIALISED, Gives(|l, c| l.write_lock_in_time(c))),
        row("pthread_rwlock_destroy", Zero, Kept, "POSIX", NOT_HELD, Does(|l, c| l.destroy(c, Object::Rwlock, &[0]))),
        row("pthread_rwlock_init", Zero, Kept, "POSIX", NEW, Does(|l, c| l.initialise_rwlock(c))),
        row("pthread_rwlock_rdlock", Zero, Kept, "POSIX", INITIALISED, Does(|l, c| l.read_lock(c))),
        row("pthread_rwlock_timedrdlock", Error, Kept, "POSIX", INITIALISED, Gives(|l, c| l.read_lock_in_time(c))),
        row("pthread_rwlock_timedwrlock", Error, Kept, "POSIX", INITIALISED, Gives(|l, c| l.write_lock_in_time(c))),
        row("pthread_rwlock_tryrdlock", Error, Kept, "POSIX", INITIALISED, Gives(|l, c| l.try_read_lock(c))),
        row("pthread_rwlock_trywrlock", Error, Kept, "POSIX", INITIALISED, Gives(|l, c| l.try_write_lock(c))),
        row("pthread_rwlock_unlock", Zero, Kept, "POSIX", HELD, Does(|l, c| l.unlock_rwlock(c))),
        row("pthread_rwlock_wrlock", Zero, Kept, "POSIX", INITIALISED, Does(|l, c| l.write_lock(c))),
        row("pthread_rwlockattr_getkind_np", Zero, Kept, "glibc", NONE, Does(|l, c| l.get_rwlock_kind(c))),
        row("pthread_rwlockattr_init", Zero, Kept, "POSIX", NONE, Does(|l, c| l.initialise_rwlock_attributes(c))),
        row("pthread_rwlockattr_setkind_np", Error, Kept, "glibc", NONE, Gives(|l, c| l.set_rwlock_kind(c))),
        row("pthread_self", Exact, Kept, "POSIX", NONE, Gives(|l, c| l.this_thread(c))),
        row("pthread_setaffinity_np", Error, May, "glibc", NONE, PLAIN),
        row("pthread_setcancelstate", Zero, Kept, "POSIX", NONE, Does(|l, c| l.any_value_at(c, 1))),
        row("pthread_setcanceltype", Zero, Kept, "POSIX", NONE, Does(|l, c| l.any_value_at(c, 1))),
        row("pthread_setconcurrency", Zero, Kept, "POSIX", NONE, PLAIN),
        row("pthread_setname_np", Zero, Kept, "glibc", NONE, PLAIN),
        row("pthread_setschedparam", Error, May, "glibc", NONE, PLAIN),
        row("pthread_setspecific", Zero, Kept, "POSIX", KEY, Does(|l, c| l.set_specific(c))),
        row("pthread_spin_destroy", Zero, Kept, "POSIX", NOT_HELD, Does(|l, c| l.destroy_mutex(c))),
        row("pthread_spin_init", Zero, Kept, "POSIX", NEW, Does(|l, c| l.initialise(c, Object::Mutex))),
        row("pthread_spin_lock", Zero, Kept, "POSIX", INITIALISED, Does(|l, c| l.lock_plain(c))),
        row("pthread_spin_trylock", Error, Kept, "POSIX", INITIALISED, Gives(|l, c| l.try_plain(c))),
        row("pthread_spin_unlock", Zero, Kept, "POSIX", HELD, Does(|l, c| l.unlock_plain(c))),
        row("pthread_testcancel", Nothing, Kept, "POSIX", NONE, PLAIN),
        row("pthread_yield", Zero, Kept, "glibc", NONE, PLAIN),
    ]),
    ("sched.h", &[
        row("sched_get_priority_max", Any, May, "POSIX", NONE, PLAIN),
        row("sched_get_priority_min", Any, May, "POSIX", NONE, PLAIN),
        row("sched_getaffinity", From(-1), May, "glibc", NONE, Does(|l, c| l.any_value_at(c, 2))),
        row("sched_getcpu", From(-1), May, "glibc", NONE, PLAIN),
        row("sched_setaffinity", Failure, May, "glibc", NONE, PLAIN),
        row("sched_setscheduler", From(-1), May, "POSIX", NONE, PLAIN),
        row("sched_yield", Zero, Kept, "POSIX", NONE, PLAIN),
    ]),
    ("semaphore.h", &[
        row("sem_clockwait", Failure, Set, "POSIX", INITIALISED, Gives(|l, c| l.take(c, Patience::Limited))),
        row("sem_destroy", Zero, Kept, "POSIX", INITIALISED, Does(|l, c| l.destroy(c, Object::Semaphore, &[]))),
        row("sem_getvalue", Zero, Kept, "POSIX", INITIALISED, Does(|l, c| l.semaphore_value(c))),
        row("sem_init", Failure, Set, "POSIX", NEW, Gives(|l, c| l.initialise_semaphore(c))),
        row("sem_post", Zero, Kept, "POSIX", INITIALISED, Does(|l, c| l.post(c))),
        row("sem_timedwait", Failure, Set, "POSIX", INITIALISED, Gives(|l, c| l.take(c, Patience::Limited))),
        row("sem_trywait", Failure, Set, "POSIX", INITIALISED, Gives(|l, c| l.take(c, Patience::None))),
        row("sem_wait", Failure, Set, "POSIX", INITIALISED, Gives(|l, c| l.take(c, Patience::Unlimited))),
    ]),
    ("signal.h", &[
        row("pthread_sigmask", Error, Kept, "POSIX", NONE, TEXT),
        row("sigaction", Exact, May, "POSIX", NONE, Gives(|l, c| l.signal_action(c))),
        row("sigaddset", Failure, Set, "POSIX", ROOM, TEXT),
        row("sigdelset", Failure, Set, "POSIX", ROOM, TEXT),
        row("sigemptyset", Zero, Kept, "POSIX", ROOM, TEXT),
        row("sigfillset", Zero, Kept, "POSIX", ROOM, TEXT),
        row("pthread_kill", Error, Kept, "POSIX", THREAD, TEXT),
        row("sigismember", Any, Set, "POSIX", ROOM, TEXT),
        row("signal", Any, May, "C11 7.14.1.1", NONE, PLAIN),
        row("sigprocmask", Failure, Set, "POSIX", NONE, TEXT),
    ]),
    ("stdio.h", &[
        row("asprintf", Exact, May, "glibc", FORMAT, TEXT),
        row("clearerr", Nothing, May, "C11 7.21.10.1", NONE, PLAIN),
        row("fclose", Failure, May, "C11 7.21.5.1", NONE, PLAIN),
        row("fdopen", Any, May, "POSIX", NONE, PLAIN),
        row("feof", Any, May, "C11 7.21.10.2", NONE, PLAIN),
        row("ferror", Any, May, "C11 7.21.10.3", NONE, PLAIN),
        row("fflush", Failure, May, "C11 7.21.5.2", NONE, Does(|l, c| l.use_all(c.args))),
        row("fgetc", Within(-1, 255), May, "C11 7.21.7.1", NONE, PLAIN),
        row("fgets", Any, May, "C11 7.21.7.2", ROOM, Gives(|l, c| l.read_line(c))),
        row("fileno", From(-1), May, "POSIX", NONE, PLAIN),
        row("flockfile", Nothing, Kept, "POSIX", NONE, PLAIN),
        row("fopen", Any, May, "C11 7.21.5.3", NONE, PLAIN),
        row("fprintf", Any, May, "C11 7.21.6.1", FORMAT, Does(|l, c| l.use_all(c.args))),
        row("fputc", Within(-1, 255), May, "C11 7.21.7.3", NONE, Does(|l, c| l.use_all(c.args))),
        row("fputs", From(-1), May, "C11 7.21.7.4", NONE, Does(|l, c| l.use_all(c.args))),
        row("fread", Any, May, "C11 7.21.8.1", ROOM, Gives(|l, c| l.read_items(c))),
        row("fseek", Failure, May, "C11 7.21.9.2", NONE, PLAIN),
        row("ftell", From(-1), May, "C11 7.21.9.4", NONE, PLAIN),
        row("ftrylockfile", Truth, Kept, "POSIX", NONE, PLAIN),
        row("funlockfile", Nothing, Kept, "POSIX", NONE, PLAIN),
        row("fwrite", Any, May, "C11 7.21.8.2", ROOM, Gives(|l, c| l.write_items(c))),
        row("getc", Within(-1, 255), May, "C11 7.21.7.5", NONE, PLAIN),
        row("getchar", Within(-1, 255), May, "C11 7.21.7.6", NONE, PLAIN),
        row("getline", From(-1), May, "POSIX", ROOM, TEXT),
        row("perror", Nothing, Kept, "C11 7.21.10.4", NONE, PLAIN),
        row("printf", Any, May, "C11 7.21.6.3", FORMAT, Does(|l, c| l.use_all(c.args))),
        row("putc", Within(-1, 255), May, "C11 7.21.7.7", NONE, Does(|l, c| l.use_all(c.args))),
        row("putchar", Within(-1, 255), May, "C11 7.21.7.8", NONE, Does(|l, c| l.use_all(c.args))),
        row("puts", From(-1), May, "C11 7.21.7.9", NONE, Does(|l, c| l.use_all(c.args))),
        row("remove", Failure, May, "C11 7.21.4.1", NONE, PLAIN),
        row("rename", Failure, May, "C11 7.21.4.2", NONE, PLAIN),
        row("rewind", Nothing, May, "C11 7.21.9.5", NONE, PLAIN),
        row("scanf", Any, May, "C11 7.21.6.4", FORMAT, Perhaps(|l, c| l.scan(c, 0))),
        row("sscanf", Any, May, "C11 7.21.6.7", FORMAT, Perhaps(|l, c| l.scan(c, 1))),
        row("fscanf", Any, May, "C11 7.21.6.2", FORMAT, Perhaps(|l, c| l.scan(c, 1))),
        row("setbuf", Nothing, May, "C11 7.21.5.5", NONE, PLAIN),
        row("setvbuf", Any, May, "C11 7.21.5.6", NONE, PLAIN),
        row("snprintf", Exact, May, "C11 7.21.6.5", FORMAT, Gives(|l, c| l.print_to(c))),
        row("sprintf", Exact, May, "C11 7.21.6.6", FORMAT, Gives(|l, c| l.print_to(c))),
        row("ungetc", Any, May, "C11 7.21.7.10", NONE, PLAIN),
        row("vfprintf", Any, May, "C11 7.21.6.8", FORMAT, Does(|l, c| l.use_all(c.args))),
        row("vprintf", Any, May, "C11 7.21.6.10", FORMAT, Does(|l, c| l.use_all(c.args))),
        row("vasprintf", Exact, May, "glibc", FORMAT, TEXT),
        row("vsnprintf", Exact, May, "C11 7.21.6.12", FORMAT, TEXT),
        row("vsprintf", Exact, May, "C11 7.21.6.13", FORMAT, TEXT),
    ]),
    ("stdlib.h", &[
        row("_Exit", Never, Kept, "C11 7.22.4.5", NONE, Does(|l, c| l.exit_at_once(c))),
        row("abort", Never, Kept, "C11 7.22.4.1", NONE, Does(|l, c| l.abort(c))),
        row("abs", Exact, Kept, "C11 7.22.6.1", NOT_LEAST, Gives(|l, c| l.absolute_value(c))),
        row("aligned_alloc", Exact, Kept, "C11 7.22.3.1", NONE, Gives(|l, c| l.allocate_aligned(c))),
        row("atexit", Zero, Kept, "C11 7.22.4.2", NONE, TEXT),
        row("atoi", Exact, Kept, "C11 7.22.1.2", STRING, TEXT),
        row("atol", Exact, Kept, "C11 7.22.1.2", STRING, TEXT),
        row("atoll", Exact, Kept, "C11 7.22.1.2", STRING, TEXT),
        row("bsearch", Exact, Kept, "C11 7.22.5.1", ROOM, TEXT),
        row("calloc", Exact, Kept, "C11 7.22.3.2", NONE, Gives(|l, c| l.allocate_zeroed(c))),
        row("div", Exact, Kept, "C11 7.22.6.2", DIVISOR, Perhaps(|l, c| l.quotient_and_rest(c))),
        row("drand48", Any, Kept, "POSIX", NONE, Gives(|l, c| l.random_fraction(c))),
        row("drand48_r", Zero, Kept, "glibc", NONE, Does(|l, c| l.store_any_below(c, ONE))),
        row("exit", Never, Kept, "C11 7.22.4.4", NONE, Does(|l, c| l.exit(c))),
        row("free", Nothing, Kept, "C11 7.22.3.3", ALLOCATED, Does(|l, c| l.free(c))),
        row("getenv", Any, Kept, "C11 7.22.4.6", NONE, TEXT),
        row("labs", Exact, Kept, "C11 7.22.6.1", NOT_LEAST, TEXT),
        row("ldiv", Exact, Kept, "C11 7.22.6.2", DIVISOR, Perhaps(|l, c| l.quotient_and_rest(c))),
        row("llabs", Exact, Kept, "C11 7.22.6.1", NOT_LEAST, TEXT),
        row("lldiv", Exact, Kept, "C11 7.22.6.2", DIVISOR, Perhaps(|l, c| l.quotient_and_rest(c))),
        row("lrand48", Within(0, 0x7fff_ffff), Kept, "POSIX", NONE, PLAIN),
        row("lrand48_r", Zero, Kept, "glibc", NONE, Does(|l, c| l.store_any_below(c, 1 << 31))),
        row("malloc", Exact, Kept, "C11 7.22.3.4", NONE, Gives(|l, c| l.allocate_bytes(c, 0, Storage::Heap))),
        row("posix_memalign", Error, Kept, "POSIX", NONE, Does(|l, c| l.allocate_into(c))),
        row("qsort", Nothing, Kept, "C11 7.22.5.2", ROOM, TEXT),
        row("quick_exit", Never, Kept, "C11 7.22.4.7", NONE, Does(|l, c| l.exit_at_once(c))),
        row("rand", Within(0, 0x7fff_ffff), Kept, "C11 7.22.2.1", NONE, PLAIN),
        row("rand_r", Within(0, 0x7fff_ffff), Kept, "POSIX", NONE, Does(|l, c| l.any_value_at(c, 0))),
        row("random", Within(0, 0x7fff_ffff), Kept, "POSIX", NONE, PLAIN),
        row("realloc", Exact, Kept, "C11 7.22.3.5", ALLOCATED, Gives(|l, c| l.reallocation(c))),
        row("reallocarray", Exact, Kept, "glibc", ALLOCATED, Gives(|l, c| l.reallocation(c))),
        row("setenv", Failure, May, "POSIX", STRING, PLAIN),
        row("srand", Nothing, Kept, "C11 7.22.2.2", NONE, PLAIN),
        row("srand48", Nothing, Kept, "POSIX", NONE, PLAIN),
        row("srand48_r", Zero, Kept, "glibc", NONE, PLAIN),
        row("srandom", Nothing, Kept, "POSIX", NONE, PLAIN),
        row("strtol", Exact, Set, "C11 7.22.1.4", STRING, TEXT),
        row("strtod", Any, May, "C11 7.22.1.3", STRING, TEXT),
        row("strtof", Any, May, "C11 7.22.1.3", STRING, TEXT),
        row("atof", Any, Kept, "C11 7.22.1.1", STRING, TEXT),
        row("erand48", Any, Kept, "POSIX", NONE, TEXT),
        row("jrand48", Any, Kept, "POSIX", NONE, TEXT),
        row("mrand48", Any, Kept, "POSIX", NONE, TEXT),
        row("nrand48", Within(0, 0x7fff_ffff), Kept, "POSIX", NONE, TEXT),
        row("strtoll", Exact, Set, "C11 7.22.1.4", STRING, TEXT),
        row("strtoul", Exact, Set, "C11 7.22.1.4", STRING, TEXT),
        row("strtoull", Exact, Set, "C11 7.22.1.4", STRING, TEXT),
        row("unsetenv", Failure, May, "POSIX", STRING, PLAIN),
        row("valloc", Exact, Kept, "glibc", NONE, Gives(|l, c| l.allocate_bytes(c, 0, Storage::Heap))),
    ]),
    ("string.h", &[
        row("memchr", Exact, Kept, "C11 7.24.5.1", ROOM, TEXT),
        row("memcmp", Sign, Kept, "C11 7.24.4.1", ROOM, Gives(|l, c| l.compare_bytes(c))),
        row("memcpy", Exact, Kept, "C11 7.24.2.1", APART, Gives(|l, c| l.copy_bytes(c, Overlap::Undefined))),
        row("mempcpy", Exact, Kept, "glibc", APART, Gives(|l, c| l.copy_and_pass(c))),
        row("memmove", Exact, Kept, "C11 7.24.2.2", ROOM, Gives(|l, c| l.copy_bytes(c, Overlap::Allowed))),
        row("memset", Exact, Kept, "C11 7.24.6.1", ROOM, Gives(|l, c| l.fill(c, Some(c.arg(1)?), c.arg(2)?))),
        row("stpcpy", Exact, Kept, "POSIX", APART, TEXT),
        row("strcat", Exact, Kept, "C11 7.24.3.1", APART, TEXT),
        row("strchr", Exact, Kept, "C11 7.24.5.2", STRING, TEXT),
        row("strcmp", Sign, Kept, "C11 7.24.4.2", STRING, TEXT),
        row("strcpy", Exact, Kept, "C11 7.24.2.3", APART, TEXT),
        row("strcspn", Exact, Kept, "C11 7.24.5.3", STRING, TEXT),
        row("strcasestr", Exact, Kept, "glibc", STRING, TEXT),
        row("strndup", Exact, Kept, "POSIX", STRING, TEXT),
        row("strpbrk", Exact, Kept, "C11 7.24.5.4", STRING, TEXT),
        row("strsep", Exact, Kept, "glibc", STRING, TEXT),
        row("strtok", Exact, Kept, "C11 7.24.5.8", STRING, TEXT),
        row("strtok_r", Exact, Kept, "POSIX", STRING, TEXT),
        row("strerror", Any, Kept, "C11 7.24.6.2", NONE, TEXT),
        row("strsignal", Any, Kept, "POSIX", NONE, TEXT),
        row("strdup", Exact, Kept, "POSIX", STRING, TEXT),
        row("strlen", Exact, Kept, "C11 7.24.6.3", STRING, Perhaps(|l, c| l.string_length(c))),
        row("strncat", Exact, Kept, "C11 7.24.3.2", APART, TEXT),
        row("strncmp", Sign, Kept, "C11 7.24.4.4", STRING, TEXT),
        row("strncpy", Exact, Kept, "C11 7.24.2.4", APART, TEXT),
        row("strnlen", Exact, Kept, "POSIX", STRING, TEXT),
        row("strrchr", Exact, Kept, "C11 7.24.5.5", STRING, TEXT),
        row("strspn", Exact, Kept, "C11 7.24.5.6", STRING, TEXT),
        row("strstr", Exact, Kept, "C11 7.24.5.7", STRING, TEXT),
    ]),
    ("strings.h", &[
        row("bcmp", Truth, Kept, "POSIX 2001", ROOM, Gives(|l, c| l.compare_bytes(c))),
        row("strcasecmp", Sign, Kept, "POSIX", STRING, TEXT),
        row("strncasecmp", Sign, Kept, "POSIX", STRING, TEXT),
        row("bzero", Nothing, Kept, "POSIX 2001", ROOM, Gives(|l, c| l.fill(c, None, c.arg(1)?))),
        row("ffs", Exact, Kept, "POSIX", NONE, TEXT),
    ]),
    ("sys/mman.h", &[
        row("mmap", Exact, Kept, "POSIX", NONE, Gives(|l, c| l.map_memory(c))),
        row("munmap", Exact, Kept, "POSIX", MAPPED, Gives(|l, c| l.unmap_memory(c))),
        row("mlock", Failure, May, "POSIX", NONE, PLAIN),
        row("munlock", Failure, May, "POSIX", NONE, PLAIN),
        row("mlockall", Failure, May, "POSIX", NONE, PLAIN),
        row("munlockall", Failure, May, "POSIX", NONE, PLAIN),
    ]),
    ("sys/stat.h", &[
        row("fstat", Failure, May, "POSIX", ROOM, Does(|l, c| l.any_value_at(c, 1))),
        row("lstat", Failure, May, "POSIX", ROOM, Does(|l, c| l.any_value_at(c, 1))),
        row("mkdir", Failure, May, "POSIX", STRING, PLAIN),
        row("stat", Failure, May, "POSIX", ROOM, Does(|l, c| l.any_value_at(c, 1))),
    ]),
    ("sys/time.h", &[
        row("gettimeofday", Zero, Kept, "POSIX", NONE, Does(|l, c| l.time_of_day(c))),
    ]),
    ("threads.h", &[
        row("call_once", Nothing, Kept, "C11 7.26.2.1", INITIALISED, Does(|l, c| l.once(c))),
        row("cnd_broadcast", Status, Kept, "C11 7.26.3.1", INITIALISED, Does(|l, c| l.broadcast(c))),
        row("cnd_destroy", Nothing, Kept, "C11 7.26.3.2", NO_THREAD_WAITS, Does(|l, c| l.destroy_condition(c))),
        row("cnd_init", Status, Kept, "C11 7.26.3.3", NEW, Does(|l, c| l.initialise_condition(c))),
        row("cnd_signal", Status, Kept, "C11 7.26.3.4", INITIALISED, Does(|l, c| l.signal(c))),
        row("cnd_timedwait", Status, Kept, "C11 7.26.3.5", MUTEX_HELD, Gives(|l, c| l.timed_wait(c, THRD_TIMED_OUT))),
        row("cnd_wait", Status, Kept, "C11 7.26.3.6", MUTEX_HELD, Gives(|l, c| l.untimed_wait(c))),
        row("mtx_destroy", Nothing, Kept, "C11 7.26.4.1", NOT_HELD, Does(|l, c| l.destroy_mutex(c))),
        row("mtx_init", Status, Kept, "C11 7.26.4.2", NEW, Does(|l, c| l.initialise_c11_mutex(c))),
        row("mtx_lock", Status, Kept, "C11 7.26.4.3", INITIALISED, Gives(|l, c| l.lock_mutex(c, THRD_ERROR))),
        row("mtx_timedlock", Status, Kept, "C11 7.26.4.4", INITIALISED, Gives(|l, c| l.lock_mutex_in_time(c, THRD_TIMED_OUT, THRD_ERROR))),
        row("mtx_trylock", Status, Kept, "C11 7.26.4.5", INITIALISED, Gives(|l, c| l.try_c11_mutex(c))),
        row("mtx_unlock", Status, Kept, "C11 7.26.4.6", HELD, Gives(|l, c| l.unlock_mutex(c, THRD_ERROR))),
        row("thrd_create", Status, Kept, "C11 7.26.5.1", NONE, Does(|l, c| l.create_thread(c, None, c.arg(1)?, c.arg(2)?))),
        row("thrd_current", Exact, Kept, "C11 7.26.5.2", NONE, Gives(|l, c| l.this_thread(c))),
        row("thrd_detach", Status, Kept, "C11 7.26.5.3", THREAD, Does(|l, c| l.detach_thread(c))),
        row("thrd_equal", Within(0, 1), Kept, "C11 7.26.5.4", NONE, Gives(|l, c| l.same_thread(c))),
        row("thrd_exit", Never, Kept, "C11 7.26.5.5", NONE, Does(|l, c| l.exit_c11_thread(c))),
        row("thrd_join", Status, Kept, "C11 7.26.5.6", THREAD, Does(|l, c| l.join_thread(c))),
        row("thrd_sleep", Exact, Kept, "C11 7.26.5.7", NONE, Gives(|l, c| l.sleep_thread(c))),
        row("thrd_yield", Nothing, Kept, "C11 7.26.5.8", NONE, PLAIN),
        row("tss_create", Status, Kept, "C11 7.26.6.1", NONE, Does(|l, c| l.create_key(c))),
        row("tss_delete", Nothing, Kept, "C11 7.26.6.2", KEY, Does(|l, c| l.delete_key(c))),
        row("tss_get", Exact, Kept, "C11 7.26.6.3", KEY, Gives(|l, c| l.get_specific(c))),
        row("tss_set", Status, Kept, "C11 7.26.6.4", KEY, Does(|l, c| l.set_specific(c))),
    ]),
    ("time.h", &[
        row("clock", Any, Kept, "C11 7.27.2.1", NONE, PLAIN),
        row("clock_getres", Failure, May, "POSIX", NONE, Does(|l, c| l.any_value_at(c, 1))),
        row("clock_gettime", Failure, Set, "POSIX", NONE, Gives(|l, c| l.clock_time(c))),
        row("clock_nanosleep", Error, Kept, "POSIX", NONE, Gives(|l, c| l.sleep_of_clock(c))),
        row("difftime", Exact, Kept, "C11 7.27.2.2", NONE, Gives(|l, c| l.difftime(c))),
        row("nanosleep", Failure, Set, "POSIX", NONE, Gives(|l, c| l.sleep_nanoseconds(c))),
        row("time", Any, Kept, "C11 7.27.2.4", NONE, Gives(|l, c| l.time(c))),
        row("timespec_get", Exact, Kept, "C11 7.27.2.5", NONE, Gives(|l, c| l.c11_time(c))),
    ]),
    ("unistd.h", &[
        row("_exit", Never, Kept, "POSIX", NONE, Does(|l, c| l.exit_at_once(c))),
        row("access", Failure, May, "POSIX", STRING, PLAIN),
        row("alarm", Any, Kept, "POSIX", NONE, PLAIN),
        row("chdir", Failure, May, "POSIX", STRING, PLAIN),
        row("close", Failure, May, "POSIX", NONE, PLAIN),
        row("dup", From(-1), May, "POSIX", NONE, PLAIN),
        row("dup2", From(-1), May, "POSIX", NONE, PLAIN),
        row("fdatasync", Failure, May, "POSIX", NONE, PLAIN),
        row("fork", Any, May, "POSIX", NONE, Gives(|l, c| l.refuse(c))),
        row("fsync", Failure, May, "POSIX", NONE, PLAIN),
        row("ftruncate", Failure, May, "POSIX", NONE, PLAIN),
        row("getegid", Any, Kept, "POSIX", NONE, PLAIN),
        row("geteuid", Any, Kept, "POSIX", NONE, PLAIN),
        row("getgid", Any, Kept, "POSIX", NONE, PLAIN),
        row("getpagesize", Within(4096, 65536), Kept, "Linux", NONE, PLAIN),
        row("getpid", Any, Kept, "POSIX", NONE, PLAIN),
        row("getppid", From(1), Kept, "POSIX", NONE, PLAIN),
        row("gettid", From(1), Kept, "Linux", NONE, PLAIN),
        row("getuid", Any, Kept, "POSIX", NONE, PLAIN),
        row("isatty", Within(0, 1), May, "POSIX", NONE, PLAIN),
        row("lseek", From(-1), May, "POSIX", NONE, PLAIN),
        row("pread", From(-1), May, "POSIX", ROOM, Gives(|l, c| l.read_file(c))),
        row("pipe", Failure, Set, "POSIX", ROOM, TEXT),
        row("pwrite", From(-1), May, "POSIX", ROOM, Gives(|l, c| l.write_file(c))),
        row("read", From(-1), May, "POSIX", ROOM, Gives(|l, c| l.read_file(c))),
        row("rmdir", Failure, May, "POSIX", STRING, PLAIN),
        row("sleep", Zero, Kept, "POSIX", NONE, PLAIN),
        row("syscall", Any, Set, "Linux futex(2)", NONE, Gives(|l, c| l.system_call(c))),
        row("sysconf", From(-1), May, "POSIX", NONE, TEXT),
        row("unlink", Failure, May, "POSIX", STRING, PLAIN),
        row("usleep", Zero, Kept, "POSIX 2001", NONE, PLAIN),
        row("vfork", Any, May, "POSIX", NONE, Gives(|l, c| l.refuse(c))),
        row("write", From(-1), May, "POSIX", ROOM, Gives(|l, c| l.write_file(c))),
    ]),
];

/// The rows of what a builtin of gcc counts in the bits of each of three types.
macro_rules! counts {
    ($($name:literal: $method:ident),*) => { &[$(
        other(concat!("__builtin_", $name), Exact, Gives(|l, c| l.$method(c, IntKind::UInt))),
        other(concat!("__builtin_", $name, "l"), Exact, Gives(|l, c| l.$method(c, IntKind::ULong))),
        other(concat!("__builtin_", $name, "ll"), Exact, Gives(|l, c| l.$method(c, IntKind::ULongLong))),
    )*] };
}

/// The rows of functions for `double`, `float` and `long double`.
macro_rules! floats {
    ($($name:literal, $errno:expr, $method:ident $(, $arg:expr)*;)*) => { &[$(
        row($name, Exact, $errno, "C11 7.12", NONE, Gives(|l, c| l.$method(c, 8 $(, $arg)*))),
        row(concat!($name, "f"), Exact, $errno, "C11 7.12", NONE, Gives(|l, c| l.$method(c, 4 $(, $arg)*))),
        row(concat!($name, "l"), Exact, $errno, "C11 7.12", NONE, Gives(|l, c| l.$method(c, 16 $(, $arg)*))),
    )*] };
}

/// The rows of the read-modify-writes with an operator.
macro_rules! updates {
    ($($name:literal: $op:ident),*) => { &[$(
        other(concat!("atomic_fetch_", $name), Exact, Gives(|l, c| l.fetch(c, RmwOp::$op, Style::C11, Fetched::Old))),
        other(concat!("__atomic_fetch_", $name), Exact, Gives(|l, c| l.fetch(c, RmwOp::$op, Style::Gnu, Fetched::Old))),
        other(concat!("__atomic_", $name, "_fetch"), Exact, Gives(|l, c| l.fetch(c, RmwOp::$op, Style::Gnu, Fetched::New))),
        other(concat!("__sync_fetch_and_", $name), Exact, Gives(|l, c| l.fetch(c, RmwOp::$op, Style::Sync, Fetched::Old))),
        other(concat!("__sync_", $name, "_and_fetch"), Exact, Gives(|l, c| l.fetch(c, RmwOp::$op, Style::Sync, Fetched::New))),
    )*] };
}

/// Functions of compilers and tools; those of a platform that its headers have under these names alone.
#[rustfmt::skip]
pub(super) const FAMILIES: &[Header] = &[
    // Platforms.
    ("", &[
        other("__errno_location", Exact, Gives(|l, c| l.errno_location(c))),
        other("___errno_location", Exact, Gives(|l, c| l.errno_location(c))),
        other("__errno", Exact, Gives(|l, c| l.errno_location(c))),
        other("__error", Exact, Gives(|l, c| l.errno_location(c))),
        other("alloca", Exact, Gives(|l, c| l.allocate_bytes(c, 0, Storage::Stack("alloca".to_string())))),
        other("__isoc99_scanf", Any, Perhaps(|l, c| l.scan(c, 0))),
        other("__isoc99_fscanf", Any, Perhaps(|l, c| l.scan(c, 1))),
        other("__isoc99_sscanf", Any, Perhaps(|l, c| l.scan(c, 1))),
        row("getrlimit", Failure, May, "POSIX", ROOM, Does(|l, c| l.any_value_at(c, 1))),
        row("getrusage", Failure, May, "POSIX", ROOM, Does(|l, c| l.any_value_at(c, 1))),
        row("prctl", Failure, May, "Linux", NONE, Does(|l, c| l.prctl(c))),
        row("eventfd", From(-1), May, "Linux", NONE, PLAIN),
        row("epoll_create", From(-1), May, "Linux", NONE, PLAIN),
        row("epoll_create1", From(-1), May, "Linux", NONE, PLAIN),
        row("epoll_ctl", Failure, May, "Linux", NONE, PLAIN),
        row("get_nprocs", Within(1, 8192), Kept, "glibc", NONE, PLAIN),
        row("get_nprocs_conf", Within(1, 8192), Kept, "glibc", NONE, PLAIN),
        row("nice", Any, May, "POSIX", NONE, PLAIN),
        row("getrandom", From(-1), May, "Linux", ROOM, Gives(|l, c| l.random_bytes(c))),
        row("pthread_mutexattr_setkind_np", Zero, Kept, "glibc", NONE, Does(|l, c| l.set_mutex_kind(c))),
        row("sched_getparam", Failure, May, "POSIX", ROOM, Does(|l, c| l.any_value_at(c, 1))),
        row("uname", Failure, May, "POSIX", ROOM, Does(|l, c| l.any_value_at(c, 0))),
        other("setjmp", Exact, Gives(|l, c| l.refuse(c))),
        other("_setjmp", Exact, Gives(|l, c| l.refuse(c))),
        other("sigsetjmp", Exact, Gives(|l, c| l.refuse(c))),
        other("__sigsetjmp", Exact, Gives(|l, c| l.refuse(c))),
        other("longjmp", Never, Gives(|l, c| l.refuse(c))),
        other("siglongjmp", Never, Gives(|l, c| l.refuse(c))),
    ]),
    // What our own headers and `library.c` call.
    ("", &[
        other("__wmbmc_at_exit_full", Nothing, Does(|l, c| l.not_understood(c, "more than 32 functions for `atexit`"))),
        other("__wmbmc_destructor", Exact, Gives(|l, c| l.get_destructor(c))),
        other("__wmbmc_environment", Exact, Gives(|l, c| l.environment(c.span))),
        other("__wmbmc_keys", Exact, Gives(|l, c| l.count_keys(c))),
        other("__wmbmc_looks_at_signals", Exact, Gives(|l, _| Ok(l.int_value(i64::from(l.looks_at_signals()))))),
        other("__wmbmc_mutex_kind", Exact, Gives(|l, c| l.value(c.arg(0)?))),
        other("__wmbmc_other_futex", Nothing, Does(|l, c| l.not_understood(c, "an operation of futex other than wait, wake and requeue"))),
        other("__wmbmc_other_system_call", Nothing, Does(|l, c| l.not_understood(c, "a system call other than futex and gettid"))),
        other("__wmbmc_permutes", Nothing, Does(|l, c| l.not_understood(c, "`getopt` with options behind other arguments"))),
        other("__wmbmc_prints_anything", Nothing, Does(|l, c| l.not_understood(c, "a conversion of which it is not known how much it prints"))),
        other("__wmbmc_robust_count", Exact, Gives(|l, _| Ok(l.robust_count()))),
        other("__wmbmc_robust_died", Nothing, Does(|l, c| l.robust_died(c))),
        other("__wmbmc_robust_full", Nothing, Does(|l, c| l.robust_full(c))),
        other("__wmbmc_robust_held", Exact, Gives(|l, _| Ok(l.robust_held()))),
        other("__wmbmc_rwlock_kind", Exact, Gives(|l, c| l.value(c.arg(0)?))),
        other("__wmbmc_sends_signal", Nothing, Does(|l, c| l.not_understood(c, "a signal to a thread"))),
        other("__wmbmc_sleeps", Nothing, Does(|l, c| l.sleeps_on_futex(c))),
    ]),
    // gcc.
    ("", &[
        other("__builtin_add_overflow", Exact, Gives(|l, c| l.overflow(c, BinOp::Add))),
        other("__builtin_mul_overflow", Exact, Gives(|l, c| l.overflow(c, BinOp::Mul))),
        other("__builtin_sub_overflow", Exact, Gives(|l, c| l.overflow(c, BinOp::Sub))),
        other("__builtin_bswap16", Exact, Gives(|l, c| l.byte_swap(c, IntKind::UShort))),
        other("__builtin_bswap32", Exact, Gives(|l, c| l.byte_swap(c, IntKind::UInt))),
        other("__builtin_bswap64", Exact, Gives(|l, c| l.byte_swap(c, IntKind::ULongLong))),
        other("__builtin_assume_aligned", Exact, Gives(|l, c| l.assume_aligned(c))),
        other("__builtin_cpu_init", Nothing, PLAIN),
        other("__builtin_cpu_is", Any, PLAIN),
        other("__builtin_cpu_supports", Any, PLAIN),
        other("__builtin_object_size", Exact, Gives(|l, c| l.object_size(c))),
        other("__builtin_dynamic_object_size", Exact, Gives(|l, c| l.object_size(c))),
        other("__builtin_constant_p", Zero, Does(|_, _| Ok(()))),
        other("__builtin_expect", Exact, Gives(|l, c| l.expected(c))),
        other("__builtin_expect_with_probability", Exact, Gives(|l, c| l.expected(c))),
        other("__builtin_ia32_lfence", Nothing, Does(|l, c| l.perform(c, Op::Fence(Fence::Lfence)))),
        other("__builtin_ia32_mfence", Nothing, Does(|l, c| l.perform(c, Op::Fence(Fence::Mfence)))),
        other("__builtin_ia32_pause", Nothing, PLAIN),
        other("__builtin_ia32_sfence", Nothing, Does(|l, c| l.perform(c, Op::Fence(Fence::Sfence)))),
        other("_mm_lfence", Nothing, Does(|l, c| l.perform(c, Op::Fence(Fence::Lfence)))),
        other("_mm_mfence", Nothing, Does(|l, c| l.perform(c, Op::Fence(Fence::Mfence)))),
        other("_mm_pause", Nothing, PLAIN),
        other("_mm_sfence", Nothing, Does(|l, c| l.perform(c, Op::Fence(Fence::Sfence)))),
        other("__builtin_prefetch", Nothing, PLAIN),
        other("__builtin_va_copy", Nothing, Does(|l, c| l.copy_arguments(c))),
        other("__builtin_va_end", Nothing, PLAIN),
        other("__builtin_va_start", Nothing, Does(|l, c| l.start_arguments(c.arg(0)?, c.span))),
    ]),
    ("", counts! { "clz": leading_zeros, "ctz": trailing_zeros, "ffs": first_one, "parity": parity, "popcount": count_ones }),
    // Floating-point numbers. Where the direction of rounding counts it is the default one.
    ("math.h", floats! {
        "ceil", Kept, float_function, FloatFunction::Ceil;
        "copysign", Kept, copy_sign;
        "fabs", Kept, absolute_float;
        "floor", Kept, float_function, FloatFunction::Floor;
        "fmax", Kept, extreme, Ordering::Greater;
        "fmin", Kept, extreme, Ordering::Less;
        "llrint", Kept, round_to_integer, FloatFunction::RoundEven, IntKind::LongLong;
        "llround", Kept, round_to_integer, FloatFunction::Round, IntKind::LongLong;
        "lrint", Kept, round_to_integer, FloatFunction::RoundEven, IntKind::Long;
        "lround", Kept, round_to_integer, FloatFunction::Round, IntKind::Long;
        "nan", Kept, nan;
        "nearbyint", Kept, float_function, FloatFunction::RoundEven;
        "rint", Kept, float_function, FloatFunction::RoundEven;
        "round", Kept, float_function, FloatFunction::Round;
        "roundeven", Kept, float_function, FloatFunction::RoundEven;
        "sqrt", May, float_function, FloatFunction::Sqrt;
        "trunc", Kept, float_function, FloatFunction::Trunc;
    }),
    ("math.h", &[
        row("fmod", Exact, May, "C11 7.12.10.1", NONE, TEXT),
        row("fmodf", Exact, May, "C11 7.12.10.1", NONE, TEXT),
        row("frexp", Exact, Kept, "C11 7.12.6.4", NONE, TEXT),
        row("ldexp", Exact, May, "C11 7.12.6.6", NONE, TEXT),
        row("modf", Exact, Kept, "C11 7.12.6.12", NONE, TEXT),
        row("pow", Any, May, "C11 7.12.7.4", NONE, TEXT),
        row("remainder", Exact, May, "C11 7.12.10.2", NONE, TEXT),
        row("scalbn", Exact, May, "C11 7.12.6.13", NONE, TEXT),
        other("finite", Exact, Gives(|l, c| l.classify(c, Class::Finite))),
        other("isfinite", Exact, Gives(|l, c| l.classify(c, Class::Finite))),
        other("isgreater", Exact, Gives(|l, c| l.compare_quietly(c, BinaryOp::Gt))),
        other("isgreaterequal", Exact, Gives(|l, c| l.compare_quietly(c, BinaryOp::Ge))),
        other("isinf", Exact, Gives(|l, c| l.classify(c, Class::Infinite))),
        other("isinf_sign", Exact, Gives(|l, c| l.classify(c, Class::Infinite))),
        other("isless", Exact, Gives(|l, c| l.compare_quietly(c, BinaryOp::Lt))),
        other("islessequal", Exact, Gives(|l, c| l.compare_quietly(c, BinaryOp::Le))),
        other("islessgreater", Exact, Gives(|l, c| l.is_unequal(c))),
        other("isnan", Exact, Gives(|l, c| l.classify(c, Class::Nan))),
        other("isnormal", Exact, Gives(|l, c| l.classify(c, Class::Normal))),
        other("isunordered", Exact, Gives(|l, c| l.is_unordered(c))),
        other("signbit", Exact, Gives(|l, c| l.classify(c, Class::Negative))),
        other("signbitf", Exact, Gives(|l, c| l.classify(c, Class::Negative))),
    ]),
    // Constants that look like calls.
    ("", &[
        other("__builtin_huge_val", Exact, Gives(|l, _| Ok(l.infinity(8)))),
        other("__builtin_huge_valf", Exact, Gives(|l, _| Ok(l.infinity(4)))),
        other("__builtin_huge_vall", Exact, Gives(|l, _| Ok(l.infinity(16)))),
        other("__builtin_inf", Exact, Gives(|l, _| Ok(l.infinity(8)))),
        other("__builtin_inff", Exact, Gives(|l, _| Ok(l.infinity(4)))),
        other("__builtin_infl", Exact, Gives(|l, _| Ok(l.infinity(16)))),
    ]),
    // Atomic operations.
    ("stdatomic.h", &[
        other("atomic_compare_exchange_strong", Exact, Gives(|l, c| l.c11_compare_exchange(c, 0))),
        other("atomic_compare_exchange_weak", Exact, Gives(|l, c| l.c11_compare_exchange(c, 1))),
        other("atomic_exchange", Exact, Gives(|l, c| l.atomic_exchange(c))),
        other("atomic_flag_clear", Nothing, Does(|l, c| l.clear(c))),
        other("atomic_flag_test_and_set", Exact, Gives(|l, c| l.test_and_set(c))),
        other("atomic_init", Nothing, Does(|l, c| l.atomic_init(c))),
        other("atomic_is_lock_free", Exact, Gives(|l, _| Ok(l.int_value(1)))),
        other("atomic_load", Exact, Gives(|l, c| l.atomic_load(c))),
        other("atomic_signal_fence", Nothing, Does(|_, _| Ok(()))),
        other("atomic_store", Nothing, Does(|l, c| l.atomic_store(c, Given::Value))),
        other("atomic_thread_fence", Nothing, Does(|l, c| l.thread_fence(c))),
    ]),
    ("", &[
        other("__atomic_always_lock_free", Exact, Gives(|l, _| Ok(l.int_value(1)))),
        other("__atomic_clear", Nothing, Does(|l, c| l.clear(c))),
        other("__atomic_compare_exchange", Exact, Gives(|l, c| l.gnu_compare_exchange(c, Given::Address))),
        other("__atomic_compare_exchange_n", Exact, Gives(|l, c| l.gnu_compare_exchange(c, Given::Value))),
        other("__atomic_exchange", Nothing, Gives(|l, c| l.atomic_exchange_into(c))),
        other("__atomic_exchange_n", Exact, Gives(|l, c| l.atomic_exchange(c))),
        other("__atomic_is_lock_free", Exact, Gives(|l, _| Ok(l.int_value(1)))),
        other("__atomic_load", Nothing, Gives(|l, c| l.atomic_load_into(c))),
        other("__atomic_load_n", Exact, Gives(|l, c| l.atomic_load(c))),
        other("__atomic_signal_fence", Nothing, Does(|_, _| Ok(()))),
        other("__atomic_store", Nothing, Does(|l, c| l.atomic_store(c, Given::Address))),
        other("__atomic_store_n", Nothing, Does(|l, c| l.atomic_store(c, Given::Value))),
        other("__atomic_test_and_set", Exact, Gives(|l, c| l.test_and_set(c))),
        other("__atomic_thread_fence", Nothing, Does(|l, c| l.thread_fence(c))),
        other("__sync_bool_compare_and_swap", Exact, Gives(|l, c| l.sync_swap_success(c))),
        other("__sync_lock_release", Nothing, Does(|l, c| l.sync_release(c))),
        other("__sync_lock_test_and_set", Exact, Gives(|l, c| l.sync_lock(c))),
        other("__sync_synchronize", Nothing, Does(|l, c| l.perform(c, Op::Fence(Fence::C11(MemoryOrder::SeqCst))))),
        other("__sync_val_compare_and_swap", Exact, Gives(|l, c| l.sync_swap_value(c))),
    ]),
    ("", updates! { "add": Add, "and": And, "nand": Nand, "or": Or, "sub": Sub, "xor": Xor }),
    // Verification tools, and what `assert` is made of.
    ("", &[
        other("__wmbmc_assert", Nothing, Does(|l, c| l.assert_with_text(c))),
        other("assert", Nothing, Does(|l, c| l.assert_condition(c, None))),
        other("__assert", Nothing, Does(|l, c| l.fail_assertion(c))),
        other("__assert_c99", Nothing, Does(|l, c| l.fail_assertion(c))),
        other("__assert_fail", Nothing, Does(|l, c| l.fail_assertion(c))),
        other("__assert_rtn", Nothing, Does(|l, c| l.fail_assertion(c))),
        other("__CPROVER_assert", Nothing, Does(|l, c| l.assert_condition(c, None))),
        other("__ESBMC_assert", Nothing, Does(|l, c| l.assert_condition(c, None))),
        other("__VERIFIER_assert", Nothing, Does(|l, c| l.assert_condition(c, Some(Rule::Call)))),
        other("reach_error", Nothing, Does(|l, c| l.abort(c))),
        other("__VERIFIER_error", Nothing, Does(|l, c| l.abort(c))),
        other("__builtin_trap", Never, Does(|l, c| l.abort(c))),
        other("__builtin_unreachable", Never, Does(|l, c| l.abort(c))),
        other("__builtin_assume", Nothing, Does(|l, c| l.assume_condition(c))),
        other("__CPROVER_assume", Nothing, Does(|l, c| l.assume_condition(c))),
        other("__ESBMC_assume", Nothing, Does(|l, c| l.assume_condition(c))),
        other("__VERIFIER_assume", Nothing, Does(|l, c| l.assume_condition(c))),
        other("assume_abort_if_not", Nothing, Does(|l, c| l.assume_condition(c))),
        other("__goblint_assume_join", Nothing, Does(|l, c| l.assume_joined(c))),
        other("__CPROVER_atomic_begin", Nothing, Does(|l, c| l.perform(c, Op::AtomicBegin(Atomicity::Section)))),
        other("__ESBMC_atomic_begin", Nothing, Does(|l, c| l.perform(c, Op::AtomicBegin(Atomicity::Section)))),
        other("__VERIFIER_atomic_begin", Nothing, Does(|l, c| l.perform(c, Op::AtomicBegin(Atomicity::Section)))),
        other("__CPROVER_atomic_end", Nothing, Does(|l, c| l.perform(c, Op::AtomicEnd))),
        other("__ESBMC_atomic_end", Nothing, Does(|l, c| l.perform(c, Op::AtomicEnd))),
        other("__VERIFIER_atomic_end", Nothing, Does(|l, c| l.perform(c, Op::AtomicEnd))),
        other("__CPROVER_fence", Nothing, Does(|l, c| l.cprover_fence(c))),
        other("__ESBMC_yield", Nothing, PLAIN),
        other("__VERIFIER_yield", Nothing, PLAIN),
        other("__VERIFIER_annotate_begin", Nothing, PLAIN),
        other("__VERIFIER_annotate_end", Nothing, PLAIN),
        other("__VERIFIER_loop_begin", Nothing, PLAIN),
        other("__VERIFIER_loop_bound", Nothing, PLAIN),
        other("__VERIFIER_spin_end", Nothing, PLAIN),
        other("__VERIFIER_spin_start", Nothing, PLAIN),
        other("__VERIFIER_load_await_aint", Exact, Gives(|l, c| l.await_value(c, None, 1))),
        other("__VERIFIER_xchg_await_aint", Exact, Gives(|l, c| l.await_value(c, Some(c.arg(1)?), 2))),
        other("__VERIFIER_nondet_memory", Nothing, Gives(|l, c| l.arbitrary_bytes(c))),
        // Whether an optional block is looked at, behind which the execution is given up.
        other("__VERIFIER_opt_begin", Any, Perhaps(|l, c| l.nondet("__VERIFIER_nondet_bool", c))),
    ]),
    // Modules of LLVM IR.
    ("", &[
        other("__llvm_bits_of_number", Exact, Gives(|l, c| l.bits_of_number(c))),
        other("__llvm_label", Nothing, Does(|l, c| l.label_of_module(c))),
        other("__llvm_lifetime_end", Nothing, Does(|l, c| l.lifetime_end(c))),
        other("__llvm_lifetime_start", Nothing, Does(|l, c| l.lifetime_start(c))),
        other("__llvm_number_of_bits", Exact, Gives(|l, c| l.number_of_bits(c))),
    ]),
    // The Linux kernel.
    ("kernel.h", &[
        other("synchronize_rcu", Nothing, Perhaps(|l, c| l.kernel_fence(c))),
        other("synchronize_rcu_expedited", Nothing, Perhaps(|l, c| l.kernel_fence(c))),
        other("synchronize_srcu", Nothing, Does(|l, c| l.grace_period(c))),
        other("synchronize_srcu_expedited", Nothing, Does(|l, c| l.grace_period(c))),
    ]),
];

/// Rows of many names, in which `*` stands for any text.
#[rustfmt::skip]
pub(super) const PATTERNS: &[Row] = &[
    row("pthread_*attr_init", Zero, Kept, "POSIX", NONE, PLAIN),
    row("pthread_*attr_destroy", Zero, Kept, "POSIX", NONE, PLAIN),
    row("pthread_*attr_set*", Zero, Kept, "POSIX", NONE, PLAIN),
    other("__VERIFIER_nondet_*", Any, Perhaps(|l, c| l.nondet(c.name, c))),
    other("__SMACK_nondet*", Any, Perhaps(|l, c| l.nondet(c.name, c))),
    other("nondet_*", Any, Perhaps(|l, c| l.nondet(c.name, c))),
    other("__wmbmc_*", Nothing, Perhaps(|l, c| l.kernel_fence(c))),
    // What one of our own headers has in C.
    other("*", Exact, TEXT),
];
