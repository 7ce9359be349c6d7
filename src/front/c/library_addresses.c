/* Functions of the library whose addresses a program takes: each calls what is known of the function.
 *
 * A function is added where its name stands without an opening parenthesis behind it.
 */
void *malloc(unsigned long size) { return malloc(size); }
void *calloc(unsigned long count, unsigned long size) { return calloc(count, size); }
void *realloc(void *memory, unsigned long size) { return realloc(memory, size); }
void *aligned_alloc(unsigned long align, unsigned long size) { return aligned_alloc(align, size); }
void free(void *memory) { free(memory); }
void *memcpy(void *to, const void *from, unsigned long size) { return memcpy(to, from, size); }
void *memmove(void *to, const void *from, unsigned long size) { return memmove(to, from, size); }
void *memset(void *memory, int byte, unsigned long size) { return memset(memory, byte, size); }
void abort(void) { abort(); }
void exit(int status) { exit(status); }
int abs(int x) { return abs(x); }
int rand(void) { return rand(); }
int puts(const char *text) { return puts(text); }
int putchar(int c) { return putchar(c); }
int printf(const char *format, ...) { return printf(format); }
int fprintf(void *file, const char *format, ...) { return fprintf(file, format); }
int fflush(void *file) { return fflush(file); }
unsigned int sleep(unsigned int seconds) { return sleep(seconds); }
int usleep(unsigned int time) { return usleep(time); }
int sched_yield(void) { return sched_yield(); }
unsigned long pthread_self(void) { return pthread_self(); }
void pthread_exit(void *result) { pthread_exit(result); }
int pthread_join(unsigned long thread, void **result) { return pthread_join(thread, result); }
int pthread_detach(unsigned long thread) { return pthread_detach(thread); }
int pthread_mutex_lock(void *mutex) { return pthread_mutex_lock(mutex); }
int pthread_mutex_trylock(void *mutex) { return pthread_mutex_trylock(mutex); }
int pthread_mutex_unlock(void *mutex) { return pthread_mutex_unlock(mutex); }
int pthread_mutex_destroy(void *mutex) { return pthread_mutex_destroy(mutex); }
int pthread_cond_wait(void *cond, void *mutex) { return pthread_cond_wait(cond, mutex); }
int pthread_cond_signal(void *cond) { return pthread_cond_signal(cond); }
int pthread_cond_broadcast(void *cond) { return pthread_cond_broadcast(cond); }
int pthread_rwlock_rdlock(void *lock) { return pthread_rwlock_rdlock(lock); }
int pthread_rwlock_wrlock(void *lock) { return pthread_rwlock_wrlock(lock); }
int pthread_rwlock_unlock(void *lock) { return pthread_rwlock_unlock(lock); }
int sem_wait(void *semaphore) { return sem_wait(semaphore); }
int sem_post(void *semaphore) { return sem_post(semaphore); }
int strcmp(const char *a, const char *b) { return strcmp(a, b); }
int strncmp(const char *a, const char *b, unsigned long size) { return strncmp(a, b, size); }
int memcmp(const void *a, const void *b, unsigned long size) { return memcmp(a, b, size); }
int isdigit(int c) { return isdigit(c); }
int islower(int c) { return islower(c); }
int isupper(int c) { return isupper(c); }
int isalpha(int c) { return isalpha(c); }
int isalnum(int c) { return isalnum(c); }
int isspace(int c) { return isspace(c); }
int isxdigit(int c) { return isxdigit(c); }
