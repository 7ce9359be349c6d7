#pragma once
#include <stddef.h>
#include <stdarg.h>
typedef struct __wmbmc_file FILE;
extern FILE *stdin;
extern FILE *stdout;
extern FILE *stderr;
#define EOF (-1)
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
