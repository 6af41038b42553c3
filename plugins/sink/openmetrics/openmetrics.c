/* The openmetrics sink: metrics.prom, every number as a gauge in base units, for what watches over CI. */
/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <math.h>
#include <stagemill/sink.h>
#include <string.h>

#include "base/num.h"
#include "base/tag-text.h"
#include "base/trees.h"
#include "family.h"
#include "kit/sink/result.h"
#include "kit/sink/results-sink.h"

#define PIECE_BYTES (128u << 10)

typedef struct Labels {
  GString *text;
  GTree *names; /* a set: taken in this sample */
} Labels;

/* ------------------------------------------------------------------ labels */

/* Names that begin with two underscores belong to the reader; those of ours to us. */
static char *label_name(const Labels *l, const char *name)
{
  g_autofree char *word = family_word(name);
  char *label =
      *word && !g_str_has_prefix(word, "__") ? g_strdup(word) : g_strconcat("tag", word, NULL);
  while (text_set_has(l->names, label)) {
    char *longer = g_strconcat("tag_", label, NULL);
    g_free(label);
    label = longer;
  }
  return label;
}

/* An empty label is none. */
static void put_label(Labels *l, const char *name, const char *value)
{
  if (!*value) return;
  char *label = label_name(l, name);
  g_string_append_printf(l->text, "%s%s=\"", l->text->len ? "," : "", label);
  family_escape(l->text, value, true);
  g_string_append_c(l->text, '"');
  text_set_add(l->names, label);
}

static void put_lane(Labels *l, const MillHost *common, uint32_t index)
{
  MillLane lane;
  char rank[NUM_BUF];
  if (index == MILL_NO_LANE) return;
  g_autofree char *name = result_lane(common, index, &lane);
  if (lane.rank >= 0) num_format_int(rank, lane.rank);
  put_label(l, "lane", lane.rank >= 0 ? rank : name ? name : "");
  if (lane.label) put_label(l, "label", lane.label);
}

static void put_labels(Labels *l, const MillHost *common, const MillMetricResult *m)
{
  const char *group = m->group;
  char *tag, *value;
  /* `n` has a family of its own. */
  if (strcmp(m->stat, "n") != 0) put_label(l, "stat", m->stat);
  put_lane(l, common, m->lane);
  while (tag_text_next(&group, &tag, &value)) {
    put_label(l, tag, value);
    g_free(tag);
    g_free(value);
  }
}

/* ----------------------------------------------------------------- samples */

/* False when there is no number. */
static bool number_of(const MillValue *v, const BaseUnit *unit, char text[NUM_BUF])
{
  double real = v->type == MILL_INT ? (double)v->u.i : v->u.r;
  if (v->type != MILL_INT && (v->type != MILL_REAL || !isfinite(real))) return false;
  if (v->type == MILL_INT && unit->times == 1 && unit->over == 1) {
    num_format_int(text, v->u.i);
    return true;
  }
  double based = real * unit->times / unit->over;
  num_format_real(text, based);
  return isfinite(based);
}

static Family *family_of(Families *f, const MillMetricResult *m, const char *unit)
{
  if (strcmp(m->stat, "n") != 0) return families_find(f, m->name, unit, m->metric->help);
  g_autofree char *name = g_strconcat(m->name, "_samples", NULL);
  return families_find(f, name, "", "Number of samples");
}

/* Two inputs of one rank, or of one name, differ in their number. */
static void add_sample(Families *f, const MillHost *common, const MillMetricResult *m,
                       const char *unit, const char *value)
{
  Labels l = { g_string_new(NULL), text_set_new() };
  Family *family = family_of(f, m, unit);
  char lane[NUM_BUF];
  put_labels(&l, common, m);
  if (!families_add(f, family, l.text->str, value)) {
    num_format_uint(lane, m->lane);
    put_label(&l, "input", lane);
    families_add(f, family, l.text->str, value);
  }
  g_tree_unref(l.names);
  g_string_free(l.text, TRUE);
}

static void add_metric(Families *f, const MillHost *common, const MillMetricResult *m)
{
  char value[NUM_BUF];
  BaseUnit unit = base_unit_of(result_unit(m));
  if (!m->reason && number_of(&m->value, &unit, value)) add_sample(f, common, m, unit.name, value);
  g_free(unit.name);
}

static void put_family(GString *out, const Family *f)
{
  g_string_append_printf(out, "# TYPE %s gauge\n", f->name);
  if (*f->unit) g_string_append_printf(out, "# UNIT %s %s\n", f->name, f->unit);
  if (f->help && *f->help) {
    g_string_append_printf(out, "# HELP %s ", f->name);
    family_escape(out, f->help, true);
    g_string_append_c(out, '\n');
  }
  g_string_append_len(out, f->samples->str, (gssize)f->samples->len);
}

static int flush(const MillSinkHost *host, GString *out)
{
  int status = host->output(host, "metrics.prom", NULL, out->str, out->len);
  g_string_truncate(out, 0);
  return status;
}

static int write_results(void *instance, const MillResults *r)
{
  const MillSinkHost *host = instance;
  g_autoptr(GString) out = g_string_new(NULL);
  MillMetricResult m = { .size = sizeof m };
  Families f;
  int status = 0;
  families_init(&f);
  for (uint32_t i = 0; r->metric(r, i, &m); i++) add_metric(&f, host->common, &m);
  for (guint i = 0; i < f.list->len && !status; i++) {
    put_family(out, f.list->pdata[i]);
    if (out->len >= PIECE_BYTES) status = flush(host, out);
  }
  g_string_append(out, "# EOF\n");
  families_clear(&f);
  return status ? status : flush(host, out);
}

RESULTS_SINK(
    write_results, "openmetrics", "OPM", "Write the metrics for a monitoring system",
    .files = "metrics.prom",
    .help = "metrics.prom in the OpenMetrics text format: gauges stagemill_NAME_UNIT in base units "
            "(seconds, ratio, bytes) with the labels stat, lane and the tags of their group.");
