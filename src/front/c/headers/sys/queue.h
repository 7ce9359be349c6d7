#pragma once
/* Linked lists as macros, by their public interface: queue(3). Singly and doubly linked lists,
 * singly linked and doubly linked tail queues. */

/* SLIST: a pointer to the first element; elements know their successor. */
#define SLIST_HEAD(name, type) struct name { struct type *slh_first; }
#define SLIST_HEAD_INITIALIZER(head) { 0 }
#define SLIST_ENTRY(type) struct { struct type *sle_next; }
#define SLIST_INIT(head) ((void)((head)->slh_first = 0))
#define SLIST_FIRST(head) ((head)->slh_first)
#define SLIST_EMPTY(head) (SLIST_FIRST(head) == 0)
#define SLIST_NEXT(elm, field) ((elm)->field.sle_next)
#define SLIST_INSERT_HEAD(head, elm, field) \
  do { SLIST_NEXT(elm, field) = SLIST_FIRST(head); SLIST_FIRST(head) = (elm); } while (0)
#define SLIST_INSERT_AFTER(at, elm, field) \
  do { SLIST_NEXT(elm, field) = SLIST_NEXT(at, field); SLIST_NEXT(at, field) = (elm); } while (0)
#define SLIST_REMOVE_HEAD(head, field) \
  do { SLIST_FIRST(head) = SLIST_NEXT(SLIST_FIRST(head), field); } while (0)
#define SLIST_REMOVE_AFTER(elm, field) \
  do { SLIST_NEXT(elm, field) = SLIST_NEXT(SLIST_NEXT(elm, field), field); } while (0)
#define SLIST_REMOVE(head, elm, type, field) \
  do { \
    struct type **__at = &SLIST_FIRST(head); \
    while (*__at != (elm)) __at = &SLIST_NEXT(*__at, field); \
    *__at = SLIST_NEXT(*__at, field); \
  } while (0)
#define SLIST_FOREACH(var, head, field) \
  for ((var) = SLIST_FIRST(head); (var); (var) = SLIST_NEXT(var, field))
#define SLIST_FOREACH_SAFE(var, head, field, next) \
  for ((var) = SLIST_FIRST(head); (var) && ((next) = SLIST_NEXT(var, field), 1); (var) = (next))

/* LIST: elements know their successor, and the pointer that points to them. */
#define LIST_HEAD(name, type) struct name { struct type *lh_first; }
#define LIST_HEAD_INITIALIZER(head) { 0 }
#define LIST_ENTRY(type) struct { struct type *le_next; struct type **le_prev; }
#define LIST_INIT(head) ((void)((head)->lh_first = 0))
#define LIST_FIRST(head) ((head)->lh_first)
#define LIST_EMPTY(head) (LIST_FIRST(head) == 0)
#define LIST_NEXT(elm, field) ((elm)->field.le_next)
#define LIST_INSERT_HEAD(head, elm, field) \
  do { \
    LIST_NEXT(elm, field) = LIST_FIRST(head); \
    if (LIST_FIRST(head)) LIST_FIRST(head)->field.le_prev = &LIST_NEXT(elm, field); \
    LIST_FIRST(head) = (elm); \
    (elm)->field.le_prev = &LIST_FIRST(head); \
  } while (0)
#define LIST_INSERT_AFTER(at, elm, field) \
  do { \
    LIST_NEXT(elm, field) = LIST_NEXT(at, field); \
    if (LIST_NEXT(at, field)) LIST_NEXT(at, field)->field.le_prev = &LIST_NEXT(elm, field); \
    LIST_NEXT(at, field) = (elm); \
    (elm)->field.le_prev = &LIST_NEXT(at, field); \
  } while (0)
#define LIST_INSERT_BEFORE(at, elm, field) \
  do { \
    (elm)->field.le_prev = (at)->field.le_prev; \
    LIST_NEXT(elm, field) = (at); \
    *(at)->field.le_prev = (elm); \
    (at)->field.le_prev = &LIST_NEXT(elm, field); \
  } while (0)
#define LIST_REMOVE(elm, field) \
  do { \
    if (LIST_NEXT(elm, field)) LIST_NEXT(elm, field)->field.le_prev = (elm)->field.le_prev; \
    *(elm)->field.le_prev = LIST_NEXT(elm, field); \
  } while (0)
#define LIST_FOREACH(var, head, field) \
  for ((var) = LIST_FIRST(head); (var); (var) = LIST_NEXT(var, field))
#define LIST_FOREACH_SAFE(var, head, field, next) \
  for ((var) = LIST_FIRST(head); (var) && ((next) = LIST_NEXT(var, field), 1); (var) = (next))

/* STAILQ: singly linked; the head knows the last pointer, too. SIMPLEQ is the same. */
#define STAILQ_HEAD(name, type) struct name { struct type *stqh_first; struct type **stqh_last; }
#define STAILQ_HEAD_INITIALIZER(head) { 0, &(head).stqh_first }
#define STAILQ_ENTRY(type) struct { struct type *stqe_next; }
#define STAILQ_INIT(head) \
  do { (head)->stqh_first = 0; (head)->stqh_last = &(head)->stqh_first; } while (0)
#define STAILQ_FIRST(head) ((head)->stqh_first)
#define STAILQ_EMPTY(head) (STAILQ_FIRST(head) == 0)
#define STAILQ_NEXT(elm, field) ((elm)->field.stqe_next)
#define STAILQ_INSERT_HEAD(head, elm, field) \
  do { \
    STAILQ_NEXT(elm, field) = STAILQ_FIRST(head); \
    if (STAILQ_EMPTY(head)) (head)->stqh_last = &STAILQ_NEXT(elm, field); \
    STAILQ_FIRST(head) = (elm); \
  } while (0)
#define STAILQ_INSERT_TAIL(head, elm, field) \
  do { \
    STAILQ_NEXT(elm, field) = 0; \
    *(head)->stqh_last = (elm); \
    (head)->stqh_last = &STAILQ_NEXT(elm, field); \
  } while (0)
#define STAILQ_INSERT_AFTER(head, at, elm, field) \
  do { \
    STAILQ_NEXT(elm, field) = STAILQ_NEXT(at, field); \
    if (!STAILQ_NEXT(elm, field)) (head)->stqh_last = &STAILQ_NEXT(elm, field); \
    STAILQ_NEXT(at, field) = (elm); \
  } while (0)
#define STAILQ_REMOVE_HEAD(head, field) \
  do { \
    STAILQ_FIRST(head) = STAILQ_NEXT(STAILQ_FIRST(head), field); \
    if (STAILQ_EMPTY(head)) (head)->stqh_last = &STAILQ_FIRST(head); \
  } while (0)
#define STAILQ_REMOVE(head, elm, type, field) \
  do { \
    struct type **__at = &STAILQ_FIRST(head); \
    while (*__at != (elm)) __at = &STAILQ_NEXT(*__at, field); \
    *__at = STAILQ_NEXT(*__at, field); \
    if (!*__at) (head)->stqh_last = __at; \
  } while (0)
#define STAILQ_CONCAT(first, second) \
  do { \
    if (!STAILQ_EMPTY(second)) { \
      *(first)->stqh_last = STAILQ_FIRST(second); \
      (first)->stqh_last = (second)->stqh_last; \
      STAILQ_INIT(second); \
    } \
  } while (0)
#define STAILQ_FOREACH(var, head, field) \
  for ((var) = STAILQ_FIRST(head); (var); (var) = STAILQ_NEXT(var, field))
#define STAILQ_FOREACH_SAFE(var, head, field, next) \
  for ((var) = STAILQ_FIRST(head); (var) && ((next) = STAILQ_NEXT(var, field), 1); (var) = (next))

#define SIMPLEQ_HEAD(name, type) struct name { struct type *sqh_first; struct type **sqh_last; }
#define SIMPLEQ_HEAD_INITIALIZER(head) { 0, &(head).sqh_first }
#define SIMPLEQ_ENTRY(type) struct { struct type *sqe_next; }
#define SIMPLEQ_INIT(head) \
  do { (head)->sqh_first = 0; (head)->sqh_last = &(head)->sqh_first; } while (0)
#define SIMPLEQ_FIRST(head) ((head)->sqh_first)
#define SIMPLEQ_EMPTY(head) (SIMPLEQ_FIRST(head) == 0)
#define SIMPLEQ_NEXT(elm, field) ((elm)->field.sqe_next)
#define SIMPLEQ_INSERT_HEAD(head, elm, field) \
  do { \
    SIMPLEQ_NEXT(elm, field) = SIMPLEQ_FIRST(head); \
    if (SIMPLEQ_EMPTY(head)) (head)->sqh_last = &SIMPLEQ_NEXT(elm, field); \
    SIMPLEQ_FIRST(head) = (elm); \
  } while (0)
#define SIMPLEQ_INSERT_TAIL(head, elm, field) \
  do { \
    SIMPLEQ_NEXT(elm, field) = 0; \
    *(head)->sqh_last = (elm); \
    (head)->sqh_last = &SIMPLEQ_NEXT(elm, field); \
  } while (0)
#define SIMPLEQ_REMOVE_HEAD(head, field) \
  do { \
    SIMPLEQ_FIRST(head) = SIMPLEQ_NEXT(SIMPLEQ_FIRST(head), field); \
    if (SIMPLEQ_EMPTY(head)) (head)->sqh_last = &SIMPLEQ_FIRST(head); \
  } while (0)
#define SIMPLEQ_FOREACH(var, head, field) \
  for ((var) = SIMPLEQ_FIRST(head); (var); (var) = SIMPLEQ_NEXT(var, field))

/* TAILQ: doubly linked; the head knows the last pointer. A head and the links of an element begin
 * alike, and the last pointer of a predecessor's links points to the element before it. */
#define TAILQ_HEAD(name, type) struct name { struct type *tqh_first; struct type **tqh_last; }
#define TAILQ_HEAD_INITIALIZER(head) { 0, &(head).tqh_first }
#define TAILQ_ENTRY(type) struct { struct type *tqe_next; struct type **tqe_prev; }
#define TAILQ_INIT(head) \
  do { (head)->tqh_first = 0; (head)->tqh_last = &(head)->tqh_first; } while (0)
#define TAILQ_FIRST(head) ((head)->tqh_first)
#define TAILQ_EMPTY(head) (TAILQ_FIRST(head) == 0)
#define TAILQ_NEXT(elm, field) ((elm)->field.tqe_next)
#define TAILQ_LAST(head, name) (*((struct name *)((head)->tqh_last))->tqh_last)
#define TAILQ_PREV(elm, name, field) (*((struct name *)((elm)->field.tqe_prev))->tqh_last)
#define TAILQ_INSERT_HEAD(head, elm, field) \
  do { \
    TAILQ_NEXT(elm, field) = TAILQ_FIRST(head); \
    if (TAILQ_EMPTY(head)) (head)->tqh_last = &TAILQ_NEXT(elm, field); \
    else TAILQ_FIRST(head)->field.tqe_prev = &TAILQ_NEXT(elm, field); \
    TAILQ_FIRST(head) = (elm); \
    (elm)->field.tqe_prev = &TAILQ_FIRST(head); \
  } while (0)
#define TAILQ_INSERT_TAIL(head, elm, field) \
  do { \
    TAILQ_NEXT(elm, field) = 0; \
    (elm)->field.tqe_prev = (head)->tqh_last; \
    *(head)->tqh_last = (elm); \
    (head)->tqh_last = &TAILQ_NEXT(elm, field); \
  } while (0)
#define TAILQ_INSERT_AFTER(head, at, elm, field) \
  do { \
    TAILQ_NEXT(elm, field) = TAILQ_NEXT(at, field); \
    if (TAILQ_NEXT(elm, field)) \
      TAILQ_NEXT(elm, field)->field.tqe_prev = &TAILQ_NEXT(elm, field); \
    else (head)->tqh_last = &TAILQ_NEXT(elm, field); \
    TAILQ_NEXT(at, field) = (elm); \
    (elm)->field.tqe_prev = &TAILQ_NEXT(at, field); \
  } while (0)
#define TAILQ_INSERT_BEFORE(at, elm, field) \
  do { \
    (elm)->field.tqe_prev = (at)->field.tqe_prev; \
    TAILQ_NEXT(elm, field) = (at); \
    *(at)->field.tqe_prev = (elm); \
    (at)->field.tqe_prev = &TAILQ_NEXT(elm, field); \
  } while (0)
#define TAILQ_REMOVE(head, elm, field) \
  do { \
    if (TAILQ_NEXT(elm, field)) TAILQ_NEXT(elm, field)->field.tqe_prev = (elm)->field.tqe_prev; \
    else (head)->tqh_last = (elm)->field.tqe_prev; \
    *(elm)->field.tqe_prev = TAILQ_NEXT(elm, field); \
  } while (0)
#define TAILQ_CONCAT(first, second, field) \
  do { \
    if (!TAILQ_EMPTY(second)) { \
      *(first)->tqh_last = TAILQ_FIRST(second); \
      TAILQ_FIRST(second)->field.tqe_prev = (first)->tqh_last; \
      (first)->tqh_last = (second)->tqh_last; \
      TAILQ_INIT(second); \
    } \
  } while (0)
#define TAILQ_FOREACH(var, head, field) \
  for ((var) = TAILQ_FIRST(head); (var); (var) = TAILQ_NEXT(var, field))
#define TAILQ_FOREACH_REVERSE(var, head, name, field) \
  for ((var) = TAILQ_LAST(head, name); (var); (var) = TAILQ_PREV(var, name, field))
#define TAILQ_FOREACH_SAFE(var, head, field, next) \
  for ((var) = TAILQ_FIRST(head); (var) && ((next) = TAILQ_NEXT(var, field), 1); (var) = (next))
