/* A source that was built with the headers of 1.0: a line "NAME TS DUR X" is a slice. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/source.h>
#include <stdlib.h>
#include <string.h>

typedef struct Lines {
  const MillSourceHost *host;
  MillSym x;
  uint32_t track;
} Lines;

static int lines_probe(const MillSource *self, const char *bytes, size_t len, const char *name)
{
  (void)self, (void)name;
  return len > 5 && !memcmp(bytes, "KEPT\n", 5) ? 95 : 0;
}

static int lines_open(const MillSource *self, const MillSourceHost *host, const void *options,
                      void **out_instance)
{
  Lines *l = mill_new(host->common, sizeof *l);
  (void)self, (void)options;
  if (!l) return -MILL_LIMIT;
  l->host = host;
  *out_instance = l;
  return 0;
}

static int lines_describe(void *instance)
{
  const MillSourceHost *h = ((const Lines *)instance)->host;
  h->describe(h, "rank", mill_int(3));
  h->describe(h, "tag", mill_text("made=1.0", 8));
  h->describe(h, "fact", mill_text("slices", 6));
  return 0;
}

static int lines_start(void *instance)
{
  Lines *l = instance;
  l->x = l->host->common->intern(l->host->common, "x", 1);
  l->track = l->host->track(l->host, mill_int(1), mill_none());
  return l->track == MILL_FAILED ? -MILL_STAGE_FAILED : 0;
}

/* The end of a line; NULL: it is not in the block. */
static const char *end_of(const MillBlock *block)
{
  size_t left = block->len - block->pos;
  return left ? memchr(block->bytes + block->pos, '\n', left) : NULL;
}

static int add(const Lines *l, const MillBlock *block, const char *end, MillBatch *b)
{
  const MillHost *common = l->host->common;
  const char *line = block->bytes + block->pos, *blank = memchr(line, ' ', (size_t)(end - line));
  char *at = NULL;
  if (!blank) return 0;
  MillEvent e = { .kind = MILL_SLICE, .track = l->track };
  e.name = common->intern(common, line, (size_t)(blank - line));
  e.ts_ns = strtoll(blank, &at, 10);
  e.dur_ns = strtoll(at, &at, 10);
  e.raw_off = (uint32_t)(line - block->bytes);
  e.raw_len = (uint32_t)(end - line);
  mill_events(b)[b->n_events++] = e;
  return l->host->add_attr(l->host, b, l->x, mill_int(strtoll(at, NULL, 10)));
}

static int lines_parse(void *instance, MillBlock *block, MillBatch *b)
{
  const char *end;
  while ((end = end_of(block)) && block->pos < block->stop) {
    if (b->n_events == b->max_events) return MILL_PARSE_FULL;
    int status = add(instance, block, end, b);
    if (status) return status;
    block->pos = (size_t)(end - block->bytes) + 1;
  }
  if (block->pos >= block->stop && !block->at_end) return MILL_PARSE_STOP;
  return block->at_end ? MILL_PARSE_DONE : MILL_PARSE_MORE;
}

static const MillMagic magic[] = { { 0, 5, "KEPT\n" } };
static const char *const may_provide[] = { "slices", NULL };
static const MillSourceOps ops = {
  .size = sizeof ops,
  .probe = lines_probe,
  .open = lines_open,
  .describe = lines_describe,
  .start = lines_start,
  .parse = lines_parse,
};
static const MillSource source = {
  .size = sizeof source,
  .name = "kept.source",
  .version = "1.0.0",
  .tag = "KEPTR",
  .title = "Read lines",
  .help = "Reads lines.",
  .may_provide = may_provide,
  .magic = MILL_ROWS(magic),
  .ops = &ops,
};
MILL_SOURCE_MODULE(source, "kept", "MIT");
