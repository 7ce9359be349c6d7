/* Fences and dependencies by name, so that one shape serves many tests: `-DF1=lwsync -DD2=addr`. */
#ifndef FENCES_H
#define FENCES_H
#include <stdatomic.h>

#define FENCE_none
#define FENCE_mfence __asm__ volatile("mfence" ::: "memory")
#define FENCE_sfence __asm__ volatile("sfence" ::: "memory")
#define FENCE_lfence __asm__ volatile("lfence" ::: "memory")
#define FENCE_sync __asm__ volatile("sync" ::: "memory")
#define FENCE_lwsync __asm__ volatile("lwsync" ::: "memory")
#define FENCE_eieio __asm__ volatile("eieio" ::: "memory")
#define FENCE_isync __asm__ volatile("isync" ::: "memory")
#define FENCE_mb __asm__ volatile("mb" ::: "memory")
#define FENCE_wmb __asm__ volatile("wmb" ::: "memory")
#define FENCE_membar_sl __asm__ volatile("membar #StoreLoad" ::: "memory")
#define FENCE_membar_ss __asm__ volatile("membar #StoreStore" ::: "memory")
#define FENCE_membar_ll __asm__ volatile("membar #LoadLoad" ::: "memory")
#define FENCE_c11sc atomic_thread_fence(memory_order_seq_cst)
#define FENCE_c11rel atomic_thread_fence(memory_order_release)
#define FENCE_c11acq atomic_thread_fence(memory_order_acquire)
#define FENCE_PASTE(name) FENCE_##name
#define FENCE(name) FENCE_PASTE(name)

/* dst = *p, ordered after the read of r by nothing, an address or a branch (and isync). */
#define READ_po(dst, p, r) dst = *(p)
#define READ_addr(dst, p, r) dst = *((p) + ((r) ^ (r)))
#define READ_ctrl(dst, p, r) if ((r) == 1) dst = *(p); else dst = 1
#define READ_ctrlisync(dst, p, r) if ((r) == 1) { FENCE_isync; dst = *(p); } else dst = 1
#define READ_PASTE(dep) READ_##dep
#define READ(dep, dst, p, r) READ_PASTE(dep)(dst, p, r)

/* *p = v, ordered after the read of r by nothing, an address, the value or a branch. */
#define WRITE_po(p, v, r) *(p) = (v)
#define WRITE_addr(p, v, r) *((p) + ((r) ^ (r))) = (v)
#define WRITE_data(p, v, r) *(p) = (v) + ((r) ^ (r))
#define WRITE_ctrl(p, v, r) if ((r) == 1) *(p) = (v)
#define WRITE_PASTE(dep) WRITE_##dep
#define WRITE(dep, p, v, r) WRITE_PASTE(dep)(p, v, r)

#ifndef F1
#define F1 none
#endif
#ifndef F2
#define F2 none
#endif
#ifndef D1
#define D1 po
#endif
#ifndef D2
#define D2 po
#endif
#endif
