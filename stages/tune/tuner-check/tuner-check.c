/* A file of NCCL's tuner plugin as the plugin takes it: what each line means, and which do nothing. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "kit/declare/rows.h"
#include "kit/state/grow.h"
#include "kit/state/instance.h"
#include "kit/text/symbol.h"
#include "tune/lib/nccl-words.h"

enum { N_FIELDS = 10, N_NEEDED = 8, MAX_LINE = 255, MAX_FIELD = 64, MAX_NOTE = 200 };
enum { COLLECTIVE, MIN, MAX, ALGORITHM, PROTOCOL, CHANNELS, NODES, RANKS, PIPE_OPS, REG_BUFF };

typedef struct Rule {
  int64_t line;
  int64_t numbers[N_FIELDS];   /* of fields that are no words */
  const char *words[N_FIELDS]; /* as the plugin takes them */
} Rule;

typedef struct Row {
  Rule rule;
  bool is_rule;
  char note[MAX_NOTE];
} Row;

typedef struct Check {
  const MillStageHost *host;
  const MillHost *common;
  MillSym record, line, rule, bytes;
  Rule *rules; /* those that count */
  size_t n, capacity;
  Row *rows;
  size_t n_rows, rows_capacity;
  uint64_t n_noted;
} Check;

static int check_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                      const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  Check *x = instance_new(Check, host, out_instance);
  if (!x) return -MILL_LIMIT;
  x->record = symbol_of(x->common, "tuner.line");
  x->line = symbol_of(x->common, "line");
  x->rule = symbol_of(x->common, "rule");
  x->bytes = symbol_of(x->common, "bytes");
  return 0;
}

/* ------------------------------------------------------------------- notes */

static void note(Row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(Row *row, const char *format, ...)
{
  size_t len = strlen(row->note);
  va_list args;
  va_start(args, format);
  if (len && len + 2 < MAX_NOTE) {
    memcpy(row->note + len, "; ", 3);
    len += 2;
  }
  vsnprintf(row->note + len, MAX_NOTE - len, format, args);
  va_end(args);
}

static const char *word(Row *row, NcclWords of, const char *text, const char *otherwise)
{
  const char *const *w = nccl_words(of);
  while (*w && strcmp(*w, text) != 0) w++;
  if (!*w) note(row, "unknown word %.30s: %s is taken", text, otherwise);
  return *w ? *w : otherwise;
}

/* Digits up to what is none, as the plugin reads them. */
static int64_t number(Row *row, const char *text)
{
  int64_t v;
  bool is_decimal = text[strspn(text, "+-0123456789")] == '\0';
  if (is_decimal && num_int(text, strlen(text), &v)) return v;
  v = strtoll(text, NULL, 10);
  note(row, "%.30s is not a number: %lld is taken", *text ? text : "nothing", (long long)v);
  return v;
}

static bool covers(const Rule *a, const Rule *b)
{
  static const uint32_t any[] = { NODES, RANKS, PIPE_OPS, REG_BUFF };
  if (a->words[COLLECTIVE] != b->words[COLLECTIVE]) return false;
  if (a->numbers[MIN] > b->numbers[MIN] || a->numbers[MAX] < b->numbers[MAX]) return false;
  for (size_t i = 0; i < MILL_COUNT(any); i++)
    if (a->numbers[any[i]] != -1 && a->numbers[any[i]] != b->numbers[any[i]]) return false;
  return true;
}

/* False: an earlier line takes all that this one would, and so what later ones would that it covers. */
static bool note_meaning(const Check *x, Row *row)
{
  const Rule *r = &row->rule;
  if (r->numbers[MIN] > r->numbers[MAX]) note(row, "the range is empty");
  if (!nccl_pairs(r->words[ALGORITHM], r->words[PROTOCOL]))
    note(row, "NCCL ignores %s with %s", r->words[ALGORITHM], r->words[PROTOCOL]);
  for (size_t i = 0; i < x->n; i++)
    if (covers(&x->rules[i], r)) {
      note(row, "shadowed by line %lld", (long long)x->rules[i].line);
      return false;
    }
  return true;
}

/* ------------------------------------------------------------------- lines */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* Their number, also of those beyond the last that is kept; blanks around them are cut. */
static uint32_t read_fields(const char *p, size_t len, char (*out)[MAX_FIELD])
{
  uint32_t n = 0;
  for (const char *end = p + len; p <= end; n++) {
    const char *comma = memchr(p, ',', (size_t)(end - p)), *stop = comma ? comma : end,
               *next = stop + 1;
    while (p < stop && is_blank(*p)) p++;
    while (stop > p && is_blank(stop[-1])) stop--;
    size_t size = (size_t)(stop - p) < MAX_FIELD ? (size_t)(stop - p) : MAX_FIELD - 1;
    if (n < N_FIELDS) {
      memcpy(out[n], p, size);
      out[n][size] = '\0';
    }
    p = next;
  }
  return n;
}

static const char *text_of(const Check *x, const MillBatch *b, const MillEvent *e, size_t *out_len)
{
  const MillAttr *a = mill_attr(b, e, x->rule);
  *out_len = 0;
  if (a && (a->type & MILL_ATTR_TYPE) == MILL_SYM)
    return x->common->symbol_text(x->common, a->u.sym, out_len);
  const char *text = a ? mill_attr_text(b, a, out_len) : NULL;
  return text ? text : "";
}

static void take_fields(Row *row, char (*fields)[MAX_FIELD], uint32_t n)
{
  Rule *r = &row->rule;
  r->words[COLLECTIVE] = word(row, NCCL_COLLECTIVE, fields[COLLECTIVE], "allreduce");
  r->words[ALGORITHM] = word(row, NCCL_ALGORITHM, fields[ALGORITHM], "ring");
  r->words[PROTOCOL] = word(row, NCCL_PROTOCOL, fields[PROTOCOL], "simple");
  for (uint32_t i = 0; i < N_FIELDS; i++)
    if (!r->words[i]) r->numbers[i] = i < n ? number(row, fields[i]) : -1;
  row->is_rule = true;
}

static int add_line(Check *x, const MillBatch *b, const MillEvent *e)
{
  char fields[N_FIELDS][MAX_FIELD];
  int64_t bytes = 0;
  size_t len;
  if (!array_reserve(x->common, &x->rows, &x->rows_capacity, x->n_rows + 1, sizeof *x->rows))
    return -MILL_LIMIT;
  if (!array_reserve(x->common, &x->rules, &x->capacity, x->n + 1, sizeof *x->rules))
    return -MILL_LIMIT;
  Row *row = &x->rows[x->n_rows++];
  *row = (Row){ .is_rule = false };
  mill_attr_int(b, e, x->line, &row->rule.line);
  mill_attr_int(b, e, x->bytes, &bytes);
  const char *text = text_of(x, b, e, &len);
  uint32_t n = read_fields(text, len, fields);
  if (bytes > MAX_LINE)
    note(row, "the line is longer than %d bytes and would be read as two", MAX_LINE);
  if (n < N_NEEDED) {
    note(row, "ignored: %u fields, and %d are needed", n, N_NEEDED);
  } else {
    if (n > N_FIELDS) note(row, "fields after the tenth are ignored");
    take_fields(row, fields, n < N_FIELDS ? n : N_FIELDS);
    if (note_meaning(x, row)) x->rules[x->n++] = row->rule;
  }
  x->n_noted += row->note[0] != '\0';
  return 0;
}

static int check_process(void *instance, MillBatch *b)
{
  Check *x = instance;
  int status = 0;
  for (uint32_t i = 0; i < b->n_events && status == 0; i++)
    if (b->events[i].kind == MILL_RECORD && b->events[i].name == x->record)
      status = add_line(x, b, &b->events[i]);
  return status;
}

typedef struct RuleRow {
  int64_t line;
  const char *words[N_FIELDS];
  int64_t numbers[N_FIELDS];
  const char *note;
} RuleRow;

static int check_report(void *instance)
{
  const Check *x = instance;
  int status = 0;
  for (size_t i = 0; i < x->n_rows && status == 0; i++) {
    const Row *from = &x->rows[i];
    RuleRow row = { .line = from->rule.line, .note = *from->note ? from->note : NULL };
    for (uint32_t k = 0; k < N_FIELDS; k++) {
      row.words[k] = from->is_rule ? from->rule.words[k] : NULL;
      row.numbers[k] = from->is_rule ? from->rule.numbers[k] : MILL_NO_INT;
    }
    status = mill_row(x->host, 0, &row);
  }
  if (status < 0) return status;
  return x->host->metric(x->host, 0, NULL, mill_int((int64_t)x->n_noted), x->n_rows);
}

/* ---------------------------------------------------------- the descriptor */

static const MillRead reads[] = {
  RECORD_INT("line"),
  RECORD_INT("bytes"),
  RECORD_TEXT("rule"),
};

static const MillColumn columns[] = {
  MILL_KEY_BRIEF(RuleRow, line, "line", NULL, "Number of the line in the file"),
  MILL_BRIEF(RuleRow, words[COLLECTIVE], "collective", NULL, "Collective"),
  MILL_BRIEF(RuleRow, numbers[MIN], "min_bytes", NULL, "Smallest message"),
  MILL_BRIEF(RuleRow, numbers[MAX], "max_bytes", NULL, "Largest message"),
  MILL_BRIEF(RuleRow, words[ALGORITHM], "algorithm", NULL, "Algorithm"),
  MILL_BRIEF(RuleRow, words[PROTOCOL], "protocol", NULL, "Protocol"),
  MILL_BRIEF(RuleRow, numbers[CHANNELS], "channels", NULL,
             "Number of channels; -1: as NCCL chooses"),
  MILL_BRIEF(RuleRow, numbers[NODES], "nodes", NULL, "Number of nodes; -1: any"),
  MILL_BRIEF(RuleRow, numbers[RANKS], "ranks", NULL, "Number of ranks; -1: any"),
  MILL_COLUMN(RuleRow, numbers[PIPE_OPS], "pipe_ops", NULL, 0, "Operations in a pipeline; -1: any"),
  MILL_COLUMN(RuleRow, numbers[REG_BUFF], "reg_buff", NULL, 0, "Registered buffers; -1: any"),
  MILL_BRIEF(RuleRow, note, "note", NULL, "Notes about the line"),
};

static const MillTable tables[] = {
  { .per = MILL_PER_LANE,
    .brief_rows = 24,
    .name = "tuner-check",
    .help = "Lines as the plugin reads them",
    .columns = MILL_ROWS(columns) },
};

static const MillMetric metrics[] = {
  { .per = MILL_PER_LANE,
    .better = MILL_LOWER,
    .kind = MILL_INT,
    .name = "tuner_odd_lines",
    .unit = "count",
    .help = "Lines of a tuner's file with a note: an error, or a line without effect" },
};

static const char *const needs[] = { "input.tuner-conf", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = check_open,
  .process = check_process,
  .report = check_report,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
  .name = "tuner-check",
  .family = "tune",
  .version = "1.0.0",
  .tag = "TCHECK",
  .title = "Check a file of NCCL's tuner plugin",
  .help = "Reads the lines as the plugin does. Notes words that the plugin does not know, lines "
          "that never take effect, and pairs that NCCL ignores.",
  .needs = needs,
  OWN_ROWS(reads, tables, metrics),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
