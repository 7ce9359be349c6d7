// The lists of <sys/queue.h>: their order after insertions and removals.
//
// run:
// expect: all=SAFE

#include <sys/queue.h>
#include <assert.h>
#include <stddef.h>
struct n { int v; SLIST_ENTRY(n) s; LIST_ENTRY(n) l; STAILQ_ENTRY(n) q; TAILQ_ENTRY(n) t; SIMPLEQ_ENTRY(n) m; };
SLIST_HEAD(sh, n) s = SLIST_HEAD_INITIALIZER(s);
LIST_HEAD(lh, n) l = LIST_HEAD_INITIALIZER(l);
STAILQ_HEAD(qh, n) q = STAILQ_HEAD_INITIALIZER(q);
TAILQ_HEAD(th, n) t = TAILQ_HEAD_INITIALIZER(t);
int main(void){
 struct n a={1},b={2},c={3}; struct n*p,*x; int k;
 SLIST_INSERT_HEAD(&s,&a,s); SLIST_INSERT_HEAD(&s,&b,s); SLIST_INSERT_AFTER(&b,&c,s);
 k=0; SLIST_FOREACH(p,&s,s) k=k*10+p->v; assert(k==231);
 SLIST_REMOVE(&s,&c,n,s); k=0; SLIST_FOREACH(p,&s,s) k=k*10+p->v; assert(k==21);
 SLIST_REMOVE_HEAD(&s,s); assert(SLIST_FIRST(&s)==&a);
 LIST_INSERT_HEAD(&l,&a,l); LIST_INSERT_AFTER(&a,&b,l); LIST_INSERT_BEFORE(&b,&c,l);
 k=0; LIST_FOREACH(p,&l,l) k=k*10+p->v; assert(k==132);
 LIST_REMOVE(&c,l); LIST_REMOVE(&a,l); assert(LIST_FIRST(&l)==&b && !LIST_NEXT(&b,l));
 STAILQ_INSERT_TAIL(&q,&a,q); STAILQ_INSERT_HEAD(&q,&b,q); STAILQ_INSERT_AFTER(&q,&a,&c,q);
 k=0; STAILQ_FOREACH(p,&q,q) k=k*10+p->v; assert(k==213);
 STAILQ_REMOVE(&q,&c,n,q); STAILQ_INSERT_TAIL(&q,&c,q); STAILQ_REMOVE_HEAD(&q,q);
 k=0; STAILQ_FOREACH(p,&q,q) k=k*10+p->v; assert(k==13);
 TAILQ_INSERT_TAIL(&t,&a,t); TAILQ_INSERT_HEAD(&t,&b,t); TAILQ_INSERT_BEFORE(&a,&c,t);
 k=0; TAILQ_FOREACH(p,&t,t) k=k*10+p->v; assert(k==231);
 k=0; TAILQ_FOREACH_REVERSE(p,&t,th,t) k=k*10+p->v; assert(k==132);
 assert(TAILQ_LAST(&t,th)==&a && TAILQ_PREV(&a,th,t)==&c);
 TAILQ_FOREACH_SAFE(p,&t,t,x) if(p->v!=2) TAILQ_REMOVE(&t,p,t);
 assert(TAILQ_FIRST(&t)==&b && TAILQ_LAST(&t,th)==&b && !TAILQ_EMPTY(&t));
 TAILQ_REMOVE(&t,&b,t); assert(TAILQ_EMPTY(&t));
 return 0;}
