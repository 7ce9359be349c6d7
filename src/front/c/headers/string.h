#pragma once
#include <bits/wmbmc_features.h>
#include <stddef.h>
void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *mempcpy(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
void *memchr(const void *text, int byte, size_t size);
size_t strlen(const char *text);
size_t strnlen(const char *text, size_t size);
char *strcpy(char *to, const char *from);
char *stpcpy(char *to, const char *from);
char *strncpy(char *to, const char *from, size_t size);
char *strcat(char *to, const char *from);
char *strncat(char *to, const char *from, size_t size);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t size);
char *strchr(const char *text, int c);
char *strrchr(const char *text, int c);
char *strstr(const char *text, const char *part);
char *strdup(const char *text);
char *strerror(int error);
char *strndup(const char *text, size_t size);
char *strtok(char *text, const char *separators);
char *strtok_r(char *text, const char *separators, char **rest);
char *strpbrk(const char *text, const char *characters);
size_t strspn(const char *text, const char *characters);
size_t strcspn(const char *text, const char *characters);
char *strsep(char **text, const char *separators);
char *strcasestr(const char *text, const char *part);
int strcoll(const char *a, const char *b);
int strerror_r(int error, char *to, size_t size);
char *strsignal(int number);
void explicit_bzero(void *object, size_t size);
#include <strings.h>
