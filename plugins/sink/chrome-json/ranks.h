/* Several ranks in one trace: times on one base, processes and ids of their own for each lane. */
#ifndef CHROME_JSON_RANKS_H
#define CHROME_JSON_RANKS_H

#include <glib.h>
#include <stagemill/types.h>

#include "text.h"

typedef struct Ranks Ranks;

/* What an event of several ranks is written with. */
typedef struct RankView {
  uint32_t lane;
  uint32_t process; /* for ranks_sort_index and ranks_named */
  int64_t pid;
  int64_t shift_ns;
  bool rename; /* its ids count within its lane only */
} RankView;

/* Times of several lanes count from its base: the first lane whose base is known, or 0. */
uint32_t ranks_base_lane(const MillHost *common);
/* Of events on this level, which is not that of the run. */
Ranks *ranks_new(const MillHost *common, uint32_t level);
void ranks_free(Ranks *r);
RankView ranks_view(Ranks *r, const MillEvent *e);
/* The input's own metadata about a process. */
void ranks_sort_index(Ranks *r, uint32_t process, int64_t index);
void ranks_named(Ranks *r, uint32_t process);
/* Rows that name and order the processes of all lanes that were seen, each after `join` but the
 * first when nothing was written before it. */
void ranks_write(Ranks *r, Text *text, const char *join, bool any);

/* An id below 2^40 becomes lane * 2^40 + id, a larger one a hexadecimal text of 64 bits. */
void ranks_put_id(Text *text, uint32_t lane, uint64_t id);
/* The same for a plain number: larger ones are hashed to 40 bits. */
int64_t ranks_number(uint32_t lane, uint64_t id);
/* The value of an id member; what is not an id is copied. */
void ranks_put_id_value(Text *text, uint32_t lane, const char *value, size_t len);

#endif
