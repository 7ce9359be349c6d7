// The lists, counters and waits of <kernel.h>.
//
// run:
// expect: all=SAFE
//
// run: -DPOISON
// expect: all=UNSAFE
//
// run: -DREVIVE
// expect: all=UNSAFE

#include <kernel.h>
struct item { int v; struct list_head link; struct hlist_node h; };
LIST_HEAD(all);
HLIST_HEAD(hh);
int main(void){
 struct item a={1},b={2},c={3}; struct item *p,*n; int s=0;
 list_add(&a.link,&all); list_add_tail(&b.link,&all); list_add(&c.link,&all);
 list_for_each_entry(p,&all,link) s=s*10+p->v;
 assert(s==312);
 list_for_each_entry_safe(p,n,&all,link) if(p->v==1) list_del(&p->link);
 s=0; list_for_each_entry_reverse(p,&all,link) s=s*10+p->v;
 assert(s==23);
 hlist_add_head(&a.h,&hh); hlist_add_head(&b.h,&hh); hlist_add_behind(&c.h,&b.h);
 s=0; hlist_for_each_entry(p,&hh,h) s=s*10+p->v;
 assert(s==231);
 hlist_del_init(&c.h); s=0; hlist_for_each_entry(p,&hh,h) s=s*10+p->v;
 assert(s==21);
 refcount_t r = REFCOUNT_INIT(1); refcount_inc(&r); assert(!refcount_dec_and_test(&r)); assert(refcount_dec_and_test(&r));
 LLIST_HEAD(ll); struct llist_node x,y; llist_add(&x,&ll); llist_add(&y,&ll); struct llist_node*q=llist_del_all(&ll); assert(q==&y&&llist_next(q)==&x);
#ifdef POISON
 list_del(&b.link); b.link.next->prev = &b.link;
#endif
#ifdef REVIVE
 refcount_inc(&r);
#endif
 assert(smp_cond_load_acquire(&s, VAL == 21) == 21);
 return 0; }
