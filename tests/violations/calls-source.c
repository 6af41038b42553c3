/* A source that makes one call of the host in one operation, see calls.h; built with `next` and with `parse`. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/source.h>

#include "calls.h"

enum { LINE = 64 }; /* bytes of an event */

typedef struct Calls {
  const MillSourceHost *host;
  bool is_fork;
} Calls;

static void ask_lane(const MillSourceHost *h, MillBatch *b)
{
  if (is_call("describe")) h->describe(h, "rank", mill_int(1));
  if (is_call("track")) h->track(h, mill_int(1), mill_int(1));
  if (is_call("wanted")) h->wanted(h);
  if (is_call("add_attr")) h->add_attr(h, b, 0, mill_int(1));
  if (is_call("grow_attrs")) h->grow_attrs(h, b);
  if (is_call("own_text")) h->own_text(h, b, "x", 1);
  if (is_call("member")) h->member(h, false, "k", 1, "1", 1);
  if (is_call("strict")) h->strict(h);
  if (is_call("recover")) h->recover(h);
}

static void ask_files(const MillSourceHost *h)
{
  char byte;
  const char *text;
  MillEntryRows entries;
  MillInput input = { .size = sizeof input, .path = "nothing" };
  if (is_call("read")) h->read(h, &byte, 1);
  if (is_call("read_why")) h->read_why(h);
  if (is_call("peek")) h->peek(h, false, &text);
  if (is_call("size_bytes")) h->size_bytes(h);
  if (is_call("part")) h->part(h);
  if (is_call("divide")) h->divide(h, 1);
  if (is_call("list")) h->list(h, "nothing", &entries);
  if (is_call("read_file")) h->read_file(h, "nothing", 1, &text);
  if (is_call("read_head")) h->read_head(h, "nothing", &text);
  if (is_call("add_input")) h->add_input(h, &input);
  if (is_call("enter")) h->enter(h, "nothing", &text);
}

static void ask(const MillSourceHost *h, const char *operation, MillBatch *b)
{
  if (!is_here(operation)) return;
  ask_lane(h, b);
  ask_files(h);
  ask_common(h->common);
}

static int make(const MillSourceHost *host, bool is_fork, void **out_instance)
{
  Calls *c = mill_new(host->common, sizeof *c);
  if (!c) return -MILL_LIMIT;
  *c = (Calls){ host, is_fork };
  *out_instance = c;
  ask(host, is_fork ? "fork" : "open", NULL);
  return 0;
}

static int calls_open(const MillSource *self, const MillSourceHost *host, const void *options,
                      void **out_instance)
{
  (void)self;
  (void)options;
  return make(host, false, out_instance);
}

static int calls_expand(const MillSource *self, const MillSourceHost *host, const char *folder)
{
  (void)self;
  (void)folder;
  ask(host, "expand", NULL);
  return 0;
}

static int calls_describe(void *instance)
{
  ask(((Calls *)instance)->host, "describe", NULL);
  return 0;
}

static int calls_start(void *instance)
{
  ask(((Calls *)instance)->host, "start", NULL);
  return 0;
}

static void add_event(const Calls *c, MillBatch *b, int64_t ts_ns)
{
  MillEvent e = { .ts_ns = ts_ns, .kind = MILL_INSTANT, .dur_ns = -1 };
  e.track = c->host->track(c->host, mill_int(1), mill_none());
  mill_events(b)[b->n_events++] = e;
}

#ifdef WITH_PARSE
static int parse_lines(const Calls *c, MillBlock *block, MillBatch *b)
{
  for (;;) {
    if (block->pos >= block->stop && block->stop < block->len) return MILL_PARSE_STOP;
    if (block->len - block->pos < LINE) return block->at_end ? MILL_PARSE_DONE : MILL_PARSE_MORE;
    if (b->n_events == b->max_events) return MILL_PARSE_FULL;
    add_event(c, b, (int64_t)(block->offset + block->pos));
    block->pos += LINE;
  }
}

static int calls_parse(void *instance, MillBlock *block, MillBatch *b)
{
  const Calls *c = instance;
  int status = parse_lines(c, block, b);
  if (b->n_events) ask(c->host, c->is_fork ? "parse_in_fork" : "parse", b);
  return status;
}

static bool calls_in_events(void *instance) { return instance != NULL; }

static int64_t calls_sync(const char *bytes, size_t len)
{
  for (size_t i = 0; i + 1 < len; i++)
    if (bytes[i] == '\n') return (int64_t)i + 1;
  return -1;
}

static int calls_fork(void *instance, const MillSourceHost *host, void **out_instance)
{
  (void)instance;
  return make(host, true, out_instance);
}
#else
static int calls_next(void *instance, MillBatch *b)
{
  const Calls *c = instance;
  add_event(c, b, 0);
  ask(c->host, "next", b);
  return MILL_NEXT_END;
}
#endif

static void calls_close(void *instance)
{
  const Calls *c = instance;
  if (!c->is_fork) ask(c->host, "close", NULL);
}

static const MillNotice notices[] = { MILL_INFO(1, "{count} call[|s]", NULL, NULL, "A call.") };
static const MillSourceOps ops = { .size = sizeof ops,
                                   .expand = calls_expand,
                                   .open = calls_open,
                                   .describe = calls_describe,
                                   .start = calls_start,
#ifdef WITH_PARSE
                                   .parse = calls_parse,
                                   .in_events = calls_in_events,
                                   .sync = calls_sync,
                                   .fork = calls_fork,
#else
                                   .next = calls_next,
#endif
                                   .close = calls_close };
static const MillSource source = {
  .size = sizeof source,
  .name = "rogue." NAME,
  .version = "1.0.0",
#ifdef WITH_PARSE
  .tag = "CALLP",
#else
  .tag = "CALLN",
#endif
  .title = "Make a call",
  .help = "Makes one call in one operation.",
  .notices = MILL_ROWS(notices),
  .ops = &ops,
};
MILL_SOURCE_MODULE(source, "rogue", "MIT");
