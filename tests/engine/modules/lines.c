/* A source of lanes that tests write by hand, a line for each thing that a source can say:
 *
 *   lines                      the first line
 *   rank N | base N | tag NAME=VALUE | dialect X | fact X | skipped
 *   e NAME TS DUR [X]          an event on the row (1, NAME); "-" for TS: it has none; X: its attribute "x"
 *   member K JSON              a member of the document, before or after the events
 *   late-base N                a base that is described after the events
 *   next                       the lane ends, and another one follows
 *   fail TEXT                  the source fails here
 *   note                       a notice */
/* SPDX-License-Identifier: MIT */
#include <stagemill/source.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

#ifndef VENDOR
#define VENDOR "stagemill"
#define PREFIX ""
#define TAG "LINES"
#endif

typedef struct Lines {
  const MillSourceHost *host;
  const MillHost *common;
  char *text; /* all of it */
  size_t len, pos;
  bool any_event;
} Lines;

static int lines_probe(const MillSource *self, const char *bytes, size_t len, const char *name)
{
  (void)self;
  (void)name;
  return len >= 6 && !memcmp(bytes, "lines\n", 6) ? 95 : 0;
}

static int lines_open(const MillSource *self, const MillSourceHost *host, const void *options,
                      void **out_instance)
{
  (void)self;
  (void)options;
  Lines *l = mill_new(host->common, sizeof *l);
  if (!l) return -MILL_LIMIT;
  l->host = host;
  l->common = host->common;
  *out_instance = l;
  return 0;
}

static MillValue text_of(const char *text) { return mill_text(text, strlen(text)); }

static void describe_text(const Lines *l, const char *key, const char *value)
{
  bool number = !strcmp(key, "rank") || !strcmp(key, "base_ns");
  l->host->describe(l->host, key, number ? mill_int(atoll(value)) : text_of(value));
}

/* What is known before the events; true when the line says such a thing. */
static bool tell_header(const Lines *l, const Words *w)
{
  static const char *const keys[] = { "rank", "tag", "dialect", "fact" };
  for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
    if (!strcmp(w->word[0], keys[k])) describe_text(l, keys[k], w->word[1]);
  if (!strcmp(w->word[0], "base")) describe_text(l, "base_ns", w->word[1]);
  if (!strcmp(w->word[0], "skipped")) l->host->describe(l->host, "skipped", mill_bool(true));
  return strcmp(w->word[0], "e") != 0;
}

static void look_for_base(const Lines *l, const char *bytes, size_t len)
{
  Words w;
  for (size_t pos = 0; words_next(bytes, len, &pos, &w);)
    if (!strcmp(w.word[0], "late-base")) describe_text(l, "base_ns", w.word[1]);
}

static int lines_describe(void *instance)
{
  const Lines *l = instance;
  const char *bytes = "";
  Words w;
  int64_t len = l->host->peek(l->host, false, &bytes);
  for (size_t pos = 0; words_next(bytes, (size_t)len, &pos, &w) && tell_header(l, &w);) continue;
  len = l->host->peek(l->host, true, &bytes);
  look_for_base(l, bytes, (size_t)len);
  return 0;
}

static int read_all(Lines *l)
{
  int64_t n = 1;
  for (size_t max = 0; n > 0; l->len += (size_t)n) {
    if (l->len == max) {
      l->text = l->common->resize(l->common, l->text, max = max * 2 + 4096);
      if (!l->text) return -MILL_LIMIT;
    }
    n = l->host->read(l->host, l->text + l->len, max - l->len);
    if (n < 0) return -MILL_BAD_INPUT;
  }
  return 0;
}

static int lines_start(void *instance) { return read_all(instance); }

static int add_event(Lines *l, MillBatch *b, const Words *w)
{
  MillSym name = l->common->intern(l->common, w->word[1], strlen(w->word[1]));
  MillEvent e = { .kind = MILL_SLICE, .name = name, .dur_ns = atoll(w->word[3]) };
  if (!strcmp(w->word[2], "-"))
    e.flags = MILL_FLAG_NO_TS;
  else
    e.ts_ns = atoll(w->word[2]);
  e.track = l->host->track(l->host, mill_int(1), mill_sym(name));
  if (e.track == MILL_FAILED) return -MILL_STAGE_FAILED;
  mill_events(b)[b->n_events++] = e;
  l->any_event = true;
  if (!*w->word[4]) return 0;
  MillSym x = l->common->intern(l->common, "x", 1);
  return l->host->add_attr(l->host, b, x, mill_int(atoll(w->word[4])));
}

static int fail(const Lines *l, const char *text)
{
  MillFailure f = { .size = sizeof f, .status = MILL_BAD_INPUT, .number = 2, .what = text };
  return l->common->fail(l->common, &f);
}

/* A line of the body: 0, what `next` gives, or a failure. */
static int take_line(Lines *l, MillBatch *b, const Words *w)
{
  const char *what = w->word[0];
  if (!strcmp(what, "e")) return add_event(l, b, w);
  if (!strcmp(what, "fail")) return fail(l, w->rest);
  if (!strcmp(what, "late-base")) describe_text(l, "base_ns", w->word[1]);
  if (!strcmp(what, "note")) l->common->note(l->common, 1, NULL, MILL_NO_EVENT, NULL, 0);
  if (!strcmp(what, "member"))
    l->host->member(l->host, l->any_event, w->word[1], strlen(w->word[1]), w->word[2],
                    strlen(w->word[2]));
  return !strcmp(what, "next") ? MILL_NEXT_LANE : 0;
}

static int lines_next(void *instance, MillBatch *b)
{
  Lines *l = instance;
  Words w;
  while (b->n_events < b->max_events) {
    if (!words_next(l->text, l->len, &l->pos, &w)) return MILL_NEXT_END;
    int status = take_line(l, b, &w);
    if (status) return status;
  }
  return MILL_NEXT_MORE;
}

/* A folder with a file "laid-out" has an input for each line of it: PATH LABEL TAG=VALUE; with the tag "no"
 * the source gives up after all. */
static int lines_expand(const MillSource *self, const MillSourceHost *host, const char *folder)
{
  char path[4096];
  const char *text;
  Words w;
  int found = 0;
  bool given_up = false;
  (void)self;
  snprintf(path, sizeof path, "%s/laid-out", folder);
  int64_t len = host->read_file(host, path, 1 << 16, &text);
  for (size_t pos = 0; len > 0 && words_next(text, (size_t)len, &pos, &w); found = 1) {
    const char *tags[] = { w.word[2], NULL };
    given_up = given_up || !strcmp(w.word[2], "no");
    snprintf(path, sizeof path, "%s/%s", folder, w.word[0]);
    MillInput input = { .size = sizeof input,
                        .path = path,
                        .source = "lines",
                        .label = w.word[1],
                        .tags = *w.word[2] ? tags : NULL };
    host->add_input(host, &input);
    host->common->note(host->common, 3, NULL, MILL_NO_EVENT, NULL, 0);
  }
  return found && !given_up;
}

static const MillNotice notices[] = {
  MILL_WARNING(1, "{count} line[|s] [is|are] odd", NULL, NULL, "It says so."),
  MILL_ERROR(2, "it failed", NULL, "The line says so."),
  MILL_INFO(3, "{count} input[|s] in folders", NULL, NULL, "A folder was laid out."),
};
static const char *const provides[] = { "events", NULL };
static const char *const may_provide[] = { "f.a", "f.b", "f.g", NULL };
static const MillSourceOps ops = {
  .size = sizeof ops,
  .probe = lines_probe,
  .expand = lines_expand,
  .open = lines_open,
  .describe = lines_describe,
  .start = lines_start,
  .next = lines_next,
};
static const MillSource source = {
  .size = sizeof source,
  .name = PREFIX "lines",
  .version = "1.0.0",
  .tag = TAG,
  .title = "Lanes written by hand",
  .help = "Reads lanes that tests write by hand.",
  .provides = provides,
  .may_provide = may_provide,
  .notices = MILL_ROWS(notices),
  .ops = &ops,
};
MILL_SOURCE_MODULE(source, VENDOR, "MIT");
