/* heapsort is of BSD's library; this stands for it. */
#include <stddef.h>
int heapsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    long *numbers = base;
    (void)size;
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && compare(&numbers[j - 1], &numbers[j]) > 0; j--) {
            long other = numbers[j];
            numbers[j] = numbers[j - 1];
            numbers[j - 1] = other;
        }
    return 0;
}
