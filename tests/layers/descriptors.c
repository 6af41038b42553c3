/* What descriptors must hold for people: help for each option, column, table and metric, an
 * explanation for each notice.  descriptors MODULE... prints what is missing, and a line
 * "notice PATH NUMBER" for each notice, which descriptors-test.py looks for in the tests. */
/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <stagemill/sink.h>
#include <stagemill/source.h>
#include <stagemill/stage.h>
#include <stdio.h>
#include <string.h>

static int n_missing;

static void need(const char *path, const char *kind, const char *name, const char *text,
                 size_t min_len)
{
  if (text && strlen(text) >= min_len) return;
  printf("missing %s: %s %s: \"%s\"\n", path, kind, name ? name : "?", text ? text : "");
  n_missing++;
}

static void check_options(const char *path, MillOptionRows rows)
{
  for (uint32_t i = 0; i < rows.n; i++) {
    const MillOption *option = MILL_AT(MillOption, rows, i);
    need(path, "help of option", option->name, option->help, 8);
  }
}

static void check_notices(const char *path, MillNoticeRows rows)
{
  char number[16];
  for (uint32_t i = 0; i < rows.n; i++) {
    const MillNotice *n = MILL_AT(MillNotice, rows, i);
    snprintf(number, sizeof number, "%u", n->number);
    need(path, "text of notice", number, n->what, 8);
    need(path, "explanation of notice", number, n->explain, 40);
    printf("notice %s %u\n", path, n->number);
  }
}

/* Values of one column may have several units, when a text in the row says which. */
static bool rows_tell_units(const MillTable *t)
{
  for (uint32_t c = 0; c < t->columns.n; c++) {
    const MillColumn *column = MILL_AT(MillColumn, t->columns, c);
    bool names_it = !strcmp(column->name, "unit") || !strcmp(column->name, "axis");
    if (names_it && column->type == MILL_TEXT) return true;
  }
  return false;
}

static void check_table(const char *path, const MillTable *t)
{
  need(path, "help of table", t->name, t->help, 8);
  for (uint32_t c = 0; c < t->columns.n; c++) {
    const MillColumn *column = MILL_AT(MillColumn, t->columns, c);
    need(path, "help of column", column->name, column->help, 4);
    if (column->type == MILL_REAL && !rows_tell_units(t))
      need(path, "unit of column", column->name, column->unit, 1);
  }
}

static void check_texts(const char *path, const char *name, const char *title, const char *help,
                        const char *version)
{
  need(path, "title of", name, title, 8);
  need(path, "help of", name, help, 20);
  need(path, "version of", name, version, 5);
}

static void check_stage(const char *path, const MillStage *s)
{
  check_texts(path, s->name, s->title, s->help, s->version);
  check_options(path, s->options);
  check_notices(path, s->notices);
  for (uint32_t i = 0; i < s->tables.n; i++) check_table(path, MILL_AT(MillTable, s->tables, i));
  for (uint32_t i = 0; i < s->metrics.n; i++) {
    const MillMetric *metric = MILL_AT(MillMetric, s->metrics, i);
    need(path, "help of metric", metric->name, metric->help, 8);
  }
}

static void check_source(const char *path, const MillSource *s)
{
  check_texts(path, s->name, s->title, s->help, s->version);
  check_options(path, s->options);
  check_notices(path, s->notices);
}

static void check_sink(const char *path, const MillSink *s)
{
  check_texts(path, s->name, s->title, s->help, s->version);
  check_options(path, s->options);
  check_notices(path, s->notices);
}

static void check_module(const char *path, const MillModule *m)
{
  switch (m->kind) {
  case MILL_KIND_STAGE: check_stage(path, m->descriptor); break;
  case MILL_KIND_SOURCE: check_source(path, m->descriptor); break;
  case MILL_KIND_SINK: check_sink(path, m->descriptor); break;
  default: need(path, "kind of", "module", NULL, 1);
  }
}

int main(int argc, char **argv)
{
  for (int i = 1; i < argc; i++) {
    void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    const MillModule *m = library ? dlsym(library, "mill_module_v1") : NULL;
    if (!m) {
      printf("missing %s: %s\n", argv[i], dlerror());
      n_missing++;
      continue;
    }
    check_module(argv[i], m);
  }
  return n_missing > 0;
}
