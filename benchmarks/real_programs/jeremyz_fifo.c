/* The test of lf_fifo.c with two threads and one node each. */
#define main original_main
#include "lf_fifo_test.c"
#undef main

int main(void)
{
    run_aggressive_push_pop(2, 1);
    return 0;
}
