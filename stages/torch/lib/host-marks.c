/* What the host was doing; see host-marks.h. */
/* SPDX-License-Identifier: MIT */
#include "torch/lib/host-marks.h"

#include <string.h>

#include "kit/numbers/interval.h"
#include "kit/state/grow.h"
#include "kit/text/words.h"
#include "torch/lib/order.h"

enum { TIDY_FIRST = 4096 };

/* ---- names */

typedef enum Where { BEGINS, HAS } Where; /* in any case of letters */
typedef struct MarkWord {
  MarkKind kind;
  Where where;
  const char *word;
  const char *but; /* another word that the name does not have, or NULL */
} MarkWord;

/* The first that fits.  Kernels that inductor made are launched by operators of the names triton_poi_..., which compile nothing. */
static const MarkWord mark_words[] = {
  { MARK_LOADER, HAS, "dataloader", NULL },
  { MARK_LOADER, HAS, "_next_data", NULL },
  { MARK_ALLOCATION, BEGINS, "cudamalloc", NULL },
  { MARK_ALLOCATION, BEGINS, "cudafree", NULL },
  { MARK_ALLOCATION, BEGINS, "cudahostalloc", NULL },
  { MARK_ALLOCATION, BEGINS, "hipmalloc", NULL },
  { MARK_ALLOCATION, BEGINS, "hipextmalloc", NULL },
  { MARK_ALLOCATION, BEGINS, "hiphostmalloc", NULL },
  { MARK_ALLOCATION, BEGINS, "hipfree", NULL },
  { MARK_ALLOCATION, BEGINS, "cumemalloc", NULL },
  { MARK_ALLOCATION, BEGINS, "cumemfree", NULL },
  { MARK_ALLOCATION, BEGINS, "cumemcreate", NULL },
  { MARK_ALLOCATION, BEGINS, "cumemmap", NULL },
  { MARK_ALLOCATION, BEGINS, "cumemunmap", NULL },
  { MARK_COLLECTION, HAS, "garbage", NULL },
  { MARK_COLLECTION, HAS, "gc.collect", NULL },
  { MARK_COLLECTION, HAS, "gc_collect", NULL },
  { MARK_COMPILE, HAS, "moduleload", NULL },
  { MARK_COMPILE, HAS, "libraryload", NULL },
  { MARK_COMPILE, HAS, "inductor", NULL },
  { MARK_COMPILE, HAS, "dynamo", "lookup" },
  { MARK_COMPILE, HAS, "triton", "triton_" },
  { MARK_SYNC, HAS, "synchronize", NULL },
  { MARK_SYNC, BEGINS, "cudamemcpy", "async" },
  { MARK_SYNC, BEGINS, "hipmemcpy", "async" },
  { MARK_SYNC, BEGINS, "cumemcpy", "async" },
  { MARK_WAIT, HAS, "streamwaitevent", NULL },
};

static MarkKind kind_of_name(const char *name, size_t len)
{
  for (uint32_t i = 0; i < MILL_COUNT(mark_words); i++) {
    const MarkWord *w = &mark_words[i];
    const bool fits = w->where == HAS ? words_have_any_case(name, len, w->word)
                                      : words_begin_any_case(name, len, w->word);
    if (fits && !(w->but && words_have_any_case(name, len, w->but))) return w->kind;
  }
  return N_MARKS;
}

MarkKind host_mark_of(HostMarks *m, MillSym name)
{
  size_t len;
  const uint8_t known = symclass_get(&m->names, name);
  if (known) return (MarkKind)(known - 1);
  const char *text = m->common->symbol_text(m->common, name, &len);
  const MarkKind kind = kind_of_name(text, len);
  symclass_put(m->common, &m->names, name, (uint8_t)(kind + 1));
  return kind;
}

/* ---- collecting */

/* By track and start, without those that lie in the one before: ends rise as starts do. */
static bool tidy(const MillHost *common, Marks *m)
{
  OrderKey *keys = mill_new(common, (m->n + 1) * sizeof *keys);
  Mark *sorted = keys ? mill_new(common, (m->n + 1) * sizeof *sorted) : NULL;
  if (!sorted) return false;
  for (size_t i = 0; i < m->n; i++) /* of those that begin together the longest is first */
    keys[i] =
        (OrderKey){ m->items[i].track, m->items[i].start_ns, ~m->items[i].end_ns, (uint32_t)i };
  order_sort(keys, m->n);
  size_t n = 0;
  for (size_t i = 0; i < m->n; i++) {
    const Mark *mark = &m->items[keys[i].i];
    const Mark *last = n ? &sorted[n - 1] : NULL;
    if (last && last->track == mark->track && last->end_ns >= mark->end_ns) continue;
    sorted[n++] = *mark;
  }
  array_free(common, keys);
  array_free(common, m->items);
  *m = (Marks){ sorted, n, m->n + 1, 2 * n + TIDY_FIRST };
  return true;
}

static bool add(const MillHost *common, Marks *m, const Mark *mark)
{
  const Mark *last = m->n ? &m->items[m->n - 1] : NULL;
  if (last && last->track == mark->track && last->start_ns <= mark->start_ns &&
      last->end_ns >= mark->end_ns)
    return true;
  if (m->n >= m->tidy_at && m->n >= TIDY_FIRST && !tidy(common, m)) return false;
  if (!array_reserve(common, &m->items, &m->capacity, m->n + 1, sizeof *m->items)) return false;
  m->items[m->n++] = *mark;
  return true;
}

bool host_marks_see(HostMarks *m, const MillEvent *e, TorchKind kind, bool is_step)
{
  const Mark mark = { e->ts_ns, interval_end(e->ts_ns, e->dur_ns > 0 ? e->dur_ns : 0), e->track,
                      e->name };
  const MarkKind says = host_mark_of(m, e->name);
  const bool is_call = kind == TORCH_CALL;
  if (says < N_MARKS && (is_call || says < MARK_SYNC) && !add(m->common, &m->kinds[says], &mark))
    return false;
  if (is_step || (kind != TORCH_OPERATOR && kind != TORCH_RANGE)) return true;
  return add(m->common, &m->kinds[MARK_OUTER], &mark);
}

bool host_marks_close(HostMarks *m)
{
  for (int i = 0; i < N_MARKS; i++)
    if (m->kinds[i].n && !tidy(m->common, &m->kinds[i])) return false;
  return true;
}

/* ---- finding */

/* How many are before that track, or on it and have ended by then. */
static size_t count_ended(const Marks *m, uint32_t track, int64_t ts_ns)
{
  size_t low = 0, high = m->n;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const Mark *mark = &m->items[middle];
    if (mark->track < track || (mark->track == track && mark->end_ns <= ts_ns))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const Mark *host_marks_at(const HostMarks *h, MarkKind kind, uint32_t track, int64_t ts_ns)
{
  const Marks *m = &h->kinds[kind];
  const size_t at = count_ended(m, track, ts_ns);
  return at < m->n && m->items[at].track == track ? &m->items[at] : NULL;
}

const Mark *host_marks_before(const HostMarks *h, MarkKind kind, uint32_t track, int64_t ts_ns)
{
  const Marks *m = &h->kinds[kind];
  size_t at = count_ended(m, track, ts_ns);
  if (at < m->n && m->items[at].track == track && m->items[at].start_ns <= ts_ns) at++;
  return at > 0 && m->items[at - 1].track == track ? &m->items[at - 1] : NULL;
}
