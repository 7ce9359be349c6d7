// DNedic/lockfree, the bipartite buffer: ranges that are written and read in place.
#include "harness.h"
#include <lockfree.hpp>

int main() {
  lockfree::spsc::BipartiteBuf<int, 3> buffer;
  one_to_one(
      3,
      [&](int value) {
        int *place = buffer.WriteAcquire(1);
        if (!place)
          return false;
        *place = value;
        buffer.WriteRelease(1);
        return true;
      },
      [&](int &value) {
        auto range = buffer.ReadAcquire();
        if (range.second == 0)
          return false;
        value = *range.first;
        buffer.ReadRelease(1);
        return true;
      });
}
