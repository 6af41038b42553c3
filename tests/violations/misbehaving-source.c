/* A source that breaks its contract in the one way that VIOLATION names; built once for each. */
#include <stagemill/source.h>

enum {
  UNKNOWN_KEY,
  KEY_OF_WRONG_TYPE,
  BAD_TEXT_DESCRIBED,
  BAD_TEXT_ADDED,
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
  case BAD_TEXT_DESCRIBED: h->describe(h, "tag", mill_text("a=\xff", 3)); break;
  default: h->describe(h, "rank", mill_int(3));
  }
  return 0;
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
  b->events[b->n_events++] = e;
  int status = VIOLATION == BAD_TEXT_ADDED ? h->add_attr(h, b, 0, mill_text("\xff", 1)) : 0;
  return status ? status : MILL_NEXT_END;
}

static const MillSourceOps ops = {
  .size = sizeof ops, .open = source_open, .describe = source_describe, .next = source_next
};
static const MillSource source = {
  .size = sizeof source,
  .name = "rogue." NAME,
  .version = "1.0.0",
  .tag = "ROGUER",
  .title = "Break the contract",
  .help = "Breaks one promise.",
  .ops = &ops,
};
MILL_SOURCE_MODULE(source, "rogue", "MIT");
