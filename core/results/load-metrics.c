/* The metrics of a summary that is read, and their declarations by stages; see load-parts.h. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/num.h"
#include "base/tag-text.h"
#include "results/load-parts.h"

/* ------------------------------------------------------------- definitions */

static bool take_kind(JsonIn *in, void *metric)
{
  const char *word;
  if (!json_in_text(in, &word)) return false;
  uint32_t kind = !strcmp(word, "real")     ? MILL_REAL
                  : !strcmp(word, "int")    ? MILL_INT
                  : !strcmp(word, "object") ? MILL_JSON
                                            : MILL_NONE;
  ((MillMetric *)metric)->kind = kind;
  return kind != MILL_NONE || json_in_fail(in, NULL, "this must be int, real or object");
}

static const JsonMember definition_members[] = {
  JSON_FIELD(MillMetric, name, "name", TEXT, true),
  JSON_WORD(MillMetric, per, "per", "run|lane"),
  JSON_TAKE("type", true, take_kind),
  JSON_FIELD(MillMetric, unit, "unit", TEXT, false),
  JSON_WORD(MillMetric, better, "better", "neither|lower|higher"),
  JSON_FIELD(MillMetric, stats, "stats", TEXT, false),
  JSON_FIELD(MillMetric, aliases, "aliases", TEXT, false),
  JSON_WORD(MillMetric, inputs, "inputs", "any|one|pair"),
  JSON_FIELD(MillMetric, help, "help", TEXT, false),
  JSON_FIELD(MillMetric, headline, "headline", TEXT, false),
};

static bool take_definition(JsonIn *in, void *out)
{
  Load *load = out;
  MillMetric *m = results_alloc(load->results, sizeof *m);
  g_ptr_array_add(load->definitions, m);
  return json_in_object(in, definition_members, G_N_ELEMENTS(definition_members), m);
}

bool load_definitions(JsonIn *in, void *load) { return json_in_array(in, take_definition, load); }

/* ----------------------------------------------------------------- metrics */

static bool take_group_tag(JsonIn *in, const char *name, void *metric)
{
  MetricRead *m = metric;
  const char *value;
  if (!json_in_text(in, &value)) return false;
  tag_text_add(m->group, name, value);
  return true;
}

static bool take_group(JsonIn *in, void *metric)
{
  return json_in_each(in, take_group_tag, metric);
}

static bool is_whole(const JsonToken *t)
{
  for (size_t i = 0; i < t->len; i++)
    if (strchr(".eE", t->start[i])) return false;
  return true;
}

static bool take_value(JsonIn *in, void *metric)
{
  MillValue *v = &((MetricRead *)metric)->value;
  JsonToken whole;
  if (in->token.kind == JSON_OBJECT) {
    if (!json_in_pass(in, &whole)) return false;
    if (whole.len > UINT32_MAX) return json_in_fail(in, whole.start, "this object is too long");
    const char *text = g_string_chunk_insert_len(in->texts, whole.start, (gssize)whole.len);
    *v = mill_json(text, whole.len);
    return true;
  }
  if (in->token.kind != JSON_NUMBER)
    return json_in_fail(in, NULL, "a metric is a number or an object");
  *v = is_whole(&in->token) ? mill_int(0) : mill_real(0);
  bool good = v->type == MILL_INT ? num_int(in->token.start, in->token.len, &v->u.i)
                                  : num_real(in->token.start, in->token.len, &v->u.r);
  return good || json_in_fail(in, NULL, "the number is out of range");
}

static const JsonMember metric_members[] = {
  JSON_FIELD(MetricRead, name, "name", TEXT, true),
  JSON_FIELD(MetricRead, stat, "stat", TEXT, false),
  JSON_FIELD(MetricRead, lane, "lane", COUNT, false),
  JSON_TAKE("group", false, take_group),
  JSON_TAKE("value", false, take_value),
  JSON_FIELD(MetricRead, unit, "unit", TEXT, false),
  JSON_FIELD(MetricRead, n, "n", LARGE, false),
  JSON_WORD(MetricRead, better, "better", "neither|lower|higher"),
  JSON_FIELD(MetricRead, reason, "reason", TEXT, false),
  JSON_FIELD(MetricRead, help, "help", TEXT, false),
  JSON_FIELD(MetricRead, definition, "definition", COUNT, false),
};

static bool take_metric(JsonIn *in, void *load)
{
  MetricRead m = { .stat = "",
                   .lane = MILL_NO_LANE,
                   .definition = UINT32_MAX,
                   .group = g_string_new(NULL),
                   .at = in->token.start };
  bool good = json_in_object(in, metric_members, G_N_ELEMENTS(metric_members), &m);
  g_array_append_val(((Load *)load)->metrics, m);
  if (good && (m.value.type == MILL_NONE) != (m.reason != NULL))
    good = json_in_fail(in, m.at, "a metric has a value, or a reason why it has none");
  return good;
}

bool load_metrics(JsonIn *in, void *load) { return json_in_array(in, take_metric, load); }

/* ------------------------------------------------------------------ joining */

/* For a summary without the stage's declaration: as much of it as the metric shows. */
static const MillMetric *made_up(Results *r, const MetricRead *m)
{
  MillMetric *metric = results_alloc(r, sizeof *metric);
  uint32_t type = m->value.type;
  *metric = (MillMetric){ .per = m->lane == MILL_NO_LANE ? MILL_PER_RUN : MILL_PER_LANE,
                          .better = m->better,
                          .kind = type == MILL_NONE ? MILL_REAL : type,
                          .name = m->name,
                          .unit = m->unit,
                          .help = m->help };
  return metric;
}

static bool finish_metric(JsonIn *in, MetricRead *m, uint32_t index)
{
  Load *load = load_of(in);
  Results *r = load->results;
  if (m->definition != UINT32_MAX && m->definition >= load->definitions->len)
    return json_in_fail(in, m->at, "metric %u is not among the definitions", index);
  if (m->lane != MILL_NO_LANE && m->lane >= results_n_lanes(r))
    return json_in_fail(in, m->at, "metric %u names a lane that is not there", index);
  const MillMetric *metric =
      m->definition == UINT32_MAX ? made_up(r, m) : load->definitions->pdata[m->definition];
  MetricValue *value = results_alloc(r, sizeof *value);
  *value = (MetricValue){
    .stat = (char *)m->stat, .value = m->value, .n = m->n, .reason = (char *)m->reason
  };
  results_add_metric(r, metric, g_strdup(m->name), value, m->lane,
                     g_string_free(g_steal_pointer(&m->group), FALSE));
  return true;
}

bool load_finish_metrics(JsonIn *in)
{
  GArray *metrics = load_of(in)->metrics;
  for (guint i = 0; i < metrics->len; i++)
    if (!finish_metric(in, &g_array_index(metrics, MetricRead, i), i)) return false;
  return true;
}
