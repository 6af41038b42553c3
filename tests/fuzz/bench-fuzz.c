/* Fuzz target: the bench-json source from bytes to records, however the input is cut. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cut.h"
#include "promise.h"
#include "source-host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LARGEST (1u << 17)

typedef struct Sum {
  SourceHost *host;
  uint64_t n_records, n_runs, n_lanes, hash;
  uint64_t next_id; /* of the lane's requests */
} Sum;

static void add(Sum *s, const void *bytes, size_t len)
{
  const unsigned char *p = bytes;
  for (size_t i = 0; i < len; i++) s->hash = (s->hash ^ p[i]) * 0x100000001b3u;
}

static void check_attr(Sum *s, const MillBatch *b, const MillAttr *a)
{
  size_t len = 0;
  const char *key = source_symbol(s->host, a->key);
  const char *text = mill_attr_text(b, a, &len);
  uint32_t type = a->type & MILL_ATTR_TYPE;
  PROMISE(type == MILL_INT || type == MILL_REAL || type == MILL_SYM || (type == MILL_TEXT && text));
  if (type == MILL_INT) PROMISE(a->u.i >= 0);
  if (type == MILL_REAL) PROMISE(a->u.r >= 0 && a->u.r - a->u.r == 0);
  if (type == MILL_SYM) text = source_symbol(s->host, a->u.sym);
  if (type == MILL_SYM) len = strlen(text);
  add(s, key, strlen(key));
  add(s, text ? text : (const char *)&a->u, text ? len : sizeof a->u.i);
}

/* Requests count from 0; more gaps of one follow it with nothing else; the run comes last. */
static void check_order(Sum *s, const MillBatch *b, const MillEvent *e, bool is_run)
{
  const char *first = e->n_attrs ? source_symbol(s->host, b->attrs[e->attrs].key) : "";
  PROMISE(s->n_runs == s->n_lanes);
  if (is_run) {
    s->n_runs++;
    s->next_id = 0;
  } else {
    bool more = e->id + 1 == s->next_id && strcmp(first, "gap_ns") == 0;
    PROMISE(e->id_kind == MILL_ID_INT && (more || e->id == s->next_id));
    s->next_id = e->id + 1;
  }
}

static void check_batch(void *user, const MillBatch *b)
{
  Sum *s = user;
  PROMISE(b->n_events <= b->max_events && b->n_attrs <= b->max_attrs);
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    bool is_run = strcmp(source_symbol(s->host, e->name), "bench.run") == 0;
    PROMISE(e->kind == MILL_RECORD && e->attrs + e->n_attrs <= b->n_attrs);
    check_order(s, b, e, is_run);
    for (uint32_t k = 0; k < e->n_attrs; k++) check_attr(s, b, &b->attrs[e->attrs + k]);
    s->n_records++;
  }
}

/* A run per lane; an input that is skipped has one lane and no run. */
static void check_lane(void *user)
{
  Sum *s = user;
  bool skipped = strcmp(s->host->described->str, "skipped=1;") == 0;
  s->n_lanes++;
  PROMISE(skipped ? s->n_lanes == 1 && s->n_runs == 0 : s->n_runs == s->n_lanes);
}

static int parse(const char *text, size_t len, bool all, const size_t *cuts, uint32_t max_events,
                 Sum *out)
{
  static const MillRead reads[] = { { "*", MILL_AS_ANY, 0 }, { "ok", MILL_AS_ANY, 0 } };
  SourceHost *h = source_host_new(text, len);
  *out = (Sum){ h, 0, 0, 0, 0xcbf29ce484222325u, 0 };
  h->reads = all ? reads : reads + 1;
  h->n_reads = 1;
  h->on_lane = check_lane;
  SourceRun run = { SIZE_MAX, max_events, 0, true, check_batch, out, cuts, cuts ? FUZZ_CUTS : 0 };
  int status = source_run(h, &run);
  PROMISE((status < 0) == (h->failure != NULL) && status >= -MILL_LIMIT);
  add(out, h->described->str, h->described->len);
  source_host_free(h);
  return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size > LARGEST) return 0;
  const char *text = (const char *)data;
  size_t cuts[FUZZ_CUTS];
  Sum whole, cut, few;
  const MillSource *source = source_under_test();
  int sure = source->ops->probe(source, text, size, "x");
  PROMISE(sure >= 0 && sure <= 100);
  fuzz_cuts(fuzz_hash(data, size), size, cuts);
  int first = parse(text, size, true, NULL, 128, &whole);
  int second = parse(text, size, true, cuts, 1 + size % 5, &cut);
  int third = parse(text, size, false, NULL, 128, &few);
  PROMISE(first == second && (first < 0 || third == 0));
  if (first < 0) return 0;
  PROMISE(whole.n_records == cut.n_records && whole.hash == cut.hash);
  PROMISE(whole.n_runs == few.n_runs);
  return 0;
}
