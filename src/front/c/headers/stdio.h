#pragma once
#include <bits/wmbmc_features.h>
#include <stddef.h>
#include <stdarg.h>
#include <sys/types.h>
typedef struct __wmbmc_file FILE;
extern FILE *stdin;
extern FILE *stdout;
extern FILE *stderr;
#define EOF (-1)
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define FILENAME_MAX 4096
#define FOPEN_MAX 16
#define L_tmpnam 20
#define TMP_MAX 238328
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2
#define BUFSIZ 8192
int printf(const char *format, ...);
int fprintf(FILE *stream, const char *format, ...);
int sprintf(char *text, const char *format, ...);
int snprintf(char *text, size_t size, const char *format, ...);
int vprintf(const char *format, va_list args);
int vfprintf(FILE *stream, const char *format, va_list args);
int scanf(const char *format, ...);
int sscanf(const char *text, const char *format, ...);
int fscanf(FILE *stream, const char *format, ...);
int puts(const char *text);
int putchar(int c);
int putc(int c, FILE *stream);
int fputs(const char *text, FILE *stream);
int fputc(int c, FILE *stream);
int getchar(void);
int getc(FILE *stream);
char *fgets(char *text, int size, FILE *stream);
FILE *fopen(const char *path, const char *mode);
int fclose(FILE *stream);
int fflush(FILE *stream);
void perror(const char *text);
int vsprintf(char *text, const char *format, va_list args);
int vsnprintf(char *text, size_t size, const char *format, va_list args);
int asprintf(char **text, const char *format, ...);
int vasprintf(char **text, const char *format, va_list args);
int dprintf(int file, const char *format, ...);
int fgetc(FILE *stream);
int ungetc(int c, FILE *stream);
size_t fread(void *to, size_t size, size_t count, FILE *stream);
size_t fwrite(const void *from, size_t size, size_t count, FILE *stream);
int fseek(FILE *stream, long offset, int whence);
long ftell(FILE *stream);
void rewind(FILE *stream);
int feof(FILE *stream);
int ferror(FILE *stream);
void clearerr(FILE *stream);
int fileno(FILE *stream);
FILE *fdopen(int file, const char *mode);
FILE *freopen(const char *path, const char *mode, FILE *stream);
FILE *popen(const char *command, const char *mode);
int pclose(FILE *stream);
int remove(const char *path);
int rename(const char *from, const char *to);
int setvbuf(FILE *stream, char *buffer, int mode, size_t size);
void setbuf(FILE *stream, char *buffer);
ssize_t getline(char **line, size_t *size, FILE *stream);
void flockfile(FILE *stream);
int ftrylockfile(FILE *stream);
void funlockfile(FILE *stream);
