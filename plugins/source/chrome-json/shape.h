/* The shapes of events: the text that they share.
 *
 * Events of one producer look alike.  In
 *   {"ph": "X", "cat": "op", "name": "add", "pid": 1, "tid": 2, "ts": 10.5, "dur": 3, "args": {}}
 * only name, ts, dur and args are news.  What is between two such values, with the keys and the
 * steady values in it, is a stretch: compared as a whole instead of parsed.  Stretches form a tree.
 * After each one comes a value that is read, and after that one of the stretches that have come
 * there before; the last one, at the end of the event, knows what all steady values meant.
 * The members of args, or of attr, are passed like those of the event, so that their keys are
 * compared and not looked up.
 *
 * Shapes are learnt from events that were read member by member, and only from those without any
 * oddity: an event that fits would have been read the same way without its shape. */
/* SPDX-License-Identifier: MIT */
#ifndef CHROME_JSON_SHAPE_H
#define CHROME_JSON_SHAPE_H

#include <stagemill/types.h>

#include "base/scan.h"

#define SHAPE_MEMBERS 48u /* an event with more has no shape */
#define N_STRETCHES 4096u
#define MAX_NEXT 16u

/* What an event's members are called by, as bits and as numbers of those bits. */
enum {
  NTH_PH,
  NTH_TS,
  NTH_DUR,
  NTH_PID,
  NTH_TID,
  NTH_NAME,
  NTH_CAT,
  NTH_ARGS,
  NTH_ATTR,
  NTH_ID,
  NTH_BP,
  NTH_INNER, /* a member of args or attr */
  NTH_OTHER,
  NTH_NONE, /* the event is over */
  SEEN_PH = 1 << NTH_PH,
  SEEN_TS = 1 << NTH_TS,
  SEEN_DUR = 1 << NTH_DUR,
  SEEN_PID = 1 << NTH_PID,
  SEEN_TID = 1 << NTH_TID,
  SEEN_NAME = 1 << NTH_NAME,
  SEEN_CAT = 1 << NTH_CAT,
  SEEN_ARGS = 1 << NTH_ARGS,
  SEEN_ATTR = 1 << NTH_ATTR,
  SEEN_ID = 1 << NTH_ID,
  SEEN_BP = 1 << NTH_BP,
  SEEN_INNER = 1 << NTH_INNER
};
#define SEEN_STEADY (SEEN_PH | SEEN_CAT | SEEN_PID | SEEN_TID | SEEN_BP)

/* What the steady values of an event meant. */
typedef struct Steady {
  MillValue process, thread;
  MillSym cat;
  uint32_t track;
  uint8_t kind;
  bool bind_end;
} Steady;

typedef bool (*SameBytes)(const char *a, const char *b, size_t len); /* as scan_same */

typedef struct Stretch Stretch;
struct Stretch {
  char text[SCAN_WIDE];
  uint16_t len;
  uint16_t member; /* NTH_* of the value after it */
  uint16_t n_next;
  uint16_t next[MAX_NEXT]; /* indices */
  uint32_t key;            /* of NTH_INNER: as Passed has it */
  uint32_t loose; /* SEEN_* of values that the next ones may not pass, however steady they look */
  uint32_t seen;  /* SEEN_* of all members so far */
  uint32_t read;  /* those whose values were read; all others were steady */
  Steady steady;  /* kind: once it is known; all of it at the end */
};
_Static_assert(N_STRETCHES <= UINT16_MAX, "indices are short");

typedef struct Shapes {
  Stretch *all; /* the first one is the root, before '{' */
  uint32_t n;
  uint32_t loose;       /* of new ones; SEEN_ARGS: objects of attributes are passed as a whole */
  uint64_t began;       /* ordinal of the event that the tree was begun with */
  uint32_t misses;      /* events without a shape since `since` */
  uint64_t since, rest; /* ordinals of events: shapes are not used before `rest` */
} Shapes;

#define SHAPES_BYTES (N_STRETCHES * sizeof(Stretch))

/* An event that was read member by member. */
typedef struct Passed {
  const char *value, *after;
  uint32_t bit; /* SEEN_*, 0: none of ours */
  uint32_t
      key; /* of SEEN_INNER: 1 + its index among the keys that stages asked for; 0: it is none of them */
} Passed;
typedef struct Passage {
  const char *start, *end; /* from '{' to after '}' */
  Passed members[SHAPE_MEMBERS];
  uint32_t n; /* may be more than there is space for */
} Passage;

void shapes_init(Shapes *shapes); /* `all` is given: SHAPES_BYTES of zeros */
/* n_events: ordinal of the event. */
void shapes_learn(Shapes *shapes, const Passage *passage, const Steady *steady, uint64_t n_events);

/* Before a whole object of attributes: what is in it may continue the text of another stretch. */
static inline bool stretch_is_short(const Stretch *s)
{
  return s->member == NTH_ARGS || s->member == NTH_ATTR;
}

/* Of the stretches that have come after `from`, the one that is at p; NULL: none.  Each time
 * one comes it moves a place to the front, but short ones stay behind. */
static inline __attribute__((always_inline)) Stretch *shape_next(const Shapes *shapes,
                                                                 Stretch *from, const char *p,
                                                                 SameBytes same)
{
  for (uint32_t i = 0; i < from->n_next; i++) {
    Stretch *to = &shapes->all[from->next[i]];
    if (!same(p, to->text, to->len)) continue;
    if (i && !stretch_is_short(to)) {
      uint16_t index = from->next[i];
      from->next[i] = from->next[i - 1];
      from->next[i - 1] = index;
    }
    return to;
  }
  return NULL;
}

#endif
