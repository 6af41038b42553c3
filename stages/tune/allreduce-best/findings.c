/* What the measurements decide, in sentences. */
/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "allreduce-best.h"

enum { LONGEST = 240 };

typedef struct Findings {
  const Best *x;
  int64_t position;
  int status;
} Findings;

static void say(Findings *f, const char *sentence)
{
  const FindingRow row = {
    .position = ++f->position,
    .finding = sentence,
  };
  if (f->status == 0) f->status = mill_row(f->x->host, TABLE_FINDINGS, &row);
}

static const char *plural(uint64_t n) { return n == 1 ? "" : "s"; }
static double loss(const ArCost *c) { return (ar_cost_mean(c) - 1) * 100; }

static void say_table(Findings *f)
{
  const Found *found = &f->x->found;
  const char *name = ar_text(f->x->common, f->x->fallback);
  char text[LONGEST], rest[80] = "";
  if (!found->fallback.cells || !found->table.cells) return;
  if (loss(&found->table) >= 0.05)
    snprintf(rest, sizeof rest, "; it loses %.1f %% against the fastest", loss(&found->table));
  snprintf(text, sizeof text, "The table beats %.60s %.2fx over %" PRIu64 " cell%s%s.", name,
           ar_cost_mean(&found->fallback), found->fallback.cells, plural(found->fallback.cells),
           rest);
  say(f, text);
}

static void say_rule(Findings *f)
{
  const ArCost *rule = &f->x->found.rule;
  char text[LONGEST];
  if (!rule->cells) return;
  snprintf(text, sizeof text,
           "The library's threshold rule loses %.1f %% against the fastest over %" PRIu64
           " cell%s, at worst %.0f %% with %" PRId64 " tokens of %" PRId64 ".",
           loss(rule), rule->cells, plural(rule->cells), (rule->worst - 1) * 100, rule->tokens,
           rule->hidden);
  say(f, text);
}

static uint64_t undecided(const Found *found)
{
  return found->decided[AR_NOISE] + found->decided[AR_NO_REPEATS];
}

static void say_decided(Findings *f)
{
  const Found *found = &f->x->found;
  uint64_t noise = found->decided[AR_NOISE], once = found->decided[AR_NO_REPEATS];
  const char *why = noise && once ? "differences are within noise, or there are no repeats"
                    : once        ? "measure more than once to estimate noise"
                                  : "their differences are within noise";
  char text[LONGEST];
  if (undecided(found) == 0)
    snprintf(text, sizeof text, "Of %" PRIu64 " cell%s none is undecided.", found->cells,
             plural(found->cells));
  else
    snprintf(text, sizeof text, "%" PRIu64 " of %" PRIu64 " cell%s undecided: %s.",
             undecided(found), found->cells, plural(found->cells), why);
  say(f, text);
}

static void say_alone(Findings *f)
{
  uint64_t n = f->x->found.decided[AR_ONE_CANDIDATE];
  char text[LONGEST];
  if (!n) return;
  snprintf(text, sizeof text, "%" PRIu64 " cell%s one candidate alone.", n,
           n == 1 ? " has" : "s have");
  say(f, text);
}

int findings_report(const Best *x)
{
  Findings f = { .x = x };
  say_table(&f);
  say_rule(&f);
  say_decided(&f);
  say_alone(&f);
  if (f.status < 0) return f.status;
  return x->host->metric(x->host, METRIC_UNDECIDED, NULL, mill_int((int64_t)undecided(&x->found)),
                         x->found.cells);
}
