/* Fuzz target: the rocprof-json source gives the same slices however its input is cut, recovered or not. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cut.h"
#include "promise.h"
#include "source-host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LARGEST (1u << 17)

typedef struct Sum {
  SourceHost *host;
  uint64_t n_events, n_lanes, hash;
} Sum;

static void add(Sum *s, const void *bytes, size_t len)
{
  const unsigned char *p = bytes;
  for (size_t i = 0; i < len; i++) s->hash = (s->hash ^ p[i]) * 0x100000001b3u;
}

static void check_attr(Sum *s, const MillAttr *a)
{
  const char *key = source_symbol(s->host, a->key);
  uint32_t type = a->type & MILL_ATTR_TYPE;
  PROMISE(type == MILL_INT || type == MILL_REAL);
  if (type == MILL_REAL) PROMISE(a->u.r >= 0 && a->u.r - a->u.r == 0);
  if (type == MILL_INT) PROMISE(a->u.i >= 0);
  add(s, key, strlen(key));
  add(s, &a->u, sizeof a->u.i);
}

static void check_batch(void *user, const MillBatch *b)
{
  Sum *s = user;
  PROMISE(b->n_events <= b->max_events && b->n_attrs <= b->max_attrs);
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    const char *name = source_symbol(s->host, e->name), *cat = source_symbol(s->host, e->cat);
    PROMISE(e->kind == MILL_SLICE && e->ts_ns > 0 && e->dur_ns >= 0 &&
            e->dur_ns <= INT64_MAX - e->ts_ns);
    PROMISE(*cat && e->attrs + e->n_attrs <= b->n_attrs);
    add(s, name, strlen(name) + 1);
    add(s, cat, strlen(cat));
    add(s, &e->ts_ns, sizeof e->ts_ns);
    add(s, &e->dur_ns, sizeof e->dur_ns);
    for (uint32_t k = 0; k < e->n_attrs; k++) check_attr(s, &b->attrs[e->attrs + k]);
    s->n_events++;
  }
}

static void count_lane(void *user) { ((Sum *)user)->n_lanes++; }

static int parse(const char *text, size_t len, const size_t *cuts, uint32_t max_events,
                 bool recover, Sum *out)
{
  static const MillRead reads[] = { { "*", MILL_AS_ANY, 0 } };
  SourceHost *h = source_host_new(text, len);
  *out = (Sum){ h, 0, 0, 0xcbf29ce484222325u };
  h->reads = reads;
  h->n_reads = 1;
  h->is_recover = recover;
  h->on_lane = count_lane;
  SourceRun run = { SIZE_MAX, max_events, 0, true, check_batch, out, cuts, cuts ? FUZZ_CUTS : 0 };
  int status = source_run(h, &run);
  PROMISE((status < 0) == (h->failure != NULL) && status >= -MILL_LIMIT);
  add(out, h->described->str, h->described->len);
  source_host_free(h);
  return status;
}

/* With --recover there are at least as many events, and no failure for the want of an end. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size > LARGEST) return 0;
  const char *text = (const char *)data;
  size_t cuts[FUZZ_CUTS];
  Sum whole, cut, recovered;
  const MillSource *source = source_under_test();
  int sure = source->ops->probe(source, text, size, "x");
  PROMISE(sure >= 0 && sure <= 100);
  fuzz_cuts(fuzz_hash(data, size), size, cuts);
  int first = parse(text, size, NULL, 128, false, &whole);
  int second = parse(text, size, cuts, 1 + size % 5, false, &cut);
  int third = parse(text, size, cuts, 7, true, &recovered);
  PROMISE(first == second);
  PROMISE(third >= 0 || first < 0);
  if (first >= 0)
    PROMISE(recovered.n_events == whole.n_events && recovered.n_lanes == whole.n_lanes);
  if (first < 0) return 0;
  PROMISE(whole.n_events == cut.n_events && whole.n_lanes == cut.n_lanes && whole.hash == cut.hash);
  return 0;
}
