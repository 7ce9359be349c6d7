#pragma once
#include <bits/wmbmc_features.h>
#include <bits/wmbmc_posix.h>
#include <stddef.h>
#include <sys/types.h>
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define R_OK 4
#define W_OK 2
#define X_OK 1
#define F_OK 0
#define F_ULOCK 0
#define F_LOCK 1
#define F_TLOCK 2
#define F_TEST 3
#define TEMP_FAILURE_RETRY(call) \
  ({ long __result; do __result = (long)(call); while (__result == -1L && errno == EINTR); __result; })
extern char **environ;
extern char *optarg;
extern int optind;
extern int opterr;
extern int optopt;
unsigned int sleep(unsigned int seconds);
int usleep(useconds_t duration);
unsigned int alarm(unsigned int seconds);
int pause(void);
pid_t getpid(void);
pid_t getppid(void);
pid_t gettid(void);
pid_t fork(void);
pid_t vfork(void);
uid_t getuid(void);
uid_t geteuid(void);
gid_t getgid(void);
gid_t getegid(void);
void _exit(int status);
ssize_t read(int file, void *to, size_t size);
ssize_t write(int file, const void *from, size_t size);
ssize_t pread(int file, void *to, size_t size, off_t at);
ssize_t pwrite(int file, const void *from, size_t size, off_t at);
off_t lseek(int file, off_t offset, int whence);
int close(int file);
int dup(int file);
int dup2(int file, int other);
int pipe(int files[2]);
int fsync(int file);
int fdatasync(int file);
int ftruncate(int file, off_t size);
int access(const char *path, int mode);
int unlink(const char *path);
int rmdir(const char *path);
int chdir(const char *path);
char *getcwd(char *to, size_t size);
int isatty(int file);
int gethostname(char *to, size_t size);
int execv(const char *path, char *const arguments[]);
int execvp(const char *path, char *const arguments[]);
int getpagesize(void);
int getopt(int argc, char *const argv[], const char *options);
long sysconf(int name);
long syscall(long number, ...);
#define _SC_ARG_MAX 0
#define _SC_CHILD_MAX 1
#define _SC_CLK_TCK 2
#define _SC_NGROUPS_MAX 3
#define _SC_OPEN_MAX 4
#define _SC_STREAM_MAX 5
#define _SC_TZNAME_MAX 6
#define _SC_JOB_CONTROL 7
#define _SC_SAVED_IDS 8
#define _SC_REALTIME_SIGNALS 9
#define _SC_PRIORITY_SCHEDULING 10
#define _SC_TIMERS 11
#define _SC_ASYNCHRONOUS_IO 12
#define _SC_PRIORITIZED_IO 13
#define _SC_SYNCHRONIZED_IO 14
#define _SC_FSYNC 15
#define _SC_MAPPED_FILES 16
#define _SC_MEMLOCK 17
#define _SC_MEMLOCK_RANGE 18
#define _SC_MEMORY_PROTECTION 19
#define _SC_MESSAGE_PASSING 20
#define _SC_SEMAPHORES 21
#define _SC_SHARED_MEMORY_OBJECTS 22
#define _SC_AIO_LISTIO_MAX 23
#define _SC_AIO_MAX 24
#define _SC_AIO_PRIO_DELTA_MAX 25
#define _SC_DELAYTIMER_MAX 26
#define _SC_MQ_OPEN_MAX 27
#define _SC_MQ_PRIO_MAX 28
#define _SC_VERSION 29
#define _SC_PAGESIZE 30
#define _SC_PAGE_SIZE 30
#define _SC_RTSIG_MAX 31
#define _SC_SEM_NSEMS_MAX 32
#define _SC_SEM_VALUE_MAX 33
#define _SC_SIGQUEUE_MAX 34
#define _SC_TIMER_MAX 35
#define _SC_COLL_WEIGHTS_MAX 40
#define _SC_EQUIV_CLASS_MAX 41
#define _SC_EXPR_NEST_MAX 42
#define _SC_LINE_MAX 43
#define _SC_RE_DUP_MAX 44
#define _SC_CHARCLASS_NAME_MAX 45
#define _SC_POLL 58
#define _SC_SELECT 59
#define _SC_IOV_MAX 60
#define _SC_UIO_MAXIOV 60
#define _SC_T_IOV_MAX 66
#define _SC_THREADS 67
#define _SC_THREAD_SAFE_FUNCTIONS 68
#define _SC_GETGR_R_SIZE_MAX 69
#define _SC_GETPW_R_SIZE_MAX 70
#define _SC_LOGIN_NAME_MAX 71
#define _SC_TTY_NAME_MAX 72
#define _SC_THREAD_DESTRUCTOR_ITERATIONS 73
#define _SC_THREAD_KEYS_MAX 74
#define _SC_THREAD_STACK_MIN 75
#define _SC_THREAD_THREADS_MAX 76
#define _SC_THREAD_ATTR_STACKADDR 77
#define _SC_THREAD_ATTR_STACKSIZE 78
#define _SC_THREAD_PRIORITY_SCHEDULING 79
#define _SC_THREAD_PRIO_INHERIT 80
#define _SC_THREAD_PRIO_PROTECT 81
#define _SC_THREAD_PROCESS_SHARED 82
#define _SC_NPROCESSORS_CONF 83
#define _SC_NPROCESSORS_ONLN 84
#define _SC_PHYS_PAGES 85
#define _SC_AVPHYS_PAGES 86
#define _SC_ATEXIT_MAX 87
#define _SC_PASS_MAX 88
#define _SC_XOPEN_VERSION 89
#define _SC_XOPEN_XCU_VERSION 90
#define _SC_XOPEN_UNIX 91
#define _SC_XOPEN_CRYPT 92
#define _SC_XOPEN_ENH_I18N 93
#define _SC_XOPEN_SHM 94
/* getopt(3): the options that stand in front of other arguments. That glibc moves those behind them to
 * the front is not supported. */
static int __wmbmc_letter;
static inline int __wmbmc_getopt(int argc, char *const argv[], const char *options) {
  if (optind == 0) {
    optind = 1;
    __wmbmc_letter = 0;
  }
  optarg = 0;
  const char *known = options;
  if (*known == '+') known++;
  else if (*known == '-') __wmbmc_permutes();
  _Bool silent = *known == ':';
  if (!__wmbmc_letter) {
    if (optind >= argc || !argv[optind]) return -1;
    const char *first = argv[optind];
    if (first[0] != '-' || !first[1]) {
      for (int i = optind + 1; known == options && i < argc; i++)
        if (argv[i][0] == '-' && argv[i][1]) __wmbmc_permutes();
      return -1;
    }
    if (first[1] == '-' && !first[2]) {
      optind++;
      return -1;
    }
    __wmbmc_letter = 1;
  }
  const char *text = argv[optind];
  char letter = text[__wmbmc_letter++];
  while (*known && (*known != letter || letter == ':' || letter == ';')) known++;
  _Bool last = !text[__wmbmc_letter];
  int result = letter;
  if (*known && known[1] == ';') __wmbmc_permutes();
  if (!*known || known[1] != ':') {
    if (!*known) {
      optopt = letter;
      result = '?';
    }
    if (!last) return result;
    optind++;
  } else if (!last) {
    optarg = (char *)text + __wmbmc_letter;
    optind++;
  } else {
    optind++;
    if (known[2] != ':') {
      if (optind >= argc) {
        optopt = letter;
        result = silent ? ':' : '?';
      } else {
        optarg = argv[optind++];
      }
    }
  }
  __wmbmc_letter = 0;
  return result;
}
