/* Fuzz target: sources of records give the same however their input is cut, and records that hold together. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cut.h"
#include "promise.h"
#include "source-host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LARGEST (1u << 17)

typedef struct Sum {
  SourceHost *host;
  uint64_t n_records, n_lanes, hash;
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
  if (type == MILL_REAL) PROMISE(a->u.r - a->u.r == 0);
  if (type == MILL_SYM) text = source_symbol(s->host, a->u.sym);
  if (type == MILL_SYM) len = strlen(text);
  add(s, key, strlen(key));
  add(s, text ? text : (const char *)&a->u, text ? len : sizeof a->u.i);
}

static void check_batch(void *user, const MillBatch *b)
{
  Sum *s = user;
  PROMISE(b->n_events <= b->max_events && b->n_attrs <= b->max_attrs);
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    const char *name = source_symbol(s->host, e->name);
    PROMISE(e->kind == MILL_RECORD && e->attrs + e->n_attrs <= b->n_attrs);
    add(s, name, strlen(name));
    for (uint32_t k = 0; k < e->n_attrs; k++) check_attr(s, b, &b->attrs[e->attrs + k]);
    s->n_records++;
  }
}

static void count_lane(void *user) { ((Sum *)user)->n_lanes++; }

static int parse(const char *text, size_t len, const size_t *cuts, uint32_t max_events, Sum *out)
{
  static const MillRead reads[] = { { "*", MILL_AS_ANY, 0 } };
  SourceHost *h = source_host_new(text, len);
  *out = (Sum){ h, 0, 0, 0xcbf29ce484222325u };
  h->reads = reads;
  h->n_reads = 1;
  h->on_lane = count_lane;
  bool describes = source_under_test()->ops->describe != NULL;
  SourceRun run = {
    SIZE_MAX, max_events, 0, describes, check_batch, out, cuts, cuts ? FUZZ_CUTS : 0
  };
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
  Sum whole, cut;
  const MillSource *source = source_under_test();
  int sure = source->ops->probe(source, text, size, "x");
  PROMISE(sure >= 0 && sure <= 100);
  fuzz_cuts(fuzz_hash(data, size), size, cuts);
  int first = parse(text, size, NULL, 128, &whole);
  int second = parse(text, size, cuts, 1 + size % 5, &cut);
  PROMISE(first == second);
  if (first < 0) return 0;
  PROMISE(whole.n_records == cut.n_records && whole.n_lanes == cut.n_lanes &&
          whole.hash == cut.hash);
  return 0;
}
