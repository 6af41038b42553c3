/* Two runs against each other, labelled base and new: calls and time of host slices and of device work by name.  Events may
 * come in any order.  Memory: the distinct names. */
#include <stagemill/stage.h>
#include <stdio.h>
#include <string.h>

#include "lib/clip.h"
#include "lib/fields.h"
#include "lib/keyed.h"
#include "lib/torch-words.h"

enum { TABLE_DIFF };
enum { NOTICE_SIDES = 1 };
enum { BASE, NEW, N_SIDES };
static const char *const labels[N_SIDES] = { "base", "new" };

typedef struct Sums {
  int64_t calls[N_SIDES], total_ns[N_SIDES];
} Sums;

typedef struct Diff {
  const MillStageHost *host;
  const MillHost *common;
  TorchWords words;
  int side;      /* of a lane */
  Keyed *traces; /* int64_t: how many, by side and rank */
  Keyed *names;  /* Sums, by CPU or GPU and name */
  Buffer text;
} Diff;

static int out_of_memory(const Diff *d)
{
  return mill_fail(d->common, MILL_LIMIT, "the names of two traces do not fit into memory",
                   "raise --max-memory, or cut the traces (clean/limit)");
}

static int wrong_sides(const Diff *d, const char *what, uint32_t line)
{
  const MillFailure f = {
    .size = sizeof f,
    .status = MILL_BAD_INPUT,
    .number = NOTICE_SIDES,
    .line = line,
    .file = __FILE__,
    .what = what,
    .help = "name the run to compare with and the other: base=A.json new=B.json",
  };
  return d->common->fail(d->common, &f);
}

static int open_trace(Diff *d)
{
  char key[48];
  MillLane lane = { .size = sizeof lane };
  d->common->lane(d->common, MILL_NO_LANE, &lane);
  for (d->side = 0; d->side < N_SIDES; d->side++)
    if (!strcmp(lane.label, labels[d->side])) break;
  if (!*lane.label) return wrong_sides(d, "a trace has no label", __LINE__);
  if (d->side == N_SIDES)
    return wrong_sides(d, "a trace is labelled neither base nor new", __LINE__);
  int len = snprintf(key, sizeof key, "%s %lld", labels[d->side], (long long)lane.rank);
  int64_t *n = keyed_get(d->traces, key, (size_t)len);
  if (!n) return -MILL_LIMIT;
  *n = 1;
  return 0;
}

static int diff_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self, (void)options;
  Diff *d = mill_new(host->common, sizeof *d);
  if (!d) return -MILL_LIMIT;
  *out_instance = d;
  d->host = host;
  d->common = d->words.common = d->text.common = host->common;
  d->traces = keyed_new(d->common, sizeof(int64_t));
  d->names = keyed_new(d->common, sizeof(Sums));
  if (!d->traces || !d->names) return -MILL_LIMIT;
  return level == MILL_LANE ? open_trace(d) : 0;
}

/* ---- events */

/* CPU, GPU, or NULL for what is neither: annotations of the device repeat those of the host. */
static const char *side_of(TorchKind kind)
{
  if (torch_is_device(kind)) return "GPU";
  return kind == TORCH_DEVICE_RANGE ? NULL : "CPU";
}

static bool add(Diff *d, const MillEvent *e, const char *side)
{
  size_t len;
  const char *name = d->common->symbol_text(d->common, e->name, &len);
  d->text.len = 0;
  if (!fields_put(&d->text, side, strlen(side)) || !fields_put(&d->text, name, len)) return false;
  Sums *s = keyed_get(d->names, d->text.text, d->text.len);
  if (!s) return false;
  s->calls[d->side]++;
  s->total_ns[d->side] = add_clipped(s->total_ns[d->side], e->dur_ns);
  return true;
}

static int diff_process(void *instance, MillBatch *b)
{
  Diff *d = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    const char *side =
        e->kind == MILL_SLICE && e->dur_ns >= 0 ? side_of(torch_kind(&d->words, e->cat)) : NULL;
    if (side && !add(d, e, side)) return out_of_memory(d);
  }
  return 0;
}

/* ---- summaries */

static void save_count(void *state, const MillStageHost *host)
{
  host->put_int(host, *(const int64_t *)state);
}

static bool load_count(void *state, const MillStageHost *host, void *unused)
{
  (void)unused;
  *(int64_t *)state += host->get_int(host);
  return true;
}

static void save_sums(void *state, const MillStageHost *host)
{
  const Sums *s = state;
  for (int i = 0; i < N_SIDES; i++) {
    host->put_int(host, s->calls[i]);
    host->put_int(host, s->total_ns[i]);
  }
}

static bool load_sums(void *state, const MillStageHost *host, void *unused)
{
  Sums *s = state;
  (void)unused;
  for (int i = 0; i < N_SIDES; i++) {
    s->calls[i] += host->get_int(host);
    s->total_ns[i] = add_clipped(s->total_ns[i], host->get_int(host));
  }
  return true;
}

static int diff_save_result(void *instance)
{
  Diff *d = instance;
  keyed_save(d->traces, d->host, save_count);
  keyed_save(d->names, d->host, save_sums);
  return 0;
}

static int diff_merge_result(void *instance)
{
  Diff *d = instance;
  bool fits = keyed_merge(d->traces, d->host, load_count, NULL) &&
              keyed_merge(d->names, d->host, load_sums, NULL);
  return fits ? 0 : out_of_memory(d);
}

/* ---- results */

/* Each side has traces, and of no rank two. */
static int check_sides(Diff *d)
{
  bool any[N_SIDES] = { false };
  const KeyedEntry *const *entries = keyed_sorted(d->traces);
  if (!entries) return out_of_memory(d);
  for (uint32_t i = 0; i < keyed_count(d->traces); i++) {
    int side = strncmp(entries[i]->key, labels[BASE], strlen(labels[BASE])) ? NEW : BASE;
    any[side] = true;
    if (*(const int64_t *)entries[i]->state > 1)
      return wrong_sides(d,
                         side == BASE ? "several traces of one rank are labelled base"
                                      : "several traces of one rank are labelled new",
                         __LINE__);
  }
  if (!any[BASE]) return wrong_sides(d, "no trace is labelled base", __LINE__);
  return any[NEW] ? 0 : wrong_sides(d, "no trace is labelled new", __LINE__);
}

static const char *change_of(const Sums *s)
{
  if (!s->calls[BASE]) return "added";
  if (!s->calls[NEW]) return "deleted";
  if (s->calls[BASE] == s->calls[NEW]) return "unchanged";
  return s->calls[NEW] > s->calls[BASE] ? "increased" : "decreased";
}

static int row(const Diff *d, const KeyedEntry *entry)
{
  const Sums *s = entry->state;
  const char *at = entry->key, *end = at + entry->len, *change = change_of(s);
  Field side = fields_next(&at, end), name = fields_next(&at, end);
  const MillValue cells[] = {
    mill_text(side.text, side.len),
    mill_text(name.text, name.len),
    mill_int(s->calls[BASE]),
    mill_int(s->calls[NEW]),
    mill_int(s->total_ns[BASE]),
    mill_int(s->total_ns[NEW]),
    mill_int(s->calls[NEW] - s->calls[BASE]),
    mill_int(s->total_ns[NEW] - s->total_ns[BASE]),
    mill_text(change, strlen(change)),
  };
  return d->host->row(d->host, TABLE_DIFF, cells, MILL_COUNT(cells));
}

static int diff_report_run(void *instance)
{
  Diff *d = instance;
  int status = check_sides(d);
  if (status != 0) return status;
  const KeyedEntry *const *entries = keyed_sorted(d->names);
  if (!entries) return out_of_memory(d);
  for (uint32_t i = 0; i < keyed_count(d->names) && status == 0; i++) status = row(d, entries[i]);
  return status;
}

/* ---- the descriptor */

static const MillColumn columns[] = {
  MILL_KEY_BRIEF("side", NULL, MILL_TEXT, "CPU: slices of the host; GPU: work of the device"),
  MILL_KEY_BRIEF("name", NULL, MILL_TEXT, "Name of the slices"),
  MILL_BRIEF("base_calls", "count", MILL_INT, "How many base has"),
  MILL_BRIEF("new_calls", "count", MILL_INT, "How many new has"),
  MILL_BRIEF("base_total", "ns", MILL_INT, "Sum of their durations in base"),
  MILL_BRIEF("new_total", "ns", MILL_INT, "Sum of their durations in new"),
  MILL_COLUMN("diff_calls", "count", MILL_INT, "How many more new has"),
  MILL_BRIEF("diff_total", "ns", MILL_INT, "How much longer they take in new"),
  MILL_BRIEF("change", NULL, MILL_TEXT,
             "What became of the calls: added, deleted, increased, decreased, unchanged"),
};
static const MillTable tables[] = {
  [TABLE_DIFF] = { .per = MILL_PER_RUN,
                   .brief_rows = 20,
                   .name = "trace-diff",
                   .help = "What two runs call, and how long it takes",
                   .order = "-diff_total,side,name",
                   .columns = MILL_ROWS(columns) },
};

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_BAR,
    .name = "trace-diff",
    .title = "What takes longer, and what less",
    .table = "trace-diff",
    .x = "name",
    .y = "diff_total",
    .series = "side",
    .y_label = "longer in new",
    .top = 20 },
};

static const MillNotice notices[] = {
  MILL_ERROR(NOTICE_SIDES, "the traces are not one side labelled base and one labelled new",
             "name the run to compare with and the other: base=A.json new=B.json",
             "Two runs are compared.  A label stands before an input and an equals sign, as in "
             "base=A.json new=B.json; where the input is a folder, all its ranks have the label.  "
             "Of each side a rank may come once, and a trace that says no rank counts as one."),
};

static const char *const needs[] = { "events", NULL };
static const char *const provides[] = { "table.trace-diff", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = diff_open,
  .process = diff_process,
  .save_result = diff_save_result,
  .merge_result = diff_merge_result,
  .report_run = diff_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES | MILL_ANY_ORDER,
  .name = "trace-diff",
  .family = "torch",
  .version = "1.0.0",
  .tag = "TRDIFF",
  .title = "Two runs against each other, by name",
  .help = "Adds up calls and durations of host slices and of device work by name in the traces "
          "labelled base and in "
          "those labelled new, and says what came, went, or takes another time.",
  .needs = needs,
  .provides = provides,
  .notices = MILL_ROWS(notices),
  .tables = MILL_ROWS(tables),
  .figures = MILL_ROWS(figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
