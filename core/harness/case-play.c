/* A case that was read, given to the harness item by item. */
/* SPDX-License-Identifier: MIT */
#include "case-play.h"

#include <string.h>

#include "harness-internal.h"

typedef struct Place {
  const char *file;
  int line;
} Place;

static void give_events(Place at, const CaseItem *item)
{
  if (!harness_begin_events(at.file, at.line)) return;
  for (guint i = 0; i + 1 < item->lines->len; i++)
    harness_add_event(at.file, at.line + 1 + (int)i, item->lines->pdata[i]);
}

/* Relative to the file that names it. */
static void give_file(Place at, const char *name)
{
  g_autofree char *folder = g_path_get_dirname(at.file);
  g_autofree char *path =
      g_path_is_absolute(name) ? g_strdup(name) : g_build_filename(folder, name, NULL);
  harness_file(at.file, at.line, path);
}

/* "name.stat"; names have no dots, statistics may. */
static void metric_item(Place at, const CaseItem *item)
{
  g_auto(GStrv) parts = g_strsplit(item->name, ".", 2);
  harness_expect_metric(at.file, at.line, parts[0], parts[1], item->value);
}

static void notice_item(Place at, const CaseItem *item)
{
  guint64 count;
  if (g_ascii_string_to_unsigned(item->value ? item->value : "", 10, 0, G_MAXUINT64, &count, NULL))
    harness_expect_notice(at.file, at.line, (uint32_t)item->number, count);
  else
    harness_complain(at.file, at.line, "how often a notice is counted is a number");
}

static void expectation(Place at, const CaseItem *item)
{
  const char *const *lines = (const char *const *)item->lines->pdata;
  uint32_t number = (uint32_t)item->number;
  switch (item->word) {
  case CASE_EVENTS: harness_expect_events(at.file, at.line, number, lines); break;
  case CASE_ATTR:
    harness_expect_attr(at.file, at.line, number, item->name, item->value);
    break;
  case CASE_TABLE: harness_expect_table(at.file, at.line, item->name, lines); break;
  case CASE_METRIC: metric_item(at, item); break;
  case CASE_NOTICE: notice_item(at, item); break;
  case CASE_STATUS: harness_expect_status(at.file, at.line, number); break;
  case CASE_DESCRIBED: harness_expect_described(at.file, at.line, number, item->name); break;
  case CASE_PROBE:
    harness_expect_probe(at.file, at.line, item->text->str, item->text->len, item->name,
                         (int)item->number);
    break;
  case CASE_OUTPUT: harness_expect_output(at.file, at.line, item->name, item->text->str); break;
  default: harness_expect_output(at.file, at.line, item->name, NULL); break;
  }
}

void case_play_item(const CaseFile *f, const CaseItem *item)
{
  Place at = { f->path, (int)item->line };
  switch (item->word) {
  case CASE_WITH: harness_add_option(at.file, at.line, item->name); break;
  case CASE_LANE:
    harness_lane(at.file, at.line, item->name);
    if (item->lines->len > 1) give_events(at, item);
    break;
  case CASE_BYTES: harness_bytes(at.file, at.line, item->text->str, item->text->len); break;
  case CASE_FILE: give_file(at, item->name); break;
  case CASE_GIVEN: give_events(at, item); break;
  default: expectation(at, item); break;
  }
}
