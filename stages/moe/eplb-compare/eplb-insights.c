/* The comparison in words; see eplb-insights.h.  Texts speak of kernel time as the totals do, and
 * what else is said of better and worse names the total where it went the other way. */
/* SPDX-License-Identifier: MIT */
#include "eplb-insights.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "eplb-rows.h"

enum { TEXT_MAX = 128, NUMBER_MAX = 32 };

typedef struct Insights {
  const MillStageHost *host;
  uint32_t table;
  int64_t n; /* rows so far */
  const KernelSide *alone;
} Insights;

typedef struct Insight {
  const char *name, *unit; /* NULL: no values */
  double off, on;
  const char *text;
} Insight;

typedef struct InsightRow {
  const char *insight, *unit;
  double off, on, change;
  const char *text;
  int64_t position;
} InsightRow;

static int put(Insights *i, const Insight *insight)
{
  bool has_values = insight->unit != NULL;
  const InsightRow row = {
    .insight = insight->name,
    .unit = insight->unit,
    .off = has_values ? insight->off : (double)NAN,
    .on = has_values ? insight->on : (double)NAN,
    .change = has_values ? eplb_change(insight->off, insight->on) : (double)NAN,
    .text = insight->text,
    .position = ++i->n,
  };
  return mill_row(i->host, i->table, &row);
}

/* "5.6", or "less than 0.1" */
static const char *tenths(double v, char *to)
{
  const double most = 9e17;
  int64_t n = llround(fmin(fabs(v), most) * 10);
  if (n == 0) return "less than 0.1";
  snprintf(to, NUMBER_MAX, "%" PRId64 ".%" PRId64, n / 10, n % 10);
  return to;
}

/* ---- the total */

static int put_total(Insights *i, int64_t off_ns, int64_t on_ns)
{
  char text[TEXT_MAX] = "with EPLB kernel time is the same", number[NUMBER_MAX];
  if (off_ns <= 0)
    snprintf(text, sizeof text, "without EPLB there is no kernel time");
  else if (on_ns != off_ns)
    snprintf(text, sizeof text, "with EPLB kernel time is %s %% %s",
             tenths(eplb_change((double)off_ns, (double)on_ns), number),
             on_ns > off_ns ? "longer (slower)" : "shorter (faster)");
  return put(i, &(Insight){ "kernel_time", "ms", (double)off_ns / 1e6, (double)on_ns / 1e6, text });
}

/* ---- where: classes that take another time, the most changed one first, without those that
 * changed less than a hundredth as much */

typedef struct Place {
  const char *name;
  int64_t off_ns, on_ns;
} Place;

static uint64_t change_of(const Place *p)
{
  return p->on_ns > p->off_ns ? (uint64_t)(p->on_ns - p->off_ns) : (uint64_t)(p->off_ns - p->on_ns);
}

/* Of equal ones the order is kept. */
static void insert_place(Place *places, uint32_t n, const Place *p)
{
  for (; n > 0 && change_of(&places[n - 1]) < change_of(p); n--) places[n] = places[n - 1];
  places[n] = *p;
}

static int put_place(Insights *i, const Place *p)
{
  char text[TEXT_MAX], number[NUMBER_MAX];
  snprintf(text, sizeof text, "%s ms %s", tenths((double)change_of(p) / 1e6, number),
           p->on_ns > p->off_ns ? "longer" : "shorter");
  return put(i, &(Insight){ p->name, "ms", (double)p->off_ns / 1e6, (double)p->on_ns / 1e6, text });
}

static const struct {
  const char *name;
  uint32_t class;
} classes[] = { { "moe_time", CLASS_MOE },
                { "nccl_time", CLASS_NCCL },
                { "attention_time", CLASS_ATTENTION },
                { "cache_time", CLASS_CACHE },
                { "other_time", CLASS_OTHER } };

static int put_places(Insights *i, const KernelSide sides[N_SIDES])
{
  Place places[MILL_COUNT(classes)];
  uint32_t n = 0;
  int status = 0;
  for (uint32_t k = 0; k < MILL_COUNT(classes); k++) {
    const Place p = { classes[k].name, sides[SIDE_OFF].sums[classes[k].class].total_ns,
                      sides[SIDE_ON].sums[classes[k].class].total_ns };
    if (p.on_ns != p.off_ns) insert_place(places, n++, &p);
  }
  for (uint32_t k = 0; k < n && status == 0; k++)
    if (change_of(&places[k]) >= change_of(&places[0]) / 100) status = put_place(i, &places[k]);
  return status;
}

/* ---- ratios */

static bool alltoall_per_moe(const KernelSide *side, double *out)
{
  const KernelSums *alltoall = &side->sums[CLASS_ALLTOALL], *fused = &side->sums[CLASS_FUSED];
  if (alltoall->rows == 0 || fused->total_ns <= 0) return false;
  *out = (double)alltoall->total_ns / (double)fused->total_ns;
  return true;
}

static bool spread(const KernelSide *side, double *out)
{
  return eplb_cv(&side->sums[CLASS_FUSED], out);
}

static bool stragglers(const KernelSide *side, double *out)
{
  return eplb_max_min(&side->sums[CLASS_FUSED], out);
}

static int put_ratios(Insights *i, const KernelSide sides[N_SIDES])
{
  static const struct {
    const char *name, *less, *more, *same;
    bool (*value)(const KernelSide *, double *);
  } ratios[] = {
    { "fused_moe_max_min", "milder stragglers", "worse stragglers", "the same stragglers",
      stragglers },
    { "fused_moe_cv", "calls of the fused MoE kernels vary less",
      "calls of the fused MoE kernels vary more", "calls of the fused MoE kernels vary as much",
      spread },
    { "alltoall_per_fused_moe", "less all-to-all for the same expert work",
      "more all-to-all for the same expert work", "as much all-to-all for the same expert work",
      alltoall_per_moe },
  };
  int status = 0;
  for (uint32_t k = 0; k < MILL_COUNT(ratios) && status == 0; k++) {
    Insight row = { ratios[k].name, "ratio", 0, 0, ratios[k].same };
    if (!ratios[k].value(&sides[SIDE_OFF], &row.off) || !ratios[k].value(&sides[SIDE_ON], &row.on))
      continue;
    if (row.on < row.off) row.text = ratios[k].less;
    if (row.on > row.off) row.text = ratios[k].more;
    status = put(i, &row);
  }
  return status;
}

/* ---- values one by one */

static const char *but(int64_t improved, int64_t changed, const KernelSide sides[N_SIDES])
{
  int64_t off = sides[SIDE_OFF].sums[CLASS_ALL].total_ns,
          on = sides[SIDE_ON].sums[CLASS_ALL].total_ns;
  if (2 * improved > changed && on > off) return ", but kernel time is longer";
  if (2 * improved < changed && on < off) return ", but kernel time is shorter";
  return "";
}

static int put_judged(Insights *i, const KernelSide sides[N_SIDES], int64_t improved,
                      int64_t changed)
{
  char text[TEXT_MAX];
  snprintf(text, sizeof text, "better in %" PRId64 " of %" PRId64 " values%s", improved, changed,
           but(improved, changed, sides));
  return changed ? put(i, &(Insight){ "judged", NULL, 0, 0, text }) : 0;
}

int eplb_insights(const MillStageHost *host, uint32_t table, const KernelSide sides[N_SIDES],
                  int64_t improved, int64_t changed)
{
  Insights i = { host, table, 0, NULL };
  int status = put_total(&i, sides[SIDE_OFF].sums[CLASS_ALL].total_ns,
                         sides[SIDE_ON].sums[CLASS_ALL].total_ns);
  if (status == 0) status = put_places(&i, sides);
  if (status == 0) status = put_ratios(&i, sides);
  return status ? status : put_judged(&i, sides, improved, changed);
}

/* ---- one table: how long each class took */

static int put_class(Insights *i, const char *name, const KernelSums *sums, const char *of)
{
  char text[TEXT_MAX], number[NUMBER_MAX], share[NUMBER_MAX];
  double pct = 0;
  if (sums->rows == 0) return 0;
  bool has_share = eplb_share(&i->alone->sums[CLASS_ALL], sums, &pct);
  snprintf(text, sizeof text, "%s ms%s%s%s", tenths((double)sums->total_ns / 1e6, number),
           has_share && of ? ", " : "", has_share && of ? tenths(pct, share) : "",
           has_share && of ? of : "");
  return put(i, &(Insight){ name, NULL, 0, 0, text });
}

int eplb_insights_alone(const MillStageHost *host, uint32_t table, const KernelSide *side)
{
  Insights i = { host, table, 0, side };
  int status = put_class(&i, "kernel_time", &side->sums[CLASS_ALL], NULL);
  for (uint32_t k = 0; k < MILL_COUNT(classes) && status == 0; k++)
    status = put_class(&i, classes[k].name, &side->sums[classes[k].class], " % of kernel time");
  return status;
}

/* ---- declaration */

const MillColumn eplb_insight_columns[EPLB_INSIGHT_COLUMNS] = {
  MILL_KEY_BRIEF(InsightRow, insight, "insight", NULL, "Name of the insight"),
  MILL_BRIEF(InsightRow, unit, "unit", NULL, "Unit of off and on"),
  MILL_BRIEF(InsightRow, off, "off", NULL, "Value without EPLB"),
  MILL_BRIEF(InsightRow, on, "on", NULL, "Value with EPLB"),
  MILL_COLUMN(InsightRow, change, "change", "pct", 0,
              "(on - off) / off; empty from 0 to something else"),
  MILL_BRIEF(InsightRow, text, "text", NULL, "The insight in words"),
  MILL_COLUMN(InsightRow, position, "position", NULL, 0, "Order of the rows"),
};
