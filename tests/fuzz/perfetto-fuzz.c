/* Fuzz target: the perfetto source from bytes to events, however the input is cut. */
/* SPDX-License-Identifier: MIT */
#include "promise.h"
#include "source-host.h"

#include <string.h>

#include "base/json.h"
#include "cut.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LARGEST = 1 << 16 };

typedef struct Sum {
  SourceHost *host;
  uint64_t n_events, n_attrs, hash;
} Sum;

static void add(Sum *s, const void *bytes, size_t len)
{
  const unsigned char *p = bytes;
  for (size_t i = 0; i < len; i++) s->hash = (s->hash ^ p[i]) * 0x100000001b3u;
}

static void check_attr(Sum *s, const MillBatch *b, const MillAttr *a)
{
  size_t len = 0;
  const char *text = mill_attr_text(b, a, &len);
  uint32_t type = a->type & MILL_ATTR_TYPE;
  PROMISE(type >= MILL_INT && type <= MILL_JSON && a->key && a->key < s->host->names->len);
  if (type == MILL_TEXT || type == MILL_JSON) {
    PROMISE(text && g_utf8_validate(text, (gssize)len, NULL));
    PROMISE(type == MILL_TEXT || json_check(text, len, NULL, NULL));
    add(s, text, len);
  }
  if (type == MILL_INT) add(s, &a->u.i, sizeof a->u.i);
  if (type == MILL_REAL) PROMISE(a->u.r == a->u.r && a->u.r - a->u.r == 0);
  s->n_attrs++;
}

static void check_event(Sum *s, const MillBatch *b, const MillEvent *e)
{
  size_t raw_len;
  const char *raw = mill_raw(b, e, &raw_len);
  const char *name = source_symbol(s->host, e->name);
  PROMISE(e->kind < MILL_N_KINDS && e->dur_ns == -1 && e->track < s->host->tracks->len);
  PROMISE(e->attrs + e->n_attrs <= b->n_attrs && e->cat < s->host->names->len);
  PROMISE((e->kind == MILL_META) == (raw != NULL) &&
          (!raw || json_check(raw, raw_len, NULL, NULL)));
  add(s, &e->ts_ns, sizeof e->ts_ns);
  add(s, &e->id, sizeof e->id);
  add(s, &e->kind, sizeof e->kind);
  add(s, name, strlen(name));
  for (uint32_t i = 0; i < e->n_attrs; i++) check_attr(s, b, &b->attrs[e->attrs + i]);
  s->n_events++;
}

static void check_batch(void *user, const MillBatch *b)
{
  PROMISE(b->n_events <= b->max_events && b->n_attrs <= b->max_attrs);
  for (uint32_t i = 0; i < b->n_events; i++) check_event(user, b, &b->events[i]);
}

/* As a whole, or in pieces that end at `cuts`. */
static int read_trace(const char *text, size_t len, bool recover, const size_t *cuts,
                      uint32_t max_events, Sum *out)
{
  SourceHost *h = source_host_new(text, len);
  *out = (Sum){ h, 0, 0, 0xcbf29ce484222325u };
  h->is_recover = recover;
  SourceRun run = { SIZE_MAX, max_events, 0, true, check_batch, out, cuts, cuts ? FUZZ_CUTS : 0 };
  int status = source_run(h, &run);
  PROMISE((status < 0) == (h->failure != NULL) && status >= -MILL_LIMIT);
  for (unsigned i = 0; i < 64; i++) add(out, &h->notes[i], sizeof h->notes[i]);
  source_host_free(h);
  return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 2 || size > LARGEST) return 0;
  const char *text = (const char *)data + 1;
  size_t cuts[FUZZ_CUTS];
  Sum whole, cut;
  size--;
  int sure = source_under_test()->ops->probe(source_under_test(), text, size, "x");
  PROMISE(sure >= 0 && sure <= 95);
  bool recover = data[0] & 1;
  fuzz_cuts(fuzz_hash(data, size + 1), size, cuts);
  int first = read_trace(text, size, recover, NULL, 128, &whole);
  int second = read_trace(text, size, recover, cuts, 1 + data[0] % 5, &cut);
  PROMISE(first == second);
  if (first < 0) return 0;
  PROMISE(whole.n_events == cut.n_events && whole.n_attrs == cut.n_attrs && whole.hash == cut.hash);
  return 0;
}
