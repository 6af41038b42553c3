/* A source of lanes that the engine feeds in blocks, so that it can read them again:
 *
 *   rows                the first line
 *   NAME TS DUR         an event on the row (1, NAME)
 *   base N              known before the events, if it comes in the first lines
 *   member K JSON       a member of the document
 *   note                a notice */
/* SPDX-License-Identifier: MIT */
#include <stagemill/source.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

typedef struct Rows {
  const MillSourceHost *host;
  const MillHost *common;
} Rows;

static int rows_probe(const MillSource *self, const char *bytes, size_t len, const char *name)
{
  (void)self;
  (void)name;
  return len >= 5 && !memcmp(bytes, "rows\n", 5) ? 95 : 0;
}

static int rows_open(const MillSource *self, const MillSourceHost *host, const void *options,
                     void **out_instance)
{
  (void)self;
  (void)options;
  Rows *r = mill_new(host->common, sizeof *r);
  if (!r) return -MILL_LIMIT;
  *r = (Rows){ host, host->common };
  *out_instance = r;
  return 0;
}

static int rows_describe(void *instance)
{
  const Rows *r = instance;
  const char *bytes = "";
  Words w;
  int64_t len = r->host->peek(r->host, false, &bytes);
  for (size_t pos = 0; words_next(bytes, (size_t)len, &pos, &w);)
    if (!strcmp(w.word[0], "base"))
      r->host->describe(r->host, "base_ns", mill_int(atoll(w.word[1])));
  return 0;
}

static int rows_start(void *instance)
{
  (void)instance;
  return 0;
}

static int take_line(const Rows *r, MillBatch *b, const Words *w)
{
  const char *what = w->word[0];
  if (!strcmp(what, "rows") || !strcmp(what, "base")) return 0;
  if (!strcmp(what, "note")) {
    r->common->note(r->common, 1, NULL, MILL_NO_EVENT, NULL, 0);
    return 0;
  }
  if (!strcmp(what, "member")) {
    r->host->member(r->host, b->n_events > 0, w->word[1], strlen(w->word[1]), w->word[2],
                    strlen(w->word[2]));
    return 0;
  }
  MillSym name = r->common->intern(r->common, what, strlen(what));
  MillEvent e = {
    .kind = MILL_SLICE, .name = name, .ts_ns = atoll(w->word[1]), .dur_ns = atoll(w->word[2])
  };
  e.track = r->host->track(r->host, mill_int(1), mill_sym(name));
  if (e.track == MILL_FAILED) return -MILL_STAGE_FAILED;
  mill_events(b)[b->n_events++] = e;
  return 0;
}

static int rows_parse(void *instance, MillBlock *block, MillBatch *b)
{
  const Rows *r = instance;
  Words w;
  while (b->n_events < b->max_events) {
    if (!words_next(block->bytes, block->len, &block->pos, &w))
      return block->at_end ? MILL_PARSE_DONE : MILL_PARSE_MORE;
    int status = take_line(r, b, &w);
    if (status) return status;
  }
  return MILL_PARSE_FULL;
}

static const MillNotice notices[] = {
  MILL_WARNING(1, "{count} line[|s] [is|are] odd", NULL, NULL, "It says so."),
};
static const char *const provides[] = { "events", NULL };
static const MillSourceOps ops = {
  .size = sizeof ops,
  .probe = rows_probe,
  .open = rows_open,
  .describe = rows_describe,
  .start = rows_start,
  .parse = rows_parse,
};
static const MillSource source = {
  .size = sizeof source,
  .name = "rows",
  .version = "1.0.0",
  .tag = "ROWS",
  .title = "Lanes written by hand, in blocks",
  .help = "Reads lanes that tests write by hand, a block at a time.",
  .provides = provides,
  .notices = MILL_ROWS(notices),
  .ops = &ops,
};
MILL_SOURCE_MODULE(source, "stagemill", "MIT");
