/* Writers count in the one of two places that is active; a reader flips and reads the other. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <hdr/hdr_writer_reader_phaser.h>

static struct hdr_writer_reader_phaser phaser;
static int64_t counters[2];
static int64_t *active = &counters[0];

static void *record(void *arg)
{
    int64_t critical = hdr_phaser_writer_enter(&phaser);
    int64_t *place = __atomic_load_n(&active, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(place, 1, __ATOMIC_SEQ_CST);
    hdr_phaser_writer_exit(&phaser, critical);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    hdr_writer_reader_phaser_init(&phaser);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, record, NULL);
    hdr_phaser_reader_lock(&phaser);
    __atomic_store_n(&active, &counters[1], __ATOMIC_SEQ_CST);
    hdr_phaser_flip_phase(&phaser, 0);
    int64_t sampled = counters[0];
    hdr_phaser_reader_unlock(&phaser);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(sampled + counters[1] == 2);
    hdr_writer_reader_phaser_destroy(&phaser);
    return 0;
}
