// rigtorp/SPSCQueue
#include "harness.h"
#include <rigtorp/SPSCQueue.h>

int main() {
  rigtorp::SPSCQueue<int> queue(1);
  one_to_one(
      2, [&](int value) { return queue.try_push(value); },
      [&](int &value) {
        int *first = queue.front();
        if (!first)
          return false;
        value = *first;
        queue.pop();
        return true;
      });
}
