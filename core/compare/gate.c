/* The rules of a gate applied to runs; see gate.h. */
/* SPDX-License-Identifier: MIT */
#include "compare/gate.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/tag-text.h"
#include "compare/diff.h"
#include "compare/found.h"

/* What a rule is about, by the metrics of two sides. */
typedef struct Trial {
  const GateRule *rule;
  const CompareSide *base, *other;
  const Diff *diff;
  const char *name, *stat; /* of the metric; stat "": none */
  size_t name_len;
  Gate *gate;
} Trial;

const char *gate_verdict_name(GateVerdict verdict)
{
  static const char *const names[GATE_N_VERDICTS] = {
    [GATE_NEUTRAL] = "neutral",           [GATE_IMPROVED] = "improved",
    [GATE_INCONCLUSIVE] = "inconclusive", [GATE_NOT_APPLICABLE] = "not-applicable",
    [GATE_REGRESSION] = "regression",
  };
  return names[verdict];
}

/* ----------------------------------------------------------------- matching */

static bool is_text(const MillValue *cell, const char *text, size_t len)
{
  if (cell->type != MILL_TEXT) return len == 0;
  return cell->len == len && !memcmp(cell->u.text, text, len);
}

static bool is_metric(const Trial *t, const MillValue *row)
{
  return is_text(&row[FRAME_METRIC], t->name, t->name_len) &&
         is_text(&row[FRAME_STAT], t->stat, strlen(t->stat));
}

static bool any_is(const Trial *t)
{
  for (uint32_t f = 0; f < t->diff->n_frames; f++)
    for (uint32_t row = 0; row < t->diff->frames[f]->n_rows; row++)
      if (is_metric(t, t->diff->frames[f]->rows[row])) return true;
  return false;
}

/* The statistic that comes first, of a metric that is named without one. */
static const char *first_stat(const Trial *t)
{
  for (uint32_t f = 0; f < t->diff->n_frames; f++)
    for (uint32_t row = 0; row < t->diff->frames[f]->n_rows; row++) {
      const MillValue *cells = t->diff->frames[f]->rows[row];
      if (is_text(&cells[FRAME_METRIC], t->name, t->name_len) &&
          cells[FRAME_STAT].type == MILL_TEXT)
        return cells[FRAME_STAT].u.text; /* it ends in NUL: a text of the results */
    }
  return NULL;
}

/* "ttft", "ttft.p99" or "busy.time.p99". */
static bool resolve(Trial *t)
{
  const char *word = t->rule->metric, *dot = strrchr(word, '.');
  t->name = word;
  t->name_len = strlen(word);
  t->stat = "";
  if (any_is(t)) return true;
  const char *stat = first_stat(t);
  if (stat) t->stat = stat;
  if (stat) return true;
  for (; dot && dot > word; dot--) {
    if (*dot != '.') continue;
    t->name_len = (size_t)(dot - word);
    t->stat = dot + 1;
    if (any_is(t)) return true;
  }
  return false;
}

static Results *run_at(const Trial *t, uint32_t frame)
{
  return frame < t->base->runs->len ? t->base->runs->pdata[frame]
                                    : t->other->runs->pdata[frame - t->base->runs->len];
}

/* The frame of metrics has its rows in their order. */
static char *tag_of(const Trial *t, uint32_t group, const char *name)
{
  uint32_t f = 0, row;
  while ((row = match_row(t->diff->match, group, f)) == MATCH_NONE) f++;
  Results *run = run_at(t, f);
  MillMetricResult m = { .size = sizeof m };
  const MillResults *r = results_view(run);
  r->metric(r, row, &m);
  char *tag, *value, *found = NULL;
  for (const char *at = m.group; tag_text_next(&at, &tag, &value); g_free(tag)) {
    if (!found && !strcmp(tag, name))
      found = value;
    else
      g_free(value);
  }
  const LaneInfo *lane = found || m.lane == MILL_NO_LANE ? NULL : results_lane(run, m.lane);
  if (!lane) return found;
  if (!strcmp(name, "rank")) return g_strdup_printf("%" G_GINT64_FORMAT, lane->rank);
  if (!strcmp(name, "label")) return g_strdup(lane->label);
  return g_strdup(tags_get(lane->tags, name));
}

static bool is_covered(const Trial *t, uint32_t group)
{
  for (guint i = 0; i < t->rule->where->len; i++) {
    const RuleTag *tag = &g_array_index(t->rule->where, RuleTag, i);
    g_autofree char *value = tag_of(t, group, tag->name);
    if (g_strcmp0(value, tag->value)) return false;
  }
  return true;
}

/* ------------------------------------------------------------------ numbers */

static bool looks_the_same(const NumScale *scale, double a, double b)
{
  g_autoptr(GString) one = g_string_new(NULL), other = g_string_new(NULL);
  num_scale_put(one, scale, a);
  num_scale_put(other, scale, b);
  return g_string_equal(one, other);
}

/* The unit is that of the values: limits may be far from them. */
NumScale gate_scale(const GateLine *line)
{
  const GateRule *r = line->rule;
  const char *limits[] = { r->max.text, r->min.text };
  double values[] = { line->measure.changed, line->measure.base, NAN, NAN }, largest = 0;
  bool whole = true;
  for (size_t i = 0; i < G_N_ELEMENTS(limits); i++)
    if (limits[i]) rules_limit(limits[i], line->unit, &values[2 + i]);
  for (size_t i = 0; i < G_N_ELEMENTS(values); i++) {
    if (!isfinite(values[i])) continue;
    if (i < 2 || largest == 0) largest = fmax(largest, fabs(values[i]));
    whole = whole && rint(values[i]) == values[i];
  }
  NumScale scale = num_scale(line->unit, largest, whole);
  for (size_t i = 1; i < G_N_ELEMENTS(values); i++)
    while (isfinite(values[i]) && values[i] != values[0] &&
           scale.decimals < NUM_SCALE_MAX_DECIMALS && looks_the_same(&scale, values[0], values[i]))
      scale.decimals++;
  return scale;
}

/* A limit far below the values is printed exactly: "above max <0.01 ms" says nothing. */
static void put_value(GString *out, const NumScale *scale, double v)
{
  char exact[NUM_BUF];
  g_autoptr(GString) rounded = g_string_new(NULL);
  num_scale_put(rounded, scale, v);
  num_format_real(exact, v / scale->divisor);
  bool lost = *rounded->str == '<' || *rounded->str == '>';
  g_string_append(out, lost ? exact : rounded->str);
  if (*scale->unit) g_string_append_printf(out, " %s", scale->unit);
}

/* --------------------------------------------------------------- judgement */

static void lower(GateLine *line, GateVerdict verdict, char *reason)
{
  if (verdict < line->verdict || (verdict == line->verdict && line->reason)) {
    g_free(reason);
    return;
  }
  line->verdict = verdict;
  g_free(line->reason);
  line->reason = reason;
}

static GateVerdict judge_change(const GateRule *rule, const Measure *m, uint32_t worse,
                                double floor)
{
  bool beyond = fabs(m->part) > rule->max_change && fabs(m->change) > floor;
  bool repeated = m->n_base >= COMPARE_REPEATED && m->n_changed >= COMPARE_REPEATED;
  bool real = !repeated || m->beyond_noise;
  if (!beyond) return GATE_NEUTRAL;
  if ((m->part > 0) == (worse == MILL_HIGHER)) return real ? GATE_REGRESSION : GATE_INCONCLUSIVE;
  return real ? GATE_IMPROVED : GATE_NEUTRAL;
}

static char *reason_of(const GateRule *rule, const Measure *m, GateVerdict verdict)
{
  if (verdict == GATE_INCONCLUSIVE) return g_strdup("the change is within the noise of the runs");
  if (verdict != GATE_REGRESSION) return NULL;
  char text[G_ASCII_DTOSTR_BUF_SIZE], limit[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_formatd(limit, sizeof limit, "%.6g", rule->max_change * 100);
  if (!isfinite(m->percent))
    return g_strdup_printf("the change is beyond max_change, %s %%", limit);
  g_ascii_formatd(text, sizeof text, "%+.2f", m->percent);
  return g_strdup_printf("a change of %s %% is beyond max_change, %s %%", text, limit);
}

static Error *apply_change(const GateRule *rule, GateLine *line, uint32_t better)
{
  const Measure *m = &line->measure;
  double floor = 0;
  uint32_t worse = rule->worse;
  if (!worse && better) worse = better == MILL_LOWER ? MILL_HIGHER : MILL_LOWER;
  if (!worse) {
    Error *e =
        error_new(EXIT_PROFILE, "PRF-32",
                  "the metric \"%s\" does not declare which direction is better", line->name);
    return error_help(error_at(e, "at %s", rule->place), "add \"worse\": \"higher\" or \"lower\"");
  }
  if (rule->ignore_below.text && !rules_limit(rule->ignore_below.text, line->unit, &floor))
    return rules_wrong_unit(&rule->ignore_below, line->unit);
  if (!m->n_base || !m->n_changed) {
    lower(line, GATE_NOT_APPLICABLE,
          g_strdup_printf("%s has no value", m->n_base ? "the new side" : "the base"));
  } else if (!isfinite(m->change)) {
    lower(line, GATE_INCONCLUSIVE, g_strdup("the change is too large to be a number"));
  } else {
    GateVerdict verdict = judge_change(rule, m, worse, floor);
    lower(line, verdict, reason_of(rule, m, verdict));
  }
  return NULL;
}

static Error *apply_limit(const RuleLimit *limit, GateLine *line, bool is_max)
{
  double end, value = line->measure.changed;
  if (!limit->text) return NULL;
  if (!rules_limit(limit->text, line->unit, &end)) return rules_wrong_unit(limit, line->unit);
  if (!line->measure.n_changed) {
    lower(line, GATE_NOT_APPLICABLE, g_strdup("the new side has no value"));
  } else if (is_max ? value > end : value < end) {
    NumScale scale = gate_scale(line);
    g_autoptr(GString) text = g_string_new(NULL);
    put_value(text, &scale, value);
    g_string_append(text, is_max ? " is above max " : " is below min ");
    put_value(text, &scale, end);
    lower(line, GATE_REGRESSION, g_string_free(g_steal_pointer(&text), FALSE));
  }
  return NULL;
}

static Error *apply(const GateRule *rule, GateLine *line, uint32_t better)
{
  const Measure *m = &line->measure;
  Error *e = rule->max_change < 0 ? NULL : apply_change(rule, line, better);
  e = error_join(e, apply_limit(&rule->max, line, true));
  e = error_join(e, apply_limit(&rule->min, line, false));
  bool few = m->n_changed < rule->min_runs || (rule->max_change >= 0 && m->n_base < rule->min_runs);
  if (e || line->verdict == GATE_NOT_APPLICABLE || !few) return e;
  line->verdict = GATE_INCONCLUSIVE;
  g_free(line->reason);
  line->reason = g_strdup_printf("fewer than %u runs a side", rule->min_runs);
  return NULL;
}

/* -------------------------------------------------------------------- lines */

static GateLine line_new(const Trial *t)
{
  GateLine line = { .rule = t->rule, .side = t->other->name, .unit = "" };
  line.name = *t->stat ? g_strdup_printf("%.*s.%s", (int)t->name_len, t->name, t->stat)
                       : g_strndup(t->name, t->name_len);
  line.measure.base = line.measure.changed = line.measure.change = line.measure.part = NAN;
  line.measure.percent = line.measure.low_percent = line.measure.high_percent = NAN;
  return line;
}

static void add_line(Trial *t, GateLine *line)
{
  bool counts = line->verdict != GATE_NOT_APPLICABLE || !line->rule->optional;
  t->gate->counts[line->verdict] += counts;
  g_array_append_val(t->gate->lines, *line);
}

static Error *apply_to_group(Trial *t, uint32_t group, Meter *meter)
{
  const DiffColumn *value = &t->diff->values[0];
  const MillValue *unit = diff_either(t->diff, group, &t->diff->keys[FRAME_UNIT]);
  uint32_t better = diff_better(t->diff, group, value);
  GateLine line = line_new(t);
  if (unit) line.unit = results_text(t->gate->keep, unit->u.text, unit->len);
  line.group = diff_place(t->diff, group);
  diff_gather(t->diff, group, value, meter);
  line.measure = meter_take(meter, better);
  Error *e = apply(t->rule, &line, better);
  add_line(t, &line);
  return e;
}

static bool is_of(const Trial *t, uint32_t group)
{
  uint32_t f = 0, row;
  while ((row = match_row(t->diff->match, group, f)) == MATCH_NONE) f++;
  return is_metric(t, t->diff->frames[f]->rows[row]) && is_covered(t, group);
}

static void add_absent(Trial *t, const char *reason)
{
  GateLine line = line_new(t);
  line.group = g_strdup("");
  lower(&line, GATE_NOT_APPLICABLE, g_strdup(reason));
  add_line(t, &line);
}

/* The largest share in each run; 0 where the rule found nothing.  The place is that of the largest of all. */
static void gather_shares(const CompareSide *side, bool is_base, const char *name, Meter *meter,
                          MillFindingResult *out_worst)
{
  for (guint i = 0; i < side->runs->len; i++) {
    MillFindingResult f = { .size = sizeof f };
    const bool found = found_worst(side->runs->pdata[i], name, &f);
    meter_add(meter, is_base, found ? f.share : 0);
    if (found && f.share > out_worst->share) *out_worst = f;
  }
}

static bool any_found(const Trial *t)
{
  MillFindingResult f;
  for (uint32_t i = 0; i < t->diff->n_frames; i++)
    if (found_worst(run_at(t, i), t->rule->finding, &f)) return true;
  return false;
}

static Error *apply_finding_rule(Trial *t, const char *const *known)
{
  const char *name = t->rule->finding;
  if (!g_strv_contains(known, name) && !any_found(t)) return rules_unknown_finding(t->rule, known);
  GateLine line = { .rule = t->rule, .side = t->other->name, .unit = "percent" };
  MillFindingResult base = { .size = sizeof base }, worst = base;
  Meter *meter = meter_new(0, t->rule->confidence, t->diff->n_frames);
  gather_shares(t->base, true, name, meter, &base);
  gather_shares(t->other, false, name, meter, &worst);
  line.measure = meter_take(meter, MILL_LOWER);
  meter_free(meter);
  line.name = g_strconcat("finding ", name, NULL);
  line.group = worst.where_json ? found_place(worst.where_json) : g_strdup("");
  Error *e = apply_limit(&t->rule->max, &line, true);
  add_line(t, &line);
  return e;
}

static Error *apply_rule(Trial *t, const char *const *known)
{
  Error *e = NULL;
  uint32_t n = 0;
  if (!resolve(t)) {
    t->name_len = strlen(t->name);
    t->stat = "";
    if (!g_strv_contains(known, t->rule->metric)) return rules_unknown_metric(t->rule, known);
    add_absent(t, "no stage of these runs reports it");
    return NULL;
  }
  Meter *meter = meter_new(0, t->rule->confidence, t->diff->n_frames);
  for (uint32_t group = 0; group < t->diff->match->n_groups && !e; group++) {
    if (!is_of(t, group)) continue;
    e = apply_to_group(t, group, meter);
    n++;
  }
  meter_free(meter);
  if (!n) add_absent(t, "no group has the tags of \"where\"");
  return e;
}

/* -------------------------------------------------------------------- whole */

static void line_clear(gpointer data)
{
  GateLine *line = data;
  g_free(line->name);
  g_free(line->group);
  g_free(line->reason);
}

static void add_words(GPtrArray *words, const Frame *f, Results *keep)
{
  for (uint32_t row = 0; row < f->n_rows; row++) {
    const MillValue *name = &f->rows[row][FRAME_METRIC], *stat = &f->rows[row][FRAME_STAT];
    g_autofree char *word = g_strdup_printf("%.*s%s%.*s", (int)name->len, name->u.text,
                                            stat->type == MILL_TEXT ? "." : "", (int)stat->len,
                                            stat->type == MILL_TEXT ? stat->u.text : "");
    g_ptr_array_add(words, (gpointer)results_text(keep, name->u.text, name->len));
    g_ptr_array_add(words, (gpointer)results_text(keep, word, strlen(word)));
  }
}

/* What may be meant: metrics of these runs, then those of all stages. */
static GPtrArray *all_words(const Diff *d, const char *const *known, Results *keep)
{
  GPtrArray *words = g_ptr_array_new();
  for (uint32_t f = 0; f < d->n_frames; f++) add_words(words, d->frames[f], keep);
  for (; *known; known++) g_ptr_array_add(words, (gpointer)*known);
  g_ptr_array_add(words, NULL);
  return words;
}

static Error *apply_rules(const Rules *rules, const CompareSide *base, const CompareSide *other,
                          const GateWords *known, Gate *gate)
{
  uint32_t n = base->runs->len + other->runs->len;
  g_autofree Frame **frames = g_new0(Frame *, n);
  Error *errors = NULL;
  Trial t = { .base = base, .other = other, .gate = gate };
  for (uint32_t f = 0; f < n; f++)
    frames[f] = frame_of_metrics(run_at(&t, f), results_view(run_at(&t, f)), gate->keep);
  Diff *diff = diff_new((const Frame *const *)frames, n, base->runs->len, true);
  g_autoptr(GPtrArray) words = all_words(diff, known->metrics, gate->keep);
  t.diff = diff;
  for (guint i = 0; i < rules->list->len; i++) {
    t.rule = rules->list->pdata[i];
    Error *e = t.rule->finding ? apply_finding_rule(&t, known->findings)
                               : apply_rule(&t, (const char *const *)words->pdata);
    errors = error_join(errors, e);
  }
  diff_free(diff);
  for (uint32_t f = 0; f < n; f++) frame_free(frames[f]);
  return errors;
}

Error *gate_new(const Rules *rules, const CompareSide *sides, guint n_sides, const GateWords *known,
                Gate **out)
{
  Gate *gate = g_new0(Gate, 1);
  Error *e = NULL;
  gate->keep = results_new();
  gate->lines = g_array_new(FALSE, FALSE, sizeof(GateLine));
  g_array_set_clear_func(gate->lines, line_clear);
  for (guint i = 1; i < n_sides && !e; i++)
    e = apply_rules(rules, &sides[0], &sides[i], known, gate);
  if (e) g_clear_pointer(&gate, gate_free);
  *out = gate;
  return e;
}

void gate_free(Gate *gate)
{
  if (!gate) return;
  g_array_unref(gate->lines);
  results_free(gate->keep);
  g_free(gate);
}

GateVerdict gate_verdict(const Gate *gate)
{
  GateVerdict worst = GATE_NEUTRAL;
  for (int v = 0; v < GATE_N_VERDICTS; v++)
    if (gate->counts[v]) worst = (GateVerdict)v;
  return worst;
}
