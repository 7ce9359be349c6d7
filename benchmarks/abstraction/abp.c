// The alternating bit protocol of Dan, Meshman, Vechev and Yahav (SAS 2013), Fig. 1: a sender and a
// receiver count messages without end. abp.preds has the predicates, and the property as an invariant.
// SAFE on SC, TSO and PSO with these fences.
#include <pthread.h>

#define fence() __atomic_thread_fence(__ATOMIC_SEQ_CST)

int Msg, Ack;

void *sender(void *arg) {
    int lAck, lSSt = 0, lSCnt = 0;
    while (1) {
        lAck = Ack;
        if ((lAck == 0 && lSSt == 0) || (lAck != 0 && lSSt != 0)) {
            if (lSSt != 0)
                lSSt = 0;
            else
                lSSt = 1;
            lSCnt++;
            Msg = lSSt;
            fence();
        }
    }
    return 0;
}

void *receiver(void *arg) {
    int lMsg, lRSt = 0, lRCnt = 0;
    while (1) {
        lMsg = Msg;
        if ((lMsg == 0 && lRSt != 0) || (lMsg != 0 && lRSt == 0)) {
            lRSt = lMsg;
            lRCnt++;
            Ack = lRSt;
            fence();
        }
    }
    return 0;
}

int main(void) {
    pthread_t s, r;
    pthread_create(&s, 0, sender, 0);
    pthread_create(&r, 0, receiver, 0);
    return 0;
}
