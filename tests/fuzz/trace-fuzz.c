/* Fuzz target: the chrome-json source from bytes to events, however the input is cut. */
/* SPDX-License-Identifier: MIT */
#include "promise.h"
#include "source-host.h"

#include <string.h>

#include "base/json.h"
#include "cut.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LARGEST = 1 << 15, TEXT_MAX = 1 << 18 /* own texts are shorter than that here */ };

typedef struct Sum {
  SourceHost *host;
  bool strict;
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
  PROMISE(type >= MILL_INT && type <= MILL_JSON && a->key < s->host->names->len);
  if (type == MILL_TEXT || type == MILL_JSON) {
    PROMISE(text && len < TEXT_MAX);
    add(s, text, len);
  }
  if (type == MILL_INT) add(s, &a->u.i, sizeof a->u.i);
  if (type == MILL_REAL) PROMISE(a->u.r == a->u.r && a->u.r - a->u.r == 0);
  s->n_attrs++;
}

static void check_event(Sum *s, const MillBatch *b, const MillEvent *e)
{
  bool own = e->flags & MILL_FLAG_OWN_RAW;
  size_t raw_len;
  const char *raw = mill_raw(b, e, &raw_len);
  const char *name = source_symbol(s->host, e->name);
  PROMISE(e->kind < MILL_N_KINDS && e->dur_ns >= -1 && e->track < s->host->tracks->len);
  PROMISE(e->attrs + e->n_attrs <= b->n_attrs);
  PROMISE(raw_len >= 2 && raw[0] == '{' && raw[raw_len - 1] == '}');
  if (own || s->strict) PROMISE(json_check(raw, raw_len, NULL, NULL));
  add(s, &e->ts_ns, sizeof e->ts_ns);
  add(s, &e->dur_ns, sizeof e->dur_ns);
  add(s, &e->kind, sizeof e->kind);
  add(s, name, strlen(name));
  add(s, raw, raw_len);
  for (uint32_t i = 0; i < e->n_attrs; i++) check_attr(s, b, &b->attrs[e->attrs + i]);
  s->n_events++;
}

static void check_batch(void *user, const MillBatch *b)
{
  PROMISE(b->n_events <= b->max_events && b->n_attrs <= b->max_attrs);
  for (uint32_t i = 0; i < b->n_events; i++) check_event(user, b, &b->events[i]);
}

/* As a whole, or in pieces that end at `cuts`. */
static int parse(const char *text, size_t len, unsigned mode, const size_t *cuts,
                 uint32_t max_events, Sum *out)
{
  static const MillRead reads[] = { { "*", MILL_AS_ANY, 0 },
                                    { "a", MILL_AS_INT, 0 },
                                    { "b", MILL_AS_REAL, 0 },
                                    { "c", MILL_AS_TEXT, MILL_KIND(MILL_SLICE) } };
  SourceHost *h = source_host_new(text, len);
  *out = (Sum){ h, mode & 1, 0, 0, 0xcbf29ce484222325u };
  h->is_strict = mode & 1;
  h->is_recover = mode & 2;
  h->reads = mode & 4 ? reads : reads + 1;
  h->n_reads = mode & 4 ? 4 : mode & 8 ? 3 : 0;
  SourceRun run = { SIZE_MAX, max_events, 0, true, check_batch, out, cuts, cuts ? FUZZ_CUTS : 0 };
  int status = source_run(h, &run);
  PROMISE((status < 0) == (h->failure != NULL) && status >= -MILL_LIMIT);
  source_host_free(h);
  return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 2 || size > LARGEST) return 0;
  const char *text = (const char *)data + 2;
  unsigned mode = data[0] & 15;
  size_t cuts[FUZZ_CUTS];
  Sum whole, cut;
  size -= 2;
  const MillSourceOps *ops = source_under_test()->ops;
  int sure = ops->probe(source_under_test(), text, size, "x");
  int64_t at = ops->sync(text, size);
  PROMISE(sure >= 0 && sure <= 100 && at >= -1 && at < (int64_t)size);
  fuzz_cuts(fuzz_hash(data, size + 2), size, cuts);
  int first = parse(text, size, mode, NULL, 128, &whole);
  int second = parse(text, size, mode, cuts, 1 + data[1] % 5, &cut);
  PROMISE((first < 0) == (second < 0));
  if (first < 0) return 0;
  PROMISE(whole.n_events == cut.n_events && whole.n_attrs == cut.n_attrs && whole.hash == cut.hash);
  return 0;
}
