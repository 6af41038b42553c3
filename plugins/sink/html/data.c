/* The data of the page but for its tables; see data.h. */
/* SPDX-License-Identifier: MIT */
#include "data.h"

#include <math.h>
#include <string.h>

#include "base/finding.h"
#include "base/json.h"
#include "base/num.h"
#include "base/tag-text.h"

#define MAX_LANE_NAMES 200
#define PIECE_BYTES (128u << 10)
#define EXACT_LIMIT (INT64_C(1) << 53) /* below, JavaScript holds every integer */

/* --------------------------------------------------------------- the text */

/* Nothing in it may end the element that it stands in, or a line of a script. */
static void escape(GString *out, const char *text, size_t len)
{
  const char *end = text + len, *from = text;
  for (const char *p = text; p < end; p++) {
    const char *code = NULL;
    size_t n = 1;
    if (*p == '<') {
      code = "\\u003c";
    } else if (end - p >= 3 && (!memcmp(p, "\xe2\x80\xa8", 3) || !memcmp(p, "\xe2\x80\xa9", 3))) {
      code = p[2] == '\xa8' ? "\\u2028" : "\\u2029";
      n = 3;
    }
    if (!code) continue;
    g_string_append_len(out, from, p - from);
    g_string_append(out, code);
    p += n - 1;
    from = p + 1;
  }
  g_string_append_len(out, from, end - from);
}

static int flush(Data *d)
{
  g_autoptr(GString) safe = g_string_sized_new(d->out.text->len + 64);
  escape(safe, d->out.text->str, d->out.text->len);
  g_string_truncate(d->out.text, 0);
  d->n_bytes += safe->len;
  return safe->len ? d->host->output(d->host, HTML_FILE, NULL, safe->str, safe->len) : 0;
}

int data_flush_pieces(Data *d) { return d->out.text->len < PIECE_BYTES ? 0 : flush(d); }

uint64_t data_size(const Data *d) { return d->n_bytes + d->out.text->len; }

/* ---------------------------------------------------------------- members */

static void put_optional(Data *d, const char *key, const char *text)
{
  if (text && *text) json_put_text(&d->out, key, text);
}

/* As a text where a number would lose digits; what a cell of a table holds besides is text. */
void data_value(Data *d, const char *key, const MillValue *v)
{
  size_t len;
  const char *text;
  char digits[NUM_BUF];
  switch (v->type) {
  case MILL_INT:
    if (v->u.i > -EXACT_LIMIT && v->u.i < EXACT_LIMIT)
      json_put_int(&d->out, key, v->u.i);
    else
      json_put_string(&d->out, key, digits, num_format_int(digits, v->u.i));
    break;
  case MILL_REAL: json_put_real(&d->out, key, v->u.r); break;
  case MILL_BOOL: json_put_bool(&d->out, key, v->u.i != 0); break;
  case MILL_SYM:
    text = d->common->symbol_text(d->common, v->u.sym, &len);
    json_put_string(&d->out, key, text, len);
    break;
  case MILL_TEXT:
  case MILL_JSON: json_put_string(&d->out, key, v->u.text, v->len); break;
  default: json_put_text(&d->out, key, NULL);
  }
}

/* ---------------------------------------------------------------- metrics */

static void put_lane(Data *d, uint32_t index)
{
  MillLane lane = { .size = sizeof lane };
  if (index == MILL_NO_LANE) return;
  d->common->lane(d->common, index, &lane);
  json_put_uint(&d->out, "lane", index);
  if (lane.rank >= 0) json_put_int(&d->out, "rank", lane.rank);
  put_optional(d, "label", lane.label);
}

static void put_group(Data *d, const char *group)
{
  char *tag, *value;
  if (!*group) return;
  json_put_open(&d->out, "group", '{');
  while (tag_text_next(&group, &tag, &value)) {
    json_put_text(&d->out, tag, value);
    g_free(tag);
    g_free(value);
  }
  json_put_close(&d->out);
}

static const char *reason_of(const MillMetricResult *m)
{
  if (m->reason) return *m->reason ? m->reason : "not applicable";
  if (m->value.type == MILL_REAL && !isfinite(m->value.u.r)) return "not a finite number";
  bool number = m->value.type == MILL_INT || m->value.type == MILL_REAL;
  return number || m->value.type == MILL_JSON ? NULL : "not applicable";
}

/* Of an object only that it is one: it is in summary.json. */
static void put_metric(Data *d, const MillMetricResult *m)
{
  static const char *const better[] = { NULL, "lower", "higher" };
  const MillMetric *metric = m->metric;
  const char *reason = reason_of(m);
  json_put_open(&d->out, NULL, '{');
  json_put_text(&d->out, "name", m->name);
  put_optional(d, "stat", m->stat);
  put_lane(d, m->lane);
  put_group(d, m->group);
  if (!reason && m->value.type == MILL_JSON)
    json_put_raw(&d->out, "value", "{}", 2);
  else if (!reason)
    data_value(d, "value", &m->value);
  json_put_text(&d->out, "unit", strcmp(m->stat, "n") ? metric->unit : "count");
  if (!reason || m->n) json_put_uint(&d->out, "n", m->n);
  json_put_text(&d->out, "better",
                better[metric->better <= MILL_HIGHER ? metric->better : MILL_NEITHER]);
  put_optional(d, "reason", reason);
  put_optional(d, "help", metric->help);
  json_put_close(&d->out);
}

/* At most half of the document: tables come after them. */
static int put_metrics(Data *d, const MillResults *r)
{
  MillMetricResult m = { .size = sizeof m };
  uint32_t i = 0;
  int status = 0;
  json_put_lines(&d->out, "metrics", '[');
  for (; r->metric(r, i, &m) && data_size(d) < d->max_bytes / 2 && status >= 0; i++) {
    put_metric(d, &m);
    status = data_flush_pieces(d);
  }
  json_put_close(&d->out);
  if (i < r->n_metrics)
    g_ptr_array_add(d->left_out, g_strdup_printf("%u of %u metrics; all are in summary.json",
                                                 r->n_metrics - i, r->n_metrics));
  return status;
}

/* ---------------------------------------------------------------- findings */

/* The most costly come first, so those without room matter least. */
static int put_findings(Data *d, const MillResults *r)
{
  MillFindingResult f = { .size = sizeof f };
  uint32_t i = 0;
  int status = 0;
  json_put_lines(&d->out, "findings", '[');
  for (; i < r->n_findings && data_size(d) < d->max_bytes / 4 && status >= 0; i++) {
    r->finding(r, i, &f);
    finding_put(&d->out, &f);
    status = data_flush_pieces(d);
  }
  json_put_close(&d->out);
  if (i < r->n_findings)
    g_ptr_array_add(d->left_out, g_strdup_printf("%u of %u findings; all are in summary.json",
                                                 r->n_findings - i, r->n_findings));
  return status;
}

/* ------------------------------------------------------------------ others */

static void put_notices(Data *d, const MillResults *r)
{
  static const char *const levels[] = { "trace", "error", "warning", "info", "debug", "trace" };
  MillNoticeResult n = { .size = sizeof n };
  json_put_lines(&d->out, "notices", '[');
  for (uint32_t i = 0; r->notice(r, i, &n); i++) {
    json_put_open(&d->out, NULL, '{');
    json_put_text(&d->out, "code", n.code);
    json_put_text(&d->out, "level",
                  levels[n.notice->level <= MILL_LEVEL_TRACE ? n.notice->level : 0]);
    json_put_uint(&d->out, "count", n.count);
    json_put_text(&d->out, "what", n.what);
    put_optional(d, "effect", n.effect);
    put_optional(d, "help", n.help);
    json_put_close(&d->out);
  }
  json_put_close(&d->out);
}

/* Names of inputs without their folders. */
static void put_lanes(Data *d)
{
  uint32_t n = d->common->n_lanes(d->common);
  json_put_open(&d->out, "lanes", '{');
  json_put_uint(&d->out, "n", n);
  json_put_open(&d->out, "names", '[');
  for (uint32_t i = 0; i < MIN(n, MAX_LANE_NAMES); i++) {
    MillLane lane = { .size = sizeof lane };
    d->common->lane(d->common, i, &lane);
    g_autofree char *name = lane.name && *lane.name ? g_path_get_basename(lane.name) : NULL;
    json_put_text(&d->out, NULL, name ? name : "");
  }
  json_put_close(&d->out);
  json_put_close(&d->out);
}

static void put_head(Data *d, const MillResults *r)
{
  const char *provenance = r->info(r, "provenance"), *at, *why;
  json_put_text(&d->out, "schema_version", "1.0");
  json_put_text(&d->out, "title", r->info(r, "title"));
  json_put_text(&d->out, "profile", r->info(r, "profile"));
  json_put_open(&d->out, "program", '{');
  json_put_text(&d->out, "name", r->info(r, "program"));
  json_put_text(&d->out, "version", r->info(r, "version"));
  json_put_close(&d->out);
  put_optional(d, "verdict", r->info(r, "verdict"));
  if (!r->n_findings) put_optional(d, "no_findings", r->info(r, "no-findings"));
  put_optional(d, "plan", r->info(r, "plan"));
  put_lanes(d);
  if (provenance && *provenance == '{' && json_check(provenance, strlen(provenance), &at, &why))
    json_put_raw(&d->out, "provenance", provenance, strlen(provenance));
}

int data_write(Data *d, const MillResults *r)
{
  json_put_lines(&d->out, NULL, '{');
  put_head(d, r);
  put_notices(d, r);
  int status = put_findings(d, r);
  if (status >= 0) status = put_metrics(d, r);
  if (status >= 0) status = data_pictures(d, r);
  if (status >= 0) status = data_tables(d, r);
  if (status < 0) return status;
  json_put_array(&d->out, "left_out", d->left_out);
  json_put_end(&d->out);
  return flush(d);
}
