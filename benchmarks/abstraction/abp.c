// The alternating bit protocol of Dan, Meshman, Vechev and Yahav (SAS 2013), Fig. 1: a sender and a
// receiver count messages without end. abp.preds has the predicates, and the property as an invariant.
// Each fence is left out when its macro is defined to 0. SAFE on SC, TSO and PSO.
// Fewest full fences: 0 on TSO, 0 on PSO.
// Each thread stores one variable, and stores it again only after the other has answered.
#include <pthread.h>

#define full() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#ifndef FENCE_MSG
#define FENCE_MSG 1
#endif
#ifndef FENCE_ACK
#define FENCE_ACK 1
#endif

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
            if (FENCE_MSG) full();
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
            if (FENCE_ACK) full();
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
