/* A gate's verdict in the forms of its files; see gate-text.h. */
/* SPDX-License-Identifier: MIT */
#include "cmd/gate-text.h"

#include <math.h>
#include <string.h>

#include "base/json-write.h"
#include "cmd/cli.h"
#include "cmd/xml-text.h"
#include "model/printable.h"

#define SCHEMA_VERSION "1.0"

static const GateLine *line_at(const Gate *g, guint index)
{
  return &g_array_index(g->lines, GateLine, index);
}

/* --------------------------------------------------------------------- JSON */

static void put_number(JsonWriter *out, const char *key, double v)
{
  if (isfinite(v)) json_put_real(out, key, v);
}

static void put_limit(JsonWriter *out, const char *key, const RuleLimit *limit, const char *unit)
{
  double value;
  if (limit->text && rules_limit(limit->text, unit, &value)) json_put_real(out, key, value);
}

static void put_rule(JsonWriter *out, const GateLine *l)
{
  const GateRule *r = l->rule;
  json_put_open(out, "rule", '{');
  if (r->finding) {
    json_put_text(out, "finding", r->finding);
    put_limit(out, "max_share", &r->max, l->unit);
    json_put_close(out);
    return;
  }
  json_put_text(out, "metric", r->metric);
  if (r->max_change >= 0) json_put_real(out, "max_change_percent", r->max_change * 100);
  put_limit(out, "ignore_below", &r->ignore_below, l->unit);
  put_limit(out, "max", &r->max, l->unit);
  put_limit(out, "min", &r->min, l->unit);
  json_put_uint(out, "min_runs", r->min_runs);
  json_put_real(out, "confidence", r->confidence);
  if (r->optional) json_put_bool(out, "optional", true);
  json_put_close(out);
}

static void put_line(JsonWriter *out, const GateLine *l)
{
  const Measure *m = &l->measure;
  json_put_lines(out, NULL, '{');
  json_put_text(out, "metric", l->name);
  json_put_text(out, "side", l->side);
  if (*l->group) json_put_text(out, "group", l->group);
  json_put_text(out, "verdict", gate_verdict_name(l->verdict));
  if (l->reason) json_put_text(out, "reason", l->reason);
  json_put_text(out, "unit", *l->unit ? l->unit : NULL);
  put_number(out, "base", m->base);
  put_number(out, "new", m->changed);
  put_number(out, "change", m->change);
  put_number(out, "change_percent", m->percent);
  put_number(out, "low_percent", m->low_percent);
  put_number(out, "high_percent", m->high_percent);
  json_put_uint(out, "n_base", m->n_base);
  json_put_uint(out, "n_new", m->n_changed);
  put_rule(out, l);
  json_put_close(out);
}

void gate_put_json(const Gate *gate, const GateTitle *title, GString *text)
{
  JsonWriter out = { .text = text, .layout = JSON_SPACED };
  json_put_lines(&out, NULL, '{');
  json_put_text(&out, "schema_version", SCHEMA_VERSION);
  json_put_open(&out, "program", '{');
  json_put_text(&out, "name", "stagemill");
  json_put_text(&out, "version", STAGEMILL_VERSION);
  json_put_close(&out);
  json_put_text(&out, "profile", title->profile);
  json_put_text(&out, "base", title->sides[0].name);
  json_put_open(&out, "new", '[');
  for (guint i = 1; i < title->n_sides; i++) json_put_text(&out, NULL, title->sides[i].name);
  json_put_close(&out);
  json_put_text(&out, "verdict", gate_verdict_name(gate_verdict(gate)));
  json_put_lines(&out, "rules", '[');
  for (guint i = 0; i < gate->lines->len; i++) put_line(&out, line_at(gate, i));
  json_put_close(&out);
  json_put_end(&out);
}

/* --------------------------------------------------------------------- text */

static char *number_text(const NumScale *scale, double v)
{
  GString *text = g_string_new(NULL);
  num_scale_put(text, scale, v);
  return g_string_free(text, FALSE);
}

static char *percent_text(double v)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  if (!isfinite(v)) return g_strdup("-");
  return g_strdup_printf("%s %%", g_ascii_formatd(text, sizeof text, "%+.2f", v));
}

static char *interval_text(const Measure *m)
{
  if (!isfinite(m->low_percent) || !isfinite(m->high_percent)) return g_strdup("-");
  g_autofree char *low = percent_text(m->low_percent), *high = percent_text(m->high_percent);
  return g_strdup_printf("%s to %s", low, high);
}

static char *name_text(const GateLine *l)
{
  return *l->group ? g_strdup_printf("%s (%s)", l->name, l->group) : g_strdup(l->name);
}

enum { CELLS = 9 };
static const char *const heads[CELLS] = { "verdict", "metric", "side",     "unit", "base",
                                          "new",     "change", "interval", "why" };

static void fill_cells(const GateLine *l, char *out[CELLS])
{
  const Measure *m = &l->measure;
  NumScale scale = gate_scale(l);
  out[0] = g_strdup(gate_verdict_name(l->verdict));
  out[1] = name_text(l);
  out[2] = g_strdup(l->side);
  out[3] = g_strdup(*scale.unit ? scale.unit : "-");
  out[4] = number_text(&scale, m->base);
  out[5] = number_text(&scale, m->changed);
  out[6] = percent_text(m->percent);
  out[7] = interval_text(m);
  out[8] = g_strdup(l->reason ? l->reason : "-");
}

static void put_title(const Gate *gate, const GateTitle *title, GString *out)
{
  static const GateVerdict order[] = { GATE_REGRESSION, GATE_NOT_APPLICABLE, GATE_INCONCLUSIVE,
                                       GATE_IMPROVED, GATE_NEUTRAL };
  g_string_append_printf(out, "%s: %u rule%s", gate_verdict_name(gate_verdict(gate)),
                         gate->lines->len, gate->lines->len == 1 ? "" : "s");
  for (size_t i = 0; i < G_N_ELEMENTS(order); i++)
    if (gate->counts[order[i]])
      g_string_append_printf(out, ", %" G_GUINT64_FORMAT " %s", gate->counts[order[i]],
                             gate_verdict_name(order[i]));
  g_string_append_printf(out, " · %s\n", title->profile);
}

void gate_put_text(const Gate *gate, const GateTitle *title, GString *out)
{
  CliGrid *grid = cli_grid_new(CELLS);
  put_title(gate, title, out);
  g_string_append_c(out, '\n');
  cli_grid_add(grid, heads[0], heads[1], heads[2], heads[3], heads[4], heads[5], heads[6], heads[7],
               heads[8], NULL);
  for (guint i = 0; i < gate->lines->len; i++) {
    char *c[CELLS];
    fill_cells(line_at(gate, i), c);
    for (int k = 0; k < CELLS; k++) {
      char *shown = printable(c[k]);
      g_free(c[k]);
      c[k] = shown;
    }
    cli_grid_add(grid, c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], NULL);
    for (int k = 0; k < CELLS; k++) g_free(c[k]);
  }
  cli_grid_write(grid, "", out);
}

/* ----------------------------------------------------------------- Markdown */

void gate_put_markdown_text(GString *out, const char *text)
{
  g_autoptr(GString) shown = g_string_new(NULL);
  printable_append(shown, text, strlen(text), "");
  for (const char *p = shown->str; *p; p++) {
    if (*p == '<')
      g_string_append(out, "&lt;");
    else if (*p == '&')
      g_string_append(out, "&amp;");
    else if (strchr("\\`*_{}[]()#!|~>$", *p))
      g_string_append_printf(out, "\\%c", *p);
    else
      g_string_append_c(out, *p);
  }
}

void gate_put_markdown(const Gate *gate, const GateTitle *title, GString *out)
{
  g_autoptr(GString) head = g_string_new(NULL);
  put_title(gate, title, head);
  g_string_append(out, "**");
  gate_put_markdown_text(out, g_strchomp(head->str));
  g_string_append(out, "**\n\n|");
  for (int k = 0; k < CELLS; k++) g_string_append_printf(out, " %s |", heads[k]);
  g_string_append(out, "\n|");
  for (int k = 0; k < CELLS; k++) g_string_append(out, "---|");
  g_string_append_c(out, '\n');
  for (guint i = 0; i < gate->lines->len; i++) {
    char *cells[CELLS];
    fill_cells(line_at(gate, i), cells);
    g_string_append_c(out, '|');
    for (int k = 0; k < CELLS; k++) {
      g_string_append_c(out, ' ');
      gate_put_markdown_text(out, cells[k]);
      g_string_append(out, " |");
      g_free(cells[k]);
    }
    g_string_append_c(out, '\n');
  }
}

/* -------------------------------------------------------------------- JUnit */

static void put_case(const GateLine *l, GString *out)
{
  char *c[CELLS];
  fill_cells(l, c);
  bool fails = l->verdict == GATE_REGRESSION, errs = l->verdict == GATE_NOT_APPLICABLE;
  bool skips = l->verdict == GATE_INCONCLUSIVE || (errs && l->rule->optional);
  g_autofree char *numbers =
      g_strdup_printf("base %s, new %s%s%s, change %s, interval %s", c[4], c[5],
                      strcmp(c[3], "-") ? " " : "", strcmp(c[3], "-") ? c[3] : "", c[6], c[7]);
  g_string_append(out, "    <testcase");
  xml_put_attribute(out, "classname", l->side);
  xml_put_attribute(out, "name", c[1]);
  if (fails || errs || skips) {
    const char *kind = skips ? "skipped" : fails ? "failure" : "error";
    g_string_append_printf(out, ">\n      <%s", kind);
    xml_put_attribute(out, "message", l->reason ? l->reason : c[0]);
    g_string_append_c(out, '>');
    xml_put_text(out, numbers);
    g_string_append_printf(out, "</%s>\n    </testcase>\n", kind);
  } else {
    g_string_append(out, ">\n      <system-out>");
    xml_put_text(out, numbers);
    g_string_append(out, "</system-out>\n    </testcase>\n");
  }
  for (int k = 0; k < CELLS; k++) g_free(c[k]);
}

void gate_put_junit(const Gate *gate, const GateTitle *title, GString *out)
{
  guint n = gate->lines->len, skipped = 0;
  for (guint i = 0; i < n; i++) {
    const GateLine *l = line_at(gate, i);
    skipped +=
        l->verdict == GATE_INCONCLUSIVE || (l->verdict == GATE_NOT_APPLICABLE && l->rule->optional);
  }
  g_autofree char *counts =
      g_strdup_printf(" tests=\"%u\" failures=\"%" G_GUINT64_FORMAT "\" errors=\"%" G_GUINT64_FORMAT
                      "\" skipped=\"%u\"",
                      n, gate->counts[GATE_REGRESSION], gate->counts[GATE_NOT_APPLICABLE], skipped);
  g_string_append(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  g_string_append_printf(out, "<testsuites%s>\n  <testsuite", counts);
  xml_put_attribute(out, "name", title->profile);
  g_string_append_printf(out, "%s>\n", counts);
  for (guint i = 0; i < n; i++) put_case(line_at(gate, i), out);
  g_string_append(out, "  </testsuite>\n</testsuites>\n");
}
