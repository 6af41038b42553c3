/* A source that breaks its contract in the one way that VIOLATION names; built once for each. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stagemill/source.h>

enum {
  UNKNOWN_KEY,
  KEY_OF_WRONG_TYPE,
  BAD_TEXT_DESCRIBED,
  BAD_TEXT_ADDED,
  BAD_VALUE_ADDED,
  NAN_ADDED,
  NAN_BY_HAND,
  FACT_IN_SECRET,
  CLAIMS_ORDER,
  CLAIMS_SLICES,
  UNKNOWN_ANSWER,
  FULL_OF_NOTHING,
  STOPS_AT_ONCE,
  CONSUMES_TOO_MUCH,
  GOES_BACK,
  UNKNOWN_ANSWER_OF_PARSE,
  ASKS_FOR_MORE,
  ATTRIBUTE_OF_NOTHING,
  SOURCE_TRACK_OF_TEXTS,
  READ_KIND,
  READ_TRACK,
  READ_NAME,
  READ_ATTRIBUTES,
  SILENT_SOURCE
};

typedef struct Source {
  const MillSourceHost *host;
} Source;

static int source_open(const MillSource *self, const MillSourceHost *host, const void *options,
                       void **out_instance)
{
  (void)self;
  (void)options;
  Source *s = mill_new(host->common, sizeof *s);
  if (!s) return -MILL_LIMIT;
  s->host = host;
  *out_instance = s;
  return 0;
}

static int source_describe(void *instance)
{
  const MillSourceHost *h = ((Source *)instance)->host;
  switch (VIOLATION) {
  case UNKNOWN_KEY: h->describe(h, "colour", mill_text("red", 3)); break;
  case KEY_OF_WRONG_TYPE: h->describe(h, "rank", mill_text("3", 1)); break;
  case FACT_IN_SECRET: h->describe(h, "fact", mill_text("slices", 6)); break;
  case CLAIMS_SLICES: h->describe(h, "fact", mill_text("slices", 6)); break;
  case CLAIMS_ORDER: h->describe(h, "fact", mill_text("order.lane", 10)); break;
  case BAD_TEXT_DESCRIBED: h->describe(h, "tag", mill_text("a=\xff", 3)); break;
  default: h->describe(h, "rank", mill_int(3));
  }
  return 0;
}

/* The value of an attribute that it adds to the last event. */
static MillValue odd_value(void)
{
  MillValue v = mill_text("\xff", 1);
  if (VIOLATION == BAD_VALUE_ADDED) v.type = 99;
  return VIOLATION == NAN_ADDED ? mill_real(NAN) : v;
}

static int add_odd(const MillSourceHost *h, MillBatch *b)
{
  if (VIOLATION == BAD_TEXT_ADDED || VIOLATION == BAD_VALUE_ADDED || VIOLATION == NAN_ADDED)
    return h->add_attr(h, b, 0, odd_value());
  if (VIOLATION != NAN_BY_HAND) return 0;
  int status = h->add_attr(h, b, 0, mill_real(1));
  mill_attrs(b)[b->n_attrs - 1].u.r = NAN;
  return status;
}

static int source_next(void *instance, MillBatch *b)
{
  const MillSourceHost *h = ((Source *)instance)->host;
  if (VIOLATION == SILENT_SOURCE) return -1;
  if (VIOLATION == ATTRIBUTE_OF_NOTHING) return h->add_attr(h, b, 0, mill_int(1));
  MillValue process = VIOLATION == SOURCE_TRACK_OF_TEXTS ? mill_text("a", 1) : mill_int(1);
  MillEvent e = { .kind = MILL_INSTANT, .dur_ns = -1 };
  e.track = h->track(h, process, mill_none());
  if (e.track == MILL_FAILED) return -MILL_STAGE_FAILED;
  if (VIOLATION == READ_KIND) e.kind = MILL_N_KINDS;
  if (VIOLATION == READ_TRACK) e.track = 7;
  if (VIOLATION == READ_NAME) e.name = 1 << 30;
  if (VIOLATION == READ_ATTRIBUTES) e.n_attrs = 3;
  if (VIOLATION == CLAIMS_SLICES) e.kind = MILL_BEGIN;
  if (VIOLATION == CLAIMS_ORDER) {
    e.ts_ns = 5;
    mill_events(b)[b->n_events++] = e;
    e.ts_ns = 3;
  }
  mill_events(b)[b->n_events++] = e;
  int status = add_odd(h, b);
  return status ? status : VIOLATION == UNKNOWN_ANSWER ? 3 : MILL_NEXT_END;
}

static int source_parse(void *instance, MillBlock *block, MillBatch *b)
{
  (void)instance, (void)b;
  switch (VIOLATION) {
  case FULL_OF_NOTHING: return MILL_PARSE_FULL;
  case STOPS_AT_ONCE: return MILL_PARSE_STOP;
  case CONSUMES_TOO_MUCH: block->pos = block->len + 1; return MILL_PARSE_DONE;
  case GOES_BACK:
    block->pos -= block->pos > 0;
    block->pos += block->pos == 0;
    return MILL_PARSE_FULL;
  case ASKS_FOR_MORE: return MILL_PARSE_MORE;
  default: return 4;
  }
}

static const MillSourceOps ops = {
  .size = sizeof ops,
  .open = source_open,
  .describe = source_describe,
  .next = VIOLATION >= FULL_OF_NOTHING && VIOLATION <= ASKS_FOR_MORE ? NULL : source_next,
  .parse = VIOLATION >= FULL_OF_NOTHING && VIOLATION <= ASKS_FOR_MORE ? source_parse : NULL,
};
static const char *const may_provide[] = { VIOLATION == CLAIMS_SLICES  ? "slices"
                                           : VIOLATION == CLAIMS_ORDER ? "order.lane"
                                                                       : NULL,
                                           NULL };
static const MillSource source = {
  .size = sizeof source,
  .name = "rogue." NAME,
  .version = "1.0.0",
  .tag = "ROGUER",
  .title = "Break the contract",
  .help = "Breaks one promise.",
  .may_provide = may_provide,
  .ops = &ops,
};
MILL_SOURCE_MODULE(source, "rogue", "MIT");
